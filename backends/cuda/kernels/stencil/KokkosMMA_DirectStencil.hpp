// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DIRECT_STENCIL_HPP
#define KOKKOSMMA_CUDA_DIRECT_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_BlockPipeline.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SlabRows.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SlabSource.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TileSchedule.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

/// \file
/// Stencils of any weights as multiply-adds, every sum in the order of the
/// weights: the results are those of the generic route, bit for bit.
///
/// Stars and dense weights march along the slowest dimension: a thread keeps
/// the sums of all planes that the newest one reaches, and of that plane alone
/// reads a few neighbours from shared memory, each once for all these sums.
/// What is added for the next plane is written one place further, so that the
/// queue moves on at no cost. Other weights are walked in groups of a row.

namespace KokkosMMA::Impl::Cuda {

template <class A>
__device__ __forceinline__ A add_tap(A sum, A weight, A value) {
  return Combine<Operation::sum, A>::apply(
      sum, Combine<Operation::prod, A>::apply(weight, value));
}

/// Values of consecutive elements that lie aligned in shared memory.
template <int Count, class A, class Element>
__device__ __forceinline__ void read_values(Element const* from, A* values) {
  constexpr int bytes = Count * int(sizeof(Element));
  using Words         = std::conditional_t<
      bytes % 16 == 0, uint4,
      std::conditional_t<
          bytes % 8 == 0, uint2,
          std::conditional_t<bytes % 4 == 0, unsigned,
                             typename Unsigned<int(sizeof(Element))>::type>>>;
  constexpr int per = int(sizeof(Words) / sizeof(Element));
#pragma unroll
  for (int w = 0; w < Count / per; ++w) {
    Words const words = reinterpret_cast<Words const*>(from)[w];
    LoadedElement<Element> elements[per];
    memcpy(static_cast<void*>(elements), &words, sizeof(words));
#pragma unroll
    for (int e = 0; e < per; ++e)
      values[w * per + e] = static_cast<A>(elements[e]);
  }
}

/// Where they lie anywhere, one by one.
template <int Count, bool Anywhere, class A, class Element>
__device__ __forceinline__ void read_columns(Element const* from, A* values) {
  if constexpr (Anywhere) {
#pragma unroll
    for (int i = 0; i < Count; ++i) read_values<1>(from + i, values + i);
  } else {
    read_values<Count>(from, values);
  }
}

/// Sums of `Columns` consecutive elements, by each lane of a warp, whose 32 are
/// neighbours.
template <int Columns, class A, int R, class Sink>
struct SumStore {
  using Index = std::int64_t;

  Sink sink;
  Index extent;  ///< of the last dimension
  bool vectors;  ///< whether these elements are aligned in the memory of the
                 ///< result

  /// A vector of at most 16 bytes.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int vector_of(int size) {
    return Columns * size < 16 ? Columns : 16 / size;
  }

