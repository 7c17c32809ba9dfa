// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_ROW_LOADER_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_ROW_LOADER_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableRow.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <cstdint>

/// \file
/// Input of a thread block of a separable stencil, and loaders of its rows,
/// with the sources of the rows and columns beyond the boundaries.

namespace KokkosMMA::Impl::Cuda {

/// Kernel arguments. A grid of one dimension is divided into rows that are
/// contiguous in memory.
template <class Element, class Weights>
struct SeparableTask {
  Element const* data;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  BoundaryCondition row_low, row_high, column_low, column_high;
  bool rows_first;  ///< constant rows take precedence over columns
  int shift;        ///< elements from a 16-byte chunk to the start of a row
  unsigned panels;
  std::int64_t block_rows;
  Weights weights;

  /// Element 0 of the grid that a block reads, and the number of the block
  /// within that grid.
  __device__ Element const* elements() const { return data; }
  __device__ unsigned block() const { return blockIdx.x; }
  /// Offset of the block's results in those of the launch.
  __device__ static std::int64_t results() { return 0; }
};

/// Kernel arguments for several planes at equal distances, which may be
/// negative.
template <class Element, class Weights>
struct SeparablePlanesTask : SeparableTask<Element, Weights> {
  unsigned planes;
  std::int64_t plane_stride;
  std::int64_t result_stride;
  unsigned blocks_of_plane;

  __device__ Element const* elements() const {
    return this->data + plane() * plane_stride;
  }
  __device__ unsigned block() const { return blockIdx.x % blocks_of_plane; }
  __device__ std::int64_t results() const { return plane() * result_stride; }

 private:
  __device__ std::int64_t plane() const { return blockIdx.x / blocks_of_plane; }
};

/// Copies one element to shared memory, with cp.async for 4 and 8 bytes.
template <class Element>
__device__ inline void copy_element(Element* to, Element const* from) {
  if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
    CopyAsyncWord<sizeof(Element)>::copy(to, from);
  } else {
    *to = *from;
  }
}

/// Replaces a row beyond the boundaries by its source row. Returns false and
/// the constant if the boundary is constant.
__device__ inline bool source_row(BoundaryCondition const& low,
                                  BoundaryCondition const& high,
                                  std::int64_t extent, std::int64_t& index,
                                  double& value) {
  if (index >= 0 && index < extent) return true;
  bool const is_low   = index < 0;
  Boundary const kind = is_low ? low.kind : high.kind;
  if (kind == Boundary::constant) {
    value = is_low ? low.value : high.value;
    return false;
  }
  index = boundary_index(kind, index, extent);
  return true;
}

/// Boundary fix-up of a row in shared memory, for elements beyond its ends that
/// are copies of the row's own elements, or constants. Lanes 0 to 15 have the
/// low side, 16 to 31 the high side.
template <class Row, class Element>
struct SeparableBoundaries {
  int to     = -1;  ///< index in the row; -1: none
  int source = -1;  ///< index in the row; -1: a constant
  Element value{};

  __device__ static bool is_filled(BoundaryCondition const& condition) {
    return condition.kind != Boundary::halo &&
           condition.kind != Boundary::periodic;
  }
  /// Fills in the elements of each row of a stage, after it has arrived.
  template <int Threads, int StageRows, class Loader>
  __device__ void fill_stage(Loader const& loader, unsigned char* stage,
                             int step) const {
    auto const& task = loader.task;
    int const warp   = threadIdx.x / 32;
#pragma unroll
    for (int j = 0; j < StageRows; ++j) {
      if (j % (Threads / 32) != warp) continue;
      std::int64_t const index = loader.first_row + step + j;
      bool const constant =
          (index < 0 && task.row_low.kind == Boundary::constant) ||
          (index >= task.rows && task.row_high.kind == Boundary::constant);
      fill(stage + j * Row::bytes + loader.offsets(stage).at(j), constant,
           task.rows_first);
    }
  }

  __device__ void start(BoundaryCondition const& condition, std::int64_t column,
                        std::int64_t columns, std::int64_t first) {
    std::int64_t const place = column - first;
    if (!is_filled(condition) || place < 0 || place >= Row::reached) return;
    to = int(place);
    if (condition.kind == Boundary::constant)
      value = static_cast<Element>(condition.value);
    else
      source = int(boundary_index(condition.kind, column, columns) - first);
  }
  __device__ void fill(unsigned char* row, bool row_is_constant,
                       bool rows_first) const {
    if (to < 0 || (row_is_constant && (source >= 0 || rows_first))) return;
    Element* const elements = reinterpret_cast<Element*>(row);
    elements[to]            = source < 0 ? value : elements[source];
  }
};

