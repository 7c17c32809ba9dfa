// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_POLICY_HPP
#define KOKKOSMMA_STENCIL_POLICY_HPP

/// \file
/// An execution policy of the library's own: Kokkos::parallel_for over a grid,
/// whose functor receives the weighted sum of the neighbours of each element.
/// Kokkos knows it by the member type execution_policy and runs it by
/// Impl::ParallelFor, as it does SegmentPolicy.

#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilKernels.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION < 40600 || KOKKOS_VERSION >= 60000
#error \
    "KokkosMMA: StencilPolicy is tested with Kokkos 4.6 to 5.x; use a kokkos-mma that knows this Kokkos"
#endif

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

template <class X, int R>
std::shared_ptr<StencilPlan<R> const> stencil_plan(
    X const& x, StencilWeights<R> const& weights) {
  return std::make_shared<StencilPlan<R> const>(weights,
                                                R > 1 && !last_is_fast(x));
}

/// \tparam Result void for functors
template <class Exec, class A, class Result, class X, int R>
StencilProblem stencil_problem(X const& x, GridExtents<R> const& extents,
                               StencilPlan<R> const& plan,
                               Boundaries<R> const& boundaries) {
  using Element = canonical_t<typename X::non_const_value_type>;
  StencilProblem problem;
  problem.rank        = R;
  problem.input       = scalar_v<Element>;
  problem.accumulator = scalar_v<A>;
  auto const& radius  = plan.weights.radius();
  problem.radius      = *std::max_element(radius.begin(), radius.end());
  problem.one_radius =
      std::count(radius.begin(), radius.end(), problem.radius) == R;
  problem.taps        = int(plan.weights.taps());
  problem.box_of_ones = plan.box_of_ones;
  problem.one_product = plan.product.has_value();
  problem.zero_factor = plan.has_zero_factor();
  problem.size        = 1;
  for (int d = 0; d < R; ++d) problem.size *= std::uint64_t(extents[d]);
  problem.contiguous = is_stencil_contiguous(x, plan.is_reversed);
  if constexpr (StencilKernels<Exec>::exist) {
    if (problem.size > 0)
      StencilKernels<Exec>::template look_at<A, Result>(
          stencil_grid(x, boundaries, extents, plan.weights.radius(),
                       plan.is_reversed),
          plan, problem);
  }
  return problem;
}

template <class Exec>
RouteDecision decide_stencil(char const* who, Exec const& exec,
                             StencilProblem const& problem,
                             Settings const& settings) {
  return decide_call(who, settings, [&](Settings const& call) {
    return route_stencil(problem, capability(exec), call, active_tuning(exec));
  });
}

/// `X` counts no references where a caller keeps the elements alive.
template <class Exec, int R, class A, class X>
class StencilRange {
 public:
  using execution_policy    = StencilRange;
  using execution_space     = Exec;
  using index_type          = std::int64_t;
  using work_tag            = void;
  using value_type          = A;
  using Elements            = X;
  static constexpr int rank = R;

  StencilRange(Exec const& exec, X const& x, GridExtents<R> const& extents,
               std::shared_ptr<StencilPlan<R> const> const& plan,
               Boundaries<R> const& boundaries, Route route,
               StencilKernel kernel)
      : m_space(exec),
        m_x(x),
        m_extents(extents),
        m_plan(plan),
        m_boundaries(boundaries),
        m_route(route),
        m_kernel(kernel) {
    if (route == Route::generic) m_taps.emplace(plan->weights);
  }

  Exec const& space() const { return m_space; }
  X const& elements() const { return m_x; }
  GridExtents<R> const& extents() const { return m_extents; }
  StencilWeights<R> const& weights() const { return m_plan->weights; }
  StencilPlan<R> const& plan() const { return *m_plan; }
  Boundaries<R> const& boundaries() const { return m_boundaries; }
  /// Of the generic route alone.
  Taps<A, R> const& taps() const { return m_taps->taps(); }
  Route route() const { return m_route; }
  StencilKernel kernel() const { return m_kernel; }
  bool empty() const {
    return std::find(m_extents.begin(), m_extents.end(), 0) != m_extents.end();
  }

  /// The same for other elements.
  StencilRange with(X const& x) const {
    StencilRange result = *this;
    result.m_x          = x;
    return result;
  }

