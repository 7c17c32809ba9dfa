// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of runs of equal keys (docs/calls/segments.md).

#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const n = 6;
  Kokkos::View<int*> const keys("keys", n), x("x", n), y("y", n);
  Kokkos::View<int*> const unique_keys("unique_keys", n), sums("sums", n);
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(int i) {
        keys(i) = i < 2 || i == 5 ? 7 : 3;
        x(i)    = i + 1;
      });

  // keys 7 7 3 3 3 7, x 1 2 3 4 5 6: 3 runs, keys 7 3 7, sums 3 12 6
  std::size_t const runs =
      KokkosMMA::reduce_by_key(exec, keys, x, unique_keys, sums);
  // 0 1 0 3 7 0; y may be x.
  KokkosMMA::exclusive_scan_by_key(exec, keys, x, y);

  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  auto const prefixes =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::printf("%zu runs, sums %d %d %d\n", runs, host(0), host(1), host(2));
  return runs == 3 && host(0) == 3 && host(1) == 12 && host(2) == 6 &&
                 prefixes(1) == 1 && prefixes(4) == 7 && prefixes(5) == 0
             ? 0
             : 1;
}
