// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of every sum and prefix against the exact one, next to the error of
// Kokkos' own code on the same data; the same bits in every run.

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Numbers.hpp>
#include <KokkosMMA_ScanSupport.hpp>
#include <KokkosMMA_SmallFloats.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;
using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Numerics);

TEST(ExactSum, KeepsWhatDoublesLose) {
  ExactSum sum;
  for (double const x : {1., 1e100, 0x1p-60, -1e100, 3.}) sum.add(x);
  EXPECT_EQ(4., sum.value());
  EXPECT_EQ(0x1p-60, sum.error_of(4.));
  EXPECT_EQ(1., sum.error_of(3.) - 0x1p-60);
}

std::vector<double> draw_all(Numbers numbers, Random& random, std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = draw(numbers, random, i, n);
  return values;
}

/// The View of the values, each rounded to T; values becomes what was stored.
template <class T, class Exec>
Kokkos::View<T const*, Exec> stored(std::vector<double>& values) {
  return make_view<T, Exec>(values.size(), [&](std::size_t i) {
    T value;
    if constexpr (sizeof(T) < sizeof(float)) {
      value = static_cast<T>(static_cast<float>(values[i]));
    } else {
      value = static_cast<T>(values[i]);
    }
    values[i] = static_cast<double>(value);
    return value;
  });
}

/// The prefixes of x without the element itself, and the sum of all after
/// them.
template <class T, class Exec>
std::vector<T> prefixes(Kokkos::View<T const*, Exec> const& x, Route route) {
  ScopedSettings const scope(Settings{route});
  std::size_t const n = x.extent(0);
  auto const y        = poisoned_array<T, Exec>(n + 1);
  auto const total    = Kokkos::subview(y, n);
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("numerics", Kokkos::RangePolicy<Exec>(0, n),
                        ExclusiveSum<T, Exec>{x, y}, total);
  EXPECT_TRUE(probe.took(route == Route::automatic ? Route::streamed : route));
  return elements_of(y);
}

template <class Exec, class T, class Result>
Result sum(Kokkos::View<T const*, Exec> const& x, Route route) {
  ScopedSettings const scope(Settings{route});
  Result result = poison<Result>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(
      "numerics", Kokkos::RangePolicy<Exec>(0, x.extent(0)),
      ElementSum<T, Exec, Kokkos::View<T const*, Exec>, Result>{x}, result);
  EXPECT_TRUE(probe.took(route == Route::automatic ? Route::streamed : route));
  return result;
}

template <class Exec, class T, class Result>
void check_errors_of_sums() {
  // a 16 bit result is the rounded value of a sum in float
  using Accumulator =
      std::conditional_t<sizeof(Result) < sizeof(float), float, Result>;
  Random random;
  for (std::size_t n :
       {10ul, 1000ul, 30000ul, on_cuda<Exec> ? 1ul << 21 : 1ul << 17})
    for (Numbers const numbers :
         {Numbers::uniform, Numbers::normal, Numbers::alternating,
          Numbers::spread, Numbers::tiny}) {
      auto values  = draw_all(numbers, random, n);
      auto const x = stored<T, Exec>(values);
      ExactSum exact;
      double magnitudes = 0.;
      for (double const value : values) {
        exact.add(value);
        magnitudes += std::abs(value);
      }
      double const ours =
          static_cast<double>(sum<Exec, T, Result>(x, Route::automatic));
      double const theirs =
          static_cast<double>(sum<Exec, T, Result>(x, Route::generic));
      // a sum that a 16 bit result cannot hold has no error to speak of; where
      // values are added in 16 bits, a part of them can exceed its range
      if (!std::isfinite(theirs) || !std::isfinite(ours)) {
        bool const by_us = on_cuda<Exec> && !std::isfinite(ours);
        EXPECT_GT(by_us ? std::abs(exact.value()) : magnitudes, 0.99 * 65504.)
            << to_string(numbers) << ", n = " << n;
        continue;
      }
      EXPECT_LE(exact.error_of(ours),
                allowed_error(exact.error_of(theirs), exact.value(), magnitudes,
                              epsilon<Result>, epsilon<Accumulator>))
          << to_string(numbers) << ", n = " << n << ": " << ours
          << " with the drop-in, " << theirs << " by Kokkos, " << exact.value()
          << " exact";
    }
}
TYPED_TEST(Numerics, ErrorsOfSums) {
  check_errors_of_sums<TypeParam, double, double>();
  check_errors_of_sums<TypeParam, float, float>();
  check_errors_of_sums<TypeParam, half_t, float>();
  check_errors_of_sums<TypeParam, bhalf_t, float>();
  check_errors_of_sums<TypeParam, half_t, half_t>();
}

