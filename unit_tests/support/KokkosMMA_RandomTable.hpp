// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_RANDOM_TABLE_HPP
#define KOKKOSMMA_RANDOM_TABLE_HPP

#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <KokkosMMA_Random.hpp>

namespace KokkosMMA::Testing {

/// A table of any values; small limits are as frequent as large ones.
inline Impl::TuningTable random_table(Random& random) {
  Impl::TuningTable table;
  table.mma_8_bytes    = int(random.integer(0, 1));
  table.tiny_csr_bytes = int(random.integer(0, 8192 >> random.integer(0, 12)));
  return table;
}

}  // namespace KokkosMMA::Testing

#endif