/// Loads a row of a one-dimensional grid that a boundary cuts into shared
/// memory. Columns begin .. end - 1 are inside the grid. A single function,
/// with a lambda for elements beyond the boundaries, has 223 instead of 311 *
/// 10^9 sums per second for int8 of radius 16, 280 instead of 314 for uint8.
template <class Row, int Threads, class Element>
struct SeparableLinearLoader {
  int radius;
  BoundaryCondition const& low;
  BoundaryCondition const& high;
  std::int64_t first;  ///< column of element 0 of the row in shared memory

  /// Loads the element of one column. `from` is column 0.
  __device__ void element(Element* to, Element const* from, std::int64_t column,
                          std::int64_t begin, std::int64_t end) const {
    if (column < begin - radius || column >= end + radius) return;
    bool const is_low   = column < begin;
    bool const is_high  = column >= end;
    bool const outside  = is_low || is_high;
    Boundary const kind = is_low ? low.kind : high.kind;
    if (outside && kind == Boundary::constant) {
      *to = static_cast<Element>(is_low ? low.value : high.value);
    } else {
      std::int64_t const source =
          outside ? boundary_index(kind, column - begin, end - begin) + begin
                  : column;
      copy_element(to, from + source);
    }
  }

  __device__ void load(unsigned char* to, Element const* from,
                       std::int64_t begin, std::int64_t end) const {
    std::int64_t const inside_begin =
        low.kind == Boundary::halo ? begin - radius : begin;
    std::int64_t const inside_end =
        high.kind == Boundary::halo ? end + radius : end;
    Element* const into = reinterpret_cast<Element*>(to);
    constexpr int V     = Row::per_vector;
#pragma unroll
    for (int n = 0; n < (Row::vectors + Threads - 1) / Threads; ++n) {
      int const v = int(threadIdx.x) + n * Threads;
      if (Row::vectors % Threads != 0 && v >= Row::vectors) break;
      std::int64_t const column = first + v * V;
      if (column >= inside_begin && column + V <= inside_end) {
        CopyAsync16::copy(into + v * V, from + column);
      } else {
#pragma unroll 1
        for (int e = 0; e < V; ++e)
          element(into + v * V + e, from, column + e, begin, end);
      }
    }
  }
};

/// Loads the rows of a block into the ring, if all rows begin at the same
/// offset in their 16-byte chunks. Each thread has the same chunks of every
/// row.
template <class Row, int Threads, int StageRows, int R, class Task,
          class Element>
struct SeparableRowLoader {
  static constexpr int stage_bytes = StageRows * Row::bytes;
  static constexpr int V           = Row::per_vector;
  static constexpr int vectors     = Row::vectors;
  static constexpr int count       = (vectors + Threads - 1) / Threads;

  Task const& task;
  std::int64_t first;       ///< column of element 0 of a row in the ring
  std::int64_t first_row;   ///< first row of step 0
  std::int64_t inside_low;  ///< first row in memory
  std::int64_t inside_high;
  std::int64_t columns_low;  ///< first column in memory
  std::int64_t columns_high;
  std::int64_t source[count];  ///< column that chunk n is loaded from
  bool whole[count];
  /// Elements of chunks that a boundary cuts, one per lane and side: index in
  /// the row, -1 for none.
  bool has_partial;
  int partial_index[2];
  std::int64_t partial_source[2];
  bool has_boundaries;
  SeparableBoundaries<Row, Element> conditions;

