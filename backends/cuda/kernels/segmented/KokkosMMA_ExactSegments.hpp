// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_EXACT_SEGMENTS_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactElements.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactGroup.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactWindow.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ExactSegmentsShape.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Exact sums of segments, each rounded once. Work is counted in elements plus
/// a weight per segment, and cut into equal ranges, which blocks process at the
/// stride of the grid. A range owns the segments that begin in it. Lanes of a
/// warp share a short segment, all warps of a block a longer one. The blocks of
/// all ranges that a segment longer than `whole` overlaps sum it in its own
/// limbs in global memory. All additions are integer: the distribution changes
/// no bit.

namespace KokkosMMA::Impl::Cuda {

/// Unit of work of a block: consecutive segments, or one segment cut into
/// pieces. In shared memory, to leave the registers to the numbers.
struct ExactTask {
  std::uint64_t segment;  ///< the first one, or the one in pieces
  std::uint64_t begin;    ///< element of the first piece
  std::uint64_t length;   ///< elements of all pieces
  unsigned count;         ///< segments or pieces
  unsigned piece;         ///< elements of a piece; 0: whole segments
  int log_lanes;          ///< log2 of the lanes per segment or piece
  unsigned last_part;     ///< number of blocks of a cut segment, less one
  std::uint64_t slot;     ///< index of the limbs of a cut segment
  bool is_cut;            ///< whether several blocks sum the segment
};

/// Segment that is too long for a warp.
struct ExactListed {
  std::uint64_t segment, begin, length;
};

/// Sums of a warp that wait until all lanes have one to round.
template <int Words>
struct ExactQueue {
  static constexpr int none = -1;  ///< no sum, or already stored
  static constexpr int left = -2;  ///< to be summed by the whole warp
  std::uint64_t word[Words][32];
  int position[32];  ///< of the sum's last bit, or `none`, `left`
  unsigned s[32];    ///< index in the task
};

template <Scalar Input, class Tuning>
struct ExactSegmentsMemory {
  static constexpr int limbs = exact_limbs(Input);
  static constexpr int warps = Tuning::value.threads / 32;
  /// Most segments longer than a share that begin in a range.
  static constexpr int most_listed = warps + 1;
  ExactWarpMemory<Input, Tuning::value.columns> of_warp[warps];
  ExactQueue<ExactGroupSum<Input>::words> queue[warps];
  std::int64_t sum[limbs];  ///< of the segment in pieces
  unsigned flags;
  unsigned listed;
  unsigned taken;            ///< tasks begun, of the list and after it
  std::uint64_t begin;       ///< of the range, as a position in the work
  std::uint64_t total;       ///< work of all segments
  std::uint64_t first, end;  ///< segments that begin in the range
  ExactTask task;
  ExactListed list[most_listed];
};

template <Scalar Input, class Segments, class Tuning>
class ExactSegmentsWarp {
 public:
  using Memory                  = ExactSegmentsMemory<Input, Tuning>;
  using In                      = ExactSegmentsIn<Input, Segments>;
  using Group                   = ExactGroupSum<Input>;
  using Real                    = typename Group::Real;
  using Bits                    = ElementBits<Input>;
  using Vectors                 = ExactVectors<Input>;
  static constexpr int per_unit = Vectors::per_unit;
  static constexpr int values   = Tuning::value.vectors * per_unit;
  static constexpr int weight   = Tuning::value.weight;
  static constexpr unsigned all = 0xffffffffu;

  __device__ ExactSegmentsWarp(In const& in, ExactSegmentStore const& store,
                               Memory& memory)
      : m_in(in), m_store(store), m_memory(memory) {}

  __device__ void take() const {
    int const log_lanes = m_memory.task.log_lanes;
    // Offsets are loaded ahead. Computed spans would spill (doubles, CUDA 13.0,
    // sm_90), and so would indices that are kept besides `round`.
    constexpr bool ahead = !std::is_same_v<Segments, EqualSegments>;
    Span next{0, 0, false};
    if constexpr (ahead) {
      next = span_of(index(0, log_lanes));
    }
    int window = 0;
    for (unsigned round = 0; first_of(round, log_lanes) < m_memory.task.count;
         ++round) {
      if constexpr (!ahead) {
        next = span_of(index(round, log_lanes));
      }
      Span const span = next;
      if constexpr (ahead) {
        next = span_of(index(round + 1, log_lanes));
      }
      unsigned const groups = 32u >> log_lanes;
      sum_spans(index(round, log_lanes), span, log_lanes, window,
                round * groups % 32);
      if ((round + 1) * groups % 32 == 0 ||
          first_of(round + 1, log_lanes) >= m_memory.task.count)
        put_queued(round * groups % 32 + groups);
    }
  }

