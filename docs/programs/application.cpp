// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An application that knows Kokkos and nothing else: the drop-in changes what
// runs below these calls, and no line of them.

#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const n = 1000000;
  Kokkos::View<float*> const x("x", n);
  Kokkos::View<int*> const counts("counts", n);
  Kokkos::View<int*> const offsets("offsets", n);
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(int i) {
        x(i)      = 1.f / 8 * (i % 8);
        counts(i) = i % 3;
      });

  float sum = 0;
  Kokkos::parallel_reduce(
      "sum", n, KOKKOS_LAMBDA(int i, float& partial) { partial += x(i); }, sum);

  int total = 0;
  Kokkos::parallel_scan(
      "offsets", n,
      KOKKOS_LAMBDA(int i, int& partial, bool final) {
        if (final) offsets(i) = partial;
        partial += counts(i);
      },
      total);

  std::printf("sum %g, %d counted\n", sum, total);
  return sum == 437500 && total == 999999 ? 0 : 1;
}
