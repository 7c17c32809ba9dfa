// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Does not compile: every call is refused with a sentence that starts with the
// public name. The test looks for the sentences, in this order. nvcc does not
// look into functions that return nothing when other calls are wrong, so these
// are a program of their own.

#include <KokkosMMA.hpp>

#include <cstdint>

int main() {
  Kokkos::DefaultExecutionSpace const exec;
  Kokkos::View<double*> const x("x", 10);
  Kokkos::View<double*> const y("y", 10);
  Kokkos::View<long double*> const unknown("x", 10);
  Kokkos::View<double const*> const constant = x;
  Kokkos::View<std::int32_t*> const numbers("x", 10);
  int total = 0;

#ifdef REFUSED_FUNCTORS
  KokkosMMA::exclusive_scan_into(x, constant);
  KokkosMMA::inclusive_scan_into(unknown, y);
#else
  KokkosMMA::exclusive_scan<float>(exec, x, y);
  KokkosMMA::inclusive_scan<float>(exec, numbers, y);
  KokkosMMA::exclusive_scan(exec, numbers, numbers, 0.5);
  KokkosMMA::inclusive_scan(exec, x, y, 0, total);
#endif
}
