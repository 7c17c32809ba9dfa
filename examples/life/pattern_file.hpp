// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of cellular automata in run-length encoded files (.rle), as Golly
// reads and writes them (https://golly.sourceforge.io/Help/formats.html), and
// in plaintext files (.cells, https://conwaylife.com/wiki/Plaintext). C++20 and
// POSIX.

#ifndef LIFE_PATTERN_FILE_HPP
#define LIFE_PATTERN_FILE_HPP

#include "../common/command_line.hpp"
#include "../common/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Rectangle of cells: the contents of a pattern file.
struct CellPattern {
  std::int64_t width  = 0;            // cells per row
  std::int64_t height = 0;            // number of rows
  std::string rule;                   // as in the file; empty if missing
  std::vector<std::string> comments;  // whole lines, starting with #
  std::vector<std::uint8_t> cells;    // cell (x, y) is at y * width + x
};

// Largest pattern that a reader accepts. Without a limit, a few bytes of a
// file could request any number of cells.
struct PatternLimits {
  std::int64_t width  = 32768;  // cells per row
  std::int64_t height = 32768;  // number of rows
};

template <class... Parts>
[[noreturn]] void refuse_pattern(Parts const&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw InputError(text.str());
}

// Lines of a pattern file.
class PatternLines {
 public:
  PatternLines(std::string_view bytes, std::string_view name)
      : m_rest(bytes), m_name(name) {
    // Skips the byte order mark that some editors write.
    if (m_rest.substr(0, 3) == "\xEF\xBB\xBF") m_rest.remove_prefix(3);
    struct Format {
      std::string_view start;
      char const* is;
    };
    for (Format const& format :
         {Format{"#Life 1.05", "in the format Life 1.05"},
          Format{"#Life 1.06", "in the format Life 1.06"},
          Format{"#MCell", "in the format of MCell"},
          Format{"[M", "a macrocell file"},
          Format{"\xFF\xFE", "text in UTF-16"},
          Format{"\xFE\xFF", "text in UTF-16"}})
      if (m_rest.substr(0, format.start.size()) == format.start)
        refuse_pattern("'", name, "' is ", format.is,
                       "; save the pattern run-length encoded (.rle)");
  }

 protected:
  template <class... Parts>
  [[noreturn]] void refuse(std::size_t at, Parts const&... parts) const {
    refuse_at(m_number, at, parts...);
  }
  template <class... Parts>
  [[noreturn]] void refuse_at(std::size_t line, std::size_t at,
                              Parts const&... parts) const {
    refuse_pattern("'", m_name, "', line ", line, ", column ", at + 1, ": ",
                   parts...);
  }

  // Reads a line that ends with LF, CR LF or CR. At the end of the file the
  // last line stays, since errors are reported after it.
  bool next_line() {
    if (m_rest.empty()) {
      if (m_number == 0) m_number = 1;
      m_at = m_line.size();
      return false;
    }
    std::size_t const end =
        std::min(m_rest.find_first_of("\r\n"), m_rest.size());
    m_line = m_rest.substr(0, end);
    std::size_t const behind =
        m_rest.substr(end, 2) == "\r\n" ? end + 2 : end + 1;
    m_rest.remove_prefix(std::min(behind, m_rest.size()));
    m_at = 0;
    ++m_number;
    return true;
  }

  bool at_end() const { return m_at == m_line.size(); }
  char peek() const { return at_end() ? '\0' : m_line[m_at]; }
  // Character at the reading position, for an error.
  std::string quoted() const {
    if (at_end()) return "the end of the line";
    char const c = peek();
    if (c >= ' ' && c < '\x7f') return {'\'', c, '\''};
    constexpr char const* digits = "0123456789abcdef";
    unsigned const byte          = static_cast<unsigned char>(c);
    return std::string("the byte 0x") + digits[byte / 16] + digits[byte % 16];
  }

  static std::string_view trimmed(std::string_view text) {
    std::size_t const first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }

  // Dead cells. A header of a few bytes may ask for all that the limits allow.
  void allocate(CellPattern& pattern) const {
    require_memory(static_cast<double>(pattern.width) *
                       static_cast<double>(pattern.height),
                   "the pattern of " + std::to_string(pattern.width) + " x " +
                       std::to_string(pattern.height) + " cells in " +
                       in_quotes(m_name),
                   "give a smaller one");
    pattern.cells.resize(
        static_cast<std::size_t>(pattern.width * pattern.height));
  }

  std::string_view m_rest;  // text after the current line
  std::string_view m_name;
  std::string_view m_line;
  std::size_t m_number = 0;  // of the line, from 1
  std::size_t m_at     = 0;  // position in the line
};

