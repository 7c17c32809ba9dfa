// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PACKED_CELLS_HPP
#define KOKKOSMMA_PACKED_CELLS_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <bit>
#include <cstdint>

/// \file
/// Automata of two states on one-bit cells: bit j of a word is cell j. A number
/// has one word per bit, so that one word operation counts 32 cells. Those
/// of radius 1 come first. Counts in neighbourhoods of any radius follow; in
/// them lanes do not communicate: the algorithms only use the warp's logic()
/// (core/reduce/KokkosMMA_WarpSum.hpp describes the warp).

namespace KokkosMMA::Impl {

/// Sum one + 2 * two, per bit.
struct BitSum {
  std::uint32_t one;
  std::uint32_t two;
};

KOKKOSMMA_FORCEINLINE_FUNCTION constexpr BitSum add_bits(std::uint32_t a,
                                                         std::uint32_t b,
                                                         std::uint32_t c) {
  return {a ^ b ^ c, (a & b) | (c & (a | b))};
}

/// Sum of each cell and its neighbours in the row; `before` and `after` are
/// the adjacent words.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr BitSum row_sum(std::uint32_t before,
                                                        std::uint32_t word,
                                                        std::uint32_t after) {
  return add_bits(word << 1 | before >> 31, word, word >> 1 | after << 31);
}

/// Live cells of a neighbourhood including its centre: one + 2 * (carry + two)
/// + 4 * four.
struct CellCount {
  std::uint32_t one;
  std::uint32_t carry;
  std::uint32_t two;
  std::uint32_t four;
};

KOKKOSMMA_FORCEINLINE_FUNCTION constexpr CellCount count_moore(
    BitSum const& above, BitSum const& row, BitSum const& below) {
  BitSum const ones = add_bits(above.one, row.one, below.one);
  BitSum const twos = add_bits(above.two, row.two, below.two);
  return {ones.one, ones.two, twos.one, twos.two};
}

KOKKOSMMA_FORCEINLINE_FUNCTION constexpr CellCount count_von_neumann(
    std::uint32_t above, BitSum const& row, std::uint32_t below) {
  BitSum const ones = add_bits(above, row.one, below);
  return {ones.one, ones.two, row.two, 0};
}

/// Rule B3/S23.
struct LifeBits {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr std::uint32_t next(
      CellCount const& count, std::uint32_t centre) {
    // Three cells including the centre, or four and a live centre.
    std::uint32_t const one_pair  = (count.carry ^ count.two) & ~count.four;
    std::uint32_t const two_pairs = (count.carry & count.two & ~count.four) |
                                    (~count.carry & ~count.two & count.four);
    return (count.one & one_pair) | (~count.one & two_pairs & centre);
  }
};

