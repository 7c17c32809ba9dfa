// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_KERNELS_HPP
#define KOKKOSMMA_STENCIL_KERNELS_HPP

#include <adapters/algorithms/segmented/KokkosMMA_SegmentedChecks.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/algorithms/segmented/KokkosMMA_SegmentedKernels.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DenseBandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DirectStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_FusedStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BoundaryStrips.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableVolumeLaunch.hpp>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// The library's kernels for stencils, behind one name for each backend.

namespace KokkosMMA::Impl {

/// A View as kernels read it.
template <class X, int R>
auto stencil_grid(X const& x, Boundaries<R> const& boundaries,
                  GridExtents<R> const& extents, GridRadius<R> const& radius,
                  bool is_reversed) {
  using Element = canonical_t<typename X::non_const_value_type>;
  StencilGrid<Element, R> grid{};
  grid.reversed       = is_reversed;
  grid.boundaries     = is_reversed ? reversed(boundaries) : boundaries;
  std::int64_t ghosts = 0;
  for (int d = 0; d < R; ++d) {
    int const from = is_reversed ? R - 1 - d : d;
    grid.extent[d] = extents[from];
    grid.stride[d] = std::int64_t(x.stride(from));
    ghosts += boundaries.ghosts_low(from, radius[from]) * grid.stride[d];
  }
  grid.data = reinterpret_cast<Element const*>(x.data()) + ghosts;
  return grid;
}

/// Whether the dimension that kernels take for the fast one has stride one.
template <class X>
bool is_stencil_contiguous(X const& x, bool is_reversed) {
  return x.stride(is_reversed ? 0 : int(X::rank()) - 1) == 1;
}

/// Whether rows begin with vectors of 16 bytes, where kernels ask for it: in up
/// to two dimensions.
template <class X>
bool is_stencil_aligned(X const& x, bool is_reversed) {
  if constexpr (X::rank() > 2) {
    return true;
  } else {
    constexpr auto size = std::uintptr_t(sizeof(typename X::value_type));
    bool const begins   = reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0;
    std::uintptr_t const stride =
        X::rank() == 1 ? 16 : std::uintptr_t(x.stride(is_reversed ? 1 : 0));
    return begins && stride * size % 16 == 0;
  }
}

/// Writes sums where they belong.
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

/// What kernels do with the sums. Where a View takes them, they see its memory.
template <int R, class Functor>
StencilCall<Functor, R> stencil_sink(Functor const& functor, bool reversed) {
  return {functor, reversed};
}
template <int R, class Y>
auto stencil_sink(IntoGrid<Y> const& into, bool reversed) {
  using Result = canonical_t<typename Y::non_const_value_type>;
  StencilTarget<Result, R> target{};
  target.data = reinterpret_cast<Result*>(into.y.data());
  for (int d = 0; d < R; ++d)
    target.stride[d] = std::int64_t(into.y.stride(reversed ? R - 1 - d : d));
  return target;
}

/// Kernels of an execution space; it has none unless specialised.
template <class Exec>
struct StencilKernels {
  static constexpr bool exist = false;
  template <class A, class Element, class Result, int R>
  static constexpr bool fuses = false;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct StencilKernels<Kokkos::Cuda> {
  static constexpr bool exist = true;

  /// Fills in which products the weights can be operands of.
  /// \tparam Result void for functors
  template <class A, class Result, class Element, int R>
  static void look_at(StencilGrid<Element, R> const& grid,
                      StencilPlan<R> const& plan, StencilProblem& problem) {
    constexpr Scalar input = scalar_v<Element>;
    constexpr Scalar sums  = scalar_v<A>;
    if constexpr (R <= 2) {
      problem.aligned_rows =
          reinterpret_cast<std::uintptr_t>(grid.data) % 16 == 0 &&
          Cuda::has_aligned_rows(grid);
    }
    if constexpr (R == 2 && stencil_band_exists(input, sums)) {
      using Band             = Cuda::BandStencil<A, Element, Result>;
      auto const operands    = plan.product && Band::takes(grid)
                                   ? Band::operands(*plan.product)
                                   : Cuda::BandOperands::none;
      problem.band_operands  = operands != Cuda::BandOperands::none;
      problem.band_in_pieces = operands == Cuda::BandOperands::sums;
    }
    if constexpr (R == 2 && stencil_dense_band_exists(input, sums)) {
      using Dense            = Cuda::DenseBandStencil<A, Element>;
      problem.dense_operands = Dense::takes(plan.kernel_weights);
      problem.dense_rows     = Dense::takes_rows(grid);
      problem.dense_in_pieces =
          problem.dense_operands &&
          !Cuda::DenseBandOperands<Element>::are_exact(plan.kernel_weights);
    }
  }

  template <class A, class Element, int R, class Sink>
  static void run(Kokkos::Cuda const& exec, StencilGrid<Element, R> const& grid,
                  StencilPlan<R> const& plan, StencilKernel kernel,
                  Sink const& sink) {
    constexpr Scalar input = scalar_v<Element>;
    constexpr Scalar sums  = scalar_v<A>;
    Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    switch (kernel) {
      case StencilKernel::separable:
        if constexpr (R == 3) {
          Cuda::launch_separable_volume<A>(exec, grid, *plan.product, sink);
        } else {
          Cuda::launch_separable_stencil<A, R>(exec, grid, *plan.product,
                                               plan.box_of_ones, sink);
        }
        return;
      case StencilKernel::direct:
        return Cuda::launch_direct_stencil<A, R>(exec, grid,
                                                 plan.kernel_weights, sink);
      case StencilKernel::band:
        if constexpr (R == 2 && stencil_band_exists(input, sums)) {
          Cuda::launch_band_stencil<A>(exec, grid, *plan.product, sink);
        }
        return;
      case StencilKernel::dense_band:
        if constexpr (R == 2 && stencil_dense_band_exists(input, sums)) {
          Cuda::launch_dense_band_stencil<A>(exec, grid, plan.kernel_weights,
                                             sink);
        }
        return;
    }
  }

  /// Whether sweeps for several steps are compiled.
  template <class A, class Element, class Result, int R>
  static constexpr bool fuses =
      R < 3 && std::is_floating_point_v<A>&& std::is_same_v<A, Element>&&
                   std::is_same_v<A, Result>;

  template <std::size_t R>
  static bool takes_fused(std::array<std::vector<double>, R> const& factors) {
    return Cuda::takes_fused(factors);
  }

  /// A sweep for several steps, and what of it is done step by step.
  template <class A, int R, class Sink>
  static void run_fused(std::string const& label, Kokkos::Cuda const& exec,
                        StencilGrid<A, R> const& grid,
                        StencilPlan<R> const& plan, int steps,
                        Sink const& sink) {
    AnnouncedKernel const announced(label, exec);
    Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    Cuda::launch_fused_stencil<A, R>(exec, grid, compose(*plan.product, steps),
                                     sink);
    Cuda::launch_fusion_strips<A, R>(exec, grid, plan, steps, sink);
  }
};
#endif

}  // namespace KokkosMMA::Impl

#endif
