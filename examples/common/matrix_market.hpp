// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads and writes sparse matrices in MatrixMarket's coordinate format
// (https://math.nist.gov/MatrixMarket/formats.html). Plain C++20.

#ifndef EXAMPLES_COMMON_MATRIX_MARKET_HPP
#define EXAMPLES_COMMON_MATRIX_MARKET_HPP

#include "command_line.hpp"
#include "files.hpp"
#include "memory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// Rows, columns and entries are numbered with int.
constexpr std::int64_t largest_number = std::numeric_limits<int>::max() - 1;

// Entry i is value[i] in row[i] and column[i], both counted from zero.
struct Triplets {
  int rows    = 0;
  int columns = 0;
  std::vector<int> row;
  std::vector<int> column;
  std::vector<double> value;

  void add(std::int64_t r, std::int64_t c, double v) {
    row.push_back(static_cast<int>(r));
    column.push_back(static_cast<int>(c));
    value.push_back(v);
  }
};

// About what a program holds on the host at most.
struct BytesPer {
  double row;
  double column;
  double entry;
};

class MatrixMarketReader {
 public:
  MatrixMarketReader(std::string const& bytes, std::string const& path,
                     BytesPer bytes_per)
      : m_bytes(bytes), m_path(path), m_bytes_per(bytes_per) {}

  Triplets read() {
    read_banner();
    read_sizes();
    for (std::int64_t i = 0; i < m_entries; ++i) read_entry(i);
    if (next_line()) {
      refuse("there are more entries than the " + std::to_string(m_entries) +
             " of line " + std::to_string(m_sizes_line) +
             "; correct that line, or remove the rest");
    }
    return std::move(m_result);
  }

 private:
  enum class Symmetry { general, symmetric, skew };

  // At the word that was read last, or at the line where there is none.
  [[noreturn]] void refuse(std::string const& why) const {
    std::string place = "'" + m_path + "', line " + std::to_string(m_number);
    if (!m_word.empty()) {
      place += ", column " +
               std::to_string(m_word.data() - m_line_start.data() + 1) + ": " +
               in_quotes(m_word, 60);
    } else {
      place += ":";
    }
    throw InputError(place + " " + why);
  }

  bool raw_line() {
    m_word = {};
    if (m_position >= m_bytes.size()) return false;
    std::size_t const end =
        std::min(m_bytes.find('\n', m_position), m_bytes.size());
    m_line = m_line_start =
        std::string_view(m_bytes).substr(m_position, end - m_position);
    m_position = end + 1;
    ++m_number;
    return true;
  }

  // The next line that is neither blank nor a comment.
  bool next_line() {
    while (raw_line()) {
      std::size_t const first = m_line.find_first_not_of(blanks);
      if (first != std::string_view::npos && m_line[first] != '%') return true;
    }
    return false;
  }

  // Empty at the end of the line.
  std::string_view next_word() {
    m_line.remove_prefix(
        std::min(m_line.find_first_not_of(blanks), m_line.size()));
    m_word =
        m_line.substr(0, std::min(m_line.find_first_of(blanks), m_line.size()));
    m_line.remove_prefix(m_word.size());
    return m_word;
  }

  void end_of_line(std::string const& expected) {
    if (!next_word().empty()) refuse("is one too many; expected " + expected);
  }

  std::int64_t integer(char const* what, std::int64_t lowest,
                       std::int64_t highest, std::string const& expected) {
    std::string_view text = next_word();
    if (text.empty()) {
      refuse(std::string("the ") + what + " is missing; expected " + expected);
    }
    if (text.size() > 1 && text[0] == '+') text.remove_prefix(1);
    std::int64_t value       = 0;
    char const* const end    = text.data() + text.size();
    auto const [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end) {
      refuse(std::string("is not an integer; expected the ") + what + " in " +
             expected);
    }
    if (value < lowest || value > highest) {
      refuse(std::string("is not a valid ") + what + "; it may be from " +
             std::to_string(lowest) + " to " + std::to_string(highest) +
             (value == 0 && m_in_entries
                  ? "; MatrixMarket counts rows and columns from 1"
                  : ""));
    }
    return value;
  }

