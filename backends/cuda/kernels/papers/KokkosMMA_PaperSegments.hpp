// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PAPER_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_PAPER_SEGMENTS_HPP

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <cstddef>

namespace KokkosMMA::Impl::Cuda {

/// Sums by MMA of equal segments of contiguous elements. The results are float
/// for 16-bit floats, integers of 4 bytes for bytes and flags, and of the
/// elements' type otherwise; integers of either sign are the same modulo
/// 2^bits.
struct PaperSegments {
  Scalar input;
  void const* x;
  EqualSegments segments;
  void* results;
  std::ptrdiff_t stride;  ///< between the results, in elements
};

/// Launches them on `stream`. Compiled once, into libkokkosmma_kernels: targets
/// that link it define KOKKOSMMA_PAPER_KERNELS.
void launch_paper_segments(Stream const& stream, PaperSegments const& sums);

}  // namespace KokkosMMA::Impl::Cuda

#endif
