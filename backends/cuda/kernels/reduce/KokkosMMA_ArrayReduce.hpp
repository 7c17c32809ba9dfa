// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARRAY_REDUCE_HPP
#define KOKKOSMMA_CUDA_ARRAY_REDUCE_HPP

#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Reduction by an opaque functor into values that do not fit registers: arrays
/// whose length is known at run time, and values of more than 64 bytes. Each
/// thread accumulates into its own array in shared memory. The compiler knows
/// this address space when it compiles the functor into the kernel, so loads
/// move ahead of additions: nvcc 13.0 unrolls a loop over the values 16 times
/// and has 24 loads in flight under a cap of 64 registers. The order of all
/// joins is fixed.

namespace KokkosMMA::Impl::Cuda {

/// Arrays of a block in shared memory, one for each calling thread.
template <class T>
struct BlockArrays {
  unsigned char* memory;
  ArrayLayout layout;

  __device__ T* of(unsigned thread) const {
    return reinterpret_cast<T*>(memory + thread * layout.stride);
  }
  __device__ bool has_one() const { return threadIdx.x < layout.callers; }
};

/// Sums arrays 0 to rows - 1 into array 0; load(r, e) returns value e of array
/// r. A thread sums one value of every `parts`-th array, so that neighbouring
/// threads load neighbouring values and no load waits for an addition.
template <class T, class Load>
__device__ void sum_arrays(BlockArrays<T> const& block, unsigned rows,
                           Load const& load) {
  unsigned const count = block.layout.count;
  unsigned parts       = blockDim.x > count ? blockDim.x / count : 1;
  parts                = min(min(parts, 32u), min(rows, block.layout.callers));
  // Only the thread that has read an element of array `part` overwrites it.
  for (unsigned x = threadIdx.x; x < parts * count; x += blockDim.x) {
    unsigned const part = x / count;
    unsigned const e    = x % count;
    T sum               = load(part, e);
    for (unsigned r = part + parts; r < rows; r += parts) sum += load(r, e);
    block.of(part)[e] = sum;
  }
  __syncthreads();
  for (unsigned e = threadIdx.x; e < count; e += blockDim.x) {
    T sum = block.of(0)[e];
    for (unsigned part = 1; part < parts; ++part) sum += block.of(part)[e];
    block.of(0)[e] = sum;
  }
  __syncthreads();
}

/// Joins the arrays of a block into array 0; one thread makes each join.
template <class T, class Reducer>
__device__ void join_arrays(BlockArrays<T> const& block,
                            Reducer const& reducer) {
  unsigned const callers = block.layout.callers;
  unsigned half          = 1;
  while (2 * half < callers) half *= 2;
  for (; half > 0; half /= 2) {
    if (threadIdx.x < half && threadIdx.x + half < callers)
      reducer.join(block.of(threadIdx.x), block.of(threadIdx.x + half));
    __syncthreads();
  }
}

/// Copies the bits of `count` values with all threads of the block. One thread
/// would copy a value of 512 bytes through its registers and spill.
template <class T>
__device__ void copy_array(T* to, T const* from, unsigned count) {
  using Unit = std::conditional_t<
      alignof(T) % 8 == 0, std::uint64_t,
      std::conditional_t<alignof(T) % 4 == 0, std::uint32_t, unsigned char>>;
  auto* const out      = reinterpret_cast<unsigned char*>(to);
  auto const* const in = reinterpret_cast<unsigned char const*>(from);
  unsigned const units = count * unsigned(sizeof(T) / sizeof(Unit));
  for (unsigned k = threadIdx.x; k < units; k += blockDim.x)
    Cuda::copy_bits(reinterpret_cast<Unit*>(out + k * sizeof(Unit)),
                    reinterpret_cast<Unit const*>(in + k * sizeof(Unit)));
}

template <class T>
__device__ void store_array(BlockArrays<T> const& block,
                            ResultTarget<T> const& target) {
  unsigned const count = block.layout.count;
  if (target.memory) {
    Cuda::copy_array(target.memory, block.of(0), count);
    return;
  }
  unsigned const bytes = count * unsigned(sizeof(T));
  for (unsigned word = threadIdx.x; 4 * word < bytes; word += blockDim.x) {
    std::uint32_t bits = 0;
    for (unsigned k = 0; k < 4 && 4 * word + k < bytes; ++k)
      bits |= std::uint32_t(block.memory[4 * word + k]) << 8 * k;
    target.words[word] = result_mark | bits;
  }
}

/// Reduces one array per thread to one per grid: array 0 of the block that
/// finishes last. `SumsNumbers`: joins add arithmetic values one by one.
/// \return whether this block finished last
template <bool SumsNumbers, class T, class Reducer>
__device__ bool reduce_arrays(BlockArrays<T> const& block,
                              Reducer const& reducer,
                              GridScratch const& scratch) {
  if constexpr (SumsNumbers) {
    Cuda::sum_arrays(block, block.layout.callers,
                     [&](unsigned r, unsigned e) { return block.of(r)[e]; });
  } else {
    Cuda::join_arrays(block, reducer);
  }
  if (gridDim.x == 1) return true;

  unsigned const count = block.layout.count;
  T* const partials    = static_cast<T*>(scratch.partials);
  Cuda::copy_array(partials + std::size_t(blockIdx.x) * count, block.of(0),
                   count);
  __syncthreads();
  if (!is_last_block(scratch)) return false;

  // The acquire of the ticket covers the whole block: after it, L1 has no stale
  // lines of other multiprocessors' results.
  if constexpr (SumsNumbers) {
    Cuda::sum_arrays(block, gridDim.x, [&](unsigned r, unsigned e) {
      return partials[std::size_t(r) * count + e];
    });
  } else {
    if (block.has_one()) {
      T* const mine = block.of(threadIdx.x);
      reducer.init(mine);
      for (unsigned b = threadIdx.x; b < gridDim.x; b += block.layout.callers) {
        reducer.join(mine, partials + std::size_t(b) * count);
        Opaque::memory();
      }
    }
    __syncthreads();
    Cuda::join_arrays(block, reducer);
  }
  return true;
}

/// Calls f(i, running) for the indices of this thread, which are every
/// callers-th of the block's contiguous subrange. Calls after_round() after
/// each `Calls` of them, then after each of the remaining ones.
template <int Calls, class Index, class Call, class Running, class AfterRound>
__device__ void call_share(Call const& f, Index begin, std::uint64_t size,
                           unsigned callers, Running&& running,
                           AfterRound const& after_round) {
  // Warps load whole cache lines if `callers` is a number of whole warps.
  unsigned const line        = callers % 32 == 0 ? 32 : 1;
  std::uint64_t const fewest = size / gridDim.x + (size % gridDim.x != 0);
  std::uint64_t const share  = (fewest + line - 1) / line * line;
  std::uint64_t i            = share * blockIdx.x;
  std::uint64_t const end    = i + share < size ? i + share : size;
  i += threadIdx.x;
  for (; i + (Calls - 1) * callers < end; i += Calls * callers) {
#pragma unroll
    for (int u = 0; u < Calls; ++u)
      f(static_cast<Index>(begin + static_cast<Index>(i + u * callers)),
        running);
    after_round();
  }
  for (; i < end; i += callers) {
    f(static_cast<Index>(begin + static_cast<Index>(i)), running);
    after_round();
  }
}

/// Copies a functor and makes its value_count a constant for the compiler. The
/// bits are copied, because constructors may be host functions.
template <unsigned Count, class Holder, class Get>
__device__ void copy_with_count(Slot<Holder>& to, Holder const& from,
                                Get const& functor_of) {
  ::memcpy(static_cast<void*>(&to), &from, sizeof(Holder));
  auto const& count = functor_of(to.value).value_count;
  const_cast<std::remove_cvref_t<decltype(count)>&>(count) = Count;
}

/// Invokes f with an array of a constant length. Loops of the functor that run
/// to its value_count, like those of Kokkos' own reducer, are unrolled. The
/// array is then in registers, and the loads of several invocations move ahead
/// of the additions.
template <unsigned Count, class Index, class T, class Call, class Reducer>
__device__ void call_in_registers(Call const& f, Reducer const& reducer,
                                  Index begin, std::uint64_t size,
                                  BlockArrays<T> const& block) {
  Slot<Call> call;
  Slot<Reducer> counted;
  Cuda::copy_with_count<Count>(
      call, f, [](Call const& c) -> auto const& { return c.functor; });
  Cuda::copy_with_count<Count>(
      counted, reducer,
      [](Reducer const& r) -> auto const& { return r.get_functor(); });
  Slot<T[Count]> running;
  counted.value.init(running.value);
  Cuda::call_share<8 / Count>(call.value, begin, size, block.layout.callers,
                              Reducer::reference(running.value), [] {});
  T* const mine = block.of(threadIdx.x);
#pragma unroll
  for (unsigned e = 0; e < Count; ++e)
    Cuda::copy_bits(mine + e, running.value + e);
}

/// Reduces f over [begin, begin + size). `InRegisters`: the arrays have at most
/// most_in_registers values.
template <class Tuning, bool InRegisters, bool SumsNumbers, class Index,
          class T, class Call, class Reducer>
__device__ __forceinline__ void reduce_to_array(Call const& f,
                                                Reducer const& reducer,
                                                Index begin, std::uint64_t size,
                                                GridScratch const& scratch,
                                                ResultTarget<T> const& target,
                                                ArrayLayout const& layout) {
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, array_memory);
  BlockArrays<T> const block{array_memory, layout};
  if (block.has_one()) {
    if constexpr (InRegisters) {
      switch (layout.count) {
        case 1:
          Cuda::call_in_registers<1>(f, reducer, begin, size, block);
          break;
        case 2:
          Cuda::call_in_registers<2>(f, reducer, begin, size, block);
          break;
        case 3:
          Cuda::call_in_registers<3>(f, reducer, begin, size, block);
          break;
        default: Cuda::call_in_registers<4>(f, reducer, begin, size, block);
      }
    } else {
      T* const mine = block.of(threadIdx.x);
      reducer.init(mine);
      Cuda::call_share<Tuning::value.calls>(f, begin, size, layout.callers,
                                            Reducer::reference(mine),
                                            [] { Opaque::memory(); });
    }
  }
  __syncthreads();
  if (!Cuda::reduce_arrays<SumsNumbers>(block, reducer, scratch)) return;
  if (threadIdx.x == 0) reducer.final(block.of(0));
  __syncthreads();
  Cuda::store_array(block, target);
}

/// \tparam Copies each thread has a copy of functor and reducer
template <class Tuning, bool InRegisters, bool SumsNumbers, class Index,
          class T, class Call, class Reducer, bool Copies = false>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    array_reduce(KOKKOSMMA_GRID_CONSTANT Call const f,
                 KOKKOSMMA_GRID_CONSTANT Reducer const reducer,
                 Index const begin, std::uint64_t const size,
                 GridScratch const scratch, ResultTarget<T> const target,
                 ArrayLayout const layout) {
  Argument<Copies, Call> const call(f);
  Argument<Copies, Reducer> const joins(reducer);
  Cuda::reduce_to_array<Tuning, InRegisters, SumsNumbers>(
      call.value, joins.value, begin, size, scratch, target, layout);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
