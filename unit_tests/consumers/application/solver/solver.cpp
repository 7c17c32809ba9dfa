// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Kokkos_Core.hpp>

#include <iostream>

#if __has_include(<docs/CMakeLists.txt>) || __has_include(<unit_tests/CMakeLists.txt>)
#error "the top folder of kokkos-mma is among the include folders"
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  double sum = -1;
  Kokkos::parallel_reduce(
      "sum", 1000, KOKKOS_LAMBDA(int i, double& update) { update += i; }, sum);
  std::cout << "sum " << sum << ", expected 499500, drop-in "
#ifdef KOKKOSMMA_VERSION
            << "yes\n";
#else
            << "no\n";
#endif
  return sum == 499500 ? 0 : 1;
}
