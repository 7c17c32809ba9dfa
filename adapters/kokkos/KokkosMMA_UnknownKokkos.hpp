// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_UNKNOWN_KOKKOS_HPP
#define KOKKOSMMA_UNKNOWN_KOKKOS_HPP

/// \file
/// Says that this version of Kokkos is not known. Only
/// KokkosMMA_KnownKokkos.hpp includes it.

#include <core/base/KokkosMMA_Verbose.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdio>

#if !defined(KOKKOSMMA_QUIET)
#pragma message( \
    "kokkos-mma does not know this version of Kokkos: Kokkos' own code runs. A newer kokkos-mma may know it; KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS intercepts anyway, KOKKOSMMA_QUIET drops this message.")
#endif

namespace KokkosMMA::Impl {

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

}  // namespace KokkosMMA::Impl

#endif