 private:
  Exec m_space;
  X m_x;
  GridExtents<R> m_extents;
  // Kokkos copies policies in every call; weights may be 36 thousand.
  std::shared_ptr<StencilPlan<R> const> m_plan;
  Boundaries<R> m_boundaries;
  std::optional<TapList<A, R, typename Exec::memory_space>> m_taps;
  Route m_route;
  StencilKernel m_kernel;
};

template <class Functor, class Policy>
class StencilFor;

template <class Functor, class Exec, int R, class A, class X>
class StencilFor<Functor, StencilRange<Exec, R, A, X>> {
 public:
  using Policy       = StencilRange<Exec, R, A, X>;
  using functor_type = Functor;

  // The copies made here, where Kokkos does not count references, are the ones
  // that the kernels get.
  StencilFor(Functor const& functor, Policy const& policy)
      : m_functor(functor), m_policy(policy) {}

  Policy const& get_policy() const { return m_policy; }

  void execute() const {
    last_route_of_this_thread() = m_policy.route();
    if (m_policy.empty()) return;
    if constexpr (StencilKernels<Exec>::exist &&
                  stencil_kernel_exists(
                      scalar_v<canonical_t<typename X::non_const_value_type>>,
                      scalar_v<A>)) {
      if (m_policy.route() != Route::generic) {
        auto const grid = stencil_grid(
            m_policy.elements(), m_policy.boundaries(), m_policy.extents(),
            m_policy.weights().radius(), m_policy.plan().is_reversed);
        StencilKernels<Exec>::template run<A>(
            m_policy.space(), grid, m_policy.plan(), m_policy.kernel(),
            stencil_sink<R>(m_functor, grid.reversed));
        return;
      }
    }
    execute_generic();
  }

 private:
  /// Kokkos' own closure, so that its tools see no call but the user's.
  void execute_generic() const {
    using Element   = typename X::non_const_value_type;
    using Pointer   = GridView<Element const, R, typename X::array_layout,
                             typename X::device_type>;
    using Kernel    = GenericStencil<Pointer, A, R, Functor>;
    bool const last = last_is_fast(m_policy.elements());
    Kernel const kernel{
        make_grid(Pointer(m_policy.elements()), m_policy.boundaries(),
                  m_policy.extents(), m_policy.weights().radius()),
        m_policy.taps(), m_functor, last};
    if constexpr (is_host_space<Exec>) {
      int const fast = last ? R - 1 : 0;
      execute_closure(
          GenericStencilRuns<Pointer, A, R, Functor>{
              kernel, std::int64_t(m_policy.elements().stride(fast))},
          runs_policy(m_policy.space(), m_policy.extents(), last));
    } else {
      execute_closure(
          kernel, grid_policy<R>(m_policy.space(), m_policy.extents(), last));
    }
  }
  template <class Kernel, class Range>
  static void execute_closure(Kernel const& kernel, Range const& range) {
    using Closure = Kokkos::Impl::ParallelFor<Kernel, Range, Exec>;
    auto const closure =
        Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
            Closure>(kernel, range);
    closure.execute();
  }

  Functor m_functor;
  Policy m_policy;
};

template <class RankTag>
struct RankOfTag {};
template <unsigned R, Kokkos::Iterate Outer, Kokkos::Iterate Inner>
struct RankOfTag<Kokkos::Rank<R, Outer, Inner>> {
  static constexpr int value = int(R);
};

}  // namespace Impl
}  // namespace KokkosMMA

/// What every stencil demands of its types. A macro: the text of a
/// static_assert is a literal and starts with the public name.
#define KOKKOSMMA_IMPL_CHECK_STENCIL(NAME, EXEC, X, ACCUMULATOR)              \
  static_assert(Kokkos::is_execution_space_v<EXEC>, NAME                      \
                ": the first argument must be an instance of a Kokkos "       \
                "execution space");                                           \
  static_assert(                                                              \
      Kokkos::SpaceAccessibility<EXEC, typename X::memory_space>::accessible, \
      NAME                                                                    \
      ": the Views must be accessible from the execution space; copy them "   \
      "with Kokkos::create_mirror_view_and_copy");                            \
  static_assert(KokkosMMA::Impl::is_plain_source<X>, NAME                     \
                ": the Views must refer to their elements; atomic "           \
                "access is of no use here");                                  \
  static_assert(                                                              \
      KokkosMMA::Impl::is_scan_type<typename X::non_const_value_type>, NAME   \
      ": elements must be half_t, bhalf_t, float, double, bool or integers"); \
  static_assert(                                                              \
      KokkosMMA::Impl::accumulator_holds<typename X::non_const_value_type,    \
                                         ACCUMULATOR>(),                      \
      NAME                                                                    \
      ": the accumulator cannot hold the elements; floating-point "           \
      "elements need float or double that are no narrower, integers an "      \
      "integer that is no narrower, double, or for 2 bytes float")

