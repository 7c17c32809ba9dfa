// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_SHAPE_HPP
#define KOKKOSMMA_LOOP_SHAPE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

/// \file
/// Mapping of a loop to a grid of blocks. Shapes are run-time values: a loop
/// has one compiled kernel for all of them.

namespace KokkosMMA::Impl {

/// Iteration space of a parallel_for. Dimensions are ordered by speed, the
/// fastest first; a RangePolicy has one.
struct LoopSpace {
  static constexpr int max_rank = 6;

  int rank = 1;
  std::array<std::int64_t, max_rank> begin{};
  std::array<std::uint64_t, max_rank> extent{1, 1, 1, 1, 1, 1};

  /// Number of iterations, capped at UINT64_MAX.
  constexpr std::uint64_t size() const {
    std::uint64_t product = 1;
    for (std::uint64_t const n : extent) {
      if (n == 0) return 0;
      product =
          product > ~std::uint64_t(0) / n ? ~std::uint64_t(0) : product * n;
    }
    return product;
  }
};

/// Threads of a block along the fastest and the next dimension, and invocations
/// per thread. Those are one block apart in a range, and in consecutive rows of
/// the slowest dimension of a block in a grid. calls == 0: Kokkos' launch.
struct LoopShape {
  int width;
  int height;
  int calls;

  friend constexpr bool operator==(LoopShape const&,
                                   LoopShape const&) = default;
};

inline constexpr LoopShape kokkos_shape{0, 0, 0};

/// Shapes that are measured against Kokkos' launch, the most promising first:
/// each must be faster than the choice before it by LaunchChooser::gain.
///
/// GB/s of plain launches of the body's lambda, 2^28 indices (H100, CUDA 13.0,
/// Kokkos 4.6.01, 2026-11-25):
///
/// | body               | Kokkos | 256 x 1 call | 256 x 4 calls |
/// |--------------------|--------|--------------|---------------|
/// | float fill         | 846    | 1687         | 3247          |
/// | float copy         | 1686   | 2389         | 2570          |
/// | half fill          | 421    | 840          | 3202          |
/// | double triad       | 3036   | 3055         | 2997          |
/// | gather of floats   | 343    | 343          | 341           |
///
/// Kokkos launches blocks of 128 threads with one invocation each, and the rate
/// of blocks bounds it. Invocations on neighbouring indices in one thread lost
/// 20 to 60 %.
inline constexpr LoopShape range_shapes[] = {
    {256, 1, 4}, {256, 1, 1}, {512, 1, 8}};

/// | body                | Kokkos | 64 x 4, 4 rows |
/// |---------------------|--------|----------------|
/// | float 2D 5-point    | 425    | 2644           |
/// | double 2D 9-point   | 851    | 2866           |
/// | float 3D 7-point    | 599    | 1864           |
/// | double 3D 27-point  | 551    | 1819           |
/// | float 2D transpose  | 425    | 409            |
///
/// Results of perf_loops for all shapes: docs/results/history.md. A warp 16
/// threads wide touches whole sectors of 32 bytes of floats along both
/// dimensions of a transpose; the best tiles for it reached 1803.
inline constexpr LoopShape grid_shapes[] = {
    {64, 4, 4}, {64, 4, 1}, {32, 8, 4}, {16, 16, 1}};

/// Launches that are measured for a loop.
struct LoopCandidates {
  std::array<LoopShape,
             1 + std::max(std::size(range_shapes), std::size(grid_shapes))>
      shapes{};
  int count = 0;
  /// Candidate until Kokkos' launch is measured. A host that does not wait for
  /// the device makes many calls before that: 88 of 100 steps of a 5-point
  /// stencil of 2^26 doubles. They took 1265 us each in Kokkos and 328 in the
  /// most promising shape (H200, CUDA 13.0, 2026-11-26). That shape loses
  /// little at most, see grid_shapes; ranges have less to gain.
  int first = 0;

