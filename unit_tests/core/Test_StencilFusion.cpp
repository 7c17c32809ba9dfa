// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps of a stencil as one, with the strips that are done step by
// step, against the steps one after the other: in integers that wrap, where
// every element must be equal, and in float against long double.

#include <core/stencil/KokkosMMA_OuterProduct.hpp>
#include <core/stencil/KokkosMMA_StencilFusion.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>
#include <core/stencil/KokkosMMA_BoundaryStrips.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

template <int R>
using Extents = std::array<std::int64_t, std::size_t(R)>;

/// The elements of a grid, the last dimension fastest.
template <class T, int R>
struct Grid {
  Extents<R> extents;
  std::vector<T> values;

  explicit Grid(Extents<R> const& of) : extents(of) {
    std::size_t count = 1;
    for (std::int64_t const n : extents) count *= std::size_t(n);
    values.resize(count);
  }
  T& at(Extents<R> const& place) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < R; ++d) {
      if (place[d] < 0 || place[d] >= extents[d])
        throw std::out_of_range("element of a grid");
      index = index * extents[d] + place[d];
    }
    return values.at(std::size_t(index));
  }
  Extents<R> place(std::size_t index) const {
    Extents<R> result;
    for (std::size_t d = R; d-- > 0;) {
      result[d] = std::int64_t(index % std::size_t(extents[d]));
      index /= std::size_t(extents[d]);
    }
    return result;
  }
};

/// A step, each sum in the order of the weights.
template <class T, int R>
Grid<T, R> step(Grid<T, R>& from, StencilWeights<R> const& weights,
                Boundaries<R> const& boundaries) {
  Grid<T, R> to(from.extents);
  std::int64_t extent[R];
  std::copy(from.extents.begin(), from.extents.end(), extent);
  for (std::size_t e = 0; e < to.values.size(); ++e) {
    Extents<R> const at = to.place(e);
    T sum               = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights.values()[k] == 0) continue;
      auto const offsets = weights.offsets(k);
      std::int64_t place[R];
      for (std::size_t d = 0; d < R; ++d) place[d] = at[d] + offsets[d];
      double constant = 0;
      T value         = 0;
      if (boundaries.locate(place, extent, constant)) {
        Extents<R> in_grid;
        std::copy(place, place + R, in_grid.begin());
        value = from.at(in_grid);
      } else {
        value = static_cast<T>(constant);
      }
      T const weight = weight_as<T>(weights.values()[k]);
      if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        sum = std::fma(weight, value, sum);
      } else {
        sum += weight * value;
      }
    }
    to.values[e] = sum;
  }
  return to;
}

template <class T, int R>
Grid<T, R> step_by_step(Grid<T, R> grid, StencilWeights<R> const& weights,
                        Boundaries<R> const& boundaries, int steps) {
  for (int s = 0; s < steps; ++s) grid = step(grid, weights, boundaries);
  return grid;
}

/// Does the strips of a grid of a kernel, in tiles so small that they have
/// neighbours: sink(place, sum).
template <class T, int R, class Sink>
void do_strips(StencilGrid<T, R> const& grid, StencilWeights<R> const& weights,
               int steps, Sink const& sink) {
  auto const strips = boundary_strips<5>(
      grid.reversed ? KokkosMMA::Impl::reversed(weights) : weights,
      grid.boundaries, grid.extent, steps);
  auto const taps       = strip_taps<T, 27>(weights, grid.reversed);
  constexpr int threads = 3;
  for (std::int64_t t = 0; t < strips.tiles(); ++t) {
    GridBox<R> const box   = strips.tile(t);
    auto const all_threads = [&](auto const& work) {
      for (int thread = 0; thread < threads; ++thread)
        work(StripTile<T, R, 27>{grid, taps, box, steps, thread, threads});
    };
    auto const room = [&](int step) {
      return std::vector<T>(std::size_t(
          KokkosMMA::Impl::StripRegion<R>(box, taps.radius, steps - step)
              .size()));
    };
    std::vector<T> from = room(0);
    all_threads([&](auto const& tile) { tile.load(from.data()); });
    for (int step = 1; step < steps; ++step) {
      std::vector<T> to = room(step);
      all_threads([&](auto const& tile) {
        tile.advance(step, from.data(), to.data());
      });
      from = std::move(to);
    }
    all_threads([&](auto const& tile) { tile.finish(from.data(), sink); });
  }
}

