// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_GROUP_HPP
#define KOKKOSMMA_CUDA_EXACT_GROUP_HPP

#include <backends/cuda/kernels/reduce/KokkosMMA_ExactWindow.hpp>
#include <core/base/KokkosMMA_Bits.hpp>

#include <cstdint>

/// \file
/// Exact sum of few numbers by part of a warp, without limbs: in one window
/// above the largest number, and a second one for the remainders. Numbers
/// outside both windows are left to ExactWarpSum.

namespace KokkosMMA::Impl::Cuda {

/// Constants of a format that the device computes in. Outside of functions,
/// because compilers without relaxed constexpr call no host functions there.
template <Scalar Own>
struct OwnFormat {
  static constexpr FloatFormat format = float_format(Own);
  static constexpr int fraction_bits  = format.fraction_bits;
  static constexpr int special        = int(format.special());
  static constexpr int sign_bit = format.fraction_bits + format.exponent_bits;
};

/// Integer of `Words` 64-bit words in two's complement.
template <int Words>
struct ExactInteger {
  std::uint64_t word[Words];

  /// Returns upper * 2^step + lower.
  __device__ static ExactInteger of(std::int64_t upper, std::int64_t lower,
                                    int step) {
    static_assert(Words <= 2);
    ExactInteger sum, other;
    sum.word[0]   = std::uint64_t(upper) << step;
    other.word[0] = std::uint64_t(lower);
    if constexpr (Words == 2) {
      sum.word[1]   = std::uint64_t(upper >> (64 - step));
      other.word[1] = std::uint64_t(lower >> 63);
    }
    sum.add(other);
    return sum;
  }
  __device__ void add(ExactInteger const& other) {
    std::uint64_t carry = 0;
#pragma unroll
    for (int k = 0; k < Words; ++k) {
      std::uint64_t const sum = word[k] + other.word[k];
      std::uint64_t const all = sum + carry;
      carry   = std::uint64_t(sum < other.word[k]) + std::uint64_t(all < sum);
      word[k] = all;
    }
  }
  /// Sums over `lanes` neighbours, a power of two; all get the sum.
  __device__ void add_lanes(int lanes) {
    for (int k = lanes / 2; k > 0; k /= 2) {
      ExactInteger other;
#pragma unroll
      for (int w = 0; w < Words; ++w)
        other.word[w] = __shfl_xor_sync(0xffffffffu, word[w], k);
      add(other);
    }
  }
  /// Adds the integers of the earlier lanes of the warp.
  /// \param before receives their sum
  __device__ void add_lanes_before(ExactInteger& before) {
    int const lane = threadIdx.x % 32;
    before         = {};
#pragma unroll
    for (int lanes = 1; lanes < 32; lanes *= 2) {
      ExactInteger other;
#pragma unroll
      for (int w = 0; w < Words; ++w) {
        other.word[w] = __shfl_up_sync(0xffffffffu, word[w], lanes);
        if (lane < lanes) other.word[w] = 0;
      }
      add(other);
    }
#pragma unroll
    for (int w = 0; w < Words; ++w) {
      before.word[w] = __shfl_up_sync(0xffffffffu, word[w], 1);
      if (lane == 0) before.word[w] = 0;
    }
  }
  __device__ bool is_zero() const {
    std::uint64_t some = 0;
#pragma unroll
    for (int k = 0; k < Words; ++k) some |= word[k];
    return some == 0;
  }
  __device__ bool is_negative() const {
    return std::int64_t(word[Words - 1]) < 0;
  }
  /// Integer times 2^shift in twice as many words; shift < 64 * Words.
  __device__ ExactInteger<2 * Words> shifted(int shift) const {
    std::uint64_t const sign = is_negative() ? ~std::uint64_t(0) : 0;
    auto const of            = [&](int k) {
      return k < 0 ? 0 : k < Words ? word[k] : sign;
    };
    bool const whole = Words > 1 && shift >= 64;
    int const bits   = shift % 64;
    ExactInteger<2 * Words> result;
#pragma unroll
    for (int k = 0; k < 2 * Words; ++k) {
      std::uint64_t const here   = whole ? of(k - 1) : of(k);
      std::uint64_t const before = whole ? of(k - 2) : of(k - 1);
      result.word[k]             = here << bits | before >> 1 >> (63 - bits);
    }
    return result;
  }
  __device__ ExactInteger<2 * Words> widened() const { return shifted(0); }
  /// Rounds an integer other than zero, in units of 2^exponent. The device
  /// converts to the format of `Own`, if the result is normal there.
  template <Scalar Own>
  __device__ std::uint64_t rounded(int exponent,
                                   FloatFormat const& format) const {
    using Real = std::conditional_t<Own == Scalar::float64, double, float>;
    bool const negative = is_negative();
    std::uint64_t digit[Words];
    magnitude_to(digit);
    std::uint64_t magnitude = digit[Words - 1];
    if constexpr (Words > 1) {
      std::uint64_t next = digit[Words - 2];
      exponent += 64 * (Words - 1);
      std::uint64_t more = 0;
#pragma unroll
      for (int k = 0; k < Words - 2; ++k) more |= digit[k];
#pragma unroll
      for (int k = Words - 2; k >= 0; --k) {
        if (magnitude != 0) continue;
        magnitude = digit[k];
        next      = k > 0 ? digit[k > 0 ? k - 1 : 0] : 0;
        more      = 0;
#pragma unroll
        for (int j = 0; j < k - 1; ++j) more |= digit[j];
        exponent -= 64;
      }
      int const free = countl_zero(magnitude);
      more |= next << free;
      magnitude = magnitude << free | next >> 1 >> (63 - free) |
                  std::uint64_t(more != 0);
      exponent -= free;
    }
    using Format = OwnFormat<Own>;
    if (format.fraction_bits == Format::fraction_bits) {
      auto const bits =
          bit_cast<typename RealBits<Real>::Bits>(static_cast<Real>(magnitude));
      int const field = int(bits >> Format::fraction_bits) + exponent;
      if (unsigned(field) - 1 < unsigned(Format::special) - 1)
        return (std::uint64_t(bits) + (std::uint64_t(std::int64_t(exponent))
                                       << Format::fraction_bits)) |
               std::uint64_t(negative) << Format::sign_bit;
    }
    return round_integer(magnitude, exponent, negative, format);
  }
  /// Splits the integer for limbs by add(limb, integer); its unit is limb 0's
  /// last bit times 2^position. Limbs above the magnitude get nothing.
  template <class Add>
  __device__ void split(int position, Add const& add) const {
    bool const negative = is_negative();
    std::uint64_t digit[Words];
    magnitude_to(digit);
#pragma unroll
    for (int k = 0; k < 2 * Words; ++k) {
      int const at             = position + 32 * k;
      std::uint64_t const part = (digit[k / 2] >> 32 * (k % 2) & 0xffffffffu)
                                 << at % 32;
      auto const low  = std::int64_t(std::uint32_t(part));
      auto const high = std::int64_t(part >> 32);
      if (low != 0) add(at / 32, negative ? -low : low);
      if (high != 0) add(at / 32 + 1, negative ? -high : high);
    }
  }

