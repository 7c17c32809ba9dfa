// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_BlockPipeline.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StencilRows.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TileSchedule.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpBand.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>

#include <Kokkos_Core.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

/// \file
/// Stencils of two dimensions whose weights are one outer product, of 8-bit
/// integers and 16-bit floats, by products of band matrices
/// (core/stencil/KokkosMMA_WarpBand.hpp). A block marches down a strip of the
/// grid: rows enter shared memory once, and wait in registers for the rows
/// below.

namespace KokkosMMA::Impl::Cuda {

/// \tparam BlocksPerWarp of sums, side by side
/// \tparam Together groups of 16 rows of a stage
/// \tparam Resident blocks of threads per multiprocessor
/// \tparam Height groups of sums of a block of threads, of one in a strip that
///   a boundary cuts HeightAtBoundaries
template <int BlocksPerWarp, int Warps, int Together, int Stages, int Resident,
          int Height, int HeightAtBoundaries = Height>
struct BandTuning {
  static constexpr int blocks_per_warp      = BlocksPerWarp;
  static constexpr int warps                = Warps;
  static constexpr int together             = Together;
  static constexpr int stages               = Stages;
  static constexpr int resident             = Resident;
  static constexpr int height               = Height;
  static constexpr int height_at_boundaries = HeightAtBoundaries;
};

/// Half or more of the warps that fit with 128 registers. H200, CUDA 13.0,
/// 16384 x 16384, boxes of ones, zeros beyond the boundaries, kernels by
/// themselves, in us. Of 2026-11-24; the runtime copies bytes in 130 and halfs
/// in 257:
///   blocks x warps, together, stages, resident, height
///   bytes, radius 7     2 x 8, 2, 4, 2, 11   150 before, 149; tiles 148
///                       2 x 8, 1, 4, 2,  7   154; tiles 162
///                       4 x 4, 1, 4, 2,  7   146
///                       4 x 4, 1, 4, 3,  7   146
///                       4 x 4, 1, 4, 4,  3   142; all units at once 188
///                       4 x 4, 1, 4, 4,  2   153
///                       4 x 4, 1, 4, 4,  4   144;  5 145;  7 146
///                       4 x 8, 1, 4, 2,  5   143
///   rows anywhere       4 x 4, 2, 4, 2, 23   166 before, 159
///                       4 x 4, 1, 4, 3,  5   160;  7 153; next units 156
///   results too         4 x 4, 2, 4, 2, 23   299
///                       4 x 4, 1, 4, 3,  5   299;  7 313
///   radius 16           2 x 8, 2, 4, 1, 16   158 before, 157
///                       4 x 4, 1, 4, 2, 16   154
///                       4 x 4, 1, 4, 3,  8   151; 14 156; rows anywhere 169
///   halfs, radius 7     2 x 8, 2, 4, 2, 23   294 before, 293; tiles 293
///                       2 x 8, 2, 4, 2, 15   290; tiles 292
///                       2 x 8, 2, 4, 2, 11   296
///                       2 x 8, 1, 8, 2,  7   322
///                       4 x 4, 1, 4, 3, 11   tiles 296
///                       2 x 4, 1, 4, 4, 15   302
///   rows anywhere       2 x 8, 2, 4, 2, 23   370 before, 335; 15 344
///                       4 x 4, 2, 4, 2, 23   352
///   results too         2 x 8, 2, 4, 2, 23   646; 4 x 4 516
///   radius 16           4 x 4, 1, 4, 2, 64   359 before, 324; 32 335, 128 322
///   halfs in pieces, 7  4 x 4, 2, 4, 2, 47   391 before, 373; 31 383
///   floats, radius 11   2 x 4, 1, 4, 2, 64   723 before, 718
///                       2 x 4, 1, 4, 3, 64   650; 32 741
/// "before" are blocks of threads that loaded their weights entry by entry and
/// before the first rows. Of 2026-11-23:
///   halfs in pieces     2 x 4, 1, 4, 2, 64   radius 16 576; 2 x 8 632
///   functors, halfs     2 x 8, 2, 4, 2, 23   1027; 4 x 4 1350
///   bytes               2 x 8, 2, 4, 2, 11   686; 4 x 4 1097
/// In pieces a multiprocessor multiplies in more than half of all cycles.
/// \tparam Anywhere rows or results begin anywhere in a line
/// \tparam ResultsAnywhere results do
template <class Band, bool Anywhere, bool ResultsAnywhere>
struct ChooseBandTuning {
  static constexpr bool of_bytes = Band::columns == 32;
  static constexpr bool is_far   = Band::is_far;
  static constexpr bool of_one   = Band::planes == 1;

