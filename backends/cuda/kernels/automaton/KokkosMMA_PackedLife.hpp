// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PACKED_LIFE_HPP
#define KOKKOSMMA_CUDA_PACKED_LIFE_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedBytes.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

/// \file
/// Automata of two states and radius 1 on bit cells. A block keeps a tile in
/// registers: 32 rows per warp, one word of each row per lane. It runs several
/// generations. Cells at the rim of the tile become invalid, one more cell per
/// generation, and are not written.

namespace KokkosMMA::Impl::Cuda {

/// Grid of bits. Row i begins at word i * pitch.
struct PackedGrid {
  UnfoldedAxis rows;
  UnfoldedAxis columns;
  std::int64_t pitch;
  bool low_row_alive;  ///< values of constant boundaries
  bool high_row_alive;
  bool low_column_alive;
  bool high_column_alive;
  bool columns_first;  ///< constant columns take precedence over rows

  /// Includes a word after the last, for 32-bit reads that begin at any cell.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr std::int64_t pitch_of(
      std::int64_t columns) {
    return (columns + 31) / 32 + 1;
  }
};

struct PackedTile {
  static constexpr int rows      = 32;  ///< per warp
  static constexpr int max_warps = 10;
  static constexpr int words     = 31;  ///< written per row of a tile

  /// Per warp: staged rows, constants, and double-buffered outer rows.
  static constexpr int shared_bytes(int warps) {
    return warps * (rows + 6 + 4) * 32 * int(sizeof(std::uint32_t));
  }
};

/// Constant boundaries in the 32 columns of a lane and 32 rows of a warp.
struct PackedConstants {
  std::uint32_t columns;     ///< mask of constant columns in this lane's word
  std::uint32_t rows;        ///< mask of constant rows
  std::uint32_t alive;       ///< values of the constant columns
  std::uint32_t alive_rows;  ///< values of the constant rows
  std::uint32_t dead_row;    ///< this lane's word of a dead constant row
  std::uint32_t alive_row;   ///< this lane's word of a live constant row

  /// Stores into memory in which every 32nd word belongs to this lane.
  __device__ void keep(std::uint32_t* memory) const {
    memory[0]   = columns;
    memory[32]  = rows;
    memory[64]  = alive;
    memory[96]  = alive_rows;
    memory[128] = dead_row;
    memory[160] = alive_row;
  }
  __device__ static PackedConstants kept(std::uint32_t const* memory) {
    return {memory[0],  memory[32],  memory[64],
            memory[96], memory[128], memory[160]};
  }

  __device__ std::uint32_t apply(std::uint32_t word, int row) const {
    if (rows >> row & 1u) return alive_rows >> row & 1u ? alive_row : dead_row;
    return (word & ~columns) | alive;
  }
};

__device__ inline PackedConstants packed_constants(PackedGrid const& grid,
                                                   std::int64_t row,
                                                   std::int64_t column) {
  PackedConstants c{};
  auto const columns = grid.columns.constants(column, grid.low_column_alive,
                                              grid.high_column_alive);
  auto const rows =
      grid.rows.constants(row, grid.low_row_alive, grid.high_row_alive);
  c.columns    = columns.where;
  c.alive      = columns.alive;
  c.rows       = rows.where;
  c.alive_rows = rows.alive;
  c.dead_row   = grid.columns_first ? columns.alive : 0;
  c.alive_row  = grid.columns_first ? columns.alive | ~columns.where : ~0u;
  return c;
}

__device__ inline BitSum row_sum_of(std::uint32_t word) {
  return row_sum(__shfl_up_sync(0xffffffffu, word, 1), word,
                 __shfl_down_sync(0xffffffffu, word, 1));
}

