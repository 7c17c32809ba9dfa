// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

static_assert(std::is_trivially_copyable_v<AutomatonRule>);

CountSet counts(std::initializer_list<int> list) {
  CountSet set;
  for (int const count : list) set.insert(count);
  return set;
}
CountSet counts_between(int first, int last) {
  CountSet set;
  set.insert(first, last);
  return set;
}

AutomatonRule life_like(CountSet const& birth, CountSet const& survive,
                        Neighbourhood neighbourhood = Neighbourhood::moore,
                        int states                  = 2) {
  return {neighbourhood, 1, states, false, survive, birth};
}
AutomatonRule const life = life_like(counts({3}), counts({2, 3}));
AutomatonRule const bugs{
    Neighbourhood::moore,  5, 2, true, counts_between(34, 58),
    counts_between(34, 45)};

void expect_rule(AutomatonRule const& rule, std::string const& text) {
  EXPECT_TRUE(rule == parse_rule(text)) << text;
}

void expect_refused(std::string const& text, int column,
                    std::string const& reason) {
  std::string const error = error_of([&] { parse_rule(text); });
  std::string const start = "KokkosMMA::parse_rule: \"" + text + "\", column " +
                            std::to_string(column) + ": ";
  EXPECT_EQ(start, error.substr(0, start.size()));
  EXPECT_TRUE(has_parts(error, {reason}));
}

TEST(CountSet, HoldsWhatWasInserted) {
  CountSet const set = counts({0, 31, 32, 63, 1089});
  for (int count = -40; count <= 1200; ++count) {
    bool const expected = count == 0 || count == 31 || count == 32 ||
                          count == 63 || count == 1089;
    EXPECT_EQ(expected, set.contains(count)) << count;
  }
  EXPECT_EQ(1089, set.last());
  EXPECT_EQ(-1, CountSet().last());
  EXPECT_EQ(0, counts({0}).last());
  EXPECT_FALSE(set.contains(2147483647));
  EXPECT_FALSE(set.contains(-2147483647 - 1));
}

TEST(CountSet, RefusesWhatNoNeighbourhoodCounts) {
  CountSet set;
  for (int const count : {-1, 1090, 2147483647}) {
    EXPECT_TRUE(
        has_parts(error_of([&] { set.insert(count); }),
                  {"KokkosMMA::CountSet: counts from " + std::to_string(count),
                   "0 to 1089"}));
  }
  EXPECT_NE("", error_of([&] { set.insert(5, 4); }));
  EXPECT_TRUE(CountSet() == set);
}

TEST(Neighbourhood, Sizes) {
  for (int radius = 1; radius <= 16; ++radius) {
    int moore = 0, von_neumann = 0;
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x) {
        ++moore;
        von_neumann += (x < 0 ? -x : x) + (y < 0 ? -y : y) <= radius;
      }
    EXPECT_EQ(moore, neighbourhood_size(Neighbourhood::moore, radius));
    EXPECT_EQ(von_neumann,
              neighbourhood_size(Neighbourhood::von_neumann, radius));
  }
}

TEST(AutomatonRule, RefusesWhatNoKernelTakes) {
  auto const error = [](int radius, int states, CountSet const& survive,
                        CountSet const& birth) {
    return error_of([&] {
      AutomatonRule(Neighbourhood::von_neumann, radius, states, false, survive,
                    birth);
    });
  };
  EXPECT_EQ("", error(1, 2, counts({5}), counts({5})));
  EXPECT_EQ("", error(16, 256, counts({545}), counts({0})));
  for (int const radius : {-1, 0, 17})
    EXPECT_EQ("KokkosMMA::AutomatonRule: the radius is " +
                  std::to_string(radius) + "; allowed: 1 to 16",
              error(radius, 2, {}, {}));
  for (int const states : {-1, 0, 1, 257})
    EXPECT_EQ("KokkosMMA::AutomatonRule: there are " + std::to_string(states) +
                  " states; allowed: 2 to 256",
              error(1, states, {}, {}));
  std::string const six =
      "KokkosMMA::AutomatonRule: a count of 6; a neighbourhood of this radius "
      "has 5 cells with its centre";
  EXPECT_EQ(six, error(1, 2, counts({1, 6}), {}));
  EXPECT_EQ(six, error(1, 2, {}, counts({6})));
}

TEST(AutomatonRule, NextOfTwoStates) {
  for (int count = -1; count <= 10; ++count) {
    EXPECT_EQ(count == 3, life.next(0, count)) << count;
    EXPECT_EQ(count == 2 || count == 3, life.next(1, count)) << count;
    // Cells in states that the rule does not have are dead.
    EXPECT_EQ(count == 3, life.next(2, count));
    EXPECT_EQ(count == 3, life.next(255, count));
  }
}

