// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_RUN_KERNEL_HPP
#define KOKKOSMMA_CUDA_RUN_KERNEL_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>

namespace KokkosMMA::Impl::Cuda {

/// A kernel as a struct: `threads` and `min_blocks` (0 for none) are its launch
/// bounds, Task is its argument, which may be large, and run() its function.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, Kernel::min_blocks)
    run_kernel(KOKKOSMMA_GRID_CONSTANT typename Kernel::Task const task) {
  Kernel::run(task);
}

/// The same with a copy of the argument in each thread: a functor of the
/// application may write to its `mutable` members.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, Kernel::min_blocks)
    run_kernel_on_copy(typename Kernel::Task const task) {
  Kernel::run(task);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
