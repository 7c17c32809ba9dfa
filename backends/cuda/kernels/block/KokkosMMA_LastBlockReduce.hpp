// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAST_BLOCK_REDUCE_HPP
#define KOKKOSMMA_CUDA_LAST_BLOCK_REDUCE_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>

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

/// Reduces a value per thread to one per grid, which the block that finishes
/// last hands to `store(value)` in one thread. blockDim.x is a multiple of 32,
/// gridDim.x at most max_partials.
template <class T, class Joiner, class Store>
__device__ void last_block_reduce(T& value, Joiner const& joiner,
                                  GridScratch const& scratch,
                                  Store const& store) {
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
