// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAMED_SCAN_HPP
#define KOKKOSMMA_CUDA_STREAMED_SCAN_HPP

#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_ScanPipeline.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_Slot.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>

#include <cstdint>

/// \file
/// One-pass scan by an opaque functor. The first invocation for an index adds
/// the index's contribution to a fresh value. After a scan of the tile and a
/// look-back, the second, with final = true, receives the exclusive prefix.

namespace KokkosMMA::Impl::Cuda {

/// Operations on values of the application's type. `Reducer` offers the
/// functions of Kokkos' reducers: init(T*), join(T* into, T const* from).
template <class Reducer, class T>
struct ScannedValue {
  using Value = T;
  Reducer const& reducer;

  __device__ void init(T& value) const { reducer.init(&value); }
  __device__ void join(T& into, T const& from) const {
    reducer.join(&into, &from);
  }
  template <class Call, class Index>
  __device__ void contribute(Call const& f, Index const i,
                             Slot<T>& value) const {
    reducer.init(&value.value);
    f(i, value.value, false);
  }
  template <class Call, class Index>
  __device__ void finalize(Call const& f, Index const i, Slot<T>& prefix,
                           bool is_total, ResultTarget<T> const& total) const {
    f(i, prefix.value, true);
    if (is_total) total.store(prefix.value);
  }
  __device__ void finish(Slot<T> const&, Slot<T> const&,
                         ResultTarget<T> const&) const {
    // The last invocation has stored the total, as in Kokkos.
  }
};

/// Sums of a 16-bit type in fp32. A prefix is rounded once, for the invocation
/// that receives it, and so is the total.
template <class Reducer, class T>
struct ScannedSumInFloat {
  using Value = float;
  Reducer const& reducer;

  __device__ void init(float& value) const { value = 0; }
  __device__ void join(float& into, float from) const { into += from; }
  template <class Call, class Index>
  __device__ void contribute(Call const& f, Index const i,
                             Slot<float>& value) const {
    T contribution(0.f);
    f(i, contribution, false);
    value.value = static_cast<float>(contribution);
  }
  template <class Call, class Index>
  __device__ void finalize(Call const& f, Index const i, Slot<float>& prefix,
                           bool, ResultTarget<T> const&) const {
    T rounded(prefix.value);
    f(i, rounded, true);
  }
  __device__ void finish(Slot<float> const& prefix, Slot<float> const& sum,
                         ResultTarget<T> const& total) const {
    if (total.wanted()) total.store(T(prefix.value + sum.value));
  }
};

/// Shared memory of a warp for the prefixes of its indices, relative to it.
template <class Exchange>
struct StreamedKept {
  alignas(Exchange::alignment) unsigned char bytes[Exchange::bytes];
};

template <class Value, class Tuning>
using StreamedExchange = WarpExchange<Value, Tuning::value.items>;
template <class Value, class Tuning>
using StreamedScanMemory =
    ScanMemory<Value, StreamedKept<StreamedExchange<Value, Tuning>>,
               Tuning::value.threads / 32>;

/// Scans the range. A lane invokes f for every 32nd index of its warp's range,
/// so that accesses are coalesced. It scans neighbouring indices, serially,
/// with one tree per warp. Shared memory transposes between the two orders, and
/// keeps the prefixes until the tile's prefix is known. (With a tree for each
/// row of 32 indices: 16 instructions per index; with this: 5.)
///
/// \param rows indices per lane and tile, at most the tuned number
template <class Scanned, class Tuning, class Index, class T, class Call,
          class Reducer>
__device__ __forceinline__ void scan_calls(Call const& f,
                                           Reducer const& reducer, Index begin,
                                           std::uint64_t size, unsigned rows,
                                           unsigned tiles,
                                           ScanScratch const& scratch,
                                           ResultTarget<T> const& total) {
  using Value         = typename Scanned::Value;
  using Memory        = StreamedScanMemory<Value, Tuning>;
  using Exchange      = StreamedExchange<Value, Tuning>;
  using Kept          = StreamedKept<Exchange>;
  constexpr int items = Tuning::value.items;
  constexpr int warps = Memory::warps;
  Scanned const scanned{reducer};
  int const lane = threadIdx.x % 32;
  int const warp = threadIdx.x / 32;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);

