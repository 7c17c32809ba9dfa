// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SEGMENTS_SHAPE_HPP
#define KOKKOSMMA_CUDA_EXACT_SEGMENTS_SHAPE_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactElements.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactTuning.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>
#include <core/segmented/KokkosMMA_WarpMergePath.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// Distribution of the segments of an exact segmented sum over warps and
/// blocks, and destination of the results.

namespace KokkosMMA::Impl::Cuda {

/// Destination of the results: numbers of a format, at any stride.
struct ExactSegmentStore {
  void* data;
  std::ptrdiff_t stride;
  FloatFormat format;

  __device__ void operator()(std::uint64_t segment, std::uint64_t bits) const {
    std::ptrdiff_t const at = std::ptrdiff_t(segment) * stride;
    int const width         = 1 + format.fraction_bits + format.exponent_bits;
    if (width == 16)
      static_cast<std::uint16_t*>(data)[at] = std::uint16_t(bits);
    else if (width == 32)
      static_cast<std::uint32_t*>(data)[at] = std::uint32_t(bits);
    else
      static_cast<std::uint64_t*>(data)[at] = bits;
  }
};

/// Longest segments of a warp and of a block, for host and device.
struct ExactSegmentsShape {
  std::uint64_t share;  ///< elements of the longest segment of a warp
  std::uint64_t range;  ///< work of a block at a time
  std::uint64_t whole;  ///< elements of the longest segment of a block

  /// Most segments longer than `whole`: each has its own limbs.
  static constexpr std::uint64_t most_cut = 4096;

  static ExactSegmentsShape of(ExactSegmentsTuning const& tuning, Scalar input,
                               int multiprocessors, std::uint64_t size) {
    std::uint64_t const tile =
        32u * unsigned(tuning.vectors * 16 / size_of(input));
    auto const warps = std::uint64_t(tuning.threads / 32);
    // Several ranges for each block, if there is enough work.
    std::uint64_t const ranges =
        4 * std::uint64_t(multiprocessors) * unsigned(tuning.min_blocks);
    std::uint64_t const tiles = std::clamp<std::uint64_t>(
        size / (ranges * warps * tile), 1, unsigned(tuning.tiles));
    ExactSegmentsShape shape{};
    shape.share = tiles * tile;
    shape.range = warps * shape.share;
    shape.whole = std::max(shape.range, size / most_cut + 1);
    return shape;
  }
  /// Number of slots: cut segments begin more than `whole` elements apart.
  std::uint64_t slots(std::uint64_t size) const { return size / whole + 1; }
};

/// Limbs of a segment that several blocks sum: zero outside of launches.
template <int Limbs>
struct ExactSlot {
  static constexpr int counters = 2 * Limbs + 2;  ///< words of 4 bytes
  std::int64_t limb[Limbs];
  unsigned flags;
  unsigned parts;
};

template <Scalar Input, class Segments>
struct ExactSegmentsIn {
  ElementBits<Input> const* x;
  std::uint64_t size;  ///< elements of the View
  Segments segments;
  ExactSegmentsShape shape;
  ExactSlot<exact_limbs(Input)>* slots;
};

/// Ranges of the work: the segments of each, and the position of a segment.
struct EqualRanges {
  EqualSegments segments;
  std::uint64_t weight;

  __device__ std::uint64_t total() const {
    return segments.count() * weight + segments.size;
  }
  __device__ std::uint64_t position(std::uint64_t s) const {
    return s * (segments.length + weight);
  }
  /// First segments that begin at or after `done`; by all lanes of a warp.
  __device__ void first_of(std::uint64_t const (&done)[2],
                           std::uint64_t (&first)[2]) const {
    std::uint64_t const step = segments.length + weight;
    for (int k = 0; k < 2; ++k)
      first[k] = min((done[k] + step - 1) / step, segments.count());
  }
};
template <class Offset>
struct OffsetRanges {
  MergePath<OffsetSegments<Offset>> path;

  __device__ std::uint64_t total() const { return path.total(); }
  __device__ std::uint64_t position(std::uint64_t s) const {
    return path.weight * s + (path.segments.begin(s) - path.first);
  }
  __device__ void first_of(std::uint64_t const (&done)[2],
                           std::uint64_t (&first)[2]) const {
    // Segment s begins where s - 1 ends: the position before `done` decides.
    MergeCoordinate closed[2];
    find_coordinates(Warp{}, path,
                     {done[0] - (done[0] > 0), done[1] - (done[1] > 0)},
                     closed);
    for (int k = 0; k < 2; ++k)
      first[k] =
          done[k] == 0 ? 0 : min(closed[k].segment + 1, path.segments.count());
  }
};
__device__ inline EqualRanges ranges_of(EqualSegments const& segments,
                                        std::uint64_t weight) {
  return {segments, weight};
}
template <class Offset>
__device__ OffsetRanges<Offset> ranges_of(
    OffsetSegments<Offset> const& segments, std::uint64_t weight) {
  return {MergePath<OffsetSegments<Offset>>::of(segments, weight)};
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
