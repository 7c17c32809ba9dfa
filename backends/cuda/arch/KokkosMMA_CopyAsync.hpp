// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_COPY_ASYNC_HPP
#define KOKKOSMMA_CUDA_ARCH_COPY_ASYNC_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Bytes of shared memory to skip before rows that begin `margin` bytes before
/// a 32-byte sector, so that these rows have whole sectors there. A sector
/// whose halves two lanes copy to different sectors is read twice: 1.5 times
/// the sectors if every other row does so (ncu, H200, 2026-11-22).
constexpr int sector_lead(int margin) { return (32 - margin % 32) % 32; }

/// Asynchronous copy of 16 bytes from global to shared memory, past L1.
struct CopyAsync16 {
  __device__ static void copy(void* to, void const* from) {
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
  }
  /// Copies the first `valid` bytes synchronously, and zeros after them. (The
  /// instruction supports a number of valid bytes, but reads all 16: memcheck,
  /// CUDA 13.0, H200, 2026-11-21.)
  __device__ static void copy_some(unsigned char* to, unsigned char const* from,
                                   int valid) {
#pragma unroll 1
    for (int b = 0; b < 16; ++b) to[b] = b < valid ? from[b] : 0;
  }
  /// Ends a group of copies of this thread.
  __device__ static void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  /// Waits until no more than `Pending` groups of this thread are in flight.
  template <int Pending>
  __device__ static void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
  }
};

/// Asynchronous copy of 4 or 8 bytes, through L1, in CopyAsync16's groups.
template <int Bytes>
struct CopyAsyncWord {
  static_assert(Bytes == 4 || Bytes == 8);
  __device__ static void copy(void* to, void const* from) {
    asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "n"(Bytes)
                 : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
