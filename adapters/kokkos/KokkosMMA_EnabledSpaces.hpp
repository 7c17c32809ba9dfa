// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ENABLED_SPACES_HPP
#define KOKKOSMMA_ENABLED_SPACES_HPP

#include <Kokkos_Macros.hpp>

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
