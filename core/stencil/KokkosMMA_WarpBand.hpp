// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_BAND_HPP
#define KOKKOSMMA_WARP_BAND_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Separable sums over rectangles by one warp, as MMA of the data X with two
/// band matrices: P = X * H along the rows, then V * P along the columns.
///
/// The first product is computed transposed, H^T * X^T: rows of the data are
/// columns of X^T, so the words of a row are a B operand without conversion. A
/// lane then has, of a column of P, two of each eight rows. Packed, these are
/// the B operand of the second product, whose rows come in memory order.
/// Neither data nor sums change lanes: the columns and rows of the band
/// matrices are permuted to match.
///
/// Blocks of 16 rows enter from top to bottom, each once, by column blocks of
/// 32 bytes. A History stores P of the last ones. The rows of sums are in its
/// middle, 8 * (Groups - 1) rows from either end, so the radius along the
/// columns is at most 8 with two groups and 16 with three.
///
/// The reverse order had to transpose the four words of a lane before the first
/// product and also computed column sums outside of the column block: 13
/// instructions per byte (H200, 2026-11-21, box filter of radius 7, 1324 * 10^9
/// sums per second).

namespace KokkosMMA::Impl {

/// Weights of both dimensions as MMA operands. Entry origin + o is the weight
/// of offset o; others are zero.
/// \tparam ColumnOperands, RowOperands number of operands whose sum is a
/// weight, the largest first
template <class Operand, int ColumnOperands = 1, int RowOperands = 1>
struct BandWeights {
  static constexpr int column_operands = ColumnOperands;
  static constexpr int row_operands    = RowOperands;
  static constexpr int origin          = 48;
  static constexpr int size            = 2 * origin;
  Operand column[ColumnOperands][size];  ///< along the columns: second product
  Operand row[RowOperands][size];        ///< along the rows: first product
};

/// Weights as registers of operands: word k is a register whose first entry is
/// entry k, so a band needs one load per register.
template <class BandWeights>
struct alignas(16) BandWords {
  static constexpr int column_operands = BandWeights::column_operands;
  static constexpr int row_operands    = BandWeights::row_operands;
  static constexpr int origin          = BandWeights::origin;
  static constexpr int size            = BandWeights::size;
  std::uint32_t column[column_operands][size];
  std::uint32_t row[row_operands][size];

  BandWords() = default;
  /// \param in_column, in_row entries of a word, relative to its first one
  template <int Entries>
  constexpr BandWords(BandWeights const& weights,
                      int const (&in_column)[Entries],
                      int const (&in_row)[Entries])
      : column(), row() {
    for (int part = 0; part < column_operands; ++part)
      fill(column[part], weights.column[part], in_column);
    for (int part = 0; part < row_operands; ++part)
      fill(row[part], weights.row[part], in_row);
  }

 private:
  template <class Operand, int Entries>
  static constexpr void fill(std::uint32_t (&words)[size],
                             Operand const (&entries)[size],
                             int const (&in_word)[Entries]) {
    constexpr int bits           = 32 / Entries;
    constexpr std::uint32_t mask = (1u << bits) - 1;
    for (int k = 0; k < size; ++k)
      for (int e = 0; e < Entries; ++e)
        if (int const at = k + in_word[e]; at < size)
          words[k] |= (std::uint32_t(entries[at]) & mask) << bits * e;
  }
};

/// Sums along the rows of the last groups of 16 rows, the latest last.
template <class Product, int Groups>
struct BandHistory {
  Product of[Groups - 1];

  /// Adds the next rows.
  KOKKOSMMA_FORCEINLINE_FUNCTION void take_in(Product const& product) {
    for (int group = 0; group + 2 < Groups; ++group) of[group] = of[group + 1];
    of[Groups - 2] = product;
  }
  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION void clear(Warp const& warp) {
    for (Product& product : of)
      for (auto& part : product.part)
        warp.each([&](int lane) { warp.at(part, lane) = {}; });
  }
};

/// Separable sums of 8-bit integers, modulo 2^32.
/// \tparam Signed whether the elements are signed
/// \tparam Groups blocks of 16 rows that a sum needs, 2 or 3
/// \tparam Planes bytes stored of the sums along the rows. One plane holds sums
/// of 0 to 255, or gives results modulo 2^8; several planes hold signed sums
template <class Warp, bool Signed, int Groups, int Planes>
class WarpByteBand {
  static_assert(2 <= Groups && Groups <= 3 && 1 <= Planes && Planes <= 3);
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  using Weight                    = std::int8_t;
  using Sum                       = std::int32_t;
  static constexpr Scalar element = Signed ? Scalar::int8 : Scalar::uint8;
  using Weights                   = BandWeights<Weight>;
  using Words                     = BandWords<Weights>;

