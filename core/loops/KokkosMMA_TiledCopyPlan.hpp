// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILED_COPY_PLAN_HPP
#define KOKKOSMMA_TILED_COPY_PLAN_HPP

#include <core/loops/KokkosMMA_LayoutCopy.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Shorter dimensions fill less than half of a tile.
inline constexpr std::uint64_t min_tiled_extent = 32;

/// Divides a copy into tiles.
/// \param[out] tiles unchanged if there are none
/// \return number of tiles; 0 if the same dimension is contiguous in both
/// arrays, or none is, or one of the two is short, or indices do not fit
constexpr std::uint32_t plan_tiled_copy(LayoutCopy const& copy,
                                        unsigned tile_rows, TiledCopy& tiles) {
  int x = -1;
  int y = -1;
  for (int d = 0; d < copy.rank; ++d) {
    std::uint64_t const extent = copy.extent[d];
    if (extent == 0 || extent >= std::uint64_t(1) << 31) return 0;
    if (extent < min_tiled_extent) continue;
    if (copy.from[d] == 1) x = d;
    if (copy.to[d] == 1) y = d;
  }
  if (x < 0 || y < 0 || x == y) return 0;
  TiledCopy plan{};
  plan.x       = std::uint32_t(copy.extent[x]);
  plan.y       = std::uint32_t(copy.extent[y]);
  plan.from_y  = copy.from[y];
  plan.to_x    = copy.to[x];
  plan.tiles_x = (plan.x + copy_tile_columns - 1) / copy_tile_columns;
  plan.tiles_y = (plan.y + tile_rows - 1) / tile_rows;
  constexpr std::uint64_t most_blocks = (std::uint64_t(1) << 31) - 1;
  std::uint64_t blocks = std::uint64_t(plan.tiles_x) * plan.tiles_y;
  if (blocks > most_blocks) return 0;
  for (int d = 0; d < copy.rank; ++d) {
    if (d == x || d == y) continue;
    plan.extent[plan.others] = std::uint32_t(copy.extent[d]);
    plan.from[plan.others]   = copy.from[d];
    plan.to[plan.others]     = copy.to[d];
    ++plan.others;
    blocks *= copy.extent[d];
    if (blocks > most_blocks) return 0;
  }
  tiles = plan;
  return std::uint32_t(blocks);
}

}  // namespace KokkosMMA::Impl

#endif
