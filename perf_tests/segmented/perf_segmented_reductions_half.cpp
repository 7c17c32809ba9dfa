// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "segmented/Perf_Segmented.hpp"

namespace perf {

void register_half_reductions(SegmentedTests& tests) {
  if constexpr (has_half) {
    tests.register_reductions<half_type>();
  }
}

}  // namespace perf
