// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generations of a cellular automaton (docs/calls/stencils.md).

#include <KokkosMMA.hpp>

#include <cstdint>
#include <cstdio>

using KokkosMMA::Boundaries, KokkosMMA::Boundary;

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  Kokkos::View<std::uint8_t**> const cells("cells", 16, 16);
  std::uint8_t const glider[] = {0, 1, 0,  //
                                 0, 0, 1,  //
                                 1, 1, 1};
  auto const host             = Kokkos::create_mirror_view(cells);
  for (int i = 0; i < 9; ++i) host(i / 3, i % 3) = glider[i];
  Kokkos::deep_copy(cells, host);

  // A glider moves by one cell in 4 generations: after 64 it is back.
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  KokkosMMA::automaton(exec, cells, KokkosMMA::parse_rule("B3/S23"), torus, 64);

  int wrong = 0, live = 0;
  auto const after =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cells);
  for (int i = 0; i < 256; ++i) {
    wrong += after(i / 16, i % 16) !=
             (i / 16 < 3 && i % 16 < 3 ? glider[i / 16 * 3 + i % 16] : 0);
    live += after(i / 16, i % 16);
  }
  std::printf("%d live cells, %d wrong\n", live, wrong);
  return wrong == 0 && live == 5 ? 0 : 1;
}