  /// `at` is the first element of the lane; `staging` has room for the warp.
  __device__ __forceinline__ void operator()(Index (&at)[R],
                                             A const (&sums)[Columns],
                                             A* staging) const {
    if constexpr (VisibleStencilSink<Sink>) {
      write(address(at), at[R - 1], sums, staging);
    } else {
      stage(sums, staging);
      Index const first = at[R - 1] - lane() * Columns;
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        int const e = c * 32 + lane();
        at[R - 1]   = first + e;
        if (0 <= at[R - 1] && at[R - 1] < extent) sink(at, staging[e]);
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ auto* address(Index const (&at)[R]) const {
    auto* to = sink.data + at[R - 1];
#pragma unroll
    for (int d = 0; d + 1 < R; ++d) to += at[d] * sink.stride[d];
    return to;
  }
  /// Likewise where the lane's first element lies at `to`, in column `first`.
  template <class Result>
  __device__ __forceinline__ void write(Result* to, Index first,
                                        A const (&sums)[Columns],
                                        A* staging) const {
    bool const is_whole = 0 <= first && first + Columns <= extent;
    if (vectors && is_whole) {
      write_vectors(to, sums);
    } else if (vectors) {
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        if (0 <= first + c && first + c < extent)
          to[c] = static_cast<Result>(sums[c]);
    } else {
      stage(sums, staging);
      Result* const of_lane = to - lane() * (Columns - 1);
      Index const column    = first - lane() * (Columns - 1);
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        if (0 <= column + c * 32 && column + c * 32 < extent)
          of_lane[c * 32] = static_cast<Result>(staging[c * 32 + lane()]);
      __syncwarp();
    }
  }

 private:
  __device__ __forceinline__ static int lane() { return int(threadIdx.x % 32); }

  /// Elements of lanes side by side: a warp writes whole lines.
  __device__ __forceinline__ static void stage(A const (&sums)[Columns],
                                               A* staging) {
#pragma unroll
    for (int c = 0; c < Columns; ++c) staging[lane() * Columns + c] = sums[c];
    __syncwarp();
  }
  template <class Result>
  __device__ __forceinline__ static void write_vectors(
      Result* to, A const (&sums)[Columns]) {
    constexpr int per   = vector_of(int(sizeof(Result)));
    constexpr int bytes = per * int(sizeof(Result));
#pragma unroll
    for (int v = 0; v < Columns / per; ++v) {
      Result results[per];
#pragma unroll
      for (int e = 0; e < per; ++e)
        results[e] = static_cast<Result>(sums[v * per + e]);
      using Words = std::conditional_t<
          bytes == 16, uint4,
          std::conditional_t<
              bytes == 8, uint2,
              std::conditional_t<bytes == 4, unsigned,
                                 std::conditional_t<bytes == 2, unsigned short,
                                                    unsigned char>>>>;
      static_assert(sizeof(Words) == bytes);
      Words words;
      memcpy(&words, static_cast<void const*>(results), sizeof(words));
      __stcs(reinterpret_cast<Words*>(to + v * per), words);
    }
  }
};

/// What the memory of a call allows.
struct StencilAlignment {
  std::int64_t origin;  ///< first column of the first tile, not above 0
  bool loads;
  bool stores;
};

/// `Columns` are those of a thread. Tiles start where loads or stores, both
/// where that is possible, are of whole vectors. Of elements of 4 and 8 bytes
/// rather the stores: they are copied one by one at little loss, those of 1
/// and 2 bytes are not.
template <int Columns, class A, class Element, int R, class Sink>
StencilAlignment stencil_alignment(StencilGrid<Element, R> const& grid,
                                   Sink const& sink) {
  auto const misaligned = [](auto const* data, auto const* strides, int bytes) {
    constexpr auto size = std::int64_t(sizeof(*data));
    auto const address  = reinterpret_cast<std::uintptr_t>(data);
    for (int d = 0; d + 1 < R; ++d)
      if (strides[d] * size % bytes != 0) return std::int64_t(-1);
    if (address % std::uintptr_t(size) != 0) return std::int64_t(-1);
    return std::int64_t(address % std::uintptr_t(bytes)) / size;
  };
  std::int64_t const load = misaligned(grid.data, grid.stride, 16);
  if constexpr (VisibleStencilSink<Sink>) {
    using Result = typename Sink::value_type;
    constexpr int per =
        SumStore<Columns, A, R, Sink>::vector_of(int(sizeof(Result)));
    std::int64_t const store =
        misaligned(sink.data, sink.stride, per * int(sizeof(Result)));
    if (load >= 0 && store >= 0 && (load - store) % per == 0)
      return {-load, true, true};
    if (store >= 0 && (sizeof(Element) >= 4 || load < 0))
      return {-store, false, true};
  }
  if (load >= 0) return {-load, true, false};
  return {0, false, false};
}

template <class A, int Taps>
struct MarchTaps {
  bool has_centre;
  A weight[Taps];
};

/// The parts of a march. `Radius` is that of all dimensions.
///
/// H200, 2026-11-21, 16384^2, 10^9 elements per second, pieces in one round and
/// batches unrolled (copy: 493 float, 258 double, 976 half):
///
///            1d r 3   star r 1, 3, 7   dense r 1, 3, 7
///   float       435   361  349  270    361  316   86
///   double      230   192  208  123    203  200   38
///   half        842   588  464  313    607  279   87
///
/// A batch that is unrolled is read ahead into registers and spills from radius
/// 5 on.
template <class A, int R, class Element, int Radius, bool Star,
          bool Shifted = false>
struct MarchShape {
  static constexpr int vector  = 16 / int(sizeof(Element));
  static constexpr int reach   = R > 1 ? Radius : 0;  // planes
  static constexpr int reach_y = R > 2 ? Radius : 0;
  static constexpr int width   = 2 * Radius + 1;
  static constexpr int queue   = 2 * reach + 1;
  static constexpr int queue_y = 2 * reach_y + 1;
  static constexpr int taps    = Star ? R * width : queue * queue_y * width;

  /// Registers of the sums.
  static constexpr int registers(int columns, int rows) {
    return queue * columns * rows * int(sizeof(A)) / 4;
  }
  static constexpr int columns_for(int rows) {
    int columns        = vector;
    constexpr int most = R < 3           ? 72
                         : !Star         ? 36
                         : Radius < 5    ? 72
                         : sizeof(A) > 4 ? 88
                                         : 104;
    while (columns > 1 && registers(columns, rows) > most) columns /= 2;
    return columns;
  }
  static constexpr int columns = columns_for(R > 2 ? 2 : 1);
  static constexpr int rows = R < 3 ? 1 : registers(columns, 4) <= 48 ? 4 : 2;
  static constexpr int sums = registers(columns, rows);
  /// With 256, more sums than these would spill (sm_90, CUDA 13.0).
  static constexpr int threads = R < 3                              ? 128
                                 : sums > (sizeof(A) > 4 ? 60 : 72) ? 192
                                                                    : 256;
  // What spills for sm_80 (CUDA 13.0), and does not for sm_90.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr bool wants_registers = sums >= (sizeof(A) > 4 ? 40 : 104);
#else
  static constexpr bool wants_registers = false;
#endif
  static constexpr int min_blocks = R > 2        ? wants_registers ? 1 : 2
                                    : sums <= 12 ? 7
                                    : sums <= 28 ? 5
                                    : sums <= 60 ? 3
                                                 : 2;
  /// Planes of a stage.
  static constexpr int batch = R > 2 ? 1 : 4;
  /// Up to these radii memory bounds a march of two dimensions. With low
  /// pieces stars of radius 5 are no faster at 16384^2 (0.86 and 0.88 of a copy
  /// for float and double), and at 4096^2 they take 66 and 101 instead of 57
  /// and 89 us (H200, 2026-11-23).
  static constexpr bool low_pieces =
      R != 2 ||
      Radius <= (vector > 4 ? int(sizeof(Element)) : 4) / (Star ? 1 : 2);
  /// Planes of such a piece. Part of the rate of the runtime's copy, two
  /// dimensions, by planes (float, 16384^2, 2026-11-23):
  ///   star r = 1   6 0.97, 10 0.97, 18 0.95, 34 0.91, 106 0.89
  ///   star r = 3   10 0.85, 18 0.95, 26 0.94, 42 0.89; 4 stages 14 0.94
  ///   dense r = 2  14 0.84, 22 0.91, 34 0.86
  /// One dimension, radius 1 and 7: 4 0.98 and 0.92, 8 0.95 and 0.94, 64 0.90
  /// and 0.89.
  static constexpr int piece    = R == 1
                                      ? width <= 2 * int(sizeof(Element)) ? 4 : 8
                                  : R == 3      ? Radius == 1 ? 24 : 16 * Radius
                                  : Radius == 1 ? 10
                                  : Radius <= 3 ? 24 - 2 * Radius
                                                : 6 * Radius;
  static constexpr int stages   = low_pieces && R == 2 && Star && Radius > 1 ? 6
                                  : R == 3 && Radius > 1 && sizeof(Element) > 4
                                      ? 5
                                      : 4;
  static constexpr int tile_x   = (R > 2 ? 32 : threads) * columns;
  static constexpr int tile_y   = R > 2 ? threads / 32 * rows : 1;
  static constexpr int pad      = (Radius + vector - 1) / vector * vector;
  static constexpr bool shifted = Shifted;
  static constexpr int width_x  = tile_x + 2 * pad;
  static constexpr int pitch =
      width_x + (Shifted ? 32 / int(sizeof(Element)) : 0);
  static constexpr int slab_rows     = R > 2 ? tile_y + 2 * reach_y : batch;
  static constexpr int slab          = pitch * slab_rows;
  static constexpr int slab_bytes    = slab * int(sizeof(Element));
  static constexpr int staging_bytes = threads * columns * int(sizeof(A));
  /// Before the first slab.
  static constexpr int lead    = sector_lead(pad * int(sizeof(Element)));
  static constexpr int ring_at = lead + stages * slab_bytes + staging_bytes;
  static constexpr int shifts_at =
      ring_at + (R > 2 ? 2 * stages * int(sizeof(std::uint64_t)) : 0);
  static constexpr int shared_bytes =
      shifts_at + (Shifted ? stages * slab_rows * int(sizeof(int)) : 0);
  /// The neighbours of a row that a thread reads.
  static constexpr int side   = (Radius + columns - 1) / columns * columns;
  static constexpr int window = columns + 2 * side;
  static_assert(tile_x % vector == 0 && pitch * int(sizeof(Element)) % 32 == 0);

  // A type without an expression in the kernel's parameter: nvcc 13.0 and its
  // host compiler mangle that differently, and the kernel is not found.
  using Taps = MarchTaps<A, taps>;
};

template <class A, int R, class Element, class Sink, class Shape>
struct MarchArguments {
  SlabSource<Element, R> source;
  SumStore<Shape::columns, A, R, Sink> store;
  std::int64_t length;  ///< planes
  std::int64_t piece;   ///< planes of a block
  std::int64_t origin;
  unsigned tiles;
  unsigned tiles_x;
  unsigned pieces;
  typename Shape::Taps taps;
};

template <class A, int R, class Element, class Sink, int Radius, bool Star,
          bool Shifted>
using PatternArguments =
    MarchArguments<A, R, Element, Sink,
                   MarchShape<A, R, Element, Radius, Star, Shifted>>;

/// Where a thread stands, and the march of its block over the planes of a
/// piece: they come into a ring of slabs in shared memory, some ahead of those
/// that are read.
template <class Shape, int R, class A, class Element>
struct March {
  using Index = std::int64_t;
  using Ring  = CopyRing<Shape::stages, Shape::threads / 32>;

  Index begin;   ///< the first plane of the piece
  Index end;     ///< behind the last one
  Index column;  ///< the first one of the thread; of one dimension, in a tile
  Index row;     ///< likewise, of three dimensions
  unsigned char* memory;  ///< all that is shared
  Element* slabs;
  A* staging;  ///< of the warp
  Index slab_x;
  Index slab_y;
  int corner;  ///< the thread's first column, reach_y rows above its first row

  template <class Arguments>
  __device__ __forceinline__ March(Arguments const& in, unsigned char* shared) {
    memory                = shared;
    constexpr int columns = Shape::columns;
    int const warp        = int(threadIdx.x / 32);
    // Tiles that share a border run at the same time.
    auto const [tile, piece] =
        Shape::low_pieces
            ? StripPiece{blockIdx.x % in.tiles, blockIdx.x / in.tiles}
            : strip_piece(blockIdx.x, in.tiles, in.pieces);
    begin = Index(piece) * in.piece;
    end   = begin + in.piece < in.length ? begin + in.piece : in.length;
    int const thread_x = int(R > 2 ? threadIdx.x % 32 : threadIdx.x) * columns;
    int const thread_y = R > 2 ? warp * Shape::rows : 0;
    Index const tile_x = in.origin + Index(tile % in.tiles_x) * Shape::tile_x;
    Index const tile_y = Index(tile / in.tiles_x) * Shape::tile_y;
    column             = tile_x + thread_x;
    row                = tile_y + thread_y;
    slab_x             = tile_x - Shape::pad;
    slab_y             = tile_y - Shape::reach_y;
    corner             = thread_y * Shape::pitch + thread_x + Shape::pad;
    slabs              = reinterpret_cast<Element*>(memory + Shape::lead);
    staging            = reinterpret_cast<A*>(memory + Shape::lead +
                                   Shape::stages * Shape::slab_bytes) +
              warp * 32 * columns;
  }

  /// The threads of a row's vectors within the tile, those of rows at a time,
  /// and the vectors beside it.
  static constexpr int inner   = Shape::tile_x / Shape::vector;
  static constexpr int at_once = R > 2 ? 1 : Shape::threads / inner;
  static constexpr int rounds  = (Shape::batch + at_once - 1) / at_once;
  static constexpr int side    = Shape::pad / Shape::vector;
  static constexpr int in_row  = Shape::pitch / Shape::vector;

  /// Starts to copy a slab of which everything is an element of the grid, in
  /// whole vectors.
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
    int thread          = int(threadIdx.x);
    Index x             = slab_x;
    {
      Index const first = R == 1 ? slab_x + plane * Shape::tile_x : slab_x;
      Index const columns =
          Shape::pitch + (R == 1 ? (Shape::batch - 1) * Shape::tile_x : 0);
      bool const rows = R == 1 || (0 <= plane && plane + Shape::batch <=
                                                     source.grid.extent[0]);
      if (source.vectors && rows && 0 <= first &&
          first + columns <= source.grid.extent[R - 1]) {
        load_rows(source, slab, plane);
        return;
      }
    }
    if constexpr (R == 1) {
#pragma unroll 1
      for (int b = 0; b < Shape::batch; ++b)
        source.load(slab + b * Shape::pitch, 1, in_row, 0, 0,
                    slab_x + (plane + b) * Shape::tile_x, int(threadIdx.x),
                    Shape::threads);
    } else {
      source.load(slab, Shape::slab_rows, in_row, plane, slab_y, x, thread,
                  Shape::threads);
    }
  }

  /// step(corner, plane, shifts) for each batch of planes, from the first one
  /// that a sum of the first plane needs.
  template <class Step>
  __device__ __forceinline__ void over(SlabSource<Element, R> const& source,
                                       Step const& step) const {
    if constexpr (R == 3) {
      over_planes(source, step);
    } else {
      over_batches(source, step);
    }
  }

 private:
  template <class Step>
  __device__ __forceinline__ void over_planes(
      SlabSource<Element, R> const& source, Step const& step) const {
    bool const one_fills = CopyBulk::exists();
    Ring const ring(
        *reinterpret_cast<typename Ring::Memory*>(memory + Shape::ring_at),
        one_fills);
    int const warp    = int(threadIdx.x / 32);
    Index const first = begin - Shape::reach;
    int const steps   = int(end + Shape::reach - first);
    auto const fill   = [&](int s) {
      // Each warp in its turn.
      if (one_fills && s % (Shape::threads / 32) != warp) return;
      int const stage = Ring::stage(s);
      int thread      = int(threadIdx.x);
      Index x         = slab_x;
      // Kept from plane to plane, what follows from these would spill.
      Opaque::hide(thread);
      Opaque::hide(x);
      ring.begin(s);
      unsigned const bytes = SlabRows<Shape, Element>::fill(
            source, slabs + stage * Shape::slab,
            shifts() + stage * Shape::slab_rows, first + s, slab_y, x, thread,
            ring.filled(stage));
      if (one_fills)
        ring.end_of_one(s, bytes);
      else
        ring.end(s, thread % 32);
    };
#pragma unroll 1
    for (int s = 0; s < Ring::ahead && s < steps; ++s) fill(s);
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      if (s + Ring::ahead < steps) fill(s + Ring::ahead);
      ring.wait(s);
      int const stage = Ring::stage(s);
      step(slabs + stage * Shape::slab + corner, first + s,
           shifts() + stage * Shape::slab_rows + warp * Shape::rows);
      ring.release(s);
    }
  }
  /// Those of the rows of each stage.
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

template <class A, int R, class Element, class Sink, int Radius, bool Star,
          bool Shifted>
__global__ void __launch_bounds__(
    (MarchShape<A, R, Element, Radius, Star, Shifted>::threads),
    (MarchShape<A, R, Element, Radius, Star, Shifted>::min_blocks))
    march_stencil(
        PatternArguments<A, R, Element, Sink, Radius, Star, Shifted> const in) {
  using Shape           = MarchShape<A, R, Element, Radius, Star, Shifted>;
  using Index           = std::int64_t;
  constexpr int columns = Shape::columns;
  constexpr int rows    = Shape::rows;
  constexpr int queue   = Shape::queue;
  constexpr int reach   = Shape::reach;
  constexpr int reach_y = Shape::reach_y;
  constexpr int width   = Shape::width;

  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, memory);
  March<Shape, R, A, Element> const march(in, memory);

