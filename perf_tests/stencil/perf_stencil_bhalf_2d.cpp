// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_Stencil.hpp"

namespace perf {

void register_bhalf_2d(StencilTests& tests) {
  if constexpr (has_bhalf) {
    tests.register_stencils<bhalf_type, 2>();
  }
}

}  // namespace perf
