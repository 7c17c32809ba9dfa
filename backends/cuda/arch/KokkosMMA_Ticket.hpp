// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_TICKET_HPP
#define KOKKOSMMA_CUDA_ARCH_TICKET_HPP

namespace KokkosMMA::Impl::Cuda {

/// Counter of the blocks that have published their partial results. It wraps to
/// 0 after the last, ready for the next launch. Release makes the caller's
/// earlier stores visible to the block with the last ticket, acquire shows it
/// those of others; a __threadfence orders more.
struct AtomicIncrementAcquireRelease {
  __device__ static unsigned fetch(unsigned* counter, unsigned last) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0,[%1],%2;"
                 : "=r"(before)
                 : "l"(counter), "r"(last)
                 : "memory");
    return before;
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
