// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_HPP

#include <backends/cuda/KokkosMMA_Launch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/KokkosMMA_CopyRing.hpp>
#include <backends/cuda/kernels/KokkosMMA_PackedResults.hpp>
#include <backends/cuda/kernels/KokkosMMA_StencilRows.hpp>
#include <backends/cuda/kernels/KokkosMMA_StripOrder.hpp>
#include <core/KokkosMMA_StencilGrid.hpp>
#include <core/KokkosMMA_WarpBand.hpp>
#include <core/KokkosMMA_WeightPieces.hpp>

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
/// (core/KokkosMMA_WarpBand.hpp). A block marches down a strip of the grid:
/// rows enter shared memory once, and wait in registers for the rows below.

namespace KokkosMMA::Impl::Cuda {

/// \tparam BlocksPerWarp of sums, side by side
/// \tparam Together groups of 16 rows of a stage
/// \tparam Resident blocks of threads per multiprocessor
/// \tparam Height groups of sums of a block of threads
template <int BlocksPerWarp, int Warps, int Together, int Stages, int Resident,
          int Height>
struct BandTuning {
  static constexpr int blocks_per_warp = BlocksPerWarp;
  static constexpr int warps           = Warps;
  static constexpr int together        = Together;
  static constexpr int stages          = Stages;
  static constexpr int resident        = Resident;
  static constexpr int height          = Height;
};

/// Two blocks of threads at once where registers allow: half of them for each.
/// H200, 2026-11-22, 16384 x 16384, box of ones of radius 7, zeros beyond the
/// faces, bytes (copy of the runtime: 129 us) and half (256 us), in us:
///   blocks x warps, together, stages, resident, height   int8   half
///   2 x 8, 2, 4, 2,  7                                    154
///   2 x 8, 2, 4, 2, 11                                    147
///   2 x 8, 2, 4, 2, 15                                    148    300
///   2 x 8, 2, 4, 2, 23                                    149*   291
///   2 x 8, 2, 4, 2, 31                                    152    292
///   2 x 8, 2, 4, 2, 63                                    156*   297*
///   1 x 8, 2, 4, 3, 11                                    168
///   2 x 8, 2, 4, 3, 11 (registers spilled)                220
///   2 x 8, 2, 5, 2, 15; 31                                167*   316*
///   2 x 8, 4, 3, 2, 15; 31                                193*   402*
///   2 x 8, 1, 4, 2, 15; 31                                168*   345*
/// * of kernels that were slower in the first rows too, by 1 to 14 %. The same
/// kernel that only copies: 144 and 278. A loop over two groups of rows, which
/// saves the copies of the history, changes nothing for bytes, and for halfs
/// its code is too long: 403.
///
/// H200, 2026-11-23, likewise (copy 131 and 259), where rows and results begin
/// with a line, rows do not, results do not, in us:
///   halfs, radius 7    2 x 8, 2, 4, 2, 23    297   366   668
///                      4 x 4, 2, 4, 2, 23    303   386   491
///   bytes, radius 4    2 x 8, 2, 4, 2, 11    151   193   436
///                      4 x 4, 2, 4, 2, 11    154   198   320
///                      4 x 4, 2, 4, 2, 23          185   340
///   halfs, radius 16   2 x 8, 2, 4, 1, 16    540   654   755
///                      2 x 8, 2, 4, 1, 64    466   588   760
///                      4 x 4, 1, 4, 2, 64    346   459   540
///                      2 x 4, 1, 4, 3, 64    380         934
///   bytes, radius 16   2 x 8, 2, 4, 1, 16    159   204   457
///                      4 x 4, 1, 4, 2, 16    167   205   320
///   halfs in pieces,   2 x 8, 2, 4, 1, 31    489
///   radius 7           2 x 4, 2, 4, 3, 47    413   514*  930
///                      4 x 4, 2, 4, 2, 23    417
///                      4 x 4, 2, 4, 2, 47    403   486   535
///   radius 16          2 x 8, 2, 4, 1, 64    632   658
///                      2 x 4, 1, 4, 2, 64    576   720   784
///   functors, halfs,   2 x 8, 2, 4, 2, 23   1027
///   radius 7           4 x 4, 2, 4, 2, 23   1350
///   bytes              2 x 8, 2, 4, 2, 11    686
///                      4 x 4, 2, 4, 2, 23   1097
/// In pieces a multiprocessor multiplies in more than half of all cycles.
/// \tparam Anywhere rows or results begin anywhere in a line
template <class Band, bool Anywhere>
struct ChooseBandTuning {
  static constexpr bool of_bytes = Band::columns == 32;
  static constexpr bool is_far   = Band::is_far;

