// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_COLUMNS_HPP
#define KOKKOSMMA_WARP_COLUMNS_HPP

#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/scan/KokkosMMA_ScanEncoding.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Reductions and scans along the rows of a matrix whose columns are neighbours
/// in memory: how its vectors are dealt out to lanes, and what a warp does with
/// them. The algorithms are templates over the warp
/// (core/reduce/KokkosMMA_WarpSum.hpp).

namespace KokkosMMA::Impl {

/// Element (i,j) lies `stride * i + j` elements behind the first.
struct ColumnMatrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t stride;  ///< at least `columns`
};

/// Where a vector's element belongs: a row of the period, or -1 if nowhere.
struct ColumnPlace {
  std::int64_t row;
  std::uint64_t column;
};

/// The 16-byte vectors of a matrix by the columns that they hold. After
/// `period` rows a row starts at the same place of a line again, so the vector
/// at a position of a period holds the same columns in all periods: a lane that
/// walks from period to period keeps one running value per element, whatever
/// the length of the rows is. Narrow matrices have periods of many rows.
///
/// Rows that follow each other closely are one run of vectors. Where wide gaps
/// lie between them each row has vectors of its own.
struct ColumnVectors {
  ColumnMatrix matrix;
  unsigned per_vector;        ///< elements
  unsigned skip;              ///< elements in front of the first in its line
  std::uint64_t period;       ///< rows
  std::uint64_t row_vectors;  ///< of each row, 0 when rows are one run
  std::uint64_t positions;    ///< vectors of a period
  std::uint64_t periods;      ///< the last may be shorter

  /// Elements from the line of the first element to the next period.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t step() const {
    return period * matrix.stride;
  }
  /// Elements from the line of the first element to a vector of period 0.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t offset(
      std::uint64_t position) const {
    if (row_vectors == 0) return position * per_vector;
    std::uint64_t const start =
        position / row_vectors * matrix.stride + skip;  // of the row
    return start - start % per_vector + position % row_vectors * per_vector;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr ColumnPlace place(
      std::uint64_t position, int element) const {
    std::uint64_t row, column;
    if (row_vectors == 0) {
      std::uint64_t at = position * per_vector + element + step() - skip;
      if (at >= step()) at -= step();
      row    = at / matrix.stride;
      column = at % matrix.stride;
    } else {
      row    = position / row_vectors;
      column = offset(position) + element - (row * matrix.stride + skip);
    }
    // What lies in front of a row has a huge column.
    if (column >= matrix.columns) return {-1, 0};
    return {std::int64_t(row), column};
  }
  /// The vector element that holds (row, column): position * per_vector +
  /// element.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t index(
      std::uint64_t row, std::uint64_t column) const {
    std::uint64_t const start = row * matrix.stride + skip;
    if (row_vectors == 0) {
      std::uint64_t const at = start + column;
      return at >= step() ? at - step() : at;
    }
    return row * row_vectors * per_vector + start % per_vector + column;
  }
  /// Elements of the matrix are those with skip <= offset < end().
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t end() const {
    return skip + (matrix.rows - 1) * matrix.stride + matrix.columns;
  }
};

/// \param width positions that a warp takes side by side
inline ColumnVectors column_vectors(void const* x, ColumnMatrix matrix,
                                    int element_bytes, unsigned width) {
  ColumnVectors v{};
  if (matrix.rows < 2) matrix.stride = matrix.columns;
  v.matrix     = matrix;
  v.per_vector = 16u / element_bytes;
  v.skip = unsigned(reinterpret_cast<std::uintptr_t>(x) % 16) / element_bytes;

  std::uint64_t period = 1;
  while (period * matrix.stride % v.per_vector != 0) period *= 2;
  std::uint64_t const in_run = period * matrix.stride / v.per_vector;
  // Of a row that starts at the worst place.
  std::uint64_t const in_row =
      (matrix.columns + (period == 1 ? v.skip : v.per_vector - 1) +
       v.per_vector - 1) /
      v.per_vector;
  std::uint64_t const positions =
      in_run <= period * in_row ? in_run : period * in_row;
  // More rows in a period where that leaves fewer lanes without work.
  std::uint64_t best = 1, best_used = 0;
  for (std::uint64_t m = 1; m <= width && m * positions <= 16 * width; ++m) {
    std::uint64_t const taken = (m * positions + width - 1) / width * width;
    std::uint64_t const used  = 1000 * m * positions / taken;
    if (used > best_used) {
      best      = m;
      best_used = used;
    }
    if (used >= 780) break;
  }
  v.period      = period * best;
  v.positions   = positions * best;
  v.row_vectors = in_run <= period * in_row ? 0 : in_row;
  if (v.row_vectors == 0) {
    std::uint64_t const vectors = (v.end() + v.per_vector - 1) / v.per_vector;
    v.periods                   = (vectors + v.positions - 1) / v.positions;
  } else {
    v.periods = (matrix.rows + v.period - 1) / v.period;
  }
  return v;
}

