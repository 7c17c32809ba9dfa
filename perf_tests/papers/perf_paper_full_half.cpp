// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers/Perf_PaperFull.hpp"

namespace perf {

void register_paper_full_half(PaperTests& tests) {
  if constexpr (has_half) tests.keep<FullTables<half_type>>().register_all();
}

}  // namespace perf
