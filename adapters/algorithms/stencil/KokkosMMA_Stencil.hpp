// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_HPP
#define KOKKOSMMA_STENCIL_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_PlannedStencil.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_Mistakes.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Whether a functor can compute the next value of an element. (g++ 12 rejects
/// what nvcc 13.0 makes of an expansion of std::int64_t over the dimensions.)
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

}  // namespace Impl

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
///        type; it is wider if `out` is wider. Integers with a floating-point
///        `out` use float, or double from 4 bytes on
/// \param exec instance on which the call runs. The call waits if it allocates
///        and frees memory: for more weights than fit in a kernel's arguments,
///        or for the values between two steps if the space is not Cuda or the
///        device has no memory pools
/// \param in View of rank 1, 2 or 3, of any layout
/// \param out View of any layout that shares no memory with `in`; its extents
///        are those of `in` without ghost cells
/// \param weights weights of the neighbours
/// \param boundaries boundary conditions. The caller fills the ghost cells of a
///        halo; a call with halos has one step
/// \param steps 1 or more
/// \param settings route and label
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator; an
/// integer accumulator requires integer weights. Floating-point sums are
/// rounded to `out` once per step. Weights, types and route fix the order of
/// additions: the same call gives the same bits. An element with weight 0 does
/// not contribute, even if it is NaN. A call of n steps gives the same bits as
/// n calls of one step with Views of the layout of `out`, even if one kernel
/// computes several steps. The values between two steps are in memory without
/// padding: this does not hold if the rows of `out` are aligned differently
/// (modulo 16 bytes) from rows in that memory.
///
/// On tensor cores the weights form band matrices: separable weights one per
/// dimension, others one per row of weights
/// (core/stencil/KokkosMMA_WarpBand.hpp,
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
  using A =
      Impl::stencil_accumulator_t<Accumulator, typename X::non_const_value_type,
                                  typename Y::non_const_value_type>;
  KOKKOSMMA_IMPL_CHECK_STENCIL_VIEWS("KokkosMMA::stencil", Exec, X, Y, A);
  Impl::PlannedStencil<Exec, A, X, Y>("KokkosMMA::stencil", exec, in, out,
                                      weights, boundaries, steps, settings)
      .run(std::string(settings.label), exec, in, out);
}

/// Weighted sums of neighbours, with weights, boundaries and sum type from a
/// policy. The View of the policy is not read.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator>
void stencil(Exec const& exec, X const& in, Y const& out,
             StencilPolicy<PolicyExec, PolicyView, Accumulator> const& policy,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using Policy = StencilPolicy<PolicyExec, PolicyView, Accumulator>;
  static_assert(Impl::rank_of<X> == Policy::rank,
                "KokkosMMA::stencil: the rank of the Views must be that of the "
                "policy");
  stencil<typename Policy::value_type>(exec, in, out, policy.weights(),
                                       policy.boundaries(), steps, settings);
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
/// A call of n steps gives the same bits as n calls under the conditions of
/// stencil() with weights, even if one kernel computes several steps.
/// Everything else is as in stencil() with a policy.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator, class Update>
requires(std::is_class_v<Update>) void stencil(
    Exec const& exec, X const& in, Y const& out,
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
  Impl::PlannedStencil<Exec, A, X, Y, Update>(
      "KokkosMMA::stencil", exec, in, out, policy.weights(),
      policy.boundaries(), steps, settings)
      .run(std::string(settings.label), exec, in, out, update);
}

/// A stencil that plan_stencil() has planned for many calls: its weights are
/// analysed and its route is chosen.
///
/// \code
/// auto const step = KokkosMMA::plan_stencil(exec, u, v, weights, torus);
/// for (int i = 0; i < n; ++i) {
///   step(exec, u, v);
///   step(exec, v, u);
/// }
/// \endcode
///
/// A plan is a value. It keeps no View and no execution-space instance, and
/// several host threads may call one plan.
template <class Exec, class X, class Y, class Accumulator>
class StencilPlan {
 public:
  /// Runs the stencil; the result is bitwise identical to that of stencil().
  ///
  /// \param exec instance on which the call runs
  /// \param in View of the type, extents and order of strides that were planned
  /// \param out likewise
  ///
  /// If the alignment of rows or the device differ from those of the plan,
  /// the call chooses its route again.
  ///
  /// \throws std::invalid_argument for Views that the plan is not for, that
  /// overlap or have no memory, or for a forced route that cannot run on them;
  /// nothing is launched or written then
  void operator()(Exec const& exec, X const& in, Y const& out) const {
    m_planned.check_views(in, out);
    m_planned.run(m_label, exec, in, out);
  }

  /// The route of the plan.
  Route route() const { return m_planned.route(); }

 private:
  using Planned = Impl::PlannedStencil<Exec, Accumulator, X, Y>;

  template <class A, class E, Impl::StencilView In, Impl::StencilView Out>
  friend auto plan_stencil(E const&, In const&, Out const&,
                           StencilWeights<Impl::rank_of<In>> const&,
                           Boundaries<Impl::rank_of<In>> const&, std::int64_t,
                           Settings const&);

  StencilPlan(Planned const& planned, std::string label)
      : m_planned(planned), m_label(std::move(label)) {}

  Planned m_planned;
  std::string m_label;
};

/// Plans a stencil for many calls: see stencil() for the arguments and
/// StencilPlan for the calls. Nothing is launched or written.
///
/// Host time of a call: for a 2D box of radius 7, stencil() takes 9.8 us and a
/// plan 3.2 us; for a 3D box of radius 16, 498 us and 16 us (host of an H200,
/// 2026-11-29).
///
/// \param in View of the type, extents and order of strides of later calls
/// \param out likewise
/// \param settings route, and the label of the calls, which the plan copies
///
/// \throws std::invalid_argument as stencil() does
template <class Accumulator = void, class Exec, Impl::StencilView X,
          Impl::StencilView Y>
auto plan_stencil(Exec const& exec, X const& in, Y const& out,
                  StencilWeights<Impl::rank_of<X>> const& weights,
                  Boundaries<Impl::rank_of<X>> const& boundaries,
                  std::int64_t steps = 1, Settings const& settings = {}) {
  using A =
      Impl::stencil_accumulator_t<Accumulator, typename X::non_const_value_type,
                                  typename Y::non_const_value_type>;
  KOKKOSMMA_IMPL_CHECK_STENCIL_VIEWS("KokkosMMA::plan_stencil", Exec, X, Y, A);
  using Plan = StencilPlan<Exec, X, Y, A>;
  return Plan(typename Plan::Planned("KokkosMMA::plan_stencil", exec, in, out,
                                     weights, boundaries, steps, settings),
              std::string(settings.label));
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
