// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the work of segments of any lengths is cut into equal parts. Results of
// such parts: emulated_device_csr_segments.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/segmented/KokkosMMA_WarpMergePath.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using Impl::MergeCoordinate;
using Impl::MergePath;
using Impl::OffsetSegments;
using Impl::Emulated::Warp;

constexpr std::uint64_t partitions[] = {1, 2, 3, 31, 33, 100};

TEST(MergePath, PartitionsAreEqual) {
  for (std::uint64_t const total : {0, 1, 5, 1000, 1001}) {
    for (std::uint64_t const number : partitions) {
      EXPECT_EQ(0u, Impl::begin_of_partition(total, number, 0));
      EXPECT_EQ(total, Impl::begin_of_partition(total, number, number));
      for (std::uint64_t i = 0; i < number; ++i) {
        std::uint64_t const share =
            Impl::begin_of_partition(total, number, i + 1) -
            Impl::begin_of_partition(total, number, i);
        EXPECT_GE(share, total / number);
        EXPECT_LE(share, (total + number - 1) / number);
      }
    }
  }
}

TEST(MergePath, OffsetsBeyond32Bits) {
  // Nothing but the offsets exists: coordinates do not depend on the elements.
  constexpr std::uint64_t far             = std::uint64_t(1) << 40;
  std::vector<std::int64_t> const offsets = {1 << 20, std::int64_t(far),
                                             std::int64_t(far + 7)};
  auto const work =
      MergePath<OffsetSegments<std::int64_t>>::of({offsets.data(), 2}, 4);
  EXPECT_EQ(far + 15 - (1 << 20), work.total());
  MergeCoordinate coordinates[2];
  Impl::find_coordinates(Warp{}, work, {far / 2, far - (1 << 20) + 9},
                         coordinates);
  EXPECT_EQ((MergeCoordinate{0, far / 2 + (1 << 20)}), coordinates[0]);
  EXPECT_EQ((MergeCoordinate{1, far + 5}), coordinates[1]);
}

}  // namespace
