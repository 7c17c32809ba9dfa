// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of stencils that libkokkosmma_kernels contains. This source must
// contain no kernel of them. Nothing here runs.

#define KOKKOSMMA_COMPILED_float
#define KOKKOSMMA_COMPILED_half
#include <KokkosMMA_Stencil.hpp>

using namespace KokkosMMA;

template <class T>
void in_two_dimensions(Kokkos::View<T**, Kokkos::CudaSpace> const& in,
                       Kokkos::View<T**, Kokkos::CudaSpace> const& out,
                       StencilWeights<2> const& weights) {
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  stencil(Kokkos::Cuda(), in, out, weights, periodic, 10);
  auto const plan = plan_stencil(Kokkos::Cuda(), in, out, weights, periodic);
  plan(Kokkos::Cuda(), in, out);
}
using Floats = Kokkos::View<float**, Kokkos::CudaSpace>;
template void in_two_dimensions(Floats const&, Floats const&,
                                StencilWeights<2> const&);
using Halves = Kokkos::View<Kokkos::Experimental::half_t**, Kokkos::CudaSpace>;
template void in_two_dimensions(Halves const&, Halves const&,
                                StencilWeights<2> const&);

void in_three_dimensions(Kokkos::View<float***, Kokkos::CudaSpace> const& in,
                         Kokkos::View<float***, Kokkos::CudaSpace> const& out,
                         StencilWeights<3> const& weights) {
  stencil(Kokkos::Cuda(), in, out, weights,
          Boundaries<3>::all(Boundary::mirror));
}
