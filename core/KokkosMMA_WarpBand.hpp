// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_BAND_HPP
#define KOKKOSMMA_WARP_BAND_HPP

#include <core/KokkosMMA_MmaShape.hpp>
#include <core/KokkosMMA_WarpSum.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Sums over rectangles with weights that are one outer product, one warp, as
/// the product of two band matrices and the data: P = V * X along the columns,
/// then P * H along the rows.
///
/// The data come in blocks of 16 rows and 32 bytes: lane 4 g + q holds word g
/// of the rows 4 q to 4 q + 3. Transposed among themselves, the four words are
/// a B operand whose columns are permuted, so that a lane holds neighbouring
/// columns of the product: these are, packed again, the A operand of the second
/// product, whose band is permuted to match. No lane asks another for anything.
///
/// Blocks are handed over from top to bottom, each once. A History keeps the
/// last ones of a stripe of 32 bytes: the rows of the product P are those in
/// its middle, 8 * (Groups - 1) rows from its upper and its lower edge. So the
/// radius may be 8 with two groups, 16 with three.

namespace KokkosMMA::Impl {

/// Weights of both dimensions as operands of the products: entry
/// origin + o has that of offset o, there are zeros around.
template <class Operand>
struct BandWeights {
  static constexpr int origin = 48;
  static constexpr int size   = 2 * origin;
  Operand column[size];  ///< along the columns: first product
  Operand row[size];     ///< along the rows: second product
};

namespace Band {

/// The weights of offsets first, first + 1 .. in one register.
template <class Operand>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word_at(Operand const* weights,
                                                  int first) {
  constexpr int bits = 8 * int(sizeof(Operand));
  std::uint32_t word = 0;
  for (int e = 0; e < 4 / int(sizeof(Operand)); ++e)
    word |= std::uint32_t(std::make_unsigned_t<Operand>(
                weights[BandWeights<Operand>::origin + first + e]))
            << bits * e;
  return word;
}

}  // namespace Band

/// Of 8-bit integers; sums modulo 2^32.
/// \tparam Signed the elements
/// \tparam Groups blocks of rows in a history, 2 or 3
/// \tparam Planes bytes of the sums along the columns that are kept. With one
///   these are 0 .. 255, or results are right modulo 2^8; with more they are
///   signed
template <class Warp, bool Signed, int Groups, int Planes>
class WarpByteBand {
  static_assert(2 <= Groups && Groups <= 3 && 1 <= Planes && Planes <= 3);
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  using Weight  = std::int8_t;
  using Sum     = std::int32_t;
  using Weights = BandWeights<Weight>;

  static constexpr int groups     = Groups;
  static constexpr int planes     = Planes;
  static constexpr int columns    = 32;  ///< of a block
  static constexpr int blocks     = 2;   ///< side by side, for one of sums
  static constexpr int per_lane   = 8;   ///< sums side by side
  static constexpr int max_radius = 8 * (Groups - 1);
  /// Between the first column of `blocks` blocks and the first of their sums.
  static constexpr int margin = 16;

  /// Word lane / 4 of four rows. // (16,32) per warp
  using Rows    = Lanes<Registers<std::uint32_t, 4>>;
  using History = Lanes<Registers<std::uint32_t, 4 * Groups>>;
  struct Product {
    Lanes<typename MmaS8::A> plane[Planes];  // (16,32) per warp
  };
  /// Of the rows lane / 4 and lane / 4 + 8, the columns 8 * (lane % 4) and the
  /// seven next to it of each. // (16,32) per warp
  using Sums = Lanes<Registers<Sum, 16>>;

  KOKKOS_FORCEINLINE_FUNCTION WarpByteBand(Warp const& warp,
                                           Weights const& weights)
      : m_warp(warp) {
    warp.each([&](int lane) {
      auto const first = [&](Coordinate at) {
        return at.column - max_radius - at.row;
      };
      for (int reg = 0; reg < 4; ++reg)
        warp.at(m_column, lane)[reg] =
            Band::word_at(weights.column, first(MmaS8::a(lane, reg, 0)));
      for (int reg = 0; reg < 2; ++reg)
        warp.at(m_column_end, lane)[reg] = Band::word_at(
            weights.column, 32 + first(MmaS8K16::a(lane, reg, 0)));
      int const g = lane / 4;
      int const q = lane % 4;
      for (int block = 0; block < 2; ++block)
        for (int tile = 0; tile < 4; ++tile)
          for (int reg = 0; reg < 2; ++reg)
            warp.at(m_row[block][tile], lane)[reg] = Band::word_at(
                weights.row, 32 * block + 8 * q + 4 * reg - margin -
                                 (8 * (g / 2) + 2 * tile + g % 2));
    });
  }

