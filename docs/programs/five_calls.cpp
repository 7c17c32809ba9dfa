// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Five kinds of Kokkos calls, 100 times each, for the table of
// KOKKOSMMA_COMPARE in docs/getting_started.md: five_calls 8192

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const side = argc > 1 ? std::atoi(argv[1]) : 64;
  if (side < 16 || side > 46340) {
    std::fprintf(stderr, "usage: five_calls [SIDE], 16 to 46340\n");
    return 2;
  }
  int const n     = side * side;
  int const steps = 100;

  Kokkos::View<double**> u("u", side, side), next("next", side, side);
  Kokkos::View<float*> const x("x", n), y("y", n);
  Kokkos::View<int*> const counts("counts", n), offsets("offsets", n);
  Kokkos::deep_copy(Kokkos::subview(u, 0, Kokkos::ALL), 1);
  Kokkos::deep_copy(next, u);
  Kokkos::deep_copy(x, 1);
  Kokkos::deep_copy(counts, 1);

  using Grid      = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;
  double residual = 0;
  float dot       = 0;
  for (int step = 0; step < steps; ++step) {
    Kokkos::parallel_for(
        "jacobi", Grid({1, 1}, {side - 1, side - 1}),
        KOKKOS_LAMBDA(int i, int j) {
          next(i, j) =
              (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4;
        });
    Kokkos::parallel_reduce(
        "residual", Grid({0, 0}, {side, side}),
        KOKKOS_LAMBDA(int i, int j, double& sum) {
          sum += Kokkos::abs(next(i, j) - u(i, j));
        },
        residual);
    std::swap(u, next);
    Kokkos::parallel_for(
        "axpy", n, KOKKOS_LAMBDA(int i) { y(i) += 0.5f * x(i); });
    Kokkos::parallel_reduce(
        "dot", n, KOKKOS_LAMBDA(int i, float& sum) { sum += x(i) * y(i); },
        dot);
    Kokkos::parallel_scan(
        "offsets", n, KOKKOS_LAMBDA(int i, int& sum, bool final) {
          if (final) offsets(i) = sum;
          sum += counts(i);
        });
  }

  int last = 0;
  Kokkos::deep_copy(last, Kokkos::subview(offsets, n - 1));
  float const expected = 0.5f * steps * float(n);
  std::printf("residual %g, dot %g, last offset %d\n", residual, dot, last);
  return last == n - 1 && residual > 0 && residual < side &&
                 Kokkos::abs(dot - expected) < 1e-3f * expected
             ? 0
             : 1;
}
