// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HOST_SPACE_HPP
#define KOKKOSMMA_HOST_SPACE_HPP

#include <Kokkos_Core.hpp>

namespace KokkosMMA::Impl {

/// Whether kernels of a space run on the host. That the host reaches the memory
/// of a space does not tell: Kokkos can be built to give Cuda such memory.
template <class Exec>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

}  // namespace KokkosMMA::Impl

#endif
