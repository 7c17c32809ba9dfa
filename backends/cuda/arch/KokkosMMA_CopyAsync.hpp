// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_COPY_ASYNC_HPP
#define KOKKOSMMA_CUDA_ARCH_COPY_ASYNC_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// 16 bytes from global to shared memory, past L1, while the thread goes on.
/// The first `valid` bytes are read, zeros take the place of the others.
struct CopyAsync16 {
  __device__ static void copy(void* to, void const* from, int valid) {
    asm volatile("cp.async.cg.shared.global [%0],[%1],16,%2;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(valid)
                 : "memory");
  }
  /// Ends a group of copies of this thread.
  __device__ static void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  /// Waits until no more than `Pending` groups of this thread are under way.
  template <int Pending>
  __device__ static void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