  double real(std::string const& expected) {
    std::string_view const text = next_word();
    if (text.empty()) refuse("the value is missing; expected " + expected);
    // strtod would also accept hexadecimal numbers, "nan" and "inf".
    char* end    = nullptr;
    double value = 0;
    std::string const copy(text);
    if (copy.find_first_not_of("0123456789+-.eE") == std::string::npos) {
      value = std::strtod(copy.c_str(), &end);
    }
    if (end != copy.c_str() + copy.size()) {
      refuse("is not a finite decimal number; expected the value in " +
             expected);
    }
    if (!std::isfinite(value)) {
      refuse("is too large for a double; scale the matrix");
    }
    return value;
  }

  // The word in lower case, as the format wants it compared.
  std::string banner_word() {
    std::string word(next_word());
    for (char& c : word) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return word;
  }

  void read_banner() {
    raw_line();
    m_number = 1;
    if (banner_word() != "%%matrixmarket") {
      m_word = {};
      refuse("this is not a MatrixMarket file: it must start with " + banner);
    }
    if (banner_word() != "matrix") {
      refuse("is not an object that this program reads; allowed is matrix");
    }
    if (banner_word() != "coordinate") {
      refuse("is not a format that this program reads; allowed is coordinate");
    }
    std::string const field = banner_word();
    m_pattern               = field == "pattern";
    m_integer               = field == "integer";
    if (!m_pattern && !m_integer && field != "real") {
      refuse(
          "is not a type of value that this program reads; allowed: real, "
          "integer and pattern");
    }
    std::string const symmetry = banner_word();
    if (symmetry == "symmetric") {
      m_symmetry = Symmetry::symmetric;
    } else if (symmetry == "skew-symmetric") {
      m_symmetry = Symmetry::skew;
    } else if (symmetry != "general") {
      refuse(
          "is not a symmetry that this program reads; allowed: general, "
          "symmetric and skew-symmetric");
    }
    if (m_pattern && m_symmetry == Symmetry::skew) {
      refuse("needs values with a sign; a pattern has none");
    }
    end_of_line(banner);
  }

  void read_sizes() {
    std::string const expected = "'ROWS COLUMNS ENTRIES'";
    if (!next_line()) {
      refuse("the file ends before the line " + expected);
    }
    std::int64_t const rows =
        integer("number of rows", 1, largest_number, expected);
    std::int64_t const columns =
        integer("number of columns", 1, largest_number, expected);
    if (m_symmetry != Symmetry::general && rows != columns) {
      refuse("columns and " + std::to_string(rows) +
             " rows; a matrix with symmetry must be square");
    }
    m_entries = integer("number of entries", 0, largest_number, expected);
    end_of_line(expected);
    m_sizes_line     = m_number;
    m_in_entries     = true;
    m_result.rows    = static_cast<int>(rows);
    m_result.columns = static_cast<int>(columns);
    // No more than the file can hold, whatever it announces.
    std::size_t const room =
        std::min(static_cast<std::size_t>(m_entries), m_bytes.size() / 4) *
        (m_symmetry == Symmetry::general ? 1 : 2);
    require_memory(
        m_bytes_per.row * static_cast<double>(rows) +
            m_bytes_per.column * static_cast<double>(columns) +
            m_bytes_per.entry * static_cast<double>(room),
        "a matrix of " + std::to_string(rows) + " x " +
            std::to_string(columns) + " with " + std::to_string(m_entries) +
            " entries (line " + std::to_string(m_number) + " of '" + m_path +
            "')",
        "remove rows and columns that are empty, or use a larger machine");
    m_result.row.reserve(room);
    m_result.column.reserve(room);
    m_result.value.reserve(room);
  }

