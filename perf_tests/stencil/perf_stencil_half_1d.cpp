// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_Stencil.hpp"

namespace perf {

void register_half_1d(StencilTests& tests) {
  if constexpr (has_half) {
    tests.register_stencils<half_type, 1>();
  }
}

}  // namespace perf
