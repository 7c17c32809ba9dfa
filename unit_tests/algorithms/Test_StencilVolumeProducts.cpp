// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Outer products in three dimensions: several steps.

#include "StencilStepCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilVolumeProducts);

TYPED_TEST(StencilVolumeProducts, BitsOfStepsOfHalves) {
  steps_of_products<half_t, Plain<Right>, TypeParam>();
  steps_of_products<half_t, Framed<Right>, TypeParam>();
}

}  // namespace
