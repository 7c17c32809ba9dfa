// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_GRAPH_NODE_HPP
#define KOKKOSMMA_CUDA_GRAPH_NODE_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_GraphPlace.hpp>

#include <cuda_runtime.h>

/// \file
/// Kernels as nodes of a CUDA graph to which others add nodes as well. Compiled
/// once, in libkokkosmma.

namespace KokkosMMA::Impl::Cuda {

/// Adds a kernel node; the graph copies its arguments. The dependencies of a
/// node are known only when this host thread adds its next node to the graph.
/// Then grid.follows takes effect; the last node of a graph waits for all of
/// the kernel before it.
cudaError_t add_kernel_node(GraphPlace const& place, void const* kernel,
                            KernelGrid const& grid,
                            void const* const* arguments);

}  // namespace KokkosMMA::Impl::Cuda

#endif
