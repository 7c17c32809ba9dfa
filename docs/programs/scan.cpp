// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prefix sums of Views (docs/calls/scans.md).

#include <KokkosMMA.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const n = 1000;
  Kokkos::View<int*> const counts("counts", n), y("y", n);
  Kokkos::View<int*> const offsets("offsets", n + 1);
  Kokkos::deep_copy(counts, 3);
  int total = 0, again = 0;

  // y(i) = 5 + counts(0) + ... + counts(i - 1); the total is without the 5.
  KokkosMMA::exclusive_scan(exec, counts, y, 5, KokkosMMA::Total(total));
  // Row offsets: n + 1 numbers, the first one is 0.
  KokkosMMA::inclusive_scan(
      exec, counts, Kokkos::subview(offsets, Kokkos::pair<int, int>(1, n + 1)));
  // An ordinary Kokkos call; here in place.
  Kokkos::parallel_scan("scan", n, KokkosMMA::exclusive_scan_into(y, y), again);

  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), offsets);
  std::printf("total %d, last offset %d\n", total, host(n));
  int const sum_of_y = 5 * n + 3 * (n * (n - 1) / 2);
  return total == 3 * n && host(0) == 0 && host(n) == total && again == sum_of_y
             ? 0
             : 1;
}
