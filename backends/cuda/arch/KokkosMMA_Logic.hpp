// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_LOGIC_HPP
#define KOKKOSMMA_CUDA_ARCH_LOGIC_HPP

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Any function of three bits, 32 at a time, as one instruction. `Table` is its
/// value for 0xf0, 0xcc and 0xaa. As expressions, the carries of an adder
/// become up to three instructions (nvcc 13.0): the compiler prefers common
/// subexpressions.
template <int Table>
struct Logic {
  __device__ static std::uint32_t of(std::uint32_t a, std::uint32_t b,
                                     std::uint32_t c) {
    std::uint32_t result;
    asm("lop3.b32 %0, %1, %2, %3, %4;"
        : "=r"(result)
        : "r"(a), "r"(b), "r"(c), "n"(Table));
    return result;
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