/// Errors of every prefix. The largest of all is held to the bound of a sum
/// (see allowed_error). A single one, where chance decides which code is the
/// nearer, may have as many roundings of partial sums as a tree of them has
/// levels.
template <class Exec, class T>
void check_errors() {
  double const accumulator = sizeof(T) < 4 ? epsilon<float> : epsilon<T>;
  Random random;
  for (std::size_t n :
       {10ul, 1000ul, 30000ul, on_cuda<Exec> ? 1ul << 20 : 1ul << 16})
    for (Numbers const numbers :
         {Numbers::uniform, Numbers::normal, Numbers::alternating,
          Numbers::spread, Numbers::growing, Numbers::falling}) {
      SCOPED_TRACE(std::string(to_string(numbers)) +
                   ", n = " + std::to_string(n));
      auto values       = draw_all(numbers, random, n);
      auto const x      = stored<T, Exec>(values);
      auto const ours   = prefixes<T, Exec>(x, Route::automatic);
      auto const theirs = prefixes<T, Exec>(x, Route::generic);
      ExactSum exact;
      double magnitudes = 0., largest = 0.;
      double our_worst = 0., their_worst = 0.;
      int wrong = 0;
      for (std::size_t i = 0; i <= n; ++i) {
        double const ours_i   = static_cast<double>(ours[i]);
        double const theirs_i = static_cast<double>(theirs[i]);
        double const exact_i  = exact.value();
        // A prefix that 16 bits cannot hold has no error to speak of; Kokkos'
        // own sums overflow on the way to one that they can.
        if (on_cuda<Exec> && !std::isfinite(ours_i) &&
            std::abs(exact_i) < 0.99 * 65504.)
          ++wrong;
        if (std::isfinite(ours_i) && std::isfinite(theirs_i)) {
          double const our_error   = exact.error_of(ours_i);
          double const their_error = exact.error_of(theirs_i);
          our_worst                = std::max(our_worst, our_error);
          their_worst              = std::max(their_worst, their_error);
          largest                  = std::max(largest, std::abs(exact_i));
          if (our_error > allowed_error(their_error, exact_i, magnitudes,
                                        epsilon<T>, 8. * accumulator) &&
              ++wrong == 1)
            ADD_FAILURE() << "prefix " << i << ": " << ours_i
                          << " with the drop-in, " << theirs_i << " by Kokkos, "
                          << exact_i << " exact";
        }
        if (i == n) break;
        exact.add(values[i]);
        magnitudes += std::abs(values[i]);
      }
      EXPECT_EQ(0, wrong) << "prefixes with too large an error";
      EXPECT_LE(our_worst, allowed_error(their_worst, largest, magnitudes,
                                         epsilon<T>, accumulator));
    }
}
TYPED_TEST(Numerics, ErrorsOfPrefixes) {
  check_errors<TypeParam, double>();
  check_errors<TypeParam, float>();
  check_errors<TypeParam, half_t>();
  check_errors<TypeParam, bhalf_t>();
}

/// Zeros have a sign as Kokkos' own code gives it. Subnormal numbers,
/// infinities, NaN and overflow: random_calls, sum_* and scan_*_total.
template <class Exec, class T>
void check_zeros() {
  for (std::size_t const n : {1, 31, 1024, 100003}) {
    std::vector<double> values(n, -0.);
    auto const zeros = stored<T, Exec>(values);
    for (T const zero : prefixes<T, Exec>(zeros, Route::automatic))
      ASSERT_TRUE(same_bits(T(0), zero));
    EXPECT_TRUE(same_bits(sum<Exec, T, T>(zeros, Route::generic),
                          sum<Exec, T, T>(zeros, Route::automatic)));
  }
}
TYPED_TEST(Numerics, SignsOfZeros) {
  check_zeros<TypeParam, float>();
  check_zeros<TypeParam, double>();
}

/// 16 bit data beyond the largest half_t: infinite in a half_t, and not in a
/// float.
TYPED_TEST(Numerics, HalvesBeyondTheirRange) {
  using Exec = TypeParam;
  std::vector<double> values(5, 65504.);
  auto const x = stored<half_t, Exec>(values);
  EXPECT_EQ(5 * 65504.f, (sum<Exec, half_t, float>(x, Route::automatic)));
  if constexpr (!std::is_same_v<half_t, float>) {
    auto const result =
        static_cast<float>(sum<Exec, half_t, half_t>(x, Route::automatic));
    EXPECT_EQ(std::numeric_limits<float>::infinity(), result);
  }
}

