// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans within equal and ragged segments, in place and not. The values are
// small integers, so that all routes give the exact prefixes.

#include "SegmentedScanCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedScan : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedScan, ExecutionSpaces);

constexpr Operation sum = Operation::sum;

TYPED_TEST(SegmentedScan, Floats) {
  expect_scans<sum, float, float, TypeParam>(all_lengths());
  expect_ragged_scans<sum, float, float, std::int32_t, TypeParam>();
}
TYPED_TEST(SegmentedScan, Bytes) {
  expect_scans<sum, std::int8_t, std::int32_t, TypeParam>(all_lengths());
  expect_ragged_scans<sum, std::int8_t, std::int32_t, std::int64_t,
                      TypeParam>();
}
TYPED_TEST(SegmentedScan, HalfsInPlace) {
  expect_scans<sum, half_t, half_t, TypeParam>(few_lengths);
  expect_ragged_scans<sum, half_t, half_t, std::int32_t, TypeParam>();
}
TYPED_TEST(SegmentedScan, AMillion) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const length : {1, 7, 1000, 300000, 1000003, 2000000})
    expect_equal_scan<sum, std::int32_t, std::int32_t, true, TypeParam, void>(
        1000003, length, random);
}

}  // namespace
