// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_TUNING_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

namespace KokkosMMA::Impl::Cuda {

/// Tuning of the kernel in KokkosMMA_BandStencil.hpp, per column panel.
struct BandTuning {
  int blocks_per_warp;     ///< adjacent column blocks of sums
  int warps;               ///< per thread block
  int groups_per_stage;    ///< groups of 16 rows per stage of the ring
  int stages;              ///< of the ring
  int min_blocks;          ///< resident thread blocks per multiprocessor
  int row_block;           ///< groups of 16 rows of sums per thread block
  int boundary_row_block;  ///< the same in panels at a boundary: long set-up
};

/// At least half of the warps that fit with 128 registers are resident. Beside
/// each row: us of the kernel only and, after semicolons, of other rows, named
/// by the fields that differ (columns and warps as 2 x 8). Box filters of
/// radius 7 (bytes also 16, floats 11) of 16384^2, zeros beyond the boundaries;
/// a copy takes 130 for bytes and 257 for half (H200, CUDA 13.0, 2026-11-24; *
/// of 2026-11-23, when the weights were loaded before the first rows, which
/// cost 1 to 35 us). With split weights, tensor cores are busy in more than
/// half of all cycles. Cases without a time use the row of the nearest measured
/// case.
/// \param is_unaligned rows of data or results are not aligned to 16 bytes
/// \param has_unaligned_results rows of results are not aligned to 16 bytes
template <class Band>
constexpr BandTuning band_tuning(bool is_unaligned,
                                 bool has_unaligned_results) {
  constexpr bool is_split = Band::Weights::column_operands > 1;
  if constexpr (Band::element == Scalar::float32) {
    if (is_split) return {2, 4, 1, 4, 2, 64, 64};
    return {2, 4, 1, 4, 3, 64, 64};  // 650; min_blocks 2 718; row_block 32 741
  } else if constexpr (Band::columns == 32 && Band::planes > 1) {
    if (Band::is_far) return {2, 8, 2, 4, 1, 16, 16};
    return {1, 8, 2, 4, 2, 15, 15};
  } else if constexpr (Band::columns == 32 && Band::is_far) {
    // 151, unaligned 169; row_block 14 156; 4 x 4, min_blocks 2, row_block 16
    // 154; 2 x 8, 2 groups, min_blocks 1, row_block 16 157
    return {4, 4, 1, 4, 3, 8, 16};
  } else if constexpr (Band::columns == 32) {
    // 153, with the next units loaded while one is used 156, unaligned results
    // 313; row_block 5 160, 299; 2 groups, min_blocks 2, row_block 23 159, 299
    if (is_unaligned) return {4, 4, 1, 4, 3, 7, 23};
    // 142, all units at once 188; row_block 2 153, 4 144, 5 145, 7 146;
    // row_block 7 and min_blocks 2 146, 3 146; 4 x 8, min_blocks 2, row_block 5
    // 143; 2 x 8, min_blocks 2, row_block 7 154, by RowTileStore 162; 2 x 8, 2
    // groups, min_blocks 2, row_block 11 149, by RowTileStore 148; functors 2 x
    // 8, 2 groups, min_blocks 2, row_block 11 686*, 4 x 4 1097*
    return {4, 4, 1, 4, 4, 3, 23};
  } else if constexpr (Band::is_far) {
    if (is_split && is_unaligned) return {2, 8, 2, 4, 1, 64, 64};
    if (is_split) return {2, 4, 1, 4, 2, 64, 64};  // 576*; 2 x 8 632*
    return {4, 4, 1, 4, 2, 64, 64};  // 324; row_block 32 335, 128 322
  } else {
    if (is_split) return {4, 4, 2, 4, 2, 47, 47};  // 373; row_block 31 383
    // Unaligned results: 516; 2 x 8 646
    if (has_unaligned_results) return {4, 4, 2, 4, 2, 23, 23};
    // 335; row_block 15 344; 4 x 4 352; functors 1027*, 4 x 4 1350*
    if (is_unaligned) return {2, 8, 2, 4, 2, 23, 23};
    // 290, by RowTileStore 292; row_block 11 296, 23 293, by RowTileStore 293;
    // 1 group, 8 stages, row_block 7 322; 4 x 4, 1 group, min_blocks 3,
    // row_block 11, by RowTileStore 296; 2 x 4, 1 group, min_blocks 4 302
    return {2, 8, 2, 4, 2, 15, 23};
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
