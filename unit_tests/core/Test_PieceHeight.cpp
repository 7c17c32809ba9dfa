// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using KokkosMMA::Impl::high_piece_height;
using KokkosMMA::Impl::low_piece_height;

TEST(PieceHeight, LowPiecesAreTheBestInManyRounds) {
  EXPECT_EQ(low_piece_height(16384, 32, 528, 16, 3, 2), 16);
  EXPECT_EQ(low_piece_height(16384, 32, 396, 46, 15, 14), 46);
  // More strips than blocks at once.
  EXPECT_EQ(low_piece_height(100, 5000, 528, 16, 3, 2), 16);
}

TEST(PieceHeight, LowPiecesFillTheLastRound) {
  // 205 pieces of each of 8 strips would be 2.07 rounds of 792 blocks.
  EXPECT_EQ(low_piece_height(4096, 8, 792, 20, 4, 4), 24);
  // 23 pieces of 2 strips are fewer than 396 blocks; 1024 are too many.
  EXPECT_EQ(low_piece_height(1024, 2, 396, 46, 15, 14), 16);
  EXPECT_EQ(low_piece_height(1, 1, 396, 46, 15, 14), 1);
}

TEST(PieceHeight, HighPiecesFillTheMachine) {
  // 99 pieces of each of 32 strips are three rounds of 1056 blocks.
  EXPECT_EQ(high_piece_height(16384, 32, 1056, 10), (16384 + 98) / 99);
  // Fewer rows than blocks: a row each.
  EXPECT_EQ(high_piece_height(5, 1, 1056, 10), 1);
  // More strips than blocks.
  EXPECT_EQ(high_piece_height(100, 5000, 1056, 10), 100);
}

TEST(PieceHeight, IsAtLeastOneRow) {
  for (std::int64_t const rows : {1, 7, 1000, 1 << 20})
    for (std::int64_t const strips : {1, 31, 33, 1000})
      for (std::int64_t const lead : {4, 40}) {
        std::int64_t const high = high_piece_height(rows, strips, 528, lead);
        EXPECT_GE(high, 1);
        EXPECT_LE(high, rows);
        for (std::int64_t const best : {1, 10, 46}) {
          std::int64_t const low =
              low_piece_height(rows, strips, 528, best, 4, lead);
          EXPECT_GE(low, 1);
          EXPECT_LE(low, best + 8);
        }
      }
}

}  // namespace
