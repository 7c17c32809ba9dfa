// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_REDUCE_HPP
#define KOKKOSMMA_CUDA_EXACT_REDUCE_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactElements.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactTuning.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactWindow.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <algorithm>
#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Format that requests the sum as a Superaccumulator, not rounded.
inline constexpr FloatFormat exact_as_limbs{0, 0};

/// Destination of an exact sum, and the format in which it is stored.
struct ExactTarget {
  ResultTarget<void> result;
  FloatFormat format;

  __host__ __device__ bool takes_limbs() const {
    return format.exponent_bits == 0;
  }
  __device__ bool is_wanted() const { return result.memory || result.words; }
  /// Stores limb k in thread k, and the flags and `empty` in thread `Limbs`.
  template <int Limbs>
  __device__ void store_limb(int k, std::int64_t limb, unsigned flags,
                             bool empty) const {
    static_assert(sizeof(ExactLimbs<Limbs, 0>) == 8 * Limbs + 8);
    if (k > Limbs) return;
    auto const value =
        k < Limbs ? std::uint64_t(limb) : std::uint64_t(empty) << 32 | flags;
    if (result.memory) {
      static_cast<std::uint64_t*>(result.memory)[k] = value;
      return;
    }
    result.words[2 * k]     = result_mark | std::uint32_t(value);
    result.words[2 * k + 1] = result_mark | std::uint32_t(value >> 32);
  }

  __device__ void store(std::uint64_t bits) const {
    int const width = 1 + format.fraction_bits + format.exponent_bits;
    if (width == 16)
      store_as(std::uint16_t(bits));
    else if (width == 32)
      store_as(std::uint32_t(bits));
    else
      store_as(bits);
  }

 private:
  template <class T>
  __device__ void store_as(T bits) const {
    ResultTarget<T>{static_cast<T*>(result.memory), result.words}.store(bits);
  }
};

/// Accumulators that the blocks of a launch share. They are zero before a
/// launch and zero again after it.
struct ExactScratch {
  std::int64_t* limbs;
  unsigned* flags;
  unsigned* ticket;

  static constexpr std::size_t counters(ExactCarrier const& carrier) {
    return 2 * std::size_t(carrier.limbs) + 1;
  }
};

/// Shared memory of a block. `sum` has all limbs of the carrier, `of_warp`
/// those of the window, which are fewer for products of doubles.
template <class Elements, class Tuning>
struct ExactBlockMemory {
  static constexpr int limbs  = Elements::carrier.limbs;
  static constexpr int lowest = Elements::carrier.lowest;
  static constexpr int offset = Elements::carrier.offset;
  static constexpr int warps  = Tuning::value.threads / 32;
  using OfWarp = ExactWarpMemory<Elements::input, Tuning::value.columns>;
  static constexpr int window_limbs = OfWarp::limbs;
  OfWarp of_warp[warps];
  std::int64_t sum[limbs];  ///< products added as integers; later, the total
  bool has_integers;
  unsigned flags;
  unsigned flags_of_all;  ///< flags of the limbs that are rounded
  bool is_last;
};

/// Rounds the limbs held by the first threads of a block, one limb per thread,
/// and stores the result. Only the `flags` of thread 0 are used.
template <class Memory>
__device__ void round_and_store(Memory& memory, std::int64_t limb,
                                unsigned flags, bool empty,
                                ExactTarget const& target) {
  constexpr int limbs = Memory::limbs;
  int const k         = int(threadIdx.x);
  if (k < limbs) memory.sum[k] = limb;
  if (k == 0) memory.flags_of_all = flags;
  __syncthreads();
  if (target.takes_limbs()) {
    target.template store_limb<limbs>(k, limb, memory.flags_of_all, empty);
    return;
  }
  if (k >= 32) return;
  std::uint64_t const bits = round_by_warp<limbs>(
      memory.sum, k, flags, empty, Memory::lowest, target.format);
  if (k == 0) target.store(bits);
}

