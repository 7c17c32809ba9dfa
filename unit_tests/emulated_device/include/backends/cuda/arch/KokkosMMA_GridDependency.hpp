// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_GRID_DEPENDENCY_HPP
#define KOKKOSMMA_EMULATED_DEVICE_GRID_DEPENDENCY_HPP

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

// Grids run one after the other here; what is checked is that all threads of
// one that may not do so wait.
struct GridDependency {
  static inline std::uint64_t waits = 0;
  static void release() {}
  static void wait() { ++waits; }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