/// Any rule of two states and radius 1, without branches. With p pairs of live
/// cells, p = 0 .. 4, a rule is a function of p, the odd cell and the centre
/// that is linear in the last two: (f ^ odd & g) ^ centre & (h ^ odd & k). Each
/// of f, g, h, k has a value for p = 0 and a change for each other p.
class RuleBits {
 public:
  RuleBits() = default;
  constexpr explicit RuleBits(AutomatonRule const& rule) {
    for (int pairs = 0; pairs < 5; ++pairs) {
      auto const after = [&](int odd, int centre) -> std::uint32_t {
        int const count = 2 * pairs + odd - (rule.counts_centre() ? 0 : centre);
        return (centre ? rule.survive() : rule.birth()).contains(count) ? ~0u
                                                                        : 0u;
      };
      std::uint32_t const value[4] = {
          after(0, 0), after(0, 0) ^ after(1, 0), after(0, 0) ^ after(0, 1),
          after(0, 0) ^ after(1, 0) ^ after(0, 1) ^ after(1, 1)};
      for (int k = 0; k < 4; ++k) {
        if (pairs == 0)
          m_first[k] = value[k];
        else
          m_change[k][pairs - 1] = value[k] ^ m_first[k];
      }
    }
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t next(
      CellCount const& count, std::uint32_t centre) const {
    std::uint32_t const odd_pair = count.carry ^ count.two;
    std::uint32_t const both     = count.carry & count.two;
    std::uint32_t const pairs[4] = {
        odd_pair & ~count.four,
        (both & ~count.four) | (~(count.carry | count.two) & count.four),
        odd_pair & count.four, both & count.four};
    auto const function = [&](int k) {
      return m_first[k] ^ (pairs[0] & m_change[k][0]) ^
             (pairs[1] & m_change[k][1]) ^ (pairs[2] & m_change[k][2]) ^
             (pairs[3] & m_change[k][3]);
    };
    std::uint32_t const by_centre = function(2) ^ (count.one & function(3));
    return function(0) ^ (count.one & function(1)) ^ (centre & by_centre);
  }

 private:
  std::uint32_t m_first[4]     = {};  // all ones or zero, as is m_change
  std::uint32_t m_change[4][4] = {};
};

/// Whether the kernels for one-bit cells support a rule.
constexpr bool has_bits(AutomatonRule const& rule) {
  return rule.states() == 2 && rule.radius() == 1;
}

/// Whether a rule is equivalent to B3/S23.
constexpr bool is_life(AutomatonRule const& rule) {
  int const centre = rule.counts_centre() ? 1 : 0;
  bool is = has_bits(rule) && rule.neighbourhood() == Neighbourhood::moore;
  for (int count = 0; count <= 8; ++count)
    is = is && rule.birth().contains(count) == (count == 3) &&
         rule.survive().contains(count + centre) == (count == 2 || count == 3);
  return is;
}

/// Dimension of a grid, continued beyond its boundaries so that rules of radius
/// 1 act there as inside. A torus is repeated. A grid and its reflections
/// evolve alike, since these rules are symmetric. Several generations then need
/// no boundary handling in between, except that constants are restored after
/// each. (At distance 1, all that radius 1 sees, `nearest` is `reflect`.)
class UnfoldedAxis {
 public:
  /// Distance from a boundary beyond which all cells are a constant 0.
  static constexpr int reach = 48;

  /// Cell of the grid and direction of the axis there. A constant has direction
  /// 0 and as index its boundary, 0 or 1, or 2 beyond `reach`.
  struct Place {
    std::int64_t index;
    int direction;
  };

  UnfoldedAxis() = default;
  constexpr UnfoldedAxis(std::int64_t extent, Boundary low, Boundary high)
      : m_extent(extent),
        m_low(kind(low, extent)),
        m_high(kind(high, extent)) {}

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::int64_t extent() const {
    return m_extent;
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Place locate(std::int64_t x) const {
    if (x < -reach || x >= m_extent + reach) return {2, 0};
    for (int direction = 1;; direction = -direction) {
      if (0 <= x && x < m_extent) return {x, direction};
      bool const low = x < 0;
      switch (low ? m_low : m_high) {
        case Boundary::constant: return {low ? 0 : 1, 0};
        case Boundary::periodic:
          x %= m_extent;
          return {x < 0 ? x + m_extent : x, direction};
        case Boundary::mirror: x = low ? -x : 2 * m_extent - 2 - x; break;
        default: x = low ? -1 - x : 2 * m_extent - 1 - x; break;
      }
    }
  }

  /// Cells of the grid in some of 32 bits: bits first .. first + count - 1 are
  /// the cells from `begin` on, reversed if the axis runs backwards.
  struct Run {
    std::int64_t begin;
    int first;
    int count;  ///< 0: none
    bool is_reversed;

    /// Bits of this run; `bits` are the 32 cells from `begin` on.
    KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t place(
        std::uint32_t bits) const {
      if (count == 0) return 0;
      if (is_reversed) return reversed(bits) >> (32 - count) << first;
      return (bits & (~0u >> (32 - count))) << first;
    }
  };

  /// Calls visit(first bit, number of bits, place of the first) for the 32
  /// cells from x on, once per run of neighbours in the grid or of equal
  /// constants.
  template <class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void each_run(
      std::int64_t x, Visit const& visit) const {
    for (int done = 0; done < 32;) {
      std::int64_t const at = x + done;
      Place const place     = locate(at);
      std::int64_t run      = 1;
      if (place.direction > 0)
        run = m_extent - place.index;
      else if (place.direction < 0)
        run = place.index + 1;
      else if (at >= m_extent + reach)
        run = 32;
      else if (at >= m_extent && place.index == 1)
        run = m_high == Boundary::constant ? m_extent + reach - at : 1;
      else if (at < -reach)
        run = -reach - at;
      else if (at < 0 && m_low == Boundary::constant)
        run = -at;
      int const count = run < 32 - done ? int(run) : 32 - done;
      visit(done, count, place);
      done += count;
    }
  }

  /// Splits the 32 cells from x on into at most two runs, enough for grids of
  /// at least 32 cells. Returns the number of runs.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int runs(std::int64_t x, Run& one,
                                                    Run& two) const {
    int number = 0;
    one = two = Run{0, 0, 0, false};
    each_run(x, [&](int first, int count, Place const& place) {
      if (place.direction == 0) return;
      ++number;
      (number == 1 ? one : two) = run_of(first, count, place);
    });
    return number;
  }

