// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_AUTOMATON_ROWS_HPP
#define KOKKOSMMA_CUDA_AUTOMATON_ROWS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_AutomatonTuning.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cstdint>

/// \file
/// Copies rows of cells, including boundary values, into shared memory.

namespace KokkosMMA::Impl::Cuda {

/// Kernel arguments common to all blocks.
struct AutomatonCall {
  StencilGrid<unsigned char, 2> grid;
  unsigned char* to;
  std::int64_t to_stride;
  std::int64_t block_rows;  ///< a multiple of 16
  unsigned panels;
  unsigned row_blocks;    ///< per panel
  unsigned char low_row;  ///< values of constant boundaries
  unsigned char high_row;
  unsigned char low_column;
  unsigned char high_column;
  int radius;
  int shift;             ///< bytes from a multiple of 16 to column 0 of a row
  bool rows_aligned_16;  ///< every row has the same `shift`
  bool stores_pair;      ///< a lane may store its 8 cells as one vector
};

/// Columns of a tile outside the 16-cell vectors that are completely inside the
/// grid: [0, low) and [high, end). No cell reads columns from `end` on.
struct FixupColumns {
  static constexpr int max_width = 64;
  int low;
  int high;
  int end;

  __device__ FixupColumns(AutomatonCall const& call,
                          std::int64_t first_column) {
    constexpr int columns   = AutomatonTile::columns;
    std::int64_t const left = call.grid.extent[1] - first_column;
    low  = first_column < 0 ? int((15 - first_column) / 16 * 16) : 0;
    high = left < columns ? int(left / 16 * 16) : columns;
    high = high > low ? high : low;
    end  = left + call.radius < columns ? int(left) + call.radius : columns;
    end  = end > high ? end : high;
  }
  __device__ int width() const { return low + end - high; }
  __device__ int column(int n) const { return n < low ? n : n - low + high; }
};

/// Fetches groups of rows into the ring.
class AutomatonRows {
  using Tile = AutomatonTile;

 public:
  /// \param sources storage for the source column of each fix-up column
  __device__ AutomatonRows(AutomatonCall const& call, unsigned char* ring,
                           std::int64_t* sources, std::int64_t first_row,
                           std::int64_t end_row, std::int64_t first_column)
      : m_call(call),
        m_fixups(call, first_column),
        m_sources(sources),
        m_ring(ring),
        m_row(first_row),
        m_end(end_row),
        m_column(first_column) {
    std::int64_t const columns = call.grid.extent[1];
    m_is_inside                = first_column >= 0 &&
                  first_column + Tile::columns <= columns &&
                  call.rows_aligned_16;
    if (int(threadIdx.x) < m_fixups.width()) {
      std::int64_t const column =
          first_column + m_fixups.column(int(threadIdx.x));
      std::int64_t const source =
          call.grid.boundaries.index(1, column, columns);
      sources[threadIdx.x] = source >= 0 ? source : column < 0 ? -1 : -2;
    }
    __syncthreads();
  }

  /// Starts the copies of the next group into `slot` and commits them.
  __device__ void fetch(int slot) {
    if (m_row >= m_end) return;
    constexpr int vectors   = Tile::columns / 16;
    unsigned char* const to = m_ring + slot * Tile::group +
                              threadIdx.x / vectors * Tile::pitch +
                              threadIdx.x % vectors * 16;
    std::int64_t const row = m_row + threadIdx.x / vectors;
    int const column       = threadIdx.x % vectors * 16;
    constexpr int stride   = Tile::threads / vectors;  // rows
    if (m_is_inside && m_row >= 0 &&
        m_row + Tile::rows <= m_call.grid.extent[0]) {
      unsigned char const* const from =
          m_call.grid.data + row * m_call.grid.stride[0] + m_column + column;
#pragma unroll
      for (int r = 0; r < Tile::rows; r += stride)
        CopyAsync16::copy(to + r * Tile::pitch,
                          from + r * m_call.grid.stride[0]);
    } else {
      for (int r = 0; r < Tile::rows; r += stride)
        fetch_vector(to + r * Tile::pitch, row + r, m_column + column);
      if (m_fixups.width() > 0) fetch_fixups(m_ring + slot * Tile::group);
    }
    CopyAsync16::commit();
    m_row += Tile::rows;
  }

