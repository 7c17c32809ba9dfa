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

/// What a block sums at a time: segments one behind another, or one of them in
/// pieces. In shared memory: registers are for numbers.
struct ExactTask {
  std::uint64_t segment;  ///< the first, or the one in pieces
  std::uint64_t begin;    ///< element of the first piece
  std::uint64_t length;   ///< elements of all pieces
  unsigned count;         ///< segments or pieces
  unsigned piece;         ///< elements; 0: no pieces
  int lanes;              ///< that share a segment or piece
  unsigned last_part;     ///< of a segment that several blocks sum
  std::uint64_t slot;     ///< of such a segment
  bool is_cut;            ///< it is such a segment
};

/// A segment that is longer than a share.
struct ExactListed {
  std::uint64_t segment, begin, length;
};

template <Scalar Input, class Tuning>
struct ExactSegmentsMemory {
  static constexpr int limbs = exact_limbs(Input);
  static constexpr int warps = Tuning::value.threads / 32;
  /// Longer segments than a share that begin in a range.
  static constexpr int most_listed = 2 * warps + 1;
  ExactWarpMemory<Input, Tuning::value.columns> of_warp[warps];
  std::int64_t sum[limbs];  ///< of the segment in pieces
  unsigned flags;
  unsigned listed;
  std::uint64_t begin;       ///< of the range, in the work
  std::uint64_t first, end;  ///< segments that begin in the range
  ExactTask task;
  ExactListed list[most_listed];
};

