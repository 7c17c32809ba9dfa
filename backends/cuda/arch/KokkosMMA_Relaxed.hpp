// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_RELAXED_HPP
#define KOKKOSMMA_CUDA_ARCH_RELAXED_HPP

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// 8-byte accesses that other blocks see whole, but not ordered with any other
/// access (PTX ISA, memory consistency model); each element of a vector is one.
struct Relaxed64 {
  __device__ static std::uint64_t load(std::uint64_t const* from) {
    std::uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0,[%1];"
                 : "=l"(value)
                 : "l"(from)
                 : "memory");
    return value;
  }
  /// Combines the halves here, from registers of 32 bits. If the low half comes
  /// from padding that is never written, ptxas 13.0 computes with arbitrary
  /// bits for it, and a sum of 64 bits had a wrong high half.
  __device__ static void store(std::uint64_t* to, std::uint32_t low,
                               std::uint32_t high) {
    asm volatile(
        "{\n"
        ".reg .b64 both;\n"
        "mov.b64 both,{%1,%2};\n"
        "st.relaxed.gpu.global.u64 [%0],both;\n"
        "}" ::"l"(to),
        "r"(low), "r"(high)
        : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
