// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of floating-point elements in three dimensions.

#include "StencilStepCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilVolumes);

TYPED_TEST(StencilVolumes, BitsOfSteps) {
  Random random;
  auto const star = StencilWeights<3>::star(1);
  for (int i = 0; i < 16; ++i) {
    std::vector<double> values(star.values().begin(), star.values().end());
    for (double& value : values) value *= random.uniform(-.2, .3);
    expect_bits_of_steps<float, 3, Plain<Right>, TypeParam>(
        {random.integer(4, 30), random.integer(4, 40), random.integer(4, 150)},
        StencilWeights<3>::dense(1, values),
        i < 8 ? Boundaries<3>::all(Boundary(i / 4), .3)
              : random_boundaries<3>(random, false),
        random.integer(2, 6), random);
  }
}
TYPED_TEST(StencilVolumes, BitsOfStepsOfProducts) {
  steps_of_products<bhalf_t, Framed<Right>, TypeParam>();
  steps_of_products<float, Framed<Right>, TypeParam>();
}
/// Sums of neighbours leave the type, their average does not.
TYPED_TEST(StencilVolumes, AveragesOfLargeSmallFloats) {
  HostGrid<3> large({9, 10, 64});
  for (double& value : large.values) value = 1e38;
  Grid<bhalf_t, 3, TypeParam> const in(large), out(large.extent);
  std::vector<double> const mean(27, 1. / 27);
  stencil(TypeParam(), in.view(), out.view(), StencilWeights<3>::dense(1, mean),
          Boundaries<3>::all(Boundary::nearest));
  for (double const value : out.values()) ASSERT_NEAR(value, 1e38, 2e36);
}

}  // namespace
