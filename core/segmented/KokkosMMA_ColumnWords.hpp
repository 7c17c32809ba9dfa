// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COLUMN_WORDS_HPP
#define KOKKOSMMA_COLUMN_WORDS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// `Bytes` bytes of memory that a lane loads, in 32-bit words.
template <int Bytes>
using ColumnWords = Registers<std::uint32_t, (Bytes + 3) / 4>;

template <int ElementBytes, int Words>
KOKKOSMMA_FORCEINLINE_FUNCTION typename Unsigned<ElementBytes>::type
element_of_words(Registers<std::uint32_t, Words> const& words, int e) {
  using Bits = typename Unsigned<ElementBytes>::type;
  if constexpr (ElementBytes == 8) {
    return std::uint64_t(words[2 * e + 1]) << 32 | words[2 * e];
  } else {
    return static_cast<Bits>(words[e * ElementBytes / 4] >>
                             e * ElementBytes % 4 * 8);
  }
}

/// Sets an element in words that are zero there.
template <int ElementBytes, int Words>
KOKKOSMMA_FORCEINLINE_FUNCTION void put_element(
    Registers<std::uint32_t, Words>& words, int e,
    typename Unsigned<ElementBytes>::type bits) {
  if constexpr (ElementBytes == 8) {
    words[2 * e]     = std::uint32_t(bits);
    words[2 * e + 1] = std::uint32_t(bits >> 32);
  } else {
    words[e * ElementBytes / 4] |= std::uint32_t(bits)
                                   << e * ElementBytes % 4 * 8;
  }
}

}  // namespace KokkosMMA::Impl

#endif