/// `Elements` elements of memory as a lane loads them, in 32-bit words.
template <int Bytes>
using ColumnWords = Registers<std::uint32_t, (Bytes + 3) / 4>;

template <int ElementBytes, int Words>
KOKKOS_FORCEINLINE_FUNCTION typename Unsigned<ElementBytes>::type
element_of_words(Registers<std::uint32_t, Words> const& words, int e) {
  using Bits = typename Unsigned<ElementBytes>::type;
  if constexpr (ElementBytes == 8) {
    return std::uint64_t(words[2 * e + 1]) << 32 | words[2 * e];
  } else {
    return static_cast<Bits>(words[e * ElementBytes / 4] >>
                             e * ElementBytes % 4 * 8);
  }
}

/// Puts an element into words that are zero there.
template <int ElementBytes, int Words>
KOKKOS_FORCEINLINE_FUNCTION void put_element(
    Registers<std::uint32_t, Words>& words, int e,
    typename Unsigned<ElementBytes>::type bits) {
  if constexpr (ElementBytes == 8) {
    words[2 * e]     = std::uint32_t(bits);
    words[2 * e + 1] = std::uint32_t(bits >> 32);
  } else {
    words[e * ElementBytes / 4] |= std::uint32_t(bits)
                                   << e * ElementBytes % 4 * 8;
  }
}

/// Running values of the vectors that the lanes load, one position each.
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
  static constexpr int vectors       = 1;   ///< of a lane in a step
  /// 32-bit registers that a lane keeps.
  static constexpr int registers = elements * int(sizeof(Value)) / 4;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpColumnAdditions(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        warp.at(m_running, lane)[e] = Apply::identity();
    });
  }

  /// Position, of `width`, and period, of `deep`, that a lane loads. Its next
  /// vector of a step is `deep` periods further.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int lane) {
    return lane;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth(int) { return 0; }

  KOKKOS_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const (&step)[1]) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e) add_element(lane, step[0], e);
    });
  }
  /// Vectors of which the elements with a bit in `present` are data, the others
  /// zero.
  KOKKOS_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                            Lanes<unsigned> const& present) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (m_warp.at(present, lane) >> e & 1) add_element(lane, vector, e);
    });
  }

  /// visit(lane, position, element, value) for all positions.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        visit(lane, lane, e, m_warp.at(m_running, lane)[e]);
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int lane,
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

/// The operand of a column sum: the vectors of a lane, `vectors` periods of one
/// position, as the (k,n) operands of one product per element. Periods may meet
/// k in any order, because all entries of the other operand are one.
template <Scalar Input>
struct ColumnOperand {
  static constexpr int vectors = 0;  // none
};

template <class ShapeType>
struct ColumnOperandPairs {
  using Shape                    = ShapeType;
  static constexpr int vectors   = 4;
  static constexpr int pieces    = 1;
  static constexpr int chain     = 8;
  static constexpr bool can_lose = false;

  /// The operands of element e. Returns whether a split was not exact.
  KOKKOS_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[4],
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
  static constexpr int pieces    = 3;  ///< small ones first
  static constexpr int chain     = 8;
  static constexpr bool can_lose = true;

  KOKKOS_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[4],
                                                int e, Shape::B (&b)[3]) {
    std::uint32_t lost = 0;
    for (int half = 0; half < 2; ++half) {
      BfloatPieces const x = split_float(step[2 * half][e]);
      BfloatPieces const y = split_float(step[2 * half + 1][e]);
      b[0][half]           = pack_upper_halves(x.low, y.low);
      b[1][half]           = pack_upper_halves(x.middle, y.middle);
      b[2][half]           = pack_upper_halves(x.high, y.high);
      lost |= x.lost | y.lost;
    }
    return lost != 0;
  }
};

template <>
struct ColumnOperand<Scalar::float64> {
  using Shape                    = MmaF64;
  static constexpr int vectors   = 1;
  static constexpr int pieces    = 1;
  static constexpr int chain     = 8;
  static constexpr bool can_lose = false;

  KOKKOS_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[1],
                                                int e, Shape::B (&b)[1]) {
    b[0][0] = Kokkos::bit_cast<double>(std::uint64_t(step[0][2 * e + 1]) << 32 |
                                       step[0][2 * e]);
    return false;
  }
};

template <class ShapeType>
struct ColumnOperandBytes {
  using Shape                  = ShapeType;
  static constexpr int vectors = 4;
  static constexpr int pieces  = 1;
  // 2^16 products of 16 bytes stay below 2^31.
  static constexpr int chain     = 1 << 16;
  static constexpr bool can_lose = false;

