// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils into 64 bits against a loop on the host.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilLongIntegers);

TYPED_TEST(StencilLongIntegers, EveryPairOfTypes) {
  for_types<Pair<std::int32_t, std::int64_t>, Pair<std::int64_t, std::int64_t>,
            Pair<std::uint64_t, std::uint64_t>>(
      []<class A, class B>(Pair<A, B>) { one_type<A, B, TypeParam>(); });
}

}  // namespace