  __device__ SeparableRowLoader(Task const& all, std::int64_t first_column,
                                std::int64_t row_of_step_0)
      : task(all), first(first_column), first_row(row_of_step_0) {
    int const radius = task.weights.row_radius();
    if constexpr (R == 1) {
      // Rows whose window is inside the grid.
      inside_low  = first < 0 ? 1 : 0;
      inside_high = (task.columns - first - Row::elements) / task.stride + 1;
      if (task.columns < first + Row::elements) inside_high = 0;
    } else {
      std::int64_t const above = task.weights.column_radius();
      inside_low = task.row_low.kind == Boundary::halo ? -above : 0;
      inside_high =
          task.rows + (task.row_high.kind == Boundary::halo ? above : 0);
    }
    columns_low = task.column_low.kind == Boundary::halo ? -radius : 0;
    columns_high =
        task.columns + (task.column_high.kind == Boundary::halo ? radius : 0);
    // Other elements beyond the boundaries are copied within shared memory
    // later, by fill_stage(). Periodic grids of whole chunks load whole
    // chunks there.
    bool const periodic = task.column_low.kind == Boundary::periodic;
    bool const wraps    = periodic && task.columns % V == 0 &&
                       task.columns >= Row::elements - Row::columns + V;
    std::int64_t const needed_low  = columns_low - (periodic ? radius : 0);
    std::int64_t const needed_high = columns_high + (periodic ? radius : 0);
#pragma unroll
    for (int n = 0; n < count; ++n) {
      int const v         = int(threadIdx.x) + n * Threads;
      std::int64_t column = first + v * V;
      bool exists         = v < vectors;
      if (R > 1 && (column < columns_low || column + V > columns_high)) {
        bool const below = column + V <= 0;
        exists = exists && wraps && (below || column >= task.columns) &&
                 column + V > needed_low && column < needed_high;
        column += below ? task.columns : -task.columns;
      }
      whole[n]  = exists;
      source[n] = column;
    }
    has_boundaries = false;
    has_partial    = false;
    if constexpr (R > 1) {
      // Chunks of the columns in memory.
      std::int64_t const end         = first + Row::elements;
      std::int64_t const low         = max(columns_low, first);
      std::int64_t const high        = min(columns_high, end);
      std::int64_t const first_whole = first + (low - first + V - 1) / V * V;
      std::int64_t const last_whole =
          max(first + (high - first) / V * V, first_whole);
      std::int64_t const below =
          wraps ? first + (low - first) / V * V : needed_low;
      std::int64_t const above =
          wraps ? first + (high - first + V - 1) / V * V : needed_high;
      int const lane = threadIdx.x % 32;
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        std::int64_t column =
            (side == 0 ? max(below, first) : last_whole) + lane;
        std::int64_t const stop =
            side == 0 ? min(first_whole, needed_high) : min(above, end);
        std::int64_t const place = column - first;
        bool const exists        = column < stop && locate(column);
        partial_index[side]      = exists ? int(place) : -1;
        partial_source[side]     = column;
        has_partial              = has_partial || exists;
      }
      has_partial = __any_sync(0xffffffffu, has_partial);
    }
    if constexpr (R > 1) {
      has_boundaries = (first < 0 && conditions.is_filled(task.column_low)) ||
                       (first + Row::elements > task.columns &&
                        conditions.is_filled(task.column_high));
      int const lane = threadIdx.x % 32;
      if (has_boundaries && lane % 16 < radius) {
        if (lane < 16)
          conditions.start(task.column_low, -1 - lane, task.columns, first);
        else
          conditions.start(task.column_high, task.columns + lane - 16,
                           task.columns, first);
      }
    }
  }

  /// Replaces a column by the column that is loaded for it. Returns false if
  /// none is loaded.
  __device__ bool locate(std::int64_t& column) const {
    if (column >= columns_low && column < columns_high) return true;
    if (task.column_low.kind != Boundary::periodic) return false;
    int const radius = task.weights.row_radius();
    if (column < -radius || column >= task.columns + radius) return false;
    column += column < 0 ? task.columns : -task.columns;
    return true;
  }
  /// Loads the chunks that a boundary cuts, in rows that are in memory. The
  /// rows of a stage are divided among the warps.
  template <int Rows>
  __device__ void partial_vectors(unsigned char* to,
                                  Element const* from) const {
    int const warp = threadIdx.x / 32;
#pragma unroll
    for (int j = 0; j < Rows; ++j) {
      if (j % (Threads / 32) != warp) continue;
      Element* const into = reinterpret_cast<Element*>(to + j * Row::bytes);
#pragma unroll
      for (int side = 0; side < 2; ++side)
        if (partial_index[side] >= 0)
          copy_element(into + partial_index[side],
                       from + (j * task.stride + partial_source[side]));
    }
  }
  __device__ void row(unsigned char* to, Element const* from) const {
    Element* const into = reinterpret_cast<Element*>(to);
#pragma unroll
    for (int n = 0; n < count; ++n)
      if (whole[n])
        CopyAsync16::copy(into + (threadIdx.x + n * Threads) * V,
                          from + source[n]);
    if (has_partial) partial_vectors<1>(to, from);
  }
  /// Offsets in bytes of element 0 in the rows of a stage.
  struct Offsets {
    __device__ static constexpr int at(int) { return 0; }
  };
  __device__ static Offsets offsets(unsigned char const*) { return {}; }

  /// Starts the copies of a stage, whose first row is that of step `step`.
  __device__ void stage(unsigned char* to, int step, int steps) const {
    std::int64_t const begin = first_row + step;
    bool const inside = begin >= inside_low && begin + StageRows <= inside_high;
    if (inside) {
#pragma unroll
      for (int n = 0; n < count; ++n)
        if (whole[n]) {
          Element const* from =
              task.elements() + (begin * task.stride + source[n]);
          Element* into =
              reinterpret_cast<Element*>(to) + (threadIdx.x + n * Threads) * V;
#pragma unroll
          for (int j = 0; j < StageRows; ++j) {
            CopyAsync16::copy(into, from);
            from += task.stride;
            into += Row::bytes / int(sizeof(Element));
          }
        }
      if (has_partial)
        partial_vectors<StageRows>(to, task.elements() + begin * task.stride);
    } else {
#pragma unroll 1
      for (int j = 0; j < StageRows && step + j < steps; ++j)
        load_boundary_row(to + j * Row::bytes, begin + j);
    }
  }
  __device__ void load_boundary_row(unsigned char* to,
                                    std::int64_t index) const {
    if constexpr (R == 1) {
      SeparableLinearLoader<Row, Threads, Element> const linear{
          task.weights.row_radius(), task.column_low, task.column_high, first};
      std::int64_t const begin = -index * task.stride;
      linear.load(to, task.elements() - begin, begin, begin + task.columns);
    } else {
      double value = 0;
      if (source_row(task.row_low, task.row_high, task.rows, index, value)) {
        row(to, task.elements() + index * task.stride);
      } else {
        for (int e = threadIdx.x; e < Row::elements; e += Threads)
          reinterpret_cast<Element*>(to)[e] = static_cast<Element>(value);
      }
    }
  }
};

