// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STAGED_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_STAGED_SEGMENTS_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_WarpStages.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>

#include <cstdint>

/// \file
/// Segments of any length that fit a tile: each warp has tiles of whole
/// segments in flight in a ring of its own.

namespace KokkosMMA::Impl::Cuda {

/// Tiles of whole segments.
struct StagedSegments {
  unsigned char const* x;
  std::uint64_t size;  ///< bytes
  std::uint64_t tiles;
  int length;    ///< bytes per segment
  int per_tile;  ///< segments per tile
  int lanes;     ///< lanes per segment
};

template <class Segments, class Store>
__global__ void __launch_bounds__(segmented_tuning.warps * 32)
    reduce_staged_segments(StagedSegments const in, Store const store) {
  constexpr SegmentedTuning tuning = segmented_tuning;
  using Stages   = WarpStages<tuning.stages, tuning.tile_bytes>;
  int const lane = threadIdx.x % 32;
  int const warp = threadIdx.x / 32;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);
  Stages stages(shared_memory + warp * Stages::bytes);

  int const tile_bytes       = in.per_tile * in.length;
  std::uint64_t const stride = std::uint64_t(gridDim.x) * tuning.warps;
  auto const source          = [&](std::uint64_t tile) -> TileSource {
    if (tile >= in.tiles) return {nullptr, nullptr, nullptr};
    std::uint64_t const begin = tile * tile_bytes;
    std::uint64_t const left  = in.size - begin;
    return {in.x + begin,
            in.x + begin + (left < tile_bytes ? left : tile_bytes),
            in.x + in.size};
  };

  // Neighbouring warps of the grid have neighbouring tiles.
  std::uint64_t tile = std::uint64_t(blockIdx.x) * tuning.warps + warp;
#pragma unroll
  for (int s = 0; s < tuning.stages - 1; ++s)
    stages.start(source(tile + s * stride), lane);
  Segments const segments{Warp{}};
  auto const width_of = [](int bits) {
    return bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
  };
  for (; tile < in.tiles; tile += stride) {
    TileSource const now = source(tile);
    StagedTile const staged =
        stages.next(source(tile + (tuning.stages - 1) * stride), lane);
    int const bytes = int(now.end - now.begin);
    SegmentsOfTile const of_tile{
        now.skip(),
        in.length,
        bytes,
        bytes == tile_bytes ? in.per_tile : (bytes + in.length - 1) / in.length,
        in.lanes,
        width_of(now.skip() | in.length | bytes)};
    std::uint64_t const first = tile * in.per_tile;
    segments.staged(staged, of_tile,
                    [&](int s, typename Segments::Value const& value) {
                      store(first + s, value);
                    });
  }
  CopyAsync16::wait<0>();
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
