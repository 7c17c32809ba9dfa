// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_TASK_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_TASK_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <cstdint>

/// \file
/// What a thread block of a separable stencil reads, and the source of rows
/// and columns beyond the boundaries.

namespace KokkosMMA::Impl::Cuda {

/// The arguments of a block. A grid of one dimension is divided into rows that
/// follow each other in memory.
template <class Element, class Weights>
struct SeparableTask {
  Element const* data;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  BoundaryCondition row_low, row_high, column_low, column_high;
  bool rows_first;  ///< where constants meet, that of the rows is used
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

/// The arguments of a block for several planes at equal distances, which may
/// be negative.
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

/// Maps an out-of-grid row to its source row. Returns false, and the constant,
/// where a constant is beyond the boundary.
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

/// The boundary fix-up of a row in shared memory: elements beyond the
/// boundaries that are copies of the row's own, or constants. Lanes 0 to 15
/// have the low side, 16 to 31 the high side.
template <class Row, class Element>
struct SeparableBoundaries {
  int to     = -1;  ///< index in the row; -1: none
  int source = -1;  ///< index in the row; -1: a constant
  Element value{};

  __device__ static bool is_filled(BoundaryCondition const& condition) {
    return condition.kind != Boundary::halo &&
           condition.kind != Boundary::periodic;
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

/// The rows and columns in memory that a block loads, and the boundary fix-up:
/// what the loaders of aligned and unaligned rows share.
template <class Row, int Threads, int StageRows, int R, class Task,
          class Element>
struct SeparableRows {
  Task const& task;
  std::int64_t first;       ///< column of element 0 of a row in the ring
  std::int64_t first_row;   ///< of step 0
  std::int64_t inside_low;  ///< first row in memory
  std::int64_t inside_high;
  std::int64_t columns_low;  ///< first column in memory
  std::int64_t columns_high;
  bool has_boundaries = false;
  SeparableBoundaries<Row, Element> conditions;

  __device__ SeparableRows(Task const& all, std::int64_t first_column,
                           std::int64_t row_of_step_0)
      : task(all), first(first_column), first_row(row_of_step_0) {
    int const radius = task.weights.row_radius();
    columns_low      = task.column_low.kind == Boundary::halo ? -radius : 0;
    columns_high =
        task.columns + (task.column_high.kind == Boundary::halo ? radius : 0);
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
  /// Once a stage has arrived, fills in the elements beyond the boundaries of
  /// each row. Loader::offsets(stage).at(j) is where row j begins.
  template <class Loader>
  __device__ void fill_boundaries(unsigned char* stage, int step) const {
    int const warp = threadIdx.x / 32;
#pragma unroll
    for (int j = 0; j < StageRows; ++j) {
      if (j % (Threads / 32) != warp) continue;
      std::int64_t const index = first_row + step + j;
      bool const constant =
          (index < 0 && task.row_low.kind == Boundary::constant) ||
          (index >= task.rows && task.row_high.kind == Boundary::constant);
      conditions.fill(stage + j * Row::bytes + Loader::offsets(stage).at(j),
                      constant, task.rows_first);
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
