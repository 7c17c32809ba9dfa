// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_Stencil.hpp"

namespace perf {

void register_double_2d(StencilTests& tests) {
  tests.register_stencils<double, 2>();
}

}  // namespace perf
