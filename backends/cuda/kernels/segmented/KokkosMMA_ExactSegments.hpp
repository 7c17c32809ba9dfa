// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_EXACT_SEGMENTS_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactElements.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactGroup.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactRounding.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ExactSegmentsTuning.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>
#include <core/segmented/KokkosMMA_WarpMergePath.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// Exact sums of segments, each rounded once. Work is counted in elements, with
/// some more for each segment, and cut into equal ranges, which blocks take in
/// turn. A range has the segments that begin in it. Lanes of a warp share a
/// segment up to some tiles, all warps of a block share a longer one, and one
/// that is longer than a range is summed by the blocks of all ranges that it
/// reaches, in limbs of its own in global memory. Integers are added
/// everywhere: who adds what changes no bit.

namespace KokkosMMA::Impl::Cuda {

/// Where results go: numbers of a format, at any stride.
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

/// Which segments are summed by whom, for both sides of a launch.
struct ExactSegmentsShape {
  std::uint64_t share;  ///< elements of the longest segment of a warp
  std::uint64_t range;  ///< work of a block at a time
  std::uint64_t whole;  ///< elements of the longest segment of a block

  /// Segments longer than `whole` are so few: each has limbs of its own.
  static constexpr std::uint64_t most_cut = 4096;

  static ExactSegmentsShape of(ExactSegmentsTuning const& tuning, Scalar input,
                               int multiprocessors, std::uint64_t size) {
    std::uint64_t const tile =
        32u * unsigned(tuning.vectors * 16 / size_of(input));
    auto const warps = std::uint64_t(tuning.threads / 32);
    // Several ranges for each block, where there is so much.
    std::uint64_t const ranges =
        4 * std::uint64_t(multiprocessors) * unsigned(tuning.min_blocks);
    std::uint64_t const tiles = std::clamp<std::uint64_t>(
        size / (ranges * 2 * warps * tile), 1, unsigned(tuning.tiles));
    ExactSegmentsShape shape{};
    shape.share = tiles * tile;
    shape.range = 2 * warps * shape.share;
    shape.whole = std::max(shape.range, size / most_cut + 1);
    return shape;
  }
  /// Two cut segments begin more than `whole` elements apart.
  std::uint64_t slots(std::uint64_t size) const { return size / whole + 1; }
};

/// Of a segment that several blocks sum: zero before and after the launch.
template <int Limbs>
struct ExactSlot {
  static constexpr int counters = 2 * Limbs + 2;  ///< words of 4 bytes
  std::int64_t limb[Limbs];
  unsigned flags;
  unsigned parts;
};

template <Scalar Input, class Segments>
struct ExactSegmentsIn {
  element_bits_t<Input> const* x;
  Segments segments;
  ExactSegmentsShape shape;
  ExactSlot<exact_limbs(Input)>* slots;
};

/// Ranges of segments: those of a range, and where each begins in the work.
struct EqualRanges {
  EqualSegments segments;
  std::uint64_t weight;

  __device__ std::uint64_t total() const {
    return segments.count() * weight + segments.size;
  }
  __device__ std::uint64_t position(std::uint64_t s) const {
    return s * (segments.length + weight);
  }
  /// First segments that begin behind so much work; by all lanes of a warp.
  __device__ void first_of(std::uint64_t const (&done)[2],
                           std::uint64_t (&first)[2]) const {
    std::uint64_t const step = segments.length + weight;
    for (int k = 0; k < 2; ++k)
      first[k] = min((done[k] + step - 1) / step, segments.count());
  }
};
template <class Offset>
struct OffsetRanges {
  MergePath<Offset> path;

