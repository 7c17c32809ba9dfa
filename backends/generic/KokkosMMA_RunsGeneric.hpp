// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_RUNS_GENERIC_HPP
#define KOKKOSMMA_RUNS_GENERIC_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Functors that count and find runs of equal neighbouring keys, on every
/// backend.

namespace KokkosMMA::Impl {

/// Whether element i is the first of its run. A NaN equals nothing.
template <class Keys, class Index>
KOKKOS_FORCEINLINE_FUNCTION bool starts_run(Keys const& keys, Index i) {
  return i == 0 || !static_cast<bool>(keys(i) == keys(i - 1));
}

/// Counts runs, in a reduction.
template <class Keys>
struct CountRuns {
  using kokkosmma_functor = void;
  Keys keys;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i,
                                              std::int64_t& runs) const {
    runs += starts_run(keys, i);
  }
};

/// Counts runs, and writes their offsets, the end of the last one, and their
/// keys if there is room.
template <class Keys, class UniqueKeys>
struct FindRuns {
  using kokkosmma_functor = void;
  using value_type        = std::int64_t;
  Keys keys;
  UniqueKeys unique_keys;
  std::int64_t* offsets;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, std::int64_t& runs,
                                              bool final) const {
    bool const starts = starts_run(keys, i);
    if (final && starts) {
      offsets[runs] = std::int64_t(i);
      if (std::size_t(runs) < unique_keys.extent(0))
        unique_keys(runs) = keys(i);
    }
    if (starts) ++runs;
    if (final && std::size_t(i) + 1 == keys.extent(0))
      offsets[runs] = std::int64_t(i) + 1;
  }
};

}  // namespace KokkosMMA::Impl

#endif
