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

#include <core/base/KokkosMMA_Verbose.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdio>

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

/// Rejects an unknown Kokkos in a template of `type` that needs Kokkos'
/// internals.
#define KOKKOSMMA_IMPL_CHECK_KNOWN_KOKKOS(name, type)                          \
  static_assert(                                                               \
      KokkosMMA::Impl::known_kokkos<type>, name                                \
      ": this kokkos-mma does not know this version of Kokkos, "               \
      "and the policy would specialise its classes. Call the function of "     \
      "KokkosMMA:: instead, use another version of either library, or define " \
      "KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS to try it")

namespace KokkosMMA::Impl {

template <class>
inline constexpr bool known_kokkos = KOKKOSMMA_IMPL_KNOWN_KOKKOS();

#if !KOKKOSMMA_IMPL_KNOWN_KOKKOS() && !defined(__CUDA_ARCH__)
#if !defined(KOKKOSMMA_QUIET)
#pragma message( \
    "kokkos-mma does not know this version of Kokkos: Kokkos' own code runs. A newer kokkos-mma may know it; KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS intercepts anyway, KOKKOSMMA_QUIET drops this message.")
#endif

[[gnu::cold]] inline bool announce_unknown_kokkos() {
  if (environment_verbose())
    std::fprintf(
        stderr,
        "KokkosMMA: kernels and drop-in inactive: Kokkos %d.%d is not known to "
        "this version of kokkos-mma, Kokkos' own code runs; "
        "-DKOKKOSMMA_ENABLE_UNKNOWN_KOKKOS intercepts anyway\n",
        KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100);
  return true;
}
/// Initialised before main, once per program.
inline bool const unknown_kokkos_announced = announce_unknown_kokkos();
#endif

}  // namespace KokkosMMA::Impl

#endif
