// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions inside a TeamPolicy kernel (docs/calls/teams.md).

#include <KokkosMMA.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const rows = 100, columns = 1000;
  Kokkos::View<float**> const matrix("matrix", rows, columns);
  Kokkos::View<float*> const norms("norms", rows);
  Kokkos::deep_copy(matrix, 2.f);

  using Team = Kokkos::TeamPolicy<>;
  Kokkos::parallel_for(
      "rows", Team(rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(Team::member_type const& member) {
        int const row = member.league_rank();
        float squares = 0, largest = 0;
        // Every thread of the team calls, and every one gets the result.
        KokkosMMA::team_reduce(
            member, columns,
            [&](int i, float& sum) { sum += matrix(row, i) * matrix(row, i); },
            squares);
        KokkosMMA::team_reduce(member,
                               Kokkos::subview(matrix, row, Kokkos::ALL),
                               Kokkos::Max<float>(largest));
        Kokkos::single(Kokkos::PerTeam(member),
                       [&] { norms(row) = squares / largest; });
      });

  float sum = 0;
  KokkosMMA::reduce(Kokkos::DefaultExecutionSpace(), norms, sum);
  std::printf("sum of all rows %g\n", sum);
  return sum == 2.f * rows * columns ? 0 : 1;
}
