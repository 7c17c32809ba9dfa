// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COLUMN_VECTORS_HPP
#define KOKKOSMMA_COLUMN_VECTORS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>

/// \file
/// Distribution of a matrix's vectors to the lanes of warps, for columns that
/// are neighbours in memory.

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

}  // namespace KokkosMMA::Impl

#endif
