// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AUTOMATON_GENERIC_HPP
#define KOKKOSMMA_AUTOMATON_GENERIC_HPP

#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

/// \file
/// Cellular automata in plain Kokkos, for every backend and every layout: the
/// `generic` route, and the reference of the other routes.

namespace KokkosMMA::Impl {

/// A rule as a functor. It is in the memory of the space, because its sets of
/// counts are too large for the arguments of a kernel (see Taps).
struct RuleInMemory {
  AutomatonRule const* rule;

  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t operator()(std::uint8_t state,
                                                      int count) const {
    return rule->next(state, count + (rule->counts_centre() && state == 1));
  }
};

/// One step of an automaton; no boundary may be a halo.
template <class Cell, class From, class To, class Next>
struct AutomatonStep {
  Grid<From, 2> grid;
  To to;
  Next next;
  Neighbourhood neighbourhood;
  bool last_is_fast;

  /// Number of other cells of the neighbourhood in state 1. Away from the
  /// boundaries the View is read without a test per neighbour; with tests a
  /// host took twice as long.
  KOKKOS_FORCEINLINE_FUNCTION int count(std::int64_t i, std::int64_t j) const {
    return grid.is_safe({i, j})
               ? count(i, j,
                       [&](std::int64_t row, std::int64_t column) {
                         return static_cast<int>(grid.x(row, column));
                       })
               : count(i, j, [&](std::int64_t row, std::int64_t column) {
                   return grid.template with_boundaries<int>({row, column});
                 });
  }
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION int count(std::int64_t i, std::int64_t j,
                                        At const& at) const {
    int const r = grid.radius[0];
    int alive   = -(static_cast<int>(grid.x(i, j)) == 1);
    for (int a = -r; a <= r; ++a) {
      int const columns = reach(a);
      for (int b = -columns; b <= columns; ++b) alive += at(i + a, j + b) == 1;
    }
    return alive;
  }
  /// Columns of the neighbourhood to each side of its centre in a row.
  KOKKOS_FORCEINLINE_FUNCTION int reach(int row) const {
    int const r = grid.radius[0];
    return neighbourhood == Neighbourhood::moore ? r
           : row < 0                             ? r + row
                                                 : r - row;
  }

  KOKKOS_FORCEINLINE_FUNCTION void advance(std::int64_t i, std::int64_t j,
                                           int alive) const {
    to(i, j) = static_cast<Cell>(next(static_cast<Cell>(grid.x(i, j)), alive));
  }

  KOKKOS_FUNCTION void operator()(std::int64_t fast, std::int64_t slow) const {
    std::int64_t const i = last_is_fast ? slow : fast;
    std::int64_t const j = last_is_fast ? fast : slow;
    advance(i, j, count(i, j));
  }
};

/// One step on a host by runs of cells along the fast dimension; the neighbours
/// of a run are counted together.
template <class Step>
struct AutomatonRuns {
  Step step;
  std::int64_t stride;  ///< of the fast dimension

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const down  = step.last_is_fast ? 0 : 1;
    std::int64_t const right = 1 - down;
    auto const one           = [&](std::int64_t const(&at)[2]) {
      step.advance(at[0], at[1], step.count(at[0], at[1]));
    };
    Runs::visit(
        step.grid, step.last_is_fast, item, one,
        [&](std::int64_t const(&at)[2], int n, bool inside) {
          if (!inside) {
            for (int e = 0; e < n; ++e)
              one({at[0] + down * e, at[1] + right * e});
            return;
          }
          std::uint16_t alive[Runs::length];
          if (stride == 1)
            count(alive, at, n, UnitStride());
          else
            count(alive, at, n, stride);
          for (int e = 0; e < n; ++e) {
            std::int64_t const i = at[0] + down * e, j = at[1] + right * e;
            step.advance(i, j, alive[e] - (int(step.grid.x(i, j)) == 1));
          }
        });
  }

 private:
  /// Counts for the cells of a run, each including its own: at most 1089.
  template <class Stride>
  KOKKOS_FORCEINLINE_FUNCTION void count(std::uint16_t (&alive)[Runs::length],
                                         std::int64_t const (&at)[2], int n,
                                         Stride apart) const {
    for (int e = 0; e < n; ++e) alive[e] = 0;
    int const r = step.grid.radius[0];
    for (int a = -r; a <= r; ++a) {
      int const reach = step.reach(a);
      for (int b = -reach; b <= reach; ++b) {
        auto const* const first = &step.grid.x(at[0] + a, at[1] + b);
        for (int e = 0; e < n; ++e)
          alive[e] = std::uint16_t(alive[e] + (int(first[e * apart]) == 1));
      }
    }
  }
};

/// Runs one generation from the cells of `from` to those of `to`, Views of the
/// same extents that share no memory. No boundary may be a halo.
template <class Exec, class From, class To, class Next>
void launch_generic_automaton(std::string const& label, Exec const& exec,
                              From const& from, To const& to,
                              Neighbourhood neighbourhood, int radius,
                              Next const& next,
                              Boundaries<2> const& boundaries) {
  using Cell = typename To::non_const_value_type;
  using Step = AutomatonStep<Cell, From, To, Next>;
  GridExtents<2> const extents{std::int64_t(to.extent(0)),
                               std::int64_t(to.extent(1))};
  bool const last = last_is_fast(from);
  Step const step{
      make_grid(from, boundaries, extents, GridRadius<2>{radius, radius}), to,
      next, neighbourhood, last};
  if constexpr (is_host_space<Exec>) {
    Kokkos::parallel_for(
        label, runs_policy(exec, extents, last),
        AutomatonRuns<Step>{step, std::int64_t(from.stride(last ? 1 : 0))});
  } else {
    Kokkos::parallel_for(label, grid_policy<2>(exec, extents, last), step);
  }
}

}  // namespace KokkosMMA::Impl

#endif
