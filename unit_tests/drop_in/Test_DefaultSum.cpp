// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum that Kokkos takes when a call names no reducer, and the prefixes of a
// scan, of floating-point types. Integers: Test_Sizes.cpp and random_calls.

#include <KokkosMMA_ScanSupport.hpp>

#include <vector>

namespace {

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(DefaultSum);

/// Sums x into a scalar and into a View.
template <class Exec, class Result, class T>
void check_sum_of(Kokkos::View<T*, Exec> const& x, Result expected) {
  expect_reduced(expected, Kokkos::RangePolicy<Exec>(0, x.extent(0)),
                 ElementSum<T, Exec, Kokkos::View<T const*, Exec>, Result>{x});
}

/// Scans x with a total in a scalar and in a View.
template <class Exec, class T>
void check_scan_of(Kokkos::View<T*, Exec> const& x,
                   std::vector<T> const& prefixes, T sum) {
  T scalar        = poison<T>();
  auto view       = poisoned_view<T, Exec>();
  auto const scan = [&](auto& total) {
    ExclusiveSum<T, Exec> const functor{
        x, poisoned_array<T, Exec>(x.extent(0) + 9)};
    RouteProbe<Exec> probe;
    Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(0, x.extent(0)), functor,
                          total);
    EXPECT_TRUE(probe.streamed());
    EXPECT_TRUE(holds(functor.y, prefixes));
  };
  scan(scalar);
  scan(view);
  EXPECT_EQ(sum, scalar);
  EXPECT_EQ(sum, value_of(view));
}

/// Integer-valued summands whose every partial sum the type holds exactly: no
/// order may round.
template <class Exec, class T, class Result>
void check_floating(std::size_t n, int largest) {
  Random random;
  std::int64_t sum = 0;
  std::vector<T> prefixes;
  auto const x = make_view<T, Exec>(n, [&](std::size_t) {
    auto const value = static_cast<int>(random.integer(-largest, largest));
    prefixes.push_back(static_cast<T>(static_cast<float>(sum)));
    sum += value;
    return static_cast<float>(value);
  });
  check_sum_of<Exec, Result, T>(x,
                                static_cast<Result>(static_cast<float>(sum)));
  if constexpr (sizeof(T) >= sizeof(float))
    check_scan_of<Exec, T>(x, prefixes, static_cast<T>(sum));
}
TYPED_TEST(DefaultSum, FloatingPoint) {
  check_floating<TypeParam, float, float>(20011, 800);
  check_floating<TypeParam, double, double>(20011, 800);
  check_floating<TypeParam, half_t, half_t>(400, 5);
  check_floating<TypeParam, bhalf_t, bhalf_t>(50, 5);
  check_floating<TypeParam, half_t, float>(20011, 800);
}

/// Long runs of ones, where a sum kept in the type of the summands stops
/// growing.
TYPED_TEST(DefaultSum, LongRunsOfOnes) {
  using Exec = TypeParam;
  auto const hundred_thousand =
      make_view<half_t, Exec>(100000, [](std::size_t) { return 1.f; });
  check_sum_of<Exec, float, half_t>(hundred_thousand, 100000.f);
  // A result of 16 bits is Kokkos' own affair on a host space: there the sum
  // stops at 2048 or 256.
  if constexpr (on_cuda<Exec> || std::is_same_v<half_t, float>) {
    auto const ones =
        make_view<half_t, Exec>(60000, [](std::size_t) { return 1.f; });
    check_sum_of<Exec, half_t, half_t>(ones, half_t(60000.f));
  }
  if constexpr (on_cuda<Exec> || std::is_same_v<bhalf_t, float>) {
    auto const ones =
        make_view<bhalf_t, Exec>(32768, [](std::size_t) { return 1.f; });
    check_sum_of<Exec, bhalf_t, bhalf_t>(ones, bhalf_t(32768.f));
  }
}

}  // namespace
