// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_KERNEL_SCRATCH_HPP
#define KOKKOSMMA_CUDA_KERNEL_SCRATCH_HPP

#include <cstdint>

/// \file
/// What a stream's scratch hands to a kernel.

namespace KokkosMMA::Impl::Cuda {

/// Where the blocks of a launch leave their partial results; one per stream.
struct GridScratch {
  void* partials;
  unsigned* ticket;
};

/// Counters of the scans of one stream. All zero before the first launch.
struct ScanControl {
  unsigned ticket;    ///< tiles begun
  unsigned finished;  ///< blocks that are done
  unsigned launches;  ///< tag of the present launch, minus 1
};

/// Where the tiles of a scan publish their aggregates; one per stream.
struct ScanScratch {
  std::uint64_t* words;  ///< zero or tagged
  std::uint64_t capacity;
  ScanControl* control;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
