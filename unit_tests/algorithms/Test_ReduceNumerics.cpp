// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of each route against an exact sum, next to the error of Kokkos'
// own code, and the papers' formulations.

#include "AlgorithmSupport.hpp"

#include <core/base/KokkosMMA_ErrorBound.hpp>
#include <KokkosMMA_ExactSum.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class ReduceNumerics : public ::testing::Test {};
TYPED_TEST_SUITE(ReduceNumerics, ExecutionSpaces);

double uniform(Random& random, std::size_t) { return random.uniform(); }
double normal(Random& random, std::size_t) { return random.normal(); }
/// Neighbours cancel up to one part in a thousand.
double ill_conditioned(Random& random, std::size_t i) {
  return (i % 2 ? -1 : 1) * (1000 + random.uniform());
}
double spread(Random& random, std::size_t) {
  return std::ldexp(random.uniform(-1, 1), int(random.integer(-12, 12)));
}
/// Subnormal as half_t, and as it is in wider types.
double tiny(Random& random, std::size_t) {
  return std::ldexp(double(random.integer(-1023, 1023)), -24);
}
struct Distribution {
  char const* name;
  double (*draw)(Random&, std::size_t);
};
constexpr Distribution distributions[] = {{"uniform", uniform},
                                          {"normal", normal},
                                          {"ill-conditioned", ill_conditioned},
                                          {"spread", spread},
                                          {"tiny", tiny}};

template <class T>
double epsilon() {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return std::numeric_limits<T>::epsilon();
  } else {
    return std::is_same_v<T, half_t> ? std::ldexp(1., -10) : std::ldexp(1., -7);
  }
}

/// Data and their exact sum.
template <class Element, class Exec>
struct Sample {
  ExactSum exact;
  double magnitudes = 0;
  Kokkos::View<Element*, Exec> x;  // last: filling it adds to the others

  template <class Draw>
  Sample(std::size_t size, Draw const& draw)
      : x(make_view<Element, Exec>(size, [&](std::size_t i) {
          Element const value = static_cast<Element>(draw(i));
          exact.add(static_cast<double>(value));
          magnitudes += std::abs(static_cast<double>(value));
          return value;
        })) {}
};

template <class Element, class Value, class Exec>
void expect_no_worse_than_kokkos() {
  Random random;
  SCOPED_TRACE(random.note() + ", " +
               std::string(to_string(scalar_v<Element>)) + " into " +
               std::string(to_string(scalar_v<Value>)));
  using Accumulator =
      std::conditional_t<std::is_same_v<Element, double>, double, float>;
  for (Distribution const& distribution : distributions)
    for (std::size_t const size : {37, 1000, 300007}) {
      Sample<Element, Exec> const sample(
          size, [&](std::size_t i) { return distribution.draw(random, i); });
      // half_t ends at 65504
      if (sizeof(Value) == 2 && std::abs(sample.exact.value()) > 30000)
        continue;
      double const error_of_kokkos = sample.exact.error_of(
          double(sum_of<Value>(Exec(), sample.x, Settings{Route::generic})));
      double const allowed = allowed_error(
          error_of_kokkos, sample.exact.value(), sample.magnitudes,
          epsilon<Value>(), epsilon<Accumulator>());
      for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
        SCOPED_TRACE(trace(route, size) + ", " + distribution.name);
        Value const computed = sum_of<Value>(Exec(), sample.x, Settings{route});
        EXPECT_LE(sample.exact.error_of(double(computed)), allowed)
            << "Kokkos' own error " << error_of_kokkos;
      }
    }
}

TYPED_TEST(ReduceNumerics, ErrorNoLargerThanKokkos) {
  expect_no_worse_than_kokkos<float, float, TypeParam>();
  expect_no_worse_than_kokkos<double, double, TypeParam>();
  expect_no_worse_than_kokkos<half_t, float, TypeParam>();
  expect_no_worse_than_kokkos<half_t, half_t, TypeParam>();
  expect_no_worse_than_kokkos<bhalf_t, float, TypeParam>();
}

