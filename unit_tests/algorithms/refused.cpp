// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Does not compile: every call is refused with a sentence that starts with the
// public name. check_refused.cmake looks for the sentences. nvcc does not look
// into functions that return nothing when other calls are wrong, so each kind
// is a program of its own.

#include <KokkosMMA.hpp>

#include <cstdint>

int main() {
  using Exec = Kokkos::DefaultExecutionSpace;
  Exec const exec;
  Kokkos::View<double*> const x("x", 10);
  Kokkos::View<double*> const y("y", 10);
  Kokkos::View<long double*> const unknown("x", 10);
  Kokkos::View<double const*> const constant = x;
  Kokkos::View<std::int32_t*> const numbers("x", 10);
  Kokkos::View<std::int64_t*> const wide("x", 10);
  int total  = 0;
  double sum = 0;

#if defined(REFUSED_SCAN_FUNCTORS)
  KokkosMMA::exclusive_scan_into(x, constant);
  KokkosMMA::inclusive_scan_into(unknown, y);
  KokkosMMA::exclusive_scan_into(x, y, sum);
#elif defined(REFUSED_SCANS)
  KokkosMMA::exclusive_scan<float>(exec, x, y);
  KokkosMMA::inclusive_scan<float>(exec, numbers, y);
  KokkosMMA::exclusive_scan(exec, numbers, numbers, 0.5);
  KokkosMMA::inclusive_scan(exec, x, y, KokkosMMA::Total(total));
#elif defined(REFUSED_TOTALS)
  KokkosMMA::exclusive_scan(exec, x, y, sum);
  KokkosMMA::inclusive_scan(exec, x, y, 0, sum);
  KokkosMMA::inclusive_scan(exec, x, numbers);
  KokkosMMA::exclusive_scan(exec, wide, numbers);
#elif defined(REFUSED_SUMS)
  KokkosMMA::reduce(exec, wide, total);
  KokkosMMA::segmented_reduce(exec, x, 5, numbers);
  KokkosMMA::segmented_inclusive_scan(exec, wide, 5, numbers);
#elif defined(REFUSED_ARGUMENTS)
  Kokkos::View<double**> const matrix("matrix", 10, 10);
  auto const torus =
      KokkosMMA::Boundaries<1>::all(KokkosMMA::Boundary::periodic);
  KokkosMMA::reduce(exec, matrix, sum);
  KokkosMMA::reduce(x, sum);
  KokkosMMA::reduce(exec, x);
  KokkosMMA::inclusive_scan(exec, matrix, matrix);
  KokkosMMA::exclusive_scan(x, y, 1);
  KokkosMMA::stencil(exec, matrix, matrix, KokkosMMA::StencilWeights<1>::box(1),
                     torus);
#elif defined(REFUSED_RESULTS)
  KokkosMMA::reduce(exec, x, y);
  KokkosMMA::reduce(5, x, sum);
  KokkosMMA::reduce(exec, x, "a text");
#elif defined(REFUSED_POLICIES)
  KokkosMMA::StencilPolicy const stencil(
      exec, x, KokkosMMA::StencilWeights<1>::box(1),
      KokkosMMA::Boundaries<1>::all(KokkosMMA::Boundary::periodic));
  KokkosMMA::SegmentPolicy const segments(exec, x, 5);
#else
  Kokkos::RangePolicy<Exec> const range(exec, 0, 10);
  Kokkos::parallel_reduce(range, KokkosMMA::load(x), Kokkos::Sum<int>(total));
  Kokkos::parallel_reduce(range, KokkosMMA::squares(wide),
                          KokkosMMA::Sum<int>(total));
  Kokkos::parallel_reduce(range,
                          KokkosMMA::transform(
                              x, KOKKOS_LAMBDA(double v) { return v + 1; }),
                          total);
#endif
}
