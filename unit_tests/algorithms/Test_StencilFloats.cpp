// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of float.

#include "StencilFloatCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilFloats);

TYPED_TEST(StencilFloats, RandomNumbers) { random_numbers<float, TypeParam>(); }
TYPED_TEST(StencilFloats, WeightsWithoutStructure) {
  weights_without_structure<float, TypeParam>();
}
TYPED_TEST(StencilFloats, ProductsOfFractions) {
  products_of_fractions<float, TypeParam>();
}
TYPED_TEST(StencilFloats, BitsOfSteps) {
  steps_of<float, Plain<Right>, TypeParam>({star, dense, sparse, product, mean},
                                           14);
}
TYPED_TEST(StencilFloats, BitsOfStepsOfFunctors) {
  steps_of_updates<float, Plain<Right>, TypeParam>(14);
}
TYPED_TEST(StencilFloats, BitsOfStepsOnALargerGrid) {
  steps_on_a_larger_grid<float, TypeParam>({900, 1501}, star, 1, 9);
}

}  // namespace