TEST(AutomatonRule, NextOfManyStatesGrowsOld) {
  AutomatonRule const brain =
      life_like(counts({2}), {}, Neighbourhood::moore, 3);
  for (int count = 0; count <= 8; ++count) {
    EXPECT_EQ(count == 2, brain.next(0, count)) << count;
    EXPECT_EQ(2, brain.next(1, count));
    EXPECT_EQ(0, brain.next(2, count));
    EXPECT_EQ(count == 2, brain.next(3, count)) << count;
  }
  AutomatonRule const all = life_like({}, {}, Neighbourhood::moore, 256);
  EXPECT_EQ(0, all.next(0, 0));
  for (int state = 1; state < 255; ++state)
    EXPECT_EQ(state + 1, all.next(static_cast<std::uint8_t>(state), 0));
  EXPECT_EQ(0, all.next(255, 0));
}

TEST(ParseRule, LifeInAllNotations) {
  for (char const* const text : {"B3/S23",
                                 "S23/B3",
                                 "b3/s23",
                                 "B3S23",
                                 "S23B3",
                                 "23/3",
                                 "B3/S32",
                                 "B33/S2233",
                                 " B3/S23 ",
                                 "B 3 / S 2 3\t",
                                 "23/3/2",
                                 "B3/S23/2",
                                 "B3/S23/C2",
                                 "B3/S23/G2",
                                 "S23/B3/2",
                                 "R1,C0,M0,S2..3,B3..3,NM",
                                 "R1,C2,M0,S2..3,B3..3,NM",
                                 "R1,C1,M0,S2-3,B3,NM",
                                 "R1,S2,3,B3",
                                 "r1,c0,m0,s2..3,b3..3,nm",
                                 "R1,B3,S2-3",
                                 "R1,NM,B3,S2,2-3,3,M0",
                                 "R1, C0, M0, S2..3, B3..3, NM"})
    expect_rule(life, text);
}

TEST(ParseRule, CountsOfLifeLikeRules) {
  expect_rule(life_like(counts({3, 6}), counts({2, 3})), "B36/S23");
  expect_rule(life_like(counts_between(0, 8), counts_between(0, 8)),
              "B012345678/S012345678");
  expect_rule(life_like({}, {}), "B/S");
  expect_rule(life_like({}, {}), "/");
  expect_rule(life_like({}, counts({2, 3})), "23/");
  expect_rule(life_like(counts({2}), {}), "/2");
  expect_rule(life_like(counts({2}), {}), "B2/S");
}

TEST(ParseRule, VonNeumann) {
  AutomatonRule const rule =
      life_like(counts({2}), counts({0, 1, 3, 4}), Neighbourhood::von_neumann);
  for (char const* const text :
       {"B2/S0134V", "S0134/B2V", "0134/2V", "b2/s0134v", "B2/S0134/2V",
        "R1,C0,M0,S0-1,3-4,B2,NN"})
    expect_rule(rule, text);
}

TEST(ParseRule, ManyStates) {
  AutomatonRule const star_wars =
      life_like(counts({2}), counts({3, 4, 5}), Neighbourhood::moore, 4);
  for (char const* const text :
       {"345/2/4", "B2/S345/4", "B2/S345/C4", "B2/S345/G4", "S345/B2/C4",
        "R1,C4,M0,S3..5,B2..2,NM"})
    expect_rule(star_wars, text);
  expect_rule(life_like({}, {}, Neighbourhood::moore, 256), "//256");
}

TEST(ParseRule, LargerThanLife) {
  for (char const* const text :
       {"R5,C0,M1,S34..58,B34..45,NM", "R5,M1,S34-58,B34-45",
        "R5,C0,M1,S34-40,41-58,B34..45,NM"})
    expect_rule(bugs, text);
  expect_rule({Neighbourhood::von_neumann, 3, 7, false,
               counts({1, 2, 3, 5, 24, 25}), counts({0, 9})},
              "R3,C7,M0,S1-3,5,24-25,B0,9,NN");
  expect_rule({Neighbourhood::moore, 16, 2, true, counts_between(1, 1089),
               counts({1089})},
              "R16,C0,M1,S1..1089,B1089..1089,NM");
  expect_rule({Neighbourhood::moore, 2, 2, false, {}, counts({6})},
              "R2,C0,M0,S,B6,NM");
  expect_rule({Neighbourhood::moore, 2, 2, false, counts({6}), {}},
              "R2,S6,B,NM");
  expect_rule({Neighbourhood::moore, 2, 2, false, counts({6}), {}}, "R2,S6,B");
}

