// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PLUS_HPP
#define KOKKOSMMA_CUDA_PLUS_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Joiner of sums.
template <class T>
struct Plus {
  __device__ void init(T& value) const { value = T(0); }
  __device__ void join(T& into, T from) const { into += from; }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
