// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of half_t.

#include "StencilFloatCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilHalves);

TYPED_TEST(StencilHalves, OneType) { one_type<half_t, half_t, TypeParam>(); }
TYPED_TEST(StencilHalves, RandomNumbers) {
  random_numbers<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, ProductsOfRowsAnywhere) {
  products_of_rows_anywhere<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, WeightsWithoutStructure) {
  weights_without_structure<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, ProductsOfFractions) {
  products_of_fractions<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, BitsOfSteps) {
  steps_of<half_t, Plain<Right>, TypeParam>(
      {star, dense, sparse, product, mean}, 14);
}

}  // namespace