 private:
  /// Elements that a group of lanes sums; not `there`: it has none.
  struct Span {
    std::uint64_t begin;
    unsigned length;
    bool there;
  };
  using Integer = typename Group::Integer;
  using Queue   = ExactQueue<Group::words>;

  __device__ static int lane() { return int(threadIdx.x % 32); }
  /// Index in the task of the first segment or piece of this warp; index()
  /// returns that of the lane.
  __device__ static unsigned first_of(unsigned round, int log_lanes) {
    return (round * Memory::warps + threadIdx.x / 32) * (32u >> log_lanes);
  }
  __device__ static unsigned index(unsigned round, int log_lanes) {
    return first_of(round, log_lanes) + unsigned(lane() >> log_lanes);
  }
  __device__ Queue& queue() const { return m_memory.queue[threadIdx.x / 32]; }

  /// Elements of segment or piece s. Lists a segment longer than a share.
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
    if ((lane() & ((1 << task.log_lanes) - 1)) == 0 &&
        length <= m_in.shape.whole)
      m_memory.list[atomicAdd(&m_memory.listed, 1u)] = {segment, begin, length};
    return {0, 0, false};
  }

  /// A span as vectors of 16 bytes. The first may hold elements before the
  /// span, the last one elements after it.
  struct Vectored {
    Bits const* from;  ///< of the first vector
    unsigned skip;     ///< elements before the span
    unsigned end;      ///< of the span, counted from there
    bool ragged;       ///< the last vector passes the end of the View

    __device__ bool is_whole() const {
      return skip == 0 && end % per_unit == 0;
    }
  };
  __device__ Vectored vectored(Span const& span) const {
    Vectored v;
    Bits const* const begin = m_in.x + span.begin;
    v.skip =
        unsigned(reinterpret_cast<std::uintptr_t>(begin) % 16 / sizeof(Bits));
    v.from   = begin - v.skip;
    v.end    = v.skip + span.length;
    v.ragged = (v.end + per_unit - 1) / per_unit * per_unit >
               m_in.size - span.begin + v.skip;
    return v;
  }

  /// Loads elements from number `at` of the vectors on, some in each of `lanes`
  /// lanes; missing ones are -0.
  /// \param whole of all lanes: the vectors hold no elements beside the span
  template <int Units>
  __device__ static void load(Real (&x)[Units * per_unit], Vectored const& v,
                              unsigned at, int lane, int lanes, bool whole) {
    typename Vectors::Unit unit[Units];
    bool ends = false;
#pragma unroll
    for (int u = 0; u < Units; ++u) {
      unsigned const e = at + unsigned(lane + u * lanes) * per_unit;
      unit[u]          = Vectors().load_any(0);
      if (e < v.end) {
        if (!v.ragged || e + per_unit <= v.end) {
          unit[u] = load_constant(v.from + e);
        } else {
          ends = true;
        }
      }
    }
#pragma unroll
    for (int k = 0; k < Units * per_unit; ++k)
      x[k] = Vectors::value(unit[k / per_unit], k % per_unit);
    if (whole) return;
#pragma unroll
    for (int k = 0; k < Units * per_unit; ++k) {
      unsigned const e =
          at + unsigned(lane + k / per_unit * lanes) * per_unit + k % per_unit;
      if (e - v.skip >= v.end - v.skip)
        x[k] = exact_real<Input>(exact_nothing<Input>);
    }
    // The last vector of the View, if it is not whole.
    if (!ends) return;
#pragma unroll
    for (int k = 0; k < Units * per_unit; ++k) {
      unsigned const first =
          at + unsigned(lane + k / per_unit * lanes) * per_unit;
      unsigned const e = first + k % per_unit;
      if (first + per_unit > v.end && e >= v.skip && e < v.end)
        x[k] = exact_real<Input>(__ldg(v.from + e));
    }
  }

