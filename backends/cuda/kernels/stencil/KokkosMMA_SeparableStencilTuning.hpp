// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_TUNING_HPP

#include <algorithm>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// H200, 2026-11-21, 16384^2, constant boundary, part of a copy kernel's rate
/// in the same run (float 479, double 247 GPt/s):
///   float r = 1 0.88, r = 3 0.83 (periodic 0.86, halo 0.86), r = 7 0.61
///   double r = 3 0.89, r = 7 0.71
///   with 128 threads at r = 1 to 3: float 0.87 and 0.81, double r = 3 0.86
///   float r = 3, stages of 4 rows, 6 of them, batch 4: 0.84 instead of 0.85
template <class A, class Element, class Result, int MaxRadius>
struct SeparableTuning {
  static constexpr int widest =
      int(sizeof(Element) > sizeof(Result) ? sizeof(Element) : sizeof(Result));
  // `char` is a functor, which takes elements one by one.
  static constexpr int narrowest =
      int(std::is_same_v<Result, char> || sizeof(Element) < sizeof(Result)
              ? sizeof(Element)
              : sizeof(Result));
  static constexpr int largest = MaxRadius <= 4      ? 8
                                 : MaxRadius <= 8    ? 4
                                 : 4 / narrowest > 2 ? 4
                                 : widest == 8       ? 1
                                                     : 2;
  // 16 bytes in and out, as far as the registers go.
  static constexpr int V       = 16 / widest < largest ? 16 / widest : largest;
  static constexpr int threads = MaxRadius <= 4 && V <= 4 ? 256 : 128;
  static constexpr int min_blocks = threads == 256 || MaxRadius > 8 ? 2 : 3;
  static constexpr int stage_rows = 8;
  static constexpr int stages     = 3;
  static constexpr int batch      = 8;
  /// 0 for high pieces. 2026-11-23, part of the rate of the runtime's copy, by
  /// the rows of a piece: float r = 1 22 0.97, 26 0.94, 90 0.90; r = 3 18 0.80,
  /// 34 0.89, 90 0.89, 130 0.88; r = 8 90 0.54, 258 0.61, high 0.64; half r = 3
  /// 34 0.60, 90 0.67, high 0.73. With 4 and 6 stages fewer blocks are
  /// there at once: float r = 1 22 0.77 and 0.77.
  static constexpr int low_piece_rows(int radius) {
    return radius <= 2                  ? stages * stage_rows - 2 * radius
           : radius <= 4 && widest >= 4 ? 96 - 2 * radius
                                        : 0;
  }
};

/// Lines of one dimension, whose threads keep no sums of rows above, have
/// registers for more sums: 16 bytes, up to 8 of them. 2^28 elements, radius 11
/// and 16, 10^9 sums per second (H200, CUDA 13.0, 2026-11-24; a kernel by hand
/// 264 195, 262 192, 137 101):
///   half    2 sums 321 272, 8 sums 542 428
///   float   2 sums 355 317, 4 sums 422 375
///   double  1 sum  125 117, 2 sums 197 192
///   uint8   4 sums 414 313, 8 sums 463 351
template <class A, class Element, class Result, int MaxRadius>
struct LineTuning : SeparableTuning<A, Element, Result, MaxRadius> {
  using Rows             = SeparableTuning<A, Element, Result, MaxRadius>;
  static constexpr int V = MaxRadius > 8
                               ? (16 / Rows::widest < 8 ? 16 / Rows::widest : 8)
                               : Rows::V;
};

/// Sums of a row that a thread of a kernel of one radius has.
template <class Element, class Result>
inline constexpr int sums_at_once =
    sizeof(Element) == 1
        ? std::max(16 / int(sizeof(Result)), 8)
        : std::min(16 / int(std::max(sizeof(Element), sizeof(Result))), 8);

