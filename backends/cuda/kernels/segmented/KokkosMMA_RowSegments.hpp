// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ROW_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_ROW_SEGMENTS_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_MinBlocks.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>

#include <cstdint>

/// \file
/// Segments of a power of two of vectors, read straight from memory: a warp
/// holds rows of 32 vectors.

namespace KokkosMMA::Impl::Cuda {

/// Blocks per multiprocessor: ptxas 13.0 spills with 4 on sm_80 only.
template <class Segments>
inline constexpr int segment_min_blocks =
    min_blocks_of<Segments::min_blocks, 3>;

__device__ inline Vector16 load_kept(unsigned char const* from) {
  uint4 const v = __ldg(reinterpret_cast<uint4 const*>(from));
  return {{v.x, v.y, v.z, v.w}};
}

struct RowSegments {
  unsigned char const* x;  ///< aligned to a vector
  std::uint64_t count;     ///< segments of full length
  int vectors;             ///< per segment: a power of two, at most 256
  int rest;                ///< bytes of a shorter segment at the end
  bool keep;               ///< no __ldcs (kept_bytes)
};

/// Reduces elements [from, to) with a whole warp; all lanes get the result.
template <class Segments, Scalar Input>
__device__ typename Segments::Value warp_reduce_elements(
    unsigned char const* from, unsigned char const* to) {
  using Bits = ElementBits<Input>;
  using Join = typename Segments::Join;
  auto value = Join::identity();
  for (Bits const* e = reinterpret_cast<Bits const*>(from) + threadIdx.x % 32;
       e < reinterpret_cast<Bits const*>(to); e += 32)
    value = Join::apply(
        value, element_value<Warp, Input, typename Segments::Value>(*e));
  join_lanes<Join>(Warp{}, value, 32);
  return value;
}

template <class Segments, Scalar Input, class Store>
__global__ void __launch_bounds__(row_segments_tuning.threads,
                                  segment_min_blocks<Segments>)
    reduce_row_segments(RowSegments const in, Store const store) {
  constexpr int tile_vectors  = 32 * segment_rows;
  unsigned const lane         = threadIdx.x % 32;
  std::uint64_t const vectors = in.count * in.vectors;
  std::uint64_t const this_warp =
      (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  int const shift = __ffs(in.vectors) - 1;
  Segments const segments{Warp{}};

  auto const take = [&](std::uint64_t first, unsigned count) {
    Vector16 row[segment_rows];  // (8,32) per warp
    unsigned char const* const from = in.x + 16 * (first + lane);
    if (count == tile_vectors && in.keep) {
#pragma unroll
      for (int r = 0; r < segment_rows; ++r) row[r] = load_kept(from + 512 * r);
    } else if (count == tile_vectors) {
#pragma unroll
      for (int r = 0; r < segment_rows; ++r)
        row[r] = load_streamed<16>(from + 512 * r);
    } else {
#pragma unroll
      for (int r = 0; r < segment_rows; ++r)
        row[r] = 32 * r + lane < count ? load_streamed<16>(from + 512 * r)
                                       : Vector16{};
    }
    std::uint64_t const segment = first >> shift;
    unsigned const segments_of  = count >> shift;
    auto const store_some       = [&](unsigned s, auto const& value) {
      if (s < segments_of) store(segment + s, value);
    };
    typename Segments::Rows rows;
    segments.gather(row, in.vectors, rows);
    if (segments.scatter(rows, in.vectors, store_some)) return;
    typename Segments::Streamed const additions{Warp{}};
    additions.gather(row, in.vectors, rows);
    additions.scatter(rows, in.vectors, store_some);
  };
  if (std::uint64_t const first = this_warp * tile_vectors; first < vectors)
    take(first, vectors - first < tile_vectors ? unsigned(vectors - first)
                                               : unsigned(tile_vectors));
  if (in.rest > 0 && this_warp == 0) {
    unsigned char const* const from = in.x + 16 * vectors;
    auto const value =
        warp_reduce_elements<Segments, Input>(from, from + in.rest);
    if (lane == 0) store(in.count, value);
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
