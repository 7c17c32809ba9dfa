// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILED_COPY_PLAN_HPP
#define KOKKOSMMA_TILED_COPY_PLAN_HPP

#include <core/loops/KokkosMMA_LayoutCopy.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace KokkosMMA::Impl {

/// Tiles along y that consecutive blocks copy before they go on along x:
/// several blocks fill the sectors and pages that tiles share. Fractions of the
/// rate of cudaMemcpy (H200, 2026-11-30). Columns of odd extents begin inside
/// of sectors. Floats in tiles of 64 x 64 by this, and of 32 x 128; doubles in
/// tiles of 64 x 32 by this, of 32 x 64, and 64 x 32 with rows in common, by
/// this:
///
/// | extents        | 16   | 64   | 256  | 32 x 128, 64 |
/// |----------------|------|------|------|--------------|
/// | 16384 x 16384  | 0.92 | 0.92 | 0.95 | 0.89         |
/// | 16383 x 16381  | 0.60 | 0.65 | 0.71 | 0.78         |
/// | 8194 x 8194    | 0.63 | 0.69 | 0.78 | 0.79         |
/// | 511 x 513 x 515| 0.65 | 0.63 | 0.64 | 0.74         |
/// | 640^3          | 0.91 | 0.91 | 0.91 | 0.87         |
///
/// | extents        | 16   | 256  | 32 x 64, 16 | in common, 16 | 256  |
/// |----------------|------|------|-------------|---------------|------|
/// | 16384 x 16384  | 0.88 | 0.91 | 0.87        | 0.87          | 0.91 |
/// | 16383 x 16381  | 0.65 | 0.75 | 0.76        | 0.83          | 0.87 |
/// | 8194 x 8194    | 0.71 | 0.86 | 0.77        | 0.80          | 0.86 |
/// | 511 x 513 x 515| 0.69 | 0.69 | 0.78        | 0.84          | 0.84 |
/// | 640^3          | 0.93 | 0.93 | 0.93        | 0.93          | 0.93 |
///
/// Floats by copy_blocks() x this, 6 x 16, 5 x 4, 5 x 64, 4 x 16 (2026-11-29):
/// 16383 x 16381 0.60 0.60 0.65 0.62, 2^20 x 100 0.80 0.89 0.89 0.79, 2^20 x 5
/// x 9 0.73 0.82 0.81 0.82, 640^3 0.92 0.93 0.93 0.87. Lost: other cache
/// policies of loads and stores (0.83 to 1.01 of the rate), 128 bytes per
/// thread (0.89 of floats), several tiles per block with asynchronous copies
/// (0.55 to 1.01). Rows in common cost floats 4 to 8 % of even extents.
constexpr unsigned copy_group(unsigned element_bytes) {
  return element_bytes == 4 || element_bytes == 8 ? 256 : 16;
}

/// What bounds the tiles of a copy.
struct CopyLimits {
  unsigned element_bytes;
  CopyPacks packs       = copy_packs(element_bytes);
  unsigned tile_words   = copy_words(element_bytes * packs.tile);  ///< a thread
  unsigned row_words    = copy_words(element_bytes * packs.row);
  unsigned plain_words  = copy_words(element_bytes);  ///< words of one element
  unsigned shared_bytes = copy_shared_bytes;
  unsigned group        = copy_group(element_bytes);
  unsigned min_tiles    = 256;  ///< else tiles are smaller, down to 4 words
};

/// A side with fewer elements is extended by other dimensions, first if it has
/// less than a warp.
inline constexpr std::uint32_t enough_for_warp = 32;
inline constexpr std::uint32_t enough_for_side = 128;

/// Each row and column of a tile has an offset in shared memory.
inline constexpr std::uint32_t max_words_of_side = 1024;

/// Words of a thread in the tiles of small copies.
inline constexpr std::uint32_t small_tile_words = 4;

