// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TILED_COPY_HPP
#define KOKKOSMMA_CUDA_TILED_COPY_HPP

#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <core/loops/KokkosMMA_LayoutCopy.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// Type of 1, 2, 4, 8 or 16 bytes that one instruction loads or stores.
template <unsigned Bytes>
using CopyWord = std::conditional_t<
    Bytes == 16, uint4,
    std::conditional_t<
        Bytes == 8, uint2,
        std::conditional_t<
            Bytes == 4, std::uint32_t,
            std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>>;
template <unsigned Bytes, unsigned Alignment>
struct CopyParts {
  CopyWord<Alignment> parts[Bytes / Alignment];
};
/// One type for all elements of a size, so that few kernels are compiled.
template <class T>
using CopyElement =
    std::conditional_t<is_power_of_two(sizeof(T)), CopyWord<sizeof(T)>,
                       CopyParts<sizeof(T), alignof(T)>>;

/// Functor of a copy between arrays of any strides, of all types of Views. An
/// Index holds all offsets of elements.
/// \tparam IsFill every element becomes the value in `layouts.from`
template <unsigned Bytes, unsigned Alignment, bool IsFill = false>
struct StridedCopy : CopiedArrays {
  template <class... Index>
  __device__ void operator()(Index... index) const {
    using Offset  = std::common_type_t<Index...>;
    Offset source = 0, target = 0;
    int d = 0;
    ((source += IsFill ? 0 : index * Offset(layouts.from[d]),
      target += index * Offset(layouts.to[d++])),
     ...);
    memcpy(__builtin_assume_aligned(
               static_cast<unsigned char*>(to) + std::int64_t(target) * Bytes,
               Alignment),
           __builtin_assume_aligned(
               IsFill ? static_cast<void const*>(layouts.from)
                      : static_cast<unsigned char const*>(from) +
                            std::int64_t(source) * Bytes,
               IsFill ? 1 : Alignment),
           Bytes);
  }
};

/// Element c of word r becomes element r of word c.
template <unsigned Bytes, class Word, unsigned N>
__device__ __forceinline__ void transpose_words(Word (&words)[N]) {
  if constexpr (N > 1) {
    constexpr unsigned parts = sizeof(Word) / 4;
    std::uint32_t part[N][parts];
    memcpy(part, words, sizeof(words));
#pragma unroll
    for (unsigned half = N / 2; half > 0; half /= 2)
#pragma unroll
      for (unsigned i = 0; i < N / 2 * parts; ++i) {
        unsigned const r = (i / parts / half * 2 * half) + i / parts % half;
        unsigned const p = i % parts, apart = half * Bytes / 4;
        std::uint32_t& a         = part[r][apart == 0 ? p : p | apart];
        std::uint32_t& b         = part[r + half][apart == 0 ? p : p & ~apart];
        int const shift          = int(half * Bytes * 8) % 32;
        std::uint32_t const mask = shift == 16 ? 0xffff : 0x00ff00ff;
        std::uint32_t const kept = a;
        if (apart == 0) {
          a = (a & mask) | (b & mask) << shift;
          b = (kept >> shift & mask) | (b & mask << shift);
        } else if ((p & apart) == 0) {
          a = b;
          b = kept;
        }
      }
    memcpy(words, part, sizeof(words));
  }
}

__device__ __forceinline__ std::int64_t offset_of(
    MergedDimensions const& dimensions, std::uint32_t index) {
  std::int64_t sum = 0;
  int d            = 0;
#pragma unroll 1
  for (; d + 1 < dimensions.count; ++d) {
    sum += std::int64_t(index % dimensions.extent[d]) * dimensions.stride[d];
    index /= dimensions.extent[d];
  }
  return sum + std::int64_t(index) * dimensions.stride[d];
}

/// A block's tile: its first element, and its number of elements.
struct CopiedTile {
  unsigned char const* from;
  unsigned char* to;
  unsigned first_x, first_y, x, y;
  unsigned before;  ///< rows of the tile before it

