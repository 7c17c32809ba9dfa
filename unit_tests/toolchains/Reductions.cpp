// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop, a sum, a scan, a graph, a team kernel and a segmented sum of each
// kind, as an application writes them and by name: what every pair of compilers
// in .ci/toolchains must compile. Nothing here runs.

#include <KokkosMMA.hpp>

#include <Kokkos_Graph.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec>;
using Half  = Kokkos::Experimental::half_t;

/// Kernels of Kokkos that this library has no other form of: nodes, and arrays.
struct OfRows {
  using Member     = Kokkos::TeamPolicy<Exec>::member_type;
  using value_type = double[];
  Array<double> x;
  unsigned value_count;
  KOKKOS_FUNCTION double row_sum(Member const& m) const {
    double all = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, 99),
        [&](int i, double& update) { update += x(i); }, all);
    return all;
  }
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    double const all = row_sum(m);
    Kokkos::single(Kokkos::PerTeam(m), [&] { x(m.league_rank()) = all; });
  }
  KOKKOS_FUNCTION void operator()(Member const& m, double* sums) const {
    sums[m.league_rank() % value_count] += row_sum(m);
  }
};

}  // namespace

void plain_calls(Array<double> x, Array<double> y, double& sum, int& kept) {
  Kokkos::RangePolicy<Exec> const all(0, x.extent(0));
  Kokkos::deep_copy(y, 0.);
  Kokkos::parallel_for(
      "copy", all, KOKKOS_LAMBDA(int i) { y(i) = x(i); });
  Kokkos::parallel_for(
      "across",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>({0, 0, 0}, {9, 9, 9}),
      KOKKOS_LAMBDA(int i, int j, int k) { y(i) = x(j + k); });
  Kokkos::parallel_reduce(
      "sum", all, KOKKOS_LAMBDA(int i, double& update) { update += x(i); },
      sum);
  Kokkos::parallel_reduce(
      "max", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {10, 10}),
      KOKKOS_LAMBDA(int i, int j, double& update) {
        if (x(i + j) > update) update = x(i + j);
      },
      Kokkos::Max<double>(sum));
  Kokkos::parallel_scan(
      "compaction", all,
      KOKKOS_LAMBDA(int i, int& update, bool last) {
        bool const keep = x(i) > 0.;
        if (last && keep) y(update) = x(i);
        update += keep;
      },
      kept);
}

void calls_of_nodes(Array<double> x, Kokkos::View<double, Exec> sum) {
  auto const fill = KOKKOS_LAMBDA(int i) { x(i) = i; };
  auto const add  = KOKKOS_LAMBDA(int i, double& update) { update += x(i); };
  OfRows const rows{x, 4};
  Kokkos::TeamPolicy<Exec> const teams(9, 64);
  auto const add_row = KOKKOS_LAMBDA(OfRows::Member const& m, double& update) {
    update += rows.row_sum(m);
  };
  Kokkos::Experimental::create_graph<Exec>([&](auto root) {
    root.then_parallel_for(9, fill)
        .then_parallel_reduce(9, add, sum)
        .then_parallel_for(teams, rows)
        .then_parallel_reduce(teams, add_row, sum)
        .then_parallel_reduce(teams, rows, x);
  }).submit();
  Kokkos::parallel_reduce("arrays", teams, rows, x);
}

void calls_of_teams(Array<double> x, Array<double> y, int length, double& sum) {
  using Member       = Kokkos::TeamPolicy<Exec>::member_type;
  auto const row_sum = KOKKOS_LAMBDA(Member const& m) {
    double all = 0, most = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, length),
        [&](int i, double& outer) {
          double inner = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(m, length),
              [&](int j, double& update) { update += x(i + j); }, inner);
          outer += inner;
        },
        all);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(m, length),
        [&](int i, double& update) {
          if (x(i) > update) update = x(i);
        },
        Kokkos::Max<double>(most));
    Kokkos::single(Kokkos::PerTeam(m),
                   [&] { y(m.league_rank()) = all + most; });
  };
  Kokkos::parallel_for("teams", Kokkos::TeamPolicy<Exec>(9, Kokkos::AUTO, 8),
                       row_sum);
  Kokkos::parallel_reduce(
      "of teams", Kokkos::TeamPolicy<Exec>(9, 64),
      KOKKOS_LAMBDA(Member const& m, double& update) {
        update += y(m.league_rank());
      },
      sum);
}

void calls_by_name(Array<Half> x, Array<float> y, Array<int> offsets,
                   float& sum) {
  Exec const exec;
  KokkosMMA::reduce(exec, x, sum);
  Kokkos::parallel_reduce("dot", x.extent(0), KokkosMMA::dot(y, y),
                          KokkosMMA::Sum<float>(sum));
  KokkosMMA::exclusive_scan(exec, y, y);
  KokkosMMA::segmented_reduce(exec, y, 32, y);
  KokkosMMA::segmented_reduce(exec, y, offsets, y);
}