/// Blocks with fewer elements cost more than they save.
inline constexpr std::uint64_t min_tile_elements = 256;

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) {
  return (n + by - 1) / by;
}

/// Removes dimensions of one index and merges those that are adjacent in both
/// arrays. Dimensions are sorted by their stride in the source.
/// \return false if there are no elements, or too many in a dimension, or a
/// stride is not positive
constexpr bool merge_dimensions(LayoutCopy const& copy, LayoutCopy& merged) {
  constexpr std::uint64_t end = std::uint64_t(1) << 31;
  LayoutCopy sorted;
  for (int d = 0; d < copy.rank; ++d) {
    std::uint64_t const extent = copy.extent[d];
    if (extent == 0 || extent >= end) return false;
    if (extent == 1) continue;
    if (copy.from[d] <= 0 || copy.to[d] <= 0) return false;
    int at = sorted.rank++;
    for (; at > 0 && sorted.from[at - 1] > copy.from[d]; --at) {
      sorted.extent[at] = sorted.extent[at - 1];
      sorted.from[at]   = sorted.from[at - 1];
      sorted.to[at]     = sorted.to[at - 1];
    }
    sorted.extent[at] = extent;
    sorted.from[at]   = copy.from[d];
    sorted.to[at]     = copy.to[d];
  }
  for (int d = 0; d < sorted.rank; ++d) {
    int const last             = merged.rank - 1;
    std::uint64_t const extent = last < 0 ? 0 : merged.extent[last];
    if (last >= 0 && extent * sorted.extent[d] < end &&
        sorted.from[d] == merged.from[last] * std::int64_t(extent) &&
        sorted.to[d] == merged.to[last] * std::int64_t(extent)) {
      merged.extent[last] *= sorted.extent[d];
      continue;
    }
    merged.extent[merged.rank] = sorted.extent[d];
    merged.from[merged.rank]   = sorted.from[d];
    merged.to[merged.rank]     = sorted.to[d];
    ++merged.rank;
  }
  return true;
}

/// Divides a copy into tiles.
class TiledCopyPlanner {
 public:
  constexpr TiledCopyPlanner(LayoutCopy const& copy, CopyLimits const& limits,
                             std::uint64_t addresses)
      : m_limits(limits), m_addresses(addresses) {
    m_has_elements = merge_dimensions(copy, m_copy);
  }

  /// \return number of tiles, 0 if there are none
  constexpr std::uint32_t plan() {
    if (!m_has_elements) return 0;
    int x = -1, y = -1;
    for (int d = 0; d < m_copy.rank; ++d) {
      if (m_copy.from[d] == 1) x = d;
      if (m_copy.to[d] == 1) y = d;
    }
    if (x < 0 || y < 0) return 0;
    if (is_power_of_two(m_limits.element_bytes) &&
        m_addresses % m_limits.element_bytes != 0)
      return 0;
    m_tiles.is_rows = x == y;
    m_tiles.group   = m_limits.group;
    if (m_tiles.is_rows) {
      set_rows(x);
    } else {
      set_sides(x, y);
    }
    set_pack();
    if (m_tiles.is_rows) {
      set_row_tile();
    } else {
      set_tile();
    }
    if (std::uint64_t(m_tiles.tile_x) * m_tiles.tile_y < min_tile_elements)
      return 0;
    return set_blocks();
  }

  constexpr TiledCopy const& tiles() const { return m_tiles; }

 private:
  static constexpr std::uint64_t most = (std::uint64_t(1) << 31) - 1;

  constexpr void append(MergedDimensions& to, int d, std::int64_t stride) {
    to.extent[to.count] = std::uint32_t(m_copy.extent[d]);
    to.stride[to.count] = stride;
    ++to.count;
    m_is_used[d] = true;
  }

