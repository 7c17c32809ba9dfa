// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_KERNEL_HPP
#define KOKKOSMMA_CUDA_ARCH_KERNEL_HPP

#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

/// \file
/// Launch of kernels.

namespace KokkosMMA::Impl::Cuda {

struct KernelGrid {
  dim3 blocks;
  dim3 threads;          ///< per block
  int shared_bytes = 0;  ///< of KOKKOSMMA_DYNAMIC_SHARED
  /// The kernel calls GridDependency::wait: its blocks may start before the
  /// previous grid is complete. For kernels that were compiled for sm_90.
  bool follows = false;
};

/// Launches a kernel and returns the error of this launch. The last error of
/// the host thread, which is all that <<<>>> leaves, may be an older one that
/// the application has handled.
/// \param arguments addresses of the kernel's arguments
inline cudaError_t enqueue_kernel(cudaStream_t stream, void const* kernel,
                                  KernelGrid const& grid,
                                  void const* const* arguments) {
  auto** const pointers = const_cast<void**>(arguments);
  auto const bytes      = std::size_t(grid.shared_bytes);
  // As <<<>>> does; an attribute is one more thing for the driver to read.
  if (!grid.follows)
    return cudaLaunchKernel(kernel, grid.blocks, grid.threads, pointers, bytes,
                            stream);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim          = grid.blocks;
  config.blockDim         = grid.threads;
  config.dynamicSmemBytes = bytes;
  config.stream           = stream;
  config.attrs            = &attribute;
  config.numAttrs         = 1;
  return cudaLaunchKernelExC(&config, kernel, pointers);
}

/// Launches a kernel by the addresses of its arguments: cudaLaunchKernelEx
/// copies each, which for a functor with Views is a page of code.
template <class... Parameters>
cudaError_t enqueue_kernel(
    cudaStream_t stream, void (*kernel)(Parameters...), KernelGrid const& grid,
    std::type_identity_t<Parameters> const&... arguments) {
  void const* const pointers[] = {static_cast<void const*>(&arguments)...};
  return enqueue_kernel(stream, reinterpret_cast<void const*>(kernel), grid,
                        pointers);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
