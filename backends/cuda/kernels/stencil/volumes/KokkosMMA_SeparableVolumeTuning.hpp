// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_TUNING_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilTuning.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// A thread block is one warp: rows of planes are short, and in wide panels
/// many lanes have no columns. 10^9 sums per second with 128, 64 and 32 threads
/// at radius 3, 640^3, constants and ghost cells: float 198, 223, 222 and 131,
/// 161, 182; half 235, 263, 278 and 155, 191, 225. Radius 16: float 65, 69, 67
/// (H200, CUDA 13.0, 2026-11-24).
/// \tparam Aligned rows are aligned to 16 bytes
template <class A, class Element, int MaxRadius, bool Aligned>
constexpr SeparableTuning within_planes_tuning() {
  auto tuning    = any_radius_tuning<Element, A, MaxRadius>();
  tuning.threads = MaxRadius <= 8 ? 32 : 64;
  // About as many threads per multiprocessor as in two dimensions.
  tuning.min_blocks = (MaxRadius <= 4   ? 512
                       : MaxRadius <= 8 ? 384
                                        : 256) /
                      tuning.threads;
  // Unaligned bytes spill unless a batch is a whole stage of 16 rows. (With
  // aligned rows that costs much: 35 instead of 57.)
  if (MaxRadius > 8 && tuning.sums_per_thread > 2 && !Aligned) {
    tuning.stage_rows = tuning.batch = 16;
    tuning.stages                    = 2;
  }
  return tuning;
}

/// The same radius in both directions. 10^9 sums per second as above, constants
/// and ghost cells, by kernels of any radius and by these: float r = 3 222 182
/// and 234 222, r = 5 151 118 and 197 174, r = 7 133 108 and 175 134. By stages
/// per short row block:
///
/// | stages      |   4 |   8 |  16 | stages      |   4 |   8 |  16 |
/// |-------------|----:|----:|----:|-------------|----:|----:|----:|
/// | float r = 3 | 234 | 225 | 221 | uint8 r = 3 | 322 | 344 | 330 |
/// | float r = 5 | 198 | 195 | 192 | half r = 5  | 219 | 234 | 231 |
/// | float r = 7 | 148 | 161 | 175 | half r = 7  | 148 | 161 | 180 |
/// | ghost r = 5 | 159 | 174 | 182 | half r = 3  | 307 | 297 | 288 |
///
/// With a third stage in the ring at r = 7: float 148 instead of 161.
template <class A, class Element, int Radius>
constexpr SeparableTuning within_planes_one_radius_tuning() {
  auto tuning       = within_planes_tuning<A, Element, Radius, true>();
  tuning.stage_rows = 2 * Radius + 1;
  tuning.stages     = Radius <= 2 ? 4 : Radius <= 4 ? 3 : 2;
  tuning.loaded_rows =
      tuning.stage_rows * (Radius >= 5                           ? 16
                           : Radius == 4 || sizeof(Element) == 1 ? 8
                                                                 : 4);
  tuning.loaded_rows_2 = tuning.loaded_rows_4 = tuning.loaded_rows;
  return tuning;
}

/// Tuning of the sums along planes in KokkosMMA_SeparableVolume.hpp.
struct PlaneSumsTuning {
  int sums_per_thread;  ///< adjacent sums of a row
  int threads;
  int min_blocks;  ///< resident thread blocks per multiprocessor
  int batch;       ///< planes that are loaded at once
};

/// Float and uint8 of radius 5, then 7, 10^9 sums per second as above, by bytes
/// that a lane reads at once, threads, resident blocks and batch:
///
/// | bytes, threads, blocks, batch |   float |   uint8 |
/// |-------------------------------|--------:|--------:|
/// | 16, 192, 2, 4                 | 192 175 | 230 158 |
/// | 16, 128, 3, 8                 | 206 187 | 255 169 |
/// | 16, 128, 3, 6                 | 201 183 | 246 166 |
/// | 8, 256, 3, 8                  | 208 189 | 225 155 |
/// | 8, 256, 2, 8                  | 192 176 | 204 146 |
///
/// Up to radius 4, half with batches of 4 and 8: 216 and 225 at radius 3.
template <class A, int MaxRadius>
constexpr PlaneSumsTuning plane_sums_tuning() {
  return {.sums_per_thread = (MaxRadius <= 8 ? 16 : 8) / int(sizeof(A)),
          .threads         = MaxRadius <= 4   ? 256
                             : MaxRadius <= 8 ? 128
                                              : 192,
          .min_blocks      = MaxRadius == 8 ? 3 : 2,
          .batch           = 8};
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
