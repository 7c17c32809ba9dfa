// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HOST_SPACE_HPP
#define KOKKOSMMA_HOST_SPACE_HPP

#include <Kokkos_Core.hpp>

namespace KokkosMMA::Impl {

/// Whether kernels of a space run on the host. Host access to its memory is no
/// test: Kokkos can be built with host-accessible memory for Cuda.
template <class Exec>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

}  // namespace KokkosMMA::Impl

#endif
