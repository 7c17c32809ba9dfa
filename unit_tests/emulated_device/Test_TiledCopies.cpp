// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between layouts, in tiles and by elements, and fills.

#include "DeviceMemory.hpp"

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/loops/KokkosMMA_TiledCopy.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_TiledCopyPlan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::LayoutCopy;
using Impl::TiledCopy;

Kokkos::Cuda const space;

struct Planned {
  std::uint32_t blocks = 0;
  TiledCopy tiles{};
};
constexpr Planned planned(LayoutCopy const& copy, unsigned bytes = 4,
                          std::uint64_t addresses = 0, unsigned min_tiles = 1) {
  Planned of;
  Impl::CopyLimits limits{bytes};
  limits.min_tiles = min_tiles;
  of.blocks        = Impl::plan_tiled_copy(copy, limits, addresses, of.tiles);
  return of;
}
constexpr bool has_tile(Planned const& of, std::uint32_t x, std::uint32_t y) {
  return of.tiles.tile_x == x && of.tiles.tile_y == y && !of.tiles.is_rows;
}

// Long sides: 16 words of 4 bytes per thread, 64 bytes of others.
constexpr LayoutCopy large{2, {1024, 2048}, {1, 1024}, {2048, 1}};
static_assert(planned(large).blocks == 16 * 32 &&
              has_tile(planned(large), 64, 64));
static_assert(has_tile(planned(large, 8), 64, 32));
static_assert(has_tile(planned(large, 16), 32, 32));
// Words of four and two elements, unless an address or a stride is odd.
static_assert(has_tile(planned(large, 1), 128, 128));
static_assert(has_tile(planned(large, 2), 128, 64));
static_assert(has_tile(planned(large, 1, 2), 64, 64));
static_assert(planned({2, {64, 64}, {1, 68}, {70, 1}}, 1).tiles.pack == 1);
static_assert(planned({2, {64, 66}, {1, 68}, {72, 1}}, 1).tiles.pack == 1);
static_assert(
    planned({3, {9, 64, 64}, {1, 9, 576}, {4096, 64, 1}}, 1).tiles.pack == 4);
static_assert(
    planned({3, {64, 3, 64}, {1, 68, 272}, {272, 68, 1}}, 1).tiles.pack == 4 &&
    planned({3, {64, 3, 64}, {1, 66, 272}, {272, 68, 1}}, 1).tiles.pack == 1);
// A short dimension is not divided, nor one that fills most of two tiles.
static_assert(has_tile(planned({2, {4096, 3}, {1, 4096}, {3, 1}}), 1024, 3));
static_assert(has_tile(planned({2, {4096, 100}, {1, 4096}, {100, 1}}), 32,
                       100));
static_assert(has_tile(planned({2, {3, 4096}, {1, 3}, {4096, 1}}), 3, 1024));
// Equal parts of whole sectors.
static_assert(has_tile(planned({2, {72, 72}, {1, 72}, {72, 1}}), 40, 40));
// If columns begin inside of sectors, those of floats are long, and tiles of
// doubles share a sector's rows.
constexpr LayoutCopy odd{2, {1024, 2047}, {1, 1024}, {2047, 1}};
static_assert(has_tile(planned(odd), 32, 128) &&
              planned(odd).tiles.shared_y == 0);
static_assert(has_tile(planned(odd, 8), 64, 32) &&
              planned(odd, 8).tiles.shared_y == 4 &&
              planned(odd, 8).tiles.tiles_y == 74);
static_assert(planned(large, 8, 16).tiles.shared_y == 4);
static_assert(
    planned({2, {1023, 2048}, {1, 1023}, {2048, 1}}, 8).tiles.shared_y == 0);
static_assert(planned({2, {2048, 30}, {1, 2048}, {30, 1}}, 8).tiles.shared_y ==
              0);
// Small copies have small tiles.
static_assert(has_tile(planned({2, {100, 100}, {1, 100}, {100, 1}}, 4, 0, 256),
                       32, 32));
static_assert(has_tile(planned({2, {1000, 1000}, {1, 1000}, {1000, 1}}, 4, 0,
                               256),
                       64, 32));
static_assert(
    planned({2, {1000, 1000}, {1, 1000}, {1000, 1}}, 1, 0, 256).blocks == 256);
// Short dimensions are one with those that follow in the same array.
constexpr Planned merged = planned(
    {4, {1 << 18, 4, 4, 16}, {1, 1 << 18, 1 << 20, 1 << 22}, {256, 64, 16, 1}});
static_assert(merged.tiles.y == 256 && merged.tiles.others == 0 &&
              merged.tiles.from_y.count == 3);
static_assert(planned({3, {9, 1024, 8192}, {1, 9, 9216}, {1 << 23, 8192, 1}})
                  .tiles.x == 9 * 1024);
