// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_AUTOMATON_HPP
#define KOKKOSMMA_CUDA_AUTOMATON_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_AutomatonRows.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_AutomatonTuning.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TileSchedule.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_WarpAutomaton.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// One generation of an automaton on byte cells. A block sweeps down a panel of
/// columns, 16 rows per step. A ring buffer in shared memory holds the rows
/// that a step reads. Moore: a thread keeps the column sums of four columns in
/// the bytes of a word, adds the entering row and subtracts the leaving one.
/// MMA with a band of ones then sums along the rows. Von Neumann: the two rows
/// at distance d are added and multiplied by the band for that distance.

namespace KokkosMMA::Impl::Cuda {

/// Replaces each byte by 1 where the cell is 1 and by 0 elsewhere.
template <bool TwoStates, int N>
__device__ void keep_alive(std::uint32_t (&cells)[N]) {
  if constexpr (TwoStates) {
    std::uint32_t any = 0;
#pragma unroll
    for (int w = 0; w < N; ++w) any |= cells[w];
    if ((any & 0xfefefefeu) == 0) return;
  }
#pragma unroll
  for (int w = 0; w < N; ++w) cells[w] = alive_flags(cells[w]) >> 7;
}

/// Fragments of a constant matrix in shared memory. Recomputing them where they
/// are used takes as long as the rest of a window.
struct SharedBand {
  uint4 words[4][32];

  /// Called by all threads; the first warp writes.
  __device__ void put(Registers<std::uint32_t, 16> const& own) {
    if (threadIdx.x < 32)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        words[k][threadIdx.x] =
            uint4{own[4 * k], own[4 * k + 1], own[4 * k + 2], own[4 * k + 3]};
  }
  __device__ Registers<std::uint32_t, 16> get() const {
    Registers<std::uint32_t, 16> own;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      uint4 const four = words[k][threadIdx.x % 32];
      own[4 * k]       = four.x;
      own[4 * k + 1]   = four.y;
      own[4 * k + 2]   = four.z;
      own[4 * k + 3]   = four.w;
    }
    return own;
  }
};

/// Output address of a lane: 8 cells in each of two rows per step.
struct AutomatonOutput {
  unsigned char* upper;
  unsigned char* lower;
  std::int64_t column;
  std::int64_t columns;
  bool has_upper;
  bool has_lower;
  bool stores_pairs;  ///< 8 cells may be stored as one vector

  /// A bit for each of the 16 cells that is in the grid.
  __device__ std::uint32_t inside(int offset) const {
    std::int64_t const first = column + offset;
    if (first + 8 <= 0 || first >= columns) return 0;
    std::uint32_t mask = 0xffu;
    if (first < 0) mask &= 0xffu << int(-first);
    if (columns - first < 8) mask &= 0xffu >> int(8 - (columns - first));
    return (has_upper ? mask : 0u) | (has_lower ? mask << 8 : 0u);
  }

  __device__ void store(int offset, std::uint32_t const (&cells)[4]) const {
    std::int64_t const first = column + offset;
    if (first + 8 <= 0 || first >= columns) return;
    if (stores_pairs && first >= 0 && first + 8 <= columns) {
      if (has_upper)
        __stcs(reinterpret_cast<uint2*>(upper + offset),
               uint2{cells[0], cells[1]});
      if (has_lower)
        __stcs(reinterpret_cast<uint2*>(lower + offset),
               uint2{cells[2], cells[3]});
    } else {
#pragma unroll 1
      for (int c = 0; c < 16; ++c) {
        bool const is_upper      = c < 8;
        std::int64_t const at    = column + offset + c % 8;
        std::uint32_t const word = is_upper ? (c < 4 ? cells[0] : cells[1])
                                            : (c < 12 ? cells[2] : cells[3]);
        // Separate: g++ 12 with -fsanitize=shift drops the lower row otherwise.
        unsigned char* const row = is_upper ? upper : lower;
        if ((is_upper ? has_upper : has_lower) && at >= 0 && at < columns)
          row[offset + c % 8] = static_cast<unsigned char>(word >> 8 * (c % 4));
      }
    }
  }
};

