// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STRIDED_CALLS_HPP
#define KOKKOSMMA_CUDA_STRIDED_CALLS_HPP

#include <cstdint>
#include <type_traits>

/// \file
/// Loop of one lane in a reduction of a team or a vector: every `lanes`-th
/// index, in increasing order, into one running value. Its two variants make
/// the same invocations in the same order, so their results are bitwise
/// identical.

namespace KokkosMMA::Impl::Cuda {

/// Invokes one index per round, like Kokkos' own loop. nvcc does not unroll
/// that loop, but would unroll this one where the lengths are constant. 32 rows
/// of 32 floats by 8 vectors of 32 lanes: 418 us unrolled, 350 with this, 342
/// in Kokkos (H200, CUDA 13.0, 2026-11-27). The code of 86 bodies of
/// perf_nested is as large as in Kokkos, except for this one and one of 64-bit
/// indices.
template <class Index, class Call, class T>
__device__ void strided_calls(Index begin, Index end, unsigned lane,
                              unsigned lanes, Call const& f, T& value) {
#pragma unroll 1
  for (Index i = begin + lane; i < end; i += lanes) f(i, value);
}

/// Invokes rounds of `Calls` indices without a branch between them, so that all
/// loads are in flight before the first addition waits. The remaining indices
/// have a condition each: ptxas turns these into predicates if the functor is
/// short, and the loads overlap too. Time of Kokkos' own loop over time of
/// variants with four invocations in a full round and different ends of a lane
/// (H100, kernels of perf_nested with launch bounds, 2026-11-26):
///
/// | body                                   | 2, then 1 | 3 | 2 or 4 | this |
/// |----------------------------------------|------|------|------|------|
/// | 27 entries of a sparse row, 8 lanes    | 0.99 | 0.99 | 1.23 | 1.23 |
/// | rows of a power law, 8 lanes           | 2.80 | 2.72 | 2.50 | 2.71 |
/// | 101 doubles, 32 lanes                  | 1.00 | 1.00 | 1.33 | 1.33 |
/// | 64 floats, 16 lanes                    | 1.92 | 1.54 | 1.94 | 1.95 |
/// | 16 floats, 16 lanes                    | 1.46 | 1.17 | 1.44 | 1.43 |
/// | geometric mean of 82 bodies            | 1.24 | 1.20 | 1.25 | 1.26 |
///
/// One loop whose last three invocations have a condition, half the code, has
/// .82 of the rate of this for maxima of doubles, .93 for int8 and for floats
/// by threads, .91 for a power law, 1.04 for energies (H200, 2026-11-30).
template <unsigned Calls = 4, class Index, class Call, class T>
__device__ void overlapped_strided_calls(Index begin, Index end, unsigned lane,
                                         unsigned lanes, Call const& f,
                                         T& value) {
  // Counts, because the index after the last may not fit `Index`.
  using Count =
      std::conditional_t<sizeof(Index) <= 4, std::uint32_t, std::uint64_t>;
  Count left           = begin < end ? Count(end) - Count(begin) : 0;
  Count at             = Count(begin) + lane;
  unsigned const round = Calls * lanes;
  for (; left >= round; left -= round, at += round) {
#pragma unroll
    for (unsigned u = 0; u < Calls; ++u) {
      Index i = static_cast<Index>(at + u * lanes);
      f(i, value);
    }
  }
  if (lane >= left) return;
#pragma unroll
  for (unsigned u = 0; u < Calls; ++u)
    if (u == 0 || lane + u * lanes < left) {
      Index i = static_cast<Index>(at + u * lanes);
      f(i, value);
    }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
