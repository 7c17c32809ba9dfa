// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of segments by each route against exact sums, next to that of the
// generic route; where NaN, infinity and overflow reach; zeros and subnormals;
// bits that repeat.

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

template <class T, class Exec>
void expect_no_worse_than_generic() {
  Random random;
  std::size_t const size = 100003;
  for (Numbers const numbers : {Numbers::uniform, Numbers::normal,
                                Numbers::ill_conditioned, Numbers::tiny}) {
    std::vector<double> values(size);
    auto const x = make_view<T, Exec>(size, [&](std::size_t i) {
      T const value = static_cast<T>(draw(numbers, random, i, size));
      values[i]     = static_cast<double>(value);
      return value;
    });
    for (std::size_t const length : {5, 16, 100, 256, 1000, 8192, 100003}) {
      auto const segments = equal_segments(size, length);
      std::vector<ExactSum> exact(segments.size());
      std::vector<double> magnitudes(segments.size());
      for (std::size_t i = 0; i < size; ++i) {
        exact[i / length].add(values[i]);
        magnitudes[i / length] += std::abs(values[i]);
      }
      // A segment that the generic route gets right by luck asks nothing: what
      // counts is its largest error, in units of the segment's magnitude.
      double generic = 0;
      for (Route const route :
           {Route::generic, Route::automatic, Route::streamed, Route::mma}) {
        auto const routes = routes_of_sums<Exec, T>();
        if (std::find(routes.begin(), routes.end(), route) == routes.end())
          continue;
        SCOPED_TRACE(
            joined(trace(route, size), ", ", numbers, ", length ", length));
        Kokkos::View<wide_t<T>*, Exec> const result("result", segments.size());
        segmented_reduce(Exec(), x, length, result, Settings{route});
        auto const computed = elements_of(result);
        for (std::size_t s = 0; s < computed.size(); ++s) {
          double const error    = exact[s].error_of(double(computed[s]));
          double const relative = error / std::max(magnitudes[s], 1e-300);
          // Plain summation at its worst.
          ASSERT_LE(error, double(length) * epsilon<wide_t<T>> * magnitudes[s]);
          if (route == Route::generic)
            generic = std::max(generic, relative);
          else
            ASSERT_LE(error,
                      allowed_error(generic * magnitudes[s], exact[s].value(),
                                    magnitudes[s], epsilon<wide_t<T>>,
                                    epsilon<wide_t<T>>))
                << "segment " << s;
        }
      }
    }
  }
}

TYPED_TEST(SegmentedNumerics, ErrorNoLargerThanGeneric) {
  expect_no_worse_than_generic<half_t, TypeParam>();
  expect_no_worse_than_generic<float, TypeParam>();
  expect_no_worse_than_generic<double, TypeParam>();
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

/// Sums of a few of the smallest numbers are exact, whatever their order.
template <class T, class Exec>
void expect_subnormals() {
  double const smallest = std::is_same_v<T, half_t> && sizeof(T) == 2
                              ? 0x1p-24
                              : double(std::numeric_limits<T>::denorm_min());
  Random random;
  std::size_t const size = 20000;
  std::vector<std::int64_t> values(size);
  auto const x = make_view<T, Exec>(size, [&](std::size_t i) {
    values[i] = random.integer(-5, 5);
    return static_cast<T>(double(values[i]) * smallest);
  });
  for (std::size_t const length : {3, 16, 500, 7000}) {
    auto const segments = equal_segments(size, length);
    for (Route const route : routes_of_sums<Exec, T>()) {
      SCOPED_TRACE(joined(trace(route, size), ", length ", length));
      Kokkos::View<wide_t<T>*, Exec> const result("result", segments.size());
      segmented_reduce(Exec(), x, length, result, Settings{route});
      auto const expected =
          reduced<sum, std::int64_t, std::int64_t>(values, segments);
      ASSERT_TRUE(holds(result, [&](std::size_t s) {
        return wide_t<T>(double(expected[s]) * smallest + 0.);
      }));
    }
  }
}
TYPED_TEST(SegmentedNumerics, Subnormals) {
  expect_subnormals<half_t, TypeParam>();
  expect_subnormals<float, TypeParam>();
  expect_subnormals<double, TypeParam>();
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

template <class T, class Exec>
void expect_repeatable() {
  Random random;
  std::size_t const size = 300007;
  auto const x =
      make_view<T, Exec>(size, [&](std::size_t) { return random.normal(); });
  auto const offsets = offsets_view<std::int64_t, Exec>(
      offsets_of({5, 0, 170000, 3, 1, 90000, 77, 1000}));
  auto const twice = [&](std::size_t results, auto const& call) {
    auto const first  = poisoned_array<T, Exec>(results);
    auto const second = poisoned_array<T, Exec>(results);
    call(first);
    for (int i = 0; i < 3; ++i) {
      call(second);
      ASSERT_TRUE(holds(second, elements_of(first)));
    }
  };
  for (std::size_t const length : {13, 1000, 100000, 300007})
    for (Route const route : routes_of_sums<Exec, T>()) {
      SCOPED_TRACE(joined(trace(route, size), ", length ", length));
      twice((size + length - 1) / length, [&](auto const& result) {
        segmented_reduce(Exec(), x, length, result, Settings{route});
      });
    }
  for (Route const route : routes_of_sums<Exec, T>(true)) {
    SCOPED_TRACE(trace(route, size));
    twice(size, [&](auto const& y) {
      segmented_exclusive_scan(Exec(), x, 150000, y, Settings{route});
    });
    twice(size, [&](auto const& y) {
      segmented_inclusive_scan(Exec(), x, offsets, y, Settings{route});
    });
    twice(8, [&](auto const& result) {
      segmented_reduce(Exec(), x, offsets, result, Settings{route});
    });
  }
}
TYPED_TEST(SegmentedNumerics, TheSameBitsTwice) {
  expect_repeatable<float, TypeParam>();
  expect_repeatable<double, TypeParam>();
}

}  // namespace
