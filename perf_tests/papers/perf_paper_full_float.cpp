// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers/Perf_PaperFull.hpp"

namespace perf {

void register_paper_full_float(PaperTests& tests) {
  tests.keep<FullTables<float>>().register_all();
}

}  // namespace perf