  A sums[queue][rows][columns];
#pragma unroll
  for (int k = 0; k < queue; ++k)
#pragma unroll
    for (int y = 0; y < rows; ++y)
#pragma unroll
      for (int x = 0; x < columns; ++x) sums[k][y][x] = A(0);

  // Where the first sum of a plane belongs.
  [[maybe_unused]] auto* to = [&] {
    if constexpr (R == 3 && VisibleStencilSink<Sink>) {
      return in.store.address({march.begin, march.row, march.column});
    } else {
      return static_cast<A*>(nullptr);
    }
  }();

  // The sums that index k - 1 had so far, plus a tap.
  auto const advance = [&](int k, int y, A weight, A const* values) {
#pragma unroll
    for (int x = 0; x < columns; ++x)
      sums[k][y][x] =
          add_tap(k > 0 ? sums[k - 1][y][x] : A(0), weight, values[x]);
  };
  auto const add = [&](int k, int y, A weight, A const* values) {
#pragma unroll
    for (int x = 0; x < columns; ++x)
      sums[k][y][x] = add_tap(sums[k][y][x], weight, values[x]);
  };

  auto const step = [&](Element const* corner, Index plane, int const* shifts) {
    // The thread's first column, so many rows below its corner.
    auto const place = [&](int from) {
      Element const* const row = corner + from * Shape::pitch;
      if constexpr (Shifted) {
        return row + shifts[from];
      } else {
        return row;
      }
    };
    if constexpr (Star && reach > 0) {
#pragma unroll
      for (int y = 0; y < rows; ++y) {
        A centre[columns];
        read_columns<columns, Shifted>(place(y + reach_y), centre);
#pragma unroll
        for (int k = queue - 1; k >= 0; --k) {
          if (k != reach) {
            advance(k, y, in.taps.weight[k], centre);
          } else {
#pragma unroll
            for (int x = 0; x < columns; ++x) sums[k][y][x] = sums[k - 1][y][x];
          }
        }
      }
    }
#pragma unroll
    for (int from = 0; from < rows + 2 * reach_y; ++from) {
      Element const* const row = place(from);
      A values[Shape::window];
      if (!Star || (from >= reach_y && from < rows + reach_y)) {
#pragma unroll
        for (int u = 0; u < Shape::window / columns; ++u)
          read_columns<columns, Shifted>(row - Shape::side + u * columns,
                                         values + u * columns);
      } else {
        read_columns<columns, Shifted>(row, values + Shape::side);
      }
#pragma unroll
      for (int y = 0; y < rows; ++y) {
        int const dy = from - y;
        if (dy < 0 || dy > 2 * reach_y) continue;
        if constexpr (Star) {
          if (dy != reach_y) {
            add(reach, y, in.taps.weight[width + dy], values + Shape::side);
            continue;
          }
#pragma unroll
          for (int dx = 0; dx < width; ++dx)
            if (dx != Radius || in.taps.has_centre)
              add(reach, y, in.taps.weight[(R - 1) * width + dx],
                  values + Shape::side - Radius + dx);
        } else {
#pragma unroll
          for (int k = queue - 1; k >= 0; --k)
#pragma unroll
            for (int dx = 0; dx < width; ++dx) {
              int const tap    = (k * Shape::queue_y + dy) * width + dx;
              A const* const v = values + Shape::side - Radius + dx;
              if (dy == 0 && dx == 0)
                advance(k, y, in.taps.weight[tap], v);
              else if (tap != Shape::taps / 2 || in.taps.has_centre)
                add(k, y, in.taps.weight[tap], v);
            }
        }
      }
    }
    if (plane - reach < march.begin ||
        (Shape::batch > 1 && plane - reach >= march.end))
      return;
#pragma unroll
    for (int y = 0; y < rows; ++y) {
      if constexpr (R == 1) {
        Index at[1] = {march.column + plane * Shape::tile_x};
        in.store(at, sums[0][0], march.staging);
      } else if constexpr (R == 2) {
        Index at[2] = {plane - reach, march.column};
        in.store(at, sums[queue - 1][0], march.staging);
      } else if (march.row + y < in.source.grid.extent[1]) {
        if constexpr (VisibleStencilSink<Sink>) {
          in.store.write(to + y * in.store.sink.stride[1], march.column,
                         sums[queue - 1][y], march.staging);
        } else {
          Index at[3] = {plane - reach, march.row + y, march.column};
          in.store(at, sums[queue - 1][y], march.staging);
        }
      }
    }
    if constexpr (R == 3 && VisibleStencilSink<Sink>) {
      to += in.store.sink.stride[0];
    }
  };
  march.over(in.source,
             [&](Element const* corner, Index plane, int const* shifts) {
  // Unrolled, the rows of a batch would be read ahead into registers.
#pragma unroll 1
               for (int b = 0; b < Shape::batch; ++b)
                 step(corner + b * Shape::pitch, plane + b, shifts);
             });
}

