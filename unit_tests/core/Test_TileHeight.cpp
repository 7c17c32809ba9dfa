// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace KokkosMMA::Impl;

TEST(TileHeight, ShortBlocksAreTheBestInManyRounds) {
  EXPECT_EQ(short_block_height(16384, 32, 528, 16, 3, 2), 16);
  EXPECT_EQ(short_block_height(16384, 32, 396, 46, 15, 14), 46);
  // More panels than blocks at once.
  EXPECT_EQ(short_block_height(100, 5000, 528, 16, 3, 2), 16);
}

TEST(TileHeight, ShortBlocksFillTheLastRound) {
  // 205 row blocks of each of 8 panels would be 2.07 rounds of 792 blocks.
  EXPECT_EQ(short_block_height(4096, 8, 792, 20, 4, 4), 24);
  // 23 row blocks of 2 panels are fewer than 396 blocks; 1024 are too many.
  EXPECT_EQ(short_block_height(1024, 2, 396, 46, 15, 14), 16);
  EXPECT_EQ(short_block_height(1, 1, 396, 46, 15, 14), 1);
}

TEST(TileHeight, TallBlocksFillTheMachine) {
  // 99 row blocks of each of 32 panels are three rounds of 1056 blocks.
  EXPECT_EQ(tall_block_height(16384, 32, 1056, 10), (16384 + 98) / 99);
  // Fewer rows than blocks: a row each.
  EXPECT_EQ(tall_block_height(5, 1, 1056, 10), 1);
  // More panels than blocks.
  EXPECT_EQ(tall_block_height(100, 5000, 1056, 10), 100);
}

TEST(TileHeight, IsAtLeastOneRow) {
  for (std::int64_t const rows : {1, 7, 1000, 1 << 20})
    for (std::int64_t const panels : {1, 31, 33, 1000})
      for (std::int64_t const lead : {4, 40}) {
        std::int64_t const tall = tall_block_height(rows, panels, 528, lead);
        EXPECT_GE(tall, 1);
        EXPECT_LE(tall, rows);
        for (std::int64_t const best : {1, 10, 46}) {
          std::int64_t const small =
              short_block_height(rows, panels, 528, best, 4, lead);
          EXPECT_GE(small, 1);
          EXPECT_LE(small, best + 8);
        }
      }
}

}  // namespace
