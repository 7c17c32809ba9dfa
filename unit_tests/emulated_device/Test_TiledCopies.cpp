// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between layouts in tiles.

#include "DeviceMemory.hpp"

#include <backends/cuda/kernels/loops/KokkosMMA_TiledCopy.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/loops/KokkosMMA_TiledCopyPlan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::LayoutCopy;

Kokkos::Cuda const space;

constexpr std::uint32_t tiles_of(LayoutCopy const& copy) {
  Impl::TiledCopy tiles{};
  return Impl::plan_tiled_copy(copy, 32, tiles);
}
static_assert(tiles_of({2, {33, 64}, {1, 33}, {64, 1}}) == 2 * 2);
static_assert(tiles_of({3, {33, 5, 64}, {1, 33, 165}, {320, 64, 1}}) == 20);
// The same dimension is contiguous in both, or none is, or one is short.
static_assert(tiles_of({2, {64, 64}, {1, 64}, {1, 80}}) == 0);
static_assert(tiles_of({2, {64, 64}, {2, 128}, {64, 1}}) == 0);
static_assert(tiles_of({2, {64, 3}, {1, 64}, {3, 1}}) == 0);
// No elements, too many in a dimension, too many tiles.
static_assert(tiles_of({3, {64, 64, 0}, {1, 64, 1}, {64, 1, 1}}) == 0);
static_assert(tiles_of({2,
                        {std::uint64_t(1) << 31, 64},
                        {1, std::int64_t(1) << 31},
                        {64, 1}}) == 0);
static_assert(tiles_of({3,
                        {1 << 20, 1 << 20, 4},
                        {1, 1 << 20, std::int64_t(1) << 40},
                        {1 << 20, 1, std::int64_t(1) << 40}}) == 0);

/// Strides of an array with elements of `order[0]` adjacent, then those of
/// order[1], ..., and some padding. Returns the number of elements it spans.
std::size_t set_strides(LayoutCopy const& copy, std::array<int, 6> const& order,
                        std::int64_t (&strides)[6], Random& random) {
  std::int64_t span = 1;
  for (int k = 0; k < copy.rank; ++k) {
    strides[order[k]] = span;
    span *= std::int64_t(copy.extent[order[k]]);
    if (random.integer(0, 2) == 0) span += random.integer(1, 7);
  }
  return std::size_t(span);
}

template <class T>
void expect_copies() {
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 15; ++n) {
    any_device(random);
    LayoutCopy copy;
    copy.rank = 2 + n % 5;
    std::array<int, 6> from_order{}, to_order{};
    for (int d = 0; d < copy.rank; ++d) {
      from_order[d] = to_order[d] = d;
      copy.extent[d]              = std::uint64_t(random.integer(1, 3));
    }
    std::shuffle(from_order.begin(), from_order.begin() + copy.rank,
                 random.engine());
    do {
      std::shuffle(to_order.begin(), to_order.begin() + copy.rank,
                   random.engine());
    } while (to_order[0] == from_order[0]);
    for (int const d : {from_order[0], to_order[0]})
      copy.extent[d] = std::uint64_t(random.integer(32, 90));
    std::vector<T> from(set_strides(copy, from_order, copy.from, random));
    std::vector<T> to(set_strides(copy, to_order, copy.to, random));
    for (auto* const values : {&from, &to})
      for (T& value : *values) {
        std::array<unsigned char, sizeof(T)> bytes;
        for (auto& byte : bytes) byte = (unsigned char)(random.integer(0, 255));
        std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(T));
      }
    std::vector<T> expected = to;
    std::array<std::uint64_t, 6> at{};
    for (bool more = true; more;) {
      std::int64_t source = 0, target = 0;
      for (int d = 0; d < copy.rank; ++d) {
        source += std::int64_t(at[d]) * copy.from[d];
        target += std::int64_t(at[d]) * copy.to[d];
      }
      expected[target] = from[source];
      int d            = 0;
      for (; d < copy.rank && ++at[d] == copy.extent[d]; ++d) at[d] = 0;
      more = d < copy.rank;
    }
    Impl::TiledCopy tiles;
    unsigned const blocks =
        Impl::plan_tiled_copy(copy, Impl::copy_tile_rows<T>, tiles);
    ASSERT_GT(blocks, 0u);
    Impl::Cuda::launch_kernel(space, "copy_tiles", Impl::Cuda::copy_tiles<T>,
                              {blocks, Impl::copy_threads}, from.data(),
                              to.data(), tiles);
    ASSERT_EQ(0, std::memcmp(to.data(), expected.data(), to.size() * sizeof(T)))
        << "rank " << copy.rank;
  }
}

struct Sixteen {
  std::int64_t values[2];
};

TEST(TiledCopies, ElementsOf1To16Bytes) {
  expect_copies<std::uint8_t>();
  expect_copies<std::uint16_t>();
  expect_copies<float>();
  expect_copies<double>();
  expect_copies<Sixteen>();
}

}  // namespace
