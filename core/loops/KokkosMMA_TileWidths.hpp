// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILE_WIDTHS_HPP
#define KOKKOSMMA_TILE_WIDTHS_HPP

#include <core/loops/KokkosMMA_LoopBox.hpp>
#include <core/loops/KokkosMMA_TiledBox.hpp>

#include <cstdint>

/// \file
/// Tiles of a box of several dimensions
/// (adapters/drop_in/KokkosMMA_MultiIndex.hpp).

namespace KokkosMMA::Impl {

/// Width of a tile in a dimension, at most `most`: the extent if it is small,
/// otherwise a width whose last tile leaves few threads idle.
constexpr std::uint32_t tile_width(std::uint32_t extent, std::uint32_t most) {
  if (extent <= most) return extent;
  if (extent / most >= 8) return most;
  std::uint32_t best = most;
  std::uint32_t idle = (most - extent % most) % most;
  for (std::uint32_t w = most - 1; w > most / 2; --w)
    if ((w - extent % w) % w < idle) {
      best = w;
      idle = (w - extent % w) % w;
    }
  return best;
}

/// Least number of tiles of a long row.
inline constexpr std::uint32_t long_row = 32;

/// See tile_box(). Rows of a tile of LayoutRight Views begin anywhere: 256
/// bytes of doubles touch one 64-byte unit more, hence 0.75 of the memory
/// bandwidth with odd extents. Microseconds of sums, LayoutLeft and LayoutRight
/// (Kokkos: 10065 10666, 5891 7154, 6789 8574; H200, CUDA 13.0, Kokkos 5.0.2,
/// 2026-11-30):
///
/// | tiles, doubles                   | 16383x8191 | 645^2x323 | 128^4    |
/// |----------------------------------|------------|-----------|----------|
/// | these: 16 wide, slowest 32       | 268 308    | 270 304   | 568 2251 |
/// | 8 wide, slowest 64               | 272 295    | 281 296   | 898 720  |
/// | 8 wide, two of rank 4's third    |            | 283 309   | 887 729  |
/// | rows of 16 tiles, then slowest   | 297 318    | 316 373   | 573 2465 |
///
/// Floats of 16384^2, of 645^3: these 269 278, 289 423; 8 wide, slowest 64:
/// 292 285, 308 324. No order or width is faster for both layouts.
inline void choose_tiles(TiledBox const& box) {
  auto const& [rank, threads, extent, width, step, count, along, whole_in_row] =
      box;
  int const slow = rank - 1;
  for (int d = 0; d < rank; ++d) width[d] = 1;
  if (rank > 1) width[slow] = tile_width(extent[slow], threads < 512 ? 16 : 32);
  // Threads that the slowest dimension leaves, from the fastest one on.
  std::uint32_t left = threads / width[slow];
  for (int d = 0; d < slow; ++d) {
    std::uint32_t const unit = left >= 96 ? 32 : 8;
    width[d]                 = tile_width(extent[d],
                          d == 0 && left > unit ? left / unit * unit : left);
    left /= width[d];
  }
  width[slow] = tile_width(extent[slow], left * width[slow]);
  std::uint32_t tiles[max_loop_rank];
  for (int d = 0; d < rank; ++d)
    tiles[d] = (extent[d] + width[d] - 1) / width[d];
  for (int d = 1; d < rank; ++d)
    if (tiles[along] < long_row && tiles[d] > tiles[along]) along = d;
  step[along]  = width[along];
  whole_in_row = extent[along] / width[along];
  count[0]     = ReciprocalDivisor(tiles[along]);
  for (int d = 0; d < rank; ++d)
    if (d != along) count[d + (d < along)] = ReciprocalDivisor(tiles[d]);
}

}  // namespace KokkosMMA::Impl

#endif