/// The sweep and its strips, of a kernel that has the dimensions in reverse or
/// not.
template <class T, int R>
Grid<T, R> fused(Grid<T, R> grid, StencilWeights<R> const& weights,
                 Boundaries<R> const& boundaries, int steps, bool reversed) {
  Grid<T, R> result = step(grid, compose(weights, steps), boundaries);
  std::vector<char> written(result.values.size());
  StencilGrid<T, R> of_kernel{};
  of_kernel.data       = grid.values.data();
  of_kernel.reversed   = reversed;
  of_kernel.boundaries = boundaries;
  if (reversed) of_kernel.boundaries = KokkosMMA::Impl::reversed(boundaries);
  std::int64_t stride = 1;
  for (std::size_t d = R; d-- > 0;) {
    std::size_t const at = reversed ? R - 1 - d : d;
    of_kernel.extent[at] = grid.extents[d];
    of_kernel.stride[at] = stride;
    stride *= grid.extents[d];
  }
  do_strips(of_kernel, weights, steps, [&](auto const& place, T sum) {
    Extents<R> at;
    std::copy(place, place + R, at.begin());
    if (reversed) std::reverse(at.begin(), at.end());
    T& to = result.at(at);
    to    = sum;
    EXPECT_EQ(written[std::size_t(&to - result.values.data())]++, 0);
  });
  return result;
}

template <int R>
Grid<std::uint64_t, R> random_integers(Random& random,
                                       Extents<R> const& extents) {
  Grid<std::uint64_t, R> grid(extents);
  for (auto& value : grid.values)
    value = std::uint64_t(random.integer(std::numeric_limits<int>::min(),
                                         std::numeric_limits<int>::max()))
            << 20;
  return grid;
}

/// Integers; zeros among them; symmetric in the dimensions of the mask.
template <int R>
StencilWeights<R> random_weights(Random& random, std::array<int, R> radius,
                                 unsigned symmetric) {
  auto const shape = StencilWeights<R>::box(radius);
  std::vector<double> values(shape.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    auto mirrored = shape.offsets(at);
    for (int d = 0; d < R; ++d)
      if (symmetric >> d & 1 && mirrored[std::size_t(d)] > 0)
        mirrored[std::size_t(d)] = -mirrored[std::size_t(d)];
    std::size_t from = 0;
    for (int d = 0; d < R; ++d)
      from = from * std::size_t(shape.width(d)) +
             std::size_t(mirrored[std::size_t(d)] + shape.radius(d));
    values[at] = from < at ? values[from] : double(random.integer(-2, 3));
  }
  return StencilWeights<R>::dense(radius, values);
}

constexpr Boundary kinds[] = {Boundary::constant, Boundary::reflect,
                              Boundary::mirror, Boundary::nearest};
/// The boundaries of a dimension, of 17 combinations.
template <int R>
void set_boundaries(Boundaries<R>& boundaries, int d, int combination) {
  if (combination == 16) {
    boundaries.low[d] = boundaries.high[d] = {Boundary::periodic, 0};
  } else {
    boundaries.low[d]  = {kinds[combination % 4], 3. + d};
    boundaries.high[d] = {kinds[combination / 4], 50. + d};
  }
}
template <int R>
std::string describe(Boundaries<R> const& boundaries) {
  std::string text;
  for (int d = 0; d < R; ++d)
    text += std::string(to_string(boundaries.low[d].kind)) + "/" +
            to_string(boundaries.high[d].kind) + " ";
  return text;
}

constexpr FusionTypes integers{Scalar::int64, Scalar::int64, Scalar::int64};
constexpr FusionTypes floats{Scalar::float32, Scalar::float32, Scalar::float32};

template <int R>
void expect_equal(Random& random, Extents<R> const& extents,
                  StencilWeights<R> const& weights,
                  Boundaries<R> const& boundaries, int steps) {
  SCOPED_TRACE(describe(boundaries) + std::to_string(steps) + " steps");
  ASSERT_GE(fusible_steps(weights, boundaries, extents, integers), steps);
  auto const grid     = random_integers<R>(random, extents);
  auto const expected = step_by_step(grid, weights, boundaries, steps).values;
  for (bool const reversed : {false, true})
    ASSERT_EQ(fused(grid, weights, boundaries, steps, reversed).values,
              expected);
}

