// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scan/Perf_Scan.hpp"

namespace perf {

void register_byte_types(ScanTests& tests) {
  tests.register_type<std::int8_t>();
  tests.register_type<std::uint8_t>();
}

}  // namespace perf
