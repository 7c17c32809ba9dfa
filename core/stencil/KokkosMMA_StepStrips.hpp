// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STEP_STRIPS_HPP
#define KOKKOSMMA_STEP_STRIPS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Elements of a grid for which any of several steps crosses a boundary that is
/// not periodic: strips as deep as the steps reach, divided into tiles.

namespace KokkosMMA::Impl {

/// Indices `begin` to `end` - 1 of each dimension.
template <int R>
struct GridBox {
  std::int64_t begin[R];
  std::int64_t end[R];
};

/// Disjoint strips, in tiles of at most `Row` elements along the last dimension
/// and `Side` along the others.
template <int R, int Side, int Row = Side>
struct StepStrips {
  GridBox<R> strip[2 * R];  ///< empty at periodic boundaries
  GridBox<R> rest;          ///< elements outside of all strips
  bool halved = false;      ///< whether tiles are half as long

  std::int64_t tiles() const {
    std::int64_t count = 0;
    for (int s = 0; s < 2 * R; ++s) {
      std::int64_t of_strip = 1;
      for (int d = 0; d < R; ++d) of_strip *= along(s, d);
      count += of_strip;
    }
    return count;
  }
  /// Tile of an index below 2^31: a 64-bit division takes some hundred
  /// instructions on a device.
  KOKKOSMMA_FORCEINLINE_FUNCTION GridBox<R> tile(unsigned index) const {
    int strip_of_tile = 0;
    return tile(index, strip_of_tile);
  }
  /// \param[out] strip_of_tile index of the strip: per dimension, the low one
  /// and then the high one
  KOKKOSMMA_FORCEINLINE_FUNCTION GridBox<R> tile(unsigned index,
                                                 int& strip_of_tile) const {
    GridBox<R> result{};
    for (int s = 0; s < 2 * R; ++s) {
      unsigned count = 1;
      for (int d = 0; d < R; ++d) count *= along(s, d);
      if (index < count) {
        unsigned rest_of_index = index;
        strip_of_tile          = s;
        for (int d = R - 1; d >= 0; --d) {
          unsigned const at = rest_of_index % along(s, d);
          rest_of_index /= along(s, d);
          std::int64_t const begin =
              strip[s].begin[d] + std::int64_t(at) * side(d);
          std::int64_t const end = begin + side(d);
          result.begin[d]        = begin;
          result.end[d] = end < strip[s].end[d] ? end : strip[s].end[d];
        }
        return result;
      }
      index -= count;
    }
    return result;
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION unsigned side(int d) const {
    return unsigned(d == R - 1 ? Row : Side) / (halved ? 2 : 1);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION unsigned along(int s, int d) const {
    return (unsigned(strip[s].end[d] - strip[s].begin[d]) + side(d) - 1) /
           side(d);
  }
};

/// Strips for extents of at least 3 * radius * steps.
template <class Strips, int R>
Strips step_strips(Boundaries<R> const& boundaries,
                   std::int64_t const (&extent)[R], int radius, int steps) {
  Strips strips{};
  GridBox<R>& rest = strips.rest;
  std::copy(extent, extent + R, rest.end);
  std::int64_t const depth = std::int64_t(radius) * steps;
  for (int d = 0; d < R; ++d) {
    if (boundaries.low[d].kind == Boundary::periodic) continue;
    GridBox<R>& low = strips.strip[2 * d] = rest;
    low.end[d] = rest.begin[d] = depth;
    GridBox<R>& high = strips.strip[2 * d + 1] = rest;
    high.begin[d] = rest.end[d] = extent[d] - depth;
  }
  return strips;
}

/// Update of steps that write the sums.
struct NoUpdate {};

/// Result of a step with an update: update(caller's indices, value, sum),
/// rounded to `Element`.
template <class A, class Element, class Update>
KOKKOSMMA_FORCEINLINE_FUNCTION A updated(Update const& update, bool reversed,
                                         std::int64_t i, std::int64_t j,
                                         A value, A sum) {
  return static_cast<A>(static_cast<Element>(update(
      reversed ? j : i, reversed ? i : j, static_cast<Element>(value), sum)));
}

}  // namespace KokkosMMA::Impl

#endif