TEST(StencilFusion, OneDimensionAllBoundaries) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int conditions = 0; conditions < 17; ++conditions) {
    Boundaries<1> boundaries;
    set_boundaries(boundaries, 0, conditions);
    for (unsigned const symmetric : {0u, 1u})
      for (int const radius : {1, 2, 3})
        for (int steps = 2; steps <= 5; ++steps)
          for (int const extent : {4 * (radius * steps + 1), 70})
            expect_equal<1>(random, {extent},
                            random_weights<1>(random, {radius}, symmetric),
                            boundaries, steps);
  }
}

TEST(StencilFusion, TwoDimensionsAllBoundaries) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int rows = 0; rows < 17; ++rows)
    for (int columns = 0; columns < 17; ++columns) {
      Boundaries<2> boundaries;
      set_boundaries(boundaries, 0, rows);
      set_boundaries(boundaries, 1, columns);
      auto const symmetric = unsigned(random.integer(0, 3));
      expect_equal<2>(random, {16, 17},
                      random_weights<2>(random, {1, 1}, symmetric), boundaries,
                      3);
      expect_equal<2>(random, {12, 21},
                      random_weights<2>(random, {1, 2}, symmetric), boundaries,
                      2);
    }
}

TEST(StencilFusion, ThreeDimensionsAllBoundaries) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int a = 0; a < 17; ++a)
    for (int b = 0; b < 17; ++b) {
      // All pairs of dimensions; the third goes along.
      Boundaries<3> boundaries;
      set_boundaries(boundaries, 0, a);
      set_boundaries(boundaries, 1, b);
      set_boundaries(boundaries, 2, (a + b) % 17);
      auto const symmetric = unsigned(random.integer(0, 7));
      expect_equal<3>(random, {12, 13, 12},
                      random_weights<3>(random, {1, 1, 1}, symmetric),
                      boundaries, 2);
    }
}

TEST(StencilFusion, SmallestGridsThatGoOn) {
  // Nothing but boundaries beyond which the grid goes on: one element more than
  // the sweep reaches.
  Random random;
  SCOPED_TRACE(random.note());
  for (int const conditions : {5, 6, 9, 10, 16})
    for (int steps = 2; steps <= 8; ++steps) {
      Boundaries<1> boundaries;
      set_boundaries(boundaries, 0, conditions);
      auto const weights = random_weights<1>(random, {2}, 1);
      expect_equal<1>(random, {2 * steps + 1}, weights, boundaries, steps);
      std::int64_t const extent[] = {2 * steps + 1};
      EXPECT_EQ(boundary_strips<5>(weights, boundaries, extent, steps).tiles(),
                0);
    }
}

