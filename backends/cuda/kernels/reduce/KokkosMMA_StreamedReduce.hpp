// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAMED_REDUCE_HPP
#define KOKKOSMMA_CUDA_STREAMED_REDUCE_HPP

#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// Reduction by an opaque functor: many invocations in flight, one launch.

namespace KokkosMMA::Impl::Cuda {

/// Operations on the running value of a thread. `Reducer` offers the functions
/// of Kokkos' reducers: init(T*), join(T* into, T const* from), final(T*). An
/// invocation of the functor updates the running value directly.
template <class Reducer, class T>
struct RunningValue {
  using Value = T;
  Reducer const& reducer;

  __device__ void init(T& value) const { reducer.init(&value); }
  __device__ void join(T& into, T const& from) const {
    reducer.join(&into, &from);
  }
  template <class Call, class Index>
  __device__ void call(Call const& f, Index const& i, T& running) const {
    f(i, running);
  }
  __device__ void finish(T& value, ResultTarget<T> const& target) const {
    reducer.final(&value);
    target.store(value);
  }
};

/// Sum or product of a 16-bit type in fp32, rounded once. Functors of this
/// library add to a number of any type. An invocation of another one starts
/// from the identity; its contribution is then joined.
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
  __device__ void call(Call const& f, Index const& i, float& running) const {
    if constexpr (requires { requires Call::joins_any_value; }) {
      f(i, running);
    } else {
      T contribution(Combine::identity());
      f(i, contribution);
      join(running, static_cast<float>(contribution));
    }
  }
  __device__ void finish(float& value, ResultTarget<T> const& target) const {
    T rounded(value);
    reducer.final(&rounded);
    target.store(rounded);
  }
};

template <class Tuning>
inline constexpr bool may_call_neighbours = has_neighbours(Tuning::value);
/// As for boxes. Kernels of lambdas over one View of 8-byte values have this
/// code, too, and never run it: without it, sums of logarithms have 0.93 to
/// 0.97 and of roots 0.96 of the rate (2^24, 2^28; H200, 2026-11-30).
template <class Tuning>
inline constexpr bool may_scatter_warps = scatters_warps(Tuning::value, true);
template <class Tuning>
inline constexpr bool may_divide = may_divide_parts(Tuning::value);

/// Number of values exchanged through shared memory at a time. 512 bytes per
/// accumulator leave L1 as large as a few hundred bytes do.
template <int K, unsigned Threads, class T>
inline constexpr unsigned exchanged_at_once =
    std::min(std::bit_floor(unsigned(512 * K / sizeof(T))), Threads);

