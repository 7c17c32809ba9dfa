// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_ROUNDING_HPP
#define KOKKOSMMA_CUDA_EXACT_ROUNDING_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Rounds a sum in limbs in shared memory with one warp; lane 0 returns it.
/// Zero limbs cost only a ballot. The limbs are overwritten.
template <int Limbs>
__device__ std::uint64_t round_by_warp(std::int64_t* limb, int lane,
                                       unsigned flags, bool empty, int lowest,
                                       FloatFormat const& format) {
  int first = Limbs;
  int end   = 0;
  for (int k = 0; k < Limbs; k += 32) {
    unsigned const nonzero =
        __ballot_sync(0xffffffffu, k + lane < Limbs && limb[k + lane] != 0);
    if (nonzero == 0) continue;
    if (first == Limbs) first = k + __ffs(int(nonzero)) - 1;
    // One more, for the carry of the last nonzero limb.
    end = min(k + 33 - countl_zero(nonzero), Limbs);
  }
  __syncwarp();  // all lanes have read the limbs
  return lane == 0 ? round_limbs(limb, first, end, flags, empty, lowest, format)
                   : 0;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
