// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The calls of README.md and docs/by_name.md, with answers that are known.

#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdio>
#include <iostream>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

bool first_calls() {
  Exec const exec;
  int const n = 1000000;
  Kokkos::View<float*> const x("x", n), y("y", n), sums("sums", n / 1000);
  Kokkos::View<int*> const counts("counts", 1000), offsets("offsets", 1000);
  Kokkos::deep_copy(x, 0.5f);
  Kokkos::deep_copy(y, 2.f);
  Kokkos::deep_copy(counts, 3);
  float product = 0, sum = 0;
  int total = 0;

  Kokkos::parallel_reduce("dot", n, KokkosMMA::dot(x, y),
                          KokkosMMA::Sum<float>(product));
  KokkosMMA::reduce(exec, x, sum);
  KokkosMMA::segmented_reduce(exec, x, 1000, sums);
  KokkosMMA::exclusive_scan(exec, counts, offsets, KokkosMMA::Total(total));

  std::cout << KokkosMMA::explain([&] { KokkosMMA::reduce(exec, x, sum); })
            << "\n";
  auto const last_sum =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  auto const last_offset =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), offsets);
  std::printf("dot %g, sum %g, sum of the last thousand %g\n", product, sum,
              last_sum(n / 1000 - 1));
  std::printf("last offset %d, total %d\n", last_offset(999), total);
  return product == 1000000 && sum == 500000 && last_sum(n / 1000 - 1) == 500 &&
         last_offset(999) == 3 * 999 && total == 3000;
}

bool more_calls() {
  Exec const exec;
  int const n = 1000;
  Kokkos::View<int*> const keys("keys", n), x("x", n), unique_keys("u", n);
  Kokkos::View<int*> const sums("sums", n), y("y", n), offsets("offsets", 3);
  Kokkos::View<int*> const both("both", 2);
  Kokkos::View<int[10][100]> const matrix("matrix");
  Kokkos::View<int[100]> const column_sums("column_sums");
  Kokkos::deep_copy(x, 2);
  Kokkos::deep_copy(matrix, 2);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        keys(i) = i / 100;
        if (i < 3) offsets(i) = i * 500;
      });
  int total = 0, largest = 0;

  // an ordinary Kokkos call; also squares(x) and transform(x, op)
  Kokkos::parallel_reduce("sum", n, KokkosMMA::load(x), total);
  bool right = total == 2 * n;
  // also inclusive_scan_into
  Kokkos::parallel_scan("scan", n, KokkosMMA::exclusive_scan_into(x, y), total);
  right = right && total == 2 * n;
  // a label, as every call takes one; also Min, Prod and KokkosMMA::Sum
  KokkosMMA::reduce("max", exec, x, Kokkos::Max<int>(largest));
  // from 5 on, and in place; the total is that of the elements, without the 5
  KokkosMMA::exclusive_scan(exec, y, y, 5, KokkosMMA::Total(total));
  // offsets of n counts: n + 1 numbers, of which the first is 0
  Kokkos::View<int*> const ends("ends", n + 1);
  KokkosMMA::inclusive_scan(
      exec, x, Kokkos::subview(ends, Kokkos::pair<int, int>(1, n + 1)));
  // between offsets; also Minimum, Maximum and Multiplies
  KokkosMMA::segmented_reduce(exec, x, offsets, both);
  // of the columns of a matrix
  KokkosMMA::segmented_reduce(exec, matrix, KokkosMMA::Axis{0}, column_sums);
  // of runs of equal keys
  std::size_t const runs =
      KokkosMMA::reduce_by_key(exec, keys, x, unique_keys, sums);

  auto const of_both =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), both);
  auto const of_columns =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), column_sums);
  auto const of_keys =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  auto const of_ends =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ends);
  return right && of_ends(0) == 0 && of_ends(n) == 2 * n && largest == 2 &&
         total == n * (n - 1) && of_both(1) == 1000 && of_columns(99) == 20 &&
         runs == 10 && of_keys(9) == 200;
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool const right = first_calls() && more_calls();
  KokkosMMA::print_configuration(std::cout);
  return right ? 0 : 1;
}