class RunLengthReader : PatternLines {
 public:
  RunLengthReader(std::string_view bytes, std::string_view name,
                  PatternLimits limits)
      : PatternLines(bytes, name), m_limits(limits) {}

  CellPattern read() {
    while (!m_finished && next_line()) {
      skip_blanks();
      if (at_end()) continue;
      if (peek() == '#') {
        comment();
      } else if (!m_in_cells && m_line.find('=') != m_line.npos) {
        header();
      } else {
        m_in_cells = true;
        cells();
      }
    }
    if (!m_finished) end_of_file();
    return finish();
  }

 private:
  struct Run {
    std::int64_t x;
    std::int64_t y;
    std::int64_t length;
    std::uint8_t state;
  };

  // Larger than any limit, yet small enough to add.
  static constexpr std::int64_t too_many = std::int64_t(1) << 60;

  // Some programs omit '!'. A file without cells is truncated.
  void end_of_file() {
    if (m_count) refuse(m_at, "the file ends after a count; it is truncated");
    if (m_rows == 0 && m_y == 0)
      refuse(m_at,
             "the file ends without cells and without '!', which ends a "
             "pattern; it is empty or truncated");
  }

  bool at_digit() const { return peek() >= '0' && peek() <= '9'; }
  bool at_blank() const {
    return !at_end() && (peek() == ' ' || peek() == '\t');
  }
  void skip_blanks() {
    while (at_blank()) ++m_at;
  }
  // Reads a comment; old files have the rule after `#r`.
  void comment() {
    std::string_view const line = trimmed(m_line.substr(m_at));
    m_pattern.comments.emplace_back(line);
    if (line.substr(0, 3) == "#r " || line.substr(0, 3) == "#r\t")
      m_comment_rule = trimmed(line.substr(3));
  }

  // Reads a header like x = 36, y = 9, rule = B3/S23. Each part is optional;
  // the rule is the rest of the line, since some rules contain commas.
  void header() {
    if (m_header_line != 0)
      refuse(m_at, "a second header; the first one is in line ", m_header_line);
    m_header_line = m_number;
    for (;;) {
      skip_blanks();
      std::size_t const at = m_at;
      while (peek() >= 'a' && peek() <= 'z') ++m_at;
      std::string_view const key = m_line.substr(at, m_at - at);
      if (key != "x" && key != "y" && key != "rule") {
        m_at = at;
        refuse(at, quoted(),
               " does not begin 'x = ', 'y = ' or 'rule = ', the parts of a "
               "header");
      }
      skip_blanks();
      if (peek() != '=') refuse(m_at, quoted(), " instead of '='");
      ++m_at;
      skip_blanks();
      if (key == "rule") {
        if (at_end()) refuse(m_at, "the rule is missing");
        m_pattern.rule = trimmed(m_line.substr(m_at));
        return;
      }
      bool const is_x = key == "x";
      extent(at, key, is_x ? "wide" : "high", is_x ? m_width : m_height,
             is_x ? m_limits.width : m_limits.height);
      skip_blanks();
      if (at_end()) return;
      if (peek() != ',') refuse(m_at, quoted(), " instead of a comma");
      ++m_at;
    }
  }

  void extent(std::size_t key_at, std::string_view key, char const* direction,
              std::optional<std::int64_t>& result, std::int64_t limit) {
    if (result) refuse(key_at, "a second ", key);
    std::size_t const at = m_at;
    if (!at_digit())
      refuse(at, quoted(), " instead of the number of cells of ", key);
    std::int64_t const value = number();
    if (value > limit)
      refuse(at, "the pattern is ", m_line.substr(at, m_at - at), " cells ",
             direction, "; the grid has ", limit);
    result = value;
  }

  std::int64_t number(std::int64_t value = 0) {
    for (; at_digit(); ++m_at)
      value = value < too_many / 16 ? 10 * value + (peek() - '0') : too_many;
    return value;
  }

  // Reads cells. A count may be on the line before its cell, and may continue
  // on the next line.
  void cells() {
    bool broken = false;
    while (!m_finished) {
      bool const blank = at_blank();
      skip_blanks();
      broken = broken || (blank && m_count);
      if (at_end()) return;
      if (at_digit()) {
        if (broken)
          refuse(m_at, "a blank within a count; ", quoted(),
                 " should be a cell, '$' or '!'");
        if (!m_count) {
          m_count_line = m_number;
          m_count_at   = m_at;
        }
        m_count = number(m_count.value_or(0));
        continue;
      }
      broken = false;
      item();
    }
  }

