// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PLANE_SWEEP_HPP
#define KOKKOSMMA_CUDA_PLANE_SWEEP_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_BlockPipeline.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TileSchedule.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabRows.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabSource.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilTuning.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Sweep of a block of threads over the planes of a part of the grid (2.5D
/// blocking). The planes pass through shared memory and are loaded ahead of
/// their use.

namespace KokkosMMA::Impl::Cuda {

template <class A, int R, class Element, class Epilogue, class Shape>
struct SweepArguments {
  SlabSource<Element, R> source;
  SumStore<Shape::columns, A, R, Epilogue> store;
  std::int64_t length;        ///< number of planes
  std::int64_t block_planes;  ///< planes per block
  std::int64_t origin;        ///< column of the first tile, not above 0
  unsigned tiles;             ///< per plane
  unsigned tiles_x;
  unsigned row_blocks;  ///< per tile, along the planes
  typename Shape::Taps taps;
  std::conditional_t<R == 3, SlabBox<Shape, Element>, NoBox> box;
};

/// Position of a thread, and the sweep of its block over its planes. Each plane
/// becomes a slab in shared memory.
template <class Shape, int R, class A, class Element>
struct PlaneSweep {
  using Index    = std::int64_t;
  using Pipeline = BlockPipeline<Shape::stages, Shape::threads / 32>;

  Index begin;   ///< first plane of the block
  Index end;     ///< end of the planes of the block
  Index column;  ///< first of the thread; in one dimension, within a tile
  Index row;     ///< first row of the thread, in three dimensions
  unsigned char* memory;  ///< all shared memory
  Element* slabs;
  A* staging;  ///< of the warp
  Index slab_x;
  Index slab_y;
  int corner;       ///< offset of the first column, reach_y rows above its row
  unsigned stored;  ///< bit i: the sums of row + i are stored
  std::conditional_t<R == 3, SlabTile<Shape, Element>, NoBox> slab_tile;

  template <class Arguments>
  __device__ __forceinline__ PlaneSweep(Arguments const& in,
                                        unsigned char* shared) {
    memory                = shared;
    constexpr int columns = Shape::columns;
    int const warp        = int(threadIdx.x / 32);
    // Tiles with a common border run at the same time.
    auto const [tile, row_block] =
        Shape::tuning.block_planes > 0
            ? PanelBlock{blockIdx.x % in.tiles, blockIdx.x / in.tiles}
            : tall_block(blockIdx.x, in.tiles, in.row_blocks);
    begin = Index(row_block) * in.block_planes;
    end   = begin + in.block_planes < in.length ? begin + in.block_planes
                                                : in.length;
    int const thread_x = int(R > 2 ? threadIdx.x % 32 : threadIdx.x) * columns;
    int const thread_y = R > 2 ? warp * Shape::rows : 0;
    Index const tile_x = in.origin + Index(tile % in.tiles_x) * Shape::tile_x;
    // Tiles at a boundary take longest. The last row of tiles is scheduled
    // first, so that it does not prolong the end of the launch. Fraction of a
    // copy's rate for stars of radius 4, when these tiles took three times as
    // long as others: float .67 with this and .61 without, half .46 and .42
    // (512^3, H100, CUDA 13.0, 2026-11-27).
    unsigned const across = tile / in.tiles_x;
    Index tile_y = Index(across == 0 ? in.tiles / in.tiles_x - 1 : across - 1) *
                   Shape::tile_y;
    column = tile_x + thread_x;
    slab_x = tile_x - Shape::pad;
    corner = 0;
    stored = 0;
    if constexpr (R == 3) {
      Index const first_row = tile_y;
      slab_tile.find(in.box, in.source.grid, tile_y, slab_x);
      corner = slab_tile.shift();
      for (int i = 0; i < Shape::rows; ++i) {
        Index const each = tile_y + thread_y + i;
        if (first_row <= each && each < in.source.grid.extent[1])
          stored |= 1u << i;
      }
    }
    row    = tile_y + thread_y;
    slab_y = tile_y - Shape::reach_y;
    corner += thread_y * Shape::pitch + thread_x + Shape::pad;
    slabs   = reinterpret_cast<Element*>(memory + Shape::lead);
    staging = reinterpret_cast<A*>(memory + Shape::lead +
                                   Shape::stages * Shape::slab_bytes) +
              warp * 32 * columns;
  }

