// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of segments by each route against exact sums, next to that of the
// generic route; where NaN, infinity and overflow reach; zeros and subnormals;
// bits that repeat; moments.

#include "SegmentedSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedNumerics : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedNumerics, ExecutionSpaces);

constexpr Impl::Operation sum = Impl::Operation::sum;

double uniform(Random& random, std::size_t) { return random.uniform(); }
double normal(Random& random, std::size_t) { return random.normal(); }
/// Large numbers that nearly cancel. Signs at random: of alternating ones a
/// loop over neighbours gets the sum right by luck.
double ill_conditioned(Random& random, std::size_t) {
  return (random.integer(0, 1) ? -1 : 1) * (100 + random.uniform());
}
/// Subnormal as half_t.
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
                                          {"tiny", tiny}};

template <class Exec, class T>
std::vector<Route> routes_of_sums(bool scan = false, bool ragged = false) {
  Kokkos::View<T*, Exec> const x("x", 0);
  auto problem =
      equal_problem<sum, std::conditional_t<sizeof(T) == 8, double, float>>(
          x, x, scan, Impl::EqualSegments{1, 1});
  problem.csr = ragged;
  return segmented_routes<Exec>(problem);
}

template <class T, class Exec>
void expect_no_worse_than_generic() {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const size = 100003;
  for (Distribution const& distribution : distributions) {
    std::vector<double> values(size);
    auto const x = make_view<T, Exec>(size, [&](std::size_t i) {
      T const value = static_cast<T>(distribution.draw(random, i));
      values[i]     = static_cast<double>(value);
      return value;
    });
    using Result = std::conditional_t<sizeof(T) == 8, double, float>;
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
        SCOPED_TRACE(trace(route, size) + ", " + distribution.name +
                     ", length " + std::to_string(length));
        Kokkos::View<Result*, Exec> const result("result", segments.size());
        segmented_reduce(Exec(), x, length, result, Settings{route});
        auto const computed = elements_of(result);
        for (std::size_t s = 0; s < computed.size(); ++s) {
          double const error    = exact[s].error_of(double(computed[s]));
          double const relative = error / std::max(magnitudes[s], 1e-300);
          // Plain summation at its worst.
          ASSERT_LE(error, double(length) * epsilon<Result> * magnitudes[s]);
          if (route == Route::generic)
            generic = std::max(generic, relative);
          else
            ASSERT_LE(error, allowed_error(generic * magnitudes[s],
                                           exact[s].value(), magnitudes[s],
                                           epsilon<Result>, epsilon<Result>))
                << "segment " << s;
        }
      }
    }
  }
}

TYPED_TEST(SegmentedNumerics, ErrorOfHalfs) {
  expect_no_worse_than_generic<half_t, TypeParam>();
}
TYPED_TEST(SegmentedNumerics, ErrorOfFloats) {
  expect_no_worse_than_generic<float, TypeParam>();
}
TYPED_TEST(SegmentedNumerics, ErrorOfDoubles) {
  expect_no_worse_than_generic<double, TypeParam>();
}

bool same_number(double a, double b) {
  return std::isnan(a) ? std::isnan(b)
                       : a == b && std::signbit(a) == std::signbit(b);
}

