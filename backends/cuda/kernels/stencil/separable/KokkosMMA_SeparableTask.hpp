// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_TASK_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_TASK_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <cstdint>

/// \file
/// Input of a thread block of a separable stencil, and sources of the rows and
/// columns beyond the boundaries.

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

}  // namespace KokkosMMA::Impl::Cuda

#endif