  /// Vectors of a tile's row, rows that are copied at a time, rounds of such
  /// copies, vectors on each side of the tile, and all vectors of a row.
  static constexpr int inner   = Shape::tile_x / Shape::vector;
  static constexpr int at_once = R > 2 ? 1 : Shape::threads / inner;
  static constexpr int rounds  = (Shape::batch + at_once - 1) / at_once;
  static constexpr int side    = Shape::pad / Shape::vector;
  static constexpr int in_row  = Shape::pitch / Shape::vector;

  /// Starts copying, as whole vectors, a slab that lies completely inside the
  /// grid.
  __device__ __forceinline__ void load_rows(
      SlabSource<Element, R> const& source, Element* slab, Index plane) const {
    static_assert(R < 3 && Shape::threads % inner == 0);
    static_assert(Shape::batch * 2 * side <= Shape::threads);
    int const thread          = int(threadIdx.x);
    Index const stride        = R == 1 ? Shape::tile_x : source.grid.stride[0];
    Element const* const from = source.grid.data + plane * stride + slab_x;
    auto const copy           = [&](int row, int vector) {
      CopyAsync16::copy(slab + row * Shape::pitch + vector * Shape::vector,
                                  from + row * stride + vector * Shape::vector);
    };
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      int const row = r * at_once + thread / inner;
      if (Shape::batch % at_once == 0 || row < Shape::batch)
        copy(row, side + thread % inner);
    }
    if (thread < Shape::batch * 2 * side) {
      int const vector = thread % (2 * side);
      copy(thread / (2 * side), vector < side ? vector : inner + vector);
    }
  }

  __device__ __forceinline__ void load(SlabSource<Element, R> const& source,
                                       Index plane, int stage) const {
    Element* const slab = slabs + stage * Shape::slab;
    Index const first   = R == 1 ? slab_x + plane * Shape::tile_x : slab_x;
    Index const columns =
        Shape::pitch + (R == 1 ? (Shape::batch - 1) * Shape::tile_x : 0);
    bool const rows =
        R == 1 || (0 <= plane && plane + Shape::batch <= source.grid.extent[0]);
    if (source.rows_aligned_16 && rows && 0 <= first &&
        first + columns <= source.grid.extent[R - 1]) {
      load_rows(source, slab, plane);
      return;
    }
    if constexpr (R == 1) {
#pragma unroll 1
      for (int b = 0; b < Shape::batch; ++b)
        source.load(slab + b * Shape::pitch, 1, in_row, 0, 0,
                    slab_x + (plane + b) * Shape::tile_x, int(threadIdx.x),
                    Shape::threads);
    } else {
      source.load(slab, Shape::slab_rows, in_row, plane, slab_y, slab_x,
                  int(threadIdx.x), Shape::threads);
    }
  }

  /// Invokes step(corner, plane, shifts) for each batch of planes, beginning
  /// with the first plane that the block's sums read.
  template <class Arguments, class Step>
  __device__ __forceinline__ void over(Arguments const& in,
                                       Step const& step) const {
    if constexpr (R == 3) {
      over_planes(in, step);
    } else {
      over_batches(in.source, step);
    }
  }