  static constexpr int groups     = Groups;
  static constexpr int planes     = Planes;
  static constexpr int columns    = 32;  ///< sums in a column block
  static constexpr int per_lane   = 8;   ///< adjacent sums per row
  static constexpr int max_radius = 8 * (Groups - 1);  ///< along the columns
  /// Columns that the first product reads before the first sum of a column
  /// block.
  static constexpr int margin  = 16;
  static constexpr bool is_far = Groups == 3;
  /// Units of 16 bytes that the first product reads. The two units of the
  /// column block are in the middle.
  static constexpr int window          = 4;
  static constexpr int units_per_block = 2;

  /// Rows 0 to 7 and rows 8 to 15 of a unit. // (16,16) per warp
  using Unit = Lanes<Registers<std::uint32_t, 2>>;
  /// Bytes of the sums along the rows of 16 rows. Register j has rows 2 q, 2 q
  /// + 1, 8 + 2 q, 9 + 2 q of a column. // (16,32) per warp
  struct Product {
    Lanes<Registers<std::uint32_t, 4>> part[Planes];
  };
  using History = BandHistory<Product, Groups>;
  /// Rows lane / 4 and lane / 4 + 8, eight columns from 8 * (lane % 4) on.
  /// // (16,32) per warp
  using Sums = Lanes<Registers<Sum, 16>>;

  static constexpr Words words(Weights const& weights) {
    return Words(weights, {row_of(0), row_of(1), row_of(2), row_of(3)},
                 {0, 1, 2, 3});
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION WarpByteBand(Warp const& warp,
                                              Words const& words)
      : m_warp(warp) {
    // Volatile: one register per operand. The compiler would merge equal
    // registers and copy them before each MMA.
    auto const word = [](std::uint32_t const volatile* of, int offset) {
      return std::uint32_t(of[Words::origin + offset]);
    };
    warp.each([&](int lane) {
      for (int tile = 0; tile < 2; ++tile)
        for (int half = 0; half < 2; ++half)
          for (int reg = 0; reg < 4; ++reg) {
            Coordinate const at = MmaS8::a(lane, reg, 0);
            warp.at(m_row[tile][half], lane)[reg] =
                word(words.row[0],
                     32 * half + at.column - margin - column_of(tile, at.row));
          }
      auto const of_column = [&](int group, Coordinate at) {
        return word(words.column[0],
                    16 * group + row_of(at.column) - max_radius - at.row);
      };
      for (int reg = 0; reg < 4; ++reg)
        warp.at(m_column, lane)[reg] = of_column(0, MmaS8::a(lane, reg, 0));
      for (int reg = 0; reg < 2; ++reg)
        warp.at(m_column_end, lane)[reg] =
            of_column(2, MmaS8K16::a(lane, reg, 0));
    });
  }

  /// Sums along the rows of a column block, from its window.
  KOKKOSMMA_FORCEINLINE_FUNCTION Product multiply(Unit const* units) const {
    Product product;
    for (int tile = 0; tile < 2; ++tile) {
      Lanes<typename MmaS8::C> sums[2];  // (16,8) per warp
      for (int rows = 0; rows < 2; ++rows) {
        m_warp.each([&](int lane) { m_warp.at(sums[rows], lane) = {}; });
        for (int half = 0; half < 2; ++half) {
          Lanes<typename MmaS8::B> b;  // (32,8) per warp
          m_warp.each([&](int lane) {
            m_warp.at(b, lane) = {{m_warp.at(units[2 * half], lane)[rows],
                                   m_warp.at(units[2 * half + 1], lane)[rows]}};
          });
          m_warp.template multiply<Data>(sums[rows], m_row[tile][half], b);
        }
      }
      m_warp.each([&](int lane) {
        for (int k = 0; k < 2; ++k) {
          std::uint32_t x[4];
          for (int row = 0; row < 4; ++row)
            x[row] =
                std::uint32_t(m_warp.at(sums[row / 2], lane)[2 * k + row % 2]);
          int const j = 2 * tile + k;
          if constexpr (Planes == 1) {
            m_warp.at(product.part[0], lane)[j] = pack<0x0040>(x);
          } else {
            std::uint32_t const x01 = permute_bytes(x[0], x[1], 0x5140);
            std::uint32_t const x23 = permute_bytes(x[2], x[3], 0x5140);
            m_warp.at(product.part[0], lane)[j] =
                permute_bytes(x01, x23, 0x5410);
            m_warp.at(product.part[1], lane)[j] =
                permute_bytes(x01, x23, 0x7632);
            if constexpr (Planes == 3) {
              m_warp.at(product.part[2], lane)[j] = pack<0x0062>(x);
            }
          }
        }
      });
    }
    return product;
  }

  /// Sums along both dimensions. `product` has the lowest rows; it is added to
  /// the history.
  KOKKOSMMA_FORCEINLINE_FUNCTION Sums sums(History& history,
                                           Product const& product) const {
    Sums result;
    for (int j = 0; j < 4; ++j) {
      Lanes<typename MmaS8::C> sum;  // (16,8) per warp
      m_warp.each([&](int lane) { m_warp.at(sum, lane) = {}; });
      add_planes<Planes - 1>(sum, history, product, j);
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(result, lane)[8 * (reg / 2) + 2 * j + reg % 2] =
              m_warp.at(sum, lane)[reg];
      });
    }
    history.take_in(product);
    return result;
  }