  using NearBytes = std::conditional_t<
      !of_one, BandTuning<1, 8, 2, 4, 2, 15>,
      std::conditional_t<Anywhere, BandTuning<4, 4, 1, 4, 3, 7, 23>,
                         BandTuning<4, 4, 1, 4, 4, 3, 23>>>;
  using FarBytes = std::conditional_t<of_one, BandTuning<4, 4, 1, 4, 3, 8, 16>,
                                      BandTuning<2, 8, 2, 4, 1, 16>>;
  using Halfs    = std::conditional_t<
      is_far, BandTuning<4, 4, 1, 4, 2, 64>,
      std::conditional_t<
          ResultsAnywhere, BandTuning<4, 4, 2, 4, 2, 23>,
          std::conditional_t<Anywhere, BandTuning<2, 8, 2, 4, 2, 23>,
                             BandTuning<2, 8, 2, 4, 2, 15, 23>>>>;
  using InPieces = std::conditional_t<
      !is_far, BandTuning<4, 4, 2, 4, 2, 47>,
      std::conditional_t<Anywhere, BandTuning<2, 8, 2, 4, 1, 64>,
                         BandTuning<2, 4, 1, 4, 2, 64>>>;
  static constexpr bool in_pieces = Band::Weights::column_pieces > 1;
  using Floats = BandTuning<2, 4, 1, 4, in_pieces ? 2 : 3, 64>;
  using type   = std::conditional_t<
      of_bytes, std::conditional_t<is_far, FarBytes, NearBytes>,
      std::conditional_t<Band::element == Scalar::float32, Floats,
                         std::conditional_t<in_pieces, InPieces, Halfs>>>;
};
template <class Band, bool Anywhere, bool ResultsAnywhere>
using band_tuning =
    typename ChooseBandTuning<Band, Anywhere, ResultsAnywhere>::type;

template <class Band, class Element, class Sink>
struct BandArguments {
  StencilGrid<Element, 2> grid;
  typename Band::Words words;
  Sink sink;
  TileSchedule pieces;
  int radius[2];
  bool vectors;  ///< what a lane writes of a row may be written at once
  bool lines;    ///< and rows of results begin with lines of 16 bytes
};

/// The float that the pieces of a weight add up to.
template <bool Half, int Pieces, int Size>
__device__ float weight_of(std::uint32_t const (&pieces)[Pieces][Size],
                           int at) {
  float weight = 0;
#pragma unroll 1
  for (int piece = Pieces - 1; piece >= 0; --piece) {
    auto const bits = std::uint16_t(pieces[piece][at]);
    weight +=
        Half ? Warp::half_value(bits) : float_of(std::uint32_t(bits) << 16);
  }
  return weight;
}

/// One sum in the order of the weights, as the generic route adds it.
template <bool Half, class Element, class Words>
__device__ float plain_sum(StencilGrid<Element, 2> const& grid,
                           Words const& words, int radius_rows,
                           int radius_columns, std::int64_t i, std::int64_t j) {
  constexpr int origin = Words::origin;
  float sum            = 0;
#pragma unroll 1
  for (int a = -radius_rows; a <= radius_rows; ++a) {
    float const column = weight_of<false>(words.column, origin + a);
#pragma unroll 1
    for (int b = -radius_columns; b <= radius_columns; ++b) {
      float const weight = column * weight_of<Half>(words.row, origin + b);
      if (weight != 0)
        sum += weight * static_cast<float>(stencil_element(grid, i + a, j + b));
    }
  }
  return sum;
}

/// Writes what a lane has of 16 rows, element by element, from plain sums.
template <class Band, class A, class Element, class Sink>
__device__ __forceinline__ void write_plain_sums(
    BandArguments<Band, Element, Sink> const& arguments,
    typename Band::Words const& words, std::int64_t i, std::int64_t j,
    int rows_left, int columns_left) {
  constexpr int n = Band::per_lane;
#pragma unroll 1
  for (int k = 0; k < 2 * n; ++k) {
    std::int64_t const at[2] = {i + 8 * (k / n), j + k % n};
    if (8 * (k / n) < rows_left && k % n < columns_left)
      arguments.sink(at, static_cast<A>(plain_sum<is_band_half<Element>>(
                             arguments.grid, words, arguments.radius[0],
                             arguments.radius[1], at[0], at[1])));
  }
}

/// Whether sums are finite: 0 * Inf and 0 * NaN are NaN.
template <int N>
__device__ __forceinline__ bool all_finite(Registers<float, N> const& sums) {
  float zero = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) zero = fmaf(sums[k], 0.f, zero);
  return zero == 0;
}

template <class Sink>
inline constexpr bool has_half_results = false;
template <StencilEpilogue Sink>
inline constexpr bool has_half_results<Sink> =
    is_band_half<typename Sink::value_type> ||
    is_band_bhalf<typename Sink::value_type>;

/// Calls use(stripe, units) for stripes side by side, with the units of data
/// that a stripe needs. load(N, result, unit) loads N of them, and loaded() is
/// called behind the last one.
/// \tparam AtOnce or else those of the next stripe are on their way while one
///   is worked on: fewer registers
template <int BlocksPerWarp, bool AtOnce, class Band, class Load, class Loaded,
          class Use>
