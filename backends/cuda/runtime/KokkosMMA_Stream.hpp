// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAM_HPP
#define KOKKOSMMA_CUDA_STREAM_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Stream of an execution-space instance, and its device.
struct Stream {
  int device;
  cudaStream_t handle;

  Stream(int device_id, cudaStream_t stream)
      : device(device_id), handle(stream) {}
  /// Of a Kokkos::Cuda, whose header the runtime does not include.
  template <class Space>
  requires requires(Space const& space) { space.cuda_stream(); }
  Stream(Space const& space)
      : device(space.cuda_device()), handle(space.cuda_stream()) {}
};

/// Node to be added. Kokkos adds its dependencies afterwards.
struct GraphPlace {
  cudaGraph_t graph;
  cudaGraphNode_t* node;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
