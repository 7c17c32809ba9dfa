// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_KNOWN_KOKKOS_HPP
#define KOKKOSMMA_KNOWN_KOKKOS_HPP

/// \file
/// Minor versions of Kokkos that this version of kokkos-mma supports. Its
/// kernels run inside Kokkos' dispatch, by partial specialisations of classes
/// that may change with each minor version. With another Kokkos nothing is
/// intercepted, and KokkosMMA:: calls use Kokkos' public API.
/// docs/kokkos_versions.md lists the versions that ran on a GPU.
/// Also the names of this Kokkos' execution spaces.

#include <Kokkos_Macros.hpp>

/// Known versions, as major * 100 + minor. cmake/KokkosMMA_known_kokkos.cmake
/// parses this definition.
#define KOKKOSMMA_IMPL_IS_KNOWN_MINOR(minor)                               \
  ((minor) == 406 || (minor) == 407 || (minor) == 500 || (minor) == 501 || \
   (minor) == 502)

// Function-like macros, so that a file without this include does not compile.
#if defined(KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS) || \
    KOKKOSMMA_IMPL_IS_KNOWN_MINOR(KOKKOS_VERSION / 100)
#define KOKKOSMMA_IMPL_KNOWN_KOKKOS() 1
#else
#define KOKKOSMMA_IMPL_KNOWN_KOKKOS() 0
#endif
/// Whether this library's kernels are compiled and may run on Kokkos::Cuda.
#if defined(KOKKOS_ENABLE_CUDA) && KOKKOSMMA_IMPL_KNOWN_KOKKOS()
#define KOKKOSMMA_IMPL_ON_CUDA() 1
#else
#define KOKKOSMMA_IMPL_ON_CUDA() 0
#endif

#if !KOKKOSMMA_IMPL_KNOWN_KOKKOS() && !defined(__CUDA_ARCH__)
#include <adapters/kokkos/KokkosMMA_UnknownKokkos.hpp>
#endif

namespace KokkosMMA::Impl {

/// Names of the enabled execution spaces, a blank before each.
inline constexpr char const* enabled_spaces =
    ""
#if defined(KOKKOS_ENABLE_SERIAL)
    " Serial"
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
    " OpenMP"
#endif
#if defined(KOKKOS_ENABLE_THREADS)
    " Threads"
#endif
#if defined(KOKKOS_ENABLE_CUDA)
    " Cuda"
#endif
#if defined(KOKKOS_ENABLE_HIP)
    " HIP"
#endif
#if defined(KOKKOS_ENABLE_SYCL)
    " SYCL"
#endif
    ;

}  // namespace KokkosMMA::Impl

#endif
