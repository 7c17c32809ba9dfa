// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What KOKKOSMMA_VERBOSE prints for stencils, automata and segments: a line for
// each label and route, once. A program of its own, because the environment is
// read once.

#include <KokkosMMA_Automaton.hpp>
#include <KokkosMMA_Segmented.hpp>
#include <KokkosMMA_Stencil.hpp>

#include <cstdint>

int main(int argc, char* argv[]) {
  using namespace KokkosMMA;
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  Kokkos::View<float**> const in("in", 10, 10), out("out", 10, 10);
  Kokkos::View<std::uint8_t**> const cells("cells", 10, 10);
  Kokkos::View<float*> const x("x", 100), y("y", 100), sums("sums", 10),
      squares("squares", 10);
  Kokkos::View<int*> const keys("keys", 100), unique("unique keys", 1);
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  for (int twice = 0; twice < 2; ++twice) {
    stencil(exec, in, out, StencilWeights<2>::box(1), torus);
    stencil("blur", exec, in, out, StencilWeights<2>::box(1), torus, 3,
            Settings{Route::generic});
    automaton("life", exec, cells, parse_rule("B3/S23"), torus, 2,
              Settings{Route::generic});
    segmented_reduce(exec, x, 10, sums);
    segmented_reduce("sums", exec, x, 10, sums, Settings{Route::generic});
    segmented_inclusive_scan("prefixes", exec, x, 10, y,
                             Settings{Route::generic});
    segmented_exclusive_scan("before", exec, x, 10, y,
                             Settings{Route::generic});
    segmented_moments("moments", exec, x, 10, sums, squares);
    reduce_by_key("runs", exec, keys, x, unique, sums,
                  Settings{Route::generic});
  }
}
