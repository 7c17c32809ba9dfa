// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_STRIP_TILE_HPP
#define KOKKOSMMA_CUDA_STEP_STRIP_TILE_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

/// \file
/// Several steps at a boundary. A block computes the steps of a tile one after
/// another in its shared memory, each on fewer elements than the one before. It
/// applies the boundary conditions again in each step.

namespace KokkosMMA::Impl::Cuda {

/// Steps of a tile, with a barrier between calls: load(), advance() for steps 1
/// to `steps` - 1, finish(). A warp has a row, a lane a column.
/// \tparam A    type of the sums
/// \tparam Sums has `radius`, Weights, and of(value, weights), the sum of one
///   element whose neighbours are value(i, j)
template <class A, class Element, class Sums, class Update = NoUpdate>
struct StepStripTile {
  static constexpr int radius = Sums::radius;

  /// Elements of memory for tiles of strips `Reach` deep. (Not a function: nvcc
  /// 12.4 does not accept a host function as a constant of device code.)
  template <int Reach, int Side>
  static constexpr int room = 2 * (Side + 2 * Reach) * (2 * Reach + radius);

  StencilGrid<Element, 2> const& grid;
  typename Sums::Weights const& weights;
  Update const& update;
  GridBox<2> tile;
  int steps;
  A* memory;
  int thread;
  int threads;
  int origin[2];  ///< of the memory
  int pitch;
  int half;  ///< elements in each half of the memory; steps alternate

  __device__ __forceinline__
  StepStripTile(StencilGrid<Element, 2> const& of_grid,
                typename Sums::Weights const& of_weights,
                Update const& of_update, GridBox<2> const& of_tile,
                int of_steps, A* of_memory, int of_thread, int of_threads)
      : grid(of_grid),
        weights(of_weights),
        update(of_update),
        tile(of_tile),
        steps(of_steps),
        memory(of_memory),
        thread(of_thread),
        threads(of_threads) {
    Box const all = after(0);
    origin[0]     = all.begin[0];
    origin[1]     = all.begin[1];
    pitch         = all.end[1] - all.begin[1];
    half          = pitch * (all.end[0] - all.begin[0]);
  }

  __device__ __forceinline__ void load() const {
    each<true>(
        after(0), true,
        [&](int i, int j) {
          return static_cast<A>(grid.data[i * grid.stride[0] + j]);
        },
        [&](int i, int j, A value) { memory[place(i, j)] = value; });
  }
  __device__ __forceinline__ void advance(int step) const {
    A* const to = memory + step % 2 * half;
    // From step 1 on, both halves of the memory contain the constants.
    each<false>(
        after(step), step == 1,
        [&](int i, int j) {
          return static_cast<A>(static_cast<Element>(next(step, i, j)));
        },
        [&](int i, int j, A value) { to[place(i, j)] = value; });
  }
  template <class Epilogue>
  __device__ __forceinline__ void finish(Epilogue const& epilogue) const {
    each<false>(
        after(steps), false, [&](int i, int j) { return next(steps, i, j); },
        [&](int i, int j, A value) {
          std::int64_t const at[2] = {i, j};
          epilogue(at, value);
        });
  }

 private:
  struct Box {
    int begin[2];
    int end[2];
  };

  /// Box that later steps read. Beyond boundaries it has at most one radius.
  __device__ __forceinline__ Box after(int step) const {
    Box box{};
    int const more = (steps - step) * radius;
    for (int d = 0; d < 2; ++d) {
      box.begin[d] = int(tile.begin[d]) - more;
      box.end[d]   = int(tile.end[d]) + more;
      if (grid.boundaries.low[d].kind == Boundary::periodic) continue;
      int const high = int(grid.extent[d]) + radius;
      if (box.begin[d] < -radius) box.begin[d] = -radius;
      if (box.end[d] > high) box.end[d] = high;
    }
    return box;
  }
  __device__ __forceinline__ int place(int i, int j) const {
    return (i - origin[0]) * pitch + (j - origin[1]);
  }
  /// Invokes put(i, j, value) for each element of a box. The value is a
  /// constant or make() of an element: of the grid if InGrid, otherwise of the
  /// memory, which continues beyond periodic boundaries.
  /// \param constants whether put() is invoked for constants
  template <bool InGrid, class Make, class Put>
  __device__ __forceinline__ void each(Box const& box, bool constants,
                                       Make const& make, Put const& put) const {
    constexpr int at_once = 4;  // rows per warp, to hide latency
    int const warps       = threads / 32;
    int const warp        = thread / 32;
    int const n           = int(grid.extent[0]);
    bool const goes_on    = grid.boundaries.low[0].kind == Boundary::periodic;
    for (int j = box.begin[1] + thread % 32; j < box.end[1]; j += 32) {
      int column         = j;
      bool const in_line = resolve<1, InGrid>(column);
      if (!in_line && !constants) continue;
      // Rows that need no boundary condition.
      bool const all = goes_on && !InGrid;
      int const low  = !in_line                  ? box.end[0]
                       : all || box.begin[0] > 0 ? box.begin[0]
                                                 : 0;
      int const high = !in_line                ? box.end[0]
                       : all || box.end[0] < n ? box.end[0]
                                               : n;
      for (int i = low + warp; i < high; i += at_once * warps) {
        A values[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          int const row = i + k * warps;
          values[k]     = make(row < high ? row : i, column);
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (i + k * warps < high) put(i + k * warps, j, values[k]);
      }
      int const before = low - box.begin[0];
      int const others = before + box.end[0] - high;
      for (int k = warp; k < others; k += warps) {
        int const i = k < before ? box.begin[0] + k : high + k - before;
        int row     = i;
        if (resolve<0, InGrid>(row) && in_line)
          put(i, j, make(row, column));
        else if (constants)
          put(i, j, static_cast<A>(constant(i, j)));
      }
    }
  }
  /// Result of a step, before rounding.
  __device__ __forceinline__ A next(int step, int i, int j) const {
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
  /// Replaces an index by its source. Returns false if the boundary is
  /// constant.
  template <int D, bool InGrid>
  __device__ __forceinline__ bool resolve(int& i) const {
    if (unsigned(i) < unsigned(grid.extent[D])) return true;
    Boundary const kind = beyond<D>(i).kind;
    if (kind == Boundary::constant) return false;
    if (kind == Boundary::periodic && !InGrid) return true;
    i = int(near_boundary_index(kind, i, grid.extent[D]));
    return true;
  }
  template <int D>
  __device__ __forceinline__ BoundaryCondition const& beyond(int i) const {
    return i < 0 ? grid.boundaries.low[D] : grid.boundaries.high[D];
  }
  /// Where constants meet, the caller's first dimension has precedence.
  __device__ __forceinline__ Element constant(int i, int j) const {
    auto const is_constant = [&](BoundaryCondition const& side, int at,
                                 std::int64_t n) {
      return (at < 0 || at >= n) && side.kind == Boundary::constant;
    };
    bool const rows    = is_constant(beyond<0>(i), i, grid.extent[0]);
    bool const columns = is_constant(beyond<1>(j), j, grid.extent[1]);
    return static_cast<Element>(rows && !(columns && grid.reversed)
                                    ? beyond<0>(i).value
                                    : beyond<1>(j).value);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
