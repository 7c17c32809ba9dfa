// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps on parts of larger Views.

#include "StencilStepCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilFramed);

TYPED_TEST(StencilFramed, BitsOfSteps) {
  steps_of<float, Framed<Right>, TypeParam>({star, product}, 8);
  steps_of<double, Framed<Left>, TypeParam>({star, dense}, 8);
}
TYPED_TEST(StencilFramed, BitsOfStepsOfFunctors) {
  steps_of_updates<double, Framed<Left>, TypeParam>(14);
}

}  // namespace