  KOKKOS_FORCEINLINE_FUNCTION static bool split(Vector16 const (&step)[4],
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

/// Whether the tensor cores add columns of this type. Wider integers have none:
/// four or eight products for what one addition does.
constexpr bool column_products_exist(Scalar input) {
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

/// Column sums as products, ones times the rows. Lane 4g + q loads position g
/// in period q; every row of the product holds the sums, so lane 4g + q keeps
/// those of element g (modulo their number) of positions 2q and 2q + 1.
template <class Warp, Scalar Input, class Element>
class WarpColumnProducts {
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
      elements * Operand::pieces * int(sizeof(typename Shape::C)) / 4;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpColumnProducts(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane) = encode_a<Shape, Ones>(lane);
      for (int k = 0; k < kept; ++k) warp.at(m_sum, lane)[k] = Value(0);
      for (int e = 0; e < apart; ++e) warp.at(m_apart, lane)[e] = Value(0);
    });
    clear();
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int lane) {
    return lane / 4;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth(int lane) {
    return lane % 4;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const (&step)[vectors]) {
    if constexpr (Operand::can_lose) {
      Lanes<bool> inexact;
      m_warp.each([&](int lane) {
        Vector16 own[vectors];
        gather_own(step, lane, own);
        bool lost = false;
        for (int e = 0; e < elements; ++e) {
          typename Shape::B b[Operand::pieces];
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
      Lanes<typename Shape::B> b[Operand::pieces];  // (k,n) per warp
      m_warp.each([&](int lane) {
        Vector16 own[vectors];
        gather_own(step, lane, own);
        typename Shape::B split[Operand::pieces];
        Operand::split(own, e, split);
        for (int p = 0; p < Operand::pieces; ++p)
          m_warp.at(b[p], lane) = split[p];
      });
      for (int p = 0; p < Operand::pieces; ++p)
        m_warp.template multiply<Shape>(m_products[e][p], m_ones, b[p]);
    }
    if (++m_length == Operand::chain) flush();
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                            Lanes<unsigned> const&) {
    Lanes<Vector16> step[vectors]{};
    step[0] = vector;
    add(step);
  }

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
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
  /// Sums that a lane keeps: of two positions for every eighth element.
  static constexpr int kept  = elements > 8 ? 4 : 2;
  static constexpr int apart = Operand::can_lose ? elements : 0;

  KOKKOS_FORCEINLINE_FUNCTION void gather_own(
      Lanes<Vector16> const (&step)[vectors], int lane,
      Vector16 (&own)[vectors]) const {
    for (int v = 0; v < vectors; ++v) own[v] = m_warp.at(step[v], lane);
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        for (int p = 0; p < Operand::pieces; ++p)
          m_warp.at(m_products[e][p], lane) = {};
    });
    m_length = 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (lane / 4 % 8 == e % 8)
          for (int c = 0; c < 2; ++c) {
            auto sum = m_warp.at(m_products[e][0], lane)[c];
            for (int p = 1; p < Operand::pieces; ++p)
              sum += m_warp.at(m_products[e][p], lane)[c];
            Value& kept_sum = m_warp.at(m_sum, lane)[e / 8 * 2 + c];
            kept_sum        = Apply::apply(kept_sum, static_cast<Value>(sum));
          }
    });
    clear();
  }
  /// What was added without products, lane 4g + q for position g.
  KOKKOS_FORCEINLINE_FUNCTION void join_apart() {
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
  Lanes<typename Shape::A> m_ones;                                 // (m,k)
  Lanes<typename Shape::C> m_products[elements][Operand::pieces];  // (m,n)
  Lanes<Registers<Value, kept>> m_sum;
  Lanes<Registers<Value, apart == 0 ? 1 : apart>> m_apart;
};

/// How the rows of a tile are dealt out to the lanes of a warp in a scan:
/// neighbouring lanes take neighbouring vectors of a row, `positions` of them,
/// and then the next row. Lanes beyond groups * positions idle.
struct ColumnLanes {
  int positions;
  int groups;  ///< rows side by side

