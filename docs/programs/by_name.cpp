// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Before and after (docs/by_name.md): loops and calls of Kokkos, and the calls
// of this library that do the same.

#include <KokkosMMA.hpp>
#include <Kokkos_StdAlgorithms.hpp>

#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;

bool dot_products(Exec const& exec) {
  int const n = 1000000;
  Kokkos::View<double*> const x("x", n), y("y", n);
  Kokkos::deep_copy(x, 0.5);
  Kokkos::deep_copy(y, 2.);
  double before = 0, after = 0;

  Kokkos::parallel_reduce(
      "dot", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i, double& sum) { sum += x(i) * y(i); }, before);

  KokkosMMA::reduce(exec, KokkosMMA::dot(x, y), after, {.label = "dot"});

  return before == n && after == n;
}

bool rows_between_offsets(Exec const& exec) {
  int const rows = 1000;  // of 4 entries each
  Kokkos::View<double*> const values("values", 4 * rows);
  Kokkos::View<double*> const before("before", rows), after("after", rows);
  Kokkos::View<int*> const offsets("offsets", rows + 1);
  Kokkos::deep_copy(values, 4.);
  Kokkos::parallel_for(
      "offsets", rows + 1, KOKKOS_LAMBDA(int i) { offsets(i) = 4 * i; });

  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      "rows", Team(exec, rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(Team::member_type const& team) {
        int const row = team.league_rank();
        double sum    = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, offsets(row), offsets(row + 1)),
            [&](int i, double& part) { part += values(i); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { before(row) = sum; });
      });

  KokkosMMA::segmented_reduce(exec, values, offsets, after, {.label = "rows"});

  double sums[2] = {};
  KokkosMMA::reduce(exec, before, sums[0]);
  KokkosMMA::reduce(exec, after, sums[1]);
  return sums[0] == 16 * rows && sums[1] == 16 * rows;
}

bool rows_of_a_matrix(Exec const& exec) {
  Kokkos::View<float[100][64]> const matrix("matrix");
  Kokkos::View<float[100]> const before("before"), after("after");
  Kokkos::deep_copy(matrix, 1.f);

  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      "sums", Team(exec, 100, Kokkos::AUTO),
      KOKKOS_LAMBDA(Team::member_type const& team) {
        int const row = team.league_rank();
        float sum     = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, 64),
            [&](int i, float& part) { part += matrix(row, i); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { before(row) = sum; });
      });

  KokkosMMA::segmented_reduce(exec, matrix, KokkosMMA::Axis{1}, after,
                              {.label = "sums"});

  float sums[2] = {};
  KokkosMMA::reduce(exec, before, sums[0]);
  KokkosMMA::reduce(exec, after, sums[1]);
  return sums[0] == 6400 && sums[1] == 6400;
}

bool scans(Exec const& exec) {
  int const n = 1000;
  Kokkos::View<int*> const x("x", n), y("y", n), z("z", n);
  Kokkos::deep_copy(x, 2);

  Kokkos::Experimental::exclusive_scan("scan", exec, x, y, 0);

  int total = 0;
  KokkosMMA::exclusive_scan(exec, x, z, KokkosMMA::Total(total),
                            {.label = "scan"});

  int sums[2] = {};
  KokkosMMA::reduce(exec, y, sums[0]);
  KokkosMMA::reduce(exec, z, sums[1]);
  return total == 2 * n && sums[0] == sums[1] && sums[1] == n * (n - 1);
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  bool const right[] = {dot_products(exec), rows_between_offsets(exec),
                        rows_of_a_matrix(exec), scans(exec)};
  std::printf("dot %d, offsets %d, rows %d, scans %d\n", right[0], right[1],
              right[2], right[3]);
  return right[0] && right[1] && right[2] && right[3] ? 0 : 1;
}
