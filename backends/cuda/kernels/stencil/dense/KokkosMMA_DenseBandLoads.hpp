// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_LOADS_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_LOADS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandShape.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Loads of a thread: its part of the rows, and the boundary fix-up of the
/// columns.
template <class Shape>
struct DenseBandLoads {
  using Element = typename Shape::Element;
  using Block   = typename Shape::Block;
  using Band    = typename Shape::Band;
  using Grid    = typename Shape::Grid;
  using Index   = typename Shape::Index;
  using Task    = typename Shape::Task;
  using Segment = typename Shape::Segment;
  static constexpr int slots =
      (Shape::vectors + Shape::across - 1) / Shape::across;

  Element const* from;  ///< row 0 of the data, which may be out of bounds
  int low;              ///< first row in memory
  int high;             ///< end of the rows in memory
  bool takes[slots];

  __device__ DenseBandLoads(Task const& task, Segment const& segment) {
    int const m      = int(threadIdx.x) / Shape::across % 16;
    int const v      = int(threadIdx.x) % Shape::across;
    Index const row  = segment.row + m * task.work.panel_rows - Shape::reach;
    Index const left = task.work.low[0] - row;
    Index const end  = task.work.high[0] - row;
    low  = int(left < 0 ? 0 : left < segment.loaded ? left : segment.loaded);
    high = int(end < low ? low : end < segment.loaded ? end : segment.loaded);
    from = task.grid.data + row * task.grid.stride[0] + segment.column -
           Band::side + v * Shape::elements;
#pragma unroll
    for (int k = 0; k < slots; ++k)
      takes[k] = segment.left <= v + Shape::across * k &&
                 v + Shape::across * k < segment.right;
  }

  __device__ void start(Task const& task, Segment const& segment, int group,
                        unsigned char* slot) const {
    int const m =
        int(threadIdx.x) / Shape::across;  // also the first row of the thread
    int const v        = int(threadIdx.x) % Shape::across;
    int const t        = group * Block::rows + m / 16;
    Index const stride = task.grid.stride[0];
    unsigned char* to  = slot + m * Shape::pitch + v * 16;
    if (low <= t &&
        t + (Shape::rows_of_thread - 1) * Shape::rows_at_once < high) {
      Element const* source = from + t * stride;
#pragma unroll
      for (int u = 0; u < Shape::rows_of_thread; ++u) {
#pragma unroll
        for (int k = 0; k < slots; ++k)
          if (takes[k])
            CopyAsync16::copy(to + k * Shape::across * 16,
                              source + k * Shape::across * Shape::elements);
        source += Shape::rows_at_once * stride;
        to += Shape::rows_at_once * 16 * Shape::pitch;
      }
      return;
    }
    Grid const& grid = task.grid;
#pragma unroll 1
    for (int u = 0; u < Shape::rows_of_thread; ++u) {
      int const now = t + u * Shape::rows_at_once;
      if (now >= segment.loaded) return;
      Index const row =
          segment.row + m % 16 * task.work.panel_rows + now - Shape::reach;
      Element const* source = from + now * stride;
      bool in_memory        = low <= now && now < high;
      double fill           = 0;
      if (!in_memory && Shape::is_used(task, row)) {
        BoundaryCondition const condition =
            row < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
        in_memory = condition.kind != Boundary::constant;
        fill      = condition.value;
        if (in_memory)
          source +=
              (boundary_index(condition.kind, row, grid.extent[0]) - row) *
              stride;
      }
#pragma unroll
      for (int k = 0; k < slots; ++k) {
        if (!takes[k]) continue;
        if (in_memory) {
          CopyAsync16::copy(to + k * Shape::across * 16,
                            source + k * Shape::across * Shape::elements);
        } else {
#pragma unroll 1
          for (int e = 0; e < Shape::elements; ++e)
            reinterpret_cast<Element*>(to + k * Shape::across * 16)[e] =
                static_cast<Element>(fill);
        }
      }
      to += Shape::rows_at_once * 16 * Shape::pitch;
    }
  }

  /// Loads element by element the chunks that a column boundary cuts or
  /// excludes.
  __device__ static void load_boundary_columns(Task const& task,
                                               Segment const& segment,
                                               int group, unsigned char* slot) {
    Grid const& grid = task.grid;
    Index const n    = grid.extent[1];
    int const left   = segment.left * Shape::elements;
    int const count = left + (Shape::vectors - segment.right) * Shape::elements;
    int const m     = int(threadIdx.x) / Shape::across;
    int const t     = group * Block::rows + m / 16;
    Index const row =
        segment.row + m % 16 * task.work.panel_rows - Shape::reach + t;
    bool const plain =
        row >= 0 && row + (Shape::rows_of_thread - 1) * Shape::rows_at_once <
                        grid.extent[0];
#pragma unroll 1
    for (int i = int(threadIdx.x) % Shape::across; i < count;
         i += Shape::across) {
      int const e = i < left ? i : segment.right * Shape::elements + i - left;
      Index const column = segment.column - Band::side + e;
      bool const used =
          -task.work.radius[1] <= column && column < n + task.work.radius[1];
      bool const beyond = column < 0 || column >= n;
      BoundaryCondition const condition =
          column < 0 ? grid.boundaries.low[1] : grid.boundaries.high[1];
      unsigned char* to  = slot + m * Shape::pitch + e * int(sizeof(Element));
      constexpr int step = Shape::rows_at_once * 16 * Shape::pitch;
      // The same column in several rows of the grid: all loads are issued
      // before any is used.
      if (plain && used && !(beyond && condition.kind == Boundary::constant)) {
        Index const from =
            beyond ? boundary_index(condition.kind, column, n) : column;
        Element const* source = grid.data + row * grid.stride[0] + from;
        Element value[Shape::rows_of_thread];
#pragma unroll
        for (int u = 0; u < Shape::rows_of_thread; ++u)
          value[u] = source[u * Shape::rows_at_once * grid.stride[0]];
#pragma unroll
        for (int u = 0; u < Shape::rows_of_thread; ++u)
          *reinterpret_cast<Element*>(to + u * step) = value[u];
        continue;
      }
#pragma unroll 1
      for (int u = 0; u < Shape::rows_of_thread; ++u) {
        if (t + u * Shape::rows_at_once >= segment.loaded) break;
        Index const here = row + u * Shape::rows_at_once;
        *reinterpret_cast<Element*>(to + u * step) =
            used && Shape::is_used(task, here) ? grid.at(here, column)
                                               : static_cast<Element>(0.f);
      }
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