/// Moves the value of accumulator k to where the default schedule keeps it:
/// accumulator slot(k) / Threads of thread slot(k) % Threads.
template <int K, unsigned Threads, class T, class SlotOf>
__device__ void exchange_values(Slot<T> (&values)[K], SlotOf const& slot) {
  constexpr unsigned count = exchanged_at_once<K, Threads, T>;
  __shared__ __align__(16) unsigned char memory[count * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(memory);
  Slot<T> received[K];
#pragma unroll
  for (int k = 0; k < K; ++k)
#pragma unroll 1  // unrolling adds 0.25 s of compile time (CUDA 13.0)
    for (unsigned start = 0; start < Threads; start += count) {
#pragma unroll
      for (int from = 0; from < K; ++from) {
        unsigned const place = slot(from) - (k * Threads + start);
        if (place < count) Cuda::copy_bits(shared + place, &values[from].value);
      }
      __syncthreads();
      if (threadIdx.x - start < count)
        Cuda::copy_bits(&received[k].value, shared + (threadIdx.x - start));
      __syncthreads();
    }
#pragma unroll
  for (int k = 0; k < K; ++k) Cuda::copy_bits(values[k], received[k]);
}

/// Invokes f for whole tiles of Calls * Threads indices, and advances i.
///
/// The indices of a tile differ by constants, so their loads share one address.
/// Unless `order` is free-running, the block waits for its slowest warp after
/// each tile: otherwise warps drift apart until a few finish the work of the
/// multiprocessor, and lines leave the caches before they are reused. Sums of
/// small elements are limited by the number of memory requests: with
/// neighbouring indices, one request fetches the line that the next ones hit.
/// The loop first issues one request for every line: 267 us instead of 300
/// (2^29 half values, H200).
template <int Calls, unsigned Threads, class Running, class Call, class Index,
          int K>
__device__ void streamed_tiles(Running const& running, Call const& f,
                               Index begin, std::uint64_t& i, std::uint64_t end,
                               CallOrder order,
                               Slot<typename Running::Value> (&values)[K]) {
  static_assert(Calls % K == 0);
  constexpr unsigned tile = Threads * Calls;
  unsigned mine           = threadIdx.x;
  unsigned stride         = Threads;
  if (order.neighbours) {
    mine   = mine % (Threads / K) * K + mine / (Threads / K) * Threads;
    stride = 1;
  }
  for (; i + tile <= end; i += tile) {
    Index const first =
        static_cast<Index>(begin + static_cast<Index>(i + mine));
#pragma unroll
    for (int u = 0; u < Calls; ++u) {
      int const k     = K >= 4 ? u / (Calls / K) : u % K;
      int const group = K >= 4 ? u % (Calls / K) : u / K;
      running.call(
          f, static_cast<Index>(first + group * (K * Threads) + k * stride),
          values[k].value);
    }
    if (!order.free_running) __syncthreads();
  }
}

/// Functor over a box of several dimensions, whose index space is cut into
/// tiles of one element per thread of a block
/// (adapters/drop_in/KokkosMMA_MultiIndex.hpp).
template <class Call>
concept TiledCall = requires {
  typename Call::Place;
};

/// Invokes f for the tiles of a box from `tile` to `end`, one element of each
/// tile per thread. If at least `Calls` full tiles remain in the current row of
/// tiles, a round processes `Calls` of them; each index then costs one addition
/// per dimension. Otherwise the coordinates of each tile are computed from its
/// number, `few` tiles at a time.
template <int Calls, class Running, class Call, int K>
__device__ void box_tiles(Running const& running, Call const& f,
                          typename Call::Place const& place, std::uint32_t tile,
                          std::uint32_t end, bool free_running,
                          Slot<typename Running::Value> (&values)[K]) {
  constexpr int few = Calls < 4 ? Calls : 4;
  static_assert(Calls % K == 0 && few % K == 0);
  while (tile < end) {
    auto const first = f.tile(tile);
    auto at          = f.at(first, place);
    unsigned whole   = f.whole_in_row - first.in_row;
    if (whole > end - tile) whole = end - tile;
    if (whole >= Calls) {
      // The thread's elements can be outside the box in other dimensions only.
      bool const inside = f.has(at);
      for (; whole >= Calls; whole -= Calls, tile += Calls) {
        if (inside) {
#pragma unroll
          for (int u = 0; u < Calls; ++u) {
            auto next = at;
#pragma unroll
            for (int d = 0; d < Call::rank; ++d) next.of[d] += u * f.step[d];
            running.call(f, next, values[u % K].value);
          }
        }
#pragma unroll
        for (int d = 0; d < Call::rank; ++d) at.of[d] += Calls * f.step[d];
        if (!free_running) __syncthreads();
      }
    } else {
#pragma unroll
      for (int u = 0; u < few; ++u) {
        auto const next = f.at(f.tile(tile + u), place);
        if (tile + u < end && f.has(next))
          running.call(f, next, values[u % K].value);
      }
      tile += few;
    }
  }
}

/// Number of the part that the block processes. Blocks b and b + half, which
/// with two resident blocks usually share a multiprocessor, process parts b and
/// gridDim - 1 - b: equal work, if the cost of an index grows along the range.
__device__ inline unsigned part_of_block() {
  unsigned const block = blockIdx.x, half = (gridDim.x + 1) / 2;
  return block < half ? block : gridDim.x - 1 + half - block;
}

/// The same for a warp. With scattered_warps, the warps of a block process
/// different parts; one warp of every number, each from a different block,
/// processes a part. The shuffle makes the warp number uniform for the
/// compiler: else many kernels need 2 to 16 more registers (CUDA 13.0).
template <class Tuning>
__device__ unsigned share_of_warp(CallOrder order) {
  if (!may_scatter_warps<Tuning> || !order.scattered_warps)
    return part_of_block();
  unsigned const warps = blockDim.x / 32;
  unsigned const warp  = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  return (blockIdx.x + warp * gridDim.x / warps) % gridDim.x;
}

/// Calls f(begin + i, running) once for every i of subrange `subrange` of
/// `subranges` in [0, size).
///
/// Each block works in one contiguous subrange. If a functor reads a row-major
/// matrix column by column, blocks in all columns at once then share cache
/// lines in L2. 2^28 doubles in 8 columns: 3394 us; 5535 if tiles are dealt to
/// blocks in turn; Kokkos 2886 (H100, 2026-11-25). 2^24 and 2^26 doubles in 8
/// columns: 197 and 550 us; 126 and 509 if the first line of each subrange is
/// rounded by itself, which costs sums of 2^20 elements 5 to 10 %; with
/// scattered warps as here; Kokkos 59 and 204 (H200, 2026-12-01). A block of
/// the tuned size works in tiles. The rest, and every small range, has up to
/// `left` indices per thread and round.
template <class Running, class Tuning, class Index, class Call>
__device__ void streamed_calls(Running const& running, Call const& f,
                               Index begin, std::uint64_t size,
                               unsigned subrange, unsigned subranges,
                               CallOrder order,
                               Slot<typename Running::Value>& value) {
  constexpr StreamedTuning tuning = Tuning::value;
  constexpr int K                 = tuning.accumulators;
  Slot<typename Running::Value> values[K];
#pragma unroll
  for (int k = 0; k < K; ++k) running.init(values[k].value);

  // Subranges are whole lines of elements of any size, and no longer than
  // needed: if a launch has a thread per index, one more line makes threads
  // invoke f twice and leaves the last blocks without work. Energy sum over
  // 256000 atoms: 309 us with one more line (Kokkos 198), 195 without (Kokkos
  // 211 on that day; H100, 2026-11). Subranges of a box are whole tiles.
  unsigned const line =
      TiledCall<Call> && blockDim.x == tuning.threads ? tuning.threads : 128;
  std::uint64_t const fewest = size / subranges + (size % subranges != 0);
  std::uint64_t const share  = (fewest + line - 1) / line * line;
  std::uint64_t i            = share * subrange;
  std::uint64_t const end    = i + share < size ? i + share : size;
  if (blockDim.x == tuning.threads) {
    constexpr unsigned threads = tuning.threads;
    if constexpr (TiledCall<Call>) {
      auto const place = f.place(threadIdx.x, order.neighbours);
      auto const tile  = static_cast<std::uint32_t>(i / threads);
      auto const last  = static_cast<std::uint32_t>(end / threads);
      Cuda::box_tiles<tuning.most_calls>(running, f, place, tile, last,
                                         order.free_running, values);
      if (order.neighbours)
        Cuda::exchange_values<K, threads>(
            values, [&](int k) { return k * threads + place.number; });
      i = end;
    } else {
      if (!may_call_neighbours<Tuning>) order.neighbours = false;
      if constexpr (tuning.most_calls > tuning.calls) {
        if (order.most_calls)
          Cuda::streamed_tiles<tuning.most_calls, threads>(running, f, begin, i,
                                                           end, order, values);
      }
      Cuda::streamed_tiles<tuning.calls, threads>(running, f, begin, i, end,
                                                  order, values);
      if constexpr (may_call_neighbours<Tuning>) {
        if (order.neighbours)
          Cuda::exchange_values<K, threads>(values, [](int k) {
            constexpr unsigned group = threads / K;
            return threadIdx.x / group * threads + threadIdx.x % group * K + k;
          });
      }
    }
  }
  unsigned const stride = blockDim.x;
  // With two invocations per thread and tile, at most two are left.
  constexpr int left = tuning.calls < 4 ? 2 : 4;
  static_assert(left % K == 0);
  for (i += threadIdx.x; i < end; i += left * stride) {
#pragma unroll
    for (int u = 0; u < left; ++u)
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
  ::memcpy(static_cast<void*>(&value), &values[0], sizeof(value));
}

/// Reduces f over the subranges of this block's part, or over one of them, and
/// joins the parts of all blocks.
template <class Running, class Tuning, class Index, class Call, class Store>
__device__ __forceinline__ void reduce_parts(
    Running const& running, Call const& f, Index begin, std::uint64_t size,
    CallOrder order, GridScratch const& scratch, Store const& store) {
  using V                   = typename Running::Value;
  V* const partials         = static_cast<V*>(scratch.partials);
  unsigned const each       = order.one_each ? 1 : order.subranges;
  unsigned const of_partial = order.one_each ? order.subranges : 1;
  unsigned const block      = !order.one_each  ? part_of_block()
                              : order.from_end ? gridDim.x - 1 - blockIdx.x
                                               : blockIdx.x;
  __shared__ __align__(16) unsigned char memory[sizeof(V)];
  V* const of_part = reinterpret_cast<V*>(memory);  // of thread 0
  Slot<V> value;
  unsigned done = 0;
  // One copy of streamed_calls() and block_reduce(): a kernel's code is loaded
  // at its first launch, so it should be short.
#pragma unroll 1
  for (bool has_partials = false;;) {
    if (!has_partials) {
      Cuda::streamed_calls<Running, Tuning>(running, f, begin, size,
                                            block * each + done,
                                            gridDim.x * each, order, value);
    } else {
      running.init(value.value);
      for (unsigned other = threadIdx.x * of_partial; other < gridDim.x;
           other += blockDim.x * of_partial) {
        Slot<V> part, next;
        Cuda::load_partial(part.value, partials + other);
#pragma unroll 1
        for (unsigned k = 1; k < of_partial; ++k) {
          Cuda::load_partial(next.value, partials + other + k);
          running.join(part.value, next.value);
        }
        running.join(value.value, part.value);
      }
    }
    Cuda::block_reduce(value.value, running);
    if (has_partials) break;
    if (each > 1) {
      if (threadIdx.x == 0) {
        if (done > 0) {
          running.join(*of_part, value.value);
          Cuda::copy_bits(&value.value, of_part);
        } else {
          Cuda::copy_bits(of_part, &value.value);
        }
      }
      if (++done < each) continue;
    }
    if (gridDim.x == 1) break;
    if (threadIdx.x == 0) Cuda::copy_bits(partials + block, &value.value);
    if (!is_last_block(scratch)) return;
    has_partials = true;
  }
  if (threadIdx.x == 0) store(value.value);
}

/// Reduces f over [begin, begin + size) and stores the result in `target`.
/// \param order one of call_orders(), all of which give the same result
template <class Running, class Tuning, class Index, class T, class Call,
          class Reducer>
__device__ __forceinline__ void reduce_calls(Call const& f,
                                             Reducer const& reducer,
                                             Index begin, std::uint64_t size,
                                             CallOrder order,
                                             GridScratch const& scratch,
                                             ResultTarget<T> const& target) {
  GridDependency::wait();
  Running const running{reducer};
  Slot<typename Running::Value> value;
  auto const store = [&](auto& total) { running.finish(total, target); };
  if (size == 0) {  // no invocations: the identity
    running.init(value.value);
    if (blockIdx.x == 0 && threadIdx.x == 0) store(value.value);
    return;
  }
  if constexpr (may_divide<Tuning> && !TiledCall<Call>) {
    Cuda::reduce_parts<Running, Tuning>(running, f, begin, size, order, scratch,
                                        store);
  } else {
    unsigned const share = share_of_warp<Tuning>(order);
    Cuda::streamed_calls<Running, Tuning>(running, f, begin, size, share,
                                          gridDim.x, order, value);
    bool has_partials = false;
    if constexpr (may_scatter_warps<Tuning>) {
      has_partials = order.scattered_warps && gridDim.x > 1;
      if (has_partials &&
          !Cuda::join_scattered_warps(value.value, running, share, scratch))
        return;
    }
    Cuda::last_block_reduce(value.value, running, scratch, store, share,
                            has_partials);
  }
}

/// \tparam Copies each thread has a copy of functor and reducer
template <class Running, class Tuning, class Index, class T, class Call,
          class Reducer, bool Copies = false>
__global__ void __launch_bounds__(Tuning::value.threads, fitting_blocks<Tuning>)
    streamed_reduce(KOKKOSMMA_GRID_CONSTANT Call const f,
                    KOKKOSMMA_GRID_CONSTANT Reducer const reducer,
                    Index const begin, std::uint64_t const size,
                    CallOrder const order, GridScratch const scratch,
                    ResultTarget<T> const target) {
  Argument<Copies, Call> const call(f);
  Argument<Copies, Reducer> const joins(reducer);
  Cuda::reduce_calls<Running, Tuning>(call.value, joins.value, begin, size,
                                      order, scratch, target);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