template <class Element, int R>
SlabSource<Element, R> slab_source(
    StencilGrid<Element, R> const& grid,
    std::array<int, std::size_t(R)> const& radius, bool vectors) {
  SlabSource<Element, R> source{grid, {}, vectors};
  for (std::size_t d = 0; d < R; ++d) source.radius[d] = radius[d];
  return source;
}

inline unsigned checked_blocks(std::int64_t blocks) {
  if (blocks > 0x7fffffff)
    Kokkos::abort("KokkosMMA: a stencil of more than 2^31 - 1 tiles");
  return unsigned(blocks);
}

/// Launches a march; fill(arguments) adds the weights.
template <class Shape, class Arguments, class A, int R, class Element,
          class Sink, class Fill>
void launch_march(Kokkos::Cuda const& space, void (*kernel)(Arguments),
                  StencilGrid<Element, R> const& grid,
                  std::array<int, std::size_t(R)> const& radius,
                  Sink const& sink, Fill const& fill) {
  StencilAlignment const alignment =
      stencil_alignment<Shape::columns, A>(grid, sink);
  std::int64_t const columns = grid.extent[R - 1] - alignment.origin;
  std::int64_t const across  = (columns + Shape::tile_x - 1) / Shape::tile_x;
  Arguments in{slab_source(grid, radius, alignment.loads),
               {sink, grid.extent[R - 1], alignment.stores},
               R == 1 ? across : grid.extent[0],
               0,
               alignment.origin,
               1,
               1,
               1,
               {}};
  if constexpr (R > 1) {
    in.tiles = in.tiles_x = checked_blocks(across);
  }
  if constexpr (R > 2) {
    in.tiles = checked_blocks(
        across * ((grid.extent[1] + Shape::tile_y - 1) / Shape::tile_y));
  }
  fill(in.taps);
  KernelFacts const facts  = kernel_facts(space.cuda_device(), kernel,
                                          Shape::threads, Shape::shared_bytes);
  std::int64_t const slots = std::int64_t(std::max(facts.resident_blocks, 1)) *
                             device(space.cuda_device()).multiprocessors;
  // A piece waits for its first planes, about as long as the ring is.
  constexpr int lead = 2 * Shape::reach + Shape::stages;
  in.piece           = Shape::low_pieces
                           ? low_piece_height(in.length, in.tiles, slots, Shape::piece,
                                              Shape::batch, lead)
                           : high_piece_height(in.length, in.tiles, slots, lead);
  in.pieces          = checked_blocks((in.length + in.piece - 1) / in.piece);
  std::int64_t const blocks = std::int64_t(in.pieces) * in.tiles;
  launch_kernel(space, "march_stencil", kernel,
                {checked_blocks(blocks), Shape::threads, Shape::shared_bytes},
                in);
}

