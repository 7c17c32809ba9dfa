// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PAPER_SCAN_HPP
#define KOKKOSMMA_CUDA_PAPER_SCAN_HPP

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Scan in float by MMA of contiguous half elements, one at least.
struct PaperScan {
  Scalar output;  ///< half or float
  bool inclusive;
  void const* x;
  void* y;
  std::uint64_t size;
  float init;
  float* total;          ///< null without a total
  bool total_on_device;  ///< the device can write to `total`
};

/// Launches it on `stream`. Returns why that is impossible; nothing is launched
/// then. Compiled once, into libkokkosmma_kernels: targets that link it define
/// KOKKOSMMA_PAPER_KERNELS.
Refusal launch_paper_scan(Stream const& stream, PaperScan const& scan);

}  // namespace KokkosMMA::Impl::Cuda

#endif
