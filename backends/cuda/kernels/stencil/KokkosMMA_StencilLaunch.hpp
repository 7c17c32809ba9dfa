// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/volumes/KokkosMMA_SeparableVolume.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilLaunch.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <type_traits>

/// \file
/// Launch of the kernel that was chosen for a stencil. These functions know
/// pointers, extents and strides, but no Views. For some types they are
/// compiled once, into libkokkosmma_kernels.

namespace KokkosMMA::Impl::Cuda {

/// Sets the MMA operands of the weights.
/// \tparam Result void for functors
template <class A, class Element, class Result, int R>
void find_mma_operands(FactoredWeights<R> const& factored,
                       StencilProblem& problem) {
  constexpr Scalar input = scalar_v<Element>;
  constexpr Scalar sums  = scalar_v<A>;
  if constexpr (R == 2 && stencil_band_exists(input, sums)) {
    using Band = BandStencil<A, Element, Result>;
    if (factored.product) {
      problem.factors    = Band::operands(*factored.product);
      problem.large_band = Band::is_large(*factored.product);
    }
  }
  if constexpr (R == 2 && stencil_dense_band_exists(input, sums)) {
    problem.exact_weights = takes_dense_band<Element>(factored.kernel_weights);
  }
}

/// Launches one step of a stencil on a kernel that supports its types.
/// \pre the grid has elements
template <class A, class Element, int R, class Epilogue>
void launch_stencil(Stream const& stream, StencilGrid<Element, R> const& grid,
                    FactoredWeights<R> const& factored, StencilKernel kernel,
                    Epilogue const& epilogue) {
  [[maybe_unused]] constexpr Scalar input = scalar_v<Element>;
  [[maybe_unused]] constexpr Scalar sums  = scalar_v<A>;
  check(cudaSetDevice(stream.device), "cudaSetDevice");
  if constexpr (R == 3) {
    // Direct kernels skip zero weights; this one multiplies by them.
    bool const multiplies = kernel == StencilKernel::separable ||
                            (factored.product && !factored.has_zero_factor());
    if (multiplies) {
      if (launch_product_sweep<A>(stream, grid, *factored.product, epilogue))
        return;
      // The alignment of rows must not change the order of sums: memory
      // between two steps is aligned differently from the caller's.
      if (std::is_floating_point_v<A> &&
          has_product_sweep<Element, Epilogue>(*factored.product))
        kernel = StencilKernel::separable;
    }
  }
  switch (kernel) {
    case StencilKernel::separable:
      if constexpr (R == 3) {
        launch_separable_volume<A>(stream, grid, *factored.product, epilogue);
      } else {
        launch_separable_stencil<A, R>(stream, grid, *factored.product,
                                       factored.is_box, epilogue);
      }
      return;
    case StencilKernel::direct:
      return launch_direct_stencil<A, R>(stream, grid, factored.kernel_weights,
                                         epilogue);
    case StencilKernel::band:
      if constexpr (R == 2 && stencil_band_exists(input, sums)) {
        launch_band_stencil<A>(stream, grid, *factored.product, epilogue);
      }
      return;
    case StencilKernel::dense_band:
      if constexpr (R == 2 && stencil_dense_band_exists(input, sums)) {
        launch_dense_band_stencil<A>(stream, grid, factored.kernel_weights,
                                     epilogue);
      }
      return;
  }
}

/// Launches several steps of a stencil in one kernel, at most steps_of_sweep()
/// and steps_in_grid().
template <class A, class Element, int R, class Epilogue, class Update>
void launch_stencil_steps(Stream const& stream,
                          StencilGrid<Element, R> const& grid,
                          FactoredWeights<R> const& factored, StepForm form,
                          int steps, Epilogue const& epilogue,
                          Update const& update) {
  check(cudaSetDevice(stream.device), "cudaSetDevice");
  launch_step_stencil<A, Element>(stream, grid, factored, form, steps, epilogue,
                                  update);
}

// The stencils that libkokkosmma_kernels contains: sums of a View into a View
// of the same type, in the default accumulator. A source that calls them has
// no kernel of its own. cmake/KokkosMMA_library.cmake defines a macro for each
// type of KokkosMMA_KERNEL_TYPES; adapters/algorithms/stencil/
// KokkosMMA_StencilKernels.hpp declares those of Kokkos' 16-bit types. Without
// its macro, and for functors and other pairs of types, each source with a call
// compiles its kernels. One call of stencil() with 2D Views of floats: 102 s of
// nvcc and an object of 6.3 MB with kernels, 20 s and .5 MB without (CUDA 13.0,
// -O3, sm_90, 2026-11-29).

// `keyword` is `extern` for declarations and nothing for definitions.
#define KOKKOSMMA_IMPL_STENCILS_OF_RANK(keyword, Element, Sum, R) \
  keyword template void launch_stencil<Sum>(                      \
      Stream const&, StencilGrid<Element, R> const&,              \
      FactoredWeights<R> const&, StencilKernel,                   \
      StencilTarget<Element, R> const&);                          \
  keyword template void launch_stencil_steps<Sum>(                \
      Stream const&, StencilGrid<Element, R> const&,              \
      FactoredWeights<R> const&, StepForm, int,                   \
      StencilTarget<Element, R> const&, NoUpdate const&);
#define KOKKOSMMA_IMPL_STENCILS(keyword, Element, Sum)      \
  KOKKOSMMA_IMPL_STENCILS_OF_RANK(keyword, Element, Sum, 1) \
  KOKKOSMMA_IMPL_STENCILS_OF_RANK(keyword, Element, Sum, 2) \
  KOKKOSMMA_IMPL_STENCILS_OF_RANK(keyword, Element, Sum, 3)

#ifdef KOKKOSMMA_COMPILED_float
KOKKOSMMA_IMPL_STENCILS(extern, float, float)
#endif
#ifdef KOKKOSMMA_COMPILED_double
KOKKOSMMA_IMPL_STENCILS(extern, double, double)
#endif

}  // namespace KokkosMMA::Impl::Cuda

#endif
