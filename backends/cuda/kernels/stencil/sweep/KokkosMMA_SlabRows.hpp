// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SLAB_ROWS_HPP
#define KOKKOSMMA_CUDA_SLAB_ROWS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyTensor.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabSource.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// \file
/// Copies of slabs of three dimensions into shared memory: as boxes of a
/// tensor, each copied by one thread, or row by row. Copying row by row took
/// some seventy cycles per row of any length, judging by thirteen types, radii
/// and patterns, and all warps waited for the copying warp. A star of half of
/// radius 2 took 396 us row by row, 312 with more slabs between that warp and
/// the others, and 236 with boxes (512^3, H100, CUDA 13.0, 2026-11-27).

namespace KokkosMMA::Impl::Cuda {

struct NoBox {};

template <class Shape, class Element>
struct SlabBox {
  using Index                 = std::int64_t;
  static constexpr int size   = int(sizeof(Element));
  static constexpr int vector = 16 / size;
  /// A row of a box has at most 256 units.
  static constexpr int unit = [] {
    int bytes = size;
    while (Shape::pitch * size / bytes > 256) bytes *= 2;
    return bytes;
  }();
  static constexpr bool exists =
      Shape::tuning.boxes && !Shape::unaligned && unit <= 8;
  static constexpr unsigned bytes =
      unsigned(Shape::slab_rows * Shape::pitch * size);

  static constexpr int shorter_rows = Shape::slab_rows - Shape::reach_y;
  static constexpr unsigned shorter_bytes =
      unsigned(shorter_rows * Shape::pitch * size);

  TensorMap map;
  std::conditional_t<(Shape::ends > 0), TensorMap, NoBox> shorter;
  int begin[3];  ///< first index of the tensor, as an index of the grid
  /// Bit 2 d + high: elements beyond that side of dimension d are zero, or
  /// ghost cells and thus in the tensor.
  unsigned sides;
  /// Same bits: SlabTile handles the elements beyond that side.
  unsigned edges;
  bool is_described;

