// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_HPP
#define KOKKOSMMA_STENCIL_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilKernels.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_Mistakes.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <adapters/kokkos/KokkosMMA_VerboseCalls.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Whether a functor can compute the next value of an element.
template <class Update, class Element, class A, int R>
inline constexpr bool is_stencil_update =
    std::is_invocable_r_v<A, Update const&, std::int64_t, std::int64_t,
                          std::int64_t, Element, A>;
template <class Update, class Element, class A>
inline constexpr bool is_stencil_update<Update, Element, A, 2> =
    std::is_invocable_r_v<A, Update const&, std::int64_t, std::int64_t, Element,
                          A>;
template <class Update, class Element, class A>
inline constexpr bool is_stencil_update<Update, Element, A, 1> =
    std::is_invocable_r_v<A, Update const&, std::int64_t, Element, A>;

/// The caller's label, or else a default; empty if no tool reads the default.
inline std::string stencil_label(std::string const& label, char const* who,
                                 Route route, Scalar input) {
  if (!label.empty()) return label;
  if (route != Route::generic && !Kokkos::Tools::profileLibraryLoaded())
    return {};
  return concatenate(who, "[", to_string(route), ",", to_string(input), "]");
}

/// Functor that writes the sums of a sweep of one step. A sweep is one kernel
/// over the grid, which computes one or more steps.
template <class Sweep, class Y>
IntoGrid<Y> step_functor(Sweep const&, IntoGrid<Y> const& into, NoUpdate) {
  return into;
}
template <class Sweep, class Y, class Update>
auto step_functor(Sweep const& sweep, IntoGrid<Y> const& into,
                  Update const& update) {
  using X = std::remove_cvref_t<decltype(sweep.view())>;
  UpdatedGrid<X, Y, Update> functor{sweep.view(), into.y, update, {}};
  for (int d = 0; d < rank_of<X>; ++d)
    functor.ghosts[d] =
        sweep.boundaries().ghosts_low(d, sweep.plan().weights.radius(d));
  return functor;
}

/// Runs one sweep into a View; Kokkos Tools see one kernel.
template <class Sweep, class Y, class Update>
void run_sweep(std::string const& label, Sweep const& sweep,
               [[maybe_unused]] std::int64_t steps, IntoGrid<Y> const& into,
               Update const& update) {
  auto const functor = step_functor(sweep, into, update);
  if constexpr (Sweep::has_kernels) {
    if (sweep.route() != Route::generic) {
      typename Sweep::Kernels::Announced const announced(label, sweep.space());
      if constexpr (Sweep::template fuses<typename IntoGrid<Y>::Value>) {
        if (steps > 1) return sweep.launch_steps(int(steps), into, update);
      }
      return sweep.launch(functor);
    }
  }
  sweep.run_generic(functor, [&](auto const& range, auto const& kernel) {
    Kokkos::parallel_for(label, range, kernel);
  });
}

/// Number of sweeps for the steps of a call. It is smaller than the number of
/// steps if all sweeps, the first one included, can compute several steps.
template <class First, class Next, class Result>
std::int64_t number_of_sweeps([[maybe_unused]] First const& first,
                              [[maybe_unused]] Next const& next,
                              std::int64_t steps) {
  if constexpr (First::template fuses<Result>) {
    if (first.step_form() == next.step_form() &&
        first.plan().is_reversed == next.plan().is_reversed) {
      std::int64_t const most = first.steps_of_sweep();
      return (steps + most - 1) / most;
    }
  }
  return steps;
}

/// Adds to an explanation how many steps a sweep computes.
template <class Result, class Sweep>
void explain_steps([[maybe_unused]] Sweep const& sweep) {
  if constexpr (Sweep::template fuses<Result>) {
    int const most = sweep.steps_of_sweep();
    if (most > 1)
      *explanation_of_this_thread() +=
          concatenate("; at most ", most, " steps in one sweep");
  }
}

