// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_COLUMN_SUMS_HPP
#define KOKKOSMMA_WARP_COLUMN_SUMS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_ColumnVectors.hpp>
#include <core/segmented/KokkosMMA_ColumnWords.hpp>

#include <cstdint>

/// \file
/// Running values of columns in a warp, by additions and by MMA. A warp
/// provides the members listed in core/reduce/KokkosMMA_WarpSum.hpp.

namespace KokkosMMA::Impl {

/// Running values by additions; each lane loads the vectors of one position.
template <class Warp, Operation Op, Scalar Input, class Element>
class WarpColumnAdditions {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Apply = Combine<Op, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = size_of(Input);
  static constexpr int elements      = 16 / element_bytes;
  static constexpr int width         = 32;  ///< positions side by side
  static constexpr int deep          = 1;   ///< periods side by side
  static constexpr int vectors       = 1;   ///< per lane in a step
  /// Registers (32-bit) of a lane for running values.
  static constexpr int registers = elements * int(sizeof(Value)) / 4;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpColumnAdditions(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        warp.at(m_running, lane)[e] = Apply::identity();
    });
  }

  /// Position (of `width`) and period (of `deep`) of a lane's first vector in a
  /// step. Its further vectors are `deep` periods apart.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int position(int lane) {
    return lane;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int depth(int) { return 0; }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const (&step)[1]) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e) add_element(lane, step[0], e);
    });
  }
  /// Adds a vector per lane; only elements with a bit in `present` are data,
  /// others are zero.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                               Lanes<unsigned> const& present) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (m_warp.at(present, lane) >> e & 1) add_element(lane, vector, e);
    });
  }

  /// Calls visit(lane, position, element, value) for all positions.
  template <class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        visit(lane, lane, e, m_warp.at(m_running, lane)[e]);
    });
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_element(int lane,
                                                  Lanes<Vector16> const& vector,
                                                  int e) {
    Value& running = m_warp.at(m_running, lane)[e];
    running        = Apply::apply(running, element_value<Warp, Input, Value>(
                                        element_of_vector<element_bytes>(
                                            m_warp.at(vector, lane), e)));
  }

  Warp m_warp;
  Lanes<Registers<Value, elements>> m_running;
};

/// MMA operand of a column sum: converts `vectors` periods of one position in a
/// lane to (k,n) operands, one MMA per element. Periods may map to k in any
/// order, since all entries of the other operand are one.
template <Scalar Input>
struct ColumnOperand {
  static constexpr int vectors = 0;  // no operand
};

template <class ShapeType>
struct ColumnOperandPairs {
  using Shape                    = ShapeType;
  static constexpr int vectors   = 4;
  static constexpr int fragments = 1;
  static constexpr int chain     = 8;
  static constexpr bool can_lose = false;

  /// Computes the operands of element e. Returns whether the split is inexact.
  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[4],
                                                   int e,
                                                   typename Shape::B (&b)[1]) {
    for (int half = 0; half < 2; ++half) {
      std::uint32_t const first  = step[2 * half][e / 2];
      std::uint32_t const second = step[2 * half + 1][e / 2];
      b[0][half]                 = e % 2 == 0 ? (first & 0xffffu) | second << 16
                                              : pack_upper_halves(first, second);
    }
    return false;
  }
};
template <>
struct ColumnOperand<Scalar::half> : ColumnOperandPairs<MmaF16> {};
template <>
struct ColumnOperand<Scalar::bhalf> : ColumnOperandPairs<MmaBF16> {};

template <>
struct ColumnOperand<Scalar::float32> {
  using Shape                    = MmaBF16;
  static constexpr int vectors   = 4;
  static constexpr int fragments = 3;  ///< small operands first
  static constexpr int chain     = 8;
  static constexpr bool can_lose = true;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[4],
                                                   int e, Shape::B (&b)[3]) {
    std::uint32_t lost = 0;
    for (int half = 0; half < 2; ++half) {
      SplitFloat const x = split_float(step[2 * half][e]);
      SplitFloat const y = split_float(step[2 * half + 1][e]);
      b[0][half]         = pack_upper_halves(x.low, y.low);
      b[1][half]         = pack_upper_halves(x.middle, y.middle);
      b[2][half]         = pack_upper_halves(x.high, y.high);
      lost |= x.lost | y.lost;
    }
    return lost != 0;
  }
};

