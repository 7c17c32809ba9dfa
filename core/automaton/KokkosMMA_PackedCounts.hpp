// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PACKED_COUNTS_HPP
#define KOKKOSMMA_PACKED_COUNTS_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <bit>
#include <cstdint>

/// \file
/// Counts of live cells in neighbourhoods of any radius, on one-bit cells. A
/// number has one word per bit, so that one word operation counts 32 cells.
/// Lanes do not communicate: the algorithms only use the warp's logic()
/// (core/reduce/KokkosMMA_WarpSum.hpp describes the warp).

namespace KokkosMMA::Impl {

/// Words that store a number from 0 to `most` for 32 cells.
constexpr int words_of_count(int most) {
  return std::bit_width(unsigned(most));
}

/// Truth tables for Warp::logic(): sum and carry of a + b + c, borrow of a - b
/// - c.
struct BitTables {
  static constexpr int a      = 0xf0;
  static constexpr int b      = 0xcc;
  static constexpr int c      = 0xaa;
  static constexpr int sum    = a ^ b ^ c;
  static constexpr int carry  = (a & b) | (b & c) | (a & c);
  static constexpr int borrow = (~a & b) | (b & c) | (~a & 0xff & c);
};

/// Bits `by` .. `by` + 31 of two words; `by` is 0 to 32.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t joined(
    std::uint32_t low, std::uint32_t high, int by) {
  return by == 0 ? low : by == 32 ? high : low >> by | high << (32 - by);
}

/// Sums of `Width` adjacent bits of a row (1 to 33): bit j of the result counts
/// the bits from j on. A sum of n bits is a sum of n / 2 bits, plus the one n /
/// 2 further, plus for odd n the last bit, as carry-in. The last word of the
/// result has no bits from beyond the row.
template <class Warp, int Width, int Words>
struct RowCounts {
  static_assert(1 <= Width && Width <= 33);
  static constexpr int size = words_of_count(Width);

  std::uint32_t value[size][Words];

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit RowCounts(
      std::uint32_t const (&row)[Words])
      : value{} {
    if constexpr (Width == 1) {
      for (int w = 0; w < Words; ++w) value[0][w] = row[w];
    } else {
      constexpr int half = Width / 2;
      RowCounts<Warp, half, Words> const part(row);
      for (int w = 0; w < Words; ++w) {
        std::uint32_t carry =
            Width % 2 == 1
                ? joined(row[w], w + 1 < Words ? row[w + 1] : 0, Width - 1)
                : 0;
        for (int k = 0; k + 1 < size; ++k) {
          std::uint32_t const near = part.value[k][w];
          std::uint32_t const far =
              joined(near, w + 1 < Words ? part.value[k][w + 1] : 0, half);
          value[k][w] = Warp::template logic<BitTables::sum>(near, far, carry);
          carry = Warp::template logic<BitTables::carry>(near, far, carry);
        }
        value[size - 1][w] = carry;
      }
    }
  }
};

/// Live cells of Moore's neighbourhood of a radius, including its centre, as it
/// moves down a column.
template <class Warp, int Radius>
class MovingCount {
 public:
  static constexpr int width    = 2 * Radius + 1;
  static constexpr int row_size = words_of_count(width);
  static constexpr int size     = words_of_count(width * width);

  /// Adds the count of a row and subtracts that of another row.
  KOKKOSMMA_FORCEINLINE_FUNCTION void move(
      std::uint32_t const (&entering)[row_size],
      std::uint32_t const (&leaving)[row_size]) {
    auto const sum = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      return Warp::template logic<BitTables::sum>(a, b, c);
    };
    std::uint32_t borrow = 0;
    std::uint32_t carry  = 0;
    for (int k = 0; k < size; ++k) {
      std::uint32_t change = borrow;  // the sign
      if (k < row_size) {
        change = sum(entering[k], leaving[k], borrow);
        borrow = Warp::template logic<BitTables::borrow>(entering[k],
                                                         leaving[k], borrow);
      }
      std::uint32_t const before = m_count[k];
      m_count[k]                 = sum(before, change, carry);
      carry = Warp::template logic<BitTables::carry>(before, change, carry);
    }
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t const (
      &value() const)[size] {
    return m_count;
  }

 private:
  std::uint32_t m_count[size] = {};
};

/// Two-state rule whose sets of counts are ranges, on bits: the carry of
/// subtracting a limit tells whether a count reaches it.
template <int Radius>
class RangeBits {
 public:
  static constexpr int size =
      words_of_count(neighbourhood_size(Neighbourhood::moore, Radius));

  constexpr RangeBits(CountRange const& birth, CountRange const& survive) {
    int const limits[4] = {birth.first, birth.end, survive.first, survive.end};
    for (int n = 0; n < 4; ++n)
      for (int k = 0; k < size; ++k)
        m_complement[n][k] = limits[n] >> k & 1 ? 0u : ~0u;
  }

  /// Next state of 32 cells; their counts include the centre.
  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t next(
      std::uint32_t const (&count)[size], std::uint32_t centre) const {
    auto const reaches = [&](int limit) {
      std::uint32_t carry = ~0u;
      for (int k = 0; k < size; ++k)
        carry = Warp::template logic<BitTables::carry>(
            count[k], m_complement[limit][k], carry);
      return carry;
    };
    std::uint32_t const born = reaches(0) & ~reaches(1);
    std::uint32_t const kept = reaches(2) & ~reaches(3);
    return (born & ~centre) | (kept & centre);
  }

 private:
  std::uint32_t m_complement[4][size] = {};  // of the limits, all ones or zero
};

}  // namespace KokkosMMA::Impl

#endif
