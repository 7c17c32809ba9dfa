// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STAGED_TILE_HPP
#define KOKKOSMMA_STAGED_TILE_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>

#include <cstdint>

/// \file
/// Tiles and rings of data in memory that the lanes of a warp share.

namespace KokkosMMA::Impl {

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

/// Value of element e of a vector of any size.
template <class Warp, Scalar Input, class Value, int Words>
KOKKOSMMA_FORCEINLINE_FUNCTION Value
element_of_vector(Registers<std::uint32_t, Words> const& vector, int e) {
  constexpr int bytes = size_of(Input);
  if constexpr (bytes == 8) {
    return element_value<Warp, Input, Value>(
        std::uint64_t(vector[2 * e + 1]) << 32 | vector[2 * e]);
  } else {
    return element_value<Warp, Input, Value>(static_cast<ElementBits<Input>>(
        vector[e * bytes / 4] >> e * bytes % 4 * 8));
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

/// Ring with the last `Bytes` bytes of a range; byte b is at offset(b). Each
/// line of 128 bytes is permuted in its own way, so that lanes one line apart
/// access different banks.
template <int Bytes>
struct StagedRing {
  static_assert(Bytes >= 1024 && (Bytes & (Bytes - 1)) == 0);
  static constexpr int bytes = Bytes;

  unsigned char* memory;  ///< `bytes` bytes, aligned to 128

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr unsigned offset(
      unsigned byte) {
    unsigned const in_ring = byte & (Bytes - 1);
    return in_ring ^ (in_ring >> 3 & 0x70);
  }
  /// The 16 bytes from byte 16 * v of the range on.
  KOKKOSMMA_FORCEINLINE_FUNCTION Vector16 vector(unsigned v) const {
    return vector_at(memory + offset(16 * v));
  }
};

}  // namespace KokkosMMA::Impl

#endif
