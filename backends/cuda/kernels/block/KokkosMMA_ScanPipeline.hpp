// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SCAN_PIPELINE_HPP
#define KOKKOSMMA_CUDA_SCAN_PIPELINE_HPP

#include <backends/cuda/arch/KokkosMMA_Barrier.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LookBack.hpp>

#include <cstdint>

/// \file
/// Scans within a lane, a warp and a block, in index order: joins need not
/// commute. `Joiner` offers init(T&) and join(T& into, T const& from), which
/// computes into = into + from, where `into` is the earlier value.
///
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

/// The calling thread's lane.
/// \tparam Hidden whether the compiler does not recognise the value as a
///   constant of a loop over tiles. Otherwise it compares the lane before the
///   loop and keeps the results in five or more of the seven predicates. If the
///   functor compares what it reads, ptxas 13.0 then has 2 of a lane's 16 loads
///   in flight, and 16 with this: a scan that counts flags of floats reaches
///   0.44 and 0.82 of the copy rate (H200, 2026-11-29). Scans of segments would
///   spill 16 to 32 bytes.
template <bool Hidden>
__device__ int lane_of_thread() {
  int lane = threadIdx.x % 32;
  if constexpr (Hidden) {
    Opaque::hide(lane);
  }
  return lane;
}

/// Copies the value of lane - offset, bit for bit.
template <class T>
__device__ void shuffle_up(Slot<T>& to, T const& from, int offset) {
  auto words = Words<T>::from(from);
#pragma unroll
  for (int i = 0; i < Words<T>::size; ++i)
    words.word[i] = __shfl_up_sync(0xffffffffu, words.word[i], offset);
  words.to(to.value);
}

/// Replaces each value by the sum of those before it; value 0 keeps its bits.
/// `sum` receives the sum of all.
template <class Joiner, class T, int N>
__device__ void lane_exclusive(Joiner const& joiner, Slot<T> (&values)[N],
                               Slot<T>& sum) {
  Cuda::copy_bits(sum, values[0]);
#pragma unroll
  for (int j = 1; j < N; ++j) {
    Slot<T> next;
    Cuda::copy_bits(next, sum);
    joiner.join(next.value, values[j].value);
    Cuda::copy_bits(values[j], sum);
    Cuda::copy_bits(sum, next);
  }
}

/// Replaces `value` by the inclusive prefix over the lanes; `before` receives
/// the exclusive prefix, which is undefined in lane 0.
/// \tparam HidesLane see lane_of_thread()
template <bool HidesLane, class Joiner, class T>
__device__ void warp_exclusive(Joiner const& joiner, Slot<T>& value,
                               Slot<T>& before) {
  int const lane = lane_of_thread<HidesLane>();
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    Slot<T> other;
    Cuda::shuffle_up(other, value.value, offset);
    if (lane >= offset) {
      joiner.join(other.value, value.value);
      Cuda::copy_bits(value, other);
    }
  }
  Cuda::shuffle_up(before, value.value, 1);
}

