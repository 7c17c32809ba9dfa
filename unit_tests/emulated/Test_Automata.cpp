// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/automaton/KokkosMMA_WarpAutomaton.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using Warp = KokkosMMA::Impl::Emulated::Warp;

/// The first states, 2 or all, and all counts, in all places of a word.
template <class Rule>
void expect_rule(std::string const& text, int states = 256) {
  SCOPED_TRACE(text);
  AutomatonRule const rule = parse_rule(text);
  Rule const packed(rule);
  std::uint32_t shared[Rule::shared_words + 1] = {};
  for (int thread = 0; thread < 128; ++thread) packed.stage(thread, shared);
  int const largest = neighbourhood_size(rule.neighbourhood(), rule.radius());
  for (int count = 0; count <= largest; ++count)
    for (int first = 0; first < std::max(states, 16); ++first) {
      std::uint32_t cells[4];
      std::int32_t counts[16];
      // The neighbours of the cell under test are others, near and far.
      auto const state = [&](int k) {
        return states == 2 ? (first >> k % 4 ^ k / 4) & 1
                           : (first + k * k) % 256;
      };
      auto const alive = [&](int k) {
        int const n = (count + 7 * k) % (largest + 1);
        return n == 0 && state(k) == 1 ? 1 : n;
      };
      for (int k = 0; k < 16; ++k) {
        if (k % 4 == 0) cells[k / 4] = 0;
        cells[k / 4] |= std::uint32_t(state(k)) << 8 * (k % 4);
        counts[k] = alive(k);
      }
      next_cells<Warp>(packed, shared, cells, counts);
      for (int k = 0; k < 16; ++k) {
        int const centre = !rule.counts_centre() && state(k) == 1;
        ASSERT_EQ(int(rule.next(std::uint8_t(state(k)), alive(k) - centre)),
                  int(cells[k / 4] >> 8 * (k % 4) & 0xffu))
            << "state " << state(k) << ", count " << alive(k);
      }
    }
}

TEST(AutomatonWarp, RulesOfRanges) {
  for (char const* const text :
       {"B3/S23", "B/S", "B0/S8", "B/S012345678", "B012345678/S", "B2/S34V",
        "R5,C0,M1,S34..58,B34..45,NM", "R16,C0,M0,S0..1088,B1088..1088,NM",
        "R16,C0,M1,S1..1089,B0..0,NM", "R16,C0,M0,S270..480,B370..525,NM",
        "R9,C0,M0,S10..90,B40..60,NN"}) {
    ASSERT_TRUE(CountRanges(parse_rule(text)).are_all) << text;
    expect_rule<RangeRule>(text);
    expect_rule<RangeRule>(text, 2);
    expect_rule<SetRule<true>>(text);
  }
  for (char const* const text :
       {"B36/S23", "B3/S13", "R5,C0,M1,S34-58,60,B34-45,NM", "23/3/3"})
    EXPECT_FALSE(CountRanges(parse_rule(text)).are_all) << text;
}

TEST(AutomatonWarp, RulesOfAnySet) {
  for (char const* const text :
       {"B36/S23", "B0/S02468", "B1357/S1357", "R3,C0,M1,S2,14-30,49,B0,32,NM",
        "R16,C0,M0,S31-33,63,1088,B32,64,1024,NM"}) {
    expect_rule<SetRule<true>>(text);
    expect_rule<SetRule<true>>(text, 2);
  }
  for (char const* const text :
       {"/2/3", "345/2/4", "B3/S23/256", "R7,C5,M0,S60-80,90,B55-70,NM",
        "R16,C256,M1,S270-480,B370-525,1089,NM", "R4,C3,M1,S10-14,B9,11,NN",
        "B36/S23"})
    expect_rule<SetRule<false>>(text);
}

// A functor sees the cell in its own type and the others alone.
TEST(AutomatonWarp, RulesOfACaller) {
  auto const rule = [](std::int8_t state, int count) {
    return std::int8_t(state < 0 ? count % 100 : -state);
  };
  CallRule<std::int8_t, decltype(rule)> const packed(rule);
  for (int first = 0; first < 256; ++first) {
    std::uint32_t cells[4] = {};
    std::int32_t counts[16];
    for (int k = 0; k < 16; ++k) {
      cells[k / 4] |= std::uint32_t((first + k) % 256) << 8 * (k % 4);
      counts[k] = 1 + first + k;
    }
    next_cells<Warp>(packed, nullptr, cells, counts);
    for (int k = 0; k < 16; ++k) {
      auto const state = std::int8_t((first + k) % 256);
      ASSERT_EQ(int(rule(state, 1 + first + k - (state == 1))),
                int(std::int8_t(cells[k / 4] >> 8 * (k % 4))));
    }
  }
}

}  // namespace
