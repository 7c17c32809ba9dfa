// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_RULE_NOTATION_HPP
#define KOKKOSMMA_RULE_NOTATION_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/base/KokkosMMA_Errors.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Text notations of cellular-automaton rules.

namespace KokkosMMA {
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

  AutomatonRule parse() {
    bool const is_large = m_text.size() > 1 && m_text[0] == 'R' &&
                          (m_text[1] < 'A' || m_text[1] > 'Z');
    AutomatonRule const rule =
        is_large ? parse_larger_than_life() : parse_life_like();
    if (!at_end()) refuse(m_at, quoted(), " after the end of the rule");
    return rule;
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(std::size_t at, Parts const&... parts) const {
    invalid_argument("KokkosMMA::parse_rule", "\"", m_source, "\", column ",
                     m_columns[at], ": ", parts...);
  }

  bool at_end() const { return m_at == m_text.size(); }
  char peek() const { return at_end() ? '\0' : m_text[m_at]; }
  bool at_digit() const { return peek() >= '0' && peek() <= '9'; }
  bool take(char c) {
    if (at_end() || peek() != c) return false;
    ++m_at;
    return true;
  }
  /// Character at the reading position, for an error.
  std::string quoted() const {
    if (at_end()) return "the end of the rule";
    return concatenate("'", m_source[m_columns[m_at] - 1], "'");
  }

  /// Reads a number within limits. Overflowing numbers stay large.
  int number(char const* of, int least, int most) {
    if (!at_digit()) refuse(m_at, quoted(), " instead of ", of);
    std::size_t const at = m_at;
    int value            = 0;
    for (; at_digit(); ++m_at)
      value = value < 100000000 ? 10 * value + (peek() - '0') : value;
    if (value < least || value > most)
      refuse(at, of, " is ", value, "; allowed: ", least, " to ", most);
    return value;
  }

  /// B3/S23, S23/B3, B3S23, 23/3; with a number of states after another slash,
  /// 23/3/8, B3/S23/8, B3/S23/C8 or /G8; a final V for von Neumann.
  AutomatonRule parse_life_like() {
    // The neighbourhood is written last, and limits the counts.
    auto const neighbourhood = m_text.ends_with('V')
                                   ? Neighbourhood::von_neumann
                                   : Neighbourhood::moore;
    CountSet counts[2];  // for birth and survival
    bool const has_letters = peek() == 'B' || peek() == 'S';
    bool const birth_first = peek() == 'B';
    for (int n = 0; n < 2; ++n) {
      bool const is_birth = (n == 0) == birth_first;
      if (n > 0 && !take('/') && !has_letters)
        refuse(m_at, quoted(), " instead of a slash; write a rule like ",
               examples);
      if (has_letters && !take(is_birth ? 'B' : 'S'))
        refuse(m_at, quoted(), " instead of ", is_birth ? "B" : "S",
               " and the counts for ", is_birth ? "birth" : "survival");
      for (; at_digit(); ++m_at) {
        int const count      = peek() - '0';
        int const neighbours = neighbourhood_size(neighbourhood, 1) - 1;
        if (count > neighbours)
          refuse(m_at, "a count of ", count, "; a cell has ", neighbours,
                 " neighbours");
        counts[is_birth ? 0 : 1].insert(count);
      }
    }
    int states = 2;
    if (take('/')) {
      if (!take('C')) take('G');
      states = number("the number of states", 2, AutomatonRule::max_states);
    }
    take('V');
    return {neighbourhood, 1, states, false, counts[1], counts[0]};
  }

  /// R5,C0,M1,S34..58,B34..45,NM: fields after R in any order, lists of counts
  /// and ranges as in S1-3,5; C, M and N are optional.
  AutomatonRule parse_larger_than_life() {
    int radius = 0, states = 2;
    bool counts_centre = false;
    auto neighbourhood = Neighbourhood::moore;
    CountSet survive, birth;
    std::string seen;
    do {
      char const field = peek();
      if (seen.find(field) != std::string::npos)
        refuse(m_at, "a second field ", field);
      seen += field;
      if (take('R')) {
        radius = number("the radius", 1, AutomatonRule::max_radius);
      } else if (take('C')) {
        // C0 and C1 are two states, as in Golly.
        states = number("the number of states", 0, AutomatonRule::max_states);
        if (states < 2) states = 2;
      } else if (take('M')) {
        counts_centre = number("the centre", 0, 1) == 1;
      } else if (take('S')) {
        survive = ranges();
      } else if (take('B')) {
        birth = ranges();
      } else if (take('N')) {
        neighbourhood =
            peek() == 'N' ? Neighbourhood::von_neumann : Neighbourhood::moore;
        if (!take('N') && !take('M'))
          refuse(m_at, quoted(), " after N; the neighbourhoods here are NM ",
                 "(Moore) and NN (von Neumann)");
      } else {
        refuse(m_at, quoted(), " is not a field; write a rule like ", examples);
      }
    } while (take(','));
    for (char const needed : {'S', 'B'})
      if (seen.find(needed) == std::string::npos)
        refuse(m_at, "the field ", needed, " is missing; write a rule like ",
               examples);
    return {neighbourhood, radius, states, counts_centre, survive, birth};
  }

  /// Reads counts and ranges of counts; empty if no number follows.
  CountSet ranges() {
    CountSet counts;
    while (at_digit()) {
      int const first = number("the count", 0, CountSet::largest);
      int last        = first;
      if (take('-') || (take('.') && take('.')))
        last = number("the end of a range", first, CountSet::largest);
      counts.insert(first, last);
      std::size_t const comma = m_at;
      if (take(',') && at_digit()) continue;
      m_at = comma;
      break;
    }
    return counts;
  }

  static constexpr char const* examples =
      "B3/S23, 23/3, 23/3/8, B2/S013V or R5,C0,M1,S34..58,B34..45,NM";

  std::string_view m_source;
  std::string m_text;                  ///< without blanks, in capitals
  std::vector<std::size_t> m_columns;  ///< of its characters in the source
  std::size_t m_at = 0;
};

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
///
/// Lower-case letters and blanks anywhere are allowed. The notations are those
/// of Golly (https://golly.sourceforge.io/Help/algos.html).
///
/// \code
/// automaton(exec, cells, parse_rule("B3/S23"), torus, 64);
/// \endcode
///
/// \throws std::invalid_argument that names the reason
inline AutomatonRule parse_rule(std::string_view text) {
  return Impl::RuleParser(text).parse();
}

}  // namespace KokkosMMA

#endif
