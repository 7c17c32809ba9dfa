// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HOST_DEVICE_HPP
#define KOKKOSMMA_HOST_DEVICE_HPP

/// \file
/// Functions of core that run on hosts and on devices, without Kokkos.

/// \cond
// Qualifiers of inline functions, and of those that are always inlined.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define KOKKOSMMA_INLINE_FUNCTION __host__ __device__ inline
#define KOKKOSMMA_FORCEINLINE_FUNCTION __host__ __device__ __forceinline__
#else
#define KOKKOSMMA_INLINE_FUNCTION inline
#define KOKKOSMMA_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#endif
/// \endcond

/// Whether this pass of the compiler makes code of a GPU.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define KOKKOSMMA_IMPL_ON_DEVICE() 1
#else
#define KOKKOSMMA_IMPL_ON_DEVICE() 0
#endif

#endif
