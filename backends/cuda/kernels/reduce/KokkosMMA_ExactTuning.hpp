// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_TUNING_HPP
#define KOKKOSMMA_CUDA_EXACT_TUNING_HPP

#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <string>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// How an exact sum lays elements over the device.
struct ExactTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int vectors;     ///< of 16 bytes, in flight per thread
  int values;      ///< that a thread adds to its window in one round
  int columns;     ///< of a warp's limbs: lanes that add to them at once
  int ahead;       ///< 1: a thread loads what it adds next

  friend constexpr bool operator==(ExactTuning const&,
                                   ExactTuning const&) = default;
};

inline std::string to_string(ExactTuning const& tuning) {
  return concatenate("ExactTuning{threads = ", tuning.threads,
                     ", min_blocks = ", tuning.min_blocks,
                     ", vectors = ", tuning.vectors,
                     ", values = ", tuning.values,
                     ", columns = ", tuning.columns,
                     ", ahead = ", tuning.ahead, "}");
}

/// Not measured yet. Limbs of doubles have 8 columns: 34 KB for 8 warps.
constexpr ExactTuning exact_tuning(Scalar input) {
  ExactTuning tuning{.threads    = 512,
                     .min_blocks = 2,
                     .vectors    = 2,
                     .values     = 8,
                     .columns    = 32,
                     .ahead      = 1};
  if (input == Scalar::float64)
    tuning = {.threads    = 256,
              .min_blocks = 4,
              .vectors    = 2,
              .values     = 4,
              .columns    = 8,
              .ahead      = 1};
  return tuning;
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