 private:
  using Data = std::conditional_t<Signed, MmaS8, MmaS8U8>;

  /// Column of the column block in row m of a tile of the first product.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int column_of(int tile,
                                                                int m) {
    int const n = m % 8;
    return 8 * (n / 2) + 2 * (2 * tile + m / 8) + n % 2;
  }
  /// Row at index k of 16 in a Product.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int row_of(int k) {
    return 16 * (k / 16) + 2 * (k % 16 / 4) + 8 * (k % 4 / 2) + k % 2;
  }

  /// Bytes Selector % 8 of four words.
  template <std::uint32_t Selector>
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t pack(
      std::uint32_t const (&x)[4]) const {
    return permute_bytes(permute_bytes(x[0], x[1], Selector),
                         permute_bytes(x[2], x[3], Selector), 0x5410);
  }

  /// Adds the planes, the highest first; shifts the sum by 8 bits before each
  /// further plane.
  template <int Plane>
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_planes(Lanes<typename MmaS8::C>& sum,
                                                 History const& history,
                                                 Product const& product,
                                                 int j) const {
    constexpr bool is_signed = Planes > 1 && Plane == Planes - 1;
    using Both               = std::conditional_t<is_signed, MmaS8, MmaS8U8>;
    using End = std::conditional_t<is_signed, MmaS8K16, MmaS8U8K16>;
    Lanes<typename MmaS8::B> b;  // (32,8) per warp
    auto const& second = Groups == 3 ? history.of[Groups - 2] : product;
    m_warp.each([&](int lane) {
      m_warp.at(b, lane) = {{m_warp.at(history.of[0].part[Plane], lane)[j],
                             m_warp.at(second.part[Plane], lane)[j]}};
    });
    m_warp.template multiply<Both>(sum, m_column, b);
    if constexpr (Groups == 3) {
      Lanes<typename MmaS8K16::B> end;  // (16,8) per warp
      m_warp.each([&](int lane) {
        m_warp.at(end, lane) = {{m_warp.at(product.part[Plane], lane)[j]}};
      });
      m_warp.template multiply<End>(sum, m_column_end, end);
    }
    if constexpr (Plane > 0) {
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg) {
          Sum& s = m_warp.at(sum, lane)[reg];
          s      = Sum(std::uint32_t(s) << 8);
        }
      });
      add_planes<Plane - 1>(sum, history, product, j);
    }
  }

  Warp m_warp;
  Lanes<typename MmaS8::A> m_row[2][2];      // (16,32) per warp
  Lanes<typename MmaS8::A> m_column;         // (16,32) per warp
  Lanes<typename MmaS8K16::A> m_column_end;  // (16,16) per warp
};

/// Separable sums of 16-bit floats and floats. The sums along the rows are fp32
/// and enter the second product as three bfloat16, as do floats the first. This
/// is exact down to 2^-133.
///
/// Tensor cores truncate, but chains are short here: `Blocks` MMA along the
/// rows, of data of 11 or 8 bits and weights, and `Groups` MMA along the
/// columns for the first 8 bits of the sums. The other bits are summed
/// separately and added with rounding to nearest.
///
/// Split weights are sums of three operands, or of two half operands along the
/// rows. Contributions of all operands except the first are summed with the
/// other bits. Along the columns, products below 2^-24 of the first are
/// omitted.
///
/// An Inf or NaN in the data makes sums NaN even if its weight is zero: sums
/// that are not finite must be recomputed one by one. For the same reason,
/// floats and sums along the rows that three operands cannot hold exactly
/// become NaN.
/// \tparam Element half, bhalf or float32
/// \tparam Blocks 2 for a radius of at most 8 along the rows, 3 for 16
/// \tparam Split whether weights are split operands
template <class Warp, Scalar Element, int Groups, int Blocks,
          bool Split = false>
