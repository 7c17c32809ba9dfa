// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_GRAPH_PLACE_HPP
#define KOKKOSMMA_CUDA_GRAPH_PLACE_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Node to be added. Kokkos adds its dependencies afterwards.
struct GraphPlace {
  cudaGraph_t graph;
  cudaGraphNode_t* node;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
