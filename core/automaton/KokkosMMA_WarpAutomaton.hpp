// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_AUTOMATON_HPP
#define KOKKOSMMA_WARP_AUTOMATON_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>

#include <cstdint>

/// \file
/// One generation of an automaton on byte cells, by a warp: counts of
/// neighbours by MMA with a band of ones, and rules that map cells and counts
/// to the next states. The algorithms are templates over the warp
/// (core/reduce/KokkosMMA_WarpSum.hpp).

namespace KokkosMMA::Impl {

/// Sums of the bytes of a row up to a distance of at most 16, for 16 rows at a
/// time. A window has 64 columns and yields the sums of its middle 32. Lane 4g
/// + q receives those of the middle columns 8q .. 8q + 7, rows g and g + 8; the
/// band assigns these columns to the n of the MMA.
template <class Warp>
class WarpWindowSums {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Shape = MmaU8;

 public:
  static constexpr int outputs = 32;
  static constexpr int halo    = 16;

  /// Operand of 32 columns of a window. // (16,32) per warp
  using Half = typename Shape::A;
  /// Eight sums of row g, eight of row g + 8. // (16,32) per warp
  using Sums = Registers<std::int32_t, 16>;

  /// Distances between the columns that an entry of the band joins, bytes.
  // (64,32) per warp
  using Distances = Registers<std::uint32_t, 16>;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpWindowSums(Warp const& warp)
      : m_warp(warp) {}

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Distances distances(
      int lane) {
    Distances result{};
    for (int side = 0; side < 2; ++side)
      for (int tile = 0; tile < 4; ++tile)
        for (int reg = 0; reg < 2; ++reg)
          for (int byte = 0; byte < 4; ++byte) {
            Coordinate const at = Shape::b(lane, reg, byte);
            int const in        = 32 * side + at.row;
            int const out =
                halo + 8 * (at.column / 2) + 2 * tile + at.column % 2;
            result[8 * side + 2 * tile + reg] |=
                std::uint32_t(in < out ? out - in : in - out) << 8 * byte;
          }
    return result;
  }

  /// Band of a radius from 0 to 16, in the order of the distances.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Distances band(
      int radius, Distances const& distances) {
    // Distances are less than 64: no byte borrows.
    std::uint32_t const limit = std::uint32_t(0x80 + radius) * 0x01010101u;
    Distances words{};
    for (int k = 0; k < Distances::size; ++k)
      words[k] = (limit - distances[k]) >> 7 & 0x01010101u;
    return words;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void set_band(Lanes<Distances> const& band) {
    m_warp.each([&](int lane) {
      for (int k = 0; k < Distances::size; ++k)
        m_warp.at(m_band[k / 8][k / 2 % 4], lane)[k % 2] =
            m_warp.at(band, lane)[k];
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Half> const& left,
                                          Lanes<Half> const& right,
                                          Lanes<Sums>& sums) const {
    for (int tile = 0; tile < 4; ++tile) {
      Lanes<typename Shape::C> d;  // (16,8) per warp
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(d, lane)[reg] = m_warp.at(sums, lane)[place(tile, reg)];
      });
      m_warp.template multiply<Shape>(d, left, m_band[0][tile]);
      m_warp.template multiply<Shape>(d, right, m_band[1][tile]);
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(sums, lane)[place(tile, reg)] = m_warp.at(d, lane)[reg];
      });
    }
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int place(int tile, int reg) {
    return 8 * (reg / 2) + 2 * tile + reg % 2;
  }
  Warp m_warp;
  Lanes<typename Shape::B> m_band[2][4];
};

/// Two-state rule whose sets of counts are ranges. Handles two cells at a time
/// in the halves of a word, where bit 15 tells whether a number reaches a
/// limit. Counts include the centre.
class RangeRule {
 public:
  static constexpr bool has_two_states = true;
  static constexpr int shared_words    = 0;

  RangeRule() = default;
  constexpr explicit RangeRule(CountRanges const& rule) {
    m_low       = both(0x8000 - rule.birth.first);
    m_low_step  = std::uint32_t(rule.birth.first - rule.survive.first);
    m_high      = both(0x8000 + rule.birth.end - 1);
    m_high_step = std::uint32_t(rule.survive.end - rule.birth.end);
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void stage(int,
                                                      std::uint32_t*) const {}

  /// Next state of four cells in states 0 and 1.
  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t next(
      std::uint32_t const*, std::uint32_t cells,
      std::int32_t const* count) const {
    std::uint32_t const first =
        flags(permute_bytes(cells, 0, 0x4140), count[0], count[1]);
    std::uint32_t const second =
        flags(permute_bytes(cells, 0, 0x4342), count[2], count[3]);
    return permute_bytes(first, second, 0x7531) >> 7 & 0x01010101u;
  }

 private:
  static constexpr std::uint32_t both(int half) {
    return std::uint32_t(half) * 0x10001u;
  }
  /// Results in bits 15 and 31; other bits are undefined.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t flags(
      std::uint32_t states, std::int32_t even, std::int32_t odd) const {
    std::uint32_t const counts =
        std::uint32_t(odd) * 0x10000u + std::uint32_t(even);
    return (counts + (states * m_low_step + m_low)) &
           ((states * m_high_step + m_high) - counts);
  }