template <class Element, class Value, class Exec>
void expect_non_finite_as_in_any_order() {
  Random random;
  SCOPED_TRACE(random.note());
  double const inf = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const size : {1, 33, 5001})
    for (double const first : {inf, -inf, nan})
      for (double const second : {0., inf, -inf, nan}) {
        std::size_t const i =
            std::size_t(random.integer(0, std::int64_t(size) - 1));
        std::size_t const j =
            std::size_t(random.integer(0, std::int64_t(size) - 1));
        auto const x = make_view<Element, Exec>(size, [&](std::size_t k) {
          return float(k == i                   ? first
                       : k == j && second != 0. ? second
                                                : random.uniform(-1, 1));
        });
        double const expected = second != 0. && i != j ? first + second : first;
        for (Route const route : routes<Exec>()) {
          double const computed =
              double(sum_of<Value>(Exec(), x, Settings{route}));
          ASSERT_TRUE(std::isnan(expected) ? std::isnan(computed)
                                           : computed == expected)
              << trace(route, size) << ": " << first << " at " << i << ", "
              << second << " at " << j << " give " << computed;
        }
      }
}

TYPED_TEST(ReduceNumerics, NonFiniteValues) {
  expect_non_finite_as_in_any_order<float, float, TypeParam>();
  expect_non_finite_as_in_any_order<double, double, TypeParam>();
  expect_non_finite_as_in_any_order<half_t, float, TypeParam>();
  expect_non_finite_as_in_any_order<bhalf_t, float, TypeParam>();
}

template <class Exec>
void expect_float_subnormals() {
  Random random;
  SCOPED_TRACE(random.note());
  // sums of few multiples of 2^-149: exact in float
  std::int64_t units = 0;
  auto const x       = make_view<float, Exec>(3001, [&](std::size_t) {
    std::int64_t const value = random.integer(-1000, 1000);
    units += value;
    return std::ldexp(double(value), -149);
  });
  for (Route const route : routes<Exec>()) {
    SCOPED_TRACE(trace(route, 3001));
    EXPECT_EQ(std::ldexp(double(units), -149),
              double(sum_of<float>(Exec(), x, Settings{route})));
  }
}

TYPED_TEST(ReduceNumerics, FloatSubnormals) {
  expect_float_subnormals<TypeParam>();
}

template <class Exec>
void expect_sums_of_ones() {
  auto const x =
      make_view<half_t, Exec>(100000, [](std::size_t) { return 1.f; });
  auto const y =
      Kokkos::subview(x, std::pair<std::size_t, std::size_t>(1, 60001));
  for (Route const route : routes<Exec>()) {
    SCOPED_TRACE(trace(route, 0));
    EXPECT_EQ(1e5f, sum_of<float>(Exec(), x, Settings{route}));
    EXPECT_EQ(6e4f, float(sum_of<half_t>(Exec(), y, Settings{route})));
    EXPECT_EQ(6e4f, float((sum_in_view<half_t, typename Exec::memory_space>(
                        Exec(), y, Settings{route}))));
  }
}

TYPED_TEST(ReduceNumerics, OnesBeyondTheReachOfHalf) {
  expect_sums_of_ones<TypeParam>();
}

template <class Element, class Value, class Exec>
void expect_bitwise_repeats() {
  Random random;
  SCOPED_TRACE(random.note());
  auto const x = make_view<Element, Exec>(
      1234567, [&](std::size_t) { return float(random.normal()); });
  for (Route const route : routes<Exec>()) {
    Value const first = sum_of<Value>(Exec(), x, Settings{route});
    for (int repeat = 0; repeat < 20; ++repeat)
      ASSERT_TRUE(same_bits(first, sum_of<Value>(Exec(), x, Settings{route})))
          << trace(route, x.extent(0));
  }
}

TYPED_TEST(ReduceNumerics, RepeatsBitwise) {
  expect_bitwise_repeats<float, float, TypeParam>();
  expect_bitwise_repeats<double, double, TypeParam>();
  expect_bitwise_repeats<half_t, float, TypeParam>();
}

