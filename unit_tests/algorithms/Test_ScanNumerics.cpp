// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of the prefixes by each route against exact sums, next to the error
// of Kokkos' own code; where NaN and infinity reach.

#include "NumericsSupport.hpp"

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ScanNumerics);

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
template <Impl::ScanKind Kind, class Output, class Element, class Exec>
std::vector<double> errors(Sample<Element, Exec> const& sample,
                           Settings const& settings) {
  auto const y = poisoned_array<Output, Exec>(sample.x.extent(0));
  run_scan<Kind>(Exec(), sample.x, y, settings);
  auto const computed = elements_of(y);
  std::vector<double> result;
  for (auto const& prefix : sample.prefixes) {
    std::size_t const i =
        prefix.i + (Kind == Impl::ScanKind::exclusive ? 1 : 0);
    result.push_back(
        i < computed.size() ? prefix.exact.error_of(double(computed[i])) : 0.);
  }
  return result;
}

template <Impl::ScanKind Kind, class Element, class Output, class Exec>
void expect_no_worse_than_kokkos() {
  Random random(types<Element, Output>());
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

TYPED_TEST(ScanNumerics, ErrorNoLargerThanKokkos) {
  using Exec               = TypeParam;
  constexpr auto exclusive = Impl::ScanKind::exclusive;
  constexpr auto inclusive = Impl::ScanKind::inclusive;
  expect_no_worse_than_kokkos<exclusive, float, float, Exec>();
  expect_no_worse_than_kokkos<inclusive, float, float, Exec>();
  expect_no_worse_than_kokkos<exclusive, double, double, Exec>();
  expect_no_worse_than_kokkos<exclusive, half_t, float, Exec>();
  expect_no_worse_than_kokkos<inclusive, half_t, half_t, Exec>();
  expect_no_worse_than_kokkos<exclusive, bhalf_t, float, Exec>();
}

/// Multiples of a unit from `least` to `most`, whose prefixes are exact in fp32
/// and rounded once: never twice, never in between.
template <class Element, class Exec>
void expect_exact_multiples(double unit, std::int64_t least,
                            std::int64_t most) {
  Random random(types<Element, Element>());
  std::vector<std::int64_t> units(30011);
  auto const x        = make_view<Element, Exec>(units.size(), [&](auto i) {
    units[i] = random.integer(least, most);
    return static_cast<Element>(float(double(units[i]) * unit));
  });
  auto const expected = sequential_scan<Impl::ScanKind::inclusive>(units, 0);
  by_every_route<Impl::ScanKind::inclusive, Element>(x, [&](auto const& y) {
    EXPECT_TRUE(holds(y, [&](std::size_t i) {
      return static_cast<Element>(float(double(expected[i]) * unit));
    }));
  });
}

TYPED_TEST(ScanNumerics, ExactMultiples) {
  expect_exact_multiples<half_t, TypeParam>(.25, -1, 7);
  expect_exact_multiples<bhalf_t, TypeParam>(.25, -1, 7);
  // subnormal
  expect_exact_multiples<float, TypeParam>(0x1p-149, -1000, 1000);
}

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
template <Impl::ScanKind Kind, class Element, class Output, class Exec>
void expect_numbers(std::vector<double> const& values) {
  auto const expected = sequential_scan<Kind>(values, 0.);
  auto const x        = make_view<Element, Exec>(
      values.size(), [&](auto i) { return static_cast<Element>(values[i]); });
  by_every_route<Kind, Output>(x, [&](auto const& y) {
    auto const computed = elements_of(y);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_TRUE(same_number(expected[i], double(computed[i])))
          << i << " is " << computed[i] << " instead of " << expected[i];
  });
}

template <class Element, class Output, class Exec>
void expect_reach_of_special_values() {
  Random random(types<Element, Output>());
  std::size_t const size  = 20011;
  double const pairs[][2] = {{inf, 0},    {-inf, 0},    {quiet_nan, 0},
                             {inf, -inf}, {-inf, -inf}, {inf, quiet_nan}};
  int which               = 0;
  for (std::size_t const first : places(size, random)) {
    auto const& [value, next] = pairs[which++ % 6];
    std::vector<double> x(size);
    for (double& small : x) small = double(random.integer(-4, 4));
    x[first]                 = value;
    std::size_t const second = std::size_t(
        random.integer(std::int64_t(first), std::int64_t(size) - 1));
    if (next != 0. && second != first) x[second] = next;
    SCOPED_TRACE(joined(value, " at ", first, ", ", next, " at ", second));
    expect_numbers<Impl::ScanKind::exclusive, Element, Output, Exec>(x);
    expect_numbers<Impl::ScanKind::inclusive, Element, Output, Exec>(x);
  }
}

TYPED_TEST(ScanNumerics, ReachOfNaNAndInfinity) {
  for_types<Pair<float, float>, Pair<double, double>, Pair<half_t, float>,
            Pair<bhalf_t, float>>([&]<class A, class B>(Pair<A, B>) {
    expect_reach_of_special_values<A, B, TypeParam>();
  });
}

}  // namespace
