// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of segments between offsets (docs/calls/segments.md).

#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const rows = 1000;
  Kokkos::View<double*> const x("x", 4 * rows), y("y", 4 * rows);
  Kokkos::View<double*> const sums("sums", rows), roots("roots", rows);
  Kokkos::View<int*> const offsets("offsets", rows + 1);
  Kokkos::deep_copy(x, 4.);
  Kokkos::parallel_for(
      "offsets", rows + 1, KOKKOS_LAMBDA(int i) { offsets(i) = 4 * i; });

  // sums(s) = x(offsets(s)) + ... + x(offsets(s + 1) - 1)
  KokkosMMA::segmented_reduce(exec, x, offsets, sums);
  // Prefix sums that start anew in each segment; y may be x.
  KokkosMMA::segmented_inclusive_scan(exec, x, offsets, y);
  // The sum is used, not stored.
  Kokkos::parallel_for(
      "roots", KokkosMMA::SegmentPolicy(exec, x, offsets),
      KOKKOS_LAMBDA(std::size_t s, double sum) {
        roots(s) = Kokkos::sqrt(sum);
      });

  double all[3] = {};
  KokkosMMA::reduce(exec, sums, all[0]);
  KokkosMMA::reduce(exec, y, all[1]);
  KokkosMMA::reduce(exec, roots, all[2]);
  std::printf("%g, %g, %g\n", all[0], all[1], all[2]);
  bool const right = all[0] == 16 * rows && all[1] == 40 * rows;
  return right && all[2] == 4 * rows ? 0 : 1;
}
