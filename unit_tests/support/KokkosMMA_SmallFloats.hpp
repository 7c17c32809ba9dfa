// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_SMALLFLOATS_HPP
#define KOKKOSMMA_SMALLFLOATS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace KokkosMMA::Testing {

/// The 16-bit float nearest to a double, ties to even, as bits: written apart
/// from the library's own decoding, which it is used to check.
inline std::uint16_t encode_small(double value, int exponent_bits,
                                  int fraction_bits) {
  int const bias           = (1 << (exponent_bits - 1)) - 1;
  std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
  std::uint16_t const infinity =
      std::uint16_t(((1 << exponent_bits) - 1) << fraction_bits);
  if (std::isnan(value))
    return std::uint16_t(sign | infinity | 1 << (fraction_bits - 1));
  double const magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return sign | infinity;
  int const exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // in units of the last place; a carry into the exponent comes out right
  double const units =
      std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  double const pattern =
      units + std::ldexp(double(exponent + bias - 1), fraction_bits);
  return sign | (pattern >= infinity ? infinity : std::uint16_t(pattern));
}
inline std::uint16_t encode_half(double value) {
  return encode_small(value, 5, 10);
}
inline std::uint16_t encode_bhalf(double value) {
  return encode_small(value, 8, 7);
}

}  // namespace KokkosMMA::Testing

#endif
