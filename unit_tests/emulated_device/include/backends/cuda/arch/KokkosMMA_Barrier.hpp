// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_BARRIER_HPP
#define KOKKOSMMA_EMULATED_DEVICE_BARRIER_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

template <int Id, int Threads>
struct PartialBarrier {
  static void wait() { Testing::EmulatedDevice::barrier(Id, Threads); }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
