// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_TEAM_HPP
#define KOKKOSMMA_ROUTE_TEAM_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <bit>
#include <cstdint>

namespace KokkosMMA::Impl {

/// A team kernel as values: what the route function needs and nothing else.
struct TeamProblem {
  std::uint64_t teams = 0;
  /// Of a block: those of a team times the length of its vectors. 0: Kokkos
  /// chooses them, for its own kernel of a loop. A reduction has them chosen
  /// before.
  int threads = 0;
  int vector  = 1;  ///< lanes of a thread: a power of two, up to 32
};

/// The first reason why the route `streamed` cannot run a team kernel, or
/// none. Whether it is faster than Kokkos' loops is measured, not decided here.
constexpr Refusal refuse_streamed(TeamProblem const&,
                                  Capability const& capability) {
  return first_refusal({
      {!capability.cuda, not_cuda},
  });
}

/// Route of a team kernel. Automatic choice never fails.
constexpr RouteDecision route_team(TeamProblem const& problem,
                                   Capability const& capability,
                                   Settings const& settings) {
  return route_by_refusals(settings.route,
                           {"a team kernel is the caller's own code"},
                           refuse_streamed(problem, capability), {});
}

/// Kernels of fewer threads are measured after many calls only, as loops of few
/// indices are.
inline constexpr std::uint64_t min_large_team_threads = std::uint64_t(1) << 14;

/// Team kernels of one functor that share a choice: of teams of one size with
/// vectors of one length, and of alike many. The lengths of the loops of a lane
/// go with the latter.
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
