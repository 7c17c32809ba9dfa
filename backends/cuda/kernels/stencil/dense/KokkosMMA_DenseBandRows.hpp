// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_ROWS_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_ROWS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandShape.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cstdint>
#include <type_traits>

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

/// Stores of a thread: 16-byte vectors of the sums.
template <class Shape>
struct DenseBandStores {
  using Block                = typename Shape::Block;
  using Index                = typename Shape::Index;
  using Task                 = typename Shape::Task;
  using Segment              = typename Shape::Segment;
  using Staged               = typename Shape::Staged;
  static constexpr int many  = 16 / int(sizeof(Staged));  ///< per vector
  static constexpr int out   = Block::columns / many;
  static constexpr int slots = (out + Shape::across - 1) / Shape::across;

  Staged* to;  ///< row 0 of the sums
  int sums;    ///< rows of sums
  bool whole;  ///< all vectors of a row are inside the grid

  __device__ DenseBandStores(Task const& task, Segment const& segment) {
    int const m = int(threadIdx.x) / Shape::across % 16;
    int const v = int(threadIdx.x) % Shape::across;
    sums        = sums_of(task, segment, m);
    whole       = segment.column >= 0 &&
            segment.column + Block::columns <= task.grid.extent[1];
    to = task.epilogue.data +
         (segment.row + m * task.work.panel_rows) * task.epilogue.stride[0] +
         segment.column + v * many;
  }
  __device__ void store(Task const& task, Segment const& segment, int group,
                        unsigned char const* staged) const {
    if (!task.work.aligned) {
      store_each(task, segment, group, staged);
      return;
    }
    int const m =
        int(threadIdx.x) / Shape::across;  // also the first row of the thread
    int const v               = int(threadIdx.x) % Shape::across;
    int const s               = group * Block::rows + m / 16 - 2 * Shape::reach;
    unsigned char const* from = staged + m * Shape::staged_pitch + v * 16;
    Staged* target            = to + s * task.epilogue.stride[0];
    if (0 <= s &&
        s + (Shape::rows_of_thread - 1) * Shape::rows_at_once < sums && whole) {
#pragma unroll Block::stores
      for (int u = 0; u < Shape::rows_of_thread; ++u) {
#pragma unroll
        for (int k = 0; k < slots; ++k)
          if (v + Shape::across * k < out)
            __stcs(
                reinterpret_cast<uint4*>(target + Shape::across * k * many),
                *reinterpret_cast<uint4 const*>(from + Shape::across * 16 * k));
        from += Shape::rows_at_once * 16 * Shape::staged_pitch;
        target += Shape::rows_at_once * task.epilogue.stride[0];
      }
      return;
    }
    Index const n = task.grid.extent[1];
#pragma unroll
    for (int u = 0; u < Shape::rows_of_thread; ++u) {
      int const now = s + u * Shape::rows_at_once;
      if (0 <= now && now < sums) {
#pragma unroll
        for (int k = 0; k < slots; ++k) {
          if (v + Shape::across * k >= out) continue;
          Index const column = segment.column + (v + Shape::across * k) * many;
          if (column >= 0 && column + many <= n) {
            __stcs(
                reinterpret_cast<uint4*>(target + Shape::across * k * many),
                *reinterpret_cast<uint4 const*>(from + Shape::across * 16 * k));
          } else {
#pragma unroll 1
            for (int e = 0; e < many; ++e)
              if (column + e >= 0 && column + e < n)
                target[Shape::across * k * many + e] =
                    reinterpret_cast<Staged const*>(from +
                                                    Shape::across * 16 * k)[e];
          }
        }
      }
      from += Shape::rows_at_once * 16 * Shape::staged_pitch;
      target += Shape::rows_at_once * task.epilogue.stride[0];
    }
  }
  /// Returns the number of rows of sums of row panel m in a segment.
  __device__ static int sums_of(Task const& task, Segment const& segment,
                                int m) {
    Index const left =
        task.grid.extent[0] - segment.row - m * task.work.panel_rows;
    int const rows = segment.rows - 2 * Shape::reach;
    return left < rows ? int(left) : rows;
  }
  /// Stores the sums one by one, for results that are not aligned.
  __device__ static void store_each(Task const& task, Segment const& segment,
                                    int group, unsigned char const* staged) {
#pragma unroll 1
    for (int item = int(threadIdx.x); item < Block::rows * 16 * Block::columns;
         item += Block::threads) {
      int const c        = item % Block::columns;
      int const place    = item / Block::columns;
      int const m        = place % 16;
      int const s        = group * Block::rows + place / 16 - 2 * Shape::reach;
      Index const row    = segment.row + m * task.work.panel_rows + s;
      Index const column = segment.column + c;
      if (s < 0 || s >= sums_of(task, segment, m) || column < 0 ||
          column >= task.grid.extent[1])
        continue;
      Staged const sum = reinterpret_cast<Staged const*>(
          staged + place * Shape::staged_pitch)[c];
      task.epilogue.data[row * task.epilogue.stride[0] +
                         column * task.epilogue.stride[1]] = sum;
    }
  }
};

