// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DIRECT_SUMS_HPP
#define KOKKOSMMA_CUDA_DIRECT_SUMS_HPP

#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cuda_runtime.h>
#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Parts of kernels that compute stencils with multiply-adds, and of their
/// launches: a tap, loads of neighbours from shared memory, stores of sums, the
/// alignment of tiles and the number of blocks.

namespace KokkosMMA::Impl::Cuda {

template <class A>
__device__ __forceinline__ A add_tap(A sum, A weight, A value) {
  return Combine<Operation::sum, A>::apply(
      sum, Combine<Operation::prod, A>::apply(weight, value));
}

/// Loads consecutive elements from shared memory; unaligned ones one by one.
template <int Count, bool Unaligned, class A, class Element>
__device__ __forceinline__ void read_columns(Element const* from, A* values) {
  if constexpr (Unaligned) {
#pragma unroll
    for (int i = 0; i < Count; ++i) read_values<1>(from + i, values + i);
  } else {
    read_values<Count>(from, values);
  }
}

/// Stores the sums of a warp. Each lane has the sums of `Columns` consecutive
/// elements, and the next lane those of the elements that follow.
template <int Columns, class A, int R, class Epilogue>
struct SumStore {
  using Index = std::int64_t;

  Epilogue epilogue;
  Index extent;  ///< extent of the last dimension
  bool vectors;  ///< whether results may be stored as vectors

  /// `at` is the lane's first element; `staging` has 32 * Columns elements.
  __device__ __forceinline__ void operator()(Index (&at)[R],
                                             A const (&sums)[Columns],
                                             A* staging) const {
    if constexpr (StencilEpilogue<Epilogue>) {
      write(address(at), at[R - 1], sums, staging);
    } else {
      stage(sums, staging);
      Index const first = at[R - 1] - lane() * Columns;
      at[R - 1]         = first + lane();
      if (0 <= first && first + Columns * 32 <= extent) {
        A exchanged[Columns];
#pragma unroll
        for (int c = 0; c < Columns; ++c)
          exchanged[c] = staging[c * 32 + lane()];
        epilogue.template row<32>(at, exchanged);
      } else {
#pragma unroll 1
        for (int e = lane(); e < Columns * 32; e += 32, at[R - 1] += 32)
          if (0 <= at[R - 1] && at[R - 1] < extent) epilogue(at, staging[e]);
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ auto* address(Index const (&at)[R]) const {
    auto* to = epilogue.data + at[R - 1];
#pragma unroll
    for (int d = 0; d + 1 < R; ++d) to += at[d] * epilogue.stride[d];
    return to;
  }
  /// Stores sums to a View. The lane's first element is at `to`, in column
  /// `first`.
  template <class Result>
  __device__ __forceinline__ void write(Result* to, Index first,
                                        A const (&sums)[Columns],
                                        A* staging) const {
    bool const is_whole = 0 <= first && first + Columns <= extent;
    if (vectors && is_whole) {
      Result results[Columns];
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        results[c] = static_cast<Result>(sums[c]);
      store_elements<true>(to, results);
    } else if (vectors) {
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        if (0 <= first + c && first + c < extent)
          to[c] = static_cast<Result>(sums[c]);
    } else {
      stage(sums, staging);
      Result* const of_lane = to - lane() * (Columns - 1);
      Index const column    = first - lane() * (Columns - 1);
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        if (0 <= column + c * 32 && column + c * 32 < extent)
          of_lane[c * 32] = static_cast<Result>(staging[c * 32 + lane()]);
      __syncwarp();
    }
  }

 private:
  __device__ __forceinline__ static int lane() { return int(threadIdx.x % 32); }

  /// Exchanges sums so that a warp writes consecutive elements.
  __device__ __forceinline__ static void stage(A const (&sums)[Columns],
                                               A* staging) {
#pragma unroll
    for (int c = 0; c < Columns; ++c) staging[lane() * Columns + c] = sums[c];
    __syncwarp();
  }
};

inline constexpr std::int64_t most_blocks = 0x7fffffff;
inline unsigned checked_blocks(std::int64_t blocks) {
  if (blocks > most_blocks)
    Kokkos::abort("KokkosMMA: a stencil of more than 2^31 - 1 tiles");
  return unsigned(blocks);
}

/// Alignment of the memory that a stencil reads and writes.
struct StencilAlignment {
  std::int64_t origin;  ///< first column of the first tile, not above 0
  bool loads;
  bool stores;
};

/// Chooses the first column of the tiles so that loads and stores, or at least
/// one of them, use whole vectors. For elements of 4 and 8 bytes stores have
/// priority: copying these one by one costs little. Copying elements of 1 and 2
/// bytes one by one costs much.
/// \tparam Columns per thread
template <int Columns, class Element, int R, class Epilogue>
StencilAlignment stencil_alignment(StencilGrid<Element, R> const& grid,
                                   Epilogue const& epilogue) {
  auto const misaligned = [](auto const* data, auto const* strides, int bytes) {
    constexpr auto size = std::int64_t(sizeof(*data));
    auto const address  = reinterpret_cast<std::uintptr_t>(data);
    for (int d = 0; d + 1 < R; ++d)
      if (strides[d] * size % bytes != 0) return std::int64_t(-1);
    if (address % std::uintptr_t(size) != 0) return std::int64_t(-1);
    return std::int64_t(address % std::uintptr_t(bytes)) / size;
  };
  std::int64_t const load = misaligned(grid.data, grid.stride, 16);
  if constexpr (StencilEpilogue<Epilogue>) {
    using Result      = typename Epilogue::value_type;
    constexpr int per = elements_per_vector<Columns, Result>;
    std::int64_t const store =
        misaligned(epilogue.data, epilogue.stride, per * int(sizeof(Result)));
    if (load >= 0 && store >= 0 && (load - store) % per == 0)
      return {-load, true, true};
    if (store >= 0 && (sizeof(Element) >= 4 || load < 0))
      return {-store, false, true};
  }
  if (load >= 0) return {-load, true, false};
  return {0, false, false};
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
