// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEPARABLE_SUMS_HPP
#define KOKKOSMMA_SEPARABLE_SUMS_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Sums of one thread in a separable stencil, along the rows and then along the
/// columns. All values stay in registers: indices are constants once the loops
/// are unrolled.

namespace KokkosMMA::Impl {

/// Returns a * b + c; integers modulo a power of two.
template <class A>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr A multiply_add(A a, A b, A c) {
  if constexpr (std::is_integral_v<A>) {
    using Bits = std::make_unsigned_t<decltype(a + b)>;
    return static_cast<A>(Bits(a) * Bits(b) + Bits(c));
  } else {
    return a * b + c;
  }
}

/// Returns a + b; integers modulo a power of two.
template <class A>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr A add_up(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    using Bits = std::make_unsigned_t<decltype(a + b)>;
    return static_cast<A>(Bits(a) + Bits(b));
  } else {
    return a + b;
  }
}

/// Returns a - b of integers modulo a power of two.
template <class A>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr A subtract(A a, A b) {
  static_assert(std::is_integral_v<A>);
  using Bits = std::make_unsigned_t<decltype(a - b)>;
  return static_cast<A>(Bits(a) - Bits(b));
}

/// Calls f(integral_constant<int, k>) for k = min(radius, MaxRadius) down to
/// 1, with one jump instead of a test for each k.
template <int MaxRadius, class F>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void for_radius_down(int radius,
                                                              F const& f) {
  static_assert(MaxRadius <= 16);
#define KOKKOSMMA_CASE(k)                  \
  case k:                                  \
    if constexpr (k <= MaxRadius) {        \
      f(std::integral_constant<int, k>()); \
    }
  switch (radius) {
    KOKKOSMMA_CASE(16) [[fallthrough]];
    KOKKOSMMA_CASE(15) [[fallthrough]];
    KOKKOSMMA_CASE(14) [[fallthrough]];
    KOKKOSMMA_CASE(13) [[fallthrough]];
    KOKKOSMMA_CASE(12) [[fallthrough]];
    KOKKOSMMA_CASE(11) [[fallthrough]];
    KOKKOSMMA_CASE(10) [[fallthrough]];
    KOKKOSMMA_CASE(9) [[fallthrough]];
    KOKKOSMMA_CASE(8) [[fallthrough]];
    KOKKOSMMA_CASE(7) [[fallthrough]];
    KOKKOSMMA_CASE(6) [[fallthrough]];
    KOKKOSMMA_CASE(5) [[fallthrough]];
    KOKKOSMMA_CASE(4) [[fallthrough]];
    KOKKOSMMA_CASE(3) [[fallthrough]];
    KOKKOSMMA_CASE(2) [[fallthrough]];
    KOKKOSMMA_CASE(1) break;
    default: break;
  }
#undef KOKKOSMMA_CASE
}

/// Weights of one dimension. Factors beyond the radius are never used: a zero
/// there would turn an Inf outside the stencil into NaN.
/// \tparam Exact whether the radius is MaxRadius
template <class A, int MaxRadius, bool Exact>
struct SeparableFactors {
  A at[2 * MaxRadius + 1];
  int radius;
};

/// Computes sum[i] = sum over o of factor(o) * window(At + i + o). The factor
/// of offset o is at MaxRadius + o.
template <int V, int At, class A, int MaxRadius, bool Exact, class Window>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Registers<A, V> row_sums(
    SeparableFactors<A, MaxRadius, Exact> const& factors,
    Window const& window) {
  Registers<A, V> sum{};
  auto const add = [&](int o) {
    for (int i = 0; i < V; ++i)
      sum[i] = multiply_add(factors.at[MaxRadius + o], A(window[At + i + o]),
                            sum[i]);
  };
  if constexpr (Exact) {
    for (int o = -MaxRadius; o <= MaxRadius; ++o) add(o);
  } else {
    for_radius_down<MaxRadius>(factors.radius, [&](auto k) {
      add(-decltype(k)::value);
      add(decltype(k)::value);
    });
    add(0);
  }
  return sum;
}