__device__ __forceinline__ void for_stripes(Load const& load,
                                            Loaded const& loaded,
                                            Use const& use) {
  constexpr int window = Band::window;
  constexpr int next   = Band::of_stripe;
  constexpr int all    = window + next * (BlocksPerWarp - 1);
  constexpr int first  = AtOnce ? all : window;
  typename Band::Unit data[all];
  load(std::integral_constant<int, first>(), data, 0);
  if (AtOnce || BlocksPerWarp == 1) loaded();
#pragma unroll
  for (int b = 0; b < BlocksPerWarp; ++b) {
    if (!AtOnce && b + 1 < BlocksPerWarp) {
      load(std::integral_constant<int, next>(), data + window + next * b,
           window + next * b);
      if (b + 2 == BlocksPerWarp) loaded();
    }
    use(b, data + next * b);
  }
}

/// The sums of a stripe, packed: put(half, results). False where one of them is
/// not finite. No branch: one stripe is packed while another is multiplied.
template <class Sink, class A, class Band, class Put>
__device__ __forceinline__ bool band_sums(Band const& band,
                                          typename Band::History& history,
                                          typename Band::Unit const* units,
                                          Put const& put) {
  auto const sums = band.sums(history, band.multiply(units));
  VectorStore<typename Sink::value_type, Band::per_lane> results[2];
  results[0].template pack<A>(&sums[0]);
  results[1].template pack<A>(&sums[Band::per_lane]);
  bool finite = true;
  if constexpr (has_half_results<Sink>) {
    // In half the instructions. A result that is too large for its type is
    // formed again too, and is the same.
    std::uint32_t zero = 0;
    results[0].check(zero);
    results[1].check(zero);
    finite = (zero & 0x7fff7fffu) == 0;
  } else if constexpr (std::is_same_v<typename Band::Sum, float>) {
    finite = all_finite(sums);
  }
  put(0, results[0]);
  put(1, results[1]);
  return finite;
}

/// Writes those anew whose bit is not set; for all lanes of a warp.
template <class A, int BlocksPerWarp, class Band, class Element, class Sink>
__device__ __forceinline__ void repair_sums(
    BandArguments<Band, Element, Sink> const& arguments,
    typename Band::Words const& words, unsigned finite, std::int64_t i,
    std::int64_t j, int rows_left, int columns_left) {
#pragma unroll 1
  for (int b = 0; b < BlocksPerWarp; ++b)
    if (!(finite >> b & 1))
      write_plain_sums<Band, A>(arguments, words, i, j + b * Band::columns,
                                rows_left, columns_left - b * Band::columns);
  __syncwarp();
}

/// Sums of a row of a warp on their way to a functor, and 16 bytes that keep
/// rows in different banks.
template <class Band, int BlocksPerWarp>
inline constexpr int call_pitch = BlocksPerWarp* Band::columns + 4;

/// Results of which a lane has 8 bytes in a row.
template <class Band, class Sink>
inline constexpr bool has_narrow_results = false;
template <class Band, StencilEpilogue Sink>
inline constexpr bool has_narrow_results<Band, Sink> =
    Band::per_lane * sizeof(typename Sink::value_type) == 8;

/// Those that go out by way of shared memory: of bytes. Kernels of halfs, which
/// have more to do for each, are as fast without.
template <class Band, class Sink>
inline constexpr bool has_row_tiles =
    has_narrow_results<Band, Sink>&& Band::columns == 32;

template <class Tuning, class Band, class Element, bool Shifted>
using BandRows =
    StencilRows<Element,
                Band::columns * Tuning::blocks_per_warp *
                    Tuning::warps* int(sizeof(Element)),
                Band::margin* int(sizeof(Element)), 16 * Tuning::together,
                Tuning::stages, Tuning::warps, Shifted>;

template <class Tuning, class Band, class A, class Element, class Sink,
          bool Shifted>
