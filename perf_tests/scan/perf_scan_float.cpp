// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scan/Perf_Scan.hpp"

namespace perf {

void register_float(ScanTests& tests) { tests.register_type<float>(); }

}  // namespace perf