  constexpr LoopShape const& operator[](int candidate) const {
    return shapes[std::size_t(candidate)];
  }
};

/// Loops of fewer indices take the time of a launch in any shape. They use
/// small_loop_shape without measurement.
inline constexpr std::uint64_t min_measured_indices = std::uint64_t(1) << 10;
/// Loops of fewer indices are bound by the launch, or have few expensive
/// indices: small_loop_shape is measured against Kokkos' launch. 4096
/// invocations over 1024 neighbours each: 264 us in blocks of 32 threads, 249
/// in Kokkos' blocks of 128, which leave 100 multiprocessors idle but share
/// their L1. Shapes for many indices gain nothing: 100000 floats took 3.8 us
/// per call in Kokkos, 3.6 in small_loop_shape, 4.1 with measurements of the
/// large shapes, when Kokkos' launch was chosen (H100, 2026-11-26).
inline constexpr std::uint64_t min_large_indices = std::uint64_t(1) << 18;
/// Calls of these loops before the first measurement. With events from the
/// first call on, 10 calls of 8192 indices took 1.4 times as long as in Kokkos
/// (H100, 2026-11-26).
inline constexpr int small_calls_before_measuring = 100;

/// Shape with one invocation per thread in blocks small enough for all
/// multiprocessors, since each of few indices may be expensive. At most the 128
/// threads of Kokkos' blocks: of a body with many registers, larger blocks have
/// fewer resident threads.
constexpr LoopShape small_loop_shape(LoopSpace const& space,
                                     int multiprocessors, int max_threads) {
  std::uint64_t const share =
      space.size() / std::uint64_t(std::max(multiprocessors, 1));
  auto const most = std::uint64_t(std::clamp(max_threads, 32, 128));
  auto const threads =
      int(std::bit_floor(std::clamp<std::uint64_t>(share, 32, most)));
  int const width = space.rank == 1 ? threads : std::min(threads, 64);
  return {width, threads / width, 1};
}

/// Candidates of a loop, the same for all loops of a size class. Few indices:
/// the small shape, then Kokkos' launch. Many: Kokkos' launch, then the shapes
/// whose blocks fit the kernel's registers and occupy all multiprocessors.
/// Kokkos' launch is excluded if a route is requested.
constexpr LoopCandidates loop_candidates(LoopSpace const& space, bool forced,
                                         int multiprocessors, int max_threads) {
  std::uint64_t const least = std::bit_floor(space.size());
  LoopCandidates all;
  auto const add = [&](LoopShape const& shape) {
    all.shapes[std::size_t(all.count++)] = shape;
  };
  if (space.size() < min_large_indices) {
    add(small_loop_shape(space, multiprocessors, max_threads));
    if (!forced) add(kokkos_shape);
    return all;
  }
  if (!forced) add(kokkos_shape);
  auto const consider = [&](std::span<LoopShape const> shapes) {
    for (LoopShape const& shape : shapes) {
      int const threads = shape.width * shape.height;
      bool const covers =
          shape.calls == 1 || least / std::uint64_t(threads * shape.calls) >=
                                  2 * std::uint64_t(multiprocessors);
      if (threads <= max_threads && covers) add(shape);
    }
  };
  if (space.rank == 1) {
    consider(range_shapes);
  } else {
    consider(grid_shapes);
    if (!forced && all.count > 1) all.first = 1;
  }
  return all;
}

/// Class of loops of one kernel that use the same choice: similar sizes and
/// similar extents in the fastest dimension.
constexpr unsigned loop_size_class(LoopSpace const& space) {
  return unsigned(std::bit_width(space.size())) * 65 +
         unsigned(std::bit_width(space.extent[0]));
}

/// Blocks of a grid and threads of a block, in the form that a launch needs.
struct LoopGrid {
  unsigned blocks     = 0;  ///< 0: more than a grid can have
  unsigned threads[3] = {1, 1, 1};

  constexpr unsigned block_size() const {
    return threads[0] * threads[1] * threads[2];
  }
};

/// Largest first dimension of a grid.
inline constexpr std::uint64_t max_loop_blocks = (std::uint64_t(1) << 31) - 1;

/// Kernel argument of ranges: consecutive blocks of `tile` indices. `begin` is
/// modulo 2^64.
struct LoopRange {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t tile;
};

/// Kernel argument of grids, of the same layout for all ranks.
struct LoopBox {
  std::int64_t begin[LoopSpace::max_rank];
  unsigned extent[LoopSpace::max_rank];
  unsigned blocks[LoopSpace::max_rank];  ///< along each dimension
  unsigned rows;                         ///< per thread
};

constexpr LoopRange lay_out_range(LoopSpace const& space,
                                  LoopShape const& shape, LoopGrid& grid) {
  std::uint64_t const size = space.extent[0];
  auto const threads       = std::uint64_t(shape.width) * shape.height;
  auto const blocks_of     = [&](std::uint64_t tile) {
    return size / tile + (size % tile != 0);
  };
  // More invocations per thread if a grid cannot have that many blocks.
  std::uint64_t const tile =
      threads * std::max<std::uint64_t>(std::uint64_t(shape.calls),
                                        blocks_of(threads * max_loop_blocks));
  grid = {unsigned(blocks_of(tile)), {unsigned(threads), 1, 1}};
  return {std::uint64_t(space.begin[0]), size, tile};
}

/// Layout of a grid. A block is at most as wide as the fastest dimension; its
/// other threads go to the next ones. Extents are below 2^31.
constexpr LoopBox lay_out_box(LoopSpace const& space, LoopShape const& shape,
                              LoopGrid& grid) {
  LoopBox box{};
  box.rows        = unsigned(shape.calls);
  unsigned left   = unsigned(shape.width) * unsigned(shape.height);
  auto const take = [&](int d, unsigned most) {
    auto const covers = std::uint64_t(std::bit_ceil(space.extent[d]));
    auto const threads =
        unsigned(std::min<std::uint64_t>({covers, most, left}));
    left /= threads;
    return threads;
  };
  grid.threads[0] = take(0, unsigned(shape.width));
  grid.threads[1] = take(1, 1024);
  grid.threads[2] = space.rank > 2 ? take(2, 64) : 1;
  int const slow  = space.rank > 2 ? 2 : 1;

  std::uint64_t blocks = 1;
  for (int d = 0; d < space.rank; ++d) {
    std::uint64_t const tile =
        (d < 3 ? grid.threads[d] : 1) * std::uint64_t(d == slow ? box.rows : 1);
    box.begin[d]  = space.begin[d];
    box.extent[d] = unsigned(space.extent[d]);
    box.blocks[d] = unsigned((space.extent[d] + tile - 1) / tile);
    if (blocks <= max_loop_blocks) blocks *= box.blocks[d];
  }
  grid.blocks = blocks <= max_loop_blocks ? unsigned(blocks) : 0;
  return box;
}

}  // namespace KokkosMMA::Impl

#endif
