// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SCAN_PIPELINE_HPP
#define KOKKOSMMA_CUDA_SCAN_PIPELINE_HPP

#include <backends/cuda/arch/KokkosMMA_Barrier.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_BlockScan.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LookBack.hpp>

/// \file
/// Schedule of a block over the tiles of a scan. Blocks are persistent and scan
/// tile after tile. A tile's sum is published as soon as it is known. While one
/// warp looks back for its prefix, the others load and sum the next tile. Loads
/// are always in flight, and a block publishes for the others before it waits
/// for their sums.
///
/// GB/s read plus written (H200, CUDA 13.0, 2026-11-21, 2^28 floats; copy
/// 4225):
///
/// | work during the look-back of a tile         | functor | vectors |
/// |---------------------------------------------|---------|---------|
/// | load of the next tile: this                 | 3680    | 3755    |
/// | write of the previous tile and that load    | 3590    | 3766    |
/// | the same, with the ticket drawn earlier     | 3380    | 3490    |
/// | load of a tile, published later             | 2910    |         |
/// | none                                        | 2680    |         |
/// | none, and a block per tile                  | 2380    |         |
///
/// Without look-back, whose results are wrong, vectors reach 4160.

namespace KokkosMMA::Impl::Cuda {

/// Shared memory of a block: two tiles, one that waits for its prefix and one
/// that is loaded. `Kept` is the data of a tile that a warp keeps.
template <class Value, class Kept, int Warps>
struct ScanMemory {
  static constexpr int warps     = Warps;
  static constexpr int alignment = alignof(Value) > 16 ? alignof(Value) : 16;

  struct Tile {
    Kept kept[Warps];
    alignas(alignment) unsigned char before_warp[Warps * sizeof(Value)];
    alignas(alignment) unsigned char before_tile[sizeof(Value)];
  };
  Tile tiles[2];
  TileTicket first;
  unsigned next;

  __device__ static Value* values(unsigned char* bytes) {
    return reinterpret_cast<Value*>(bytes);
  }
};

/// Scans tiles with a block of Warps warps and one more that looks back.
///
/// begin(tile, kept, sum)  loads the warp's part of a tile; its sum in lane 31
/// end(tile, kept, base)   writes it; base is the sum of all elements before it
/// last(prefix, sum)       in one lane, for the last tile: its prefix and its
///                         own sum
/// \tparam HidesLane see lane_of_thread(); of kernels of opaque functors
template <bool HidesLane, class Value, class Kept, int Warps, class Joiner,
          class Begin, class End, class Last>
__device__ void scan_tiles(ScanMemory<Value, Kept, Warps>& memory,
                           Joiner const& joiner, unsigned tiles,
                           ScanScratch const& scratch, Begin const& begin,
                           End const& end, Last const& last) {
  using Memory   = ScanMemory<Value, Kept, Warps>;
  int const lane = threadIdx.x % 32;
  int const warp = threadIdx.x / 32;

  if (threadIdx.x == 0) memory.first = TileTicket::draw(scratch.control);
  __syncthreads();
  unsigned tile = memory.first.tile;
  LookBack<Value, Joiner> const look_back(joiner, scratch, tiles,
                                          memory.first.tag);

  auto const begin_tile = [&](unsigned number, int parity) {
    typename Memory::Tile& kept = memory.tiles[parity];
    int const lane              = lane_of_thread<HidesLane>();
    Slot<Value> sum, before;
    begin(number, kept.kept[warp], sum);
    Value* const before_warp = Memory::values(kept.before_warp);
    if (lane == 31) copy_bits(before_warp + warp, &sum.value);
    PartialBarrier<1, Warps * 32>::wait();
    if (warp != 0) return;
    if (lane < Warps)
      copy_bits(&sum.value, before_warp + lane);
    else
      joiner.init(sum.value);
    warp_exclusive<HidesLane>(joiner, sum, before);
    if (lane == 0) joiner.init(before.value);
    if (lane < Warps) copy_bits(before_warp + lane, &before.value);
    if (lane == 31) look_back.publish(number, sum.value);
  };

  auto const end_tile = [&](unsigned number, typename Memory::Tile& kept) {
    Slot<Value> base;
    copy_bits(&base.value, Memory::values(kept.before_tile));
    joiner.join(base.value, Memory::values(kept.before_warp)[warp]);
    end(number, kept.kept[warp], base);
  };
  // Of one warp.
  auto const find_prefix = [&](unsigned number, typename Memory::Tile& kept) {
    Slot<Value> prefix;
    look_back.exclusive(number, prefix);
    if (lane != 0) return;
    copy_bits(Memory::values(kept.before_tile), &prefix.value);
    if (number == tiles - 1) {
      Slot<Value> sum;
      look_back.aggregate(number, sum);
      last(prefix, sum);
    }
  };
  // Drawn no earlier: a block that draws early publishes late, and the blocks
  // of all later tiles wait for it.
  auto const draw_next = [&] {
    return memory.next = TileTicket::next(scratch.control);
  };

  bool const looks_back = warp == Warps;
  if (looks_back) {
    for (int parity = 0; tile < tiles; parity ^= 1) {
      unsigned next = 0;
      if (lane == 0) next = draw_next();
      next = __shfl_sync(0xffffffffu, next, 0);
      __syncthreads();  // `tile` is published and the next tile is known
      find_prefix(tile, memory.tiles[parity]);
      __syncthreads();  // the sum before `tile` is known
      tile = next;
    }
    if (lane == 0) finish_scan(scratch);
  } else if (tile < tiles) {
    // Kernels of functors have one instance of begin_tile(): half the code, and
    // more loads in flight. Scans of known doubles would spill.
    bool is_first = HidesLane;
    if (!HidesLane) begin_tile(tile, 0);
#pragma unroll 1
    for (int parity = is_first; tile < tiles; parity ^= 1) {
      if (!is_first) __syncthreads();  // `tile` is published, the next known
      unsigned const next = is_first ? tile : memory.next;
      if (next < tiles) begin_tile(next, parity ^ 1);
      if (!is_first) {
        __syncthreads();  // the sum before `tile` is known
        end_tile(tile, memory.tiles[parity]);
      }
      is_first = false;
      tile     = next;
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
