// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_CANDIDATES_HPP
#define KOKKOSMMA_LOOP_CANDIDATES_HPP

#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/loops/KokkosMMA_LaunchChooser.hpp>
#include <core/loops/KokkosMMA_LoopBox.hpp>
#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// \file
/// Launches that are measured for a loop, and their layout. With
/// KOKKOSMMA_TILES=keep nothing is measured for given tiles.

namespace KokkosMMA::Impl {

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
/// at which blocks start limits it. Invocations on neighbouring indices in one
/// thread lost 20 to 60 %.
inline constexpr LoopShape range_shapes[] = {
    {256, 1, 4}, {256, 1, 1}, {512, 1, 8}};

/// GB/s of plain launches over boxes, as in the table above. "4 rows": four
/// invocations per thread.
///
/// | body                | Kokkos | 64 x 4, 4 rows |
/// |---------------------|--------|----------------|
/// | float 2D 5-point    | 425    | 2644           |
/// | double 2D 9-point   | 851    | 2866           |
/// | float 3D 7-point    | 599    | 1864           |
/// | double 3D 27-point  | 551    | 1819           |
/// | float 2D transpose  | 425    | 409            |
///
/// Results of perf_loops for all shapes: docs/results/history.md. A block of 16
/// x 16 threads touches whole sectors of 32 bytes of floats along both
/// dimensions of a transpose; the best tiles for a transpose reached 1803.
///
/// Fractions of the copy rate of loops over LayoutRight Views of floats under
/// the default policy, by the dimension along which the warp lies (H200; the
/// first two Kokkos 5.2, 2026-11-28, the others Kokkos 5.0.2, 2026-11-29):
///
/// | launch                           | 2D copy | 5-point | 3D copy | 7-point |
/// |----------------------------------|---------|---------|---------|---------|
/// | plain, last                      | 0.70    | 0.79    | 0.69    | 0.50    |
/// | best shape, first                | 0.37    | 0.15    | 0.04    | 0.04    |
/// | this shape, last                 | 0.72    | 0.80    | 0.71    | 0.61    |
/// | the same, invocations along warp | 0.72    | 0.64    | 0.71    | 0.57    |
inline constexpr LoopShape grid_shape{64, 4, 4};
inline constexpr LoopShape transpose_shape{16, 16, 1};

/// Launches that are measured for a loop.
struct LoopCandidates {
  std::array<LoopShape, LaunchChooser::max_candidates> shapes{};
  /// See LaunchChooser.
  std::array<LaunchChooser::Candidates, LaunchChooser::max_candidates>
      required{};
  int count = 0;
  /// Candidates that run parts of a loop's first call.
  LaunchChooser::Candidates in_parts = 0;
  /// Those that then run parts if they are LaunchChooser::promising().
  LaunchChooser::Candidates then_in_parts = 0;
  /// Candidate that runs until Kokkos' is measured or another clearly leads. A
  /// host that does not wait for the device makes many calls before that: 88 of
  /// 100 steps of a 5-point stencil of 2^26 doubles. They took 1265 us each in
  /// Kokkos and 328 in the most promising shape (H200, CUDA 13.0, 2026-11-26).
  /// That shape is at most a little slower: see grid_shape and range_shapes.
  /// With tiles of the caller it is Kokkos' launch, which uses them.
  int first = 0;

