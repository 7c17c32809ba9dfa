// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of the prefixes by each route against exact sums, next to the error
// of Kokkos' own code; where NaN, infinity and overflow reach; bits that
// repeat.

#include "NumericsSupport.hpp"

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

template <class Exec>
class ScanNumerics : public ::testing::Test {};
TYPED_TEST_SUITE(ScanNumerics, ExecutionSpaces);

constexpr std::size_t longest = 100003;

/// Prefixes that are compared: all around boundaries of vectors, warps and
/// tiles, one in 61 elsewhere.
bool is_looked_at(std::size_t i) {
  return i < 80 || i % 61 == 0 || (i + 2) % 1024 < 4;
}

/// Data and the exact inclusive prefixes that are compared.
template <class Element, class Exec>
struct Sample {
  struct Prefix {
    std::size_t i;
    ExactSum exact;
    double magnitudes;
  };
  std::vector<Prefix> prefixes;
  Kokkos::View<Element*, Exec> x;

  Sample(std::size_t size, Numbers numbers, Random& random) {
    ExactSum exact;
    double magnitudes = 0;
    x                 = make_view<Element, Exec>(size, [&](std::size_t i) {
      Element const value =
          static_cast<Element>(draw(numbers, random, i, size));
      exact.add(static_cast<double>(value));
      magnitudes += std::abs(static_cast<double>(value));
      if (is_looked_at(i)) prefixes.push_back({i, exact, magnitudes});
      return value;
    });
  }
};

/// Errors of the prefixes that are looked at. The exclusive scan has them one
/// place later; its last one is not written.
template <ScanKind Kind, class Output, class Element, class Exec>
std::vector<double> errors(Sample<Element, Exec> const& sample,
                           Settings const& settings) {
  auto const y = poisoned_array<Output, Exec>(sample.x.extent(0));
  run_scan<Kind>(Exec(), sample.x, y, settings);
  auto const computed = elements_of(y);
  std::vector<double> result;
  for (auto const& prefix : sample.prefixes) {
    std::size_t const i = prefix.i + (Kind == ScanKind::exclusive ? 1 : 0);
    result.push_back(
        i < computed.size() ? prefix.exact.error_of(double(computed[i])) : 0.);
  }
  return result;
}

template <ScanKind Kind, class Element, class Output, class Exec>
void expect_no_worse_than_kokkos() {
  SeededRandom random(types<Element, Output>());
  for (Numbers const numbers :
       {Numbers::uniform, Numbers::normal, Numbers::alternating,
        Numbers::cancelling, Numbers::tiny}) {
    Sample<Element, Exec> const sample(longest, numbers, random);
    // half_t ends at 65504
    if (sizeof(Output) == 2 && sample.prefixes.back().magnitudes > 60000)
      continue;
    std::vector<double> const of_kokkos =
        errors<Kind, Output>(sample, Settings{Route::generic});
    for (Route const route : scan_routes<Element, Output, Exec>()) {
      SCOPED_TRACE(joined(scan_trace(route, Kind, longest), ", ", numbers));
      std::vector<double> const of_route =
          errors<Kind, Output>(sample, Settings{route});
      // A prefix that Kokkos gets right by luck asks nothing: what counts is
      // the largest error so far.
      double error_of_kokkos = 0;
      for (std::size_t k = 0; k < of_route.size(); ++k) {
        auto const& prefix = sample.prefixes[k];
        error_of_kokkos    = std::max(error_of_kokkos, of_kokkos[k]);
        ASSERT_LE(of_route[k],
                  allowed_error(error_of_kokkos, prefix.exact.value(),
                                prefix.magnitudes, epsilon<Output>,
                                epsilon<wide_t<Element>>))
            << "prefix of " << prefix.i + 1 << ", Kokkos' own error "
            << of_kokkos[k];
      }
    }
  }
}

TYPED_TEST(ScanNumerics, ErrorNoLargerThanKokkosFloat) {
  expect_no_worse_than_kokkos<ScanKind::exclusive, float, float, TypeParam>();
  expect_no_worse_than_kokkos<ScanKind::inclusive, float, float, TypeParam>();
}
TYPED_TEST(ScanNumerics, ErrorNoLargerThanKokkosDouble) {
  expect_no_worse_than_kokkos<ScanKind::exclusive, double, double, TypeParam>();
}
TYPED_TEST(ScanNumerics, ErrorNoLargerThanKokkosHalf) {
  expect_no_worse_than_kokkos<ScanKind::exclusive, half_t, float, TypeParam>();
  expect_no_worse_than_kokkos<ScanKind::inclusive, half_t, half_t, TypeParam>();
}
TYPED_TEST(ScanNumerics, ErrorNoLargerThanKokkosBHalf) {
  expect_no_worse_than_kokkos<ScanKind::exclusive, bhalf_t, float, TypeParam>();
}

