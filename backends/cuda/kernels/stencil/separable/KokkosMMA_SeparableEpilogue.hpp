// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_EPILOGUE_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_EPILOGUE_HPP

#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// Converts V sums to results, packed in words.
template <class Result, int V, class Sums>
__device__ inline Registers<unsigned, V* int(sizeof(Result)) / 4> result_words(
    Sums const& sums) {
  Result results[V];
#pragma unroll
  for (int i = 0; i < V; ++i) results[i] = static_cast<Result>(sums[i]);
  Registers<unsigned, V* int(sizeof(Result)) / 4> words;
  memcpy(&words, static_cast<void const*>(results), sizeof(words));
  return words;
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

template <class Epilogue>
struct EpilogueResult {
  using type = char;  // does not limit the elements that a thread stores
};
template <StencilEpilogue Epilogue>
struct EpilogueResult<Epilogue> {
  using type = typename Epilogue::value_type;
};

/// Clamps to 0 .. high.
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