  __device__ std::uint64_t total() const { return path.total(); }
  __device__ std::uint64_t position(std::uint64_t s) const {
    return path.weight * s + (path.segments.begin(s) - path.first);
  }
  __device__ void first_of(std::uint64_t const (&done)[2],
                           std::uint64_t (&first)[2]) const {
    // Segment s begins where s - 1 is closed; that before `done` counts.
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
  return {MergePath<Offset>::of(segments, weight)};
}

template <Scalar Input, class Tuning>
struct ExactSegmentsMemory {
  static constexpr int limbs = exact_limbs(Input);
  static constexpr int warps = Tuning::value.threads / 32;
  /// Segments longer than a share that begin in a range.
  static constexpr int most_listed = 2 * warps + 1;
  ExactWarpMemory<Input, Tuning::value.columns> of_warp[warps];
  std::int64_t sum[limbs];  ///< of the segment that the block shares
  unsigned flags;
  std::uint64_t first[2];  ///< segments of the range
  unsigned listed;
  std::uint64_t list[most_listed];
};

/// What a block sums at a time: segments, or pieces of one of them.
struct ExactTask {
  bool pieces;
  std::uint64_t first, last;  ///< segments, or pieces
  std::uint64_t begin, end;   ///< elements of the segment in pieces
  std::uint64_t piece;        ///< elements
  int lanes;                  ///< that share a segment
};

/// The work of one warp.
template <Scalar Input, class Segments, class Tuning>
class ExactSegmentsWarp {
 public:
  using Memory                  = ExactSegmentsMemory<Input, Tuning>;
  using In                      = ExactSegmentsIn<Input, Segments>;
  using Group                   = ExactGroupSum<Input>;
  using Real                    = typename Group::Real;
  using Bits                    = element_bits_t<Input>;
  using Vectors                 = ExactVectors<Input>;
  static constexpr int per_unit = Vectors::per_unit;
  static constexpr int vectors  = Tuning::value.vectors;
  static constexpr int values   = vectors * per_unit;
  static constexpr int warps    = Memory::warps;
  static constexpr unsigned all = 0xffffffffu;

  __device__ ExactSegmentsWarp(In const& in, ExactSegmentStore const& store,
                               Memory& memory)
      : m_in(in),
        m_store(store),
        m_memory(memory),
        m_warp(int(threadIdx.x) / 32),
        m_lane(int(threadIdx.x) % 32) {}

  /// The warp's part of a task.
  __device__ void take(ExactTask const& task) {
    int const groups           = 32 / task.lanes;
    std::uint64_t const stride = std::uint64_t(warps) * groups;
    std::uint64_t s =
        task.first + std::uint64_t(m_warp) * groups + m_lane / task.lanes;
    Span next = span_of(task, s);
    for (std::uint64_t first = task.first + std::uint64_t(m_warp) * groups;
         first < task.last; first += stride, s += stride) {
      Span span = next;
      next      = span_of(task, s + stride);
      if (!task.pieces && span.end - span.begin > m_in.shape.share) {
        if (m_lane % task.lanes == 0 &&
            span.end - span.begin <= m_in.shape.whole)
          m_memory.list[atomicAdd(&m_memory.listed, 1u)] = s;
        span = {};
      }
      sum_spans(task, s, span);
    }
  }

 private:
  /// Elements of a group; not there: no segment of this warp's.
  struct Span {
    std::uint64_t begin = 0, end = 0;
    bool there = false;
  };
  __device__ Span span_of(ExactTask const& task, std::uint64_t s) const {
    if (s >= task.last) return {};
    if (!task.pieces)
      return {m_in.segments.begin(s), m_in.segments.end(s), true};
    std::uint64_t const begin = task.begin + s * task.piece;
    return {begin, min(begin + task.piece, task.end), true};
  }

