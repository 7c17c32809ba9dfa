// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts on cells of one bit against loops over the cells.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/automaton/KokkosMMA_CountRange.hpp>
#include <core/automaton/KokkosMMA_PackedCounts.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using KokkosMMA::Testing::Random;
using Warp = KokkosMMA::Impl::Emulated::Warp;

TEST(PackedCounts, FunctionsOfThreeBits) {
  EXPECT_EQ(0xf0u, Warp::logic<BitTables::a>(0xf0, 0xcc, 0xaa) & 0xff);
  for (unsigned entry = 0; entry < 8; ++entry) {
    unsigned const a = entry >> 2, b = entry >> 1 & 1, c = entry & 1;
    auto const bit = [&](std::uint32_t word) { return word & 1; };
    EXPECT_EQ((a + b + c) & 1, bit(Warp::logic<BitTables::sum>(a, b, c)));
    EXPECT_EQ((a + b + c) >> 1, bit(Warp::logic<BitTables::carry>(a, b, c)));
    EXPECT_EQ(a < b + c, bit(Warp::logic<BitTables::borrow>(a, b, c)) != 0);
  }
}

template <int Radius, int Words>
void expect_row_counts(Random& random) {
  constexpr int width = 2 * Radius + 1;
  for (int trial = 0; trial < 20; ++trial) {
    std::uint32_t row[Words];
    for (std::uint32_t& word : row)
      word = trial == 0 ? ~0u : std::uint32_t(random.bits());
    RowCounts<Warp, width, Words> const sums(row);
    for (int bit = 0; bit + width <= 32 * Words && bit < 32 * (Words - 1);
         ++bit) {
      int expected = 0, sum = 0;
      for (int j = bit; j < bit + width; ++j)
        expected += int(row[j / 32] >> j % 32 & 1u);
      for (int k = 0; k < sums.size; ++k)
        sum |= int(sums.value[k][bit / 32] >> bit % 32 & 1u) << k;
      ASSERT_EQ(expected, sum) << "bit " << bit << " of radius " << Radius;
    }
  }
}

/// 32 columns of a few rows, in which counts move down and a rule is applied.
template <int Radius>
void expect_generation(Random& random) {
  constexpr int rows = 5 * Radius;
  using Count        = MovingCount<Warp, Radius>;
  constexpr int size = neighbourhood_size(Neighbourhood::moore, Radius);
  for (int trial = 0; trial < 4; ++trial) {
    // Bit j of the middle word is column j.
    std::vector<std::uint32_t> cells(3 * rows);
    for (std::uint32_t& word : cells)
      word = trial == 0 ? ~0u : trial == 1 ? 0u : std::uint32_t(random.bits());
    auto const range = [&] {
      CountRange limits{int(random.integer(0, size)), 0};
      limits.end = int(random.integer(limits.first, size + 1));
      return limits;
    };
    CountRange const birth = range(), survive = range();
    RangeBits<Radius> const rule(birth, survive);
    std::vector<RowCounts<Warp, Count::width, 2>> kept;
    Count count;
    std::uint32_t const none[Count::row_size] = {};
    for (int row = 0; row < rows; ++row) {
      std::uint32_t const* const words = &cells[3 * row];
      std::uint32_t const shifted[2]   = {
            joined(words[0], words[1], 32 - Radius),
            joined(words[1], words[2], 32 - Radius)};
      kept.emplace_back(shifted);
      std::uint32_t enters[Count::row_size], leaves[Count::row_size];
      for (int k = 0; k < Count::row_size; ++k) {
        enters[k] = kept[row].value[k][0];
        leaves[k] =
            row > 2 * Radius ? kept[row - 2 * Radius - 1].value[k][0] : none[k];
      }
      count.move(enters, leaves);
      int const middle = row - Radius;
      if (middle < Radius) continue;
      std::uint32_t const centre = cells[3 * middle + 1];
      std::uint32_t const next =
          rule.template next<Warp>(count.value(), centre);
      for (int column = 0; column < 32; ++column) {
        int alive = 0;
        for (int i = middle - Radius; i <= middle + Radius; ++i)
          for (int j = column - Radius; j <= column + Radius; ++j)
            alive += int(cells[3 * i + (j + 32) / 32] >> (j + 32) % 32 & 1u);
        int sum = 0;
        for (int k = 0; k < Count::size; ++k)
          sum |= int(count.value()[k] >> column & 1u) << k;
        ASSERT_EQ(alive, sum) << "column " << column << ", row " << middle;
        CountRange const& limits = centre >> column & 1u ? survive : birth;
        ASSERT_EQ(limits.first <= alive && alive < limits.end,
                  (next >> column & 1u) != 0)
            << alive << " of " << limits.first << " to before " << limits.end;
      }
    }
  }
}

template <int... Less>
void every_radius(std::integer_sequence<int, Less...>) {
  Random random;
  SCOPED_TRACE(random.note());
  (expect_row_counts<Less + 1, 2>(random), ...);
  (expect_row_counts<Less + 1, 3>(random), ...);
  (expect_generation<Less + 2>(random), ...);
}
TEST(PackedCounts, EveryRadius) {
  every_radius(
      std::make_integer_sequence<int, AutomatonRule::max_radius - 1>());
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