  /// The next block of rows below the others.
  KOKKOS_FORCEINLINE_FUNCTION void take(History& history,
                                        Rows const& rows) const {
    m_warp.each([&](int lane) {
      auto& h       = m_warp.at(history, lane);
      auto const& w = m_warp.at(rows, lane);
      for (int i = 0; i < 4 * (Groups - 1); ++i) h[i] = h[i + 4];
      std::uint32_t const low_01  = m_warp.permute_bytes(w[0], w[1], 0x5140);
      std::uint32_t const high_01 = m_warp.permute_bytes(w[0], w[1], 0x7362);
      std::uint32_t const low_23  = m_warp.permute_bytes(w[2], w[3], 0x5140);
      std::uint32_t const high_23 = m_warp.permute_bytes(w[2], w[3], 0x7362);
      constexpr int last          = 4 * (Groups - 1);
      h[last]     = m_warp.permute_bytes(low_01, low_23, 0x5410);
      h[last + 1] = m_warp.permute_bytes(low_01, low_23, 0x7632);
      h[last + 2] = m_warp.permute_bytes(high_01, high_23, 0x5410);
      h[last + 3] = m_warp.permute_bytes(high_01, high_23, 0x7632);
    });
  }

  /// The sums along the columns.
  KOKKOS_FORCEINLINE_FUNCTION Product multiply(History const& history) const {
    Lanes<typename MmaS8::C> sums[4];  // (16,8) per warp
    for (int tile = 0; tile < 4; ++tile) {
      Lanes<typename MmaS8::B> b;  // (32,8) per warp
      m_warp.each([&](int lane) {
        auto const& h               = m_warp.at(history, lane);
        m_warp.at(b, lane)          = {{h[tile], h[4 + tile]}};
        m_warp.at(sums[tile], lane) = {};
      });
      m_warp.template multiply<Column>(sums[tile], m_column, b);
      if constexpr (Groups == 3) {
        Lanes<typename MmaS8K16::B> end;  // (16,8) per warp
        m_warp.each([&](int lane) {
          m_warp.at(end, lane) = {{m_warp.at(history, lane)[8 + tile]}};
        });
        m_warp.template multiply<ColumnEnd>(sums[tile], m_column_end, end);
      }
    }
    Product product;
    m_warp.each([&](int lane) {
      for (int reg = 0; reg < 4; ++reg) {
        // Register 1 of the sums is of the columns 4 further on.
        int const from = reg / 2 + 2 * (reg % 2);
        std::uint32_t x[4];
        for (int tile = 0; tile < 4; ++tile)
          x[tile] = std::uint32_t(m_warp.at(sums[tile], lane)[from]);
        if constexpr (Planes == 1) {
          m_warp.at(product.plane[0], lane)[reg] = pack<0x0040>(x);
        } else {
          std::uint32_t const x01 = m_warp.permute_bytes(x[0], x[1], 0x5140);
          std::uint32_t const x23 = m_warp.permute_bytes(x[2], x[3], 0x5140);
          m_warp.at(product.plane[0], lane)[reg] =
              m_warp.permute_bytes(x01, x23, 0x5410);
          m_warp.at(product.plane[1], lane)[reg] =
              m_warp.permute_bytes(x01, x23, 0x7632);
          if constexpr (Planes == 3) {
            m_warp.at(product.plane[2], lane)[reg] = pack<0x0062>(x);
          }
        }
      }
    });
    return product;
  }

