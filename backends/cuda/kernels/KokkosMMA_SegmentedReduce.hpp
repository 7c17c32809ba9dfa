// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEGMENTED_REDUCE_HPP
#define KOKKOSMMA_CUDA_SEGMENTED_REDUCE_HPP

#include <backends/cuda/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/KokkosMMA_LongSegments.hpp>
#include <backends/cuda/kernels/KokkosMMA_RowSegments.hpp>
#include <backends/cuda/kernels/KokkosMMA_StagedSegments.hpp>
#include <core/KokkosMMA_Segments.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// Reduction of equal segments, one pass: which kernel takes which length.

namespace KokkosMMA::Impl::Cuda {

/// Blocks of a kernel that fit a multiprocessor of the current device, after
/// its shared memory was allowed.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads, int shared) {
  if (shared > 0)
    check(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
          "cudaFuncSetAttribute");
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                      shared),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

/// Launches of the kernels for one kind of segments.
template <class Segments, Scalar Input, class Tuned, class Store>
struct SegmentLaunch {
  using Value = typename Segments::Value;

  Kokkos::Cuda const& space;
  Store const& store;

  template <class Kernel, class... Arguments>
  void launch(Kernel kernel, std::uint64_t warps, int threads, int shared,
              int resident, Arguments const&... arguments) const {
    std::uint64_t const most =
        std::uint64_t(device(space.cuda_device()).multiprocessors) * resident;
    std::uint64_t const blocks = (warps * 32 + threads - 1) / threads;
    kernel<<<unsigned(std::min(blocks, most)), threads, shared,
             space.cuda_stream()>>>(arguments..., store);
    check(cudaGetLastError(), "launch of a segmented reduction");
  }

  void rows(RowSegments const& in) const {
    auto const kernel         = &reduce_row_segments<Segments, Input, Store>;
    constexpr int threads     = RowSegmentsTuning::threads;
    static int const resident = resident_blocks(kernel, threads, 0);
    std::uint64_t const tiles =
        (in.count * in.vectors + 32 * segment_rows - 1) / (32 * segment_rows);
    launch(kernel, std::max<std::uint64_t>(tiles, 1), threads, 0, resident, in);
  }

  void staged(unsigned char const* x, std::uint64_t size, int length) const {
    constexpr SegmentedTuning tuning = Tuned::value;
    constexpr int threads            = tuning.warps * 32;
    constexpr int shared =
        tuning.warps * WarpStages<tuning.stages, tuning.tile_bytes>::bytes;
    auto const kernel         = &reduce_staged_segments<Segments, Tuned, Store>;
    static int const resident = resident_blocks(kernel, threads, shared);
    int const fit             = tuning.tile_bytes / length;
    int const per_tile =
        fit >= 32 ? fit / 32 * 32 : int(std::bit_floor(unsigned(fit)));
    std::uint64_t const bytes = std::uint64_t(per_tile) * length;
    StagedSegments const in{x,      size,     (size + bytes - 1) / bytes,
                            length, per_tile, 32 / std::min(per_tile, 32)};
    launch(kernel, in.tiles, threads, shared, resident, in);
  }

  void long_parts(unsigned char const* x, std::uint64_t size,
                  std::uint64_t length, std::uint64_t count) const {
    auto const kernel         = &reduce_long_segments<Segments, Input, Store>;
    constexpr int threads     = RowSegmentsTuning::threads;
    static int const resident = resident_blocks(kernel, threads, 0);
    std::uint64_t const warps =
        std::uint64_t(device(space.cuda_device()).multiprocessors) * resident *
        (threads / 32);
    // Enough parts to share them evenly, no more than one per warp for a
    // segment.
    std::uint64_t const wanted = std::min(
        (RowSegmentsTuning::rounds * warps + count - 1) / count, warps);
    std::uint64_t const most = (length + RowSegmentsTuning::min_part - 1) /
                               RowSegmentsTuning::min_part;
    std::uint64_t const parts = std::clamp<std::uint64_t>(wanted, 1, most);
    LongSegments in{x, size, length, 0, 0, 0};
    in.part         = ((length + parts - 1) / parts + 15) / 16 * 16;
    in.parts        = unsigned((length + in.part - 1) / in.part);
    in.units        = count * in.parts;
    Value* partials = nullptr;
    unsigned* done  = nullptr;
    if (in.parts > 1) {
      StreamScratch& scratch = stream_scratch(space);
      done                   = scratch.counters(count);
      partials =
          static_cast<Value*>(scratch.segments(in.units * sizeof(Value)));
    }
    launch(kernel, in.units, threads, 0, resident, in, partials, done);
  }
};

/// Combines every segment of x and calls store(segment, value) for each, by one
/// thread each, on the stream of `space`.
template <class Segments, Scalar Input, class Tuned, class Store>
void launch_segments(Kokkos::Cuda const& space, void const* x,
                     EqualSegments const& segments, Store const& store) {
  if (segments.size == 0) return;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  SegmentLaunch<Segments, Input, Tuned, Store> const launch{space, store};
  auto const* const data   = static_cast<unsigned char const*>(x);
  std::uint64_t const size = segments.size * size_of(Input);
  std::uint64_t const length =
      std::min(segments.length, segments.size) * size_of(Input);
  bool const aligned =
      reinterpret_cast<std::uintptr_t>(x) % 16 == 0 && length % 16 == 0;
  if (length > Tuned::value.tile_bytes)
    launch.long_parts(data, size, length, segments.count());
  else if (aligned && std::has_single_bit(length))
    launch.rows({data, size / length, int(length / 16), int(size % length)});
  else
    launch.staged(data, size, int(length));
}

template <Operation Op, Scalar Input, class Value, class Store>
void launch_segmented_reduce(Kokkos::Cuda const& space, void const* x,
                             EqualSegments const& segments, Store const& store,
                             bool products) {
  if constexpr (Op == Operation::sum) {
    if (products) {
      launch_segments<WarpSegmentsMma<Warp, Input, Value>, Input,
                      SegmentedTuned>(space, x, segments, store);
      return;
    }
  }
  launch_segments<WarpSegmentsStreamed<Warp, Op, Input, Value>, Input,
                  SegmentedTuned>(space, x, segments, store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
