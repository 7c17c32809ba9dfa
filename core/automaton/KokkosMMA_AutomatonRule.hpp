// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AUTOMATON_RULE_HPP
#define KOKKOSMMA_AUTOMATON_RULE_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <cstdint>

/// \file
/// Outer-totalistic rules of cellular automata: the next state of a cell
/// depends on its state and on the number of cells around it in state 1.

namespace KokkosMMA {

/// Shape of a neighbourhood: cells with max(|dx|, |dy|) (`moore`) or |dx| +
/// |dy| (`von_neumann`) up to the radius.
enum class Neighbourhood : unsigned char { moore, von_neumann };

/// Number of cells of a neighbourhood, including its centre.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int neighbourhood_size(
    Neighbourhood neighbourhood, int radius) {
  return neighbourhood == Neighbourhood::moore
             ? (2 * radius + 1) * (2 * radius + 1)
             : 2 * radius * (radius + 1) + 1;
}

/// Set of neighbour counts, stored as bits in a fixed array that kernels
/// receive by value.
class CountSet {
 public:
  /// Number of cells of the largest neighbourhood, including its centre.
  static constexpr int largest = neighbourhood_size(Neighbourhood::moore, 16);

  /// The empty set.
  constexpr CountSet() = default;

  /// Adds the counts from `first` to `last`.
  ///
  /// \throws std::invalid_argument for counts below 0 or above `largest`
  constexpr void insert(int first, int last) {
    if (first < 0 || last > largest || first > last)
      Impl::invalid_argument("KokkosMMA::CountSet", "counts from ", first,
                             " to ", last, "; allowed: 0 to ", largest,
                             ", the smaller one first");
    for (int count = first; count <= last; ++count)
      m_words[count / 32] |= std::uint32_t(1) << (count % 32);
  }
  /// Adds one count.
  constexpr void insert(int count) { insert(count, count); }

  /// Whether the set holds a count. False for a count outside all
  /// neighbourhoods.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool contains(int count) const {
    return count >= 0 && count <= largest &&
           (m_words[count / 32] >> (count % 32) & 1u) != 0;
  }

  /// Largest count of the set; -1 if it is empty.
  constexpr int last() const {
    int count = largest;
    while (count >= 0 && !contains(count)) --count;
    return count;
  }

  /// Whether both sets hold the same counts.
  friend constexpr bool operator==(CountSet const&, CountSet const&) = default;

 private:
  std::uint32_t m_words[largest / 32 + 1] = {};
};

/// Rule of a cellular automaton: maps a cell's state and its count of
/// neighbours in state 1 to its next state. State 0 is dead, state 1 alive.
/// With more than two states, a cell that does not survive passes through 2, 3,
/// ... before it is dead; its neighbours do not count it meanwhile.
/// parse_rule() reads a rule from its usual notation.
class AutomatonRule {
 public:
  static constexpr int max_radius = 16;  ///< largest radius, in cells
  static constexpr int max_states =
      256;  ///< largest number of states: a cell is a byte

  /// Creates a rule from its parts.
  ///
  /// \param neighbourhood, radius cells that are counted; 1 to max_radius
  /// \param states 2 to max_states
  /// \param counts_centre whether a cell in state 1 counts itself
  /// \param survive counts for which a cell in state 1 stays in state 1
  /// \param birth counts for which a dead cell becomes alive
  /// \throws std::invalid_argument for a radius or a number of states out of
  /// range, or a count that the neighbourhood does not have
  constexpr AutomatonRule(Neighbourhood neighbourhood, int radius, int states,
                          bool counts_centre, CountSet const& survive,
                          CountSet const& birth)
      : m_survive(survive),
        m_birth(birth),
        m_states(states),
        m_radius(radius),
        m_neighbourhood(neighbourhood),
        m_counts_centre(counts_centre) {
    constexpr char const* who = "KokkosMMA::AutomatonRule";
    if (radius < 1 || radius > max_radius)
      Impl::invalid_argument(who, "the radius is ", radius, "; allowed: 1 to ",
                             max_radius);
    if (states < 2 || states > max_states)
      Impl::invalid_argument(who, "there are ", states,
                             " states; allowed: 2 to ", max_states);
    int const size = neighbourhood_size(neighbourhood, radius);
    for (CountSet const* const counts : {&survive, &birth})
      if (counts->last() > size)
        Impl::invalid_argument(who, "a count of ", counts->last(),
                               "; a neighbourhood of this radius has ", size,
                               " cells with its centre");
  }

  /// Next state of a cell with `count` neighbours in state 1, including the
  /// cell itself if counts_centre(). A state that the rule does not have is
  /// that of a dead cell.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint8_t next(std::uint8_t state,
                                                             int count) const {
    if (state == 0 || state >= m_states) return m_birth.contains(count) ? 1 : 0;
    if (state == 1 && m_survive.contains(count)) return 1;
    return static_cast<std::uint8_t>(state + 1 < m_states ? state + 1 : 0);
  }

  /// Shape of the neighbourhood.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Neighbourhood neighbourhood() const {
    return m_neighbourhood;
  }
  /// Radius of the neighbourhood, in cells.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int radius() const {
    return m_radius;
  }
  /// Number of states, including 0 (dead).
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int states() const {
    return m_states;
  }
  /// Whether a cell in state 1 counts itself.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool counts_centre() const {
    return m_counts_centre;
  }
  /// Counts for which a cell in state 1 stays in state 1.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr CountSet const& survive() const {
    return m_survive;
  }
  /// Counts for which a dead cell becomes alive.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr CountSet const& birth() const {
    return m_birth;
  }

  /// Whether both rules are the same.
  friend constexpr bool operator==(AutomatonRule const&,
                                   AutomatonRule const&) = default;

 private:
  CountSet m_survive;
  CountSet m_birth;
  int m_states;
  int m_radius;
  Neighbourhood m_neighbourhood;
  bool m_counts_centre;
};

}  // namespace KokkosMMA

namespace KokkosMMA::Impl {

/// Counts `first` <= count < `end`.
struct CountRange {
  int first;
  int end;

  /// Range of the counts 0 to `most` in a set, shifted by `shift`. `is_one`
  /// receives whether they are one range.
  static constexpr CountRange of(CountSet const& counts, int most, int shift,
                                 bool& is_one) {
    CountRange range{1, 1};
    is_one = true;
    for (int count = 0; count <= most; ++count) {
      if (!counts.contains(count)) continue;
      if (range.first == range.end)
        range.first = count + shift;
      else if (range.end != count + shift)
        is_one = false;
      range.end = count + 1 + shift;
    }
    return range;
  }
};

/// Two-state rule whose sets of counts are ranges, as in Larger than Life: a
/// set needs two comparisons. The counts include the centre.
struct CountRanges {
  CountRange birth{1, 1};
  CountRange survive{1, 1};
  bool are_all = false;  ///< whether the ranges represent the rule

  constexpr CountRanges(AutomatonRule const& rule) {
    int const shift = rule.counts_centre() ? 0 : 1;
    int const size  = neighbourhood_size(rule.neighbourhood(), rule.radius());
    bool is_birth   = false;
    bool is_survive = false;
    birth           = CountRange::of(rule.birth(), size, 0, is_birth);
    survive = CountRange::of(rule.survive(), size - shift, shift, is_survive);
    are_all = rule.states() == 2 && is_birth && is_survive;
  }
};

}  // namespace KokkosMMA::Impl

#endif