  KOKKOS_FORCEINLINE_FUNCTION constexpr int group(int lane) const {
    return lane / positions;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int position(int lane) const {
    return lane % positions;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool holds_total(int lane) const {
    return group(lane) == groups - 1;
  }
};

/// Scan down the columns of a tile of Rows * groups rows: register r of a lane
/// holds row r * groups + group(lane). Columns never meet.
/// \tparam Elements of a lane's vector
/// \tparam Grouped  there may be more than one group
template <class Warp, Operation Op, Scalar Input, class Element, int Elements,
          int Rows, bool Grouped>
class WarpColumnScan {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Apply = Combine<Op, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = size_of(Input);
  static constexpr int bytes         = Elements * element_bytes;
  using Words                        = ColumnWords<bytes>;
  using Vector                       = Registers<Value, Elements>;

  KOKKOS_FORCEINLINE_FUNCTION WarpColumnScan(Warp const& warp,
                                             ColumnLanes const& lanes)
      : m_warp(warp), m_lanes(lanes) {}

  /// `total` of the tile, in the lanes that hold it. `counts`: registers of a
  /// lane that are rows of the matrix.
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void total(Row const& row,
                                         Lanes<int> const& counts,
                                         Lanes<Vector>& total) const {
    m_warp.each([&](int lane) {
      for (int e = 0; e < Elements; ++e)
        m_warp.at(total, lane)[e] = Apply::identity();
    });
    for (int r = 0; r < Rows; ++r)
      m_warp.each([&](int lane) {
        if (r < m_warp.at(counts, lane)) {
          Words const words = row(lane, r);
          for (int e = 0; e < Elements; ++e) {
            Value& value = m_warp.at(total, lane)[e];
            value        = Apply::apply(value, this->value(words, e));
          }
        }
      });
    if constexpr (Grouped) {
      up_to_group(total);
    }
  }

  /// visit(lane, r, vector) for each row of the matrix, in order: the prefixes,
  /// with `before` as what comes before the tile.
  template <bool Inclusive, class Row, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void prefixes(Row const& row,
                                            Lanes<int> const& counts,
                                            Lanes<Vector>& before,
                                            Visit const& visit) const {
    for (int r = 0; r < Rows; ++r) {
      if constexpr (Grouped) {
        Lanes<Vector> sum;
        m_warp.each([&](int lane) {
          bool const is_row = r < m_warp.at(counts, lane);
          Words words{};
          if (is_row) words = row(lane, r);
          for (int e = 0; e < Elements; ++e)
            m_warp.at(sum, lane)[e] =
                is_row ? value(words, e) : Apply::identity();
        });
        up_to_group(sum);
        for (int e = 0; e < Elements; ++e) {
          Lanes<Value> mine;
          m_warp.each([&](int lane) {
            m_warp.at(mine, lane) = m_warp.at(sum, lane)[e];
          });
          Lanes<Value> const last = m_warp.gather(mine, [&](int lane) {
            return (m_lanes.groups - 1) * m_lanes.positions +
                   m_lanes.position(lane);
          });
          Lanes<Value> earlier    = mine;
          if constexpr (!Inclusive) {
            earlier = m_warp.gather(mine, [&](int lane) {
              return lane < m_lanes.positions ? lane : lane - m_lanes.positions;
            });
          }
          m_warp.each([&](int lane) {
            Value& running = m_warp.at(before, lane)[e];
            Value& result  = m_warp.at(sum, lane)[e];
            result         = !Inclusive && m_lanes.group(lane) == 0
                                 ? running
                                 : Apply::apply(running, m_warp.at(earlier, lane));
            running        = Apply::apply(running, m_warp.at(last, lane));
          });
        }
        m_warp.each([&](int lane) {
          if (r < m_warp.at(counts, lane)) visit(lane, r, m_warp.at(sum, lane));
        });
      } else {
        m_warp.each([&](int lane) {
          if (r < m_warp.at(counts, lane)) {
            Words const words = row(lane, r);
            Vector& running   = m_warp.at(before, lane);
            Vector result;
            for (int e = 0; e < Elements; ++e) {
              Value const next = Apply::apply(running[e], value(words, e));
              result[e]        = Inclusive ? next : running[e];
              running[e]       = next;
            }
            visit(lane, r, result);
          }
        });
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Value value(Words const& words, int e) {
    return element_value<Warp, Input, Value>(
        element_of_words<element_bytes>(words, e));
  }
  /// Adds the values of the lower groups at the same position.
  KOKKOS_FORCEINLINE_FUNCTION void up_to_group(Lanes<Vector>& values) const {
    for (int distance = 1; distance < 32; distance *= 2) {
      if (distance >= m_lanes.groups) break;
      int const lanes = distance * m_lanes.positions;
      for (int e = 0; e < Elements; ++e) {
        Lanes<Value> mine;
        m_warp.each([&](int lane) {
          m_warp.at(mine, lane) = m_warp.at(values, lane)[e];
        });
        Lanes<Value> const other = m_warp.shuffle_up(mine, lanes);
        m_warp.each([&](int lane) {
          if (lane >= lanes)
            m_warp.at(values, lane)[e] =
                Apply::apply(m_warp.at(other, lane), m_warp.at(mine, lane));
        });
      }
    }
  }

  Warp m_warp;
  ColumnLanes m_lanes;
};

}  // namespace KokkosMMA::Impl

#endif