class WarpFloatBand {
  static_assert(2 <= Groups && Groups <= 3 && 2 <= Blocks && Blocks <= 3);
  static_assert(Element == Scalar::half || Element == Scalar::bhalf ||
                Element == Scalar::float32);
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  /// Bits of a weight: fp16 along the rows of half values, otherwise bfloat16.
  using Weight                         = std::uint16_t;
  using Sum                            = float;
  static constexpr Scalar element      = Element;
  static constexpr bool is_half        = Element == Scalar::half;
  static constexpr int data_operands   = Element == Scalar::float32 ? 3 : 1;
  static constexpr int column_operands = Split ? 3 : 1;
  static constexpr int row_operands    = Split ? (is_half ? 2 : 3) : 1;
  using Weights = BandWeights<Weight, column_operands, row_operands>;
  using Words   = BandWords<Weights>;

  static constexpr int groups          = Groups;
  static constexpr int planes          = 3;
  static constexpr int columns         = 16;
  static constexpr int per_lane        = 4;
  static constexpr int max_radius      = 8 * (Groups - 1);
  static constexpr int margin          = 8 * (Blocks - 1);
  static constexpr bool is_far         = Groups == 3 || Blocks == 3;
  static constexpr int units_per_block = Element == Scalar::float32 ? 4 : 2;
  static constexpr int window          = units_per_block * Blocks;

  // (16,8) per warp, of floats (16,4)
  using Unit = Lanes<Registers<std::uint32_t, 2>>;
  /// Sums along the rows, the largest part first. Register 2 j + t has rows 8 t
  /// + 2 q and 8 t + 2 q + 1 of a column. // (16,16) per warp
  struct Product {
    Lanes<Registers<std::uint32_t, 4>> part[3];
  };
  using History = BandHistory<Product, Groups>;
  /// Rows lane / 4 and lane / 4 + 8, four columns from 4 * (lane % 4) on.
  /// // (16,16) per warp
  using Sums = Lanes<Registers<Sum, 8>>;