  /// Lane `lane` of `lanes` gets elements from `at` on, of which there are
  /// `left` ones.
  __device__ void load(Real (&x)[values], std::uint64_t at, unsigned left,
                       int lane, int lanes, bool aligned) const {
    Bits const* const from = m_in.x + at;
    if (aligned) {
      typename Vectors::Unit unit[vectors];
#pragma unroll
      for (int u = 0; u < vectors; ++u) {
        unsigned const e = unsigned(lane + u * lanes) * per_unit;
        Vectors const vector;
        unit[u] = vector.load_any(0);
        if (e < left) {
          uint4 const v = __ldg(reinterpret_cast<uint4 const*>(from + e));
          unit[u]       = {{v.x, v.y, v.z, v.w}};
        }
      }
#pragma unroll
      for (int k = 0; k < values; ++k)
        x[k] = Vectors::value(unit[k / per_unit], k % per_unit);
    } else {
      Bits bits[values];
#pragma unroll
      for (int k = 0; k < values; ++k) {
        unsigned const e = unsigned(lane + k * lanes);
        bits[k]          = exact_nothing<Input>;
        if (e < left) bits[k] = __ldg(from + e);
      }
#pragma unroll
      for (int k = 0; k < values; ++k) x[k] = exact_real<Input>(bits[k]);
    }
  }
  __device__ bool is_aligned(Span const& span) const {
    return (reinterpret_cast<std::uintptr_t>(m_in.x + span.begin) % 16 == 0) &&
           (span.end - span.begin) % per_unit == 0;
  }

  /// A span for each group of lanes.
  __device__ void sum_spans(ExactTask const& task, std::uint64_t s,
                            Span const& span) {
    int const lanes         = task.lanes;
    int const lane          = m_lane % lanes;
    unsigned const of_group = (lanes == 32 ? all : (1u << lanes) - 1)
                              << (m_lane - lane);
    std::uint64_t const length = span.end - span.begin;
    unsigned const tile        = unsigned(lanes) * values;
    bool const aligned         = !__any_sync(all, !is_aligned(span));
    // Of many short segments and a long one the whole warp takes that.
    bool fits = length <= std::uint64_t(tile) * Tuning::value.tiles;
    Group group;
    for (std::uint64_t at = span.begin; __any_sync(all, fits && at < span.end);
         at += tile) {
      Real x[values];
      load(x, at,
           fits && at < span.end
               ? unsigned(min(span.end - at, std::uint64_t(tile)))
               : 0u,
           lane, lanes, aligned);
      unsigned const bad = __ballot_sync(all, !group.add(x, lanes));
      fits               = fits && (bad & of_group) == 0;
    }
    auto const total = group.total(lanes);
    bool others      = !total.is_zero();
    if (__any_sync(all, span.there && fits && !others)) {
      bool found = false;
      if (fits && !others)
        for (std::uint64_t i = span.begin + lane; i < span.end; i += lanes)
          found = found || __ldg(m_in.x + i) != exact_nothing<Input>;
      others |= (__ballot_sync(all, found) & of_group) != 0;
    }
    if (span.there && fits && lane == 0) {
      if (task.pieces) {
        if (!total.is_zero()) total.split(group.position(), AddToSum{m_memory});
        if (others) atomicOr(&m_memory.flags, unsigned(exact_has_other));
      } else {
        m_store(s, !total.is_zero()
                       ? total.rounded(group.exponent(), m_store.format)
                   : others || length == 0
                       ? 0
                       : std::uint64_t(1) << (m_store.format.fraction_bits +
                                              m_store.format.exponent_bits));
      }
    }
    unsigned left = __ballot_sync(all, span.there && !fits && lane == 0);
    while (left != 0) {
      int const from = __ffs(int(left)) - 1;
      left &= left - 1;
      sum_by_warp(task, __shfl_sync(all, s, from),
                  {__shfl_sync(all, span.begin, from),
                   __shfl_sync(all, span.end, from), true});
    }
  }

  struct AddToSum {
    Memory& memory;
    __device__ void operator()(int k, std::int64_t part) const {
      if (part != 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(memory.sum + k),
                  static_cast<unsigned long long>(part));
    }
  };

