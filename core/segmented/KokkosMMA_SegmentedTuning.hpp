// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_TUNING_HPP
#define KOKKOSMMA_SEGMENTED_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>

#include <cstdint>

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

/// Rows up to this size use normal loads, longer ones bypass the caches:
/// results of short rows are an eighth of the traffic or more. Halves, segments
/// of 8, 16, 32, 64, 256, 1024: cached 4083, 4208, 4141, 4086, 4133, 4193;
/// bypassing 3871, 4038, 4080, 4279, 4353, 4325.
inline constexpr std::uint64_t kept_bytes = 64;

/// Whether equal segments are summed one per thread, if their length is no
/// power of two of vectors. 2^28 elements, one per thread and in staged tiles:
///
/// | segment | half      | float     | double    |
/// |---------|-----------|-----------|-----------|
/// | 3       | 2271 3225 | 3428 3551 | 4350      |
/// | 5       | 2868 2908 | 4031 3816 | 4000      |
/// | 7       | 3396 3235 | 4334 3656 | 3725      |
/// | 9       | 3741 3431 | 4368 3859 | 4002 3821 |
/// | 12      | 3937 3649 | 4354 3738 | 4068 3715 |
/// | 15      | 3915 3609 | 4086 3861 | 3087 3872 |
/// | 17      | 3614 3474 | 3901 3704 | 3280 3738 |
/// | 31      | 2832 3661 | 3161 3837 | 2425 3785 |
///
/// From 9 elements on, the first figure is a thread per segment in plain
/// Kokkos. One-byte elements, 9, 12, 15, 17: 2624, 3200, 3220, 2570 and 2396,
/// 2852, 2638, 2633.
constexpr bool segments_are_tiny(std::uint64_t elements, std::uint64_t bytes) {
  return elements <= 17 && bytes <= 96 && (elements >= 7 || bytes > 12);
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl

#endif
