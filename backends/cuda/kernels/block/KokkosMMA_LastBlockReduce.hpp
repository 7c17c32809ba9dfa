// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAST_BLOCK_REDUCE_HPP
#define KOKKOSMMA_CUDA_LAST_BLOCK_REDUCE_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_Slot.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Reduction of one value per thread to one per grid, with a fixed association:
/// a tree over the lanes, one over the warps, and a join of the blocks by the
/// block that finishes last, in which each thread reads partial results in
/// order. So the result is bitwise the same from run to run.

namespace KokkosMMA::Impl::Cuda {

/// Copies the value of lane + offset, bit for bit.
template <class T>
__device__ void shuffle_down(Slot<T>& to, T const& from, int offset) {
  auto words = Words<T>::from(from);
#pragma unroll
  for (int i = 0; i < Words<T>::size; ++i)
    words.word[i] = __shfl_down_sync(0xffffffffu, words.word[i], offset);
  words.to(to.value);
}

/// Reduces a value per lane to one in lane 0. `Joiner` offers init(T&) and
/// join(T& into, T const& from).
/// \tparam Unroll steps of the tree that are unrolled
template <int Unroll = 5, class T, class Joiner>
__device__ void warp_reduce(T& value, Joiner const& joiner) {
  Slot<T> other;
#pragma unroll Unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    Cuda::shuffle_down(other, value, offset);
    joiner.join(value, other.value);
  }
}

/// Reduces a value per thread to one in thread 0, with all threads.
template <class T, class Joiner>
__device__ void block_reduce(T& value, Joiner const& joiner) {
  constexpr int max_warps = 32;
  __shared__ __align__(16) unsigned char memory[max_warps * sizeof(T)];
  T* const warps   = reinterpret_cast<T*>(memory);
  int const lane   = threadIdx.x % 32;
  int const warp   = threadIdx.x / 32;
  int const active = blockDim.x / 32;

  Cuda::warp_reduce(value, joiner);
  if (active == 1) return;
  __syncthreads();  // `memory` may still be read by an earlier call
  if (lane == 0) Cuda::copy_bits(warps + warp, &value);
  __syncthreads();
  if (warp == 0) {
    Slot<T> mine;
    if (lane < active)
      Cuda::copy_bits(&mine.value, warps + lane);
    else
      joiner.init(mine.value);
    Cuda::warp_reduce<1>(mine.value, joiner);
    Cuda::copy_bits(&value, &mine.value);
  }
}

/// Reads a value that another multiprocessor may have written. Bypasses L1,
/// which is not coherent.
template <class T>
__device__ void load_partial(T& value, T const* partial) {
  using Word = std::conditional_t<sizeof(T) % 4 == 0 && alignof(T) >= 4,
                                  std::uint32_t, unsigned char>;
  constexpr int words = sizeof(T) / sizeof(Word);
  Word bits[words];
  auto const* const from = reinterpret_cast<Word const*>(partial);
  for (int i = 0; i < words; ++i) bits[i] = __ldcg(from + i);
  memcpy(static_cast<void*>(&value), bits, sizeof(T));
}

/// Whether all other blocks of the grid have called this function. The last
/// block then sees what their first threads wrote before, and what their other
/// threads wrote before a barrier that precedes the call.
__device__ inline bool is_last_block(GridScratch const& scratch) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    unsigned const last = gridDim.x - 1;
    is_last =
        AtomicIncrementAcquireRelease::fetch(scratch.ticket, last) == last;
  }
  __syncthreads();
  return is_last;
}

/// Joins values of scattered warps: each warp has the values of the warp of the
/// same number in block `block`. The block that finishes last stores the
/// partial results of all blocks, bitwise identical to those of block_reduce().
/// \return whether this is that block
template <class T, class Joiner>
__device__ bool join_scattered_warps(T& value, Joiner const& joiner,
                                     unsigned block,
                                     GridScratch const& scratch) {
  unsigned const lane      = threadIdx.x % 32;
  unsigned const warp      = threadIdx.x / 32;
  unsigned const warps     = blockDim.x / 32;
  T* const partials        = static_cast<T*>(scratch.partials);
  T* const partial_of_warp = partials + gridDim.x;

  Cuda::warp_reduce(value, joiner);
  if (lane == 0)
    Cuda::copy_bits(partial_of_warp + block * warps + warp, &value);
  __syncthreads();
  if (!is_last_block(scratch)) return false;

  // With 16 warps per block, a warp joins two blocks at a time.
  unsigned const at_once = warps == 16 ? 2 : 1;
  unsigned const member  = lane % (32 / at_once);
  auto const load        = [&](Slot<T>& slot, unsigned b) {
    if (b < gridDim.x && member < warps)
      Cuda::load_partial(slot.value, partial_of_warp + b * warps + member);
    else
      joiner.init(slot.value);
  };
  // A load takes longer than the joins; larger values would spill.
  constexpr bool loads_ahead = sizeof(T) <= 8;
  block                      = warp * at_once + lane / (32 / at_once);
  Slot<T> joined, next, other;
  if constexpr (loads_ahead) {
    load(next, block);
  }
#pragma unroll 1
  for (unsigned first = warp * at_once; first < gridDim.x;
       first += warps * at_once, block += warps * at_once) {
    if constexpr (loads_ahead) {
      Cuda::copy_bits(joined, next);
      load(next, block + warps * at_once);
    } else {
      load(joined, block);
    }
    if (warps > 1)
#pragma unroll 1
      for (int offset = 16; offset > 0; offset /= 2) {
        Cuda::shuffle_down(other, joined.value, offset);
        // The identity, which missing warps have in block_reduce().
        if (offset == 16 && at_once == 2) joiner.init(other.value);
        joiner.join(joined.value, other.value);
      }
    if (member == 0 && block < gridDim.x)
      Cuda::copy_bits(partials + block, &joined.value);
  }
  __syncthreads();
  return true;
}

/// Reduces a value per thread to one per grid. One thread of the block that
/// finishes last passes it to `store(value)`. blockDim.x is a multiple of 32,
/// gridDim.x at most max_partials.
/// \param block number of the block's values
/// \param has_partials the scratch has the partial results of all blocks, which
///   this block joins; `value` is not read then
template <class T, class Joiner, class Store>
__device__ void last_block_reduce(T& value, Joiner const& joiner,
                                  GridScratch const& scratch,
                                  Store const& store,
                                  unsigned block    = blockIdx.x,
                                  bool has_partials = false) {
  T* const partials = static_cast<T*>(scratch.partials);
  // One instance of block_reduce(): kernels are loaded at a call site's first
  // call, and this is half the code of a sum.
#pragma unroll 1
  for (;; has_partials = true) {
    if (has_partials) {
      joiner.init(value);
      for (unsigned other = threadIdx.x; other < gridDim.x;
           other += blockDim.x) {
        Slot<T> partial;
        Cuda::load_partial(partial.value, partials + other);
        joiner.join(value, partial.value);
      }
    }
    Cuda::block_reduce(value, joiner);
    if (has_partials || gridDim.x == 1) break;
    if (threadIdx.x == 0) Cuda::copy_bits(partials + block, &value);
    if (!is_last_block(scratch)) return;
  }
  if (threadIdx.x == 0) store(value);
}

template <class T>
struct Plus {
  __device__ void init(T& value) const { value = T(0); }
  __device__ void join(T& into, T from) const { into += from; }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