/// The parts of a tile whose weights are walked in groups.
template <class A, int R, class Element>
struct GroupShape {
  static constexpr int vector  = 16 / int(sizeof(Element));
  static constexpr int group   = vector < 8 ? vector : 8;  // columns too
  static constexpr int threads = 256;
  static constexpr int rows    = R > 1 ? 4 : 1;  // of a thread
  static constexpr int tile_x  = (R > 1 ? 32 : threads) * group;
  static constexpr int tile_y  = R > 1 ? threads / 32 * rows : 1;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pad(int radius) {
    return (radius + vector - 1) / vector * vector;
  }
  /// With the neighbours behind the last one that a thread reads and does not
  /// use.
  static constexpr int slab_bytes(int radius, int radius_y) {
    return ((tile_x + 2 * pad(radius)) * (tile_y + 2 * radius_y) + vector) *
           int(sizeof(Element));
  }
  static constexpr int staging_bytes = threads * group * int(sizeof(A));
  /// Masks and weights of a plane lie behind its elements.
  static constexpr int weights_at(int radius, int radius_y) {
    return (std::max(slab_bytes(radius, radius_y), staging_bytes) + 15) / 16 *
           16;
  }
  /// With a row of masks more, so that weights are aligned.
  static constexpr int shared_bytes(int radius, int radius_y, int groups) {
    return weights_at(radius, radius_y) +
           (2 * radius_y + 2) *
               (groups * group * int(sizeof(A)) + int(sizeof(std::uint64_t)));
  }
  static constexpr int max_bytes =
      shared_bytes(16, R > 1 ? 16 : 0, 32 / group + 1);
};

