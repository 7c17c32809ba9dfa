// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_DROP_IN_MIXED_HPP
#define KOKKOSMMA_DROP_IN_MIXED_HPP

// An application of which one source was compiled with the drop-in and one
// without. Both reduce with the functor types below, so that the linker meets
// the same Kokkos templates twice.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace mixed {

template <class Exec>
struct Shared {
  Kokkos::View<std::int64_t const*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += x(i);
  }
};

template <class Exec>
struct SharedMaximum {
  using value_type = double;
  Kokkos::View<std::int64_t const*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, double& update) const {
    join(update, static_cast<double>(x(i)));
  }
  KOKKOS_FUNCTION void init(double& update) const { update = -1e300; }
  KOKKOS_FUNCTION void join(double& update, double const& other) const {
    if (other > update) update = other;
  }
};

/// A loop over a range and over a box.
template <class Exec>
struct SharedLoop {
  Kokkos::View<std::int64_t*, Exec> y;
  int columns;
  KOKKOS_FUNCTION void operator()(int i) const { y(i) += i; }
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    y(i * columns + j) += 1000;
  }
};

/// A loop over teams and a reduction over them.
template <class Exec>
struct SharedTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<std::int64_t*, Exec> y;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, 100),
        [&](int i, std::int64_t& s) { s += i; }, sum);
    Kokkos::single(Kokkos::PerTeam(m), [&] { y(m.league_rank()) += sum; });
  }
  KOKKOS_FUNCTION void operator()(Member const& m, std::int64_t& sum) const {
    if (m.team_rank() == 0) sum += y(m.league_rank());
  }
};

struct Results {
  std::int64_t sum;          // result of Shared as a scalar
  std::int64_t sum_in_view;  // the same through a View
  double maximum;            // result of SharedMaximum
  std::int64_t only_here;    // a functor that only this source knows
  std::int64_t grid;         // a reduction over a two-dimensional range
  std::int64_t loops;        // sum of what SharedLoop leaves
  std::int64_t teams;        // sum of what SharedTeams leaves
};

template <class Exec, class OnlyHere>
Results reduce_all(Kokkos::View<std::int64_t const*, Exec> const& x,
                   OnlyHere const& only_here) {
  int const n = x.extent(0);
  Results results{-1, -1, -1., -1, -1, 0, -1};
  Kokkos::RangePolicy<Exec> const policy(0, n);
  Kokkos::parallel_reduce("shared", policy, Shared<Exec>{x}, results.sum);
  Kokkos::View<std::int64_t, Exec> const view("view");
  Kokkos::parallel_reduce("shared", policy, Shared<Exec>{x}, view);
  Kokkos::deep_copy(results.sum_in_view, view);
  Kokkos::parallel_reduce("shared", policy, SharedMaximum<Exec>{x},
                          results.maximum);
  Kokkos::parallel_reduce(
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {30, 40}), only_here,
      results.grid);
  Kokkos::parallel_reduce("only here", policy, only_here, results.only_here);

  int const rows = 900, columns = 301;
  Kokkos::View<std::int64_t*, Exec> const y("y", rows * columns);
  for (int round = 0; round < 20; ++round) {
    Kokkos::parallel_for("shared", rows * columns,
                         SharedLoop<Exec>{y, columns});
    Kokkos::parallel_for(
        "shared",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {rows, columns}),
        SharedLoop<Exec>{y, columns});
  }
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (int i = 0; i < rows * columns; ++i) results.loops += host(i);

  Kokkos::TeamPolicy<Exec> const teams(500, Kokkos::AUTO);
  Kokkos::View<std::int64_t*, Exec> const of_teams("of teams", 500);
  for (int round = 0; round < 20; ++round) {
    Kokkos::parallel_for("shared", teams, SharedTeams<Exec>{of_teams});
    Kokkos::parallel_reduce("shared", teams, SharedTeams<Exec>{of_teams},
                            results.teams);
  }
  return results;
}

using Exec = Kokkos::DefaultExecutionSpace;
Results with_drop_in(Kokkos::View<std::int64_t const*, Exec> const& x);
Results without_drop_in(Kokkos::View<std::int64_t const*, Exec> const& x);

// 5 * (0 + 1 + ... + n - 1), by a functor that no source with the drop-in
// knows.
std::int64_t only_without_drop_in(int n);

}  // namespace mixed

#endif
