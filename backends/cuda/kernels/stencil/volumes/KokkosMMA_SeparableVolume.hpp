// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableEpilogue.hpp>
#include <backends/cuda/kernels/stencil/volumes/KokkosMMA_SeparableVolumeTuning.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

/// \file
/// Kernel of the second pass of separable stencils of three dimensions, which
/// sums along the planes. In the first pass, the kernels of two dimensions
/// write the sums within each plane to workspace. Both passes are memory-bound.
/// A single kernel with planes in shared memory computes the halo of each tile
/// again: 126, 46 and 9 instead of 238, 198 and 73 * 10^9 sums per second for
/// floats of radius 3, 7 and 16 (640^3, H200).

namespace KokkosMMA::Impl::Cuda {

template <class A, int MaxRadius>
struct PlaneSumsTask {
  A const* data;
  std::int64_t row_stride;
  std::int64_t plane_stride;
  std::int64_t first;  ///< first plane of the results
  std::int64_t planes, rows, columns;
  std::int64_t block_planes;  ///< planes per thread block
  unsigned blocks;  ///< thread blocks per range of block_planes planes
  unsigned warps_of_row;
  int shift;
  std::int64_t same, last;  ///< see PlaneMemory
  SeparableFactors<A, MaxRadius, false> along_planes;
};

/// Sums along the planes; each lane has V elements of a row.
template <class Tuning, class A, int MaxRadius, bool VectorStores,
          class Epilogue>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    sum_planes(PlaneSumsTask<A, MaxRadius> const task,
               Epilogue const epilogue) {
  constexpr int warps   = Tuning::value.threads / 32;
  constexpr int V       = Tuning::value.sums_per_thread;
  constexpr int batch   = Tuning::value.batch;
  constexpr int bytes   = V * int(sizeof(A));
  constexpr int aligned = bytes < 16 ? bytes : 16;
  __shared__ A of_warps[VectorStores ? 1 : warps]
                       [VectorStores ? 1 : 32 * padded_lane<V>];

  int const lane = int(threadIdx.x % 32);
  int const warp = int(threadIdx.x / 32);
  std::int64_t const warp_row =
      std::int64_t(blockIdx.x % task.blocks) * warps + warp;
  std::int64_t const row = warp_row / task.warps_of_row;
  if (row >= task.rows) return;
  std::int64_t const column =
      (warp_row % task.warps_of_row * 32 + lane) * V - task.shift;
  bool const exists        = column < task.columns;
  std::int64_t const begin = blockIdx.x / task.blocks * task.block_planes;
  std::int64_t const end   = min(begin + task.block_planes, task.planes);
  int const radius         = task.along_planes.radius;
  int const steps          = int(end - begin) + 2 * radius;
  // Outside these steps the same plane is read again.
  int const first_move =
      int(min(max(task.same - begin, std::int64_t(0)), std::int64_t(steps)));
  int const end_of_moves =
      int(min(task.same + task.last - begin, std::int64_t(steps)));
  A const* from =
      task.data + (clamp_to(begin - task.same, task.last) * task.plane_stride +
                   row * task.row_stride + column);

  ColumnSums<A, MaxRadius, V, batch> sums;
  sums.clear();
#pragma unroll 1
  for (int first_step = 0; first_step < steps; first_step += batch) {
    Registers<A, V> planes[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      int const step = first_step + b;
      planes[b]      = {};
      if (exists && step < steps)
        memcpy(
            &planes[b],
            __builtin_assume_aligned(static_cast<void const*>(from), aligned),
            sizeof(planes[b]));
      if (step >= first_move && step < end_of_moves) from += task.plane_stride;
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      int const step = first_step + b;
      sums.push(b, planes[b], task.along_planes);
      if (step >= 2 * radius && step < steps) {
        std::int64_t const at[3] = {task.first + begin + step - 2 * radius, row,
                                    column};
        apply_epilogue<V, VectorStores>(epilogue, at, column, 0, task.columns,
                                        sums.slot[b],
                                        of_warps[VectorStores ? 0 : warp]);
      }
    }
    sums.next_batch();
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
