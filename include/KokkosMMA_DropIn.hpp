// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DROP_IN_HPP
#define KOKKOSMMA_DROP_IN_HPP

/// \file
/// Forced include for an unmodified Kokkos application (the compiler flag
/// `-include KokkosMMA_DropIn.hpp`, or the target KokkosMMA::drop_in). Calls of
/// Kokkos::parallel_for, Kokkos::parallel_reduce and Kokkos::parallel_scan on
/// Kokkos::Cuda run a kernel of this library where it has one for their types,
/// and Kokkos' own kernel otherwise. A loop of many indices runs the kernel
/// that was faster in its first calls. Results, asynchrony and what Kokkos
/// Tools see stay as Kokkos promises them; docs/drop_in.md lists the calls and
/// the tests.
///
/// The header does nothing in a translation unit that cannot include this
/// Kokkos: a compiler check of CMake, a C source, a source of a project with
/// CUDA that its host compiler compiles, a source without OpenMP where Kokkos
/// has it. Below C++20 it does nothing and prints a message, unless
/// KOKKOSMMA_QUIET is defined.

#if defined(__cplusplus)
#if __has_include(<Kokkos_Core.hpp>)

// The headers of a Kokkos for a device stop every compiler that is not the
// device's; those of a Kokkos with OpenMP stop one that has not switched it on.
// Its configuration header by itself does not, if it sees this header as
// Kokkos_Macros.hpp. It is read again where Kokkos is included; without it the
// source would not know which spaces there are.
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
// No error with -Werror.
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