/// Prefixes of few multiples of 2^-149 are exact in float.
TYPED_TEST(ScanNumerics, FloatSubnormals) {
  SeededRandom random;
  std::size_t const size = 9001;
  std::vector<std::int64_t> units(size);
  auto const x        = make_view<float, TypeParam>(size, [&](std::size_t i) {
    units[i] = random.integer(-1000, 1000);
    return std::ldexp(double(units[i]), -149);
  });
  auto const expected = sequential_scan<ScanKind::inclusive>(units, 0);
  for (Route const route : scan_routes<float, float, TypeParam>()) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<float, TypeParam>(size);
    run_scan<ScanKind::inclusive>(TypeParam(), x, y, Settings{route});
    EXPECT_TRUE(holds(y, [&](std::size_t i) {
      return float(std::ldexp(double(expected[i]), -149));
    }));
  }
}

/// A sum starts from +0: no prefix of negative zeros is negative.
template <class Element, class Exec>
void expect_positive_zero() {
  std::size_t const size = 5000;
  auto const x           = filled<Element, Exec>(size, -0.);
  for (Route const route : scan_routes<Element, Element, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<Element, Exec>(size);
    run_scan<ScanKind::inclusive>(Exec(), x, y, Settings{route});
    EXPECT_TRUE(holds(y, static_cast<Element>(0.f)));
  }
}

TYPED_TEST(ScanNumerics, NegativeZeros) {
  expect_positive_zero<float, TypeParam>();
  expect_positive_zero<double, TypeParam>();
}

// --- NaN, infinity, overflow -----------------------------------------------

/// Places of a first special value: around everything that is a power of two,
/// and anywhere.
std::vector<std::size_t> places(std::size_t size, Random& random) {
  std::vector<std::size_t> result = {0, size - 2, size - 1};
  for (std::size_t power = 2; power < size; power *= 2)
    for (std::size_t const place : {power - 1, power, power + power / 2 + 1})
      if (place < size) result.push_back(place);
  for (int more = 0; more < 20; ++more)
    result.push_back(std::size_t(random.integer(0, std::int64_t(size) - 1)));
  return result;
}

/// Small integers but for the special values: every prefix is known exactly.
template <class Element>
struct Special {
  std::vector<double> x;

  Special(std::size_t size, Random& random) : x(size) {
    for (double& value : x) value = double(random.integer(-4, 4));
  }

  template <ScanKind Kind, class Output, class Exec>
  ::testing::AssertionResult scanned_right(Route route) const {
    std::vector<double> const expected = sequential_scan<Kind>(x, 0.);
    auto const data                    = make_view<Element, Exec>(
        x.size(), [&](std::size_t i) { return static_cast<Element>(x[i]); });
    auto const y = poisoned_array<Output, Exec>(x.size());
    run_scan<Kind>(Exec(), data, y, Settings{route});
    auto const computed = elements_of(y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double const got = double(computed[i]);
      if (!same_number(expected[i], got))
        return ::testing::AssertionFailure() << "prefix " << i << " is " << got
                                             << " instead of " << expected[i];
    }
    return ::testing::AssertionSuccess();
  }
};

template <class Element, class Output, class Exec>
void expect_reach_of_special_values() {
  SeededRandom random(types<Element, Output>());
  std::size_t const size  = 20011;
  double const pairs[][2] = {{inf, 0},    {-inf, 0},    {quiet_nan, 0},
                             {inf, -inf}, {-inf, -inf}, {inf, quiet_nan}};
  int which               = 0;
  for (std::size_t const first : places(size, random)) {
    auto const& [value, next] = pairs[which++ % 6];
    Special<Element> data(size, random);
    data.x[first]            = value;
    std::size_t const second = std::size_t(
        random.integer(std::int64_t(first), std::int64_t(size) - 1));
    if (next != 0. && second != first) data.x[second] = next;
    for (Route const route : scan_routes<Element, Output, Exec>()) {
      ASSERT_TRUE(
          (data.template scanned_right<ScanKind::exclusive, Output, Exec>(
              route)))
          << to_string(route) << ", " << value << " at " << first << ", "
          << next << " at " << second;
      ASSERT_TRUE(
          (data.template scanned_right<ScanKind::inclusive, Output, Exec>(
              route)))
          << to_string(route) << ", " << value << " at " << first << ", "
          << next << " at " << second;
    }
  }
}

TYPED_TEST(ScanNumerics, ReachOfNaNAndInfinity) {
  for_pairs<Pair<float, float>, Pair<double, double>, Pair<half_t, float>,
            Pair<bhalf_t, float>>([&]<class A, class B>(Pair<A, B>) {
    expect_reach_of_special_values<A, B, TypeParam>();
  });
}

