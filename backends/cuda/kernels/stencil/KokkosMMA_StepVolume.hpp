// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_VOLUME_HPP
#define KOKKOSMMA_CUDA_STEP_VOLUME_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StepFaces.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StepStencilTuning.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StepSums.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

/// \file
/// Steps of a star of radius 1 in three dimensions, some in one sweep, each
/// rounded as a single step is. A warp owns some rows of a panel of columns and
/// marches through planes. The sums of all steps under way lie in registers,
/// with those of the rows, columns and planes around that later steps need.
///
/// No step of such a warp sees a boundary, for periodic ones are none. What
/// does, beside other boundaries, is done by step_faces: a kernel of its own. A
/// sweep of 512^3 floats took 0.543 ms so and 0.553 to 0.569 with blocks of it
/// among or before those of this one, which have fewer warps (H100, CUDA 13.0,
/// 2026-11-27). Constants that warps of this one put in after each step made it
/// slower than single steps: 172 of 297 10^9 updates per second (2026-11-26).

namespace KokkosMMA::Impl::Cuda {

template <class A, class Element, class Epilogue>
struct StepVolumeArguments {
  StencilGrid<Element, 3> grid;
  Epilogue epilogue;
  GridBox<3> box;  ///< of what step_faces leaves
  unsigned panels;
  unsigned strips;   ///< of rows
  int panel_planes;  ///< of a warp
  int origin;        ///< the first column of the first panel
  bool loads;        ///< in vectors
  bool stores;
  A weight[7];  ///< in their order
};

/// The rows and columns of a warp, with those around that its steps need.
template <class Tuning, class A, class Element>
struct StepVolumeTile {
  static constexpr int V    = Tuning::value.columns;
  static constexpr int rows = Tuning::value.rows + 2 * Tuning::value.steps;
  static constexpr int per =
      V * int(sizeof(Element)) < 16 ? V : 16 / int(sizeof(Element));
  using Words = WordOf<per* int(sizeof(Element))>;

  StencilGrid<Element, 3> const& grid;
  int first_row;
  int first;   ///< column of the lane
  int column;  ///< what stands for it
  bool vectors;

  __device__ __forceinline__
  StepVolumeTile(StencilGrid<Element, 3> const& of_grid, int row,
                 int warp_column, bool aligned)
      : grid(of_grid),
        first_row(row),
        first(warp_column + int(threadIdx.x % 32) * V),
        column(first) {
    int const n = extent(2);
    if (column + V <= 0) column += n;
    if (column >= n) column -= n;
    vectors = aligned && column >= 0 && column + V <= n &&
              (column == first || n % per == 0);
  }
  __device__ __forceinline__ int extent(int d) const {
    return int(grid.extent[d]);
  }
  /// An index that there is: of what stands for an element that is needed. No
  /// sum that is stored needs those beyond boundaries that are not periodic.
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
      LoadedElement<Element> elements[V];
      if (vectors) {
#pragma unroll
        for (int v = 0; v < V / per; ++v) {
          Words const words =
              *reinterpret_cast<Words const*>(row + column + v * per);
          memcpy(static_cast<void*>(elements + v * per), &words, sizeof(words));
        }
      } else {
#pragma unroll
        for (int i = 0; i < V; ++i) elements[i] = row[inside(2, column + i)];
      }
#pragma unroll
      for (int i = 0; i < V; ++i) plane[h][i] = static_cast<A>(elements[i]);
    }
  }
};