TEST(StencilFusion, ComposedWeights) {
  EXPECT_EQ(compose(std::vector<double>{1, 1, 1}, 1),
            (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(compose(std::vector<double>{1, 1, 1}, 4),
            (std::vector<double>{1, 4, 10, 16, 19, 16, 10, 4, 1}));
  EXPECT_EQ(compose(std::vector<double>{1, 0, -1}, 2),
            (std::vector<double>{1, 0, -2, 0, 1}));
  // Of a star: the squares of 1 + x + y + 1/x + 1/y.
  EXPECT_EQ(compose(StencilWeights<2>::star(1), 2),
            StencilWeights<2>::dense(
                2, std::vector<double>{0, 0, 1, 0, 0, 0, 2, 2, 2, 0, 1, 2, 5,
                                       2, 1, 0, 2, 2, 2, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(compose(StencilWeights<3>::box({1, 2, 3}), 1),
            StencilWeights<3>::box({1, 2, 3}));
}

TEST(StencilFusion, FactorsStayFactors) {
  for (int steps = 1; steps <= 8; ++steps) {
    auto const weights = StencilWeights<2>::box({1, 2});
    auto const product = outer_product(weights);
    ASSERT_TRUE(product);
    auto const composed = compose(product->factors, steps);
    auto const all      = compose(weights, steps);
    ASSERT_EQ(composed[0].size(), std::size_t(all.width(0)));
    ASSERT_EQ(composed[1].size(), std::size_t(all.width(1)));
    for (std::size_t at = 0; at < all.size(); ++at)
      EXPECT_EQ(all.values()[at], composed[0][at / composed[1].size()] *
                                      composed[1][at % composed[1].size()]);
  }
}

TEST(StencilFusion, Symmetry) {
  auto const weights = StencilWeights<2>::dense(
      {1, 1}, std::vector<double>{1, 2, 1, 3, 4, 3, 5, 6, 5});
  EXPECT_FALSE(is_symmetric(weights, 0));
  EXPECT_TRUE(is_symmetric(weights, 1));
}

TEST(StencilFusion, StepsThatMayBeFused) {
  auto const box      = StencilWeights<2>::box(1);
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  auto const constant = Boundaries<2>::all(Boundary::constant);
  auto const halo     = Boundaries<2>::all(Boundary::halo);
  auto const mirror   = Boundaries<2>::all(Boundary::mirror);
  Extents<2> const large{1000, 1000};
  EXPECT_EQ(fusible_steps(box, periodic, large, integers), 16);
  EXPECT_EQ(fusible_steps(box, periodic, large, integers, 7), 7);
  EXPECT_EQ(
      fusible_steps(StencilWeights<2>::box({3, 5}), periodic, large, integers),
      3);
  EXPECT_EQ(fusible_steps(StencilWeights<2>::box(9), periodic, large, integers),
            1);
  // The extents.
  EXPECT_EQ(fusible_steps(box, periodic, {1000, 5}, integers), 4);
  EXPECT_EQ(fusible_steps(box, periodic, {1, 1}, integers), 1);
  EXPECT_EQ(fusible_steps(box, constant, large, integers), 16);
  EXPECT_EQ(fusible_steps(box, constant, {1000, 27}, integers), 5);
  EXPECT_EQ(fusible_steps(box, mirror, {1000, 27}, integers), 16);
  // The types.
  auto const of = [&](Scalar input, Scalar accumulator, Scalar result) {
    return fusible_steps(box, periodic, large, {input, accumulator, result});
  };
  EXPECT_EQ(of(Scalar::uint8, Scalar::int32, Scalar::uint8), 16);
  EXPECT_EQ(of(Scalar::boolean, Scalar::uint64, Scalar::int32), 16);
  EXPECT_EQ(of(Scalar::int32, Scalar::int64, Scalar::float64), 1);
  EXPECT_EQ(of(Scalar::half, Scalar::float32, Scalar::half), 1);
  EXPECT_EQ(of(Scalar::bhalf, Scalar::float32, Scalar::bhalf), 1);
  EXPECT_EQ(of(Scalar::half, Scalar::float32, Scalar::float32), 4);
  EXPECT_EQ(of(Scalar::float64, Scalar::float64, Scalar::float64), 4);
  // Ghost cells are filled after each step.
  EXPECT_EQ(fusible_steps(box, halo, large, integers), 1);
}

TEST(StencilFusion, WeightsThatMayBeFused) {
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  auto const product  = [](double a, double b, double c) {
    std::vector<double> values;
    for (double const x : {a, b, c})
      for (double const y : {a, b, c}) values.push_back(x * y);
    return StencilWeights<2>::dense(1, values);
  };
  auto const steps = [&](StencilWeights<2> const& weights,
                         FusionTypes const& types) {
    return fusible_steps(weights, periodic, {1000, 1000}, types);
  };
  // The sums of negative weights cancel, and an Inf becomes a NaN elsewhere.
  EXPECT_EQ(steps(product(1, -2, 1), floats), 1);
  // The middle of (1, -2, 1)^15 is above the root of 2^53.
  EXPECT_EQ(steps(product(1, -2, 1), integers), 14);
  EXPECT_EQ(steps(product(0.25, 0.5, 0.25), floats), 4);
  // 10^-40 is no normal float, 10^40 none at all.
  EXPECT_EQ(steps(product(1e-5, 1, 1e-5), floats), 3);
  EXPECT_EQ(steps(product(1e-7, 1, 1e-7), floats), 2);
  EXPECT_EQ(steps(product(1e7, 1, 1e7), floats), 2);
  // Sums over all neighbours of a star's steps are longer than each step's.
  EXPECT_EQ(steps(StencilWeights<2>::star(1), floats), 1);
  EXPECT_EQ(steps(StencilWeights<2>::star(1), integers), 16);
  // 1000^6 is above 2^53.
  EXPECT_EQ(steps(StencilWeights<2>::star(1).with_centre(1000), integers), 5);
  EXPECT_EQ(steps(product(0.5, 1, 0.5), integers), 1);
}

/// Root of the mean square of the errors.
template <class T, int R>
double error_of(Grid<T, R> const& grid, Grid<long double, R> const& exact) {
  long double sum = 0;
  for (std::size_t e = 0; e < grid.values.size(); ++e) {
    long double const error = grid.values[e] - exact.values[e];
    sum += error * error;
  }
  return double(std::sqrt(sum / static_cast<long double>(grid.values.size())));
}

/// What a sweep for several steps does along a dimension (sum_to_middle in
/// backends/cuda).
template <class T>
Grid<T, 2> line_to_middle(Grid<T, 2>& from, std::vector<double> const& factor,
                          std::size_t d) {
  Grid<T, 2> to(from.extents);
  auto const radius = std::int64_t(factor.size() / 2);
  for (std::size_t e = 0; e < to.values.size(); ++e) {
    auto const value = [&](std::int64_t o) {
      Extents<2> at = to.place(e);
      at[d]         = (at[d] + o - radius + from.extents[d]) % from.extents[d];
      return from.at(at);
    };
    T low  = 0;
    T high = 0;
    for (std::int64_t o = 0; o < radius; ++o) {
      std::int64_t const p = 2 * radius - o;
      low                  = std::fma(T(factor[std::size_t(o)]), value(o), low);
      high = std::fma(T(factor[std::size_t(p)]), value(p), high);
    }
    low          = std::fma(T(factor[std::size_t(radius)]), value(radius), low);
    to.values[e] = low + high;
  }
  return to;
}

/// In `Sum`, of steps in `T`.
template <class T, class Sum>
void expect_as_accurate(std::vector<double> const& line, FusionTypes types,
                        int expected) {
  Random random;
  SCOPED_TRACE(random.note());
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  std::vector<double> values;
  for (double const a : line)
    for (double const b : line) values.push_back(a * b);
  auto const weights = StencilWeights<2>::dense(int(line.size() / 2), values);
  auto const factors = outer_product(weights).value().factors;
  Extents<2> const extents{120, 121};
  int const most = fusible_steps(weights, periodic, extents, types);
  EXPECT_EQ(most, expected);
  for (bool const positive : {true, false})
    for (int steps = 2; steps <= most; ++steps) {
      SCOPED_TRACE(std::to_string(steps) + " steps, centre " +
                   std::to_string(line[line.size() / 2]) +
                   (positive ? ", positive" : ", any sign"));
      Grid<T, 2> grid(extents);
      Grid<Sum, 2> sums(extents);
      Grid<long double, 2> exact(extents);
      for (std::size_t e = 0; e < grid.values.size(); ++e) {
        grid.values[e]  = T(positive ? random.uniform() : random.normal());
        sums.values[e]  = grid.values[e];
        exact.values[e] = grid.values[e];
      }
      exact               = step_by_step(exact, weights, periodic, steps);
      auto const by_steps = step_by_step(grid, weights, periodic, steps);
      auto const composed = compose(factors, steps);
      sums                = line_to_middle(sums, composed[1], 1);
      sums                = line_to_middle(sums, composed[0], 0);
      Grid<T, 2> fused(extents);
      for (std::size_t e = 0; e < fused.values.size(); ++e)
        fused.values[e] = T(sums.values[e]);
      // Neighbouring sums share their errors: of these grids, the root of the
      // mean square is known to about 4 %, and one in some hundred runs had
      // fused steps 1 % above the others.
      EXPECT_LE(error_of(fused, exact), 1.1 * error_of(by_steps, exact));
    }
}

TEST(StencilFusion, NoLessAccurateThanStepByStep) {
  FusionTypes const doubles{Scalar::float64, Scalar::float64, Scalar::float64};
  for (auto const& line :
       {std::vector<double>{1, 1, 1}, std::vector<double>{0.25, 0.5, 0.25},
        std::vector<double>{1, 2, 0.5}, std::vector<double>{1, 2, 3, 2, 1},
        std::vector<double>{1, 1, 1, 1, 1}}) {
    expect_as_accurate<float, double>(line, floats, line.size() == 3 ? 4 : 2);
    expect_as_accurate<double, double>(line, doubles, line.size() == 3 ? 4 : 2);
  }
  // Factors that are rounded, or fall to the middle.
  for (auto const& line :
       {std::vector<double>{0.3, 0.4, 0.3}, std::vector<double>{0.1, 0.7, 0.2},
        std::vector<double>{0.01, 0.98, 0.01},
        std::vector<double>{1, 0.125, 2}}) {
    expect_as_accurate<float, double>(line, floats, 4);
    expect_as_accurate<double, double>(line, doubles, 1);
  }
}

}  // namespace