/// A quarter of the largest power of two from some place on: three prefixes are
/// finite, all that follow are infinite. In a product with zeros and ones the
/// sums of later rows overflow too, and must not reach earlier ones.
template <class Element, class Output, class Exec>
void expect_overflow_reaches_what_follows() {
  SeededRandom random(types<Element, Output>());
  std::size_t const size = 9001;
  double const quarter =
      std::ldexp(1., std::numeric_limits<wide_t<Element>>::max_exponent - 2);
  for (std::size_t const first : places(size, random)) {
    for (double const sign : {1., -1.}) {
      auto const x = make_view<Element, Exec>(size, [&](std::size_t i) {
        return static_cast<Element>(i < first ? 0. : sign * quarter);
      });
      for (Route const route : scan_routes<Element, Output, Exec>()) {
        auto const y = poisoned_array<Output, Exec>(size);
        run_scan<ScanKind::inclusive>(Exec(), x, y, Settings{route});
        ASSERT_TRUE(holds(
            y,
            [&](std::size_t i) {
              std::size_t const terms = i < first ? 0 : i - first + 1;
              double const prefix = terms < 4 ? double(terms) * quarter : inf;
              return static_cast<Output>(terms == 0 ? 0. : sign * prefix);
            }))
            << to_string(route) << ", from " << first;
      }
    }
  }
}

TYPED_TEST(ScanNumerics, ReachOfOverflow) {
  for_pairs<Pair<float, float>, Pair<double, double>, Pair<bhalf_t, float>>(
      [&]<class A, class B>(Pair<A, B>) {
        expect_overflow_reaches_what_follows<A, B, TypeParam>();
      });
}

/// Prefixes are exact in fp32 and rounded once: never twice, never in between.
template <class Element, class Exec>
void expect_rounded_once() {
  SeededRandom random;
  std::size_t const size = 30011;
  std::vector<std::int64_t> units(size);  // of 1/4
  auto const x = make_view<Element, Exec>(size, [&](std::size_t i) {
    units[i] = random.integer(-1, 7);
    return static_cast<Element>(float(units[i]) / 4);
  });
  for (Route const route : scan_routes<Element, Element, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<Element, Exec>(size);
    run_scan<ScanKind::inclusive>(Exec(), x, y, Settings{route});
    auto const expected = sequential_scan<ScanKind::inclusive>(units, 0);
    EXPECT_TRUE(holds(y, [&](std::size_t i) {
      return static_cast<Element>(float(expected[i]) / 4);
    }));
  }
}

TYPED_TEST(ScanNumerics, SixteenBitOutputIsRoundedOnce) {
  expect_rounded_once<half_t, TypeParam>();
  expect_rounded_once<bhalf_t, TypeParam>();
}

template <class Element, class Output, class Exec>
void expect_bitwise_repeats() {
  SeededRandom random;
  std::size_t const size = on_cuda<Exec> ? 12345678 : 654321;
  auto const x           = make_view<Element, Exec>(
      size, [&](std::size_t) { return float(random.normal()); });
  for (Route const route : scan_routes<Element, Output, Exec>()) {
    std::vector<Output> first;
    Output total_of_first = poison<Output>();
    for (int repeat = 0; repeat < 5; ++repeat) {
      auto const y = poisoned_array<Output, Exec>(size);
      Output total = poison<Output>();
      run_scan<ScanKind::exclusive>(Exec(), x, y, Settings{route}, 0,
                                    Total(total));
      if (repeat == 0) {
        first          = elements_of(y);
        total_of_first = total;
        continue;
      }
      ASSERT_TRUE(holds(y, first))
          << trace(route, size) << ", repeat " << repeat;
      ASSERT_TRUE(same_bits(total_of_first, total));
    }
  }
}

TYPED_TEST(ScanNumerics, RepeatsBitwise) {
  expect_bitwise_repeats<float, float, TypeParam>();
  expect_bitwise_repeats<double, double, TypeParam>();
  expect_bitwise_repeats<half_t, float, TypeParam>();
}

/// The total is the last inclusive prefix, but for roundings in another order.
template <class Element, class Output, class Exec>
void expect_total_is_last_prefix() {
  SeededRandom random;
  std::size_t const size = 100001;
  auto const x           = make_view<Element, Exec>(
      size, [&](std::size_t) { return float(random.normal()); });
  for (Route const route : scan_routes<Element, Output, Exec>()) {
    auto const y = poisoned_array<Output, Exec>(size);
    Output total = poison<Output>();
    run_scan<ScanKind::inclusive>(Exec(), x, y, Settings{route}, 0,
                                  Total(total));
    double const last = double(elements_of(y).back());
    EXPECT_NEAR(last, double(total), epsilon<Output> * double(size))
        << to_string(route);
  }
}

TYPED_TEST(ScanNumerics, TotalIsTheLastPrefix) {
  expect_total_is_last_prefix<float, float, TypeParam>();
  expect_total_is_last_prefix<double, double, TypeParam>();
}

}  // namespace
