// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_SUMS_HPP
#define KOKKOSMMA_PERF_PAPER_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <cstddef>

#include "support/Perf_Timing.hpp"

/// The contenders of perf_paper that are kernels of its own, for Cuda alone. A
/// call enqueues its work; memory beside the operands exists before.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
inline constexpr int paper_max_block = 1024;

/// A formulation of the papers in plain nvcuda::wmma (Perf_PaperWmma.hpp).
/// \param chain R, tiles of 256 elements that a warp adds in a chain
/// \param block B, threads of a block; `split` needs two warps
Call wmma_sum(Exec const& exec, KokkosMMA::Formulation form, int chain,
              int block, half_type const* x, std::size_t n, float* result);

/// One element for each thread, warps by shuffles, blocks by an atomic.
Call shuffle_sum(Exec const& exec, int block, half_type const* x, std::size_t n,
                 float* result);

/// Sums or inclusive scans of equal segments in plain nvcuda::wmma, of a length
/// that wmma_takes(length); the number of segments is a multiple of 16.
Call wmma_segments(Exec const& exec, bool scan, half_type const* x, float* y,
                   std::size_t segments, std::size_t length);
constexpr bool wmma_takes(std::size_t length) {
  return length >= 16 && length % (length < 256 ? 16 : 256) == 0;
}
#endif

}  // namespace perf

#endif
