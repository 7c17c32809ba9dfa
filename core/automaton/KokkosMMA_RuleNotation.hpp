// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_RULE_NOTATION_HPP
#define KOKKOSMMA_RULE_NOTATION_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// Text notations of cellular-automaton rules.

namespace KokkosMMA {

/// Finite grid from the suffix of a rule: a torus (`:T400,300`) or a plane
/// surrounded by dead cells (`:P400,300`).
struct BoundedGrid {
  std::int64_t width  = 0;      ///< cells per row
  std::int64_t height = 0;      ///< number of rows
  bool torus          = false;  ///< whether opposite sides are neighbours

  /// Boundary of all four sides: periodic, or the constant 0.
  constexpr Boundary boundary() const {
    return torus ? Boundary::periodic : Boundary::constant;
  }

  /// Whether extents and kind are equal.
  friend constexpr bool operator==(BoundedGrid const&,
                                   BoundedGrid const&) = default;
};

namespace Impl {

/// Parser of one rule. Letters may be lower case; blanks may be anywhere.
class RuleParser {
 public:
  explicit RuleParser(std::string_view source) : m_source(source) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      char const c = source[i];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
      m_text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      m_columns.push_back(i + 1);
    }
    m_columns.push_back(source.size() + 1);
  }

  std::pair<AutomatonRule, std::optional<BoundedGrid>> parse() {
    AutomatonRule const rule = parse_rule();
    std::optional<BoundedGrid> grid;
    if (take(':')) grid = parse_grid();
    if (!at_end()) refuse(m_at, quoted(), " after the end of the rule");
    return {rule, grid};
  }

 private:
  struct Range {
    int first;
    int last;
    std::size_t at;
  };

  template <class... Parts>
  [[noreturn]] void refuse(std::size_t at, Parts const&... parts) const {
    invalid_argument("KokkosMMA::parse_rule", "\"", m_source, "\", column ",
                     m_columns[at], ": ", parts...);
  }

  bool at_end() const { return m_at == m_text.size(); }
  char peek() const { return at_end() ? '\0' : m_text[m_at]; }
  bool at_digit() const { return peek() >= '0' && peek() <= '9'; }
  bool at_any_of(std::string_view characters) const {
    return !at_end() && characters.find(peek()) != std::string_view::npos;
  }
  bool take(char c) {
    if (peek() != c || at_end()) return false;
    ++m_at;
    return true;
  }
  /// Character at the reading position, for an error.
  std::string quoted() const {
    if (at_end()) return "the end of the rule";
    return concatenate("'", m_source[m_columns[m_at] - 1], "'");
  }

  /// Reads a number. Overflowing numbers stay large.
  int number(char const* of) {
    if (!at_digit()) refuse(m_at, quoted(), " instead of ", of);
    int value = 0;
    for (; at_digit(); ++m_at)
      value = value < 100000000 ? 10 * value + (peek() - '0') : value;
    return value;
  }

  AutomatonRule parse_rule() {
    if (at_end() || peek() == ':')
      refuse(m_at, "no rule; write it like ", examples);
    if (peek() == 'R' && !at_name()) return parse_larger_than_life();
    std::string_view const rule =
        std::string_view(m_text).substr(0, m_text.find(':'));
    if (rule.find(',') != rule.npos && at_digit()) return parse_five_numbers();
    if (rule.substr(0, 3) == "MAP")
      refuse(m_at,
             "a table of all arrangements is not outer-totalistic; rules "
             "depend on the number of live neighbours here, like ",
             examples);
    if ((at_any_of("BS/") && !at_name()) || at_digit())
      return parse_life_like();
    refuse(m_at, quoted(), " does not begin a rule; write it like ", examples);
  }

