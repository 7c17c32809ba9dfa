// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of stencils that libkokkosmma_kernels contains. This source must
// contain no kernel of them. Nothing here runs.

#define KOKKOSMMA_COMPILED_float
#include <KokkosMMA_Stencil.hpp>

using namespace KokkosMMA;

void in_two_dimensions(Kokkos::View<float**, Kokkos::CudaSpace> const& in,
                       Kokkos::View<float**, Kokkos::CudaSpace> const& out,
                       StencilWeights<2> const& weights) {
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  stencil(Kokkos::Cuda(), in, out, weights, periodic, 10);
  auto const plan = plan_stencil(Kokkos::Cuda(), in, out, weights, periodic);
  plan(Kokkos::Cuda(), in, out);
}

void in_three_dimensions(Kokkos::View<float***, Kokkos::CudaSpace> const& in,
                         Kokkos::View<float***, Kokkos::CudaSpace> const& out,
                         StencilWeights<3> const& weights) {
  stencil(Kokkos::Cuda(), in, out, weights,
          Boundaries<3>::all(Boundary::mirror));
}
