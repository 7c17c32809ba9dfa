// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_Stencil.hpp"

namespace perf {

void register_float_1d(StencilTests& tests) {
  tests.register_stencils<float, 1>();
}

}  // namespace perf
