// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_RECIPROCAL_DIVISOR_HPP
#define KOKKOSMMA_RECIPROCAL_DIVISOR_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <bit>
#include <cstdint>

namespace KokkosMMA::Impl {

/// Division of numbers below 2^31 by a constant known at run time, by one
/// multiplication: with 2^(b-1) < d <= 2^b and m = ceil(2^(31+b) / d),
/// floor(n / d) = floor(n * m / 2^(31+b)).
/// Source: Granlund and Montgomery 1994, theorem 4.2 with 31-bit dividends.
struct ReciprocalDivisor {
  std::uint32_t divisor    = 1;
  std::uint32_t multiplier = 0x80000000u;
  std::uint32_t shift      = 31;

  constexpr ReciprocalDivisor() = default;
  constexpr explicit ReciprocalDivisor(std::uint32_t d)
      : divisor(d), shift(31 + std::uint32_t(std::bit_width(d - 1))) {
    multiplier = std::uint32_t(((std::uint64_t(1) << shift) + d - 1) / d);
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t quotient(std::uint32_t n) const {
    return std::uint32_t(std::uint64_t(n) * multiplier >> shift);
  }
};

/// The same without the divisor: both numbers are one load of a kernel.
struct Reciprocal {
  std::uint32_t multiplier = 0x80000000u;
  std::uint32_t shift      = 31;

  constexpr Reciprocal() = default;
  constexpr explicit Reciprocal(ReciprocalDivisor const& by)
      : multiplier(by.multiplier), shift(by.shift) {}

  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t quotient(std::uint32_t n) const {
    return std::uint32_t(std::uint64_t(n) * multiplier >> shift);
  }
};

}  // namespace KokkosMMA::Impl

#endif
