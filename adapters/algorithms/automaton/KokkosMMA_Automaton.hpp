// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AUTOMATON_HPP
#define KOKKOSMMA_AUTOMATON_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <backends/generic/KokkosMMA_AutomatonGeneric.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_RouteAutomaton.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/automaton/KokkosMMA_Automaton.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedCounts.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedLife.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#endif

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

template <class T>
concept CellType = std::integral<T> && sizeof(T) == 1;

/// Rejects wrong arguments before anything runs.
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
                         " is not a state; states are 0 to ", states - 1);
  check_distinct(who, "cells", cells);
}

/// Runs all generations with plain Kokkos.
template <class Exec, class V, class Next>
void run_generic_automaton(std::string const& label, Exec const& exec,
                           V const& cells, Boundaries<2> const& boundaries,
                           std::int64_t steps, Neighbourhood neighbourhood,
                           int radius, Next const& next) {
  MemoryLike<Exec, V> const own(exec, "KokkosMMA::cells", cells);
  auto const& other = own.view();
  using Layout      = common_layout_t<V, typename MemoryLike<Exec, V>::View>;
  using From        = operand_t<V, Layout, true>;
  using To          = operand_t<V, Layout, false>;
  auto const here   = [&](std::int64_t step) {
    return step % 2 == 0 ? To(cells) : To(other);
  };
  for (std::int64_t step = 0; step < steps; ++step)
    launch_generic_automaton(label, exec, From(here(step)), here(step + 1),
                             neighbourhood, radius, next, boundaries);
  if (steps % 2 == 1) Kokkos::deep_copy(exec, cells, other);
}
template <class Exec, class V>
void run_generic_automaton(std::string const& label, Exec const& exec,
                           V const& cells, Boundaries<2> const& boundaries,
                           std::int64_t steps, AutomatonRule const& rule) {
  Kokkos::View<AutomatonRule, Kokkos::HostSpace> const host_rule(
      Kokkos::view_alloc("KokkosMMA::rule", Kokkos::WithoutInitializing));
  host_rule()     = rule;
  auto const kept = Kokkos::create_mirror_view_and_copy(
      typename Exec::memory_space(), host_rule);
  run_generic_automaton(label, exec, cells, boundaries, steps,
                        rule.neighbourhood(), rule.radius(),
                        RuleInMemory{kept.data()});
}

#if KOKKOSMMA_IMPL_ON_CUDA()
/// Runs all generations with kernels that hold a cell in one bit.
template <class Exec, class Cell>
void run_packed_automaton(std::string const& label, Exec const& exec,
                          StencilGrid<Cell, 2> const& grid, std::int64_t steps,
                          AutomatonRule const& rule) {
  static_assert(max_packed_row == Cuda::packed_counts_columns);
  std::int64_t const rows = grid.extent[0], columns = grid.extent[1];
  bool const in_bits = has_bits(rule);
  TemporaryMemory<Exec, typename Exec::memory_space> const memory(
      exec, "KokkosMMA::bits",
      in_bits ? Cuda::packed_life_memory(rows, columns)
              : Cuda::packed_counts_memory(rows, columns, rule.radius()));
  AnnouncedKernel const announced(label, exec);
  Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  auto const launch = in_bits ? Cuda::launch_packed_life<Cell>
                              : Cuda::launch_packed_counts<Cell>;
  launch(exec, grid, const_cast<Cell*>(grid.data), grid.stride[0], rule, steps,
         memory.data());
}

