// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_ELEMENTS_HPP
#define KOKKOSMMA_CUDA_EXACT_ELEMENTS_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/base/KokkosMMA_Bits.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Elements of an exact sum, in units that a thread loads at once: 16 bytes of
/// contiguous elements, or single elements of a strided View and outside whole
/// vectors. Missing elements of a unit are -0, the one number that changes no
/// sum.

namespace KokkosMMA::Impl::Cuda {

/// Type in which an element is added without rounding.
template <Scalar Input>
using exact_real_t =
    std::conditional_t<Input == Scalar::float64, double, float>;
template <Scalar Input>
using element_bits_t = typename Unsigned<size_of(Input)>::type;

template <Scalar Input>
__device__ inline exact_real_t<Input> exact_real(element_bits_t<Input> bits) {
  if constexpr (Input == Scalar::half) {
    return Warp::half_value(bits);
  } else if constexpr (Input == Scalar::bhalf) {
    return bit_cast<float>(std::uint32_t(bits) << 16);
  } else if constexpr (Input == Scalar::float32) {
    return bit_cast<float>(bits);
  } else {
    return bit_cast<double>(bits);
  }
}

/// Bits of -0, the filler for missing elements.
template <Scalar Input>
inline constexpr element_bits_t<Input> exact_nothing =
    element_bits_t<Input>(element_bits_t<Input>(1) << (8 * size_of(Input) - 1));

template <Scalar Input>
struct ExactVectors {
  static constexpr Scalar input         = Input;
  static constexpr ExactCarrier carrier = sum_carrier(Input);
  static constexpr bool has_errors      = false;
  static constexpr int per_unit         = 16 / size_of(Input);
  using Unit                            = Vector16;
  using Bits                            = element_bits_t<Input>;
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
    uint4 const v = __ldg(reinterpret_cast<uint4 const*>(vectors) + unit);
    return {{v.x, v.y, v.z, v.w}};
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
    if constexpr (sizeof(Bits) == 2) {
      return exact_real<Input>(Bits(unit[e / 2] >> 16 * (e % 2)));
    } else if constexpr (sizeof(Bits) == 4) {
      return exact_real<Input>(unit[e]);
    } else {
      return exact_real<Input>(std::uint64_t(unit[2 * e + 1]) << 32 |
                               unit[2 * e]);
    }
  }
};

template <Scalar Input>
struct ExactStrided {
  static constexpr Scalar input         = Input;
  static constexpr ExactCarrier carrier = sum_carrier(Input);
  static constexpr bool has_errors      = false;
  static constexpr int per_unit         = 1;
  using Bits                            = element_bits_t<Input>;
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

}  // namespace KokkosMMA::Impl::Cuda

#endif
