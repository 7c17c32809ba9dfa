// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scan/Perf_Scan.hpp"

namespace perf {

void register_half_types(ScanTests& tests) {
  if constexpr (has_half) {
    tests.register_type<half_type>();
  }
  if constexpr (has_bhalf) {
    tests.register_type<bhalf_type>();
  }
}

}  // namespace perf
