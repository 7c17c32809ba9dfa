// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DROP_IN_HPP
#define KOKKOSMMA_DROP_IN_HPP

/// \file
/// Forced include for an unmodified Kokkos application (the compiler flag
/// `-include KokkosMMA_DropIn.hpp`, or the target KokkosMMA::drop_in). On
/// Kokkos::Cuda, calls of Kokkos::parallel_for, parallel_reduce and
/// parallel_scan run a kernel of this library if there is one for their types,
/// and otherwise Kokkos' own kernel. A loop over many indices runs the kernel
/// that was faster in the first calls of the loop. Results, asynchrony and
/// Kokkos Tools callbacks remain as Kokkos documents them. docs/drop_in.md
/// lists the calls.
///
/// The header does nothing in a translation unit that cannot include this
/// Kokkos: a compiler check of CMake, a C source, a source that the host
/// compiler compiles although Kokkos has CUDA, a source compiled without OpenMP
/// although Kokkos has OpenMP. Below C++20 it only prints a message, unless
/// KOKKOSMMA_QUIET is defined.

#if defined(__cplusplus)
#if __has_include(<Kokkos_Core.hpp>)

// Kokkos_Core.hpp of a Kokkos with CUDA, HIP or SYCL is an error in other
// compilers; with OpenMP it is an error without the compiler's OpenMP flag.
// KokkosCore_config.h can be included in any case if KOKKOS_MACROS_HPP is
// defined. It defines which spaces are enabled. Its guard and these macros are
// removed below, so that Kokkos includes it again.
#if !defined(KOKKOS_MACROS_HPP) && __has_include(<KokkosCore_config.h>)
#define KOKKOS_MACROS_HPP
#include <KokkosCore_config.h>
#undef KOKKOS_MACROS_HPP
#undef KOKKOS_CORE_CONFIG_H
#if (defined(KOKKOS_ENABLE_CUDA) && !defined(__CUDACC__)) ||            \
    (defined(KOKKOS_ENABLE_HIP) && !defined(__HIPCC__)) ||              \
    (defined(KOKKOS_ENABLE_SYCL) && !defined(SYCL_LANGUAGE_VERSION)) || \
    (defined(KOKKOS_ENABLE_OPENMP) && !defined(_OPENMP) &&              \
     !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__) &&     \
     !defined(__SYCL_DEVICE_ONLY__))
#define KOKKOSMMA_IMPL_NO_KOKKOS_HERE
#endif
#undef KOKKOS_ENABLE_CUDA
#undef KOKKOS_ENABLE_HIP
#undef KOKKOS_ENABLE_SYCL
#undef KOKKOS_ENABLE_OPENMP
#endif

#if defined(KOKKOSMMA_IMPL_NO_KOKKOS_HERE)
#elif __cplusplus < 202002L
#if !defined(KOKKOSMMA_QUIET) && !defined(__CUDA_ARCH__)
// Not #warning, which is an error with -Werror.
#pragma message( \
    "KokkosMMA_DropIn.hpp does nothing in this source, which is compiled below C++20. Compile it as C++20, or define KOKKOSMMA_QUIET.")
#endif
#else

#include <adapters/drop_in/KokkosMMA_DropInRoutes.hpp>
#include <core/base/KokkosMMA_Version.hpp>

#endif
#endif
#endif
#endif
