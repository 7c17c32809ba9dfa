// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BYTE_PAIRS_HPP
#define KOKKOSMMA_BYTE_PAIRS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Sums of bytes, two per word, so that one instruction adds two. Each sum must
/// stay below 2^16.

namespace KokkosMMA::Impl {

/// Byte i of the result is byte (selector >> 4 * i) % 8 of the bytes of `low`,
/// 0 to 3, and of `high`, 4 to 7, like the permute_bytes of a warp.
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t permute_bytes(
    std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  return __byte_perm(low, high, selector);
#else
  std::uint64_t const both = std::uint64_t(high) << 32 | low;
  std::uint32_t picked     = 0;
  for (int b = 0; b < 4; ++b)
    picked |= std::uint32_t(both >> 8 * (selector >> 4 * b & 7) & 255) << 8 * b;
  return picked;
#endif
}

/// Pairs of bytes: pair i has byte First + i of the words in its lower half and
/// the byte `Apart` after it in its upper half.
template <int First, int Count, int Apart, int Words>
KOKKOSMMA_FORCEINLINE_FUNCTION Registers<std::uint32_t, Count> pairs_of_bytes(
    Registers<std::uint32_t, Words> const& words) {
  static_assert(Apart % 4 == 0 && First + Count + Apart <= 4 * Words);
  Registers<std::uint32_t, Words> even{}, odd{};
  for (int w = 0; w < Words; ++w) {
    even[w] = words[w] & 0x00ff00ffu;
    odd[w]  = permute_bytes(words[w], 0, 0x4341);
  }
  Registers<std::uint32_t, Count> pairs{};
  for (int i = 0; i < Count; ++i) {
    int const w              = (First + i) / 4;
    int const b              = (First + i) % 4;
    std::uint32_t const low  = b % 2 ? odd[w] : even[w];
    std::uint32_t const high = b % 2 ? odd[w + Apart / 4] : even[w + Apart / 4];
    pairs[i] = permute_bytes(low, high, b < 2 ? 0x5410 : 0x7632);
  }
  return pairs;
}

/// Sums of V elements of a row; those of i and i + V / 2 are in one word.
/// Signed bytes are summed with 128 added to each of the `Taps` bytes of a sum.
template <class A, class Byte, int V, int Taps>
struct PairedSums {
  Registers<std::uint32_t, V / 2> pair;

  KOKKOSMMA_FORCEINLINE_FUNCTION A operator[](int i) const {
    std::uint32_t const sum =
        i < V / 2 ? pair[i] & 0xffffu : pair[i - V / 2] >> 16;
    constexpr int surplus = std::is_signed_v<Byte> ? 128 * Taps : 0;
    return static_cast<A>(static_cast<std::int32_t>(sum) - surplus);
  }
  /// Lowest byte of each sum.
  KOKKOSMMA_FORCEINLINE_FUNCTION Registers<std::uint32_t, V / 4> lowest_bytes()
      const {
    Registers<std::uint32_t, V / 4> words{};
    for (int i = 0; i < V / 2; i += 4) {
      std::uint32_t const first = permute_bytes(pair[i], pair[i + 1], 0x6240);
      std::uint32_t const second =
          permute_bytes(pair[i + 2], pair[i + 3], 0x6240);
      words[i / 4]         = permute_bytes(first, second, 0x5410);
      words[i / 4 + V / 8] = permute_bytes(first, second, 0x7632);
    }
    return words;
  }
};

/// Sums of a box filter of bytes up to radius 7, whose 225 bytes stay below
/// 2^16. `Byte` may be unsigned for signed elements if only the lowest byte of
/// a sum is used.
template <class A, class Byte, int V, int Radius>
struct PairedBoxSums {
  static_assert(sizeof(Byte) == 1 && V % 8 == 0);
  static constexpr int taps = (2 * Radius + 1) * (2 * Radius + 1);
  static_assert(taps * 255 < 0x10000);
  using Pairs                = RunningBoxSums<std::uint32_t, V / 2, Radius>;
  static constexpr int batch = Pairs::batch;
  static constexpr int max_radius = Radius;
  using OfRow                     = PairedSums<A, Byte, V, taps>;
  using Weights                   = typename Pairs::Weights;
  Pairs pairs;

  KOKKOSMMA_FORCEINLINE_FUNCTION void clear() { pairs.clear(); }
  /// Sums along a row for V bytes from byte At of the words on.
  template <int At, int Words>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Registers<std::uint32_t, V / 2>
  along_row(Registers<std::uint32_t, Words> words, Weights const& weights) {
    if constexpr (std::is_signed_v<Byte>) {
      for (int w = 0; w < Words; ++w) words[w] ^= 0x80808080u;
    }
    return Pairs::template along_row<Radius>(
        pairs_of_bytes<At - Radius, V / 2 + 2 * Radius, V / 2>(words), weights);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION OfRow
  push(int b, Registers<std::uint32_t, V / 2> const& row,
       Weights const& weights) {
    return {pairs.push(b, row, weights)};
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void next_batch() { pairs.next_batch(); }
};

}  // namespace KokkosMMA::Impl

#endif
