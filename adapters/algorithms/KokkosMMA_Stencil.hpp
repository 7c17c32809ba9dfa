// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_HPP
#define KOKKOSMMA_STENCIL_HPP

#include <adapters/kokkos/KokkosMMA_AutomatonKernels.hpp>
#include <adapters/kokkos/KokkosMMA_StencilChecks.hpp>
#include <adapters/kokkos/KokkosMMA_StencilGeneric.hpp>
#include <adapters/kokkos/KokkosMMA_StencilKernels.hpp>
#include <adapters/kokkos/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <core/KokkosMMA_AutomatonRule.hpp>
#include <core/KokkosMMA_Boundary.hpp>
#include <core/KokkosMMA_RouteStencil.hpp>
#include <core/KokkosMMA_StencilFusion.hpp>
#include <core/KokkosMMA_StencilPlan.hpp>
#include <core/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace KokkosMMA {
namespace Impl {

template <class V>
GridExtents<rank_of<V>> extents_of(V const& view) {
  GridExtents<rank_of<V>> extents;
  for (int d = 0; d < rank_of<V>; ++d)
    extents[d] = std::int64_t(view.extent(d));
  return extents;
}

/// One type of View for both operands and what lies between two steps, so that
/// one kernel runs all steps.
template <class X, class Y>
using common_layout_t = std::conditional_t<
    std::is_same_v<typename X::array_layout, typename Y::array_layout>,
    typename Y::array_layout, Kokkos::LayoutStride>;
template <class V, class Layout, bool Const>
using operand_t =
    GridView<std::conditional_t<Const, typename V::non_const_value_type const,
                                typename V::non_const_value_type>,
             rank_of<V>, Layout, typename V::device_type>;

template <int R>
void refuse_halo(char const* who, Boundaries<R> const& boundaries,
                 char const* what) {
  for (int d = 0; d < R; ++d)
    for (Face const& face : {boundaries.low[d], boundaries.high[d]})
      if (face.kind == Boundary::halo)
        invalid_argument(who, "a face of dimension ", d, " is a halo, and ",
                         what);
}

/// Steps as sweeps that each stand for several, shared out evenly. Nothing
/// where sweeps are no fewer than steps.
template <class Exec, class A, class Element, class Result, int R>
std::vector<int> fused_sweeps(StencilPlan<R> const& plan,
                              Boundaries<R> const& boundaries,
                              GridExtents<R> const& extents,
                              std::int64_t steps) {
  using Kernels = StencilKernels<Exec>;
  std::vector<int> sweeps;
  if constexpr (Kernels::template fuses<A, Element, Result, R>) {
    constexpr Scalar type = scalar_v<A>;
    if (!plan.product) return sweeps;
    std::int64_t const most = std::min<std::int64_t>(
        steps, fusible_steps(plan.weights, boundaries, extents,
                             {type, type, type}, fused_max_radius));
    if (most < 2) return sweeps;
    std::int64_t const count = (steps + most - 1) / most;
    for (std::int64_t s = 0; s < count; ++s) {
      int const together = int(steps / count + (s < steps % count));
      if (together > 1 &&
          !Kernels::takes_fused(compose(*plan.product, together)))
        return {};
      sweeps.push_back(together);
    }
  }
  return sweeps;
}

template <class A, class Exec, class X, class Y>
void run_stencil(char const* who, Exec const& exec, X const& in, Y const& out,
                 StencilWeights<rank_of<X>> const& weights,
                 Boundaries<rank_of<X>> const& boundaries, std::int64_t steps,
                 Settings const& settings) {
  constexpr int R = rank_of<X>;
  using Element   = typename X::non_const_value_type;
  using Result    = typename Y::non_const_value_type;
  using Layout    = common_layout_t<X, Y>;
  using From      = operand_t<X, Layout, true>;
  using Between   = operand_t<Y, Layout, true>;
  using To        = operand_t<Y, Layout, false>;

  check_settings(who, settings);
  if (steps < 1)
    invalid_argument(who, "steps is ", steps, "; it must be 1 or more");
  GridExtents<R> const extents = extents_of(out);
  check_stencil_extents(who, "in", in, extents, weights.radius(), boundaries);
  if (steps > 1)
    refuse_halo(who, boundaries,
                "its ghost cells are filled by the caller before each step; "
                "make steps 1");
  if (steps > 1 && !accumulator_holds<Result, A>())
    invalid_argument(who, "steps is ", steps, ", and sums in ",
                     to_string(scalar_v<A>), " cannot hold the ",
                     to_string(scalar_v<Result>),
                     " that a step writes and the next one reads; choose "
                     "another accumulator or make steps 1");
  check_weights<A>(who, weights);
  Boundaries<R> const held = as_elements<Element>(who, boundaries);
  Boundaries<R> const held_between =
      steps > 1 ? as_elements<Result>(who, boundaries) : held;
  check_grid_memory(who, "out", out);
  check_grid_distinct(who, "out", out);
  check_grids_apart(who, "in", in, "out", out);
  using Memory = MemoryLike<Exec, Y>;
  Memory const own =
      steps > 1 ? Memory(exec, "KokkosMMA::between_steps", out) : Memory();
  auto const& memory = own.view();
  auto const plan    = stencil_plan(From(in), weights);
  StencilProblem problem =
      stencil_problem<Exec, A, Result>(From(in), extents, *plan, held);
  problem.target_contiguous =
      is_stencil_contiguous(out, plan->is_reversed) &&
      (steps == 1 || is_stencil_contiguous(memory, plan->is_reversed));
  problem.aligned_results =
      is_stencil_aligned(out, plan->is_reversed) &&
      (steps == 1 || is_stencil_aligned(memory, plan->is_reversed));
  Route const route = decide_stencil(who, exec, problem, settings).route;
  last_route_of_this_thread() = route;
  if (problem.size == 0) return;

  std::string const label = concatenate(who, "[", to_string(route), ",",
                                        to_string(problem.input), "]");
  // The last step writes to `out`.
  auto const target = [&](std::int64_t step) {
    return (steps - step) % 2 == 1 ? To(out) : To(memory);
  };
  StencilRange<Exec, R, A, From> const first(exec, From(in), extents, plan,
                                             held, route,
                                             stencil_kernel(problem, route));
  if (steps == 1) {
    Kokkos::parallel_for(label, first, IntoGrid<To>{target(0)});
    return;
  }
  if constexpr (accumulator_holds<Result, A>()) {
    auto const next_plan = stencil_plan(Between(out), weights);
    // `out` and the memory between steps take turns: what one of them refuses
    // is done with neither.
    StencilProblem between = stencil_problem<Exec, A, Result>(
        Between(out), extents, *next_plan, held_between);
    StencilProblem const other = stencil_problem<Exec, A, Result>(
        Between(memory), extents, *next_plan, held_between);
    between.band_operands     = between.band_operands && other.band_operands;
    between.band_in_pieces    = between.band_in_pieces || other.band_in_pieces;
    between.dense_operands    = between.dense_operands && other.dense_operands;
    between.dense_rows        = between.dense_rows && other.dense_rows;
    between.aligned_rows      = between.aligned_rows && other.aligned_rows;
    between.aligned_results   = between.aligned_rows;
    between.contiguous        = between.contiguous && other.contiguous;
    between.target_contiguous = between.contiguous;
    Route const next_route = decide_stencil(who, exec, between, settings).route;
    StencilRange<Exec, R, A, Between> const next(
        exec, Between(target(0)), extents, next_plan, held_between, next_route,
        stencil_kernel(between, next_route));
    if constexpr (StencilKernels<Exec>::template fuses<A, Element, Result, R>) {
      using Kernels = StencilKernels<Exec>;
      std::vector<int> sweeps;
      if (route == Route::streamed && next_route == Route::streamed &&
          plan->is_reversed == next_plan->is_reversed)
        sweeps =
            fused_sweeps<Exec, A, Element, Result>(*plan, held, extents, steps);
      if (!sweeps.empty()) {
        auto const left = [&](std::size_t s) { return sweeps.size() - s; };
        for (std::size_t s = 0; s < sweeps.size(); ++s) {
          auto const to   = left(s) % 2 == 1 ? To(out) : To(memory);
          auto const grid = [&](auto const& x) {
            return stencil_grid(x, held, extents, weights.radius(),
                                plan->is_reversed);
          };
          auto const from =
              s == 0 ? grid(From(in))
                     : grid(left(s) % 2 == 1 ? Between(memory) : Between(out));
          auto const sink =
              stencil_sink<R>(IntoGrid<To>{to}, plan->is_reversed);
          if (sweeps[s] > 1)
            Kernels::template run_fused<A>(label, exec, from, *plan, sweeps[s],
                                           sink);
          else
            Kernels::template run<A>(exec, from, *plan,
                                     stencil_kernel(between, next_route), sink);
        }
        last_route_of_this_thread() = route;
        return;
      }
    }
    Kokkos::parallel_for(label, first, IntoGrid<To>{target(0)});
    for (std::int64_t step = 1; step < steps; ++step)
      Kokkos::parallel_for(label, next.with(Between(target(step - 1))),
                           IntoGrid<To>{target(step)});
    last_route_of_this_thread() = route;
  }
}

template <class Exec, int R, class A, class X>
std::true_type is_stencil_policy(StencilRange<Exec, R, A, X> const*);
std::false_type is_stencil_policy(...);
template <class P>
concept StencilPolicyType =
    decltype(is_stencil_policy(static_cast<P const*>(nullptr)))::value;

}  // namespace Impl

