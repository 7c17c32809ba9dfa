// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_TUNING_HPP
#define KOKKOSMMA_SEGMENTED_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>

/// \file
/// Constants of reductions of equal segments, with their measurements: one
/// NVIDIA H200, CUDA 13.0, 2026-11-21.

namespace KokkosMMA::Impl {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of a reduction of segments in staged tiles.
struct SegmentedTuning {
  int warps;       ///< per block
  int stages;      ///< tiles per warp: one in use, the others being loaded
  int tile_bytes;  ///< per stage
};

/// GB/s, 2^28 elements:
///
/// | warps, stages, bytes | half 12| 33   | 65   | float 12| 33   | 65   |
/// |----------------------|--------|------|------|---------|------|------|
/// | 8, 2, 4096           | 3568   | 3430 | 3493 | 3716    | 3637 | 3605 |
/// | 8, 2, 2048           | 3091   | 3453 | 2849 | 3649    | 3387 | 3436 |
/// | 8, 3, 4096           | 3184   | 3434 | 3515 | 3827    | 3593 | 3576 |
/// | 4, 4, 4096           | 2613   | 3402 | 3456 | 3569    | 3619 | 3649 |
/// | 4, 2, 8192           | 2938   | 3483 | 3573 | 3868    | 3629 | 3669 |
/// | 8, 2, 8192           | 2141   | 2958 | 3655 | 3922    | 3768 | 3788 |
inline constexpr SegmentedTuning segmented_tuning{
    .warps = 8, .stages = 2, .tile_bytes = 4096};

/// Launch shape of kernels that read segments directly from memory: rows of
/// vectors, and parts of segments longer than a tile.
struct RowSegmentsTuning {
  int threads;              ///< per block
  int min_blocks;           ///< per multiprocessor; caps a thread's registers
  int min_blocks_mma;       ///< for sums on tensor cores
  int min_blocks_extremes;  ///< for minima and maxima
};

/// Sums on tensor cores spill with 4 and 3 blocks, minima and maxima of double
/// with 4.
inline constexpr RowSegmentsTuning row_segments_tuning{
    .threads             = 256,
    .min_blocks          = 4,
    .min_blocks_mma      = 2,
    .min_blocks_extremes = 3};

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl

#endif
