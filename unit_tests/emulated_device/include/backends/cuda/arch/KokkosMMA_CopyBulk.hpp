// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_COPY_BULK_HPP
#define KOKKOSMMA_EMULATED_DEVICE_COPY_BULK_HPP

#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

namespace KokkosMMA::Impl::Cuda {

struct CopyBulk {
  /// In one block, and not in the next: both ways are run.
  static bool exists() { return blockIdx.x % 2 == 0; }
  static void copy(void* to, void const* from, unsigned bytes,
                   SharedBarrier barrier) {
    barrier.copy(to, from, bytes);
  }
  /// Reads both ends, so that sanitizers report memory that is not there.
  static void prefetch(void const* from, unsigned bytes) {
    if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0 || bytes % 16 != 0)
      Testing::EmulatedDevice::fail(
          "a prefetch is not of whole vectors of 16 bytes");
    auto const* const at = static_cast<unsigned char const volatile*>(from);
    (void)at[0];
    (void)at[bytes - 1];
  }
  static void order_writes() {}
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
