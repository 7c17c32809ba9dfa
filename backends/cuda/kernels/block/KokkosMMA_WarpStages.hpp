// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_WARP_STAGES_HPP
#define KOKKOSMMA_CUDA_WARP_STAGES_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>

/// \file
/// Tiles of the data that are in flight while a warp works on one: a ring of
/// stages in shared memory that belongs to one warp, so that no warp waits for
/// another.

namespace KokkosMMA::Impl::Cuda {

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

/// Ring of stages. Call start() with the sources of the first tiles, then
/// next() for each tile, with the source of the tile that comes Stages - 1
/// later (begin == end if there is none).
template <int Stages, int TileBytes>
class WarpStages {
 public:
  /// A tile may start anywhere in its first 16-byte chunk.
  static constexpr int stage_bytes = TileBytes + 16;
  static constexpr int bytes       = Stages * stage_bytes;
  static constexpr int stages      = Stages;

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