/// Sums along V columns, in batches of `Batch` rows.
template <class A, int MaxRadius, int V, int Batch>
struct ColumnSums {
  static constexpr int slots = 2 * MaxRadius + Batch;
  /// Row p of a batch adds to the sum of row p - radius + j in slot p + j.
  Registers<A, V> slot[slots];

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void clear() {
    for (int s = 0; s < slots; ++s) slot[s] = {};
  }
  /// Adds row `b` of the batch. slot[b] is then the sum of the row `radius`
  /// above. The factor of offset o is at radius - o.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void push(
      int b, Registers<A, V> const& row,
      SeparableFactors<A, MaxRadius, false> const& factors) {
    auto const add = [&](int j) {
      for (int i = 0; i < V; ++i)
        slot[b + j][i] = multiply_add(factors.at[j], row[i], slot[b + j][i]);
    };
    for_radius_down<MaxRadius>(factors.radius, [&](auto k) {
      add(2 * decltype(k)::value);
      add(2 * decltype(k)::value - 1);
    });
    add(0);
  }
  /// Moves the sums to the first slots after the last row of a batch.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void next_batch() {
    for (int s = 0; s < 2 * MaxRadius; ++s) slot[s] = slot[s + Batch];
    for (int s = 2 * MaxRadius; s < slots; ++s) slot[s] = {};
  }
};

/// Row-by-row sums with factors of any radius up to a maximum. Row blocks may
/// have any number of rows: the sum of a row is complete once the row `radius`
/// below it was pushed.
template <class A, int V, int MaxRow, int MaxColumn, int Batch>
struct FactorSums {
  static constexpr int batch      = Batch;
  static constexpr int max_radius = MaxRow;
  using OfRow                     = Registers<A, V>;
  struct Weights {
    SeparableFactors<A, MaxRow, false> along_row;
    SeparableFactors<A, MaxColumn, false> along_column;
    KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int row_radius() const {
      return along_row.radius;
    }
    KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int column_radius() const {
      return MaxColumn == 0 ? 0 : along_column.radius;
    }
  };
  ColumnSums<A, MaxColumn, V, Batch> columns;

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void clear() { columns.clear(); }
  /// Sums along a row for V elements from window[At] on.
  template <int At, class Window>
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Registers<A, V> along_row(
      Window const& window, Weights const& weights) {
    return row_sums<V, At>(weights.along_row, window);
  }
  /// Adds row b of a batch. Returns the sums of the row column_radius() above
  /// it.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Registers<A, V> push(
      int b, Registers<A, V> const& row, Weights const& weights) {
    columns.push(b, row, weights.along_column);
    return columns.slot[b];
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void next_batch() {
    columns.next_batch();
  }
};