  /// Sums one span per group of lanes into the queue.
  /// \param s index of the lane's span in the task
  /// \param window guess, that of the last spans; 0: none
  __device__ void sum_spans(unsigned s, Span const& span, int log_lanes,
                            int& window, unsigned queued) const {
    int const lanes         = 1 << log_lanes;
    int const in_group      = lane() & (lanes - 1);
    unsigned const of_group = (all >> (32 - lanes)) << (lane() - in_group);
    unsigned const tile     = unsigned(lanes) * values;
    Vectored const vectors  = vectored(span);
    bool const whole        = !__any_sync(all, !vectors.is_whole());
    // The whole warp sums a long segment among many short ones.
    bool fits = span.length <= tile * Tuning::value.tiles;
    Group group(window), below(0);
    bool has_below = false;  // whether any group has numbers below its window
    unsigned at    = 0;
    while (__any_sync(all, fits && at < vectors.end)) {
      Real x[values];
      load<Tuning::value.vectors>(x, vectors, fits ? at : vectors.end, in_group,
                                  lanes, whole);
      bool good = group.add(x, lanes);
      if (window != 0 && at == 0 && __any_sync(all, !good)) {
        // A wrong guess: repeat without one.
        window = 0;
        group  = Group(0);
        continue;
      }
      if (__any_sync(all, fits && Group::rests(x))) {
        has_below = true;
        good      = below.add(x, lanes) && good;
        good      = good && !Group::rests(x);
      }
      unsigned const bad = __ballot_sync(all, !good);
      fits               = fits && (bad & of_group) == 0;
      at += tile;
    }
    Integer const total = group.total(lanes);
    int position        = group.position();
    window              = has_below ? 0 : group.window();
    if (has_below) {
      Integer const lower = below.total(lanes);
      int const distance  = position - below.position();
      if (fits && !lower.is_zero()) {
        fits = distance < 64 * Group::words;
        if (fits && span.there && in_group == 0) {
          auto sum = total.shifted(distance);
          sum.add(lower.widened());
          put(s, sum, below.position(), true, false);
        }
        if (fits) position = Queue::none;
      }
    }
    if (in_group == 0) {
      unsigned const at = queued + unsigned(lane() >> log_lanes);
#pragma unroll
      for (int w = 0; w < Group::words; ++w)
        queue().word[w][at] = total.word[w];
      queue().position[at] = !span.there ? Queue::none
                             : fits      ? position
                                         : Queue::left;
      queue().s[at]        = s;
    }
  }

  /// Stores the queued sums, one per lane, and sums those left to the warp.
  __device__ void put_queued(unsigned queued) const {
    __syncwarp();
    bool const mine    = unsigned(lane()) < queued;
    int const position = mine ? queue().position[lane()] : Queue::none;
    unsigned const s   = mine ? queue().s[lane()] : 0;
    if (position >= 0) {
      Integer total;
#pragma unroll
      for (int w = 0; w < Group::words; ++w)
        total.word[w] = queue().word[w][lane()];
      bool others = true;
      bool empty  = false;
      if (total.is_zero()) {
        Span const span = span_of(s);
        empty           = span.length == 0;
        others          = false;
        for (unsigned i = 0; i < span.length && !others; ++i)
          others = __ldg(m_in.x + span.begin + i) != exact_nothing<Input>;
      }
      put(s, total, position, others, empty);
    }
    unsigned left = __ballot_sync(all, position == Queue::left);
    while (left != 0) {
      int const from = __ffs(int(left)) - 1;
      left &= left - 1;
      sum_by_warp(__shfl_sync(all, s, from));
    }
    __syncwarp();
  }

  /// Rounds and stores a sum in units of 2^position, or adds that of a piece.
  template <class Sum>
  __device__ void put(unsigned s, Sum const& sum, int position, bool others,
                      bool empty) const {
    bool const is_zero = sum.is_zero();
    if (m_memory.task.piece != 0) {
      if (!is_zero) sum.split(position, AtomicAddToLimbs{m_memory.sum});
      if (others) atomicOr(&m_memory.flags, unsigned(exact_has_other));
      return;
    }
    FloatFormat const& format = m_store.format;
    std::uint64_t bits        = 0;
    if (!is_zero)
      bits = sum.template rounded<Group::real>(
          exact_lowest_of<Input> + position, format);
    else if (!others && !empty)
      bits = std::uint64_t(1) << (format.fraction_bits + format.exponent_bits);
    m_store(m_memory.task.segment + s, bits);
  }

  /// Sums any numbers with all lanes; half as many at a time save registers.
  __device__ void sum_by_warp(unsigned s) const {
    constexpr int units = (Tuning::value.vectors + 1) / 2;
    auto& of_warp       = m_memory.of_warp[threadIdx.x / 32];
    Vectored const v    = vectored(span_of(s));
    ExactWarpSum<Input, Tuning::value.columns> sum(of_warp, lane());
    for (unsigned at = 0; at < v.end; at += 32 * units * per_unit) {
      Real x[units * per_unit];
      load<units>(x, v, at, lane(), 32, v.is_whole());
      sum.add(x);
    }
    unsigned flags = sum.finish();
    __syncwarp();
    if (m_memory.task.piece != 0) {
      for (int k = lane(); k < Memory::limbs; k += 32)
        AtomicAddToLimbs{m_memory.sum}(k, of_warp.limb[k]);
      if (flags != 0) atomicOr(&m_memory.flags, flags);
    } else {
#pragma unroll
      for (int k = 16; k > 0; k /= 2) flags |= __shfl_xor_sync(all, flags, k);
      std::uint64_t const bits =
          round_by_warp<Memory::limbs>(of_warp.limb, lane(), flags, false,
                                       exact_lowest_of<Input>, m_store.format);
      if (lane() == 0) m_store(m_memory.task.segment + s, bits);
    }
    __syncwarp();
  }

