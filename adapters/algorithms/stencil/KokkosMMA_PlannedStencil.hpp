// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PLANNED_STENCIL_HPP
#define KOKKOSMMA_PLANNED_STENCIL_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilKernels.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

/// \file
/// A stencil from View to View: described and decided in the constructor of
/// PlannedStencil, launched by its run(). stencil() does one after the other;
/// a StencilPlan keeps the first part.

namespace KokkosMMA::Impl {

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
        sweep.boundaries().ghosts_low(d, sweep.factored().weights.radius(d));
  return functor;
}

/// Runs one sweep into a View; Kokkos Tools see one kernel.
template <class Sweep, class Y, class Update>
void run_sweep(std::string const& label, Sweep const& sweep,
               [[maybe_unused]] std::int64_t steps, IntoGrid<Y> const& into,
               Update const& update) {
  auto const functor = step_functor(sweep, into, update);
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (Sweep::has_kernels) {
    if (sweep.route() != Route::generic) {
      AnnouncedKernel const announced(label, sweep.space());
      if constexpr (Sweep::template fuses<typename IntoGrid<Y>::Value>) {
        if (steps > 1) return sweep.launch_steps(int(steps), into, update);
      }
      return sweep.launch(functor);
    }
  }
#endif
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
        first.factored().is_reversed == next.factored().is_reversed) {
      std::int64_t const most = first.steps_of_sweep();
      return (steps + most - 1) / most;
    }
  }
  return steps;
}

/// Adds to an explanation how many steps a sweep computes.
template <class Result, class First, class Next>
void explain_steps([[maybe_unused]] First const& first,
                   [[maybe_unused]] Next const& next,
                   [[maybe_unused]] std::int64_t steps) {
  if constexpr (First::template fuses<Result>) {
    if (number_of_sweeps<First, Next, Result>(first, next, steps) < steps)
      *explanation_of_this_thread() += concatenate(
          "; at most ", first.steps_of_sweep(), " steps in one sweep");
  }
}

/// A stencil for Views of certain types and extents, whose weights are factored
/// and classified and whose route is chosen.
/// \tparam Update NoUpdate, or functor that computes an element from its value
///         and sum
template <class Exec, class A, class X, class Y, class Update = NoUpdate>
class PlannedStencil {
 public:
  static constexpr int R = rank_of<X>;

  /// Checks all arguments. Inside explain() a forced route that cannot run does
  /// not throw here.
  PlannedStencil(char const* who, Exec const& exec, X const& in, Y const& out,
                 StencilWeights<R> const& weights,
                 Boundaries<R> const& boundaries, std::int64_t steps,
                 Settings const& settings)
      : m_who(who),
        m_device(device_of(exec)),
        m_boundaries(boundaries),
        m_steps(steps),
        m_settings(without_label(settings)) {
    check_stencil_call<A>(who, in, out, weights, boundaries, boundaries, steps);
    m_first = plan<Element>(out, factored_weights(From(in), weights));
    decide(exec, m_first, rows_read(in), rows_written(out, m_first));
    if constexpr (accumulator_holds<Result, A>()) {
      if (steps == 1) return;
      bool const same_order =
          is_reversed_grid(out) == m_first.factored->is_reversed;
      m_next = plan<Result>(
          out, same_order ? m_first.factored : factored_weights(out, weights));
      decide(exec, *m_next, rows_between(out, *m_next),
             rows_written(out, *m_next));
    }
  }

  Route route() const { return m_first.decision.route; }

  void check_views(X const& in, Y const& out) const {
    if (extents_of(out) != m_first.extents)
      invalid_argument(m_who, "the plan is for a grid of ",
                       shape_of(m_first.extents), ", and out \"", out.label(),
                       "\" has ", shape_of(extents_of(out)),
                       " elements; make a plan for it");
    check_stencil_extents(m_who, "in", in, m_first.extents,
                          m_first.factored->weights.radius(), m_boundaries);
    check_stencil_memory(m_who, in, out);
    if (is_reversed_grid(From(in)) != m_first.factored->is_reversed ||
        (m_next && is_reversed_grid(out) != m_next->factored->is_reversed))
      invalid_argument(m_who, "the strides of in \"", in.label(),
                       "\" or out \"", out.label(),
                       "\" do not have the order of those of the Views that "
                       "the plan was made for; make another plan for these");
  }

