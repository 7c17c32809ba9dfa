// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef AUTOMATONSUPPORT_HPP
#define AUTOMATONSUPPORT_HPP

#include "StencilSupport.hpp"

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>

#include <cstdint>

namespace KokkosMMA::Testing {

using Cells = HostGrid<2>;

/// One generation of a functor that takes a state and the number of the other
/// cells around it that are in state 1.
template <class Next>
Cells next_generation(Cells const& cells, Neighbourhood neighbourhood, int r,
                      Next const& next, Boundaries<2> const& boundaries,
                      bool reversed = false) {
  Cells alive = cells;
  for (double& cell : alive.values) cell = cell == 1;
  auto const others = neighbourhood == Neighbourhood::moore
                          ? StencilWeights<2>::moore(r)
                          : StencilWeights<2>::von_neumann(r);
  Cells result = neighbour_sums<2>(alive, cells.extent, others.with_centre(0),
                                   boundaries, nullptr, reversed);
  for (std::size_t i = 0; i < cells.values.size(); ++i)
    result.values[i] =
        double(next(std::uint8_t(cells.values[i]), int(result.values[i])));
  return result;
}

/// What a rule makes of a cell is core's and tested there.
inline auto next_by(AutomatonRule const& rule) {
  return [rule](std::uint8_t state, int count) {
    return rule.next(state, count + (rule.counts_centre() && state == 1));
  };
}
inline Cells next_generation(Cells const& cells, AutomatonRule const& rule,
                             Boundaries<2> const& boundaries) {
  return next_generation(cells, rule.neighbourhood(), rule.radius(),
                         next_by(rule), boundaries);
}

// Depends on parity and on two limits, which no sets of counts can say, and
// uses states that are neither dead nor alive in two ways.
struct OwnRule {
  int few;
  int many;

  KOKKOS_FUNCTION int operator()(std::uint8_t state, int count) const {
    if (state == 1) return count < few ? 2 : count > many ? 3 : 1;
    if (state == 2) return count % 2 == 0 ? 1 : 0;
    if (state == 3) return 0;
    return count >= few && count % 3 == 0 ? 1 : 0;
  }
};

}  // namespace KokkosMMA::Testing

#endif
