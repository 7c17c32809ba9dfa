// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_GRID_DEPENDENCY_HPP
#define KOKKOSMMA_EMULATED_DEVICE_GRID_DEPENDENCY_HPP

namespace KokkosMMA::Impl::Cuda {

// Grids run one behind the other here.
struct GridDependency {
  static void release() {}
  static void wait() {}
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
