// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILE_HEIGHT_HPP
#define KOKKOSMMA_TILE_HEIGHT_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// Number of rows (in three dimensions: planes) of a row block. A grid is
/// divided into panels of columns and a panel into row blocks; a block of
/// threads sweeps the rows of one row block.
///
/// Kernels bound by memory have short row blocks, assigned to blocks in order:
/// concurrent blocks access the same few MB. The halo of a row block is read
/// again, from L2. Copies through panels of 1 KB with two halo rows per row
/// block, two blocks with 64 KB of shared memory per multiprocessor, as a
/// fraction of the rate of the runtime's copy (16384^2 floats, H200, CUDA 13.0,
/// 2026-11-23):
///
/// | rows of a row block                        |   32 |   64 |  128 |  512 |
/// |--------------------------------------------|-----:|-----:|-----:|-----:|
/// | a block for each                           | 0.97 | 0.98 | 0.95 | 0.92 |
/// | resident blocks, row blocks in turn        | 0.83 | 0.84 | 0.86 | 0.89 |
/// | resident blocks, by a shared counter       | 0.95 | 0.93 | 0.90 | 0.88 |
///
/// Kernels bound by arithmetic have tall ones: fewer rows are summed twice.

namespace KokkosMMA::Impl {

/// Height of short row blocks if `slots` blocks run at once: `best`, or for few
/// rounds of blocks a height some multiples of `step` away that fills the last
/// round. Each row block costs `lead` additional rows.
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

/// Height of tall row blocks if `slots` blocks run at once and each costs
/// `lead` additional rows. There are several rounds, since blocks at boundaries
/// take longer: in a single round all would wait for them.
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
