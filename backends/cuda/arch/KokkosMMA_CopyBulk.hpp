// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_COPY_BULK_HPP
#define KOKKOSMMA_CUDA_ARCH_COPY_BULK_HPP

#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Asynchronous copy of whole rows from global to shared memory, or to L2, one
/// instruction of one thread per row.
struct CopyBulk {
  /// True from sm_90 on; elsewhere prefetch() does nothing, and no other
  /// function may be called.
  __device__ static constexpr bool exists() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return true;
#else
    return false;
#endif
  }
  /// Copies `bytes`, which the barrier must expect in its current phase.
  /// Addresses and sizes are multiples of 16.
  __device__ static void copy(void* to, void const* from, unsigned bytes,
                              SharedBarrier barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0],[%1],%2,[%3];" ::"r"(unsigned(__cvta_generic_to_shared(to))),
        "l"(from), "r"(bytes), "r"(barrier.place())
        : "memory");
#endif
  }
  /// Loads `bytes` into L2. Addresses and sizes are multiples of 16.
  __device__ static void prefetch(void const* from, unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0],%1;" ::"l"(from),
                 "r"(bytes)
                 : "memory");
#endif
  }
  /// Orders earlier writes to shared memory, including those to barriers,
  /// before later copies.
  __device__ static void order_writes() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