/// Advances the rows of a warp by one generation. `above` and `below` are the
/// adjacent rows of the neighbouring warps.
template <bool Moore, bool WithConstants, class Rule>
__device__ void next_generation(std::uint32_t (&x)[PackedTile::rows],
                                std::uint32_t above, std::uint32_t below,
                                Rule const& rule,
                                PackedConstants const& constants) {
  BitSum top{};
  if constexpr (Moore) {
    top = row_sum_of(above);
  }
  BitSum row = row_sum_of(x[0]);
#pragma unroll
  for (int r = 0; r < PackedTile::rows; ++r) {
    std::uint32_t const under = r + 1 < PackedTile::rows ? x[r + 1] : below;
    std::uint32_t const word  = x[r];
    BitSum const bottom       = row_sum_of(under);
    if constexpr (Moore) {
      x[r] = rule.next(count_moore(top, row, bottom), word);
    } else {
      x[r] = rule.next(count_von_neumann(above, row, under), word);
    }
    if constexpr (WithConstants) {
      x[r] = constants.apply(x[r], r);
    }
    top   = row;
    row   = bottom;
    above = word;
  }
}

/// Row of bits, read as 32 cells beginning at any cell.
struct PackedRow {
  std::uint32_t const* words;

  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t operator()(
      std::int64_t index) const {
    std::uint32_t const* const first = words + (index >> 5);
    return std::uint32_t((std::uint64_t(first[1]) << 32 | first[0]) >>
                         (index & 31));
  }
};

/// Gathers 32 rows that are partly outside the grid into memory in which every
/// 32nd word belongs to this lane.
__device__ inline void gather_rows(PackedGrid const& grid,
                                   std::uint32_t const* from, std::int64_t row,
                                   std::int64_t column, std::uint32_t* stage) {
  UnfoldedAxis::Run one{}, two{};
  bool const has_more = grid.columns.runs(column, one, two) > 2;
  if (__any_sync(0xffffffffu, has_more)) {
#pragma unroll 1
    for (int r = 0; r < PackedTile::rows; ++r) {
      UnfoldedAxis::Place const place = grid.rows.locate(row + r);
      stage[r * 32] =
          place.direction == 0
              ? 0
              : grid.columns.gather(column,
                                    PackedRow{from + place.index * grid.pitch});
    }
    return;
  }
  // Without branches that depend on the lane, loads of several rows overlap.
#pragma unroll 4
  for (int r = 0; r < PackedTile::rows; ++r) {
    UnfoldedAxis::Place const place = grid.rows.locate(row + r);
    std::int64_t const in_row       = place.direction == 0 ? 0 : place.index;
    PackedRow const read{from + in_row * grid.pitch};
    std::uint32_t const word =
        one.place(read(one.begin)) | two.place(read(two.begin));
    stage[r * 32] = place.direction == 0 ? 0 : word;
  }
}

/// Runs `generations` generations, at most 16.
template <bool Moore, class Rule>
__global__ void __launch_bounds__(32 * PackedTile::max_warps, 2)
    advance_packed(PackedGrid const grid, std::uint32_t const* const from,
                   std::uint32_t* const to, int const generations,
                   unsigned const row_blocks, Rule const rule) {
  constexpr int rows = PackedTile::rows;
  KOKKOSMMA_DYNAMIC_SHARED(std::uint32_t, 4, packed_memory);
  int const lane  = threadIdx.x % 32;
  int const warp  = threadIdx.x / 32;
  int const warps = blockDim.x / 32;

  // One-dimensional grid: there may be more panels than the 65535 blocks of the
  // other dimensions.
  std::int64_t const panel  = blockIdx.x / row_blocks;
  std::int64_t const height = warps * rows - 2 * generations;
  std::int64_t const row =
      blockIdx.x % row_blocks * height - generations + warp * rows;
  std::int64_t const column = panel * (32 * PackedTile::words) - 16 + 32 * lane;
  bool const is_inside =
      row >= 0 && row + rows <= grid.rows.extent() && panel > 0 &&
      (panel + 1) * (32 * PackedTile::words) + 16 <= grid.columns.extent();

  std::uint32_t x[rows];
  std::uint32_t* const stage = packed_memory + warp * (rows + 6) * 32 + lane;
  std::uint32_t* const kept  = stage + rows * 32;
  bool has_constants         = false;
  if (is_inside) {
    std::uint32_t const* words =
        from + row * grid.pitch + panel * PackedTile::words - 1 + lane;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      x[r] = __funnelshift_r(words[0], words[1], 16);
      words += grid.pitch;
    }
  } else {
    gather_rows(grid, from, row, column, stage);
    PackedConstants const constants = packed_constants(grid, row, column);
    has_constants =
        __any_sync(0xffffffffu, constants.columns != 0) || constants.rows != 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) x[r] = constants.apply(stage[r * 32], r);
    constants.keep(kept);
  }

  std::uint32_t* const rims = packed_memory + warps * (rows + 6) * 32 + lane;
  auto const rim            = [&](int parity, int of_warp, int end) {
    return rims + ((parity * warps + of_warp) * 2 + end) * 32;
  };
