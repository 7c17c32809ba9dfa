// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_GraphNode.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

/// Last node added by this host thread whose kernel calls GridDependency::wait.
struct FollowingNode {
  cudaGraph_t graph    = nullptr;
  cudaGraphNode_t node = nullptr;
  void* function       = nullptr;

  static FollowingNode& last_of_this_thread() {
    thread_local FollowingNode last;
    return last;
  }
};

namespace {

/// Returns the kernel that is a node's only dependency, or null.
cudaGraphNode_t only_kernel_before(cudaGraphNode_t node) {
  cudaGraphNode_t before = nullptr;
  std::size_t count      = 0;
  cudaGraphNodeType type{};
#if CUDART_VERSION >= 13000
  cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count);
  if (count != 1) return nullptr;
  cudaGraphEdgeData edge{};
  cudaGraphNodeGetDependencies(node, &before, &edge, &count);
#else
  cudaGraphNodeGetDependencies(node, nullptr, &count);
  if (count != 1) return nullptr;
  cudaGraphNodeGetDependencies(node, &before, &count);
#endif
  return cudaGraphNodeGetType(before, &type) == cudaSuccess &&
                 type == cudaGraphNodeTypeKernel
             ? before
             : nullptr;
}

/// Whether the node is the same as before: after its graph is destroyed,
/// another one may have the same address.
bool is_still(FollowingNode const& last) {
  // Limits the cost of long chains, which is quadratic.
  constexpr std::size_t most_nodes = 1024;
  std::size_t count                = 0;
  if (cudaGraphGetNodes(last.graph, nullptr, &count) != cudaSuccess ||
      count > most_nodes)
    return false;
  std::vector<cudaGraphNode_t> nodes(count);
  if (cudaGraphGetNodes(last.graph, nodes.data(), &count) != cudaSuccess ||
      std::find(nodes.begin(), nodes.end(), last.node) == nodes.end())
    return false;
  cudaGraphNodeType type{};
  cudaKernelNodeParams now{};
  return cudaGraphNodeGetType(last.node, &type) == cudaSuccess &&
         type == cudaGraphNodeTypeKernel &&
         cudaGraphKernelNodeGetParams(last.node, &now) == cudaSuccess &&
         now.func == last.function;
}

/// Lets a node start as blocks of its predecessor finish; GridDependency::wait
/// preserves the order. No kernel here releases the next one earlier, whose
/// blocks would be in the way of its own. Five kernels of conjugate gradients,
/// 99856 unknowns: 12.5 us with whole edges, 11.3 with this, 12.9 with a
/// release at the start, 12.5 with one after the invocations (plain kernels in
/// a graph of fifty, H100, CUDA 13.0, 2026-11-26).
void follow_closely(FollowingNode const& last) {
  OwnErrors const errors;
  if (!is_still(last)) return;
  cudaGraphNode_t const before = only_kernel_before(last.node);
  if (before == nullptr) return;
  cudaGraphEdgeData edge{};
  edge.from_port = cudaGraphKernelNodePortProgrammatic;
  edge.type      = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
  cudaGraphEdgeData const whole{};
  if (cudaGraphRemoveDependencies(last.graph, &before, &last.node, &whole, 1) ==
          cudaSuccess &&
      cudaGraphAddDependencies(last.graph, &before, &last.node, &edge, 1) !=
          cudaSuccess)
    cudaGraphAddDependencies(last.graph, &before, &last.node, &whole, 1);
#else
  if (cudaGraphRemoveDependencies(last.graph, &before, &last.node, 1) ==
          cudaSuccess &&
      cudaGraphAddDependencies_v2(last.graph, &before, &last.node, &edge, 1) !=
          cudaSuccess)
    cudaGraphAddDependencies(last.graph, &before, &last.node, 1);
#endif
}

}  // namespace

cudaError_t add_kernel_node(GraphPlace const& place, void const* kernel,
                            KernelGrid const& grid,
                            void const* const* arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func           = const_cast<void*>(kernel);
  parameters.gridDim        = grid.blocks;
  parameters.blockDim       = grid.threads;
  parameters.sharedMemBytes = unsigned(grid.shared_bytes);
  parameters.kernelParams   = const_cast<void**>(arguments);
  FollowingNode& last       = FollowingNode::last_of_this_thread();
  if (last.graph == place.graph) follow_closely(last);
  last = {};
  cudaError_t const error =
      cudaGraphAddKernelNode(place.node, place.graph, nullptr, 0, &parameters);
  cudaKernelNodeParams kept{};
  if (error == cudaSuccess && grid.follows &&
      cudaGraphKernelNodeGetParams(*place.node, &kept) == cudaSuccess)
    last = {place.graph, *place.node, kept.func};
  return error;
}

}  // namespace KokkosMMA::Impl::Cuda
