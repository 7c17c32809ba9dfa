// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_KERNELS_HPP
#define KOKKOSMMA_STENCIL_KERNELS_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_RowAlignment.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_StepStrips.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DenseBandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DirectStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableVolumeLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StepStencilLaunch.hpp>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

/// \file
/// One sweep of a stencil over a grid: its description for the route function,
/// and its run by a kernel of the library or plain Kokkos.

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

/// Kernels of an execution space; none without a specialisation.
template <class Exec>
struct StencilKernels {
  static constexpr bool exist = false;
  template <class A, class Element, class Result, int R>
  static constexpr bool fuses = false;
};

#if KOKKOSMMA_IMPL_ON_CUDA()
template <>
struct StencilKernels<Kokkos::Cuda> {
  static constexpr bool exist = true;

  using Announced = AnnouncedKernel;

  /// Sets the MMA operands of the weights.
  /// \tparam Result void for functors
  template <class A, class Element, class Result, int R>
  static void find_operands(StencilPlan<R> const& plan,
                            Boundaries<R> const& boundaries,
                            StencilProblem& problem) {
    constexpr Scalar input = scalar_v<Element>;
    constexpr Scalar sums  = scalar_v<A>;
    if constexpr (R == 2 && stencil_band_exists(input, sums)) {
      using Band = Cuda::BandStencil<A, Element, Result>;
      StencilGrid<Element, R> grid{};
      grid.boundaries = boundaries;
      if (plan.product && Band::takes(grid))
        problem.factors = Band::operands(*plan.product);
    }
    if constexpr (R == 2 && stencil_dense_band_exists(input, sums)) {
      if (Cuda::DenseBandStencil<A, Element>::takes(plan.kernel_weights))
        problem.each_weight =
            Cuda::DenseBandOperands<Element>::are_exact(plan.kernel_weights)
                ? MmaOperands::exact
                : MmaOperands::split;
    }
  }

  template <class A, class Element, int R, class Epilogue>
  static void run(Kokkos::Cuda const& exec, StencilGrid<Element, R> const& grid,
                  StencilPlan<R> const& plan, StencilKernel kernel,
                  Epilogue const& epilogue) {
    constexpr Scalar input = scalar_v<Element>;
    constexpr Scalar sums  = scalar_v<A>;
    Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    if constexpr (R == 3) {
      // Direct kernels skip zero weights; this one multiplies by them.
      bool const multiplies = kernel == StencilKernel::separable ||
                              (plan.product && !plan.has_zero_factor());
      if (multiplies) {
        if (Cuda::launch_product_sweep<A>(exec, grid, *plan.product, epilogue))
          return;
        // The alignment of rows must not change the order of sums: memory
        // between two steps is aligned differently from the caller's.
        if (std::is_floating_point_v<A> &&
            Cuda::has_product_sweep<Element, Epilogue>(*plan.product))
          kernel = StencilKernel::separable;
      }
    }
    switch (kernel) {
      case StencilKernel::separable:
        if constexpr (R == 3) {
          Cuda::launch_separable_volume<A>(exec, grid, *plan.product, epilogue);
        } else {
          Cuda::launch_separable_stencil<A, R>(exec, grid, *plan.product,
                                               plan.is_box, epilogue);
        }
        return;
      case StencilKernel::direct:
        return Cuda::launch_direct_stencil<A, R>(exec, grid,
                                                 plan.kernel_weights, epilogue);
      case StencilKernel::band:
        if constexpr (R == 2 && stencil_band_exists(input, sums)) {
          Cuda::launch_band_stencil<A>(exec, grid, *plan.product, epilogue);
        }
        return;
      case StencilKernel::dense_band:
        if constexpr (R == 2 && stencil_dense_band_exists(input, sums)) {
          Cuda::launch_dense_band_stencil<A>(exec, grid, plan.kernel_weights,
                                             epilogue);
        }
        return;
    }
  }

  /// Whether sweeps for several steps are compiled.
  template <class A, class Element, class Result, int R>
  static constexpr bool fuses = steps_exist(scalar_v<Element>, scalar_v<Result>,
                                            scalar_v<A>);

  /// Maximum number of steps in one sweep of this form.
  template <class A, class Element, int R>
  static int steps_of_sweep(StepForm form, int radius, std::int64_t columns,
                            bool updates) {
    return Cuda::steps_of_sweep<A, Element, R>(form, radius, columns, updates);
  }
  /// Runs several time steps in one kernel.
  template <class A, class Element, int R, class Epilogue, class Update>
  static void run_steps(Kokkos::Cuda const& exec,
                        StencilGrid<Element, R> const& grid,
                        StencilPlan<R> const& plan, StepForm form, int steps,
                        Epilogue const& epilogue,
                        [[maybe_unused]] Update const& update) {
    Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    if constexpr (R != 2) {
      Cuda::launch_step_stencil<A, Element>(exec, grid, plan, form, steps,
                                            epilogue);
    } else {
      Cuda::launch_step_stencil<A, Element>(exec, grid, plan, form, steps,
                                            epilogue, update);
    }
  }
};
#endif

/// Plan of the weights, made once for Views with the fast dimension of x.
template <class X, int R>
std::shared_ptr<StencilPlan<R> const> stencil_plan(
    X const& x, StencilWeights<R> const& weights) {
  return std::make_shared<StencilPlan<R> const>(weights, is_reversed_grid(x));
}

