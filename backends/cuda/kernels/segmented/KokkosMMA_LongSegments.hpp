// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LONG_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_LONG_SEGMENTS_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_RowSegments.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>

#include <cstdint>

/// \file
/// Segments that are longer than a tile, in parts. A part has every `parts`-th
/// tile of its segment, so that the warps of neighbouring parts read side by
/// side (one segment of 2^28 half values: 4066 GB/s, 3418 with contiguous
/// parts; H200, CUDA 13.0, 2026-11-21). The warp that finishes the last part of
/// a segment joins the parts in a fixed order.

namespace KokkosMMA::Impl::Cuda {

struct LongSegments {
  unsigned char const* x;
  std::uint64_t size;    ///< bytes
  std::uint64_t length;  ///< bytes per segment
  std::uint64_t units;   ///< parts of all segments
  unsigned parts;        ///< parts per segment
};

/// \param partials one value per part
/// \param done     one counter per segment, zero before and after the launch;
///                 both are unused if segments have one part
template <class Segments, Scalar Input, class Store>
__global__ void __launch_bounds__(row_segments_tuning.threads,
                                  segment_min_blocks<Segments>)
    reduce_long_segments(LongSegments const in,
                         typename Segments::Value* const partials,
                         unsigned* const done, Store const store) {
  using Value                = typename Segments::Value;
  using Join                 = typename Segments::Join;
  using Bits                 = ElementBits<Input>;
  constexpr int tile_vectors = 32 * segment_rows;
  unsigned const lane        = threadIdx.x % 32;
  std::uint64_t const warps  = std::uint64_t(gridDim.x) * blockDim.x / 32;
  Segments segments{Warp{}};

  std::uint64_t const this_warp =
      (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  for (std::uint64_t unit = this_warp; unit < in.units; unit += warps) {
    std::uint64_t const segment      = unit / in.parts;
    unsigned const part              = unsigned(unit - segment * in.parts);
    std::uint64_t const from         = segment * in.length;
    std::uint64_t const left         = in.size - from;
    std::uint64_t const bytes        = left < in.length ? left : in.length;
    unsigned char const* const begin = in.x + from;
    unsigned char const* const end   = begin + bytes;

    // Whole vectors start at `first`; a head is before and a tail after them.
    unsigned const head =
        unsigned(-reinterpret_cast<std::uintptr_t>(begin)) % 16;
    unsigned char const* const first = head < bytes ? begin + head : end;
    std::uint64_t const vectors      = std::uint64_t(end - first) / 16;
    std::uint64_t const stride       = std::uint64_t(in.parts) * tile_vectors;
    std::uint64_t vector             = std::uint64_t(part) * tile_vectors;
    unsigned char const* at          = first + 16 * (vector + lane);
    for (; vector + tile_vectors <= vectors;
         vector += stride, at += 16 * stride) {
      Vector16 row[segment_rows];  // (8,32) per warp
#pragma unroll
      for (int r = 0; r < segment_rows; ++r)
        row[r] = load_streamed<16>(at + 512 * r);
#pragma unroll
      for (int r = 0; r < segment_rows; r += 2)
        segments.add(row[r], row[r + 1]);
    }
    if (vector < vectors) {
      Vector16 row[segment_rows];
#pragma unroll
      for (int r = 0; r < segment_rows; ++r)
        if (vector + 32 * r + lane < vectors)
          row[r] = load_streamed<16>(at + 512 * r);
#pragma unroll
      for (int r = 0; r < segment_rows; ++r)
        if (vector + 32 * r < vectors)
          segments.add_where(row[r], vector + 32 * r + lane < vectors);
    }
    auto const edge = [&](unsigned char const* here,
                          unsigned char const* stop) {
      here += lane % 16 * sizeof(Bits);
      if (here < stop)
        segments.add_element(lane, element_value<Warp, Input, Value>(
                                       *reinterpret_cast<Bits const*>(here)));
    };
    if (part == 0)
      edge(lane < 16 ? begin : first + 16 * vectors, lane < 16 ? first : end);

    Value value = segments.finish();
    if (in.parts > 1) {
      bool last = false;
      if (lane == 0) {
        partials[unit] = value;
        last           = AtomicIncrementAcquireRelease::fetch(
                             done + segment, in.parts - 1) == in.parts - 1;
      }
      if (!__shfl_sync(0xffffffffu, last, 0)) continue;
      value                     = Join::identity();
      Value const* const of_all = partials + segment * in.parts;
      for (unsigned p = lane; p < in.parts; p += 32)
        value = Join::apply(value, __ldcg(of_all + p));
      join_lanes<Join>(Warp{}, value, 32);
    }
    if (lane == 0) store(segment, value);
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
