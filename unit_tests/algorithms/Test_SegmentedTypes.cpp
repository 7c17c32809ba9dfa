// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The types that Test_SegmentedReduce.cpp leaves out, wider and narrower
// accumulators and results, integers modulo 2^bits.

#include "SegmentedReduceCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedTypes : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedTypes, ExecutionSpaces);

constexpr Impl::Operation sum = Impl::Operation::sum;

TYPED_TEST(SegmentedTypes, BHalfs) {
  expect_lengths<sum, bhalf_t, float, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedTypes, HalfsAreRoundedOnce) {
  expect_lengths<sum, half_t, half_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedTypes, FloatsInDouble) {
  expect_lengths<sum, float, double, TypeParam>(few_lengths);
  expect_lengths<sum, float, float, TypeParam, double>(few_lengths);
}
TYPED_TEST(SegmentedTypes, Flags) {
  expect_lengths<sum, bool, std::int32_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedTypes, UnsignedBytes) {
  expect_lengths<sum, std::uint8_t, std::uint32_t, TypeParam>(few_lengths);
  expect_lengths<sum, std::uint8_t, std::int64_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedTypes, NarrowResults) {
  expect_lengths<sum, std::int8_t, std::int8_t, TypeParam>(few_lengths);
  expect_lengths<sum, std::int32_t, float, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedTypes, Integers) {
  expect_lengths<sum, std::int32_t, std::int32_t, TypeParam>(few_lengths);
  expect_lengths<sum, std::int32_t, std::int64_t, TypeParam>(few_lengths);
  expect_lengths<sum, std::int64_t, std::int64_t, TypeParam>(few_lengths);
  expect_lengths<sum, std::uint64_t, std::uint64_t, TypeParam>(few_lengths);
}
TYPED_TEST(SegmentedTypes, NoKernelForThese) {
  expect_lengths<sum, std::int16_t, std::int32_t, TypeParam>(few_lengths);
  expect_lengths<sum, std::int8_t, float, TypeParam, float>(few_lengths);
}

/// Random bits: sums leave the type and come back.
template <class Input, class Output, class Exec>
void expect_modulo() {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const length : {5, 64, 3000, 70001}) {
    std::size_t const size = 70001;
    std::vector<std::int64_t> values(size);
    auto const x = make_view<Input, Exec>(size, [&](std::size_t i) {
      auto const value = static_cast<Input>(random.bits());
      values[i]        = std::int64_t(value);
      return value;
    });
    auto const expected =
        reduced<sum, Output, Output>(values, equal_segments(size, length));
    auto const problem =
        equal_problem<sum, Output>(x, Kokkos::View<Output*, Exec>(), false,
                                   Impl::EqualSegments{size, length});
    for (Route const route : segmented_routes<Exec>(problem)) {
      SCOPED_TRACE(
          segment_trace(sum, scalar_v<Input>, scalar_v<Output>, route) +
          ", length " + std::to_string(length));
      Guarded<Output, Exec> const result(expected.size());
      segmented_reduce(Exec(), x, length, result.view(), Settings{route});
      ASSERT_TRUE(result.holds(expected));
    }
  }
}
TYPED_TEST(SegmentedTypes, IntegersModulo) {
  expect_modulo<std::int32_t, std::int32_t, TypeParam>();
  expect_modulo<std::int64_t, std::int64_t, TypeParam>();
  expect_modulo<std::uint8_t, std::uint32_t, TypeParam>();
}

// --- types of the accumulator -----------------------------------------------
template <Impl::Operation Op, class Input, class Output,
          class Accumulator = void>
using kept =
    Impl::segment_accumulator_t<operation_t<Op, Accumulator>,
                                Kokkos::View<Input*>, Kokkos::View<Output*>>;
constexpr Impl::Operation min  = Impl::Operation::min;
constexpr Impl::Operation prod = Impl::Operation::prod;
static_assert(std::is_same_v<float, kept<sum, half_t, half_t>>);
static_assert(std::is_same_v<double, kept<sum, float, double>>);
static_assert(std::is_same_v<float, kept<min, float, double>>);
static_assert(std::is_same_v<float, kept<min, half_t, half_t>>);
static_assert(
    std::is_same_v<std::int32_t, kept<sum, std::int8_t, std::int8_t>>);
static_assert(std::is_same_v<double, kept<sum, std::int32_t, float>>);
static_assert(std::is_same_v<double, kept<sum, std::uint64_t, double>>);
static_assert(std::is_same_v<std::int64_t, kept<sum, std::uint8_t, float>>);
// 4e9 as int32 would be the smallest of all.
static_assert(
    std::is_same_v<std::uint32_t, kept<min, std::uint32_t, std::int32_t>>);
static_assert(std::is_same_v<double, kept<prod, std::int32_t, float>>);
static_assert(std::is_same_v<double, kept<prod, std::int64_t, double>>);
static_assert(std::is_same_v<double, kept<prod, std::int8_t, double>>);
static_assert(std::is_same_v<std::int64_t, kept<sum, long long, long long>>);
static_assert(std::is_same_v<std::int64_t, kept<sum, int, int, long long>>);
static_assert(std::is_same_v<std::int32_t, kept<sum, bool, std::int32_t>>);

}  // namespace
