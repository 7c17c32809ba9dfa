// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STRIDED_CALLS_HPP
#define KOKKOSMMA_CUDA_STRIDED_CALLS_HPP

#include <cstdint>
#include <type_traits>

/// \file
/// The part of one lane in a reduction of a team or of a vector: every
/// `lanes`-th index, in rising order, into one running value. Two forms of it
/// make the same calls in the same order, so that their results have the same
/// bits.

namespace KokkosMMA::Impl::Cuda {

/// One call per round, as Kokkos' own loop. nvcc leaves that loop as it is and
/// unrolled this one where the lengths are constant: 32 rows of 32 floats by 8
/// vectors of 32 lanes took 418 us, so 350, by Kokkos 342 (H200, CUDA 13.0,
/// 2026-11-27). Of 86 bodies of perf_nested the code has the size that it has
/// in Kokkos, except for this one and one of 64-bit indices.
template <class Index, class Call, class T>
__device__ void strided_calls(Index begin, Index end, unsigned lane,
                              unsigned lanes, Call const& f, T& value) {
#pragma unroll 1
  for (Index i = begin + lane; i < end; i += lanes) f(i, value);
}

/// Rounds of `Calls` calls without a branch between them, so that the loads of
/// all are in flight before the first addition waits. What is left of a lane
/// are calls under conditions of their own: ptxas makes predicates of them
/// where the functor is short, and their loads overlap too. Time by Kokkos' own
/// loop over time by this one in kernels with launch bounds (H100, perf_nested,
/// 2026-11-26), beside other ends of a lane, of which all have four calls in a
/// full round:
///
/// | body                                   | 2, then 1 | 3 | 2 or 4 | this |
/// |----------------------------------------|------|------|------|------|
/// | 27 entries of a sparse row, 8 lanes    | 0.99 | 0.99 | 1.23 | 1.23 |
/// | rows of a power law, 8 lanes           | 2.80 | 2.72 | 2.50 | 2.71 |
/// | 101 doubles, 32 lanes                  | 1.00 | 1.00 | 1.33 | 1.33 |
/// | 64 floats, 16 lanes                    | 1.92 | 1.54 | 1.94 | 1.95 |
/// | 16 floats, 16 lanes                    | 1.46 | 1.17 | 1.44 | 1.43 |
/// | geometric mean of 82 bodies            | 1.24 | 1.20 | 1.25 | 1.26 |
template <unsigned Calls = 4, class Index, class Call, class T>
__device__ void overlapped_strided_calls(Index begin, Index end, unsigned lane,
                                         unsigned lanes, Call const& f,
                                         T& value) {
  // Counts: the index after the last one may not fit its type.
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
