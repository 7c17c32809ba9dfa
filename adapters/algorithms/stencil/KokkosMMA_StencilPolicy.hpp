// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_POLICY_HPP
#define KOKKOSMMA_STENCIL_POLICY_HPP

/// \file
/// A policy of Kokkos::parallel_for over a grid, whose functor receives the
/// weighted sum of the neighbours of each element. Kokkos recognises a policy
/// by its member type execution_policy and runs it with Impl::ParallelFor.

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilKernels.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {
template <class Functor, class Policy>
class StencilFor;
}  // namespace Impl

/// Policy for `Kokkos::parallel_for` that gives the functor the weighted sum of
/// each element's neighbours: `functor(i, j, sum)`. The functor is invoked once
/// for every element of a grid, on the device: functor(i, sum) in one
/// dimension, functor(i, j, sum) in two, functor(i, j, k, sum) in three.
///
/// \code
/// Kokkos::parallel_for(
///     "heat",
///     KokkosMMA::StencilPolicy(exec, u, StencilWeights<2>::star(1),
///                              Boundaries<2>::all(Boundary::periodic)),
///     KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, double sum) {
///       next(i, j) = u(i, j) + lambda * (sum - 5 * u(i, j));
///     });
/// KokkosMMA::StencilPolicy<Exec, decltype(x), double> in_double(
///     exec, x, weights, boundaries);
/// \endcode
///
/// The template arguments are deduced from those of the constructor. To sum in
/// another type, name all of them. Indices are std::int64_t. The functor must
/// not write to elements of the View, because neighbours read them.
///
/// \tparam Exec execution space
/// \tparam View type of the View, of rank 1, 2 or 3
/// \tparam Accumulator type of the sum; by default float for half_t and
///        bhalf_t, int32 for integers of less than 4 bytes, otherwise the
///        element type
template <class Exec, class View, class Accumulator = void>
class StencilPolicy {
  KOKKOSMMA_IMPL_CHECK_KNOWN_KOKKOS("KokkosMMA::StencilPolicy", Exec);
  static_assert(Kokkos::is_execution_space_v<Exec> && Impl::StencilView<View>,
                "KokkosMMA::StencilPolicy: the template arguments are an "
                "execution space, the type of a View of rank 1, 2 or 3 and, "
                "optionally, the type of the sums; omit them to have them "
                "deduced: StencilPolicy(exec, x, weights, boundaries)");

 public:
  using execution_policy =
      StencilPolicy;                     ///< marks the class as a Kokkos policy
  using execution_space = Exec;          ///< space of the call
  using index_type      = std::int64_t;  ///< index of an element
  using work_tag        = void;          ///< the functor has no tag
  /// Type of the sum that the functor receives.
  using value_type =
      Impl::stencil_accumulator_t<Accumulator,
                                  typename View::non_const_value_type,
                                  typename View::non_const_value_type>;
  static constexpr int rank = Impl::rank_of<View>;  ///< rank of the grid

  /// Policy over the elements of a grid.
  ///
  /// \param exec instance on which parallel_for runs, asynchronously
  /// \param x View of any layout: the grid, and ghost cells beyond the sides
  ///        that are halos
  /// \param weights weights of the neighbours, for grids of the rank of x
  /// \param boundaries boundary conditions of the grid
  /// \param settings route
  ///
  /// \throws std::invalid_argument for a radius larger than an extent, fewer
  /// elements than ghost cells, weights or constants that the sums or elements
  /// cannot hold, or a forced route that cannot run; parallel_for throws
  /// nothing
  template <int OfWeights, int OfBoundaries>
  StencilPolicy(Exec const& exec, View const& x,
                StencilWeights<OfWeights> const& weights,
                Boundaries<OfBoundaries> const& boundaries,
                Settings const& settings = {})
      : m_settings(Impl::without_label(settings)),
        m_sweep(exec, x, plan(exec, x, weights, boundaries, settings)) {
    if constexpr (OfBoundaries == rank) {
      m_boundaries = boundaries;
    }
  }

  /// The execution-space instance.
  Exec const& space() const { return m_sweep.space(); }
  /// The weights of the neighbours.
  StencilWeights<rank> const& weights() const {
    return m_sweep.factored().weights;
  }
  /// The boundary conditions of the grid.
  Boundaries<rank> const& boundaries() const { return m_boundaries; }
  /// The route that parallel_for uses.
  Route route() const { return m_sweep.route(); }

 private:
  /// Implementation of Kokkos::parallel_for.
  template <class Functor, class Policy>
  friend class Impl::StencilFor;
  static constexpr char const* name = "KokkosMMA::StencilPolicy";
  using Element                     = typename View::non_const_value_type;
  using Sweep = Impl::StencilSweep<Exec, rank, value_type, View>;