  /// Any numbers, by all lanes.
  __device__ void sum_by_warp(ExactTask const& task, std::uint64_t s,
                              Span const& span) {
    auto& of_warp      = m_memory.of_warp[m_warp];
    bool const aligned = is_aligned(span);
    ExactWarpSum<Input, Tuning::value.columns> sum(of_warp, m_lane);
    for (std::uint64_t at = span.begin; at < span.end; at += 32 * values) {
      Real x[values];
      load(x, at, unsigned(min(span.end - at, std::uint64_t(32 * values))),
           m_lane, 32, aligned);
      sum.add(x);
    }
    unsigned flags = sum.finish();
    __syncwarp();
    if (task.pieces) {
      for (int k = m_lane; k < Memory::limbs; k += 32)
        AddToSum{m_memory}(k, of_warp.limb[k]);
      if (flags != 0) atomicOr(&m_memory.flags, flags);
    } else {
#pragma unroll
      for (int k = 16; k > 0; k /= 2) flags |= __shfl_xor_sync(all, flags, k);
      std::uint64_t const bits =
          round_by_warp<Memory::limbs>(of_warp.limb, m_lane, flags, false,
                                       exact_lowest(Input), m_store.format);
      if (m_lane == 0) m_store(s, bits);
    }
    __syncwarp();
  }

