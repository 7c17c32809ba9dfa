// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of floating-point sums against an exact reference, next to the
// error of Kokkos' own code on the same data, and the values that are no
// numbers.

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;
using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Testing::allowed_error;
using KokkosMMA::Testing::ElementSum;
using KokkosMMA::Testing::epsilon;
using KokkosMMA::Testing::ExactSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::Random;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::same_bits;

template <class Exec>
class Numerics : public ::testing::Test {};
TYPED_TEST_SUITE(Numerics, ExecutionSpaces);

TEST(ExactSum, KeepsWhatDoublesLose) {
  ExactSum sum;
  for (double const x : {1., 1e100, 0x1p-60, -1e100, 3.}) sum.add(x);
  EXPECT_EQ(4., sum.value());
  EXPECT_EQ(0x1p-60, sum.error_of(4.));
  EXPECT_EQ(1., sum.error_of(3.) - 0x1p-60);
}

struct Distribution {
  char const* name;
  double (*draw)(Random&, std::size_t i, double previous);
};
/// Every value fits a half_t; the cancelling one leaves a sum far below its
/// summands.
constexpr Distribution distributions[] = {
    {"uniform in [0, 1)",
     [](Random& random, std::size_t, double) { return random.uniform(); }},
    {"uniform in [-1, 1)", [](Random& random, std::size_t,
                              double) { return random.uniform(-1., 1.); }},
    {"normal",
     [](Random& random, std::size_t, double) { return random.normal(); }},
    {"log-uniform", [](Random& random, std::size_t,
                       double) { return std::exp2(random.uniform(-12., 3.)); }},
    {"cancelling",
     [](Random& random, std::size_t i, double previous) {
       return i % 2 == 1 ? -previous * (1. + 1e-3 * random.uniform())
                         : random.normal() * std::exp2(random.uniform(-8., 8.));
     }},
};

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

/// The View of the values, each rounded to T; values becomes what was stored.
template <class T, class Exec>
Kokkos::View<T const*, Exec> stored(std::vector<double>& values) {
  Kokkos::View<T*, Exec> const x("x", values.size());
  auto const host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (sizeof(T) < sizeof(float)) {
      host(i) = static_cast<T>(static_cast<float>(values[i]));
    } else {
      host(i) = static_cast<T>(values[i]);
    }
    values[i] = static_cast<double>(host(i));
  }
  Kokkos::deep_copy(x, host);
  return x;
}

template <class Exec, class T, class Result>
void check_errors() {
  // a 16 bit result is the rounded value of a sum in float
  using Accumulator =
      std::conditional_t<sizeof(Result) < sizeof(float), float, Result>;
  for (std::size_t n :
       {10ul, 1000ul, 30000ul, on_cuda<Exec> ? 1ul << 21 : 1ul << 17})
    for (auto const& distribution : distributions) {
      Random random;
      std::vector<double> values(n);
      double previous = 0.;
      for (std::size_t i = 0; i < n; ++i)
        values[i] = previous = distribution.draw(random, i, previous);
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
      // a sum that a 16 bit result cannot hold has no error to speak of
      if (!std::isfinite(theirs) || !std::isfinite(ours)) {
        EXPECT_GT(std::abs(exact.value()), 0.99 * 65504.)
            << distribution.name << ", n = " << n << "; " << random.note();
        continue;
      }
      EXPECT_LE(exact.error_of(ours),
                allowed_error(exact.error_of(theirs), exact.value(), magnitudes,
                              epsilon<Result>, epsilon<Accumulator>))
          << distribution.name << ", n = " << n << ": " << ours
          << " with the drop-in, " << theirs << " by Kokkos, " << exact.value()
          << " exact; " << random.note();
    }
}
TYPED_TEST(Numerics, ErrorOfDouble) {
  check_errors<TypeParam, double, double>();
}
TYPED_TEST(Numerics, ErrorOfFloat) { check_errors<TypeParam, float, float>(); }
TYPED_TEST(Numerics, ErrorOfHalfIntoFloat) {
  check_errors<TypeParam, half_t, float>();
}
TYPED_TEST(Numerics, ErrorOfBrainHalfIntoFloat) {
  check_errors<TypeParam, bhalf_t, float>();
}
TYPED_TEST(Numerics, ErrorOfHalf) { check_errors<TypeParam, half_t, half_t>(); }

