// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "segmented/Perf_Segmented.hpp"

namespace perf {

void register_float_scans(SegmentedTests& tests) {
  tests.register_scans<float>();
}

}  // namespace perf
