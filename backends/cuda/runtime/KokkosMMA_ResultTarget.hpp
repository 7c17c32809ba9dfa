// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_RESULT_TARGET_HPP
#define KOKKOSMMA_CUDA_RESULT_TARGET_HPP

#include <cstdint>
#include <cstring>

/// \file
/// How the one result of a launch reaches the caller.

namespace KokkosMMA::Impl::Cuda {

/// A value as 32-bit words, bytes assembled one by one where its size is odd: a
/// partial copy into a word would send the value through local memory.
template <class T>
struct Words {
  static constexpr int size = (sizeof(T) + 3) / 4;
  std::uint32_t word[size];

  __device__ static Words from(T const& value) {
    Words words;
    if constexpr (sizeof(T) % 4 == 0) {
      memcpy(words.word, &value, sizeof(T));
    } else {
      unsigned char bytes[sizeof(T)];
      memcpy(bytes, &value, sizeof(T));
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

/// In a word of a result that has arrived.
inline constexpr unsigned long long result_mark = 1ull << 32;

/// Where a result goes: to memory of the caller that the device can write, or
/// to pinned host memory where the host waits for it, as 8-byte words that hold
/// 4 bytes of the value and a mark each. A store of 8 bytes is one transaction,
/// so no fence has to order the value before a flag: with a fence a scalar
/// result took 11.0 us, so 10.6 (H200, n = 1024). The idea is NCCL's LL
/// protocol.
template <class T>
struct ResultTarget {
  T* memory;                           ///< of the caller, or null
  volatile unsigned long long* words;  ///< Words<T>::size of them, or null

  __device__ bool wanted() const { return memory || words; }
  __device__ void store(T const& value) const {
    if (memory) {
      memcpy(static_cast<void*>(memory), &value, sizeof(T));
      return;
    }
    auto const bits = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < Words<T>::size; ++i)
      words[i] = result_mark | bits.word[i];
  }
};

/// A target of any type for code of the host that does not know the type: the
/// two pointers are what a kernel is given.
template <>
struct ResultTarget<void> {
  void* memory;
  volatile unsigned long long* words;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
