// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STAGED_TILE_HPP
#define KOKKOSMMA_STAGED_TILE_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>

#include <cstdint>

/// \file
/// Tile of data in memory that the lanes of a warp share.

namespace KokkosMMA::Impl {

/// Bits of an element in memory.
template <Scalar Input>
using ElementBits = typename Unsigned<size_of(Input)>::type;

/// Value of an element's bits. A warp provides half_value(bits).
template <class Warp, Scalar Input, class Value>
KOKKOSMMA_FORCEINLINE_FUNCTION Value element_value(ElementBits<Input> bits) {
  if constexpr (Input == Scalar::half) {
    return static_cast<Value>(Warp::half_value(bits));
  } else if constexpr (Input == Scalar::bhalf) {
    return static_cast<Value>(bit_cast<float>(std::uint32_t(bits) << 16));
  } else if constexpr (Input == Scalar::float32) {
    return static_cast<Value>(bit_cast<float>(bits));
  } else if constexpr (Input == Scalar::float64) {
    return static_cast<Value>(bit_cast<double>(bits));
  } else if constexpr (Input == Scalar::int8) {
    return static_cast<Value>(static_cast<std::int8_t>(bits));
  } else if constexpr (Input == Scalar::int32) {
    return static_cast<Value>(static_cast<std::int32_t>(bits));
  } else if constexpr (Input == Scalar::int64) {
    return static_cast<Value>(static_cast<std::int64_t>(bits));
  } else if constexpr (Input == Scalar::boolean) {
    return static_cast<Value>(bits != 0);
  } else {
    return static_cast<Value>(bits);
  }
}

/// Bits of element e of a vector of any size.
template <int ElementBytes, int Words>
KOKKOSMMA_FORCEINLINE_FUNCTION typename Unsigned<ElementBytes>::type
element_of_vector(Registers<std::uint32_t, Words> const& vector, int e) {
  using Bits = typename Unsigned<ElementBytes>::type;
  if constexpr (ElementBytes == 8) {
    return std::uint64_t(vector[2 * e + 1]) << 32 | vector[2 * e];
  } else {
    return static_cast<Bits>(vector[e * ElementBytes / 4] >>
                             e * ElementBytes % 4 * 8);
  }
}

/// Tile from the first byte of vector 0 on, which is aligned in the data too.
/// (A gap after each eight vectors would avoid bank conflicts on segments of a
/// power of two bytes, at the cost of instructions for every access. Aligned
/// segments of that kind do not use this tile.)
struct StagedTile {
  unsigned char* memory;  ///< aligned to 16 bytes

  KOKKOSMMA_FORCEINLINE_FUNCTION Vector16 vector(int v) const {
    return vector_at(memory + 16 * v);
  }
  /// Elements from `byte` on, a multiple of their size.
  template <class Bits>
  KOKKOSMMA_FORCEINLINE_FUNCTION Bits const* elements(int byte) const {
    return reinterpret_cast<Bits const*>(memory + byte);
  }
};

}  // namespace KokkosMMA::Impl

#endif
