// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>
#include <core/automaton/KokkosMMA_RouteAutomaton.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <gtest/gtest.h>

#include <string_view>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

using namespace KokkosMMA::Testing;
using P = AutomatonProblem;

P known(std::string_view rule) {
  return with(automaton_problem(parse_rule(rule)), &P::contiguous, true,
              &P::row, 1000, &P::generations, 64);
}
constexpr P life() {
  return with(P{}, &P::known_rule, true, &P::contiguous, true, &P::row, 1000,
              &P::generations, 64);
}
constexpr P larger(int radius) {
  return with(life(), &P::radius, radius, &P::one_range, true);
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

template <class... Changes>
constexpr Refusal packed(P const& problem, Changes... changes) {
  return refuse_packed_automaton(with(problem, changes...), h200);
}
constexpr auto von_neumann = Neighbourhood::von_neumann;
static_assert(says(refuse_packed_automaton(life(), host), "not Cuda"));
static_assert(says(packed(life(), &P::known_rule, false), "functor"));
static_assert(says(packed(life(), &P::states, 4), "two states"));
static_assert(says(packed(larger(5), &P::neighbourhood, von_neumann), "Moore"));
static_assert(says(packed(larger(5), &P::one_range, false),
                   "one contiguous range"));
static_assert(says(packed(larger(5), &P::row, max_packed_row + 1), "2^31"));
static_assert(!packed(larger(5), &P::row, max_packed_row));
// Of radius 1 any counts, any neighbourhood and any row have bits.
static_assert(!packed(life(), &P::neighbourhood, von_neumann, &P::row,
                      max_packed_row + 1));

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

static_assert(route_automaton(with(life(), &P::generations, 1), h200,
                              Settings{Route::streamed})
                  .route == Route::streamed);

TEST(RouteAutomaton, LifeIsKnownInAllNotations) {
  for (char const* const text :
       {"B3/S23", "S23/B3", "23/3", "R1,C0,M1,S3..4,B3..3,NM"})
    EXPECT_TRUE(is_life(parse_rule(text))) << text;
  for (char const* const text :
       {"B36/S23", "B3/S23V", "23/3/3", "B3/S2", "B3/S238", "B03/S23",
        "R1,C0,M0,S3..4,B3..3,NM", "R2,C0,M0,S2..3,B3..3,NM"})
    EXPECT_FALSE(is_life(parse_rule(text))) << text;
}

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

}  // namespace