/// out = weighted sums of the neighbours in `in`, `steps` times: what one step
/// wrote is what the next one reads, rounded to the elements of `out`. Of one
/// step, out(i) = sum over the offsets o of weight(o) * in(i + o).
///
/// \tparam Accumulator type of the sums; by default float for half_t and
///         bhalf_t, int32 for integers of less than 4 bytes, else the elements'
///         own, wider where `out` is, and floating where `out` is
/// \param exec  instance on which the call runs, asynchronously but for memory
///              of its own that it allocates and frees: more weights than
///              travel with a kernel and, where the space is not Cuda or its
///              device has no memory pools, the values between two steps
/// \param in    View of rank 1, 2 or 3, of any layout
/// \param out   View of the grid, of any layout, that shares no memory with in;
///              its extents are those of `in` without ghost cells
/// \param boundaries what lies beyond the faces. A halo is the caller's and
///              takes one step per call
/// \param steps 1 or more
/// \param settings route
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator; an
/// integer accumulator needs integer weights. Floating-point sums are rounded
/// to `out` once per step, in an order that the weights, the types and the
/// route fix: the same call gives the same bits. An element whose weight is 0
/// is not read into the sum. On Cuda, steps of float and double may be taken
/// together (core/KokkosMMA_StencilFusion.hpp bounds by how much that differs).
///
/// On tensor cores the weights are band matrices: one product per dimension, or
/// one per row of weights (core/KokkosMMA_WarpBand.hpp,
/// core/KokkosMMA_WarpDenseTile.hpp, core/KokkosMMA_WarpDenseBand.hpp).
///
/// \throws std::invalid_argument for extents that do not fit, a radius larger
/// than the grid, Views that overlap or have no memory, weights or constants
/// that the sums or elements cannot hold, a halo with several steps, steps
/// below 1, or a forced route that cannot run; nothing is launched or written
/// then
template <class Accumulator = void, class Exec, Impl::StencilView X,
          Impl::StencilView Y>
