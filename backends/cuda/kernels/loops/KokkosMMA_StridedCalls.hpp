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
/// all are in flight before the first addition waits.
template <class Index, class Call, class T>
__device__ void overlapped_strided_calls(Index begin, Index end, unsigned lane,
                                         unsigned lanes, Call const& f,
                                         T& value) {
#ifndef KXU
#define KXU 4
#endif
#ifndef KXT
#define KXT 1
#endif
  constexpr unsigned calls = KXU;
  // Counts, for end + lanes may be no value of the index type.
  using Count =
      std::conditional_t<sizeof(Index) <= 4, std::uint32_t, std::uint64_t>;
  Count const size = begin < end ? Count(end) - Count(begin) : 0;
  if (size <= lane) return;
  Count left = size - lane;
  Count at   = Count(begin) + lane;
  // Whether what is left begins with `n` calls, which are made then.
  auto const round = [&](auto n) {
#pragma unroll
    for (unsigned u = 0; u < n; ++u) {
      Index i = static_cast<Index>(at + u * lanes);
      f(i, value);
    }
    Count const passed = n * lanes;
    at += passed;
    left = left > passed ? left - passed : 0;
  };
  while (left > (calls - 1) * lanes)
    round(std::integral_constant<unsigned, calls>());
#if KXT == 2
  if (left > lanes) round(std::integral_constant<unsigned, 2>());
#endif
#pragma unroll 1
  while (left > 0) round(std::integral_constant<unsigned, 1>());
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
