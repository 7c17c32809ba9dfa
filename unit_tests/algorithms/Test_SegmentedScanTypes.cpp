// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The types and operations that Test_SegmentedScan.cpp leaves out.

#include "SegmentedScanCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedScanTypes : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedScanTypes, ExecutionSpaces);

constexpr Impl::Operation sum = Impl::Operation::sum;

TYPED_TEST(SegmentedScanTypes, HalfsIntoFloats) {
  expect_scans<sum, half_t, float, TypeParam>(few_lengths);
  expect_scans<sum, bhalf_t, bhalf_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedScanTypes, Doubles) {
  expect_scans<sum, double, double, TypeParam>(few_lengths);
  expect_scans<sum, float, double, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedScanTypes, Flags) {
  expect_scans<sum, bool, std::int32_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedScanTypes, Integers) {
  expect_scans<sum, std::uint32_t, std::uint64_t, TypeParam>(few_lengths);
  expect_scans<sum, std::int64_t, std::int64_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedScanTypes, NoKernelForThese) {
  expect_scans<sum, std::int8_t, std::int8_t, TypeParam>(few_lengths);
  expect_scans<sum, std::int16_t, std::int32_t, TypeParam>(few_lengths);
  expect_scans<sum, float, float, TypeParam, double>(few_lengths);
}
TYPED_TEST(SegmentedScanTypes, Maximum) {
  expect_scans<Impl::Operation::max, float, float, TypeParam>(few_lengths);
  expect_scans<Impl::Operation::max, std::int8_t, std::int8_t, TypeParam>(
      few_lengths);
}
TYPED_TEST(SegmentedScanTypes, Minimum) {
  expect_scans<Impl::Operation::min, std::int32_t, std::int32_t, TypeParam>(
      few_lengths);
  expect_ragged_scans<Impl::Operation::min, std::int32_t, std::int32_t,
                      std::int32_t, TypeParam>();
}
TYPED_TEST(SegmentedScanTypes, Product) {
  expect_scans<Impl::Operation::prod, std::int32_t, std::int32_t, TypeParam>(
      few_lengths);
}

}  // namespace
