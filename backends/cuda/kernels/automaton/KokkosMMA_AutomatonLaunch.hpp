// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_AUTOMATON_LAUNCH_HPP
#define KOKKOSMMA_CUDA_AUTOMATON_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_Automaton.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

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
  if (from.extent[0] == 0 || from.extent[1] == 0) return;
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
  if (from.extent[0] == 0 || from.extent[1] == 0) return;
  AutomatonCall const call = automaton_call(from, to, to_stride, radius);
  CallRule<Cell, Next> const rule(next);
  if (neighbourhood == Neighbourhood::moore)
    launch_cells<true>(space, call, rule);
  else
    launch_cells<false>(space, call, rule);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
