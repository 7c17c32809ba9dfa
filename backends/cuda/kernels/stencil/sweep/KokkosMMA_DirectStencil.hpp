// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DIRECT_STENCIL_HPP
#define KOKKOSMMA_CUDA_DIRECT_STENCIL_HPP

#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_GeneralStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>
#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// Stencils with any weights as multiply-adds. Each sum follows the order of
/// the weights, so results are bitwise identical to those of the generic route.

namespace KokkosMMA::Impl::Cuda {

/// Launches a stencil; the weights are in the order of the grid's dimensions.
template <class A, int R, class Element, class Epilogue>
void launch_direct_stencil(Stream const& space,
                           StencilGrid<Element, R> const& grid,
                           StencilWeights<R> const& weights,
                           Epilogue const& epilogue) {
  for (int d = 0; d < R; ++d)
    if (grid.extent[d] == 0) return;
  DirectPattern const pattern = direct_pattern(weights);
  int const radius            = weights.radius(0);
  if constexpr (R > 1) {
    if (pattern == DirectPattern::star && radius <= sweep_star_radius<R>) {
      launch_pattern_sweep<SweepPattern::star, sweep_star_radius<R>, A>(
          space, grid, weights, epilogue);
      return;
    }
  }
  if (pattern == DirectPattern::dense && radius <= sweep_dense_radius<R>)
    launch_pattern_sweep<SweepPattern::dense, sweep_dense_radius<R>, A>(
        space, grid, weights, epilogue);
  else
    launch_general_stencil<A>(space, grid, weights, epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
