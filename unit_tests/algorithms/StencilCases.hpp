// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef STENCILCASES_HPP
#define STENCILCASES_HPP

#include "StencilSupport.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Testing {

/// Weights in quarters, so that sums are exact; whole ones for integers. Some
/// are zero, and no two boundaries see the same.
template <int R>
StencilWeights<R> asymmetric(typename StencilWeights<R>::Offsets const& radius,
                             Random& random, bool whole = false) {
  std::vector<double> values(StencilWeights<R>::box(radius).size());
  for (double& value : values)
    value = double(random.integer(-3, 4)) / (whole ? 1 : 4);
  return StencilWeights<R>::dense(radius, values);
}

template <class Exec, class X, class Y, int R>
bool takes_route(Route route, X const& in, Y const& out,
                 StencilWeights<R> const& weights,
                 Boundaries<R> const& boundaries) {
  std::string const verdict = explain([&] {
    stencil(Exec(), in, out, weights, boundaries, 1, Settings{.route = route});
  });
  return !verdict.starts_with("no route: ");
}

/// Calls `body` with settings for the automatic route and for every other one
/// that runs this stencil, and checks that it went there. With `steps`, what
/// is written must be something that the route reads, too.
template <class Exec, class X, class Y, int R, class Body>
void on_every_route(X const& in, Y const& out, StencilWeights<R> const& weights,
                    Boundaries<R> const& boundaries, Body const& body,
                    bool steps = false) {
  bool others = false;
  for (Route const route : {Route::streamed, Route::mma}) {
    if (!takes_route<Exec>(route, in, out, weights, boundaries)) continue;
    others = true;
    if (steps) {
      // What lies between two steps is packed.
      Impl::MemoryLike<Exec, Y> const between(Exec(), "between", out);
      if (!takes_route<Exec>(route, out, between.view(), weights, boundaries) ||
          !takes_route<Exec>(route, between.view(), out, weights, boundaries))
        continue;
    }
    SCOPED_TRACE(joined("route ", route));
    body(Settings{.route = route});
    EXPECT_EQ(route, last_route());
  }
  if (others) {
    SCOPED_TRACE("route generic");
    body(Settings{.route = Route::generic});
    EXPECT_EQ(Route::generic, last_route());
  }
  body(Settings{});
  EXPECT_EQ(!others, last_route() == Route::generic);
}

template <class Exec, int R, class Check>
void step_on_every_route(auto const& in, auto const& out,
                         StencilWeights<R> const& weights,
                         Boundaries<R> const& boundaries, Check const& check) {
  on_every_route<Exec>(in.view(), out.view(), weights, boundaries,
                       [&](Settings const& settings) {
                         stencil(Exec(), in.view(), out.view(), weights,
                                 boundaries, 1, settings);
                         check();
                       });
}

/// One stencil on grids of these kinds, by stencil() on every route.
template <class T, class Result, int R, class Kind, class OutKind, class Exec>
void expect_sums(Place<R> const& extent, StencilWeights<R> const& weights,
                 Boundaries<R> const& boundaries, Random& random,
                 std::int64_t steps = 1) {
  SCOPED_TRACE(joined(describe<R>(extent, boundaries), "steps ", steps));
  HostGrid<R> const data = small_integers<T, R>(
      with_ghosts<R>(extent, radius_of(weights), boundaries), random);
  HostGrid<R> expected = neighbour_sums(data, extent, weights, boundaries);
  for (std::int64_t step = 1; step < steps; ++step) {
    for (double& value : expected.values)
      value = double(as_result<Result>(value));
    expected = neighbour_sums(expected, extent, weights, boundaries);
  }
  TestGrid<T, R, Kind, Exec> const in(data);
  TestGrid<Result, R, OutKind, Exec> const shape(extent);
  on_every_route<Exec>(
      in.view(), shape.view(), weights, boundaries,
      [&](Settings const& settings) {
        TestGrid<Result, R, OutKind, Exec> const out(extent);
        stencil(Exec(), in.view(), out.view(), weights, boundaries, steps,
                settings);
        EXPECT_TRUE(out.holds(expected, as_result<Result>));
      },
      steps > 1);
  EXPECT_TRUE(
      in.holds(data, [](double value) { return static_cast<T>(value); }));
}
/// On rows that share their memory with nothing else.
template <class T, class Result, int R, class Exec>
void expect_row_sums(Place<R> const& extent, StencilWeights<R> const& weights,
                     Boundaries<R> const& boundaries, Random& random,
                     std::int64_t steps = 1) {
  using Rows = Plain<Kokkos::LayoutRight>;
  expect_sums<T, Result, R, Rows, Rows, Exec>(extent, weights, boundaries,
                                              random, steps);
}