/// Describes a stencil to the route function.
/// \tparam Result void for functors
template <class Exec, class A, class Element, class Result, int R>
StencilProblem stencil_problem(StencilPlan<R> const& plan,
                               Boundaries<R> const& boundaries,
                               RowLayout source, RowLayout target) {
  using Kernels      = StencilKernels<Exec>;
  auto const& radius = plan.weights.radius();
  StencilProblem problem;
  problem.rank        = R;
  problem.input       = scalar_v<Element>;
  problem.accumulator = scalar_v<A>;
  problem.radius      = *std::max_element(radius.begin(), radius.end());
  problem.one_radius =
      std::count(radius.begin(), radius.end(), problem.radius) == R;
  problem.taps       = int(plan.weights.taps());
  problem.weights    = weight_form(plan);
  problem.source     = source;
  problem.target     = target;
  problem.to_functor = std::is_void_v<Result>;
  if constexpr (Kernels::exist) {
    Kernels::template find_operands<A, canonical_t<Element>, Result>(
        plan, boundaries, problem);
  }
  return problem;
}

/// Route function of a stencil on an instance of an execution space, as a
/// callable of Settings.
template <class Exec>
auto stencil_route(Exec const& exec, StencilProblem const& problem) {
  return [problem, exec](Settings const& wish) {
    return route_stencil(problem, capability(exec), wish, active_tuning(exec));
  };
}

/// One sweep over a grid. Kokkos copies it with its policies. `X` is an
/// unmanaged View if a caller keeps the elements alive.
template <class Exec, int R, class A, class X>
class StencilSweep {
 public:
  using Kernels = StencilKernels<Exec>;
  using Element = typename X::non_const_value_type;
  /// Whether kernels of the library are compiled for these types.
  static constexpr bool has_kernels =
      Kernels::exist &&
      stencil_kernel_exists(scalar_v<canonical_t<Element>>, scalar_v<A>);

  /// Whether kernels compute several steps in one sweep for this type of
  /// results.
  template <class Result>
  static constexpr bool fuses =
      Kernels::template fuses<A, canonical_t<Element>, canonical_t<Result>, R>;

  StencilSweep(Exec const& exec, X const& x, GridExtents<R> const& extents,
               std::shared_ptr<StencilPlan<R> const> const& plan,
               Boundaries<R> const& boundaries, StencilProblem const& problem,
               Route route)
      : m_space(exec),
        m_x(x),
        m_extents(extents),
        m_plan(plan),
        m_boundaries(boundaries),
        m_route(has_kernels ? route : Route::generic),
        m_problem(problem) {
    if (m_route == Route::generic) m_taps.emplace(plan->weights);
  }

  Exec const& space() const { return m_space; }
  X const& view() const { return m_x; }
  GridExtents<R> const& extents() const { return m_extents; }
  StencilPlan<R> const& plan() const { return *m_plan; }
  Boundaries<R> const& boundaries() const { return m_boundaries; }
  Route route() const { return m_route; }
  bool empty() const {
    return std::find(m_extents.begin(), m_extents.end(), 0) != m_extents.end();
  }

  /// Copy of this sweep with the elements of another View.
  StencilSweep with(X const& x) const {
    StencilSweep result = *this;
    result.m_x          = x;
    return result;
  }

  /// Launches the kernel of a route that is not `generic`.
  template <class Functor>
  void launch(Functor const& functor) const {
    Kernels::template run<A>(m_space, grid(), *m_plan,
                             stencil_kernel(m_problem, m_route),
                             stencil_epilogue<R>(functor, m_plan->is_reversed));
  }
  /// Form of the kernel for several steps in one sweep; none without one.
  StepForm step_form() const {
    if (m_route != Route::streamed) return StepForm::none;
    return Impl::step_form(m_plan->kernel_weights,
                           stencil_kernel(m_problem, m_route), m_problem);
  }
  /// Maximum number of steps in one sweep.
  int steps_of_sweep() const {
    int const radius           = m_problem.radius;
    std::int64_t const columns = m_extents[m_plan->is_reversed ? 0 : R - 1];
    return steps_in_grid(
        m_extents, radius,
        Kernels::template steps_of_sweep<A, canonical_t<Element>, R>(
            step_form(), radius, columns, m_problem.to_functor));
  }
  /// Runs `steps` time steps in one kernel.
  template <class Y, class Update>
  void launch_steps(int steps, IntoGrid<Y> const& into,
                    Update const& update) const {
    Kernels::template run_steps<A>(
        m_space, grid(), *m_plan, step_form(), steps,
        stencil_epilogue<R>(into, m_plan->is_reversed), update);
  }
  /// Runs the sweep with plain Kokkos: calls run(range, functor of its
  /// indices).
  template <class Functor, class Run>
  void run_generic(Functor const& functor, Run const& run) const {
    using Pointer   = GridView<Element const, R, typename X::array_layout,
                             typename X::device_type>;
    bool const last = last_is_fast(m_x);
    GenericStencil<Pointer, A, R, Functor> const kernel{
        make_grid(Pointer(m_x), m_boundaries, m_extents,
                  m_plan->weights.radius()),
        m_taps->taps(), functor, last};
    if constexpr (is_host_space<Exec>) {
      run(runs_policy(m_space, m_extents, last),
          GenericStencilRuns<Pointer, A, R, Functor>{
              kernel, std::int64_t(m_x.stride(last ? R - 1 : 0))});
    } else {
      run(grid_policy<R>(m_space, m_extents, last), kernel);
    }
  }

 private:
  auto grid() const {
    return stencil_grid(m_x, m_boundaries, m_extents, m_plan->weights.radius(),
                        m_plan->is_reversed);
  }

  Exec m_space;
  X m_x;
  GridExtents<R> m_extents;
  // Shared: Kokkos copies policies in every call, and plans have up to 36
  // thousand weights.
  std::shared_ptr<StencilPlan<R> const> m_plan;
  Boundaries<R> m_boundaries;
  std::optional<TapList<A, R, typename Exec::memory_space>> m_taps;
  Route m_route;
  StencilProblem m_problem;
};

}  // namespace KokkosMMA::Impl

#endif