  static constexpr Words words(Weights const& weights) {
    return Words(weights, {0, 1}, {column_of_data(0), column_of_data(1)});
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION WarpFloatBand(Warp const& warp,
                                               Words const& words)
      : m_warp(warp) {
    take<0>(words);
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION Product multiply(Unit const* units) const {
    Lanes<typename MmaF16::C> sums[2];  // (16,8) per warp
    for (int rows = 0; rows < 2; ++rows) {
      Lanes<typename MmaF16::C> small;  // (16,8) per warp
      m_warp.each([&](int lane) {
        m_warp.at(sums[rows], lane) = {};
        m_warp.at(small, lane)      = {};
      });
      for (int block = 0; block < Blocks; ++block) {
        Lanes<typename MmaF16::B> b[data_operands];  // (16,8) per warp
        m_warp.each([&](int lane) {
          auto const word = [&](int unit) {
            return m_warp.at(units[units_per_block * block + unit], lane)[rows];
          };
          if constexpr (data_operands == 1) {
            m_warp.at(b[0], lane) = {{word(0), word(1)}};
          } else {
            for (int reg = 0; reg < 2; ++reg) {
              std::uint32_t parts[3];
              split<true>(word(2 * reg), word(2 * reg + 1), parts);
              for (int part = 0; part < 3; ++part)
                m_warp.at(b[part], lane)[reg] = parts[part];
            }
          }
        });
        for (int both = 2; both >= 0; --both)
          for (int weight = 0; weight < row_operands; ++weight)
            if (0 <= both - weight && both - weight < data_operands) {
              m_warp.template multiply<Data>(both ? small : sums[rows],
                                             m_row[weight][block],
                                             b[both - weight]);
            }
      }
      if constexpr (Split || data_operands > 1) {
        m_warp.each([&](int lane) {
          for (int reg = 0; reg < 4; ++reg)
            m_warp.at(sums[rows], lane)[reg] += m_warp.at(small, lane)[reg];
        });
      }
    }
    Product product;
    m_warp.each([&](int lane) {
      for (int j = 0; j < 2; ++j)
        for (int t = 0; t < 2; ++t) {
          std::uint32_t parts[3];
          split<data_operands == 3>(
              bits_of(m_warp.at(sums[t], lane)[2 * j]),
              bits_of(m_warp.at(sums[t], lane)[2 * j + 1]), parts);
          for (int part = 0; part < 3; ++part)
            m_warp.at(product.part[part], lane)[2 * j + t] = parts[part];
        }
    });
    return product;
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION Sums sums(History& history,
                                           Product const& product) const {
    Sums result;
    for (int j = 0; j < 2; ++j) {
      Lanes<typename MmaBF16::C> large, small;  // (16,8) per warp
      m_warp.each([&](int lane) {
        m_warp.at(large, lane) = {};
        m_warp.at(small, lane) = {};
      });
      for (int both = 2; both >= 0; --both)
        for (int weight = 0; weight < column_operands; ++weight)
          if (weight <= both)
            for (int group = 0; group < Groups; ++group) {
              Product const& of =
                  group + 1 < Groups ? history.of[group] : product;
              Lanes<typename MmaBF16::B> b;  // (16,8) per warp
              m_warp.each([&](int lane) {
                auto const& words  = m_warp.at(of.part[both - weight], lane);
                m_warp.at(b, lane) = {{words[2 * j], words[2 * j + 1]}};
              });
              m_warp.template multiply<MmaBF16>(both ? small : large,
                                                m_column[weight][group], b);
            }
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(result, lane)[4 * (reg / 2) + 2 * j + reg % 2] =
              m_warp.at(large, lane)[reg] + m_warp.at(small, lane)[reg];
      });
    }
    history.take_in(product);
    return result;
  }

 private:
  using Data = std::conditional_t<is_half, MmaF16, MmaBF16>;

  /// Loads the operands of this part of the weights and the next ones.
  /// Recursive: nvcc 13.0 does not unroll a loop, and the operands would be in
  /// local memory.
  template <int Part>
  KOKKOSMMA_FORCEINLINE_FUNCTION void take(Words const& words) {
    auto const word = [](std::uint32_t const volatile* of, int offset) {
      return std::uint32_t(of[Words::origin + offset]);
    };
    m_warp.each([&](int lane) {
      for (int reg = 0; reg < 4; ++reg) {
        Coordinate const at = MmaF16::a(lane, reg, 0);
        if constexpr (Part < row_operands) {
          for (int block = 0; block < Blocks; ++block)
            m_warp.at(m_row[Part][block], lane)[reg] =
                word(words.row[Part], 16 * block + column_of_data(at.column) -
                                          margin - column_of(at.row));
        }
        for (int group = 0; group < Groups; ++group)
          m_warp.at(m_column[Part][group], lane)[reg] = word(
              words.column[Part], 16 * group + at.column - max_radius - at.row);
      }
    });
    if constexpr (Part + 1 < column_operands) {
      take<Part + 1>(words);
    }
  }
  /// Column of the column block in row m of the first product.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int column_of(int m) {
    int const n = m % 8;
    return 4 * (n / 2) + 2 * (m / 8) + n % 2;
  }
  /// Column at index k of an operand block: a lane has a word of each unit.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int column_of_data(int k) {
    return data_operands == 1 ? k : 8 * (k / 8) + 4 * (k % 2) + k % 8 / 2;
  }
  /// Splits two floats into three pairs of bfloat16, the largest first.
  /// \tparam Checked whether the last pair is NaN if a split is not exact
  template <bool Checked>
  KOKKOSMMA_FORCEINLINE_FUNCTION void split(std::uint32_t a, std::uint32_t b,
                                            std::uint32_t (&parts)[3]) const {
    for (int part = 0; part < 3; ++part) {
      parts[part] = permute_bytes(a, b, 0x7632);
      if (part < 2) {
        a = bits_of(float_of(a) - float_of(a & 0xffff0000u));
        b = bits_of(float_of(b) - float_of(b & 0xffff0000u));
      }
    }
    if constexpr (Checked) {
      if (permute_bytes(a, b, 0x5410) != 0) parts[2] = 0x7fff7fffu;
    }
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static std::uint32_t bits_of(float value) {
    return bit_cast<std::uint32_t>(value);
  }

  Warp m_warp;
  Lanes<typename MmaF16::A> m_row[row_operands][Blocks];  // (16,16) per warp
  Lanes<typename MmaBF16::A> m_column[column_operands]
                                     [Groups];  // (16,16) per warp
};

}  // namespace KokkosMMA::Impl

#endif
