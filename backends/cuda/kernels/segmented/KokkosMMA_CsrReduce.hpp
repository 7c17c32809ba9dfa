// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_CSR_REDUCE_HPP
#define KOKKOSMMA_CUDA_CSR_REDUCE_HPP

#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_WarpPipeline.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentAgents.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/segmented/KokkosMMA_WarpMergePath.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Reduction of segments between offsets (CSR rows), and the check of the
/// offsets.

namespace KokkosMMA::Impl::Cuda {

template <Operation Op, class Value>
__device__ OpenSegment<Op, Value> add_partials(
    RangePartials<Value> const* partials, unsigned begin, unsigned end,
    OpenSegment<Op, Value> open, auto const& store) {
  for (unsigned i = begin; i < end; ++i) {
    // Bypasses L1, which is not coherent: other multiprocessors wrote it.
    RangePartials<Value> partial;
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

/// Reduces CSR segments. Each warp processes an equal range of the merge path;
/// the last block joins the partials in the order of the ranges.
template <Operation Op, Scalar Input, class Value, class Tuning, class Segments,
          class Store>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    csr_reduce(void const* const x, Segments const segments, Store const store,
               GridScratch const scratch) {
  using Open                 = OpenSegment<Op, Value>;
  constexpr CsrTuning tuning = Tuning::value;
  constexpr int tuned_warps  = tuning.threads / 32;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, ring_memory);
  using Reduce        = WarpMergePath<Warp, Op, Input, Value, tuning.quads>;
  constexpr int bytes = Reduce::element_bytes;
  int const lane      = threadIdx.x % 32;
  int const warp      = threadIdx.x / 32;

  auto const work =
      MergePath<Segments>::of(segments, tuning.segment_bytes / bytes);
  std::uint64_t const total = work.total();
  auto const ranges =
      unsigned(min(std::uint64_t(gridDim.x) * tuned_warps,
                   total / (tuning.bytes_per_range / bytes) + 1));
  unsigned const blocks = (ranges + tuned_warps - 1) / tuned_warps;
  if (blockIdx.x >= blocks) return;

  // Partials of the warps.
  __shared__ RangePartials<Value> in_block[tuned_warps];
  unsigned const first = blockIdx.x * tuned_warps;
  unsigned const range = first + warp;
  if (range < ranges) {
    MergeCoordinate coordinates[2];
    find_coordinates(Warp{}, work,
                     {begin_of_partition(total, ranges, range),
                      begin_of_partition(total, ranges, range + 1)},
                     coordinates);
    WarpPipeline<tuning.tiles, tuning.tile_bytes, bytes> stream(
        ring_memory + warp * tuning.tiles * tuning.tile_bytes,
        reinterpret_cast<unsigned char const*>(
            static_cast<ElementBits<Input> const*>(x) + coordinates[0].element),
        coordinates[1].element - coordinates[0].element, lane);
    auto const left = Reduce(Warp{}).walk(stream, segments, coordinates[0],
                                          coordinates[1], store);
    if (lane == 0) in_block[warp] = left;
  }

  auto* const partials = static_cast<RangePartials<Value>*>(scratch.partials);
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    RangePartials<Value> left = in_block[0];
    unsigned const warps      = min(unsigned(tuned_warps), ranges - first);
    for (unsigned w = 1; w < warps; ++w)
      join_partials<Op>(left, in_block[w], store);
    if (blocks > 1) {
      partials[blockIdx.x] = left;
      is_last = AtomicIncrementAcquireRelease::fetch(scratch.ticket,
                                                     blocks - 1) == blocks - 1;
    } else {
      Open{}.add(left, store);
    }
  }
  if (blocks == 1) return;
  __syncthreads();
  if (!is_last) return;

  unsigned const per_thread = (blocks + blockDim.x - 1) / blockDim.x;
  unsigned const begin      = min(blocks, threadIdx.x * per_thread);
  unsigned const end        = min(blocks, begin + per_thread);
  Open const mine = add_partials<Op, Value>(partials, begin, end, Open{},
                                            [](std::uint64_t, Value const&) {});
  Open before, all;
  open_before<Warp, Op, Value>(Warp{}, mine, before, all);
  __shared__ Value warp_value[tuned_warps];
  __shared__ bool warp_fresh[tuned_warps];
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

template <Operation Op, Scalar Input, class Value, class Tuning, class Segments,
          class Store>
void launch_tuned_csr_reduce(Stream const& space, void const* x,
                             Segments const& segments, Store const& store,
                             std::uint64_t size) {
  constexpr CsrTuning tuning = Tuning::value;
  constexpr int shared = tuning.threads / 32 * tuning.tiles * tuning.tile_bytes;
  auto const kernel    = &csr_reduce<Op, Input, Value, Tuning, Segments, Store>;
  kernel_facts(space.device, kernel, tuning.threads, shared);
  constexpr int bytes = size_of(Input);
  // A device with less shared memory has fewer resident blocks.
  auto blocks =
      std::uint64_t(launch_layout(space).multiprocessors) * tuning.min_blocks;
  constexpr std::uint64_t per_block =
      std::uint64_t(tuning.threads / 32) * tuning.bytes_per_range / bytes;
  std::uint64_t const weighted =
      tuning.segment_bytes / bytes * segments.count();
  if (size < blocks * per_block)
    blocks = std::min(blocks, (size + weighted) / per_block + 1);
  // A range must have less than 2^31 elements.
  blocks = std::max(blocks, (size + weighted) >> 30);
  blocks = std::min<std::uint64_t>(blocks, max_partials);
  StreamScratch const scratch(space);
  launch_kernel(space, "csr_reduce", kernel,
                {unsigned(blocks), tuning.threads, shared}, x, segments, store,
                scratch->grid(blocks, sizeof(RangePartials<Value>)));
}

/// \param size no less than the number of elements in all segments
/// \param longest no less than the elements of any segment, if known: threads
/// then sum one short segment each
/// \pre one segment or more
template <Operation Op, Scalar Input, class Value, class Segments, class Store>
void launch_csr_reduce(Stream const& space, void const* x,
                       Segments const& segments, Store const& store,
                       std::uint64_t size,
                       std::uint64_t longest = OffsetFindings::unknown) {
  check(cudaSetDevice(space.device), "cudaSetDevice");
  constexpr std::uint64_t bytes = size_of(Input);
  int const tiny = tiny_csr_limit(launch_layout(space).tuning, int(bytes));
  if (longest <= std::uint64_t(tiny) / bytes) {
    launch_tiny_segments<Combine<Op, Value>, Input, Value>(space, x, segments,
                                                           store);
    return;
  }
  if (size / segments.count() >= quads_csr_bytes / bytes)
    launch_tuned_csr_reduce<Op, Input, Value, tuning_type<csr_tuning(true)>>(
        space, x, segments, store, size);
  else
    launch_tuned_csr_reduce<Op, Input, Value, tuning_type<csr_tuning(false)>>(
        space, x, segments, store, size);
}

/// Join of findings: the smaller index and the longer segment.
struct JoinFindings {
  __device__ void init(OffsetFindings& value) const {
    value.first_bad = OffsetFindings::unknown;
    value.longest   = 0;
  }
  __device__ void join(OffsetFindings& into, OffsetFindings const& from) const {
    into.first_bad = min(into.first_bad, from.first_bad);
    into.longest   = max(into.longest, from.longest);
  }
};

/// Finds the smallest index of an offset that is negative, larger than `size`
/// or smaller than the one before, and the longest segment.
template <class Offset>
__global__ void __launch_bounds__(offsets_tuning.threads,
                                  offsets_tuning.min_blocks)
    look_at_offsets(OffsetSegments<Offset> const segments,
                    std::uint64_t const size, GridScratch const scratch,
                    ResultTarget<OffsetFindings> const target) {
  constexpr unsigned threads = offsets_tuning.threads;
  constexpr unsigned unroll  = offsets_tuning.loads / sizeof(Offset);
  constexpr unsigned tile    = threads * unroll;
  unsigned const lane        = threadIdx.x % 32;
  std::uint64_t const count  = segments.count() + 1;
  OffsetFindings found;
  JoinFindings{}.init(found);
  auto const check_one = [&](std::uint64_t i, Offset before, Offset offset) {
    // As an unsigned number, a negative offset is large.
    bool const wrong =
        offset < before || static_cast<std::uint64_t>(offset) > size;
    if (wrong)
      found.first_bad = min(found.first_bad, i);
    else
      found.longest =
          max(found.longest, static_cast<std::uint64_t>(offset) -
                                 static_cast<std::uint64_t>(before));
  };
  // A tile is a run of offsets, of which a warp has a part: the offset before a
  // lane's own is that of its neighbour.
  std::uint64_t first = std::uint64_t(blockIdx.x) * tile;
  for (; first + tile <= count; first += std::uint64_t(gridDim.x) * tile) {
    Offset const* const part =
        segments.offsets + first + (threadIdx.x - lane) * unroll;
    Offset offset[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u)
      offset[u] = __ldg(part + 32 * u + lane);
    Offset last = offset[0];
    if (lane == 31 && part != segments.offsets) last = __ldg(part - 1);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) {
      // Lane 31 passes the offset before these 32 to lane 0.
      Offset const passed = lane == 31 ? last : offset[u];
      Offset before       = __shfl_sync(0xffffffffu, passed, (lane + 31) % 32);
      if (u == 0 && part == segments.offsets && lane == 0) before = offset[0];
      last = offset[u];
      check_one(first + (threadIdx.x - lane) * unroll + 32 * u + lane, before,
                offset[u]);
    }
  }
  // The last tile, which is partly filled.
  for (std::uint64_t i = first + threadIdx.x; i < count && i < first + tile;
       i += threads)
    check_one(i, segments.offsets[i > 0 ? i - 1 : 0], segments.offsets[i]);
  last_block_reduce(found, JoinFindings{}, scratch,
                    [&](OffsetFindings const& all) { target.store(all); });
}

/// Returns the first offset that is negative, larger than `size` or smaller
/// than the one before it and, if there is none, the longest segment. Waits for
/// the stream.
template <class Offset>
OffsetFindings findings_of_offsets(Stream const& space,
                                   OffsetSegments<Offset> segments,
                                   std::uint64_t size) {
  check(cudaSetDevice(space.device), "cudaSetDevice");
  constexpr unsigned threads = offsets_tuning.threads;
  auto const most            = offsets_tuning.min_blocks *
                    std::uint64_t(device(space.device).multiprocessors);
  std::uint64_t const blocks =
      std::clamp<std::uint64_t>(segments.count() / (8 * threads) + 1, 1,
                                std::min<std::uint64_t>(most, max_partials));
  StreamScratch const scratch(space);
  GridScratch const grid = scratch->grid(blocks, sizeof(OffsetFindings));
  OffsetFindings findings;
  scratch.deliver(
      &findings, false, [&](ResultTarget<OffsetFindings> const& target) {
        launch_kernel(space, "look_at_offsets", look_at_offsets<Offset>,
                      {unsigned(blocks), threads}, segments, size, grid,
                      target);
      });
  return findings;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
