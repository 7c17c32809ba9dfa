// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_HPP
#define KOKKOSMMA_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

/// \file
/// Constants that are compiled into the kernels, with their measurements.
/// Run-time values are in core/routing/KokkosMMA_TuningTable.hpp. Figures
/// without other data: NVIDIA H200, CUDA 13.0, driver 580.159, 2026-11-21, sums
/// of 2^30 elements (double 2^28), GB/s of the input.

namespace KokkosMMA::Impl {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of a scan of visible data.
struct TileScanTuning {
  int threads;     ///< per block, that load
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int tiles;       ///< tiles of 16 rows that a warp sums together
};

/// GB/s read plus written, 2^28 elements (copy 4225):
///
/// | threads x blocks, tiles | float | half | int8 | double |
/// |-------------------------|-------|------|------|--------|
/// | 256 x 3, 4              | 3755  | 3566 | 3460 | 3754   |
/// | 256 x 5, 2              | 3640  | 3586 | 3516 | 3303   |
/// | 256 x 4, 2              |       | 3410 | 3320 | 3526   |
/// | 480 x 2, 2              |       | 3265 | 3170 | 3705   |
/// | 480 x 3, 2              | 3740  | 3560 | 3486 | 3619   |
inline constexpr TileScanTuning tile_scan_tuning{
    .threads = 256, .min_blocks = 3, .tiles = 4};

/// Launch shape of a reduction of visible data on tensor cores.
struct MmaTuning {
  int vectors;       ///< of 16 bytes in flight per thread
  int chain_length;  ///< MMA instructions per flush
  int threads;       ///< per block
  int min_blocks;    ///< per multiprocessor; caps a thread's registers
};

/// Vectors x threads x resident blocks, in GB/s, measured on a draft of the
/// kernel. The kernel itself: half 4493, int8 4449, double 4479, int64 4503 of
/// 4498 (H200, 2026-11-21).
///
/// half:  8 x 512 x 2: 4640 | 4 x 512 x 4: 4640 | 8 x 256 x 5: 4641
/// int8:  8 x 512 x 2: 4640 | 4 x 512 x 4: 4641
/// double (DMMA): 8 x 512 x 2: 4634; scalar additions: 4643
/// int64 (byte columns): 4635
/// Cache hints: a 256-byte L2 prefetch 4219; evict-first and no-allocate no
/// change.
///
/// Two runs (H100, 2026-11-26), which also tried chains of 4 and 16, blocks of
/// 128 and 256 threads, and 1, 3 and 4 blocks of 512 threads, kept these
/// values. The truncation of the tensor cores grows with the chain
/// (unit_tests/support/KokkosMMA_ErrorBound.hpp).
inline constexpr MmaTuning mma_tuning{
    .vectors = 8, .chain_length = 8, .threads = 512, .min_blocks = 2};

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl

#endif
