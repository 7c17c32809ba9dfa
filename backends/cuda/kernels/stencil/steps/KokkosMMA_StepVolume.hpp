// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_VOLUME_HPP
#define KOKKOSMMA_CUDA_STEP_VOLUME_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_RunKernel.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepFaces.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilTuning.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepSums.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Several steps of a star of radius 1 in three dimensions in one sweep, each
/// rounded like a single step. A warp owns a strip of rows in a panel of
/// columns and sweeps through planes. The sums of all steps in flight are in
/// registers, with those of adjacent rows, columns and planes for later steps.
///
/// Values beyond the ends of rows follow from the two nearest elements, which a
/// lane has. Elements near other boundaries that are not periodic are computed
/// by the first blocks of the launch (KokkosMMA_StepFaces.hpp). A sweep of
/// 512^3 floats took 0.553 to 0.569 ms with these blocks before or among the
/// others, and 0.543 with a kernel of their own. When they also computed the
/// ends of rows, whose warps read a sector of each row there, the sweep took
/// 0.543 ms, without 0.475 (kernels of their own, H100, CUDA 13.0, 2026-11-27).
/// Two steps of 128^3, 256^3 and 512^3 floats: 21, 67 and 395 us, with a kernel
/// of their own 27, 75 and 402 (H200, 2026-11-29).

namespace KokkosMMA::Impl::Cuda {

template <class A, class Element, class Epilogue>
struct StepVolumeArguments {
  StencilGrid<Element, 3> grid;
  Epilogue epilogue;
  StepFaces faces;
  unsigned face_tiles;   ///< one per warp
  unsigned face_blocks;  ///< these precede the others
  unsigned panels;
  unsigned strips;             ///< strips of rows
  int panel_planes;            ///< per warp
  A weight[7];                 ///< in the order of their offsets
  BeyondSide<A> beyond[3][2];  ///< low and high side of each dimension
};

/// Rows and columns of a warp, including those around that its steps read. Rows
/// must be whole vectors; others run as single steps.
template <class Tuning, class A, class Element>
struct StepVolumeTile {
  static constexpr int V     = Tuning::value.columns;
  static constexpr int rows  = Tuning::value.rows + 2 * Tuning::value.steps;
  static constexpr int skip  = (Tuning::value.steps + V - 1) / V;
  static constexpr int lanes = 32 - 2 * skip;  ///< lanes with results

  StencilGrid<Element, 3> const& grid;
  int first_row;
  int first;   ///< first column of the lane
  int column;  ///< the same after applying periodic boundaries

  __device__ __forceinline__ StepVolumeTile(
      StencilGrid<Element, 3> const& of_grid, int row, int warp_column)
      : grid(of_grid),
        first_row(row),
        first(warp_column + int(threadIdx.x % 32) * V),
        column(first) {
    int const n = extent(2);
    if (column < 0) column += n;
    if (column >= n) column -= n;
    if (column >= n) column = 0;  // value is not read
  }
  __device__ __forceinline__ int extent(int d) const {
    return int(grid.extent[d]);
  }
  /// Index after applying periodic boundaries, clamped to the grid. No stored
  /// sum reads values beyond other boundaries.
  __device__ __forceinline__ int inside(int d, int i) const {
    int const n = extent(d);
    i += i < 0 ? n : i >= n ? -n : 0;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  }
  __device__ __forceinline__ void load(int z, A (&plane)[rows][V]) const {
    Element const* const from = grid.data + inside(0, z) * grid.stride[0];
#pragma unroll
    for (int h = 0; h < rows; ++h) {
      Element const* const row =
          from + inside(1, first_row + h) * grid.stride[1];
      read_values<V>(row + column, plane[h]);
    }
  }
};

/// Sets the values beyond the ends of rows in a window.
template <int V, class A>
struct RowEnds {
  BeyondSide<A> const& low;
  BeyondSide<A> const& high;
  bool is_first;  ///< the window is the first of its row
  bool is_last;