/// Radius of rows and columns.
template <int Radius>
struct OneRadius {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int row_radius() {
    return Radius;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int column_radius() {
    return Radius;
  }
};

/// Sums with factors of equal radius in both directions. A batch has as many
/// rows as there are partial sums, so that these never move.
template <class A, int V, int Radius>
struct RadiusSums {
  static constexpr int batch      = 2 * Radius + 1;
  static constexpr int max_radius = Radius;
  using OfRow                     = Registers<A, V>;
  struct Weights : OneRadius<Radius> {
    SeparableFactors<A, Radius, true> along_row;
    SeparableFactors<A, Radius, true> along_column;
  };
  Registers<A, V> slot[batch];

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void clear() {
    for (int b = 0; b < batch; ++b) slot[b] = {};
  }
  template <int At, class Window>
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Registers<A, V> along_row(
      Window const& window, Weights const& weights) {
    return row_sums<V, At>(weights.along_row, window);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Registers<A, V> push(
      int b, Registers<A, V> const& row, Weights const& weights) {
    for (int j = 0; j < batch; ++j) {
      Registers<A, V>& sum = slot[(b + j) % batch];
      for (int i = 0; i < V; ++i)
        sum[i] = multiply_add(weights.along_column.at[j], row[i],
                              j + 1 < batch ? sum[i] : A(0));
    }
    return slot[b];
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void next_batch() {}
};

/// Computes sum[i] = window[At + i - Radius] + .. + window[At + i + Radius].
/// Common parts of adjacent windows are added once.
template <int V, int Radius, int At, class A, int N>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Registers<A, V> box_row_sums(
    Registers<A, N> const& window) {
  // Windows of G adjacent elements have at least one element in common.
  constexpr int G = V <= 2 * Radius + 1 ? V : 2 * Radius + 1 >= 4 ? 4 : 2;
  static_assert(V % G == 0);
  Registers<A, V> sum{};
  for (int g = 0; g < V; g += G) {
    int const at = At + g;
    A common     = window[at + G - 1 - Radius];
    for (int i = G - Radius; i <= Radius; ++i)
      common = add_up(common, window[at + i]);
    sum[g + G - 1] = common;
    for (int i = G - 2; i >= 0; --i)
      sum[g + i] = add_up(window[at + i - Radius], sum[g + i + 1]);
    A after = window[at + Radius + 1];
    for (int i = 1; i < G; ++i) {
      if (i > 1) after = add_up(after, window[at + Radius + i]);
      sum[g + i] = add_up(sum[g + i], after);
    }
  }
  return sum;
}

/// Sums of a box filter (van Herk; Gil and Werman). Batches have as many rows
/// as the box, so that a window of rows is the end of one batch and the
/// beginning of the next. Thus three additions per element are enough for any
/// radius, and nothing is subtracted.
template <class A, int V, int Radius>
struct BoxSums {
  static constexpr int batch      = 2 * Radius + 1;
  static constexpr int max_radius = Radius;
  using OfRow                     = Registers<A, V>;
  using Weights                   = OneRadius<Radius>;
  /// After push() of row b: rows of this batch up to b, then for each later row
  /// the sum of the previous batch from that row on.
  Registers<A, V> rest[batch];
  Registers<A, V> start;  ///< sum of this batch so far

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void clear() {
    for (int b = 0; b < batch; ++b) rest[b] = {};
    start = {};
  }
  template <int At, class Window>
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Registers<A, V> along_row(
      Window const& window, Weights const&) {
    return box_row_sums<V, Radius, At>(window);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Registers<A, V> push(
      int b, Registers<A, V> const& row, Weights const&) {
    Registers<A, V> sum{};
    for (int i = 0; i < V; ++i) {
      // Begins with +0: sums of negative zeros are +0 on all routes.
      start[i]   = b == 0 ? add_up(A(0), row[i]) : add_up(start[i], row[i]);
      sum[i]     = b + 1 < batch ? add_up(rest[b + 1][i], start[i]) : start[i];
      rest[b][i] = row[i];
    }
    return sum;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void next_batch() {
    for (int b = batch - 2; b > 0; --b)
      for (int i = 0; i < V; ++i)
        rest[b][i] = add_up(rest[b][i], rest[b + 1][i]);
  }
};

/// Sums of a box filter of integers, for which subtraction is exact: one
/// addition and one subtraction per element, along the rows as well.
template <class A, int V, int Radius>
struct RunningBoxSums {
  static constexpr int batch      = 2 * Radius + 1;
  static constexpr int max_radius = Radius;
  using OfRow                     = Registers<A, V>;
  using Weights                   = OneRadius<Radius>;
  Registers<A, V> last[batch];  ///< ring buffer of the last rows
  Registers<A, V> sum;          ///< of these rows

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void clear() {
    for (int b = 0; b < batch; ++b) last[b] = {};
    sum = {};
  }
  template <int At, class Window>
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Registers<A, V> along_row(
      Window const& window, Weights const&) {
    Registers<A, V> row{};
    for (int i = At - Radius; i <= At + Radius; ++i)
      row[0] = add_up(row[0], window[i]);
    for (int i = 1; i < V; ++i)
      row[i] = subtract(add_up(row[i - 1], window[At + i + Radius]),
                        window[At + i - 1 - Radius]);
    return row;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr Registers<A, V> push(
      int b, Registers<A, V> const& row, Weights const&) {
    for (int i = 0; i < V; ++i) {
      sum[i]     = subtract(add_up(sum[i], row[i]), last[b][i]);
      last[b][i] = row[i];
    }
    return sum;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr void next_batch() {}
};

// Sums of bytes, two per word, so that one instruction adds two. Each sum must
// stay below 2^16.

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
/// a sum is used. Rates against tensor cores (KokkosMMA_RouteStencil.hpp, H200,
/// 2026-11-23 and 24): for a functor 2.3 at radius 3 and 1.8 at 7, into
/// unaligned rows 1.5 at radius 1, into aligned ones 1.01 to 1.04 up to 3.
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
