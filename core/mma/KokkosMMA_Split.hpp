// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SPLIT_HPP
#define KOKKOSMMA_SPLIT_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Float as the sum of three bfloat16 numbers, each in the upper half of a
/// 32-bit word: x = high + middle + low.
///
/// Each of the three holds 8 of the 24 significant bits by truncation; the two
/// subtractions are exact. `lost` has the bits that `low` cannot hold: the
/// split is exact if and only if it is 0. It is not 0 if x is infinite or NaN
/// (the remainders are NaN with low bits set), or if the last bits of x are
/// below 2^-133, the smallest bfloat16. These values use a scalar path.
struct SplitFloat {
  std::uint32_t high;    ///< bfloat16 in bits 16..31; ignore the others
  std::uint32_t middle;  ///< the same of x - high
  std::uint32_t low;     ///< the same of x - high - middle
  std::uint32_t lost;    ///< bits 0..15 of the last remainder
};

KOKKOSMMA_FORCEINLINE_FUNCTION SplitFloat split_float(std::uint32_t bits) {
  constexpr std::uint32_t upper = 0xffff0000u;
  auto const value = [](std::uint32_t word) { return bit_cast<float>(word); };
  auto const word  = [](float number) -> std::uint32_t {
#if !KOKKOSMMA_IMPL_ON_DEVICE()
    // A GPU's NaN is 0x7fffffff (PTX ISA); a host's may have zero low bits.
    if (number != number) return 0x7fffffffu;
#endif
    return bit_cast<std::uint32_t>(number);
  };
  std::uint32_t const middle = word(value(bits) - value(bits & upper));
  std::uint32_t const low    = word(value(middle) - value(middle & upper));
  return {bits, middle, low, low & ~upper};
}

/// Upper halves of two words as a pair of bfloat16, `first` in the low half.
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t pack_upper_halves(
    std::uint32_t first, std::uint32_t second) {
  return (first >> 16) | (second & 0xffff0000u);
}

}  // namespace KokkosMMA::Impl

#endif
