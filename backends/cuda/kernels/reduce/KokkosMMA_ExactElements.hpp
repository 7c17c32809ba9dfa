// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_ELEMENTS_HPP
#define KOKKOSMMA_CUDA_EXACT_ELEMENTS_HPP

#include <backends/cuda/arch/KokkosMMA_AddNearest.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Terms of an exact sum: elements of a View, products of two Views, or the
/// contributions of a functor. A thread loads a unit at once: 16 bytes of
/// contiguous elements, or one element of a strided View or outside whole
/// vectors. Missing elements of a unit are -0, the one number that changes no
/// sum.

namespace KokkosMMA::Impl::Cuda {

/// Type in which an element is added without rounding.
template <Scalar Input>
using exact_real_t =
    std::conditional_t<Input == Scalar::float64, double, float>;
template <Scalar Input>
__device__ inline exact_real_t<Input> exact_real(ElementBits<Input> bits) {
  return element_value<Warp, Input, exact_real_t<Input>>(bits);
}

/// Bits of -0, the filler for missing elements.
template <Scalar Input>
inline constexpr ElementBits<Input> exact_nothing =
    ElementBits<Input>(ElementBits<Input>(1) << (8 * size_of(Input) - 1));

template <Scalar Input>
struct ExactVectors {
  static constexpr bool copies          = true;
  static constexpr Scalar input         = Input;
  static constexpr ExactCarrier carrier = sum_carrier(Input);
  static constexpr bool has_errors      = false;
  static constexpr int per_unit         = 16 / size_of(Input);
  using Unit                            = Vector16;
  using Bits                            = ElementBits<Input>;
  unsigned char const* vectors          = nullptr;
  std::uint64_t count                   = 0;  ///< whole vectors
  Bits const* first                     = nullptr;
  std::uint64_t size                    = 0;  ///< elements
  unsigned head  = 0;  ///< elements before the first vector
  unsigned edges = 0;  ///< elements outside whole vectors

  ExactVectors() = default;
  __host__ __device__ explicit ExactVectors(VectorRange const& range)
      : vectors(range.base + 16 * range.begin),
        count(range.end - range.begin),
        first(reinterpret_cast<Bits const*>(range.base) + range.skip),
        size(range.size),
        head(!range.has_head()                    ? 0
             : range.size < per_unit - range.skip ? unsigned(range.size)
                                                  : per_unit - range.skip),
        edges(unsigned(range.size - per_unit * count)) {}

  __host__ __device__ std::uint64_t units() const { return count + edges; }
  /// Units below this one need no bounds check.
  __device__ std::uint64_t plain_units() const { return count; }
  __device__ Unit load(std::uint64_t unit) const {
    return load_constant(reinterpret_cast<uint4 const*>(vectors) + unit);
  }
  /// \param filler value of missing elements: -0, or another number
  __device__ Unit load_any(std::uint64_t unit,
                           Bits filler = exact_nothing<Input>) const {
    if (unit < count) return load(unit);
    auto const low = std::uint32_t(
        sizeof(Bits) == 2 ? std::uint32_t(filler) << 16 | filler : filler);
    auto const high =
        sizeof(Bits) == 8 ? std::uint32_t(std::uint64_t(filler) >> 32) : low;
    Unit nothing{{low, high, low, high}};
    if (unit >= count + edges) return nothing;
    std::uint64_t const edge = unit - count;
    Bits const bits = first[edge < head ? edge : size - (edges - edge)];
    if constexpr (sizeof(Bits) == 2) {
      nothing[0] = std::uint32_t(filler) << 16 | bits;
    } else {
      nothing[0] = std::uint32_t(bits);
      if constexpr (sizeof(Bits) == 8) {
        nothing[1] = std::uint32_t(bits >> 32);
      }
    }
    return nothing;
  }
  __device__ static exact_real_t<Input> value(Unit const& unit, int e) {
    return element_of_vector<Warp, Input, exact_real_t<Input>>(unit, e);
  }
};

template <Scalar Input>
struct ExactStrided {
  static constexpr bool copies          = true;
  static constexpr Scalar input         = Input;
  static constexpr ExactCarrier carrier = sum_carrier(Input);
  static constexpr bool has_errors      = false;
  static constexpr int per_unit         = 1;
  using Bits                            = ElementBits<Input>;
  using Unit                            = Bits;
  Bits const* first;
  std::int64_t stride;
  std::uint64_t size;

  __host__ __device__ std::uint64_t units() const { return size; }
  __device__ std::uint64_t plain_units() const { return size; }
  __device__ Unit load(std::uint64_t unit) const {
    return __ldg(first + std::int64_t(unit) * stride);
  }
  __device__ Unit load_any(std::uint64_t unit,
                           Bits filler = exact_nothing<Input>) const {
    return unit < size ? load(unit) : filler;
  }
  __device__ static exact_real_t<Input> value(Unit const& unit, int) {
    return exact_real<Input>(unit);
  }
};

/// Products of two ranges as terms of an exact sum. A product of half values is
/// exact in float, one of bfloat16 or float values in double. A product of
/// doubles is the sum of the rounded product and its error, both doubles, if
/// neither overflows nor underflows. All others are added to limbs as integers.
/// \tparam Factors ExactVectors or ExactStrided
template <class Factors>
struct ExactProducts {
  static constexpr bool copies          = true;
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

/// Contributions of f(begin + i, value) as elements of an exact sum. Each index
/// is invoked once, with a value of -0, to which f adds without rounding.
/// \tparam Copies each thread has a copy of the functor
template <class Call, class Index, class T, bool Copies = false>
struct ExactCalls {
  static constexpr bool copies          = Copies;
  static constexpr Scalar input         = scalar_v<T>;
  static constexpr ExactCarrier carrier = sum_carrier(input);
  static constexpr bool has_errors      = false;
  static constexpr int per_unit         = 1;
  using Unit                            = T;

  Call f;
  Index begin;
  std::uint64_t size;

  __host__ __device__ std::uint64_t units() const { return size; }
  __device__ std::uint64_t plain_units() const { return size; }
  __device__ Unit load(std::uint64_t unit) const {
    T value = T(-0.0);
    f(static_cast<Index>(begin + static_cast<Index>(unit)), value);
    return value;
  }
  __device__ Unit load_any(std::uint64_t unit) const {
    return unit < size ? load(unit) : T(-0.0);
  }
  __device__ static T value(Unit const& unit, int) { return unit; }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
