// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILE_HEIGHT_HPP
#define KOKKOSMMA_TILE_HEIGHT_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// Into which pieces the strips of a grid are cut, each for a block of threads
/// that marches down its rows (in three dimensions: its planes).
///
/// Where memory bounds a kernel, pieces are low, side by side in the order of
/// the blocks: those that run at once read and write the same few MB. What is
/// around a piece is read again, from L2. Copies through strips of 1 KB with
/// two rows around each piece, two blocks with 64 KB of shared memory per
/// multiprocessor, part of the rate of the runtime's copy (16384^2 floats,
/// H200, CUDA 13.0, 2026-11-23):
///
/// | rows of a piece                            |   32 |   64 |  128 |  512 |
/// |--------------------------------------------|-----:|-----:|-----:|-----:|
/// | a block for each piece                     | 0.97 | 0.98 | 0.95 | 0.92 |
/// | resident blocks, pieces in turn            | 0.83 | 0.84 | 0.86 | 0.89 |
/// | resident blocks, pieces by a shared counter| 0.95 | 0.93 | 0.90 | 0.88 |
///
/// Where arithmetic does, pieces are high: fewer rows are summed up twice.

namespace KokkosMMA::Impl {

/// Rows of low pieces where `slots` blocks run at once: `best`, or in few
/// rounds of blocks some multiple of `step` more or less, for which the last
/// round is full. Each piece costs `lead` rows more than it has.
constexpr std::int64_t low_piece_height(std::int64_t rows, std::int64_t strips,
                                        std::int64_t slots, std::int64_t best,
                                        std::int64_t step, std::int64_t lead) {
  auto const rounds = [&](std::int64_t height) {
    return ((rows + height - 1) / height * strips + slots - 1) / slots;
  };
  if (rounds(best) > 4) return best;
  std::int64_t result = best;
  for (std::int64_t height = best + 2 * step; height > 0; height -= step)
    if (rounds(height) * (height + lead) < rounds(result) * (result + lead))
      result = height;
  return result;
}

/// Rows of high pieces, likewise. In several rounds: blocks at the boundaries
/// take longer, and in one all would wait for them.
constexpr std::int64_t high_piece_height(std::int64_t rows, std::int64_t strips,
                                         std::int64_t slots,
                                         std::int64_t lead) {
  std::int64_t best      = rows;
  std::int64_t best_cost = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t rounds = 3; rounds <= 8; ++rounds) {
    std::int64_t const pieces =
        std::clamp<std::int64_t>(rounds * slots / strips, 1, rows);
    std::int64_t const in_turn = (pieces * strips + slots - 1) / slots;
    std::int64_t const height  = (rows + pieces - 1) / pieces;
    std::int64_t const cost    = in_turn * (height + lead);
    if (cost < best_cost) {
      best      = height;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace KokkosMMA::Impl

#endif