  /// Words, or squares of as many words as each has elements, of a tile.
  constexpr std::uint32_t capacity() const {
    if (m_tiles.pack == 1) return copy_threads * m_limits.plain_words;
    return copy_threads * (m_tiles.is_rows
                               ? m_limits.row_words
                               : m_limits.tile_words / m_tiles.pack);
  }

  /// Adds the dimensions that follow a short one in the array in which that is
  /// contiguous.
  constexpr void extend(MergedDimensions& side, std::uint32_t& extent,
                        std::uint32_t enough, std::int64_t const* contiguous,
                        std::int64_t const* other) {
    for (int d = 0; d < m_copy.rank; ++d) {
      if (extent >= enough || side.count == MergedDimensions::max_count) return;
      if (m_is_used[d] || contiguous[d] != std::int64_t(extent) ||
          extent * m_copy.extent[d] > most)
        continue;
      extent *= std::uint32_t(m_copy.extent[d]);
      append(side, d, other[d]);
      d = -1;
    }
  }

  constexpr void set_sides(int x, int y) {
    m_tiles.pack = m_limits.packs.tile;
    m_tiles.x    = std::uint32_t(m_copy.extent[x]);
    m_tiles.y    = std::uint32_t(m_copy.extent[y]);
    append(m_tiles.to, x, m_copy.to[x]);
    append(m_tiles.from_y, y, m_copy.from[y]);
    // Sectors that are written in part cost more than those read in part.
    for (std::uint32_t const enough : {enough_for_warp, enough_for_side}) {
      extend(m_tiles.from_y, m_tiles.y, enough, m_copy.to, m_copy.from);
      extend(m_tiles.to, m_tiles.x, enough, m_copy.from, m_copy.to);
    }
  }

  constexpr void set_rows(int x) {
    m_tiles.pack = m_limits.packs.row;
    m_tiles.x    = std::uint32_t(m_copy.extent[x]);
    m_tiles.y    = 1;
    m_is_used[x] = true;
    for (int d = 0; d < m_copy.rank; ++d) {
      std::uint64_t const rows = m_tiles.y * m_copy.extent[d];
      if (m_is_used[d] || rows > most ||
          m_tiles.to.count == MergedDimensions::max_count)
        continue;
      m_tiles.y = std::uint32_t(rows);
      append(m_tiles.from_y, d, m_copy.from[d]);
      append(m_tiles.to, d, m_copy.to[d]);
    }
    if (m_tiles.y > 1) return;
    m_tiles.from_y = m_tiles.to = {1, {1}, {0}};
  }

  /// Words of one element, unless all words are aligned and whole.
  constexpr void set_pack() {
    std::uint64_t const pack = m_tiles.pack;
    std::uint64_t odd        = m_tiles.x | m_addresses / m_limits.element_bytes;
    if (m_addresses % m_limits.element_bytes != 0) odd |= 1;
    if (!m_tiles.is_rows) odd |= m_tiles.y;
    for (int d = 0; d < m_tiles.from_y.count; ++d)
      odd |= std::uint64_t(m_tiles.from_y.stride[d]);
    for (int d = 0; d < m_tiles.to.count; ++d)
      odd |= std::uint64_t(m_tiles.to.stride[d]);
    for (int d = 0; d < m_copy.rank; ++d)
      if (!m_is_used[d]) odd |= std::uint64_t(m_copy.from[d] | m_copy.to[d]);
    if (odd % pack != 0 || m_tiles.x < 2 * pack) m_tiles.pack = 1;
  }

  constexpr void set_row_tile() {
    std::uint32_t const row  = m_tiles.x / m_tiles.pack;
    m_tiles.tile_x           = part(row, max_words_of_side, 1) * m_tiles.pack;
    m_tiles.log2_x           = log2_up(m_tiles.tile_x / m_tiles.pack);
    std::uint32_t const rows = capacity() >> m_tiles.log2_x;
    m_tiles.tile_y           = m_tiles.y < rows ? m_tiles.y : rows;
    if (m_tiles.tile_y > max_words_of_side) m_tiles.tile_y = max_words_of_side;
  }