template <class Tuning, class A, class Element, class Epilogue>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    step_volume(KOKKOSMMA_GRID_CONSTANT
                    StepVolumeArguments<A, Element, Epilogue> const in) {
  using Tile          = StepVolumeTile<Tuning, A, Element>;
  constexpr int V     = Tile::V;
  constexpr int H     = Tile::rows;
  constexpr int S     = Tuning::value.steps;
  constexpr int warps = Tuning::value.threads / 32;
  constexpr int skip  = (S + V - 1) / V;

  // Warps of a block have rows below each other.
  unsigned const row_blocks = (in.strips + warps - 1) / warps;
  unsigned const panel      = blockIdx.x % in.panels;
  unsigned const block      = blockIdx.x / in.panels;
  unsigned const strip      = block % row_blocks * warps + threadIdx.x / 32;
  if (strip >= in.strips) return;
  int const lane        = int(threadIdx.x % 32);
  GridBox<3> const& box = in.box;
  int const begin =
      int(box.begin[0]) + int(block / row_blocks) * in.panel_planes;
  int const end = min(begin + in.panel_planes, int(box.end[0]));
  Tile const tile(
      in.grid, int(box.begin[1]) + int(strip) * Tuning::value.rows - S,
      in.origin + (int(panel) * (32 - 2 * skip) - skip) * V, in.loads);

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
        RowWindow<A, V, 1> const window(plane[h]);
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
    Element* const to = in.epilogue.data + done * in.epilogue.stride[0] +
                        tile.first_row * in.epilogue.stride[1] + tile.first;
#pragma unroll
    for (int h = S; h < H - S; ++h)
      if (tile.first_row + h < int(box.end[1]))
        store_step<V>(to + h * in.epilogue.stride[1], tile.first,
                      int(box.begin[2]), int(box.end[2]), in.stores, plane[h]);
  }
}

/// \param panel_planes 0 for those of tall_block_height()
template <class Tuning, class A, class Element, class Epilogue>
void launch_step_volume_of(Kokkos::Cuda const& space,
                           StencilGrid<Element, 3> const& grid,
                           StencilWeights<3> const& weights,
                           Epilogue const& epilogue,
                           std::int64_t panel_planes = 0) {
  constexpr int V       = Tuning::value.columns;
  constexpr int threads = Tuning::value.threads;
  constexpr int warps   = threads / 32;
  constexpr int width   = (32 - 2 * ((Tuning::value.steps + V - 1) / V)) * V;
  auto const kernel     = step_volume<Tuning, A, Element, Epilogue>;
  StencilAlignment const alignment = stencil_alignment<V, A>(grid, epilogue);
  auto const all   = pattern_weights<A>(weights, DirectPattern::star);
  A const order[7] = {all[0], all[3], all[6], all[7], all[8], all[5], all[2]};
  GridBox<3> const box = launch_step_faces(space, grid, epilogue, order);
  // Panels begin where vectors do.
  std::int64_t const origin =
      alignment.origin + (box.begin[2] - alignment.origin) / V * V;
  std::int64_t const planes = box.end[0] - box.begin[0];
  std::int64_t const strips =
      (box.end[1] - box.begin[1] + Tuning::value.rows - 1) / Tuning::value.rows;
  std::int64_t const panels = (box.end[2] - origin + width - 1) / width;
  std::int64_t const tiles  = panels * ((strips + warps - 1) / warps);
  if (panel_planes == 0) {
    KernelFacts const facts =
        kernel_facts(space.cuda_device(), kernel, threads);
    panel_planes =
        tall_block_height(planes, tiles,
                          std::int64_t(std::max(facts.resident_blocks, 1)) *
                              device(space.cuda_device()).multiprocessors,
                          2 * Tuning::value.steps, 1);
  }
  StepVolumeArguments<A, Element, Epilogue> in{grid,
                                               epilogue,
                                               box,
                                               checked_blocks(panels),
                                               checked_blocks(strips),
                                               int(panel_planes),
                                               int(origin),
                                               alignment.loads,
                                               alignment.stores,
                                               {}};
  std::copy_n(order, 7, in.weight);
  std::int64_t const pieces = (planes + panel_planes - 1) / panel_planes;
  launch_kernel(space, "step_volume", kernel,
                {checked_blocks(tiles * pieces), threads}, in);
}

template <class A, class Element, class Epilogue>
void launch_step_volume(Kokkos::Cuda const& space,
                        StencilGrid<Element, 3> const& grid,
                        StencilWeights<3> const& weights,
                        Epilogue const& epilogue) {
  launch_step_volume_of<tuning_type<step_volume_tuning<A, Element>()>, A>(
      space, grid, weights, epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
