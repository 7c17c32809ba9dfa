// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAUNCH_SHAPE_HPP
#define KOKKOSMMA_LAUNCH_SHAPE_HPP

#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Shapes of launches that depend on the tuning table. Whatever the table says,
/// they are shapes that the kernels take: these loop over what a grid leaves,
/// and need whole warps, at most the threads they are compiled for, and no more
/// blocks than there is room for partial results.

namespace KokkosMMA::Impl {

struct LaunchShape {
  unsigned blocks;
  unsigned threads;
};

/// The launch of a sum of visible data. \p block_size is the call's, 0 where it
/// leaves it open.
constexpr LaunchShape mma_reduce_shape(TuningTable const& table, int block_size,
                                       std::uint64_t vectors,
                                       int multiprocessors,
                                       unsigned most_blocks) {
  auto threads = unsigned(block_size ? block_size : table.reduce_block_size);
  std::uint64_t blocks = std::uint64_t(multiprocessors) * table.reduce_blocks *
                         (mma_tuning.threads / threads);
  if (vectors <= std::uint64_t(multiprocessors) * table.reduce_mma_spread) {
    if (!block_size) threads = spread_threads;
    blocks = (vectors + 4 * threads - 1) / (4 * threads);
  }
  return {unsigned(std::clamp<std::uint64_t>(blocks, 1, most_blocks)), threads};
}

/// The launch of a reduction by an opaque functor: one index per thread while
/// that leaves processors free, as many resident blocks as fit beyond.
constexpr LaunchShape streamed_reduce_shape(
    TuningTable const& table, StreamedTuning const& tuning, std::uint64_t size,
    int multiprocessors, int resident_blocks, unsigned most_blocks) {
  auto const processors = static_cast<std::uint64_t>(multiprocessors);
  auto const clamped    = [&](std::uint64_t blocks) {
    return unsigned(std::clamp<std::uint64_t>(blocks, 1, most_blocks));
  };
  if (size <= processors * table.reduce_spread) {
    auto const threads = unsigned(std::min(spread_threads, tuning.threads));
    return {clamped((size + threads - 1) / threads), threads};
  }
  return {clamped(processors * resident_blocks), unsigned(tuning.threads)};
}

/// Indices per thread of a tile of a scan by an opaque functor.
constexpr unsigned streamed_scan_rows(TuningTable const& table,
                                      StreamedScanTuning const& tuning,
                                      std::uint64_t size) {
  std::uint64_t const spread =
      std::uint64_t(tuning.threads) * table.scan_spread_tiles;
  return unsigned(
      std::clamp<std::uint64_t>((size + spread - 1) / spread, 1, tuning.items));
}

}  // namespace KokkosMMA::Impl

#endif
