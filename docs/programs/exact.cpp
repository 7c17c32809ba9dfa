// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Levels of reproducibility (docs/reproducibility.md).

#include <KokkosMMA.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  Kokkos::View<double*> const x("x", 1000);
  Kokkos::deep_copy(x, 0.1);
  double sum = 0, squares = 0, plain = 0;

  // For one call.
  KokkosMMA::reduce(exec, x, sum,
                    {.reproducibility = KokkosMMA::Reproducibility::exact});
  {
    // For all calls of this host thread until the end of the scope.
    KokkosMMA::ScopedSettings const scope(
        {.reproducibility = KokkosMMA::Reproducibility::exact});
    KokkosMMA::reduce(exec, KokkosMMA::squares(x), squares);
  }
  KokkosMMA::reduce(exec, x, plain);
  // The level and the route of a call, and why no other.
  std::printf("%s\n", KokkosMMA::explain([&] {
                        KokkosMMA::reduce(exec, x, plain);
                      }).c_str());

  std::printf("exact %.17g and %.17g, plain %.17g\n", sum, squares, plain);
  return sum == 100 && squares == 10.000000000000002 && plain > 99.9 ? 0 : 1;
}
