// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_Stencil.hpp"

namespace perf {

void register_int32_3d(StencilTests& tests) {
  tests.register_stencils<std::int32_t, 3>();
}

}  // namespace perf
