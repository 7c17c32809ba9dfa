// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COMPILED_STENCILS_HPP
#define KOKKOSMMA_COMPILED_STENCILS_HPP

#include <backends/cuda/kernels/stencil/KokkosMMA_StencilLaunch.hpp>

/// \file
/// The stencils that libkokkosmma_kernels contains: sums of a View into a View
/// of the same type, in the default accumulator. A source that calls them has
/// no kernel of its own. cmake/KokkosMMA_library.cmake defines a macro for each
/// type of KokkosMMA_KERNEL_TYPES;
/// adapters/algorithms/stencil/KokkosMMA_CompiledHalfStencils.hpp declares
/// those of Kokkos' 16-bit types. Without its macro, and for functors and other
/// pairs of types, each source with a call compiles its kernels.
///
/// One call of stencil() with 2D Views of floats: 102 s of nvcc and an object
/// of 6.3 MB with kernels, 20 s and .5 MB without (CUDA 13.0, -O3, sm_90,
/// 2026-11-29).

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

namespace KokkosMMA::Impl::Cuda {

#ifdef KOKKOSMMA_COMPILED_float
KOKKOSMMA_IMPL_STENCILS(extern, float, float)
#endif
#ifdef KOKKOSMMA_COMPILED_double
KOKKOSMMA_IMPL_STENCILS(extern, double, double)
#endif

}  // namespace KokkosMMA::Impl::Cuda

#endif
