// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_RELAXED_HPP
#define KOKKOSMMA_CUDA_ARCH_RELAXED_HPP

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// 8-byte accesses that other blocks see whole and in no order with any other
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
  __device__ static void store(std::uint64_t* to, std::uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0],%1;" ::"l"(to), "l"(value)
                 : "memory");
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
