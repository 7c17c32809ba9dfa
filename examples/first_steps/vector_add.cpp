// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// First step: c = a + b. Views hold the data, parallel_for visits the elements.

#include <Kokkos_Core.hpp>

#include "first_steps.hpp"

#include <cstdint>

std::int64_t wrong_elements(int n) {
  // Memory of the device, where there is one.
  Kokkos::View<float*> const a("a", n);
  Kokkos::View<float*> const b("b", n);
  Kokkos::View<float*> const c("c", n);

  // Memory of the host of the same shape; on a host the very same memory.
  auto const host_a = Kokkos::create_mirror_view(a);
  auto const host_b = Kokkos::create_mirror_view(b);
  for (int i = 0; i < n; ++i) {
    host_a(i) = 0.5f * static_cast<float>(i % 1000);
    host_b(i) = 1.f / static_cast<float>(i + 1);
  }
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(b, host_b);

  // The lambda takes copies of the Views, which refer to the same elements.
  Kokkos::parallel_for(
      "vector_add", n, KOKKOS_LAMBDA(int i) { c(i) = a(i) + b(i); });

  // deep_copy waits for the kernel.
  auto const host_c = Kokkos::create_mirror_view(c);
  Kokkos::deep_copy(host_c, c);
  std::int64_t wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host_c(i) != host_a(i) + host_b(i);
  return wrong;
}

int main(int argc, char** argv) {
  return run_step(
      {"vector_add", "Adds two vectors and checks every element of the sum.",
       "length of the vectors", 1 << 20, 1 << 28, wrong_elements},
      argc, argv);
}
