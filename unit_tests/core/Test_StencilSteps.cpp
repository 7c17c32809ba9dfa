// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which steps one sweep takes together, and the strips beside boundaries.

#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

/// The form of steps on the route without tensor cores.
template <int R>
StepForm form_of(StencilWeights<R> const& weights,
                 Scalar type      = Scalar::float32,
                 RowLayout target = RowLayout::aligned_16) {
  FactoredWeights<R> const factored(weights, false);
  StencilProblem problem;
  problem.rank   = R;
  problem.input  = type;
  problem.radius = weights.radius(0);
  for (int d = 1; d < R; ++d)
    problem.one_radius =
        problem.one_radius && weights.radius(d) == weights.radius(0);
  problem.weights = weight_form(factored);
  problem.source  = RowLayout::aligned_16;
  problem.target  = target;
  return step_form(factored.kernel_weights,
                   stencil_kernel(problem, Route::streamed), problem);
}

StencilWeights<2> rising(int radius) {
  std::vector<double> values(StencilWeights<2>::box(radius).size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i * i + 1);
  return StencilWeights<2>::dense(radius, values);
}

TEST(StepForm, OfTwoDimensions) {
  for (int radius = 1; radius <= 4; ++radius)
    EXPECT_EQ(form_of(StencilWeights<2>::star(radius)), StepForm::star);
  EXPECT_EQ(form_of(StencilWeights<2>::star(5)), StepForm::none);
  EXPECT_EQ(form_of(StencilWeights<2>::star(1).with_centre(-4)),
            StepForm::star);
  // Zeros that would be multiplied by.
  EXPECT_EQ(form_of(StencilWeights<2>::von_neumann(1)), StepForm::sparse);
  EXPECT_EQ(form_of(StencilWeights<2>::star(2).with_centre(0)), StepForm::none);
  EXPECT_EQ(form_of(StencilWeights<2>::moore(1)), StepForm::sparse);
  EXPECT_EQ(form_of(rising(1)), StepForm::dense);
  EXPECT_EQ(form_of(rising(2)), StepForm::none);
  EXPECT_EQ(form_of(StencilWeights<2>::star({1, 2})), StepForm::none);
}

TEST(StepForm, OfProducts) {
  EXPECT_EQ(form_of(StencilWeights<2>::box(1)), StepForm::product);
  EXPECT_EQ(form_of(StencilWeights<2>::box(1), Scalar::half),
            StepForm::product);
  EXPECT_EQ(form_of(StencilWeights<2>::box(2)), StepForm::none);
  for (int radius = 1; radius <= 4; ++radius) {
    auto const tenths = StencilWeights<2>::dense(
        radius, std::vector<double>(StencilWeights<2>::box(radius).size(), .1));
    EXPECT_EQ(form_of(tenths), StepForm::product);
    EXPECT_EQ(form_of(tenths, Scalar::half, RowLayout::pitch_16),
              StepForm::product);
    EXPECT_EQ(form_of(tenths, Scalar::half, RowLayout::contiguous),
              StepForm::none);
    EXPECT_EQ(form_of(tenths, Scalar::float32, RowLayout::contiguous),
              StepForm::product);
  }
}

TEST(StepForm, OfOneDimension) {
  auto const line = StencilWeights<1>::dense(1, std::vector<double>{1, 2, 4});
  EXPECT_EQ(form_of(line), StepForm::star);
  EXPECT_EQ(form_of(line, Scalar::float32, RowLayout::contiguous),
            StepForm::inward);
  EXPECT_EQ(form_of(line.with_centre(0)), StepForm::none);
  EXPECT_EQ(form_of(StencilWeights<1>::box(5)), StepForm::none);
}

TEST(StepForm, OfThreeDimensions) {
  auto const star = StencilWeights<3>::star(1);
  EXPECT_EQ(form_of(star, Scalar::float64), StepForm::star);
  EXPECT_EQ(form_of(star, Scalar::half), StepForm::star);
  EXPECT_EQ(form_of(star, Scalar::float32, RowLayout::pitch_16),
            StepForm::none);
  EXPECT_EQ(form_of(StencilWeights<3>::star(2)), StepForm::none);
  EXPECT_EQ(form_of(StencilWeights<3>::moore(1)), StepForm::none);
  // Products have only sweeps of one step.
  for (int radius = 1; radius <= 5; ++radius)
    for (Scalar const type : {Scalar::float64, Scalar::float32, Scalar::half})
      for (double const weight : {1., .1}) {
        std::vector<double> const values(StencilWeights<3>::box(radius).size(),
                                         weight);
        EXPECT_EQ(form_of(StencilWeights<3>::dense(radius, values), type),
                  StepForm::none)
            << radius << " " << weight;
      }
}