#pragma unroll 1
  for (int g = 0; g < generations; ++g) {
    // One barrier is enough: a warp writes to these rims again only after the
    // next barrier, and by then every warp has read them.
    int const parity      = g & 1;
    *rim(parity, warp, 0) = x[0];
    *rim(parity, warp, 1) = x[rows - 1];
    __syncthreads();
    std::uint32_t const above = warp > 0 ? *rim(parity, warp - 1, 1) : 0;
    std::uint32_t const below =
        warp + 1 < warps ? *rim(parity, warp + 1, 0) : 0;
    // Reloaded in every generation: otherwise the compiler hoists work on the
    // constants out of the loop, which fills the registers.
    if (has_constants)
      next_generation<Moore, true>(x, above, below, rule,
                                   PackedConstants::kept(kept));
    else
      next_generation<Moore, false>(x, above, below, rule, {});
  }

  std::int64_t const word = panel * PackedTile::words + lane;
  std::uint32_t* out      = to + row * grid.pitch + word;
  bool const has_word     = lane < PackedTile::words && word < grid.pitch - 1;
  std::int64_t const left = grid.rows.extent() - row;
  int const end           = int(left < rows ? left : rows);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    std::uint32_t const next = __shfl_down_sync(0xffffffffu, x[r], 1);
    int const in_tile        = warp * rows + r;
    if (has_word && r < end && in_tile >= generations &&
        in_tile < warps * rows - generations)
      *out = __funnelshift_r(x[r], next, 16);
    out += grid.pitch;
  }
}

/// Generations per launch and warps per block.
struct PackedPlan {
  int warps;
  int generations;
  std::int64_t panels;
};

/// Returns the plan with the least time per generation in a model. The model is
/// fitted to B3/S23 at 16384^2 on an H200 (2026-11-21): 0.13 us per generation
/// for a warp's rows on a multiprocessor, five times that to read and write
/// them, 3 us per launch. Fewer than 12 warps count as 12. Measured, 10^9 cells
/// per second by generations per launch:
///   warps     1      2      4      8     12     16
///     4    5263   9500  14104  17744  18897  18615
///     6    4937   8359  12643  15761  16859  17465
///     8    4766   8306  12841  17345  19292  19254
///    10    4376   7564  11836  15353  17010  18125
inline PackedPlan packed_plan(std::int64_t rows, std::int64_t columns,
                              std::int64_t steps, int multiprocessors) {
  PackedPlan best{};
  double least = 0;
  std::int64_t const panels =
      (columns + 32 * PackedTile::words - 1) / (32 * PackedTile::words);
  for (int const warps : {2, 4, 8, 10})
    for (int const most : {1, 2, 3, 4, 6, 8, 12, 16}) {
      int const height = warps * PackedTile::rows - 2 * most;
      if (most > steps || height < 1) continue;
      std::int64_t const tiles = panels * ((rows + height - 1) / height);
      std::int64_t const turns =
          (tiles + multiprocessors - 1) / multiprocessors;
      double const busy = std::max(double(turns) * warps, 12.);
      double const time = (0.13 * busy * (most + 5) + 3) / most;
      if (best.warps == 0 || time < least) {
        best  = {warps, most, panels};
        least = time;
      }
    }
  return best;
}

