// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SEGMENTS_TUNING_HPP
#define KOKKOSMMA_CUDA_EXACT_SEGMENTS_TUNING_HPP

#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <string>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// How exact sums of segments are laid over the device.
struct ExactSegmentsTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int vectors;     ///< of 16 bytes, in flight per thread
  int columns;     ///< of a warp's limbs: lanes that add to them at once
  int tiles;       ///< of a segment that a group of lanes takes
  int weight;      ///< cost of a segment, in elements

  friend constexpr bool operator==(ExactSegmentsTuning const&,
                                   ExactSegmentsTuning const&) = default;
};

inline std::string to_string(ExactSegmentsTuning const& tuning) {
  return concatenate("ExactSegmentsTuning{threads = ", tuning.threads,
                     ", min_blocks = ", tuning.min_blocks,
                     ", vectors = ", tuning.vectors,
                     ", columns = ", tuning.columns, ", tiles = ", tuning.tiles,
                     ", weight = ", tuning.weight, "}");
}

constexpr ExactSegmentsTuning exact_segments_tuning(Scalar input) {
  bool const is_wide = input == Scalar::float64;
  return {.threads    = 128,
          .min_blocks = is_wide ? 4 : 5,
          .vectors    = size_of(input) >= 4 ? 4 : 2,
          .columns    = is_wide ? 8 : 32,
          .tiles      = 16,
          .weight     = 16};
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