template <>
struct ColumnOperand<Scalar::float64> {
  using Shape                    = MmaF64;
  static constexpr int vectors   = 1;
  static constexpr int fragments = 1;
  static constexpr int chain     = 8;
  static constexpr bool can_lose = false;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[1],
                                                   int e, Shape::B (&b)[1]) {
    b[0][0] = bit_cast<double>(std::uint64_t(step[0][2 * e + 1]) << 32 |
                               step[0][2 * e]);
    return false;
  }
};

template <class ShapeType>
struct ColumnOperandBytes {
  using Shape                    = ShapeType;
  static constexpr int vectors   = 4;
  static constexpr int fragments = 1;
  // 2^16 MMA of 16 bytes per column stay below 2^31.
  static constexpr int chain     = 1 << 16;
  static constexpr bool can_lose = false;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[4],
                                                   int e,
                                                   typename Shape::B (&b)[1]) {
    b[0][0] = byte_column(step[0][e / 4], step[1][e / 4], step[2][e / 4],
                          step[3][e / 4], e % 4);
    return false;
  }
};
template <>
struct ColumnOperand<Scalar::int8> : ColumnOperandBytes<MmaS8K16> {};
template <>
struct ColumnOperand<Scalar::uint8> : ColumnOperandBytes<MmaU8K16> {};
template <>
struct ColumnOperand<Scalar::boolean> : ColumnOperandBytes<MmaU8K16> {};

/// Whether tensor cores can add columns of this type. Not wider integers: they
/// need four or eight MMA in place of one addition.
constexpr bool column_mma_exists(Scalar input) {
  switch (input) {
    case Scalar::half:
    case Scalar::bhalf:
    case Scalar::float32:
    case Scalar::float64:
    case Scalar::int8:
    case Scalar::uint8:
    case Scalar::boolean: return true;
    default: return false;
  }
}

