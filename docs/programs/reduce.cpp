// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sum, maximum and dot product of Views (docs/calls/reductions.md).

#include <KokkosMMA.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const n = 1000000;
  Kokkos::View<double*> const x("x", n), y("y", n);
  Kokkos::View<double> const norm("norm");
  Kokkos::deep_copy(x, 0.5);
  Kokkos::deep_copy(y, 2.);
  double sum = 0, largest = 0, product = 0, squared = 0;

  // A scalar result: each call waits for exec.
  KokkosMMA::reduce(exec, x, sum);
  KokkosMMA::reduce(exec, x, Kokkos::Max<double>(largest), {.label = "max"});
  // An ordinary Kokkos call with a functor and a reducer of this library.
  Kokkos::parallel_reduce("dot", n, KokkosMMA::dot(x, y),
                          KokkosMMA::Sum<double>(product));
  // A View as result: the call returns at once.
  KokkosMMA::reduce(exec, KokkosMMA::squares(x), norm);

  Kokkos::deep_copy(squared, norm);
  std::printf("sum %g, maximum %g, dot product %g, squares %g\n", sum, largest,
              product, squared);
  return sum == 500000 && largest == 0.5 && product == 1000000 &&
                 squared == 250000
             ? 0
             : 1;
}