TEST(ParseRule, RefusesOtherKindsOfRules) {
  expect_refused("B2-a/S23", 3, "'-' instead of S and the counts");
  expect_refused("B3/S2ce3", 6, "'c' after the end of the rule");
  expect_refused("2k3/3", 2, "'k' instead of a slash; write a rule like");
  expect_refused("MAPARYXfhZofugWaH7o", 1, "'M' instead of a slash");
  expect_refused("B2/S34H", 7, "'H' after the end of the rule");
  expect_refused("B2/S34LV", 7, "'L' after the end of the rule");
  expect_refused("B3/S23History", 7, "'H' after the end of the rule");
  expect_refused("B3/S23:T40,40", 7, "':' after the end of the rule");
  expect_refused("5,34,45,34,58", 2, "',' instead of a slash");
  // Words that begin like a rule.
  expect_refused("Brian's Brain", 2, "'r' instead of S and the counts");
  expect_refused("Seeds", 2, "'e' instead of B and the counts for birth");
  expect_refused("Replicator", 1, "'R' instead of a slash");
  expect_refused("R5,C0,M1,S34..58,B34..45,NC", 27,
                 "'C' after N; the neighbourhoods here are NM (Moore) and NN");
  expect_refused("R5,S34..58,B34..45,N", 21, "the end of the rule after N");
}

TEST(ParseRule, RefusesMalformedLifeLikeRules) {
  expect_refused("", 1, "the end of the rule instead of a slash");
  expect_refused("  ", 3, "the end of the rule instead of a slash");
  expect_refused("B3", 3, "the end of the rule instead of S and the counts");
  expect_refused("S23/", 5, "instead of B and the counts for birth");
  expect_refused("B3/B2", 4, "'B' instead of S and the counts for survival");
  expect_refused("B3//S23", 4, "'/' instead of S");
  expect_refused("B3/23", 4, "'2' instead of S");
  expect_refused("23;3", 3, "';' instead of a slash");
  expect_refused("B9/S23", 2, "a count of 9; a cell has 8 neighbours");
  expect_refused("23/39", 5, "a count of 9; a cell has 8 neighbours");
  expect_refused("B3/S25V", 6, "a count of 5; a cell has 4 neighbours");
  expect_refused("B3/S23/", 8, "instead of the number of states");
  expect_refused("B3/S23/1", 8, "the number of states is 1; allowed: 2 to 256");
  expect_refused("B3/S23/C257", 9, "is 257; allowed: 2 to 256");
  expect_refused("B3/S23/99999999999999999999", 8, "allowed: 2 to 256");
  expect_refused("B3/S23VV", 8, "'V' after the end of the rule");
  expect_refused("B 3 / S 2 3 ?", 13, "'?' after the end of the rule");
}

TEST(ParseRule, RefusesMalformedLargerThanLifeRules) {
  std::string const end = ",S34..58,B34..45";
  expect_refused("R" + end, 2, "',' instead of the radius");
  expect_refused("R0" + end, 2, "the radius is 0; allowed: 1 to 16");
  expect_refused("R99999999999" + end, 2, "allowed: 1 to 16");
  expect_refused("R5,C257" + end, 5, "is 257; allowed: 0 to 256");
  expect_refused("R5,M2" + end, 5, "the centre is 2; allowed: 0 to 1");
  expect_refused("R5,M1,M1" + end, 7, "a second field M");
  expect_refused("R5" + end + ",R5", 20, "a second field R");
  expect_refused("R5,X3" + end, 4, "'X' is not a field; write a rule like");
  expect_refused("R5" + end + ",", 20, "the end of the rule is not a field");
  expect_refused("R5" + end + ",NMM", 22, "'M' after the end of the rule");
  expect_refused("R5,S34..58", 11, "the field B is missing");
  expect_refused("R5,B34..45,NM", 14, "the field S is missing");
  expect_refused("R5,S34.58,B34..45", 8, "the field B is missing");
  expect_refused("R5,S34..,B34..45", 9, "',' instead of the end of a range");
  expect_refused("R5,S3,,B34..45", 7, "',' is not a field");
  expect_refused("R5,S58..34,B34..45", 9,
                 "the end of a range is 34; allowed: 58 to 1089");
  for (char const* const text :
       {"R5,S1,34..122,B34..45", "R5,S1,B122,NM", "R5,S1,B62,NN"})
    EXPECT_TRUE(has_parts(error_of([&] { parse_rule(text); }),
                          {"a neighbourhood of this radius"}));
}

}  // namespace
