// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_RESULT_TARGET_HPP
#define KOKKOSMMA_CUDA_RESULT_TARGET_HPP

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

/// \file
/// Transfer of the one result of a launch to the caller.

namespace KokkosMMA::Impl::Cuda {

/// A value as 32-bit words. Sizes that are no multiple of 4 are assembled by
/// bytes: a partial copy into a word would send the value through local memory.
template <class T>
struct Words {
  static constexpr int size = (sizeof(T) + 3) / 4;
  std::uint32_t word[size];

  __device__ static Words from(T const& value) {
    Words words;
    if constexpr (sizeof(T) % 4 == 0) {
      ::memcpy(words.word, &value, sizeof(T));
    } else {
      unsigned char bytes[sizeof(T)];
      ::memcpy(bytes, &value, sizeof(T));
#pragma unroll
      for (int w = 0; w < size; ++w) words.word[w] = 0;
#pragma unroll
      for (int i = 0; i < int(sizeof(T)); ++i)
        words.word[i / 4] |= std::uint32_t(bytes[i]) << 8 * (i % 4);
    }
    return words;
  }
  __device__ void to(T& value) const {
    if constexpr (sizeof(T) % 4 == 0) {
      memcpy(static_cast<void*>(&value), word, sizeof(T));
    } else {
      unsigned char bytes[sizeof(T)];
#pragma unroll
      for (int i = 0; i < int(sizeof(T)); ++i)
        bytes[i] = static_cast<unsigned char>(word[i / 4] >> 8 * (i % 4));
      memcpy(static_cast<void*>(&value), bytes, sizeof(T));
    }
  }
};

/// Mark in each word of a result that has arrived.
inline constexpr unsigned long long result_mark = 1ull << 32;

/// Destination of a result: memory of the caller that the device can write, or
/// pinned host memory for which the host waits, or device memory that is copied
/// to the host (Scratch::results_by_copy). In both of the latter the value is
/// in 8-byte words of 4 bytes of the value and a mark. A store of 8 bytes is
/// one transaction, so no fence has to order the value before a flag: 11.0 us
/// for a scalar result with a fence, 10.6 with this (H200, n = 1024). The idea
/// is NCCL's LL protocol.
template <class T>
struct ResultTarget {
  T* memory;                           ///< of the caller, or null
  volatile unsigned long long* words;  ///< Words<T>::size of them, or null

  __device__ bool wanted() const { return memory || words; }
  __device__ void store(T const& value) const {
    if (memory) {
      // With its alignment: through a pointer to void, byte by byte.
      ::memcpy(__builtin_assume_aligned(static_cast<void*>(memory), alignof(T)),
               &value, sizeof(T));
      return;
    }
    auto const bits = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < Words<T>::size; ++i)
      words[i] = result_mark | bits.word[i];
  }
};

/// Target without a type, for host code that does not know the type; kernels
/// receive its two pointers.
template <>
struct ResultTarget<void> {
  void* memory;
  volatile unsigned long long* words;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
