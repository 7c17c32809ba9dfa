// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of rank 1 for the preset cuda-compile-only. Nothing here runs.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilLaunch.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class A, class Element, class Result, int R>
void into_view() {
  Cuda::launch_separable_stencil<A, R>(
      Kokkos::Cuda(), StencilGrid<Element, R>{},
      std::array<std::vector<double>, R>{}, false, StencilTarget<Result, R>{});
}

template <class A>
struct StoreTo {
  A* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, A sum) const {
    to[i + j] = sum;
  }
};

}  // namespace

void kernels_separable_stencil() {
  using Half = Kokkos::Experimental::half_t;
  into_view<float, Half, Half, 2>();
  into_view<float, float, float, 1>();
  into_view<float, float, float, 2>();
  into_view<std::int32_t, std::uint8_t, std::uint8_t, 2>();
  Cuda::launch_separable_stencil<float, 2>(
      Kokkos::Cuda(), StencilGrid<float, 2>{},
      std::array<std::vector<double>, 2>{}, true,
      StencilCall<StoreTo<float>, 2>{});
}