__global__ void __launch_bounds__(32 * Tuning::warps, Tuning::resident)
    band_stencil(
        const __grid_constant__ BandArguments<Band, Element, Sink> arguments) {
  using Words = typename Band::Words;
  using Sum   = typename Band::Sum;
  using Rows  = BandRows<Tuning, Band, Element, Shifted>;
  using Ring  = BlockPipeline<Tuning::stages, Tuning::warps>;

  constexpr int BlocksPerWarp = Tuning::blocks_per_warp;
  constexpr int Warps         = Tuning::warps;
  constexpr int together      = Tuning::together;
  constexpr int size          = int(sizeof(Element));
  constexpr int columns       = Band::columns;
  constexpr int n             = Band::per_lane;
  constexpr int width         = columns * BlocksPerWarp * Warps;
  // Bytes have no registers for it where blocks are many.
  constexpr bool at_once = Shifted || !has_row_tiles<Band, Sink>;

  KOKKOSMMA_DYNAMIC_SHARED(uint4, 16, band_memory);
  __shared__ typename Ring::Memory ring_memory;
  __shared__ Words words;
  // Read anew in each step: what follows from it would wait in registers.
  __shared__ int columns_of_strip;
  __shared__ std::int64_t place[2];  // of the first sum
  int const thread = int(threadIdx.x);
  int const lane   = thread % 32;
  int const warp   = thread / 32;
  GridDependency::release();
  // The first rows are asked for before anything else is set up.
  Ring const ring(ring_memory);
  TileSchedule::Tile const piece = arguments.pieces.of_block(blockIdx.x);
  std::int64_t const first       = std::int64_t(piece.panel) * width;
  std::int64_t const top         = piece.first_row;
  int const chunk =
      int(min(arguments.grid.extent[0] - top, std::int64_t(piece.rows)));
  int const groups = (chunk + 15) / 16 + Band::groups - 1;
  int const steps  = (groups + together - 1) / together;
  Rows rows(arguments.grid, reinterpret_cast<unsigned char*>(band_memory),
            first, top - Band::max_radius, steps, arguments.radius[0],
            arguments.radius[1]);
  GridDependency::wait();
  // A low piece is on its way at once.
  int const ahead = steps <= Tuning::stages ? steps : ring.ahead;
#pragma unroll 1
  for (int step = 0; step < ahead; ++step) {
    rows.fetch_at_boundary(step, step, warp, lane);
    rows.fetch(step, step, warp, lane);
    ring.end(step, lane);
  }
  for (int k = thread; k < int(sizeof(Words) / 16); k += 32 * Warps)
    reinterpret_cast<uint4*>(&words)[k] =
        reinterpret_cast<uint4 const*>(&arguments.words)[k];
  if (thread == 0) {
    columns_of_strip =
        int(min(arguments.grid.extent[1] - first, std::int64_t(width)));
    place[0] = top;
    place[1] = first;
  }
  __syncthreads();

  auto const fetch_later = [&](int step) {
    int const later = step + ahead;
    if (later >= steps) return;
    ring.begin(later);
    if (!rows.is_simple(later))
      rows.fetch_at_boundary(ring.stage(later), later, warp, lane);
    rows.fetch(ring.stage(later), later, warp, lane);
    ring.end(later, lane);
  };

  auto const begin_group = [&](int group) {
    if (group % together != 0) return;
    fetch_later(group / together);
    ring.wait(group / together);
  };
  auto const load_of = [&](int group) {
    return [&, group](auto count, typename Band::Unit* result, int unit) {
      rows.template units<decltype(count)::value>(
          result, ring.stage(group / together), 16 * (group % together),
          warp * BlocksPerWarp * columns * size + 16 * unit, lane);
    };
  };
  auto const end_group = [&](int group) {
    if (group % together == together - 1) ring.release(group / together);
  };

  Band const band(Warp(), words);
  typename Band::History history[BlocksPerWarp];
#pragma unroll
  for (int b = 0; b < BlocksPerWarp; ++b) band.clear(history[b]);
  [[maybe_unused]] unsigned char* const tile_memory =
      reinterpret_cast<unsigned char*>(band_memory) + Rows::bytes +
      warp * RowTileStore<BlocksPerWarp>::bytes;
  // Sums of this lane start at this row of 16 and this column.
  int const row    = lane / 4;
  int const offset = warp * BlocksPerWarp * columns + n * (lane % 4);
  if constexpr (has_narrow_results<Band, Sink>) {
    // Most strips meet no boundary and have whole lines of sums. Asking for
    // them in each step, of shared memory: 343 us instead of 328 for halfs
    // (H200).
    if (!rows.has_fixups() && arguments.lines && columns_of_strip == width) {
      using Result              = typename Sink::value_type;
      std::int64_t const stride = arguments.sink.stride[0];
      // The first of the warp, or of the lane.
      constexpr bool by_tile = has_row_tiles<Band, Sink>;
      Result* to = arguments.sink.data + (top + (by_tile ? 0 : row)) * stride +
                   first + (by_tile ? warp * BlocksPerWarp * columns : offset);
      int left = chunk - (by_tile ? 0 : row);
      RowTileStore<BlocksPerWarp> const tile(tile_memory, lane);
      // Nothing ends in the first rows.
#pragma unroll 1
      for (int group = 0; group < Band::groups - 1; ++group) {
        begin_group(group);
        for_stripes<BlocksPerWarp, at_once, Band>(
            load_of(group), [&] { end_group(group); },
            [&](int b, typename Band::Unit const* units) {
              band.take_in(history[b], band.multiply(units));
            });
      }
#pragma unroll 1
      for (int group = Band::groups - 1; group < groups; ++group) {
        begin_group(group);
        [[maybe_unused]] VectorStore<Result, n> results[BlocksPerWarp][2];
        unsigned finite = ~0u;
        for_stripes<BlocksPerWarp, at_once, Band>(
            load_of(group), [&] { end_group(group); },
            [&](int b, typename Band::Unit const* units) {
              auto const put = [&](int half, auto const& packed) {
                if constexpr (has_row_tiles<Band, Sink>) {
                  tile.put(b, half, packed);
                } else {
                  results[b][half] = packed;
                }
              };
              if (!band_sums<Sink, A>(band, history[b], units, put))
                finite &= ~(1u << b);
            });
        if constexpr (has_row_tiles<Band, Sink>) {
          tile.write(to, stride, left, lane);
        } else {
#pragma unroll
          for (int half = 0; half < 2; ++half)
            if (8 * half < left) {
#pragma unroll
              for (int b = 0; b < BlocksPerWarp; ++b)
                results[b][half].template write<false>(to + b * columns +
                                                       8 * half * stride);
            }
        }
        if constexpr (std::is_same_v<Sum, float>) {
          if (Warp::any(finite != ~0u)) {
            repair_sums<A, BlocksPerWarp>(
                arguments, words, finite,
                place[0] + 16 * (group - Band::groups + 1) + row,
                place[1] + offset, left - (by_tile ? row : 0), width);
          }
        }
        to += 16 * stride;
        left -= 16;
      }
      return;
    }
  }
#pragma unroll 1
  for (int group = 0; group < groups; ++group) {
    begin_group(group);
    if (group % together == 0 && rows.has_fixups())
      rows.complete(ring.stage(group / together), group / together, thread);

    // Sums from too few rows are made too, and not kept.
    int const done         = 16 * (group - Band::groups + 1);
    int const rows_left    = chunk - done - row;
    int const columns_left = columns_of_strip - offset;
    std::int64_t const i   = place[0] + done + row;
    std::int64_t const j   = place[1] + offset;
    if constexpr (StencilEpilogue<Sink>) {
      using Result = typename Sink::value_type;
      VectorStore<Result, n> results[BlocksPerWarp][2];
      RowTileStore<BlocksPerWarp> const tile(tile_memory, lane);
      unsigned finite = ~0u;
      for_stripes<BlocksPerWarp, at_once, Band>(
          load_of(group), [&] { end_group(group); },
          [&](int b, typename Band::Unit const* units) {
            if (!band_sums<Sink, A>(band, history[b], units,
                                    [&](int half, auto const& packed) {
                                      if constexpr (has_row_tiles<Band, Sink>) {
                                        tile.put(b, half, packed);
                                      } else {
                                        results[b][half] = packed;
                                      }
                                    }))
              finite &= ~(1u << b);
          });
      if (done >= 0) {
        std::int64_t const stride = arguments.sink.stride[0];
        Result* const to          = arguments.sink.data + i * stride + j;
        bool const is_whole       = columns_of_strip == width;
        if constexpr (has_row_tiles<Band, Sink>) {
          Result* const of_warp = to - row * stride - n * (lane % 4);
          if (arguments.lines && is_whole) {
            tile.write(of_warp, stride, chunk - done, lane);
          } else if (Shifted && is_whole && chunk - done >= 16) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
              write_unaligned_rows<BlocksPerWarp>(
                  of_warp + (row + 8 * half) * stride, lane, [&](int b) {
                    return tile.template get<VectorStore<Result, n>>(b, half);
                  });
          } else {
            tile.write(of_warp, stride, chunk - done,
                       columns_left + n * (lane % 4), lane);
          }
        } else if (arguments.vectors && is_whole && chunk - done >= 16) {
#pragma unroll
          for (int b = 0; b < BlocksPerWarp; ++b) {
            results[b][0].template write<false>(to + b * columns);
            results[b][1].template write<false>(to + b * columns + 8 * stride);
          }
        } else if (Shifted && has_narrow_results<Band, Sink> && is_whole &&
                   chunk - done >= 16) {
          if constexpr (has_narrow_results<Band, Sink>) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
              write_unaligned_rows<BlocksPerWarp>(
                  to + 8 * half * stride - n * (lane % 4),
                  lane, [&](int b) -> auto const& { return results[b][half]; });
          }
        } else {
#pragma unroll
          for (int b = 0; b < BlocksPerWarp; ++b)
#pragma unroll
            for (int half = 0; half < 2; ++half)
              if (8 * half < rows_left)
                results[b][half].write(to + b * columns + 8 * half * stride,
                                       columns_left - b * columns);
        }
        if constexpr (std::is_same_v<Sum, float>) {
          if (Warp::any(finite != ~0u)) {
            repair_sums<A, BlocksPerWarp>(arguments, words, finite, i, j,
                                          rows_left, columns_left);
          }
        }
      }
    } else {
      // By way of shared memory: lanes side by side call for columns side by
      // side, or each store of the functor is one of 32 lines.
      Sum* const tile =
          reinterpret_cast<Sum*>(reinterpret_cast<unsigned char*>(band_memory) +
                                 Rows::bytes) +
          warp * 16 * call_pitch<Band, BlocksPerWarp>;
      constexpr int pitch = call_pitch<Band, BlocksPerWarp>;
      for_stripes<BlocksPerWarp, at_once, Band>(
          load_of(group), [&] { end_group(group); },
          [&](int b, typename Band::Unit const* units) {
            auto const sums = band.sums(history[b], band.multiply(units));
#pragma unroll
            for (int k = 0; k < 2 * n; ++k)
              tile[(row + 8 * (k / n)) * pitch + b * columns + n * (lane % 4) +
                   k % n] = sums[k];
          });
      __syncwarp();
      constexpr int across = BlocksPerWarp * columns;
      int const rows_here  = done < 0 ? 0 : min(chunk - done, 16);
      int const columns_here =
          columns_of_strip - warp * BlocksPerWarp * columns;
#pragma unroll 1
      for (int r = 0; r < rows_here; ++r) {
#pragma unroll
        for (int c = lane; c < across; c += 32) {
          std::int64_t const at[2] = {
              place[0] + done + r,
              place[1] + warp * BlocksPerWarp * columns + c};
          if (c < columns_here) {
            A sum = static_cast<A>(tile[r * pitch + c]);
            if constexpr (std::is_same_v<Sum, float>) {
              if (!(fabsf(tile[r * pitch + c]) < INFINITY))
                sum = static_cast<A>(plain_sum<is_band_half<Element>>(
                    arguments.grid, words, arguments.radius[0],
                    arguments.radius[1], at[0], at[1]));
            }
            arguments.sink(at, sum);
          }
        }
      }
      __syncwarp();
    }
  }
}

