// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_FUNCTORS_HPP
#define KOKKOSMMA_EXACT_FUNCTORS_HPP

/// \file
/// Exact sums of the contributions of an application's functors, for sources
/// that are compiled with KOKKOSMMA_EXACT_FUNCTORS.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_RoutableReduce.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Whether a kernel is compiled; its parameters limit the functor's size.
template <class Reducer, class Call>
constexpr bool exact_sum_exists() {
  return adds<Reducer>() &&
         (scalar_v<typename Reducer::value_type> == Scalar::float32 ||
          scalar_v<typename Reducer::value_type> == Scalar::float64) &&
         !Reducer::has_final_member_function() && sizeof(Call) <= 3072;
}

template <class Flat, class T, class Call, class Functor, class Policy>
void sum_calls_exactly(Cuda::StreamScratch const& scratch,
                       Functor const& functor, Policy const& policy,
                       void* result, bool result_on_device) {
  constexpr Scalar value = scalar_v<T>;
  constexpr auto tuning  = Cuda::exact_tuning(value);
  Call const call(Flat::call(functor, policy, 1024));
  std::uint64_t const size = Flat::places(call, Flat::size(policy));
  using Elements           = Cuda::ExactCalls<Call, typename Flat::Index, T,
                                    has_copies(sizeof(Functor))>;
  // As in Kokkos' sums: +0 if nothing is added, or only -0.
  constexpr bool starts_from_zero = true;
  Cuda::launch_exact_reduce<Elements, Cuda::tuning_type<tuning>>(
      policy.space(), scratch, Elements{call, Flat::begin(policy), size},
      starts_from_zero, float_format(value), result, result_on_device);
}

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
