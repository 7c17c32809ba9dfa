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
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_StencilRows.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpBand.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

/// \file
/// Kernel of separable two-dimensional stencils on tensor cores, for 8-bit
/// integers, 16-bit floats and floats. It multiplies the data by two band
/// matrices (core/stencil/KokkosMMA_WarpBand.hpp). A thread block sweeps down
/// one row block of a column panel. Each row enters shared memory once. Its
/// sums along the row stay in registers until the rows below arrive.

namespace KokkosMMA::Impl::Cuda {

template <class Band, class Element, class Epilogue>
struct BandArguments {
  StencilGrid<Element, 2> grid;
  typename Band::Words words;
  Epilogue epilogue;
  TileSchedule schedule;
  int radius[2];
  bool lane_aligned;  ///< a lane may store its results of a row as one vector
  bool rows_aligned_16;  ///< rows of results are aligned to 16 bytes
};

/// Returns the float value of a weight: the sum of its operands.
template <bool Half, int Operands, int Size>
__device__ float weight_of(std::uint32_t const (&operands)[Operands][Size],
                           int at) {
  float weight = 0;
#pragma unroll 1
  for (int part = Operands - 1; part >= 0; --part) {
    auto const bits = std::uint16_t(operands[part][at]);
    weight +=
        Half ? Warp::half_value(bits) : float_of(std::uint32_t(bits) << 16);
  }
  return weight;
}

/// Computes one sum in the order of the weights, like the generic route.
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
        sum += weight * static_cast<float>(grid.at(i + a, j + b));
    }
  }
  return sum;
}

/// Recomputes a lane's sums in 16 rows by plain_sum and writes them one by one.
template <class Band, class A, class Element, class Epilogue>
__device__ __forceinline__ void write_plain_sums(
    BandArguments<Band, Element, Epilogue> const& arguments,
    typename Band::Words const& words, std::int64_t i, std::int64_t j,
    int rows_left, int columns_left) {
  constexpr int n = Band::per_lane;
#pragma unroll 1
  for (int k = 0; k < 2 * n; ++k) {
    std::int64_t const at[2] = {i + 8 * (k / n), j + k % n};
    if (8 * (k / n) < rows_left && k % n < columns_left)
      arguments.epilogue(at, static_cast<A>(plain_sum<is_band_half<Element>>(
                                 arguments.grid, words, arguments.radius[0],
                                 arguments.radius[1], at[0], at[1])));
  }
}

/// Whether all sums are finite: 0 * Inf and 0 * NaN are NaN.
template <int N>
__device__ __forceinline__ bool all_finite(Registers<float, N> const& sums) {
  float zero = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) zero = fmaf(sums[k], 0.f, zero);
  return zero == 0;
}

template <class Epilogue>
inline constexpr bool has_half_results = false;
template <StencilEpilogue Epilogue>
inline constexpr bool has_half_results<Epilogue> =
    is_band_half<typename Epilogue::value_type> ||
    is_band_bhalf<typename Epilogue::value_type>;

/// Invokes use(b, units) for each column block b of a warp, with the units of
/// data of that block. load(N, result, unit) loads N units; loaded() is invoked
/// after the last load.
/// \tparam AtOnce load all units first; otherwise load those of the next block
///   while one is used, which needs fewer registers
template <int BlocksPerWarp, bool AtOnce, class Band, class Load, class Loaded,
          class Use>
