// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AUTOMATON_HPP
#define KOKKOSMMA_AUTOMATON_HPP

#include <adapters/algorithms/automaton/KokkosMMA_AutomatonKernels.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_Stencil.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// A rule as a functor. It stays in the memory of the space: with its sets of
/// counts the kernel's arguments would be too many to travel by value (see
/// Taps).
struct RuleInMemory {
  AutomatonRule const* rule;

  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t operator()(std::uint8_t state,
                                                      int count) const {
    return rule->next(state, count + (rule->counts_centre() && state == 1));
  }
};

/// One step of an automaton; no boundary is a halo.
template <class Cell, class From, class To, class Next>
struct AutomatonStep {
  Grid<From, 2> grid;
  To to;
  Next next;
  Neighbourhood neighbourhood;
  bool last_is_fast;

  /// The cells around this one. Away from the boundaries the View is read as it
  /// is: with a choice per neighbour a host took twice as long.
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
  /// Columns to both sides in a row of the neighbourhood.
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

/// The same for hosts.
template <class Step>
struct AutomatonRuns {
  Step step;
  std::int64_t stride;  ///< of the fast dimension

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    Runs::visit(
        step.grid, step.last_is_fast, item,
        [&](std::int64_t const(&at)[2]) {
          step.advance(at[0], at[1], step.count(at[0], at[1]));
        },
        [&](std::int64_t(&at)[2], int n) {
          std::uint16_t alive[Runs::length];
          if (stride == 1)
            count(alive, at, n, UnitStride());
          else
            count(alive, at, n, stride);
          int const fast = step.last_is_fast ? 1 : 0;
          for (int e = 0; e < n; ++e, ++at[fast])
            step.advance(at[0], at[1],
                         alive[e] - (int(step.grid.x(at[0], at[1])) == 1));
        });
  }

 private:
  /// With the cells themselves: 1089 at most.
  template <class Stride>
  KOKKOS_FORCEINLINE_FUNCTION void count(std::uint16_t (&alive)[Runs::length],
                                         std::int64_t const (&at)[2], int n,
                                         Stride stride) const {
    for (int e = 0; e < n; ++e) alive[e] = 0;
    int const r = step.grid.radius[0];
    for (int a = -r; a <= r; ++a) {
      int const reach = step.reach(a);
      for (int b = -reach; b <= reach; ++b) {
        auto const* const first = &step.grid.x(at[0] + a, at[1] + b);
        for (int e = 0; e < n; ++e)
          alive[e] = std::uint16_t(alive[e] + (int(first[e * stride]) == 1));
      }
    }
  }
};

template <class T>
concept CellType = std::integral<T> && sizeof(T) == 1;

/// Refuses what is known to be wrong before anything runs.
template <class V>
void check_automaton(char const* who, V const& cells, int radius, int states,
                     Boundaries<2> const& boundaries, std::int64_t steps) {
  using Cell = typename V::non_const_value_type;
  if (steps < 0)
    invalid_argument(who, "steps is ", steps, "; it must be 0 or more");
  refuse_halo(who, boundaries,
              "its ghost cells would have to be filled before each step; use "
              "StencilPolicy, one step at a time");
  check_stencil_extents(who, "cells", cells, extents_of(cells),
                        GridRadius<2>{radius, radius}, boundaries);
  for (int d = 0; d < 2; ++d)
    for (BoundaryCondition const& condition :
         {boundaries.low[d], boundaries.high[d]})
      if (condition.kind == Boundary::constant &&
          !(is_value_of<Cell>(condition.value) && 0 <= condition.value &&
            condition.value < states))
        invalid_argument(who, "the constant ", condition.value,
                         " beyond a boundary of dimension ", d,
                         " is no state; states are 0 to ", states - 1);
  check_grid_distinct(who, "cells", cells);
}