void stencil(Exec const& exec, X const& in, Y const& out,
             StencilWeights<Impl::rank_of<X>> const& weights,
             Boundaries<Impl::rank_of<X>> const& boundaries,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using Element = typename X::non_const_value_type;
  using Result  = typename Y::non_const_value_type;
  using A       = Impl::stencil_accumulator_t<Accumulator, Element, Result>;
  static_assert(Impl::rank_of<X> == Impl::rank_of<Y>,
                "KokkosMMA::stencil: in and out must have one rank");
  static_assert(!std::is_const_v<typename Y::value_type>,
                "KokkosMMA::stencil: out is written, its elements must not be "
                "const");
  KOKKOSMMA_IMPL_CHECK_STENCIL("KokkosMMA::stencil", Exec, X, A);
  static_assert(
      Kokkos::SpaceAccessibility<Exec, typename Y::memory_space>::accessible &&
          Impl::is_plain_memory<Y>,
      "KokkosMMA::stencil: out must be accessible from the execution space and "
      "refer to its elements; copy it with Kokkos::create_mirror_view");
  static_assert(Impl::may_write<X, Y, A>(),
                "KokkosMMA::stencil: out must be a View of half_t, bhalf_t, "
                "float, double or, for integer sums, integers other than bool "
                "that are no narrower than those of in");
  Impl::run_stencil<A>("KokkosMMA::stencil", exec, in, out, weights, boundaries,
                       steps, settings);
}

