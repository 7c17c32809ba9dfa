// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every element type into every result type that is allowed, and every size at
// which a kernel changes its ways, from any place of a 16-byte line on. All
// routes give the exact sum.

#include "AlgorithmSupport.hpp"

#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <limits>
#include <set>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ReduceValues);

/// Numbers whose sum no type on the way has to round: -1, 0 and 1 for a wide
/// range.
template <class Element>
int small_value(Random& random, bool wide) {
  if constexpr (std::is_same_v<Element, bool>) {
    return int(random.integer(0, 1));
  }
  int const most = wide ? 1 : 4;
  return int(random.integer(std::is_unsigned_v<Element> ? 0 : -most, most));
}

/// Results of 16 bits, and sums kept in fp32, round beyond this many values.
template <class Value>
constexpr std::size_t exact_up_to() {
  if constexpr (std::is_integral_v<Value>) {
    return std::numeric_limits<std::size_t>::max();
  }
  if constexpr (sizeof(Value) == 2) {
    return 300;
  }
  return std::size_t(1) << 24;
}

/// Numbers whose sum is exact, at any place of a 16-byte line, and others
/// around them. Integers have any bits: sums leave the type and come back
/// modulo 2^bits. On host spaces Kokkos' own join adds, for which leaving a
/// signed type is undefined: there the numbers are smaller.
template <class Element, class Value, class Exec>
void expect_exact_at(std::size_t size, Random& random) {
  if (size > exact_up_to<Value>()) return;
  Exec const exec;
  constexpr bool any_bits = std::is_integral_v<Element> &&
                            std::is_integral_v<Value> &&
                            !std::is_same_v<Element, bool>;
  constexpr bool host =
      std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;
  constexpr int drop = host && std::is_signed_v<Value> ? 50 : 0;
  // Partial sums stay below 2^24 in magnitude.
  bool const wide        = size > 100000 || sizeof(Value) == 2;
  auto const first       = random.integer(0, 1)
                               ? std::size_t(0)
                               : std::size_t(random.integer(1, 16 / sizeof(Element)));
  std::uint64_t expected = 0;
  auto const memory =
      make_view<Element, Exec>(size + first + 5, [&](std::size_t i) {
        if (i < first || i >= first + size) return Element(1);
        auto const value =
            any_bits ? static_cast<Element>(random.bits() >> drop)
                     : static_cast<Element>(small_value<Element>(random, wide));
        expected += std::uint64_t(std::int64_t(value));
        return value;
      });
  Kokkos::View<Element const*, Exec> const x =
      Kokkos::subview(memory, Range(first, first + size));
  for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
    SCOPED_TRACE(trace(route, size));
    Value const computed = sum_of<Value>(exec, x, Settings{route});
    if constexpr (std::is_integral_v<Value>) {
      ASSERT_EQ(static_cast<Value>(expected), computed);
    } else {
      ASSERT_EQ(double(static_cast<Value>(std::int64_t(expected))),
                double(computed));
    }
    if (route == Route::automatic) {
      ASSERT_EQ(best_route<Exec>(visible_to_mma<Element, Value>), last_route());
    }
  }
}

/// Small sizes and one of many blocks; int8_t as a result wraps around.
template <class Element, class Value, class Exec>
void expect_exact_sizes() {
  Random random(types<Element, Value>());
  for (std::size_t const size : {0, 1, 2, 15, 16, 17, 31, 32, 33, 127, 128, 129,
                                 255, 256, 257, 4095, 4096, 4097, 70001})
    expect_exact_at<Element, Value, Exec>(size, random);
}

TYPED_TEST(ReduceValues, EveryPairOfTypes) {
  for_types<Pair<half_t, half_t>, Pair<half_t, float>, Pair<half_t, double>,
            Pair<bhalf_t, bhalf_t>, Pair<bhalf_t, float>, Pair<float, float>,
            Pair<float, double>, Pair<float, half_t>, Pair<double, double>,
            Pair<double, float>, Pair<std::int8_t, std::int8_t>,
            Pair<std::int8_t, std::int32_t>, Pair<std::int8_t, float>,
            Pair<std::uint8_t, std::uint64_t>, Pair<bool, std::int32_t>,
            Pair<std::int32_t, std::int32_t>, Pair<std::int32_t, std::int64_t>,
            Pair<std::int32_t, float>, Pair<std::uint32_t, std::uint64_t>,
            Pair<std::int64_t, std::int64_t>,
            Pair<std::uint64_t, std::uint64_t>, Pair<std::int64_t, double>,
            Pair<long long, long long>>([&]<class A, class B>(Pair<A, B>) {
    expect_exact_sizes<A, B, TypeParam>();
  });
}

