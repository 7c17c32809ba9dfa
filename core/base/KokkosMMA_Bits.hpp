// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BITS_HPP
#define KOKKOSMMA_BITS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <bit>
#include <cstdint>

/// \file
/// Functions of the standard header bit, on hosts and on devices.

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
