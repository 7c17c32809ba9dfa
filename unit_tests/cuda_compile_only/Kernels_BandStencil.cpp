// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Band stencils for the preset cuda-compile-only. Nothing here runs.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilLaunch.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class A, class Element, class Result>
void band(void const* x, void* result,
          std::array<std::vector<double>, 2> const& factors) {
  StencilGrid<Element, 2> const grid{static_cast<Element const*>(x),
                                     {100, 1},
                                     {100, 100},
                                     Boundaries<2>::all(Boundary::periodic),
                                     false};
  Cuda::launch_band_stencil<A>(
      Kokkos::Cuda(), grid, factors,
      StencilTarget<Result, 2>{static_cast<Result*>(result), {100, 1}});
}

struct Threshold {
  std::uint8_t* result;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  std::int32_t sum) const {
    result[100 * i + j] = sum > 4;
  }
};

}  // namespace

void kernels_band_stencil(void const* x, void* result,
                          std::array<std::vector<double>, 2> const& factors) {
  using Kokkos::Experimental::bhalf_t;
  using Kokkos::Experimental::half_t;
  band<std::int32_t, std::int8_t, std::int8_t>(x, result, factors);
  band<std::uint32_t, std::uint8_t, std::uint8_t>(x, result, factors);
  band<std::int32_t, std::uint8_t, std::int32_t>(x, result, factors);
  band<float, half_t, half_t>(x, result, factors);
  band<float, half_t, float>(x, result, factors);
  band<float, bhalf_t, bhalf_t>(x, result, factors);
  band<float, float, float>(x, result, factors);
  StencilGrid<bool, 2> const cells{static_cast<bool const*>(x),
                                   {100, 1},
                                   {100, 100},
                                   Boundaries<2>::all(Boundary::periodic),
                                   false};
  Cuda::launch_band_stencil<std::int32_t>(
      Kokkos::Cuda(), cells, factors,
      StencilCall<Threshold, 2>{{static_cast<std::uint8_t*>(result)}, false});
}