__device__ __forceinline__ void for_column_blocks(Load const& load,
                                                  Loaded const& loaded,
                                                  Use const& use) {
  constexpr int window = Band::window;
  constexpr int next   = Band::units_per_block;
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

/// Computes and packs the sums of a column block and invokes store(half,
/// results). Returns whether all are finite. It has no branches, so that
/// packing one block overlaps the multiplication of another.
template <class Epilogue, class A, class Band, class Store>
__device__ __forceinline__ bool band_sums(Band const& band,
                                          typename Band::History& history,
                                          typename Band::Unit const* units,
                                          Store const& store) {
  auto const sums = band.sums(history, band.multiply(units));
  VectorStore<typename Epilogue::value_type, Band::per_lane> results[2];
  results[0].template pack<A>(&sums[0]);
  results[1].template pack<A>(&sums[Band::per_lane]);
  bool finite = true;
  if constexpr (has_half_results<Epilogue>) {
    // Half as many instructions as all_finite. Results that overflow their type
    // are recomputed too, with the same value.
    std::uint32_t zero = 0;
    results[0].check(zero);
    results[1].check(zero);
    finite = (zero & 0x7fff7fffu) == 0;
  } else if constexpr (std::is_same_v<typename Band::Sum, float>) {
    finite = all_finite(sums);
  }
  store(0, results[0]);
  store(1, results[1]);
  return finite;
}

/// Recomputes the sums of the column blocks whose bit in `finite` is clear.
/// Called by all lanes of a warp.
template <class A, int BlocksPerWarp, class Band, class Element, class Epilogue>
__device__ __forceinline__ void repair_sums(
    BandArguments<Band, Element, Epilogue> const& arguments,
    typename Band::Words const& words, unsigned finite, std::int64_t i,
    std::int64_t j, int rows_left, int columns_left) {
#pragma unroll 1
  for (int b = 0; b < BlocksPerWarp; ++b)
    if (!(finite >> b & 1))
      write_plain_sums<Band, A>(arguments, words, i, j + b * Band::columns,
                                rows_left, columns_left - b * Band::columns);
  __syncwarp();
}

/// Row stride of sums that are passed to a functor through shared memory. The
/// 16 bytes of padding put rows into different banks.
template <class Band, int BlocksPerWarp>
inline constexpr int call_pitch = BlocksPerWarp* Band::columns + 4;

/// Whether a lane's results in a row are 8 bytes.
template <class Band, class Epilogue>
inline constexpr bool has_narrow_results = false;
template <class Band, StencilEpilogue Epilogue>
inline constexpr bool has_narrow_results<Band, Epilogue> =
    Band::per_lane * sizeof(typename Epilogue::value_type) == 8;

/// Whether results are stored through shared memory: byte results. Kernels of
/// half do more work per result and are as fast without it.
template <class Band, class Epilogue>
inline constexpr bool has_row_tiles =
    has_narrow_results<Band, Epilogue>&& Band::columns == 32;

template <class Tuning, class Band, class Element, bool Unaligned>
using BandRows =
    StencilRows<Element,
                Band::columns * Tuning::value.blocks_per_warp *
                    Tuning::value.warps* int(sizeof(Element)),
                Band::margin* int(sizeof(Element)),
                16 * Tuning::value.groups_per_stage, Tuning::value.stages,
                Tuning::value.warps, Unaligned>;

template <class Tuning, class Band, class A, class Element, class Epilogue,
          bool Unaligned>
__global__ void __launch_bounds__(32 * Tuning::value.warps,
                                  Tuning::value.min_blocks)
    band_stencil(const __grid_constant__ BandArguments<Band, Element, Epilogue>
                     arguments) {
  using Words = typename Band::Words;
  using Sum   = typename Band::Sum;
  using Rows  = BandRows<Tuning, Band, Element, Unaligned>;
  using Ring  = BlockPipeline<Tuning::value.stages, Tuning::value.warps>;

  constexpr int BlocksPerWarp = Tuning::value.blocks_per_warp;
  constexpr int Warps         = Tuning::value.warps;
  constexpr int per_stage     = Tuning::value.groups_per_stage;
  constexpr int size          = int(sizeof(Element));
  constexpr int columns       = Band::columns;
  constexpr int n             = Band::per_lane;
  constexpr int width         = columns * BlocksPerWarp * Warps;
  // Byte kernels with many resident blocks lack the registers to load all units
  // first.
  constexpr bool at_once = Unaligned || !has_row_tiles<Band, Epilogue>;

  KOKKOSMMA_DYNAMIC_SHARED(uint4, 16, band_memory);
  __shared__ typename Ring::Memory ring_memory;
  __shared__ Words words;
  // In shared memory to save registers; reloaded in each step.
  __shared__ int panel_columns;
  __shared__ std::int64_t first_sum[2];
  int const thread = int(threadIdx.x);
  int const lane   = thread % 32;
  int const warp   = thread / 32;
  GridDependency::release();
  // The first rows are requested before other set-up.
  Ring const ring(ring_memory);
  TileSchedule::Tile const block = arguments.schedule.of_block(blockIdx.x);
  std::int64_t const first       = std::int64_t(block.panel) * width;
  std::int64_t const top         = block.first_row;
  int const block_rows =
      int(min(arguments.grid.extent[0] - top, std::int64_t(block.rows)));
  int const groups = (block_rows + 15) / 16 + Band::groups - 1;
  int const steps  = (groups + per_stage - 1) / per_stage;
  Rows rows(arguments.grid, reinterpret_cast<unsigned char*>(band_memory),
            first, top - Band::max_radius, steps, arguments.radius[0],
            arguments.radius[1]);
  GridDependency::wait();
  // A short row block has all its rows in flight at once.
  int const ahead = steps <= Tuning::value.stages ? steps : ring.ahead;
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
    panel_columns =
        int(min(arguments.grid.extent[1] - first, std::int64_t(width)));
    first_sum[0] = top;
    first_sum[1] = first;
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
    if (group % per_stage != 0) return;
    fetch_later(group / per_stage);
    ring.wait(group / per_stage);
  };
  auto const load_of = [&](int group) {
    return [&, group](auto count, typename Band::Unit* result, int unit) {
      rows.template units<decltype(count)::value>(
          result, ring.stage(group / per_stage), 16 * (group % per_stage),
          warp * BlocksPerWarp * columns * size + 16 * unit, lane);
    };
  };
  auto const end_group = [&](int group) {
    if (group % per_stage == per_stage - 1) ring.release(group / per_stage);
  };

  Band const band(Warp(), words);
  typename Band::History history[BlocksPerWarp];
#pragma unroll
  for (int b = 0; b < BlocksPerWarp; ++b) history[b].clear(Warp());
  [[maybe_unused]] unsigned char* const tile_memory =
      reinterpret_cast<unsigned char*>(band_memory) + Rows::bytes +
      warp * RowTileStore<BlocksPerWarp>::bytes;
  // Position of this lane's first sum within 16 rows and the warp's columns.
  int const row    = lane / 4;
  int const offset = warp * BlocksPerWarp * columns + n * (lane % 4);
  if constexpr (has_narrow_results<Band, Epilogue>) {
    // Most panels have no boundary and only whole 16-byte chunks of sums.
    // Reading these conditions from shared memory in each step costs 343 us
    // instead of 328 for half (H200).
    if (!rows.has_fixups() && arguments.rows_aligned_16 &&
        panel_columns == width) {
      using Result              = typename Epilogue::value_type;
      std::int64_t const stride = arguments.epilogue.stride[0];
      // First result of the warp if `by_tile`, otherwise of the lane.
      constexpr bool by_tile = has_row_tiles<Band, Epilogue>;
      Result* to             = arguments.epilogue.data +
                   (top + (by_tile ? 0 : row)) * stride + first +
                   (by_tile ? warp * BlocksPerWarp * columns : offset);
      int left = block_rows - (by_tile ? 0 : row);
      RowTileStore<BlocksPerWarp> const tile(tile_memory, lane);
      // The first groups complete no sums.
#pragma unroll 1
      for (int group = 0; group < Band::groups - 1; ++group) {
        begin_group(group);
        for_column_blocks<BlocksPerWarp, at_once, Band>(
            load_of(group), [&] { end_group(group); },
            [&](int b, typename Band::Unit const* units) {
              history[b].take_in(band.multiply(units));
            });
      }
#pragma unroll 1
      for (int group = Band::groups - 1; group < groups; ++group) {
        begin_group(group);
        [[maybe_unused]] VectorStore<Result, n> results[BlocksPerWarp][2];
        unsigned finite = ~0u;
        for_column_blocks<BlocksPerWarp, at_once, Band>(
            load_of(group), [&] { end_group(group); },
            [&](int b, typename Band::Unit const* units) {
              auto const store = [&](int half, auto const& packed) {
                if constexpr (has_row_tiles<Band, Epilogue>) {
                  tile.put(b, half, packed);
                } else {
                  results[b][half] = packed;
                }
              };
              if (!band_sums<Epilogue, A>(band, history[b], units, store))
                finite &= ~(1u << b);
            });
        if constexpr (has_row_tiles<Band, Epilogue>) {
          tile.write(to, stride, left, lane);
        } else {
#pragma unroll
          for (int half = 0; half < 2; ++half)
            if (8 * half < left) {
#pragma unroll
              for (int b = 0; b < BlocksPerWarp; ++b)
                results[b][half].write(to + b * columns + 8 * half * stride);
            }
        }
        if constexpr (std::is_same_v<Sum, float>) {
          if (Warp::any(finite != ~0u)) {
            repair_sums<A, BlocksPerWarp>(
                arguments, words, finite,
                first_sum[0] + 16 * (group - Band::groups + 1) + row,
                first_sum[1] + offset, left - (by_tile ? row : 0), width);
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
    if (group % per_stage == 0 && rows.has_fixups())
      rows.complete(ring.stage(group / per_stage), group / per_stage, thread);

    // Sums of rows above the row block are computed but not stored.
    int const done         = 16 * (group - Band::groups + 1);
    int const rows_left    = block_rows - done - row;
    int const columns_left = panel_columns - offset;
    std::int64_t const i   = first_sum[0] + done + row;
    std::int64_t const j   = first_sum[1] + offset;
    if constexpr (StencilEpilogue<Epilogue>) {
      using Result = typename Epilogue::value_type;
      VectorStore<Result, n> results[BlocksPerWarp][2];
      RowTileStore<BlocksPerWarp> const tile(tile_memory, lane);
      unsigned finite = ~0u;
      for_column_blocks<BlocksPerWarp, at_once, Band>(
          load_of(group), [&] { end_group(group); },
          [&](int b, typename Band::Unit const* units) {
            if (!band_sums<Epilogue, A>(
                    band, history[b], units, [&](int half, auto const& packed) {
                      if constexpr (has_row_tiles<Band, Epilogue>) {
                        tile.put(b, half, packed);
                      } else {
                        results[b][half] = packed;
                      }
                    }))
              finite &= ~(1u << b);
          });
      if (done >= 0) {
        std::int64_t const stride = arguments.epilogue.stride[0];
        Result* const to          = arguments.epilogue.data + i * stride + j;
        bool const is_whole       = panel_columns == width;
        if constexpr (has_row_tiles<Band, Epilogue>) {
          Result* const of_warp = to - row * stride - n * (lane % 4);
          if (arguments.rows_aligned_16 && is_whole) {
            tile.write(of_warp, stride, block_rows - done, lane);
          } else if (Unaligned && is_whole && block_rows - done >= 16) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
              write_unaligned_rows<BlocksPerWarp>(
                  of_warp + (row + 8 * half) * stride, lane, [&](int b) {
                    return tile.template get<VectorStore<Result, n>>(b, half);
                  });
          } else {
            tile.write(of_warp, stride, block_rows - done,
                       columns_left + n * (lane % 4), lane);
          }
        } else if (arguments.lane_aligned && is_whole &&
                   block_rows - done >= 16) {
#pragma unroll
          for (int b = 0; b < BlocksPerWarp; ++b) {
            results[b][0].write(to + b * columns);
            results[b][1].write(to + b * columns + 8 * stride);
          }
        } else if (Unaligned && has_narrow_results<Band, Epilogue> &&
                   is_whole && block_rows - done >= 16) {
          if constexpr (has_narrow_results<Band, Epilogue>) {
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
      // Sums go through shared memory, so that adjacent lanes invoke the
      // functor for adjacent columns. Otherwise each store in the functor would
      // touch 32 cache lines.
      Sum* const tile =
          reinterpret_cast<Sum*>(reinterpret_cast<unsigned char*>(band_memory) +
                                 Rows::bytes) +
          warp * 16 * call_pitch<Band, BlocksPerWarp>;
      constexpr int pitch = call_pitch<Band, BlocksPerWarp>;
      for_column_blocks<BlocksPerWarp, at_once, Band>(
          load_of(group), [&] { end_group(group); },
          [&](int b, typename Band::Unit const* units) {
            auto const sums = band.sums(history[b], band.multiply(units));
#pragma unroll
            for (int k = 0; k < 2 * n; ++k)
              tile[(row + 8 * (k / n)) * pitch + b * columns + n * (lane % 4) +
                   k % n] = sums[k];
          });
      __syncwarp();
      constexpr int across   = BlocksPerWarp * columns;
      int const rows_here    = done < 0 ? 0 : min(block_rows - done, 16);
      int const columns_here = panel_columns - warp * BlocksPerWarp * columns;
#pragma unroll 1
      for (int r = 0; r < rows_here; ++r) {
#pragma unroll
        for (int c = lane; c < across; c += 32) {
          std::int64_t const at[2] = {
              first_sum[0] + done + r,
              first_sum[1] + warp * BlocksPerWarp * columns + c};
          if (c < columns_here) {
            A sum = static_cast<A>(tile[r * pitch + c]);
            if constexpr (std::is_same_v<Sum, float>) {
              if (!(fabsf(tile[r * pitch + c]) < INFINITY))
                sum = static_cast<A>(plain_sum<is_band_half<Element>>(
                    arguments.grid, words, arguments.radius[0],
                    arguments.radius[1], at[0], at[1]));
            }
            arguments.epilogue(at, sum);
          }
        }
      }
      __syncwarp();
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
