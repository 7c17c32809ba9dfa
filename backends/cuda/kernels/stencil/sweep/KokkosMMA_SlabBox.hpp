// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SLAB_BOX_HPP
#define KOKKOSMMA_CUDA_SLAB_BOX_HPP

#include <backends/cuda/arch/KokkosMMA_CopyTensor.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Slabs of three dimensions as boxes of a tensor, each copied by one thread.
/// Copying row by row took some seventy cycles per row of any length, judging
/// by thirteen types, radii and patterns, and all warps waited for the copying
/// warp. A star of half of radius 2 took 396 us row by row, 312 with more slabs
/// between that warp and the others, and 236 with boxes (512^3, H100, CUDA
/// 13.0, 2026-11-27).

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
  /// Called by one thread; `barrier` must expect `bytes`.
  __device__ void copy(Element* slab, Index plane, Index y, Index x,
                       SharedBarrier barrier) const {
    copy(map, slab, plane, y, x, barrier);
  }
  /// Copies `shorter_rows` rows; `barrier` must expect `shorter_bytes`.
  __device__ void copy_shorter(Element* slab, Index plane, Index y, Index x,
                               SharedBarrier barrier) const {
    copy(shorter, slab, plane, y, x, barrier);
  }

 private:
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

}  // namespace KokkosMMA::Impl::Cuda

#endif
