// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_STENCIL_HPP
#define KOKKOSMMA_CUDA_STEP_STENCIL_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilTuning.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStripTile.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <cstring>
#include <type_traits>

/// \file
/// Several steps of a two-dimensional stencil in one sweep, each rounded like a
/// single step (temporal blocking). A warp sweeps down a block of rows in a
/// panel of columns. The sums of all steps in flight are in registers.
/// Neighbours along a row come from other lanes. Lanes at both ends of the warp
/// hold columns of the adjacent panels: their sums become invalid step by step
/// and are not stored.
///
/// These warps see no boundary except periodic ones. At other boundaries the
/// first blocks of the launch compute the steps in shared memory.

namespace KokkosMMA::Impl::Cuda {

/// Limit of steps times radius, and columns or rows of a tile at a boundary.
inline constexpr int step_reach      = 12;
inline constexpr int step_strip_side = 80;

template <class A, class Element, class Epilogue, class Sums, class Update>
struct StepArguments {
  StencilGrid<Element, 2> grid;
  Epilogue epilogue;
  StepStrips<2, step_strip_side> strips;
  unsigned strip_blocks;
  unsigned panels;
  int panel_rows;  ///< per warp
  int origin;      ///< first column of the first panel
  bool loads;      ///< in vectors
  bool stores;
  int steps;
  typename Sums::Weights weights;
  Update update;
};

/// Index after applying a periodic boundary; other indices are unchanged.
__device__ __forceinline__ int periodic_index(int i, int n, bool is_periodic) {
  if (is_periodic && i < 0) i += n;
  if (is_periodic && i >= n) i -= n;
  return i;
}

/// Loads a lane's columns, row by row.
template <class Tuning, class Element>
struct StepLoads {
  static constexpr int V   = Tuning::value.columns;
  static constexpr int per = elements_per_vector<V, Element>;
  using Words              = WordOf<per* int(sizeof(Element))>;

  struct Raw {
    Words words[V / per];
  };

  StencilGrid<Element, 2> const& grid;
  Element const* from;  ///< next row; for vectors, at the lane's first column
  int to_end;           ///< rows until the sweep continues at the first row
  int column;           ///< first of the lane, or its periodic image
  bool vectors;

  /// Rows and columns beyond boundaries are those of a periodic grid. With
  /// other boundaries no stored sum reads them.
  __device__ __forceinline__ StepLoads(StencilGrid<Element, 2> const& of_grid,
                                       int row, int first, bool aligned)
      : grid(of_grid), column(first) {
    int const n        = int(grid.extent[1]);
    bool stays_aligned = true;
    if (is_periodic()) {
      if (column + V <= 0) column += n;
      if (column >= n) column -= n;
      stays_aligned = column == first || n % per == 0;
    } else {
      // A lane without a column of the grid uses those of another lane. If one
      // lane loads element by element, its warp takes 8 % longer and delays the
      // launch (stars of radius 1, 8192^2 floats, H100, CUDA 13.0, 2026-11-27).
      if (column + V <= 0) column = (column % V + V) % V;
      if (column >= n) column -= (column - n + 2 * V - 1) / V * V;
    }
    vectors = aligned && column >= 0 && column + V <= n && stays_aligned;
    if (row < 0) row += int(grid.extent[0]);
    to_end = int(grid.extent[0]) - row;
    from   = grid.data + row * grid.stride[0] + (vectors ? column : 0);
  }
  __device__ __forceinline__ bool is_periodic() const {
    return grid.boundaries.low[1].kind == Boundary::periodic;
  }
  __device__ __forceinline__ void load(Raw& to) {
    if (vectors) {
#pragma unroll
      for (int v = 0; v < V / per; ++v)
        to.words[v] = *reinterpret_cast<Words const*>(from + v * per);
    } else {
      LoadedElement<Element> elements[V];
      int const columns = int(grid.extent[1]);
#pragma unroll
      for (int i = 0; i < V; ++i) {
        int const at = periodic_index(column + i, columns, is_periodic());
        elements[i]  = 0 <= at && at < columns
                           ? static_cast<LoadedElement<Element>>(from[at])
                           : static_cast<LoadedElement<Element>>(0.f);
      }
      memcpy(&to, static_cast<void const*>(elements), sizeof(to));
    }
    from += grid.stride[0];
    if (--to_end == 0) {
      // May happen twice: a warp may have all rows and those beyond both ends.
      from -= grid.extent[0] * grid.stride[0];
      to_end = int(grid.extent[0]);
    }
  }
  template <class A>
  __device__ __forceinline__ static void convert(Raw const& from, A (&to)[V]) {
    LoadedElement<Element> elements[V];
    memcpy(static_cast<void*>(elements), &from, sizeof(from));
#pragma unroll
    for (int i = 0; i < V; ++i) to[i] = static_cast<A>(elements[i]);
  }
};

/// Centre rows of the sums in flight, which an update needs.
template <class A, int V, int Radius>
struct StepCentres {
  A row[Radius][V];

