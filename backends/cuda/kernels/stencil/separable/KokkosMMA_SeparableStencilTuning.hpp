// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>

#include <algorithm>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Tuning of the kernel in KokkosMMA_SeparableStencil.hpp.
struct SeparableTuning {
  int sums_per_thread;  ///< adjacent sums of a row
  int threads;
  int min_blocks;  ///< resident thread blocks per multiprocessor
  int stage_rows;  ///< rows per stage of the ring
  int stages;      ///< in the ring
  int batch;       ///< rows between moves of the sums in FactorSums
  /// Rows that a short row block loads, for radii along the columns up to 2, up
  /// to 4 and above; 0: row blocks are tall. (Not an array: see TuningType.)
  int loaded_rows_2;
  int loaded_rows_4;
  int loaded_rows;

  /// Rows of sums of a short row block; 0: row blocks are tall.
  constexpr int short_block_rows(int radius) const {
    int const loaded = radius <= 2   ? loaded_rows_2
                       : radius <= 4 ? loaded_rows_4
                                     : loaded_rows;
    return loaded > 0 ? loaded - 2 * radius : 0;
  }
};

/// Tuning of kernels for every radius up to MaxRadius. Fraction of a copy
/// kernel's rate in the same run (float 479, double 247 * 10^9 elements per
/// second; H200, 2026-11-21, 16384^2, constants beyond the boundaries):
///
///     float r = 1 0.88, r = 3 0.83 (periodic 0.86, halo 0.86), r = 7 0.61
///     double r = 3 0.89, r = 7 0.71
///     128 threads at r = 1 to 3: float 0.87 and 0.81, double r = 3 0.86
///     float r = 3, stages of 4 rows, 6 of them, batch 4: 0.84 instead of 0.85
///
/// Fraction of the runtime's copy rate (2026-11-23), by the rows of a row
/// block: float r = 1 22 0.97, 26 0.94, 90 0.90; r = 3 18 0.80, 34 0.89, 90
/// 0.89, 130 0.88; r = 8 90 0.54, 258 0.61, tall 0.64; half r = 3 34 0.60, 90
/// 0.67, tall 0.73. With 4 and 6 stages fewer thread blocks are resident: float
/// r = 1 22 0.77 and 0.77.
/// \tparam Result `char` for a functor, which gets sums one by one
template <class Element, class Result, int MaxRadius>
constexpr SeparableTuning any_radius_tuning() {
  constexpr int widest    = int(std::max(sizeof(Element), sizeof(Result)));
  constexpr int narrowest = int(
      std::is_same_v<Result, char> ? sizeof(Element)
                                   : std::min(sizeof(Element), sizeof(Result)));
  // 16 bytes in and out, if there are enough registers.
  constexpr int most    = MaxRadius <= 4      ? 8
                          : MaxRadius <= 8    ? 4
                          : 4 / narrowest > 2 ? 4
                          : widest == 8       ? 1
                                              : 2;
  constexpr int sums    = std::min(16 / widest, most);
  constexpr int threads = MaxRadius <= 4 && sums <= 4 ? 256 : 128;
  return {.sums_per_thread = sums,
          .threads         = threads,
          .min_blocks      = threads == 256 || MaxRadius > 8 ? 2 : 3,
          .stage_rows      = 8,
          .stages          = 3,
          .batch           = 8,
          .loaded_rows_2   = 24,
          .loaded_rows_4   = widest >= 4 ? 96 : 0,
          .loaded_rows     = 0};
}

/// Tuning for grids of one dimension. Threads keep no sums of other rows, which
/// leaves registers for more sums above radius 8: 16 bytes, at most 8 sums.
/// 10^9 sums per second of 2^28 elements at radius 11 and 16 (H200, CUDA 13.0,
/// 2026-11-24; a hand-written kernel has 264 195 for half, 262 192 for float,
/// 137 101 for double):
///
///     half    2 sums 321 272, 8 sums 542 428
///     float   2 sums 355 317, 4 sums 422 375
///     double  1 sum  125 117, 2 sums 197 192
///     uint8   4 sums 414 313, 8 sums 463 351
template <class Element, class Result, int MaxRadius>
constexpr SeparableTuning linear_tuning() {
  auto tuning = any_radius_tuning<Element, Result, MaxRadius>();
  if (MaxRadius > 8)
    tuning.sums_per_thread =
        std::min(16 / int(std::max(sizeof(Element), sizeof(Result))), 8);
  return tuning;
}

/// Sums of a row per thread in kernels of one radius.
template <class Element, class Result>
inline constexpr int sums_at_once =
    std::min(16 / int(std::max(sizeof(Element), sizeof(Result))), 8);

/// Tuning of kernels of one radius, 1 to 7. A stage has as many rows as the
/// box. Most or all stages of a short row block are in flight at once.
struct RadiusTable {
  int stages[7];        ///< in the ring
  int block_stages[7];  ///< per short row block
  int min_blocks[7] = {3, 3, 3, 3, 3, 3, 3};
  int threads[7]    = {128, 128, 128, 128, 128, 128, 128};
};

