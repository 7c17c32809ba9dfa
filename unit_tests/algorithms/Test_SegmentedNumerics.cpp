// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of segments and of runs by key by each route against exact sums;
// where NaN and infinity reach, and signs of zeros.

#include "SegmentedSupport.hpp"

#include "NumericsSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentedNumerics);

constexpr Impl::Operation sum = Impl::Operation::sum;

template <class Exec, class T>
std::vector<Route> routes_of_sums(bool scan = false, bool ragged = false) {
  Kokkos::View<T*, Exec> const x("x", 0);
  auto problem =
      equal_problem<sum, wide_t<T>>(x, x, scan, Impl::EqualSegments{1, 1});
  problem.csr = ragged;
  return segmented_routes<Exec>(problem);
}

/// Errors are no larger than those of plain summation can be; sums of few
/// multiples of one small number are exact.
template <class T, class Exec>
void expect_errors(Numbers numbers, double scale, std::size_t length) {
  Random random(joined(", ", numbers, ", length ", length));
  std::size_t const size = 100003, count = (size + length - 1) / length;
  std::vector<ExactSum> exact(count);
  std::vector<double> bounds(count);
  auto const x     = make_view<T, Exec>(size, [&](std::size_t i) {
    T const value = static_cast<T>(scale * draw(numbers, random, i, size));
    exact[i / length].add(double(value));
    if (numbers != Numbers::tiny)
      bounds[i / length] +=
          double(length) * epsilon<wide_t<T>> * std::abs(double(value));
    return value;
  });
  auto const check = [&](std::vector<Route> const& tested, auto const& call) {
    for (Route const route : tested) {
      SCOPED_TRACE(trace(route, size));
      auto const y = poisoned_array<wide_t<T>, Exec>(count);
      call(y, Settings{route});
      auto const sums = elements_of(y);
      for (std::size_t s = 0; s < count; ++s)
        ASSERT_LE(exact[s].error_of(double(sums[s])), bounds[s]) << s;
    }
  };
  check(routes_of_sums<Exec, T>(), [&](auto const& y, Settings const& s) {
    segmented_reduce(Exec(), x, length, y, s);
  });
  auto const cuts = make_view<int, Exec>(
      count + 1, [&](std::size_t s) { return std::min(size, s * length); });
  check(routes_of_sums<Exec, T>(false, true),
        [&](auto const& y, Settings const& s) {
          segmented_reduce(Exec(), x, cuts, y, s);
        });
  auto const keys =
      make_view<int, Exec>(size, [&](std::size_t i) { return i / length; });
  Kokkos::View<int*, Exec> const unique("unique", count);
  check(routes<Exec>(false), [&](auto const& y, Settings const& s) {
    reduce_by_key(Exec(), keys, x, unique, y, s);
  });
}
TYPED_TEST(SegmentedNumerics, Errors) {
  for (std::size_t const length : {16, 1000}) {
    for (Numbers const numbers :
         {Numbers::normal, Numbers::alternating, Numbers::tiny}) {
      expect_errors<half_t, TypeParam>(numbers, 1, length);
      expect_errors<float, TypeParam>(numbers, 1, length);
    }
    // multiples of the smallest float
    expect_errors<float, TypeParam>(Numbers::tiny, 0x1p-125, length);
  }
}

/// Ones, with one special element in some segments.
template <class T, class Exec>
void expect_specials(std::size_t length) {
  Random random(joined(", length ", length));
  std::size_t const count = 97;
  std::size_t const size  = count * length - length / 2;
  std::vector<double> values(size, 1.);
  auto const segments = equal_segments(size, length);
  auto const anywhere = [&](std::size_t s) {
    return std::size_t(random.integer(std::int64_t(segments[s].first),
                                      std::int64_t(segments[s].second) - 1));
  };
  values[anywhere(3)]  = quiet_nan;
  values[anywhere(10)] = inf;
  values[anywhere(11)] = -inf;
  values[anywhere(40)] = inf;
  values[anywhere(41)] = quiet_nan;
  if (length > 1) {
    values[segments[60].first]      = inf;
    values[segments[60].second - 1] = -inf;
  }
  for (std::size_t i = segments[70].first; i < segments[70].second; ++i)
    values[i] = -0.;
  values[anywhere(96)] = quiet_nan;
  auto const x         = make_view<T, Exec>(
      size, [&](std::size_t i) { return static_cast<T>(values[i]); });
  std::vector<double> expected, prefixes(size);
  for (auto const& [begin, end] : segments) {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) prefixes[i] = total += values[i];
    expected.push_back(total);
  }
  auto const check = [&](std::vector<double> const& wanted, bool scan,
                         bool ragged, auto const& call) {
    for (Route const route : routes_of_sums<Exec, T>(scan, ragged)) {
      SCOPED_TRACE(trace(route, size));
      Kokkos::View<wide_t<T>*, Exec> const y("y", wanted.size());
      call(y, Settings{route});
      auto const computed = elements_of(y);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_TRUE(same_number(wanted[i], double(computed[i])))
            << i << " is " << computed[i] << " instead of " << wanted[i];
        // A prefix of nothing but negative zeros has the sign of the first
        // element by one route and of a sum from 0 by another.
        if (!scan && !std::isnan(wanted[i])) {
          ASSERT_EQ(std::signbit(wanted[i]), std::signbit(computed[i])) << i;
        }
      }
    }
  };
  check(expected, false, false, [&](auto const& y, Settings const& settings) {
    segmented_reduce(Exec(), x, length, y, settings);
  });
  auto const cuts = make_view<std::int32_t, Exec>(
      count + 1, [&](std::size_t s) { return std::min(size, s * length); });
  check(expected, false, true, [&](auto const& y, Settings const& settings) {
    segmented_reduce(Exec(), x, cuts, y, settings);
  });
  check(prefixes, true, false, [&](auto const& y, Settings const& settings) {
    segmented_inclusive_scan(Exec(), x, length, y, settings);
  });
}
TYPED_TEST(SegmentedNumerics, SpecialValues) {
  for (std::size_t const length : {1, 2, 4, 8, 13, 64, 256, 1000, 5000}) {
    expect_specials<half_t, TypeParam>(length);
    expect_specials<float, TypeParam>(length);
    expect_specials<double, TypeParam>(length);
  }
}

/// A NaN loses every comparison; a segment of NaNs is as an empty one.
TYPED_TEST(SegmentedNumerics, MinimumAndMaximumOfSpecials) {
  std::vector<double> const values = {3,         quiet_nan, -2, quiet_nan,
                                      quiet_nan, quiet_nan, 1,  inf,
                                      -1,        -inf,      0,  quiet_nan};
  auto const x                     = make_view<float, TypeParam>(
      values.size(), [&](std::size_t i) { return values[i]; });
  Kokkos::View<float*, TypeParam> const result("result", 4);
  for (Route const route : routes_of_sums<TypeParam, float>()) {
    if (route == Route::mma) continue;
    SCOPED_TRACE(trace(route, values.size()));
    segmented_reduce(TypeParam(), x, 3, result, Minimum(), Settings{route});
    EXPECT_TRUE(holds(result, std::vector<double>{-2, inf, -1, -inf}));
    segmented_reduce(TypeParam(), x, 3, result, Maximum(), Settings{route});
    EXPECT_TRUE(holds(result, std::vector<double>{3, -inf, inf, 0}));
  }
}

}  // namespace