 private:
  template <class Arguments, class Step>
  __device__ __forceinline__ void over_planes(Arguments const& in,
                                              Step const& step) const {
    constexpr int warps  = Shape::threads / 32;
    constexpr int stages = Shape::stages;
    constexpr bool ends  = Shape::ends > 0;
    bool const one_fills = CopyBulk::exists();
    // One barrier per stage, for tiles at an end of their rows. When the copies
    // have arrived, a warp adds the elements beyond the boundary. Only then is
    // the stage filled.
    auto const copied = [&](int stage) {
      return SharedBarrier(
          unsigned(__cvta_generic_to_shared(memory + Shape::copied_at)) +
          8 * stage);
    };
    if constexpr (ends) {
      if (threadIdx.x < stages) copied(int(threadIdx.x)).init(64);
    }
    Pipeline const pipeline(*reinterpret_cast<typename Pipeline::Memory*>(
                                memory + Shape::pipeline_at),
                            one_fills);
    int const warp     = int(threadIdx.x / 32);
    Index const first  = begin - Shape::reach;
    int const steps    = int(end + Shape::reach - first);
    auto const slab_of = [&](int stage) {
      return slabs + stage * Shape::slab + slab_tile.shift();
    };
    auto const words_of = [&](int stage) {
      return reinterpret_cast<typename Shape::EndWord*>(memory +
                                                        Shape::ends_at) +
             stage * Shape::ends;
    };
    auto const fill = [&](int s) {
      // Warps fill stages in round-robin order.
      if (one_fills && s % warps != warp) return;
      int const stage = Pipeline::stage(s);
      int thread      = int(threadIdx.x);
      Index x         = slab_x;
      // Prevents hoisting: values derived from these would spill.
      Opaque::hide(thread);
      Opaque::hide(x);
      pipeline.begin(s);
      bool const has_end = ends && slab_tile.end != 0;
      SharedBarrier const barrier =
          has_end ? copied(stage) : pipeline.filled(stage);
      unsigned const bytes = SlabRows<Shape, Element>::fill(
          in.source, in.box, slab_tile, slab_of(stage),
          shifts() + stage * Shape::slab_rows, first + s, slab_y, x, thread,
          barrier);
      if constexpr (ends) {
        if (has_end)
          slab_tile.fill_ends(in.source, words_of(stage), first + s, slab_y,
                              thread % 32);
      }
      if (one_fills)
        Pipeline::end_of_one(barrier, bytes);
      else
        pipeline.end(s, thread % 32);
    };
    auto const put_ends = [&](int s) {
      if constexpr (ends) {
        if (slab_tile.end == 0 || s >= steps || s % warps != warp) return;
        int const stage = Pipeline::stage(s);
        int thread      = int(threadIdx.x);
        Opaque::hide(thread);
        copied(stage).wait(unsigned(s / stages) % 2);
        slab_tile.put_ends(in.source, slab_of(stage), words_of(stage), slab_x,
                           thread % 32);
        Pipeline::end_of_one(pipeline.filled(stage), 0);
      }
    };
#pragma unroll 1
    for (int s = 0; s < Pipeline::ahead && s < steps; ++s) fill(s);
    put_ends(0);
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      if (s + Pipeline::ahead < steps) fill(s + Pipeline::ahead);
      put_ends(s + 1);
      pipeline.wait(s);
      int const stage = Pipeline::stage(s);
      step(slabs + stage * Shape::slab + corner, first + s,
           shifts() + stage * Shape::slab_rows + warp * Shape::rows);
      pipeline.release(s);
    }
  }
  __device__ int* shifts() const {
    return reinterpret_cast<int*>(memory + Shape::shifts_at);
  }

  template <class Step>
  __device__ __forceinline__ void over_batches(
      SlabSource<Element, R> const& source, Step const& step) const {
    constexpr int stages = Shape::stages;
    constexpr int batch  = Shape::batch;
    Index const first    = begin - Shape::reach;
    Index const last     = end + Shape::reach;
#pragma unroll 1
    for (int s = 0; s < stages - 1; ++s) {
      if (first + s * batch < last) load(source, first + s * batch, s);
      CopyAsync16::commit();
    }
    int stage = 0;
#pragma unroll 1
    for (Index plane = first; plane < last; plane += batch) {
      CopyAsync16::wait<stages - 2>();
      __syncthreads();
      if (plane + (stages - 1) * batch < last)
        load(source, plane + (stages - 1) * batch,
             stage == 0 ? stages - 1 : stage - 1);
      CopyAsync16::commit();
      step(slabs + stage * Shape::slab + corner, plane, nullptr);
      stage = stage + 1 == stages ? 0 : stage + 1;
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
