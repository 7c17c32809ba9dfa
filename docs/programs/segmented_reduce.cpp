// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of segments between offsets (docs/calls/segments.md): compressed rows.

#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const rows = 1000;  // of 4 entries each, in column 0
  Kokkos::View<double*> const values("values", 4 * rows), v("v", 1);
  Kokkos::View<double*> const sums("sums", rows), product("product", rows);
  Kokkos::View<double*> const roots("roots", rows);
  Kokkos::View<int*> const columns("columns", 4 * rows);
  Kokkos::View<int*> const offsets("offsets", rows + 1);
  Kokkos::deep_copy(values, 4.);
  Kokkos::deep_copy(v, 2.);
  Kokkos::parallel_for(
      "offsets", rows + 1, KOKKOS_LAMBDA(int i) { offsets(i) = 4 * i; });

  // sums(s) = values(offsets(s)) + ... + values(offsets(s + 1) - 1)
  KokkosMMA::segmented_reduce(exec, values, offsets, sums);
  // Computed elements: a sparse matrix times the vector v.
  KokkosMMA::ComputedElements const terms(
      values.extent(0),
      KOKKOS_LAMBDA(std::int64_t i) { return values(i) * v(columns(i)); });
  KokkosMMA::segmented_reduce(exec, terms, offsets, product,
                              {.check_offsets = false});
  // The sum is used, not stored.
  Kokkos::parallel_for(
      "roots", KokkosMMA::SegmentPolicy(exec, values, offsets),
      KOKKOS_LAMBDA(std::size_t row, double sum) {
        roots(row) = Kokkos::sqrt(sum);
      });

  double all[3] = {};
  KokkosMMA::reduce(exec, sums, all[0]);
  KokkosMMA::reduce(exec, product, all[1]);
  KokkosMMA::reduce(exec, roots, all[2]);
  std::printf("%g, %g, %g\n", all[0], all[1], all[2]);
  return all[0] == 16 * rows && all[1] == 32 * rows && all[2] == 4 * rows ? 0
                                                                          : 1;
}
