// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils into 64 bits against a loop on the host.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilLongIntegers);

TYPED_TEST(StencilLongIntegers, EveryPairOfTypes) {
  one_type<std::int32_t, std::int64_t, TypeParam>();
  one_type<std::int64_t, std::int64_t, TypeParam>();
  one_type<std::uint64_t, std::uint64_t, TypeParam>();
}

}  // namespace
