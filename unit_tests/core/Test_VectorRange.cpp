// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ranges that no kernel on the emulated device reaches; that vectors hold every
// element once is tested by those kernels (emulated_device_range_sums).

#include <core/mma/KokkosMMA_VectorRange.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace KokkosMMA::Impl;

TEST(VectorRange, BeyondFourGigabytes) {
  // the address is never read
  alignas(16) static unsigned char memory[16];
  std::uint64_t const size = (std::uint64_t(1) << 33) + 5;
  VectorRange const range  = vector_range(memory + 3, size, 1);
  EXPECT_EQ(memory, range.base);
  EXPECT_EQ(3u, range.skip);
  EXPECT_EQ(1u, range.begin);
  EXPECT_EQ((size + 3) / 16, range.end);
  EXPECT_TRUE(range.has_head());
  EXPECT_TRUE(range.has_tail());
}

TEST(VectorRange, OfNothing) {
  VectorRange const range = vector_range(nullptr, 0, 4);
  EXPECT_EQ(range.begin, range.end);
  EXPECT_FALSE(range.has_edges());
}

}  // namespace
