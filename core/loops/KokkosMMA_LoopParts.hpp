// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_PARTS_HPP
#define KOKKOSMMA_LOOP_PARTS_HPP

#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_LoopSpace.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// Parts of a loop's first call, each of which runs in one candidate. The
/// policy promises no order, and each index is in one part. With the warp along
/// the wrong dimension a whole call takes as long as 5 to 23 others, Kokkos'
/// launch 3 to 22 (float copies and stencils of 2^28 elements of both layouts,
/// H200, 2026-11-29). One such call would lose more time than a dozen may.

namespace KokkosMMA::Impl {

/// Parts of each candidate: another stream may disturb one of them, and the
/// first part that touches managed memory moves it.
inline constexpr int parts_per_candidate = 2;
/// Indices of a part that show a candidate's rate: one per resident thread.
inline constexpr std::uint64_t min_part_indices = std::uint64_t(1) << 18;
/// A part is at most this fraction of its loop, and all parts are at most a
/// quarter, so that candidates 20 times as slow take as long as two to three
/// calls together. At most three eighths with LoopCandidates::then_in_parts,
/// which run only if no order is slow.
inline constexpr std::uint64_t most_parts = 64;

/// Division of a box along one dimension into equal parts and a rest.
class LoopParts {
 public:
  /// \param candidates number of those that run parts
  constexpr LoopParts(LoopSpace const& space, int candidates) : m_rest(space) {
    int const count = parts_per_candidate * candidates;
    if (space.rank == 1 || candidates < 2) return;
    // Lanes lie along the first and the last dimension in the likeliest shapes.
    auto const least = [&](int d) {
      return std::uint64_t(d == 0 || d == space.rank - 1 ? 64 : 2);
    };
    auto const places = [&](int d) {
      return space.extent[std::size_t(d)] / least(d);
    };
    for (int d = 1; d < space.rank; ++d)
      if (m_dimension < 0 || places(d) > places(m_dimension)) m_dimension = d;
    if (places(0) > places(m_dimension)) m_dimension = 0;
    std::uint64_t const parts = std::min(
        {most_parts, space.size() / min_part_indices, places(m_dimension)});
    if (parts < 4 * std::uint64_t(count)) return;
    m_extent = space.extent[std::size_t(m_dimension)] / parts;
    m_factor = float(space.extent[std::size_t(m_dimension)]) / float(m_extent);
  }

  /// Whether the loop is large enough to be divided.
  constexpr bool any() const { return m_extent > 0; }
  /// The indices of the loop divided by those of a part.
  constexpr float factor() const { return m_factor; }

  /// Takes the next part off the rest.
  constexpr LoopSpace next() {
    LoopSpace part = m_rest;
    auto const d   = std::size_t(m_dimension);
    part.extent[d] = m_extent;
    m_rest.begin[d] += std::int64_t(m_extent);
    m_rest.extent[d] -= m_extent;
    return part;
  }
  constexpr LoopSpace const& rest() const { return m_rest; }

 private:
  LoopSpace m_rest;
  int m_dimension        = -1;
  std::uint64_t m_extent = 0;
  float m_factor         = 0;
};

}  // namespace KokkosMMA::Impl

#endif
