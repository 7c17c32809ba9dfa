// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Patterns of direct kernels of stencils. Their tables are tested by the
// kernels on the emulated device.

#include <core/stencil/KokkosMMA_FactoredWeights.hpp>

#include <gtest/gtest.h>

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
  values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(pattern_weights<int>(StencilWeights<2>::dense(1, values),
                                 DirectPattern::dense),
            (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(weight_as<std::uint32_t>(-1), 0xffffffffu);
  // Of the outer product of equal weights -2^31, one factor is 2^31.
  EXPECT_EQ(weight_as<std::int32_t>(0x1p31), INT32_MIN);
  EXPECT_EQ(weight_as<std::int64_t>(0x1p63), INT64_MIN);
  EXPECT_EQ(weight_as<std::uint64_t>(0x1.8p63), 0xc000000000000000u);
  EXPECT_EQ(weight_as<float>(-1.5), -1.5f);
}

}  // namespace