/// Kernels of one radius, of a box of ones or of factors, where rows begin in
/// lines of 16 bytes or anywhere. A stage is a block of as many rows as the box
/// has; most or all rows of a piece are on their way at once. Part of the rate
/// of the runtime's copy, by the rows of a piece (float, H200, CUDA 13.0,
/// 2026-11-23, 16384^2, constants beyond the boundaries; by the shapes below
/// unless something else is said):
///   r = 1  16 0.97, 28 0.95, 46 0.93, 512 0.87; 64 threads 16 0.97
///   r = 3  15 0.95, 22 0.96, 36 0.94, 50 0.91; 64 threads 22 0.96
///   r = 7  31 0.91, 46 0.95, 61 0.92, 121 0.90; with 2 stages 31 0.93, 46 0.87
/// Doubles and halfs of radius 7, whose arithmetic is slower: 0.92 with pieces
/// of 76 rows and 64 threads, 128 threads 0.92, of 46 rows 0.88; 0.90 with
/// pieces of 31 rows and 2 stages, with 3 of them 0.79, of 61 rows 0.89.
/// Factors:
///   float r = 5   23 0.91, 45 0.91; 2 stages 34 0.87
///   float r = 7   121 0.88, 46 0.87; 3 stages 46 0.80; stages of 5 rows 0.87
///   double r = 7  76 0.91; 2 stages 121 0.90; stages of 5 rows 0.89
///   half r = 3    22 0.90, 36 0.89, 64 0.88; 4 stages 0.83
/// Anywhere, boxes: float r = 7 31 0.91, 46 0.85, 3 stages of 46 0.88; half
/// r = 3 22 0.91, 36 0.88, 4 stages 0.82, 3 blocks 0.82; half r = 7 61 0.63,
/// and spills. Factors: float r = 6 118 0.83, 66 0.76, 40 0.67; float r = 7 121
/// 0.71, 46 0.61.
/// Boxes of bytes, 16 sums of a thread: r = 1 46 0.93; r = 2 21 0.92, 26 0.91
/// with 6 stages, 36 0.83 with 8; r = 3 29 0.92, 22 0.91, 36 0.80 with 6; r = 4
/// 37 0.91, 55 0.84; r = 5 34 0.83, 78 0.81, 4 stages 0.75; r = 6 79 0.72;
/// r = 7 121 0.70, 46 0.69, 31 0.62; 8 sums of a thread 0.53. One sum a word,
/// r = 3 and 7, 0.70 and 0.41.
template <class Element, class Result, int Radius, bool Ones, bool Aligned>
struct RadiusTuning {
  struct Shape {
    int threads;
    int stages;
    int piece;   ///< stages of a piece
    int blocks;  ///< at once on a multiprocessor, as registers go
  };
  // Of radius 1 to 7, of elements of 2 bytes, 4 and 8. Anywhere, 16-bit floats
  // of radius 7 have no kernels.
  static constexpr Shape boxes[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 6, 5, 3}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 4, 4, 3}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 4, 4, 3}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 3, 3}, {128, 3, 3, 3}, {128, 3, 4, 3}},
      {{64, 3, 4, 4}, {128, 3, 4, 3}, {128, 3, 5, 3}},
      {{128, 2, 3, 3}, {128, 3, 4, 3}, {64, 3, 6, 4}}};
  static constexpr Shape boxes_anywhere[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 4, 4, 4}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 3, 4, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 6, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 2, 7, 3}, {128, 3, 3, 3}, {128, 3, 3, 3}},
      {{128, 2, 6, 3}, {128, 3, 6, 3}, {128, 3, 5, 3}},
      {{128, 2, 5, 3}, {128, 2, 3, 3}, {64, 3, 6, 4}}};
  static constexpr Shape factors[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 4, 4, 4}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 3, 4, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 12, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 2, 7, 3}, {128, 3, 3, 3}, {128, 3, 5, 3}},
      {{128, 2, 6, 3}, {128, 2, 3, 3}, {128, 3, 5, 3}},
      {{128, 2, 5, 3}, {128, 2, 9, 3}, {64, 3, 6, 4}}};
  static constexpr Shape factors_anywhere[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 3, 6, 4}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 3, 10, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 12, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 2, 7, 3}, {128, 3, 5, 3}, {128, 3, 5, 3}},
      {{128, 2, 6, 3}, {128, 2, 10, 3}, {128, 3, 5, 3}},
      {{128, 2, 5, 3}, {128, 2, 9, 3}, {128, 2, 9, 3}}};
  // Of bytes, whose sums are two to a word, boxes alone have kernels, anywhere
  // those of radius 1.
  static constexpr Shape bytes[7] = {
      {128, 8, 6, 3}, {128, 5, 5, 4}, {128, 4, 5, 3}, {128, 4, 5, 3},
      {128, 3, 4, 3}, {128, 3, 7, 2}, {128, 3, 9, 2}};
  static constexpr int widest = int(std::max(sizeof(Element), sizeof(Result)));
  static constexpr int size   = widest == 8 ? 2 : widest == 4 ? 1 : 0;
  static constexpr Shape shape =
      sizeof(Element) == 1 ? bytes[Radius - 1]
                           : (Ones      ? Aligned ? boxes : boxes_anywhere
                              : Aligned ? factors
                                        : factors_anywhere)[Radius - 1][size];
  static constexpr int V          = sums_at_once<Element, Result>;
  static constexpr int threads    = shape.threads;
  static constexpr int stage_rows = 2 * Radius + 1;
  static constexpr int stages     = shape.stages;
  static constexpr int min_blocks = shape.blocks;
  static constexpr int low_piece_rows(int) {
    return shape.piece * stage_rows - 2 * Radius;
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
