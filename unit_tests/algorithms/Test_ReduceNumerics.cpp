// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of each route against an exact sum, next to the error of Kokkos'
// own code, and the papers' formulations.

#include "NumericsSupport.hpp"

#include <core/base/KokkosMMA_ErrorBound.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class ReduceNumerics : public ::testing::Test {};
TYPED_TEST_SUITE(ReduceNumerics, ExecutionSpaces);

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
  SeededRandom random(types<Element, Value>());
  for (Numbers const numbers :
       {Numbers::uniform, Numbers::normal, Numbers::alternating,
        Numbers::spread, Numbers::tiny})
    for (std::size_t const size : {37, 1000, 300007}) {
      Sample<Element, Exec> const sample(
          size, [&](std::size_t i) { return draw(numbers, random, i, size); });
      // half_t ends at 65504
      if (sizeof(Value) == 2 && std::abs(sample.exact.value()) > 30000)
        continue;
      double const error_of_kokkos = sample.exact.error_of(
          double(sum_of<Value>(Exec(), sample.x, Settings{Route::generic})));
      double const allowed = allowed_error(
          error_of_kokkos, sample.exact.value(), sample.magnitudes,
          epsilon<Value>, epsilon<wide_t<Element>>);
      for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
        SCOPED_TRACE(joined(trace(route, size), ", ", numbers));
        Value const computed = sum_of<Value>(Exec(), sample.x, Settings{route});
        EXPECT_LE(sample.exact.error_of(double(computed)), allowed)
            << "Kokkos' own error " << error_of_kokkos;
      }
    }
}

TYPED_TEST(ReduceNumerics, ErrorNoLargerThanKokkos) {
  for_pairs<Pair<float, float>, Pair<double, double>, Pair<half_t, float>,
            Pair<half_t, half_t>, Pair<bhalf_t, float>>(
      [&]<class A, class B>(Pair<A, B>) {
        expect_no_worse_than_kokkos<A, B, TypeParam>();
      });
}

template <class Element, class Value, class Exec>
void expect_non_finite_as_in_any_order() {
  SeededRandom random;
  for (std::size_t const size : {1, 33, 5001})
    for (double const first : {inf, -inf, quiet_nan})
      for (double const second : {0., inf, -inf, quiet_nan}) {
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
          ASSERT_TRUE(same_number(expected, computed))
              << trace(route, size) << ": " << first << " at " << i << ", "
              << second << " at " << j << " give " << computed;
        }
      }
}

TYPED_TEST(ReduceNumerics, NonFiniteValues) {
  for_pairs<Pair<float, float>, Pair<double, double>, Pair<half_t, float>,
            Pair<bhalf_t, float>>([&]<class A, class B>(Pair<A, B>) {
    expect_non_finite_as_in_any_order<A, B, TypeParam>();
  });
}

TYPED_TEST(ReduceNumerics, FloatSubnormals) {
  SeededRandom random;
  // sums of few multiples of 2^-149: exact in float
  std::int64_t units = 0;
  auto const x       = make_view<float, TypeParam>(3001, [&](std::size_t) {
    std::int64_t const value = random.integer(-1000, 1000);
    units += value;
    return std::ldexp(double(value), -149);
  });
  for (Route const route : routes<TypeParam>()) {
    SCOPED_TRACE(trace(route, 3001));
    EXPECT_EQ(std::ldexp(double(units), -149),
              double(sum_of<float>(TypeParam(), x, Settings{route})));
  }
}

TYPED_TEST(ReduceNumerics, OnesBeyondTheReachOfHalf) {
  auto const x = filled<half_t, TypeParam>(100000, 1.f);
  auto const y = Kokkos::subview(x, Range(1, 60001));
  for (Route const route : routes<TypeParam>()) {
    SCOPED_TRACE(trace(route, 0));
    EXPECT_EQ(1e5f, sum_of<float>(TypeParam(), x, Settings{route}));
    EXPECT_EQ(6e4f, float(sum_of<half_t>(TypeParam(), y, Settings{route})));
    EXPECT_EQ(6e4f,
              float((sum_in_view<half_t, typename TypeParam::memory_space>(
                  TypeParam(), y, Settings{route}))));
  }
}

template <class Element, class Value, class Exec>
void expect_bitwise_repeats() {
  SeededRandom random;
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
        SCOPED_TRACE(joined(formulation, ", R ", chain_length, ", B ",
                            block_size, ", size ", x.extent(0)));
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
  SeededRandom random;
  for (std::size_t const size :
       {0, 1, 7, 8, 255, 256, 257, 65535, 65537, 1000003}) {
    double expected   = 0;
    auto const memory = make_view<half_t, Exec>(size + 3, [&](std::size_t i) {
      int const value = int(random.integer(-1, 1));
      if (i >= 3) expected += value;
      return float(i < 3 ? 5 : value);
    });
    auto const x      = Kokkos::subview(memory, Range(3, 3 + size));
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

TYPED_TEST(ReduceNumerics, FormulationsOfThePapersOnUniformData) {
  SeededRandom random;
  Sample<half_t, TypeParam> const sample(
      300001, [&](std::size_t) { return random.uniform(); });
  for_each_formulation<float, TypeParam>(sample.x, [&](Settings const& settings,
                                                       float computed) {
    // two products per vector are chained and one more adds the columns,
    // through three levels in the recurrence; a single warp makes
    // size / (256 * R) passes
    double const passes = on_cuda<TypeParam>
                              ? 300001. / (256 * settings.chain_length * 100)
                              : 3e5;
    double const bound  = 3 * chained_sum_bound(2 * settings.chain_length + 1,
                                                std::uint64_t(passes) + 40);
    EXPECT_LE(sample.exact.error_of(computed), bound * sample.magnitudes);
  });
}

TYPED_TEST(ReduceNumerics, FormulationsOfThePapersTakeHalfAlone) {
  using Exec   = TypeParam;
  auto const x = filled<float, Exec>(1000, 1);
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

}  // namespace
