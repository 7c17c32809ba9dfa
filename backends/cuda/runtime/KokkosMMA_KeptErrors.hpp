// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_KEPT_ERRORS_HPP
#define KOKKOSMMA_CUDA_KEPT_ERRORS_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

/// Whether a query of work in progress keeps the application's errors. Such
/// work is an error of the host thread, which would replace one that the
/// application has not queried yet.
inline bool queries_keep_errors() {
  return cudaPeekAtLastError() == cudaSuccess;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
