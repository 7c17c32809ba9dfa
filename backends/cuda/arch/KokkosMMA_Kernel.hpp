// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_KERNEL_HPP
#define KOKKOSMMA_CUDA_ARCH_KERNEL_HPP

#include <cuda_runtime.h>

#include <type_traits>

/// \file
/// What the language has of its own for kernels: their launch and their shared
/// memory.

namespace KokkosMMA::Impl::Cuda {

struct KernelGrid {
  dim3 blocks;
  dim3 threads;          ///< of a block
  int shared_bytes = 0;  ///< of KOKKOSMMA_DYNAMIC_SHARED
  /// The kernel calls GridDependency::wait: its blocks may come before the grid
  /// in front of it is done. For kernels that were compiled for sm_90.
  bool follows = false;
};

/// Puts a kernel into a stream and says whether it could. The error is that of
/// this launch: the last error of the host thread, which is all that <<<>>>
/// leaves, may be an older one that the application has handled.
/// \param arguments where each argument of the kernel lies
inline cudaError_t enqueue_kernel(cudaStream_t stream, void const* kernel,
                                  KernelGrid const& grid,
                                  void const* const* arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim          = grid.blocks;
  config.blockDim         = grid.threads;
  config.dynamicSmemBytes = std::size_t(grid.shared_bytes);
  config.stream           = stream;
  config.attrs            = &attribute;
  config.numAttrs         = grid.follows ? 1 : 0;
  return cudaLaunchKernelExC(&config, kernel, const_cast<void**>(arguments));
}

/// The arguments are passed on where they lie: cudaLaunchKernelEx copies each,
/// and for a functor with Views that is a page of code.
template <class... Parameters>
cudaError_t enqueue_kernel(
    cudaStream_t stream, void (*kernel)(Parameters...), KernelGrid const& grid,
    std::type_identity_t<Parameters> const&... arguments) {
  void const* const pointers[] = {static_cast<void const*>(&arguments)...};
  return enqueue_kernel(stream, reinterpret_cast<void const*>(kernel), grid,
                        pointers);
}

}  // namespace KokkosMMA::Impl::Cuda

/// Before the parameter of a kernel that may be large or have arrays: it is
/// read where it lies, also through a reference or an index that is not a
/// constant, for which a thread would otherwise copy it to local memory.
/// Nothing may write to it: an application's functor may write to its `mutable`
/// members, so a kernel that receives one has a second form, by_value, in which
/// each thread has a copy. Compute capability 7.0 and newer.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define KOKKOSMMA_GRID_CONSTANT __grid_constant__
#else
#define KOKKOSMMA_GRID_CONSTANT
#endif

/// Declares `name`, an array of the bytes that the launch requested. (From a
/// function that returned a pointer to them nvcc 13.0 made other code.)
#define KOKKOSMMA_DYNAMIC_SHARED(Type, alignment, name) \
  extern __shared__ __align__(alignment)                \
  Type name[]

#endif