/// Sums of ordinary numbers with some special ones put in; Kokkos' own code
/// must agree, and on what the rules of IEEE 754 leave no choice about, so must
/// the rules.
template <class Exec, class T>
void check_special_values() {
  T const infinity = std::numeric_limits<T>::infinity();
  T const nan      = std::numeric_limits<T>::quiet_NaN();
  T const largest  = std::numeric_limits<T>::max();
  struct Case {
    std::vector<T> special;
    T expected;
  };
  Case const cases[] = {{{infinity}, infinity},
                        {{-infinity}, -infinity},
                        {{infinity, infinity}, infinity},
                        {{infinity, -infinity}, nan},
                        {{nan}, nan},
                        {{nan, infinity}, nan},
                        {{largest, largest}, infinity},
                        {{-largest, -largest}, -infinity}};
  for (std::size_t n : {2, 33, 1024, 100003})
    for (auto const& [special, expected] : cases) {
      Random random;
      SCOPED_TRACE(random.note() + ", n = " + std::to_string(n));
      std::vector<double> values(n);
      for (auto& value : values) value = random.uniform(-1., 1.);
      // first and last index, then anywhere
      std::vector<std::size_t> places = {0, n - 1};
      if (random.bits() % 2 && n > 2)
        places = {std::size_t(random.integer(0, n / 2 - 1)),
                  std::size_t(random.integer(n / 2, n - 1))};
      for (std::size_t k = 0; k < special.size(); ++k)
        values[places[k]] = special[k];
      auto const x   = stored<T, Exec>(values);
      T const result = sum<Exec, T, T>(x, Route::automatic);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(result)) << result;
      else
        EXPECT_EQ(expected, result);
    }
}
TYPED_TEST(Numerics, SpecialValuesOfFloat) {
  check_special_values<TypeParam, float>();
}
TYPED_TEST(Numerics, SpecialValuesOfDouble) {
  check_special_values<TypeParam, double>();
}

template <class Exec, class T>
void check_small_values() {
  for (std::size_t n : {1, 31, 1024, 100003}) {
    Random random;
    SCOPED_TRACE(random.note() + ", n = " + std::to_string(n));
    // multiples of the smallest number: every sum of them is exact, none is
    // flushed to zero
    std::vector<double> values(n);
    std::int64_t multiple = 0;
    for (auto& value : values) {
      std::int64_t const m = random.integer(-50, 60);
      multiple += m;
      value = static_cast<double>(m) * std::numeric_limits<T>::denorm_min();
    }
    auto const x = stored<T, Exec>(values);
    EXPECT_EQ(static_cast<T>(multiple) * std::numeric_limits<T>::denorm_min(),
              (sum<Exec, T, T>(x, Route::automatic)));

    // zeros of either sign: the sign of the result is the one that Kokkos gives
    std::fill(values.begin(), values.end(), -0.);
    auto const zeros = stored<T, Exec>(values);
    EXPECT_TRUE(same_bits(sum<Exec, T, T>(zeros, Route::generic),
                          sum<Exec, T, T>(zeros, Route::automatic)));
  }
}
TYPED_TEST(Numerics, SubnormalsAndZerosOfFloat) {
  check_small_values<TypeParam, float>();
}
TYPED_TEST(Numerics, SubnormalsAndZerosOfDouble) {
  check_small_values<TypeParam, double>();
}

/// 16 bit data beyond the largest half_t: infinite in a half_t, and not in a
/// float.
template <class Exec>
void check_large_halves() {
  std::vector<double> values(5, 65504.);
  auto const x = stored<half_t, Exec>(values);
  EXPECT_EQ(5 * 65504.f, (sum<Exec, half_t, float>(x, Route::automatic)));
  if constexpr (!std::is_same_v<half_t, float>) {
    auto const result =
        static_cast<float>(sum<Exec, half_t, half_t>(x, Route::automatic));
    EXPECT_EQ(std::numeric_limits<float>::infinity(), result);
  }
}
TYPED_TEST(Numerics, HalvesBeyondTheirRange) {
  check_large_halves<TypeParam>();
}

}  // namespace