/// The part of a warp in a task.
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
  static constexpr int values   = Tuning::value.vectors * per_unit;
  static constexpr unsigned all = 0xffffffffu;

  __device__ ExactSegmentsWarp(In const& in, ExactSegmentStore const& store,
                               Memory& memory)
      : m_in(in), m_store(store), m_memory(memory) {}

  __device__ void take() const {
    int const lanes       = m_memory.task.lanes;
    unsigned const groups = 32u / unsigned(lanes);
    unsigned first        = threadIdx.x / 32 * groups;
    Span next             = span_of(first + threadIdx.x % 32 / lanes);
    while (first < m_memory.task.count) {
      Span const span  = next;
      unsigned const s = first + threadIdx.x % 32 / lanes;
      first += Memory::warps * groups;
      next = span_of(first + threadIdx.x % 32 / lanes);
      sum_spans(s, span, lanes);
    }
  }

 private:
  /// Elements of a group of lanes; not there: none of this warp's.
  struct Span {
    std::uint64_t begin;
    unsigned length;
    bool there;
  };

  __device__ static int lane() { return int(threadIdx.x % 32); }

  /// Puts a segment that is longer than a share on the list.
  __device__ Span span_of(unsigned s) const {
    ExactTask const& task = m_memory.task;
    if (s >= task.count) return {0, 0, false};
    if (task.piece != 0) {
      std::uint64_t const at = std::uint64_t(s) * task.piece;
      return {task.begin + at,
              unsigned(min(std::uint64_t(task.piece), task.length - at)), true};
    }
    std::uint64_t const segment = task.segment + s;
    std::uint64_t const begin   = m_in.segments.begin(segment);
    std::uint64_t const length  = m_in.segments.end(segment) - begin;
    if (length <= m_in.shape.share) return {begin, unsigned(length), true};
    if (lane() % task.lanes == 0 && length <= m_in.shape.whole)
      m_memory.list[atomicAdd(&m_memory.listed, 1u)] = {segment, begin, length};
    return {0, 0, false};
  }

  /// A lane of `lanes` gets some of `left` elements.
  template <int Values>
  __device__ static void load(Real (&x)[Values], Bits const* from,
                              unsigned left, int lane, int lanes,
                              bool aligned) {
    if (aligned) {
      constexpr int units = Values / per_unit;
      typename Vectors::Unit unit[units];
#pragma unroll
      for (int u = 0; u < units; ++u) {
        unsigned const e = unsigned(lane + u * lanes) * per_unit;
        unit[u]          = Vectors().load_any(0);
        if (e < left) {
          uint4 const v = __ldg(reinterpret_cast<uint4 const*>(from + e));
          unit[u]       = {{v.x, v.y, v.z, v.w}};
        }
      }
#pragma unroll
      for (int k = 0; k < Values; ++k)
        x[k] = Vectors::value(unit[k / per_unit], k % per_unit);
    } else {
      Bits bits[Values];
#pragma unroll
      for (int k = 0; k < Values; ++k) {
        unsigned const e = unsigned(lane + k * lanes);
        bits[k]          = exact_nothing<Input>;
        if (e < left) bits[k] = __ldg(from + e);
      }
#pragma unroll
      for (int k = 0; k < Values; ++k) x[k] = exact_real<Input>(bits[k]);
    }
  }
  __device__ bool is_aligned(Span const& span) const {
    return (reinterpret_cast<std::uintptr_t>(m_in.x + span.begin) % 16 == 0) &&
           span.length % per_unit == 0;
  }

  /// A span for each group of lanes.
  __device__ void sum_spans(unsigned s, Span const& span, int lanes) const {
    int const in_group      = lane() % lanes;
    unsigned const of_group = (all >> (32 - lanes)) << (lane() - in_group);
    unsigned const tile     = unsigned(lanes) * values;
    bool const aligned      = !__any_sync(all, !is_aligned(span));
    // Of many short segments and a long one the whole warp takes that.
    bool fits = span.length <= tile * Tuning::value.tiles;
    Group group, below;
    bool has_below         = false;  // of any group
    Bits const* const from = m_in.x + span.begin;
    for (unsigned at = 0; __any_sync(all, fits && at < span.length);
         at += tile) {
      Real x[values];
      load(x, from + at, fits && at < span.length ? span.length - at : 0u,
           in_group, lanes, aligned);
      bool good = group.add(x, lanes);
      if (__any_sync(all, fits && Group::rests(x))) {
        has_below = true;
        good      = below.add(x, lanes) && good;
        good      = good && !Group::rests(x);
      }
      unsigned const bad = __ballot_sync(all, !good);
      fits               = fits && (bad & of_group) == 0;
    }
    auto const total = group.total(lanes);
    bool is_zero     = total.is_zero();
    typename Group::Integer lower;
    int distance = 0;
    if (has_below) {
      lower     = below.total(lanes);
      has_below = !lower.is_zero();
      is_zero   = is_zero && !has_below;
      distance  = group.position() - below.position();
      fits      = fits && (!has_below || distance < 64 * Group::words);
    }
    bool others = !is_zero;
    if (__any_sync(all, span.there && fits && is_zero)) {
      bool found = false;
      if (fits && is_zero)
        for (unsigned i = unsigned(in_group); i < span.length;
             i += unsigned(lanes))
          found = found || __ldg(from + i) != exact_nothing<Input>;
      others |= (__ballot_sync(all, found) & of_group) != 0;
    }
    if (span.there && fits && in_group == 0) {
      if (has_below) {
        auto sum = total.shifted(distance);
        sum.add(lower.widened());
        put(s, sum, below.position(), true, false);
      } else {
        put(s, total, group.position(), others, span.length == 0);
      }
    }
    unsigned left = __ballot_sync(all, span.there && !fits && in_group == 0);
    while (left != 0) {
      int const from_lane = __ffs(int(left)) - 1;
      left &= left - 1;
      sum_by_warp(__shfl_sync(all, s, from_lane),
                  {__shfl_sync(all, span.begin, from_lane),
                   __shfl_sync(all, span.length, from_lane), true});
    }
  }

  /// The sum of a span in units of 2^position, to where the task has it.
  template <class Integer>
  __device__ void put(unsigned s, Integer const& sum, int position, bool others,
                      bool empty) const {
    bool const is_zero = sum.is_zero();
    if (m_memory.task.piece != 0) {
      if (!is_zero) sum.split(position, AddToSum{m_memory});
      if (others) atomicOr(&m_memory.flags, unsigned(exact_has_other));
      return;
    }
    FloatFormat const& format = m_store.format;
    std::uint64_t bits        = 0;
    if (!is_zero)
      bits = sum.template rounded<Group::real>(exact_lowest(Input) + position,
                                               format);
    else if (!others && !empty)
      bits = std::uint64_t(1) << (format.fraction_bits + format.exponent_bits);
    m_store(m_memory.task.segment + s, bits);
  }

  struct AddToSum {
    Memory& memory;
    __device__ void operator()(int k, std::int64_t part) const {
      if (part != 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(memory.sum + k),
                  static_cast<unsigned long long>(part));
    }
  };

  /// Any numbers, by all lanes; half as many at a time, for the registers.
  __device__ void sum_by_warp(unsigned s, Span const& span) const {
    constexpr int few      = Tuning::value.vectors > 1 ? values / 2 : values;
    auto& of_warp          = m_memory.of_warp[threadIdx.x / 32];
    bool const aligned     = is_aligned(span);
    Bits const* const from = m_in.x + span.begin;
    ExactWarpSum<Input, Tuning::value.columns> sum(of_warp, lane());
    for (unsigned at = 0; at < span.length; at += 32 * few) {
      Real x[few];
      load(x, from + at, span.length - at, lane(), 32, aligned);
      sum.add(x);
    }
    unsigned flags = sum.finish();
    __syncwarp();
    if (m_memory.task.piece != 0) {
      for (int k = lane(); k < Memory::limbs; k += 32)
        AddToSum{m_memory}(k, of_warp.limb[k]);
      if (flags != 0) atomicOr(&m_memory.flags, flags);
    } else {
#pragma unroll
      for (int k = 16; k > 0; k /= 2) flags |= __shfl_xor_sync(all, flags, k);
      std::uint64_t const bits =
          round_by_warp<Memory::limbs>(of_warp.limb, lane(), flags, false,
                                       exact_lowest(Input), m_store.format);
      if (lane() == 0) m_store(m_memory.task.segment + s, bits);
    }
    __syncwarp();
  }

  In const& m_in;
  ExactSegmentStore const& m_store;
  Memory& m_memory;
};

