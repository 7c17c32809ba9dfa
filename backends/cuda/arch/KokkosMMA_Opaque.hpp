// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_OPAQUE_HPP
#define KOKKOSMMA_CUDA_ARCH_OPAQUE_HPP

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Optimization barriers without instructions: the compiler no longer knows the
/// value, and computes what depends on it at its use, not before a loop.
struct Opaque {
  __device__ static void hide(int& value) { asm volatile("" : "+r"(value)); }
  __device__ static void hide(unsigned& value) {
    asm volatile("" : "+r"(value));
  }
  __device__ static void hide(std::int64_t& value) {
    asm volatile("" : "+l"(value));
  }
  __device__ static void hide(std::uint64_t& value) {
    asm volatile("" : "+l"(value));
  }
  __device__ static void hide(unsigned char const*& value) {
    asm volatile("" : "+l"(value));
  }
  /// Completes stores before, and reloads memory after this point.
  __device__ static void memory() { asm volatile("" ::: "memory"); }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