/// Loads the rows of a block into the ring, if they begin at different offsets
/// in their 16-byte chunks. Whole chunks are copied; the first and the last
/// chunk of a row also hold elements outside of it. Element `first` of a row is
/// `offset` bytes after the beginning of the row in the ring.
template <class Row, int Threads, int StageRows, class Task, class Element>
struct SeparableUnalignedLoader {
  static constexpr int stage_bytes =
      StageRows * Row::bytes + (StageRows + 31) / 32 * 32;
  static_assert(StageRows <= Threads);
  static constexpr int V      = Row::per_vector;
  static constexpr int size   = int(sizeof(Element));
  static constexpr int sector = 32;

  Task const& task;
  std::int64_t first;       ///< column of element 0 of a row
  std::int64_t first_row;   ///< first row of step 0
  std::int64_t inside_low;  ///< first row in memory
  std::int64_t inside_high;
  std::int64_t columns_low;  ///< first column in memory
  std::int64_t columns_high;
  std::uintptr_t memory_begin;  ///< address of the first element in memory
  std::uintptr_t memory_end;
  bool periodic;
  bool whole;  ///< every chunk is inside its row
  bool has_boundaries;
  SeparableBoundaries<Row, Element> conditions;

  __device__ SeparableUnalignedLoader(Task const& all,
                                      std::int64_t first_column,
                                      std::int64_t row_of_step_0)
      : task(all), first(first_column), first_row(row_of_step_0) {
    int const radius         = task.weights.row_radius();
    std::int64_t const above = task.weights.column_radius();
    inside_low               = task.row_low.kind == Boundary::halo ? -above : 0;
    inside_high =
        task.rows + (task.row_high.kind == Boundary::halo ? above : 0);
    columns_low = task.column_low.kind == Boundary::halo ? -radius : 0;
    columns_high =
        task.columns + (task.column_high.kind == Boundary::halo ? radius : 0);
    memory_begin = address(inside_low * task.stride + columns_low);
    memory_end   = address((inside_high - 1) * task.stride + columns_high);
    periodic     = task.column_low.kind == Boundary::periodic;
    whole        = first - sector / size >= columns_low &&
            first + Row::elements <= columns_high;
    has_boundaries = (first < 0 && conditions.is_filled(task.column_low)) ||
                     (first + Row::elements > task.columns &&
                      conditions.is_filled(task.column_high));
    int const lane = threadIdx.x % 32;
    if (has_boundaries && lane % 16 < radius) {
      if (lane < 16)
        conditions.start(task.column_low, -1 - lane, task.columns, first);
      else
        conditions.start(task.column_high, task.columns + lane - 16,
                         task.columns, first);
    }
  }