  constexpr void set_tile() {
    std::uint32_t const pack = m_tiles.pack;
    std::uint32_t const x = m_tiles.x / pack, y = m_tiles.y / pack;
    std::uint32_t log2 = log2_up(capacity());
    // Small copies have smaller tiles, so that more multiprocessors work.
    std::uint32_t const small = log2_up(copy_threads * small_tile_words / pack);
    while (log2 > small &&
           (std::uint64_t(x) * y * others() >> log2) < m_limits.min_tiles)
      --log2;
    // Long sides, if one is not short.
    std::uint32_t log2_y = log2 / 2, log2_x = log2 - log2_y;
    if (is_side(y, log2_y)) {
      log2_y = log2_up(y);
      log2_x = log2 - log2_y;
    } else if (is_side(x, log2_x)) {
      log2_x = log2_up(x);
      log2_y = log2 - log2_x;
    } else if (m_limits.element_bytes == 4 && log2 > small &&
               !begin_at_sectors()) {
      // Long columns: fewer of their sectors are written in two parts.
      ++log2_y;
      --log2_x;
      m_tiles.group /= 4;
    }
    set_part(m_tiles.tile_x, x, log2_x);
    set_part(m_tiles.tile_y, y, log2_y);
    share_rows();
    set_pitch();
    while (shared_bytes() > m_limits.shared_bytes) {
      std::uint32_t& longer =
          m_tiles.tile_x > m_tiles.tile_y ? m_tiles.tile_x : m_tiles.tile_y;
      longer = (longer - 1) / sector() * sector();
      set_pitch();
    }
    m_tiles.log2_x = log2_up(m_tiles.tile_x / pack);
    m_tiles.log2_y = log2_up(m_tiles.tile_y / pack);
  }

  /// Number of indices of the dimensions that are not of a tile.
  constexpr std::uint64_t others() const {
    std::uint64_t product = 1;
    for (int d = 0; d < m_copy.rank; ++d)
      if (!m_is_used[d] && product <= most) product *= m_copy.extent[d];
    return product;
  }

  /// Whether a dimension is short, or fills most of twice the side.
  static constexpr bool is_side(std::uint32_t words, std::uint32_t log2) {
    std::uint32_t const side = 1u << log2;
    return words <= side || (words > side / 2 * 3 && words < 2 * side);
  }
  constexpr void set_part(std::uint32_t& tile, std::uint32_t words,
                          std::uint32_t log2) const {
    std::uint32_t side = 1u << log2;
    std::uint32_t const longest =
        m_tiles.pack > 1 ? copy_threads : max_words_of_side;
    if (side > longest) side = longest;
    tile = part(words, side, sector() / m_tiles.pack) * m_tiles.pack;
  }
  /// Elements of a sector, whole words.
  constexpr std::uint32_t sector() const {
    std::uint32_t const elements = sector_bytes / m_limits.element_bytes;
    return elements < m_tiles.pack ? m_tiles.pack : elements;
  }
  /// If columns begin inside of sectors, tiles along y share the rows of a
  /// sector, and each column is written from a sector on.
  constexpr void share_rows() {
    std::uint32_t const rows = sector_bytes / m_limits.element_bytes;
    if (m_limits.element_bytes != copy_sharing_bytes || begin_at_sectors() ||
        m_tiles.tile_y >= m_tiles.y || m_tiles.tile_y < 8 * rows)
      return;
    std::uint64_t const all = m_tiles.y + rows;
    std::uint64_t const own =
        divide_up(all, divide_up(all, m_tiles.tile_y - rows));
    m_tiles.tile_y   = std::uint32_t(divide_up(own, rows) * rows + rows);
    m_tiles.shared_y = rows;
  }
  /// Whether all columns begin at sectors of the target. An unaligned source
  /// counts as an unaligned target.
  constexpr bool begin_at_sectors() const {
    std::uint64_t odd = m_addresses / m_limits.element_bytes;
    for (int d = 0; d < m_copy.rank; ++d)
      if (m_copy.to[d] != 1) odd |= std::uint64_t(m_copy.to[d]);
    return odd * m_limits.element_bytes % sector_bytes == 0;
  }
  static constexpr std::uint32_t log2_up(std::uint32_t n) {
    std::uint32_t log2 = 0;
    while (std::uint32_t(1) << log2 < n) ++log2;
    return log2;
  }

