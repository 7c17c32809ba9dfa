// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SLAB_SOURCE_HPP
#define KOKKOSMMA_CUDA_SLAB_SOURCE_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Copies rows of a grid, including values beyond its boundaries, into shared
/// memory. No radius exceeds the extent.
template <class Element, int R>
struct SlabSource {
  using Index                 = std::int64_t;
  static constexpr int vector = 16 / int(sizeof(Element));

  StencilGrid<Element, R> grid;
  int radius[R];
  /// Whether columns at multiples of `vector` from a tile's first column are
  /// aligned to 16 bytes.
  bool rows_aligned_16;

  /// Adds the offset of index i in dimension D after applying the boundary
  /// condition. Returns false if the value is a constant.
  template <int D>
  __device__ __forceinline__ bool resolve(Index i, Index& offset) const {
    Index const n = grid.extent[D];
    if (i < 0 || i >= n) {
      Boundary const kind =
          i < 0 ? grid.boundaries.low[D].kind : grid.boundaries.high[D].kind;
      if (kind == Boundary::constant) return false;
      i = near_boundary_index(kind, i, n);
    }
    offset += i * grid.stride[D];
    return true;
  }

  template <int D>
  __device__ __forceinline__ double constant_beyond(Index i) const {
    return i < 0 ? grid.boundaries.low[D].value : grid.boundaries.high[D].value;
  }

  /// Source of an element: an offset or a constant.
  struct Place {
    Index offset;
    bool is_constant;
    double constant;
  };
  __device__ __forceinline__ Place place(Index plane, Index y, Index x) const {
    constexpr int last = R - 1;
    // Where constants meet, the caller's first dimension has precedence.
    Place at{0, false, 0};
    auto const beyond = [&](double constant) {
      if (!at.is_constant || grid.reversed) at.constant = constant;
      at.is_constant = true;
    };
    if constexpr (R > 1) {
      if (!resolve<0>(plane, at.offset)) beyond(constant_beyond<0>(plane));
    }
    if constexpr (R > 2) {
      if (!resolve<1>(y, at.offset)) beyond(constant_beyond<1>(y));
    }
    if (!resolve<last>(x, at.offset)) beyond(constant_beyond<last>(x));
    return at;
  }

