// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What direct kernels of stencils decide on the host.

#include <core/stencil/KokkosMMA_FactoredWeights.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

TEST(DirectTaps, Patterns) {
  using W = StencilWeights<2>;
  EXPECT_EQ(direct_pattern(W::box(3)), DirectPattern::dense);
  EXPECT_EQ(direct_pattern(W::moore(3)), DirectPattern::dense);
  EXPECT_EQ(direct_pattern(W::star(3)), DirectPattern::star);
  EXPECT_EQ(direct_pattern(W::von_neumann(1)), DirectPattern::star);
  EXPECT_EQ(direct_pattern(W::von_neumann(2)), DirectPattern::other);
  EXPECT_EQ(direct_pattern(W::box({1, 2})), DirectPattern::other);
  EXPECT_EQ(direct_pattern(W::star({1, 2})), DirectPattern::other);
  // A star with a hole, a box with one.
  std::vector<double> values{0, 1, 0, 1, 1, 0, 0, 1, 0};
  EXPECT_EQ(direct_pattern(W::dense(1, values)), DirectPattern::other);
  values = {1, 1, 1, 1, 1, 1, 1, 1, 0};
  EXPECT_EQ(direct_pattern(W::dense(1, values)), DirectPattern::other);
  EXPECT_EQ(direct_pattern(StencilWeights<1>::star(2)), DirectPattern::dense);
  EXPECT_EQ(direct_pattern(StencilWeights<3>::star(2)), DirectPattern::star);
}

TEST(DirectTaps, WeightsOfPatterns) {
  std::vector<double> values{0, 1, 0, 2, 3, 4, 0, 5, 0};
  EXPECT_EQ(pattern_weights<int>(StencilWeights<2>::dense(1, values),
                                 DirectPattern::star),
            (std::vector<int>{1, 3, 5, 2, 3, 4}));
  EXPECT_EQ(pattern_weights<int>(StencilWeights<2>::dense(1, values),
                                 DirectPattern::dense),
            (std::vector<int>{0, 1, 0, 2, 3, 4, 0, 5, 0}));
  EXPECT_EQ(weight_as<std::uint32_t>(-1), 0xffffffffu);
  EXPECT_EQ(weight_as<float>(-1.5), -1.5f);
}

TEST(DirectTaps, TablesHoldAllWeightsInTheirPlaces) {
  for (int const group : {2, 4, 8})
    for (int radius = 1; radius <= 16; ++radius) {
      std::vector<double> values(std::size_t(3 * (2 * radius + 1)));
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = at % 3 == 1 ? 0. : double(at + 1);
      auto const weights = StencilWeights<2>::dense({1, radius}, values);
      DirectTable<double> const table(weights, group);
      ASSERT_EQ(table.rows, 3);
      ASSERT_EQ(table.reach % group, 0);
      ASSERT_GE(table.reach, radius);
      ASSERT_LE(table.groups * group, 64);
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < table.groups * group; ++column) {
          int const offset = column - table.reach;
          double const weight =
              offset < -radius || offset > radius
                  ? 0
                  : values[std::size_t(row * (2 * radius + 1) + offset +
                                       radius)];
          EXPECT_EQ(
              table.weights[std::size_t(row * table.groups * group + column)],
              weight);
          EXPECT_EQ(table.masks[std::size_t(row)] >> column & 1, weight != 0);
        }
    }
}

}  // namespace
