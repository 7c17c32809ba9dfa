// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COUNT_RANGE_HPP
#define KOKKOSMMA_COUNT_RANGE_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>

/// \file
/// Rules of two states whose sets of counts are ranges, as those of Larger than
/// Life: two comparisons each.

namespace KokkosMMA::Impl {

/// Counts from `first` to before `end`.
struct CountRange {
  int first;
  int end;

  /// The counts up to `most` of a set as a range, `shift` further; `is_one`
  /// says whether they are one.
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

/// A rule as ranges of counts with the centre.
struct CountRanges {
  CountRange birth{1, 1};
  CountRange survive{1, 1};
  bool are_all = false;  ///< whether the rule is what they say

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

/// Whether cells of a bit can be counted in Moore's neighbourhood for a rule.
constexpr bool has_packed_counts(AutomatonRule const& rule) {
  return rule.neighbourhood() == Neighbourhood::moore && rule.radius() >= 2 &&
         CountRanges(rule).are_all;
}

}  // namespace KokkosMMA::Impl

#endif