/// Recomputes sums for which MMA gives a wrong result.
template <class Shape>
struct DenseBandRepair {
  using Element = typename Shape::Element;
  using Block   = typename Shape::Block;
  using Band    = typename Shape::Band;
  using Index   = typename Shape::Index;
  using Operand = typename Shape::Operand;
  using Sum     = typename Shape::Sum;
  using Task    = typename Shape::Task;
  using Segment = typename Shape::Segment;
  using Staged  = typename Shape::Staged;

  __device__ static Sum weight_of(Task const& task, int tap, int v) {
    Operand const weight = task.weights[tap][v];
    if constexpr (std::is_same_v<Operand, Sum>) {
      return weight;
    } else if constexpr (is_band_half<Element>) {
      return __half2float(__ushort_as_half(weight)) * task.scale;
    } else {
      return __uint_as_float(std::uint32_t(weight) << 16) * task.scale;
    }
  }

  /// Returns one sum, computed like the generic route: weights of zero are
  /// skipped, so that an Inf or NaN there has no effect.
  __device__ static Sum scalar_sum(Task const& task, Index row, Index column) {
    Sum sum = 0;
#pragma unroll 1
    for (int i = 0; i < Band::taps * Shape::values; ++i) {
      int const tap    = i / Shape::values;
      int const v      = i % Shape::values;
      Sum const weight = weight_of(task, tap, v);
      if (weight == 0) continue;
      sum += weight * static_cast<Sum>(task.grid.at(row + tap - Shape::reach,
                                                    column + v - Band::side));
    }
    return sum;
  }
  /// Recomputes the sums of a segment that are not finite or below `tiny` in
  /// magnitude: MMA multiplies Inf and NaN by zero too, which makes a sum NaN.
  /// Runs after the sweep, because the sums fill the registers during it.
  __device__ static void repair(Task const& task, Segment const& segment,
                                Sum tiny) {
    Index const rows = segment.rows - 2 * Shape::reach;
#pragma unroll 1
    for (Index i = threadIdx.x; i < rows * 16 * Block::columns;
         i += Block::threads) {
      Index const column = segment.column + i % Block::columns;
      Index const place  = i / Block::columns;
      Index const row =
          segment.row + place % 16 * task.work.panel_rows + place / 16;
      if (row >= task.grid.extent[0] || column < 0 ||
          column >= task.grid.extent[1])
        continue;
      Staged& stored = task.epilogue.data[row * task.epilogue.stride[0] +
                                          column * task.epilogue.stride[1]];
      Sum const sum  = static_cast<Sum>(stored);
      if (!(sum - sum == 0) || (-tiny < sum && sum < tiny))
        stored = static_cast<Staged>(scalar_sum(task, row, column));
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
