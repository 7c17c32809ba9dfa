// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Kokkos_Core.hpp>

#include <iostream>

#ifndef KOKKOSMMA_VERSION
#error "KokkosMMA::drop_in was linked, and its header did not arrive"
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  double sum = -1;
  Kokkos::parallel_reduce(
      "sum", 1000, KOKKOS_LAMBDA(int i, double& update) { update += i; }, sum);
  std::cout << "sum " << sum << ", expected 499500\n";
  return sum == 499500 ? 0 : 1;
}
