// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stencil on the tensor cores, one of rank 1 and an automaton on bits: what
// every nvcc in .ci/toolchains must compile. Nothing here runs.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilLaunch.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedLife.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilLaunch.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <array>
#include <cstdint>
#include <vector>

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using Half = Kokkos::Experimental::half_t;

void stencils(StencilGrid<Half, 2> const& halfs, StencilGrid<float, 1> floats,
              StencilGrid<std::uint8_t, 2> const& cells, std::uint8_t* to,
              void* memory) {
  Kokkos::Cuda const exec;
  Cuda::launch_band_stencil<float>(exec, halfs,
                                   std::array<std::vector<double>, 2>{},
                                   StencilTarget<Half, 2>{});
  Cuda::launch_separable_stencil<float, 1>(exec, floats,
                                           std::array<std::vector<double>, 1>{},
                                           false, StencilTarget<float, 1>{});
  Cuda::launch_step_form<StepForm::star, 1, float>(
      exec, StencilGrid<float, 2>{}, StencilWeights<2>::star(1), 1, 2,
      StencilTarget<float, 2>{}, NoUpdate{});
  Cuda::launch_packed_life(exec, cells, to, 1000, parse_rule("B3/S23"), 100,
                           memory);
}
