// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STEP_STRIPS_HPP
#define KOKKOSMMA_STEP_STRIPS_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// The elements of a grid of two dimensions for which one of several steps sees
/// what lies beyond a boundary that is not periodic: strips as deep as the
/// steps reach, in tiles.

namespace KokkosMMA::Impl {

/// Rows and columns begin to end - 1.
struct GridBox {
  std::int64_t begin[2];
  std::int64_t end[2];
};

/// Disjoint strips, in tiles of at most `Side` rows and columns.
template <int Side>
struct StepStrips {
  GridBox strip[4];  ///< empty beside periodic boundaries
  GridBox rest;      ///< what no strip has

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t tiles() const {
    std::int64_t count = 0;
    for (GridBox const& box : strip) count += along(box, 0) * along(box, 1);
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION GridBox tile(std::int64_t index) const {
    GridBox result{};
    for (GridBox const& box : strip) {
      std::int64_t const columns = along(box, 1);
      std::int64_t const count   = along(box, 0) * columns;
      if (0 <= index && index < count) {
        std::int64_t const at[2] = {index / columns, index % columns};
        for (int d = 0; d < 2; ++d) {
          std::int64_t const begin = box.begin[d] + at[d] * Side;
          result.begin[d]          = begin;
          result.end[d] = begin + Side < box.end[d] ? begin + Side : box.end[d];
        }
      }
      index -= count;
    }
    return result;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t along(GridBox const& box,
                                                        int d) {
    return (box.end[d] - box.begin[d] + Side - 1) / Side;
  }
};

/// The extents are at least 3 * radius * steps.
template <int Side>
StepStrips<Side> step_strips(Boundaries<2> const& boundaries,
                             std::int64_t const (&extent)[2], int radius,
                             int steps) {
  StepStrips<Side> strips{};
  GridBox& rest = strips.rest;
  std::copy(extent, extent + 2, rest.end);
  std::int64_t const depth = std::int64_t(radius) * steps;
  for (int d = 0; d < 2; ++d) {
    if (boundaries.low[d].kind == Boundary::periodic) continue;
    GridBox& low = strips.strip[2 * d] = rest;
    low.end[d] = rest.begin[d] = depth;
    GridBox& high = strips.strip[2 * d + 1] = rest;
    high.begin[d] = rest.end[d] = extent[d] - depth;
  }
  return strips;
}

/// What a step writes: the sums.
struct NoUpdate {};

/// What a step writes instead of the sum: update(indices of the caller, value,
/// sum).
template <class A, class Element, class Update>
KOKKOS_FORCEINLINE_FUNCTION A updated(Update const& update, bool reversed,
                                      std::int64_t i, std::int64_t j, A value,
                                      A sum) {
  return static_cast<A>(static_cast<Element>(update(
      reversed ? j : i, reversed ? i : j, static_cast<Element>(value), sum)));
}

}  // namespace KokkosMMA::Impl

#endif
