// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SCAN_TUNING_HPP
#define KOKKOSMMA_CUDA_EXACT_SCAN_TUNING_HPP

#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Designators.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of an exact scan.
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

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