 private:
  /// Copies 16 cells inside the grid's columns; the row may be out of bounds.
  __device__ void fetch_vector(unsigned char* to, std::int64_t row,
                               std::int64_t column) const {
    auto const& grid = m_call.grid;
    if (row >= m_end || column < 0 || column + 16 > grid.extent[1]) return;
    bool const is_low  = row < 0;
    bool const is_high = row >= grid.extent[0];
    if (is_low || is_high) {
      BoundaryCondition const& condition =
          is_low ? grid.boundaries.low[0] : grid.boundaries.high[0];
      if (condition.kind == Boundary::constant) {
        std::uint32_t const four =
            (is_low ? m_call.low_row : m_call.high_row) * 0x01010101u;
        *reinterpret_cast<uint4*>(to) = uint4{four, four, four, four};
        return;
      }
      row = boundary_index(condition.kind, row, grid.extent[0]);
    }
    unsigned char const* const from = grid.data + row * grid.stride[0] + column;
    if (m_call.rows_aligned_16)
      CopyAsync16::copy(to, from);
    else
      copy_unaligned(to, from);
  }

  /// Copies 16 unaligned cells as whole words where these are within the grid's
  /// memory, otherwise cell by cell.
  __device__ void copy_unaligned(unsigned char* to,
                                 unsigned char const* from) const {
    auto const& grid = m_call.grid;
    auto const skip  = unsigned(reinterpret_cast<std::uintptr_t>(from) % 4);
    unsigned char const* const begin = from - skip;
    unsigned char const* const end =
        grid.data + (grid.extent[0] - 1) * grid.stride[0] + grid.extent[1];
    if (begin < grid.data || begin + 20 > end) {
      for (int b = 0; b < 16; ++b) to[b] = from[b];
      return;
    }
    auto const* const words = reinterpret_cast<std::uint32_t const*>(begin);
    std::uint32_t word[5];
#pragma unroll
    for (int w = 0; w < 5; ++w) word[w] = words[w];
    *reinterpret_cast<uint4*>(to) =
        uint4{__funnelshift_r(word[0], word[1], 8 * skip),
              __funnelshift_r(word[1], word[2], 8 * skip),
              __funnelshift_r(word[2], word[3], 8 * skip),
              __funnelshift_r(word[3], word[4], 8 * skip)};
  }

  /// Copies the cells of the fix-up columns, one at a time. The rows are spread
  /// over the threads, so that few columns keep all warps busy.
  __device__ void fetch_fixups(unsigned char* to) const {
    constexpr int together = 4;
    auto const& grid       = m_call.grid;
    int const wide         = m_fixups.width() <= 32 ? 32 : 64;
    int const n            = threadIdx.x % wide;
    if (n >= m_fixups.width()) return;
    int const at              = m_fixups.column(n);
    std::int64_t const source = m_sources[n];
    int const stride          = Tile::threads / wide;  // rows
    for (int r = threadIdx.x / wide; r < Tile::rows; r += together * stride) {
      unsigned char cells[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        std::int64_t const row   = m_row + r + k * stride;
        bool const is_high       = row >= grid.extent[0];
        Boundary const kind      = is_high ? grid.boundaries.high[0].kind
                                           : grid.boundaries.low[0].kind;
        std::int64_t const place = boundary_index(kind, row, grid.extent[0]);
        bool const is_of_row     = place < 0 && !(grid.reversed && source < 0);
        cells[k] = is_of_row ? (is_high ? m_call.high_row : m_call.low_row)
                   : source < 0
                       ? (source == -1 ? m_call.low_column : m_call.high_column)
                   : row >= m_end ? 0
                                  : grid.data[place * grid.stride[0] + source];
      }
#pragma unroll
      for (int k = 0; k < together; ++k)
        to[(r + k * stride) * Tile::pitch + at] = cells[k];
    }
  }

  AutomatonCall const& m_call;
  FixupColumns m_fixups;
  std::int64_t const* m_sources;
  unsigned char* m_ring;
  std::int64_t m_row;  ///< first row of the next group
  std::int64_t m_end;  ///< first row that no cell reads
  std::int64_t m_column;
  bool m_is_inside;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
