// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_BARRIER_HPP
#define KOKKOSMMA_CUDA_ARCH_BARRIER_HPP

namespace KokkosMMA::Impl::Cuda {

/// Barrier `Id` of `Threads` threads of a block, whole warps; __syncthreads()
/// is barrier 0. As __syncthreads(), it orders accesses to shared memory.
template <int Id, int Threads>
struct PartialBarrier {
  __device__ static void wait() {
    asm volatile("bar.sync %0,%1;" ::"n"(Id), "n"(Threads) : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
