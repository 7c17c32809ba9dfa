// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DENSE_BAND_HPP
#define KOKKOSMMA_WARP_DENSE_BAND_HPP

#include <core/KokkosMMA_MmaShape.hpp>
#include <core/KokkosMMA_Scalar.hpp>
#include <core/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

/// \file
/// Sums over rectangles with any weights, one warp: 8 columns of 16 strips of
/// rows that all march downwards, one row of each in a step.
///
/// A step multiplies the rows of the data, as an A operand, by the band matrix
/// of each row of the weights, which gives what this row of the data adds to
/// the 2 * Reach + 1 rows of sums that are under way; one of them is complete
/// then. So each element is loaded once and stays in its registers for all
/// products, and no product of neighbouring rows of weights waits for another.
/// (Rows of A that are neighbours in the grid would have to be loaded anew for
/// each row of the weights: 60 bytes of shared memory per element at radius 7.)

namespace KokkosMMA::Impl {

/// Weights as the sums of `count` operands, with a common power of two.
///
/// What remains of a weight is at most 2^-23 of it, the distance of floats: two
/// halves hold 22 bits and a sign. Halves have few exponents: the largest
/// weight is scaled to just below their largest power, so that the last pieces
/// of the others keep their bits.
struct DenseBandPieces {
  int count      = 1;
  int exponent   = 0;     ///< weight = sum of the pieces * 2^-exponent
  bool are_close = true;  ///< false when `most` pieces leave more

  static constexpr int most = 3;
};

namespace DenseBand {

/// The 16-bit float nearest to x, ties to even; |x| is below the largest.
inline std::uint16_t encode(double x, int exponent_bits, int fraction_bits) {
  std::uint16_t const sign = std::signbit(x) ? 0x8000 : 0;
  if (x == 0) return sign;
  int const bias     = (1 << (exponent_bits - 1)) - 1;
  int const exponent = std::max(std::ilogb(x), 1 - bias);
  // In units of the last place; a carry into the exponent comes out right.
  auto const units = static_cast<std::int32_t>(
      std::nearbyint(std::ldexp(std::abs(x), fraction_bits - exponent)));
  return std::uint16_t(
      sign | std::uint16_t(((exponent + bias - 1) << fraction_bits) + units));
}
inline double decode(std::uint16_t bits, int exponent_bits, int fraction_bits) {
  int const bias     = (1 << (exponent_bits - 1)) - 1;
  int const exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  int const fraction = bits & ((1 << fraction_bits) - 1);
  double const magnitude =
      std::ldexp(double(exponent ? fraction + (1 << fraction_bits) : fraction),
                 std::max(exponent, 1) - bias - fraction_bits);
  return bits >> 15 ? -magnitude : magnitude;
}

struct Half {
  static constexpr int exponent_bits = 5;
  static constexpr int fraction_bits = 10;
  static constexpr int top           = 14;  ///< exponent of the largest weight
};
struct Bhalf {
  static constexpr int exponent_bits = 8;
  static constexpr int fraction_bits = 7;
  static constexpr int top           = 0;
};

/// The next piece of a weight, and what remains.
template <class Format>
std::uint16_t take_piece(double& weight) {
  std::uint16_t const bits =
      encode(weight, Format::exponent_bits, Format::fraction_bits);
  weight -= decode(bits, Format::exponent_bits, Format::fraction_bits);
  return bits;
}

template <class Format>
DenseBandPieces pieces_of(StencilWeights<2> const& weights) {
  double largest = 0;
  for (double const w : weights.values())
    largest = std::max(largest, std::abs(w));
  DenseBandPieces pieces;
  if (largest == 0) return pieces;
  pieces.exponent = Format::top - std::ilogb(largest);
  for (double const w : weights.values()) {
    double const weight = std::ldexp(w, pieces.exponent);
    double rest         = weight;
    int count           = 0;
    while (std::abs(rest) > 0x1p-23 * std::abs(weight) &&
           count < DenseBandPieces::most) {
      take_piece<Format>(rest);
      ++count;
    }
    pieces.count = std::max(pieces.count, count);
    pieces.are_close =
        pieces.are_close && std::abs(rest) <= 0x1p-23 * std::abs(weight);
  }
  return pieces;
}

/// Operands and products by type of the data. A block is 8 columns.
struct Floats16 {
  using Value                    = std::uint32_t;
  using Sum                      = float;
  using C                        = Registers<float, 4>;  // (16,8) per warp
  static constexpr int a_block   = 2;                    // (16,8) per warp
  static constexpr int b_block   = 1;                    // (8,8) per warp
  static constexpr int packed    = 2;
  static constexpr int bytes     = 2;
  static constexpr int at_once   = 2;   ///< rows of a strip in a step
  static constexpr int row_align = 16;  ///< odd multiples: no bank conflicts