  void item() {
    if (m_count && *m_count == 0)
      refuse_at(m_count_line, m_count_at, "a count of 0");
    if (peek() == '!') {
      if (m_count) refuse_at(m_count_line, m_count_at, "a count before '!'");
      m_finished = true;
      return;
    }
    if (!m_count) {
      m_count_line = m_number;
      m_count_at   = m_at;
    }
    std::int64_t const count = m_count.value_or(1);
    m_count.reset();
    if (peek() == '$') {
      m_y = std::min(m_y + count, too_many);
      m_x = 0;
    } else {
      run(count, state());
    }
    ++m_at;
  }

  // State at the reading position: b and . are 0, o is 1, A to X are 1 to 24,
  // pA to yO are 25 to 255. Stops at its last character.
  std::uint8_t state() {
    char const c = peek();
    if (c == 'b' || c == '.') return 0;
    if (c == 'o') return 1;
    if (c >= 'A' && c <= 'X') return static_cast<std::uint8_t>(c - 'A' + 1);
    if (c >= 'p' && c <= 'y') {
      std::size_t const at = m_at++;
      int const state      = 24 * (c - 'p' + 1) + (peek() - 'A' + 1);
      if (peek() < 'A' || peek() > 'X' || state > 255) {
        std::string const next = quoted();
        m_at                   = at;
        refuse(at, quoted(), " and ", next,
               " are not a cell; states above 24 are pA to yO");
      }
      return static_cast<std::uint8_t>(state);
    }
    if (c == '=') refuse(m_at, "'=' among the cells; the header comes first");
    refuse(m_at, quoted(),
           " is not a cell; cells are b and o, or . and A to X for more "
           "states, lines end with $, the pattern with !");
  }

  void run(std::int64_t count, std::uint8_t state) {
    if (m_x + count > m_limits.width)
      refuse_at(m_count_line, m_count_at, "row ", m_y + 1,
                " has more than the ", m_limits.width, " cells of the grid");
    if (m_y >= m_limits.height)
      refuse_at(m_count_line, m_count_at, "there are cells after the ",
                m_limits.height, " rows of the grid");
    if (state != 0) m_runs.push_back({m_x, m_y, count, state});
    m_x += count;
    m_longest = std::max(m_longest, m_x);
    m_rows    = std::max(m_rows, m_y + 1);
  }

  CellPattern finish() {
    // Cells outside the header's extents belong to the pattern, too.
    m_pattern.width  = std::max(m_width.value_or(0), m_longest);
    m_pattern.height = std::max(m_height.value_or(0), m_rows);
    if (m_pattern.rule.empty()) m_pattern.rule = m_comment_rule;
    allocate(m_pattern);
    for (Run const& run : m_runs)
      std::fill_n(m_pattern.cells.begin() + run.y * m_pattern.width + run.x,
                  run.length, run.state);
    return std::move(m_pattern);
  }

  PatternLimits m_limits;
  CellPattern m_pattern;
  std::string m_comment_rule;
  std::size_t m_header_line = 0;
  std::optional<std::int64_t> m_width, m_height;  // of the header
  bool m_in_cells = false;
  bool m_finished = false;
  std::optional<std::int64_t> m_count;
  std::size_t m_count_line = 0;
  std::size_t m_count_at   = 0;
  std::int64_t m_x         = 0;
  std::int64_t m_y         = 0;
  std::int64_t m_longest   = 0;
  std::int64_t m_rows      = 0;
  std::vector<Run> m_runs;
};

// Reader of rows of . and O or *. Missing cells at the end of a row and empty
// rows are dead; a line that starts with ! is a comment.
class PlaintextReader : PatternLines {
 public:
  PlaintextReader(std::string_view bytes, std::string_view name,
                  PatternLimits limits)
      : PatternLines(bytes, name), m_limits(limits) {}

  // Whether a file begins with a comment or has only rows of this kind. In
  // run-length encoded files . and O are states too, but ! ends a row.
  bool is_plaintext() {
    bool has_cells = false;
    while (next_line()) {
      std::string_view const line = trimmed(m_line);
      if (line.substr(0, 1) == "!") {
        // Not a comment if the file is only the end of an empty pattern.
        if (!has_cells)
          return line.size() > 1 ||
                 m_rest.find_first_not_of(" \t\r\n") != m_rest.npos;
        continue;
      }
      if (line.find_first_not_of(".O*") != line.npos) return false;
      has_cells = has_cells || !line.empty();
    }
    return has_cells;
  }

