// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SLOT_HPP
#define KOKKOSMMA_CUDA_SLOT_HPP

#include <cuda_runtime.h>

#include <cstring>
#include <type_traits>

/// \file
/// Storage of values that are copied bit by bit: running values of reducers,
/// and arguments of kernels that each thread copies.

namespace KokkosMMA::Impl::Cuda {

/// Storage of a value that its reducer initialises, not its constructor, or
/// that begins with the bits of another.
template <class T>
union Slot {
  T value;
  __device__ Slot() {}
  __device__ explicit Slot(T const& bits) {
    ::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  }
  __device__ ~Slot() {}
};

/// A kernel's argument as its threads use it: the parameter, which must have
/// KOKKOSMMA_GRID_CONSTANT, or a copy in each thread.
template <class T>
struct SharedArgument {
  T const& value;
  __device__ explicit SharedArgument(T const& parameter) : value(parameter) {}
};
template <bool Copies, class T>
using Argument = std::conditional_t<Copies, Slot<T>, SharedArgument<T>>;

/// Copies a value whose operators must not run. The alignment is explicit,
/// because copies through pointers to void go byte by byte.
template <class T>
__device__ void copy_bits(T* to, T const* from) {
  memcpy(__builtin_assume_aligned(static_cast<void*>(to), alignof(T)),
         __builtin_assume_aligned(static_cast<void const*>(from), alignof(T)),
         sizeof(T));
}
template <class T>
__device__ void copy_bits(Slot<T>& to, Slot<T> const& from) {
  Cuda::copy_bits(&to.value, &from.value);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