template <class Sink>
struct SinkValue {
  using type = void;
};
template <StencilEpilogue Sink>
struct SinkValue<Sink> {
  using type = typename Sink::value_type;
};

/// Whether a byte of the sums is all that matters of results of this type.
template <class A, class Result>
inline constexpr bool is_modulo_256 =
    std::is_integral_v<A>&& std::is_integral_v<Result> &&
    !std::is_same_v<Result, bool> && sizeof(Result) == 1;
template <class A>
inline constexpr bool is_modulo_256<A, void> = false;

template <class Element>
bool begins_with_lines(Element const* rows, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(rows) % 16 == 0 &&
         std::uintptr_t(stride) * sizeof(Element) % 16 == 0;
}

/// What factors are to the band products: nothing, operands, or sums of some.
enum class BandOperands { none, exact, sums };

/// Which weights the band products take, and as what.
/// \tparam Result void for functors
template <class A, class Element, class Result>
struct BandStencil {
  using Factors = std::array<std::vector<double>, 2>;

  static constexpr bool of_bytes  = sizeof(Element) == 1;
  static constexpr bool of_halfs  = is_band_half<Element>;
  static constexpr bool of_floats = scalar_v<Element> == Scalar::float32;
  /// Functors are as fast without tensor cores.
  static constexpr bool is_compiled  = !of_floats || !std::is_void_v<Result>;
  static constexpr bool takes_pieces = !of_bytes && !std::is_void_v<Result>;

