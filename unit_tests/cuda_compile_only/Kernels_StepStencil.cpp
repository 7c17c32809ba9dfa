// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps of a stencil in one sweep, for the preset cuda-compile-only.
// Nothing here runs.

#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilLaunch.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

/// What a step may write instead of the sum.
struct Middle {
  template <class T, class A>
  KOKKOS_FUNCTION A operator()(std::int64_t, std::int64_t, T value,
                               A sum) const {
    return (A(value) + sum) / 2;
  }
};

template <class A, class Element, int R, class... Update>
void steps(void* y, StepForm form, Update const&... update) {
  StencilGrid<Element, R> const grid{};
  StencilTarget<Element, R> const target{static_cast<Element*>(y), {}};
  FactoredWeights<R> const plan(StencilWeights<R>::star(1), false);
  Cuda::launch_step_stencil<A, Element>(Kokkos::Cuda(), grid, plan, form, 2,
                                        target, update...);
}

template <class A, class Element>
void all(void* y) {
  steps<A, Element, 1>(y, StepForm::inward);
  steps<A, Element, 2>(y, StepForm::star);
  steps<A, Element, 3>(y, StepForm::star);
}

}  // namespace

void kernels_step_stencil(void* y) {
  all<float, float>(y);
  all<double, double>(y);
  all<float, Kokkos::Experimental::half_t>(y);
  steps<float, float, 2>(y, StepForm::star, Middle());
  steps<double, double, 2>(y, StepForm::star, Middle());
}
