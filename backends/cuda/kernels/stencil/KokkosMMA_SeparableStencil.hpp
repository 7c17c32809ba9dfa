// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableEpilogue.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableRow.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableRowLoader.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableTask.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableUnalignedLoader.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Stencils whose weights are one outer product, on CUDA cores: 2 (2r + 1)
/// multiplications per element instead of (2r + 1)^2. A block owns a strip of
/// columns and marches down a chunk of rows, which pass through a ring in
/// shared memory: rows are read once, but for 2r per chunk. Each thread adds up
/// its window of the row and then keeps the sums of 2r + 1 rows under way in
/// registers.

namespace KokkosMMA::Impl::Cuda {

/// What feeds the ring where rows begin in their lines, or anywhere.
template <bool Aligned, class Row, int Threads, int StageRows, int R,
          class Task, class Element>
using SeparableFeedOf = std::conditional_t<
    Aligned, SeparableFeed<Row, Threads, StageRows, R, Task, Element>,
    SeparableFeedAnywhere<Row, Threads, StageRows, Task, Element>>;

/// A batch of rows of a thread that has a part of its elements.
template <class Tuned, class Sums, class Sink>
struct SeparablePart {
  alignas(16) typename SinkResult<Sink>::type row[Sums::batch][Tuned::V];
};

template <class Tuned, class Row, class Feed, bool VectorSink, class A,
          class Sums, class Sink>
inline constexpr int separable_bytes =
    Row::lead + Tuned::stages* Feed::stage_bytes +
    (VectorSink ? 2 * int(sizeof(SeparablePart<Tuned, Sums, Sink>))
                : Row::columns / Tuned::V * padded_lane<Tuned::V> *
                      int(std::max(sizeof(A),
                                   sizeof(typename SinkResult<Sink>::type))));

template <class Tuned, class A, class Sums, class Element, bool Aligned,
          bool VectorSink, int R, class Task, class Sink>
__global__ void __launch_bounds__(Tuned::threads, Tuned::min_blocks)
    separable_stencil(Task const task, Sink const sink) {
  constexpr bool linear    = R == 1;
  constexpr int V          = Tuned::V;
  constexpr int threads    = Tuned::threads;
  constexpr int stages     = Tuned::stages;
  constexpr int stage_rows = Tuned::stage_rows;
  using Row = SeparableRow<Element, V, threads, Sums::max_radius, Aligned>;
  using Feed =
      SeparableFeedOf<Aligned, Row, threads, stage_rows, R, Task, Element>;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, separable_memory);
  unsigned char* const ring = separable_memory + Row::lead;
  GridDependency::release();

  unsigned const strip         = task.block() % task.strips;
  unsigned const chunk         = task.block() / task.strips;
  std::int64_t const row_begin = chunk * task.chunk_rows;
  std::int64_t const row_end   = min(row_begin + task.chunk_rows, task.rows);
  int const column_radius      = task.weights.column_radius();
  int const steps              = int(row_end - row_begin) + 2 * column_radius;
  std::int64_t const first_column =
      linear ? -task.shift : std::int64_t(strip) * Row::columns - task.shift;
  Feed const feed(task, first_column - Row::pad, row_begin - column_radius);
  constexpr int stage_bytes = Feed::stage_bytes;

  int to_fill     = 0;  // step of the next stage to be loaded
  int fill_slot   = 0;
  auto const fill = [&] {
    if (to_fill < steps)
      feed.stage(ring + fill_slot * stage_bytes, to_fill, steps);
    CopyAsync16::commit();
    to_fill += stage_rows;
    fill_slot = fill_slot + 1 == stages ? 0 : fill_slot + 1;
  };

