// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finalize hooks that reduce, scan and loop run once each, the last one first,
// also where theirs are the first such calls of the program: finalize_hooks, or
// finalize_hooks after_other_uses.

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>

namespace {

std::string order;

void reduce(char name) {
  order += name;
  int sum = -1;
  Kokkos::parallel_reduce(
      1000, KOKKOS_LAMBDA(int i, int& update) { update += i; }, sum);
  if (sum != 499500) order += " wrong sum ";
}
void scan(char name) {
  order += name;
  int total = -1;
  Kokkos::parallel_scan(
      1000, KOKKOS_LAMBDA(int i, int& update, bool) { update += i; }, total);
  if (total != 499500) order += " wrong total ";
}
/// As often as a loop is measured, and more.
void loop(char name) {
  order += name;
  int const n = 300000;
  Kokkos::View<int*> const x("x", n);
  for (int round = 0; round < 20; ++round)
    Kokkos::parallel_for(
        n, KOKKOS_LAMBDA(int i) { x(i) += i; });
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int i = 0; i < n; ++i)
    if (host(i) != 20 * i) {
      order += " wrong loop ";
      break;
    }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  Kokkos::push_finalize_hook([] { reduce('A'); });
  Kokkos::push_finalize_hook([] { scan('B'); });
  Kokkos::push_finalize_hook([] { loop('C'); });
  if (argc > 1) {
    reduce('-');
    scan('-');
    loop('-');
    order.clear();
  }
  Kokkos::finalize();
  std::printf("hooks ran in the order %s\n", order.c_str());
  return order == "CBA" ? 0 : 1;
}