/// Runs all generations with the tensor-core kernel, one launch for each.
template <class Exec, class Cell, class... Rule>
void run_mma_automaton(std::string const& label, Exec const& exec,
                       StencilGrid<Cell, 2> const& grid, std::int64_t steps,
                       Rule const&... rule) {
  // Rows begin at cache lines.
  std::int64_t const pitch = (grid.extent[1] + 127) / 128 * 128;
  TemporaryMemory<Exec, typename Exec::memory_space> const memory(
      exec, "KokkosMMA::cells", std::size_t(grid.extent[0] * pitch));
  auto* const other = static_cast<Cell*>(memory.data());
  auto between      = grid;
  between.data      = other;
  between.stride[0] = pitch;
  auto* const here  = const_cast<Cell*>(grid.data);
  Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  for (std::int64_t step = 0; step < steps; ++step) {
    AnnouncedKernel const announced(label, exec);
    if (step % 2 == 0)
      Cuda::launch_automaton(exec, grid, other, pitch, rule...);
    else
      Cuda::launch_automaton(exec, between, here, grid.stride[0], rule...);
  }
  if (steps % 2 == 0) return;
  std::int64_t const rows = grid.extent[0], columns = grid.extent[1];
  // CUDA refuses larger distances of rows (cudaDeviceProp::memPitch), and those
  // below the columns, which a single row may have.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (rows > 1 && pitch <= most && grid.stride[0] <= most) {
    Cuda::check(cudaMemcpy2DAsync(here, std::size_t(grid.stride[0]), other,
                                  std::size_t(pitch), std::size_t(columns),
                                  std::size_t(rows), cudaMemcpyDeviceToDevice,
                                  exec.cuda_stream()),
                "cudaMemcpy2DAsync");
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row)
    Cuda::check(cudaMemcpyAsync(here + row * grid.stride[0],
                                other + row * pitch, std::size_t(columns),
                                cudaMemcpyDeviceToDevice, exec.cuda_stream()),
                "cudaMemcpyAsync");
}
#endif

/// Decides on the route and runs all generations. `rule` is an AutomatonRule,
/// or a neighbourhood, a radius and a functor.
template <class Exec, class V, class... Rule>
void run_automaton(std::string const& label, char const* who, Exec const& exec,
                   V const& cells, Boundaries<2> const& boundaries,
                   std::int64_t steps, Settings const& settings,
                   Rule const&... rule) {
  bool const is_reversed             = is_reversed_grid(cells);
  int const fast                     = fast_dimension<2>(is_reversed);
  AutomatonProblem problem           = automaton_problem(rule...);
  problem.contiguous                 = cells.stride(fast) == 1;
  problem.row                        = std::int64_t(cells.extent(fast));
  problem.generations                = steps;
  std::optional<CallPlan> const plan = decide_or_explain(
      who, settings,
      [&](Settings const& requested) {
        return route_automaton(problem, capability(exec), requested);
      },
      every_level);  // all arithmetic is on integers
  if (!plan) return;
  report_call(who, label, plan->decision);
  Route const route = plan->decision.route;
  observed(route);
  if (steps == 0 || !has_elements(cells)) return;
  std::string const name =
      label.empty() ? concatenate(who, "[", to_string(route), "]") : label;
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    auto const grid = stencil_grid(
        cells, boundaries, extents_of(cells),
        GridRadius<2>{problem.radius, problem.radius}, is_reversed);
    if constexpr (sizeof...(Rule) == 1) {
      if (route == Route::streamed)
        return run_packed_automaton(name, exec, grid, steps, rule...);
    }
    if (route == Route::mma)
      return run_mma_automaton(name, exec, grid, steps, rule...);
  }
#endif
  run_generic_automaton(name, exec, cells, boundaries, steps, rule...);
}

template <class Exec, class V>
constexpr void check_automaton_types() {
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE("KokkosMMA::automaton", Exec);
  static_assert(
      rank_of<V> == 2 && CellType<typename V::non_const_value_type>,
      "KokkosMMA::automaton: the cells must be a View of rank 2 of integers "
      "of one byte or bool");
  static_assert(!std::is_const_v<typename V::value_type>,
                "KokkosMMA::automaton: the cells are written and must not be "
                "const");
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::automaton", Exec, V, "the cells");
  static_assert(is_plain_memory<V>,
                "KokkosMMA::automaton: the View must give plain references to "
                "its elements; Views with atomic access are not supported");
}

template <class Exec, class V>
void checked_automaton(std::string const& label, Exec const& exec,
                       V const& cells, AutomatonRule const& rule,
                       Boundaries<2> const& boundaries, std::int64_t steps,
                       Settings const& settings) {
  constexpr char const* who = "KokkosMMA::automaton";
  using Cell                = typename V::non_const_value_type;
  check_automaton_types<Exec, V>();
  if (rule.states() - 1 > int(std::numeric_limits<Cell>::max()))
    invalid_argument(who, "a rule of ", rule.states(), " states in cells of ",
                     to_string(scalar_v<Cell>), ", which hold ",
                     int(std::numeric_limits<Cell>::max()) + 1,
                     "; use std::uint8_t");
  check_automaton(who, cells, rule.radius(), rule.states(), boundaries, steps);
  run_automaton(label, who, exec, cells, boundaries, steps, settings, rule);
}

