// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SLAB_ROWS_HPP
#define KOKKOSMMA_CUDA_SLAB_ROWS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabBox.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabSource.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabTile.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Fills slabs of three dimensions with whole vectors. A slab holds the rows of
/// a tile in one plane. If rows are unaligned in memory (Shape::unaligned), a
/// row of a slab has the same offset within a vector as in memory.
///
/// With bulk copies one warp fills a slab: one lane copies it as a box, or each
/// lane copies a row. Without them all warps do, with their lanes along a row.
template <class Shape, class Element>
class SlabRows {
  using Index                   = std::int64_t;
  using Source                  = SlabSource<Element, 3>;
  using Box                     = SlabBox<Shape, Element>;
  static constexpr int size     = int(sizeof(Element));
  static constexpr int vector   = 16 / size;
  static constexpr int all_rows = Shape::slab_rows;
  static constexpr int warps    = Shape::threads / 32;

 public:
  /// Fills one lane's part of a slab that begins in row y and column x of a
  /// plane. Returns the bytes that the lane copies for `barrier`.
  /// \param shifts receives the shifts of the slab's rows, if rows are
  ///   unaligned
  __device__ static unsigned fill(Source const& source, Box const& box,
                                  SlabTile<Shape, Element> const& tile,
                                  Element* slab, int* shifts, Index plane,
                                  Index y, Index x, int thread,
                                  SharedBarrier barrier) {
    bool const bulk = CopyBulk::exists();
    int const lane  = thread % 32;
    int const first = bulk ? 0 : thread / 32;
    int const step  = bulk ? 1 : warps;

    if (bulk) CopyBulk::order_writes();
    if constexpr (Box::exists) {
      Index z = plane;
      if (tile.boxes && box.find_plane(source.grid, z))
        return tile.fill(source, box, slab, plane, z, y, x, lane, barrier);
    }
    Extent const of = extent(source, plane, x);
    unsigned bytes  = 0;
#pragma unroll 1
    for (int row = bulk ? lane : first; row < all_rows;
         row += bulk ? 32 : warps) {
      Element* const to   = slab + row * Shape::pitch;
      Element const* from = nullptr;
      int shift           = 0;
      if (Index offset = x; source.resolve_row(plane, y + row, offset)) {
        from           = source.grid.data + offset;
        shift          = shift_of(from);
        int const low  = of.low(shift) - shift;
        int const high = of.high(shift) - shift;
        if (!bulk) {
#pragma unroll 1
          for (int at = low + lane * vector; at < high; at += 32 * vector)
            CopyAsync16::copy(to + shift + at, from + at);
        } else if (low < high) {
          CopyBulk::copy(to + shift + low, from + low,
                         unsigned((high - low) * size), barrier);
          bytes += unsigned((high - low) * size);
        }
      }
      if (Shape::unaligned && (bulk || lane == 0)) shifts[row] = shift;
    }
    if (Shape::unaligned) __syncwarp();

    auto const shift_in = [&](int row) {
      return Shape::unaligned ? shifts[row] : 0;
    };
    int const before  = of.low_end() - of.part.first;
    int const outside = before + of.part.last - of.high_begin();
    if (outside > 0) {
#pragma unroll 1
      for (int i = lane; i < (all_rows - first + step - 1) / step * outside;
           i += 32) {
        int const n      = i / outside;
        int const row    = first + n * step;
        int const place  = i - n * outside;
        int const column = place < before ? of.part.first + place
                                          : of.high_begin() + place - before;
        int const shift  = shift_in(row);
        if (column >= of.part.first && column < of.part.last &&
            (column < of.low(shift) - shift ||
             column >= of.high(shift) - shift))
          source.element(slab + row * Shape::pitch + shift + column, plane,
                         y + row, x + column);
      }
    }
    bool const is_inside = 0 <= plane && plane < source.grid.extent[0] &&
                           0 <= y && y + all_rows <= source.grid.extent[1];
    if (!is_inside) {
      // Rows of a constant boundary.
#pragma unroll 1
      for (int row = first; row < all_rows; row += step) {
        Index offset = 0;
        double value;
        if (source.resolve_row(plane, y + row, offset) ||
            !source.constant_row(plane, y + row, value))
          continue;
        Element const constant = static_cast<Element>(value);
        Element* const to      = slab + row * Shape::pitch + shift_in(row);
#pragma unroll 1
        for (int column = of.part.begin + lane; column < of.part.end;
             column += 32)
          to[column] = constant;
      }
    }
    return bytes;
  }

 private:
  __device__ static int floor(int column) { return column & -vector; }
  __device__ static int ceil(int column) { return floor(column + vector - 1); }

  /// Elements between the start of the vector and this element.
  __device__ static int shift_of(Element const* element) {
    return Shape::unaligned
               ? int(reinterpret_cast<std::uintptr_t>(element) % 16) / size
               : 0;
  }

  /// Columns of a plane that are copied in vectors. A vector may hold elements
  /// that no sum reads, but no elements that are stored one by one and no
  /// memory after the grid's.
  struct Extent {
    typename Source::Columns part;
    bool any_shift;  ///< rows have shifts
    bool inner_low;  ///< no vector extends below `part.begin`
    bool inner_high;

    /// Begin and end of the vectors in a row with this shift.
    __device__ int low(int shift) const {
      return inner_low ? ceil(part.begin + shift) : floor(part.begin + shift);
    }
    __device__ int high(int shift) const {
      return inner_high ? floor(part.end + shift) : ceil(part.end + shift);
    }
    /// End of the columns that precede the vectors in any row, and begin of
    /// those that follow them.
    __device__ int low_end() const {
      return !inner_low  ? part.first
             : any_shift ? part.begin + vector - 1
                         : ceil(part.begin);
    }
    /// In a narrow grid the former may reach the latter; no column is in both.
    __device__ int high_begin() const {
      int const begin = !inner_high ? part.last
                        : any_shift ? part.end - vector + 1
                                    : floor(part.end);
      int const end   = low_end();
      return begin < end ? (end < part.last ? end : part.last) : begin;
    }
  };

  __device__ static Extent extent(Source const& source, Index plane, Index x) {
    auto const& grid = source.grid;
    Extent of{source.elements(x, Shape::width_x),
              Shape::unaligned && !source.rows_aligned_16, false, false};
    Index const last =
        (grid.extent[0] - 1 +
         (grid.boundaries.high[0].kind == Boundary::halo ? source.radius[0]
                                                         : 0)) *
        grid.stride[0];
    Index offset = 0;
    bool const at_last =
        source.resolve_row(plane, 0, offset) && offset > last - vector;
    of.inner_low  = of.part.first < of.part.begin;
    of.inner_high = of.part.end < of.part.last || at_last;
    return of;
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
