// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SEGMENTS_TUNING_HPP
#define KOKKOSMMA_CUDA_EXACT_SEGMENTS_TUNING_HPP

#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of exact segmented sums.
struct ExactSegmentsTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int vectors;     ///< of 16 bytes, in flight per thread
  int columns;     ///< copies of a warp's limbs, to which lanes add at once
  int tiles;       ///< most tiles of a segment that a group of lanes sums
  int weight;      ///< cost of a segment, in elements
};

/// GB/s for 2^30 bytes of normal data in segments of one length; shapes are
/// threads, blocks and vectors; 16 tiles (H100, CUDA 13.0, 2026-11-26):
///
/// | type   | shape   | read | 16   | 64   | 256  | 1024 | 4096 | 100000 |
/// |--------|---------|------|------|------|------|------|------|--------|
/// | float  | 128 6 4 | 3175 | 2302 | 2478 | 2610 | 2842 | 2942 | 2675   |
/// | float  | 128 5 4 | 3175 | 2165 | 2289 | 2466 | 2724 | 2899 | 2564   |
/// | float  | 256 3 4 | 3118 | 2272 | 2424 | 2561 | 2742 | 2832 | 2501   |
/// | double | 128 5 4 | 3175 | 2078 | 2260 | 2289 | 2832 | 2900 | 2496   |
/// | double | 128 4 4 | 3175 | 1853 | 2000 | 2023 | 2643 | 2762 | 2193   |
/// | double | 256 3 2 | 3118 | 1483 | 1516 | 1957 | 2424 | 1504 | 2035   |
/// | double | 256 2 4 | 3118 | 1853 | 1955 | 1976 | 2552 | 2660 | 2143   |
///
/// More warps per multiprocessor were faster: they wait for memory.
///
/// \param offsets whether segments are between offsets: 5 blocks then leave
/// doubles too few registers (ptxas 13.0 spills 40 bytes)
constexpr ExactSegmentsTuning exact_segments_tuning(Scalar input,
                                                    bool offsets = false) {
  bool const is_wide = input == Scalar::float64;
  return {.threads    = 128,
          .min_blocks = !is_wide  ? 6
                        : offsets ? 4
                                  : 5,
          .vectors    = size_of(input) >= 4 ? 4 : 2,
          .columns    = is_wide ? 8 : 32,
          .tiles      = 16,
          .weight     = 16};
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
