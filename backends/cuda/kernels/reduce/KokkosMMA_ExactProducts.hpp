// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_PRODUCTS_HPP
#define KOKKOSMMA_CUDA_EXACT_PRODUCTS_HPP

#include <backends/cuda/arch/KokkosMMA_AddNearest.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactElements.hpp>
#include <core/base/KokkosMMA_Bits.hpp>

#include <cstdint>

/// \file
/// Products of two ranges as terms of an exact sum. A product of half values is
/// exact in float, one of bfloat16 or float values in double. A product of
/// doubles is the sum of the rounded product and its error, both doubles, if
/// neither overflows nor underflows. All others are added to limbs as integers.

namespace KokkosMMA::Impl::Cuda {

/// \tparam Factors ExactVectors or ExactStrided
template <class Factors>
struct ExactProducts {
  static constexpr Scalar factor        = Factors::input;
  static constexpr Scalar input         = product_scalar(factor);
  static constexpr ExactCarrier carrier = product_carrier(factor);
  static constexpr bool has_errors      = factor == Scalar::float64;
  static constexpr int per_unit         = Factors::per_unit;
  using Bits                            = typename Factors::Bits;
  struct Unit {
    typename Factors::Unit x, y;
  };
  Factors x, y;

  __host__ __device__ std::uint64_t units() const { return x.units(); }
  __device__ std::uint64_t plain_units() const { return x.plain_units(); }
  __device__ Unit load(std::uint64_t unit) const {
    return {x.load(unit), y.load(unit)};
  }
  /// Past the end the product is -0, that of -0 and 0.
  __device__ Unit load_any(std::uint64_t unit) const {
    return {x.load_any(unit), y.load_any(unit, Bits(0))};
  }
  __device__ static exact_real_t<input> value(Unit const& unit, int e) {
    auto const a = Factors::value(unit.x, e);
    auto const b = Factors::value(unit.y, e);
    if constexpr (input == Scalar::float32) {
      return a * b;
    } else {
      return AddNearest::product(AddNearest::widened(a),
                                 AddNearest::widened(b));
    }
  }

  /// Rounding error of the product `rounded` of two doubles.
  __device__ static double error(Unit const& unit, int e, double rounded) {
    return AddNearest::product_sum(Factors::value(unit.x, e),
                                   Factors::value(unit.y, e), -rounded);
  }
  /// Whether the error of a product is exact as a double. Below 2^-959 the
  /// error may have bits below those of doubles. False for zero, too.
  __device__ static bool is_two_doubles(double rounded) {
    auto const bits = bit_cast<std::uint64_t>(rounded);
    return (unsigned(bits >> 52) & 0x7ffu) - 64u < 0x7ffu - 64u;
  }
  /// Adds a product for which is_two_doubles() is false to limbs by add(limb,
  /// integer), if its factors are finite and not zero.
  /// \return whether it was added
  template <class Add>
  __device__ static bool add_integers(Unit const& unit, int e, Add const& add) {
    constexpr std::uint64_t sign     = std::uint64_t(1) << 63;
    constexpr std::uint64_t infinity = std::uint64_t(0x7ff) << 52;
    auto const a = bit_cast<std::uint64_t>(Factors::value(unit.x, e));
    auto const b = bit_cast<std::uint64_t>(Factors::value(unit.y, e));
    if ((a & ~sign) - 1 >= infinity - 1 || (b & ~sign) - 1 >= infinity - 1)
      return false;
    split_product(a, b, add);
    return true;
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