  constexpr LoopShape const& operator[](int candidate) const {
    return shapes[std::size_t(candidate)];
  }
  constexpr bool has(LoopShape const& shape) const {
    return std::find(shapes.begin(), shapes.begin() + count, shape) !=
           shapes.begin() + count;
  }
  constexpr void add(LoopShape const& shape,
                     LaunchChooser::Candidates only_after = 0) {
    shapes[std::size_t(count)]   = shape;
    required[std::size_t(count)] = only_after;
    ++count;
  }
};

/// Loops of fewer indices take the time of a launch in any shape. They use
/// small_loop_shape without measurement, or Kokkos' launch if the caller gave
/// its tiles.
inline constexpr std::uint64_t min_measured_indices = std::uint64_t(1) << 10;
/// For loops of fewer indices only small_loop_shape is measured against Kokkos'
/// launch. They take the time of a launch, or have few expensive indices. 4096
/// invocations over 1024 neighbours each: 264 us in blocks of 32 threads, 249
/// in Kokkos' blocks of 128, which leave 100 multiprocessors idle, but whose
/// threads share an L1. Shapes for many indices gain nothing: 100000 floats
/// took 3.8 us per call in Kokkos, 3.6 in small_loop_shape, 4.1 with
/// measurements of the large shapes, when Kokkos' launch was chosen (H100,
/// 2026-11-26).
inline constexpr std::uint64_t min_large_indices = std::uint64_t(1) << 18;
/// Ranges of fewer indices run Kokkos' launch until it is measured: with
/// several invocations per thread, threads may be too few to hide latency.
inline constexpr std::uint64_t min_first_of_range = std::uint64_t(1) << 22;
/// Ranges of functors larger than three Views of Kokkos 5 also run Kokkos'
/// launch first: their bodies do more than copy, and a program may call them
/// once. ArborX's query of 5 million points, which calls each kernel once, took
/// 245 ms when {256, 1, 4} came first, now 91 to 92, as in plain Kokkos (H200,
/// Kokkos 5.0.2, 2026-11-30). Measured launches are worth their kernels for
/// functors of up to 480 bytes, too: sums of 10 and 12 Views of 2^20 and 2^24
/// floats run at 1.1 to 2.1 times Kokkos' rate with `int` indices, at 1.0 to
/// 1.5 with `int64_t`, gathers at 1.03 to 1.3, other bodies at 0.97 to 1.3
/// (Kokkos 5.0.2 and 5.2.2).
inline constexpr std::size_t most_first_bytes = 128;
/// Calls of a loop below min_large_indices before the first measurement. With
/// events from the first call on, 10 calls of 8192 indices took 1.4 times as
/// long as in Kokkos (H100, 2026-11-26).
inline constexpr int small_calls_before_measuring = 100;

/// Shape with one invocation per thread, in blocks of at least 32 threads and
/// small enough that all multiprocessors get one, since each of few indices may
/// be expensive. At most the 128 threads of Kokkos' blocks: of a body with many
/// registers, larger blocks have fewer resident threads.
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

/// The same shape with fewer threads, as launch bounds may demand.
constexpr LoopShape within(LoopShape shape, int max_threads) {
  while (shape.height > 1 && shape.width * shape.height > max_threads)
    shape.height /= 2;
  while (shape.width > 32 && shape.width * shape.height > max_threads)
    shape.width /= 2;
  return shape;
}

/// What the launches of a loop depend on, besides its index space.
struct LoopLimits {
  bool forced;      ///< Kokkos' launch is excluded: a route is requested
  bool user_tiles;  ///< the caller gave the tiles of Kokkos' launch
  int multiprocessors;
  int max_threads;  ///< of a block, by the kernel's registers
  std::size_t functor_bytes = 0;
};

/// Candidates of a box of many indices: first the shape with lanes along the
/// policy's fastest and its slowest dimension. A dimension in between is
/// measured only if neither of these two is hopeless, or if it has run parts.
/// The same holds for the shape for transposes, which runs its parts last. The
/// other shapes of a dimension are measured only if its first one is not
/// hopeless.
template <class Fits>
constexpr void add_box_candidates(LoopCandidates& all, int rank,
                                  int max_threads, Fits const& fits) {
  using Set      = LaunchChooser::Candidates;
  auto const add = [&](LoopShape const& wanted, Set required) {
    LoopShape const shape = within(wanted, max_threads);
    Set const number      = Set(1 << all.count);
    if (!fits(shape) || all.has(shape)) return Set(0);
    all.add(shape, required);
    return number;
  };
  auto const first_along = [&](int fast) {
    LoopShape first = grid_shape;
    first.fast      = fast;
    return fits(within(first, max_threads)) ? first : LoopShape{64, 4, 1, fast};
  };
  int const last      = rank - 1;
  Set const with_fast = add(first_along(0), 0);
  Set const with_last = add(first_along(last), 0);
  for (int d = 1; d < last; ++d) add(first_along(d), with_fast | with_last);
  all.in_parts = Set((1u << all.count) - 1);
  add({64, 4, 1, 0}, with_fast);
  add({32, 8, 4, 0}, with_fast);
  add({64, 4, 1, last}, with_last);
  add({32, 8, 4, last}, with_last);
  // In two dimensions its blocks are 16 threads wide along both, so it cannot
  // be far slower than the best. A host that does not wait makes hundreds of
  // calls before the others have a time.
  all.then_in_parts =
      add(transpose_shape,
          with_fast | with_last | (rank == 2 ? LaunchChooser::at_once : 0));
}

/// Candidates of a loop, the same for all loops of a size class
/// (loop_size_class()). Few indices: the small shape, then Kokkos' launch,
/// which comes first if the caller gave its tiles. Many: Kokkos' launch, then
/// the shapes, with at most max_threads threads. Shapes with several
/// invocations per thread need two blocks per multiprocessor.
constexpr LoopCandidates loop_candidates(LoopSpace const& space,
                                         LoopLimits const& limits) {
  std::uint64_t const size  = space.size();
  std::uint64_t const least = std::bit_floor(size);
  bool const given          = limits.user_tiles && !limits.forced;
  LoopCandidates all;
  if (given || (!limits.forced && size >= min_large_indices))
    all.add(kokkos_shape);
  if (size < min_large_indices) {
    if (size < min_measured_indices && given) return all;
    LoopShape small =
        small_loop_shape(space, limits.multiprocessors, limits.max_threads);
    all.add(small);
    if (size < min_measured_indices) return all;
    small.fast = space.rank - 1;
    if (small.fast > 0) all.add(small);
    if (!limits.forced && !given) all.add(kokkos_shape);
    return all;
  }
  auto const fits = [&](LoopShape const& shape) {
    int const threads = shape.width * shape.height;
    bool const covers =
        shape.calls == 1 || least / std::uint64_t(threads * shape.calls) >=
                                2 * std::uint64_t(limits.multiprocessors);
    return threads <= limits.max_threads && covers;
  };
  if (space.rank == 1) {
    for (LoopShape const& wanted : range_shapes) {
      LoopShape const shape = within(wanted, limits.max_threads);
      if (fits(shape) && !all.has(shape)) all.add(shape);
    }
    if (!limits.forced && all.count > 1 && size >= min_first_of_range &&
        limits.functor_bytes <= most_first_bytes)
      all.first = 1;
    return all;
  }
  add_box_candidates(all, space.rank, limits.max_threads, fits);
  if (!limits.forced && !given && all.count > 1) all.first = 1;
  return all;
}

/// Largest first dimension of a grid.
inline constexpr std::uint64_t max_loop_blocks = (std::uint64_t(1) << 31) - 1;

/// Blocks of a grid and threads of a block, in the form that a launch needs.
struct LoopGrid {
  unsigned blocks  = 0;  ///< 0: more than a grid can have
  unsigned threads = 1;
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
  grid = {unsigned(blocks_of(tile)), unsigned(threads)};
  return {std::uint64_t(space.begin[0]), size, tile};
}

/// Dimensions in the order of lanes and blocks: the fast one, then the others
/// in the policy's order, or in reverse if the fast one is its last.
constexpr std::array<int, LoopSpace::max_rank> loop_order(int rank, int fast) {
  std::array<int, LoopSpace::max_rank> order{};
  bool const reverse = fast == rank - 1;
  for (int p = 0; p < rank; ++p)
    order[std::size_t(p)] = reverse     ? fast - p
                            : p == 0    ? fast
                            : p <= fast ? p - 1
                                        : p;
  return order;
}

/// Layout of a box. A block is at most as wide as the fast dimension, rounded
/// up to a power of two; its other threads go to the next ones. Extents are
/// below 2^31.
constexpr LoopBox lay_out_box(LoopSpace const& space, LoopShape const& shape,
                              LoopGrid& grid) {
  auto const order = loop_order(space.rank, shape.fast);
  int const looped = looped_dimension(space.rank, shape.fast);
  LoopBox box{};
  box.span[0] = box.span[1] = 1;
  unsigned left             = unsigned(shape.width) * unsigned(shape.height);
  std::uint64_t blocks      = 1;
  grid                      = {0, 1};
  for (int p = 0; p < space.rank; ++p) {
    int const d              = order[std::size_t(p)];
    auto const extent        = space.extent[std::size_t(d)];
    unsigned const most      = p == 0 ? unsigned(shape.width) : left;
    auto const threads       = unsigned(std::min<std::uint64_t>(
        {std::bit_ceil(extent), std::uint64_t(most), std::uint64_t(left)}));
    unsigned const calls     = d == looped ? unsigned(shape.calls) : 1;
    unsigned const tile      = threads * calls;
    auto const tiles         = unsigned((extent + tile - 1) / tile);
    std::uint64_t const next = blocks * tiles;
    if (next > max_loop_blocks) return box;
    auto const shift = unsigned(std::bit_width(grid.threads)) - 1;
    auto const scale = unsigned(std::bit_width(calls)) - 1;
    bool const apart = std::has_single_bit(calls) && scale <= shift;
    // Shift and mask take this dimension's bits out of a thread's number;
    // `times` scales them by the invocations of a thread.
    unsigned const times = apart ? scale : 0;
    box.dimension[d]     = {space.begin[std::size_t(d)],
                            Reciprocal(ReciprocalDivisor(unsigned(blocks))),
                            Reciprocal(ReciprocalDivisor(unsigned(next))),
                            tile,
                            0 - tiles * tile,
                            shift - times,
                            (threads - 1) << times,
                            unsigned(extent)};
    if (d == looped) {
      int const which = d == 0 ? 0 : 1;
      box.step[which] = apart ? 1 : threads;
      box.span[which] = box.step[which] * calls;
    }
    left /= threads;
    grid.threads *= threads;
    blocks = next;
  }
  grid.blocks = unsigned(blocks);
  return box;
}

/// Arguments of this library's kernel for a launch shape.
struct LoopArguments {
  LoopRange range{};
  LoopBox box{};
  void const* pointers[2];

  LoopArguments(void const* functor, LoopSpace const& space,
                LoopShape const& shape, LoopGrid& grid)
      : pointers{functor, &range} {
    if (space.rank == 1) {
      range = lay_out_range(space, shape, grid);
    } else {
      box         = lay_out_box(space, shape, grid);
      pointers[1] = &box;
    }
  }
  LoopArguments(LoopArguments const&)            = delete;
  LoopArguments& operator=(LoopArguments const&) = delete;
};

/// What becomes of tiles that an application gives to an MDRangePolicy.
enum class GivenTiles : unsigned char { measure, keep };
constexpr std::string_view to_string(GivenTiles tiles) {
  return tiles == GivenTiles::keep ? "keep" : "measure";
}

inline EnvironmentChoice<GivenTiles> parse_tiles(std::string_view text) {
  return parse_variable("KOKKOSMMA_TILES", text, "",
                        {GivenTiles::measure, GivenTiles::keep});
}

/// Whether loops keep the tiles that the caller gave, and are not measured.
inline bool environment_keeps_tiles() {
  static bool const keep =
      read_variable("KOKKOSMMA_TILES", &parse_tiles).value == GivenTiles::keep;
  return keep;
}

}  // namespace KokkosMMA::Impl

#endif
