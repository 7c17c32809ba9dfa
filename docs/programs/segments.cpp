// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The calls of docs/segmented.md, with answers that are known.

#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

bool segments() {
  Exec const exec;
  int const n = 4000;
  Kokkos::View<float*> const x("x", n), y("y", n), sums("sums", 16);
  Kokkos::View<float*> const few("few", 4), largest("largest", 2);
  Kokkos::View<float*> const norm("norm", 2), column_sums("column_sums", 40);
  Kokkos::View<float[100][40]> const matrix("matrix");
  Kokkos::View<int*> const offsets("offsets", 3);
  Kokkos::deep_copy(x, 4.f);
  Kokkos::deep_copy(matrix, 1.f);
  Kokkos::parallel_for(
      "offsets", Kokkos::RangePolicy<Exec>(0, 3),
      KOKKOS_LAMBDA(int i) { offsets(i) = 100 * i; });

  // sums(s) = x(256 s) + ... + x(256 s + 255)
  KokkosMMA::segmented_reduce(exec, x, 256, sums);
  // between offsets; also Minimum and Multiplies
  KokkosMMA::segmented_reduce(exec, x, offsets, largest, KokkosMMA::Maximum());
  // floats added in double
  KokkosMMA::segmented_reduce(exec, x, 1000, few, KokkosMMA::Plus<double>());
  // offsets that are known to be right
  KokkosMMA::segmented_reduce(exec, x, offsets, norm, {.check_offsets = false});
  // y may be x
  KokkosMMA::segmented_inclusive_scan(exec, x, offsets, y);
  // with a label for Kokkos Tools
  KokkosMMA::segmented_reduce("columns", exec, matrix, KokkosMMA::Axis{0},
                              column_sums);
  // the route, and why not the others
  std::cout << KokkosMMA::explain([&] {
    KokkosMMA::segmented_reduce(exec, x, 256, sums);
  }) << "\n";
  Kokkos::parallel_for(
      "norms", KokkosMMA::SegmentPolicy(exec, x, offsets),
      KOKKOS_LAMBDA(std::size_t row, float sum) {
        norm(row) = Kokkos::sqrt(sum);
      });

  return on_host(sums)(0) == 1024 && on_host(sums)(15) == 4 * 160 &&
         on_host(largest)(1) == 4 && on_host(few)(3) == 4000 &&
         on_host(y)(199) == 400 && on_host(column_sums)(39) == 100 &&
         on_host(norm)(1) == 20;
}

bool sparse_product() {
  Exec const exec;
  // 3 rows of 2 entries: row r has 2 in column 0 and r in column 1
  Kokkos::View<double*> const entries("entries", 6), v("v", 2),
      product("product", 3);
  Kokkos::View<int*> const columns("columns", 6), offsets("offsets", 4);
  Kokkos::parallel_for(
      "matrix", Kokkos::RangePolicy<Exec>(0, 6), KOKKOS_LAMBDA(int i) {
        entries(i) = i % 2 ? i / 2 : 2;
        columns(i) = i % 2;
        if (i < 4) offsets(i) = 2 * i;
        if (i < 2) v(i) = 10 + i;
      });

  KokkosMMA::segmented_reduce(
      exec,
      KokkosMMA::ComputedElements(
          entries.extent(0),
          KOKKOS_LAMBDA(std::int64_t i) { return entries(i) * v(columns(i)); }),
      offsets, product);

  return on_host(product)(0) == 20 && on_host(product)(2) == 42;
}

bool keys() {
  Exec const exec;
  int const n = 6;
  Kokkos::View<int*> const keys("keys", n), x("x", n), y("y", n);
  Kokkos::View<int*> const unique_keys("u", n), sums("sums", n),
      most("most", n);
  auto const keys_on_host = Kokkos::create_mirror_view(keys);
  auto const x_on_host    = Kokkos::create_mirror_view(x);
  for (int i = 0; i < n; ++i) {
    keys_on_host(i) = i < 2 || i == 5 ? 7 : 3;
    x_on_host(i)    = i + 1;
  }
  Kokkos::deep_copy(keys, keys_on_host);
  Kokkos::deep_copy(x, x_on_host);

  // keys 7 7 3 3 3 7, x 1 2 3 4 5 6: 3 runs, keys 7 3 7, sums 3 12 6
  std::size_t const runs =
      KokkosMMA::reduce_by_key(exec, keys, x, unique_keys, sums);
  KokkosMMA::reduce_by_key("largest", exec, keys, x, unique_keys, most,
                           KokkosMMA::Maximum());
  // 0 1 0 3 7 0; y may be x
  KokkosMMA::exclusive_scan_by_key(exec, keys, x, y);

  return runs == 3 && on_host(unique_keys)(1) == 3 && on_host(sums)(1) == 12 &&
         on_host(most)(1) == 5 && on_host(y)(4) == 7;
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool const right = segments() && sparse_product() && keys();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