  /// The 32 cells from x on; constants are 0. `read(index)` returns the 32 bits
  /// from a cell of the grid on; bits beyond the grid are ignored.
  template <class Read>
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t gather(
      std::int64_t x, Read const& read) const {
    std::uint32_t bits = 0;
    each_run(x, [&](int first, int count, Place const& place) {
      if (place.direction == 0) return;
      Run const some = run_of(first, count, place);
      bits |= some.place(read(some.begin));
    });
    return bits;
  }

  /// Masks of the constants among the 32 cells from x on, and of those that are
  /// alive.
  struct Constants {
    std::uint32_t where;
    std::uint32_t alive;
  };
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Constants constants(
      std::int64_t x, bool low_alive, bool high_alive) const {
    Constants result{0, 0};
    each_run(x, [&](int first, int count, Place const& place) {
      if (place.direction != 0) return;
      std::uint32_t const bits = ~0u >> (32 - count) << first;
      result.where |= bits;
      if (place.index == 0 ? low_alive : place.index == 1 && high_alive)
        result.alive |= bits;
    });
    return result;
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Run run_of(
      int first, int count, Place const& place) {
    bool const backwards = place.direction < 0;
    return {backwards ? place.index - count + 1 : place.index, first, count,
            backwards};
  }
  static constexpr Boundary kind(Boundary condition, std::int64_t extent) {
    if (condition == Boundary::nearest ||
        (condition == Boundary::mirror && extent == 1))
      return Boundary::reflect;
    return condition;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr std::uint32_t reversed(
      std::uint32_t bits) {
    bits = bits >> 16 | bits << 16;
    bits = (bits & 0xff00ff00u) >> 8 | (bits & 0x00ff00ffu) << 8;
    bits = (bits & 0xf0f0f0f0u) >> 4 | (bits & 0x0f0f0f0fu) << 4;
    bits = (bits & 0xccccccccu) >> 2 | (bits & 0x33333333u) << 2;
    return (bits & 0xaaaaaaaau) >> 1 | (bits & 0x55555555u) << 1;
  }

  std::int64_t m_extent = 0;
  Boundary m_low        = Boundary::constant;
  Boundary m_high       = Boundary::constant;
};

/// Bytes 0x80 for bytes of `cells` that are 1, else 0.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t alive_flags(
    std::uint32_t cells) {
  std::uint32_t const low = (cells ^ 0x01010101u) & 0x7f7f7f7fu;
  return ~((low + 0x7f7f7f7fu) | cells) & 0x80808080u;
}

/// Four byte cells as bits; only state 1 gives a 1.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t pack_cells(
    std::uint32_t cells) {
  return alive_flags(cells) * 0x00204081u >> 28;
}

/// Bits 0 .. 3 as byte cells.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t unpack_cells(
    std::uint32_t bits) {
  return (bits & 0xfu) * 0x00204081u & 0x01010101u;
}

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