  CellPattern read() {
    std::vector<std::string_view> rows;
    CellPattern pattern;
    std::int64_t height = 0;
    while (next_line()) {
      std::string_view const line =
          m_line.substr(0, m_line.find_last_not_of(" \t") + 1);
      if (line.substr(0, 1) == "!") {
        comment(pattern, trimmed(line.substr(1)));
        continue;
      }
      m_at = std::min(line.find_first_not_of(".O*"), line.size());
      if (m_at < line.size())
        refuse(m_at, quoted(),
               " is not a cell of a plaintext pattern; . is a dead cell, O or "
               "* one that is alive, and comments begin with !");
      auto const width = static_cast<std::int64_t>(line.size());
      if (width > m_limits.width)
        refuse(static_cast<std::size_t>(m_limits.width), "row ",
               rows.size() + 1, " has more than the ", m_limits.width,
               " cells of the grid");
      rows.push_back(line);
      if (line.empty()) continue;
      height = static_cast<std::int64_t>(rows.size());
      if (height > m_limits.height)
        refuse(0, "there are cells after the ", m_limits.height,
               " rows of the grid");
      pattern.width = std::max(pattern.width, width);
    }
    if (height == 0)
      refuse(m_at, "the file ends without cells; it is empty or truncated");
    pattern.height = height;
    allocate(pattern);
    for (std::int64_t y = 0; y < height; ++y) {
      std::string_view const row = rows[static_cast<std::size_t>(y)];
      for (std::size_t x = 0; x < row.size(); ++x)
        pattern.cells[static_cast<std::size_t>(y * pattern.width) + x] =
            row[x] != '.';
    }
    return pattern;
  }

 private:
  // Appends a comment in the form of run-length encoded files.
  static void comment(CellPattern& pattern, std::string_view text) {
    struct Kind {
      std::string_view plaintext;
      char const* run_length;
    };
    for (Kind const& kind : {Kind{"Name:", "#N "}, Kind{"Author:", "#O "}}) {
      if (text.substr(0, kind.plaintext.size()) != kind.plaintext) continue;
      pattern.comments.push_back(
          kind.run_length +
          std::string(trimmed(text.substr(kind.plaintext.size()))));
      return;
    }
    if (!text.empty()) pattern.comments.push_back("#C " + std::string(text));
  }

  PatternLimits m_limits;
};

// Output in lines of at most 70 columns; a count stays with its cells.
class RunLengthLines {
 public:
  explicit RunLengthLines(std::ostream& stream) : m_stream(stream) {}

  void put(std::int64_t count, std::string const& what) {
    if (count == 0) return;
    std::string const item = count == 1 ? what : std::to_string(count) + what;
    if (m_column + item.size() > 70) {
      m_stream << '\n';
      m_column = 0;
    }
    m_stream << item;
    m_column += item.size();
  }

 private:
  std::ostream& m_stream;
  std::size_t m_column = 0;
};

inline std::string cell_text(std::uint8_t state, bool two_states) {
  if (two_states) return state ? "o" : "b";
  if (state == 0) return ".";
  std::string text;
  if (state > 24) text = static_cast<char>('p' + (state - 25) / 24);
  return text + static_cast<char>('A' + (state - 1) % 24);
}

// The pattern in the bytes of a file that is called `name` in errors, which
// name line and column. The content decides on the format. In run-length
// encoded files the header, each of its parts and the `!` at the end are
// optional.
inline CellPattern read_pattern(std::string_view bytes, std::string_view name,
                                PatternLimits limits = {}) {
  if (PlaintextReader(bytes, name, limits).is_plaintext())
    return PlaintextReader(bytes, name, limits).read();
  return RunLengthReader(bytes, name, limits).read();
}

// The pattern as the bytes of a run-length encoded file.
inline std::string run_length(CellPattern const& pattern) {
  std::ostringstream stream;
  for (std::string const& comment : pattern.comments) stream << comment << '\n';
  stream << "x = " << pattern.width << ", y = " << pattern.height;
  if (!pattern.rule.empty()) stream << ", rule = " << pattern.rule;
  stream << '\n';

  bool const two_states =
      std::all_of(pattern.cells.begin(), pattern.cells.end(),
                  [](std::uint8_t state) { return state <= 1; });
  RunLengthLines lines(stream);
  std::int64_t line_ends = 0;
  for (std::int64_t y = 0; y < pattern.height; ++y, ++line_ends) {
    std::uint8_t const* const row = pattern.cells.data() + y * pattern.width;
    std::uint8_t const* const end = row + pattern.width;
    std::uint8_t const* const alive =
        std::find_if(std::make_reverse_iterator(end),
                     std::make_reverse_iterator(row),
                     [](std::uint8_t state) { return state != 0; })
            .base();
    if (alive == row) continue;
    lines.put(line_ends, "$");
    line_ends = 0;
    for (std::uint8_t const* run = row; run != alive;) {
      std::uint8_t const state        = *run;
      std::uint8_t const* const after = std::find_if(
          run, alive, [state](std::uint8_t other) { return other != state; });
      lines.put(after - run, cell_text(state, two_states));
      run = after;
    }
  }
  lines.put(1, "!");
  stream << '\n';
  return stream.str();
}

#endif