template <class A, int R, class Element, class Sink, class Shape>
struct GroupArguments {
  SlabSource<Element, R> source;
  SumStore<Shape::group, A, R, Sink> store;
  A const* weights;            ///< groups * group for each row
  std::uint64_t const* masks;  ///< one for each row
  std::int64_t origin;
  unsigned tiles_x;
  unsigned tiles;
  int reach;
  int groups;
  int weights_at;  ///< in shared memory
};

template <class A, int R, class Element, class Sink>
__global__ void __launch_bounds__((GroupShape<A, R, Element>::threads), 2)
    walk_stencil(GroupArguments<A, R, Element, Sink,
                                GroupShape<A, R, Element>> const in) {
  using Shape         = GroupShape<A, R, Element>;
  using Index         = std::int64_t;
  constexpr int group = Shape::group;
  constexpr int rows  = Shape::rows;

  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, memory);
  Element* const slab = reinterpret_cast<Element*>(memory);
  int const radius_z  = R > 2 ? in.source.radius[0] : 0;
  int const radius_y  = R > 1 ? in.source.radius[R > 1 ? R - 2 : 0] : 0;
  int const width_y   = 2 * radius_y + 1;
  int const pad       = Shape::pad(in.source.radius[R - 1]);
  int const pitch     = Shape::tile_x + 2 * pad;
  int const of_plane  = width_y * in.groups * group;
  auto* const masks = reinterpret_cast<std::uint64_t*>(memory + in.weights_at);
  A* const weights  = reinterpret_cast<A*>(masks + width_y + width_y % 2);

  int const warp      = int(threadIdx.x / 32);
  int const lane      = int(threadIdx.x % 32);
  unsigned const tile = blockIdx.x % in.tiles;
  Index const plane   = blockIdx.x / in.tiles;
  Index const tile_x  = in.origin + Index(tile % in.tiles_x) * Shape::tile_x;
  Index const tile_y  = Index(tile / in.tiles_x) * Shape::tile_y;
  int const thread_x  = int(R > 1 ? lane : int(threadIdx.x)) * group;
  int const thread_y  = R > 1 ? warp * rows : 0;

  A sums[rows][group];