/// The task of a range: the segments that begin in it. By the first warp.
template <class Warps, class Ranges>
__device__ void prepare_segments(typename Warps::Memory& memory,
                                 typename Warps::In const& in,
                                 Ranges const& work) {
  std::uint64_t first[2];
  work.first_of({memory.begin, memory.begin + in.shape.range}, first);
  if (threadIdx.x != 0) return;
  int lanes = 1;
  if (first[0] < first[1]) {
    std::uint64_t const elements =
        in.segments.end(first[1] - 1) - in.segments.begin(first[0]);
    while (lanes < 32 &&
           (first[1] - first[0]) * unsigned(lanes * Warps::values) < elements)
      lanes *= 2;
  }
  memory.listed = 0;
  memory.first  = first[0];
  memory.end    = first[1];
  memory.task   = {first[0], 0, 0,    unsigned(first[1] - first[0]), 0, lanes,
                   0,        0, false};
}

/// The task of one long segment: of the list, behind it that which began
/// before the range or the last of the range, where other blocks have a part.
/// By one thread.
template <class Warps, class Ranges>
__device__ void prepare_pieces(typename Warps::Memory& memory,
                               typename Warps::In const& in, Ranges const& work,
                               unsigned t) {
  constexpr unsigned warps     = unsigned(Warps::Memory::warps);
  constexpr std::uint64_t tile = 32 * Warps::values;
  std::uint64_t const begin    = memory.begin;
  std::uint64_t const range    = in.shape.range;
  ExactTask task{0, 0, 0, 0, 1, 32, 0, 0, false};
  if (t < memory.listed) {
    ExactListed const& listed = memory.list[t];
    task.segment              = listed.segment;
    task.begin                = listed.begin;
    task.length               = listed.length;
  } else {
    bool const before        = t == memory.listed;
    std::uint64_t const next = before ? memory.first : memory.end;
    bool const is_there      = next > (before ? 0 : memory.first);
    if (is_there) {
      task.segment                 = next - 1;
      std::uint64_t const of       = in.segments.begin(task.segment);
      std::uint64_t const elements = in.segments.end(task.segment) - of;
      std::uint64_t const at       = work.position(task.segment);
      std::uint64_t const skipped  = begin > at ? begin - at : 0;
      if (elements > in.shape.whole && elements > skipped) {
        task.is_cut    = true;
        task.slot      = (of - in.segments.begin(0)) / in.shape.whole;
        task.last_part = unsigned((at + elements - 1) / range - at / range);
        task.begin     = of + skipped;
        task.length    = min(elements, begin + range - at) - skipped;
      }
    }
  }
  std::uint64_t const of_warp = (task.length + warps - 1) / warps;
  task.piece                  = unsigned(
      max(tile, min((of_warp + tile - 1) / tile * tile, in.shape.share)));
  task.count  = unsigned((task.length + task.piece - 1) / task.piece);
  memory.task = task;
}