  __device__ std::uintptr_t address(std::int64_t element) const {
    return reinterpret_cast<std::uintptr_t>(task.elements() + element);
  }
  /// Offsets of the rows of a stage, one byte each, stored after its rows.
  struct Offsets {
    Registers<unsigned, (StageRows + 3) / 4> words;
    __device__ int at(int row) const {
      return words[row / 4] >> row % 4 * 8 & 0xff;
    }
  };
  __device__ static Offsets offsets(unsigned char const* stage) {
    return {
        load_words<(StageRows + 3) / 4 * 4, 4>(stage + StageRows * Row::bytes)};
  }
  __device__ void store_offset(unsigned char* stage, int row, int step) const {
    std::int64_t index = first_row + step + row;
    double value;
    bool const inside =
        source_row(task.row_low, task.row_high, task.rows, index, value);
    stage[StageRows * Row::bytes + row] =
        inside ? address(index * task.stride + first) % sector : 0;
  }

  __device__ void chunk(unsigned char* to, Element const* from,
                        std::int64_t column) const {
    if (column + V <= columns_low || column >= columns_high) return;
    bool const inside = column >= columns_low && column + V <= columns_high;
    auto const begin  = reinterpret_cast<std::uintptr_t>(from + column);
    // Other elements of a chunk are not used, or filled in later.
    if (inside ||
        (!periodic && begin >= memory_begin && begin + 16 <= memory_end)) {
      CopyAsync16::copy(to, from + column);
    } else if (!periodic) {
#pragma unroll 1
      for (int e = 0; e < V; ++e)
        if (column + e >= columns_low && column + e < columns_high)
          copy_element(reinterpret_cast<Element*>(to) + e, from + column + e);
    }
  }
  /// Copies the elements of a periodic row that are in no whole chunk, one per
  /// lane. Byte 0 of `to` is column `begin`.
  __device__ void periodic_ends(unsigned char* to, Element const* from,
                                std::int64_t begin) const {
    int const radius       = task.weights.row_radius();
    std::int64_t const end = begin + Row::elements;
    std::int64_t const low =
        begin + (max(columns_low - begin, std::int64_t(0)) + V - 1) / V * V;
    std::int64_t const high =
        max(begin + (min(columns_high, end) - begin) / V * V, low);
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      std::int64_t column =
          (side == 0 ? max(begin, std::int64_t(-radius)) : high) +
          threadIdx.x % 32;
      std::int64_t const stop =
          min(task.columns + radius, side == 0 ? low : end);
      if (column >= stop) continue;
      Element* const into = reinterpret_cast<Element*>(to) + (column - begin);
      column += column < 0               ? task.columns
                : column >= task.columns ? -task.columns
                                         : 0;
      copy_element(into, from + column);
    }
  }

  /// Starts the copies of a stage, whose first row is that of step `step`.
  __device__ void stage(unsigned char* to, int step, int steps) const {
    std::int64_t const begin = first_row + step;
    if (threadIdx.x < StageRows) store_offset(to, threadIdx.x, step);
    if (whole && begin >= inside_low && begin + StageRows <= inside_high) {
#pragma unroll 1
      for (int v = threadIdx.x; v < Row::vectors; v += Threads) {
        std::uintptr_t row = address(begin * task.stride + first);
#pragma unroll
        for (int j = 0; j < StageRows; ++j) {
          CopyAsync16::copy(
              to + (j * Row::bytes + v * 16),
              reinterpret_cast<void const*>(row / sector * sector + v * 16));
          row += task.stride * size;
        }
      }
    } else {
#pragma unroll 1
      for (int j = 0; j < StageRows && step + j < steps; ++j)
        row(to + j * Row::bytes, j, begin + j);
    }
  }
  __device__ void row(unsigned char* to, int j, std::int64_t index) const {
    double value = 0;
    if (source_row(task.row_low, task.row_high, task.rows, index, value)) {
      Element const* const from = task.elements() + index * task.stride;
      std::int64_t const begin =
          first -
          int(reinterpret_cast<std::uintptr_t>(from + first) % sector) / size;
#pragma unroll 1
      for (int v = threadIdx.x; v < Row::vectors; v += Threads)
        chunk(to + v * 16, from, begin + v * V);
      if (periodic && !whole && threadIdx.x / 32 == j % (Threads / 32))
        periodic_ends(to, from, begin);
    } else {
      for (int e = threadIdx.x; e < Row::elements; e += Threads)
        reinterpret_cast<Element*>(to)[e] = static_cast<Element>(value);
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