/// Box filters. Fraction of the runtime's copy rate by rows of a row block
/// (float, H200, CUDA 13.0, 2026-11-23, 16384^2, constants beyond the
/// boundaries, rows aligned to 16 bytes, and the values of the table, unless
/// stated otherwise):
///
///     r = 1  16 0.97, 28 0.95, 46 0.93, 512 0.87; 64 threads 16 0.97
///     r = 3  15 0.95, 22 0.96, 36 0.94, 50 0.91; 64 threads 22 0.96
///     r = 7  31 0.91, 46 0.95, 61 0.92, 121 0.90; 2 stages 31 0.93, 46 0.87
///     double r = 7  76 0.92 (64 threads); 128 threads 76 0.92, 46 0.88
///     half r = 7    31 0.90; 3 stages 31 0.79, 61 0.89
///     unaligned rows
///            r = 7  31 0.91, 46 0.85; 3 stages 46 0.88
///     half r = 3    22 0.91, 36 0.88; 4 stages 0.82; 3 blocks 0.82
///     half r = 7    61 0.63, and spills: no kernel
///
/// Indices: [rows are aligned][elements of 2, 4, 8 bytes]
inline constexpr RadiusTable box_tables[2][3] = {
    {{.stages       = {8, 4, 3, 3, 2, 2, 2},
      .block_stages = {6, 4, 4, 6, 7, 6, 5},
      .min_blocks   = {3, 4, 4, 4, 3, 3, 3}},
     {.stages = {8, 6, 4, 4, 3, 3, 2}, .block_stages = {6, 5, 4, 4, 3, 6, 3}},
     {.stages       = {8, 6, 4, 4, 3, 3, 3},
      .block_stages = {6, 5, 4, 4, 3, 5, 6},
      .min_blocks   = {3, 3, 3, 3, 3, 3, 4},
      .threads      = {128, 128, 128, 128, 128, 128, 64}}},
    {{.stages       = {8, 6, 4, 4, 3, 3, 2},
      .block_stages = {6, 5, 4, 4, 3, 4, 3},
      .min_blocks   = {3, 3, 3, 3, 3, 4, 3},
      .threads      = {128, 128, 128, 128, 128, 64, 128}},
     {.stages = {8, 6, 4, 4, 3, 3, 3}, .block_stages = {6, 5, 4, 4, 3, 4, 4}},
     {.stages       = {8, 6, 4, 4, 3, 3, 3},
      .block_stages = {6, 5, 4, 4, 4, 5, 6},
      .min_blocks   = {3, 3, 3, 3, 3, 3, 4},
      .threads      = {128, 128, 128, 128, 128, 128, 64}}}};

/// Factors of one radius, measured like the box filters:
///     r = 5         23 0.91, 45 0.91; 2 stages 34 0.87
///     r = 7         121 0.88, 46 0.87; 3 stages 46 0.80; stages of 5 rows 0.87
///     double r = 7  76 0.91; 2 stages 121 0.90; stages of 5 rows 0.89
///     half r = 3    22 0.90, 36 0.89, 64 0.88; 4 stages 0.83
///     unaligned rows
///            r = 6  118 0.83, 66 0.76, 40 0.67
///            r = 7  121 0.71, 46 0.61
inline constexpr RadiusTable factor_tables[2][3] = {
    {{.stages       = {8, 3, 3, 3, 2, 2, 2},
      .block_stages = {6, 6, 10, 12, 7, 6, 5},
      .min_blocks   = {3, 4, 4, 4, 3, 3, 3}},
     {.stages = {8, 6, 4, 4, 3, 2, 2}, .block_stages = {6, 5, 4, 4, 5, 10, 9}},
     {.stages = {8, 6, 4, 4, 3, 3, 2}, .block_stages = {6, 5, 4, 4, 5, 5, 9}}},
    {{.stages       = {8, 4, 3, 3, 2, 2, 2},
      .block_stages = {6, 4, 4, 12, 7, 6, 5},
      .min_blocks   = {3, 4, 4, 4, 3, 3, 3}},
     {.stages = {8, 6, 4, 4, 3, 2, 2}, .block_stages = {6, 5, 4, 4, 3, 3, 9}},
     {.stages       = {8, 6, 4, 4, 3, 3, 3},
      .block_stages = {6, 5, 4, 4, 5, 5, 6},
      .min_blocks   = {3, 3, 3, 3, 3, 3, 4},
      .threads      = {128, 128, 128, 128, 128, 128, 64}}}};

/// \tparam Box a box filter, not factors
/// \tparam Aligned rows are aligned to 16 bytes
template <class Element, class Result, int Radius, bool Box, bool Aligned>
constexpr SeparableTuning one_radius_tuning() {
  constexpr int widest = int(std::max(sizeof(Element), sizeof(Result)));
  constexpr int size   = widest == 8 ? 2 : widest == 4 ? 1 : 0;
  constexpr RadiusTable table =
      (Box ? box_tables : factor_tables)[Aligned][size];
  constexpr int r    = Radius - 1;
  constexpr int rows = 2 * Radius + 1;
  constexpr int load = table.block_stages[r] * rows;
  return {.sums_per_thread = sums_at_once<Element, Result>,
          .threads         = table.threads[r],
          .min_blocks      = table.min_blocks[r],
          .stage_rows      = rows,
          .stages          = table.stages[r],
          .batch           = 8,
          .loaded_rows_2   = load,
          .loaded_rows_4   = load,
          .loaded_rows     = load};
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