#pragma unroll
  for (int y = 0; y < rows; ++y)
#pragma unroll
    for (int x = 0; x < group; ++x) sums[y][x] = A(0);

#pragma unroll 1
  for (int dz = 0; dz <= 2 * radius_z; ++dz) {
    if (dz > 0) __syncthreads();
    if constexpr (R == 1) {
      in.source.load(slab, 1, pitch / Shape::vector, 0, 0, tile_x - pad,
                     int(threadIdx.x), Shape::threads);
    } else {
      Index const y = tile_y - radius_y;
      in.source.load(slab, Shape::tile_y + 2 * radius_y, pitch / Shape::vector,
                     R > 2 ? plane + dz - radius_z : y, y, tile_x - pad,
                     int(threadIdx.x), Shape::threads);
    }
    CopyAsync16::commit();
    for (int i = int(threadIdx.x); i < of_plane; i += Shape::threads)
      weights[i] = in.weights[dz * of_plane + i];
    for (int i = int(threadIdx.x); i < width_y; i += Shape::threads)
      masks[i] = in.masks[dz * width_y + i];
    CopyAsync16::wait<0>();
    __syncthreads();

    Element const* const corner =
        slab + thread_y * pitch + thread_x + pad - in.reach;
#pragma unroll 1
    for (int from = 0; from < rows + 2 * radius_y; ++from) {
      std::uint64_t mask[rows];
      std::uint64_t any = 0;
#pragma unroll
      for (int y = 0; y < rows; ++y) {
        int const dy = from - y;
        mask[y]      = 0 <= dy && dy < width_y ? masks[dy] : 0;
        any |= mask[y];
      }
      if (any == 0) continue;
      Element const* row = corner + from * pitch;
      A const* weight    = weights + from * in.groups * group;
      A values[2 * group];
      read_values<group>(row, values + group);
#pragma unroll 1
      for (; any != 0; any >>= group) {
        row += group;
#pragma unroll
        for (int x = 0; x < group; ++x) values[x] = values[group + x];
        read_values<group>(row, values + group);
#pragma unroll
        for (int y = 0; y < rows; ++y) {
          constexpr unsigned full = (1u << group) - 1;
          unsigned const taps     = unsigned(mask[y]) & full;
          mask[y] >>= group;
          if (taps == 0) continue;
          A w[group];
          read_values<group>(weight - y * in.groups * group, w);
          if (taps == full) {
#pragma unroll
            for (int t = 0; t < group; ++t)
#pragma unroll
              for (int x = 0; x < group; ++x)
                sums[y][x] = add_tap(sums[y][x], w[t], values[t + x]);
          } else {
#pragma unroll
            for (int t = 0; t < group; ++t)
              if (taps >> t & 1)
#pragma unroll
                for (int x = 0; x < group; ++x)
                  sums[y][x] = add_tap(sums[y][x], w[t], values[t + x]);
          }
        }
        weight += group;
      }
    }
  }
  // The slab becomes the room in which warps exchange sums.
  __syncthreads();
  A* const staging = reinterpret_cast<A*>(memory) + warp * 32 * group;
#pragma unroll
  for (int y = 0; y < rows; ++y) {
    if constexpr (R == 1) {
      Index at[1] = {tile_x + thread_x};
      in.store(at, sums[0], staging);
    } else {
      Index const row = tile_y + thread_y + y;
      if (row >= in.source.grid.extent[R - 2]) break;
      if constexpr (R == 2) {
        Index at[2] = {row, tile_x + thread_x};
        in.store(at, sums[y], staging);
      } else {
        Index at[3] = {plane, row, tile_x + thread_x};
        in.store(at, sums[y], staging);
      }
    }
  }
}

/// A part of a table on its way to the memory of the device. Arguments of
/// kernels are copied when it is launched, and in the order of the stream: the
/// host waits for nothing, and a graph keeps them.
struct TablePart {
  static constexpr int size = 448;  // 3584 bytes of at most 4096
  std::uint64_t word[size];
};

template <int Threads>
__global__ void store_table_part(TablePart const __grid_constant__ part,
                                 std::uint64_t* const to, int const count) {
  for (int i = int(threadIdx.x); i < count; i += Threads) to[i] = part.word[i];
}

inline void upload_table(Kokkos::Cuda const& space, std::uint64_t* to,
                         std::vector<std::uint64_t> const& words) {
  for (std::size_t at = 0; at < words.size(); at += TablePart::size) {
    std::size_t const count =
        std::min(words.size() - at, std::size_t(TablePart::size));
    TablePart part;
    std::copy_n(words.begin() + std::ptrdiff_t(at), count, part.word);
    launch_kernel(space, "store_table_part", store_table_part<128>, {1, 128},
                  part, to + at, int(count));
  }
}