  static BandOperands operands(Factors const& factors) {
    if constexpr (of_bytes) {
      return byte_weights(factors) ? BandOperands::exact : BandOperands::none;
    } else if constexpr (!is_compiled || !std::is_same_v<A, float>) {
      return BandOperands::none;
    } else {
      if (float_weights<false>(factors)) return BandOperands::exact;
      if constexpr (takes_pieces) {
        if (float_weights<true>(factors)) return BandOperands::sums;
      }
      return BandOperands::none;
    }
  }
  /// Floats have kernels for rows that begin with lines.
  static bool takes_rows(StencilGrid<Element, 2> const& grid) {
    return !of_floats || begins_with_lines(grid.data, grid.stride[0]);
  }
  /// Constants beyond the boundaries are elements too.
  static bool takes(StencilGrid<Element, 2> const& grid) {
    for (int d = 0; d < 2; ++d)
      for (BoundaryCondition const& condition :
           {grid.boundaries.low[d], grid.boundaries.high[d]})
        if (condition.kind == Boundary::constant &&
            !is_element(condition.value))
          return false;
    return true;
  }

  /// Where one byte of the sums is all that matters, one byte of the weights
  /// is.
  static std::optional<BandWeights<std::int8_t>> byte_weights(
      Factors const& factors) {
    constexpr bool modulo  = is_modulo_256<A, Result>;
    constexpr double least = modulo ? -0x1p53 : -128;
    constexpr double most  = modulo ? 0x1p53 : 127;
    double largest         = of_bytes && std::is_signed_v<Element> ? 128 : 255;
    BandWeights<std::int8_t> weights{};
    for (int d = 0; d < 2; ++d) {
      auto const& factor = factors[std::size_t(d)];
      auto* const to =
          (d ? weights.row : weights.column)[0] +
          (BandWeights<std::int8_t>::origin - int(factor.size()) / 2);
      double sum = 0;
      for (int k = 0; k < int(factor.size()); ++k) {
        double const w = factor[std::size_t(k)];
        if (w != std::trunc(w) || w < least || w > most) return {};
        to[k] = static_cast<std::int8_t>(static_cast<std::int64_t>(w));
        sum += std::abs(w);
      }
      largest *= sum;
    }
    // Sums are of 32 bits; what the accumulator has more of is not known.
    if (!modulo && (!std::is_integral_v<A> || sizeof(A) > 4) &&
        largest >= 0x1p31)
      return {};
    return weights;
  }