/// Exchanges elements l, l + 32, l + 64, ... in lane l with N neighbours per
/// lane, and back, through memory of the warp. 16 bytes of padding per 128 keep
/// both accesses free of bank conflicts, if N neighbours are whole 16-byte
/// vectors.
template <class T, int N>
class WarpExchange {
  static constexpr bool vectors =
      N * sizeof(T) % 16 == 0 &&
      (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  __host__ __device__ static constexpr int padded(int byte) {
    return vectors ? byte + byte / 128 * 16 : byte;
  }

 public:
  static constexpr int alignment = alignof(T) > 16 ? alignof(T) : 16;
  static constexpr int bytes =
      (padded(N * 32 * sizeof(T)) + alignment - 1) / alignment * alignment;

  __device__ explicit WarpExchange(unsigned char* memory) : m_memory(memory) {}

  __device__ void to_neighbours(Slot<T> (&values)[N], int lane) const {
    if constexpr (N > 1) {
#pragma unroll
      for (int j = 0; j < N; ++j)
        Cuda::copy_bits(row(j, lane), &values[j].value);
      __syncwarp();
      neighbours<false>(values, lane);
      __syncwarp();
    }
  }
  /// Stores values that load_row() of the same warp reads.
  __device__ void store_neighbours(Slot<T> (&values)[N], int lane) const {
    neighbours<true>(values, lane);
    __syncwarp();
  }
  __device__ void load_row(Slot<T>& value, int j, int lane) const {
    Cuda::copy_bits(&value.value, row(j, lane));
  }

 private:
  // Constants from the address of a lane, also of a hidden one.
  __device__ T* row(int j, int lane) const {
    constexpr int size = sizeof(T);
    return reinterpret_cast<T*>(m_memory + padded(lane * size) +
                                padded(j * 32 * size));
  }
  template <bool Store>
  __device__ void neighbours(Slot<T> (&values)[N], int lane) const {
    if constexpr (vectors) {
      constexpr int per = 16 / sizeof(T);
#pragma unroll
      for (int v = 0; v < N / per; ++v) {
        constexpr bool fit = 128 % (N * sizeof(T)) == 0;
        int const byte     = lane * N * int(sizeof(T)) + (fit ? 0 : v * 16);
        uint4* const at    = reinterpret_cast<uint4*>(m_memory + padded(byte) +
                                                   (fit ? v * 16 : 0));
        constexpr int size = Words<T>::size;
        if constexpr (Store) {
          std::uint32_t word[4];
#pragma unroll
          for (int w = 0; w < 4; ++w)
            word[w] =
                Words<T>::from(values[v * per + w / size].value).word[w % size];
          *at = {word[0], word[1], word[2], word[3]};
        } else {
          uint4 const vector          = *at;
          std::uint32_t const word[4] = {vector.x, vector.y, vector.z,
                                         vector.w};
#pragma unroll
          for (int k = 0; k < per; ++k) {
            Words<T> bits;
#pragma unroll
            for (int w = 0; w < size; ++w) bits.word[w] = word[k * size + w];
            bits.to(values[v * per + k].value);
          }
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        T* const at = reinterpret_cast<T*>(m_memory) + lane * N + k;
        if constexpr (Store) {
          Cuda::copy_bits(at, &values[k].value);
        } else {
          Cuda::copy_bits(&values[k].value, at);
        }
      }
    }
  }

  unsigned char* m_memory;
};

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
/// drawn(tile)             by the warp that looks back, for each later tile
/// \tparam HidesLane see lane_of_thread(); of kernels of opaque functors
template <bool HidesLane, class Value, class Kept, int Warps, class Joiner,
          class Begin, class End, class Last, class Drawn>
__device__ void scan_tiles(ScanMemory<Value, Kept, Warps>& memory,
                           Joiner const& joiner, unsigned tiles,
                           ScanScratch const& scratch, Begin const& begin,
                           End const& end, Last const& last,
                           Drawn const& drawn) {
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
    if (lane == 31) Cuda::copy_bits(before_warp + warp, &sum.value);
    PartialBarrier<1, Warps * 32>::wait();
    if (warp != 0) return;
    if (lane < Warps)
      Cuda::copy_bits(&sum.value, before_warp + lane);
    else
      joiner.init(sum.value);
    Cuda::warp_exclusive<HidesLane>(joiner, sum, before);
    if (lane == 0) joiner.init(before.value);
    if (lane < Warps) Cuda::copy_bits(before_warp + lane, &before.value);
    if (lane == 31) look_back.publish(number, sum.value);
  };

  auto const end_tile = [&](unsigned number, typename Memory::Tile& kept) {
    Slot<Value> base;
    Cuda::copy_bits(&base.value, Memory::values(kept.before_tile));
    joiner.join(base.value, Memory::values(kept.before_warp)[warp]);
    end(number, kept.kept[warp], base);
  };
  // Of one warp.
  auto const find_prefix = [&](unsigned number, typename Memory::Tile& kept) {
    Slot<Value> prefix;
    look_back.exclusive(number, prefix);
    if (lane != 0) return;
    Cuda::copy_bits(Memory::values(kept.before_tile), &prefix.value);
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
      drawn(next);
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
