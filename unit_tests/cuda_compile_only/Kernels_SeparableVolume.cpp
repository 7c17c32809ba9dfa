// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of three vectors for the preset cuda-compile-only. Nothing here
// runs.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/stencil/volumes/KokkosMMA_SeparableVolume.hpp>

#include <array>
#include <cstdint>
#include <vector>

using namespace KokkosMMA::Impl;
using Half = Kokkos::Experimental::half_t;

namespace {

template <class A, class Element>
void into_view() {
  Cuda::launch_separable_volume<A>(Kokkos::Cuda(), StencilGrid<Element, 3>{},
                                   std::array<std::vector<double>, 3>{},
                                   StencilTarget<Element, 3>{});
}

}  // namespace

void kernels_separable_volume() {
  into_view<float, Half>();
  into_view<double, double>();
#ifdef KOKKOS_ARCH_HOPPER90
  // On sm_80 the kernel of radius 9 to 16 whose rows are aligned spills 10
  // bytes; a batch of 16, which does not, has 0.6 of its rate on the H200.
  into_view<std::int32_t, std::uint8_t>();
#endif
}
