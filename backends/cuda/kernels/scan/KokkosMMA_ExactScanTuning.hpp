// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SCAN_TUNING_HPP
#define KOKKOSMMA_CUDA_EXACT_SCAN_TUNING_HPP

#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Designators.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// How an exact scan lays elements over the device.
struct ExactScanTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int values;      ///< neighbours that a thread scans at a time
};

/// Not measured yet: the registers of a prefix, 9 and its carry, leave no room
/// for more of them.
constexpr ExactScanTuning exact_scan_tuning() {
  return {.threads = 256, .min_blocks = 2, .values = 4};
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