  __device__ __forceinline__ CopiedTile(unsigned char const* source,
                                        unsigned char* target, unsigned bytes,
                                        TiledCopy const& task)
      : from(source), to(target) {
    unsigned const tiles = task.tiles_x * task.tiles_y;
    unsigned other       = blockIdx.x / tiles;
    unsigned const block = blockIdx.x % tiles;
#pragma unroll 1
    for (int d = 0; d < task.others; ++d) {
      std::int64_t const index = std::int64_t(other % task.extent[d]) * bytes;
      other /= task.extent[d];
      from += index * task.from[d];
      to += index * task.to_others[d];
    }
    unsigned const first = block / (task.group * task.tiles_x) * task.group;
    unsigned const in_group =
        first + task.group < task.tiles_y ? task.group : task.tiles_y - first;
    unsigned const local = block - first * task.tiles_x;
    first_x              = local / in_group * task.tile_x;
    unsigned const rows  = task.tile_y - task.shared_y;
    unsigned const own_y = (first + local % in_group) * rows;
    before               = own_y > 0 ? task.shared_y : 0;
    first_y              = own_y - before;
    x = task.x - first_x < task.tile_x ? task.x - first_x : task.tile_x;
    y = task.y - first_y < task.tile_y ? task.y - first_y : task.tile_y;
  }
};

/// Positions of a thread's words in a tile whose fast side has a power of two
/// of threads. Those of word n are apart from the first by values that all
/// threads share, so that words need few registers.
/// \tparam IsLong the fast side may have more words than the block has threads
template <bool IsLong>
struct TileThread {
  unsigned log2, fast, slow;  ///< of the first word

  __device__ __forceinline__ explicit TileThread(unsigned log2_fast)
      : log2(log2_fast),
        fast(threadIdx.x & ((1u << log2_fast) - 1)),
        slow(threadIdx.x >> log2_fast) {}
  __device__ __forceinline__ int more_fast(unsigned n) const {
    return IsLong ? n * copy_threads & ((1u << log2) - 1) : 0;
  }
  __device__ __forceinline__ int more_slow(unsigned n) const {
    return IsLong ? n * copy_threads >> log2 : n * (copy_threads >> log2);
  }
};

/// Copies one tile so that warps read and write contiguous words of Pack
/// elements. Rows are contiguous in both arrays; other tiles go through shared
/// memory, where the words of a column are contiguous, and columns are in the
/// order of the words' first elements, then of the others.
/// \param shared the tile, then the offsets of its rows and columns
template <unsigned Bytes, class Word, unsigned Pack, unsigned Words,
          bool IsLong, bool IsRows>