template <bool Moore, class Rule>
__global__ void __launch_bounds__(AutomatonTile::threads,
                                  automaton_tuning<Moore, Rule>.min_blocks)
    advance_cells(AutomatonCall const call, Rule const rule) {
  using Tile                = AutomatonTile;
  using WindowSums          = WarpWindowSums<Warp>;
  using Half                = typename WindowSums::Half;
  constexpr bool two_states = Rule::has_two_states;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, automaton_memory);
  __shared__ SharedBand band;
  __shared__ std::int64_t fixup_sources[FixupColumns::max_width];
  __shared__ std::uint32_t shared[Rule::shared_words + 1];

  int const radius          = call.radius;
  int const slots           = Tile::groups(radius) + 1;
  unsigned char* const ring = automaton_memory + Tile::lead;
  unsigned char* const sums = ring + slots * Tile::group;

  auto const [panel, row_block] =
      tall_block(blockIdx.x, call.panels, call.row_blocks);
  std::int64_t const first_row = row_block * call.block_rows;
  std::int64_t const last      = first_row + call.block_rows;
  std::int64_t const end_row =
      last < call.grid.extent[0] ? last : call.grid.extent[0];
  std::int64_t const first_column =
      std::int64_t(panel) * Tile::outputs - Tile::halo - call.shift;
  int const steps = int((end_row - first_row + Tile::rows - 1) / Tile::rows);

  AutomatonRows source(call, ring, fixup_sources, first_row - radius,
                       end_row + radius, first_column);
  rule.stage(int(threadIdx.x), shared);

  int const lane         = threadIdx.x % 32;
  int const row          = lane / 4;  // within a step; the other is row + 8
  int const quad         = lane % 4;
  int const first_window = int(threadIdx.x / 32) * Tile::per_warp;
  // Windows of this warp that overlap the grid.
  std::int64_t const beyond = call.grid.extent[1] - first_column - Tile::halo -
                              std::int64_t(WindowSums::outputs) * first_window;
  int const wanted =
      beyond <= 0 ? 0
      : beyond < Tile::outputs
          ? int(beyond + WindowSums::outputs - 1) / WindowSums::outputs
          : Tile::per_warp;
  int const present = Tile::windows - first_window < Tile::per_warp
                          ? Tile::windows - first_window
                          : Tile::per_warp;
  int const in_warp = wanted < present ? wanted : present;
  band.put(WindowSums::distances(lane));
  __syncthreads();
  auto const distances = band.get();
  WindowSums window_sums{Warp()};
  if constexpr (Moore) {
    __syncthreads();
    band.put(WindowSums::band(radius, distances));
    __syncthreads();
    window_sums.set_band(band.get());
  }

  int const ring_rows = slots * Tile::rows;
  int oldest          = 1;  // slot of the first group that the step reads
  auto const slot_row = [&](int r) {
    int const at = oldest * Tile::rows + r;
    return ring + (at < ring_rows ? at : at - ring_rows) * Tile::pitch;
  };
  auto const word_of = [&](unsigned char const* from) {
    return reinterpret_cast<std::uint32_t const*>(from)[threadIdx.x];
  };

  // Column sums of this thread's four columns, without the entering row.
  std::uint32_t sum = 0;

  std::int64_t const at_column =
      first_column + Tile::halo + WindowSums::outputs * first_window + 8 * quad;
  AutomatonOutput out{};
  out.column       = at_column;
  out.columns      = call.grid.extent[1];
  out.stores_pairs = call.stores_pair;
  out.upper        = call.to + (first_row + row) * call.to_stride + at_column;
  out.lower        = out.upper + 8 * call.to_stride;

  // Steps with a negative number only prefetch.
