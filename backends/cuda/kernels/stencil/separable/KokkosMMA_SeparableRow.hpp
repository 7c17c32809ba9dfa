// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_ROW_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_ROW_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// \file
/// Row of a separable stencil: its layout in shared memory, its sums, and what
/// a thread does with them.

namespace KokkosMMA::Impl::Cuda {

/// Layout of a row of a column panel in shared memory. The window of a thread
/// begins `reach` elements before its V elements. Unaligned rows are stored
/// from the beginning of their 32-byte sector.
template <class Element, int V, int Threads, int MaxRadius, bool Aligned = true>
struct SeparableRow {
  static constexpr int round_up(int n, int to) {
    return (n + to - 1) / to * to;
  }
  static constexpr int per_vector = 16 / int(sizeof(Element));
  static constexpr int unit       = V < per_vector ? V : per_vector;
  static constexpr int pad        = round_up(MaxRadius, per_vector);
  static constexpr int reach      = round_up(MaxRadius, unit);
  static constexpr int columns    = Threads * V;
  /// Elements that windows cover. Unaligned rows also have room for the offset
  /// of element 0 in its sector.
  static constexpr int reached  = columns + 2 * pad;
  static constexpr int elements = reached + (Aligned ? 0 : 2 * per_vector);
  static constexpr int vectors  = elements / per_vector;
  static constexpr int bytes    = vectors * 16;
  static_assert(bytes % 32 == 0);
  /// Bytes before the first row.
  static constexpr int lead =
      Aligned ? sector_lead(pad * int(sizeof(Element))) : 0;
  static constexpr int window = V + 2 * reach;
};

template <class A, class Element, int First, int Count, int Words>
__device__ inline Registers<A, Count> elements_of(
    Registers<unsigned, Words> const& words) {
  constexpr int size = int(sizeof(Element));
  constexpr int step = size < 4 ? 4 / size : 1;  // elements per iteration
  Registers<A, Count> values;
#pragma unroll
  for (int i = 0; i < Count; i += step) {
    unsigned bits[(size + 3) / 4];
#pragma unroll
    for (int w = 0; w < (size + 3) / 4; ++w)
      bits[w] = words[First + i * size / 4 + w];
    LoadedElement<Element> elements[step];
    memcpy(static_cast<void*>(elements), bits, step * size);
#pragma unroll
    for (int e = 0; e < step; ++e) values[i + e] = static_cast<A>(elements[e]);
  }
  return values;
}

/// Whether the sums use bytes that are packed in words.
template <class Sums>
inline constexpr bool takes_bytes = false;
template <class A, class Byte, int V, int Radius>
inline constexpr bool takes_bytes<PairedBoxSums<A, Byte, V, Radius>> = true;

/// Returns the sums along a row for a thread's V elements. The window begins
/// `offset` bytes after `from`. Loads are whole units. The rest of the offset
/// is the same for all threads.
template <class A, class Sums, class Element, class Row, bool Aligned>
__device__ inline auto sums_along_row(unsigned char const* from, int offset,
                                      typename Sums::Weights const& weights) {
  constexpr int size = int(sizeof(Element));
  // Small elements are loaded in units of 8 bytes: one select fewer per word,
  // twice the wavefronts. Fraction of a copy's rate: half, box filters of
  // radius 3 and 5, 0.93 and 0.83 instead of 0.90 and 0.82; float of radius 7
  // 0.79 instead of 0.90.
  constexpr int unit_bytes =
      !Aligned && size < 4 && Row::unit * size > 8 ? 8 : Row::unit * size;
  constexpr int bytes = Row::window * size;
  auto const sums     = [&](auto first, auto const& words) {
    if constexpr (takes_bytes<Sums>) {
      return Sums::template along_row<Row::reach>(words, weights);
    } else {
      return Sums::template along_row<Row::reach>(
          elements_of<A, Element, decltype(first)::value, Row::window>(words),
          weights);
    }
  };
  std::integral_constant<int, 0> constexpr zero;
  if constexpr (Aligned) {
    return sums(zero, load_words<bytes, unit_bytes>(from));
  } else {
    auto words = load_words<bytes + unit_bytes, unit_bytes>(
        from + offset / unit_bytes * unit_bytes);
    if constexpr (size < 4) {
      if (offset % 4 != 0) {
#pragma unroll
        for (int w = 0; w + 1 < words.size; ++w)
          words[w] = __funnelshift_r(words[w], words[w + 1], offset % 4 * 8);
      }
    }
    if constexpr (size == 8 && unit_bytes == 16) {
      if (offset & 8) return sums(std::integral_constant<int, 2>(), words);
    } else {
      auto const shift = [&](auto by) {
        constexpr int n    = decltype(by)::value;
        bool const shifted = offset & 4 * n;
#pragma unroll
        for (int w = 0; w + n < words.size; ++w) {
          // Selects between values: a select between addresses would put the
          // words into memory.
          unsigned const here = words[w], there = words[w + n];
          words[w] = shifted ? there : here;
        }
      };
      if constexpr (unit_bytes > 8) {
        shift(std::integral_constant<int, 2>());
      }
      if constexpr (unit_bytes > 4 && size <= 4) {
        shift(std::integral_constant<int, 1>());
      }
    }
    return sums(zero, words);
  }
}

template <class Result, int V, class Sums>
__device__ inline Registers<unsigned, V* int(sizeof(Result)) / 4> result_words(
    Sums const& sums) {
  if constexpr (takes_lowest_bytes<Result> &&
                requires { sums.lowest_bytes(); }) {
    return sums.lowest_bytes();
  } else {
    Result results[V];
#pragma unroll
    for (int i = 0; i < V; ++i) results[i] = static_cast<Result>(sums[i]);
    Registers<unsigned, V* int(sizeof(Result)) / 4> words;
    memcpy(&words, static_cast<void const*>(results), sizeof(words));
    return words;
  }
}

/// Stride of the V sums of adjacent lanes in shared memory. The odd stride
/// avoids bank conflicts of stores, which would be 16-way for V = 16.
template <int V>
inline constexpr int padded_lane = V + (V > 1 ? 1 : 0);

/// Passes a thread's V sums of a row to the epilogue. `at` is the position of
/// element `column`; elements in begin <= column < end are inside the grid.
template <int V, bool VectorStores, int R, class Sums, class A, class Epilogue>
__device__ inline void apply_epilogue(Epilogue const& epilogue,
                                      std::int64_t const (&at)[R],
                                      std::int64_t column, std::int64_t begin,
                                      std::int64_t end, Sums const& sums,
                                      A* of_warp) {
  auto const emit = [&](int i, A sum) {
    if (column + i < begin || column + i >= end) return;
    std::int64_t place[R];
#pragma unroll
    for (int d = 0; d < R; ++d) place[d] = at[d];
    place[R - 1] += i;
    epilogue(place, sum);
  };
  if constexpr (VectorStores) {
    if (column >= begin && column + V <= end) {
      std::int64_t offset = at[R - 1];
#pragma unroll
      for (int d = 0; d + 1 < R; ++d) offset += at[d] * epilogue.stride[d];
      store_words(epilogue.data + offset,
                  result_words<typename Epilogue::value_type, V>(sums));
    } else if (column < end) {
#pragma unroll
      for (int i = 0; i < V; ++i) emit(i, sums[i]);
    }
  } else {
    // Adjacent lanes have adjacent elements.
    int const lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < V; ++i) of_warp[lane * padded_lane<V> + i] = A(sums[i]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < V; ++i)
      emit(i * 32 + lane - lane * V,
           of_warp[i * (32 / V * padded_lane<V>)+lane / V * padded_lane<V> +
                   lane % V]);
  }
}

/// Type of the results; that of a functor does not limit the elements that a
/// thread stores.
template <class Epilogue>
using EpilogueResult = epilogue_value_t<Epilogue, char>;

__device__ inline std::int64_t clamp_to(std::int64_t value, std::int64_t high) {
  return value < 0 ? 0 : value > high ? high : value;
}

/// Epilogue of sums within planes, with rows padded to whole vectors.
template <class A>
struct PlaneTarget : StencilTarget<A, 2> {};
template <class Epilogue>
inline constexpr bool has_room_beside_rows = false;
template <class A>
inline constexpr bool has_room_beside_rows<PlaneTarget<A>> = true;

}  // namespace KokkosMMA::Impl::Cuda

#endif
