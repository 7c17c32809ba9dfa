// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WAITED_ROUTE_HPP
#define KOKKOSMMA_WAITED_ROUTE_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

namespace KokkosMMA::Impl {

/// Kokkos' own code does not wait for a result on the host.
inline Route waited(Kokkos::Cuda const& exec, Route ran, bool on_device) {
  if (ran == Route::generic && !on_device)
    exec.fence("KokkosMMA: fence due to the result being on the host");
  return ran;
}

}  // namespace KokkosMMA::Impl

#endif
#endif
