// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which rules have cells of one bit, and how these are packed. Grids of them
// are run by the kernels in unit_tests/emulated_device.

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

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
    EXPECT_TRUE(CountRanges(parse_rule(text)).are_all) << text;
  for (char const* const text :
       {"R2,C3,M1,S5..9,B3..3,NM", "R2,C0,M1,S5-9,11,B3,NM"})
    EXPECT_FALSE(CountRanges(parse_rule(text)).are_all) << text;
}

}  // namespace
