// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps of a stencil in one sweep, for the preset cuda-compile-only.
// Nothing here runs.

#include <backends/cuda/kernels/stencil/KokkosMMA_StepStencilLaunch.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class A, class Element>
void steps(void* y) {
  StencilGrid<Element, 2> const grid{};
  StencilTarget<Element, 2> const target{static_cast<Element*>(y), {}};
  StencilPlan<2> const plan(StencilWeights<2>::box(1), false);
  Cuda::launch_step_stencil<A, Element>(Kokkos::Cuda(), grid, plan,
                                        StepForm::product, 2, target);
}

}  // namespace

void kernels_step_stencil(void* y) {
  steps<float, float>(y);
  steps<double, double>(y);
  steps<float, Kokkos::Experimental::half_t>(y);
}