  /// Stores a row and returns the one from `Radius` rows before.
  __device__ __forceinline__ void push(A const (&newest)[V], A (&oldest)[V]) {
#pragma unroll
    for (int x = 0; x < V; ++x) {
      oldest[x] = row[Radius - 1][x];
#pragma unroll
      for (int k = Radius - 1; k > 0; --k) row[k][x] = row[k - 1][x];
      row[0][x] = newest[x];
    }
  }
};

template <class Tuning, class A, class Element, class Epilogue, class Sums,
          class Update>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    step_stencil(KOKKOSMMA_GRID_CONSTANT StepArguments<A, Element, Epilogue,
                                                       Sums, Update> const in) {
  constexpr int V     = Tuning::value.columns;
  constexpr int most  = Tuning::value.steps;
  constexpr int ahead = Tuning::value.ahead;
  constexpr int reach = most * Sums::radius;
  constexpr int warps = Tuning::value.threads / 32;
  static_assert(reach <= step_reach);
  constexpr bool updates = !std::is_same_v<Update, NoUpdate>;
  using Tile             = StepStripTile<A, Element, Sums, Update>;

  __shared__ A strip_memory[Tile::template room<reach, step_strip_side>];
  if (blockIdx.x < in.strip_blocks) {
    Tile const tile(in.grid, in.weights, in.update, in.strips.tile(blockIdx.x),
                    in.steps, strip_memory, int(threadIdx.x),
                    Tuning::value.threads);
    tile.load();
#pragma unroll 1
    for (int step = 1; step < in.steps; ++step) {
      __syncthreads();
      tile.advance(step);
    }
    __syncthreads();
    tile.finish(in.epilogue);
    return;
  }
  unsigned const warp =
      (blockIdx.x - in.strip_blocks) * warps + threadIdx.x / 32;
  int const lane        = int(threadIdx.x % 32);
  GridBox<2> const& box = in.strips.rest;
  int const begin =
      int(box.begin[0]) + int(warp / in.panels * unsigned(in.panel_rows));
  if (begin >= int(box.end[0])) return;
  int const end  = min(begin + in.panel_rows, int(box.end[0]));
  int const lead = in.steps * Sums::radius;
  int const skip = (lead + V - 1) / V;  // lanes at each end
  int const column =
      in.origin + (int(warp % in.panels) * (32 - 2 * skip) + lane - skip) * V;

  Sums sums[most];
#pragma unroll
  for (int s = 0; s < most; ++s)
#pragma unroll
    for (int k = 0; k < 2 * Sums::radius; ++k)
#pragma unroll
      for (int x = 0; x < V; ++x) sums[s].sum[k][x] = A(0);

  StepCentres<A, V, Sums::radius> centres[updates ? most : 1]{};
  int const last = end + lead;
  using Loads    = StepLoads<Tuning, Element>;
  Loads loads(in.grid, begin - lead, column, in.loads);
  // There are at least this many rows.
  typename Loads::Raw loaded[ahead];
#pragma unroll
  for (int a = 0; a < ahead; ++a) loads.load(loaded[a]);
  [[maybe_unused]] bool const rows_periodic =
      in.grid.boundaries.low[0].kind == Boundary::periodic;
  bool const is_stored = skip <= lane && lane < 32 - skip;
  Element* to = in.epilogue.data + begin * in.epilogue.stride[0] + column;
#pragma unroll 1
  for (int y = begin - lead; y < last; ++y) {
    A row[V];
    Loads::convert(loaded[0], row);
#pragma unroll
    for (int a = 0; a + 1 < ahead; ++a) loaded[a] = loaded[a + 1];
    if (y + ahead < last) loads.load(loaded[ahead - 1]);
#pragma unroll
    for (int s = 0; s < most; ++s) {
      if (s >= in.steps) break;
      [[maybe_unused]] A old[V];
      if constexpr (updates) {
        centres[s].push(row, old);
      }
      sums[s].push(row, in.weights);
      if constexpr (updates) {
        // A user's functor gets only sums that later steps read: other sums are
        // incomplete, or of columns outside the warp. Keeping the ends of these
        // columns in registers would spill (CUDA 13.0, sm_90).
        int const needed = (in.steps - s - 1) * Sums::radius;
        int const row_at = y - (s + 1) * Sums::radius;
        int const i =
            periodic_index(row_at, int(in.grid.extent[0]), rows_periodic);
#pragma unroll
        for (int x = 0; x < V; ++x) {
          int const at      = column + x;
          int const of_warp = (lane - skip) * V + x;
          if (row_at >= begin - needed && of_warp >= -needed &&
              of_warp < (32 - 2 * skip) * V + needed &&
              at >= int(box.begin[1]) - needed && at < int(box.end[1]) + needed)
            row[x] = updated<A, Element>(
                in.update, in.grid.reversed, i,
                periodic_index(at, int(in.grid.extent[1]), loads.is_periodic()),
                old[x], row[x]);
        }
      } else if constexpr (!std::is_same_v<A, Element>) {
#pragma unroll
        for (int x = 0; x < V; ++x)
          row[x] = static_cast<A>(static_cast<Element>(row[x]));
      }
    }
    if (y - lead >= begin) {
      if (is_stored)
        store_step<V>(to, column, int(box.begin[1]), int(box.end[1]), in.stores,
                      row);
      to += in.epilogue.stride[0];
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