// Dimensions that are adjacent in both arrays are one, those of one index none.
static_assert(
    planned({5, {8, 8, 1, 16, 64}, {1, 8, 1, 64, 1024}, {64, 512, 1, 4096, 1}})
        .tiles.to.count == 1);
// Rows that are contiguous in both arrays.
constexpr Planned rows = planned({2, {600, 64}, {1, 608}, {1, 640}});
static_assert(rows.tiles.is_rows && rows.tiles.pack == 4 && rows.blocks == 16);
static_assert(planned({2, {600, 64}, {1, 601}, {1, 640}}).tiles.pack == 1);
// No dimension is contiguous in the source; few elements per tile.
static_assert(planned({2, {64, 64}, {2, 128}, {64, 1}}).blocks == 0);
static_assert(planned({3, {4, 4, 99}, {1, 4, 17}, {4, 1, 17}}).blocks == 0);
// No elements, too many in a dimension, too many tiles, a repeated element.
static_assert(planned({3, {64, 64, 0}, {1, 64, 1}, {64, 1, 1}}).blocks == 0);
static_assert(planned({2,
                       {std::uint64_t(1) << 31, 64},
                       {1, std::int64_t(1) << 31},
                       {64, 1}})
                  .blocks == 0);
static_assert(planned({3,
                       {1 << 21, 1 << 21, 4},
                       {1, 1 << 21, std::int64_t(1) << 42},
                       {1 << 21, 1, std::int64_t(1) << 42}})
                  .blocks == 0);
static_assert(planned({3, {64, 64, 2}, {1, 64, 0}, {64, 1, 4096}}).blocks == 0);

/// Strides of an array with elements of `order[0]` adjacent, then those of
/// order[1], ..., and some padding. Returns the number of elements it spans.
std::size_t set_strides(LayoutCopy const& copy, std::array<int, 6> const& order,
                        std::int64_t (&strides)[6], Random& random) {
  std::int64_t span = 1;
  for (int k = 0; k < copy.rank; ++k) {
    strides[order[k]] = span;
    span *= std::int64_t(copy.extent[order[k]]);
    if (span > 1 && random.integer(0, 2) == 0) span += random.integer(1, 7);
  }
  return std::size_t(span);
}

void fill_random(void* to, std::size_t bytes, Random& random) {
  for (std::size_t b = 0; b < bytes; ++b)
    static_cast<unsigned char*>(to)[b] = (unsigned char)random.integer(0, 255);
}
/// One element after the other.
void copy_in_order(LayoutCopy const& copy, std::size_t bytes, void const* from,
                   void* to) {
  std::uint64_t size = 1;
  for (int d = 0; d < copy.rank; ++d) size *= copy.extent[d];
  for (std::uint64_t n = 0; n < size; ++n) {
    std::uint64_t rest  = n;
    std::int64_t source = 0, target = 0;
    for (int d = 0; d < copy.rank; rest /= copy.extent[d++]) {
      source += std::int64_t(rest % copy.extent[d]) * copy.from[d];
      target += std::int64_t(rest % copy.extent[d]) * copy.to[d];
    }
    std::memcpy(static_cast<char*>(to) + std::size_t(target) * bytes,
                static_cast<char const*>(from) + std::size_t(source) * bytes,
                bytes);
  }
}

/// Fastest dimensions first.
using Order = std::array<int, 6>;

/// Copies random bytes, which must arrive, and nothing else may change.
/// \param shift of both arrays, in elements
template <class T>
void expect_copy(LayoutCopy copy, Order const& from_order,
                 Order const& to_order, int shift, Random& random) {
  any_device(random);
  std::vector<T> from(set_strides(copy, from_order, copy.from, random) + shift);
  std::vector<T> to(set_strides(copy, to_order, copy.to, random) + shift);
  for (auto* const values : {&from, &to})
    fill_random(values->data(), values->size() * sizeof(T), random);
  std::vector<T> expected = to;
  copy_in_order(copy, sizeof(T), from.data() + shift, expected.data() + shift);
  T const* const source = from.data() + shift;
  T* const target       = to.data() + shift;
  Impl::CopyLimits limits{sizeof(T)};
  if (random.integer(0, 2) != 0) limits.min_tiles = 1;
  TiledCopy tiles;
  unsigned const blocks =
      Impl::plan_tiled_copy(copy, limits,
                            reinterpret_cast<std::uintptr_t>(source) |
                                reinterpret_cast<std::uintptr_t>(target),
                            tiles);
  bool const is_rows = from_order[0] == to_order[0];
  ASSERT_TRUE(blocks > 0 || copy.extent[from_order[0]] *
                                    (is_rows ? 1 : copy.extent[to_order[0]]) <
                                Impl::min_tile_elements);
  if (blocks == 0) return;
  using Element = Impl::Cuda::CopyElement<T>;
  static_assert(sizeof(Element) == sizeof(T));
  auto kernel = &Impl::Cuda::copy_tiles<Element>;
  if (tiles.is_rows && random.integer(0, 1) == 0)
    kernel = &Impl::Cuda::copy_tiles<Element, true>;
  Impl::Cuda::launch_kernel(space, "copy_tiles", kernel,
                            {blocks, Impl::copy_threads},
                            reinterpret_cast<unsigned char const*>(source),
                            reinterpret_cast<unsigned char*>(target), tiles);
  std::string extents;
  for (int d = 0; d < copy.rank; ++d)
    extents += std::to_string(copy.extent[d]) + " from " +
               std::to_string(copy.from[d]) + " to " +
               std::to_string(copy.to[d]) + ", ";
  ASSERT_EQ(0, std::memcmp(to.data(), expected.data(), to.size() * sizeof(T)))
      << extents << "pack " << tiles.pack << ", rows " << tiles.is_rows;
}

