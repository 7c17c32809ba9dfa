// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SLAB_TILE_HPP
#define KOKKOSMMA_CUDA_SLAB_TILE_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyTensor.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabBox.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabSource.hpp>

#include <cstdint>
#include <cstring>

/// \file
/// Division of a tile's slabs into boxes of a tensor, at boundaries other than
/// zeros and ghost cells. A box writes all its columns and rows, with zeros
/// beyond the tensor.

namespace KokkosMMA::Impl::Cuda {

/// Elements beyond the first or last row of the grid are copied row by row; a
/// shorter box excludes them. The last tile is moved up until it is whole.
/// Elements beyond the first or last column are copied to a separate buffer and
/// moved into the slab when the box has arrived; for stars, only into rows that
/// have sums.
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
        box.copy_shorter(slab + from * Shape::pitch, z, y + from, x, barrier);
        return bytes + Box::shorter_bytes;
      }
    }
    if (lane != 0) return 0;
    box.copy(slab, z, y, x, barrier);
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

}  // namespace KokkosMMA::Impl::Cuda

#endif