/// Rounds the sum of the segment in pieces, by one warp; where other blocks
/// have a part of it, when theirs are there. Leaves zeros.
template <Scalar Input, class Memory>
__device__ void finish_segment(Memory& memory, int lane,
                               ExactSlot<Memory::limbs>* slots,
                               ExactSegmentStore const& store) {
  constexpr int limbs = Memory::limbs;
  unsigned flags      = memory.flags;
  bool is_last        = true;
  if (memory.task.is_cut) {
    ExactSlot<limbs>& slot = slots[memory.task.slot];
    for (int k = lane; k < limbs; k += 32)
      if (memory.sum[k] != 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(slot.limb + k),
                  static_cast<unsigned long long>(memory.sum[k]));
    if (lane == 0 && flags != 0) atomicOr(&slot.flags, flags);
    __syncwarp();
    if (lane == 0)
      is_last =
          AtomicIncrementAcquireRelease::fetch(
              &slot.parts, memory.task.last_part) == memory.task.last_part;
    is_last = __shfl_sync(0xffffffffu, int(is_last), 0) != 0;
    if (is_last) {
      for (int k = lane; k < limbs; k += 32) {
        memory.sum[k] = __ldcg(slot.limb + k);
        slot.limb[k]  = 0;
      }
      flags = __ldcg(&slot.flags);
      __syncwarp();
      if (lane == 0) slot.flags = 0;
    }
  }
  if (is_last) {
    std::uint64_t const bits = round_by_warp<limbs>(
        memory.sum, lane, flags, false, exact_lowest(Input), store.format);
    if (lane == 0) store(memory.task.segment, bits);
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
  using Warps  = ExactSegmentsWarp<Input, Segments, Tuning>;
  using Memory = typename Warps::Memory;
  __shared__ Memory memory;
  Warps const warps(in, store, memory);
  for (int k = int(threadIdx.x); k < Memory::limbs; k += Tuning::value.threads)
    memory.sum[k] = 0;
  if (threadIdx.x == 0) memory.flags = 0;

  auto const work = ranges_of(in.segments, Tuning::value.weight);
  if (threadIdx.x == 0) memory.begin = blockIdx.x * in.shape.range;
  __syncthreads();
  while (memory.begin < work.total()) {
    if (threadIdx.x < 32) prepare_segments<Warps>(memory, in, work);
    // First the segments of the range, then one after the other those which a
    // warp does not take.
    for (unsigned t = 0;; ++t) {
      __syncthreads();
      warps.take();
      __syncthreads();
      if (t > 0 && threadIdx.x < 32 && memory.task.count != 0)
        finish_segment<Input>(memory, int(threadIdx.x), in.slots, store);
      if (t == memory.listed + (in.slots == nullptr ? 0 : 2)) break;
      __syncwarp();
      if (threadIdx.x == 0) prepare_pieces<Warps>(memory, in, work, t);
    }
    __syncthreads();  // the list is read
    if (threadIdx.x == 0) memory.begin += gridDim.x * in.shape.range;
    __syncthreads();
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
