// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "segmented/Perf_Segmented.hpp"

namespace perf {

void register_bhalf_reductions(SegmentedTests& tests) {
  if constexpr (has_bhalf) {
    tests.register_reductions<bhalf_type>();
  }
}

}  // namespace perf
