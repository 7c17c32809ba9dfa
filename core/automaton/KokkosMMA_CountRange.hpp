// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COUNT_RANGE_HPP
#define KOKKOSMMA_COUNT_RANGE_HPP

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>

/// \file
/// Two-state rules whose sets of counts are ranges, as in Larger than Life: a
/// set needs two comparisons.

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

/// Rule as ranges of counts that include the centre.
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
