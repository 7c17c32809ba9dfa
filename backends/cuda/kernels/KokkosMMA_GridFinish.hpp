// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_GRID_FINISH_HPP
#define KOKKOSMMA_CUDA_GRID_FINISH_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>

#include <cstdint>
#include <new>

/// \file
/// From a value per thread to one per grid, in a fixed order: a tree over the
/// lanes, the warps in turn, and the blocks by the block that finishes last,
/// which reads all partial results in the order of their blocks. The
/// association does not depend on timing, so the result is bitwise the same
/// from run to run.

namespace KokkosMMA::Impl::Cuda {

/// Room for a value whose constructor must not run: its reducer initialises it.
template <class T>
union Slot {
  T value;
  __device__ Slot() {}
  __device__ ~Slot() {}
};

/// Copies a value whose operators must not run. The alignment has to be said:
/// bytes are copied one by one through a pointer to void.
template <class T>
__device__ void copy_bits(T* to, T const* from) {
  memcpy(__builtin_assume_aligned(static_cast<void*>(to), alignof(T)),
         __builtin_assume_aligned(static_cast<void const*>(from), alignof(T)),
         sizeof(T));
}
template <class T>
__device__ void copy_bits(Slot<T>& to, Slot<T> const& from) {
  copy_bits(&to.value, &from.value);
}

template <class T>
struct Plus {
  __device__ void init(T& value) const { value = T(0); }
  __device__ void join(T& into, T from) const { into += from; }
};

/// Largest grid of a reduction: its last block joins the partial results.
inline constexpr unsigned max_partials = 4096;

/// Where a launch leaves its partial results; one per stream.
struct GridScratch {
  void* partials;
  unsigned* ticket;
};

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
struct ResultSink {
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

/// Value of lane + offset, bit for bit.
template <class T>
__device__ void shuffle_down(Slot<T>& to, T const& from, int offset) {
  auto words = Words<T>::from(from);
#pragma unroll
  for (int i = 0; i < Words<T>::size; ++i)
    words.word[i] = __shfl_down_sync(0xffffffffu, words.word[i], offset);
  words.to(to.value);
}

/// A value per thread to one in thread 0. `Joiner` offers init(T&) and
/// join(T& into, T const& from). All threads of the block call it.
template <class T, class Joiner>
__device__ void block_reduce(T& value, Joiner const& joiner) {
  constexpr int max_warps = 32;
  __shared__ __align__(16) unsigned char memory[max_warps * sizeof(T)];
  T* const warps   = reinterpret_cast<T*>(memory);
  int const lane   = threadIdx.x % 32;
  int const warp   = threadIdx.x / 32;
  int const active = blockDim.x / 32;

  Slot<T> other;
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    shuffle_down(other, value, offset);
    joiner.join(value, other.value);
  }
  if (active == 1) return;
  __syncthreads();  // `memory` may still be read by an earlier call
  if (lane == 0) memcpy(static_cast<void*>(warps + warp), &value, sizeof(T));
  __syncthreads();
  if (warp == 0) {
    Slot<T> mine;
    if (lane < active)
      memcpy(static_cast<void*>(&mine.value), warps + lane, sizeof(T));
    else
      joiner.init(mine.value);
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      shuffle_down(other, mine.value, offset);
      joiner.join(mine.value, other.value);
    }
    memcpy(static_cast<void*>(&value), &mine.value, sizeof(T));
  }
}

/// A value per thread to one per grid; `store(value)` runs in one thread of the
/// last block. blockDim.x is a multiple of 32, gridDim.x at most max_partials.
template <class T, class Joiner, class Store>
__device__ void grid_finish(T& value, Joiner const& joiner,
                            GridScratch const& scratch, Store const& store) {
  block_reduce(value, joiner);
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) store(value);
    return;
  }
  __shared__ bool is_last;
  T* const partials = static_cast<T*>(scratch.partials);
  if (threadIdx.x == 0) {
    memcpy(static_cast<void*>(partials + blockIdx.x), &value, sizeof(T));
    unsigned const last = gridDim.x - 1;
    is_last =
        AtomicIncrementAcquireRelease::fetch(scratch.ticket, last) == last;
  }
  __syncthreads();
  if (!is_last) return;

  Slot<T> total;
  joiner.init(total.value);
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    // Written by other multiprocessors: not through L1, which is not coherent.
    constexpr int words = (sizeof(T) + 3) / 4;
    Slot<T> partial;
    if constexpr (sizeof(T) % 4 == 0 && alignof(T) >= 4) {
      std::uint32_t bits[words];
      auto const* const from =
          reinterpret_cast<std::uint32_t const*>(partials + block);
      for (int i = 0; i < words; ++i) bits[i] = __ldcg(from + i);
      memcpy(static_cast<void*>(&partial.value), bits, sizeof(T));
    } else {
      auto const* const from =
          reinterpret_cast<unsigned char const*>(partials + block);
      unsigned char bits[sizeof(T)];
      for (int i = 0; i < int(sizeof(T)); ++i) bits[i] = __ldcg(from + i);
      memcpy(static_cast<void*>(&partial.value), bits, sizeof(T));
    }
    joiner.join(total.value, partial.value);
  }
  block_reduce(total.value, joiner);
  if (threadIdx.x == 0) store(total.value);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
