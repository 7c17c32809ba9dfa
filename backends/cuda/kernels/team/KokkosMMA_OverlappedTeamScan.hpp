// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_OVERLAPPED_TEAM_SCAN_HPP
#define KOKKOSMMA_CUDA_OVERLAPPED_TEAM_SCAN_HPP

#include <type_traits>

/// \file
/// Scan over the threads of a team inside a team kernel. Several rounds of one
/// index per thread are in flight: their invocations and joins overlap.

namespace KokkosMMA::Impl::Cuda {

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
/// spread_tree() joins the other lanes, from the largest step down. `place` is
/// the position of a lane in the tree.
template <unsigned Rounds, class T>
__device__ void scan_tree(T (&value)[Rounds], unsigned lane, unsigned place,
                          unsigned mask, unsigned lanes) {
  for (unsigned step = 1; step < lanes; step *= 2) {
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k) {
      T const other = __shfl_up_sync(mask, value[k], step);
      if ((place + 1) % (2 * step) == 0 && lane >= step) value[k] += other;
    }
  }
}
template <unsigned Rounds, class T>
__device__ void spread_tree(T (&value)[Rounds], unsigned lane, unsigned place,
                            unsigned mask, unsigned step) {
  for (; step > 0; step /= 2) {
#pragma unroll
    for (unsigned k = 0; k < Rounds; ++k) {
      T const other = __shfl_up_sync(mask, value[k], step);
      if ((place + 1) % (2 * step) == step && lane >= step) value[k] += other;
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
  unsigned const mask = team.mask(), place = lane + team.shift();
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
  scan_tree(value, lane, place, mask, 32);
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
  spread_tree(value, lane, place, mask, 8);
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
      overlapped_team_scan_rounds<1>(team, own, end, 1, closure, shared, carry);
    else
      overlapped_team_scan_rounds<Rounds>(team, own, end, rounds, closure,
                                          shared, carry);
    own += size * static_cast<Wide>(rounds);
    left -= static_cast<Wide>(rounds);
  }
  return carry;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
