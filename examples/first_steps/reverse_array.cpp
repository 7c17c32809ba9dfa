// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An array back to front: into another array, where every iteration writes an
// element of its own, and in place, where every iteration swaps two.

#include <Kokkos_Core.hpp>

#include "first_steps.hpp"

#include <cstdint>

void reverse_into(Kokkos::View<int const*> const& x,
                  Kokkos::View<int*> const& y) {
  int const n = static_cast<int>(x.extent(0));
  Kokkos::parallel_for(
      "reverse_into", n, KOKKOS_LAMBDA(int i) { y(n - 1 - i) = x(i); });
}

// Half as many iterations as elements: no two of them touch the same pair, and
// so their order does not matter. The middle of an odd number stays.
void reverse_in_place(Kokkos::View<int*> const& x) {
  int const n = static_cast<int>(x.extent(0));
  Kokkos::parallel_for(
      "reverse_in_place", n / 2, KOKKOS_LAMBDA(int i) {
        int const front = x(i);
        x(i)            = x(n - 1 - i);
        x(n - 1 - i)    = front;
      });
}

std::int64_t wrong_elements(int n) {
  Kokkos::View<int*> const x("x", n);
  Kokkos::View<int*> const y("y", n);
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(int i) { x(i) = 3 * i + 1; });
  reverse_into(x, y);
  // Kernels of one execution space run in the order of their calls: x is
  // reversed after it was read.
  reverse_in_place(x);

  auto const in_place =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const other =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::int64_t wrong = 0;
  for (int i = 0; i < n; ++i) {
    int const expected = 3 * (n - 1 - i) + 1;
    wrong += in_place(i) != expected;
    wrong += other(i) != expected;
  }
  return wrong;
}

int main(int argc, char** argv) {
  return run_step(
      {"reverse_array",
       "Reverses an array into another and in place, and checks both.",
       "length of the array", 1 << 20, 1 << 28, wrong_elements},
      argc, argv);
}