  /// B3/S23, S23/B3, B3S23, 23/3; with a number of states after another slash,
  /// 23/3/8, B3/S23/8, B3/S23/C8 or /G8; a final V for von Neumann.
  AutomatonRule parse_life_like() {
    CountSet survive, birth;
    if (at_any_of("BS")) {
      bool const birth_first = peek() == 'B';
      ++m_at;
      (birth_first ? birth : survive) = digits();
      take('/');
      if (!take(birth_first ? 'S' : 'B'))
        refuse(m_at, quoted(), " instead of ", birth_first ? "S" : "B",
               " and the counts for ", birth_first ? "survival" : "birth");
      (birth_first ? survive : birth) = digits();
    } else {
      survive = digits();
      if (!take('/'))
        refuse(m_at, quoted(),
               " instead of a slash and the counts for birth, as in 23/3");
      birth = digits();
    }
    int states = 2;
    if (take('/')) {
      if (!take('C')) take('G');
      std::size_t const at = m_at;
      states               = number("a number of states");
      if (states < 2 || states > AutomatonRule::max_states)
        refuse(at, states, " states; allowed: 2 to ",
               AutomatonRule::max_states);
    }
    refuse_suffix(letters(m_at));
    Neighbourhood neighbourhood = Neighbourhood::moore;
    if (take('V')) neighbourhood = Neighbourhood::von_neumann;
    int const neighbours = neighbourhood_size(neighbourhood, 1) - 1;
    for (auto const& [count, at] : m_digits)
      if (count > neighbours)
        refuse(at, "a count of ", count, "; a cell has ", neighbours,
               " neighbours");
    return {neighbourhood, 1, states, false, survive, birth};
  }

