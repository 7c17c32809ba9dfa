// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans of docs/five_minutes.md, with answers that are known.

#include <KokkosMMA.hpp>

#include <cstdio>
#include <iostream>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

bool reductions() {
  int const n = 1000000;
  Kokkos::View<float*> const x("x", n), y("y", n);
  Kokkos::deep_copy(x, 0.5f);
  Kokkos::deep_copy(y, 2.f);

  float product = 0;
  Kokkos::parallel_reduce("dot", n, KokkosMMA::dot(x, y),
                          KokkosMMA::Sum<float>(product));

  Exec const exec;
  float sum = 0;
  KokkosMMA::reduce(exec, x, sum);
  std::cout << KokkosMMA::explain([&] { KokkosMMA::reduce(exec, x, sum); })
            << "\n";

  Kokkos::View<float*> const sums("sums", n / 1000);
  KokkosMMA::segmented_reduce(exec, x, 1000, sums);
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);

  std::printf("dot %g, sum %g, sum of the last thousand %g\n", product, sum,
              on_host(n / 1000 - 1));
  return product == 1000000 && sum == 500000 && on_host(n / 1000 - 1) == 500;
}

bool scans() {
  int const n = 1000;
  Kokkos::View<int*> const counts("counts", n), offsets("offsets", n);
  Kokkos::deep_copy(counts, 3);
  int total = 0;
  KokkosMMA::exclusive_scan(Exec(), counts, offsets, KokkosMMA::Total(total));

  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), offsets);
  std::printf("last offset %d, total %d\n", on_host(n - 1), total);
  return on_host(n - 1) == 3 * (n - 1) && total == 3 * n;
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool const right = reductions() && scans();
  KokkosMMA::print_configuration(std::cout);
  return right ? 0 : 1;
}
