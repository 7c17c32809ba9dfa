// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STEP_STRIPS_HPP
#define KOKKOSMMA_STEP_STRIPS_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// The elements of a grid of two dimensions for which one of several steps sees
/// what lies beyond a boundary that is not periodic: strips as deep as the
/// steps reach, in tiles. A block of threads takes the steps of a tile one
/// after the other in memory of its own, each on fewer elements than the one
/// before, and finds what lies beyond the boundaries anew in each.

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

/// The steps of a tile, by threads with a barrier between calls: load(),
/// advance() for steps 1 to `steps` - 1, finish(). A warp has a row, a lane a
/// column.
/// \tparam A    type of the sums
/// \tparam Sums has `radius`, Weights, and of(value, weights), the sum of one
///              element whose neighbours are value(i, j)
template <class A, class Element, class Sums, class Update = NoUpdate>
struct StepStripTile {
  using Index                 = std::int64_t;
  static constexpr int radius = Sums::radius;

  /// Elements of memory for tiles of strips `reach` deep.
  static constexpr int room(int reach, int side) {
    return 2 * (side + 2 * reach) * (2 * reach + radius);
  }

  StencilGrid<Element, 2> const& grid;
  typename Sums::Weights const& weights;
  Update const& update;
  GridBox tile;
  int steps;
  A* memory;
  int thread;
  int threads;
  Index origin[2];  ///< of the memory
  int pitch;
  int half;  ///< of the memory, in turn for the steps

  KOKKOS_FORCEINLINE_FUNCTION StepStripTile(
      StencilGrid<Element, 2> const& of_grid,
      typename Sums::Weights const& of_weights, Update const& of_update,
      GridBox const& of_tile, int of_steps, A* of_memory, int of_thread,
      int of_threads)
      : grid(of_grid),
        weights(of_weights),
        update(of_update),
        tile(of_tile),
        steps(of_steps),
        memory(of_memory),
        thread(of_thread),
        threads(of_threads) {
    GridBox const all = after(0);
    origin[0]         = all.begin[0];
    origin[1]         = all.begin[1];
    pitch             = int(all.end[1] - all.begin[1]);
    half              = pitch * int(all.end[0] - all.begin[0]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load() const {
    each(
        after(0),
        [&](Index i, Index j) {
          Element constant{};
          return locate<true>(i, j, constant)
                     ? static_cast<A>(grid.data[i * grid.stride[0] + j])
                     : static_cast<A>(constant);
        },
        [&](Index i, Index j, A value) { memory[place(i, j)] = value; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void advance(int step) const {
    A* const to = memory + step % 2 * half;
    each(
        after(step),
        [&](Index i, Index j) {
          Element constant{};
          return locate<false>(i, j, constant)
                     ? static_cast<A>(static_cast<Element>(next(step, i, j)))
                     : static_cast<A>(constant);
        },
        [&](Index i, Index j, A value) { to[place(i, j)] = value; });
  }
  template <class Epilogue>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Epilogue const& epilogue) const {
    each(
        tile, [&](Index i, Index j) { return next(steps, i, j); },
        [&](Index i, Index j, A value) {
          Index const at[2] = {i, j};
          epilogue(at, value);
        });
  }

 private:
  /// What the later steps need. Beyond boundaries that is the radius of one.
  KOKKOS_FORCEINLINE_FUNCTION GridBox after(int step) const {
    GridBox box{};
    Index const more = Index(steps - step) * radius;
    for (int d = 0; d < 2; ++d) {
      box.begin[d] = tile.begin[d] - more;
      box.end[d]   = tile.end[d] + more;
      if (grid.boundaries.low[d].kind == Boundary::periodic) continue;
      Index const low  = -radius;
      Index const high = grid.extent[d] + radius;
      if (box.begin[d] < low) box.begin[d] = low;
      if (box.end[d] > high) box.end[d] = high;
    }
    return box;
  }
  KOKKOS_FORCEINLINE_FUNCTION int place(Index i, Index j) const {
    return int(i - origin[0]) * pitch + int(j - origin[1]);
  }
  template <class Make, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void each(GridBox const& box, Make const& make,
                                        Put const& put) const {
    for (Index i = box.begin[0] + thread / 32; i < box.end[0];
         i += threads / 32)
      for (Index j = box.begin[1] + thread % 32; j < box.end[1]; j += 32)
        put(i, j, make(i, j));
  }
  /// What a step writes, not rounded yet.
  KOKKOS_FORCEINLINE_FUNCTION A next(int step, Index i, Index j) const {
    A const* const centre = memory + (step - 1) % 2 * half + place(i, j);
    A const sum           = Sums::of(
        [&](int di, int dj) { return centre[di * pitch + dj]; }, weights);
    if constexpr (std::is_same_v<Update, NoUpdate>) {
      return sum;
    } else {
      resolve<0, true>(i);
      resolve<1, true>(j);
      return updated<A, Element>(update, grid.reversed, i, j, *centre, sum);
    }
  }
  /// Replaces the indices of an element by those of what stands for it, in the
  /// grid or in memory, which goes on beyond periodic boundaries; false where a
  /// constant does.
  template <bool InGrid>
  KOKKOS_FORCEINLINE_FUNCTION bool locate(Index& i, Index& j,
                                          Element& constant) const {
    bool const rows    = resolve<0, InGrid>(i);
    bool const columns = resolve<1, InGrid>(j);
    if (rows && columns) return true;
    // Where constants meet, the caller's first dimension has its own.
    bool const of_rows = !rows && (columns || !grid.reversed);
    constant =
        static_cast<Element>(of_rows ? beyond<0>(i).value : beyond<1>(j).value);
    return false;
  }
  template <int D, bool InGrid>
  KOKKOS_FORCEINLINE_FUNCTION bool resolve(Index& i) const {
    if (0 <= i && i < grid.extent[D]) return true;
    Boundary const kind = beyond<D>(i).kind;
    if (kind == Boundary::constant) return false;
    if (kind == Boundary::periodic && !InGrid) return true;
    i = near_boundary_index(kind, i, grid.extent[D]);
    return true;
  }
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION BoundaryCondition const& beyond(Index i) const {
    return i < 0 ? grid.boundaries.low[D] : grid.boundaries.high[D];
  }
};

}  // namespace KokkosMMA::Impl

#endif