constexpr Formulation formulations[] = {
    Formulation::chained, Formulation::recurrence, Formulation::single_pass,
    Formulation::split};

/// All formulations, chain lengths and block sizes give `expected`.
template <class Value, class Exec, class View, class Check>
void for_each_formulation(View const& x, Check const& check) {
  for (Formulation const formulation : formulations)
    for (int const chain_length : {1, 4, 8, 32})
      for (int const block_size : {32, 128, 512}) {
        SCOPED_TRACE(std::string(to_string(formulation)) + ", R " +
                     std::to_string(chain_length) + ", B " +
                     std::to_string(block_size) + ", size " +
                     std::to_string(x.extent(0)));
        Settings settings{Route::automatic, formulation, chain_length,
                          block_size};
        // on host spaces all of them are the same code
        if (on_cuda<Exec>)
          settings.route = Route::mma;
        else if (chain_length > 1 || block_size > 32)
          continue;
        check(settings, sum_of<Value>(Exec(), x, settings));
      }
}

template <class Value, class Exec>
void expect_exact_formulations() {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const size :
       {0, 1, 7, 8, 255, 256, 257, 65535, 65537, 1000003}) {
    double expected   = 0;
    auto const memory = make_view<half_t, Exec>(size + 3, [&](std::size_t i) {
      int const value = int(random.integer(-1, 1));
      if (i >= 3) expected += value;
      return float(i < 3 ? 5 : value);
    });
    auto const x      = Kokkos::subview(
             memory, std::pair<std::size_t, std::size_t>(3, 3 + size));
    if (sizeof(Value) == 2 && std::abs(expected) > 2000) continue;
    for_each_formulation<Value, Exec>(x, [&](Settings const&, Value computed) {
      EXPECT_EQ(expected, double(computed));
    });
  }
}

TYPED_TEST(ReduceNumerics, FormulationsOfThePapersAreExactForIntegers) {
  expect_exact_formulations<float, TypeParam>();
  expect_exact_formulations<half_t, TypeParam>();
}

template <class Exec>
void expect_formulations_within_bound() {
  Random random;
  SCOPED_TRACE(random.note());
  Sample<half_t, Exec> const sample(
      300001, [&](std::size_t) { return random.uniform(); });
  for_each_formulation<float, Exec>(sample.x, [&](Settings const& settings,
                                                  float computed) {
    // two products per vector are chained and one more adds the columns,
    // through three levels in the recurrence; one warp alone makes
    // size / (256 * R) passes
    double const passes =
        on_cuda<Exec> ? 300001. / (256 * settings.chain_length * 100) : 3e5;
    double const bound = 3 * chained_sum_bound(2 * settings.chain_length + 1,
                                               std::uint64_t(passes) + 40);
    EXPECT_LE(sample.exact.error_of(computed), bound * sample.magnitudes);
  });
}

TYPED_TEST(ReduceNumerics, FormulationsOfThePapersOnUniformData) {
  expect_formulations_within_bound<TypeParam>();
}

template <class Exec>
void expect_papers_for_half_alone() {
  auto const x = make_view<float, Exec>(1000, [](std::size_t) { return 1; });
  for (Formulation const formulation : formulations) {
    if (formulation == Formulation::chained) continue;
    // automatic: another route, the right sum
    Settings settings{Route::automatic, formulation};
    EXPECT_EQ(1000.f, sum_of<float>(Exec(), x, settings));
    EXPECT_EQ(best_route<Exec>(false), last_route());
    // forced: an error and nothing written
    settings.route = Route::mma;
    float result   = poison<float>();
    std::string const why =
        error_of([&] { reduce(Exec(), x, result, settings); });
    EXPECT_TRUE(has_parts(why, {"KokkosMMA::reduce", "route mma",
                                on_cuda<Exec> ? "half_t alone" : "not Cuda"}));
    EXPECT_TRUE(same_bits(poison<float>(), result));
  }
}

TYPED_TEST(ReduceNumerics, FormulationsOfThePapersTakeHalfAlone) {
  expect_papers_for_half_alone<TypeParam>();
}

}  // namespace
