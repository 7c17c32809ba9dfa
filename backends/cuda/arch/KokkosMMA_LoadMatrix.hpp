// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_LOAD_MATRIX_HPP
#define KOKKOSMMA_CUDA_ARCH_LOAD_MATRIX_HPP

#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Load of four matrices of 8 rows of 16 bytes from shared memory: lane 8m + i
/// passes the address of row i of matrix m, lane 4g + q receives word q of row
/// g of each matrix.
struct LoadMatrix4 {
  __device__ static void load(std::uint32_t (&to)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(unsigned(__cvta_generic_to_shared(row)))
                 : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
