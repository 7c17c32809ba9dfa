// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cells of one bit against AutomatonRule::next, cell by cell. Grids of them,
// with boundaries, are run by the kernels in unit_tests/emulated_device.

#include <core/automaton/KokkosMMA_CountRange.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using KokkosMMA::Testing::Random;

std::uint32_t word(Random& random) { return std::uint32_t(random.bits()); }

/// 96 cells of a row; the test looks at the middle 32.
struct Row {
  std::uint32_t before, here, behind;
  explicit Row(Random& random)
      : before(word(random)), here(word(random)), behind(word(random)) {}
  int cell(int j) const {
    if (j < 0) return int(before >> (32 + j) & 1u);
    if (j > 31) return int(behind >> (j - 32) & 1u);
    return int(here >> j & 1u);
  }
  BitSum sum() const { return row_sum(before, here, behind); }
};

CountSet any_set(Random& random, int largest) {
  CountSet set;
  for (int count = 0; count <= largest; ++count)
    if (random.integer(0, 1)) set.insert(count);
  return set;
}

std::vector<AutomatonRule> rules(Random& random) {
  std::vector<AutomatonRule> all;
  for (char const* const text :
       {"B3/S23", "B36/S23", "B/S", "B0/S8", "B012345678/S012345678",
        "B2/S013V", "B01234/S", "R1,C0,M1,S3..4,B3..3,NM",
        "R1,C0,M1,S1-9,B0-9,NM"})
    all.push_back(parse_rule(text));
  for (int i = 0; i < 60; ++i) {
    auto const neighbourhood = random.integer(0, 1)
                                   ? Neighbourhood::moore
                                   : Neighbourhood::von_neumann;
    int const size           = neighbourhood_size(neighbourhood, 1);
    all.emplace_back(neighbourhood, 1, 2, random.integer(0, 1) != 0,
                     any_set(random, size), any_set(random, size));
  }
  return all;
}

TEST(PackedCells, EveryRuleAsItsCounts) {
  Random random;
  SCOPED_TRACE(random.note());
  for (AutomatonRule const& rule : rules(random)) {
    SCOPED_TRACE(to_string(rule));
    ASSERT_TRUE(has_bits(rule));
    RuleBits const bits(rule);
    bool const moore = rule.neighbourhood() == Neighbourhood::moore;
    for (int trial = 0; trial < 40; ++trial) {
      Row const above(random), row(random), below(random);
      CellCount const count =
          moore ? count_moore(above.sum(), row.sum(), below.sum())
                : count_von_neumann(above.here, row.sum(), below.here);
      std::uint32_t const next = bits.next(count, row.here);
      for (int j = 0; j < 32; ++j) {
        int alive =
            above.cell(j) + below.cell(j) + row.cell(j - 1) + row.cell(j + 1);
        if (moore)
          alive += above.cell(j - 1) + above.cell(j + 1) + below.cell(j - 1) +
                   below.cell(j + 1);
        if (rule.counts_centre()) alive += row.cell(j);
        ASSERT_EQ(int(rule.next(std::uint8_t(row.cell(j)), alive)),
                  int(next >> j & 1u))
            << "cell " << j << ", count " << alive;
      }
      if (is_life(rule)) {
        ASSERT_EQ(next, LifeBits::next(count, row.here));
      }
    }
  }
}

TEST(PackedCells, LifeIsKnownInAllNotations) {
  for (char const* const text :
       {"B3/S23", "S23/B3", "23/3", "R1,C0,M1,S3..4,B3..3,NM"})
    EXPECT_TRUE(is_life(parse_rule(text))) << text;
  for (char const* const text :
       {"B36/S23", "B3/S23V", "23/3/3", "B3/S2", "B3/S238", "B03/S23",
        "R1,C0,M0,S3..4,B3..3,NM", "R2,C0,M0,S2..3,B3..3,NM"})
    EXPECT_FALSE(is_life(parse_rule(text))) << text;
}

TEST(PackedCells, OnlyStateOneIsAlive) {
  for (int place = 0; place < 4; ++place)
    for (unsigned others : {0u, 0x01010101u, 0x80808080u, 0xffffffffu})
      for (unsigned state = 0; state < 256; ++state) {
        std::uint32_t const cells =
            (others & ~(0xffu << 8 * place)) | state << 8 * place;
        std::uint32_t expected = 0;
        for (int c = 0; c < 4; ++c)
          expected |= std::uint32_t((cells >> 8 * c & 0xffu) == 1) << c;
        ASSERT_EQ(expected, pack_cells(cells)) << std::hex << cells;
      }
  for (unsigned bits = 0; bits < 32; ++bits) {
    std::uint32_t const cells = unpack_cells(bits);
    EXPECT_EQ(bits & 0xfu, pack_cells(cells));
    EXPECT_EQ(0u, cells & 0xfefefefeu);
  }
}

TEST(PackedCounts, RulesAsRanges) {
  CountRanges const bugs(parse_rule("R5,C0,M1,S34..58,B34..45,NM"));
  EXPECT_TRUE(bugs.are_all);
  EXPECT_EQ(34, bugs.birth.first);
  EXPECT_EQ(46, bugs.birth.end);
  EXPECT_EQ(59, bugs.survive.end);
  // Without the centre, which the ranges have.
  CountRanges const others(parse_rule("R5,C0,M0,S33..57,B34..45,NM"));
  EXPECT_EQ(34, others.survive.first);
  EXPECT_EQ(59, others.survive.end);
  for (char const* const text :
       {"R2,C0,M1,S5..9,B3..3,NM", "R16,C0,M0,S0..1088,B1..1088,NM"})
    EXPECT_TRUE(has_packed_counts(parse_rule(text))) << text;
  for (char const* const text :
       {"B3/S23", "R2,C0,M1,S5..9,B3..3,NN", "R2,C3,M1,S5..9,B3..3,NM",
        "R2,C0,M1,S5-9,11,B3,NM"})
    EXPECT_FALSE(has_packed_counts(parse_rule(text))) << text;
}

}  // namespace