  template <int OfWeights, int OfBoundaries>
  static Impl::SweepPlan<rank> plan(Exec const& exec, View const& x,
                                    StencilWeights<OfWeights> const& weights,
                                    Boundaries<OfBoundaries> const& boundaries,
                                    Settings const& settings) {
    static_assert(OfWeights == rank && OfBoundaries == rank,
                  "KokkosMMA::StencilPolicy: the rank of the View must be that "
                  "of the weights and of the boundaries");
    KOKKOSMMA_IMPL_CHECK_STENCIL("KokkosMMA::StencilPolicy", Exec, View,
                                 value_type);
    auto const& radius = weights.radius();
    Impl::SweepPlan<rank> result;
    result.extents = Impl::extents_of(x);
    for (int d = 0; d < rank; ++d)
      result.extents[d] -= boundaries.ghosts_low(d, radius[d]) +
                           boundaries.ghosts_high(d, radius[d]);
    Impl::check_stencil_extents(name, "x", x, result.extents, radius,
                                boundaries);
    Impl::check_weights<value_type>(name, weights);
    result.boundaries = Impl::as_elements<Element>(name, boundaries);
    result.factored   = Impl::factored_weights(x, weights);
    result.problem    = Impl::stencil_problem<Exec, value_type, Element, void>(
        *result.factored,
        Impl::row_layout(Impl::stencil_grid(x, result.boundaries,
                                               result.extents, radius,
                                               result.factored->is_reversed)),
        Impl::RowLayout::aligned_16);
    Impl::decide_sweep(name, exec, settings, result);
    return result;
  }

  Settings m_settings;
  Sweep m_sweep;
  Boundaries<rank> m_boundaries;  ///< with the caller's constants, not rounded
};

/// StencilPolicy(exec, x, weights, boundaries, settings): sums in the default
/// type for the elements of x.
template <class Exec, class View, int OfWeights, int OfBoundaries>
StencilPolicy(Exec const&, View const&, StencilWeights<OfWeights> const&,
              Boundaries<OfBoundaries> const&, Settings const& = {})
    -> StencilPolicy<Exec, View>;

}  // namespace KokkosMMA

#if KOKKOSMMA_IMPL_KNOWN_KOKKOS()

namespace KokkosMMA::Impl {

template <class Functor, class Exec, class View, class Accumulator>
class StencilFor<Functor, StencilPolicy<Exec, View, Accumulator>> {
 public:
  using Policy       = StencilPolicy<Exec, View, Accumulator>;
  using functor_type = Functor;

  // Kernels get the copies made here, while Kokkos does not count references.
  StencilFor(Functor const& functor, Policy const& policy)
      : m_functor(functor), m_policy(policy) {}

  Policy const& get_policy() const { return m_policy; }

  void execute() const {
    using Sweep        = typename Policy::Sweep;
    Sweep const& sweep = m_policy.m_sweep;
    if (explains_calls()) {
      decide_or_explain(Policy::name, m_policy.m_settings,
                        stencil_route(sweep.space(), sweep.problem()),
                        level_of_stencil(sweep.problem().accumulator));
      return;
    }
    observed(sweep.route());
    if (sweep.empty()) return;
    if constexpr (Sweep::has_kernels) {
      if (sweep.route() != Route::generic) return sweep.launch(m_functor);
    }
    // Kokkos' own closure, so that Kokkos Tools see only the user's call.
    sweep.run_generic(m_functor, [](auto const& range, auto const& kernel) {
      using Closure =
          Kokkos::Impl::ParallelFor<std::remove_cvref_t<decltype(kernel)>,
                                    std::remove_cvref_t<decltype(range)>, Exec>;
      auto const closure =
          Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
              Closure>(kernel, range);
      closure.execute();
    });
  }

 private:
  Functor m_functor;
  Policy m_policy;
};

}  // namespace KokkosMMA::Impl

namespace Kokkos::Impl {
template <class Functor, class Exec, class View, class Accumulator>
class ParallelFor<Functor, KokkosMMA::StencilPolicy<Exec, View, Accumulator>,
                  Exec>
    : public KokkosMMA::Impl::StencilFor<
          Functor, KokkosMMA::StencilPolicy<Exec, View, Accumulator>> {
  using kokkosmma_base = KokkosMMA::Impl::StencilFor<
      Functor, KokkosMMA::StencilPolicy<Exec, View, Accumulator>>;

 public:
  using kokkosmma_base::kokkosmma_base;
};
}  // namespace Kokkos::Impl

#endif  // KOKKOSMMA_IMPL_KNOWN_KOKKOS
#endif
