// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_TUNING_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_TUNING_HPP

#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencilTuning.hpp>

namespace KokkosMMA::Impl::Cuda {

/// A block is a warp: rows of planes are short, and of wide strips many lanes
/// have no columns. 10^9 sums per second, 640^3, radius 3, constants and ghost
/// cells, with 128, 64 and 32 threads: float 198, 223, 222 and 131, 161, 182;
/// half 235, 263, 278 and 155, 191, 225. Radius 16: float 65, 69, 67 (H200,
/// CUDA 13.0, 2026-11-24).
template <class A, class Element, int MaxRadius, bool Aligned>
struct WithinPlanesTuning : SeparableTuning<A, Element, A, MaxRadius> {
  using Base                      = SeparableTuning<A, Element, A, MaxRadius>;
  static constexpr int threads    = MaxRadius <= 8 ? 32 : 64;
  static constexpr int min_blocks = (MaxRadius <= 4   ? 512
                                     : MaxRadius <= 8 ? 384
                                                      : 256) /
                                    threads;
  // Bytes anywhere spill unless a batch is a whole stage of 16 rows. (Where
  // they begin with lines that costs much: 35 instead of 57.)
  static constexpr bool is_large  = MaxRadius > 8 && Base::V > 2 && !Aligned;
  static constexpr int stage_rows = is_large ? 16 : Base::stage_rows;
  static constexpr int stages     = is_large ? 2 : Base::stages;
  static constexpr int batch      = is_large ? 16 : Base::batch;
};

/// Of both directions the same radius. With kernels of any radius, constants
/// and ghost cells, float: r = 3 222 and 182, here 234 and 222; r = 5 151 and
/// 118, here 197 and 174; r = 7 133 and 108, here 175 and 134. By the stages of
/// a piece:
///
/// |             |   4 |   8 |  16 |             |   4 |   8 |  16 |
/// |-------------|----:|----:|----:|-------------|----:|----:|----:|
/// | float r = 3 | 234 | 225 | 221 | uint8 r = 3 | 322 | 344 | 330 |
/// | float r = 5 | 198 | 195 | 192 | half r = 5  | 219 | 234 | 231 |
/// | float r = 7 | 148 | 161 | 175 | half r = 7  | 148 | 161 | 180 |
/// | ghost r = 5 | 159 | 174 | 182 | half r = 3  | 307 | 297 | 288 |
///
/// A third stage at r = 7: float 148 instead of 161.
template <class A, class Element, int Radius>
struct WithinPlanesOfRadius : WithinPlanesTuning<A, Element, Radius, true> {
  static constexpr int stage_rows = 2 * Radius + 1;
  static constexpr int stages     = Radius <= 2 ? 4 : Radius <= 4 ? 3 : 2;
  static constexpr int low_piece_rows(int) {
    constexpr int of_piece = Radius >= 5                           ? 16
                             : Radius == 4 || sizeof(Element) == 1 ? 8
                                                                   : 4;
    return of_piece * stage_rows - 2 * Radius;
  }
};

/// Float and uint8 of radius 5, then 7, by what a lane reads at once, threads,
/// blocks of a multiprocessor, batch:
///
/// |                    |   float |   uint8 |
/// |--------------------|--------:|--------:|
/// | 16 bytes 192, 2, 4 | 192 175 | 230 158 |
/// | 16 bytes 128, 3, 8 | 206 187 | 255 169 |
/// | 16 bytes 128, 3, 6 | 201 183 | 246 166 |
/// | 8 bytes 256, 3, 8  | 208 189 | 225 155 |
/// | 8 bytes 256, 2, 8  | 192 176 | 204 146 |
///
/// Up to radius 4, half, 4 and 8 planes of a batch: 216 and 225 at radius 3.
template <class A, int MaxRadius>
struct PlaneSumsTuning {
  static constexpr int V          = (MaxRadius <= 8 ? 16 : 8) / int(sizeof(A));
  static constexpr int threads    = MaxRadius <= 4   ? 256
                                    : MaxRadius <= 8 ? 128
                                                     : 192;
  static constexpr int warps      = threads / 32;
  static constexpr int min_blocks = MaxRadius == 8 ? 3 : 2;
  static constexpr int batch      = 8;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
