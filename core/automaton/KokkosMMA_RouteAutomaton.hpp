// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_AUTOMATON_HPP
#define KOKKOSMMA_ROUTE_AUTOMATON_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Input of the route function of automaton().
struct AutomatonProblem {
  bool known_rule             = false;  ///< an AutomatonRule, not a functor
  int states                  = 2;      ///< of a known rule
  Neighbourhood neighbourhood = Neighbourhood::moore;  ///< counted cells
  int radius                  = 1;                     ///< of the neighbourhood
  bool one_range   = false;      ///< birth, survival: one range of counts each
  bool contiguous  = false;      ///< the fast dimension has stride one
  std::int64_t row = 0;          ///< cells along the fast dimension
  std::int64_t generations = 0;  ///< steps of the call
};

/// Longest row of the kernels that count one-bit cells: row offsets within a
/// neighbourhood have 32 bits.
inline constexpr std::int64_t max_packed_row = std::int64_t(1) << 31;

/// Fewest generations for one-bit cells: packing and unpacking cost as much as
/// one or two generations on byte cells.
inline constexpr std::int64_t least_packed_generations = 3;

constexpr AutomatonProblem automaton_problem(AutomatonRule const& rule) {
  AutomatonProblem problem;
  problem.known_rule    = true;
  problem.states        = rule.states();
  problem.neighbourhood = rule.neighbourhood();
  problem.radius        = rule.radius();
  problem.one_range     = CountRanges(rule).are_all;
  return problem;
}
/// Properties of a rule that is a functor of the caller.
template <class Next>
constexpr AutomatonProblem automaton_problem(Neighbourhood neighbourhood,
                                             int radius, Next const&) {
  AutomatonProblem problem;
  problem.neighbourhood = neighbourhood;
  problem.radius        = radius;
  return problem;
}

/// Why no kernel of the library can run an automaton, or none. The route `mma`
/// runs all others.
constexpr Refusal refuse_automaton(AutomatonProblem const& problem,
                                   Capability const& capability) {
  return first_refusal({
      {!capability.cuda, not_cuda},
      {capability.compute_capability < 80, no_async_copy},
      {!problem.contiguous, {"neither dimension has stride one"}},
  });
}

/// Why the route `streamed`, which has one-bit cells, cannot run, or none.
constexpr Refusal refuse_packed_automaton(AutomatonProblem const& problem,
                                          Capability const& capability) {
  if (Refusal const refusal = refuse_automaton(problem, capability))
    return refusal;
  bool const counts = problem.radius > 1;
  return first_refusal({
      {!problem.known_rule,
       {"the rule is a functor, whose states may need more than one bit"}},
      {problem.states != 2,
       {"the rule has more than two states, which do not fit in one bit"}},
      {counts && problem.neighbourhood != Neighbourhood::moore,
       {"beyond radius 1, cells of one bit support Moore neighbourhoods only"}},
      {counts && !problem.one_range,
       {"the counts of birth or of survival are not one contiguous range"}},
      {counts && problem.row > max_packed_row,
       {"rows have more than 2^31 cells"}},
  });
}

/// Route of an automaton: `streamed` advances one-bit cells, `mma` counts byte
/// cells on tensor cores, `generic` is plain Kokkos. Automatic choice never
/// fails and prefers `streamed`: over 64 generations it is 11 times as fast as
/// `mma` at radius 1, 2.4 times at 5, 1.5 times at 16 (docs/results/papers.md).
constexpr RouteDecision route_automaton(AutomatonProblem const& problem,
                                        Capability const& capability,
                                        Settings const& settings) {
  bool const few         = problem.generations < least_packed_generations;
  Refusal const packed   = refuse_packed_automaton(problem, capability);
  RouteDecision decision = route_by_refusals(
      settings.route, refuse_automaton(problem, capability), packed,
      few ? Refusal{} : Refusal{"generations on cells of one bit are faster"});
  if (decision.route != settings.route && few && !packed)
    decision.streamed = {
        "packing cells into bits takes as long as one or two generations"};
  return decision;
}

}  // namespace KokkosMMA::Impl

#endif
