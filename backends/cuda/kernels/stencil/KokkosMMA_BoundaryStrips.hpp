// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BOUNDARY_STRIPS_HPP
#define KOKKOSMMA_CUDA_BOUNDARY_STRIPS_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DirectStencil.hpp>
#include <core/stencil/KokkosMMA_StencilFusion.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>
#include <core/stencil/KokkosMMA_BoundaryStrips.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The strips beside the boundaries of a grid step by step, one block for each
/// tile and one launch for all of them: after the sweep that writes them too.

namespace KokkosMMA::Impl::Cuda {

/// Blocks wait rather than compute: small tiles, so that those of a large grid
/// are on the device at once. One of 4 steps of radius 1 reads 72 x 11 elements
/// for 64 x 3 results; 16384^2 elements have 1024 of them.
template <int R>
struct StripShape {
  static constexpr int threads = 256;
  static constexpr int side    = 64;
  /// Strips are as deep as all steps but one reach.
  static constexpr int depth = fused_max_radius - 1;
  static constexpr int room(int radius) {
    return (depth + 2 * radius) * (R > 1 ? side + 2 * radius : 1);
  }
  static constexpr int first = room(fused_max_radius);
  static constexpr int all   = first + room(fused_max_radius - 1);
  /// Two steps are the fewest.
  static constexpr int width = 2 * (fused_max_radius / 2) + 1;
  static constexpr int taps  = R == 1 ? width : width * width;
};

template <class A, int R, class Sink>
struct StripArguments {
  StencilGrid<A, R> grid;
  BoundaryStrips<R, StripShape<R>::side> strips;
  StripTaps<A, R, StripShape<R>::taps> taps;
  int steps;
  Sink sink;
};

template <class A, int R, class Sink>
__global__ void __launch_bounds__(StripShape<R>::threads)
    step_strips(StripArguments<A, R, Sink> const in) {
  using Shape = StripShape<R>;
  __shared__ A memory[Shape::all];
  StripTile<A, R, Shape::taps> const tile{
      in.grid,  in.taps,          in.strips.tile(blockIdx.x),
      in.steps, int(threadIdx.x), Shape::threads};
  A* from = memory;
  A* to   = memory + Shape::first;
  tile.load(from);
#pragma unroll 1
  for (int step = 1; step < in.steps; ++step) {
    __syncthreads();
    tile.advance(step, from, to);
    A* const written = to;
    to               = from;
    from             = written;
  }
  __syncthreads();
  tile.finish(from, in.sink);
}

/// What launch_fused_stencil leaves to be done step by step for this grid.
template <class A, int R, class Sink>
void launch_boundary_strips(Kokkos::Cuda const& space,
                          StencilGrid<A, R> const& grid,
                          StencilPlan<R> const& plan, int steps,
                          Sink const& sink) {
  using Shape = StripShape<R>;
  StripArguments<A, R, Sink> const in{
      grid,
      boundary_strips<Shape::side>(plan.kernel_weights, grid.boundaries,
                                 grid.extent, steps),
      strip_taps<A, Shape::taps>(plan.weights, grid.reversed), steps, sink};
  std::int64_t const tiles = in.strips.tiles();
  if (tiles == 0) return;
  launch_kernel(space, "step_strips", step_strips<A, R, Sink>,
                {checked_blocks(tiles), Shape::threads}, in);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
