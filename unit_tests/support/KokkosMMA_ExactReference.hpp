// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EXACTREFERENCE_HPP
#define KOKKOSMMA_EXACTREFERENCE_HPP

#include <KokkosMMA_SmallFloats.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace KokkosMMA::Testing {

/// A natural number of any size, in decimal places of base 2^16: slow, and
/// with nothing in common with the library's limbs.
class BigNatural {
 public:
  /// += number * 2^shift; the shift of zero may be anything
  void add(std::uint64_t number, int shift) {
    if (number == 0) return;
    std::size_t place = std::size_t(shift) / 16;
    // At most 53 + 15 bits: two halves of the number.
    for (std::uint64_t const half : {number & 0xffffffffu, number >> 32}) {
      std::uint64_t carry = half << shift % 16;
      for (std::size_t at = place; carry != 0; ++at) {
        if (at >= m_places.size()) m_places.resize(at + 1, 0);
        carry += m_places[at];
        m_places[at] = carry & 0xffff;
        carry >>= 16;
      }
      place += 2;
    }
  }
  bool bit(int at) const {
    auto const place = std::size_t(at) / 16;
    return at >= 0 && place < m_places.size() &&
           (m_places[place] >> at % 16 & 1);
  }
  /// Bits up to the highest that is set.
  int length() const {
    int at = int(m_places.size()) * 16;
    while (at > 0 && !bit(at - 1)) --at;
    return at;
  }
  /// *this - other, which is not larger.
  BigNatural minus(BigNatural const& other) const {
    BigNatural result;
    result.m_places.resize(m_places.size());
    std::int64_t borrow = 0;
    for (std::size_t k = 0; k < m_places.size(); ++k) {
      std::int64_t place =
          std::int64_t(m_places[k]) - borrow -
          (k < other.m_places.size() ? std::int64_t(other.m_places[k]) : 0);
      borrow             = place < 0;
      result.m_places[k] = std::uint64_t(place + (borrow << 16));
    }
    return result;
  }
  bool less(BigNatural const& other) const {
    int const n = length(), m = other.length();
    if (n != m) return n < m;
    for (int at = n - 1; at >= 0; --at)
      if (bit(at) != other.bit(at)) return other.bit(at);
    return false;
  }

 private:
  std::vector<std::uint64_t> m_places;
};

/// The number of a format nearest to a double, as bits; NaN without a sign.
inline std::uint64_t encode(Scalar format, double x) {
  if (std::isnan(x)) x = std::abs(x);
  switch (format) {
    case Scalar::half: return encode_half(x);
    case Scalar::bhalf: return encode_bhalf(x);
    case Scalar::float32: return std::bit_cast<std::uint32_t>(float(x));
    default: return std::bit_cast<std::uint64_t>(x);
  }
}

/// The sum of doubles as IEEE 754 addition would have it without intermediate
/// rounding or overflow: the reference of exact sums.
class ExactReference {
 public:
  void add(double x) {
    m_empty     = false;
    m_all_minus = m_all_minus && x == 0 && std::signbit(x);
    if (std::isnan(x)) m_nan = true;
    if (std::isinf(x)) (x > 0 ? m_infinity : m_minus_infinity) = true;
    if (!std::isfinite(x) || x == 0) return;
    int exponent;
    double const fraction = std::frexp(std::abs(x), &exponent);
    auto const integer    = std::uint64_t(std::ldexp(fraction, 53));
    int const shift       = exponent - 53 + bottom;
    (x > 0 ? m_positive : m_negative).add(integer, shift);
  }

  /// Adds the exact product.
  void add_product(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) {
      add(x * y);
      return;
    }
    m_empty = m_all_minus = false;
    int x_exponent, y_exponent;
    double const a  = std::frexp(std::abs(x), &x_exponent);
    double const b  = std::frexp(std::abs(y), &y_exponent);
    auto const u    = std::uint64_t(std::ldexp(a, 53));
    auto const v    = std::uint64_t(std::ldexp(b, 53));
    int const last  = x_exponent + y_exponent - 106 + bottom;
    BigNatural& sum = (x > 0) == (y > 0) ? m_positive : m_negative;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        sum.add(half(u, i) * half(v, j), last + 27 * (i + j));
  }

  /// The nearest number with so many bits after its first one and none below
  /// 2^lowest, ties to even; `largest` is the exponent of the largest numbers.
  double rounded(int fraction_bits, int lowest, int largest) const {
    double const infinity = std::numeric_limits<double>::infinity();
    if (m_nan || (m_infinity && m_minus_infinity))
      return std::numeric_limits<double>::quiet_NaN();
    if (m_infinity || m_minus_infinity)
      return m_infinity ? infinity : -infinity;
    bool const negative = m_positive.less(m_negative);
    BigNatural const sum =
        negative ? m_negative.minus(m_positive) : m_positive.minus(m_negative);
    int const length = sum.length();
    if (length == 0) return !m_empty && m_all_minus ? -0. : 0.;
    int last = length - 1 - fraction_bits;
    if (last < lowest + bottom) last = lowest + bottom;
    double number = 0;
    for (int at = length - 1; at >= last; --at)
      number = 2 * number + sum.bit(at);
    bool more = false;
    for (int at = 0; at < last - 1; ++at) more = more || sum.bit(at);
    if (sum.bit(last - 1) && (more || std::fmod(number, 2) == 1)) number += 1;
    double const magnitude = std::ldexp(number, last - bottom);
    double const result =
        number != 0 && std::ilogb(number) + last - bottom > largest ? infinity
                                                                    : magnitude;
    return negative ? -result : result;
  }
  double as_double() const { return rounded(52, -1074, 1023); }
  double as_float() const { return rounded(23, -149, 127); }
  double as(Scalar format) const {
    switch (format) {
      case Scalar::half: return rounded(10, -24, 15);
      case Scalar::bhalf: return rounded(7, -133, 127);
      case Scalar::float32: return as_float();
      default: return as_double();
    }
  }
  std::uint64_t bits(Scalar format) const { return encode(format, as(format)); }

 private:
  /// All bits of doubles, and of products of two, are above 2^-bottom.
  static constexpr int bottom = 2200;
  /// 27 bits of an integer of 53, or those above them.
  static std::uint64_t half(std::uint64_t integer, int upper) {
    return upper ? integer >> 27 : integer & ((1u << 27) - 1);
  }
  BigNatural m_positive, m_negative;
  bool m_nan = false, m_infinity = false, m_minus_infinity = false;
  bool m_empty = true, m_all_minus = true;
};

}  // namespace KokkosMMA::Testing

#endif