  using Bytes = std::conditional_t<
      is_far,
      std::conditional_t<Anywhere && Band::planes == 1,
                         BandTuning<4, 4, 1, 4, 2, 16>,
                         BandTuning<2, 8, 2, 4, 1, 16>>,
      std::conditional_t<
          Band::planes == 2, BandTuning<1, 8, 2, 4, 2, 15>,
          std::conditional_t<Anywhere, BandTuning<4, 4, 2, 4, 2, 23>,
                             BandTuning<2, 8, 2, 4, 2, 11>>>>;
  using Halfs = std::conditional_t<
      is_far, BandTuning<4, 4, 1, 4, 2, 64>,
      std::conditional_t<Anywhere, BandTuning<4, 4, 2, 4, 2, 23>,
                         BandTuning<2, 8, 2, 4, 2, 23>>>;
  using InPieces = std::conditional_t<
      !is_far, BandTuning<4, 4, 2, 4, 2, 47>,
      std::conditional_t<Anywhere, BandTuning<2, 8, 2, 4, 1, 64>,
                         BandTuning<2, 4, 1, 4, 2, 64>>>;
  using Floats = BandTuning<2, 4, 1, 4, 2, 64>;
  using type   = std::conditional_t<
      of_bytes, Bytes,
      std::conditional_t<Band::element == Scalar::float32, Floats,
                         std::conditional_t<Band::Weights::column_pieces == 1,
                                            Halfs, InPieces>>>;
};
template <class Band, bool Anywhere>
using band_tuning = typename ChooseBandTuning<Band, Anywhere>::type;

template <class Band, class Element, class Sink>
struct BandArguments {
  StencilGrid<Element, 2> grid;
  typename Band::Weights weights;
  Sink sink;
  std::int64_t chunk;  ///< rows of sums of a block, whole blocks of 16
  std::uint32_t strips;
  std::uint32_t pieces;  ///< of a strip, one for each block of threads
  int radius[2];
  bool vectors;  ///< what a lane writes of a row may be written at once
};

/// The float that the pieces of a weight add up to.
template <bool Half, int Pieces, int Size>
__device__ float weight_of(std::uint16_t const (&pieces)[Pieces][Size],
                           int at) {
  float weight = 0;
#pragma unroll 1
  for (int piece = Pieces - 1; piece >= 0; --piece) {
    std::uint16_t const bits = pieces[piece][at];
    weight +=
        Half ? Warp::half_value(bits) : float_of(std::uint32_t(bits) << 16);
  }
  return weight;
}

/// One sum in the order of the weights, as the generic route adds it.
template <bool Half, class Element, class Weights>
__device__ float plain_sum(StencilGrid<Element, 2> const& grid,
                           Weights const& weights, int radius_rows,
                           int radius_columns, std::int64_t i, std::int64_t j) {
  constexpr int origin = Weights::origin;
  float sum            = 0;
#pragma unroll 1
  for (int a = -radius_rows; a <= radius_rows; ++a) {
    float const column = weight_of<false>(weights.column, origin + a);
#pragma unroll 1
    for (int b = -radius_columns; b <= radius_columns; ++b) {
      float const weight = column * weight_of<Half>(weights.row, origin + b);
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
    typename Band::Weights const& weights, std::int64_t i, std::int64_t j,
    int rows_left, int columns_left) {
  constexpr int n = Band::per_lane;
#pragma unroll 1
  for (int k = 0; k < 2 * n; ++k) {
    std::int64_t const at[2] = {i + 8 * (k / n), j + k % n};
    if (8 * (k / n) < rows_left && k % n < columns_left)
      arguments.sink(at, static_cast<A>(plain_sum<is_band_half<Element>>(
                             arguments.grid, weights, arguments.radius[0],
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

/// The sums of stripes side by side, packed: one after the other without a
/// branch, so that one waits for its products while another is packed. Bit b is
/// unset where one of stripe b is not finite.
template <class Sink, class A, class Band, class Data, class Results,
          int BlocksPerWarp>
__device__ __forceinline__ unsigned band_sums(
    Band const& band, typename Band::History (&history)[BlocksPerWarp],
    Data const& data, Results (&results)[BlocksPerWarp][2]) {
  unsigned finite = ~0u;
#pragma unroll
  for (int b = 0; b < BlocksPerWarp; ++b) {
    auto const sums =
        band.sums(history[b], band.multiply(&data[Band::of_stripe * b]));
    results[b][0].template pack<A>(&sums[0]);
    results[b][1].template pack<A>(&sums[Band::per_lane]);
    if constexpr (has_half_results<Sink>) {
      // In half the instructions. A result that is too large for its type is
      // formed again too, and is the same.
      std::uint32_t zero = 0;
      results[b][0].check(zero);
      results[b][1].check(zero);
      if ((zero & 0x7fff7fffu) != 0) finite &= ~(1u << b);
    } else if constexpr (std::is_same_v<typename Band::Sum, float>) {
      if (!all_finite(sums)) finite &= ~(1u << b);
    }
  }
  return finite;
}

/// Writes those anew whose bit is not set; for all lanes of a warp.
template <class A, int BlocksPerWarp, class Band, class Element, class Sink>
__device__ __forceinline__ void repair_sums(
    BandArguments<Band, Element, Sink> const& arguments,
    typename Band::Weights const& weights, unsigned finite, std::int64_t i,
    std::int64_t j, int rows_left, int columns_left) {
#pragma unroll 1
  for (int b = 0; b < BlocksPerWarp; ++b)
    if (!(finite >> b & 1))
      write_plain_sums<Band, A>(arguments, weights, i, j + b * Band::columns,
                                rows_left, columns_left - b * Band::columns);
  __syncwarp();
}

/// Sums of a row of a warp on their way to a functor, and 16 bytes that keep
/// rows in different banks.
template <class Band, int BlocksPerWarp>
inline constexpr int call_pitch = BlocksPerWarp* Band::columns + 4;

/// Results of which a lane has 8 bytes or less in a row. Halfs with results in
/// float spill registers in a loop for plain strips (sm_90, CUDA 13.0).
template <class Band, class Sink>
inline constexpr bool has_narrow_results = false;
template <class Band, VisibleStencilSink Sink>
inline constexpr bool has_narrow_results<Band, Sink> =
    Band::per_lane * sizeof(typename Sink::value_type) <= 8;

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
  using Weights = typename Band::Weights;
  using Sum     = typename Band::Sum;
  using Rows    = BandRows<Tuning, Band, Element, Shifted>;
  using Ring    = CopyRing<Tuning::stages, Tuning::warps>;

  constexpr int BlocksPerWarp = Tuning::blocks_per_warp;
  constexpr int Warps         = Tuning::warps;
  constexpr int together      = Tuning::together;
  constexpr int size          = int(sizeof(Element));
  constexpr int columns       = Band::columns;
  constexpr int n             = Band::per_lane;
  constexpr int width         = columns * BlocksPerWarp * Warps;
  // Units of 16 bytes: of each stripe's sums, and what stands around them.
  constexpr int units = Band::of_stripe * (BlocksPerWarp - 1) + Band::window;

  KOKKOSMMA_DYNAMIC_SHARED(uint4, 16, band_memory);
  __shared__ typename Ring::Memory ring_memory;
  __shared__ Weights weights;
  // Read anew in each step: what follows from it would wait in registers.
  __shared__ int columns_of_strip;
  __shared__ std::int64_t place[2];  // of the first sum
  int const thread = int(threadIdx.x);
  int const lane   = thread % 32;
  int const warp   = thread / 32;
  auto const [strip, piece] =
      strip_piece(blockIdx.x, arguments.strips, arguments.pieces);
  std::int64_t const first     = std::int64_t(strip) * width;
  std::int64_t const top       = std::int64_t(piece) * arguments.chunk;
  std::int64_t const left_rows = arguments.grid.extent[0] - top;
  int const chunk =
      int(left_rows < arguments.chunk ? left_rows : arguments.chunk);
  int const groups = (chunk + 15) / 16 + Band::groups - 1;
  int const steps  = (groups + together - 1) / together;
  if (thread == 0) {
    columns_of_strip =
        int(min(arguments.grid.extent[1] - first, std::int64_t(width)));
    place[0] = top;
    place[1] = first;
  }
  for (int k = thread; k < Weights::size; k += 32 * Warps) {
    for (int piece = 0; piece < Weights::column_pieces; ++piece)
      weights.column[piece][k] = arguments.weights.column[piece][k];
    for (int piece = 0; piece < Weights::row_pieces; ++piece)
      weights.row[piece][k] = arguments.weights.row[piece][k];
  }

  Ring const ring(ring_memory);
  Rows rows(arguments.grid, reinterpret_cast<unsigned char*>(band_memory),
            first, top - Band::max_radius, steps, arguments.radius[0],
            arguments.radius[1]);
#pragma unroll 1
  for (int step = 0; step < ring.ahead && step < steps; ++step) {
    rows.fetch_edges(step, step, warp, lane);
    rows.fetch(step, step, warp, lane);
    ring.end(step, lane);
  }

  auto const fetch_later = [&](int step) {
    int const later = step + ring.ahead;
    if (later >= steps) return;
    ring.begin(later);
    if (!rows.is_simple(later))
      rows.fetch_edges(ring.stage(later), later, warp, lane);
    rows.fetch(ring.stage(later), later, warp, lane);
    ring.end(later, lane);
  };

  // While the first rows are on their way.
  Band const band(Warp(), weights);
  typename Band::History history[BlocksPerWarp];
#pragma unroll
  for (int b = 0; b < BlocksPerWarp; ++b) band.clear(history[b]);
  // Sums of this lane start at this row of 16 and this column.
  int const row    = lane / 4;
  int const offset = warp * BlocksPerWarp * columns + n * (lane % 4);
  if constexpr (!Shifted && has_narrow_results<Band, Sink>) {
    // Most strips meet no face and have whole lines of sums. Asking for them in
    // each step, of shared memory: 343 us instead of 328 for halfs (H200).
    if (!rows.has_edges() && arguments.vectors && columns_of_strip == width) {
      using Result              = typename Sink::value_type;
      std::int64_t const stride = arguments.sink.stride[0];
      std::int64_t const above  = top + row - 16 * (Band::groups - 1);
      Result* to = arguments.sink.data + above * stride + first + offset;
      int left   = chunk - row + 16 * (Band::groups - 1);
#pragma unroll 1
      for (int group = 0; group < groups; ++group) {
        int const step = group / together;
        if (group % together == 0) {
          fetch_later(step);
          ring.wait(step);
        }
        typename Band::Unit data[units];
        rows.units(data, ring.stage(step), 16 * (group % together),
                   warp * BlocksPerWarp * columns * size, lane);
        if (group % together == together - 1) ring.release(step);
        PackedResults<Result, n> results[BlocksPerWarp][2];
        unsigned const finite =
            band_sums<Sink, A>(band, history, data, results);
        if (group >= Band::groups - 1) {
          if (left > 0) {
#pragma unroll
            for (int b = 0; b < BlocksPerWarp; ++b)
              results[b][0].template write<false>(to + b * columns);
          }
          if (left > 8) {
#pragma unroll
            for (int b = 0; b < BlocksPerWarp; ++b)
              results[b][1].template write<false>(to + b * columns +
                                                  8 * stride);
          }
          if constexpr (std::is_same_v<Sum, float>) {
            if (Warp::any(finite != ~0u)) {
              repair_sums<A, BlocksPerWarp>(
                  arguments, weights, finite,
                  place[0] + 16 * (group - Band::groups + 1) + row,
                  place[1] + offset, left, width);
            }
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
    int const step = group / together;
    if (group % together == 0) {
      fetch_later(step);
      ring.wait(step);
      if (rows.has_edges()) rows.complete(ring.stage(step), step, thread);
    }
    typename Band::Unit data[units];
    rows.units(data, ring.stage(step), 16 * (group % together),
               warp * BlocksPerWarp * columns * size, lane);
    if (group % together == together - 1) ring.release(step);

    // Sums from too few rows are made too, and not kept.
    int const done         = 16 * (group - Band::groups + 1);
    int const rows_left    = chunk - done - row;
    int const columns_left = columns_of_strip - offset;
    std::int64_t const i   = place[0] + done + row;
    std::int64_t const j   = place[1] + offset;
    if constexpr (VisibleStencilSink<Sink>) {
      using Result = typename Sink::value_type;
      PackedResults<Result, n> results[BlocksPerWarp][2];
      unsigned const finite = band_sums<Sink, A>(band, history, data, results);
      if (done >= 0) {
        std::int64_t const stride = arguments.sink.stride[0];
        Result* const to          = arguments.sink.data + i * stride + j;
        if (arguments.vectors && columns_of_strip == width &&
            chunk - done >= 16) {
#pragma unroll
          for (int b = 0; b < BlocksPerWarp; ++b) {
            results[b][0].template write<false>(to + b * columns);
            results[b][1].template write<false>(to + b * columns + 8 * stride);
          }
        } else {
          bool is_done = false;
          if constexpr (Shifted && n * sizeof(Result) == 8) {
            // Whole rows.
            is_done = columns_of_strip == width && chunk - done >= 16;
            if (is_done) {
#pragma unroll
              for (int half = 0; half < 2; ++half)
                write_rows_anywhere<BlocksPerWarp>(
                    to + 8 * half * stride - n * (lane % 4),
                    lane, [&](int b) -> auto const& {
                      return results[b][half];
                    });
            }
          }
          if (!is_done) {
#pragma unroll
            for (int b = 0; b < BlocksPerWarp; ++b)
#pragma unroll
              for (int half = 0; half < 2; ++half)
                if (8 * half < rows_left)
                  results[b][half].write(to + b * columns + 8 * half * stride,
                                         columns_left - b * columns);
          }
        }
        if constexpr (std::is_same_v<Sum, float>) {
          if (Warp::any(finite != ~0u)) {
            repair_sums<A, BlocksPerWarp>(arguments, weights, finite, i, j,
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
#pragma unroll
      for (int b = 0; b < BlocksPerWarp; ++b) {
        auto const sums =
            band.sums(history[b], band.multiply(&data[Band::of_stripe * b]));
#pragma unroll
        for (int k = 0; k < 2 * n; ++k)
          tile[(row + 8 * (k / n)) * pitch + b * columns + n * (lane % 4) +
               k % n] = sums[k];
      }
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
                    arguments.grid, weights, arguments.radius[0],
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
template <VisibleStencilSink Sink>
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
  /// Constants beyond the faces are elements too.
  static bool takes(StencilGrid<Element, 2> const& grid) {
    for (int d = 0; d < 2; ++d)
      for (Face const& face : {grid.boundaries.low[d], grid.boundaries.high[d]})
        if (face.kind == Boundary::constant && !is_element(face.value))
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
      Rows::bytes + (VisibleStencilSink<Sink>
                         ? 0
                         : Tuning::warps * 16 * sizeof(typename Band::Sum) *
                               call_pitch<Band, Tuning::blocks_per_warp>);
  int const device_id = space.cuda_device();
  auto const facts = kernel_facts(device_id, kernel, 32 * Tuning::warps, bytes);

  BandArguments<Band, Element, Sink> arguments{};
  arguments.grid      = grid;
  arguments.weights   = weights;
  arguments.sink      = sink;
  arguments.radius[0] = radius_rows;
  arguments.radius[1] = radius_columns;
  if constexpr (VisibleStencilSink<Sink>) {
    constexpr std::uintptr_t all =
        Band::per_lane * sizeof(typename Sink::value_type);
    constexpr std::uintptr_t line = all < 16 ? all : 16;
    arguments.vectors =
        sink.stride[1] == 1 &&
        reinterpret_cast<std::uintptr_t>(sink.data) % line == 0 &&
        std::uintptr_t(sink.stride[0]) * sizeof(typename Sink::value_type) %
                line ==
            0;
  }
  std::int64_t const strips = (grid.extent[1] + width - 1) / width;
  std::int64_t const groups = (grid.extent[0] + 15) / 16;
  // Less high where the device is not full otherwise, but not so low that much
  // is read again.
  std::int64_t const slots =
      std::int64_t(facts.resident_blocks) * device(device_id).multiprocessors;
  std::int64_t const chunks = std::max<std::int64_t>(1, slots / strips);
  std::int64_t const height = std::clamp<std::int64_t>(
      (groups + chunks - 1) / chunks, std::min<std::int64_t>(4, groups),
      Tuning::height);
  arguments.chunk   = 16 * height;
  arguments.strips  = std::uint32_t(strips);
  arguments.pieces  = std::uint32_t((groups + height - 1) / height);
  auto const blocks = arguments.strips * arguments.pieces;
  launch_kernel(space, "band_stencil", kernel,
                {blocks, 32 * Tuning::warps, bytes}, arguments);
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
  auto const run           = [&](auto band, auto shifted, auto const& weights) {
    using Band              = typename decltype(band)::type;
    constexpr bool Shifted  = decltype(shifted)::value;
    constexpr bool anywhere = Shifted && VisibleStencilSink<Sink>;
    run_band_stencil<band_tuning<Band, anywhere>, Band, A, Shifted>(
        space, grid, weights, radius_rows, radius_columns, sink);
  };
  // Rows and results that begin with lines; for functors nothing does.
  bool lines = false;
  if constexpr (VisibleStencilSink<Sink>) {
    lines = begins_with_lines(grid.data, grid.stride[0]) &&
            begins_with_lines(sink.data, sink.stride[0]);
  }
  auto const choose = [&](auto near, auto far, bool is_near,
                          auto const& weights) {
    auto const of_radius = [&](auto shifted) {
      if (is_near)
        run(near, shifted, weights);
      else
        run(far, shifted, weights);
    };
    if constexpr (VisibleStencilSink<Sink>) {
      if (lines) return of_radius(std::false_type());
    }
    of_radius(std::true_type());
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
        run(std::type_identity<Far>(), std::false_type(), weights);
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
