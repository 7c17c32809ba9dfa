// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SPLIT_HPP
#define KOKKOSMMA_SPLIT_HPP

#include <Kokkos_Macros.hpp>
#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// A float as the sum of three bfloat16 numbers, each the upper half of a
/// 32-bit word: x = high + middle + low.
///
/// A float has 24 significant bits and each of the three holds 8 of them by
/// truncation; the two subtractions are exact. `lost` is what the last one
/// could not hold: it is 0 exactly when the split is exact. It is not 0 when x
/// is infinite or NaN (the remainders are NaN, whose low bits are set) and when
/// the last bits of x lie below 2^-133, the smallest bfloat16; such values take
/// a scalar path.
struct SplitFloat {
  std::uint32_t high;    ///< bfloat16 in bits 16..31, the rest to be ignored
  std::uint32_t middle;  ///< of the rest
  std::uint32_t low;     ///< of what is then left
  std::uint32_t lost;    ///< bits 0..15 of the last remainder
};

KOKKOS_FORCEINLINE_FUNCTION SplitFloat split_float(std::uint32_t bits) {
  constexpr std::uint32_t upper = 0xffff0000u;
  auto const value              = [](std::uint32_t word) {
    return Kokkos::bit_cast<float>(word);
  };
  auto const word = [](float number) -> std::uint32_t {
    // A GPU's NaN is 0x7fffffff (PTX ISA); low bits of a host's may be zero.
    KOKKOS_IF_ON_HOST((if (number != number) return 0x7fffffffu;))
    return Kokkos::bit_cast<std::uint32_t>(number);
  };
  std::uint32_t const middle = word(value(bits) - value(bits & upper));
  std::uint32_t const low    = word(value(middle) - value(middle & upper));
  return {bits, middle, low, low & ~upper};
}

/// The upper halves of two words as a pair of bfloat16, `first` in the low
/// half.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t pack_upper_halves(
    std::uint32_t first, std::uint32_t second) {
  return (first >> 16) | (second & 0xffff0000u);
}

}  // namespace KokkosMMA::Impl

#endif
