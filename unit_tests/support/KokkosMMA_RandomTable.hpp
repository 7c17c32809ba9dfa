// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_RANDOM_TABLE_HPP
#define KOKKOSMMA_RANDOM_TABLE_HPP

#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <KokkosMMA_Random.hpp>

namespace KokkosMMA::Testing {

/// A table that a file may hold: every value is one that its entry allows, its
/// ends more often than others.
inline Impl::TuningTable random_table(Random& random) {
  Impl::TuningTable table;
  for (Impl::TuningEntry const& entry : Impl::tuning_entries) {
    int& value              = table.*entry.value;
    std::int64_t const kind = random.integer(0, 9);
    if (entry.or_never && kind <= 1) {
      value = Impl::never;
      continue;
    }
    // Small values as often as large ones.
    std::int64_t const span = (entry.most - entry.least) >>
                              random.integer(0, entry.most > 64 ? 12 : 0);
    value = kind == 2   ? entry.least
            : kind == 3 ? entry.most
                        : int(entry.least + random.integer(0, span));
  }
  return table;
}

}  // namespace KokkosMMA::Testing

#endif
