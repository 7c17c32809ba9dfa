// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_VOLUME_HPP
#define KOKKOSMMA_CUDA_STEP_VOLUME_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
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
/// Beyond boundaries are constants, put in after each step, or periodic grids.

namespace KokkosMMA::Impl::Cuda {

template <class A, class Element, class Epilogue>
struct StepVolumeArguments {
  StencilGrid<Element, 3> grid;
  Epilogue epilogue;
  unsigned panels;
  unsigned strips;   ///< of rows
  int panel_planes;  ///< of a warp
  int origin;        ///< the first column of the first panel
  bool loads;        ///< in vectors
  bool stores;
  A weight[7];  ///< in their order
};

template <class Tuning, class A, class Element, class Epilogue>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    step_volume(KOKKOSMMA_GRID_CONSTANT
                    StepVolumeArguments<A, Element, Epilogue> const in) {
  using Index         = std::int64_t;
  constexpr int V     = Tuning::value.columns;
  constexpr int S     = Tuning::value.steps;
  constexpr int rows  = Tuning::value.rows;
  constexpr int warps = Tuning::value.threads / 32;
  constexpr int H     = rows + 2 * S;
  constexpr int skip  = (S + V - 1) / V;
  constexpr int per =
      V * int(sizeof(Element)) < 16 ? V : 16 / int(sizeof(Element));
  using Words = WordOf<per* int(sizeof(Element))>;

  // Warps of a block have rows below each other.
  unsigned block       = blockIdx.x;
  unsigned const panel = block % in.panels;
  block /= in.panels;
  unsigned const row_blocks = (in.strips + warps - 1) / warps;
  unsigned const strip      = block % row_blocks * warps + threadIdx.x / 32;
  if (strip >= in.strips) return;
  int const lane    = int(threadIdx.x % 32);
  int const planes  = int(in.grid.extent[0]);
  int const lines   = int(in.grid.extent[1]);
  int const columns = int(in.grid.extent[2]);
  int const begin   = int(block / row_blocks) * in.panel_planes;
  int const end     = min(begin + in.panel_planes, planes);
  int const y0      = int(strip) * rows - S;
  int const x0      = in.origin + (int(panel) * (32 - 2 * skip) - skip) * V;
  int const x       = x0 + lane * V;

  Boundaries<3> const& sides = in.grid.boundaries;
  auto const periodic        = [&](int d) {
    return sides.low[d].kind == Boundary::periodic;
  };
  bool const open_rows    = !periodic(1) && (y0 < 0 || y0 + H > lines);
  bool const open_columns = !periodic(2) && (x0 < 0 || x0 + 32 * V > columns);
  // An index that there is: of what stands for an element that is needed.
  auto const inside = [&](int i, int n, bool is_periodic) {
    if (is_periodic) i += i < 0 ? n : i >= n ? -n : 0;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  };
  // What an element is, if it is a constant beyond a boundary.
  auto const constant = [&](int z, int y, int column, A value) {
    auto const beyond = [&](int d, int i, int n) {
      if (!periodic(d) && (i < 0 || i >= n))
        value = static_cast<A>(static_cast<Element>(
            i < 0 ? sides.low[d].value : sides.high[d].value));
    };
    // Where constants meet, the caller's first dimension has its own.
    if (in.grid.reversed) {
      beyond(0, z, planes);
      beyond(1, y, lines);
      beyond(2, column, columns);
    } else {
      beyond(2, column, columns);
      beyond(1, y, lines);
      beyond(0, z, planes);
    }
    return value;
  };
  auto const set_constants = [&](int z, A(&plane)[H][V], int margin) {
    if (!open_rows && !open_columns && (periodic(0) || (0 <= z && z < planes)))
      return;
#pragma unroll
    for (int h = 0; h < H; ++h)
      if (margin <= h && h < H - margin)
#pragma unroll
        for (int i = 0; i < V; ++i)
          plane[h][i] = constant(z, y0 + h, x + i, plane[h][i]);
  };

  int column = x;
  if (periodic(2) && column + V <= 0) column += columns;
  if (periodic(2) && column >= columns) column -= columns;
  bool const vectors = in.loads && column >= 0 && column + V <= columns &&
                       (column == x || columns % per == 0);

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
    Element const* const from =
        in.grid.data + inside(z, planes, periodic(0)) * in.grid.stride[0];
#pragma unroll
    for (int h = 0; h < H; ++h) {
      Element const* const row =
          from + inside(y0 + h, lines, periodic(1)) * in.grid.stride[1];
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
        for (int i = 0; i < V; ++i)
          elements[i] = row[inside(column + i, columns, periodic(2))];
      }
#pragma unroll
      for (int i = 0; i < V; ++i) plane[h][i] = static_cast<A>(elements[i]);
    }
    set_constants(z, plane, 0);
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
      if (s + 1 < S) set_constants(z - s - 1, plane, s + 1);
    }
    int const done = z - S;
    if (done < begin || lane < skip || lane >= 32 - skip) continue;
    Element* const to = in.epilogue.data + done * in.epilogue.stride[0] + x;
#pragma unroll
    for (int h = S; h < H - S; ++h)
      if (y0 + h < lines)
        store_step<V>(to + Index(y0 + h) * in.epilogue.stride[1], x, 0, columns,
                      in.stores, plane[h]);
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
  std::int64_t const strips =
      (grid.extent[1] + Tuning::value.rows - 1) / Tuning::value.rows;
  std::int64_t const panels =
      (grid.extent[2] - alignment.origin + width - 1) / width;
  std::int64_t const tiles = panels * ((strips + warps - 1) / warps);
  if (panel_planes == 0) {
    KernelFacts const facts =
        kernel_facts(space.cuda_device(), kernel, threads);
    panel_planes =
        tall_block_height(grid.extent[0], tiles,
                          std::int64_t(std::max(facts.resident_blocks, 1)) *
                              device(space.cuda_device()).multiprocessors,
                          2 * Tuning::value.steps, 1);
  }
  StepVolumeArguments<A, Element, Epilogue> in{grid,
                                               epilogue,
                                               checked_blocks(panels),
                                               checked_blocks(strips),
                                               int(panel_planes),
                                               int(alignment.origin),
                                               alignment.loads,
                                               alignment.stores,
                                               {}};
  auto const all   = pattern_weights<A>(weights, DirectPattern::star);
  A const order[7] = {all[0], all[3], all[6], all[7], all[8], all[5], all[2]};
  std::copy_n(order, 7, in.weight);
  std::int64_t const pieces =
      (grid.extent[0] + panel_planes - 1) / panel_planes;
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