/// Adds the first `Values` values of the units that a thread has loaded.
template <class Elements, int Values, class Sum, class Memory>
__device__ void add_units(Sum& sum, typename Elements::Unit const* units,
                          [[maybe_unused]] Memory& memory) {
  typename Sum::Real x[Values];
#pragma unroll
  for (int k = 0; k < Values; ++k)
    x[k] =
        Elements::value(units[k / Elements::per_unit], k % Elements::per_unit);
  if constexpr (!Elements::has_errors) {
    sum.add(x);
  } else {
    bool others = false;
#pragma unroll
    for (int k = 0; k < Values; ++k)
      others = others || !Elements::is_two_doubles(x[k]);
    unsigned added = 0;  // bit k: value k was added as integers
    if (__any_sync(0xffffffffu, others)) {
#pragma unroll
      for (int k = 0; k < Values; ++k)
        if (!Elements::is_two_doubles(x[k]) &&
            Elements::add_integers(units[k / Elements::per_unit],
                                   k % Elements::per_unit,
                                   AtomicAddToLimbs{memory.sum}))
          added |= 1u << k;
      if (added) memory.has_integers = true;
      sum.note_other(__any_sync(0xffffffffu, added));
    }
    // Not earlier: registers that live across the rare branch are spilled.
    double error[Values];
#pragma unroll
    for (int k = 0; k < Values; ++k) {
      error[k] = Elements::error(units[k / Elements::per_unit],
                                 k % Elements::per_unit, x[k]);
      if (!Elements::is_two_doubles(x[k])) error[k] = 0;
      if (added >> k & 1) x[k] = -0.0;
    }
    sum.add(x, error);
  }
}

template <class Elements, class Tuning>
using ExactBlockSum =
    ExactWarpSum<Elements::input, Tuning::value.columns, Elements::has_errors>;

template <class Elements, class Tuning>
__device__ void add_tiles(ExactBlockSum<Elements, Tuning>& sum,
                          Elements const& elements, unsigned first,
                          unsigned step,
                          ExactBlockMemory<Elements, Tuning>& memory) {
  using Unit             = typename Elements::Unit;
  constexpr int values   = Tuning::value.values;
  constexpr int per_unit = Elements::per_unit;
  constexpr int in_round = values / per_unit;  // units
  constexpr int units =
      per_unit == 1 ? in_round : Tuning::value.vectors;  // per thread

  std::uint64_t const size = elements.units();
  std::uint64_t const tile = std::uint64_t(blockDim.x) * units;
  Unit loaded[units];
  auto const load = [&](std::uint64_t base) {
    if (base + tile <= elements.plain_units()) {
#pragma unroll
      for (int u = 0; u < units; ++u)
        loaded[u] = elements.load(base + u * blockDim.x + threadIdx.x);
    } else {
#pragma unroll
      for (int u = 0; u < units; ++u)
        loaded[u] = elements.load_any(base + u * blockDim.x + threadIdx.x);
    }
  };
  std::uint64_t base = first * tile;
  while (base < size) {
    // Without this copy nvcc 13.0 orders the kernel of floats differently from
    // the one that was measured.
    Unit now[units];
    load(base);
#pragma unroll
    for (int u = 0; u < units; ++u) now[u] = loaded[u];
    base += step * tile;
#pragma unroll
    for (int u = 0; u < units; u += in_round)
      add_units<Elements, values>(sum, now + u, memory);
  }
}

/// Sum of the block: limb k in thread k, the flags in memory.flags.
template <class Elements, class Tuning>
__device__ std::int64_t limb_of_block(
    ExactBlockSum<Elements, Tuning>& sum,
    ExactBlockMemory<Elements, Tuning>& memory) {
  using Memory        = ExactBlockMemory<Elements, Tuning>;
  constexpr int limbs = Memory::limbs;
  __syncthreads();  // the flags are zero
  if (unsigned const flags = sum.finish()) atomicOr(&memory.flags, flags);
  __syncthreads();
  std::int64_t limb = 0;
  if constexpr (Elements::has_errors) {
    if (memory.has_integers) {
      if (threadIdx.x == 0) carry_limbs(memory.sum, 0, limbs);
      __syncthreads();
      if (threadIdx.x < limbs) limb = memory.sum[threadIdx.x];
    }
  }
  unsigned const of_window = threadIdx.x - unsigned(Memory::offset);
  if (of_window < unsigned(Memory::window_limbs))
    for (unsigned w = 0; w < blockDim.x / 32; ++w)
      limb += memory.of_warp[w].limb[of_window];
  return limb;
}