/// Column sums by MMA: ones times the rows. Lane 4g + q loads position g in
/// period q. Every row of the product holds the sums; lane 4g + q keeps those
/// of element g (modulo their number) at positions 2q and 2q + 1.
template <class Warp, Scalar Input, class Element>
class WarpColumnMma {
  template <class T>
  using Lanes   = typename Warp::template Lanes<T>;
  using Operand = ColumnOperand<Input>;
  using Shape   = typename Operand::Shape;
  using Apply   = Combine<Operation::sum, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = size_of(Input);
  static constexpr int elements      = 16 / element_bytes;
  static constexpr int width         = 8;
  static constexpr int deep          = 4;
  static constexpr int vectors       = Operand::vectors;
  static constexpr int registers =
      elements * Operand::fragments * int(sizeof(typename Shape::C)) / 4;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpColumnMma(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane) = encode_a<Shape, Ones>(lane);
      for (int k = 0; k < kept; ++k) warp.at(m_sum, lane)[k] = Value(0);
      for (int e = 0; e < apart; ++e) warp.at(m_apart, lane)[e] = Value(0);
    });
    clear();
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int position(int lane) {
    return lane / 4;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int depth(int lane) {
    return lane % 4;
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(
      Lanes<Vector16> const (&step)[vectors]) {
    if constexpr (Operand::can_lose) {
      Lanes<bool> inexact;
      m_warp.each([&](int lane) {
        Vector16 own[vectors];
        gather_own(step, lane, own);
        bool lost = false;
        for (int e = 0; e < elements; ++e) {
          typename Shape::B b[Operand::fragments];
          lost = Operand::split(own, e, b) || lost;
        }
        m_warp.at(inexact, lane) = lost;
      });
      if (m_warp.any(inexact)) {
        m_warp.each([&](int lane) {
          for (int v = 0; v < vectors; ++v)
            for (int e = 0; e < elements; ++e)
              m_warp.at(m_apart, lane)[e] += element_value<Warp, Input, Value>(
                  element_of_vector<element_bytes>(m_warp.at(step[v], lane),
                                                   e));
        });
        return;
      }
    }
    for (int e = 0; e < elements; ++e) {
      Lanes<typename Shape::B> b[Operand::fragments];  // (k,n) per warp
      m_warp.each([&](int lane) {
        Vector16 own[vectors];
        gather_own(step, lane, own);
        typename Shape::B split[Operand::fragments];
        Operand::split(own, e, split);
        for (int p = 0; p < Operand::fragments; ++p)
          m_warp.at(b[p], lane) = split[p];
      });
      for (int p = 0; p < Operand::fragments; ++p)
        m_warp.template multiply<Shape>(m_products[e][p], m_ones, b[p]);
    }
    if (++m_length == Operand::chain) flush();
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                               Lanes<unsigned> const&) {
    Lanes<Vector16> step[vectors]{};
    step[0] = vector;
    add(step);
  }

  template <class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
    flush();
    if constexpr (apart > 0) {
      join_apart();
    }
    m_warp.each([&](int lane) {
      for (int k = 0; k < kept; ++k) {
        int const e = lane / 4 + k / 2 * 8;
        if (e < elements)
          visit(lane, lane % 4 * 2 + k % 2, e, m_warp.at(m_sum, lane)[k]);
      }
    });
  }

 private:
  /// Sums per lane: two positions of every eighth element.
  static constexpr int kept  = elements > 8 ? 4 : 2;
  static constexpr int apart = Operand::can_lose ? elements : 0;

  KOKKOSMMA_FORCEINLINE_FUNCTION void gather_own(
      Lanes<Vector16> const (&step)[vectors], int lane,
      Vector16 (&own)[vectors]) const {
    for (int v = 0; v < vectors; ++v) own[v] = m_warp.at(step[v], lane);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void clear() {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        for (int p = 0; p < Operand::fragments; ++p)
          m_warp.at(m_products[e][p], lane) = {};
    });
    m_length = 0;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (lane / 4 % 8 == e % 8)
          for (int c = 0; c < 2; ++c) {
            auto sum = m_warp.at(m_products[e][0], lane)[c];
            for (int p = 1; p < Operand::fragments; ++p)
              sum += m_warp.at(m_products[e][p], lane)[c];
            Value& kept_sum = m_warp.at(m_sum, lane)[e / 8 * 2 + c];
            kept_sum        = Apply::apply(kept_sum, static_cast<Value>(sum));
          }
    });
    clear();
  }
  /// Joins the sums added without MMA; lane 4g + q has those of position g.
  KOKKOSMMA_FORCEINLINE_FUNCTION void join_apart() {
    for (int e = 0; e < elements; ++e) {
      Lanes<Value> sum;
      m_warp.each([&](int lane) {
        m_warp.at(sum, lane) = m_warp.at(m_apart, lane)[e];
      });
      for (int offset = 1; offset < 4; offset *= 2) {
        Lanes<Value> const other = m_warp.shuffle_xor(sum, offset);
        m_warp.each([&](int lane) {
          m_warp.at(sum, lane) = m_warp.at(sum, lane) + m_warp.at(other, lane);
        });
      }
      for (int c = 0; c < 2; ++c) {
        Lanes<Value> const mine = m_warp.gather(
            sum, [&](int lane) { return (lane % 4 * 2 + c) * 4; });
        m_warp.each([&](int lane) {
          if (lane / 4 == e) m_warp.at(m_sum, lane)[c] += m_warp.at(mine, lane);
        });
      }
    }
  }

  Warp m_warp;
  int m_length = 0;
  Lanes<typename Shape::A> m_ones;                                    // (m,k)
  Lanes<typename Shape::C> m_products[elements][Operand::fragments];  // (m,n)
  Lanes<Registers<Value, kept>> m_sum;
  Lanes<Registers<Value, apart == 0 ? 1 : apart>> m_apart;
};

}  // namespace KokkosMMA::Impl

#endif
