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

/// \file
/// Slabs of three dimensions as boxes of a tensor, each of which is one copy by
/// one thread. Row by row they took some seventy cycles for each row, whatever
/// its length, by the times of thirteen types, radii and patterns, and all
/// warps wait for the one that copies: a star of halves of radius 2 took 396 us
/// row by row, 312 with more slabs between that warp and the others, and 236 by
/// boxes (512^3, H100, CUDA 13.0, 2026-11-27).

namespace KokkosMMA::Impl::Cuda {

template <class Shape, class Element>
struct SlabBox {
  using Index               = std::int64_t;
  static constexpr int size = int(sizeof(Element));
  /// A row of the box has at most 256 units.
  static constexpr int unit = [] {
    int bytes = size;
    while (Shape::pitch * size / bytes > 256) bytes *= 2;
    return bytes;
  }();
  static constexpr bool exists =
      Shape::tuning.boxes && !Shape::unaligned && unit <= 8;
  static constexpr unsigned bytes =
      unsigned(Shape::slab_rows * Shape::pitch * size);

  TensorMap map;
  int begin[3];  ///< of the tensor, in elements of the grid
  /// Bit 2 d + high: what lies beyond that side of dimension d is zero, or in
  /// the tensor, as ghost cells are.
  unsigned sides;
  bool is_described;

  /// Whether the slab from there on is what the box of the tensor is.
  __device__ bool has(StencilGrid<Element, 3> const& grid, Index plane, Index y,
                      Index x) const {
    Index const first[3]  = {plane, y, x};
    constexpr int count[] = {1, Shape::slab_rows, Shape::width_x};
    bool all              = is_described;
#pragma unroll
    for (int d = 0; d < 3; ++d)
      all = all && (first[d] >= 0 || (sides >> 2 * d & 1) != 0) &&
            (first[d] + count[d] <= grid.extent[d] ||
             (sides >> (2 * d + 1) & 1) != 0);
    return all;
  }
  /// By one thread; `barrier` must expect `bytes`.
  __device__ void copy(Element* slab, Index plane, Index y, Index x,
                       SharedBarrier barrier) const {
    CopyTensor::copy(slab, map, (int(x) - begin[2]) / (unit / size),
                     int(y) - begin[1], int(plane) - begin[0], barrier);
  }
};

/// \param origin column of the first tile, not above 0: a multiple of 16 bytes
///        in memory
template <class Shape, class Element>
void describe_slabs(SlabBox<Shape, Element>& box,
                    StencilGrid<Element, 3> const& grid,
                    std::array<int, 3> const& radius, std::int64_t origin,
                    bool rows_aligned_16) {
  using Box           = SlabBox<Shape, Element>;
  constexpr int bytes = Box::size;
  box.sides           = 0;
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
    // In front of a first column within a vector is memory of others.
    bool const low_is_zero = is_zero(low) && (d < 2 || origin == 0);
    box.sides |= unsigned(is_ghost(low) || low_is_zero) << 2 * d |
                 unsigned(is_ghost(high) || is_zero(high)) << (2 * d + 1);
    std::int64_t const first = is_ghost(low) ? -ghosts : 0;
    std::int64_t begin       = first;
    if (d == 2) {
      // The vector of 16 bytes that the first column is in.
      std::int64_t const vector = 16 / bytes;
      begin                     = origin + (first - origin) / vector * vector;
      if (begin > first) begin -= vector;
    }
    box.begin[d] = int(begin);
    count[d]     = grid.extent[d] + (is_ghost(high) ? ghosts : 0) - begin;
    if (count[d] <= 0 || count[d] > 0x7fff0000) return;
  }
  if (count[2] * bytes % Box::unit != 0) return;
  TensorShape const shape{grid.data + box.begin[0] * grid.stride[0] +
                              box.begin[1] * grid.stride[1] + box.begin[2],
                          Box::unit,
                          {std::uint64_t(count[2] * bytes / Box::unit),
                           std::uint64_t(count[1]), std::uint64_t(count[0])},
                          {std::uint64_t(grid.stride[1] * bytes),
                           std::uint64_t(grid.stride[0] * bytes)},
                          {std::uint32_t(Shape::pitch * bytes / Box::unit),
                           std::uint32_t(Shape::slab_rows), 1}};
  box.is_described = box.map.describe(shape);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
