// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MULTI_INDEX_HPP
#define KOKKOSMMA_MULTI_INDEX_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <utility>

namespace KokkosMMA::Impl {

/// Division of numbers below 2^31 by a constant known at run time, by one
/// multiplication: with 2^(b-1) < d <= 2^b and m = ceil(2^(31+b) / d),
/// floor(n / d) = floor(n * m / 2^(31+b)).
/// Source: Granlund and Montgomery 1994, theorem 4.2 with 31-bit dividends.
struct ReciprocalDivisor {
  std::uint32_t divisor    = 1;
  std::uint32_t multiplier = 0x80000000u;
  std::uint32_t shift      = 31;

  ReciprocalDivisor() = default;
  explicit ReciprocalDivisor(std::uint32_t d) : divisor(d) {
    std::uint32_t bits = 0;
    while ((std::uint64_t(1) << bits) < d) ++bits;
    shift      = 31 + bits;
    multiplier = std::uint32_t(((std::uint64_t(1) << shift) + d - 1) / d);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t quotient(std::uint32_t n) const {
    return std::uint32_t(std::uint64_t(n) * multiplier >> shift);
  }
};

/// A functor of several indices as one of a flat index; the index that varies
/// fastest is the first when `LeftFastest`, the last otherwise.
template <class Functor, class Index, int Rank, bool LeftFastest>
struct MultiIndexCall {
  Functor functor;
  Index lower[Rank];
  ReciprocalDivisor extent[Rank];

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint32_t flat,
                                              Value& value) const {
    Index index[Rank];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int step = 0; step < Rank; ++step) {
      int const d = LeftFastest ? step : Rank - 1 - step;
      std::uint32_t const quotient =
          step + 1 < Rank ? extent[d].quotient(flat) : 0;
      index[d] = static_cast<Index>(
          lower[d] + static_cast<Index>(flat - quotient * extent[d].divisor));
      flat = quotient;
    }
    call(index, value, std::make_integer_sequence<int, Rank>{});
  }

 private:
  template <class Value, int... D>
  KOKKOS_FORCEINLINE_FUNCTION void call(
      Index const (&index)[Rank], Value& value,
      std::integer_sequence<int, D...>) const {
    functor(index[D]..., value);
  }
};

/// \param functor what a Functor is made of, for one copy
/// \param lower, upper corners of the index space, Rank numbers each
template <class Functor, class Index, int Rank, bool LeftFastest, class From,
          class Point>
auto multi_index_call(From const& functor, Point const& lower,
                      Point const& upper) {
  MultiIndexCall<Functor, Index, Rank, LeftFastest> call{
      Functor{functor}, {}, {}};
  for (int d = 0; d < Rank; ++d) {
    auto const extent = upper[d] - lower[d];
    // Longer ones are refused, after this: 2^32 are no divisor.
    bool const divides = extent > 0 && std::uint64_t(extent) < 0x80000000u;
    call.lower[d]      = static_cast<Index>(lower[d]);
    call.extent[d] =
        ReciprocalDivisor(divides ? static_cast<std::uint32_t>(extent) : 1u);
  }
  return call;
}

}  // namespace KokkosMMA::Impl

#endif
