// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HOST_DEVICE_HPP
#define KOKKOSMMA_HOST_DEVICE_HPP

#include <bit>
#include <cstdint>

/// \file
/// What functions of core need to run on hosts and on devices, without Kokkos.

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

namespace KokkosMMA::Impl {

/// As std::bit_cast, which nvcc compiles for the host only.
template <class To, class From>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr To bit_cast(From const& from) {
  return __builtin_bit_cast(To, from);
}

KOKKOSMMA_FORCEINLINE_FUNCTION int popcount(std::uint32_t bits) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}

/// Number of zeros above the highest bit that is set.
KOKKOSMMA_FORCEINLINE_FUNCTION int countl_zero(std::uint32_t bits) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  return __clz(int(bits));
#else
  return std::countl_zero(bits);
#endif
}
KOKKOSMMA_FORCEINLINE_FUNCTION int countl_zero(std::uint64_t bits) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  return __clzll(static_cast<long long>(bits));
#else
  return std::countl_zero(bits);
#endif
}

/// Number of zeros below the lowest bit that is set; one must be.
KOKKOSMMA_FORCEINLINE_FUNCTION int countr_zero(std::uint32_t bits) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  return __ffs(int(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

}  // namespace KokkosMMA::Impl

#endif
