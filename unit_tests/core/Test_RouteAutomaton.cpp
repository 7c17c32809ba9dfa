// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/automaton/KokkosMMA_PackedCells.hpp>
#include <core/automaton/KokkosMMA_RouteAutomaton.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <string_view>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

using namespace KokkosMMA::Testing;
using P = AutomatonProblem;

P known(std::string_view rule) {
  P problem           = automaton_problem(parse_rule(rule));
  problem.contiguous  = true;
  problem.row         = 1000;
  problem.generations = 64;
  return problem;
}
constexpr P life() {
  P problem;
  problem.known_rule  = true;
  problem.contiguous  = true;
  problem.row         = 1000;
  problem.generations = 64;
  return problem;
}
constexpr P larger(int radius) {
  P problem         = life();
  problem.radius    = radius;
  problem.one_range = true;
  return problem;
}
constexpr RouteDecision decided(P const& problem) {
  return route_automaton(problem, h200, {});
}

static_assert(says(refuse_automaton(life(), host), "not Cuda"));
static_assert(says(refuse_automaton(life(), v100), "below 8.0"));
static_assert(says(refuse_automaton(with(life(), &P::contiguous, false), h200),
                   "stride one"));
static_assert(!refuse_automaton(life(), h200));
static_assert(!refuse_automaton(with(life(), &P::known_rule, false), h200));

static_assert(says(refuse_packed_automaton(life(), host), "not Cuda"));
static_assert(says(refuse_packed_automaton(with(life(), &P::known_rule, false),
                                           h200),
                   "functor"));
static_assert(says(refuse_packed_automaton(with(life(), &P::states, 4), h200),
                   "two states"));
static_assert(says(refuse_packed_automaton(with(larger(5), &P::neighbourhood,
                                                Neighbourhood::von_neumann),
                                           h200),
                   "Moore"));
static_assert(
    says(refuse_packed_automaton(with(larger(5), &P::one_range, false), h200),
         "one contiguous range"));
static_assert(says(
    refuse_packed_automaton(with(larger(5), &P::row, max_packed_row + 1), h200),
    "2^31"));
static_assert(!refuse_packed_automaton(with(larger(5), &P::row, max_packed_row),
                                       h200));
// Of radius 1 any counts, any neighbourhood and any row have bits.
static_assert(!refuse_packed_automaton(with(with(life(), &P::neighbourhood,
                                                 Neighbourhood::von_neumann),
                                            &P::row, max_packed_row + 1),
                                       h200));

static_assert(decided(life()).route == Route::streamed);
static_assert(says(decided(life()).mma, "one bit are faster"));
static_assert(decided(larger(16)).route == Route::streamed);
static_assert(decided(with(life(), &P::generations, 3)).route ==
              Route::streamed);
static_assert(decided(with(life(), &P::generations, 2)).route == Route::mma);
static_assert(says(decided(with(life(), &P::generations, 2)).streamed,
                   "one or two generations"));
static_assert(decided(with(life(), &P::states, 4)).route == Route::mma);
static_assert(decided(with(life(), &P::known_rule, false)).route == Route::mma);
static_assert(decided(with(life(), &P::contiguous, false)).route ==
              Route::generic);
static_assert(route_automaton(life(), v100, {}).route == Route::generic);
static_assert(route_automaton(life(), host, {}).route == Route::generic);

// Requested: only what the route cannot do refuses.
static_assert(!refusal_of(route_automaton(life(), h200, Settings{Route::mma})));
static_assert(!refusal_of(route_automaton(with(life(), &P::generations, 1),
                                          h200, Settings{Route::streamed})));
static_assert(says(refusal_of(route_automaton(with(life(), &P::states, 4), h200,
                                              Settings{Route::streamed})),
                   "two states"));
static_assert(says(refusal_of(route_automaton(life(), host,
                                              Settings{Route::mma})),
                   "not Cuda"));
static_assert(!refusal_of(route_automaton(life(), host,
                                          Settings{Route::generic})));

// The rules that have kernels on bits are those that the route takes.
TEST(RouteAutomaton, KnownRules) {
  for (char const* const text :
       {"B3/S23", "B1357/S1357", "B2/S013V", "/2/3", "345/2/4",
        "R2,C0,M1,S6..11,B6..9,NM", "R3,C0,M0,S8..14,B9..11,NN",
        "R5,C0,M1,S34..58,B34..45,NM", "R7,C5,M0,S60-80,90,B55-70,NM",
        "R7,C0,M0,S60-80,90,B55-70,NM"}) {
    AutomatonRule const rule = parse_rule(text);
    bool const has_counts    = rule.neighbourhood() == Neighbourhood::moore &&
                            rule.radius() >= 2 && CountRanges(rule).are_all;
    EXPECT_EQ(has_bits(rule) || has_counts,
              decided(known(text)).route == Route::streamed)
        << text;
    EXPECT_FALSE(refuse_automaton(known(text), h200)) << text;
  }
}

TEST(RouteAutomaton, DecisionAsText) {
  EXPECT_EQ(
      "route streamed; not mma: generations on cells of one bit are faster",
      to_string(decided(life())));
  EXPECT_EQ(
      "route mma; not streamed: the rule has more than two states, which "
      "do not fit in one bit",
      to_string(decided(known("345/2/4"))));
}

}  // namespace
