// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cellular automata for the preset cuda-compile-only. Nothing here runs.

#include <backends/cuda/kernels/automaton/KokkosMMA_Automaton.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedCounts.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedLife.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

struct Ageing {
  KOKKOS_FUNCTION std::uint8_t operator()(std::uint8_t state, int count) const {
    return std::uint8_t(count == 3                 ? 1
                        : state == 0 || state == 9 ? 0
                                                   : state + 1);
  }
};

}  // namespace

void kernels_automata(StencilGrid<std::uint8_t, 2> const& cells,
                      std::uint8_t* to, void* memory) {
  for (char const* const rule : {"B3/S23", "B36/S23", "B2/S013V"})
    Cuda::launch_packed_life(Kokkos::Cuda(), cells, to, 1000, parse_rule(rule),
                             100, memory);
  Cuda::launch_packed_counts(Kokkos::Cuda(), cells, to, 1000,
                             parse_rule("R5,C0,M1,S34..58,B34..45,NM"), 100,
                             memory);
  Cuda::launch_automaton(Kokkos::Cuda(), cells, to, 1000,
                         parse_rule("R5,C0,M1,S34..58,B34..45,NM"));
  Cuda::launch_automaton(Kokkos::Cuda(), cells, to, 1000, Neighbourhood::moore,
                         1, Ageing());
}
