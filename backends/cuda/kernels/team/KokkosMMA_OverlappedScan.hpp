// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_OVERLAPPED_SCAN_HPP
#define KOKKOSMMA_CUDA_OVERLAPPED_SCAN_HPP

#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>

#include <type_traits>

/// \file
/// Scan over the lanes of a vector inside a team kernel. Several rounds of one
/// index per lane are in flight: their invocations and shuffles overlap.

namespace KokkosMMA::Impl::Cuda {

/// Lanes of a vector in their warp.
struct VectorLanes {
  unsigned lane;   ///< of the caller
  unsigned lanes;  ///< a power of two, 32 at most
  unsigned mask;   ///< of all lanes of the vector in the warp
};

/// Scans `Rounds` rounds of `lanes` indices from `base` on, of which `left`
/// exist. The joins are those of one round after the other in Kokkos' own scan,
/// so the sums are bitwise identical: a lane starts with the index before its
/// own, the lanes are scanned, the sum of earlier rounds is added, and the
/// closure adds the lane's own index in its final invocation.
template <unsigned Rounds, class Closure, class Join, class T>
__device__ void overlapped_scan_rounds(unsigned base, unsigned left,
                                       VectorLanes const& vector,
                                       Closure const& closure, Join const& join,
                                       T const& identity, T& carry) {
  T value[Rounds];
#pragma unroll
  for (unsigned k = 0; k < Rounds; ++k) {
    unsigned const before = k * vector.lanes + vector.lane - 1;
    value[k]              = identity;
    if (vector.lane > 0 && before < left)
      closure(int(base + before), value[k], false);
  }
  for (unsigned step = 1; step < vector.lanes; step *= 2) {
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k) {
      T const other =
          __shfl_up_sync(vector.mask, value[k], step, int(vector.lanes));
      if (vector.lane >= step) join(value[k], other);
    }
  }
  // Otherwise the addresses stay in registers for the final invocations.
  if constexpr (Rounds > 1) {
    Opaque::hide(base);
  }
#pragma unroll
  for (unsigned k = 0; k < Rounds; ++k) {
    unsigned const first = k * vector.lanes;
    if (k > 0 && first >= left) return;
    unsigned const own = first + vector.lane;
    join(value[k], carry);
    // As from Kokkos' loop: an lvalue here, an rvalue above.
    if (int i = int(base + own); own < left) closure(i, value[k], true);
    carry = __shfl_sync(vector.mask, value[k], int(vector.lanes) - 1,
                        int(vector.lanes));
  }
}

/// Scans [0, end) with all lanes of a vector. Indices are of type int, like
/// those of Kokkos' own loop. Time of Kokkos over time with 2, 3 and 4 rounds:
/// 32 floats by 32 lanes 1.05 0.99 0.99, 256 floats 1.04 0.99 1.07, 2048
/// doubles by 8 lanes 1.20 1.13 1.31; 32, 40 registers with 2, 4 (H100,
/// 2026-11-26).
/// \param carry the identity on entry, the sum of all on return
template <unsigned Rounds = 2, class Closure, class Join, class T>
__device__ void overlapped_scan(int end, VectorLanes const& vector,
                                Closure const& closure, Join const& join,
                                T& carry) {
  static_assert(std::is_arithmetic_v<T>);
  T const identity     = carry;
  unsigned const round = Rounds * vector.lanes;
  unsigned base        = 0;
  unsigned left        = end > 0 ? unsigned(end) : 0;
  // A single last round needs the shuffles of one round only.
  while (left > vector.lanes) {
    overlapped_scan_rounds<Rounds>(base, left, vector, closure, join, identity,
                                   carry);
    left = left < round ? 0 : left - round;
    base += round;
  }
  if (left > 0)
    overlapped_scan_rounds<1>(base, left, vector, closure, join, identity,
                              carry);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