/// Ones, with one special element in some segments.
template <class T, class Exec>
void expect_specials(std::size_t length) {
  double const inf = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  Random random;
  SCOPED_TRACE(random.note() + ", length " + std::to_string(length));
  std::size_t const count = 97;
  std::size_t const size  = count * length - length / 2;
  std::vector<double> values(size, 1.);
  auto const segments = equal_segments(size, length);
  auto const anywhere = [&](std::size_t s) {
    return std::size_t(random.integer(std::int64_t(segments[s].first),
                                      std::int64_t(segments[s].second) - 1));
  };
  values[anywhere(3)]  = nan;
  values[anywhere(10)] = inf;
  values[anywhere(11)] = -inf;
  values[anywhere(40)] = inf;
  values[anywhere(41)] = nan;
  if (length > 1) {
    values[segments[60].first]      = inf;
    values[segments[60].second - 1] = -inf;
  }
  for (std::size_t i = segments[70].first; i < segments[70].second; ++i)
    values[i] = -0.;
  values[anywhere(96)] = nan;
  auto const x         = make_view<T, Exec>(
      size, [&](std::size_t i) { return static_cast<T>(values[i]); });
  using Result = std::conditional_t<sizeof(T) == 8, double, float>;
  std::vector<double> expected, prefixes(size);
  for (auto const& [begin, end] : segments) {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) prefixes[i] = total += values[i];
    expected.push_back(total);
  }
  for (Route const route : routes_of_sums<Exec, T>()) {
    SCOPED_TRACE(trace(route, size));
    Kokkos::View<Result*, Exec> const result("result", count);
    segmented_reduce(Exec(), x, length, result, Settings{route});
    auto const computed = elements_of(result);
    for (std::size_t s = 0; s < count; ++s)
      ASSERT_TRUE(same_number(expected[s], double(computed[s])))
          << "segment " << s << " is " << computed[s] << " instead of "
          << expected[s];
  }
  auto const cuts = make_view<std::int32_t, Exec>(
      count + 1, [&](std::size_t s) { return std::min(size, s * length); });
  for (Route const route : routes_of_sums<Exec, T>(false, true)) {
    SCOPED_TRACE(trace(route, size) + ", ragged");
    Kokkos::View<Result*, Exec> const result("result", count);
    segmented_reduce(Exec(), x, cuts, result, Settings{route});
    auto const computed = elements_of(result);
    for (std::size_t s = 0; s < count; ++s)
      ASSERT_TRUE(same_number(expected[s], double(computed[s])))
          << "segment " << s << " is " << computed[s] << " instead of "
          << expected[s];
  }
  for (Route const route : routes_of_sums<Exec, T>(true)) {
    SCOPED_TRACE(trace(route, size) + ", scan");
    Kokkos::View<Result*, Exec> const y("y", size);
    segmented_inclusive_scan(Exec(), x, length, y, Settings{route});
    auto const computed = elements_of(y);
    for (std::size_t i = 0; i < size; ++i)
      // A prefix of nothing but negative zeros has the sign of the first
      // element by one route and of a sum from 0 by another.
      ASSERT_TRUE(same_number(prefixes[i] + 0., double(computed[i]) + 0.))
          << "prefix " << i << " is " << computed[i] << " instead of "
          << prefixes[i];
  }
}
TYPED_TEST(SegmentedNumerics, SpecialHalfs) {
  for (std::size_t const length : {1, 8, 13, 64, 256, 1000, 5000})
    expect_specials<half_t, TypeParam>(length);
}
TYPED_TEST(SegmentedNumerics, SpecialFloats) {
  for (std::size_t const length : {1, 4, 13, 64, 256, 1000, 5000})
    expect_specials<float, TypeParam>(length);
}
TYPED_TEST(SegmentedNumerics, SpecialDoubles) {
  for (std::size_t const length : {1, 2, 13, 64, 1000, 5000})
    expect_specials<double, TypeParam>(length);
}

/// Sums of a few of the smallest numbers are exact, whatever their order.
template <class T, class Exec>
void expect_subnormals() {
  double const smallest = std::is_same_v<T, half_t> && sizeof(T) == 2
                              ? 0x1p-24
                              : double(std::numeric_limits<T>::denorm_min());
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const size = 20000;
  std::vector<std::int64_t> values(size);
  auto const x = make_view<T, Exec>(size, [&](std::size_t i) {
    values[i] = random.integer(-5, 5);
    return static_cast<T>(double(values[i]) * smallest);
  });
  for (std::size_t const length : {3, 16, 500, 7000}) {
    auto const segments = equal_segments(size, length);
    for (Route const route : routes_of_sums<Exec, T>()) {
      SCOPED_TRACE(trace(route, size) + ", length " + std::to_string(length));
      using Result = std::conditional_t<sizeof(T) == 8, double, float>;
      Kokkos::View<Result*, Exec> const result("result", segments.size());
      segmented_reduce(Exec(), x, length, result, Settings{route});
      auto const computed = elements_of(result);
      auto const expected =
          reduced<sum, std::int64_t, std::int64_t>(values, segments);
      for (std::size_t s = 0; s < computed.size(); ++s)
        ASSERT_EQ(double(expected[s]) * smallest, double(computed[s]))
            << "segment " << s;
    }
  }
}
TYPED_TEST(SegmentedNumerics, Subnormals) {
  expect_subnormals<half_t, TypeParam>();
  expect_subnormals<float, TypeParam>();
  expect_subnormals<double, TypeParam>();
}

