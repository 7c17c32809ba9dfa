// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finalize hooks that reduce and scan run once each, the last one first, also
// where theirs are the first such calls of the program: finalize_hooks, or
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

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  Kokkos::push_finalize_hook([] { reduce('A'); });
  Kokkos::push_finalize_hook([] { scan('B'); });
  if (argc > 1) {
    reduce('-');
    scan('-');
    order.clear();
  }
  Kokkos::finalize();
  std::printf("hooks ran in the order %s\n", order.c_str());
  return order == "BA" ? 0 : 1;
}