  /// Letters from a position on, in capitals.
  std::string_view letters(std::size_t at) const {
    std::string_view const rest = std::string_view(m_text).substr(at);
    return rest.substr(0, rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
  }

  /// Whether the text at the reading position is a word, like Brian's Brain.
  bool at_name() const {
    std::string_view const word = letters(m_at);
    return word.size() > 1 && word != "BS" && word != "SB";
  }

  /// Rejects suffixes that other programs append to life-like rules.
  void refuse_suffix(std::string_view suffix) const {
    for (std::string_view const marks : {"HISTORY", "SUPER", "INVESTIGATOR"})
      if (suffix == marks)
        refuse(m_at, "rules of the kind ",
               m_source.substr(m_columns[m_at] - 1, suffix.size()),
               ", whose further states mark cells, are not supported; leave "
               "the word out if all cells of the pattern are in states 0 and "
               "1");
    if (suffix == "H") refuse(m_at, "hexagonal", no_neighbourhood);
    // L, possibly with one more letter for a part of the neighbourhood.
    if (suffix.size() <= 2 && suffix.substr(0, 1) == "L")
      refuse(m_at, "triangular", no_neighbourhood);
  }

  CountSet digits() {
    CountSet counts;
    std::size_t const first = m_at;
    for (; at_digit(); ++m_at) {
      int const count = peek() - '0';
      counts.insert(count);
      m_digits.emplace_back(count, m_at);
    }
    // 2ce, or 2-a for all but that; other letters begin another word.
    std::string_view const arrangements = letters(m_at + (peek() == '-'));
    if (m_at > first && !arrangements.empty() &&
        arrangements.find_first_not_of("ACEIJKNQRTWYZ") == arrangements.npos)
      refuse(m_at, quoted(),
             ": rules that distinguish arrangements with the same number of "
             "neighbours are not outer-totalistic and not supported; use "
             "counts only, as in B3/S23");
    return counts;
  }

  /// R5,C0,M1,S34..58,B34..45,NM: fields after R in any order, lists of counts
  /// and ranges as in S1-3,5; C, M and N are optional.
  AutomatonRule parse_larger_than_life() {
    int radius = 0, states = 2;
    bool counts_centre          = false;
    Neighbourhood neighbourhood = Neighbourhood::moore;
    std::vector<Range> survive, birth;
    std::string seen;
    do {
      char const field     = peek();
      std::size_t const at = m_at;
      if (!at_any_of("RCMSBN"))
        refuse(at, quoted(),
               " is not a field of a Larger-than-Life rule; R, C, M, S, B and "
               "N are, as in R5,C0,M1,S34..58,B34..45,NM");
      if (seen.find(field) != std::string::npos)
        refuse(at, "a second field ", field);
      seen += field;
      ++m_at;
      switch (field) {
        case 'R': radius = parse_radius(); break;
        case 'C': states = parse_states(); break;
        case 'M':
          if (!at_any_of("01"))
            refuse(m_at, quoted(),
                   " instead of 0 (centre not counted) or 1 (counted)");
          counts_centre = take('1');
          if (!counts_centre) ++m_at;
          break;
        case 'S': survive = ranges(); break;
        case 'B': birth = ranges(); break;
        default:
          if (!at_any_of("MN"))
            refuse(m_at, quoted(), " after N; the neighbourhoods here are NM ",
                   "(Moore) and NN (von Neumann)");
          if (take('N'))
            neighbourhood = Neighbourhood::von_neumann;
          else
            ++m_at;
      }
      if (at_end() || peek() == ':') break;
      if (!take(','))
        refuse(m_at, quoted(), " instead of a comma and the next field");
    } while (true);
    for (char const needed : {'S', 'B'})
      if (seen.find(needed) == std::string::npos)
        refuse(m_at, "the field ", needed, " is missing, as in ",
               needed == 'S' ? "S34..58" : "B34..45");
    int const size = neighbourhood_size(neighbourhood, radius);
    return {neighbourhood,
            radius,
            states,
            counts_centre,
            set_of(survive, size),
            set_of(birth, size)};
  }

  /// Evans' notation: radius, smallest and largest count for birth, then for
  /// survival; the centre is counted.
  AutomatonRule parse_five_numbers() {
    int const radius = parse_radius();
    Range ranges[2];
    for (Range& range : ranges) {
      for (int* const limit : {&range.first, &range.last}) {
        if (!take(','))
          refuse(m_at, quoted(),
                 " instead of a comma and a count; the five numbers are the "
                 "radius, the limits for birth and those for survival, as in "
                 "5,34,45,34,58");
        if (limit == &range.first) range.at = m_at;
        *limit = number("a count");
      }
      check_order(range);
    }
    int const size = neighbourhood_size(Neighbourhood::moore, radius);
    return {
        Neighbourhood::moore,     radius, 2, true, set_of({ranges[1]}, size),
        set_of({ranges[0]}, size)};
  }

  int parse_radius() {
    std::size_t const at = m_at;
    int const radius     = number("a radius");
    if (radius < 1 || radius > AutomatonRule::max_radius)
      refuse(at, "a radius of ", radius, "; allowed: 1 to ",
             AutomatonRule::max_radius);
    return radius;
  }

  /// Reads C0 and C1 as two states, as Golly does.
  int parse_states() {
    std::size_t const at = m_at;
    int const states     = number("a number of states");
    if (states > AutomatonRule::max_states)
      refuse(at, states, " states; allowed: up to ", AutomatonRule::max_states,
             ", and 0 means 2");
    return states < 2 ? 2 : states;
  }

  /// Empty if no number follows.
  std::vector<Range> ranges() {
    std::vector<Range> result;
    while (at_digit()) {
      Range range{0, 0, m_at};
      range.first = range.last = number("a count");
      if (take('-')) {
        range.last = number("the end of a range");
      } else if (take('.')) {
        if (!take('.'))
          refuse(m_at, quoted(), " instead of a second dot, as in 34..58");
        range.last = number("the end of a range");
      }
      check_order(range);
      result.push_back(range);
      std::size_t const comma = m_at;
      if (take(',') && !at_digit()) m_at = comma;
    }
    return result;
  }

  void check_order(Range const& range) const {
    if (range.first > range.last)
      refuse(range.at, "a range from ", range.first, " to ", range.last,
             "; the smaller count comes first");
  }

  CountSet set_of(std::vector<Range> const& ranges, int size) const {
    CountSet counts;
    for (Range const& range : ranges) {
      if (range.last > size)
        refuse(range.at, "a count of ", range.last, "; the neighbourhood has ",
               size, " cells with its centre");
      counts.insert(range.first, range.last);
    }
    return counts;
  }

  BoundedGrid parse_grid() {
    std::size_t const at = m_at;
    if (at_any_of("KCS"))
      refuse(at, "a ",
             take('K')   ? "Klein bottle"
             : take('C') ? "cross-surface"
                         : "sphere",
             " is not supported; use T (torus) or P (plane)");
    if (!at_any_of("TP"))
      refuse(at, quoted(),
             " instead of T (torus) or P (plane) and a size, as in :T400,300");
    BoundedGrid grid;
    grid.torus = take('T');
    if (!grid.torus) ++m_at;
    grid.width  = parse_extent("a width");
    grid.height = take(',') ? parse_extent("a height") : grid.width;
    return grid;
  }

  std::int64_t parse_extent(char const* of) {
    std::size_t const at = m_at;
    int const extent     = number(of);
    if (extent == 0)
      refuse(at,
             "0 means a grid without bounds, and grids are finite here; "
             "give ",
             of);
    if (at_any_of("+-*"))
      refuse(m_at, quoted(), ": shifted and twisted edges are not supported");
    return extent;
  }

  static constexpr char const* no_neighbourhood =
      " neighbourhoods are not supported; leave the letter out for Moore, or "
      "use V for von Neumann";
  static constexpr char const* examples =
      "B3/S23, 23/3, 23/3/8, B2/S013V or R5,C0,M1,S34..58,B34..45,NM";

  std::string_view m_source;
  std::string m_text;                  ///< without blanks, in capitals
  std::vector<std::size_t> m_columns;  ///< of its characters in the source
  std::size_t m_at = 0;
  std::vector<std::pair<int, std::size_t>> m_digits;  ///< counts, positions
};

/// Digits of the counts, as in 0235.
inline std::string digits_of(CountSet const& counts) {
  std::string text;
  for (int count = 0; count <= 9; ++count)
    if (counts.contains(count)) text += static_cast<char>('0' + count);
  return text;
}

/// Ranges of a set as pairs of first and last count.
inline std::vector<std::pair<int, int>> ranges_of(CountSet const& counts) {
  std::vector<std::pair<int, int>> ranges;
  for (int count = 0; count <= CountSet::largest; ++count) {
    if (!counts.contains(count)) continue;
    if (!counts.contains(count - 1)) ranges.emplace_back(count, count);
    ranges.back().second = count;
  }
  return ranges;
}

/// 34..58 for a single range as limits, else 1-3,5.
inline std::string ranges_text(CountSet const& counts, bool as_limits) {
  std::string text;
  for (auto const& [first, last] : ranges_of(counts)) {
    if (as_limits) return concatenate(first, "..", last);
    text += concatenate(text.empty() ? "" : ",", first);
    if (last > first) text += concatenate("-", last);
  }
  return text;
}

}  // namespace Impl

