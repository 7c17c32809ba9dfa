// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_SUMS_HPP
#define KOKKOSMMA_PERF_PAPER_SUMS_HPP

#include <KokkosMMA.hpp>

#include <core/papers/KokkosMMA_PaperSettings.hpp>

#include "support/Perf_Timing.hpp"

/// The papers' kernels, only for Cuda. A call enqueues its work; memory beside
/// the operands exists before.
namespace perf {

template <class T>
inline constexpr bool has_wmma = has_half&& std::is_same_v<T, half_type>;
constexpr bool wmma_takes(std::size_t length, std::size_t n) {
  return length >= 16 && length % (length < 256 ? 16 : 256) == 0 &&
         n / length % 16 == 0;
}

#ifdef KOKKOS_ENABLE_CUDA
using KokkosMMA::Impl::Formulation;

inline constexpr int paper_max_block = 1024;

/// A formulation of the papers in plain nvcuda::wmma (Perf_PaperWmma.hpp).
/// \param chain R, tiles of 256 elements that a warp adds in a chain
/// \param block B, threads of a block; `split` needs two warps
Call wmma_sum(Exec const& exec, Formulation form, int chain, int block,
              half_type const* x, std::size_t n, float* result);

/// One element for each thread, warps by shuffles, blocks by an atomic.
Call shuffle_sum(Exec const& exec, int block, half_type const* x, std::size_t n,
                 float* result);

/// Sums or inclusive scans of equal segments in plain nvcuda::wmma, of a length
/// and a number that wmma_takes().
Call wmma_segments(Exec const& exec, bool scan, half_type const* x, float* y,
                   std::size_t segments, std::size_t length);
#endif

}  // namespace perf

#endif
