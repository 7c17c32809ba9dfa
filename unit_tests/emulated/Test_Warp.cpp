// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The emulated warp moves values between lanes as the instructions do that it
// stands for: PTX ISA, shfl.sync.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>

#include <KokkosMMA_SampledTypes.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace KokkosMMA::Impl::Emulated;

/// Every lane holds its own number, in the type T.
template <class T>
Warp::Lanes<T> lane_numbers() {
  Warp::Lanes<T> lanes{};
  Warp::each([&](int lane) { Warp::at(lanes, lane) = T(lane); });
  return lanes;
}

using Types = ::testing::Types<float, double, std::uint32_t, std::uint64_t>;
KOKKOSMMA_TYPED_TESTS(Shuffle, Types);

TYPED_TEST(Shuffle, UpLeavesTheFirstLanesTheirOwn) {
  auto const lanes = lane_numbers<TypeParam>();
  for (int offset = 0; offset < 32; ++offset) {
    auto const moved = Warp::shuffle_up(lanes, offset);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(TypeParam(lane < offset ? lane : lane - offset),
                Warp::at(moved, lane))
          << offset;
  }
}

TYPED_TEST(Shuffle, XorExchanges) {
  auto const lanes = lane_numbers<TypeParam>();
  for (int mask = 0; mask < 32; ++mask) {
    auto const moved = Warp::shuffle_xor(lanes, mask);
    auto const back  = Warp::shuffle_xor(moved, mask);
    for (int lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(TypeParam(lane ^ mask), Warp::at(moved, lane)) << mask;
      EXPECT_EQ(TypeParam(lane), Warp::at(back, lane)) << mask;
    }
  }
}

TYPED_TEST(Shuffle, BroadcastReachesEveryLane) {
  auto const lanes = lane_numbers<TypeParam>();
  for (int from = 0; from < 32; ++from) {
    auto const moved = Warp::broadcast(lanes, from);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(TypeParam(from), Warp::at(moved, lane));
  }
}

TEST(Warp, AnyLaneCounts) {
  Warp::Lanes<bool> lanes{};
  EXPECT_FALSE(Warp::any(lanes));
  for (int lane = 0; lane < 32; ++lane) {
    lanes.lane[lane] = true;
    EXPECT_TRUE(Warp::any(lanes)) << lane;
    lanes.lane[lane] = false;
  }
}

TEST(Warp, HalfValues) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    double const expected = decode_half(std::uint16_t(bits));
    float const value     = Warp::half_value(std::uint16_t(bits));
    ASSERT_TRUE(std::isnan(expected)
                    ? std::isnan(value)
                    : expected == value &&
                          std::signbit(expected) == std::signbit(value))
        << bits;
  }
}

}  // namespace
