// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The header of one topic is enough for it, and brings no other.

#include <KokkosMMA_Segmented.hpp>

#include <iostream>

static_assert(KOKKOSMMA_VERSION == EXPECTED_MAJOR * 10000 +
                                       EXPECTED_MINOR * 100 + EXPECTED_PATCH,
              "the header and the CMake package differ in their version");
#if defined(KOKKOSMMA_HPP) || defined(KOKKOSMMA_STENCIL_HPP)
#error "KokkosMMA_Segmented.hpp brings other topics"
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  Kokkos::View<double*> x("x", 1000);
  Kokkos::parallel_for(
      "numbers", x.extent(0), KOKKOS_LAMBDA(int i) { x(i) = i; });
  Kokkos::View<double*> sums("sums", 2);
  Kokkos::DefaultExecutionSpace exec;
  KokkosMMA::segmented_reduce(exec, x, 500, sums);
  auto const parts =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  std::cout << "sum " << parts(0) + parts(1) << ", expected 499500\n";
  return parts(0) == 124750 && parts(1) == 374750 ? 0 : 1;
}
