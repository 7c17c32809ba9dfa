// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_WARP_PIPELINE_HPP
#define KOKKOSMMA_CUDA_WARP_PIPELINE_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/mma/KokkosMMA_StagedRing.hpp>

#include <cstdint>

/// \file
/// Stream of a range of the data through a ring of tiles in shared memory that
/// belongs to one warp, so that no warp waits for another. Unlike the stages of
/// KokkosMMA_WarpStages.hpp the tiles are contiguous: reads may cross the edge
/// of a tile.

namespace KokkosMMA::Impl::Cuda {

/// Ring of a warp. Positions count elements, less than 2^31, from the 16-byte
/// chunk in which the range begins. All lanes make the same calls.
template <int Tiles, int TileBytes, int ElementBytes>
class WarpPipeline {
 public:
  using Ring                         = StagedRing<Tiles * TileBytes>;
  static constexpr unsigned per_tile = TileBytes / ElementBytes;
  /// Half of the ring: the other half stays in flight.
  static constexpr unsigned window = Tiles / 2 * per_tile;
  /// Elements after a position, which may be anywhere in its tile.
  static constexpr unsigned reach = (Tiles - 1) * per_tile;

  __device__ WarpPipeline(unsigned char *memory, unsigned char const *first,
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
  __device__ Ring const &ring() const { return m_ring; }
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
    unsigned char const *const from =
        m_source + std::uint64_t(tile) * TileBytes + 16 * m_lane;
    // Tiles are multiples of the 128 bytes within which 16-byte chunks are
    // permuted.
    unsigned char *const to =
        m_ring.memory + (tile * TileBytes & (Ring::bytes - 1));
    if (tile + 1 < m_tiles) {
#pragma unroll
      for (int b = 0; b < TileBytes; b += 512)
        CopyAsync16::copy(to + Ring::place(b + 16 * m_lane), from + b);
    } else {
      unsigned char const *const end =
          m_source + std::uint64_t(m_end) * ElementBytes;
#pragma unroll
      for (int b = 0; b < TileBytes; b += 512) {
        std::ptrdiff_t const left = end - (from + b);
        unsigned char *const into = to + Ring::place(b + 16 * m_lane);
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
  unsigned char const *m_source;
  unsigned m_begin, m_end;
  unsigned m_tiles;        // of the range
  unsigned m_fetched = 0;  // tiles, in flight or complete
  unsigned m_ready   = 0;  // elements
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
