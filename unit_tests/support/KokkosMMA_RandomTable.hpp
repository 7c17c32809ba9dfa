// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_RANDOM_TABLE_HPP
#define KOKKOSMMA_RANDOM_TABLE_HPP

#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <KokkosMMA_Random.hpp>

namespace KokkosMMA::Testing {

/// A table of any values; small limits are as frequent as large ones.
inline Impl::TuningTable random_table(Random& random) {
  auto const flag  = [&] { return int(random.integer(0, 1)); };
  auto const limit = [&](int most) {
    return int(random.integer(0, most >> random.integer(0, 12)));
  };
  Impl::TuningTable table;
  table.reduce_mma_double   = flag();
  table.reduce_mma_int64    = flag();
  table.dot_mma_double      = flag();
  table.tiny_csr_bytes      = limit(8192);
  table.tiny_csr_wide_bytes = limit(8192);
  table.dense_taps_double =
      random.integer(0, 4) == 0 ? Impl::never : limit(1089);
  return table;
}

}  // namespace KokkosMMA::Testing

#endif