/// All steps by plain Kokkos.
template <class Exec, class V, class Next>
void run_automaton(Exec const& exec, V const& cells,
                   Neighbourhood neighbourhood, int radius, Next const& next,
                   Boundaries<2> const& boundaries, std::int64_t steps) {
  using Cell         = typename V::non_const_value_type;
  auto const extents = extents_of(cells);
  MemoryLike<Exec, V> const own(exec, "KokkosMMA::cells", cells);
  auto const& other = own.view();
  using Layout      = common_layout_t<V, typename MemoryLike<Exec, V>::View>;
  using From        = operand_t<V, Layout, true>;
  using To          = operand_t<V, Layout, false>;
  auto const here   = [&](std::int64_t step) {
    return step % 2 == 0 ? To(cells) : To(other);
  };
  using Step             = AutomatonStep<Cell, From, To, Next>;
  char const* const name = "KokkosMMA::automaton[generic]";
  bool const last        = last_is_fast(cells);
  for (std::int64_t step = 0; step < steps; ++step) {
    From const from = here(step);
    Step const kernel{
        make_grid(from, boundaries, extents, GridRadius<2>{radius, radius}),
        here(step + 1), next, neighbourhood, last};
    if constexpr (is_host_space<Exec>) {
      Kokkos::parallel_for(
          name, runs_policy(exec, extents, last),
          AutomatonRuns<Step>{kernel, std::int64_t(from.stride(last ? 1 : 0))});
    } else {
      Kokkos::parallel_for(name, grid_policy<2>(exec, extents, last), kernel);
    }
  }
  if (steps % 2 == 1) Kokkos::deep_copy(exec, cells, other);
}

/// All steps by kernels of the library; false where they do not take the cells
/// or were not wanted. `rule` is an AutomatonRule, or a neighbourhood, a radius
/// and a functor.
template <class Exec, class V, class... Rule>
bool run_automaton_kernels(Exec const& exec, V const& cells, int radius,
                           Boundaries<2> const& boundaries, std::int64_t steps,
                           Rule const&... rule) {
  using Kernels = AutomatonKernels<Exec>;
  if constexpr (Kernels::exist) {
    bool const is_reversed = !last_is_fast(cells);
    if (effective_settings(Settings{}).route == Route::generic ||
        capability(exec).compute_capability < 80 ||
        !is_stencil_contiguous(cells, is_reversed))
      return false;
    auto const extents = extents_of(cells);
    auto const of      = [&](auto const& view) {
      return stencil_grid(view, boundaries, extents,
                               GridRadius<2>{radius, radius}, is_reversed);
    };
    auto const grid = of(cells);
    using Cell =
        std::remove_const_t<std::remove_pointer_t<decltype(grid.data)>>;
    if constexpr (sizeof...(Rule) == 1) {
      if (std::size_t const bytes =
              Kernels::packed_memory(grid, rule..., steps)) {
        TemporaryMemory<Exec, typename V::memory_space> const memory(
            exec, "KokkosMMA::bits", bytes);
        Kernels::run_packed(exec, grid, rule..., steps, memory.data());
        last_route_of_this_thread() = Route::streamed;
        return true;
      }
    }
    // Rows that begin at whole lines.
    std::int64_t const pitch = (grid.extent[1] + 127) / 128 * 128;
    TemporaryMemory<Exec, typename V::memory_space> const memory(
        exec, "KokkosMMA::cells", std::size_t(grid.extent[0] * pitch));
    auto* const other = static_cast<Cell*>(memory.data());
    auto between      = grid;
    between.data      = other;
    between.stride[0] = pitch;
    auto* const here  = const_cast<Cell*>(grid.data);
    for (std::int64_t step = 0; step < steps; ++step) {
      if (step % 2 == 0)
        Kernels::run(exec, grid, other, pitch, rule...);
      else
        Kernels::run(exec, between, here, grid.stride[0], rule...);
    }
    if (steps % 2 == 1) Kernels::copy(exec, between, here, grid.stride[0]);
    last_route_of_this_thread() = Route::mma;
    return true;
  }
  return false;
}

}  // namespace Impl

/// What automaton() demands of its types. A macro: the text of a static_assert
/// is a literal.
#define KOKKOSMMA_IMPL_CHECK_AUTOMATON(EXEC, V)                               \
  static_assert(Kokkos::is_execution_space_v<EXEC>,                           \
                "KokkosMMA::automaton: the first argument must be an "        \
                "instance of a Kokkos execution space");                      \
  static_assert(                                                              \
      Impl::rank_of<V> == 2 &&                                                \
          Impl::CellType<typename V::non_const_value_type>,                   \
      "KokkosMMA::automaton: the cells must be a View of rank 2 of integers " \
      "of one byte or bool");                                                 \
  static_assert(!std::is_const_v<typename V::value_type>,                     \
                "KokkosMMA::automaton: the cells are written and must not "   \
                "be const");                                                  \
  static_assert(                                                              \
      Kokkos::SpaceAccessibility<EXEC, typename V::memory_space>::accessible, \
      "KokkosMMA::automaton: the cells must be accessible from the "          \
      "execution space; copy them with Kokkos::create_mirror_view_and_copy"); \
  static_assert(Impl::is_plain_memory<V>,                                     \
                "KokkosMMA::automaton: the View must refer to its elements; " \
                "atomic access is of no use here")

