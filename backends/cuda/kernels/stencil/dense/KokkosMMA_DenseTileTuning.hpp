// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_TILE_TUNING_HPP
#define KOKKOSMMA_CUDA_DENSE_TILE_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Tuning of the kernel in KokkosMMA_DenseTileStencil.hpp.
struct DenseTileTuning {
  int warps;  ///< per thread block, with 16 columns of sums each
  /// Tiles of 8 rows of sums. Two rows of weights take 336 cycles of shared
  /// memory and 390 of the tensor cores with 8 tiles, 592 and 780 with 16. 12
  /// tiles spill with 128 registers (CUDA 13.0).
  int tiles;
  int min_blocks;  ///< resident thread blocks per multiprocessor
};

/// 320 * 10^9 sums per second at radius 7. With 8 warps, 8 tiles and 2 resident
/// blocks 306; with 8, 16 and 1 287 (H200, 2026-11-22).
inline constexpr DenseTileTuning dense_tile_tuning{
    .warps = 4, .tiles = 8, .min_blocks = 4};

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
