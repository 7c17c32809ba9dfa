// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PAPER_SCAN_HPP
#define KOKKOSMMA_CUDA_PAPER_SCAN_HPP

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Scan by MMA of contiguous elements, one at least. The accumulator is float
/// for 16-bit floats, an integer of 4 bytes for bytes and flags, and of the
/// elements' type otherwise; integers of either sign are the same modulo
/// 2^bits.
struct PaperScan {
  Scalar input;
  Scalar output;  ///< the accumulator, or the input if it is a 16-bit float
  bool inclusive;
  void const* x;
  void* y;
  std::uint64_t size;
  void const* init;      ///< accumulator, host memory
  void* total;           ///< accumulator; null without a total
  bool total_on_device;  ///< the device can write to `total`
};

/// Launches it on `stream`. Returns why that is impossible; nothing is launched
/// then. Compiled once, into libkokkosmma_kernels: targets that link it define
/// KOKKOSMMA_PAPER_KERNELS.
Refusal launch_paper_scan(Stream const& stream, PaperScan const& scan);

}  // namespace KokkosMMA::Impl::Cuda

#endif
