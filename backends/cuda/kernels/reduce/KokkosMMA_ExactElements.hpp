// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_ELEMENTS_HPP
#define KOKKOSMMA_CUDA_EXACT_ELEMENTS_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The elements of an exact sum, as units that a thread loads at once: 16 bytes
/// of contiguous elements, single ones of a strided View. Where no element is,
/// a unit holds -0, the one number that changes no sum.

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
    return Kokkos::bit_cast<float>(std::uint32_t(bits) << 16);
  } else if constexpr (Input == Scalar::float32) {
    return Kokkos::bit_cast<float>(bits);
  } else {
    return Kokkos::bit_cast<double>(bits);
  }
}

template <Scalar Input>
struct ExactVectors {
  static constexpr Scalar input = Input;
  static constexpr int per_unit = 16 / size_of(Input);
  using Unit                    = Vector16;
  using Bits                    = element_bits_t<Input>;
  VectorRange range;

  __host__ __device__ std::uint64_t units() const {
    return range.end - range.begin;
  }
  __device__ Unit load(std::uint64_t unit) const {
    uint4 const v = __ldg(reinterpret_cast<uint4 const*>(range.base) +
                          (range.begin + unit));
    return {{v.x, v.y, v.z, v.w}};
  }
  __device__ static Unit nothing() {
    if constexpr (sizeof(Bits) == 2) {
      return {{0x80008000u, 0x80008000u, 0x80008000u, 0x80008000u}};
    } else if constexpr (sizeof(Bits) == 4) {
      return {{0x80000000u, 0x80000000u, 0x80000000u, 0x80000000u}};
    } else {
      return {{0, 0x80000000u, 0, 0x80000000u}};
    }
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

  /// Elements before the first and behind the last whole vector, fewer than a
  /// warp has lanes.
  __device__ bool has_edges() const { return range.has_edges(); }
  __device__ exact_real_t<Input> edge(int lane) const {
    auto const* const first =
        reinterpret_cast<Bits const*>(range.base) + range.skip;
    std::uint64_t head = range.has_head() ? per_unit - range.skip : 0;
    if (head > range.size) head = range.size;
    std::uint64_t const tail =
        range.size - head - per_unit * (range.end - range.begin);
    Bits bits = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
    if (std::uint64_t(lane) < head)
      bits = first[lane];
    else if (std::uint64_t(lane) < head + tail)
      bits = first[range.size - tail + (lane - head)];
    return exact_real<Input>(bits);
  }
};

template <Scalar Input>
struct ExactStrided {
  static constexpr Scalar input = Input;
  static constexpr int per_unit = 1;
  using Bits                    = element_bits_t<Input>;
  using Unit                    = Bits;
  Bits const* first;
  std::int64_t stride;
  std::uint64_t size;

  __host__ __device__ std::uint64_t units() const { return size; }
  __device__ Unit load(std::uint64_t unit) const {
    return __ldg(first + std::int64_t(unit) * stride);
  }
  __device__ static Unit nothing() {
    return Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  }
  __device__ static exact_real_t<Input> value(Unit const& unit, int) {
    return exact_real<Input>(unit);
  }
  __device__ static bool has_edges() { return false; }
  __device__ static exact_real_t<Input> edge(int) {
    return exact_real<Input>(nothing());
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
