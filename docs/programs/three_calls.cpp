// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <KokkosMMA.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const n = 1 << 20;
  Kokkos::View<float*> const x("x", n), row_sums("row_sums", n / 64);
  Kokkos::View<int*> const counts("counts", n), offsets("offsets", n);
  Kokkos::deep_copy(x, 0.5f);
  Kokkos::deep_copy(counts, 3);

  float sum = 0;
  KokkosMMA::reduce(exec, x, sum);
  // x has n / 64 rows of 64 elements.
  KokkosMMA::segmented_reduce(exec, x, 64, row_sums);
  int total = 0;
  KokkosMMA::exclusive_scan(exec, counts, offsets, KokkosMMA::Total(total));

  std::printf("sum %g, total %d\n", sum, total);
  return sum == n / 2 && total == 3 * n ? 0 : 1;
}