namespace KokkosMMA {

/// A policy for Kokkos::parallel_for: functor(i, sum), functor(i, j, sum) or
/// functor(i, j, k, sum) is called once for every element of a grid, on the
/// device, with the weighted sum of its neighbours.
///
/// \code
/// Kokkos::parallel_for("life",
///     KokkosMMA::StencilPolicy<Exec, Kokkos::Rank<2>>(
///         exec, {rows, columns}, cells, StencilWeights<2>::moore(1),
///         Boundaries<2>::all(Boundary::periodic)), rule);
/// \endcode
///
/// A function, because the type of the policy depends on that of the View.
/// Indices are std::int64_t. The functor writes what it likes, but not to
/// elements of `x`: neighbours read them.
///
/// \tparam Accumulator type of the sum; else float for half_t and bhalf_t,
///                     int32 for integers of less than 4 bytes, else the
///                     elements' own
/// \param exec    instance on which the call runs, asynchronously
/// \param extents of the grid
/// \param x       View of that rank, of any layout: the grid, and ghost cells
///                beyond the boundaries that are halos
/// \param settings route
///
/// \throws std::invalid_argument for extents that x does not have, a radius
/// larger than an extent, weights or constants that the sums or elements cannot
/// hold, or a forced route that cannot run; parallel_for throws nothing.
template <class Exec, class RankTag, class Accumulator = void,
          Impl::StencilView X>
auto StencilPolicy(
    Exec const& exec,
    StencilExtents<Impl::RankOfTag<RankTag>::value> const& extents, X const& x,
    StencilWeights<Impl::RankOfTag<RankTag>::value> const& weights,
    Boundaries<Impl::RankOfTag<RankTag>::value> const& boundaries,
    Settings const& settings = {}) {
  constexpr int R = Impl::RankOfTag<RankTag>::value;
  using Element   = typename X::non_const_value_type;
  using A         = Impl::stencil_accumulator_t<Accumulator, Element, Element>;
  constexpr char const* who = "KokkosMMA::StencilPolicy";
  static_assert(Impl::rank_of<X> == R,
                "KokkosMMA::StencilPolicy: the rank of the View must be that "
                "of the policy");
  KOKKOSMMA_IMPL_CHECK_STENCIL("KokkosMMA::StencilPolicy", Exec, X, A);
  Impl::check_settings(who, settings);
  Impl::check_stencil_extents(who, "x", x, extents.values, weights.radius(),
                              boundaries);
  Impl::check_weights<A>(who, weights);
  Boundaries<R> const held = Impl::as_elements<Element>(who, boundaries);
  auto const plan          = Impl::stencil_plan(x, weights);
  auto problem =
      Impl::stencil_problem<Exec, A, void>(x, extents.values, *plan, held);
  problem.to_functor = true;
  Route const route  = Impl::decide_stencil(who, exec, problem, settings).route;
  return Impl::StencilRange<Exec, R, A, X>(exec, x, extents.values, plan, held,
                                           route,
                                           stencil_kernel(problem, route));
}

}  // namespace KokkosMMA

namespace Kokkos::Impl {
template <class Functor, class Exec, int R, class A, class X>
class ParallelFor<Functor, KokkosMMA::Impl::StencilRange<Exec, R, A, X>, Exec>
    : public KokkosMMA::Impl::StencilFor<
          Functor, KokkosMMA::Impl::StencilRange<Exec, R, A, X>> {
  using kokkosmma_base =
      KokkosMMA::Impl::StencilFor<Functor,
                                  KokkosMMA::Impl::StencilRange<Exec, R, A, X>>;

 public:
  using kokkosmma_base::kokkosmma_base;
};
}  // namespace Kokkos::Impl

#endif