/// `steps` generations of a cellular automaton, in place. cells(i, j) is the
/// state of a cell: 0 is dead, 1 is alive; a state that the rule does not have
/// is dead one generation later.
///
/// \param exec  instance on which the call runs, with memory of its own of up
///              to the size of `cells`: asynchronously on Cuda, where that
///              comes from a pool, else but for allocating and freeing it
/// \param cells View of rank 2 of integers of one byte or bool, of any layout
/// \param rule what becomes of a cell (see parse_rule())
/// \param boundaries what lies beyond the boundaries; constants are states. A
/// halo
///              would have to be filled between the steps and is refused
/// \param steps 0 or more
///
/// Integers throughout: the same cells on every route.
///
/// \throws std::invalid_argument for a radius larger than the grid, a rule of
/// more states than a cell holds, a constant that is no state, a halo, a View
/// without memory, or negative steps; nothing is launched or written then
template <class Exec, Impl::StencilView V>
void automaton(Exec const& exec, V const& cells, AutomatonRule const& rule,
               Boundaries<2> const& boundaries, std::int64_t steps) {
  constexpr char const* who = "KokkosMMA::automaton";
  using Cell                = typename V::non_const_value_type;
  KOKKOSMMA_IMPL_CHECK_AUTOMATON(Exec, V);
  if (rule.states() - 1 > int(std::numeric_limits<Cell>::max()))
    Impl::invalid_argument(
        who, "a rule of ", rule.states(), " states in cells of ",
        to_string(scalar_v<Cell>), ", which hold ",
        int(std::numeric_limits<Cell>::max()) + 1, "; use std::uint8_t");
  Impl::check_automaton(who, cells, rule.radius(), rule.states(), boundaries,
                        steps);
  Impl::last_route_of_this_thread() = Route::generic;
  if (steps == 0 || Impl::is_empty_grid(cells)) return;
  if (Impl::run_automaton_kernels(exec, cells, rule.radius(), boundaries, steps,
                                  rule))
    return;

  Kokkos::View<AutomatonRule, Kokkos::HostSpace> const host_rule(
      Kokkos::view_alloc("KokkosMMA::rule", Kokkos::WithoutInitializing));
  host_rule()          = rule;
  auto const kept_rule = Kokkos::create_mirror_view_and_copy(
      typename Exec::memory_space(), host_rule);
  Impl::run_automaton(exec, cells, rule.neighbourhood(), rule.radius(),
                      Impl::RuleInMemory{kept_rule.data()}, boundaries, steps);
}

/// The same with a rule of the caller's own: a cell becomes
/// next(state, count), called on the device once per cell and generation.
/// `state` is the cell's, of the type of `cells`; `count` how many of the other
/// cells of its neighbourhood are in state 1.
///
/// \code
/// // Born and kept with 3 live neighbours; alone, a cell ages up to 9.
/// KokkosMMA::automaton(
///     exec, cells, KokkosMMA::Neighbourhood::moore, 1,
///     KOKKOS_LAMBDA(std::uint8_t state, int count) {
///       return count == 3 ? 1 : state == 0 || state == 9 ? 0 : state + 1;
///     },
///     boundaries, 100);
/// \endcode
///
/// \param radius 1 to 16
/// \param next  functor, const, whose result is converted to a cell
template <class Exec, Impl::StencilView V, class Next>
void automaton(Exec const& exec, V const& cells, Neighbourhood neighbourhood,
               int radius, Next const& next, Boundaries<2> const& boundaries,
               std::int64_t steps) {
  constexpr char const* who = "KokkosMMA::automaton";
  using Cell                = typename V::non_const_value_type;
  KOKKOSMMA_IMPL_CHECK_AUTOMATON(Exec, V);
  static_assert(std::is_invocable_r_v<Cell, Next const&, Cell, int>,
                "KokkosMMA::automaton: the rule must be a functor whose const "
                "operator() takes a state and a count and returns a state");
  if (radius < 1 || radius > AutomatonRule::max_radius)
    Impl::invalid_argument(who, "the radius is ", radius, "; allowed are 1 to ",
                           AutomatonRule::max_radius);
  Impl::check_automaton(who, cells, radius,
                        int(std::numeric_limits<Cell>::max()) + 1, boundaries,
                        steps);
  Impl::last_route_of_this_thread() = Route::generic;
  if (steps == 0 || Impl::is_empty_grid(cells)) return;
  if (Impl::run_automaton_kernels(exec, cells, radius, boundaries, steps,
                                  neighbourhood, radius, next))
    return;
  Impl::run_automaton(exec, cells, neighbourhood, radius, next, boundaries,
                      steps);
}

}  // namespace KokkosMMA

#endif