template <class A, int R, class Element, class Sink>
void launch_walk(Kokkos::Cuda const& space, StencilGrid<Element, R> const& grid,
                 StencilWeights<R> const& weights, Sink const& sink) {
  using Shape       = GroupShape<A, R, Element>;
  auto const kernel = walk_stencil<A, R, Element, Sink>;
  DirectTable<A> const table(weights, Shape::group);
  std::size_t const weight_words =
      (table.weights.size() * sizeof(A) + sizeof(std::uint64_t) - 1) /
      sizeof(std::uint64_t);
  std::vector<std::uint64_t> words(weight_words + table.masks.size());
  std::memcpy(words.data(), table.weights.data(),
              table.weights.size() * sizeof(A));
  std::copy(table.masks.begin(), table.masks.end(),
            words.begin() + std::ptrdiff_t(weight_words));
  StreamScratch const scratch(space);
  auto* const memory = static_cast<std::uint64_t*>(
      scratch->segments(words.size() * sizeof(std::uint64_t)));
  upload_table(space, memory, words);

  StencilAlignment const alignment =
      stencil_alignment<Shape::group, A>(grid, sink);
  std::int64_t const columns = grid.extent[R - 1] - alignment.origin;
  std::int64_t const across  = (columns + Shape::tile_x - 1) / Shape::tile_x;
  std::int64_t tiles         = across;
  int radius_y               = 0;
  if constexpr (R > 1) {
    tiles *= (grid.extent[R - 2] + Shape::tile_y - 1) / Shape::tile_y;
    radius_y = weights.radius(R - 2);
  }
  GroupArguments<A, R, Element, Sink, Shape> const in{
      slab_source(grid, weights.radius(), alignment.loads),
      {sink, grid.extent[R - 1], alignment.stores},
      reinterpret_cast<A const*>(memory),
      memory + weight_words,
      alignment.origin,
      checked_blocks(across),
      checked_blocks(tiles),
      table.reach,
      table.groups,
      Shape::weights_at(weights.radius(R - 1), radius_y)};
  int const shared =
      Shape::shared_bytes(weights.radius(R - 1), radius_y, table.groups);
  kernel_facts(space.cuda_device(), kernel, Shape::threads, Shape::max_bytes);
  std::int64_t const blocks = R > 2 ? tiles * grid.extent[0] : tiles;
  launch_kernel(space, "walk_stencil", kernel,
                {checked_blocks(blocks), Shape::threads, shared}, in);
}

template <bool Star, int Radius, class A, int R, class Element, class Sink>
void launch_march_of(Kokkos::Cuda const& space,
                     StencilGrid<Element, R> const& grid,
                     StencilWeights<R> const& weights, Sink const& sink) {
  if (weights.radius(0) < Radius) {
    if constexpr (Radius > 1) {
      launch_march_of<Star, Radius - 1, A>(space, grid, weights, sink);
    }
    return;
  }
  auto const launch = [&]<bool Shifted>(std::bool_constant<Shifted>) {
    using Shape = MarchShape<A, R, Element, Radius, Star, Shifted>;
    launch_march<
        Shape, PatternArguments<A, R, Element, Sink, Radius, Star, Shifted>, A>(
        space, march_stencil<A, R, Element, Sink, Radius, Star, Shifted>, grid,
        weights.radius(), sink, [&](auto& taps) {
          taps.has_centre = weights.values()[weights.size() / 2] != 0;
          auto const all  = pattern_weights<A>(
              weights, Star ? DirectPattern::star : DirectPattern::dense);
          std::copy(all.begin(), all.end(), taps.weight);
        });
  };
  if constexpr (R < 3) {
    launch(std::false_type());
  } else if constexpr (Radius > 4) {
    launch(std::true_type());
  } else {
    using Shape = MarchShape<A, R, Element, Radius, Star>;
    if (stencil_alignment<Shape::columns, A>(grid, sink).loads)
      launch(std::false_type());
    else
      launch(std::true_type());
  }
}

/// The radii up to which patterns have kernels of their own: each is one more
/// to compile for every type and functor (about a second), and beyond these the
/// sums in flight would not fit into registers. Stars of three dimensions and
/// radius 5, 640^3, marching and walked, 10^9 sums per second: float 151 and
/// 15.7, half 171 and 22, bytes 183 and 28, double 111 and 6.8; marching with
/// radius 8 still 96, 93, 100 and 56 (H200, 2026-11-24).
template <int R>
inline constexpr int march_star_radius = R == 1 ? 0 : 8;
template <int R>
inline constexpr int march_dense_radius = R == 3 ? 1 : 8;

/// Any weights, in the order of the grid's dimensions.
template <class A, int R, class Element, class Sink>
void launch_direct_stencil(Kokkos::Cuda const& space,
                           StencilGrid<Element, R> const& grid,
                           StencilWeights<R> const& weights, Sink const& sink) {
  for (int d = 0; d < R; ++d)
    if (grid.extent[d] == 0) return;
  DirectPattern const pattern = direct_pattern(weights);
  int const radius            = weights.radius(0);
  if constexpr (R > 1) {
    if (pattern == DirectPattern::star && radius <= march_star_radius<R>) {
      launch_march_of<true, march_star_radius<R>, A>(space, grid, weights,
                                                     sink);
      return;
    }
  }
  if (pattern == DirectPattern::dense && radius <= march_dense_radius<R>)
    launch_march_of<false, march_dense_radius<R>, A>(space, grid, weights,
                                                     sink);
  else
    launch_walk<A>(space, grid, weights, sink);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
