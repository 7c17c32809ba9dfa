// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COMPILED_HALF_STENCILS_HPP
#define KOKKOSMMA_COMPILED_HALF_STENCILS_HPP

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

/// \file
/// The stencils of Kokkos' 16-bit types that libkokkosmma_kernels contains if
/// KokkosMMA_KERNEL_TYPES names them. A library with `half` or `bhalf` is of
/// the application's version of Kokkos.

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/stencil/KokkosMMA_CompiledStencils.hpp>

namespace KokkosMMA::Impl::Cuda {

#ifdef KOKKOSMMA_COMPILED_half
KOKKOSMMA_IMPL_STENCILS(extern, Kokkos::Experimental::half_t, float)
#endif
#ifdef KOKKOSMMA_COMPILED_bhalf
KOKKOSMMA_IMPL_STENCILS(extern, Kokkos::Experimental::bhalf_t, float)
#endif

}  // namespace KokkosMMA::Impl::Cuda
#endif

#endif
