// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEGMENT_SCAN_TUNING_HPP
#define KOKKOSMMA_CUDA_SEGMENT_SCAN_TUNING_HPP

/// \file
/// Launch shapes of segmented scans. GB/s read plus written: H200, CUDA 13.0,
/// 2026-11-21, 2^28 elements, copy 4223.

namespace KokkosMMA::Impl::Cuda {

struct SegmentScanTuning {
  int threads;     ///< loading threads per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int rows;        ///< of 32 vectors that a warp loads at once
};

/// Shape of warps that each scan whole segments of one length. Segments of 32
/// and of 16384:
///
/// | threads x blocks, rows | float     | half -> float |
/// |------------------------|-----------|---------------|
/// | 256 x 4, 8: this       | 3987 3786 | 4005 3713     |
/// | 128 x 8, 8             | 3970 3790 | 4019 3702     |
/// | 256 x 6, 4             | 3994 3718 | 4027 3618     |
/// | 256 x 3, 16            | 3429 3311 | 3967 3725     |
/// | 256 x 5, 8 (spills)    | 3288 3244 | 4002 3687     |
///
/// Four batches per warp instead of one: 3944 and 3826 for segments of 32.
/// Exclusive scans of vectors of 16 bytes spill with 8 rows, and with 7. No
/// designators: nvcc 12.4 aborts over them in a variable template.
template <class Scan>
inline constexpr SegmentScanTuning segment_walk_tuning{
    256, 4, Scan::bytes == 16 && !Scan::inclusive ? 6 : 8};

/// Shape of the pipeline of tiles.
///
/// | threads x blocks, rows      | 224 x 3, 8 | 256 x 3, 8 | 192 x 4, 8 |
/// |-----------------------------|------------|------------|------------|
/// | float, segments of 2^20     | 3701       | 3624       | 3611       |
/// | half -> float, of 2^20      | 3356       | 3481       | 3458       |
/// | float, CSR, mean 16         | 2644       | 2533       | 2603       |
/// | half -> float, CSR          | 2329       | 2278       | 2327       |
///
/// Slower: 256 x 4, 4 rows (3521, 3094), 480 x 2, 4 rows (3621, 3006). Floats
/// in CSR segments: 2645 with 256 x 3, 6 rows, which do not spill; 8 rows do.
/// Exclusive scans of floats have 8 bytes in local memory with 8 rows.
template <class Scan, bool Equal>
inline constexpr SegmentScanTuning segment_pipeline_tuning{
    Scan::bytes == 16 && Equal ? 224 : 256, 3,
    Scan::bytes != 16 ? 8
    : !Equal          ? 6
    : Scan::inclusive ? 8
                      : 7};

}  // namespace KokkosMMA::Impl::Cuda

#endif
