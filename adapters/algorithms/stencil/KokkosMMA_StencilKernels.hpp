// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_KERNELS_HPP
#define KOKKOSMMA_STENCIL_KERNELS_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/stencil/KokkosMMA_StencilLaunch.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

/// \file
/// One sweep of a stencil over a grid: its description for the route function,
/// and its run by a kernel of the library or plain Kokkos.

// The stencils of Kokkos' 16-bit types that libkokkosmma_kernels contains if
// KokkosMMA_KERNEL_TYPES names them. A library with `half` or `bhalf` is of the
// application's version of Kokkos.
#if KOKKOSMMA_IMPL_ON_CUDA()
namespace KokkosMMA::Impl::Cuda {
#ifdef KOKKOSMMA_COMPILED_half
KOKKOSMMA_IMPL_STENCILS(extern, Kokkos::Experimental::half_t, float)
#endif
#ifdef KOKKOSMMA_COMPILED_bhalf
KOKKOSMMA_IMPL_STENCILS(extern, Kokkos::Experimental::bhalf_t, float)
#endif
}  // namespace KokkosMMA::Impl::Cuda
#endif

namespace KokkosMMA::Impl {

/// Functor that writes each sum to the element at its indices.
template <class Y>
struct IntoGrid {
  using Value = typename Y::non_const_value_type;
  Y y;

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, A sum) const {
    y(i) = static_cast<Value>(sum);
  }
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                              A sum) const {
    y(i, j) = static_cast<Value>(sum);
  }
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                              std::int64_t k, A sum) const {
    y(i, j, k) = static_cast<Value>(sum);
  }
};

/// Functor that writes the caller's update of each element from its sum.
template <class X, class Y, class Update>
struct UpdatedGrid {
  using Value = typename Y::non_const_value_type;
  X x;
  Y y;
  Update update;
  std::int64_t ghosts[rank_of<X>];  ///< ghost cells of x before element 0

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, A sum) const {
    y(i) = static_cast<Value>(update(i, x(i + ghosts[0]), sum));
  }
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                              A sum) const {
    y(i, j) =
        static_cast<Value>(update(i, j, x(i + ghosts[0], j + ghosts[1]), sum));
  }
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                              std::int64_t k, A sum) const {
    y(i, j, k) = static_cast<Value>(
        update(i, j, k, x(i + ghosts[0], j + ghosts[1], k + ghosts[2]), sum));
  }
};

/// Epilogue of a kernel: the caller's functor, or if sums go to a View its
/// memory, which kernels write in vectors.
template <int R, class Functor>
StencilCall<Functor, R> stencil_epilogue(Functor const& functor,
                                         bool reversed) {
  return {functor, reversed};
}
template <int R, class Y>
auto stencil_epilogue(IntoGrid<Y> const& into, bool reversed) {
  using Result = canonical_t<typename Y::non_const_value_type>;
  StencilTarget<Result, R> target{};
  target.data = reinterpret_cast<Result*>(into.y.data());
  for (int d = 0; d < R; ++d)
    target.stride[d] = std::int64_t(into.y.stride(reversed ? R - 1 - d : d));
  return target;
}

/// Weights for kernels on Views with the fast dimension of x.
template <class X, int R>
std::shared_ptr<FactoredWeights<R> const> factored_weights(
    X const& x, StencilWeights<R> const& weights) {
  return std::make_shared<FactoredWeights<R> const>(weights,
                                                    is_reversed_grid(x));
}

/// Describes a stencil to the route function.
/// \tparam Result void for functors
template <class Exec, class A, class Element, class Result, int R>
StencilProblem stencil_problem(FactoredWeights<R> const& factored,
                               RowLayout source, RowLayout target) {
  auto const& radius = factored.weights.radius();
  StencilProblem problem;
  problem.rank        = R;
  problem.input       = scalar_v<Element>;
  problem.accumulator = scalar_v<A>;
  problem.radius      = *std::max_element(radius.begin(), radius.end());
  problem.one_radius =
      std::count(radius.begin(), radius.end(), problem.radius) == R;
  problem.taps       = int(factored.weights.taps());
  problem.weights    = weight_form(factored);
  problem.source     = source;
  problem.target     = target;
  problem.to_functor = std::is_void_v<Result>;
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (has_own_kernels<Exec>) {
    Cuda::find_mma_operands<A, canonical_t<Element>, Result>(factored, problem);
  }
#endif
  return problem;
}

/// Route function of a stencil on an instance of an execution space, as a
/// callable of Settings.
template <class Exec>
auto stencil_route(Exec const& exec, StencilProblem const& problem) {
  return [problem, exec](Settings const& requested) {
    return route_stencil(problem, capability(exec), requested,
                         active_tuning(exec));
  };
}

/// What the sweeps from one View need, apart from the View.
template <int R>
struct SweepPlan {
  GridExtents<R> extents;
  std::shared_ptr<FactoredWeights<R> const> factored;
  Boundaries<R> boundaries;  ///< constants rounded to the element type
  StencilProblem problem;
  RouteDecision decision;
};

