// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_TUNING_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>

#include <type_traits>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Tuning of the kernel in KokkosMMA_DenseBandStencil.hpp.
struct DenseBandTuning {
  int warps;           ///< with 8 columns of sums each
  int rows;            ///< per row panel between two barriers
  int groups;          ///< groups of `rows` rows in the ring
  int threads_across;  ///< threads that load and store a row of a row panel
  /// Rows between the loads and stores of successive warps of a scheduler:
  /// meanwhile the other warps keep the tensor cores busy.
  int pause;
  int stores;  ///< rows stored at once
};

/// Numbers are 10^9 sums per second for 16384^2 elements at radius 7 (H200,
/// CUDA 13.0, 2026-11-22). `threads_across` and `stores` were chosen in the
/// same runs; their separate effects were not recorded.
template <class Element>
constexpr DenseBandTuning dense_band_tuning() {
  if constexpr (std::is_same_v<Element, double>) {
    // 78. Earlier version: 74.9, with all warps at once 71.4, with pause 1
    // 74.0. Another: 69.7, with 3 rows in 4 groups 64.7.
    return {.warps          = 8,
            .rows           = 5,
            .groups         = 2,
            .threads_across = 16,
            .pause          = 2,
            .stores         = 1};
  } else if constexpr (std::is_same_v<Element, float>) {
    // 182; with 12 warps and one row per step 105.
    return {.warps          = 8,
            .rows           = 4,
            .groups         = 3,
            .threads_across = 8,
            .pause          = 2,
            .stores         = 2};
  } else {
    // 480 for half and bfloat16. Earlier version: 500, with 3 unrolled
    // steps and 12 rows in 2 groups 464. Another: 384, with 12 warps of 168
    // registers, which leave few MMAs in flight, 372.
    return {.warps          = 8,
            .rows           = 8,
            .groups         = 3,
            .threads_across = 8,
            .pause          = 4,
            .stores         = 4};
  }
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
