// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TILE_SCHEDULE_HPP
#define KOKKOSMMA_CUDA_TILE_SCHEDULE_HPP

#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// What a block of threads marches down: a piece of a strip of the grid.
struct StripPiece {
  unsigned strip;
  unsigned piece;
};

/// For high pieces (core/stencil/KokkosMMA_TileHeight.hpp): the strips at the
/// two boundaries first, which take longer, so that nobody waits for them in
/// the end. Then strips side by side, which read each other's columns. Low
/// pieces go in the order of the grid. Box of ones of radius 7, H200,
/// 2026-11-22, 16384^2: 147 us instead of 153 for bytes, 294 instead of 310 for
/// halfs.
__device__ inline StripPiece strip_piece(unsigned block, unsigned strips,
                                         unsigned pieces) {
  unsigned const cut  = strips < 2 ? strips : 2;
  unsigned const cuts = cut * pieces;
  if (block < cuts) return {block % cut * (strips - 1), block / cut};
  unsigned const inner = strips - cut;
  return {1 + (block - cuts) % inner, (block - cuts) / inner};
}

/// Blocks of threads that march down pieces of two heights: high ones in the
/// strips at the two boundaries, which take long to set up, then low ones in
/// all others (core/stencil/KokkosMMA_TileHeight.hpp), in the order of the grid
/// but for the last ones, whose rows meet a boundary: nobody waits for them in
/// the end.
class StripPieces {
 public:
  struct Piece {
    unsigned strip;
    int rows;
    std::int64_t first_row;
  };

  StripPieces() = default;
  /// \param high, low rows of a piece
  StripPieces(std::int64_t rows, std::int64_t strips, int high, int low)
      : m_strips(unsigned(strips)),
        m_high_pieces(unsigned((rows + high - 1) / high)),
        m_low_pieces(unsigned((rows + low - 1) / low)),
        m_high(high),
        m_low(low) {
    if (inner() > 1) m_reciprocal = ~std::uint64_t(0) / inner() + 1;
  }
  unsigned blocks() const {
    return at_boundaries() * m_high_pieces + inner() * m_low_pieces;
  }
  __device__ Piece of_block(unsigned block) const {
    unsigned const first = at_boundaries() * m_high_pieces;
    if (block < first) {
      unsigned const piece = at_boundaries() == 2 ? block / 2 : block;
      return {(block - piece * at_boundaries()) * (m_strips - 1), m_high,
              std::int64_t(piece) * m_high};
    }
    unsigned const order = over_inner(block - first);
    unsigned const piece = order == 0 ? m_low_pieces - 1 : order - 1;
    return {1 + (block - first) - order * inner(), m_low,
            std::int64_t(piece) * m_low};
  }

 private:
  __host__ __device__ unsigned at_boundaries() const {
    return m_strips < 2 ? m_strips : 2;
  }
  __host__ __device__ unsigned inner() const {
    return m_strips - at_boundaries();
  }
  // n / inner(), for which a block would wait before it asks for its rows.
  __device__ unsigned over_inner(unsigned n) const {
    if (m_reciprocal == 0) return n;
    std::uint64_t const low  = m_reciprocal & 0xffffffffu;
    std::uint64_t const high = m_reciprocal >> 32;
    return unsigned((high * n + (low * n >> 32)) >> 32);
  }

  unsigned m_strips      = 0;
  unsigned m_high_pieces = 0, m_low_pieces = 0;  // of a strip
  int m_high = 0, m_low = 0;                     // rows of a piece
  std::uint64_t m_reciprocal = 0;  // of inner(), times 2^64, rounded up
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