/// Elements and products that a 16-bit result cannot hold, but their sum.
TYPED_TEST(ReduceValues, OperandsOf16BitResultsAreNotRounded) {
  for_types<Pair<float, half_t>, Pair<float, bhalf_t>, Pair<half_t, half_t>,
            Pair<bhalf_t, half_t>>([&]<class A, class B>(Pair<A, B>) {
    constexpr bool fine    = std::is_same_v<A, float>;
    float const last       = std::is_same_v<A, half_t> ? 0x1p15f : 0x1p20f;
    float const values[]   = {fine ? 1 + 0x1p-12f : last, fine ? -1 : -last};
    double const expected  = fine ? 0.125 : 0;
    std::size_t const size = 1024;
    auto const x           = make_view<A, TypeParam>(
        size, [&](std::size_t i) { return static_cast<A>(values[i % 2]); });
    auto const y = make_view<A, TypeParam>(
        size, [&](std::size_t) { return static_cast<A>(fine ? 1.f : 256.f); });
    Kokkos::View<A const*, TypeParam> const a = x, b = y;
    for (Route const route : routes<TypeParam>(false)) {
      SCOPED_TRACE(trace(route, size));
      Settings const settings{route};
      B sum(7), product(7);
      reduce(TypeParam(), a, sum, settings);
      reduce(TypeParam(), dot(a, b), product, settings);
      EXPECT_EQ(expected, double(sum));
      EXPECT_EQ(expected, double(product));
    }
  });
}

/// The wider of two floating-point types of factors decides, in both orders.
TYPED_TEST(ReduceValues, FactorsOfTwoFloatingPointTypes) {
  std::size_t const size = 1000;
  auto const wide        = make_view<double, TypeParam>(
      size, [](std::size_t i) { return i % 2 ? -1 : 1 + 0x1p-30; });
  auto const narrow =
      make_view<float, TypeParam>(size, [](std::size_t) { return 1.f; });
  Kokkos::View<double const*, TypeParam> const a = wide;
  Kokkos::View<float const*, TypeParam> const b  = narrow;
  for (Route const route : routes<TypeParam>(false)) {
    SCOPED_TRACE(trace(route, size));
    Settings const settings{route};
    float first(7), second(7);
    reduce(TypeParam(), dot(a, b), first, settings);
    reduce(TypeParam(), dot(b, a), second, settings);
    EXPECT_EQ(500 * 0x1p-30f, first);
    EXPECT_EQ(500 * 0x1p-30f, second);
  }
}

/// Sizes around which the kernels change from one index per thread to full
/// tiles, per elements of a 16-byte vector.
template <class Exec>
std::set<std::size_t> large_sizes(std::size_t per_vector) {
  std::set<std::size_t> sizes;
  auto const around = [&](std::size_t n) {
    for (std::size_t const size : {n - 1, n, n + 1}) sizes.insert(size);
  };
  around(std::size_t(1) << 20);
  int const multiprocessors = capability(Exec()).multiprocessors;
  if (multiprocessors == 0) return sizes;
  std::size_t const spread = std::size_t(multiprocessors) * spread_indices;
  around(spread);               // of streamed
  around(spread * per_vector);  // of mma
  std::size_t const tile = std::size_t(multiprocessors) *
                           mma_tuning.min_blocks * mma_tuning.threads *
                           mma_tuning.vectors * per_vector;
  around(tile);
  return sizes;
}

template <class Element, class Value, class Exec>
void expect_exact_large() {
  Random random;
  for (std::size_t const size : large_sizes<Exec>(16 / sizeof(Element)))
    expect_exact_at<Element, Value, Exec>(size, random);
}

TYPED_TEST(ReduceValues, LargeSizes) {
  for_types<Pair<half_t, float>, Pair<float, float>, Pair<double, double>,
            Pair<std::int8_t, std::int32_t>, Pair<std::int32_t, std::int64_t>>(
      [&]<class A, class B>(Pair<A, B>) {
        expect_exact_large<A, B, TypeParam>();
      });
}

/// More elements than 32 bits count, from an unaligned first one.
template <class Exec>
void expect_beyond_32_bits() {
  std::size_t const size = (std::size_t(1) << 31) + 5;
  Kokkos::View<std::int8_t*, Exec> const memory(
      Kokkos::view_alloc("large", Kokkos::WithoutInitializing), size + 6);
  Kokkos::deep_copy(memory, std::int8_t(77));  // around x
  auto const x = Kokkos::subview(memory, Range(3, 3 + size));
  Kokkos::deep_copy(x, std::int8_t(-3));
  auto const last = Kokkos::subview(x, Range(size - 1, size));
  Kokkos::deep_copy(last, std::int8_t(101));
  for (Route const route : {Route::mma, Route::streamed}) {
    SCOPED_TRACE(trace(route, size));
    EXPECT_EQ(-3 * (std::int64_t(size) - 1) + 101,
              sum_of<std::int64_t>(Exec(), x, Settings{route}));
  }
}

TYPED_TEST(ReduceValues, BeyondTwoToThe31) {
  if (!on_cuda<TypeParam>) GTEST_SKIP() << "its kernels run on Cuda only";
  expect_beyond_32_bits<TypeParam>();
}

}  // namespace
