// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_COLUMNS_HPP
#define KOKKOSMMA_WARP_COLUMNS_HPP

#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Reductions and scans by one warp down columns that are neighbours in memory.
/// A warp provides the members listed in core/reduce/KokkosMMA_WarpSum.hpp.

namespace KokkosMMA::Impl {

/// `Bytes` bytes of memory that a lane loads, in 32-bit words.
template <int Bytes>
using ColumnWords = Registers<std::uint32_t, (Bytes + 3) / 4>;

/// Matrix whose element (i,j) is `stride * i + j` elements after the first.
struct ColumnMatrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t stride;  ///< at least `columns`
};

/// Coordinate of a vector's element: a row of the period; row -1 outside the
/// matrix.
struct ColumnCoordinate {
  std::int64_t row;
  std::uint64_t column;
};

/// The 16-byte vectors of a matrix, by the columns that they hold. After
/// `period` rows, rows start at the same offset within 16 bytes again, so that
/// a position of a period holds the same columns in all periods. A lane that
/// steps by periods thus needs one running value per element, for any length of
/// the rows. Narrow matrices have periods of many rows.
///
/// Rows with small gaps are one run of vectors. With wide gaps, each row has
/// its own vectors.
struct ColumnVectors {
  ColumnMatrix matrix;
  unsigned per_vector;   ///< elements
  unsigned skip;         ///< elements before the first in its 16-byte chunk
  std::uint64_t period;  ///< rows
  std::uint64_t row_vectors;  ///< per row; 0 if rows are one run
  std::uint64_t positions;    ///< vectors per period
  std::uint64_t periods;      ///< the last may be shorter

  /// Elements between equal positions of consecutive periods.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t step() const {
    return period * matrix.stride;
  }
  /// Elements from the 16-byte chunk of the first element to a vector of the
  /// first period.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t offset(
      std::uint64_t position) const {
    if (row_vectors == 0) return position * per_vector;
    std::uint64_t const start =
        position / row_vectors * matrix.stride + skip;  // of the row
    return start - start % per_vector + position % row_vectors * per_vector;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr ColumnCoordinate coordinate(
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
    // Elements before a row have a huge column, by wrap-around.
    if (column >= matrix.columns) return {-1, 0};
    return {std::int64_t(row), column};
  }
  /// Vector element that holds (row, column): position * per_vector + element.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t index(
      std::uint64_t row, std::uint64_t column) const {
    std::uint64_t const start = row * matrix.stride + skip;
    if (row_vectors == 0) {
      std::uint64_t const at = start + column;
      return at >= step() ? at - step() : at;
    }
    return row * row_vectors * per_vector + start % per_vector + column;
  }
  /// End of the matrix: its elements have skip <= offset < end().
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t end() const {
    return skip + (matrix.rows - 1) * matrix.stride + matrix.columns;
  }
};

/// \param width positions that a warp processes side by side
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
  // Vectors of a row with the worst alignment.
  std::uint64_t const in_row =
      (matrix.columns + (period == 1 ? v.skip : v.per_vector - 1) +
       v.per_vector - 1) /
      v.per_vector;
  std::uint64_t const positions =
      in_run <= period * in_row ? in_run : period * in_row;
  // More rows per period if that leaves fewer lanes idle, counted as busy lanes
  // of 1000. Each row of a period is one more value per column to join at the
  // end, so the first multiple that reaches 78 % ends the search. Not measured.
  constexpr std::uint64_t enough = 780;
  std::uint64_t best = 1, best_used = 0;
  for (std::uint64_t m = 1; m <= width && m * positions <= 16 * width; ++m) {
    std::uint64_t const taken = (m * positions + width - 1) / width * width;
    std::uint64_t const used  = 1000 * m * positions / taken;
    if (used > best_used) {
      best      = m;
      best_used = used;
    }
    if (used >= enough) break;
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
  /// Registers (32-bit) of a lane for running values.
  static constexpr int registers = elements * int(sizeof(Value)) / 4;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpColumnAdditions(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        warp.at(m_running, lane)[e] = Apply::identity();
    });
  }

  /// Adds a vector per lane.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const& vector) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e) add_element(lane, vector, e);
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
    running = Apply::apply(running, element_of_vector<Warp, Input, Value>(
                                        m_warp.at(vector, lane), e));
  }

  Warp m_warp;
  Lanes<Registers<Value, elements>> m_running;
};

/// Distribution of a tile's rows to the lanes of a warp in a scan: neighbouring
/// lanes have neighbouring vectors of a row, `positions` of them, then those of
/// the next row. Lanes from groups * positions on are idle.
struct ColumnLanes {
  int positions;
  int groups;  ///< rows side by side

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int group(int lane) const {
    return lane / positions;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int position(int lane) const {
    return lane % positions;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool holds_total(int lane) const {
    return group(lane) == groups - 1;
  }
};

/// Scan down the columns of a tile of Rows * groups rows: register r of a lane
/// holds row r * groups + group(lane). Columns are independent.
/// \tparam Elements per vector of a lane
/// \tparam Grouped  whether there may be more than one group
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

  KOKKOSMMA_FORCEINLINE_FUNCTION WarpColumnScan(Warp const& warp,
                                                ColumnLanes const& lanes)
      : m_warp(warp), m_lanes(lanes) {}

  /// Computes the `total` of the tile, in the lanes for which holds_total().
  /// `counts`: registers of a lane that hold rows of the matrix.
  template <class Row>
  KOKKOSMMA_FORCEINLINE_FUNCTION void total(Row const& row,
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

  /// Calls visit(lane, r, vector) with the prefixes of each row of the matrix,
  /// in order. `before` is the prefix of the rows before the tile.
  template <bool Inclusive, class Row, class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void prefixes(Row const& row,
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
                is_row ? operand(value(words, e)) : Apply::identity();
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
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(Words const& words, int e) {
    return element_of_vector<Warp, Input, Value>(words, e);
  }
  /// A value as left operand. A minimum or maximum keeps a NaN that is its left
  /// operand.
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value operand(Value value) {
    if constexpr ((Op == Operation::min || Op == Operation::max) &&
                  std::is_floating_point_v<Value>) {
      return Apply::apply(Apply::identity(), value);
    } else {
      return value;
    }
  }
  /// Adds the values at the same position in the lower groups.
  KOKKOSMMA_FORCEINLINE_FUNCTION void up_to_group(Lanes<Vector>& values) const {
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
