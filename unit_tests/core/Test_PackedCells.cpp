// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cells of one bit against AutomatonRule::next and Boundaries, cell by cell.

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

BoundaryCondition any_boundary(Random& random) {
  Boundary const kinds[] = {Boundary::constant, Boundary::reflect,
                            Boundary::mirror, Boundary::nearest};
  return {kinds[random.integer(0, 3)], double(random.integer(0, 1))};
}
Boundaries<2> any_boundaries(Random& random) {
  Boundaries<2> boundaries;
  for (int d = 0; d < 2; ++d) {
    boundaries.low[d]  = any_boundary(random);
    boundaries.high[d] = any_boundary(random);
    if (random.integer(0, 3) == 0)
      boundaries.low[d] = boundaries.high[d] = {Boundary::periodic, 0};
  }
  return boundaries;
}

/// A grid of bits, unfolded by `margin` words and rows to each side, as a block
/// of the device holds it.
class Unfolded {
 public:
  static constexpr int margin = 1;

  Unfolded(std::vector<int> const& cells, std::int64_t rows,
           std::int64_t columns, Boundaries<2> const& boundaries)
      : m_rows(rows, boundaries.low[0].kind, boundaries.high[0].kind),
        m_columns(columns, boundaries.low[1].kind, boundaries.high[1].kind),
        m_width(int((columns + 31) / 32) + 2 * margin) {
    bool const alive[2][2] = {
        {boundaries.low[0].value == 1, boundaries.high[0].value == 1},
        {boundaries.low[1].value == 1, boundaries.high[1].value == 1}};
    for (std::int64_t i = -16; i < rows + 16; ++i) {
      auto const row   = m_rows.locate(i);
      auto const whole = m_rows.constants(i, alive[0][0], alive[0][1]);
      for (int w = 0; w < m_width; ++w) {
        std::int64_t const first = 32 * (w - margin);
        auto constants = m_columns.constants(first, alive[1][0], alive[1][1]);
        if (row.direction == 0) constants = {~0u, whole.alive & 1u ? ~0u : 0u};
        std::uint32_t bits = 0;
        if (row.direction != 0)
          bits = m_columns.gather(first, [&](std::int64_t index) {
            std::uint32_t read = 0;
            for (int b = 0; b < 32; ++b)
              read |=
                  std::uint32_t(
                      index + b < columns
                          ? cells[std::size_t(row.index * columns + index + b)]
                          : 1)
                  << b;
            return read;
          });
        m_words.push_back((bits & ~constants.where) | constants.alive);
        m_constants.push_back(constants);
      }
    }
  }

  void advance(AutomatonRule const& rule) {
    RuleBits const bits(rule);
    auto const at = [&](int i, int w) {
      bool const inside = 0 <= i && i < height() && 0 <= w && w < m_width;
      return inside ? m_words[std::size_t(i * m_width + w)] : 0;
    };
    auto const sum = [&](int i, int w) {
      return row_sum(at(i, w - 1), at(i, w), at(i, w + 1));
    };
    std::vector<std::uint32_t> next = m_words;
    for (int i = 0; i < height(); ++i)
      for (int w = 0; w < m_width; ++w) {
        auto const k     = std::size_t(i * m_width + w);
        bool const moore = rule.neighbourhood() == Neighbourhood::moore;
        CellCount const n =
            moore ? count_moore(sum(i - 1, w), sum(i, w), sum(i + 1, w))
                  : count_von_neumann(at(i - 1, w), sum(i, w), at(i + 1, w));
        next[k] = (bits.next(n, at(i, w)) & ~m_constants[k].where) |
                  m_constants[k].alive;
      }
    m_words = next;
  }

  int cell(std::int64_t i, std::int64_t j) const {
    return int(m_words[std::size_t((i + 16) * m_width + margin + j / 32)] >>
                   j % 32 &
               1u);
  }

 private:
  int height() const { return int(m_rows.extent()) + 32; }

  UnfoldedAxis m_rows, m_columns;
  int m_width;
  std::vector<std::uint32_t> m_words;
  std::vector<UnfoldedAxis::Constants> m_constants;
};

// A grid that was continued beyond its boundaries once evolves as one whose
// boundaries are looked up in every generation.
TEST(PackedCells, UnfoldedGridsNeedNoBoundaryInBetween) {
  Random random;
  SCOPED_TRACE(random.note());
  auto const all = rules(random);
  for (int trial = 0; trial < 150; ++trial) {
    AutomatonRule const& rule      = all[std::size_t(trial) % all.size()];
    std::int64_t const extent[2]   = {random.integer(1, 20),
                                      random.integer(1, trial % 2 ? 80 : 8)};
    Boundaries<2> const boundaries = any_boundaries(random);
    SCOPED_TRACE(to_string(rule) + " on " + std::to_string(extent[0]) + " x " +
                 std::to_string(extent[1]));
    std::vector<int> cells(std::size_t(extent[0] * extent[1]));
    for (int& cell : cells) cell = int(random.integer(0, 1));
    Unfolded packed(cells, extent[0], extent[1], boundaries);
    for (int generation = 0; generation < 16; ++generation) {
      std::vector<int> next(cells.size());
      for (std::int64_t i = 0; i < extent[0]; ++i)
        for (std::int64_t j = 0; j < extent[1]; ++j) {
          int count = 0;
          for (int a = -1; a <= 1; ++a)
            for (int b = -1; b <= 1; ++b) {
              if (a == 0 && b == 0 && !rule.counts_centre()) continue;
              if (a != 0 && b != 0 &&
                  rule.neighbourhood() == Neighbourhood::von_neumann)
                continue;
              std::int64_t place[2] = {i + a, j + b};
              double value          = 0;
              count += boundaries.locate(place, extent, value)
                           ? cells[std::size_t(place[0] * extent[1] + place[1])]
                           : value == 1;
            }
          auto const k = std::size_t(i * extent[1] + j);
          next[k]      = rule.next(std::uint8_t(cells[k]), count);
        }
      cells = next;
      packed.advance(rule);
      for (std::int64_t i = 0; i < extent[0]; ++i)
        for (std::int64_t j = 0; j < extent[1]; ++j)
          ASSERT_EQ(cells[std::size_t(i * extent[1] + j)], packed.cell(i, j))
              << "cell " << i << ", " << j << " of generation "
              << generation + 1;
    }
  }
}

}  // namespace
