// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Direct stencils for the preset cuda-compile-only. Nothing here runs.

#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class A>
struct Opaque {
  A* y;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::int64_t i, Indices...) const {
    y[i] = A();
  }
};

template <class A, int R, class Element, class Sink>
void launch(Element const* x, Sink const& sink) {
  StencilGrid<Element, R> grid{};
  grid.data = x;
  Cuda::launch_direct_stencil<A, R>(Kokkos::Cuda(), grid,
                                    StencilWeights<R>::star(1), sink);
  if constexpr (R == 3) {
    Cuda::launch_product_sweep<A>(Kokkos::Cuda(), grid, {}, sink);
  }
}

template <class A, int R, class Element, class Result>
void visible(void const* x, Result* y) {
  launch<A, R>(static_cast<Element const*>(x), StencilTarget<Result, R>{y, {}});
}

}  // namespace

void kernels_direct_stencil(void const* x, void* y) {
  using Kokkos::Experimental::half_t;
  auto* const floats  = static_cast<float*>(y);
  auto* const doubles = static_cast<double*>(y);
  auto* const halves  = static_cast<half_t*>(y);
  auto* const bytes   = static_cast<std::uint8_t*>(y);
  auto* const longs   = static_cast<std::int64_t*>(y);
  visible<float, 1, float>(x, floats);
  visible<float, 2, float>(x, floats);
  visible<float, 3, float>(x, floats);
  visible<double, 1, double>(x, doubles);
  visible<double, 2, double>(x, doubles);
  visible<double, 3, double>(x, doubles);
  visible<float, 2, half_t>(x, halves);
  visible<float, 3, half_t>(x, halves);
  visible<std::int32_t, 2, std::uint8_t>(x, bytes);
  visible<std::int32_t, 3, std::uint8_t>(x, bytes);
  visible<std::int64_t, 3, std::int64_t>(x, longs);
  launch<float, 2>(static_cast<float const*>(x),
                   StencilCall<Opaque<float>, 2>{{floats}, false});
}
