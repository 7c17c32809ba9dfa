// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrices of any size: integer arithmetic only, so that every machine makes
// the same ones.

#ifndef EXAMPLES_COMMON_MATRIX_GENERATORS_HPP
#define EXAMPLES_COMMON_MATRIX_GENERATORS_HPP

#include <Kokkos_Core.hpp>

#include "matrix_market.hpp"
#include "measure.hpp"
#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

// The five-point Laplacian on a grid of nx by ny points. Each entry is known by
// its number only, so a kernel can write them all at once: first the
// diagonal, then both directions of every horizontal and vertical neighbour.
struct Poisson {
  std::int64_t nx = 1;
  std::int64_t ny = 1;

  struct Entry {
    int row;
    int column;
    double value;
  };

  KOKKOS_FUNCTION std::int64_t rows() const { return nx * ny; }
  KOKKOS_FUNCTION std::int64_t entries() const {
    return rows() + 2 * (nx - 1) * ny + 2 * nx * (ny - 1);
  }

  KOKKOS_FUNCTION Entry entry(std::int64_t number) const {
    if (number < rows()) {
      return {static_cast<int>(number), static_cast<int>(number), 4};
    }
    number -= rows();
    bool const backwards = number % 2 != 0;
    std::int64_t pair    = number / 2;
    std::int64_t from    = 0;
    std::int64_t to      = 0;
    if (pair < (nx - 1) * ny) {
      from = pair / (nx - 1) * nx + pair % (nx - 1);
      to   = from + 1;
    } else {
      from = pair - (nx - 1) * ny;
      to   = from + nx;
    }
    return {static_cast<int>(backwards ? to : from),
            static_cast<int>(backwards ? from : to), -1};
  }
};

// Rows whose lengths follow a power law: half as many are twice as long. One in
// eight is empty, one holds a quarter of its columns. Values are multiples of
// 1/64 below 4, whose sums are exact.
class PowerLaw {
 public:
  PowerLaw(std::int64_t rows, std::uint64_t seed)
      : m_rows(rows),
        m_seed(scrambled(seed)),
        m_longest(std::max<std::int64_t>(1, rows / 16)),
        m_heavy_row(static_cast<std::int64_t>(
            m_seed % static_cast<std::uint64_t>(rows))) {}

  std::int64_t rows() const { return m_rows; }
  std::uint64_t key(std::int64_t row) const {
    return scrambled(m_seed + static_cast<std::uint64_t>(row));
  }
  std::int64_t length(std::int64_t row) const {
    if (row == m_heavy_row) return std::max<std::int64_t>(1, m_rows / 4);
    std::uint64_t const bits = key(row);
    if (bits % 8 == 0) return 0;
    std::int64_t const octave = std::int64_t(1)
                                << std::min(std::countl_zero(bits), 30);
    return std::min<std::int64_t>(
        m_longest, octave + static_cast<std::int64_t>(bits / 8 % octave));
  }
  std::int64_t entries() const {
    std::int64_t result = 0;
    for (std::int64_t row = 0; row < m_rows; ++row) result += length(row);
    return result;
  }

 private:
  std::int64_t m_rows;
  std::uint64_t m_seed;
  std::int64_t m_longest;
  std::int64_t m_heavy_row;
};

inline Triplets power_law(PowerLaw const& matrix) {
  std::int64_t const rows = matrix.rows();
  Triplets result;
  result.rows = result.columns = static_cast<int>(rows);
  auto const entries           = static_cast<std::size_t>(matrix.entries());
  result.row.reserve(entries);
  result.column.reserve(entries);
  result.value.reserve(entries);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::uint64_t const key   = matrix.key(row);
    std::int64_t const length = matrix.length(row);
    // One entry in each of `length` equal ranges of columns: none twice.
    for (std::int64_t k = 0; k < length; ++k) {
      std::uint64_t const bits = scrambled(key + static_cast<std::uint64_t>(k));
      std::int64_t const first = k * rows / length;
      std::int64_t const end   = (k + 1) * rows / length;
      std::int64_t const step =
          static_cast<std::int64_t>(bits >> 16) % (end - first);
      double const sixty_fourths = 1 + static_cast<double>(bits % 255);
      result.add(row, first + step,
                 (bits / 256 % 2 == 0 ? sixty_fourths : -sixty_fourths) / 64);
    }
  }
  return result;
}

struct Generated {
  bool is_poisson = false;
  Poisson poisson;
  std::int64_t rows = 0;
  std::int64_t seed = 0;

  PowerLaw power_law() const {
    return PowerLaw(rows, static_cast<std::uint64_t>(seed));
  }
  std::int64_t matrix_rows() const {
    return is_poisson ? poisson.rows() : rows;
  }
  std::int64_t matrix_entries() const {
    return is_poisson ? poisson.entries() : power_law().entries();
  }
};

// `text` is that of --generate.
inline void require_memory_of(Generated const& matrix, BytesPer bytes_per,
                              std::string const& text) {
  std::int64_t const entries = matrix.matrix_entries();
  require_memory((bytes_per.row + bytes_per.column) *
                         static_cast<double>(matrix.matrix_rows()) +
                     bytes_per.entry * static_cast<double>(entries),
                 "--generate " + text + ", a matrix with " +
                     std::to_string(entries) + " entries",
                 "give a smaller one");
}

inline Generated parse_generated(std::string const& text) {
  Generated result;
  std::size_t const colon   = text.find(':');
  std::string const kind    = text.substr(0, colon);
  std::string const numbers = colon == text.npos ? "" : text.substr(colon + 1);
  result.is_poisson         = kind == "poisson";
  std::size_t const middle  = numbers.find(result.is_poisson ? 'x' : ':');
  std::string const first   = numbers.substr(0, middle);
  std::string const second =
      middle == numbers.npos ? "" : numbers.substr(middle + 1);
  if (result.is_poisson &&
      parse_integer(first, 1, largest_number, result.poisson.nx) &&
      parse_integer(second, 1, largest_number, result.poisson.ny)) {
    // Within 62 bits; the number of entries is below five times that of rows.
    if (result.poisson.rows() <= largest_number &&
        result.poisson.entries() <= largest_number) {
      return result;
    }
    throw InputError("--generate " + in_quotes(text) + ": more than " +
                     std::to_string(largest_number) +
                     " entries; give a smaller grid");
  }
  if (kind == "powerlaw" && parse_integer(first, 1, 1 << 25, result.rows) &&
      parse_integer(second, 0, INT64_MAX, result.seed)) {
    return result;
  }
  throw InputError("--generate " + in_quotes(text) +
                   ": give poisson:NXxNY, or powerlaw:ROWS:SEED with at most " +
                   std::to_string(1 << 25) + " rows");
}

#endif
