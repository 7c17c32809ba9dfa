// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_TUNING_HPP
#define KOKKOSMMA_CUDA_EXACT_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of an exact sum.
struct ExactTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int vectors;     ///< of 16 bytes, in flight per thread
  int values;      ///< that a thread adds to its window per round
  int columns;     ///< copies of a warp's limbs, to which lanes add at once
};

/// GB/s for 2^32 bytes; a shape is threads, blocks, vectors, values, columns,
/// and 1 if loads ran one round ahead of the additions, which gained too little
/// for a variant of the kernel (H100, CUDA 13.0, 2026-11-26; plain
/// KokkosMMA::reduce 3067 to 3131). "60": 60 binary orders, shuffled; "most":
/// 200 (double 1500):
///
/// | type   | shape           | uniform | normal | 60   | most |
/// |--------|-----------------|---------|--------|------|------|
/// | float  | 512 2 4 16 32 0 | 3083    | 3081   | 2239 | 2219 |
/// | double | 256 3 4 8 8 0   | 3067    | 3073   | 1464 | 1332 |
/// | double | 256 4 4 4 8 0   | 3080    | 3063   | 1458 | 1257 |
/// | double | 128 6 4 8 16 0  | 3015    | 3016   | 1717 | 1682 |
/// | half   | 512 2 4 8 32 0  | 3092    |        |      |      |
/// | half   | 512 2 4 8 32 1  | 3095    | 3102   |      |      |
/// | bhalf  | 512 2 4 8 32 0  | 3043    |        |      |      |
/// | bhalf  | 512 2 2 8 32 1  | 3057    | 3061   | 1123 | 1110 |
/// | bhalf  | 512 2 2 16 32 0 | 2957    | 2953   | 1125 | 1089 |
///
/// Slower shapes: float 512 2 4 8 32 0 3073, 512 2 2 8 32 1 3052, 256 4 2 8 32
/// 1 3062; double 256 4 2 4 8 1 3061, 512 2 2 4 4 1 3062; half 512 2 2 16 32 1
/// 3068 (uniform). "60" with four instead of two additions to limbs per float,
/// and limbs of doubles recomputed in each round of lanes: 2054, 1206, bhalf
/// 1031.
///
/// Microseconds per call into a View, 100 in a row, 1024 and 131072 elements:
/// float 4.7, 5.9; double 5.4, 6.7; half 4.6, 5.7; bhalf 4.6, 5.9 (16-bit
/// floats with loads ahead).
constexpr ExactTuning exact_tuning(Scalar input) {
  if (input == Scalar::float64)
    return {.threads    = 256,
            .min_blocks = 3,
            .vectors    = 4,
            .values     = 8,
            .columns    = 8};
  return {.threads    = 512,
          .min_blocks = 2,
          .vectors    = 4,
          .values     = size_of(input) == 2 ? 8 : 16,
          .columns    = 32};
}

/// Launch shape of an exact sum of products. GB/s for 2 x 2^30 bytes (half and
/// bhalf 2 x 2^29) by shapes as above (H200, CUDA 13.0, 2026-11-26; read
/// ceiling 4651, plain dot products 4440 to 4602). "60": 60 binary orders;
/// "zeros": 15 of 16 elements are zero:
///
/// | type   | shape           | uniform | normal | 60   | zeros |
/// |--------|-----------------|---------|--------|------|-------|
/// | float  | 256 3 2 8 8 1   | 4526    | 4515   | 4505 | 4526  |
/// | float  | 256 3 4 8 8 0   | 4481    | 4480   | 4461 | 4456  |
/// | float  | 256 4 2 4 8 0   | 4448    | 4447   | 4437 | 4456  |
/// | double | 256 3 4 4 8 0   | 4465    | 4456   | 4448 | 4100  |
/// | double | 256 3 2 4 8 0   | 4364    | 4360   | 4360 | 3789  |
/// | double | 128 6 2 4 16 0  | 4254    | 4237   | 4205 | 3732  |
/// | half   | 512 2 2 8 32 1  | 4396    | 4394   | 2082 | 4438  |
/// | half   | 512 2 2 8 32 0  | 4295    | 4348   | 2019 | 4354  |
/// | bhalf  | 256 3 2 8 8 0   | 3146    | 3084   | 3122 | 3153  |
///
/// Microseconds per call into a View, 100 in a row, 1024 and 131072 elements:
/// float 5.0, 6.4; double 7.1, 7.9; half 5.0, 5.7; bhalf 5.5, 6.6.
constexpr ExactTuning exact_products_tuning(Scalar input) {
  if (input == Scalar::half)
    return {.threads    = 512,
            .min_blocks = 2,
            .vectors    = 2,
            .values     = 8,
            .columns    = 32};
  bool const is_bhalf = input == Scalar::bhalf;
  return {.threads    = 256,
          .min_blocks = 3,
          .vectors    = is_bhalf ? 2 : 4,
          .values     = input == Scalar::float64 ? 4 : 8,
          .columns    = 8};
}

struct ExactScanTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int values;      ///< neighbouring elements that a thread scans at a time
};

/// Microseconds for 2^26 elements of one binary order, 2^26 of 60 orders and
/// 2^18 of one, by threads, blocks and values (H100, CUDA 13.0, 2026-11-27;
/// plain scan: 198 for floats, 385 for doubles, of 2^18 12 and 13):
///
///             float             double
///   256 2 4   1131 1747  26     1652 1896  39
///   256 3 4   1063 1689  25     1547 1747  39   (registers spill)
///   128 4 4   1029 1654  36     1644 1864 122
///   256 2 2   1660 2436  27     2313 2545  39
///   128 6 2   1340 2067  37     2038 2233 124
///
/// The limit is about 270 instructions per element: each prefix is rounded by
/// itself.
constexpr ExactScanTuning exact_scan_tuning() {
  return {.threads = 256, .min_blocks = 2, .values = 4};
}

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
