// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_RUNS_GENERIC_HPP
#define KOKKOSMMA_RUNS_GENERIC_HPP

#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>
#include <core/base/KokkosMMA_Combine.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Functors that count and find runs of equal neighbouring keys and that scan
/// within runs, on every backend.

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

/// Combination of elements since the last begin of a run among them.
template <class Accumulator>
struct ScannedOfRun {
  Accumulator value;
  // Whether one begins. As wide as the value: with a bool and padding
  // streamed_scan spills 110 bytes of registers (CUDA 13.0, sm_90, float).
  std::conditional_t<sizeof(Accumulator) == 8, std::uint64_t, std::uint32_t>
      starts;
};

/// Scan of x into y that restarts with each run: an ordinary functor of
/// Kokkos::parallel_scan, whose value carries whether a run begins in it.
template <Operation Op, class Accumulator, bool Inclusive, class Keys, class X,
          class Y>
struct ScanRuns {
  using kokkosmma_functor        = void;
  using kokkosmma_joins_in_order = void;
  using kokkosmma_kept_in        = Accumulator;
  using value_type               = ScannedOfRun<Accumulator>;
  Keys keys;
  X x;
  Y y;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, value_type& update,
                                              bool final) const {
    if (starts_run(keys, i)) update = {Combine<Op, Accumulator>::identity(), 1};
    // Read before y(i) is written, which may be the same element.
    auto const value = static_cast<Accumulator>(x(i));
    if constexpr (!Inclusive) {
      if (final) write(i, update.value);
    }
    update.value = Combine<Op, Accumulator>::apply(update.value, value);
    if constexpr (Inclusive) {
      if (final) write(i, update.value);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void init(value_type& value) const {
    value = {Combine<Op, Accumulator>::identity(), 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(value_type& into,
                                        value_type const& from) const {
    into.value = from.starts
                     ? from.value
                     : Combine<Op, Accumulator>::apply(into.value, from.value);
    into.starts |= from.starts;
  }

 private:
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void write(Index i,
                                         Accumulator const& value) const {
    y(i) = result_of<Op, typename Y::non_const_value_type>(value);
  }
};

}  // namespace KokkosMMA::Impl

#endif