/// Decides on the route of a plan. Inside explain() a forced route that cannot
/// run does not throw here.
template <class Exec, int R>
void decide_sweep(char const* who, Exec const& exec, Settings const& settings,
                  SweepPlan<R>& plan) {
  auto const route = stencil_route(exec, plan.problem);
  plan.decision    = explains_calls()
                         ? route(effective_settings(settings))
                         : decide_call(who, settings, route,
                                       level_of_stencil(plan.problem.accumulator))
                            .decision;
}

/// One sweep over a grid. Kokkos copies it with its policies. `X` is an
/// unmanaged View if a caller keeps the elements alive.
template <class Exec, int R, class A, class X>
class StencilSweep {
 public:
  using Element       = typename X::non_const_value_type;
  using KernelElement = canonical_t<Element>;
  /// Whether the library has kernels for these types.
  static constexpr bool has_kernels =
      has_own_kernels<Exec> &&
      stencil_kernel_exists(scalar_v<KernelElement>, scalar_v<A>);

  /// Whether kernels compute several steps in one sweep for this type of
  /// results.
  template <class Result>
  static constexpr bool fuses = has_own_kernels<Exec>&& steps_exist(
      scalar_v<KernelElement>, scalar_v<canonical_t<Result>>, scalar_v<A>);

  StencilSweep(Exec const& exec, X const& x, SweepPlan<R> const& plan)
      : m_space(exec),
        m_x(x),
        m_plan(plan),
        m_route(has_kernels ? plan.decision.route : Route::generic) {
    if (m_route == Route::generic) m_taps.emplace(plan.factored->weights);
  }

  Exec const& space() const { return m_space; }
  X const& view() const { return m_x; }
  StencilProblem const& problem() const { return m_plan.problem; }
  FactoredWeights<R> const& factored() const { return *m_plan.factored; }
  Boundaries<R> const& boundaries() const { return m_plan.boundaries; }
  Route route() const { return m_route; }
  bool empty() const {
    auto const& extents = m_plan.extents;
    return std::find(extents.begin(), extents.end(), 0) != extents.end();
  }

  /// Copy of this sweep with the elements of another View.
  StencilSweep with(X const& x) const {
    StencilSweep result = *this;
    result.m_x          = x;
    return result;
  }

  /// Form of the kernel for several steps in one sweep; none without one.
  StepForm step_form() const {
    if (m_route != Route::streamed) return StepForm::none;
    return Impl::step_form(factored().kernel_weights,
                           stencil_kernel(problem(), m_route), problem());
  }
#if KOKKOSMMA_IMPL_ON_CUDA()
  /// Launches the kernel of a route that is not `generic`.
  template <class Functor>
  void launch(Functor const& functor) const {
    Cuda::launch_stencil<A>(
        m_space, grid(), factored(), stencil_kernel(problem(), m_route),
        stencil_epilogue<R>(functor, factored().is_reversed));
  }
  /// Maximum number of steps in one sweep.
  int steps_of_sweep() const {
    std::int64_t const columns =
        m_plan.extents[factored().is_reversed ? 0 : R - 1];
    return steps_in_grid(
        m_plan.extents, problem().radius,
        Cuda::steps_of_sweep<A, KernelElement, R>(
            step_form(), problem().radius, columns, problem().to_functor));
  }
  /// Runs `steps` time steps in one kernel.
  template <class Y, class Update>
  void launch_steps(int steps, IntoGrid<Y> const& into,
                    Update const& update) const {
    Cuda::launch_stencil_steps<A>(
        m_space, grid(), factored(), step_form(), steps,
        stencil_epilogue<R>(into, factored().is_reversed), update);
  }
#endif
  /// Runs the sweep with plain Kokkos: calls run(range, functor of its
  /// indices).
  template <class Functor, class Run>
  void run_generic(Functor const& functor, Run const& run) const {
    using Pointer   = GridView<Element const, R, typename X::array_layout,
                             typename X::device_type>;
    bool const last = last_is_fast(m_x);
    GenericStencil<Pointer, A, R, Functor> const kernel{
        make_grid(Pointer(m_x), boundaries(), m_plan.extents,
                  factored().weights.radius()),
        m_taps->taps(), functor, last};
    if constexpr (is_host_space<Exec>) {
      run(runs_policy(m_space, m_plan.extents, last),
          GenericStencilRuns<Pointer, A, R, Functor>{
              kernel, std::int64_t(m_x.stride(last ? R - 1 : 0))});
    } else {
      run(grid_policy<R>(m_space, m_plan.extents, last), kernel);
    }
  }

 private:
  auto grid() const {
    return stencil_grid(m_x, boundaries(), m_plan.extents,
                        factored().weights.radius(), factored().is_reversed);
  }

  Exec m_space;
  X m_x;
  // The weights are shared: Kokkos copies policies in every call, and there are
  // up to 36 thousand weights.
  SweepPlan<R> m_plan;
  std::optional<TapList<A, R, typename Exec::memory_space>> m_taps;
  Route m_route;
};

}  // namespace KokkosMMA::Impl

#endif