/// Reads the rule of an automaton from its usual notation, such as `B3/S23`.
///
/// - `B3/S23`, `S23/B3`, `B3S23`, `23/3`: counts for birth and survival;
///   without letters survival comes first
/// - `345/2/4`, `B2/S345/C4`, `B2/S345/G4`: with a number of states
/// - `B2/S013V`: von Neumann neighbourhood
/// - `R5,C0,M1,S34..58,B34..45,NM` (Larger than Life): radius, states (0 for
///   2), whether the centre counts, counts for survival and birth as ranges or
///   lists (`S1-3,5`), Moore (M) or von Neumann (N) neighbourhood
/// - `5,34,45,34,58`: radius, range for birth, range for survival; Moore, and
///   the centre counts
/// - `:T400,300` or `:P400,300` after any of them: a grid, which
///   parse_bounded_grid() returns
///
/// Lower-case letters and blanks anywhere are allowed. The notations are those
/// of Golly (https://golly.sourceforge.io/Help/algos.html).
///
/// \code
/// automaton(exec, cells, parse_rule("B3/S23"), torus, 64);
/// \endcode
///
/// \throws std::invalid_argument that names the column and the reason
inline AutomatonRule parse_rule(std::string_view text) {
  return Impl::RuleParser(text).parse().first;
}

/// Reads the grid from the suffix of a rule, if there is one.
///
/// \throws std::invalid_argument for text that parse_rule() rejects
inline std::optional<BoundedGrid> parse_bounded_grid(std::string_view text) {
  return Impl::RuleParser(text).parse().second;
}

/// Shortest notation of a rule that both parse_rule() and Golly read.
inline std::string to_string(AutomatonRule const& rule) {
  bool const moore     = rule.neighbourhood() == Neighbourhood::moore;
  int const neighbours = neighbourhood_size(rule.neighbourhood(), 1) - 1;
  if (rule.radius() == 1 && !rule.counts_centre() &&
      rule.survive().last() <= neighbours &&
      rule.birth().last() <= neighbours && (moore || rule.states() == 2)) {
    std::string const survive = Impl::digits_of(rule.survive());
    std::string const birth   = Impl::digits_of(rule.birth());
    if (rule.states() > 2)
      return Impl::concatenate(survive, "/", birth, "/", rule.states());
    return Impl::concatenate("B", birth, "/S", survive, moore ? "" : "V");
  }
  bool const limits = Impl::ranges_of(rule.survive()).size() == 1 &&
                      Impl::ranges_of(rule.birth()).size() == 1;
  return Impl::concatenate(
      "R", rule.radius(), ",C", rule.states() == 2 ? 0 : rule.states(), ",M",
      rule.counts_centre() ? 1 : 0, ",S",
      Impl::ranges_text(rule.survive(), limits), ",B",
      Impl::ranges_text(rule.birth(), limits), ",N", moore ? "M" : "N");
}

/// Suffix of a rule that describes a grid, such as `:T400,300`.
inline std::string to_string(BoundedGrid const& grid) {
  return Impl::concatenate(grid.torus ? ":T" : ":P", grid.width, ",",
                           grid.height);
}

}  // namespace KokkosMMA

#endif
