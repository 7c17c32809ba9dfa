// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_RAGGED_REDUCE_HPP
#define KOKKOSMMA_CUDA_RAGGED_REDUCE_HPP

#include <backends/cuda/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/KokkosMMA_GridFinish.hpp>
#include <backends/cuda/kernels/KokkosMMA_RingStream.hpp>
#include <core/KokkosMMA_WarpRagged.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

/// \file
/// Reduction of segments between offsets, and the check of the offsets.

namespace KokkosMMA::Impl::Cuda {

/// How the work is laid over the device.
struct RaggedTuning {
  static constexpr int threads    = 256;
  static constexpr int min_blocks = 3;
  static constexpr int tiles      = 4;  ///< of the ring of a warp
  static constexpr int tile_bytes = 2048;
  static constexpr int warps      = threads / 32;
  static constexpr int ring_bytes = tiles * tile_bytes;
  /// Work that is worth another warp, in bytes of elements.
  static constexpr int bytes_per_stretch = 4096;
};

template <Operation Op, class Value>
__device__ RaggedOpen<Op, Value> add_partials(
    RaggedPartial<Value> const* partials, unsigned begin, unsigned end,
    RaggedOpen<Op, Value> open, auto const& store) {
  for (unsigned i = begin; i < end; ++i) {
    // Written by other multiprocessors: not through L1, which is not coherent.
    RaggedPartial<Value> partial;
    constexpr int words = sizeof(partial) / 8;
    static_assert(sizeof(partial) % 8 == 0);
    std::uint64_t bits[words];
    auto const* const from =
        reinterpret_cast<unsigned long long const*>(partials + i);
    for (int w = 0; w < words; ++w) bits[w] = __ldcg(from + w);
    memcpy(static_cast<void*>(&partial), bits, sizeof(partial));
    open.add(partial, store);
  }
  return open;
}

/// Each warp takes an equal stretch of the work, the block that finishes last
/// joins what they left, in the order of the stretches.
template <Operation Op, Scalar Input, class Value, class Tuning, class Offset,
          class Store>
__global__ void __launch_bounds__(Tuning::threads, Tuning::min_blocks)
    ragged_reduce(unsigned char const* const x,
                  OffsetSegments<Offset> const segments, Store const store,
                  GridScratch const scratch) {
  using Open = RaggedOpen<Op, Value>;
  extern __shared__ __align__(128) unsigned char ring_memory[];
  using Reduce        = WarpRagged<Warp, Op, Input, Value>;
  constexpr int bytes = Reduce::element_bytes;
  int const lane      = threadIdx.x % 32;
  int const warp      = threadIdx.x / 32;

  // A closed segment costs about as much as one more vector.
  auto const work           = RaggedWork<Offset>::of(segments, 16 / bytes);
  std::uint64_t const total = work.total();
  auto const stretches =
      unsigned(min(std::uint64_t(gridDim.x) * Tuning::warps,
                   total / (Tuning::bytes_per_stretch / bytes) + 1));
  unsigned const blocks = (stretches + Tuning::warps - 1) / Tuning::warps;
  if (blockIdx.x >= blocks) return;

  auto* const partials   = static_cast<RaggedPartial<Value>*>(scratch.partials);
  unsigned const stretch = blockIdx.x * Tuning::warps + warp;
  if (stretch < stretches) {
    RaggedPlace places[2];
    find_places(Warp{}, work,
                {begin_of_share(total, stretches, stretch),
                 begin_of_share(total, stretches, stretch + 1)},
                places);
    RingStream<Tuning::tiles, Tuning::tile_bytes, bytes> stream(
        ring_memory + warp * Tuning::ring_bytes, x + places[0].element * bytes,
        places[1].element - places[0].element, lane);
    auto const left =
        Reduce(Warp{}).walk(stream, segments, places[0], places[1], store);
    if (lane == 0) partials[stretch] = left;
  }

  __shared__ bool is_last;
  __syncthreads();
  if (blocks > 1) {
    if (threadIdx.x == 0)
      is_last = AtomicIncrementAcquireRelease::fetch(scratch.ticket,
                                                     blocks - 1) == blocks - 1;
    __syncthreads();
    if (!is_last) return;
  }

  unsigned const per_thread = (stretches + blockDim.x - 1) / blockDim.x;
  unsigned const begin      = min(stretches, threadIdx.x * per_thread);
  unsigned const end        = min(stretches, begin + per_thread);
  Open const mine = add_partials<Op, Value>(partials, begin, end, Open{},
                                            [](std::uint64_t, Value const&) {});
  Open before, all;
  open_before<Warp, Op, Value>(Warp{}, mine, before, all);
  __shared__ Value warp_value[Tuning::warps];
  __shared__ bool warp_fresh[Tuning::warps];
  if (lane == 0) {
    warp_value[warp] = all.value;
    warp_fresh[warp] = all.fresh;
  }
  __syncthreads();
  Open open;
  for (int w = 0; w < warp; ++w) open.add(Open{warp_value[w], warp_fresh[w]});
  open.add(before);
  add_partials<Op, Value>(partials, begin, end, open, store);
}

/// \param size no less than the number of elements in all segments, where it is
/// known: a small launch starts fewer blocks
template <Operation Op, Scalar Input, class Value, class Offset, class Store,
          class Tuning = RaggedTuning>
void launch_ragged_reduce(
    Kokkos::Cuda const& space, void const* x, OffsetSegments<Offset> segments,
    Store const& store,
    std::uint64_t size = std::numeric_limits<std::uint64_t>::max(),
    Tuning             = {}) {
  if (segments.count() == 0) return;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  constexpr int shared = Tuning::warps * Tuning::ring_bytes;
  auto const kernel = &ragged_reduce<Op, Input, Value, Tuning, Offset, Store>;
  check(cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
        "cudaFuncSetAttribute");
  constexpr int bytes = size_of(Input);
  // A device with less shared memory keeps fewer blocks at a time.
  auto blocks = std::uint64_t(device(space.cuda_device()).multiprocessors) *
                Tuning::min_blocks;
  constexpr std::uint64_t per_block =
      std::uint64_t(Tuning::warps) * Tuning::bytes_per_stretch / bytes;
  std::uint64_t const weighted = 16 / bytes * segments.count();
  if (size < blocks * per_block)
    blocks = std::min(blocks, (size + weighted) / per_block + 1);
  // A stretch has less than 2^31 elements.
  constexpr std::uint64_t known = std::uint64_t(1) << 50;
  if (size < known) blocks = std::max(blocks, (size + weighted) >> 30);
  blocks = std::min<std::uint64_t>(blocks, max_partials / Tuning::warps);
  static_assert(sizeof(RaggedPartial<Value>) * max_partials <= partials_bytes);
  kernel<<<unsigned(blocks), Tuning::threads, shared, space.cuda_stream()>>>(
      static_cast<unsigned char const*>(x), segments, store,
      stream_scratch(space).grid());
  check(cudaGetLastError(), "launch of ragged_reduce");
}

/// The smaller of two, of which each thread keeps one.
struct Smallest {
  __device__ void init(std::uint64_t& value) const {
    value = ~std::uint64_t(0);
  }
  __device__ void join(std::uint64_t& into, std::uint64_t from) const {
    into = from < into ? from : into;
  }
};

/// Smallest index of an offset that is negative, larger than `size` or smaller
/// than the one before; all bits set when there is none.
template <class Offset>
__global__ void __launch_bounds__(512, 4)
    find_bad_offset(OffsetSegments<Offset> const segments,
                    std::uint64_t const size, GridScratch const scratch,
                    ResultSink<std::uint64_t> const sink) {
  constexpr int unroll       = 4;
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  std::uint64_t bad          = ~std::uint64_t(0);
  for (std::uint64_t first =
           std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       first <= segments.count(); first += unroll * stride) {
    Offset offset[unroll], before[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      std::uint64_t const i = min(first + u * stride, segments.count());
      offset[u]             = __ldg(segments.offsets + i);
      before[u]             = __ldg(segments.offsets + (i > 0 ? i - 1 : 0));
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      // A negative offset is a large number.
      bool const wrong =
          offset[u] < before[u] || static_cast<std::uint64_t>(offset[u]) > size;
      std::uint64_t const i = min(first + u * stride, segments.count());
      if (wrong && i < bad) bad = i;
    }
  }
  grid_finish(bad, Smallest{}, scratch,
              [&](std::uint64_t smallest) { sink.store(smallest); });
}

/// Index of the first offset that is negative, larger than `size` or smaller
/// than the one before it; -1 when all is well. Waits for the stream.
template <class Offset>
std::int64_t first_bad_offset(Kokkos::Cuda const& space,
                              OffsetSegments<Offset> segments,
                              std::uint64_t size) {
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  constexpr unsigned threads = 512;
  auto const most =
      std::uint64_t(4 * device(space.cuda_device()).multiprocessors);
  std::uint64_t const blocks =
      std::clamp<std::uint64_t>(segments.count() / (4 * threads) + 1, 1,
                                std::min<std::uint64_t>(most, max_partials));
  StreamScratch& scratch = stream_scratch(space);
  std::uint64_t index    = 0;
  scratch.receive(
      &index, space.cuda_stream(), [&](ResultSink<std::uint64_t> const& sink) {
        find_bad_offset<<<unsigned(blocks), threads, 0, space.cuda_stream()>>>(
            segments, size, scratch.grid(), sink);
        check(cudaGetLastError(), "launch of find_bad_offset");
      });
  return static_cast<std::int64_t>(index);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