/// Sums and prefixes of ones in a 16 bit type: each is the exact number,
/// rounded once. Added one after the other in that type they would stand still
/// early. \param largest a number that T has
template <class Exec, class T, std::uint16_t (*encode)(double)>
void check_ones(std::size_t n, std::size_t largest) {
  // a Kokkos whose host code adds in 16 bits is none of our affair
  if (!on_cuda<Exec> && sizeof(T) == 2) return;
  auto const x = make_view<T, Exec>(n, [](std::size_t) { return T(1.f); });
  EXPECT_EQ(float(n), (sum<Exec, T, float>(x, Route::automatic)));
  EXPECT_EQ(
      float(largest),
      float(sum<Exec, T, T>(
          Kokkos::subview(x, std::pair<std::size_t, std::size_t>(0, largest)),
          Route::automatic)));
  ExclusiveSum<T, Exec> const exclusive{x, poisoned_array<T, Exec>(n)};
  InclusiveSum<T, Exec> const inclusive{x, poisoned_array<T, Exec>(n)};
  Kokkos::RangePolicy<Exec> const policy(0, n);
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan(policy, exclusive);
  EXPECT_TRUE(probe.streamed());
  probe.reset();
  Kokkos::parallel_scan(policy, inclusive);
  EXPECT_TRUE(probe.streamed());
  auto const before = elements_of(exclusive.y),
             after  = elements_of(inclusive.y);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T rounded, next;
    if constexpr (sizeof(T) == 2) {
      std::uint16_t const bits = encode(double(i));
      std::memcpy(static_cast<void*>(&rounded), &bits, 2);
      // the functor's own addition in 16 bits
      std::uint16_t const more = encode(static_cast<float>(rounded) + 1.);
      std::memcpy(static_cast<void*>(&next), &more, 2);
    } else {
      rounded = T(float(i));
      next    = T(float(i + 1));
    }
    wrong += !same_bits(rounded, before[i]) || !same_bits(next, after[i]);
  }
  EXPECT_EQ(0u, wrong);
}
TYPED_TEST(Numerics, OnesOf16Bits) {
  check_ones<TypeParam, half_t, encode_half>(100000, 60000);
  check_ones<TypeParam, bhalf_t, encode_bhalf>(100000, 32768);
}

/// The same bits in every run, by itself or beside other work, which changes
/// the blocks that come first.
template <class Exec, class T>
void check_bits() {
  Random random;
  auto const instances = make_instances<Exec>(2);
  ExclusiveSum<double, Exec> const load{
      make_view<double, Exec>(1 << 20, [](std::size_t) { return 1.; }),
      poisoned_array<double, Exec>(1 << 20)};
  for (std::size_t const n :
       {5000ul, 100003ul, on_cuda<Exec> ? 1ul << 22 : 1ul << 17}) {
    SCOPED_TRACE(n);
    auto values      = draw_all(Numbers::normal, random, n);
    auto const x     = stored<T, Exec>(values);
    auto const first = poisoned_array<T, Exec>(n);
    T first_total = poison<T>(), first_sum = poison<T>();
    Comparison<T, Exec> const comparison;
    RouteProbe<Exec> const probe;
    for (int run = 0; run < 10; ++run) {
      auto const y = run == 0 ? first : poisoned_array<T, Exec>(n);
      if (run % 3 == 2)
        for (int k = 0; k < 5; ++k)
          Kokkos::parallel_scan(
              Kokkos::RangePolicy<Exec>(instances.back(), 0, 1 << 20), load);
      Kokkos::RangePolicy<Exec> const policy(instances[0], 0, n);
      T total = poison<T>(), sum = poison<T>();
      Kokkos::parallel_scan(policy, InclusiveSum<T, Exec>{x, y}, total);
      EXPECT_TRUE(probe.streamed());
      Kokkos::parallel_reduce(policy, ElementSum<T, Exec>{x}, sum);
      EXPECT_TRUE(probe.streamed());
      if (run == 0) first_total = total, first_sum = sum;
      ASSERT_TRUE(same_bits(first_total, total)) << "run " << run;
      ASSERT_TRUE(same_bits(first_sum, sum)) << "run " << run;
      comparison.enqueue(instances[0], y, first, std::int64_t(n));
      Kokkos::fence();
    }
    EXPECT_EQ(0, comparison.wrong()) << "prefixes with other bits";
  }
}
TYPED_TEST(Numerics, KeepsBits) {
  check_bits<TypeParam, float>();
  check_bits<TypeParam, double>();
  check_bits<TypeParam, half_t>();
}

}  // namespace
