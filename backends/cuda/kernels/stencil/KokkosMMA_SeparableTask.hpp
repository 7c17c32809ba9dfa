// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_TASK_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_TASK_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <cstdint>

/// \file
/// What a block of a separable stencil reads, and the rows and columns beyond
/// the boundaries.

namespace KokkosMMA::Impl::Cuda {

/// Everything that a block needs to know. A grid of one dimension is cut into
/// rows that lie one behind the other in memory.
template <class Element, class Weights>
struct SeparableTask {
  Element const* data;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  BoundaryCondition row_low, row_high, column_low, column_high;
  bool rows_first;  ///< where constants meet, that of the rows is taken
  int shift;        ///< elements from a 16-byte line to the start of a row
  unsigned strips;
  std::int64_t chunk_rows;
  Weights weights;

  /// Element 0 of what a block reads, and its place among the blocks that do.
  __device__ Element const* elements() const { return data; }
  __device__ unsigned block() const { return blockIdx.x; }
  /// From the sink's first result to where those of the block begin.
  __device__ static std::int64_t results() { return 0; }
};

/// The same for planes at equal distances, one behind the other or backwards.
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

/// An element into shared memory, while the thread goes on where there is an
/// instruction for its size.
template <class Element>
__device__ inline void copy_element(Element* to, Element const* from) {
  if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
    CopyAsyncWord<sizeof(Element)>::copy(to, from);
  } else {
    *to = *from;
  }
}

/// The row that stands for one that may lie outside; false where a constant
/// does.
__device__ inline bool locate_line(BoundaryCondition const& low,
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

/// The elements beyond the boundaries of a row that is in shared memory and
/// whose own elements stand for them. Lanes 0 to 15 have those below, 16 to 31
/// those above.
template <class Row, class Element>
struct SeparableBoundaries {
  int to     = -1;  ///< place in the row; -1: none
  int source = -1;  ///< the same; -1: a constant
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