  /// Copies one element, unless no sum reads it.
  __device__ __forceinline__ void element(Element* to, Index plane, Index y,
                                          Index x) const {
    constexpr int last = R - 1;
    if (x < -radius[last] || x >= grid.extent[last] + radius[last]) return;
    if constexpr (R > 1) {
      if (plane >= grid.extent[0] + radius[0]) return;
    }
    if constexpr (R == 3) {
      if (y < -radius[1] || y >= grid.extent[1] + radius[1]) return;
    }
    Place const at = place(plane, y, x);
    if (at.is_constant)
      *to = static_cast<Element>(at.constant);
    else if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
      CopyAsyncWord<int(sizeof(Element))>::copy(to, grid.data + at.offset);
    } else {
      *to = grid.data[at.offset];
    }
  }

  /// Columns of a slab, relative to its first: sums read [first, last), and of
  /// these [begin, end) are in whole vectors of the grid.
  struct Columns {
    int first;
    int begin;
    int end;
    int last;

    __device__ __forceinline__ int outside() const {
      return begin - first + last - end;
    }
    /// Returns the i-th column outside [begin, end).
    __device__ __forceinline__ int outside(int i) const {
      return i < begin - first ? first + i : end + i - (begin - first);
    }
  };

  __device__ __forceinline__ static int within(Index column, int width) {
    return int(column < 0 ? 0 : column > width ? width : column);
  }

  __device__ __forceinline__ Columns columns(Index x, int width) const {
    Index const end = grid.extent[R - 1] - x;
    Columns result;
    result.first = within(-x - radius[R - 1], width);
    result.last  = within(end + radius[R - 1], width);
    result.begin = (within(-x, width) + vector - 1) / vector * vector;
    result.end   = within(end, width) / vector * vector;
    if (!rows_aligned_16 || result.end <= result.begin)
      result.begin = result.end = result.last;
    return result;
  }

  /// Returns the columns that sums read. [begin, end) are all of them that are
  /// in memory, ghost cells included.
  __device__ __forceinline__ Columns elements(Index x, int width) const {
    Index const end = grid.extent[R - 1] - x;
    Columns result;
    result.first = within(-x - radius[R - 1], width);
    result.last  = within(end + radius[R - 1], width);
    result.begin = grid.boundaries.low[R - 1].kind == Boundary::halo
                       ? result.first
                       : within(-x, width);
    result.end   = grid.boundaries.high[R - 1].kind == Boundary::halo
                       ? result.last
                       : within(end, width);
    return result;
  }

  /// Sets the value of a row that is constant, in three dimensions, where
  /// resolve_row() is false. Returns false if no sum reads the row.
  __device__ __forceinline__ bool constant_row(Index plane, Index y,
                                               double& value) const {
    static_assert(R == 3);
    Index offset = 0;
    if (plane >= grid.extent[0] + radius[0] || y >= grid.extent[1] + radius[1])
      return false;
    value               = constant_beyond<0>(plane);
    bool const is_plane = !resolve<0>(plane, offset);
    if (!resolve<1>(y, offset) && (!is_plane || grid.reversed))
      value = constant_beyond<1>(y);
    return true;
  }

  /// Adds the offset of a row of a slab. Returns false if the row is constant
  /// or no sum reads it. In two dimensions, rows are planes.
  __device__ __forceinline__ bool resolve_row(Index plane, Index y,
                                              Index& offset) const {
    if constexpr (R > 1) {
      if (plane >= grid.extent[0] + radius[0] || !resolve<0>(plane, offset))
        return false;
    }
    if constexpr (R > 2) {
      return y < grid.extent[1] + radius[1] && resolve<1>(y, offset);
    }
    return true;
  }

  /// Starts copying `rows` rows (in one dimension, one) of `row_vectors`
  /// vectors from row y and column x of a plane, with threads 0 to `threads` -
  /// 1. Each element outside the grid's vectors has its own thread, so that
  /// tiles at a boundary do not delay the others.
  __device__ __forceinline__ void load(Element* slab, int rows, int row_vectors,
                                       Index plane, Index y, Index x,
                                       int thread, int threads) const {
    int const pitch    = row_vectors * vector;
    Columns const part = columns(x, pitch);
    for (int i = thread; i < rows * row_vectors; i += threads) {
      int const row    = R > 1 ? i / row_vectors : 0;
      int const column = (i - row * row_vectors) * vector;
      Index offset     = x + column;
      if (part.begin <= column && column < part.end &&
          resolve_row(R == 2 ? plane + row : plane, y + row, offset))
        CopyAsync16::copy(slab + i * vector, grid.data + offset);
    }
    // Elements that are in no vector of the grid.
    if (int const outside = part.outside(); outside > 0) {
#pragma unroll 1
      for (int i = thread; i < rows * outside; i += threads) {
        int const row    = R > 1 ? i / outside : 0;
        int const column = part.outside(i - row * outside);
        element(slab + row * pitch + column, R == 2 ? plane + row : plane,
                y + row, x + column);
      }
    }
    if constexpr (R > 1) {
      bool const is_inside =
          0 <= plane && plane + (R == 2 ? rows : 1) <= grid.extent[0] &&
          (R == 2 || (0 <= y && y + rows <= grid.extent[R > 2]));
      if (is_inside) return;
        // Rows of a constant boundary.
#pragma unroll 1
      for (int row = 0; row < rows; ++row) {
        Index offset = 0;
        if (resolve_row(R == 2 ? plane + row : plane, y + row, offset))
          continue;
#pragma unroll 1
        for (int column = part.begin + thread; column < part.end;
             column += threads)
          element(slab + row * pitch + column, R == 2 ? plane + row : plane,
                  y + row, x + column);
      }
    }
  }
};

template <class Element, int R>
SlabSource<Element, R> slab_source(
    StencilGrid<Element, R> const& grid,
    std::array<int, std::size_t(R)> const& radius, bool rows_aligned_16) {
  SlabSource<Element, R> source{grid, {}, rows_aligned_16};
  for (std::size_t d = 0; d < R; ++d) source.radius[d] = radius[d];
  return source;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