  __device__ bool has_side(int d, int high) const {
    return (sides >> (2 * d + high) & 1) != 0;
  }
  __device__ bool takes_edge(int d, int high) const {
    return (edges >> (2 * d + high) & 1) != 0;
  }
  /// Replaces a plane by the plane of the tensor that has its values. Returns
  /// false if no plane of the tensor has them.
  __device__ bool find_plane(StencilGrid<Element, 3> const& grid,
                             Index& plane) const {
    bool const low = plane < 0;
    if ((!low && plane < grid.extent[0]) || has_side(0, !low)) return true;
    Boundary const kind =
        low ? grid.boundaries.low[0].kind : grid.boundaries.high[0].kind;
    if (kind == Boundary::constant) return false;
    plane = near_boundary_index(kind, plane, grid.extent[0]);
    return true;
  }
  /// Called by one thread; `barrier` must expect `bytes`, or `shorter_bytes` of
  /// `shorter`, which has `shorter_rows` rows.
  __device__ void copy(TensorMap const& of, Element* slab, Index plane, Index y,
                       Index x, SharedBarrier barrier) const {
    CopyTensor::copy(slab, of, (int(x) - begin[2]) / (unit / size),
                     int(y) - begin[1], int(plane) - begin[0], barrier);
  }
};

/// Describes the grid as a tensor.
/// \param origin column of the first tile, at most 0: a multiple of 16 bytes
template <class Shape, class Element>
void describe_slabs(SlabBox<Shape, Element>& box,
                    StencilGrid<Element, 3> const& grid,
                    std::array<int, 3> const& radius, std::int64_t origin,
                    bool rows_aligned_16) {
  using Box           = SlabBox<Shape, Element>;
  constexpr int bytes = Box::size;
  box.sides           = 0;
  box.edges           = 0;
  box.is_described    = false;
  static_assert(Box::exists);
  if (!rows_aligned_16) return;
  std::int64_t count[3];
  for (int d = 0; d < 3; ++d) {
    auto const is_ghost = [](BoundaryCondition const& side) {
      return side.kind == Boundary::halo;
    };
    auto const is_zero = [](BoundaryCondition const& side) {
      return side.kind == Boundary::constant && side.value == 0 &&
             !std::signbit(side.value);
    };
    auto const& low  = grid.boundaries.low[d];
    auto const& high = grid.boundaries.high[d];
    int const ghosts = radius[std::size_t(d)];
    // Before a first column inside a vector is memory outside the grid.
    bool const low_is_zero = is_zero(low) && (d < 2 || origin == 0);
    box.sides |= unsigned(is_ghost(low) || low_is_zero) << 2 * d |
                 unsigned(is_ghost(high) || is_zero(high)) << (2 * d + 1);
    std::int64_t const first = is_ghost(low) ? -ghosts : 0;
    std::int64_t begin       = first;
    if (d == 2) {
      // Begin of the 16-byte vector that contains the first column.
      std::int64_t const vector = 16 / bytes;
      begin                     = origin + (first - origin) / vector * vector;
      if (begin > first) begin -= vector;
    }
    box.begin[d] = int(begin);
    count[d]     = grid.extent[d] + (is_ghost(high) ? ghosts : 0) - begin;
    if (count[d] <= 0 || count[d] > 0x7fff0000) return;
  }
  if (count[2] * bytes % Box::unit != 0) return;
  TensorShape shape{grid.data + box.begin[0] * grid.stride[0] +
                        box.begin[1] * grid.stride[1] + box.begin[2],
                    Box::unit,
                    {std::uint64_t(count[2] * bytes / Box::unit),
                     std::uint64_t(count[1]), std::uint64_t(count[0])},
                    {std::uint64_t(grid.stride[1] * bytes),
                     std::uint64_t(grid.stride[0] * bytes)},
                    {std::uint32_t(Shape::pitch * bytes / Box::unit),
                     std::uint32_t(Shape::slab_rows), 1}};
  box.is_described = box.map.describe(shape);
  if constexpr (Shape::ends > 0) {
    // Rows must be whole vectors, and no slab may cross both row boundaries.
    if (!box.is_described || origin != 0 || grid.extent[2] % Box::vector != 0)
      return;
    constexpr unsigned rows = 12, columns = 48;
    box.edges    = ~box.sides & columns;
    shape.box[1] = Box::shorter_rows;
    if ((~box.sides & rows) != 0 &&
        grid.extent[1] >= Shape::tile_y + Shape::reach_y &&
        box.shorter.describe(shape))
      box.edges |= ~box.sides & rows;
  }
}

/// Division of a tile's slabs into boxes of a tensor, at boundaries other than
/// zeros and ghost cells. A box writes all its columns and rows, with zeros
/// beyond the tensor. Elements beyond the first or last row of the grid are
/// copied row by row; a shorter box excludes them. The last tile is moved up
/// until it is whole. Elements beyond the first or last column are copied to a
/// separate buffer and moved into the slab when the box has arrived; for stars,
/// only into rows that have sums.
///
/// Fraction of a copy's rate between zeros, at reflecting boundaries, and there
/// with all rows of these slabs copied one by one. Stars of radius 4: float .78
/// .75 .66, half .65 .55 .44. Radius 8: float .70 .56 .42, double .61 .55 .48
/// (512^3, H100, CUDA 13.0, 2026-11-27). Tried: threads at the boundary read
/// the separate buffer (between zeros half .63, radius 8 float .66, double
/// .57); one warp copies rows by cp.async (float .57); the buffer is moved
/// after the reads of the previous slab (half .48).
template <class Shape, class Element>
struct SlabTile {
  using Index                    = std::int64_t;
  using Source                   = SlabSource<Element, 3>;
  using Box                      = SlabBox<Shape, Element>;
  using Word                     = typename Shape::EndWord;
  static constexpr int radius    = Shape::reach_y;
  static constexpr int per_word  = int(sizeof(Word) / sizeof(Element));
  static constexpr bool has_ends = Shape::ends > 0;

  bool boxes   = false;  ///< slabs are boxes, except in planes of a constant
  bool shorter = false;  ///< the boxes exclude the rows beyond a boundary
  int row      = 0;      ///< first row of a slab that is beyond the boundary
  int end      = 0;      ///< -1: before the first column, 1: after the last

  /// \param[in,out] y first row of the tile
  /// \param x first column of its slabs
  __device__ void find(Box const& box, StencilGrid<Element, 3> const& grid,
                       Index& y, Index x) {
    if constexpr (Box::exists) {
      if (!CopyTensor::exists() || !box.is_described) return;
      bool const before = x < 0 && !box.has_side(2, 0);
      bool const after =
          x + Shape::width_x > grid.extent[2] && !box.has_side(2, 1);
      bool const low      = y < radius;
      bool const all_rows = (y >= radius || box.has_side(1, 0)) &&
                            (y - radius + Shape::slab_rows <= grid.extent[1] ||
                             box.has_side(1, 1));
      if ((before && !box.takes_edge(2, 0)) ||
          (after && (before || !box.takes_edge(2, 1))) ||
          (!all_rows && !box.takes_edge(1, !low)))
        return;
      // Row-by-row copies do not write zeros beyond a column.
      bool const beside_zeros =
          (x < 0 && !before) || (x + Shape::width_x > grid.extent[2] && !after);
      if (Shape::tuning.corners && !all_rows && beside_zeros) return;
      boxes   = true;
      shorter = !all_rows;
      row     = low ? 0 : Shape::tile_y + radius;
      end     = before ? -1 : after ? 1 : 0;
      if (shorter && y + Shape::tile_y > grid.extent[1])
        y = grid.extent[1] - Shape::tile_y;
    }
  }

