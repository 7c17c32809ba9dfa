// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableEpilogue.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableVolumeTuning.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

/// \file
/// Outer products of three vectors: the sums within each plane, by the kernels
/// of two dimensions, go into memory of the call, and the sums of those along
/// the planes to the sink. Both passes are bound by memory, where one kernel
/// with planes in shared memory had to sum up a tile's surroundings again.

namespace KokkosMMA::Impl::Cuda {

template <class A, int MaxRadius>
struct PlaneSumsTask {
  A const* data;
  std::int64_t row_stride;
  std::int64_t plane_stride;
  std::int64_t first;  ///< plane of the results
  std::int64_t planes, rows, columns;
  std::int64_t piece;  ///< planes of a block
  unsigned blocks;     ///< that have a piece
  unsigned warps_of_row;
  int shift;
  std::int64_t same, last;  ///< as of PlaneMemory
  SeparableFactors<A, MaxRadius, false> along_planes;
};

/// Each lane marches along the planes with V elements of a row.
template <class A, int MaxRadius, bool VectorSink, class Sink>
__global__ void __launch_bounds__((PlaneSumsTuning<A, MaxRadius>::threads),
                                  (PlaneSumsTuning<A, MaxRadius>::min_blocks))
    sum_planes(PlaneSumsTask<A, MaxRadius> const task, Sink const sink) {
  using Tuned           = PlaneSumsTuning<A, MaxRadius>;
  constexpr int V       = Tuned::V;
  constexpr int batch   = Tuned::batch;
  constexpr int bytes   = V * int(sizeof(A));
  constexpr int aligned = bytes < 16 ? bytes : 16;
  __shared__ A of_warps[VectorSink ? 1 : Tuned::warps]
                       [VectorSink ? 1 : 32 * padded_lane<V>];

  int const lane = int(threadIdx.x % 32);
  int const warp = int(threadIdx.x / 32);
  std::int64_t const line =
      std::int64_t(blockIdx.x % task.blocks) * Tuned::warps + warp;
  std::int64_t const row = line / task.warps_of_row;
  if (row >= task.rows) return;
  std::int64_t const column =
      (line % task.warps_of_row * 32 + lane) * V - task.shift;
  bool const exists        = column < task.columns;
  std::int64_t const begin = blockIdx.x / task.blocks * task.piece;
  std::int64_t const end   = min(begin + task.piece, task.planes);
  int const radius         = task.along_planes.radius;
  int const steps          = int(end - begin) + 2 * radius;
  // Before these steps and behind them a plane stands for the next one too.
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
        put_sums<V, VectorSink>(sink, at, column, 0, task.columns, sums.slot[b],
                                of_warps[VectorSink ? 0 : warp]);
      }
    }
    sums.next_batch();
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