  std::int64_t const column =
      first_column + std::int64_t(threadIdx.x) * V;  // of the thread's first
  unsigned char* const behind_ring = ring + stages * stage_bytes;
  A* const of_warp                 = reinterpret_cast<A*>(behind_ring) +
                     threadIdx.x / 32 * (32 * padded_lane<V>);
  // Of the thread's elements, those of the grid.
  int const own_begin     = int(clamp_to(-column, V));
  int const own_end       = int(clamp_to(task.columns - column, V));
  constexpr bool has_room = has_room_beside_rows<Sink>;
  bool const is_whole =
      has_room ? own_begin < own_end : own_begin == 0 && own_end == V;
  bool const is_part = !has_room && !is_whole && own_begin < own_end;
  // At most two threads have a part of their elements: theirs wait here for the
  // end of the batch, so that no branch parts one row from the next. (Floats of
  // radius 7, part of a copy, with such a branch and without: factors 0.75 and
  // 0.82, boxes of rows that begin anywhere 0.83 and 0.91.)
  SeparablePart<Tuned, Sums, Sink>* const part =
      reinterpret_cast<SeparablePart<Tuned, Sums, Sink>*>(behind_ring) +
      (own_begin > 0 ? 0 : 1);
  SinkPlace<Sink> place;
  if constexpr (VectorSink && R == 2) {
    place = sink.data + task.results() +
            ((row_begin - 2 * column_radius) * sink.stride[0] + column);
  }
  // Results that start anywhere in their lines.
  constexpr bool staged = !VectorSink && R == 2 && VisibleStencilSink<Sink>;
  using Result          = typename SinkResult<Sink>::type;
  int const lane        = threadIdx.x % 32;
  Result* const results_of_warp =
      reinterpret_cast<Result*>(behind_ring) + threadIdx.x / 32 * (32 * V);
  std::int64_t const warp_column = column - lane * V;
  unsigned const warp_begin      = clamp_to(-warp_column, 32 * V);
  unsigned const warp_end        = clamp_to(task.columns - warp_column, 32 * V);
  if constexpr (staged) {
    place =
        sink.data + task.results() +
        ((row_begin - 2 * column_radius) * sink.stride[0] + warp_column + lane);
  }
  auto const is_sum = [&](int step) {
    return step >= 2 * column_radius && step < steps;
  };
  auto const emit = [&](int step, int b, typename Sums::OfRow const& sums) {
    if constexpr (VectorSink && R == 2) {
      // Bytes are packed once for both: radius 3 and 4 0.92 and 0.91 instead of
      // 0.91 and 0.89 of a copy. Factors of halfs of radius 7 spill so.
      auto const put = [&](auto const& words) {
        if (is_whole && is_sum(step)) store_words(place, words());
        if (is_part) store_words(part->row[b], words());
      };
      if constexpr (takes_bytes<Sums>) {
        put([words = result_words<Result, V>(sums)] { return words; });
      } else {
        put([&] { return result_words<Result, V>(sums); });
      }
      place += sink.stride[0];
    } else if constexpr (staged) {
      // Lanes side by side take elements side by side.
      __syncwarp();
      store_words(results_of_warp + lane * V, result_words<Result, V>(sums));
      __syncwarp();
#pragma unroll
      for (int i = 0; i < V; ++i)
        if (is_sum(step) &&
            unsigned(i * 32 + lane - warp_begin) < warp_end - warp_begin)
          place[i * 32] = results_of_warp[i * 32 + lane];
      place += sink.stride[0];
    } else {
      if (!is_sum(step)) return;
      std::int64_t const row = row_begin + (step - 2 * column_radius);
      if constexpr (R == 1) {
        std::int64_t const at[1] = {row * task.stride + column};
        put_sums<V, VectorSink>(sink, at, at[0], 0, task.columns, sums,
                                of_warp);
      } else {
        std::int64_t const at[2] = {row, column};
        put_sums<V, VectorSink>(sink, at, column, 0, task.columns, sums,
                                of_warp);
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
  typename Feed::Offsets offsets;
#pragma unroll 1
  for (int first_step = 0; first_step < steps; first_step += Sums::batch) {
#pragma unroll
    for (int b = 0; b < Sums::batch; ++b) {
      int const step = first_step + b;
      // Known at compile time where batches are whole stages.
      int const in_stage =
          Sums::batch % stage_rows == 0 ? b % stage_rows : step % stage_rows;
      if (in_stage == 0) {
        CopyAsync16::wait<stages - 2>();
        // The stage is there for all, and all are done with the one before.
        __syncthreads();
        fill();
        stage     = ring + read_slot * stage_bytes;
        read_slot = read_slot + 1 == stages ? 0 : read_slot + 1;
        if (feed.has_boundaries) {
          feed.fill_boundaries(stage, step);
          __syncthreads();
        }
        offsets = feed.offsets(stage);
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
    if constexpr (VectorSink && R == 2) {
      if (is_part) {
#pragma unroll 1
        for (int b = 0; b < Sums::batch; ++b)
#pragma unroll 1
          for (int i = own_begin; i < own_end; ++i)
            if (is_sum(first_step + b))
              place[(b - Sums::batch) * sink.stride[0] + i] = part->row[b][i];
      }
    }
  }
  CopyAsync16::wait<0>();
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
