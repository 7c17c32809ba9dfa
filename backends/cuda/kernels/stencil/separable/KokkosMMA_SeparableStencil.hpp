// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableRow.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableRowLoader.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilTuning.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Kernel of separable stencils of one and two dimensions on CUDA cores: 2 (2r
/// + 1) multiplications per element instead of (2r + 1)^2. A thread block
/// sweeps down one row block of a column panel. Rows pass through a ring in
/// shared memory; each is read once, except 2r per row block. Each thread sums
/// up its window of the row and keeps the partial sums of 2r + 1 rows in
/// registers.
///
/// Fraction of a copy's rate by radius, with this kernel and with SweepKernel
/// summing along rows first; 16384^2, periodic, H200, CUDA 13.0, 2026-11-27:
///
///               1        2        3        5        7    ones 3   ones 7
///   float   .97 .97  .97 .92  .96 .92  .90 .85  .87 .82  .97 .92  .95 .82
///   double  .98 .97  .97 .94  .97 .94  .93 .87  .91 .85  .97 .94  .91 .85
///   half    .97 .96  .96 .82  .91 .85  .73 .54  .47 .46  .96 .84  .91 .46

namespace KokkosMMA::Impl::Cuda {

template <bool Aligned, class Row, int Threads, int StageRows, int R,
          class Task, class Element>
using SeparableLoader = std::conditional_t<
    Aligned, SeparableRowLoader<Row, Threads, StageRows, R, Task, Element>,
    SeparableUnalignedLoader<Row, Threads, StageRows, Task, Element>>;

/// Results in a batch of rows, for a thread whose elements a boundary cuts.
template <class Tuning, class Sums, class Epilogue>
struct SeparablePartial {
  alignas(16)
      EpilogueResult<Epilogue> row[Sums::batch][Tuning::value.sums_per_thread];
};

template <class Tuning, class Row, class Loader, bool VectorStores, class A,
          class Sums, class Epilogue>
inline constexpr int separable_bytes =
    Row::lead + Tuning::value.stages* Loader::stage_bytes +
    (VectorStores
         ? 2 * int(sizeof(SeparablePartial<Tuning, Sums, Epilogue>))
         : Row::columns / Tuning::value.sums_per_thread *
               padded_lane<Tuning::value.sums_per_thread> *
               int(std::max(sizeof(A), sizeof(EpilogueResult<Epilogue>))));

template <class Tuning, class A, class Sums, class Element, bool Aligned,
          bool VectorStores, int R, class Task, class Epilogue>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    separable_stencil(Task const task, Epilogue const epilogue) {
  constexpr bool linear    = R == 1;
  constexpr int V          = Tuning::value.sums_per_thread;
  constexpr int threads    = Tuning::value.threads;
  constexpr int stages     = Tuning::value.stages;
  constexpr int stage_rows = Tuning::value.stage_rows;
  using Row = SeparableRow<Element, V, threads, Sums::max_radius, Aligned>;
  using Loader =
      SeparableLoader<Aligned, Row, threads, stage_rows, R, Task, Element>;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, separable_memory);
  unsigned char* const ring = separable_memory + Row::lead;
  GridDependency::release();

  unsigned const panel         = task.block() % task.panels;
  unsigned const row_block     = task.block() / task.panels;
  std::int64_t const row_begin = row_block * task.block_rows;
  std::int64_t const row_end   = min(row_begin + task.block_rows, task.rows);
  int const column_radius      = task.weights.column_radius();
  int const steps              = int(row_end - row_begin) + 2 * column_radius;
  std::int64_t const first_column =
      linear ? -task.shift : std::int64_t(panel) * Row::columns - task.shift;
  Loader const loader(task, first_column - Row::pad, row_begin - column_radius);
  constexpr int stage_bytes = Loader::stage_bytes;

  int to_fill     = 0;  // step of the next stage to be loaded
  int fill_slot   = 0;
  auto const fill = [&] {
    if (to_fill < steps)
      loader.stage(ring + fill_slot * stage_bytes, to_fill, steps);
    CopyAsync16::commit();
    to_fill += stage_rows;
    fill_slot = fill_slot + 1 == stages ? 0 : fill_slot + 1;
  };