/// The same with the weights, the boundaries and the type of the sums of a
/// policy; the View of the policy is not read.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          Impl::StencilPolicyType Policy>
void stencil(Exec const& exec, X const& in, Y const& out, Policy const& policy,
             std::int64_t steps = 1, Settings const& settings = {}) {
  static_assert(Impl::rank_of<X> == Policy::rank,
                "KokkosMMA::stencil: the rank of the Views must be that of the "
                "policy");
  stencil<typename Policy::value_type>(exec, in, out, policy.weights(),
                                       policy.boundaries(), steps, settings);
}

/// Which route stencil() would take for these arguments, and why not the
/// others.
template <class Accumulator = void, class Exec, Impl::StencilView X,
          Impl::StencilView Y>
std::string explain_stencil(Exec const& exec, X const& in, Y const& out,
                            StencilWeights<Impl::rank_of<X>> const& weights,
                            Boundaries<Impl::rank_of<X>> const& boundaries,
                            Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_stencil";
  using A =
      Impl::stencil_accumulator_t<Accumulator, typename X::non_const_value_type,
                                  typename Y::non_const_value_type>;
  Impl::check_settings(who, settings);
  auto const extents = Impl::extents_of(out);
  Impl::check_stencil_extents(who, "in", in, extents, weights.radius(),
                              boundaries);
  auto const plan = Impl::stencil_plan(in, weights);
  StencilProblem problem =
      Impl::stencil_problem<Exec, A, typename Y::non_const_value_type>(
          in, extents, *plan, boundaries);
  problem.target_contiguous =
      Impl::is_stencil_contiguous(out, plan->is_reversed);
  problem.aligned_results = Impl::is_stencil_aligned(out, plan->is_reversed);
  return Impl::explain_call(settings,
                            [&](Settings const& call) {
                              return route_stencil(problem, capability(exec),
                                                   call,
                                                   Impl::active_tuning(exec));
                            }) +
         Impl::tuning_note(exec);
}

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

/// One step of an automaton; no face is a halo.
template <class Cell, class From, class To, class Next>
struct AutomatonStep {
  Grid<From, 2> grid;
  To to;
  Next next;
  Neighbourhood neighbourhood;
  bool last_is_fast;

  /// The cells around this one. Away from the faces the View is read as it is:
  /// with a choice per neighbour a host took twice as long.
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
    for (Face const& face : {boundaries.low[d], boundaries.high[d]})
      if (face.kind == Boundary::constant &&
          !(is_value_of<Cell>(face.value) && 0 <= face.value &&
            face.value < states))
        invalid_argument(who, "the constant ", face.value,
                         " beyond a face of dimension ", d,
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
/// \param boundaries what lies beyond the faces; constants are states. A halo
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