  /// Place of an operand in a block of the data.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Coordinate a(int lane, int reg,
                                                            int element) {
    return {lane / 4 + 8 * reg, lane % 4 * 2 + element};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Coordinate b(int lane, int,
                                                            int element) {
    return {lane % 4 * 2 + element, lane / 4};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Registers<Value, 2> load(
      unsigned char const* block, int pitch, int lane) {
    unsigned char const* const first = block + lane / 4 * pitch + lane % 4 * 4;
    return {{*reinterpret_cast<Value const*>(first),
             *reinterpret_cast<Value const*>(first + 8 * pitch)}};
  }
};

template <class Wide, class Narrow>
struct Floats16Of : Floats16 {
  /// Of two rows at once: their last blocks share a product. (H200: a product
  /// of k = 16 takes 6.1 cycles, one of k = 8 behind it as many.)
  template <int Blocks>
  static constexpr int products = Blocks;

  /// d += a * b, product P of those of all blocks of both rows.
  /// // (16,8) += (16,16) * (16,8)
  template <int Blocks, int P, class Warp, class LanesC, class LanesA,
            class LanesB>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(Warp const& warp, LanesC& d,
                                                   LanesA const (&a)[2],
                                                   LanesB const& b0,
                                                   LanesB const& b1) {
    typename Warp::template Lanes<typename Wide::A> wide_a;
    typename Warp::template Lanes<typename Wide::B> wide_b;
    constexpr bool both = P + 1 == Blocks;
    constexpr int row   = P % 2;
    constexpr int k     = P / 2 * 2;
    warp.each([&](int lane) {
      for (int r = 0; r < 4; ++r)
        warp.at(wide_a, lane)[r] =
            both ? warp.at(a[r / 2], lane)[2 * Blocks - 2 + r % 2]
                 : warp.at(a[row], lane)[2 * k + r];
      warp.at(wide_b, lane)[0] = both  ? warp.at(b0, lane)[Blocks - 1]
                                 : row ? warp.at(b1, lane)[k]
                                       : warp.at(b0, lane)[k];
      warp.at(wide_b, lane)[1] = both  ? warp.at(b1, lane)[Blocks - 1]
                                 : row ? warp.at(b1, lane)[k + 1]
                                       : warp.at(b0, lane)[k + 1];
    });
    warp.template multiply<Wide>(d, wide_a, wide_b);
  }
  /// The same where one of the rows is none of a sum.
  template <int Blocks, int P, int Row, class Warp, class LanesC, class LanesA,
            class LanesB>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_row(Warp const& warp,
                                                       LanesC& d,
                                                       LanesA const (&a)[2],
                                                       LanesB const& b) {
    if constexpr (P + 1 == Blocks) {
      typename Warp::template Lanes<typename Narrow::A> narrow_a;
      typename Warp::template Lanes<typename Narrow::B> narrow_b;
      warp.each([&](int lane) {
        for (int r = 0; r < 2; ++r)
          warp.at(narrow_a, lane)[r] =
              warp.at(a[Row], lane)[2 * Blocks - 2 + r];
        warp.at(narrow_b, lane)[0] = warp.at(b, lane)[Blocks - 1];
      });
      warp.template multiply<Narrow>(d, narrow_a, narrow_b);
    } else if constexpr (P % 2 == Row) {
      multiply<Blocks, P>(warp, d, a, b, b);
    }
  }
};

template <Scalar Input>
struct Product;
template <>
struct Product<Scalar::half> : Floats16Of<MmaF16, MmaF16K8> {
  using Format = Half;
};
template <>
struct Product<Scalar::bhalf> : Floats16Of<MmaBF16, MmaBF16K8> {
  using Format = Bhalf;
};
/// Products are fused multiply-adds, one after the other.
template <>
struct Product<Scalar::float64> {
  using Value                    = double;
  using Sum                      = double;
  using C                        = Registers<double, 4>;  // (16,8) per warp
  static constexpr int a_block   = 4;                     // (16,8) per warp
  static constexpr int b_block   = 2;                     // (8,8) per warp
  static constexpr int packed    = 1;
  static constexpr int bytes     = 8;
  static constexpr int at_once   = 1;
  static constexpr int row_align = 64;

  // A lane takes neighbouring columns, for loads of 16 bytes.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Coordinate a(int lane, int reg,
                                                            int) {
    return {lane / 4 + 8 * (reg % 2), lane % 4 * 2 + reg / 2};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Coordinate b(int lane, int reg,
                                                            int) {
    return {lane % 4 * 2 + reg, lane / 4};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Registers<Value, 4> load(
      unsigned char const* block, int pitch, int lane) {
    struct alignas(16) Pair {
      double value[2];
    };
    unsigned char const* const first = block + lane / 4 * pitch + lane % 4 * 16;
    Pair const upper                 = *reinterpret_cast<Pair const*>(first);
    Pair const lower = *reinterpret_cast<Pair const*>(first + 8 * pitch);
    return {{upper.value[0], lower.value[0], upper.value[1], lower.value[1]}};
  }
  template <int Blocks>
  static constexpr int products = Blocks;

  /// d += a * b, block P. // (16,8) += (16,8) * (8,8)
  template <int Blocks, int P, int Row, class Warp, class LanesC, class LanesA,
            class LanesB>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_row(Warp const& warp,
                                                       LanesC& d,
                                                       LanesA const (&a)[1],
                                                       LanesB const& b) {
    typename Warp::template Lanes<MmaF64K8::A> block_a;
    typename Warp::template Lanes<MmaF64K8::B> block_b;
    warp.each([&](int lane) {
      for (int r = 0; r < 4; ++r)
        warp.at(block_a, lane)[r] = warp.at(a[0], lane)[4 * P + r];
      for (int r = 0; r < 2; ++r)
        warp.at(block_b, lane)[r] = warp.at(b, lane)[2 * P + r];
    });
    warp.template multiply<MmaF64K8>(d, block_a, block_b);
  }
};

}  // namespace DenseBand

/// \tparam Reach rows of weights above and below the centre
/// \tparam Blocks of 8 columns of data for 8 columns of sums: 3 up to radius 8
/// in the last dimension, 5 up to radius 16
/// \tparam Pieces of the weights
template <class Warp, Scalar Input, int Reach, int Blocks, int Pieces>
class WarpDenseBand {
  static_assert(Blocks % 2 == 1, "as many blocks to the left as to the right");

  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  using Product = DenseBand::Product<Input>;
  using Value   = typename Product::Value;
  using Sum     = typename Product::Sum;
  using C       = typename Product::C;
  using Data    = Registers<Value, Product::a_block * Blocks>;
  using Band    = Registers<Value, Product::b_block * Blocks>;

  static constexpr int rows    = 16;  ///< strips
  static constexpr int columns = 8;   ///< of sums
  static constexpr int taps    = 2 * Reach + 1;
  static constexpr int at_once = Product::at_once;
  static constexpr int sums    = taps + at_once - 1;  ///< rows under way
  static constexpr int side    = 8 * (Blocks / 2);    ///< columns to the left

  /// \param pieces of those of the template, that are not zero
  KOKKOS_FORCEINLINE_FUNCTION explicit WarpDenseBand(Warp const& warp,
                                                     int pieces = Pieces)
      : m_warp(warp), m_pieces(pieces) {
    clear();
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    for (int i = 0; i < sums; ++i) clear(m_sum[i]);
  }

  /// The band matrix of a row of weights: `weight(offset)` is the operand as
  /// bits, or the number, for offsets of -side to side.
  template <class Weight>
  KOKKOS_FORCEINLINE_FUNCTION static Band band(int lane, Weight const& weight) {
    Band fragment{};  // (8*Blocks,8) per warp
    for (int block = 0; block < Blocks; ++block)
      for (int r = 0; r < Product::b_block; ++r)
        for (int e = 0; e < Product::packed; ++e) {
          Coordinate const at = Product::b(lane, r, e);
          int const offset    = 8 * block + at.row - side - at.column;
          if (offset < -side || offset > side) continue;
          Value& to = fragment[block * Product::b_block + r];
          if constexpr (Product::packed == 1) {
            to = weight(offset);
          } else {
            to |= Value(weight(offset)) << 16 * e;
          }
        }
    return fragment;
  }

  /// Rows of the strips, from `side` columns to the left of the sums on.
  KOKKOS_FORCEINLINE_FUNCTION static Data load(unsigned char const* first,
                                               int pitch, int lane) {
    Data fragment;  // (16,8*Blocks) per warp
    for (int block = 0; block < Blocks; ++block) {
      auto const part =
          Product::load(first + 8 * Product::bytes * block, pitch, lane);
      for (int r = 0; r < Product::a_block; ++r)
        fragment[block * Product::a_block + r] = part[r];
    }
    return fragment;
  }

  /// Takes the next `at_once` rows of each strip. `bands(tap, piece)` is the
  /// band matrix of row `tap` of the weights, 0 to 2 * Reach.
  ///
  /// With Some, only the rows of sums first to last - 1 of those under way are
  /// of use, where a strip begins and ends.
  template <bool Some, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION void step(
      typename Warp::template Lanes<Data> const (&row)[at_once],
      Bands const& bands, int first = 0, int last = sums) {
    if constexpr (at_once == 1) {
      static_assert(Pieces == 1);
      Lanes<Band> fragment[together];
      for (int j = 0; j < together; ++j) fragment[j] = bands(taps - 1 - j, 0);
      add_ahead<Some, 0>(row, fragment, bands, first, last);
    } else {
      add<Some, 0>(row, bands, first, last);
    }
  }

  /// The sums that the last step completed: those of the rows Reach above its
  /// own. // (16,8) per warp each
  KOKKOS_FORCEINLINE_FUNCTION typename Warp::template Lanes<C> const& complete(
      int row) const {
    return m_sum[row];
  }

 private:
  /// Sums whose products are interleaved: a product that adds to the one before
  /// it waits for it.
  static constexpr int together = at_once == 1 ? 2 : 4;

  /// One row at a time, band matrices from memory: those of the next sums are
  /// loaded before the products of these.
  template <bool Some, int I, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION void add_ahead(
      Lanes<Data> const (&row)[1], Lanes<Band> const (&fragment)[together],
      Bands const& bands, int first, int last) {
    constexpr int count = sums - I < together ? sums - I : together;
    Lanes<Band> next[together];
    for (int j = 0; j < together; ++j)
      if (I + together + j < sums)
        next[j] = bands(taps - 1 - I - together - j, 0);
    Lanes<C> part[count];
    for (int j = 0; j < count; ++j) {
      if (I + j + 1 < sums)
        part[j] = m_sum[I + j + 1];
      else
        clear(part[j]);
    }
    if (!Some || (first < I + count && I < last))
      multiply_ahead<0>(part, row, fragment);
    for (int j = 0; j < count; ++j) m_sum[I + j] = part[j];
    if constexpr (I + count < sums) {
      add_ahead<Some, I + count>(row, next, bands, first, last);
    }
  }
  template <int P, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_ahead(
      Lanes<C> (&part)[Count], Lanes<Data> const (&row)[1],
      Lanes<Band> const (&fragment)[together]) const {
    for (int j = 0; j < Count; ++j)
      Product::template multiply_row<Blocks, P, 0>(m_warp, part[j], row,
                                                   fragment[j]);
    if constexpr (P + 1 < Product::template products<Blocks>) {
      multiply_ahead<P + 1>(part, row, fragment);
    }
  }

  // A loop over all sums is not always unrolled, and its registers would be
  // memory then.
  template <bool Some, int I, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION void add(
      typename Warp::template Lanes<Data> const (&row)[at_once],
      Bands const& bands, int first, int last) {
    constexpr int count = sums - I < together ? sums - I : together;
    // Those that go on with sums under way.
    constexpr int below = sums - at_once - I;
    constexpr int go_on = below < 0 ? 0 : below < count ? below : count;
    typename Warp::template Lanes<C> part[count];
    for (int j = 0; j < count; ++j) {
      clear(part[j]);
    }
    if (!Some || (first < I + count && I < last)) {
      // The small pieces first: what they lose is less.
      for (int piece = Pieces == 1 ? 0 : m_pieces - 1; piece >= 0; --piece) {
        // Those of the lowest sum last: fragment j + 1 is that of row 0 for sum
        // I + j, fragment j that of row 1.
        typename Warp::template Lanes<Band> fragment[count + 1];
        for (int j = 0; j <= count; ++j) {
          int const tap = taps - I - j;
          if (0 <= tap && tap < taps) fragment[j] = bands(tap, piece);
        }
        multiply<I, 0>(part, row, fragment);
      }
    }
    // Rounded to nearest: a product truncates what it adds to.
    for (int j = 0; j < go_on; ++j)
      m_warp.each([&](int lane) {
        for (int r = 0; r < C::size; ++r)
          m_warp.at(part[j], lane)[r] +=
              m_warp.at(m_sum[I + j + at_once], lane)[r];
      });
    for (int j = 0; j < count; ++j) m_sum[I + j] = part[j];
    if constexpr (I + count < sums) {
      add<Some, I + count>(row, bands, first, last);
    }
  }
  template <int I, int P, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(
      typename Warp::template Lanes<C> (&part)[Count],
      typename Warp::template Lanes<Data> const (&row)[at_once],
      typename Warp::template Lanes<Band> const (&fragment)[Count + 1]) const {
    for (int j = 0; j < Count; ++j) {
      if (I + j == 0)
        Product::template multiply_row<Blocks, P, 0>(m_warp, part[j], row,
                                                     fragment[j + 1]);
      else if (I + j == taps)
        Product::template multiply_row<Blocks, P, 1>(m_warp, part[j], row,
                                                     fragment[j]);
      else
        Product::template multiply<Blocks, P>(m_warp, part[j], row,
                                              fragment[j + 1], fragment[j]);
    }
    if constexpr (P + 1 < Product::template products<Blocks>) {
      multiply<I, P + 1>(part, row, fragment);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear(
      typename Warp::template Lanes<C>& sums) const {
    m_warp.each([&](int lane) {
      for (int r = 0; r < C::size; ++r) m_warp.at(sums, lane)[r] = Sum(0);
    });
  }

  Warp m_warp;
  int m_pieces;
  typename Warp::template Lanes<C> m_sum[sums];
};

}  // namespace KokkosMMA::Impl

#endif