  std::uint32_t m_low       = 0;
  std::uint32_t m_low_step  = 0;
  std::uint32_t m_high      = 0;
  std::uint32_t m_high_step = 0;
};

/// Rule with any sets. The sets are bits in shared memory; the words that lanes
/// read together are the same or in different banks.
template <bool TwoStates>
class SetRule {
 public:
  static constexpr bool has_two_states = TwoStates;
  static constexpr int set_words       = CountSet::largest / 32 + 2;
  static constexpr int shared_words    = 2 * set_words;

  SetRule() = default;
  constexpr explicit SetRule(AutomatonRule const& rule)
      : m_states(rule.states()) {
    for (int count = 0; count <= CountSet::largest; ++count) {
      int const with_centre = count + (rule.counts_centre() ? 0 : 1);
      if (rule.birth().contains(count)) insert(0, count);
      if (rule.survive().contains(count)) insert(1, with_centre);
    }
  }

  /// Stores one word of the sets, for thread `thread` of at least shared_words.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void stage(
      int thread, std::uint32_t* shared) const {
    for (int word = 0; word < shared_words; ++word)
      if (word == thread) shared[word] = m_words[word];
  }

  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t next(
      std::uint32_t const* shared, std::uint32_t cells,
      std::int32_t const* count) const {
    std::uint32_t result = 0;
    for (int cell = 0; cell < 4; ++cell) {
      int const state = int(cells >> 8 * cell & 0xffu);
      std::uint32_t const word =
          shared[(state == 1 ? set_words : 0) + (count[cell] >> 5)];
      std::uint32_t after = word >> (count[cell] & 31) & 1u;
      if constexpr (!TwoStates) {
        bool const is_old = unsigned(state) - 2u < unsigned(m_states) - 2u;
        if (is_old || (state == 1 && after == 0))
          after = std::uint32_t(state + 1 < m_states ? state + 1 : 0);
      }
      result |= after << 8 * cell;
    }
    return result;
  }

 private:
  constexpr void insert(int set, int count) {
    m_words[set_words * set + count / 32] |= std::uint32_t(1) << count % 32;
  }

  std::uint32_t m_words[shared_words] = {};
  int m_states                        = 2;
};

/// Caller's functor, next(state, number of other live cells).
template <class Cell, class Next>
class CallRule {
 public:
  static constexpr bool has_two_states = false;
  static constexpr int shared_words    = 0;

  explicit CallRule(Next const& next) : m_next(next) {}

  KOKKOSMMA_FORCEINLINE_FUNCTION void stage(int, std::uint32_t*) const {}

  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t next(
      std::uint32_t const*, std::uint32_t cells,
      std::int32_t const* count) const {
    std::uint32_t result = 0;
    for (int cell = 0; cell < 4; ++cell)
      result |= one(cells >> 8 * cell, count[cell]) << 8 * cell;
    return result;
  }
  /// Next state of the cell in the lowest byte.
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t one(std::uint32_t cell,
                                                   std::int32_t count) const {
    auto const state = static_cast<std::uint8_t>(cell);
    auto const after = static_cast<Cell>(
        m_next(static_cast<Cell>(state), count - (state == 1)));
    return static_cast<std::uint8_t>(after);
  }

 private:
  Next m_next;
};

template <class Rule>
inline constexpr bool is_rule_of_caller = false;
template <class Cell, class Next>
inline constexpr bool is_rule_of_caller<CallRule<Cell, Next>> = true;

/// Next generation of those of 16 cells that are in the grid, by the caller's
/// functor, which must not be invoked for what lies beside the grid: bytes that
/// nothing has written.
/// \param inside a bit per cell
template <class Rule>
KOKKOSMMA_INLINE_FUNCTION void next_cells_inside(
    Rule const& rule, std::uint32_t (&cells)[4],
    std::int32_t const (&count)[16], std::uint32_t inside) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int cell = 0; cell < 16; ++cell) {
    if (!(inside >> cell & 1u)) continue;
    int const shift     = 8 * (cell % 4);
    std::uint32_t& four = cells[cell / 4];
    four = (four & ~(0xffu << shift)) | rule.one(four >> shift, count[cell])
                                            << shift;
  }
}

/// Next generation of 16 cells in any states. For rules of two states, cells in
/// other states are dead.
template <class Warp, class Rule>
KOKKOSMMA_FORCEINLINE_FUNCTION void next_cells(
    Rule const& rule, std::uint32_t const* shared, std::uint32_t (&cells)[4],
    std::int32_t const (&count)[16]) {
  // Masks: ranges spill if the branch assigns to the cells (CUDA 13.0, sm_90).
  std::uint32_t known[4] = {~0u, ~0u, ~0u, ~0u};
  if constexpr (Rule::has_two_states) {
    if (((cells[0] | cells[1] | cells[2] | cells[3]) & 0xfefefefeu) != 0)
      for (int w = 0; w < 4; ++w) known[w] = alive_flags(cells[w]) >> 7;
  }
  for (int w = 0; w < 4; ++w)
    cells[w] =
        rule.template next<Warp>(shared, cells[w] & known[w], count + 4 * w);
}

}  // namespace KokkosMMA::Impl

#endif
