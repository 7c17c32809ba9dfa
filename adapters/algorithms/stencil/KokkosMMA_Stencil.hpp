// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_HPP
#define KOKKOSMMA_STENCIL_HPP

#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilKernels.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilFusion.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

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
    for (BoundaryCondition const& condition :
         {boundaries.low[d], boundaries.high[d]})
      if (condition.kind == Boundary::halo)
        invalid_argument(who, "a boundary of dimension ", d, " is a halo, and ",
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
/// \param boundaries what lies beyond the boundaries. A halo is the caller's
/// and
///              takes one step per call
/// \param steps 1 or more
/// \param settings route
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator; an
/// integer accumulator needs integer weights. Floating-point sums are rounded
/// to `out` once per step, in an order that the weights, the types and the
/// route fix: the same call gives the same bits. An element whose weight is 0
/// is not read into the sum. On Cuda, steps of float and double may be taken
/// together (core/stencil/KokkosMMA_StencilFusion.hpp bounds by how much that
/// differs).
///
/// On tensor cores the weights are band matrices: one product per dimension, or
/// one per row of weights (core/stencil/KokkosMMA_WarpBand.hpp,
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
  Impl::StencilProblem problem =
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

}  // namespace KokkosMMA

#endif
