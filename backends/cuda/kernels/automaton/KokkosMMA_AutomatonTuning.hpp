// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_AUTOMATON_TUNING_HPP
#define KOKKOSMMA_CUDA_AUTOMATON_TUNING_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/automaton/KokkosMMA_WarpAutomaton.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <type_traits>

/// \file
/// Tile and tuning of the kernel for automata on byte cells.

namespace KokkosMMA::Impl::Cuda {

/// Tile of cells that a block holds.
struct AutomatonTile {
  static constexpr int threads  = 128;
  static constexpr int warps    = threads / 32;
  static constexpr int rows     = 16;           ///< per step
  static constexpr int columns  = 4 * threads;  ///< in shared memory
  static constexpr int halo     = WarpWindowSums<Warp>::halo;
  static constexpr int outputs  = columns - 2 * halo;
  static constexpr int windows  = outputs / WarpWindowSums<Warp>::outputs;
  static constexpr int per_warp = (windows + warps - 1) / warps;
  // Puts 32 bytes of each of four rows into different banks.
  static constexpr int pitch = columns + 32;
  static constexpr int group = rows * pitch;  ///< bytes
  // Puts 16 bytes of each of eight rows into different banks.
  static constexpr int sums_pitch = columns + 16;

  /// Groups of 16 rows that a step reads.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int groups(int radius) {
    return (rows - 1 + 2 * radius) / rows + 1;
  }
  /// Bytes before the first row.
  static constexpr int lead = sector_lead(halo);
  /// Includes a group in flight and the sums of one step.
  static constexpr int shared_bytes(int radius, bool with_sums) {
    return lead + (groups(radius) + 1) * group +
           (with_sums ? rows * sums_pitch : 0);
  }
};

struct AutomatonTuning {
  int min_blocks;  ///< resident per multiprocessor; limits the registers
  int rounds;      ///< waves of resident blocks, if there are enough rows
  int min_steps;   ///< minimum per block
};

/// `min_blocks`: with 6 (80 registers), rules other than ranges spill.
///
/// `rounds`: us per generation by number of rounds; 16384^2, two states, H200,
/// 2026-11-21:
///                            1    2    3    4    6
///   radius 1, constant     233  251  223  222  217
///   radius 1, periodic     274  272  241  232  224
///   radius 16, constant    236  245  234  234  232
///   radius 16, periodic    279  270  261  245  243
///
/// No designators: nvcc 12.4 aborts on them in a variable template.
template <bool Moore, class Rule>
inline constexpr AutomatonTuning automaton_tuning{
    !Moore                            ? 4
    : std::is_same_v<Rule, RangeRule> ? 6
                                      : 5,
    6, 4};

}  // namespace KokkosMMA::Impl::Cuda

#endif
