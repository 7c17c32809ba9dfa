// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILE_HEIGHT_HPP
#define KOKKOSMMA_TILE_HEIGHT_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// How many rows (in three dimensions: planes) a row block has. A grid is cut
/// into panels of columns, a panel into row blocks, and a block of threads
/// sweeps over the rows of one of them.
///
/// Where memory bounds a kernel, row blocks are short, side by side in the
/// order of the blocks: those that run at once read and write the same few MB.
/// What is around a row block is read again, from L2. Copies through panels of
/// 1 KB with two rows around each row block, two blocks with 64 KB of shared
/// memory per multiprocessor, part of the rate of the runtime's copy (16384^2
/// floats, H200, CUDA 13.0, 2026-11-23):
///
/// | rows of a row block                        |   32 |   64 |  128 |  512 |
/// |--------------------------------------------|-----:|-----:|-----:|-----:|
/// | a block for each                           | 0.97 | 0.98 | 0.95 | 0.92 |
/// | resident blocks, row blocks in turn        | 0.83 | 0.84 | 0.86 | 0.89 |
/// | resident blocks, by a shared counter       | 0.95 | 0.93 | 0.90 | 0.88 |
///
/// Where arithmetic does, row blocks are tall: fewer rows are summed up twice.

namespace KokkosMMA::Impl {

/// Rows of short row blocks where `slots` blocks run at once: `best`, or in few
/// rounds of blocks some multiple of `step` more or less, for which the last
/// round is full. Each row block costs `lead` rows more than it has.
constexpr std::int64_t short_block_height(std::int64_t rows,
                                          std::int64_t panels,
                                          std::int64_t slots, std::int64_t best,
                                          std::int64_t step,
                                          std::int64_t lead) {
  auto const rounds = [&](std::int64_t height) {
    return ((rows + height - 1) / height * panels + slots - 1) / slots;
  };
  if (rounds(best) > 4) return best;
  std::int64_t result = best;
  for (std::int64_t height = best + 2 * step; height > 0; height -= step)
    if (rounds(height) * (height + lead) < rounds(result) * (result + lead))
      result = height;
  return result;
}

/// Rows of tall row blocks where `slots` blocks run at once, each of which
/// costs `lead` rows more than it has. In several rounds, where blocks at the
/// boundaries take longer: in one all would wait for them.
constexpr std::int64_t tall_block_height(std::int64_t rows, std::int64_t panels,
                                         std::int64_t slots, std::int64_t lead,
                                         std::int64_t least_rounds = 3) {
  std::int64_t best      = rows;
  std::int64_t best_cost = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t rounds = least_rounds; rounds <= 8; ++rounds) {
    std::int64_t const row_blocks =
        std::clamp<std::int64_t>(rounds * slots / panels, 1, rows);
    std::int64_t const in_turn = (row_blocks * panels + slots - 1) / slots;
    std::int64_t const height  = (rows + row_blocks - 1) / row_blocks;
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
