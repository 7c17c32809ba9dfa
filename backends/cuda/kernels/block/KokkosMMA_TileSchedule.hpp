// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TILE_SCHEDULE_HPP
#define KOKKOSMMA_CUDA_TILE_SCHEDULE_HPP

#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Part of a grid that a block of threads sweeps: the rows of one row block of
/// one panel of columns.
struct PanelBlock {
  unsigned panel;
  unsigned row_block;
};

/// Schedule of tall row blocks (core/stencil/KokkosMMA_TileHeight.hpp). Those
/// of the two panels at the boundaries take longer and come first, so that they
/// are not the tail wave. Then come panels side by side, which read each
/// other's columns. (Short blocks follow the order of the grid.) Box of ones of
/// radius 7, 16384^2, H200, 2026-11-22: 147 us instead of 153 for bytes, 294
/// instead of 310 for half.
__device__ inline PanelBlock tall_block(unsigned block, unsigned panels,
                                        unsigned row_blocks) {
  unsigned const edges = panels < 2 ? panels : 2;
  unsigned const first = edges * row_blocks;
  if (block < first) return {block % edges * (panels - 1), block / edges};
  unsigned const inner = panels - edges;
  return {1 + (block - first) % inner, (block - first) / inner};
}

/// Schedule of row blocks of two heights: tall ones in the two panels at the
/// boundaries, which take long to set up, then short ones in all others
/// (core/stencil/KokkosMMA_TileHeight.hpp). Short ones follow the order of the
/// grid, except that the last row of blocks, which meets a boundary, comes
/// first: slow blocks are not the tail wave.
class TileSchedule {
 public:
  struct Tile {
    unsigned panel;
    int rows;
    std::int64_t first_row;
  };

  TileSchedule() = default;
  /// \param tall_rows, short_rows rows of a tall and of a short block
  TileSchedule(std::int64_t rows, std::int64_t panels, int tall_rows,
               int short_rows)
      : m_panels(unsigned(panels)),
        m_tall_blocks(unsigned((rows + tall_rows - 1) / tall_rows)),
        m_short_blocks(unsigned((rows + short_rows - 1) / short_rows)),
        m_tall_rows(tall_rows),
        m_short_rows(short_rows) {
    if (inner() > 1) m_reciprocal = ~std::uint64_t(0) / inner() + 1;
  }
  unsigned blocks() const {
    return at_boundaries() * m_tall_blocks + inner() * m_short_blocks;
  }
  __device__ Tile of_block(unsigned block) const {
    unsigned const first = at_boundaries() * m_tall_blocks;
    if (block < first) {
      unsigned const row_block = at_boundaries() == 2 ? block / 2 : block;
      return {(block - row_block * at_boundaries()) * (m_panels - 1),
              m_tall_rows, std::int64_t(row_block) * m_tall_rows};
    }
    unsigned const order     = over_inner(block - first);
    unsigned const row_block = order == 0 ? m_short_blocks - 1 : order - 1;
    return {1 + (block - first) - order * inner(), m_short_rows,
            std::int64_t(row_block) * m_short_rows};
  }

 private:
  __host__ __device__ unsigned at_boundaries() const {
    return m_panels < 2 ? m_panels : 2;
  }
  __host__ __device__ unsigned inner() const {
    return m_panels - at_boundaries();
  }
  // n / inner(), without a division that delays the loads of a block.
  __device__ unsigned over_inner(unsigned n) const {
    if (m_reciprocal == 0) return n;
    std::uint64_t const low  = m_reciprocal & 0xffffffffu;
    std::uint64_t const high = m_reciprocal >> 32;
    return unsigned((high * n + (low * n >> 32)) >> 32);
  }

  unsigned m_panels      = 0;
  unsigned m_tall_blocks = 0, m_short_blocks = 0;  // of a panel
  int m_tall_rows = 0, m_short_rows = 0;           // of a block
  std::uint64_t m_reciprocal = 0;  // of inner(), times 2^64, rounded up
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