__device__ __forceinline__ void copy_tile(CopiedTile block,
                                          TiledCopy const& task,
                                          unsigned char* shared) {
  constexpr unsigned square = IsRows ? 1 : Pack;  // words that are transposed
  constexpr unsigned count  = Words / square;
  constexpr unsigned batch  = Words < 4 ? Words : 4;
  unsigned const words_x    = task.tile_x / Pack;
  Word* const tile          = reinterpret_cast<Word*>(shared);
  std::int64_t* rows        = reinterpret_cast<std::int64_t*>(
      shared +
      (IsRows ? 0 : (task.tile_x * task.pitch * sizeof(Word) + 7) / 8 * 8));
  std::int64_t* to_of = rows + task.tile_y;
#pragma unroll 1
  for (unsigned j = threadIdx.x; j < task.tile_y; j += copy_threads) {
    rows[j] = offset_of(task.from_y, block.first_y + j) * Bytes;
    if (IsRows) to_of[j] = offset_of(task.to, block.first_y + j) * Bytes;
  }
#pragma unroll 1
  for (unsigned i = threadIdx.x; !IsRows && i < task.tile_x; i += copy_threads)
    to_of[i % Pack * words_x + i / Pack] =
        i < block.x ? offset_of(task.to, block.first_x + i) * Bytes : -1;
  __syncthreads();

  // All words are loaded before the first is used: one load in flight per
  // thread copies floats at 0.59 of the bandwidth (H200, 2026-11-29). The
  // barriers keep the compiler from waiting between loads.
  Word words[count][square];
  TileThread<IsLong> const load(task.log2_x);
  int left_x = int(block.x / Pack) - int(load.fast);
  int left_y = int(block.y / square) - int(load.slow);
  block.from += std::int64_t(block.first_x) * Bytes + load.fast * sizeof(Word);
  rows += load.slow * square;
#pragma unroll
  for (unsigned n = 0; n < count; ++n) {
    int const i = load.more_fast(n), j = load.more_slow(n);
#pragma unroll
    for (unsigned r = 0; r < square; ++r) {
      words[n][r] = Word{};
      if (i < left_x && j < left_y)
        words[n][r] =
            reinterpret_cast<Word const*>(block.from + rows[j * square + r])[i];
    }
    if ((n + 1) * square % 4 == 0) __syncwarp();
  }
  if constexpr (IsRows) {
    block.to += std::int64_t(block.first_x) * Bytes + load.fast * sizeof(Word);
    to_of += load.slow;
#pragma unroll
    for (unsigned n = 0; n < count; ++n) {
      int const i = load.more_fast(n), j = load.more_slow(n);
      if (i < left_x && j < left_y)
        reinterpret_cast<Word*>(block.to + to_of[j])[i] = words[n][0];
    }
    return;
  }
  unsigned at = load.fast * task.pitch + load.slow;
  Opaque::hide(at);  // no address per word is kept
  Opaque::hide(left_y);
#pragma unroll
  for (unsigned n = 0; n < count; ++n) {
    int const i = load.more_fast(n), j = load.more_slow(n);
    transpose_words<Bytes>(words[n]);
#pragma unroll
    for (unsigned r = 0; r < square; ++r)
      if (i < left_x && j < left_y)
        tile[at + ((r * words_x + i) * task.pitch + j)] = words[n][r];
  }
  __syncthreads();

  TileThread<IsLong> const store(task.log2_y);
  constexpr bool shares = Bytes == copy_sharing_bytes;
  block.to += std::int64_t(block.first_y) * Bytes + store.fast * sizeof(Word);
  left_y = int(block.y / Pack) - int(store.fast);
  // Packed columns that are not in the array are among others.
  left_x = int(Pack > 1 ? task.tile_x : block.x) - int(store.slow);
  at     = store.slow * task.pitch + store.fast;
  to_of += store.slow;
  // Address of a column's first own row. Its part begins at the sector there.
  unsigned const own = unsigned(reinterpret_cast<std::uintptr_t>(block.to)) +
                       (block.before - store.fast) * Bytes;
  int const own_y = int(task.tile_y - task.shared_y) - int(store.fast);
#pragma unroll
  for (unsigned n = 0; n < Words; n += batch) {
    std::int64_t offset[batch];
    Word word[batch];
    int row[batch];
    bool is_in[batch];
#pragma unroll
    for (unsigned k = 0; k < batch; ++k) {
      int const i = store.more_slow(n + k);
      row[k]      = store.more_fast(n + k);
      is_in[k]    = i < left_x && row[k] < (shares ? own_y : left_y);
      offset[k]   = to_of[is_in[k] ? i : 0];
      if constexpr (shares) {
        int const early = task.shared_y == 0 ? 0
                                             : (own + unsigned(offset[k])) %
                                                   sector_bytes / Bytes;
        row[k] += int(block.before) - early;
        is_in[k] = is_in[k] && row[k] < left_y && row[k] + int(store.fast) >= 0;
      }
      word[k] = tile[is_in[k] ? at + i * task.pitch + row[k] : 0];
    }
#pragma unroll
    for (unsigned k = 0; k < batch; ++k)
      if (is_in[k] && (Pack == 1 || offset[k] >= 0))
        reinterpret_cast<Word*>(block.to + offset[k])[row[k]] = word[k];
    __syncwarp();
  }
}

/// Copies a tile per block.
/// \tparam Element a CopyElement. If its size is a power of two, elements must
///   be aligned to it.
/// \tparam OnlyRows the task is a copy of rows: less than half the code
template <class Element, bool OnlyRows = false>
__global__ void __launch_bounds__(copy_threads, copy_blocks(sizeof(Element)))
    copy_tiles(unsigned char const* from, unsigned char* to,
               KOKKOSMMA_GRID_CONSTANT TiledCopy const task) {
  __shared__ __align__(16) unsigned char shared[copy_shared_bytes];
  constexpr unsigned bytes  = sizeof(Element);
  constexpr unsigned words  = copy_words(bytes);
  constexpr CopyPacks packs = copy_packs(bytes);
  CopiedTile const tile(from, to, bytes, task);
  if (OnlyRows || task.is_rows) {
    if constexpr (packs.row > 1) {
      using Word = CopyWord<bytes * packs.row>;
      if (task.pack > 1)
        return copy_tile<bytes, Word, packs.row, copy_words(sizeof(Word)), true,
                         true>(tile, task, shared);
    }
    return copy_tile<bytes, Element, 1, words, true, true>(tile, task, shared);
  }
  if constexpr (!OnlyRows) {
    if constexpr (packs.tile > 1) {
      using Word = CopyWord<bytes * packs.tile>;
      if (task.pack > 1)
        return copy_tile<bytes, Word, packs.tile, copy_words(sizeof(Word)),
                         false, false>(tile, task, shared);
    }
    if (copy_threads >> task.log2_x == 0 || copy_threads >> task.log2_y == 0)
      return copy_tile<bytes, Element, 1, words, true, false>(tile, task,
                                                              shared);
    copy_tile<bytes, Element, 1, words, false, false>(tile, task, shared);
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
