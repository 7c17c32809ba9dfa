// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_JOIN_BLOCKS_HPP
#define KOKKOSMMA_CUDA_JOIN_BLOCKS_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>

/// \file
/// End of a reduction over teams: from one value per block to one per grid.

namespace KokkosMMA::Impl::Cuda {

/// Values of blocks that a lane has in flight, in 64 bytes of registers.
template <class T>
inline constexpr unsigned values_under_way = sizeof(T) <= 8    ? 8
                                             : sizeof(T) <= 64 ? 64 / sizeof(T)
                                                               : 1;

/// Joins the values of thread 0 of all blocks with a warp of the block that
/// finishes last, whose thread 0 passes the total to `store(value)`. The joins
/// and their order are those of Kokkos (4.6 to 5.2), so the total is bitwise
/// identical: each lane joins the values of every 32nd block, then the lanes
/// form a tree. Kokkos has one load in flight in each of up to 1024 lanes. All
/// `threads` threads of the block call it; `thread` numbers them, 32 to a warp.
template <class T, class Joiner, class Store>
__device__ void join_blocks(T& value, Joiner const& joiner, unsigned thread,
                            unsigned threads, GridScratch const& scratch,
                            Store const& store) {
  if (thread >= 32) return;
  unsigned const blocks = gridDim.x;
  unsigned const lanes  = threads < 32 ? threads : 32;
  unsigned const mask   = lanes == 32 ? ~0u : (1u << lanes) - 1;
  T* const partials     = static_cast<T*>(scratch.partials);
  unsigned before       = 0;
  if (thread == 0) {
    Cuda::copy_bits(partials + blockIdx.x, &value);
    before = AtomicIncrementAcquireRelease::fetch(scratch.ticket, blocks - 1);
  }
  before = __shfl_sync(mask, before, 0);
  if (before != blocks - 1) return;
  __syncwarp(mask);  // what the ticket has acquired is visible to all lanes

  constexpr unsigned under_way = values_under_way<T>;
  // A separate value, as in Kokkos: an init() may leave members unset.
  T neutral;
  joiner.init(neutral);
  value = neutral;
  for (unsigned block = thread; block < blocks; block += under_way * lanes) {
    Slot<T> next[under_way];
#pragma unroll
    for (unsigned k = 0; k < under_way; ++k)
      if (block + k * lanes < blocks)
        Cuda::load_partial(next[k].value, partials + block + k * lanes);
#pragma unroll
    for (unsigned k = 0; k < under_way; ++k)
      if (block + k * lanes < blocks) joiner.join(value, next[k].value);
  }
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    auto words = Words<T>::from(value);
    for (int i = 0; i < Words<T>::size; ++i)
      words.word[i] = __shfl_down_sync(mask, words.word[i], step);
    Slot<T> other;
    words.to(other.value);
    if (step < lanes && thread + step < blocks && thread + step < lanes)
      joiner.join(value, other.value);
  }
  if (thread == 0) store(value);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