  /// The sums of both dimensions in the middle of `blocks` blocks side by side.
  KOKKOS_FORCEINLINE_FUNCTION Sums
  sums(Product const* const (&products)[blocks]) const {
    Sums result;
    for (int tile = 0; tile < 4; ++tile) {
      Lanes<typename MmaS8::C> sum;  // (16,8) per warp
      m_warp.each([&](int lane) { m_warp.at(sum, lane) = {}; });
      add_planes<Planes - 1>(sum, products, tile);
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(result, lane)[8 * (reg / 2) + 2 * tile + reg % 2] =
              m_warp.at(sum, lane)[reg];
      });
    }
    return result;
  }

 private:
  using Column    = std::conditional_t<Signed, MmaS8, MmaS8U8>;
  using ColumnEnd = std::conditional_t<Signed, MmaS8K16, MmaS8U8K16>;

  /// Byte Selector % 8 of four words.
  template <std::uint32_t Selector>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t pack(
      std::uint32_t const (&x)[4]) const {
    return m_warp.permute_bytes(m_warp.permute_bytes(x[0], x[1], Selector),
                                m_warp.permute_bytes(x[2], x[3], Selector),
                                0x5410);
  }

  /// The highest plane first: the sum is shifted before each other one.
  template <int Plane>
  KOKKOS_FORCEINLINE_FUNCTION void add_planes(
      Lanes<typename MmaS8::C>& sum, Product const* const (&products)[blocks],
      int tile) const {
    constexpr bool is_signed = Planes > 1 && Plane == Planes - 1;
    using Row                = std::conditional_t<is_signed, MmaS8, MmaU8S8>;
    for (int block = 0; block < blocks; ++block)
      m_warp.template multiply<Row>(sum, products[block]->plane[Plane],
                                    m_row[block][tile]);
    if constexpr (Plane > 0) {
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg) {
          Sum& s = m_warp.at(sum, lane)[reg];
          s      = Sum(std::uint32_t(s) << 8);
        }
      });
      add_planes<Plane - 1>(sum, products, tile);
    }
  }

  Warp m_warp;
  Lanes<typename MmaS8::A> m_column;         // (16,32) per warp
  Lanes<typename MmaS8K16::A> m_column_end;  // (16,16) per warp
  Lanes<typename MmaS8::B> m_row[2][4];      // (32,8) per warp
};

/// Of 16-bit floats. The sums along the columns are fp32 and enter the second
/// product as three bfloat16, which is exact in the normal range of fp32.
///
/// Tensor cores truncate (core/KokkosMMA_ErrorBound.hpp), but what they add
/// here is short: products of 11 or 8 bits by weights, `Groups` instructions
/// along the columns, `Blocks` along the rows for the first 8 bits of the sums,
/// the rest for itself, added to nearest.
///
/// An Inf or NaN in the data makes sums NaN that it has no part in, through a
/// weight zero: what is not finite is to be computed again, element by element.
/// \tparam Half the elements are of 5 exponent bits; bfloat16 else
/// \tparam Blocks 2 for a radius of up to 8 along the rows, 3 for 16
template <class Warp, bool Half, int Groups, int Blocks>
class WarpHalfBand {
  static_assert(2 <= Groups && Groups <= 3 && 2 <= Blocks && Blocks <= 3);
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  /// Bits: those along the columns of the type of the elements, bfloat16 along
  /// the rows.
  using Weight  = std::uint16_t;
  using Sum     = float;
  using Weights = BandWeights<Weight>;

  static constexpr int groups     = Groups;
  static constexpr int planes     = 3;
  static constexpr int columns    = 16;
  static constexpr int blocks     = Blocks;
  static constexpr int per_lane   = 4;
  static constexpr int max_radius = 8 * (Groups - 1);
  static constexpr int margin     = 8 * (Blocks - 1);

  using Rows    = Lanes<Registers<std::uint32_t, 4>>;  // (16,16) per warp
  using History = Lanes<Registers<std::uint32_t, 4 * Groups>>;
  struct Product {
    Lanes<typename MmaBF16::A> piece[3];  // (16,16) per warp, the largest first
  };
  /// Of the rows lane / 4 and lane / 4 + 8, the columns 4 * (lane % 4) and the
  /// three next to it of each. // (16,16) per warp
  using Sums = Lanes<Registers<Sum, 8>>;

