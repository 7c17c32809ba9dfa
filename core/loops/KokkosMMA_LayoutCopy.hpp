// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAYOUT_COPY_HPP
#define KOKKOSMMA_LAYOUT_COPY_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

inline constexpr int max_copy_rank = 6;

/// Copy between two arrays of the same extents.
struct LayoutCopy {
  int rank                            = 0;
  std::uint64_t extent[max_copy_rank] = {};
  std::int64_t from[max_copy_rank]    = {};  ///< strides, or a fill's value
  std::int64_t to[max_copy_rank]      = {};  ///< strides in elements
};

/// The arrays, as a kernel receives them.
struct CopiedArrays {
  void const* from = nullptr;
  void* to         = nullptr;
  LayoutCopy layouts;
};

inline constexpr unsigned copy_threads = 256;

/// Bytes that each thread loads before it stores the first: with six blocks per
/// multiprocessor, of which half load, 48 KiB are in flight. Half and twice as
/// many copy 16384 x 16384 floats at 0.87 and 0.83 of the rate of cudaMemcpy,
/// these at 0.93 (H200, 2026-11-29).
inline constexpr unsigned copy_bytes_in_flight = 64;

/// Resident blocks per multiprocessor, by the rates at copy_group().
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr unsigned copy_blocks(
    unsigned element_bytes) {
  return element_bytes == 4 ? 5 : 6;
}

/// A tile with the padding of its rows, and the offsets of rows and columns.
inline constexpr unsigned copy_shared_bytes = 20992;

KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool is_power_of_two(unsigned n) {
  return (n & (n - 1)) == 0;
}

/// Elements of this size are copied in tiles that may share rows.
inline constexpr unsigned copy_sharing_bytes = 8;
inline constexpr unsigned sector_bytes       = 32;  ///< of the L2 cache

/// Elements in one word of a thread.
struct CopyPacks {
  unsigned tile;  ///< the thread transposes as many words
  unsigned row;   ///< in a copy of rows
};
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr CopyPacks copy_packs(
    unsigned element_bytes) {
  return {element_bytes <= 2 ? 4 / element_bytes : 1,
          is_power_of_two(element_bytes) ? 16 / element_bytes : 1};
}

/// Words that a thread loads before it stores the first, a power of two.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr unsigned copy_words(
    unsigned word_bytes) {
  unsigned words = copy_bytes_in_flight / 4;
  while (word_bytes > 4 && words * word_bytes > copy_bytes_in_flight)
    words /= 2;
  return words;
}

/// Dimensions that are one index, the first one fastest, and their strides in
/// an array.
struct MergedDimensions {
  static constexpr int max_count = 3;
  int count                      = 0;
  std::uint32_t extent[max_count];
  std::int64_t stride[max_count];
};

/// Argument of the kernel: a copy in tiles of x times y elements. x is
/// contiguous in the source. y is contiguous in the target; in a copy of rows,
/// x is.
struct TiledCopy {
  bool is_rows;
  unsigned pack;
  std::uint32_t x, y;  ///< extents
  std::uint32_t tile_x, tile_y;
  std::uint32_t tiles_x, tiles_y;
  std::uint32_t group;           ///< see copy_group
  std::uint32_t log2_x, log2_y;  ///< threads along a side, each for one word
  std::uint32_t pitch;      ///< words from one x to the next in shared memory
  std::uint32_t shared_y;   ///< rows in common with the tile before
  MergedDimensions from_y;  ///< y in the source
  MergedDimensions to;      ///< x in the target; in a copy of rows, y
  int others;               ///< number of other dimensions
  std::uint32_t extent[max_copy_rank];
  std::int64_t from[max_copy_rank];
  std::int64_t to_others[max_copy_rank];
};

}  // namespace KokkosMMA::Impl

#endif
