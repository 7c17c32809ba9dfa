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

/// One call per round, as Kokkos' own loop.
template <class Index, class Call, class T>
__device__ void strided_calls(Index begin, Index end, unsigned lane,
                              unsigned lanes, Call const& f, T& value) {
  for (Index i = static_cast<Index>(begin + lane); i < end;
       i       = static_cast<Index>(i + lanes))
    f(i, value);
}

/// Rounds of several calls without a branch between them, so that the loads of
/// all are in flight before the first addition waits: of four calls, then of
/// two, then of one. GB/s of rows of floats (H200, 2026-11-26; Kokkos' own
/// loops beside them):
///
/// | lanes and indices        | Kokkos | 4, 1 | 4, 2, 1 | 8, 2, 1 |
/// |--------------------------|--------|------|---------|---------|
/// | vector of 32 lanes, 64   | 1263   | 1224 | 1479    | 1472    |
/// | 128                      | 1708   | 2749 | 2738    | 1916    |
/// | 1024                     | 2149   | 4251 | 4261    | 4328    |
/// | team of 32 threads, 4096 | 1305   | 3524 | 3556    | 3695    |
/// | of 128 threads, 4096     | 2252   | 4138 | 4161    | 4222    |
///
/// Eight calls make eleven copies of the functor.
template <class Index, class Call, class T>
__device__ void overlapped_strided_calls(Index begin, Index end, unsigned lane,
                                         unsigned lanes, Call const& f,
                                         T& value) {
  // Counts, for the index behind the last may be no value of its type.
  using Count =
      std::conditional_t<sizeof(Index) <= 4, std::uint32_t, std::uint64_t>;
  Count const size = begin < end ? Count(end) - Count(begin) : 0;
  if (size <= lane) return;
  Count left       = size - lane;
  Count at         = Count(begin) + lane;
  auto const round = [&](auto calls) {
#pragma unroll
    for (unsigned u = 0; u < calls; ++u) {
      Index i = static_cast<Index>(at + u * lanes);
      f(i, value);
    }
    Count const passed = calls * lanes;
    at += passed;
    left = left > passed ? left - passed : 0;
  };
  while (left > 3 * lanes) round(std::integral_constant<unsigned, 4>());
  if (left > lanes) round(std::integral_constant<unsigned, 2>());
#pragma unroll 1
  while (left > 0) round(std::integral_constant<unsigned, 1>());
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
