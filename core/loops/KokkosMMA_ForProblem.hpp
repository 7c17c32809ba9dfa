// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FOR_PROBLEM_HPP
#define KOKKOSMMA_FOR_PROBLEM_HPP

#include <core/loops/KokkosMMA_LoopBox.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

/// \file
/// A loop and its iteration space, why the route `streamed` cannot run it, and
/// its route.

namespace KokkosMMA::Impl {

/// Iteration space of a parallel_for. Dimensions are ordered by speed, the
/// fastest first; a RangePolicy has one.
struct LoopSpace {
  static constexpr int max_rank = max_loop_rank;

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

/// Input of the route function of parallel_for.
struct ForProblem {
  LoopSpace space;
  int max_threads = 0;  ///< of a block, by launch bounds; 0: no bound
  /// Launch bounds and a copy of the functor per thread: no kernel has both.
  bool copies_with_bounds = false;
  bool batched            = false;  ///< the policy has a static batch size
  bool user_tiles         = false;  ///< the caller gave the tiles
  bool tiles_stay         = false;  ///< these tiles, and KOKKOSMMA_TILES=keep
  unsigned tiles          = 0;      ///< given tiles as a number below 2^11
  bool tool_tunes         = false;  ///< a tool of Kokkos Tools chooses tiles
  bool indices_fit        = true;   ///< the bounds are values of the index type
  /// Kokkos' launch is no candidate: overflows_in_kokkos(), or
  /// repeats_in_kokkos().
  bool kokkos_is_wrong      = false;
  std::size_t functor_bytes = 0;
};

/// Whether Kokkos' launch skips indices, uses wrong ones, or never ends. It
/// computes the length of a range, its strides and the indices of all threads
/// of the last block in the index type (4.6 to 5.2).
template <class Index>
constexpr bool overflows_in_kokkos(Index begin, Index end) {
  using Limits = std::numeric_limits<Index>;
  if (sizeof(Index) < 4) return true;
  if (end <= begin) return false;
  constexpr std::uint64_t block = 1024;
  std::uint64_t const length =
      static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  std::uint64_t const most = static_cast<std::uint64_t>(Limits::max()) - block;
  return length > most || (end > 0 && static_cast<std::uint64_t>(end) > most);
}

/// Whether Kokkos' launch (4.6, 5.0) invokes the functor twice for some
/// indices. Beyond rank 4 two dimensions share one of the grid, y or z, which
/// has at most 65535 blocks.
template <class TileCounts>
constexpr bool repeats_in_kokkos(TileCounts const& tiles, int rank) {
  for (int d = 2; rank > 4 && d + 1 < rank; d += 2)
    if (std::uint64_t(tiles[d]) * std::uint64_t(tiles[d + 1]) > 65535)
      return true;
  return false;
}

/// A grid has at most 2^31 - 1 blocks, and the indices of a block are counted
/// with 32 bits.
inline constexpr std::uint64_t max_range_indices = std::uint64_t(1) << 60;
/// In several dimensions, indices of one are counted with 32 bits.
inline constexpr std::uint64_t max_box_extent = std::uint64_t(1) << 31;

/// Why the route `streamed` cannot run a loop on Cuda, or none. Whether it is
/// faster than Kokkos' launch is measured, not decided here.
constexpr Refusal refuse_streamed(ForProblem const& problem) {
  LoopSpace const& space = problem.space;
  std::uint64_t longest  = 0;
  for (std::uint64_t const n : space.extent) longest = std::max(longest, n);
  constexpr std::string_view own = "only Kokkos' own launch honours it";
  return first_refusal({
      {problem.copies_with_bounds,
       {"the policy has launch bounds and the functor is below 512 bytes",
        "Kokkos 4 copies it per thread"}},
      {problem.max_threads != 0 && problem.max_threads < 32,
       {"the launch bounds are below the 32 threads of a warp"}},
      {problem.batched, {"the policy has a static batch size", own}},
      {problem.functor_bytes > max_functor_bytes,
       {"the functor is larger than 32400 bytes", "kernel argument limit"}},
      {problem.tiles_stay,
       {"the caller gave the tiles", "KOKKOSMMA_TILES=keep"}},
      {problem.tool_tunes, {"a tool of Kokkos Tools chooses the tiles", own}},
      {!problem.indices_fit,
       {"the bounds do not fit into the policy's index type",
        "Kokkos' own launch defines what happens then"}},
      {space.rank == 1 && longest >= max_range_indices,
       {"the range has 2^60 indices or more"}},
      {space.rank > 1 && longest >= max_box_extent,
       {"a dimension has 2^31 indices or more"}},
  });
}

/// Given tiles as a number below 2^11: different ones have one choice each,
/// except by chance.
template <class Tiles>
constexpr unsigned number_of_tiles(Tiles const& tiles, int rank) {
  unsigned number = 1;
  for (int d = 0; d < rank; ++d)
    number = (number ^ static_cast<unsigned>(tiles[d])) * 16777619u;
  return number >> 21;
}

/// Class of loops of one kernel that use the same choice: similar sizes and
/// similar extents in the fastest dimension.
constexpr unsigned loop_size_class(LoopSpace const& space) {
  return unsigned(std::bit_width(space.size())) * 65 +
         unsigned(std::bit_width(space.extent[0]));
}

/// Class of loops of one kernel that use the same choice, below 2^24.
constexpr unsigned loop_class(ForProblem const& problem) {
  constexpr unsigned size_classes = 1u << 13;
  static_assert(64 * 65 + 64 < size_classes);
  return problem.tiles * size_classes + loop_size_class(problem.space);
}

/// Route of a loop. Automatic choice never fails.
constexpr RouteDecision route_for(ForProblem const& problem,
                                  Route asked = Route::automatic) {
  return route_by_refusals(asked, {"a loop computes no sums"},
                           refuse_streamed(problem), {});
}

}  // namespace KokkosMMA::Impl

#endif