template <class T>
void expect_copies() {
  Random random;
  constexpr Order left{0, 1, 2, 3, 4, 5};
  // Two long dimensions, and short ones, in any order.
  for (int n = 0; n < 15; ++n) {
    LayoutCopy copy;
    copy.rank        = 2 + n % 5;
    Order from_order = left, to_order = left;
    for (int d = 0; d < copy.rank; ++d)
      copy.extent[d] = std::uint64_t(random.integer(1, 3));
    std::shuffle(from_order.begin(), from_order.begin() + copy.rank,
                 random.engine());
    std::shuffle(to_order.begin(), to_order.begin() + copy.rank,
                 random.engine());
    // Aligned and whole words every other time.
    int const unit = n % 2 == 0 ? 1 : 4;
    for (int const d : {from_order[0], to_order[0]})
      copy.extent[d] = std::uint64_t(random.integer(32, 150) / unit * unit);
    expect_copy<T>(copy, from_order, to_order, unit == 1 ? n % 3 : 0, random);
  }
  // From LayoutLeft to LayoutRight and back, with short dimensions at the ends.
  for (std::array<int, 4> const& extent : {std::array<int, 4>{3, 1500, 1, 1},
                                           {1300, 3, 1, 1},
                                           {600, 2, 2, 3},
                                           {5, 40, 31, 1},
                                           {130, 1300, 1, 1},
                                           {9, 12, 140, 1},
                                           {128, 256, 1, 1},
                                           {260, 128, 1, 1},
                                           {31, 8, 4, 3},
                                           {1030, 8, 1, 1},
                                           {100, 99, 1, 1}}) {
    LayoutCopy copy;
    copy.rank = 4;
    Order right{3, 2, 1, 0, 4, 5};
    for (int d = 0; d < 4; ++d) copy.extent[d] = std::uint64_t(extent[d]);
    expect_copy<T>(copy, left, right, 0, random);
    expect_copy<T>(copy, right, left, 1, random);
  }
  // Rows.
  for (int n = 0; n < 6; ++n) {
    LayoutCopy copy;
    copy.rank     = 4;
    Order strided = left;
    std::shuffle(strided.begin() + 1, strided.begin() + 4, random.engine());
    bool const is_even = n % 2 == 0;
    copy.extent[0]     = is_even ? 64 : std::uint64_t(random.integer(5, 2100));
    for (int d = 1; d < 4; ++d)
      copy.extent[d] = std::uint64_t(random.integer(2, 6));
    expect_copy<T>(copy, left, strided, is_even ? 0 : 1, random);
  }
}

struct Three {
  std::uint8_t values[3];
};
struct Twelve {
  float values[3];
};
struct Sixteen {
  std::int64_t values[2];
};

TEST(TiledCopies, ElementsOf1To16Bytes) {
  expect_copies<std::uint8_t>();
  expect_copies<std::uint16_t>();
  expect_copies<float>();
  expect_copies<double>();
  expect_copies<Sixteen>();
  expect_copies<Three>();
  expect_copies<Twelve>();
}

