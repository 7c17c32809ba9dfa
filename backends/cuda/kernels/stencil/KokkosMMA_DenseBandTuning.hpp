// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_TUNING_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Errors.hpp>

#include <string>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// How a thread block of the kernel in KokkosMMA_DenseBandStencil.hpp works.
struct DenseBandTuning {
  int warps;           ///< with 8 columns of sums each
  int rows;            ///< of each row panel between two barriers
  int groups;          ///< of such rows in the ring
  int threads_across;  ///< that load and store a row of a row panel
  /// Warps of a scheduler load and store one after another, so many rows apart:
  /// the others keep the tensor cores busy meanwhile.
  int pause;
  int stores;  ///< rows stored at once

  friend constexpr bool operator==(DenseBandTuning const&,
                                   DenseBandTuning const&) = default;
};

inline std::string to_string(DenseBandTuning const& t) {
  return concatenate("warps=", t.warps, " rows=", t.rows, " groups=", t.groups,
                     " threads_across=", t.threads_across, " pause=", t.pause,
                     " stores=", t.stores);
}

/// Numbers are 10^9 sums per second of 16384^2 elements at radius 7 (H200,
/// CUDA 13.0, 2026-11-22). `threads_across` and `stores` were chosen in the
/// same runs; what each contributes was not recorded.
template <class Element>
constexpr DenseBandTuning dense_band_tuning() {
  if constexpr (std::is_same_v<Element, double>) {
    // 78. Earlier states of the kernel: 74.9, all warps at once 71.4, pauses of
    // 1 row 74.0; 69.7, 3 rows in 4 groups 64.7.
    return {.warps          = 8,
            .rows           = 5,
            .groups         = 2,
            .threads_across = 16,
            .pause          = 2,
            .stores         = 1};
  } else if constexpr (std::is_same_v<Element, float>) {
    // 182; 12 warps and one row per step 105.
    return {.warps          = 8,
            .rows           = 4,
            .groups         = 3,
            .threads_across = 8,
            .pause          = 2,
            .stores         = 2};
  } else {
    // Half and bfloat16: 480. Earlier states of the kernel: 500, 3 steps before
    // a turn and 12 rows in 2 groups 464; 384, 12 warps with 168 registers
    // each, which leave few products in flight, 372.
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
