// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stencil whose sums go to a functor (docs/calls/stencils.md).

#include <KokkosMMA.hpp>

#include <cstdint>
#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using KokkosMMA::Boundaries, KokkosMMA::Boundary, KokkosMMA::StencilWeights;

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  Kokkos::View<float**> const in("in", 100, 200), out("out", 100, 200);
  Kokkos::deep_copy(in, 1.f);
  auto const torus = Boundaries<2>::all(Boundary::periodic);

  Kokkos::parallel_for(
      "heat",
      KokkosMMA::StencilPolicy(
          exec, in, StencilWeights<2>::star(1).with_centre(-4), torus),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, float sum) {
        out(i, j) = in(i, j) + 0.25f * sum;
      });

  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {100, 200}),
      KOKKOS_LAMBDA(int i, int j, double& partial) { partial += out(i, j); },
      sum);
  std::printf("heat of all %g\n", sum);
  return sum == 20000 ? 0 : 1;
}
