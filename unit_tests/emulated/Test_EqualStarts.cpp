// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where segments of one length begin in the vectors of a warp.

#include <core/segmented/KokkosMMA_WarpSegmentScan.hpp>

#include <gtest/gtest.h>

namespace {

using KokkosMMA::Impl::EqualStarts;

/// The starts that the device computes for segments of one length.
template <int Elements>
struct ComputedStarts {
  EqualStarts<Elements> starts;
  std::uint32_t ahead[32];

  ComputedStarts(std::uint64_t length, std::uint64_t first) : starts(length) {
    for (int lane = 0; lane < 32; ++lane)
      ahead[lane] = starts.ahead(first, lane * Elements);
  }
  std::uint32_t operator()(int lane, std::uint64_t) {
    std::uint32_t const bits = starts.starts(ahead[lane]);
    ahead[lane]              = starts.next_row(ahead[lane]);
    return bits;
  }
};

constexpr std::size_t lengths[] = {
    1,   2,   3,   4,   5,   6,   7,   8,    9,    15,      16,
    17,  31,  32,  33,  63,  64,  65,  100,  127,  128,     129,
    255, 256, 257, 400, 511, 512, 513, 1000, 5000, 1u << 31};

template <class T>
void expect_computed_starts_are(std::size_t length, std::uint64_t first) {
  constexpr int elements = 16 / sizeof(T);
  ComputedStarts<elements> computed(length, first);
  for (std::uint64_t row = 0; row < 12; ++row)
    for (int lane = 0; lane < 32; ++lane) {
      std::uint64_t const begin = (row * 32 + lane) * elements;
      std::uint32_t const bits  = computed(lane, row);
      for (int e = 0; e < 32; ++e)
        ASSERT_EQ(e < elements && (begin + e + length - first) % length == 0,
                  bits >> e & 1)
            << "length " << length << ", first " << first << ", row " << row
            << ", lane " << lane << ", element " << e;
    }
}

TEST(EqualStarts, AreWhereTheSegmentsBegin) {
  for (std::size_t const length : lengths)
    for (std::uint64_t const first :
         {std::uint64_t(0), std::uint64_t(1), std::uint64_t(3),
          std::uint64_t(length / 2), std::uint64_t(length - 1)}) {
      if (first >= length) continue;
      expect_computed_starts_are<float>(length, first);
      expect_computed_starts_are<double>(length, first);
    }
}

TEST(EqualStarts, SegmentsTooLongForAWarpBeginOnce) {
  constexpr std::uint64_t length = std::uint64_t(1) << 40;
  ComputedStarts<4> far(length, length - 5);
  ComputedStarts<4> near(length, 130);
  for (std::uint64_t row = 0; row < 100; ++row)
    for (int lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(0u, far(lane, row));
      ASSERT_EQ(row == 1 && lane == 0 ? 4u : 0u, near(lane, row));
    }
}

}  // namespace