  In const& m_in;
  ExactSegmentStore const& m_store;
  Memory& m_memory;
  int m_warp, m_lane;
};

/// Rounds the sum of a segment of which the block has `memory.sum`, by one
/// warp; all of it, or with those of other ranges in a slot: then the last of
/// them rounds. Leaves zeros.
template <Scalar Input, class Memory>
__device__ void finish_segment(Memory& memory, int lane, std::uint64_t segment,
                               ExactSlot<Memory::limbs>* slot,
                               unsigned last_part,
                               ExactSegmentStore const& store) {
  constexpr int limbs = Memory::limbs;
  unsigned flags      = memory.flags;
  bool is_last        = true;
  if (slot != nullptr) {
    for (int k = lane; k < limbs; k += 32)
      if (memory.sum[k] != 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(slot->limb + k),
                  static_cast<unsigned long long>(memory.sum[k]));
    if (lane == 0 && flags != 0) atomicOr(&slot->flags, flags);
    __syncwarp();
    if (lane == 0)
      is_last = AtomicIncrementAcquireRelease::fetch(&slot->parts, last_part) ==
                last_part;
    is_last = __shfl_sync(0xffffffffu, int(is_last), 0) != 0;
    if (is_last) {
      for (int k = lane; k < limbs; k += 32) {
        memory.sum[k] = __ldcg(slot->limb + k);
        slot->limb[k] = 0;
      }
      flags = __ldcg(&slot->flags);
      __syncwarp();
      if (lane == 0) slot->flags = 0;
    }
  }
  if (is_last) {
    std::uint64_t const bits = round_by_warp<limbs>(
        memory.sum, lane, flags, false, exact_lowest(Input), store.format);
    if (lane == 0) store(segment, bits);
    __syncwarp();
  }
  for (int k = lane; k < limbs; k += 32) memory.sum[k] = 0;
  if (lane == 0) memory.flags = 0;
}

template <Scalar Input, class Segments, class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  min_blocks_of<Tuning::value.min_blocks, 1>)
    exact_segments(
        KOKKOSMMA_GRID_CONSTANT ExactSegmentsIn<Input, Segments> const in,
        KOKKOSMMA_GRID_CONSTANT ExactSegmentStore const store) {
  using Memory                 = ExactSegmentsMemory<Input, Tuning>;
  using Warps                  = ExactSegmentsWarp<Input, Segments, Tuning>;
  constexpr std::uint64_t tile = 32 * Warps::values;
  __shared__ Memory memory;
  int const lane = int(threadIdx.x) % 32;
  int const warp = int(threadIdx.x) / 32;
  Warps warps(in, store, memory);
  for (int k = int(threadIdx.x); k < Memory::limbs; k += Tuning::value.threads)
    memory.sum[k] = 0;
  if (threadIdx.x == 0) memory.flags = 0;

  auto const work           = ranges_of(in.segments, Tuning::value.weight);
  std::uint64_t const range = in.shape.range;
  std::uint64_t const total = work.total();
  for (std::uint64_t begin = blockIdx.x * range; begin < total;
       begin += gridDim.x * range) {
    std::uint64_t const end = begin + range;
    if (warp == 0) {
      std::uint64_t first[2];
      work.first_of({begin, end}, first);
      if (lane < 2) memory.first[lane] = first[lane];
      if (lane == 0) memory.listed = 0;
    }
    __syncthreads();
    std::uint64_t const first = memory.first[0];
    std::uint64_t const last  = memory.first[1];

    ExactTask task{false, first, last, 0, 0, 0, 1};
    if (first < last) {
      std::uint64_t const elements =
          in.segments.end(last - 1) - in.segments.begin(first);
      while (task.lanes < 32 &&
             std::uint64_t(task.lanes * Warps::values) * (last - first) <
                 elements)
        task.lanes *= 2;
    }
    warps.take(task);
    __syncthreads();

    // Then segments of the whole block, and those which other blocks share:
    // what began before the range, and the last of it.
    int const listed = int(memory.listed);
    task             = {true, 0, 0, 0, 0, 0, 32};
    for (int t = 0; t < listed + 2; ++t) {
      bool const is_cut = t >= listed;
      std::uint64_t s   = 0;
      if (!is_cut) {
        s = memory.list[t];
      } else if (t == listed) {
        if (first == 0) continue;
        s = first - 1;
      } else {
        if (first == last) continue;
        s = last - 1;
      }
      task.begin                     = in.segments.begin(s);
      task.end                       = in.segments.end(s);
      std::uint64_t const of         = work.position(s);
      std::uint64_t length           = task.end - task.begin;
      ExactSlot<Memory::limbs>* slot = nullptr;
      unsigned last_part             = 0;
      if (is_cut) {
        if (length <= in.shape.whole || of + length <= begin) continue;
        slot = in.slots + (task.begin - in.segments.begin(0)) / in.shape.whole;
        last_part = unsigned((of + length - 1) / range - of / range);
        task.end  = task.begin + min(length, end - of);
        task.begin += begin > of ? begin - of : 0;
        length = task.end - task.begin;
      }
      std::uint64_t const of_warp =
          (length + Memory::warps - 1) / Memory::warps;
      task.piece = min((of_warp + tile - 1) / tile * tile, in.shape.share);
      task.last  = (length + task.piece - 1) / task.piece;
      warps.take(task);
      __syncthreads();
      if (warp == 0)
        finish_segment<Input>(memory, lane, s, slot, last_part, store);
      __syncthreads();
    }
    __syncthreads();  // the list is read
  }
}

/// \param size elements of all segments, or more
/// \param slots zeros, where a segment may be longer than shape.whole
template <Scalar Input, class Tuning, class Segments>
void launch_exact_segments(Kokkos::Cuda const& space, void const* x,
                           Segments const& segments, std::uint64_t size,
                           ExactSegmentsShape const& shape, unsigned* slots,
                           ExactSegmentStore const& store) {
  if (segments.count() == 0) return;
  constexpr ExactSegmentsTuning tuning = Tuning::value;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  static_assert(sizeof(ExactSlot<exact_limbs(Input)>) ==
                sizeof(unsigned) * ExactSlot<exact_limbs(Input)>::counters);
  auto const resident =
      std::uint64_t(device(space.cuda_device()).multiprocessors) *
      unsigned(tuning.min_blocks);
  std::uint64_t const work = size + unsigned(tuning.weight) * segments.count();
  std::uint64_t const blocks = std::clamp<std::uint64_t>(
      (work + shape.range - 1) / shape.range, 1, resident);
  launch_kernel(
      space, "exact_segments", exact_segments<Input, Segments, Tuning>,
      {unsigned(blocks), unsigned(tuning.threads)},
      ExactSegmentsIn<Input, Segments>{
          static_cast<element_bits_t<Input> const*>(x), segments, shape,
          reinterpret_cast<ExactSlot<exact_limbs(Input)>*>(slots)},
      store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