/// Arrays of which no dimension is contiguous.
template <class T, int Rank>
void expect_strided_copy(Random& random) {
  any_device(random);
  LayoutCopy copy;
  copy.rank   = Rank;
  Order order = {0, 1, 2, 3, 4, 5};
  for (int d = 0; d < Rank; ++d)
    copy.extent[d] = std::uint64_t(random.integer(1, Rank == 1 ? 900 : 7));
  std::size_t const from_span = set_strides(copy, order, copy.from, random);
  std::shuffle(order.begin(), order.begin() + Rank, random.engine());
  std::size_t const to_span = set_strides(copy, order, copy.to, random);
  std::vector<unsigned char> from(2 * from_span * sizeof(T)),
      to(2 * to_span * sizeof(T));
  fill_random(from.data(), from.size(), random);
  std::vector<unsigned char> expected = to;
  bool const left                     = random.integer(0, 1) == 0;
  Impl::LoopSpace loop;
  loop.rank = Rank;
  for (int d = 0; d < Rank; ++d) {
    copy.from[d] *= 2;
    copy.to[d] *= 2;
    loop.extent[left ? d : Rank - 1 - d] = copy.extent[d];
  }
  using Strided = Impl::Cuda::StridedCopy<sizeof(T), alignof(T)>;
  static_assert(sizeof(Strided) == sizeof(Impl::CopiedArrays));
  Strided const f{{from.data(), to.data(), copy}};
  copy_in_order(copy, sizeof(T), from.data(), expected.data());
  if constexpr (Rank == 1) {
    Impl::Cuda::launch_kernel(space, "strided_copy",
                              &Impl::Cuda::streamed_for<std::int64_t, Strided>,
                              {unsigned((loop.extent[0] + 127) / 128), 64}, f,
                              Impl::LoopRange{0, loop.extent[0], 128});
  } else {
    Impl::LoopGrid grid;
    Impl::LoopBox const box = Impl::lay_out_box(
        loop, {32, 2, 2, int(random.integer(0, Rank - 1))}, grid);
    Impl::Cuda::launch_kernel(
        space, "strided_copy",
        left ? &Impl::Cuda::streamed_for<
                   std::int64_t, Strided,
                   Impl::Cuda::MDRangePolicyLoop<Rank, true>>
             : &Impl::Cuda::streamed_for<
                   std::int64_t, Strided,
                   Impl::Cuda::MDRangePolicyLoop<Rank, false>>,
        {grid.blocks, grid.threads}, f, box);
  }
  EXPECT_EQ(to, expected) << "rank " << Rank << ", " << sizeof(T) << " bytes";
}

TEST(StridedCopies, ElementsOf1To16Bytes) {
  Random random;
  for (int n = 0; n < 5; ++n) {
    expect_strided_copy<Three, 1>(random);
    expect_strided_copy<double, 1>(random);
    expect_strided_copy<float, 2>(random);
    expect_strided_copy<Twelve, 3>(random);
    expect_strided_copy<std::uint16_t, 4>(random);
    expect_strided_copy<std::uint8_t, 5>(random);
    expect_strided_copy<Sixteen, 6>(random);
  }
}

/// Fills every stride-th element of memory, and nothing else. Offsets in
/// int64_t do not fit 32 bits.
template <class T, class Index>
void expect_fill(std::int64_t stride, Random& random) {
  any_device(random);
  using Filled    = Impl::Cuda::StridedCopy<sizeof(T), alignof(T), true>;
  auto const size = std::uint64_t(random.integer(1, 900));
  auto const begin =
      sizeof(Index) == 8 ? (std::uint64_t(1) << 32) + 12345 : std::uint64_t(7);
  auto const around = random.integer(1, 9);
  std::vector<T> to(
      std::size_t(std::int64_t(size - 1) * stride + 1 + 2 * around));
  fill_random(to.data(), to.size() * sizeof(T), random);
  T value;
  fill_random(&value, sizeof(T), random);
  std::vector<T> expected = to;
  for (std::uint64_t i = 0; i < size; ++i)
    std::memcpy(&expected[std::size_t(around + std::int64_t(i) * stride)],
                &value, sizeof(T));
  Impl::CopiedArrays arrays;
  // Element 0 of the array, which the range may not reach.
  arrays.to = reinterpret_cast<void*>(
      reinterpret_cast<std::uintptr_t>(to.data() + around) -
      begin * std::uint64_t(stride) * sizeof(T));
  arrays.layouts.to[0] = stride;
  std::memcpy(arrays.layouts.from, &value, sizeof(T));
  Impl::Cuda::launch_kernel(space, "fill",
                            &Impl::Cuda::streamed_for<Index, Filled>,
                            {unsigned((size + 127) / 128), 64}, Filled{arrays},
                            Impl::LoopRange{begin, size, 128});
  EXPECT_EQ(0, std::memcmp(to.data(), expected.data(), to.size() * sizeof(T)))
      << size << " elements of " << sizeof(T) << " bytes, stride " << stride;
}

TEST(StridedCopies, Fills) {
  Random random;
  for (std::int64_t const stride : {1, 2, 3, 17}) {
    expect_fill<std::uint32_t, int>(stride, random);
    expect_fill<std::uint32_t, std::int64_t>(stride, random);
    expect_fill<std::uint64_t, int>(stride, random);
    expect_fill<std::uint64_t, std::int64_t>(stride, random);
  }
}

}  // namespace
