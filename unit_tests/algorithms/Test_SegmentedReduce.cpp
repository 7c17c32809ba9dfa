// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums, minima, maxima and products of equal and ragged segments at every
// length at which a kernel changes its ways. The values are small integers, so
// that all routes are exact.

#include "SegmentedCases.hpp"

#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentedReduce);

constexpr Impl::Operation sum     = Impl::Operation::sum;
constexpr Impl::Operation prod    = Impl::Operation::prod;
constexpr Impl::Operation minimum = Impl::Operation::min;
constexpr Impl::Operation maximum = Impl::Operation::max;

TYPED_TEST(SegmentedReduce, EveryLength) {
  expect_lengths<Reduce, TypeParam, Case<sum, half_t, float>,
                 Case<sum, float, float>, Case<sum, double, double>,
                 Case<sum, std::int8_t, std::int32_t>>(all_lengths());
}

/// One segment, and two of which the second is shorter or as long.
TYPED_TEST(SegmentedReduce, FewLongSegments) {
  Random random;
  std::size_t const n = 1000003;
  for (std::size_t const length : {n, n + 1, n - 1, n / 2, n / 2 + 1, n / 7})
    expect_equal<Reduce, Case<sum, float, float>, TypeParam>(n, length, random);
  expect_equal<Reduce, Case<sum, std::int8_t, std::int32_t>, TypeParam>(
      n, std::numeric_limits<std::size_t>::max(), random);
}

TYPED_TEST(SegmentedReduce, ManySegments) {
  Random random;
  for (std::size_t const length : {1, 3, 8, 100, 129})
    expect_equal<Reduce, Case<sum, half_t, float>, TypeParam>(1000003, length,
                                                              random);
}

/// Ones, more than 2^32 of them: a segment's sum is its length.
TYPED_TEST(SegmentedReduce, BeyondTwoToThe32) {
  using Exec = TypeParam;
  if (!on_cuda<Exec>) GTEST_SKIP() << "its kernels run on Cuda only";
  std::size_t const size = (std::size_t(1) << 32) + 5;
  Kokkos::View<std::int8_t*, Exec> const x(
      Kokkos::view_alloc("ones", Kokkos::WithoutInitializing), size);
  Kokkos::deep_copy(x, std::int8_t(1));
  for (std::size_t const length :
       {std::size_t(1000), (std::size_t(1) << 30) + 1, size}) {
    auto const segments = equal_segments(size, length);
    std::vector<std::int64_t> offsets{0};
    for (auto const& segment : segments)
      offsets.push_back(std::int64_t(segment.second));
    auto const check = [&](auto const& cut) {
      Kokkos::View<std::int64_t*, Exec> const result("result", segments.size());
      segmented_reduce(Exec(), x, cut, result);
      ASSERT_TRUE(holds(result, [&](std::size_t s) {
        return segments[s].second - segments[s].first;
      })) << length;
    };
    check(length);
    check(offsets_view<std::int64_t, Exec>(offsets));
  }
}

TYPED_TEST(SegmentedReduce, Ragged) {
  using Exec = TypeParam;
  expect_ragged<Reduce, Case<sum, float, float>, std::int32_t, Exec>();
  expect_ragged<Reduce, Case<sum, half_t, float>, std::int64_t, Exec>();
  using Bytes = Case<sum, std::int8_t, std::int32_t>;
  expect_ragged<Reduce, Bytes, std::int32_t, Exec>();
  expect_ragged<Reduce, Case<minimum, float, float>, std::int32_t, Exec>();
  using Maxima = Case<maximum, std::int8_t, std::int8_t>;
  expect_ragged<Reduce, Maxima, std::int64_t, Exec>();
  using Products = Case<prod, std::int32_t, std::int32_t>;
  expect_ragged<Reduce, Products, std::int32_t, Exec>();
}

TYPED_TEST(SegmentedReduce, Types) {
  expect_lengths<
      Reduce, TypeParam, Case<sum, bhalf_t, float>, Case<sum, half_t, half_t>,
      Case<sum, float, double>, Case<sum, float, float, double>,
      Case<sum, bool, std::int32_t>, Case<sum, std::uint8_t, std::uint32_t>,
      Case<sum, std::uint8_t, std::int64_t>,
      Case<sum, std::int8_t, std::int8_t>, Case<sum, std::int32_t, float>,
      Case<sum, std::int32_t, std::int32_t>,
      Case<sum, std::int32_t, std::int64_t>,
      Case<sum, std::int64_t, std::int64_t>,
      Case<sum, std::uint64_t, std::uint64_t>>(few_lengths);
  // This library has no kernel for these.
  expect_lengths<Reduce, TypeParam, Case<sum, std::int16_t, std::int32_t>,
                 Case<sum, std::int8_t, float, float>>(few_lengths);
}

