// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_BARRIER_HPP
#define KOKKOSMMA_CUDA_ARCH_BARRIER_HPP

namespace KokkosMMA::Impl::Cuda {

/// Barrier `Id` of `Threads` threads of a block, whole warps. It orders
/// accesses to shared memory like __syncthreads(), which is barrier 0.
template <int Id, int Threads>
struct PartialBarrier {
  __device__ static void wait() {
    asm volatile("bar.sync %0,%1;" ::"n"(Id), "n"(Threads) : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