  In const& m_in;
  ExactSegmentStore const& m_store;
  Memory& m_memory;
};

/// Prepares the task of a range: the segments that begin in it. By a warp.
template <class Warps>
__device__ void prepare_segments(typename Warps::Memory& memory,
                                 typename Warps::In const& in) {
  std::uint64_t first[2];
  ranges_of(in.segments, Warps::weight)
      .first_of({memory.begin, memory.begin + in.shape.range}, first);
  if (threadIdx.x != 0) return;
  int log_lanes = 0;
  if (first[0] < first[1]) {
    std::uint64_t const elements =
        in.segments.end(first[1] - 1) - in.segments.begin(first[0]);
    while (log_lanes < 5 &&
           (first[1] - first[0]) * unsigned(Warps::values << log_lanes) <
               elements)
      ++log_lanes;
  }
  memory.listed = 0;
  memory.taken  = 0;
  memory.first  = first[0];
  memory.end    = first[1];
  memory.task = {first[0], 0, 0,    unsigned(first[1] - first[0]), 0, log_lanes,
                 0,        0, false};
}

/// Prepares the task of a long segment: of the list, then the one that began
/// before the range, then the last of the range, if other blocks have parts of
/// them. Called by one thread.
template <class Warps>
__device__ void prepare_pieces(typename Warps::Memory& memory,
                               typename Warps::In const& in, unsigned t) {
  constexpr unsigned warps     = unsigned(Warps::Memory::warps);
  constexpr std::uint64_t tile = 32 * Warps::values;
  std::uint64_t const begin    = memory.begin;
  std::uint64_t const range    = in.shape.range;
  ExactTask task{0, 0, 0, 0, 1, 5, 0, 0, false};
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
      std::uint64_t const at =
          ranges_of(in.segments, Warps::weight).position(task.segment);
      std::uint64_t const skipped = begin > at ? begin - at : 0;
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

/// Rounds the sum of the segment in pieces with one warp. Of several blocks
/// that sum parts of a segment, the last one rounds. Leaves zeros.
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
      carry_into_next(k, limbs, memory.sum[k], AtomicAddToLimbs{slot.limb});
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
        memory.sum, lane, flags, false, exact_lowest_of<Input>, store.format);
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

  if (threadIdx.x == 0) {
    memory.begin = blockIdx.x * in.shape.range;
    memory.total = ranges_of(in.segments, Tuning::value.weight).total();
  }
  __syncthreads();
  while (memory.begin < memory.total) {
    if (threadIdx.x < 32) prepare_segments<Warps>(memory, in);
    // First the segments of the range, then one by one those that are too long
    // for a warp.
    for (;;) {
      __syncthreads();
      warps.take();
      __syncthreads();
      if (threadIdx.x < 32 && memory.task.piece != 0 && memory.task.count != 0)
        finish_segment<Input>(memory, int(threadIdx.x), in.slots, store);
      if (memory.taken == memory.listed + (in.slots == nullptr ? 0 : 2)) break;
      __syncthreads();
      if (threadIdx.x == 0) prepare_pieces<Warps>(memory, in, memory.taken++);
    }
    __syncthreads();  // the list has been read
    if (threadIdx.x == 0) memory.begin += gridDim.x * in.shape.range;
    __syncthreads();
  }
}

/// \param size elements of the View
/// \param slots zeros; used if a segment may be longer than shape.whole
/// \pre one segment or more
template <Scalar Input, class Tuning, class Segments>
void launch_exact_segments(Stream const& space, void const* x,
                           Segments const& segments, std::uint64_t size,
                           ExactSegmentsShape const& shape, unsigned* slots,
                           ExactSegmentStore const& store) {
  constexpr ExactSegmentsTuning tuning = Tuning::value;
  check(cudaSetDevice(space.device), "cudaSetDevice");
  static_assert(sizeof(ExactSlot<exact_limbs(Input)>) ==
                sizeof(unsigned) * ExactSlot<exact_limbs(Input)>::counters);
  auto const resident = std::uint64_t(device(space.device).multiprocessors) *
                        unsigned(tuning.min_blocks);
  std::uint64_t const work = size + unsigned(tuning.weight) * segments.count();
  std::uint64_t const blocks = std::clamp<std::uint64_t>(
      (work + shape.range - 1) / shape.range, 1, resident);
  launch_kernel(
      space, "exact_segments", exact_segments<Input, Segments, Tuning>,
      {unsigned(blocks), unsigned(tuning.threads)},
      ExactSegmentsIn<Input, Segments>{
          static_cast<ElementBits<Input> const*>(x), size, segments, shape,
          reinterpret_cast<ExactSlot<exact_limbs(Input)>*>(slots)},
      store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
