// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_OVERLAPPED_SCAN_HPP
#define KOKKOSMMA_CUDA_OVERLAPPED_SCAN_HPP

#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>

#include <type_traits>

/// \file
/// Scans over the lanes of a vector, and over the threads of a team, inside a
/// team kernel. Several rounds of one index per lane are in flight: their
/// invocations and joins overlap.

namespace KokkosMMA::Impl::Cuda {

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
    Cuda::overlapped_scan_rounds<Rounds>(base, left, vector, closure, join,
                                         identity, carry);
    left = left < round ? 0 : left - round;
    base += round;
  }
  if (left > 0)
    Cuda::overlapped_scan_rounds<1>(base, left, vector, closure, join, identity,
                                    carry);
}

/// Team of one lane per thread: whole warps, or a part of one.
struct ScanTeam {
  unsigned rank;  ///< of the caller
  unsigned size;

  __device__ bool takes() const { return size <= 32 || size % 32 == 0; }
  __device__ unsigned lane() const { return rank % 32; }
  __device__ unsigned warp() const { return rank / 32; }
  __device__ unsigned warps() const { return (size + 31) / 32; }
  __device__ unsigned mask() const {
    return size >= 32 ? ~0u : (1u << size) - 1;
  }
  /// Offset that moves Kokkos' tree over less than a warp to the end of the
  /// tree of the next power of two.
  __device__ unsigned shift() const {
    unsigned ceil = 1;
    while (ceil < size && ceil < 32) ceil *= 2;
    return size < ceil ? ceil - size : 0;
  }
};

/// First half of Kokkos' scan of a block (4.6 to 5.2) over the lanes of a warp,
/// for several values: joins neighbouring pairs, then pairs of these and so on.
/// spread_tree() joins the other lanes, from the largest step down. `position`
/// is the position of a lane in the tree.
template <unsigned Rounds, class T>
__device__ void scan_tree(T (&value)[Rounds], unsigned lane, unsigned position,
                          unsigned mask, unsigned lanes) {
  for (unsigned step = 1; step < lanes; step *= 2) {
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k) {
      T const other = __shfl_up_sync(mask, value[k], step);
      if ((position + 1) % (2 * step) == 0 && lane >= step) value[k] += other;
    }
  }
}
template <unsigned Rounds, class T>
__device__ void spread_tree(T (&value)[Rounds], unsigned lane,
                            unsigned position, unsigned mask, unsigned step) {
  for (; step > 0; step /= 2) {
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k) {
      T const other = __shfl_up_sync(mask, value[k], step);
      if ((position + 1) % (2 * step) == step && lane >= step)
        value[k] += other;
    }
  }
}

/// Scans `Rounds` rounds of one index per thread, of which `rounds` exist;
/// `own` is the caller's first index. `shared` has room for Rounds values of
/// each warp and Rounds more; it was last read before a barrier of all threads.
template <unsigned Rounds, class Wide, class Closure, class T>
__device__ void overlapped_team_scan_rounds(ScanTeam const& team, Wide own,
                                            Wide end, unsigned rounds,
                                            Closure const& closure, T* shared,
                                            T& carry) {
  unsigned const lane = team.lane(), warp = team.warp(), warps = team.warps();
  unsigned const mask = team.mask(), position = lane + team.shift();
  auto const index = [&](unsigned k) {
    return static_cast<Wide>(own + static_cast<Wide>(k * team.size));
  };
  T value[Rounds];
#pragma unroll
  for (unsigned k = 0; k < Rounds; ++k) {
    value[k] = 0;
    if (Wide i = index(k); k < rounds && i < end) closure(i, value[k], false);
  }
  __syncwarp(mask);
  scan_tree(value, lane, position, mask, 32);
  T before[Rounds];
  if (warps > 1) {
    if (lane == 31) {
#pragma unroll
      for (unsigned k = 0; k < Rounds; ++k) shared[k * warps + warp] = value[k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k)
      before[k] = lane < warps ? shared[k * warps + lane] : T(0);
    scan_tree(before, lane, lane, mask, warps);
    spread_tree(before, lane, lane, mask, 8);
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k)
      before[k] = __shfl_sync(mask, before[k], int(warp + 31) % 32);
  }
  spread_tree(value, lane, position, mask, 8);
#pragma unroll
  for (unsigned k = 0; k < Rounds; ++k) {
    value[k] = __shfl_up_sync(mask, value[k], 1);
    if (lane == 0) value[k] = 0;
    if (warps > 1 && warp > 0)
      value[k] = lane == 0 ? before[k] : value[k] + before[k];
  }
#pragma unroll
  for (unsigned k = 0; k < Rounds; ++k) {
    if (k >= rounds) return;
    T sum = carry + value[k];
    if (Wide i = index(k); i < end) closure(i, sum, true);
    if (warps == 1) {
      __syncwarp(mask);
      carry = __shfl_sync(mask, sum, int(team.size) - 1);
    } else {
      T* const last = shared + Rounds * warps + k;
      if (team.rank == team.size - 1) *last = sum;
      __syncthreads();
      carry = *last;
    }
  }
}

/// Scans [begin, end) with all threads of a team. The joins and their order are
/// those of Kokkos (4.6 to 5.2): results are bitwise identical. Kokkos has one
/// round in flight, in shared memory, with five barriers; here two have three.
/// us in Kokkos and with this, rows of 1024 floats: 666 and 477 by teams of 128
/// threads, 771 and 328 by 32; of 64: 1751 and 1737 by 128 (H100, 2026-11-26).
/// \param shared Rounds * (warps + 1) values
/// \return the sum of all
template <unsigned Rounds = 2, class T, class Wide, class Closure>
__device__ T overlapped_team_scan(ScanTeam const& team, Wide begin, Wide end,
                                  Closure const& closure, T* shared) {
  static_assert(std::is_arithmetic_v<T>);
  T carry         = 0;
  Wide const size = static_cast<Wide>(team.size);
  Wide left       = (end - begin + size - 1) / size;
  Wide own        = begin + static_cast<Wide>(team.rank);
  if (team.warps() > 1) __syncthreads();
  while (left > 0) {
    unsigned const rounds = left < Wide(Rounds) ? unsigned(left) : Rounds;
    if (rounds == 1)
      Cuda::overlapped_team_scan_rounds<1>(team, own, end, 1, closure, shared,
                                           carry);
    else
      Cuda::overlapped_team_scan_rounds<Rounds>(team, own, end, rounds, closure,
                                                shared, carry);
    own += size * static_cast<Wide>(rounds);
    left -= static_cast<Wide>(rounds);
  }
  return carry;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