  void read_entry(std::int64_t index) {
    static std::string const with_value    = "'ROW COLUMN VALUE'";
    static std::string const without_value = "'ROW COLUMN'";
    if (!next_line()) {
      refuse("the file ends after " + std::to_string(index) + " of " +
             std::to_string(m_entries) + " entries; correct line " +
             std::to_string(m_sizes_line) + ", or complete the file");
    }
    std::string const& expected = m_pattern ? without_value : with_value;
    std::int64_t const row = integer("row", 1, m_result.rows, expected) - 1;
    std::int64_t const column =
        integer("column", 1, m_result.columns, expected) - 1;
    if (m_symmetry != Symmetry::general &&
        row < column + (m_symmetry == Symmetry::skew ? 1 : 0)) {
      refuse(m_symmetry == Symmetry::skew
                 ? "is not below the diagonal; of a skew-symmetric matrix only "
                   "those entries are stored"
                 : "is above the diagonal; of a symmetric matrix only the "
                   "diagonal and what is below it are stored");
    }
    double value = 1;
    if (m_integer) {
      constexpr std::int64_t exact = std::int64_t(1) << 53;
      value = static_cast<double>(integer("value", -exact, exact, expected));
    } else if (!m_pattern) {
      value = real(expected);
    }
    end_of_line(expected);
    m_result.add(row, column, value);
    if (m_symmetry != Symmetry::general && row != column) {
      m_result.add(column, row, m_symmetry == Symmetry::skew ? -value : value);
    }
    if (m_result.row.size() > static_cast<std::size_t>(largest_number)) {
      m_word = {};
      refuse("more entries than " + std::to_string(largest_number) +
             " after the symmetric ones are added");
    }
  }

  static constexpr char const* blanks = " \t\r\v\f";
  inline static std::string const banner =
      "'%%MatrixMarket matrix coordinate TYPE SYMMETRY'";

  std::string const& m_bytes;
  std::string const& m_path;
  BytesPer m_bytes_per;
  std::size_t m_position = 0;
  std::int64_t m_number  = 0;
  std::string_view m_line_start;
  std::string_view m_line;  // what is left of it
  std::string_view m_word;
  bool m_pattern            = false;
  bool m_integer            = false;
  Symmetry m_symmetry       = Symmetry::general;
  std::int64_t m_entries    = 0;
  std::int64_t m_sizes_line = 0;
  bool m_in_entries         = false;
  Triplets m_result;
};

// Symmetric matrices are expanded. An entry that the file has twice is kept
// twice: the product of the matrix with a vector is that of their sum.
inline Triplets read_matrix_market(std::string const& path,
                                   BytesPer bytes_per) {
  std::string const bytes = read_text(path, "a MatrixMarket file");
  return MatrixMarketReader(bytes, path, bytes_per).read();
}

// The shortest digits that read back as the same numbers. Of a symmetric matrix
// the diagonal and what is below it.
inline void write_matrix_market(std::string const& path,
                                std::string const& comment,
                                Triplets const& entries, bool symmetric) {
  std::string lines;
  std::size_t written = 0;
  for (std::size_t i = 0; i < entries.row.size(); ++i) {
    if (symmetric && entries.row[i] < entries.column[i]) continue;
    char digits[64];
    auto const end =
        std::to_chars(digits, digits + sizeof(digits), entries.value[i]).ptr;
    lines += std::to_string(entries.row[i] + 1) + " " +
             std::to_string(entries.column[i] + 1) + " " +
             std::string(digits, end) + "\n";
    ++written;
  }
  write_bytes(path, std::string("%%MatrixMarket matrix coordinate real ") +
                        (symmetric ? "symmetric" : "general") + "\n% " +
                        comment + "\n" + std::to_string(entries.rows) + " " +
                        std::to_string(entries.columns) + " " +
                        std::to_string(written) + "\n" + lines);
}

#endif
