// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_CALLS_HPP
#define KOKKOSMMA_CUDA_EXACT_CALLS_HPP

#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstdint>

/// \file
/// Exact sums of the contributions of a functor's invocations.

namespace KokkosMMA::Impl::Cuda {

/// Contributions of f(begin + i, value) as elements of an exact sum. Each index
/// is invoked once, with a value of -0, to which f adds without rounding.
/// \tparam ByValue each thread has a copy of the functor
template <class Call, class Index, class T, bool ByValue = false>
struct ExactCalls {
  static constexpr bool by_value        = ByValue;
  static constexpr Scalar input         = scalar_v<T>;
  static constexpr ExactCarrier carrier = sum_carrier(input);
  static constexpr bool has_errors      = false;
  static constexpr int per_unit         = 1;
  using Unit                            = T;

  Call f;
  Index begin;
  std::uint64_t size;

  __host__ __device__ std::uint64_t units() const { return size; }
  __device__ std::uint64_t plain_units() const { return size; }
  __device__ Unit load(std::uint64_t unit) const {
    T value = T(-0.0);
    f(static_cast<Index>(begin + static_cast<Index>(unit)), value);
    return value;
  }
  __device__ Unit load_any(std::uint64_t unit) const {
    return unit < size ? load(unit) : T(-0.0);
  }
  __device__ static T value(Unit const& unit, int) { return unit; }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
