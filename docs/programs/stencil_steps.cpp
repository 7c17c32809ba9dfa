// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Many steps of a stencil in one call (docs/calls/stencils.md).

#include <KokkosMMA.hpp>

#include <cstdint>
#include <cstdio>

using KokkosMMA::Boundaries, KokkosMMA::Boundary, KokkosMMA::StencilWeights;

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  Kokkos::View<double**> const u("u", 64, 64), later("later", 64, 64);
  Kokkos::View<double**> const rate("rate", 64, 64);
  Kokkos::deep_copy(u, 1);
  Kokkos::deep_copy(rate, 0.125);

  // Dimension 0: constant 1 below, reflecting above. Dimension 1: periodic.
  auto const boundaries = Boundaries<2>::per_side(
      {{{Boundary::constant, 1.}, {Boundary::periodic}}},
      {{{Boundary::reflect}, {Boundary::periodic}}});
  auto const weights =
      StencilWeights<2>::dense(1, {0, .25, 0, .25, 0, .25, 0, .25, 0});
  KokkosMMA::stencil(exec, u, later, weights, boundaries, 100);
  double sum = 0;
  KokkosMMA::reduce(exec, Kokkos::subview(later, 63, Kokkos::ALL), sum);

  // 100 steps of a functor of the element's value and the weighted sum.
  KokkosMMA::stencil(
      exec, u, later,
      KokkosMMA::StencilPolicy(exec, u, StencilWeights<2>::star(1), boundaries),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, double value, double sum) {
        return value + rate(i, j) * (sum - 5 * value);
      },
      100);
  double heat = 0;
  KokkosMMA::reduce(exec, Kokkos::subview(later, 63, Kokkos::ALL), heat);
  std::printf("sums of the last row: %g, %g\n", sum, heat);
  return sum == 64 && heat == 64 ? 0 : 1;
}