  /// Bytes of the sums along the rows that matter.
  static int planes(Factors const& factors) {
    double low = 0, high = 0;
    double const least = std::is_signed_v<Element> ? -128 : 0;
    double const most  = std::is_same_v<Element, bool> ? 1
                         : std::is_signed_v<Element>   ? 127
                                                       : 255;
    for (double const w : factors[1]) {
      low += std::min(w * least, w * most);
      high += std::max(w * least, w * most);
    }
    if (low >= 0 && high <= 255) return 1;
    return low >= -0x1p15 && high < 0x1p15 ? 2 : 3;
  }

  template <bool InPieces>
  using FloatWeights =
      typename WarpFloatBand<Warp, scalar_v<Element>, 2, 2, InPieces>::Weights;

  /// Factors as 16-bit floats or, nearly as close as to floats, as sums of
  /// some; nothing where they are not.
  template <bool InPieces>
  static std::optional<FloatWeights<InPieces>> float_weights(
      Factors const& factors) {
    using Row = weight_piece_t<of_halfs>;
    // The largest weight along the rows about 1, or so large that the smallest
    // pieces are in the range of fp16; the power of two goes to the other
    // factor.
    double largest = 0;
    for (double const w : factors[1]) largest = std::max(largest, std::abs(w));
    int const exponent =
        largest > 0 ? (InPieces ? Row::top : 0) - std::ilogb(largest) : 0;
    FloatWeights<InPieces> weights{};
    if (!encode<BhalfPiece>(factors[0], -exponent, weights.column) ||
        !encode<Row>(factors[1], exponent, weights.row))
      return {};
    return weights;
  }

 private:
  template <class Format, int Pieces, int Size>
  static bool encode(std::vector<double> const& factor, int exponent,
                     std::uint16_t (&operands)[Pieces][Size]) {
    int at = Size / 2 - int(factor.size()) / 2;
    for (double const w : factor) {
      double const weight = std::ldexp(w, exponent);
      // So that scales of sums stay normal.
      if (!(std::abs(weight) < 0x1p100)) return false;
      if constexpr (Pieces == 1) {
        auto const bits = exact_piece<Format>(weight, 0);
        if (!bits) return false;
        operands[0][at] = *bits;
      } else {
        double rest = weight;
        for (int piece = 0; piece < Pieces; ++piece)
          operands[piece][at] = take_piece<Format>(rest);
        if (std::abs(rest) > 0x1p-23 * std::abs(weight)) return false;
      }
      ++at;
    }
    return true;
  }
  static bool is_element(double value) {
    if constexpr (std::is_same_v<Element, bool>) {
      return value == 0 || value == 1;
    } else if constexpr (of_bytes) {
      return value == std::trunc(value) &&
             value >= (std::is_signed_v<Element> ? -128 : 0) &&
             value <= (std::is_signed_v<Element> ? 127 : 255);
    } else {
      return std::isnan(value) ||
             double(float(static_cast<Element>(float(value)))) == value;
    }
  }
};

template <class Tuning, class Band, class A, bool Shifted, class Element,
          class Sink, class Weights>
void run_band_stencil(Kokkos::Cuda const& space,
                      StencilGrid<Element, 2> const& grid,
                      Weights const& weights, int radius_rows,
                      int radius_columns, Sink const& sink) {
  constexpr int width = Band::columns * Tuning::blocks_per_warp * Tuning::warps;
  auto* const kernel  = band_stencil<Tuning, Band, A, Element, Sink, Shifted>;
  using Rows          = BandRows<Tuning, Band, Element, Shifted>;
  constexpr std::size_t bytes =
      Rows::bytes +
      Tuning::warps *
          (has_row_tiles<Band, Sink> ? RowTileStore<Tuning::blocks_per_warp>::bytes
           : StencilEpilogue<Sink>
               ? 0
               : 16 * sizeof(typename Band::Sum) *
                     call_pitch<Band, Tuning::blocks_per_warp>);
  int const device_id = space.cuda_device();
  auto const facts = kernel_facts(device_id, kernel, 32 * Tuning::warps, bytes);

  BandArguments<Band, Element, Sink> arguments{
      grid, Band::words(weights), sink, {}, {}, {}, {}};
  arguments.radius[0] = radius_rows;
  arguments.radius[1] = radius_columns;
  if constexpr (StencilEpilogue<Sink>) {
    constexpr std::uintptr_t all =
        Band::per_lane * sizeof(typename Sink::value_type);
    constexpr std::uintptr_t line = all < 16 ? all : 16;
    arguments.vectors =
        sink.stride[1] == 1 &&
        reinterpret_cast<std::uintptr_t>(sink.data) % line == 0 &&
        std::uintptr_t(sink.stride[0]) * sizeof(typename Sink::value_type) %
                line ==
            0;
    arguments.lines =
        begins_with_lines(sink.data, sink.stride[0]) && sink.stride[1] == 1;
  }
  std::int64_t const strips = (grid.extent[1] + width - 1) / width;
  std::int64_t const groups = (grid.extent[0] + 15) / 16;
  // Less high where the device is not full otherwise, but not so low that much
  // is read again.
  std::int64_t const slots =
      std::int64_t(facts.resident_blocks) * device(device_id).multiprocessors;
  std::int64_t const chunks = std::max<std::int64_t>(1, slots / strips);
  auto const height         = [&](std::int64_t most) {
    return 16 *
           int(std::clamp((groups + chunks - 1) / chunks,
                                  std::min({std::int64_t(4), groups, most}), most));
  };
  arguments.pieces =
      TileSchedule(grid.extent[0], strips, height(Tuning::height_at_boundaries),
                  height(Tuning::height));
  auto const blocks = arguments.pieces.blocks();
  launch_kernel(space, "band_stencil", kernel,
                {blocks, 32 * Tuning::warps, bytes, facts.may_follow},
                arguments);
}