/// \param update NoUpdate, or functor that computes an element from its value
///        and sum
template <class A, class Exec, class X, class Y, class Update = NoUpdate>
void run_stencil(std::string const& label, Exec const& exec, X const& in,
                 Y const& out, StencilWeights<rank_of<X>> const& weights,
                 Boundaries<rank_of<X>> const& boundaries, std::int64_t steps,
                 Settings const& settings, Update const& update = {}) {
  constexpr char const* who = "KokkosMMA::stencil";
  constexpr int R           = rank_of<X>;
  using Element             = typename X::non_const_value_type;
  using Result              = typename Y::non_const_value_type;
  using Layout              = common_layout_t<X, Y>;
  using From                = operand_t<X, Layout, true>;
  using Between             = operand_t<Y, Layout, true>;
  using To                  = operand_t<Y, Layout, false>;
  using Memory              = MemoryLike<Exec, Y>;
  constexpr bool updates    = !std::is_same_v<Update, NoUpdate>;
  using Sums                = std::conditional_t<updates, void, Result>;

  check_stencil_call<A>(who, in, out, weights, boundaries, boundaries, steps,
                        settings);
  GridExtents<R> const extents = extents_of(out);
  // Steps write alternately to `out` and to temporary memory. Kernels use only
  // an alignment that both have.
  auto const rows_written = [&](bool is_reversed) {
    if (updates) return RowLayout::aligned_16;
    RowLayout const rows = row_layout(out, is_reversed);
    if (steps == 1) return rows;
    return std::min(rows, row_layout(Memory::without_memory(out), is_reversed));
  };
  From const from(in);
  auto const plan              = stencil_plan(from, weights);
  Boundaries<R> const held     = as_elements<Element>(who, boundaries);
  StencilProblem const problem = stencil_problem<Exec, A, Element, Sums>(
      *plan, held,
      row_layout(stencil_grid(from, held, extents, weights.radius(),
                              plan->is_reversed)),
      rows_written(plan->is_reversed));
  std::optional<RouteDecision> const decision =
      decide_or_explain(who, exec, settings, stencil_route(exec, problem));
  if (!decision) {
    if (steps > 1)
      explain_steps<Result>(StencilSweep<Exec, R, A, From>(
          exec, from, extents, plan, held, problem,
          decide_wish(effective_settings(settings),
                      stencil_route(exec, problem))
              .route));
    return;
  }
  report_call(who, label, *decision);
  Route const route = decision->route;
  StencilSweep<Exec, R, A, From> const first(exec, from, extents, plan, held,
                                             problem, route);
  std::string const name = stencil_label(label, who, route, problem.input);
  if (steps == 1) {
    last_route_of_this_thread() = route;
    if (!first.empty())
      run_sweep(name, first, 1, IntoGrid<To>{To(out)}, update);
    return;
  }
  if constexpr (accumulator_holds<Result, A>()) {
    auto const next_plan          = is_reversed_grid(out) == plan->is_reversed
                                        ? plan
                                        : stencil_plan(out, weights);
    RowLayout const rows          = rows_written(next_plan->is_reversed);
    Boundaries<R> const next_held = as_elements<Result>(who, boundaries);
    StencilProblem const next_problem = stencil_problem<Exec, A, Result, Sums>(
        *next_plan, next_held, rows, rows);
    Route const next_route =
        decide_call(who, settings, stencil_route(exec, next_problem)).route;
    last_route_of_this_thread() = route;
    if (first.empty()) return;
    StencilSweep<Exec, R, A, Between> const next(exec, Between(out), extents,
                                                 next_plan, next_held,
                                                 next_problem, next_route);
    std::int64_t const sweeps =
        number_of_sweeps<decltype(first), decltype(next), Result>(first, next,
                                                                  steps);
    std::optional<Memory> memory;
    if (sweeps > 1) memory.emplace(exec, "KokkosMMA::between_steps", out);
    // The last sweep writes to `out`.
    auto const target = [&](std::int64_t sweep) {
      return (sweeps - sweep) % 2 == 1 ? To(out) : To(memory->view());
    };
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
      std::int64_t const together =
          steps / sweeps + (sweep < steps % sweeps ? 1 : 0);
      IntoGrid<To> const into{target(sweep)};
      if (sweep == 0)
        run_sweep(name, first, together, into, update);
      else
        run_sweep(name, next.with(Between(target(sweep - 1))), together, into,
                  update);
    }
  }
}

}  // namespace Impl

