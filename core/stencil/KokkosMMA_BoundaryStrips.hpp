// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BOUNDARY_STRIPS_HPP
#define KOKKOSMMA_BOUNDARY_STRIPS_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/stencil/KokkosMMA_StencilFusion.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// The strips beside boundaries that are done step by step where one sweep
/// stands for several steps.
///
/// The sweep goes over the whole grid with the boundaries as they are, and the
/// strips are written over what it wrote. They are cut into tiles. A tile is
/// read with all that its steps see and takes these steps in memory of its own,
/// each on fewer elements than the one before: no tile waits for another.

namespace KokkosMMA::Impl {

/// Elements begin to end - 1 of each dimension.
template <int R>
struct GridBox {
  std::int64_t begin[R];
  std::int64_t end[R];
};

/// Strips, of which no two share elements, in tiles of at most `Side` elements
/// in each dimension.
template <int R, int Side>
struct BoundaryStrips {
  using Index = std::int64_t;

  GridBox<R> strip[2 * R];  ///< empty beside boundaries that need none

  KOKKOS_FORCEINLINE_FUNCTION Index tiles() const {
    Index count = 0;
    for (GridBox<R> const& box : strip) count += tiles_of(box);
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION GridBox<R> tile(Index index) const {
    GridBox<R> result{};
    for (GridBox<R> const& box : strip) {
      Index const count = tiles_of(box);
      if (0 <= index && index < count) {
        Index rest = index;
        for (int d = R - 1; d >= 0; --d) {
          Index const begin = box.begin[d] + rest % pieces(box, d) * Side;
          result.begin[d]   = begin;
          result.end[d] = begin + Side < box.end[d] ? begin + Side : box.end[d];
          rest /= pieces(box, d);
        }
      }
      index -= count;
    }
    return result;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Index pieces(GridBox<R> const& box,
                                                  int d) {
    return (box.end[d] - box.begin[d] + Side - 1) / Side;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Index tiles_of(GridBox<R> const& box) {
    Index count = 1;
    for (int d = 0; d < R; ++d) count *= pieces(box, d);
    return count;
  }
};

/// The strips of a grid whose extents are as fusible_steps wants them.
template <int Side, int R>
BoundaryStrips<R, Side> boundary_strips(StencilWeights<R> const& weights,
                                    Boundaries<R> const& boundaries,
                                    std::int64_t const (&extents)[R],
                                    int steps) {
  BoundaryStrips<R, Side> strips{};
  if (steps < 2) return strips;
  GridBox<R> rest{};
  std::copy(extents, extents + R, rest.end);
  for (int d = 0; d < R; ++d) {
    // Elements that see what a step but the last computed beyond a boundary.
    std::int64_t const depth = std::int64_t(steps - 1) * weights.radius(d);
    bool const symmetric     = is_symmetric(weights, d);
    if (!goes_on(boundaries.low[d].kind, symmetric)) {
      GridBox<R>& box = strips.strip[2 * d] = rest;
      box.end[d] = rest.begin[d] = depth;
    }
    if (!goes_on(boundaries.high[d].kind, symmetric)) {
      GridBox<R>& box = strips.strip[2 * d + 1] = rest;
      box.begin[d] = rest.end[d] = extents[d] - depth;
    }
  }
  return strips;
}

/// The weights of one step but zeros, in the order of the caller's dimensions:
/// sums are those of the generic route.
template <class A, int R, int Room>
struct StripTaps {
  int radius[R];
  int count;
  A weight[Room];
  std::int8_t offset[Room][R];
};

/// `weights` are the caller's; `reversed` as in StencilGrid. Room for all of
/// them is the caller's to see to.
template <class A, int Room, int R>
StripTaps<A, R, Room> strip_taps(StencilWeights<R> const& weights,
                                 bool reversed) {
  StripTaps<A, R, Room> taps{};
  auto const place = [&](int d) { return reversed ? R - 1 - d : d; };
  for (int d = 0; d < R; ++d) taps.radius[place(d)] = weights.radius(d);
  for (std::size_t at = 0; at < weights.size(); ++at) {
    if (weights.values()[at] == 0) continue;
    taps.weight[taps.count] = weight_as<A>(weights.values()[at]);
    for (int d = 0; d < R; ++d)
      taps.offset[taps.count][place(d)] =
          std::int8_t(weights.offsets(at)[std::size_t(d)]);
    ++taps.count;
  }
  return taps;
}

/// The elements after a step that the later ones of a tile see, the last
/// dimension fastest. Some are beyond boundaries.
template <int R>
struct StripRegion {
  using Index = std::int64_t;

  Index begin[R];
  int extent[R];

  KOKKOS_FORCEINLINE_FUNCTION StripRegion(GridBox<R> const& tile,
                                          int const (&radius)[R],
                                          int later_steps) {
    for (int d = 0; d < R; ++d) {
      int const more = later_steps * radius[d];
      begin[d]       = tile.begin[d] - more;
      extent[d]      = int(tile.end[d] - tile.begin[d]) + 2 * more;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int size() const {
    int size = 1;
    for (int d = 0; d < R; ++d) size *= extent[d];
    return size;
  }
  KOKKOS_FORCEINLINE_FUNCTION void place(int element, Index (&at)[R]) const {
    for (int d = R - 1; d >= 0; --d) {
      int const rest = element / extent[d];
      at[d]          = begin[d] + (element - rest * extent[d]);
      element        = rest;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int index(Index const (&at)[R]) const {
    int index = 0;
    for (int d = 0; d < R; ++d)
      index = index * extent[d] + int(at[d] - begin[d]);
    return index;
  }
};

/// The steps of a tile, shared out among threads that wait for each other
/// between calls: load() once, advance() for steps 1 to `steps` - 1, and
/// finish().
template <class A, int R, int Room>
struct StripTile {
  using Index  = std::int64_t;
  using Region = StripRegion<R>;

  StencilGrid<A, R> const& grid;
  StripTaps<A, R, Room> const& taps;
  GridBox<R> tile;
  int steps;
  int thread;
  int threads;

  KOKKOS_FORCEINLINE_FUNCTION Region after(int step) const {
    return {tile, taps.radius, steps - step};
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(A* to) const {
    Region const region = after(0);
    int const size      = region.size();
    for (int e = thread; e < size; e += threads) {
      Index at[R];
      region.place(e, at);
      double constant = 0;
      if (!locate(at, constant)) {
        to[e] = static_cast<A>(constant);
        continue;
      }
      Index offset = 0;
      for (int d = 0; d < R; ++d)
        offset +=
            near_boundary_index(Boundary::periodic, at[d], grid.extent[d]) *
            grid.stride[d];
      to[e] = grid.data[offset];
    }
  }
  /// `from` is after(step - 1), `to` after(step).
  KOKKOS_FORCEINLINE_FUNCTION void advance(int step, A const* from,
                                           A* to) const {
    Region const seen   = after(step - 1);
    Region const region = after(step);
    int const size      = region.size();
    for (int e = thread; e < size; e += threads) {
      Index at[R];
      region.place(e, at);
      double constant = 0;
      to[e] =
          locate(at, constant) ? sum(from, seen, at) : static_cast<A>(constant);
    }
  }
  /// The last step: sink(place, sum) for the elements of the tile.
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void finish(A const* from,
                                          Sink const& sink) const {
    Region const seen   = after(steps - 1);
    Region const region = after(steps);
    int const size      = region.size();
    for (int e = thread; e < size; e += threads) {
      Index at[R];
      region.place(e, at);
      sink(at, sum(from, seen, at));
    }
  }

 private:
  /// Replaces the indices of an element by those of the one of the region that
  /// stands for it; false where a constant does. Beyond periodic boundaries the
  /// grid goes on: what stands for an element is far away and has the same
  /// neighbours.
  KOKKOS_FORCEINLINE_FUNCTION bool locate(Index (&at)[R],
                                          double& constant) const {
    bool is_element = true;
    for (int d = 0; d < R; ++d) {
      bool const low  = at[d] < 0;
      bool const high = at[d] >= grid.extent[d];
      BoundaryCondition const& condition =
          low ? grid.boundaries.low[d] : grid.boundaries.high[d];
      if (!(low || high) || condition.kind == Boundary::periodic) continue;
      if (condition.kind != Boundary::constant) {
        at[d] = near_boundary_index(condition.kind, at[d], grid.extent[d]);
        continue;
      }
      // Where constants meet, the caller's first dimension has its own.
      if (is_element || grid.reversed) constant = condition.value;
      is_element = false;
    }
    return is_element;
  }

  KOKKOS_FORCEINLINE_FUNCTION A sum(A const* from, Region const& seen,
                                    Index const (&at)[R]) const {
    A const* const centre = from + seen.index(at);
    A sum                 = A(0);
    for (int k = 0; k < taps.count; ++k) {
      int offset = 0;
      for (int d = 0; d < R; ++d)
        offset = offset * seen.extent[d] + taps.offset[k][d];
      sum = Combine<Operation::sum, A>::apply(
          sum,
          Combine<Operation::prod, A>::apply(taps.weight[k], centre[offset]));
    }
    return sum;
  }
};

}  // namespace KokkosMMA::Impl

#endif