  KOKKOS_FORCEINLINE_FUNCTION WarpHalfBand(Warp const& warp,
                                           Weights const& weights)
      : m_warp(warp) {
    warp.each([&](int lane) {
      int const g = lane / 4;
      int const q = lane % 4;
      for (int group = 0; group < Groups; ++group)
        for (int reg = 0; reg < 4; ++reg)
          warp.at(m_column[group], lane)[reg] = Band::word_at(
              weights.column, 16 * group + 4 * q + 2 * (reg / 2) - max_radius -
                                  (g + 8 * (reg % 2)));
      for (int block = 0; block < Blocks; ++block)
        for (int tile = 0; tile < 2; ++tile)
          for (int reg = 0; reg < 2; ++reg)
            warp.at(m_row[block][tile], lane)[reg] = Band::word_at(
                weights.row, 16 * block + 4 * q + 2 * reg - margin -
                                 (4 * (g / 2) + 2 * tile + g % 2));
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void take(History& history,
                                        Rows const& rows) const {
    m_warp.each([&](int lane) {
      auto& h       = m_warp.at(history, lane);
      auto const& w = m_warp.at(rows, lane);
      for (int i = 0; i < 4 * (Groups - 1); ++i) h[i] = h[i + 4];
      constexpr int last = 4 * (Groups - 1);
      for (int pair = 0; pair < 2; ++pair) {
        h[last + pair] =
            m_warp.permute_bytes(w[2 * pair], w[2 * pair + 1], 0x5410);
        h[last + 2 + pair] =
            m_warp.permute_bytes(w[2 * pair], w[2 * pair + 1], 0x7632);
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION Product multiply(History const& history) const {
    Lanes<typename MmaF16::C> sums[2];  // (16,8) per warp
    for (int tile = 0; tile < 2; ++tile) {
      m_warp.each([&](int lane) { m_warp.at(sums[tile], lane) = {}; });
      for (int group = 0; group < Groups; ++group) {
        Lanes<typename MmaF16::B> b;  // (16,8) per warp
        m_warp.each([&](int lane) {
          auto const& h      = m_warp.at(history, lane);
          m_warp.at(b, lane) = {
              {h[4 * group + 2 * tile], h[4 * group + 2 * tile + 1]}};
        });
        m_warp.template multiply<Column>(sums[tile], m_column[group], b);
      }
    }
    Product product;
    m_warp.each([&](int lane) {
      for (int reg = 0; reg < 4; ++reg) {
        // Register 1 of the sums is of the columns 2 further on.
        int const from        = reg / 2 + 2 * (reg % 2);
        std::uint32_t rest[2] = {bits_of(m_warp.at(sums[0], lane)[from]),
                                 bits_of(m_warp.at(sums[1], lane)[from])};
        for (int piece = 0; piece < 3; ++piece) {
          m_warp.at(product.piece[piece], lane)[reg] =
              m_warp.permute_bytes(rest[0], rest[1], 0x7632);
          if (piece < 2)
            for (std::uint32_t& bits : rest)
              bits = bits_of(float_of(bits) - float_of(bits & 0xffff0000u));
        }
      }
    });
    return product;
  }

  /// The sums of both dimensions in the middle of `blocks` blocks side by side.
  KOKKOS_FORCEINLINE_FUNCTION Sums
  sums(Product const* const (&products)[Blocks]) const {
    Sums result;
    for (int tile = 0; tile < 2; ++tile) {
      Lanes<typename MmaBF16::C> large, small;  // (16,8) per warp
      m_warp.each([&](int lane) {
        m_warp.at(large, lane) = {};
        m_warp.at(small, lane) = {};
      });
      for (int piece = 2; piece >= 0; --piece)
        for (int block = 0; block < Blocks; ++block)
          m_warp.template multiply<MmaBF16>(piece ? small : large,
                                            products[block]->piece[piece],
                                            m_row[block][tile]);
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(result, lane)[4 * (reg / 2) + 2 * tile + reg % 2] =
              m_warp.at(large, lane)[reg] + m_warp.at(small, lane)[reg];
      });
    }
    return result;
  }

 private:
  using Column = std::conditional_t<Half, MmaF16, MmaBF16>;

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bits_of(float value) {
    return Kokkos::bit_cast<std::uint32_t>(value);
  }

  Warp m_warp;
  Lanes<typename MmaF16::A> m_column[Groups];   // (16,16) per warp
  Lanes<typename MmaBF16::B> m_row[Blocks][2];  // (16,8) per warp
};

}  // namespace KokkosMMA::Impl

#endif
