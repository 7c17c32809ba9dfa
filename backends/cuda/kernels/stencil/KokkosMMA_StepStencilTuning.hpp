// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_STEP_STENCIL_TUNING_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <string>

namespace KokkosMMA::Impl::Cuda {

/// How step_stencil takes several steps in one sweep.
struct StepTuning {
  int columns;     ///< of a lane, side by side
  int steps;       ///< at most
  int threads;     ///< of a block
  int min_blocks;  ///< for which registers of a multiprocessor must suffice
  int ahead;       ///< rows that a lane has loaded before they are needed
  int whole;       ///< 1 where all sweeps take `steps`

  friend constexpr bool operator==(StepTuning const&,
                                   StepTuning const&) = default;
};

inline std::string to_string(StepTuning const& t) {
  return concatenate("columns=", t.columns, " steps=", t.steps,
                     " threads=", t.threads, " min_blocks=", t.min_blocks,
                     " ahead=", t.ahead);
}

/// Not measured yet.
template <class A, class Element>
constexpr StepTuning step_tuning(StepForm form, int radius) {
  constexpr bool wide = sizeof(A) > 4;
  int const columns   = wide ? 2 : 4;
  int const steps     = radius == 1   ? (form == StepForm::star ? 8 : 6)
                        : radius == 2 ? 4
                        : radius == 3 ? 3
                                      : 2;
  return {columns, steps, 128, 4, 2, 0};
}

/// Not measured yet.
template <class A, class Element>
constexpr StepTuning step_line_tuning(int radius) {
  return {sizeof(A) > 4 ? 4 : 8, 8 / radius, 128, 8, 0, 0};
}

/// How step_volume takes several steps in one sweep.
struct StepVolumeTuning {
  int columns;     ///< of a lane, side by side
  int rows;        ///< of a warp, below each other
  int steps;       ///< of every sweep
  int threads;     ///< of a block
  int min_blocks;  ///< for which registers of a multiprocessor must suffice

  friend constexpr bool operator==(StepVolumeTuning const&,
                                   StepVolumeTuning const&) = default;
};

/// Not measured yet.
template <class A, class Element>
constexpr StepVolumeTuning step_volume_tuning() {
  return {sizeof(A) > 4 ? 2 : 4, 4, 2, 128, 3};
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