  std::int64_t const column =
      first_column + std::int64_t(threadIdx.x) * V;  // of the first sum
  unsigned char* const behind_ring = ring + stages * stage_bytes;
  A* const of_warp                 = reinterpret_cast<A*>(behind_ring) +
                     threadIdx.x / 32 * (32 * padded_lane<V>);
  // Elements of the thread that are inside the grid.
  int const own_begin     = int(clamp_to(-column, V));
  int const own_end       = int(clamp_to(task.columns - column, V));
  constexpr bool has_room = has_room_beside_rows<Epilogue>;
  bool const is_whole =
      has_room ? own_begin < own_end : own_begin == 0 && own_end == V;
  bool const is_part = !has_room && !is_whole && own_begin < own_end;
  // At most two threads have elements on both sides of a boundary. Their
  // results are buffered here until the end of the batch, so that no branch
  // separates the rows. Fraction of a copy's rate with that branch and without
  // it, floats of radius 7: factors 0.75 and 0.82, box filters of unaligned
  // rows 0.83 and 0.91.
  SeparablePartial<Tuning, Sums, Epilogue>* const partial =
      reinterpret_cast<SeparablePartial<Tuning, Sums, Epilogue>*>(behind_ring) +
      (own_begin > 0 ? 0 : 1);
  EpilogueResult<Epilogue>* result;
  if constexpr (VectorStores && R == 2) {
    result = epilogue.data + task.results() +
             ((row_begin - 2 * column_radius) * epilogue.stride[0] + column);
  }
  // Unaligned results.
  constexpr bool staged = !VectorStores && R == 2 && StencilEpilogue<Epilogue>;
  using Result          = EpilogueResult<Epilogue>;
  int const lane        = threadIdx.x % 32;
  Result* const results_of_warp =
      reinterpret_cast<Result*>(behind_ring) + threadIdx.x / 32 * (32 * V);
  std::int64_t const warp_column = column - lane * V;
  unsigned const warp_begin      = clamp_to(-warp_column, 32 * V);
  unsigned const warp_end        = clamp_to(task.columns - warp_column, 32 * V);
  if constexpr (staged) {
    result = epilogue.data + task.results() +
             ((row_begin - 2 * column_radius) * epilogue.stride[0] +
              warp_column + lane);
  }
  auto const is_sum = [&](int step) {
    return step >= 2 * column_radius && step < steps;
  };
  auto const emit = [&](int step, int b, typename Sums::OfRow const& sums) {
    if constexpr (VectorStores && R == 2) {
      // Packed for each store: factors of half of radius 7 spill if packed
      // once.
      if (is_whole && is_sum(step))
        store_words(result, result_words<Result, V>(sums));
      if (is_part) store_words(partial->row[b], result_words<Result, V>(sums));
      result += epilogue.stride[0];
    } else if constexpr (staged) {
      // Adjacent lanes have adjacent elements.
      __syncwarp();
      store_words(results_of_warp + lane * V, result_words<Result, V>(sums));
      __syncwarp();
#pragma unroll
      for (int i = 0; i < V; ++i)
        if (is_sum(step) &&
            unsigned(i * 32 + lane - warp_begin) < warp_end - warp_begin)
          result[i * 32] = results_of_warp[i * 32 + lane];
      result += epilogue.stride[0];
    } else {
      if (!is_sum(step)) return;
      std::int64_t const row = row_begin + (step - 2 * column_radius);
      if constexpr (R == 1) {
        std::int64_t const at[1] = {row * task.stride + column};
        apply_epilogue<V, VectorStores>(epilogue, at, at[0], 0, task.columns,
                                        sums, of_warp);
      } else {
        std::int64_t const at[2] = {row, column};
        apply_epilogue<V, VectorStores>(epilogue, at, column, 0, task.columns,
                                        sums, of_warp);
      }
    }
  };

  GridDependency::wait();
#pragma unroll 1
  for (int s = 0; s < stages - 1; ++s) fill();
  Sums sums;
  sums.clear();
  int read_slot = 0;
  unsigned char* stage;
  typename Loader::Offsets offsets;
#pragma unroll 1
  for (int first_step = 0; first_step < steps; first_step += Sums::batch) {
#pragma unroll
    for (int b = 0; b < Sums::batch; ++b) {
      int const step = first_step + b;
      // A compile-time constant if batches are whole stages.
      int const in_stage =
          Sums::batch % stage_rows == 0 ? b % stage_rows : step % stage_rows;
      if (in_stage == 0) {
        CopyAsync16::wait<stages - 2>();
        // After the barrier the stage has arrived for all threads, and all
        // threads have read the previous one.
        __syncthreads();
        fill();
        stage     = ring + read_slot * stage_bytes;
        read_slot = read_slot + 1 == stages ? 0 : read_slot + 1;
        if (loader.has_boundaries) {
          loader.conditions.template fill_stage<threads, stage_rows>(
              loader, stage, step);
          __syncthreads();
        }
        offsets = loader.offsets(stage);
      }
      unsigned char const* const row =
          stage + in_stage * Row::bytes +
          (threadIdx.x * V + Row::pad - Row::reach) * int(sizeof(Element));
      emit(step, b,
           sums.push(b,
                     sums_along_row<A, Sums, Element, Row, Aligned>(
                         row, offsets.at(in_stage), task.weights),
                     task.weights));
    }
    sums.next_batch();
    if constexpr (VectorStores && R == 2) {
      if (is_part) {
#pragma unroll 1
        for (int b = 0; b < Sums::batch; ++b)
#pragma unroll 1
          for (int i = own_begin; i < own_end; ++i)
            if (is_sum(first_step + b))
              result[(b - Sums::batch) * epilogue.stride[0] + i] =
                  partial->row[b][i];
      }
    }
  }
  CopyAsync16::wait<0>();
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
