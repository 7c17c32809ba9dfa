// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_COPY_ASYNC_HPP
#define KOKKOSMMA_EMULATED_DEVICE_COPY_ASYNC_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

constexpr int sector_lead(int margin) { return (32 - margin % 32) % 32; }

struct CopyAsync16 {
  static void copy(void* to, void const* from) {
    Testing::EmulatedDevice::copy_async(to, from, 16);
  }
  static void copy_some(unsigned char* to, unsigned char const* from,
                        int valid) {
    for (int b = 0; b < 16; ++b) to[b] = b < valid ? from[b] : 0;
  }
  static void commit() { Testing::EmulatedDevice::commit_copies(); }
  template <int Pending>
  static void wait() {
    Testing::EmulatedDevice::wait_for_copies(Pending);
  }
};

template <int Bytes>
struct CopyAsyncWord {
  static_assert(Bytes == 4 || Bytes == 8);
  static void copy(void* to, void const* from) {
    Testing::EmulatedDevice::copy_async(to, from, Bytes);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
