// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_TEAM_HPP
#define KOKKOSMMA_ROUTE_TEAM_HPP

#include <core/loops/KokkosMMA_TeamProblem.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <bit>
#include <cstdint>

namespace KokkosMMA::Impl {

/// Route of a team kernel on Cuda. Whether `streamed` is faster than Kokkos'
/// loops is measured, not decided here.
constexpr RouteDecision route_team(Route asked) {
  return route_by_refusals(
      asked, {"a team kernel is opaque code of the application"}, {}, {});
}

/// Kernels with fewer threads are measured only after many calls, as loops of
/// few indices are.
inline constexpr std::uint64_t min_large_team_threads = std::uint64_t(1) << 14;

/// Class of team kernels of one functor that use the same choice: equal team
/// size and vector length, similar number of teams. The lengths of a lane's
/// loops change with that number.
constexpr unsigned team_size_class(TeamProblem const& problem) {
  int const lengths = 6;  // of vectors
  int const counts  = 33;
  return unsigned(
      (problem.threads * lengths + std::countr_zero(unsigned(problem.vector))) *
          counts +
      int(std::bit_width(problem.teams)));
}

}  // namespace KokkosMMA::Impl

#endif