template <class Exec, class V, class Next>
void checked_automaton(std::string const& label, Exec const& exec,
                       V const& cells, Neighbourhood neighbourhood, int radius,
                       Next const& next, Boundaries<2> const& boundaries,
                       std::int64_t steps, Settings const& settings) {
  constexpr char const* who = "KokkosMMA::automaton";
  using Cell                = typename V::non_const_value_type;
  check_automaton_types<Exec, V>();
  static_assert(std::is_invocable_r_v<Cell, Next const&, Cell, int>,
                "KokkosMMA::automaton: the rule must be a functor whose const "
                "operator() takes a state and a count and returns a state");
  if (radius < 1 || radius > AutomatonRule::max_radius)
    invalid_argument(who, "the radius is ", radius, "; allowed: 1 to ",
                     AutomatonRule::max_radius);
  check_automaton(who, cells, radius, int(std::numeric_limits<Cell>::max()) + 1,
                  boundaries, steps);
  run_automaton(label, who, exec, cells, boundaries, steps, settings,
                neighbourhood, radius, next);
}

}  // namespace Impl

/// Advances a cellular automaton on a two-dimensional grid by `steps`
/// generations, in place. `cells(i, j)` is the state of a cell: 0 is dead, 1 is
/// alive. A cell in a state that the rule does not have is dead.
///
/// \code
/// KokkosMMA::automaton(exec, cells, KokkosMMA::parse_rule("B3/S23"),
///                      Boundaries<2>::all(Boundary::periodic), 1000);
/// \endcode
///
/// \param exec instance on which the call runs. The call allocates memory of up
///        to the size of `cells`: on Cuda from a pool, without waiting; on
///        other spaces it waits only to allocate and to free
/// \param cells View of rank 2 of integers of one byte or bool, of any layout
/// \param rule the rule of the automaton (see parse_rule())
/// \param boundaries boundary conditions; constants are states. A halo is
///        rejected: it would have to be filled between the steps
/// \param steps generations, 0 or more
/// \param settings route: `streamed` keeps a cell in one bit, `mma` counts
///        neighbours on tensor cores
///
/// All arithmetic is on integers: the cells are the same on every route.
///
/// \throws std::invalid_argument for a radius larger than the grid, a rule of
/// more states than a cell holds, a constant that is not a state, a halo, a
/// View without memory, negative steps, settings out of range, or a forced
/// route that cannot run; nothing is launched or written then
template <class Exec, Impl::StencilView V>
void automaton(Exec const& exec, V const& cells, AutomatonRule const& rule,
               Boundaries<2> const& boundaries, std::int64_t steps,
               Settings const& settings = {}) {
  Impl::checked_automaton(std::string(settings.label), exec, cells, rule,
                          boundaries, steps, settings);
}

/// Advances a cellular automaton whose rule is a functor: a cell becomes
/// `next(state, count)`. The functor is invoked on the device once per cell and
/// generation. `state` is the cell, of the type of `cells`; `count` is the
/// number of other cells of its neighbourhood in state 1.
///
/// \code
/// // Born and kept with 3 live neighbours; otherwise a cell ages up to 9.
/// KokkosMMA::automaton(
///     exec, cells, KokkosMMA::Neighbourhood::moore, 1,
///     KOKKOS_LAMBDA(std::uint8_t state, int count) {
///       return count == 3 ? 1 : state == 0 || state == 9 ? 0 : state + 1;
///     },
///     boundaries, 100);
/// \endcode
///
/// \param neighbourhood the cells that are counted
/// \param radius radius of the neighbourhood, 1 to 16
/// \param next functor, const, whose result is converted to a cell
///
/// The other arguments, memory and errors are those of an automaton by a known
/// rule. The route `streamed` cannot run.
template <class Exec, Impl::StencilView V, class Next>
void automaton(Exec const& exec, V const& cells, Neighbourhood neighbourhood,
               int radius, Next const& next, Boundaries<2> const& boundaries,
               std::int64_t steps, Settings const& settings = {}) {
  Impl::checked_automaton(std::string(settings.label), exec, cells,
                          neighbourhood, radius, next, boundaries, steps,
                          settings);
}

}  // namespace KokkosMMA

#endif
