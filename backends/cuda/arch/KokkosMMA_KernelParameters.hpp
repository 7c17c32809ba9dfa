// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_KERNEL_PARAMETERS_HPP
#define KOKKOSMMA_CUDA_ARCH_KERNEL_PARAMETERS_HPP

#include <cuda_runtime.h>

/// \file
/// Language features for kernels: their parameters and their shared memory.

/// Qualifier of a kernel's parameter that may be large or have arrays. Without
/// it, access through a reference or a variable index copies the parameter to
/// local memory in each thread. Nothing may write to the parameter. A functor
/// of the application may write to its `mutable` members, so a kernel that
/// receives one has a variant in which each thread has a copy (Argument).
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