/// Weighted sums of neighbours, with a label for Kokkos Tools: each kernel of
/// the call has it.
template <class Accumulator = void, class Exec, Impl::StencilView X,
          Impl::StencilView Y>
void stencil(std::string const& label, Exec const& exec, X const& in,
             Y const& out, StencilWeights<Impl::rank_of<X>> const& weights,
             Boundaries<Impl::rank_of<X>> const& boundaries,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using A =
      Impl::stencil_accumulator_t<Accumulator, typename X::non_const_value_type,
                                  typename Y::non_const_value_type>;
  KOKKOSMMA_IMPL_CHECK_STENCIL_VIEWS("KokkosMMA::stencil", Exec, X, Y, A);
  Impl::run_stencil<A>(label, exec, in, out, weights, boundaries, steps,
                       settings);
}

/// Weighted sums of the neighbours of each grid element: `out(i)` is the sum of
/// `weight(o) * in(i + o)` over all offsets `o`. If `steps` exceeds 1, each
/// step reads the values that the previous step wrote, rounded to the element
/// type of `out`.
///
/// \code
/// auto const torus = Boundaries<2>::all(Boundary::periodic);
/// KokkosMMA::stencil(exec, image, sums, StencilWeights<2>::box(3), torus);
/// KokkosMMA::stencil<double>(exec, u, v, weights, torus, 100);
/// \endcode
///
/// \tparam Accumulator type of the sums. The default is float for half_t and
///        bhalf_t, int32 for integers below 4 bytes, and otherwise the element
///        type; it is wider if `out` is wider, and floating point if `out` is
/// \param exec instance on which the call runs. The call is asynchronous unless
///        it allocates and frees memory. It does so for more weights than fit
///        in a kernel's arguments, and for the values between two steps if the
///        space is not Cuda or the device has no memory pools
/// \param in View of rank 1, 2 or 3, of any layout
/// \param out View of any layout that shares no memory with `in`; its extents
///        are those of `in` without ghost cells
/// \param weights weights of the neighbours
/// \param boundaries boundary conditions. The caller fills the ghost cells of a
///        halo; a call with halos has one step
/// \param steps 1 or more
/// \param settings route
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator; an
/// integer accumulator requires integer weights. Floating-point sums are
/// rounded to `out` once per step. Weights, types and route fix the order of
/// additions: the same call gives the same bits. An element with weight 0 does
/// not contribute, even if it is NaN. A call of n steps gives the same bits as
/// n calls of one step with Views of the layout of `out`, even if one kernel
/// computes several steps.
///
/// On tensor cores the weights are band matrices: one MMA per dimension, or one
/// per row of weights (core/stencil/KokkosMMA_WarpBand.hpp,
/// core/stencil/KokkosMMA_WarpDenseTile.hpp,
/// core/stencil/KokkosMMA_WarpDenseBand.hpp).
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
  stencil<Accumulator>(std::string(), exec, in, out, weights, boundaries, steps,
                       settings);
}

/// Weighted sums of neighbours with the weights of a policy, with a label for
/// Kokkos Tools.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator>
void stencil(std::string const& label, Exec const& exec, X const& in,
             Y const& out,
             StencilPolicy<PolicyExec, PolicyView, Accumulator> const& policy,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using Policy = StencilPolicy<PolicyExec, PolicyView, Accumulator>;
  static_assert(Impl::rank_of<X> == Policy::rank,
                "KokkosMMA::stencil: the rank of the Views must be that of the "
                "policy");
  stencil<typename Policy::value_type>(label, exec, in, out, policy.weights(),
                                       policy.boundaries(), steps, settings);
}

