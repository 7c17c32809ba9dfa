// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_GROUP_HPP
#define KOKKOSMMA_CUDA_EXACT_GROUP_HPP

#include <backends/cuda/kernels/reduce/KokkosMMA_ExactWindow.hpp>

#include <cstdint>

/// \file
/// The exact sum of few numbers by a part of a warp: in the one window that
/// their largest asks for, without limbs. What lies in no such window is left
/// to ExactWarpSum.

namespace KokkosMMA::Impl::Cuda {

/// An integer of 128 bits, of which sums of floats need the lower half.
template <class Real>
struct ExactInteger {
  static constexpr bool wide = sizeof(Real) == 8;
  std::uint64_t low;
  std::int64_t high;

  /// upper * 2^step + lower
  __device__ static ExactInteger of(std::int64_t upper, std::int64_t lower,
                                    int step) {
    ExactInteger sum{std::uint64_t(upper) << step,
                     wide ? upper >> (64 - step) : 0};
    sum.add({std::uint64_t(lower), lower >> 63});
    return sum;
  }
  __device__ void add(ExactInteger const& other) {
    low += other.low;
    if constexpr (wide) {
      high += other.high + std::int64_t(low < other.low);
    }
  }
  /// Adds those of `lanes` neighbours, a power of two; all get the sum.
  __device__ void add_lanes(int lanes) {
    for (int k = lanes / 2; k > 0; k /= 2) {
      ExactInteger other{__shfl_xor_sync(0xffffffffu, low, k), 0};
      if constexpr (wide) {
        other.high = __shfl_xor_sync(0xffffffffu, high, k);
      }
      add(other);
    }
    if constexpr (!wide) {
      high = std::int64_t(low) >> 63;
    }
  }
  __device__ bool is_zero() const { return (low | std::uint64_t(high)) == 0; }
  /// Of an integer that is not zero, in units of 2^exponent. To its own type
  /// the device converts; the exponent is added where the result is normal.
  __device__ std::uint64_t rounded(int exponent,
                                   FloatFormat const& format) const {
    bool const negative     = high < 0;
    std::uint64_t magnitude = negative ? 0 - low : low;
    if constexpr (wide) {
      std::uint64_t const upper =
          negative ? ~std::uint64_t(high) + (low == 0) : std::uint64_t(high);
      if (upper != 0) {
        int const free  = Kokkos::Experimental::countl_zero_builtin(upper);
        bool const more = (magnitude << free) != 0;
        magnitude = (magnitude >> (63 - free) >> 1) | upper << free | more;
        exponent += 64 - free;
      }
    }
    constexpr FloatFormat own =
        float_format(wide ? Scalar::float64 : Scalar::float32);
    if (format.fraction_bits == own.fraction_bits) {
      auto const bits = Kokkos::bit_cast<typename RealBits<Real>::Bits>(
          static_cast<Real>(magnitude));
      int const field = int(bits >> own.fraction_bits) + exponent;
      if (unsigned(field) - 1 < unsigned(own.special()) - 1)
        return (std::uint64_t(bits) +
                (std::uint64_t(std::int64_t(exponent)) << own.fraction_bits)) |
               std::uint64_t(negative)
                   << (own.fraction_bits + own.exponent_bits);
    }
    return round_integer(magnitude, exponent, negative, format);
  }
  /// What limbs get: add(limb, integer), for units of limb 0's last bit times
  /// 2^position.
  template <class Add>
  __device__ void split(int position, Add const& add) const {
    auto const word = [&](std::int64_t value, int k) {
      split_into_limbs(value, position + 32 * k, add);
    };
    word(std::int64_t(std::uint32_t(low)), 0);
    if constexpr (wide) {
      word(std::int64_t(low >> 32), 1);
      word(std::int64_t(std::uint32_t(std::uint64_t(high))), 2);
      word(high >> 32, 3);
    } else {
      word(std::int64_t(low) >> 32, 1);
    }
  }
};

/// What a lane holds of the sum of its group: `lanes` neighbours, a power of
/// two. All lanes of the warp make each call.
template <Scalar Input>
class ExactGroupSum : ExactLaneSum<Input> {
  using Lane = ExactLaneSum<Input>;

 public:
  using typename Lane::Bits;
  using typename Lane::Real;
  using typename Lane::Window;
  using Integer = ExactInteger<Real>;

  /// Adds numbers, and overwrites them; -0 changes nothing.
  /// \return whether the window holds all numbers of this lane
  template <int Values>
  __device__ bool add(Real (&x)[Values], int lanes) {
    if constexpr (!Window::whole) {
      if (this->m_count == 0) open(x, lanes);
    }
    Real t[Values];
    Bits bad = this->shift(x, t) >> Lane::fraction;
    this->cut(x, t);
    if constexpr (!Window::whole) {
#pragma unroll
      for (int k = 0; k < Values; ++k) bad |= Lane::bits_of(x[k]) << 1;
    }
    return bad == 0;
  }
  /// Of all lanes of the group, in units of 2^exponent().
  __device__ Integer total(int lanes) const {
    auto sum = Integer::of(this->sum_of(0), this->sum_of(1), int(Window::step));
    sum.add_lanes(lanes);
    return sum;
  }
  __device__ int position() const { return this->position_of(1); }
  __device__ int exponent() const { return exact_lowest(Input) + position(); }

 private:
  /// The window above the largest of the first numbers, with room for others
  /// that are a few times as large.
  template <int Values>
  __device__ void open(Real const (&x)[Values], int lanes) {
    constexpr int upper = 8 * int(sizeof(Bits)) - 32;
    unsigned largest    = 0;
#pragma unroll
    for (int k = 0; k < Values; ++k)
      largest =
          max(largest, unsigned(Lane::bits_of(x[k]) >> upper) & 0x7fffffffu);
    for (int k = lanes / 2; k > 0; k /= 2)
      largest = max(largest, __shfl_xor_sync(Lane::all, largest, k));
    this->m_window =
        max(min(int(largest >> (Lane::fraction - upper)) + Window::above,
                Window::highest),
            Window::lowest);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
