// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_WARP_PIPELINE_HPP
#define KOKKOSMMA_CUDA_WARP_PIPELINE_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Tiles of the data that are in flight while a warp works on one, in a ring in
/// shared memory that belongs to one warp, so that no warp waits for another.

namespace KokkosMMA::Impl::Cuda {

/// Stream of a range through contiguous tiles: reads may cross the edge of a
/// tile. Positions count elements, less than 2^31, from the 16-byte chunk in
/// which the range begins. All lanes make the same calls.
template <int Tiles, int TileBytes, int ElementBytes>
class WarpPipeline {
 public:
  using Ring                         = StagedRing<Tiles * TileBytes>;
  static constexpr unsigned per_tile = TileBytes / ElementBytes;
  /// Half of the ring: the other half stays in flight.
  static constexpr unsigned window = Tiles / 2 * per_tile;
  /// Elements after a position, which may be anywhere in its tile.
  static constexpr unsigned reach = (Tiles - 1) * per_tile;

  __device__ WarpPipeline(unsigned char* memory, unsigned char const* first,
                          std::uint64_t elements, int lane)
      : m_ring{memory}, m_lane(lane) {
    unsigned const skip = reinterpret_cast<std::uintptr_t>(first) % 16;
    m_source            = first - skip;
    m_begin             = skip / ElementBytes;
    m_end               = m_begin + unsigned(elements);
    m_tiles             = elements == 0 ? 0 : (m_end + per_tile - 1) / per_tile;
  }

  __device__ unsigned begin() const { return m_begin; }
  __device__ unsigned end() const { return m_end; }
  __device__ Ring const& ring() const { return m_ring; }
  __device__ unsigned ready() const { return m_ready; }
  __device__ void wait(unsigned position) {
    if (position <= m_ready) return;
    unsigned const tiles = (position + per_tile - 1) / per_tile;
    m_ready              = min(tiles * per_tile, m_end);
    wait_until_under_way<Tiles - 1>(m_fetched - tiles);
    __syncwarp();
  }
  __device__ void release(unsigned position) {
    unsigned const end = min(position / per_tile + Tiles, m_tiles);
    if (m_fetched >= end) return;
    __syncwarp();  // all lanes have read what is overwritten
    for (; m_fetched < end; ++m_fetched) fetch(m_fetched);
  }

 private:
  static_assert(TileBytes % 1024 == 0);

  __device__ void fetch(unsigned tile) {
    unsigned char const* const from =
        m_source + std::uint64_t(tile) * TileBytes + 16 * m_lane;
    // Tiles are multiples of the 128 bytes within which 16-byte chunks are
    // permuted.
    unsigned char* const to =
        m_ring.memory + (tile * TileBytes & (Ring::bytes - 1));
    if (tile + 1 < m_tiles) {
#pragma unroll
      for (int b = 0; b < TileBytes; b += 512)
        CopyAsync16::copy(to + Ring::offset(b + 16 * m_lane), from + b);
    } else {
      unsigned char const* const end =
          m_source + std::uint64_t(m_end) * ElementBytes;
#pragma unroll
      for (int b = 0; b < TileBytes; b += 512) {
        std::ptrdiff_t const left = end - (from + b);
        unsigned char* const into = to + Ring::offset(b + 16 * m_lane);
        if (left >= 16)
          CopyAsync16::copy(into, from + b);
        else if (left > 0)
          CopyAsync16::copy_some(into, from + b, int(left));
      }
    }
    CopyAsync16::commit();
  }
  template <int Most>
  __device__ static void wait_until_under_way(unsigned tiles) {
    if constexpr (Most > 0) {
      if (tiles >= Most)
        CopyAsync16::wait<Most>();
      else
        wait_until_under_way<Most - 1>(tiles);
    } else {
      CopyAsync16::wait<0>();
    }
  }

  Ring m_ring;
  int m_lane;
  unsigned char const* m_source;
  unsigned m_begin, m_end;
  unsigned m_tiles;        // of the range
  unsigned m_fetched = 0;  // tiles, in flight or complete
  unsigned m_ready   = 0;  // elements
};

/// Contiguous bytes of the data. Reads cover whole 16-byte chunks, which start
/// within an allocation, but nothing after the end of the data.
struct TileSource {
  unsigned char const* begin;
  unsigned char const* end;
  unsigned char const* end_of_data;

  /// Bytes before `begin` in its 16-byte chunk, at which byte 0 of the staged
  /// tile is.
  __device__ int skip() const {
    return int(reinterpret_cast<std::uintptr_t>(begin) % 16);
  }
};

/// Ring of separate tiles. Call start() with the sources of the first tiles,
/// then next() for each tile, with the source of the tile that comes Stages - 1
/// later (begin == end if there is none).
template <int Stages, int TileBytes>
class WarpStages {
 public:
  /// A tile may start anywhere in its first 16-byte chunk.
  static constexpr int stage_bytes = TileBytes + 16;
  static constexpr int bytes       = Stages * stage_bytes;

  /// \param memory of this warp, aligned to 16 bytes
  __device__ explicit WarpStages(unsigned char* memory) : m_memory(memory) {}

  /// Fetches a tile. Called Stages - 1 times before the first next().
  __device__ void start(TileSource const& source, int lane) {
    fetch(m_fetched, source, lane);
    m_fetched = m_fetched + 1 == Stages ? 0 : m_fetched + 1;
  }
  /// Returns the next tile; all lanes may read it until the next call.
  __device__ StagedTile next(TileSource const& later, int lane) {
    // All lanes have read the tile whose stage is refilled.
    __syncwarp();
    start(later, lane);
    CopyAsync16::wait<Stages - 1>();
    __syncwarp();
    StagedTile const tile{m_memory + m_read * stage_bytes};
    m_read = m_read + 1 == Stages ? 0 : m_read + 1;
    return tile;
  }

 private:
  __device__ void fetch(int stage, TileSource const& source, int lane) {
    unsigned char* const to          = m_memory + stage * stage_bytes;
    unsigned char const* const first = source.begin - source.skip();
    int const bytes                  = int(source.end - first);
    std::ptrdiff_t const data        = source.end_of_data - first;
    int const whole = data >= bytes + 15 ? bytes : int(data) / 16 * 16;
    unsigned char const* const from = first + 16 * lane;
    unsigned char* const into       = to + 16 * lane;
#pragma unroll
    for (int i = 0; i <= TileBytes / 512; ++i) {
      if (512 * i + 16 * lane < whole)
        CopyAsync16::copy(into + 512 * i, from + 512 * i);
    }
    // The 16-byte chunk in which the data end.
    if (whole < bytes && lane == 0)
      CopyAsync16::copy_some(to + whole, first + whole, int(data - whole));
    CopyAsync16::commit();
  }

  unsigned char* m_memory;
  int m_fetched = 0;
  int m_read    = 0;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
