// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SPACE_CAPABILITY_HPP
#define KOKKOSMMA_SPACE_CAPABILITY_HPP

#include <core/KokkosMMA_Capability.hpp>

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <backends/cuda/KokkosMMA_Launch.hpp>
#endif

namespace KokkosMMA {

/// Capability of the device behind an execution-space instance.
template <class Exec>
Capability capability(Exec const& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return Impl::Cuda::capability(exec);
  }
#endif
  (void)exec;
  return {};
}

}  // namespace KokkosMMA

#endif