  /// Equal parts of an extent, of at most `side`, whole sectors.
  static constexpr std::uint32_t part(std::uint32_t extent, std::uint32_t side,
                                      std::uint32_t sector) {
    if (extent <= side) return extent;
    std::uint64_t const parts = divide_up(extent, side);
    std::uint64_t const whole =
        divide_up(divide_up(extent, parts), sector) * sector;
    return whole < side ? std::uint32_t(whole) : side;
  }

  /// Lanes along x write to different banks.
  constexpr void set_pitch() {
    std::uint32_t const word = m_limits.element_bytes * m_tiles.pack;
    std::uint32_t const unit = word < 4 && 4 % word == 0 ? 4 / word : 1;
    std::uint32_t const units =
        std::uint32_t(divide_up(m_tiles.tile_y / m_tiles.pack, unit));
    m_tiles.pitch = (units | 1) * unit;
  }
  constexpr std::uint32_t shared_bytes() const {
    std::uint32_t const tile =
        m_tiles.tile_x * m_tiles.pitch * m_limits.element_bytes * m_tiles.pack;
    return (tile + 7) / 8 * 8 + 8 * (m_tiles.tile_x + m_tiles.tile_y);
  }

  constexpr std::uint32_t set_blocks() {
    m_tiles.tiles_x      = std::uint32_t(divide_up(m_tiles.x, m_tiles.tile_x));
    m_tiles.tiles_y      = std::uint32_t(divide_up(
             m_tiles.y + m_tiles.shared_y, m_tiles.tile_y - m_tiles.shared_y));
    m_tiles.group        = std::min(m_tiles.group, m_tiles.tiles_y);
    std::uint64_t blocks = std::uint64_t(m_tiles.tiles_x) * m_tiles.tiles_y;
    if (blocks > most) return 0;
    for (int d = 0; d < m_copy.rank; ++d) {
      if (m_is_used[d]) continue;
      m_tiles.extent[m_tiles.others]    = std::uint32_t(m_copy.extent[d]);
      m_tiles.from[m_tiles.others]      = m_copy.from[d];
      m_tiles.to_others[m_tiles.others] = m_copy.to[d];
      ++m_tiles.others;
      blocks *= m_copy.extent[d];
      if (blocks > most) return 0;
    }
    return std::uint32_t(blocks);
  }

  CopyLimits m_limits;
  std::uint64_t m_addresses;
  LayoutCopy m_copy{};
  bool m_is_used[max_copy_rank] = {};
  bool m_has_elements           = false;
  TiledCopy m_tiles{};
};

/// Divides a copy into tiles.
/// \param addresses of both arrays, combined by |
/// \param[out] tiles unchanged if there are none
/// \return number of tiles; 0 if no dimension is contiguous in the source or
/// none in the target, or tiles would be small, or indices do not fit, or
/// elements of a power of two of bytes are not aligned to it
constexpr std::uint32_t plan_tiled_copy(LayoutCopy const& copy,
                                        CopyLimits const& limits,
                                        std::uint64_t addresses,
                                        TiledCopy& tiles) {
  TiledCopyPlanner planner(copy, limits, addresses);
  std::uint32_t const blocks = planner.plan();
  if (blocks > 0) tiles = planner.tiles();
  return blocks;
}

}  // namespace KokkosMMA::Impl

#endif
