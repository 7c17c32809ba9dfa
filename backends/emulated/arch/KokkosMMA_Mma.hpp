// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_ARCH_MMA_HPP
#define KOKKOSMMA_EMULATED_ARCH_MMA_HPP

#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// Arithmetic of one entry of D = A * B + C, in host C++.
///
/// 16-bit floats, Hopper: all products and C are aligned to the largest
/// exponent, each truncated at 25 fractional bits, summed exactly, and the sum
/// is truncated to fp32. Products are exact; subnormals are preserved; a NaN,
/// an infinity times zero or infinities of both signs give NaN. Doubles: a
/// chain of fused multiply-adds. 8-bit integers: exact modulo 2^32. Source:
/// arXiv 2511.10909 and arXiv 2512.07004, two bit-accurate models that agree,
/// for the H100 and H200.

namespace KokkosMMA::Impl::Emulated {

inline constexpr int hopper_fraction_bits = 25;

inline double decode_bhalf(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t(bits) << 16);
}
inline double decode_half(std::uint16_t bits) {
  using Double = std::numeric_limits<double>;
  if ((bits >> 10 & 31) < 31) return decode_operand(bits, 5, 10);
  if ((bits & 0x3ff) != 0) return Double::quiet_NaN();
  return bits >> 15 ? -Double::infinity() : Double::infinity();
}

/// Rounds to float towards zero.
inline float truncate_to_float(double value) {
  if (std::abs(value) >= std::ldexp(1., 128))
    return std::copysign(std::numeric_limits<float>::infinity(), float(value));
  float const nearest = static_cast<float>(value);
  return std::abs(double(nearest)) > std::abs(value)
             ? std::nextafter(nearest, 0.f)
             : nearest;
}

/// Returns c + sum of a[i] * b[i] as the tensor cores of Hopper add it.
template <int K>
float fused_sum(double const (&a)[K], double const (&b)[K], float c) {
  double special = c;
  bool finite    = std::isfinite(c);
  int largest    = std::numeric_limits<int>::min();
  auto const see = [&](int exponent) { largest = std::max(largest, exponent); };
  if (finite && c != 0) see(std::ilogb(c));
  for (int k = 0; k < K; ++k) {
    double const product = a[k] * b[k];
    special += product;
    finite = finite && std::isfinite(product);
    if (finite && product != 0) see(std::ilogb(a[k]) + std::ilogb(b[k]));
  }
  if (!finite) return static_cast<float>(special);
  if (largest == std::numeric_limits<int>::min())
    return static_cast<float>(special);  // zeros: the sign as in IEEE
  int const unit = largest - hopper_fraction_bits;
  // Multiplication by a power of two, where no term leaves the range of double,
  // equals ldexp, which took a seventh of the time of band stencil tests.
  double const scale = std::ldexp(1., -unit);
  auto const align   = [&](double term) { return std::int64_t(term * scale); };
  std::int64_t sum   = align(c);
  for (int k = 0; k < K; ++k) sum += align(a[k] * b[k]);
  return truncate_to_float(std::ldexp(double(sum), unit));
}

/// Decoding of the operands of a shape, and computation of its entry. `OfB`: an
/// operand of B, whose bytes may have another sign.
template <class Shape>
struct Arithmetic;

template <class Shape, double (*Decode)(std::uint16_t)>
struct FloatArithmetic {
  using Operand = double;
  template <bool OfB = false>
  static double operand(std::uint32_t word, int element) {
    return Decode(std::uint16_t(word >> 16 * element));
  }
  static float entry(double const (&a)[Shape::k], double const (&b)[Shape::k],
                     float c) {
    return fused_sum(a, b, c);
  }
};
template <>
struct Arithmetic<MmaF16> : FloatArithmetic<MmaF16, decode_half> {};
template <>
struct Arithmetic<MmaBF16> : FloatArithmetic<MmaBF16, decode_bhalf> {};
template <>
struct Arithmetic<MmaBF16K8> : FloatArithmetic<MmaBF16K8, decode_bhalf> {};

template <class Shape, class Byte, class ByteOfB = Byte>
struct IntegerArithmetic {
  using Operand = std::int32_t;
  template <bool OfB = false>
  static std::int32_t operand(std::uint32_t word, int element) {
    return std::conditional_t<OfB, ByteOfB, Byte>(word >> 8 * element);
  }
  static std::int32_t entry(std::int32_t const (&a)[Shape::k],
                            std::int32_t const (&b)[Shape::k], std::int32_t c) {
    std::uint32_t sum = std::uint32_t(c);
    for (int k = 0; k < Shape::k; ++k) sum += std::uint32_t(a[k] * b[k]);
    return std::int32_t(sum);
  }
};
template <>
struct Arithmetic<MmaS8> : IntegerArithmetic<MmaS8, std::int8_t> {};
template <>
struct Arithmetic<MmaU8> : IntegerArithmetic<MmaU8, std::uint8_t> {};

template <>
struct Arithmetic<MmaS8K16> : IntegerArithmetic<MmaS8K16, std::int8_t> {};

template <>
struct Arithmetic<MmaS8U8>
    : IntegerArithmetic<MmaS8U8, std::int8_t, std::uint8_t> {};
template <>
struct Arithmetic<MmaS8U8K16>
    : IntegerArithmetic<MmaS8U8K16, std::int8_t, std::uint8_t> {};

template <class Shape>
struct DoubleArithmetic {
  using Operand = double;
  template <bool OfB = false>
  static double operand(double value, int) {
    return value;
  }
  static double entry(double const (&a)[Shape::k], double const (&b)[Shape::k],
                      double c) {
    for (int k = 0; k < Shape::k; ++k) c = std::fma(a[k], b[k], c);
    return c;
  }
};
template <>
struct Arithmetic<MmaF64> : DoubleArithmetic<MmaF64> {};
template <>
struct Arithmetic<MmaF64K8> : DoubleArithmetic<MmaF64K8> {};

}  // namespace KokkosMMA::Impl::Emulated

#endif
