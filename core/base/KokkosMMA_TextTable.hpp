// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEXT_TABLE_HPP
#define KOKKOSMMA_TEXT_TABLE_HPP

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace KokkosMMA::Impl {

/// Number with `digits` digits after the point; empty for NaN.
inline std::string fixed_digits(double value, int digits) {
  char text[400] = "";
  if (!std::isnan(value))
    std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

/// Table of text for a terminal, filled row by row. Columns without entries are
/// left out.
class TextTable {
 public:
  struct Column {
    char const* head;
    bool is_number;  ///< right-aligned
  };

  /// \param columns array that outlives the table
  TextTable(Column const* columns, std::size_t count)
      : m_columns(columns), m_count(count) {
    for (std::size_t i = 0; i < count; ++i) add(columns[i].head);
  }

  /// Appends the next entry of a row.
  void add(std::string const& entry) { m_entries.push_back(entry); }
  /// \param unit follows the number; omitted for NaN
  void add(double number, int digits, char const* unit = "") {
    add(fixed_digits(number, digits));
    if (!m_entries.back().empty()) m_entries.back() += unit;
  }

  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
      std::size_t const column = i % m_count;
      std::size_t const width  = width_of(column);
      std::string const& entry = m_entries[i];
      if (width != 0) {
        std::size_t const space = width - entry.size();
        if (m_columns[column].is_number) text.append(space, ' ');
        text += entry;
        if (!m_columns[column].is_number) text.append(space, ' ');
        text.append(2, ' ');
      }
      if (column == m_count - 1) {
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
      }
    }
    return text;
  }

 private:
  /// Width of a column; 0 if all entries below its head are empty.
  std::size_t width_of(std::size_t column) const {
    std::size_t width = 0;
    for (std::size_t i = column + m_count; i < m_entries.size(); i += m_count)
      if (m_entries[i].size() > width) width = m_entries[i].size();
    std::size_t const head = m_entries[column].size();
    return width != 0 && head > width ? head : width;
  }

  Column const* m_columns;
  std::size_t m_count;
  std::vector<std::string> m_entries;
};

}  // namespace KokkosMMA::Impl

#endif