/// Computes the exact sum of elements; the block that finishes last rounds it.
/// Blocks add integers: neither their order nor their number changes a bit.
template <class Elements, class Tuning>
__device__ __forceinline__ void reduce_exactly(Elements const& elements,
                                               ExactScratch const& scratch,
                                               ExactTarget const& target,
                                               bool empty) {
  using Memory        = ExactBlockMemory<Elements, Tuning>;
  constexpr int limbs = Memory::limbs;

  __shared__ Memory memory;
  if (threadIdx.x == 0) memory.flags = 0;
  if constexpr (Elements::has_errors) {
    if (threadIdx.x == 0) memory.has_integers = false;
    for (int k = threadIdx.x; k < limbs; k += blockDim.x) memory.sum[k] = 0;
    __syncthreads();
  }
  ExactBlockSum<Elements, Tuning> sum(memory.of_warp[threadIdx.x / 32],
                                      threadIdx.x % 32);
  add_tiles<Elements, Tuning>(sum, elements, blockIdx.x, gridDim.x, memory);
  std::int64_t limb = limb_of_block<Elements, Tuning>(sum, memory);
  unsigned flags    = memory.flags;
  if (gridDim.x > 1) {
    carry_into_next(int(threadIdx.x), limbs, limb,
                    AtomicAddToLimbs{scratch.limbs});
    if (threadIdx.x == 0 && flags != 0) atomicOr(scratch.flags, flags);
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned const last = gridDim.x - 1;
      memory.is_last =
          AtomicIncrementAcquireRelease::fetch(scratch.ticket, last) == last;
    }
    __syncthreads();
    if (!memory.is_last) return;
    if (threadIdx.x == 0) {
      flags          = __ldcg(scratch.flags);
      *scratch.flags = 0;
    }
    if (threadIdx.x < limbs) {
      limb = __ldcg(scratch.limbs + threadIdx.x);
      if (limb != 0) scratch.limbs[threadIdx.x] = 0;
    }
  }
  round_and_store(memory, limb, flags, empty, target);
}

template <class Elements, class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  min_blocks_of<Tuning::value.min_blocks, 1>)
    exact_reduce(Elements const elements, ExactScratch const scratch,
                 ExactTarget const target, bool const empty) {
  reduce_exactly<Elements, Tuning>(elements, scratch, target, empty);
}
/// Variant for elements with a functor, which is read from the parameter.
/// (Products of doubles that are read this way spill: CUDA 13.0, sm_90.)
template <class Elements, class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  min_blocks_of<Tuning::value.min_blocks, 1>)
    exact_reduce_calls(KOKKOSMMA_GRID_CONSTANT Elements const elements,
                       ExactScratch const scratch, ExactTarget const target,
                       bool const empty) {
  reduce_exactly<Elements, Tuning>(elements, scratch, target, empty);
}

/// Launches on the stream of `space`; StreamScratch::deliver() says when the
/// result, a number of `format`, is available.
template <class Elements, class Tuning>
void launch_exact_reduce(Stream const& space, StreamScratch const& scratch,
                         Elements const& elements, bool empty,
                         FloatFormat const& format, void* result,
                         bool device_accessible) {
  constexpr ExactTuning tuning = Tuning::value;
  constexpr int in_thread =
      Elements::per_unit == 1 ? tuning.values : tuning.vectors;
  Device const& d          = device(space.device);
  auto const processors    = std::uint64_t(d.multiprocessors);
  std::uint64_t const size = elements.units();
  // Few elements are spread over small blocks. These have a thread for each
  // limb and one for the flags.
  constexpr ExactCarrier carrier = Elements::carrier;
  unsigned threads               = unsigned(tuning.threads);
  std::uint64_t blocks           = processors * tuning.min_blocks;
  if (size <= processors * spread_vectors) {
    threads = carrier.limbs < 128 ? 128 : (carrier.limbs + 32) / 32 * 32;
    blocks  = (size + in_thread * threads - 1) / (in_thread * threads);
  }
  blocks = std::clamp<std::uint64_t>(blocks, 1, max_partials);

  unsigned* const counters = scratch->counters(ExactScratch::counters(carrier));
  ExactScratch const shared{reinterpret_cast<std::int64_t*>(counters),
                            counters + 2 * carrier.limbs,
                            scratch->grid(0, 0).ticket};
  std::size_t const bytes =
      ExactTarget{{}, format}.takes_limbs()
          ? sizeof(ExactLimbs<carrier.limbs, carrier.lowest>)
          : std::size_t(1 + format.fraction_bits + format.exponent_bits) / 8;
  scratch.deliver(result, bytes, device_accessible,
                  [&](ResultTarget<void> const& target) {
                    auto const launch = [&](auto const kernel) {
                      launch_kernel(space, "exact_reduce", kernel,
                                    {unsigned(blocks), threads}, elements,
                                    shared, ExactTarget{target, format}, empty);
                    };
                    if constexpr (Elements::copies) {
                      launch(exact_reduce<Elements, Tuning>);
                    } else {
                      launch(exact_reduce_calls<Elements, Tuning>);
                    }
                  });
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
