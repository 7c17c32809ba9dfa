// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_SHARED_BARRIER_HPP
#define KOKKOSMMA_CUDA_ARCH_SHARED_BARRIER_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Barrier in shared memory ("mbarrier"). A phase ends after the number of
/// arrivals that init() sets. Accesses before the arrivals are ordered before
/// those after a wait for the end of the phase.
class SharedBarrier {
 public:
  /// \param place address of 8 bytes in shared memory
  __device__ explicit SharedBarrier(unsigned place) : m_place(place) {}
  /// Called by one thread; others may use it after __syncthreads().
  __device__ void init(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(m_place),
                 "r"(arrivals)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile(
        "{\n\t"
        ".reg .b64 state;\n\t"
        "mbarrier.arrive.shared::cta.b64 state,[%0];\n\t"
        "}" ::"r"(m_place)
        : "memory");
  }
  /// Arrives and makes the phase wait for `bytes` of CopyBulk too. (sm_90)
  __device__ void arrive_expecting(unsigned bytes) {
    asm volatile(
        "{\n\t"
        ".reg .b64 state;\n\t"
        "mbarrier.arrive.expect_tx.shared::cta.b64 state,[%0],%1;\n\t"
        "}" ::"r"(m_place),
        "r"(bytes)
        : "memory");
  }
  /// Arrives when all earlier cp.async of this thread are complete.
  __device__ void arrive_behind_copies() {
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(m_place)
        : "memory");
  }
  /// Waits for the end of the phase of this parity, the first being 0. The
  /// barrier must not be more than one phase ahead.
  __device__ void wait(unsigned parity) {
    asm volatile(
        "{\n\t"
        ".reg .pred ended;\n\t"
        "again:\n\t"
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        "mbarrier.try_wait.parity.shared::cta.b64 ended,[%0],%1;\n\t"
#else
        "mbarrier.test_wait.parity.shared::cta.b64 ended,[%0],%1;\n\t"
#endif
        "@!ended bra again;\n\t"
        "}" ::"r"(m_place),
        "r"(parity)
        : "memory");
  }
  __device__ unsigned place() const { return m_place; }

 private:
  unsigned m_place;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
