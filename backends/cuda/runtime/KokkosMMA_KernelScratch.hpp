// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_KERNEL_SCRATCH_HPP
#define KOKKOSMMA_CUDA_KERNEL_SCRATCH_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// Scratch of a stream as a kernel receives it.

namespace KokkosMMA::Impl::Cuda {

/// Partial results of the blocks of a launch; one per stream.
struct GridScratch {
  void* partials;
  unsigned* ticket;
};

/// Largest grid of a reduction: its last block joins a result per block.
inline constexpr unsigned max_partials = 4096;

/// Number of partial results of join_scattered_warps().
constexpr std::size_t partials_of_warps(unsigned blocks, unsigned threads) {
  return std::size_t(blocks) * (1 + threads / 32);
}

/// Counters of the scans that share words. All zero before the first launch.
struct ScanControl {
  unsigned ticket;    ///< tiles begun
  unsigned finished;  ///< blocks that have finished
  unsigned launches;  ///< tag of the current launch, minus 1
};

/// What determines the 8-byte words of a scan's look-back.
struct LookBackSize {
  unsigned window;          ///< tiles
  unsigned words_of_value;  ///< of an aggregate

  /// Of a scan of `tiles` tiles.
  constexpr std::uint64_t words(unsigned tiles) const {
    std::uint64_t const windows = std::uint64_t(tiles / window) + 1;
    return windows * (window + 1) * words_of_value;
  }
};

/// Aggregates that the tiles of a scan publish; one per stream.
struct ScanScratch {
  std::uint64_t* words;  ///< zero or tagged
  std::uint64_t capacity;
  ScanControl* control;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