  __device__ __forceinline__ void operator()(RowWindow<A, V, 1>& window) const {
    A(&value)[V + 2] = window.value;
    if (is_first) value[0] = low(value[1], value[2]);
    if (is_last) value[V + 1] = high(value[V], value[V - 1]);
  }
};
template <int V, class A>
struct NoRowEnds {
  __device__ __forceinline__ void operator()(RowWindow<A, V, 1>&) const {}
};

/// Sweeps through the planes `begin` to `end` - 1 of a warp.
template <class Tuning, class A, class Element, class Epilogue, class Ends>
__device__ __forceinline__ void sweep_planes(
    StepVolumeArguments<A, Element, Epilogue> const& in,
    StepVolumeTile<Tuning, A, Element> const& tile, int begin, int end,
    Ends const& ends) {
  using Tile            = StepVolumeTile<Tuning, A, Element>;
  constexpr int V       = Tile::V;
  constexpr int H       = Tile::rows;
  constexpr int S       = Tuning::value.steps;
  constexpr int skip    = Tile::skip;
  int const lane        = int(threadIdx.x % 32);
  GridBox<3> const& box = in.faces.rest;

  A sums[S][2][H][V];
#pragma unroll
  for (int s = 0; s < S; ++s)
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
      for (int h = 0; h < H; ++h)
#pragma unroll
        for (int i = 0; i < V; ++i) sums[s][k][h][i] = A(0);

#pragma unroll 1
  for (int z = begin - S; z < end + S; ++z) {
    A plane[H][V];
    tile.load(z, plane);
#pragma unroll
    for (int s = 0; s < S; ++s) {
      A next[H][V];
#pragma unroll
      for (int h = s + 1; h < H - s - 1; ++h) {
        RowWindow<A, V, 1> window(plane[h]);
        ends(window);
#pragma unroll
        for (int i = 0; i < V; ++i) {
          next[h][i] = add_tap(sums[s][1][h][i], in.weight[6], plane[h][i]);
          A sum      = add_tap(sums[s][0][h][i], in.weight[1], plane[h - 1][i]);
          sum        = add_tap(sum, in.weight[2], window.at(i - 1));
          sum        = add_tap(sum, in.weight[3], window.at(i));
          sum        = add_tap(sum, in.weight[4], window.at(i + 1));
          sums[s][1][h][i] = add_tap(sum, in.weight[5], plane[h + 1][i]);
          sums[s][0][h][i] = add_tap(A(0), in.weight[0], plane[h][i]);
        }
      }
#pragma unroll
      for (int h = s + 1; h < H - s - 1; ++h)
#pragma unroll
        for (int i = 0; i < V; ++i)
          plane[h][i] = static_cast<A>(static_cast<Element>(next[h][i]));
    }
    int const done = z - S;
    if (done < begin || lane < skip || lane >= 32 - skip) continue;
    if (tile.first >= tile.extent(2)) continue;
    Element* const to = in.epilogue.data + done * in.epilogue.stride[0] +
                        tile.first_row * in.epilogue.stride[1] + tile.first;
#pragma unroll
    for (int h = S; h < H - S; ++h)
      if (tile.first_row + h < int(box.end[1]))
        store_step<V>(to + h * in.epilogue.stride[1], tile.first, 0,
                      tile.extent(2), true, plane[h]);
  }
}

template <class Tuning, class A, class Element, class Epilogue>
struct StepVolumeKernel {
  static constexpr int threads    = Tuning::value.threads;
  static constexpr int min_blocks = Tuning::value.min_blocks;
  using Task                      = StepVolumeArguments<A, Element, Epilogue>;

