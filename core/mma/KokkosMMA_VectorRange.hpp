// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VECTOR_RANGE_HPP
#define KOKKOSMMA_VECTOR_RANGE_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Contiguous elements of any alignment as 16-byte vectors. Vector v is the
/// aligned 16-byte chunk at `base` + 16 * v. The first `skip` elements of
/// vector 0 precede the data. Vectors [begin, end) have data only.
struct VectorRange {
  unsigned char const* base = nullptr;
  std::uint64_t begin       = 0;
  std::uint64_t end         = 0;
  std::uint64_t size        = 0;  ///< elements
  unsigned skip             = 0;  ///< elements
  unsigned per_vector       = 1;  ///< elements

  /// Vector after the last whole one; partly filled if has_tail().
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t tail() const {
    return (size + skip) / per_vector;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION bool has_head() const {
    return skip > 0 && size > 0;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION bool has_tail() const {
    return (size + skip) % per_vector != 0 && !(has_head() && tail() == 0) &&
           size > 0;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION bool has_edges() const {
    return has_head() || has_tail();
  }
};

KOKKOSMMA_INLINE_FUNCTION VectorRange vector_range(void const* data,
                                                   std::uint64_t size,
                                                   int element_bytes) {
  auto const address = reinterpret_cast<std::uintptr_t>(data);
  VectorRange range;
  range.base       = static_cast<unsigned char const*>(data) - address % 16;
  range.size       = size;
  range.skip       = unsigned(address % 16) / element_bytes;
  range.per_vector = 16 / element_bytes;
  range.begin      = range.skip ? 1 : 0;
  range.end        = range.tail() > range.begin ? range.tail() : range.begin;
  return range;
}

template <int Bytes>
struct Unsigned;
template <>
struct Unsigned<1> {
  using type = std::uint8_t;
};
template <>
struct Unsigned<2> {
  using type = std::uint16_t;
};
template <>
struct Unsigned<4> {
  using type = std::uint32_t;
};
template <>
struct Unsigned<8> {
  using type = std::uint64_t;
};

/// The 16 bytes at an address that is aligned to them.
KOKKOSMMA_FORCEINLINE_FUNCTION Vector16 vector_at(unsigned char const* memory) {
  struct alignas(16) Aligned {
    std::uint32_t word[4];
  };
  Aligned const a = *reinterpret_cast<Aligned const*>(memory);
  return {{a.word[0], a.word[1], a.word[2], a.word[3]}};
}

/// Sets element e of a vector that is zero there.
template <int ElementBytes, int Words>
KOKKOSMMA_FORCEINLINE_FUNCTION void put_element(
    Registers<std::uint32_t, Words>& vector, int e,
    typename Unsigned<ElementBytes>::type bits) {
  if constexpr (ElementBytes == 8) {
    vector[2 * e]     = std::uint32_t(bits);
    vector[2 * e + 1] = std::uint32_t(bits >> 32);
  } else {
    vector[e * ElementBytes / 4] |= std::uint32_t(bits)
                                    << e * ElementBytes % 4 * 8;
  }
}

/// Partly filled vectors, padded with zeros: lane 0 has the head, lane 1 the
/// tail, other lanes zeros.
template <int ElementBytes>
KOKKOSMMA_INLINE_FUNCTION Vector16 edge_vector(VectorRange const& range,
                                               int lane) {
  using Element            = typename Unsigned<ElementBytes>::type;
  constexpr int per_vector = 16 / ElementBytes;
  Vector16 vector{};
  bool const mine =
      (lane == 0 && range.has_head()) || (lane == 1 && range.has_tail());
  if (!mine) return vector;
  std::uint64_t const index = lane == 0 ? 0 : range.tail();
  auto const* const elements =
      reinterpret_cast<Element const*>(range.base) + index * per_vector;
  for (int e = 0; e < per_vector; ++e) {
    std::uint64_t const position = index * per_vector + e;
    if (position < range.skip || position >= range.skip + range.size) continue;
    put_element<ElementBytes>(vector, e, elements[e]);
  }
  return vector;
}

}  // namespace KokkosMMA::Impl

#endif
