// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_MIN_BLOCKS_HPP
#define KOKKOSMMA_CUDA_MIN_BLOCKS_HPP

namespace KokkosMMA::Impl::Cuda {

/// Cap of a kernel's registers, as blocks per multiprocessor: `Tuned` from
/// sm_90 on, at most `Before` on older devices, where ptxas 13.0 spills under
/// caps that suit sm_90. Grid sizes follow the tunings everywhere.
template <int Tuned, int Before>
inline constexpr int min_blocks_of =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    Tuned < Before ? Tuned : Before;
#else
    Tuned;
#endif

}  // namespace KokkosMMA::Impl::Cuda

#endif
