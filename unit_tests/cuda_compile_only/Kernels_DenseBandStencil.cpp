// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils by one-sided band products for the preset cuda-compile-only. Nothing
// here runs.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandStencilLaunch.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class A, class Element, class Epilogue>
void stencil(void const* x, Epilogue const& epilogue) {
  StencilGrid<Element, 2> const grid{static_cast<Element const*>(x),
                                     {1000, 1},
                                     {1000, 1000},
                                     Boundaries<2>::all(Boundary::reflect),
                                     false};
  auto const weights = StencilWeights<2>::moore(7);
  if (Cuda::takes_dense_band<Element>(weights))
    Cuda::launch_dense_band_stencil<A>(Kokkos::Cuda(), grid, weights, epilogue);
}

template <class Result>
StencilTarget<Result, 2> to(void* result) {
  return {static_cast<Result*>(result), {1000, 1}};
}

}  // namespace

void kernels_dense_band_stencil(void const* x, void* result) {
  using Half  = Kokkos::Experimental::half_t;
  using Bhalf = Kokkos::Experimental::bhalf_t;
  stencil<float, Half>(x, to<Half>(result));
  stencil<float, Half>(x, to<float>(result));
  stencil<float, Bhalf>(x, to<Bhalf>(result));
  stencil<float, float>(x, to<float>(result));
  stencil<double, double>(x, to<double>(result));
}
