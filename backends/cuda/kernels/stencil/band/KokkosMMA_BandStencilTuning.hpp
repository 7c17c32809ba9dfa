// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Tuning of the kernel in KokkosMMA_BandStencil.hpp, per column panel.
struct BandTuning {
  int blocks_per_warp;     ///< adjacent column blocks of sums
  int warps;               ///< per thread block
  int groups_per_stage;    ///< groups of 16 rows per stage of the ring
  int stages;              ///< of the ring; 8 were slower (table below)
  int min_blocks;          ///< resident thread blocks per multiprocessor
  int row_block;           ///< groups of 16 rows of sums per thread block
  int boundary_row_block;  ///< the same in panels at a boundary: long set-up
};

/// At least half of the warps that fit with 128 registers are resident. Times
/// of the kernels only in us; H200, CUDA 13.0, 2026-11-24, 16384 x 16384
/// elements, box filters, zeros beyond the boundaries. A copy by the runtime
/// takes 130 for bytes and 257 for half. Columns: blocks_per_warp x warps,
/// groups_per_stage, stages, min_blocks, row_block.
///
///     bytes, radius 7     2 x 8, 2, 4, 2, 11   149; RowTileStore results 148
///                         2 x 8, 1, 4, 2,  7   154; RowTileStore 162
///                         4 x 4, 1, 4, 2,  7   146
///                         4 x 4, 1, 4, 3,  7   146
///                         4 x 4, 1, 4, 4,  3   142; all units at once 188
///                         4 x 4, 1, 4, 4,  2   153
///                         4 x 4, 1, 4, 4,  4   144;  5 145;  7 146
///                         4 x 8, 1, 4, 2,  5   143
///      unaligned rows     4 x 4, 2, 4, 2, 23   159
///                         4 x 4, 1, 4, 3,  5   160;  7 153; next units 156
///      and results        4 x 4, 2, 4, 2, 23   299
///                         4 x 4, 1, 4, 3,  5   299;  7 313
///      radius 16          2 x 8, 2, 4, 1, 16   157
///                         4 x 4, 1, 4, 2, 16   154
///                         4 x 4, 1, 4, 3,  8   151; 14 156; unaligned 169
///     half, radius 7      2 x 8, 2, 4, 2, 23   293; RowTileStore 293
///                         2 x 8, 2, 4, 2, 15   290; RowTileStore 292
///                         2 x 8, 2, 4, 2, 11   296
///                         2 x 8, 1, 8, 2,  7   322
///                         4 x 4, 1, 4, 3, 11   RowTileStore 296
///                         2 x 4, 1, 4, 4, 15   302
///      unaligned rows     2 x 8, 2, 4, 2, 23   335; 15 344
///                         4 x 4, 2, 4, 2, 23   352
///      and results        2 x 8, 2, 4, 2, 23   646; 4 x 4 516
///      radius 16          4 x 4, 1, 4, 2, 64   324; 32 335, 128 322
///      split weights, 7   4 x 4, 2, 4, 2, 47   373; 31 383
///     float, radius 11    2 x 4, 1, 4, 2, 64   718
///                         2 x 4, 1, 4, 3, 64   650; 32 741
///
/// 2026-11-23, when weights were still loaded one by one before the first rows,
/// which cost 1 to 35 us:
///
///     half, split, 16     2 x 4, 1, 4, 2, 64   576; 2 x 8 632
///     functors, half      2 x 8, 2, 4, 2, 23   1027; 4 x 4 1350
///              bytes      2 x 8, 2, 4, 2, 11   686; 4 x 4 1097
///
/// With split weights, tensor cores are busy in more than half of all cycles.
/// Cases without a row use the values of the nearest measured case.
/// \param is_unaligned rows of data or results are not aligned to 16 bytes
/// \param has_unaligned_results rows of results are not aligned to 16 bytes
template <class Band>
constexpr BandTuning band_tuning(bool is_unaligned,
                                 bool has_unaligned_results) {
  constexpr bool is_split = Band::Weights::column_operands > 1;
  if constexpr (Band::element == Scalar::float32) {
    return {.blocks_per_warp    = 2,
            .warps              = 4,
            .groups_per_stage   = 1,
            .stages             = 4,
            .min_blocks         = is_split ? 2 : 3,
            .row_block          = 64,
            .boundary_row_block = 64};
  } else if constexpr (Band::columns == 32 && Band::planes > 1) {
    return {.blocks_per_warp    = Band::is_far ? 2 : 1,
            .warps              = 8,
            .groups_per_stage   = 2,
            .stages             = 4,
            .min_blocks         = Band::is_far ? 1 : 2,
            .row_block          = Band::is_far ? 16 : 15,
            .boundary_row_block = Band::is_far ? 16 : 15};
  } else if constexpr (Band::columns == 32 && Band::is_far) {
    return {.blocks_per_warp    = 4,
            .warps              = 4,
            .groups_per_stage   = 1,
            .stages             = 4,
            .min_blocks         = 3,
            .row_block          = 8,
            .boundary_row_block = 16};
  } else if constexpr (Band::columns == 32) {
    return {.blocks_per_warp    = 4,
            .warps              = 4,
            .groups_per_stage   = 1,
            .stages             = 4,
            .min_blocks         = is_unaligned ? 3 : 4,
            .row_block          = is_unaligned ? 7 : 3,
            .boundary_row_block = 23};
  } else if constexpr (Band::is_far) {
    if (is_split && is_unaligned)
      return {.blocks_per_warp    = 2,
              .warps              = 8,
              .groups_per_stage   = 2,
              .stages             = 4,
              .min_blocks         = 1,
              .row_block          = 64,
              .boundary_row_block = 64};
    return {.blocks_per_warp    = is_split ? 2 : 4,
            .warps              = 4,
            .groups_per_stage   = 1,
            .stages             = 4,
            .min_blocks         = 2,
            .row_block          = 64,
            .boundary_row_block = 64};
  } else {
    bool const is_square = is_split || has_unaligned_results;
    return {.blocks_per_warp    = is_square ? 4 : 2,
            .warps              = is_square ? 4 : 8,
            .groups_per_stage   = 2,
            .stages             = 4,
            .min_blocks         = 2,
            .row_block          = is_split       ? 47
                                  : is_unaligned ? 23
                                                 : 15,
            .boundary_row_block = is_split ? 47 : 23};
  }
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