/// Weighted sums of neighbours, with weights, boundaries and sum type from a
/// policy. The View of the policy is not read.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator>
void stencil(Exec const& exec, X const& in, Y const& out,
             StencilPolicy<PolicyExec, PolicyView, Accumulator> const& policy,
             std::int64_t steps = 1, Settings const& settings = {}) {
  stencil(std::string(), exec, in, out, policy, steps, settings);
}

/// Computes each element with a functor, with a label for Kokkos Tools.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator, class Update>
requires(std::is_class_v<Update>) void stencil(
    std::string const& label, Exec const& exec, X const& in, Y const& out,
    StencilPolicy<PolicyExec, PolicyView, Accumulator> const& policy,
    Update const& update, std::int64_t steps = 1,
    Settings const& settings = {}) {
  using Policy  = StencilPolicy<PolicyExec, PolicyView, Accumulator>;
  using A       = typename Policy::value_type;
  using Element = typename X::non_const_value_type;
  static_assert(Impl::rank_of<X> == Policy::rank,
                "KokkosMMA::stencil: the rank of the Views must be that of the "
                "policy");
  static_assert(Impl::is_stencil_update<Update, Element, A, Policy::rank>,
                "KokkosMMA::stencil: the functor must accept the indices of an "
                "element (std::int64_t), its value and the sum of its "
                "neighbours, and return the next value of the element");
  KOKKOSMMA_IMPL_CHECK_STENCIL_VIEWS("KokkosMMA::stencil", Exec, X, Y, A);
  Impl::run_stencil<A>(label, exec, in, out, policy.weights(),
                       policy.boundaries(), steps, settings, update);
}

/// Computes each element with a functor: `out(i, j)` is `update(i, j, in(i, j),
/// sum)`. `sum` is the weighted sum of the neighbours, with weights, boundaries
/// and sum type from the policy. The View of the policy is not read. If `steps`
/// exceeds 1, each step reads the values that the previous step wrote, rounded
/// to the element type of `out`.
///
/// \code
/// KokkosMMA::stencil(
///     exec, u, later,
///     KokkosMMA::StencilPolicy(exec, u, StencilWeights<2>::star(1), torus),
///     KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, float value, float sum) {
///       return value + diffusivity(i, j) * (sum - 5 * value);
///     },
///     100);
/// \endcode
///
/// \param update functor. It is invoked on the device with the indices of an
///        element (std::int64_t), its value and the sum of its neighbours, and
///        returns the next value. It must not write to memory, because it may
///        be invoked several times for one element and step.
///
/// A call of n steps gives the same bits as n calls, even if one kernel
/// computes several steps. Everything else is as in stencil() with a policy.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator, class Update>
requires(std::is_class_v<Update>) void stencil(
    Exec const& exec, X const& in, Y const& out,
    StencilPolicy<PolicyExec, PolicyView, Accumulator> const& policy,
    Update const& update, std::int64_t steps = 1,
    Settings const& settings = {}) {
  stencil(std::string(), exec, in, out, policy, update, steps, settings);
}

// Common mistakes: deleted overloads whose error messages name the mistake.
template <class Accumulator = void,
          class What =
              Mistake::weights_and_boundaries_must_have_the_rank_of_the_Views,
          Impl::ExecutionSpace Exec, Impl::StencilView X, Impl::StencilView Y,
          int R, int Q, class... Rest>
requires(R != Impl::rank_of<X> ||
         Q != Impl::rank_of<X>) void stencil(Exec const&, X const&, Y const&,
                                             StencilWeights<R> const&,
                                             Boundaries<Q> const&,
                                             Rest&&...) = delete;
template <
    class Accumulator = void,
    class What =
        Mistake::the_first_argument_must_be_an_instance_of_an_execution_space,
    Impl::AnyView X, class... Rest>
void stencil(X const&, Rest&&...) = delete;

}  // namespace KokkosMMA

#endif
