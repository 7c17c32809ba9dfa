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
  Kokkos::View<float*> const x("x", 100), y("y", 100), sums("sums", 10);
  Kokkos::View<int*> const keys("keys", 100), unique("unique keys", 1);
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  for (int twice = 0; twice < 2; ++twice) {
    stencil(exec, in, out, StencilWeights<2>::box(1), torus);
    stencil(exec, in, out, StencilWeights<2>::box(1), torus, 3,
            {.route = Route::generic, .label = "blur"});
    automaton(exec, cells, parse_rule("B3/S23"), torus, 2,
              {.route = Route::generic, .label = "life"});
    segmented_reduce(exec, x, 10, sums);
    segmented_reduce(exec, x, 10, sums,
                     {.route = Route::generic, .label = "sums"});
    segmented_inclusive_scan(exec, x, 10, y,
                             {.route = Route::generic, .label = "prefixes"});
    segmented_exclusive_scan(exec, x, 10, y,
                             {.route = Route::generic, .label = "before"});
    reduce_by_key(exec, keys, x, unique, sums,
                  {.route = Route::generic, .label = "runs"});
  }
}