#pragma unroll 1
  for (int step = 1 - slots; step < steps; ++step) {
    if (step >= 0) {
      CopyAsync16::wait<0>();
      __syncthreads();
    }
    // No warp reads the group before the oldest any longer.
    source.fetch(oldest == 0 ? slots - 1 : oldest - 1);
    if (step < 0) {
      oldest = oldest + 1 < slots ? oldest + 1 : 0;
      continue;
    }
    if constexpr (Moore) {
      if (step == 0) {
#pragma unroll 1
        for (int r = 0; r < 2 * radius; ++r) {
          std::uint32_t cells[1] = {word_of(slot_row(r))};
          keep_alive<two_states>(cells);
          sum += cells[0];
        }
      }
    }
    if constexpr (Moore) {
      constexpr int together = Tile::rows / 2;
#pragma unroll 1
      for (int begin = 0; begin < Tile::rows; begin += together) {
        std::uint32_t cells[2 * together];  // entering rows, then leaving
        unsigned char const* const leaving =
            ring + oldest * Tile::group + begin * Tile::pitch;
        unsigned char const* const entering = slot_row(2 * radius + begin);
        // Rows up to the end of the ring, where the index wraps around.
        int const at_entry = oldest * Tile::rows + 2 * radius + begin;
        int const to_end   = ring_rows - at_entry;
#pragma unroll
        for (int r = 0; r < together; ++r)
          cells[together + r] = word_of(leaving + r * Tile::pitch);
        if (to_end <= 0 || to_end >= together) {
#pragma unroll
          for (int r = 0; r < together; ++r)
            cells[r] = word_of(entering + r * Tile::pitch);
        } else {
#pragma unroll
          for (int r = 0; r < together; ++r)
            cells[r] = word_of(slot_row(2 * radius + begin + r));
        }
        keep_alive<two_states>(cells);
        unsigned char* const to = sums + begin * Tile::sums_pitch;
#pragma unroll
        for (int r = 0; r < together; ++r) {
          sum += cells[r];
          reinterpret_cast<std::uint32_t*>(
              to + r * Tile::sums_pitch)[threadIdx.x] = sum;
          sum -= cells[together + r];
        }
      }
      __syncthreads();
    }

    // The lane's cells in the centre of its warp's first window.
    int const in_row = WindowSums::outputs * first_window + Tile::halo;
    unsigned char const* const upper_cells =
        slot_row(radius + row) + in_row + 8 * quad;
    unsigned char const* const lower_cells =
        slot_row(radius + row + 8) + in_row + 8 * quad;
    out.has_upper = first_row + step * Tile::rows + row < call.grid.extent[0];
    out.has_lower =
        first_row + step * Tile::rows + row + 8 < call.grid.extent[0];
    // `known_inside`: each of these cells is in the grid.
    auto const finish = [&](int k, typename WindowSums::Sums const& count,
                            bool known_inside) {
      int const offset  = WindowSums::outputs * k;
      uint2 const upper = *reinterpret_cast<uint2 const*>(upper_cells + offset);
      uint2 const lower = *reinterpret_cast<uint2 const*>(lower_cells + offset);
      std::uint32_t cells[4] = {upper.x, upper.y, lower.x, lower.y};
      if constexpr (is_rule_of_caller<Rule>) {
        if (known_inside)
          next_cells<Warp>(rule, shared, cells, count.value);
        else
          next_cells_inside(rule, cells, count.value, out.inside(offset));
      } else {
        next_cells<Warp>(rule, shared, cells, count.value);
      }
      out.store(offset, cells);
    };
    if constexpr (Moore) {
      // Rows 0-7 and 8-15 of the left 16 bytes, then of the right 16 bytes.
      unsigned char const* const of_lane = sums + lane % 16 * Tile::sums_pitch +
                                           lane / 16 * 16 +
                                           WindowSums::outputs * first_window;
      auto const window = [&](int k, Half const& left, Half& right,
                              bool known_inside) {
        LoadMatrix4::load(right.value, of_lane + WindowSums::outputs * (k + 1));
        typename WindowSums::Sums count{};
        window_sums.add(left, right, count);
        finish(k, count, known_inside);
      };
      bool const all_inside =
          !is_rule_of_caller<Rule> ||
          Warp::ballot(out.has_upper && out.has_lower && at_column >= 0 &&
                       at_column + WindowSums::outputs * (in_warp - 1) + 8 <=
                           out.columns) == ~0u;
      if (all_inside) {
        Half halves[2];
        LoadMatrix4::load(halves[0].value, of_lane);
#pragma unroll
        for (int k = 0; k < Tile::per_warp; ++k) {
          if (k == in_warp) break;
          window(k, halves[k % 2], halves[(k + 1) % 2], true);
        }
      } else {
        // A second loop: with both cases in the first one, kernels of functors
        // took 8 % longer (1024^2, 8192^2 cells; H200, 2026-11-30).
#pragma unroll 1
        for (int k = 0; k < in_warp; ++k) {
          Half left, right;
          LoadMatrix4::load(left.value, of_lane + WindowSums::outputs * k);
          window(k, left, right, false);
        }
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < in_warp; ++k) {
        typename WindowSums::Sums count{};
        int const column = WindowSums::outputs * (first_window + k) + 4 * quad;
#pragma unroll 1
        for (int d = 0; d <= radius; ++d) {
          window_sums.set_band(WindowSums::band(radius - d, distances));
          unsigned char const* const rows[4] = {
              slot_row(radius + d + row) + column,
              slot_row(radius + d + row + 8) + column,
              slot_row(radius - d + row) + column,
              slot_row(radius - d + row + 8) + column};
          Half sides[2];
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            std::uint32_t words[8];
#pragma unroll
            for (int n = 0; n < 8; ++n)
              words[n] = *reinterpret_cast<std::uint32_t const*>(
                  rows[n % 2 + n / 4 * 2] + 32 * side + 16 * (n / 2 % 2));
            keep_alive<two_states>(words);
#pragma unroll
            for (int n = 0; n < 4; ++n)
              sides[side][n] = words[n] + (d > 0 ? words[n + 4] : 0);
          }
          window_sums.add(sides[0], sides[1], count);
        }
        finish(k, count, out.inside(WindowSums::outputs * k) == 0xffffu);
      }
    }
    out.upper += Tile::rows * call.to_stride;
    out.lower += Tile::rows * call.to_stride;
    oldest = oldest + 1 < slots ? oldest + 1 : 0;
  }
  CopyAsync16::wait<0>();
}

