// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_KERNEL_HPP
#define KOKKOSMMA_CUDA_ARCH_KERNEL_HPP

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

/// \file
/// Language features for kernels: their launch and their shared memory.

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

/// Qualifier of a kernel's parameter that may be large or have arrays. Without
/// it, access through a reference or a variable index copies the parameter to
/// local memory in each thread. Nothing may write to the parameter. A functor
/// of the application may write to its `mutable` members, so a kernel that
/// receives one has a variant, by_value, in which each thread has a copy.
/// Compute capability 7.0 and newer.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define KOKKOSMMA_GRID_CONSTANT __grid_constant__
#else
#define KOKKOSMMA_GRID_CONSTANT
#endif

/// Declares `name`, the array of the bytes that the launch requested. (nvcc
/// 13.0 generated other code for a function that returned a pointer to them.)
#define KOKKOSMMA_DYNAMIC_SHARED(Type, alignment, name) \
  extern __shared__ __align__(alignment)                \
  Type name[]

#endif
