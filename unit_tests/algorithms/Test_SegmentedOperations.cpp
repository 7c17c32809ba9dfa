// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Minimum, maximum and product of segments.

#include "SegmentedReduceCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedOperations : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedOperations, ExecutionSpaces);

TYPED_TEST(SegmentedOperations, MinimumOfFloats) {
  expect_lengths<Impl::Operation::min, float, float, TypeParam>(few_lengths);
  expect_all_ragged<Impl::Operation::min, float, float, TypeParam>(
      std::int32_t());
}
TYPED_TEST(SegmentedOperations, MaximumOfHalfs) {
  expect_lengths<Impl::Operation::max, half_t, half_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedOperations, MaximumOfBytes) {
  expect_lengths<Impl::Operation::max, std::int8_t, std::int8_t, TypeParam>(
      few_lengths);
  expect_all_ragged<Impl::Operation::max, std::int8_t, std::int8_t, TypeParam>(
      std::int64_t());
}
TYPED_TEST(SegmentedOperations, MinimumOfFlagsIsAll) {
  expect_lengths<Impl::Operation::min, bool, std::int32_t, TypeParam>(
      few_lengths);
}
TYPED_TEST(SegmentedOperations, ProductOfDoubles) {
  expect_lengths<Impl::Operation::prod, double, double, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedOperations, ProductOfIntegers) {
  expect_lengths<Impl::Operation::prod, std::int32_t, std::int32_t, TypeParam>(
      few_lengths);
  expect_all_ragged<Impl::Operation::prod, std::int32_t, std::int32_t,
                    TypeParam>(std::int32_t());
}

}  // namespace
