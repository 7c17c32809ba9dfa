// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of bhalf_t.

#include "StencilFloatCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilBhalves);

TYPED_TEST(StencilBhalves, OneType) { one_type<bhalf_t, bhalf_t, TypeParam>(); }
TYPED_TEST(StencilBhalves, WeightsWithoutStructure) {
  weights_without_structure<bhalf_t, TypeParam>();
}
TYPED_TEST(StencilBhalves, ProductsOfFractions) {
  products_of_fractions<bhalf_t, TypeParam>();
}
TYPED_TEST(StencilBhalves, BitsOfSteps) {
  steps_of<bhalf_t, Plain<Right>, TypeParam>({star, dense}, 6);
}

}  // namespace
