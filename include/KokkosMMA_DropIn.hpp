// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DROP_IN_HPP
#define KOKKOSMMA_DROP_IN_HPP

/// \file
/// Forced include for an unmodified Kokkos application (`-include`, or the
/// target KokkosMMA::drop_in): its own Kokkos::parallel_reduce calls on Cuda
/// take the routes of this library. In every other translation unit, such as a
/// compiler check of CMake, a C source or one below C++20, it does nothing.

#if defined(__cplusplus) && __cplusplus >= 202002L
#if __has_include(<Kokkos_Core.hpp>)

#include <adapters/kokkos/KokkosMMA_DropInRoutes.hpp>
#include <core/KokkosMMA_Version.hpp>

#endif
#endif
#endif