  /// Runs the steps of a call whose Views were checked.
  void run(std::string const& label, Exec const& exec, X const& in,
           Y const& out, Update const& update = {}) const {
    SweepPlan<R> const plan =
        decided(exec, m_first, rows_read(in), rows_written(out, m_first));
    From const from(in);
    std::optional<SweepPlan<R>> next_plan;
    if (m_next)
      next_plan = decided(exec, *m_next, rows_between(out, *m_next),
                          rows_written(out, *m_next));
    if (explains_calls()) {
      decide_or_explain(m_who, m_settings, stencil_route(exec, plan.problem),
                        level_of_stencil(plan.problem.accumulator));
      if constexpr (accumulator_holds<Result, A>()) {
        if (next_plan)
          explain_steps<Result>(sweep(exec, from, plan),
                                sweep(exec, Between(out), *next_plan), m_steps);
      }
      return;
    }
    report_call(m_who, label, plan.decision);
    Route const route = plan.decision.route;
    observed(route);
    auto const first = sweep(exec, from, plan);
    if (first.empty()) return;
    std::string const name =
        stencil_label(label, m_who, route, plan.problem.input);
    if (m_steps == 1)
      return run_sweep(name, first, 1, IntoGrid<To>{To(out)}, update);
    if constexpr (accumulator_holds<Result, A>()) {
      auto const next = sweep(exec, Between(out), *next_plan);
      std::int64_t const sweeps =
          number_of_sweeps<decltype(first), decltype(next), Result>(first, next,
                                                                    m_steps);
      std::optional<Memory> memory;
      if (sweeps > 1) memory.emplace(exec, "KokkosMMA::between_steps", out);
      // The last sweep writes to `out`.
      auto const target = [&](std::int64_t number) {
        return (sweeps - number) % 2 == 1 ? To(out) : To(memory->view());
      };
      for (std::int64_t number = 0; number < sweeps; ++number) {
        std::int64_t const together =
            m_steps / sweeps + (number < m_steps % sweeps ? 1 : 0);
        IntoGrid<To> const into{target(number)};
        if (number == 0)
          run_sweep(name, first, together, into, update);
        else
          run_sweep(name, next.with(Between(target(number - 1))), together,
                    into, update);
      }
    }
  }

 private:
  using Element                 = typename X::non_const_value_type;
  using Result                  = typename Y::non_const_value_type;
  using Layout                  = common_layout_t<X, Y>;
  using From                    = operand_t<X, Layout, true>;
  using Between                 = operand_t<Y, Layout, true>;
  using To                      = operand_t<Y, Layout, false>;
  using Memory                  = MemoryLike<Exec, Y>;
  static constexpr bool updates = !std::is_same_v<Update, NoUpdate>;
  using Sums                    = std::conditional_t<updates, void, Result>;

  static std::uint32_t device_of(Exec const& exec) {
    return Kokkos::Tools::Experimental::device_id(exec);
  }

  template <class T>
  SweepPlan<R> plan(
      Y const& out,
      std::shared_ptr<FactoredWeights<R> const> const& factored) const {
    return {
        extents_of(out), factored, as_elements<T>(m_who, m_boundaries),
        stencil_problem<Exec, A, T, Sums>(*factored, RowLayout{}, RowLayout{}),
        RouteDecision{}};
  }

  RowLayout rows_read(X const& in) const {
    return row_layout(stencil_grid(
        From(in), m_first.boundaries, m_first.extents,
        m_first.factored->weights.radius(), m_first.factored->is_reversed));
  }
  /// Functors write to rows of any layout.
  RowLayout rows_written(Y const& out, SweepPlan<R> const& plan) const {
    return updates ? RowLayout::aligned_16 : rows_between(out, plan);
  }
  /// Steps write alternately to `out` and to temporary memory, and the next
  /// ones read there. Kernels use only an alignment that both have.
  RowLayout rows_between(Y const& out, SweepPlan<R> const& plan) const {
    bool const is_reversed = plan.factored->is_reversed;
    RowLayout const rows   = row_layout(out, is_reversed);
    if (m_steps == 1) return rows;
    return std::min(rows, row_layout(Memory::without_memory(out), is_reversed));
  }

  void decide(Exec const& exec, SweepPlan<R>& plan, RowLayout source,
              RowLayout target) const {
    plan.problem.source = source;
    plan.problem.target = target;
    decide_sweep(m_who, exec, m_settings, plan);
  }
  /// The plan of a sweep over Views with these rows. They and the device may
  /// differ from those of the constructor.
  SweepPlan<R> decided(Exec const& exec, SweepPlan<R> plan, RowLayout source,
                       RowLayout target) const {
    if (plan.problem.source != source || plan.problem.target != target ||
        device_of(exec) != m_device)
      decide(exec, plan, source, target);
    return plan;
  }

  template <class View>
  StencilSweep<Exec, R, A, View> sweep(Exec const& exec, View const& view,
                                       SweepPlan<R> const& plan) const {
    return {exec, view, plan};
  }

  char const* m_who;
  std::uint32_t m_device;
  Boundaries<R> m_boundaries;
  std::int64_t m_steps;
  Settings m_settings;
  SweepPlan<R> m_first;
  std::optional<SweepPlan<R>> m_next;
};

}  // namespace KokkosMMA::Impl

#endif