/// Sums of a rectangle around each element with weights that are the outer
/// product of two factors, which BandStencil takes.
template <class A, class Element, class Sink>
void launch_band_stencil(Kokkos::Cuda const& space,
                         StencilGrid<Element, 2> const& grid,
                         std::array<std::vector<double>, 2> const& factors,
                         Sink const& sink) {
  using Result = typename SinkValue<Sink>::type;
  using Takes  = BandStencil<A, Element, Result>;
  if (grid.extent[0] == 0 || grid.extent[1] == 0) return;
  int const radius_rows    = int(factors[0].size()) / 2;
  int const radius_columns = int(factors[1].size()) / 2;
  // Rows and results that begin with lines; for functors nothing does.
  bool rows = false, results = false;
  if constexpr (StencilEpilogue<Sink>) {
    rows    = begins_with_lines(grid.data, grid.stride[0]);
    results = begins_with_lines(sink.data, sink.stride[0]);
  }
  std::true_type constexpr yes;
  std::false_type constexpr no;
  auto const run = [&](auto band, auto shifted, auto results_shifted,
                       auto const& weights) {
    using Band             = typename decltype(band)::type;
    constexpr bool Shifted = decltype(shifted)::value;
    using Tuning = band_tuning<Band, Shifted && StencilEpilogue<Sink>,
                               decltype(results_shifted)::value>;
    run_band_stencil<Tuning, Band, A, Shifted>(
        space, grid, weights, radius_rows, radius_columns, sink);
  };
  auto const choose = [&](auto near, auto far, bool is_near,
                          auto const& weights) {
    auto const of_radius = [&](auto shifted, auto results_shifted) {
      if (is_near)
        run(near, shifted, results_shifted, weights);
      else
        run(far, shifted, results_shifted, weights);
    };
    if constexpr (StencilEpilogue<Sink>) {
      if (rows && results) return of_radius(no, no);
      if (!results) return of_radius(yes, yes);
    }
    of_radius(yes, no);
  };
  if constexpr (sizeof(Element) == 1) {
    constexpr bool is_signed = std::is_signed_v<Element>;
    auto const weights       = Takes::byte_weights(factors).value();
    if constexpr (is_modulo_256<A, Result>) {
      choose(std::type_identity<WarpByteBand<Warp, is_signed, 2, 1>>(),
             std::type_identity<WarpByteBand<Warp, is_signed, 3, 1>>(),
             radius_rows <= 8, weights);
    } else {
      choose(std::type_identity<WarpByteBand<Warp, is_signed, 2, 2>>(),
             std::type_identity<WarpByteBand<Warp, is_signed, 3, 3>>(),
             radius_rows <= 8 && Takes::planes(factors) <= 2, weights);
    }
  } else {
    auto const of_weights = [&]<bool InPieces>(auto const& weights) {
      constexpr Scalar element = scalar_v<Element>;
      using Far                = WarpFloatBand<Warp, element, 3, 3, InPieces>;
      if constexpr (Takes::of_floats) {
        // Up to radius 7 kernels without tensor cores are faster.
        run(std::type_identity<Far>(), no, no, weights);
      } else {
        using Near = WarpFloatBand<Warp, element, 2, 2, InPieces>;
        choose(std::type_identity<Near>(), std::type_identity<Far>(),
               radius_rows <= 8 && radius_columns <= 8, weights);
      }
    };
    if constexpr (Takes::is_compiled) {
      if (auto const weights = Takes::template float_weights<false>(factors)) {
        of_weights.template operator()<false>(*weights);
      } else if constexpr (Takes::takes_pieces) {
        of_weights.template operator()<true>(
            Takes::template float_weights<true>(factors).value());
      }
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
