// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the places of a box lie. That each tuple is called once is tested by
// the kernels on the emulated device (random_calls, sum_box_*).

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>
#include <core/loops/KokkosMMA_TileWidths.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

using namespace KokkosMMA::Impl;
using KokkosMMA::Testing::Random;

constexpr std::uint32_t largest = (std::uint32_t(1) << 31) - 1;

void expect_quotient(ReciprocalDivisor const& by, std::uint64_t n) {
  if (n > largest) return;
  ASSERT_EQ(n / by.divisor, by.quotient(std::uint32_t(n)))
      << n << " / " << by.divisor;
}

/// All n around the multiples where a quotient steps.
void expect_quotients_near_multiples(std::uint32_t divisor, Random& random) {
  ReciprocalDivisor const by(divisor);
  ASSERT_EQ(divisor, by.divisor);
  std::uint64_t const multiples = largest / divisor;
  for (std::uint64_t const m :
       {std::uint64_t(0), std::uint64_t(1), std::uint64_t(2), multiples / 2,
        multiples - 1, multiples,
        std::uint64_t(random.integer(0, std::int64_t(multiples)))})
    for (int step = -1; step <= 1; ++step)
      expect_quotient(by, m * divisor + std::uint64_t(step));
  for (std::uint32_t n : {0u, 1u, largest - 1, largest}) expect_quotient(by, n);
  for (int repeat = 0; repeat < 50; ++repeat)
    expect_quotient(by, std::uint64_t(random.integer(0, largest)));
}

TEST(ReciprocalDivisor, ExactBelowTwoToThe31) {
  Random random;
  for (std::uint32_t divisor = 1; divisor <= 3000; ++divisor)
    expect_quotients_near_multiples(divisor, random);
  for (int bit = 12; bit < 31; ++bit)
    for (int step = -2; step <= 2; ++step)
      expect_quotients_near_multiples((std::uint32_t(1) << bit) + step, random);
  for (std::uint32_t divisor : {largest, largest - 1, largest / 3, 715827883u})
    expect_quotients_near_multiples(divisor, random);
  for (int repeat = 0; repeat < 2000; ++repeat)
    expect_quotients_near_multiples(
        std::uint32_t(random.integer(1, std::int64_t(largest))), random);
}

TEST(TileWidth, LeavesFewThreadsWithoutWork) {
  EXPECT_EQ(7u, tile_width(7, 32));
  EXPECT_EQ(32u, tile_width(32, 32));
  EXPECT_EQ(17u, tile_width(33, 32));  // 2 tiles, 1 place idle
  EXPECT_EQ(32u, tile_width(8190, 32));
  for (std::uint32_t most : {1u, 8u, 16u, 32u, 48u, 1024u})
    for (std::uint32_t extent = 1; extent < 20 * most; ++extent) {
      std::uint32_t const width = tile_width(extent, most);
      ASSERT_LE(width, most);
      ASSERT_GE(width, std::min(extent, most / 2 + 1));
      std::uint32_t const places = (extent + width - 1) / width * width;
      ASSERT_LE(places, extent + extent / 8 + 8) << extent << " of " << most;
    }
}

TEST(BoxTiles, AreLongInTwoDimensions) {
  BoxTiles<3> const tiles({640, 640, 640}, 512);
  EXPECT_EQ(16u, tiles.width[0]);
  EXPECT_EQ(1u, tiles.width[1]);
  EXPECT_EQ(32u, tiles.width[2]);
  EXPECT_EQ(0, tiles.along);
  EXPECT_EQ(40u, tiles.whole_in_row);
  for (std::uint32_t thread = 0; thread < 512; ++thread) {
    EXPECT_EQ(thread % 16, tiles.place(thread).of[0]);
    EXPECT_EQ(thread / 16, tiles.place(thread).of[2]);
    EXPECT_EQ(thread % 32, tiles.place(thread, true).of[2]);
    EXPECT_EQ(thread / 32, tiles.place(thread, true).of[0]);
  }
  // Dimensions of three indices leave all threads but a few work.
  BoxTiles<3> const narrow({3, 100000, 3}, 1024);
  EXPECT_EQ(3u, narrow.width[0]);
  EXPECT_EQ(3u, narrow.width[2]);
  EXPECT_GE(narrow.width[1], 110u);
  EXPECT_EQ(1, narrow.along);
}

struct LastIndex {
  template <class Index>
  void operator()(Index i, Index j, std::int64_t& value) const {
    value = std::max(value, std::int64_t(i) * 100000 + j);
  }
};

TEST(MultiIndexCall, CornersOfLargeRanges) {
  // 46340^2 is just below 2^31
  std::array<std::int64_t, 2> const lower{1000000, -20000};
  std::array<std::int64_t, 2> const upper{1046340, 26340};
  auto const call = multi_index_call<LastIndex, std::int64_t, 2, false>(
      LastIndex{}, lower, upper, 512);
  std::int64_t value = 0;
  for (std::uint64_t flat = call.places() - 512; flat < call.places(); ++flat)
    call(std::uint32_t(flat), value);
  EXPECT_EQ(1046339 * std::int64_t(100000) + 26339, value);
  value = 0;
  call(0u, value);
  EXPECT_EQ(1000000 * std::int64_t(100000) - 20000, value);
}

}  // namespace
