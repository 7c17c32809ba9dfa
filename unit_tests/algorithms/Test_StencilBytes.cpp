// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of signed bytes against a loop on the host.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilBytes);

TYPED_TEST(StencilBytes, EveryPairOfTypes) {
  one_type<std::int8_t, std::int8_t, TypeParam>();
  one_type<bool, std::int8_t, TypeParam>();
}

TYPED_TEST(StencilBytes, FactorsOfAnySize) {
  factors_of_any_size<std::int8_t, std::int8_t, TypeParam>();
}

}  // namespace
