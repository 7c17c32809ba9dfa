// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_EPILOGUE_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_EPILOGUE_HPP

#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// Results that are the lowest byte of a sum.
template <class Result>
inline constexpr bool takes_lowest_bytes = std::is_integral_v<Result> &&
                                           sizeof(Result) == 1 &&
                                           !std::is_same_v<Result, bool>;

/// V sums as elements of the result, in words.
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

/// Words in as few stores as there can be.
/// Without a hint that they are not read again: that costs 1 to 3 % here, and
/// the marching kernels of DirectStencil gain 15 % by it (H200, 2026-11-22).
template <int N>
__device__ inline void store_words(void* to,
                                   Registers<unsigned, N> const& words) {
  using Unit =
      std::conditional_t<N % 4 == 0, uint4,
                         std::conditional_t<N % 2 == 0, uint2, unsigned>>;
  constexpr int per_unit = int(sizeof(Unit)) / 4;
#pragma unroll
  for (int u = 0; u < N / per_unit; ++u) {
    unsigned part[per_unit];
#pragma unroll
    for (int w = 0; w < per_unit; ++w) part[w] = words[u * per_unit + w];
    Unit bits;
    memcpy(&bits, part, sizeof(Unit));
    static_cast<Unit*>(to)[u] = bits;
  }
}

/// Words from one lane's V sums to the next in shared memory: no two lanes that
/// write meet in a bank (without the odd word 16 would where V is 16).
template <int V>
inline constexpr int padded_lane = V + (V > 1 ? 1 : 0);

/// Hands the sums of a thread's V elements of a row to the sink. `at` is the
/// place of element `column`, whose last index alone is known to lie inside
/// where begin <= column < end.
template <int V, bool VectorSink, int R, class Sums, class A, class Sink>
__device__ inline void put_sums(Sink const& sink, std::int64_t const (&at)[R],
                                std::int64_t column, std::int64_t begin,
                                std::int64_t end, Sums const& sums,
                                A* of_warp) {
  auto const put = [&](int i, A sum) {
    if (column + i < begin || column + i >= end) return;
    std::int64_t place[R];
#pragma unroll
    for (int d = 0; d < R; ++d) place[d] = at[d];
    place[R - 1] += i;
    sink(place, sum);
  };
  if constexpr (VectorSink) {
    if (column >= begin && column + V <= end) {
      std::int64_t offset = at[R - 1];
#pragma unroll
      for (int d = 0; d + 1 < R; ++d) offset += at[d] * sink.stride[d];
      store_words(sink.data + offset,
                  result_words<typename Sink::value_type, V>(sums));
    } else if (column < end) {
#pragma unroll
      for (int i = 0; i < V; ++i) put(i, sums[i]);
    }
  } else {
    // Lanes side by side take elements side by side.
    int const lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < V; ++i) of_warp[lane * padded_lane<V> + i] = A(sums[i]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < V; ++i)
      put(i * 32 + lane - lane * V,
          of_warp[i * (32 / V * padded_lane<V>)+lane / V * padded_lane<V> +
                  lane % V]);
  }
}

template <class Sink>
struct SinkResult {
  using type = char;  // does not limit how many elements a thread takes
};
template <VisibleStencilSink Sink>
struct SinkResult<Sink> {
  using type = typename Sink::value_type;
};

template <class Sink>
struct SinkPointer {
  using type = char*;
};
template <VisibleStencilSink Sink>
struct SinkPointer<Sink> {
  using type = typename Sink::value_type*;
};
template <class Sink>
using SinkPlace = typename SinkPointer<Sink>::type;

/// 0 .. high
__device__ inline std::int64_t clamp_to(std::int64_t value, std::int64_t high) {
  return value < 0 ? 0 : value > high ? high : value;
}

/// Sums within planes, whose rows have room beside them for whole vectors.
template <class A>
struct PlaneTarget : StencilTarget<A, 2> {};
template <class Sink>
inline constexpr bool has_room_beside_rows = false;
template <class A>
inline constexpr bool has_room_beside_rows<PlaneTarget<A>> = true;

}  // namespace KokkosMMA::Impl::Cuda

#endif
