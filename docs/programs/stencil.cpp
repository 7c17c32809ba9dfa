// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stencil, and the same with a plan (docs/calls/stencils.md).

#include <KokkosMMA.hpp>

#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using KokkosMMA::Boundaries, KokkosMMA::Boundary, KokkosMMA::StencilWeights;

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  Kokkos::View<float**> const in("in", 100, 200), out("out", 100, 200);
  Kokkos::deep_copy(in, 1.f);
  auto const torus = Boundaries<2>::all(Boundary::periodic);

  KokkosMMA::stencil(exec, in, out, StencilWeights<2>::box(1), torus);

  auto const step =
      KokkosMMA::plan_stencil(exec, in, out, StencilWeights<2>::box(1), torus);
  step(exec, out, in);
  step(exec, in, out);

  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {100, 200}),
      KOKKOS_LAMBDA(int i, int j, double& partial) { partial += out(i, j); },
      sum);
  std::printf("sum of three boxes of ones %g\n", sum);
  return sum == 729 * 20000 ? 0 : 1;
}
