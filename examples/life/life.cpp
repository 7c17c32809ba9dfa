// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cellular automata with kokkos-mma. life_plain.cpp is the same in plain
// Kokkos.

#include <KokkosMMA.hpp>

#include "program.hpp"

#include <cstdint>

class MmaKernels {
 public:
  MmaKernels(KokkosMMA::AutomatonRule const& rule, KokkosMMA::Boundary boundary)
      : m_rule(rule), m_boundaries(KokkosMMA::Boundaries<2>::all(boundary)) {}

  void advance(Cells const& cells, std::int64_t generations) const {
    KokkosMMA::automaton(Space(), cells, m_rule, m_boundaries, generations);
  }

 private:
  KokkosMMA::AutomatonRule m_rule;
  KokkosMMA::Boundaries<2> m_boundaries;
};

int main(int argc, char** argv) {
  return program<MmaKernels>("life", argc, argv);
}
