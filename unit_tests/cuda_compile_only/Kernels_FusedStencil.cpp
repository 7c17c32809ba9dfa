// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps of a stencil in one sweep, and the strips beside boundaries,
// for the preset cuda-compile-only. Nothing here runs.

#include <backends/cuda/kernels/stencil/KokkosMMA_FusedStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BoundaryStrips.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class A, int R>
void fused(void* y) {
  StencilGrid<A, R> const grid{};
  StencilTarget<A, R> const target{static_cast<A*>(y), {}};
  StencilPlan<R> const plan(StencilWeights<R>::box(1), false);
  Cuda::launch_fused_stencil<A, R>(Kokkos::Cuda(), grid,
                                   compose(*plan.product, 2), target);
  Cuda::launch_boundary_strips<A, R>(Kokkos::Cuda(), grid, plan, 2, target);
}

}  // namespace

void kernels_fused_stencil(void* y) {
  fused<float, 1>(y);
  fused<float, 2>(y);
  fused<double, 1>(y);
  fused<double, 2>(y);
}
