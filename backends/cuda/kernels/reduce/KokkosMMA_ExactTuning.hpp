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
  return concatenate(
      "ExactTuning{threads = ", tuning.threads,
      ", min_blocks = ", tuning.min_blocks, ", vectors = ", tuning.vectors,
      ", values = ", tuning.values, ", columns = ", tuning.columns,
      ", ahead = ", tuning.ahead, "}");
}

/// GB/s of 2^32 bytes by threads, blocks, vectors, values, columns and ahead
/// (H100, CUDA 13.0, 2026-11-26; the plain sums of KokkosMMA::reduce 3060 to
/// 3130). "wide" are 60 binary orders in any order, with limbs to which each
/// number took four additions, not two, and a decoding in each turn of lanes:
///
/// | type   | shape              | uniform | normal | wide |
/// |--------|--------------------|---------|--------|------|
/// | float  | 512 2 4 16 32 0    | 3077    | 3074   | 2054 |
/// | float  | 512 2 4 8 32 0     | 3073    | 3071   | 1969 |
/// | float  | 512 2 2 8 32 1     | 3052    | 3047   | 1719 |
/// | float  | 256 4 2 8 32 1     | 3062    | 3059   | 1635 |
/// | double | 256 3 4 8 8 0      | 3076    | 3088   | 1206 |
/// | double | 256 4 4 4 8 0      | 3075    | 3089   | 1206 |
/// | double | 256 4 2 4 8 1      | 3061    | 3081   | 1190 |
/// | double | 512 2 2 4 4 1      | 3062    | 3070   | 924  |
/// | half   | 512 2 4 8 32 1     | 3108    | 3108   |      |
/// | half   | 512 2 4 8 32 0     | 3092    | 3095   |      |
/// | half   | 512 2 2 16 32 1    | 3068    | 3064   |      |
/// | bhalf  | 512 2 2 8 32 1     | 3058    | 3055   | 1031 |
/// | bhalf  | 512 2 4 8 32 0     | 3043    | 3043   | 1018 |
constexpr ExactTuning exact_tuning(Scalar input) {
  ExactTuning tuning{.threads    = 512,
                     .min_blocks = 2,
                     .vectors    = 4,
                     .values     = 16,
                     .columns    = 32,
                     .ahead      = 0};
  if (input == Scalar::half || input == Scalar::bhalf) {
    tuning.vectors = input == Scalar::half ? 4 : 2;
    tuning.values  = 8;
    tuning.ahead   = 1;
  }
  if (input == Scalar::float64)
    tuning = {.threads    = 256,
              .min_blocks = 3,
              .vectors    = 4,
              .values     = 8,
              .columns    = 8,
              .ahead      = 0};
  return tuning;
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
