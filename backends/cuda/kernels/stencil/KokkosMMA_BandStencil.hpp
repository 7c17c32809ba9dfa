// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_BlockPipeline.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TileSchedule.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StencilRows.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpBand.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

/// \file
/// Stencils of two dimensions whose weights are one outer product, of 8-bit
/// integers and 16-bit floats, by products of band matrices
/// (core/stencil/KokkosMMA_WarpBand.hpp). A block marches down a strip of the
/// grid: rows enter shared memory once, and wait in registers for the rows
/// below.

namespace KokkosMMA::Impl::Cuda {

template <class Band, class Element, class Sink>
struct BandArguments {
  StencilGrid<Element, 2> grid;
  typename Band::Words words;
  Sink sink;
  StripPieces pieces;
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
template <VisibleStencilSink Sink>
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
  PackedResults<typename Sink::value_type, Band::per_lane> results[2];
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
template <class Band, VisibleStencilSink Sink>
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
  using Ring  = CopyRing<Tuning::stages, Tuning::warps>;

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
  StripPieces::Piece const piece = arguments.pieces.of_block(blockIdx.x);
  std::int64_t const first       = std::int64_t(piece.strip) * width;
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
    rows.fetch_edges(step, step, warp, lane);
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
      rows.fetch_edges(ring.stage(later), later, warp, lane);
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
      warp * RowTile<BlocksPerWarp>::bytes;
  // Sums of this lane start at this row of 16 and this column.
  int const row    = lane / 4;
  int const offset = warp * BlocksPerWarp * columns + n * (lane % 4);
  if constexpr (has_narrow_results<Band, Sink>) {
    // Most strips meet no boundary and have whole lines of sums. Asking for
    // them in each step, of shared memory: 343 us instead of 328 for halfs
    // (H200).
    if (!rows.has_edges() && arguments.lines && columns_of_strip == width) {
      using Result              = typename Sink::value_type;
      std::int64_t const stride = arguments.sink.stride[0];
      // The first of the warp, or of the lane.
      constexpr bool by_tile = has_row_tiles<Band, Sink>;
      Result* to = arguments.sink.data + (top + (by_tile ? 0 : row)) * stride +
                   first + (by_tile ? warp * BlocksPerWarp * columns : offset);
      int left = chunk - (by_tile ? 0 : row);
      RowTile<BlocksPerWarp> const tile(tile_memory, lane);
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
        [[maybe_unused]] PackedResults<Result, n> results[BlocksPerWarp][2];
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
    if (group % together == 0 && rows.has_edges())
      rows.complete(ring.stage(group / together), group / together, thread);

    // Sums from too few rows are made too, and not kept.
    int const done         = 16 * (group - Band::groups + 1);
    int const rows_left    = chunk - done - row;
    int const columns_left = columns_of_strip - offset;
    std::int64_t const i   = place[0] + done + row;
    std::int64_t const j   = place[1] + offset;
    if constexpr (VisibleStencilSink<Sink>) {
      using Result = typename Sink::value_type;
      PackedResults<Result, n> results[BlocksPerWarp][2];
      RowTile<BlocksPerWarp> const tile(tile_memory, lane);
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
              write_rows_anywhere<BlocksPerWarp>(
                  of_warp + (row + 8 * half) * stride, lane, [&](int b) {
                    return tile.template get<PackedResults<Result, n>>(b, half);
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
              write_rows_anywhere<BlocksPerWarp>(
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

}  // namespace KokkosMMA::Impl::Cuda

#endif