/// Several steps with weights and on grids that Cuda takes together, of one
/// kind of boundaries after the other and then of any; all sums are exact.
template <class T, int R, class Kind, class Exec>
void steps_at_every_boundary(int cases) {
  Random random;
  using Lines         = std::vector<std::vector<double>>;
  Lines const lines[] = {{{1, 1, 1}, {1, 2, 1}, {1, 2, 3}},
                         {{1, 1, 1, 1, 1}, {1, 1, 2, 1, 1}, {1, 1, 1, 1, 2}}};
  for (int i = 0; i < cases; ++i) {
    auto const shape = StencilWeights<R>::box(1 + i % 2);
    std::vector<double> values(shape.size(), 1);
    Place<R> extent;
    for (int d = 0; d < R; ++d) {
      auto const& line = lines[i % 2][std::size_t(random.integer(0, 2))];
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] *= line[std::size_t(shape.offsets(at)[d] + shape.radius(d))];
      extent[d] = random.integer(0, 1) ? random.integer(70, 140)
                                       : random.integer(20, 30);
    }
    expect_sums<T, T, R, Kind, Kind, Exec>(
        extent, StencilWeights<R>::dense(shape.radius(), values),
        i < 10 ? Boundaries<R>::all(Boundary(i / 2), 3)
               : random_boundaries<R>(random, false),
        random, random.integer(2, 4));
  }
}

/// Boxes and products of every radius with a kernel of its own, on rows or into
/// rows that begin anywhere in a line of 16 bytes.
template <class T, class Exec>
void products_of_rows_anywhere() {
  using Whole = Plain<Kokkos::LayoutRight>;
  using Inner = Framed<Kokkos::LayoutRight>;
  Random random;
  for (int radius = 1; radius <= 7; ++radius) {
    std::vector<double> values;
    for (int i = 0; i <= 2 * radius; ++i)
      for (int j = 0; j <= 2 * radius; ++j)
        values.push_back((1 + i % 3) * (1 + j * j % 4));
    auto const check = [&](Place<2> const& extent,
                           Boundaries<2> const& boundaries) {
      SCOPED_TRACE(radius);
      for (auto const& weights : {StencilWeights<2>::box(radius),
                                  StencilWeights<2>::dense(radius, values)}) {
        expect_sums<T, T, 2, Inner, Whole, Exec>(extent, weights, boundaries,
                                                 random);
        expect_sums<T, T, 2, Whole, Inner, Exec>(extent, weights, boundaries,
                                                 random);
      }
    };
    // Both sides of the first strip's end.
    check({20 + radius, 2048 / std::int64_t(sizeof(T)) + random.integer(1, 40)},
          Boundaries<2>::all(Boundary::periodic));
    // A boundary in the last places of a strip's windows.
    check(
        {20 + radius, 2048 / std::int64_t(sizeof(T)) + random.integer(-8, 16)},
        Boundaries<2>::all(Boundary::reflect));
    check({50, 32}, random_boundaries<2>(random));
    check({19, random.integer(8, 90)}, random_boundaries<2>(random));
  }
}

/// Grids of some sizes with elements and results of these types.
template <class T, class Result, class Exec>
void one_type() {
  Random random(types<T, Result>());
  bool const whole = std::is_integral_v<T>;
  for (int i = 0; i < 4; ++i) {
    int const radius = int(random.integer(1, 3));
    expect_row_sums<T, Result, 2, Exec>(
        {random.integer(3, 30), random.integer(3, 90)},
        asymmetric<2>({radius, radius}, random, whole),
        random_boundaries<2>(random), random);
  }
}

/// What lies between two steps has the type of the output.
template <class T, class Result, class Exec>
void steps_between_types() {
  Random random;
  for (std::int64_t const steps : {1, 2, 3})
    expect_row_sums<T, Result, 2, Exec>(
        {12, 15}, asymmetric<2>({1, 1}, random, std::is_integral_v<T>),
        random_boundaries<2>(random, false), random, steps);
}

/// Of results of a byte, the lowest byte of the weights is all that matters: so
/// tensor cores take factors that are no bytes.
template <class T, class Result, class Exec>
void factors_of_any_size() {
  Random random;
  for (int const radius : {1, 5, 7, 9}) {
    std::vector<double> factors[2];
    for (auto& factor : factors)
      for (int i = 0; i < 2 * radius + 1; ++i)
        factor.push_back(double(random.integer(1, 3000)) *
                         (random.integer(0, 1) == 0 ? 1 : -1));
    std::vector<double> values;
    for (double const a : factors[0])
      for (double const b : factors[1]) values.push_back(a * b);
    auto const weights    = StencilWeights<2>::dense(radius, values);
    Place<2> const extent = {30, 70};
    expect_row_sums<T, Result, 2, Exec>(extent, weights,
                                        random_boundaries<2>(random), random);
    // Sums of wider results are no longer exact in the reference's doubles.
    if (sizeof(Result) == 1)
      expect_row_sums<T, Result, 2, Exec>(
          extent, weights, random_boundaries<2>(random, false), random, 2);
    Grid<T, 2, Exec> const in(extent);
    Grid<Result, 2, Exec> const out(extent);
    stencil(Exec(), in.view(), out.view(), weights,
            Boundaries<2>::all(Boundary::nearest));
    EXPECT_EQ(!on_cuda<Exec>        ? Route::generic
              : sizeof(Result) == 1 ? Route::mma
                                    : Route::streamed,
              last_route());
  }
}

}  // namespace KokkosMMA::Testing

#endif
