// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_STEP_STENCIL_TUNING_HPP

#include <core/stencil/KokkosMMA_StencilSteps.hpp>

namespace KokkosMMA::Impl::Cuda {

/// Tuning of step_stencil and StepLineKernel: several steps in one sweep.
struct StepTuning {
  int columns;     ///< adjacent columns per lane
  int steps;       ///< upper limit
  int threads;     ///< per block
  int min_blocks;  ///< resident per multiprocessor; limits the registers
  int ahead;       ///< rows that a lane loads before their use
};

/// 10^9 updates per second by columns and steps, kernel times only; 8192^2,
/// constants beyond the boundaries (H100, CUDA 13.0, 2026-11-26; copy 184
/// double, 360 float, 688 half; single steps 182, 352, 669):
///
///   star, r = 1    double 2x8 857, 4x8 934, 4x10 949
///                  float 4x8 1645, 4x10 1634, 4x12 1522; half 4x8 1723
///   dense 3x3      double 4x6 741, 4x8 775; float 4x8 1438; half 4x8 1313
///   product, r = 1 double 4x8 910; float 4x8 1663; half 4x8 1586
///   star, r = 2    double 4x4 486; float 4x4 898, 4x6 894; half 4x4 1024
///   star, r = 3    double 4x2 273, 4x3 339; float 4x4 625; half 4x4 573
///   star, r = 4    double 4x2 247; float 4x2 457, 4x3 488; half 4x2 527
///
/// Stars of radius 1 on periodic grids: 1026, 2023, 1936; floats of 16384^2
/// 1883 and, periodic, 2154.
///
/// With 5 blocks these spill. 3 rows ahead changed at most 2 %. Updates also
/// keep rows of values: as many steps as do not spill (sm_90), not measured.
template <class A, class Element>
constexpr StepTuning step_tuning(StepForm form, int radius,
                                 bool updates = false) {
  constexpr bool is_double = sizeof(A) > 4;
  constexpr bool is_small  = sizeof(Element) < sizeof(A);
  bool const is_star       = form == StepForm::star;
  if (updates) {
    int const steps = radius == 1 ? (is_star ? 6 : 5) : radius == 2 ? 3 : 2;
    return {is_double ? 2 : 4, steps, 128, 3, 2};
  }
  if (is_double) {
    int const steps = radius == 1 ? 8 : radius == 2 ? 4 : radius == 3 ? 3 : 2;
    return {4, steps, 128, 2, 2};
  }
  if (radius == 1) return {4, is_star && !is_small ? 10 : 8, 128, 4, 2};
  if (is_small) return {4, radius == 2 ? 4 : radius == 3 ? 3 : 2, 128, 4, 2};
  return {4, radius == 2 ? 6 : radius == 3 ? 4 : 3, 128, 3, 2};
}

/// Line of 2^26 elements in the same runs, by columns and steps: double 4x8
/// 1491, 8x16 2872, 16x32 3543; float 8x16 4437, 16x32 6493; half 8x16 3752,
/// 16x32 4200.
constexpr StepTuning step_line_tuning(int radius) {
  return {16, 32 / radius, 128, 6, 0};
}

struct StepVolumeTuning {
  int columns;     ///< adjacent columns per lane
  int rows;        ///< adjacent rows per warp
  int steps;       ///< per sweep
  int threads;     ///< per block
  int min_blocks;  ///< resident per multiprocessor; limits the registers
};

/// 10^9 updates per second, periodic, 512^3, and with single steps (H100, CUDA
/// 13.0, 2026-11-27): double 313, 161; float 607, 316; half 760, 580.
template <class A, class Element>
constexpr StepVolumeTuning step_volume_tuning() {
  return {sizeof(A) > 4 ? 2 : 4, 4, 2, 128, 3};
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
