// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAMED_REDUCE_HPP
#define KOKKOSMMA_CUDA_STREAMED_REDUCE_HPP

#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <cstdint>

/// \file
/// Reduction by an opaque functor: many independent calls in flight per thread,
/// one pass, one launch.

namespace KokkosMMA::Impl::Cuda {

/// The running values of a thread. `Reducer` offers what Kokkos' reducers do:
/// init(T*), join(T* into, T const* from), final(T*). By default a call adds to
/// the running value itself.
template <class Reducer, class T>
struct RunningValue {
  using Value = T;
  Reducer const& reducer;

  __device__ void init(T& value) const { reducer.init(&value); }
  __device__ void join(T& into, T const& from) const {
    reducer.join(&into, &from);
  }
  template <class Call, class Index>
  __device__ void call(Call const& f, Index i, T& running) const {
    f(i, running);
  }
  __device__ void finish(T& value, ResultTarget<T> const& target) const {
    reducer.final(&value);
    target.store(value);
  }
};

/// Sum or product of a 16-bit type in fp32, rounded once: each call starts from
/// the identity and its contribution is joined here.
template <Operation Op, class Reducer, class T>
struct RunningInFloat {
  using Value   = float;
  using Combine = Impl::Combine<Op, float>;
  Reducer const& reducer;

  __device__ void init(float& value) const { value = Combine::identity(); }
  __device__ void join(float& into, float from) const {
    into = Combine::apply(into, from);
  }
  template <class Call, class Index>
  __device__ void call(Call const& f, Index i, float& running) const {
    T contribution(Combine::identity());
    f(i, contribution);
    join(running, static_cast<float>(contribution));
  }
  __device__ void finish(float& value, ResultTarget<T> const& target) const {
    T rounded(value);
    reducer.final(&rounded);
    target.store(rounded);
  }
};

/// Calls f(begin + i, running) once for every i in [0, size).
///
/// Each block takes one share of neighbouring indices, so that a functor that
/// walks an array across its rows finds the other columns' lines in L2: blocks
/// are at work in all columns (H100, 2026-11-25, 2^28 doubles as 8 columns,
/// read down the columns: 3394 us, tiles dealt out to blocks in turn 5535,
/// Kokkos 2886). A block of the tuned size takes tiles of calls * threads
/// indices; the indices of a tile differ by constants, so their loads share one
/// address. After each the block waits for its slowest warp: left alone, warps
/// drift apart until a few of them finish the work of the multiprocessor, and
/// lines leave the caches before they are used again. What is left of the
/// share, and every small range, is one index per thread and round.
template <class Running, class Tuning, class Index, class Call>
__device__ void streamed_calls(Running const& running, Call const& f,
                               Index begin, std::uint64_t size,
                               Slot<typename Running::Value>& value) {
  constexpr StreamedTuning tuning = Tuning::value;
  constexpr int K                 = tuning.accumulators;
  Slot<typename Running::Value> values[K];
#pragma unroll
  for (int k = 0; k < K; ++k) running.init(values[k].value);

  // Shares are whole lines of elements of any size, and no longer than that
  // needs: in a launch with a thread per index, a share of one line more makes
  // threads call twice and leaves the last blocks without work. With such
  // shares an energy sum over 256000 atoms took 309 us, by Kokkos 198; with
  // these 195, by Kokkos 211 (H100, two days in 2026-11).
  constexpr unsigned line    = 128;
  std::uint64_t const fewest = size / gridDim.x + (size % gridDim.x != 0);
  std::uint64_t const share  = (fewest + line - 1) / line * line;
  std::uint64_t i            = share * blockIdx.x;
  std::uint64_t const end    = i + share < size ? i + share : size;
  if (blockDim.x == tuning.threads) {
    constexpr unsigned tile = tuning.threads * tuning.calls;
    for (; i + tile <= end; i += tile) {
      Index const first =
          static_cast<Index>(begin + static_cast<Index>(i + threadIdx.x));
#pragma unroll
      for (int u = 0; u < tuning.calls; ++u)
        running.call(f, static_cast<Index>(first + u * tuning.threads),
                     values[u % K].value);
      __syncthreads();
    }
  }
  unsigned const stride = blockDim.x;
  for (i += threadIdx.x; i < end; i += 4 * stride) {
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (u == 0 || i + u * stride < end)
        running.call(
            f, static_cast<Index>(begin + static_cast<Index>(i + u * stride)),
            values[u % K].value);
  }
#pragma unroll
  for (int step = K / 2; step > 0; step /= 2)
#pragma unroll
    for (int k = 0; k < step; ++k)
      running.join(values[k].value, values[k + step].value);
  memcpy(static_cast<void*>(&value), &values[0], sizeof(value));
}

template <class Running, class Tuning, class Index, class T, class Call,
          class Reducer>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    streamed_reduce(KOKKOSMMA_GRID_CONSTANT Call const f,
                    KOKKOSMMA_GRID_CONSTANT Reducer const reducer,
                    Index const begin, std::uint64_t const size,
                    GridScratch const scratch, ResultTarget<T> const target) {
  GridDependency::wait();
  Running const running{reducer};
  Slot<typename Running::Value> value;
  auto const store = [&](auto& total) { running.finish(total, target); };
  if (size == 0) {  // the identity, joined with nothing
    running.init(value.value);
    if (blockIdx.x == 0 && threadIdx.x == 0) store(value.value);
    return;
  }
  streamed_calls<Running, Tuning>(running, f, begin, size, value);
  last_block_reduce(value.value, running, scratch, store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
