// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of double.

#include "StencilFloatCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilDoubles);

TYPED_TEST(StencilDoubles, OneType) { one_type<double, double, TypeParam>(); }
TYPED_TEST(StencilDoubles, RandomNumbers) {
  random_numbers<double, TypeParam>();
}
TYPED_TEST(StencilDoubles, ProductsOfRowsAnywhere) {
  products_of_rows_anywhere<double, TypeParam>();
}
TYPED_TEST(StencilDoubles, WeightsWithoutStructure) {
  weights_without_structure<double, TypeParam>();
}
TYPED_TEST(StencilDoubles, StepsAtEveryBoundary) {
  steps_at_every_boundary<double, 2, Plain<Right>, TypeParam>(30);
}
TYPED_TEST(StencilDoubles, BitsOfSteps) {
  steps_of<double, Plain<Right>, TypeParam>(
      {star, dense, sparse, product, mean}, 14);
}
TYPED_TEST(StencilDoubles, BitsOfStepsOnALargerGrid) {
  steps_on_a_larger_grid<double, TypeParam>({1501, 900}, product, 2, 7);
}

}  // namespace