TEST(StepsInGrid, ReachesOverOneBoundary) {
  auto const steps = [](std::int64_t n, int radius) {
    return steps_in_grid(std::array<std::int64_t, 2>{1000, n}, radius, 8);
  };
  EXPECT_EQ(steps(1000, 1), 8);
  EXPECT_EQ(steps(23, 1), 7);
  EXPECT_EQ(steps(23, 2), 3);
  EXPECT_EQ(steps(2, 1), 1);
  EXPECT_EQ(steps(std::int64_t(1) << 30, 1), 1);
}

// Each element is in one tile or in the rest.
TEST(StepStrips, CoverTheGridOnce) {
  auto const open = [](Boundary kind) { return kind != Boundary::periodic; };
  for (Boundary const rows : {Boundary::periodic, Boundary::reflect})
    for (Boundary const columns : {Boundary::periodic, Boundary::constant}) {
      std::int64_t const extent[2] = {37, 23};
      auto const boundaries        = Boundaries<2>::per_dimension(
                 {BoundaryCondition{rows}, BoundaryCondition{columns}});
      auto strips = step_strips<StepStrips<2, 5>>(boundaries, extent, 2, 3);
      auto const whole_tiles = strips.tiles();
      for (bool const halved : {false, true}) {
        strips.halved    = halved;
        int seen[37][23] = {};
        auto const count = [&](GridBox<2> const& box) {
          for (auto i = box.begin[0]; i < box.end[0]; ++i)
            for (auto j = box.begin[1]; j < box.end[1]; ++j) ++seen[i][j];
        };
        for (unsigned t = 0; t < strips.tiles(); ++t) {
          auto const tile = strips.tile(t);
          for (int d = 0; d < 2; ++d)
            EXPECT_LE(tile.end[d] - tile.begin[d], halved ? 2 : 5);
          count(tile);
        }
        count(strips.rest);
        for (int i = 0; i < 37; ++i)
          for (int j = 0; j < 23; ++j)
            EXPECT_EQ(seen[i][j], 1) << i << " " << j;
      }
      if (open(rows) || open(columns)) {
        EXPECT_GT(strips.tiles(), whole_tiles);
      }
      EXPECT_EQ(strips.rest.begin[0], open(rows) ? 6 : 0);
      EXPECT_EQ(strips.rest.end[1], open(columns) ? 17 : 23);
    }
}
TEST(StepStrips, CoverAVolumeOnce) {
  std::int64_t const extent[3] = {9, 14, 21};
  for (int open = 0; open < 8; ++open) {
    auto const kind = [&](int d) {
      return BoundaryCondition{open >> d & 1 ? Boundary::nearest
                                             : Boundary::periodic};
    };
    auto const strips = step_strips<StepStrips<3, 4, 8>>(
        Boundaries<3>::per_dimension({kind(0), kind(1), kind(2)}), extent, 1,
        2);
    int seen[9][14][21] = {};
    auto const count    = [&](GridBox<3> const& box) {
      for (auto i = box.begin[0]; i < box.end[0]; ++i)
        for (auto j = box.begin[1]; j < box.end[1]; ++j)
          for (auto k = box.begin[2]; k < box.end[2]; ++k) ++seen[i][j][k];
    };
    for (unsigned t = 0; t < strips.tiles(); ++t) {
      auto const tile = strips.tile(t);
      for (int d = 0; d < 3; ++d)
        EXPECT_LE(tile.end[d] - tile.begin[d], d < 1 ? 4 : 8);
      count(tile);
    }
    count(strips.rest);
    EXPECT_TRUE(std::all_of(&seen[0][0][0], &seen[0][0][0] + 9 * 14 * 21,
                            [](int times) { return times == 1; }))
        << "open " << open;
    for (int d = 0; d < 3; ++d)
      EXPECT_EQ(strips.rest.begin[d], open >> d & 1 ? 2 : 0);
  }
}

}  // namespace