template <bool Moore, class Rule>
void launch_cells(Stream const& space, AutomatonCall call, Rule const& rule) {
  using Tile                       = AutomatonTile;
  constexpr AutomatonTuning tuning = automaton_tuning<Moore, Rule>;
  auto* const kernel               = advance_cells<Moore, Rule>;
  Device const& d                  = device(space.device);
  KernelFacts const facts =
      kernel_facts(d.id, kernel, Tile::threads,
                   Tile::shared_bytes(AutomatonRule::max_radius, Moore));
  std::int64_t const rows = call.grid.extent[0];
  std::int64_t const panels =
      (call.grid.extent[1] + call.shift + Tile::outputs - 1) / Tile::outputs;
  std::int64_t const slots =
      std::int64_t(d.multiprocessors) * std::max(facts.resident_blocks, 1);
  std::int64_t const blocks = std::max<std::int64_t>(
      1, std::min(tuning.rounds * slots / panels,
                  rows / (tuning.min_steps * Tile::rows)));
  call.block_rows = (rows + blocks - 1) / blocks;
  call.block_rows =
      (call.block_rows + Tile::rows - 1) / Tile::rows * Tile::rows;
  call.panels     = unsigned(panels);
  call.row_blocks = unsigned((rows + call.block_rows - 1) / call.block_rows);
  launch_kernel(space, "advance_cells", kernel,
                {call.panels * call.row_blocks, Tile::threads,
                 Tile::shared_bytes(call.radius, Moore)},
                call, rule);
}

template <class Cell>
AutomatonCall automaton_call(StencilGrid<Cell, 2> const& from, Cell* to,
                             std::int64_t to_stride, int radius) {
  static_assert(sizeof(Cell) == 1);
  AutomatonCall call{};
  call.grid.data = reinterpret_cast<unsigned char const*>(from.data);
  for (int d = 0; d < 2; ++d) {
    call.grid.stride[d] = from.stride[d];
    call.grid.extent[d] = from.extent[d];
  }
  call.grid.boundaries = from.boundaries;
  call.grid.reversed   = from.reversed;
  auto const constant  = [](BoundaryCondition const& condition) {
    return static_cast<unsigned char>(condition.value);
  };
  call.low_row         = constant(from.boundaries.low[0]);
  call.high_row        = constant(from.boundaries.high[0]);
  call.low_column      = constant(from.boundaries.low[1]);
  call.high_column     = constant(from.boundaries.high[1]);
  call.to              = reinterpret_cast<unsigned char*>(to);
  call.to_stride       = to_stride;
  call.radius          = radius;
  call.rows_aligned_16 = from.stride[0] % 16 == 0 || from.extent[0] == 1;
  call.shift           = call.rows_aligned_16
                             ? int(reinterpret_cast<std::uintptr_t>(from.data) % 16)
                             : 0;
  call.stores_pair =
      (reinterpret_cast<std::uintptr_t>(to) - unsigned(call.shift)) % 8 == 0 &&
      (to_stride % 8 == 0 || from.extent[0] == 1);
  return call;
}

/// Runs one generation. No boundary is a halo; `from` and `to` do not overlap.
template <class Cell>
void launch_automaton(Stream const& space, StencilGrid<Cell, 2> const& from,
                      Cell* to, std::int64_t to_stride,
                      AutomatonRule const& rule) {
  AutomatonCall const call = automaton_call(from, to, to_stride, rule.radius());
  if (rule.neighbourhood() == Neighbourhood::von_neumann)
    launch_cells<false>(space, call, SetRule<false>(rule));
  else if (CountRanges const ranges(rule); ranges.are_all)
    launch_cells<true>(space, call, RangeRule(ranges));
  else if (rule.states() == 2)
    launch_cells<true>(space, call, SetRule<true>(rule));
  else
    launch_cells<true>(space, call, SetRule<false>(rule));
}

/// Runs one generation of a user's rule of radius 1 to 16: next(state, number
/// of other cells of the neighbourhood in state 1) returns the new state.
template <class Cell, class Next>
void launch_automaton(Stream const& space, StencilGrid<Cell, 2> const& from,
                      Cell* to, std::int64_t to_stride,
                      Neighbourhood neighbourhood, int radius,
                      Next const& next) {
  AutomatonCall const call = automaton_call(from, to, to_stride, radius);
  CallRule<Cell, Next> const rule(next);
  if (neighbourhood == Neighbourhood::moore)
    launch_cells<true>(space, call, rule);
  else
    launch_cells<false>(space, call, rule);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
