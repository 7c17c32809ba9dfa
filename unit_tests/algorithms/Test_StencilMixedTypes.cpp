// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils whose results have another floating-point type than the elements.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilMixedTypes);

TYPED_TEST(StencilMixedTypes, IntoWiderTypes) {
  one_type<half_t, float, TypeParam>();
  one_type<float, double, TypeParam>();
}
// What lies between two steps has the type of the output.
TYPED_TEST(StencilMixedTypes, Steps) {
  steps_between_types<half_t, float, TypeParam>();
}

}  // namespace
