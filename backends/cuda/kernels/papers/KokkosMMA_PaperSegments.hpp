// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PAPER_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_PAPER_SEGMENTS_HPP

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <cstddef>

namespace KokkosMMA::Impl::Cuda {

/// Sums in float by MMA of equal segments of contiguous half elements.
struct PaperSegments {
  void const* x;
  EqualSegments segments;
  float* results;
  std::ptrdiff_t stride;  ///< between the results, in elements
};

/// Launches them on `stream`. Compiled once, into libkokkosmma_kernels: targets
/// that link it define KOKKOSMMA_PAPER_KERNELS.
void launch_paper_segments(Stream const& stream, PaperSegments const& sums);

}  // namespace KokkosMMA::Impl::Cuda

#endif