  __device__ __forceinline__ static void run(Task const& in) {
    using Tile          = StepVolumeTile<Tuning, A, Element>;
    constexpr int V     = Tile::V;
    constexpr int warps = Tuning::value.threads / 32;

    if (blockIdx.x < in.face_blocks) {
      run_step_face<A, Element>(in, blockIdx.x * warps + threadIdx.x / 32);
      return;
    }
    // Warps of a block have adjacent strips of rows.
    unsigned const row_blocks = (in.strips + warps - 1) / warps;
    unsigned const panel      = (blockIdx.x - in.face_blocks) % in.panels;
    unsigned const block      = (blockIdx.x - in.face_blocks) / in.panels;
    unsigned const strip      = block % row_blocks * warps + threadIdx.x / 32;
    if (strip >= in.strips) return;
    GridBox<3> const& box = in.faces.rest;
    int const begin =
        int(box.begin[0]) + int(block / row_blocks) * in.panel_planes;
    int const end    = min(begin + in.panel_planes, int(box.end[0]));
    int const column = (int(panel) * Tile::lanes - Tile::skip) * V;
    Tile const tile(in.grid,
                    int(box.begin[1]) + int(strip) * Tuning::value.rows -
                        Tuning::value.steps,
                    column);
    int const columns = tile.extent(2);
    // Only few warps have ends of rows. With these branches in all warps,
    // periodic doubles took 1.16 of the time, floats 1.04 (512^3, H100, CUDA
    // 13.0, 2026-11-27).
    if (in.grid.boundaries.low[2].kind == Boundary::periodic ||
        (column > 0 && column + 32 * V < columns))
      sweep_planes<Tuning>(in, tile, begin, end, NoRowEnds<V, A>{});
    else
      sweep_planes<Tuning>(
          in, tile, begin, end,
          RowEnds<V, A>{in.beyond[2][0], in.beyond[2][1], tile.first == 0,
                        tile.first + V == columns});
  }
};

/// Rows of the grid and of the results must be aligned to 16 bytes, and their
/// length must be a multiple of a lane's columns.
/// \param panel_planes 0: chosen by tall_block_height()
template <class Tuning, class A, class Element, class Epilogue>
void launch_step_volume(Stream const& space,
                        StencilGrid<Element, 3> const& grid,
                        StencilWeights<3> const& weights,
                        Epilogue const& epilogue,
                        std::int64_t panel_planes = 0) {
  constexpr int V       = Tuning::value.columns;
  constexpr int threads = Tuning::value.threads;
  constexpr int warps   = threads / 32;
  constexpr int width   = StepVolumeTile<Tuning, A, Element>::lanes * V;
  auto const kernel =
      run_kernel<StepVolumeKernel<Tuning, A, Element, Epilogue>>;
  auto const all   = pattern_weights<A>(weights, DirectPattern::star);
  A const order[7] = {all[0], all[3], all[6], all[7], all[8], all[5], all[2]};
  // The kernel computes the ends of rows.
  Boundaries<3> boundaries = grid.boundaries;
  boundaries.low[2].kind   = Boundary::periodic;
  auto const faces      = step_strips<StepFaces>(boundaries, grid.extent, 1, 2);
  GridBox<3> const& box = faces.rest;
  std::int64_t const planes = box.end[0] - box.begin[0];
  std::int64_t const strips =
      (box.end[1] - box.begin[1] + Tuning::value.rows - 1) / Tuning::value.rows;
  std::int64_t const panels = (grid.extent[2] + width - 1) / width;
  std::int64_t const tiles  = panels * ((strips + warps - 1) / warps);
  if (panel_planes == 0) {
    KernelFacts const facts = kernel_facts(space.device, kernel, threads);
    panel_planes =
        tall_block_height(planes, tiles,
                          std::int64_t(std::max(facts.resident_blocks, 1)) *
                              device(space.device).multiprocessors,
                          2 * Tuning::value.steps, 1);
  }
  StepVolumeArguments<A, Element, Epilogue> in{grid,
                                               epilogue,
                                               faces,
                                               checked_blocks(faces.tiles()),
                                               0,
                                               checked_blocks(panels),
                                               checked_blocks(strips),
                                               int(panel_planes),
                                               {},
                                               {}};
  in.face_blocks = (in.face_tiles + warps - 1) / warps;
  std::copy_n(order, 7, in.weight);
  for (int d = 0; d < 3; ++d) {
    in.beyond[d][0] = beyond_side<A, Element>(grid.boundaries.low[d]);
    in.beyond[d][1] = beyond_side<A, Element>(grid.boundaries.high[d]);
  }
  std::int64_t const pieces = (planes + panel_planes - 1) / panel_planes;
  launch_kernel(space, "step_volume", kernel,
                {checked_blocks(tiles * pieces + in.face_blocks), threads}, in);
}

template <class A, class Element, class Epilogue, class Update = NoUpdate>
void launch_step_stencil(Stream const& space,
                         StencilGrid<Element, 3> const& grid,
                         FactoredWeights<3> const& factored, StepForm form,
                         int steps, Epilogue const& epilogue,
                         Update const& = {}) {
  // There is no kernel for fewer steps, except for one step.
  constexpr auto tuning = step_volume_tuning<A, Element>();
  static_assert(tuning.steps == 2);
  if (form != StepForm::star || steps != tuning.steps) refuse_steps();
  launch_step_volume<tuning_type<tuning>, A>(space, grid,
                                             factored.kernel_weights, epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