 private:
  __device__ void magnitude_to(std::uint64_t (&digit)[Words]) const {
    std::uint64_t const flip = is_negative() ? ~std::uint64_t(0) : 0;
    std::uint64_t carry      = flip & 1;
#pragma unroll
    for (int k = 0; k < Words; ++k) {
      digit[k] = (word[k] ^ flip) + carry;
      carry    = digit[k] < carry;
    }
  }
};

/// Part of a group's sum that one lane holds; a group is `lanes` neighbours, a
/// power of two. All lanes of the warp call each function together.
template <Scalar Input>
class ExactGroupSum : ExactLaneSum<Input> {
  using Lane = ExactLaneSum<Input>;

 public:
  using typename Lane::Bits;
  using typename Lane::Real;
  using typename Lane::Window;
  static constexpr bool whole  = Window::whole;
  static constexpr Scalar real = exact_carrier(Input);
  static constexpr int words   = sizeof(Real) == 8 ? 2 : 1;
  using Integer                = ExactInteger<words>;

  /// \param window first guess; 0: none
  __device__ explicit ExactGroupSum(int window) : m_is_open(window != 0) {
    if constexpr (!whole) {
      if (m_is_open) this->m_window = window;
    }
  }

  /// Adds numbers and leaves remainders in x; -0 changes nothing.
  /// \return whether this lane's numbers are finite and none is above it
  template <int Values>
  __device__ bool add(Real (&x)[Values], int lanes) {
    if constexpr (!whole) {
      if (__any_sync(Lane::all, !m_is_open)) open(x, lanes);
    }
    Real t[Values];
    Bits const above = this->shift(x, t) >> Lane::fraction;
    this->cut(x, t);
    return above == 0;
  }
  /// Whether add() left a remainder in any number.
  template <int Values>
  __device__ static bool rests(Real const (&x)[Values]) {
    Bits bits = 0;
    if constexpr (!whole) {
#pragma unroll
      for (int k = 0; k < Values; ++k) bits |= Lane::bits_of(x[k]) << 1;
    }
    return bits != 0;
  }
  /// Sum of the group, in units of 2^position() of limb 0's last bit.
  __device__ Integer total(int lanes) const {
    auto sum = Integer::of(this->sum_of(0), this->sum_of(1), int(Window::step));
    sum.add_lanes(lanes);
    return sum;
  }
  __device__ int position() const { return this->position_of(1); }
  __device__ int window() const { return this->m_window; }

 private:
  /// Opens the window above the largest of the first numbers that are not all
  /// zero, with room for numbers a few times as large.
  template <int Values>
  __device__ void open(Real const (&x)[Values], int lanes) {
    constexpr int upper = 8 * int(sizeof(Bits)) - 32;
    unsigned largest    = 0;
    Bits some           = 0;
#pragma unroll
    for (int k = 0; k < Values; ++k) {
      Bits const bits = Lane::bits_of(x[k]);
      largest         = max(largest, unsigned(bits >> upper) & 0x7fffffffu);
      if constexpr (upper > 0) {
        some |= bits << 1;
      }
    }
    if (some != 0) largest |= 1;  // subnormal numbers
    for (int k = lanes / 2; k > 0; k /= 2)
      largest = max(largest, __shfl_xor_sync(Lane::all, largest, k));
    if (m_is_open || largest == 0) return;
    m_is_open      = true;
    this->m_count  = 0;
    this->m_sum[0] = this->m_sum[1] = 0;
    this->m_window =
        max(min(int(largest >> (Lane::fraction - upper)) + Window::above,
                Window::highest),
            Window::lowest);
  }

  bool m_is_open;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