/// A NaN loses every comparison; a segment of NaNs is as an empty one.
template <class Exec>
void expect_extremes() {
  float const nan                 = std::numeric_limits<float>::quiet_NaN();
  float const inf                 = std::numeric_limits<float>::infinity();
  std::vector<float> const values = {3, nan, -2, nan,  nan, nan,
                                     1, inf, -1, -inf, 0,   nan};
  auto const x                    = make_view<float, Exec>(
      values.size(), [&](std::size_t i) { return values[i]; });
  Kokkos::View<float*, Exec> const result("result", 4);
  for (Route const route : routes_of_sums<Exec, float>()) {
    if (route == Route::mma) continue;
    SCOPED_TRACE(trace(route, values.size()));
    segmented_reduce(Exec(), x, 3, result, Minimum(), Settings{route});
    float const most = Kokkos::reduction_identity<float>::min();
    EXPECT_EQ((std::vector<float>{-2, most, -1, -inf}), elements_of(result));
    segmented_reduce(Exec(), x, 3, result, Maximum(), Settings{route});
    EXPECT_EQ((std::vector<float>{3, -most, inf, 0}), elements_of(result));
  }
}
TYPED_TEST(SegmentedNumerics, MinimumAndMaximumOfSpecials) {
  expect_extremes<TypeParam>();
}

template <class T, class Exec>
void expect_repeatable() {
  Random random;
  SCOPED_TRACE(random.note());
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
      auto const a = elements_of(first);
      ASSERT_TRUE(same_elements_as([&](std::size_t k) { return a[k]; },
                                   elements_of(second)));
    }
  };
  for (std::size_t const length : {13, 1000, 100000, 300007})
    for (Route const route : routes_of_sums<Exec, T>()) {
      SCOPED_TRACE(trace(route, size) + ", length " + std::to_string(length));
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

template <class Input, class Sum, class Square, class Exec>
void expect_moments() {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const size = 9001;
  std::vector<std::int64_t> values(size), squares(size);
  auto const x     = make_view<Input, Exec>(size, [&](std::size_t i) {
    values[i]  = random.integer(std::is_unsigned_v<Input> ? 0 : -9, 9);
    squares[i] = values[i] * values[i];
    return values[i];
  });
  auto const check = [&](Segments const& segments, auto const& cuts) {
    Guarded<Sum, Exec> const sums(segments.size());
    Guarded<Square, Exec> const of_squares(segments.size());
    segmented_moments(Exec(), x, cuts, sums.view(), of_squares.view());
    EXPECT_EQ(Route::generic, last_route());
    EXPECT_TRUE(sums.holds(reduced<sum, Sum, Sum>(values, segments)));
    EXPECT_TRUE(
        of_squares.holds(reduced<sum, Square, Square>(squares, segments)));
  };
  for (std::size_t const length : {1, 3, 100, 1024, 1025, 5000, 9001, 10000})
    check(equal_segments(size, length), length);
  auto const offsets = offsets_of({0, 5, 4000, 0, 1, 1, 2500, 0}, 17);
  check(segments_between(offsets), offsets_view<std::int32_t, Exec>(offsets));
}
TYPED_TEST(SegmentedNumerics, Moments) {
  expect_moments<float, float, double, TypeParam>();
  expect_moments<half_t, float, float, TypeParam>();
  expect_moments<std::uint8_t, std::int32_t, std::int64_t, TypeParam>();
}

}  // namespace