TYPED_TEST(SegmentedReduce, OtherOperations) {
  expect_lengths<
      Reduce, TypeParam, Case<minimum, float, float>,
      Case<maximum, half_t, half_t>, Case<maximum, std::int8_t, std::int8_t>,
      Case<minimum, bool, std::int32_t>, Case<maximum, bool, std::int32_t>,
      Case<maximum, std::uint8_t, std::int64_t>, Case<prod, double, double>,
      Case<prod, std::int32_t, std::int32_t>>(few_lengths);
}

/// Elements that are the identity of their type, into another type: they took
/// part.
template <class Op, class T, class Y, class Exec>
void expect_identity_is_an_element(T element) {
  auto const x = filled<T, Exec>(6, element);
  auto const y = filled<Y, Exec>(2, Y(7));
  segmented_reduce(Exec(), x, 3, y, Op());
  EXPECT_EQ(static_cast<Y>(element), host_copy(y)(1));
  auto const prefixes = filled<Y, Exec>(6, Y(7));
  segmented_inclusive_scan(Exec(), x, 3, prefixes, Op());
  EXPECT_EQ(static_cast<Y>(element), host_copy(prefixes)(4));
}
TYPED_TEST(SegmentedReduce, IdentitiesAreElements) {
  using Limits = std::numeric_limits<std::int32_t>;
  expect_identity_is_an_element<Minimum<>, std::int32_t, std::int64_t,
                                TypeParam>(Limits::max());
  expect_identity_is_an_element<Maximum<>, std::int32_t, std::int64_t,
                                TypeParam>(Limits::min());
  expect_identity_is_an_element<Minimum<>, std::uint32_t, std::uint64_t,
                                TypeParam>(~0u);
  expect_identity_is_an_element<Minimum<>, std::int32_t, std::int32_t,
                                TypeParam>(Limits::max());
  // 0 is the identity of the maximum of unsigned numbers. A signed result took
  // it for an empty segment: the maximum of zeros was the lowest number.
  expect_identity_is_an_element<Maximum<>, bool, std::int32_t, TypeParam>(
      false);
  expect_identity_is_an_element<Maximum<>, std::uint8_t, std::int16_t,
                                TypeParam>(0);
  expect_identity_is_an_element<Maximum<>, std::uint16_t, std::int64_t,
                                TypeParam>(0);
  expect_identity_is_an_element<Maximum<>, std::uint32_t, std::int32_t,
                                TypeParam>(0);
  expect_identity_is_an_element<Maximum<>, std::uint32_t, std::int64_t,
                                TypeParam>(0);
  expect_identity_is_an_element<Maximum<std::uint32_t>, std::uint8_t,
                                std::int32_t, TypeParam>(0);
  expect_identity_is_an_element<Minimum<std::int32_t>, std::int32_t,
                                std::int64_t, TypeParam>(Limits::max());
  // No wider type
  expect_identity_is_an_element<Maximum<>, std::uint64_t, std::int64_t,
                                TypeParam>(0);
  expect_identity_is_an_element<Minimum<>, std::int64_t, std::uint64_t,
                                TypeParam>(
      std::numeric_limits<std::int64_t>::max());
}

template <class Kept, Impl::Operation Op, class... Types>
inline constexpr bool keeps =
    std::is_same_v<Kept, typename Case<Op, Types...>::Accumulator>;
static_assert(keeps<float, sum, half_t, half_t>);
static_assert(keeps<double, sum, float, double>);
static_assert(keeps<float, minimum, float, double>);
static_assert(keeps<float, minimum, half_t, half_t>);
static_assert(keeps<std::int32_t, sum, std::int8_t, std::int8_t>);
static_assert(keeps<double, sum, std::int32_t, float>);
static_assert(keeps<double, sum, std::uint64_t, double>);
static_assert(keeps<std::int64_t, sum, std::uint8_t, float>);
// 4e9 as int32 would be the smallest of all.
static_assert(keeps<std::int64_t, minimum, std::uint32_t, std::int32_t>);
static_assert(keeps<std::int32_t, maximum, std::uint8_t, std::int64_t>);
static_assert(keeps<std::uint32_t, maximum, std::uint8_t, std::uint8_t>);
static_assert(keeps<double, prod, std::int32_t, float>);
static_assert(keeps<double, prod, std::int64_t, double>);
static_assert(keeps<double, prod, std::int8_t, double>);
static_assert(keeps<std::int64_t, sum, long long, long long>);
static_assert(keeps<std::int64_t, sum, int, int, long long>);
static_assert(keeps<std::int32_t, sum, bool, std::int32_t>);

}  // namespace