  auto const first_of = [&](unsigned tile) {
    return (std::uint64_t(tile) * warps + warp) * (rows * 32u);
  };
  auto const index_of = [&](std::uint64_t first) {
    return static_cast<Index>(begin + static_cast<Index>(first + lane));
  };
  // Number of indices of this warp in the tile.
  auto const count_of = [&](std::uint64_t first) {
    std::uint64_t const left = first < size ? size - first : 0;
    return left < rows * 32u ? unsigned(left) : rows * 32u;
  };

  auto const contribute = [&](unsigned tile, Kept& kept, Slot<Value>& sum) {
    int const lane            = lane_of_thread<true>();
    std::uint64_t const first = first_of(tile);
    Index const index         = index_of(first);
    unsigned const count      = count_of(first);
    Slot<Value> c[items];
    if (count == items * 32u) {
#pragma unroll
      for (int j = 0; j < items; ++j)
        scanned.contribute(f, static_cast<Index>(index + j * 32), c[j]);
    } else {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (unsigned(j * 32 + lane) < count)
          scanned.contribute(f, static_cast<Index>(index + j * 32), c[j]);
        else
          scanned.init(c[j].value);
      }
    }
    Exchange const exchange(kept.bytes);
    exchange.to_neighbours(c, lane);
    Slot<Value> before;
    Cuda::lane_exclusive(scanned, c, sum);
    Cuda::warp_exclusive<true>(scanned, sum, before);
    if (lane > 0) {
#pragma unroll
      for (int j = items - 1; j > 0; --j) {
        Slot<Value> prefix;
        Cuda::copy_bits(prefix, before);
        scanned.join(prefix.value, c[j].value);
        Cuda::copy_bits(c[j], prefix);
      }
      Cuda::copy_bits(c[0], before);
    } else {
      scanned.init(c[0].value);
    }
    exchange.store_neighbours(c, lane);
  };

  auto const finalize = [&](unsigned tile, Kept& kept, Slot<Value>& base) {
    std::uint64_t const first = first_of(tile);
    Index const index         = index_of(first);
    unsigned const count      = count_of(first);
    Exchange const exchange(kept.bytes);
    auto const call = [&](int j, bool is_total) {
      Slot<Value> prefix, relative;
      Cuda::copy_bits(prefix, base);
      exchange.load_row(relative, j, lane);
      scanned.join(prefix.value, relative.value);
      scanned.finalize(f, static_cast<Index>(index + j * 32), prefix, is_total,
                       total);
    };
    if (count == items * 32u && first + items * 32u < size) {
#pragma unroll
      for (int j = 0; j < items; ++j) call(j, false);
    } else {
      // Unrolled, this loop would be a third of the kernel's code.
#pragma unroll 1
      for (int j = 0; unsigned(j * 32 + lane) < count; ++j)
        call(j, first + j * 32 + lane + 1 == size && total.wanted());
    }
  };

  Cuda::scan_tiles<true>(
      *reinterpret_cast<Memory*>(shared_memory), scanned, tiles, scratch,
      contribute, finalize,
      [&](Slot<Value> const& before, Slot<Value> const& sum) {
        scanned.finish(before, sum, total);
      },
      [](unsigned) {});
}

/// \tparam Copies each thread has a copy of functor and reducer
template <class Scanned, class Tuning, class Index, class T, class Call,
          class Reducer, bool Copies = false>
__global__ void __launch_bounds__(Tuning::value.threads + 32,
                                  Tuning::value.min_blocks)
    streamed_scan(KOKKOSMMA_GRID_CONSTANT Call const f,
                  KOKKOSMMA_GRID_CONSTANT Reducer const reducer,
                  Index const begin, std::uint64_t const size,
                  unsigned const rows, unsigned const tiles,
                  ScanScratch const scratch, ResultTarget<T> const total) {
  Argument<Copies, Call> const call(f);
  Argument<Copies, Reducer> const joins(reducer);
  Cuda::scan_calls<Scanned, Tuning>(call.value, joins.value, begin, size, rows,
                                    tiles, scratch, total);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
