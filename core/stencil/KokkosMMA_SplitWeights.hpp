// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SPLIT_WEIGHTS_HPP
#define KOKKOSMMA_SPLIT_WEIGHTS_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

/// \file
/// Stencil weights as sums of 16-bit floats, the operands of MMA with 16-bit
/// data.

namespace KokkosMMA::Impl {

/// 16-bit float nearest to x, ties to even; |x| is below the largest.
inline std::uint16_t encode_operand(double x, int exponent_bits,
                                    int fraction_bits) {
  std::uint16_t const sign = std::signbit(x) ? 0x8000 : 0;
  if (x == 0) return sign;
  int const bias     = (1 << (exponent_bits - 1)) - 1;
  int const exponent = std::max(std::ilogb(x), 1 - bias);
  // In units of the last place; a carry into the exponent is correct.
  auto const units = static_cast<std::int32_t>(
      std::nearbyint(std::ldexp(std::abs(x), fraction_bits - exponent)));
  return std::uint16_t(
      sign | std::uint16_t(((exponent + bias - 1) << fraction_bits) + units));
}
inline double decode_operand(std::uint16_t bits, int exponent_bits,
                             int fraction_bits) {
  int const bias     = (1 << (exponent_bits - 1)) - 1;
  int const exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  int const fraction = bits & ((1 << fraction_bits) - 1);
  double const magnitude =
      std::ldexp(double(exponent ? fraction + (1 << fraction_bits) : fraction),
                 std::max(exponent, 1) - bias - fraction_bits);
  return bits >> 15 ? -magnitude : magnitude;
}

struct HalfOperand {
  static constexpr int exponent_bits = 5;
  static constexpr int fraction_bits = 10;
  /// Exponent of the largest weight, just below the largest power of two: half
  /// has few exponents, and small weights must keep their last bits.
  static constexpr int top = 14;
};
struct BhalfOperand {
  static constexpr int exponent_bits = 8;
  static constexpr int fraction_bits = 7;
  static constexpr int top           = 0;
};
template <bool Half>
using weight_operand_t = std::conditional_t<Half, HalfOperand, BhalfOperand>;

/// Bits of weight * 2^exponent if it is representable, normal or zero.
template <class Format>
std::optional<std::uint16_t> exact_operand(double weight, int exponent) {
  constexpr int dropped = 52 - Format::fraction_bits;
  constexpr int bias    = (1 << (Format::exponent_bits - 1)) - 1;
  auto const bits       = std::bit_cast<std::uint64_t>(weight);
  auto const sign       = std::uint64_t(bits >> 63) << 15;
  if (bits << 1 == 0) return std::uint16_t(sign);
  auto const fraction = bits & ((std::uint64_t(1) << 52) - 1);
  int const biased    = int(bits >> 52 & 0x7ff) - 1023 + exponent + bias;
  if (fraction << (64 - dropped) != 0 || biased < 1 || biased > 2 * bias)
    return std::nullopt;
  return std::uint16_t(sign | std::uint64_t(biased) << Format::fraction_bits |
                       fraction >> dropped);
}

/// Returns the next operand of a weight, which becomes the remainder.
template <class Format>
std::uint16_t take_operand(double& weight) {
  std::uint16_t const bits =
      encode_operand(weight, Format::exponent_bits, Format::fraction_bits);
  weight -= decode_operand(bits, Format::exponent_bits, Format::fraction_bits);
  return bits;
}

}  // namespace KokkosMMA::Impl

#endif
