// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <KokkosMMA.hpp>

#include <Kokkos_Core.hpp>

#include <iostream>

static_assert(KOKKOSMMA_VERSION == EXPECTED_MAJOR * 10000 +
                                       EXPECTED_MINOR * 100 + EXPECTED_PATCH,
              "the header and the CMake package differ in their version");

// Nothing else of the source tree.
#if __has_include(<docs/CMakeLists.txt>) || __has_include(<cmake/check_layers.cmake>) || \
    __has_include(<unit_tests/CMakeLists.txt>) || __has_include(<examples/CMakeLists.txt>)
#error "the top folder of kokkos-mma is among the include folders"
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  Kokkos::View<double*> x("x", 1000);
  Kokkos::parallel_for(
      "numbers", x.extent(0), KOKKOS_LAMBDA(int i) { x(i) = i; });
  double sum = -1;
  KokkosMMA::reduce(Kokkos::DefaultExecutionSpace(), x, sum);
  std::cout << "sum " << sum << ", expected 499500\n";
  return sum == 499500 ? 0 : 1;
}
