// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_PARTS_HPP
#define KOKKOSMMA_LOOP_PARTS_HPP

#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/loops/KokkosMMA_LoopBox.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// \file
/// Parts of a loop's first call, each of which runs in one candidate. The
/// policy promises no order, and each index is in one part. With the warp along
/// the wrong dimension a whole call takes as long as 5 to 23 others; Kokkos'
/// launch takes as long as 3 to 22 (float copies and stencils of 2^28 elements
/// of both layouts, H200, 2026-11-29).

namespace KokkosMMA::Impl {

/// Parts of each candidate: another stream may disturb one of them, and the
/// first part that touches managed memory moves it.
inline constexpr int parts_per_candidate = 2;
/// Fewest indices of a part, about one per resident thread: fewer do not show a
/// candidate's rate.
inline constexpr std::uint64_t min_part_indices = std::uint64_t(1) << 18;
/// Largest number of parts into which a loop is divided. The small parts that
/// run are together at most a quarter of it, so that candidates 20 times as
/// slow take as long as two to three calls together. Large parts, of candidates
/// that are not slow, are at most another quarter.
inline constexpr std::uint64_t most_parts = 64;

/// Division of a box into parts and a rest. A part is thin in one dimension,
/// the second if that is long enough. The dimension of the candidate's lanes
/// keeps at least 64 indices, and is divided only if that gives more parts:
/// blocks then have nearly the shape that they have in the whole loop. Of a 3D
/// copy of 640^3 floats, lanes along the second dimension took less than 1.5
/// times as long as the best in parts that were thin in it, and 5.6 times in
/// the whole loop. Parts that are thin in looped_dimension() slowed the first
/// dozen 3D copies of LayoutRight floats (H200, 2026-11-30).
class LoopParts {
 public:
  /// \param candidates number of those that run parts
  constexpr LoopParts(LoopSpace const& space, int candidates) : m_rest(space) {
    int const count = parts_per_candidate * candidates;
    if (space.rank == 1 || candidates < 2) return;
    std::uint64_t parts = std::min(most_parts, space.size() / min_part_indices);
    for (int fast = 0; fast < space.rank; ++fast) {
      auto const places = [&](int d) {
        std::uint64_t const least = d == fast ? 64 : 2;
        return std::min(parts, space.extent[std::size_t(d)] / least);
      };
      int& thin = m_thin[std::size_t(fast)];
      thin      = fast == 1 ? looped_dimension(space.rank, fast) : 1;
      for (int d = 0; d < space.rank; ++d)
        if (places(d) > places(thin)) thin = d;
      parts = places(thin);
    }
    if (parts < 4 * std::uint64_t(count)) return;
    m_size  = float(space.size());
    m_whole = space.extent;
    m_parts = parts;
  }

  /// Whether the loop is large enough to be divided.
  constexpr bool any() const { return m_parts > 0; }

  /// Takes the next part off the rest.
  /// \param fast dimension along which the candidate's lanes lie
  /// \param large a 16th of the loop: the time of a smaller part is mostly that
  ///   of its launch. Transposes of 8000^2 doubles took 1.64 ms in
  ///   `transpose_shape` and 1.61 in Kokkos' tiles by 64ths, 0.71 and 1.11 in
  ///   whole loops (H200, 2026-11-30)
  constexpr LoopSpace next(int fast, bool large = false) {
    LoopSpace part = m_rest;
    auto const d   = std::size_t(m_thin[std::size_t(fast)]);
    part.extent[d] = m_whole[d] / (large ? 16 : m_parts);
    m_rest.begin[d] += std::int64_t(part.extent[d]);
    m_rest.extent[d] -= part.extent[d];
    return part;
  }
  /// The indices of the loop divided by those of a part.
  constexpr float factor_of(LoopSpace const& part) const {
    return m_size / float(part.size());
  }
  constexpr LoopSpace const& rest() const { return m_rest; }

 private:
  LoopSpace m_rest;
  std::array<int, LoopSpace::max_rank> m_thin{};
  std::array<std::uint64_t, LoopSpace::max_rank> m_whole{};
  std::uint64_t m_parts = 0;
  float m_size          = 0;
};

}  // namespace KokkosMMA::Impl

#endif