  /// Elements by which a slab is shifted, so that the shorter box begins at a
  /// multiple of 128 bytes.
  __device__ int shift() const {
    return shorter && row == 0 ? Shape::shorter_shift : 0;
  }

  /// Starts the copies of a slab with the lanes of one warp. Returns the bytes
  /// that the lane copies for `barrier`.
  /// \param z plane of the tensor that has the values of `plane`
  __device__ unsigned fill(Source const& source, Box const& box, Element* slab,
                           Index plane, Index z, Index y, Index x, int lane,
                           SharedBarrier barrier) const {
    if constexpr (has_ends) {
      if (shorter) {
        unsigned const bytes =
            fill_rows(source, slab, plane, y, x, lane, barrier);
        if (lane != 0) return bytes;
        int const from = row == 0 ? radius : 0;
        box.copy(box.shorter, slab + from * Shape::pitch, z, y + from, x,
                 barrier);
        return bytes + Box::shorter_bytes;
      }
    }
    if (lane != 0) return 0;
    box.copy(box.map, slab, z, y, x, barrier);
    return Box::bytes;
  }

  /// Copies the elements beyond a column boundary as whole words, in which
  /// small elements have the same offset as in memory.
  __device__ void fill_ends(Source const& source, Word* to, Index plane,
                            Index y, int lane) const {
#pragma unroll 1
    for (int i = lane; i < Shape::ends; i += 32) {
      Index const of = y + slab_row(i);
      if (of >= source.grid.extent[1] + source.radius[1]) continue;
      auto const at = source.place(plane, of, column(source, i));
      if (at.is_constant) {
        to[i] = word_of(static_cast<Element>(at.constant));
      } else {
        CopyAsyncWord<int(sizeof(Word))>::copy(
            to + i, source.grid.data + (at.offset & -Index(per_word)));
      }
    }
  }
  /// Moves the elements beyond a column boundary into the slab.
  __device__ void put_ends(Source const& source, Element* slab,
                           Word const* from, Index x, int lane) const {
#pragma unroll 1
    for (int i = lane; i < Shape::ends; i += 32) {
      Index const j = column(source, i);
      int const to  = int(j - x);
      if (to >= Shape::width_x) continue;
      Index of = 0;
      source.template resolve<2>(j, of);
      Word const word =
          from[i] >> 8 * int(sizeof(Element)) * (int(of) % per_word);
      Element value;
      std::memcpy(static_cast<void*>(&value), &word, sizeof(value));
      slab[slab_row(i) * Shape::pitch + to] = value;
    }
  }

 private:
  /// Returns a word whose elements all have this value.
  __device__ static Word word_of(Element value) {
    Word word = 0;
    std::memcpy(&word, static_cast<void const*>(&value), sizeof(value));
    return per_word == 4   ? word * 0x01010101u
           : per_word == 2 ? word * 0x00010001u
                           : word;
  }
  __device__ static int slab_row(int i) {
    return i / radius + (Shape::tuning.corners ? 0 : radius);
  }
  __device__ Index column(Source const& source, int i) const {
    int const n = i % radius;
    return end < 0 ? -1 - n : source.grid.extent[2] + n;
  }
  /// Copies the rows that are not part of the shorter box.
  __device__ unsigned fill_rows(Source const& source, Element* slab,
                                Index plane, Index y, Index x, int lane,
                                SharedBarrier barrier) const {
    Index const first = x < 0 ? 0 : x;
    Index const rest  = source.grid.extent[2] - first;
    int const from    = int(first - x);
    int const room    = Shape::width_x - from;
    int const count   = rest < room ? int(rest) : room;
    unsigned bytes    = 0;
#pragma unroll 1
    for (int n = 0; n < radius; ++n) {
      Element* const to = slab + (row + n) * Shape::pitch + from;
      Index offset      = first;
      double value;
      if (source.resolve_row(plane, y + row + n, offset)) {
        if (lane != n) continue;
        bytes = unsigned(count) * unsigned(sizeof(Element));
        CopyBulk::copy(to, source.grid.data + offset, bytes, barrier);
      } else if (source.constant_row(plane, y + row + n, value)) {
#pragma unroll 1
        for (int column = lane; column < count; column += 32)
          to[column] = static_cast<Element>(value);
      }
    }
    return bytes;
  }
};

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
