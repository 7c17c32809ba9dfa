// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_TICKET_HPP
#define KOKKOSMMA_EMULATED_DEVICE_TICKET_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

struct AtomicIncrementAcquireRelease {
  static unsigned fetch(unsigned* counter, unsigned last) {
    return atomicInc(counter, last);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
