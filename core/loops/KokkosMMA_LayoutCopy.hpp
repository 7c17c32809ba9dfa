// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAYOUT_COPY_HPP
#define KOKKOSMMA_LAYOUT_COPY_HPP

#include <cstdint>

namespace KokkosMMA::Impl {

inline constexpr int max_copy_rank = 6;

/// Copy between two arrays of the same extents.
struct LayoutCopy {
  int rank                            = 0;
  std::uint64_t extent[max_copy_rank] = {};
  std::int64_t from[max_copy_rank]    = {};  ///< strides in elements
  std::int64_t to[max_copy_rank]      = {};
};

/// Columns of a tile, which lie along the warp; its rows. Each thread has 4 to
/// 8 loads in flight. The sizes are chosen by that count, not measured.
inline constexpr unsigned copy_tile_columns = 32;
template <class T>
inline constexpr unsigned copy_tile_rows = sizeof(T) <= 4 ? 64 : 32;
inline constexpr unsigned copy_threads   = 256;

/// Copy in tiles of two dimensions: x is contiguous in the source, y in the
/// target. Argument of the kernel.
struct TiledCopy {
  std::uint32_t x, y;  ///< extents
  std::uint32_t tiles_x, tiles_y;
  std::int64_t from_y;  ///< stride of y in the source
  std::int64_t to_x;    ///< stride of x in the target
  int others;           ///< number of other dimensions
  std::uint32_t extent[max_copy_rank - 2];
  std::int64_t from[max_copy_rank - 2];
  std::int64_t to[max_copy_rank - 2];
};

}  // namespace KokkosMMA::Impl

#endif
