// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BITS_HPP
#define KOKKOSMMA_BITS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <bit>
#include <cstdint>

/// \file
/// Functions of the standard header bit and of bytes, on hosts and on devices.

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

/// Byte i of the result is byte (selector >> 4 * i) % 8 of the bytes of `low`,
/// 0 to 3, and of `high`, 4 to 7.
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t permute_bytes(
    std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  return __byte_perm(low, high, selector);
#else
  std::uint64_t const both = std::uint64_t(high) << 32 | low;
  std::uint32_t picked     = 0;
  for (int b = 0; b < 4; ++b)
    picked |= std::uint32_t(both >> 8 * (selector >> 4 * b & 7) & 255) << 8 * b;
  return picked;
#endif
}

}  // namespace KokkosMMA::Impl

#endif