/// Bytes of workspace of launch_packed_life: two grids of bits.
inline std::size_t packed_life_memory(std::int64_t rows, std::int64_t columns) {
  return std::size_t(2) * rows * PackedGrid::pitch_of(columns) *
         sizeof(std::uint32_t);
}

template <bool Moore, class Rule>
void advance_packed_cells(Stream const& space, PackedGrid const& grid,
                          std::uint32_t*& cells, std::uint32_t*& other,
                          std::int64_t steps, Rule const& rule) {
  Device const& d    = device(space.device);
  auto* const kernel = advance_packed<Moore, Rule>;
  kernel_facts(d.id, kernel, 32 * PackedTile::max_warps,
               PackedTile::shared_bytes(PackedTile::max_warps));
  while (steps > 0) {
    PackedPlan const plan = packed_plan(
        grid.rows.extent(), grid.columns.extent(), steps, d.multiprocessors);
    // As many launches as the plan needs, with equally many generations.
    std::int64_t const launches =
        (steps + plan.generations - 1) / plan.generations;
    int const generations = int((steps + launches - 1) / launches);
    int const height      = plan.warps * PackedTile::rows - 2 * generations;
    auto const row_blocks =
        unsigned((grid.rows.extent() + height - 1) / height);
    launch_kernel(space, "advance_packed", kernel,
                  {row_blocks * unsigned(plan.panels), 32 * plan.warps,
                   PackedTile::shared_bytes(plan.warps)},
                  grid, cells, other, generations, row_blocks, rule);
    std::swap(cells, other);
    steps -= generations;
  }
}

/// Runs `steps` >= 1 generations of a rule with has_bits(rule) on byte cells.
/// No boundary is a halo; `to` may be the cells themselves.
/// \param memory packed_life_memory(rows, columns) bytes on the device, aligned
///   to 4; may be reused after the kernels have run
template <class Cell>
void launch_packed_life(Stream const& space, StencilGrid<Cell, 2> const& cells,
                        Cell* to, std::int64_t to_stride,
                        AutomatonRule const& rule, std::int64_t steps,
                        void* memory) {
  static_assert(sizeof(Cell) == 1);
  std::int64_t const rows = cells.extent[0], columns = cells.extent[1];
  auto const& low  = cells.boundaries.low;
  auto const& high = cells.boundaries.high;
  PackedGrid grid{};
  grid.rows              = UnfoldedAxis(rows, low[0].kind, high[0].kind);
  grid.columns           = UnfoldedAxis(columns, low[1].kind, high[1].kind);
  grid.pitch             = PackedGrid::pitch_of(columns);
  grid.low_row_alive     = low[0].value == 1;
  grid.high_row_alive    = high[0].value == 1;
  grid.low_column_alive  = low[1].value == 1;
  grid.high_column_alive = high[1].value == 1;
  grid.columns_first     = cells.reversed;

  auto* now   = static_cast<std::uint32_t*>(memory);
  auto* other = now + rows * grid.pitch;
  launch_packing(space, reinterpret_cast<unsigned char const*>(cells.data),
                 cells.stride[0], rows, columns, now, grid.pitch);

  if (rule.neighbourhood() == Neighbourhood::von_neumann)
    advance_packed_cells<false>(space, grid, now, other, steps, RuleBits(rule));
  else if (is_life(rule))
    advance_packed_cells<true>(space, grid, now, other, steps, LifeBits());
  else
    advance_packed_cells<true>(space, grid, now, other, steps, RuleBits(rule));

  launch_unpacking(space, now, grid.pitch, rows, columns,
                   reinterpret_cast<unsigned char*>(to), to_stride);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
