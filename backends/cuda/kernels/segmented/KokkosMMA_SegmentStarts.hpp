// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEGMENT_STARTS_HPP
#define KOKKOSMMA_CUDA_SEGMENT_STARTS_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <cstdint>

/// \file
/// Starts of segments in the tiles of a scan.

namespace KokkosMMA::Impl::Cuda {

/// Finds the first of the offsets [begin, end) that is at least `value`, or
/// `end`. Called by a warp, which loads 32 of them at a time.
template <class Offset>
__device__ std::uint64_t first_at_least(Offset const* offsets,
                                        std::uint64_t begin, std::uint64_t end,
                                        std::int64_t value) {
  int const lane = threadIdx.x % 32;
  while (begin < end) {
    std::uint64_t const step  = (end - begin + 31) / 32;
    std::uint64_t const probe = begin + (lane + 1) * step - 1;
    bool const reached =
        probe >= end || std::int64_t(__ldg(offsets + probe)) >= value;
    unsigned const lanes = __ballot_sync(0xffffffffu, reached);
    if (lanes == 0) return end;
    int const at              = __ffs(int(lanes)) - 1;
    std::uint64_t const found = begin + (at + 1) * step - 1;
    begin += at * step;
    if (found < end) end = found;
    if (step == 1) return end;
  }
  return end;
}

/// Finds an index at most 64 before the first offset that is at least `value`,
/// and not after it, near a guess. Probes are coarser the further they are from
/// the guess; mostly one round of them suffices.
template <class Offset>
__device__ std::uint64_t shortly_before(Offset const* offsets, std::uint64_t n,
                                        std::int64_t value,
                                        std::int64_t guess) {
  int const lane = threadIdx.x % 32;
  auto const end = std::int64_t(n);
  std::int64_t const probe =
      lane < 16 ? guess - (16 << (15 - lane)) : guess + (16 << (lane - 16));
  bool const reached =
      probe >= end ||
      (probe >= 0 && std::int64_t(__ldg(offsets + probe)) >= value);
  unsigned const lanes = __ballot_sync(0xffffffffu, reached);
  int const at         = lanes ? __ffs(int(lanes)) - 1 : 32;
  std::int64_t low  = __shfl_sync(0xffffffffu, probe, at > 0 ? at - 1 : 0) + 1;
  std::int64_t high = __shfl_sync(0xffffffffu, probe, at < 32 ? at : 31);
  if (at == 0 || low < 0) low = 0;
  if (at == 32 || high > end) high = end;
  if (high - low <= 64) return std::uint64_t(low);
  return first_at_least(offsets, std::uint64_t(low), std::uint64_t(high),
                        value);
}

/// Starts of segments in the tiles of a pipeline. mark() sets a bit for each
/// segment that begins in a warp's part of a tile, in memory that is zero. The
/// part begins with element `part`, which may be negative. `hint` is the state
/// of a warp. With `sums` the last prefix of each segment is stored, not all.
/// Segments here are no shorter than a part.
template <std::uint32_t Elements>
class EqualTileStarts {
 public:
  explicit EqualTileStarts(EqualSegments segments)
      : m_length(segments.length),
        m_reciprocal(~std::uint64_t(0) / segments.length),
        m_size(segments.size) {}

  using Number               = std::uint32_t;
  static constexpr bool sums = false;
  struct Hint {};
  __device__ Hint hint() const { return {}; }

  __device__ std::uint64_t begin() const { return 0; }
  __device__ std::uint64_t end() const { return m_size; }

  __device__ void mark(std::int64_t part, std::uint32_t* bits, Hint&) const {
    std::uint64_t ahead = 0;
    if (part < 0) {
      ahead = std::uint64_t(-part);
    } else {
      std::uint64_t const quotient =
          __umul64hi(std::uint64_t(part), m_reciprocal);
      std::uint64_t behind = std::uint64_t(part) - quotient * m_length;
      if (behind >= m_length) behind -= m_length;
      if (behind) ahead = m_length - behind;
    }
    if (ahead >= Elements || threadIdx.x % 32 != 0) return;
    bits[ahead / 32] = 1u << ahead % 32;
  }

 private:
  std::uint64_t m_length;
  // Less than 1 below 2^64 / length: a quotient by it is exact or one too
  // small.
  std::uint64_t m_reciprocal;
  std::uint64_t m_size;
};

template <std::uint32_t Elements, class Offset>
class OffsetTileStarts {
 public:
  OffsetTileStarts(OffsetSegments<Offset> segments, std::uint64_t size)
      : m_segments(segments),
        m_density(double(segments.segments) / double(size)) {}

  using Number               = std::uint32_t;
  static constexpr bool sums = false;
  /// Result for a part, and segments per element since the part before it: they
  /// give a guess for the next part.
  struct Hint {
    double density;
    std::int64_t part;
    std::int64_t segment;
  };
  __device__ Hint hint() const { return {m_density, 0, 0}; }

  __device__ std::uint64_t begin() const { return m_segments.begin(0); }
  __device__ std::uint64_t end() const {
    return m_segments.end(m_segments.count() - 1);
  }

  __device__ void mark(std::int64_t part, std::uint32_t* bits,
                       Hint& hint) const {
    constexpr int groups           = 3;
    constexpr std::uint32_t before = 0xffffffff;
    int const lane                 = threadIdx.x % 32;
    Offset const* const offsets    = m_segments.offsets;
    std::uint64_t const n          = m_segments.count() + 1;
    std::uint64_t s                = shortly_before(
                       offsets, n, part,
                       hint.segment + std::int64_t(hint.density * double(part - hint.part)));
    __syncwarp();
    if (lane == 0) {
      if (part != hint.part)
        hint.density =
            double(std::int64_t(s) - hint.segment) / double(part - hint.part);
      hint.part    = part;
      hint.segment = std::int64_t(s);
    }
    for (;;) {
      std::uint32_t position[groups];
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        std::uint64_t const i = s + g * 32 + lane;
        position[g]           = Elements;
        if (i >= n) continue;
        std::int64_t const from_part = std::int64_t(__ldg(offsets + i)) - part;
        if (from_part < std::int64_t(Elements))
          position[g] = from_part < 0 ? before : std::uint32_t(from_part);
      }
#pragma unroll
      for (int g = 0; g < groups; ++g)
        if (position[g] < Elements)
          atomicOr(bits + position[g] / 32, 1u << position[g] % 32);
      std::uint32_t const last =
          __shfl_sync(0xffffffffu, position[groups - 1], 31);
      if (last == Elements) return;
      s += groups * 32;
      // So many empty segments that a search for their end pays.
      if (last == __shfl_sync(0xffffffffu, position[0], 0) && last != before)
        s = first_at_least(offsets, s, n, part + last + 1);
    }
  }

 private:
  OffsetSegments<Offset> m_segments;
  double m_density;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
