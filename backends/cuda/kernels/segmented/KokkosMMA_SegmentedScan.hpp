// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEGMENTED_SCAN_HPP
#define KOKKOSMMA_CUDA_SEGMENTED_SCAN_HPP

#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_ScanPipeline.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentStarts.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>
#include <core/segmented/KokkosMMA_WarpSegmentScan.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

/// \file
/// Scan of the segments of a row of elements into memory. Equal segments that
/// are short, or many, are scanned by independent warps, each of which has
/// whole segments. Few long ones, and segments of any lengths, use the one-pass
/// pipeline of KokkosMMA_ScanPipeline.hpp, in which a sum carries whether, or
/// how many, segments begin in its elements.

namespace KokkosMMA::Impl::Cuda {

/// x and y of a scan. Position 0 is the first element of the vector of x that
/// holds x(0), `skip` positions before x(0); y is shifted by the same number.
template <class Output>
struct SegmentScanOperands {
  unsigned char const* x;
  Output* y;
  std::uint64_t skip;
  std::uint64_t size;
  bool aligned;  ///< whether vectors of y are, too
};

/// Range that a warp reads and writes: positions [begin, end), counted like all
/// positions of this class from `origin`, the first of a vector.
template <class Scan, class Output>
class ScanRange {
 public:
  using Words                   = typename Scan::Words;
  using Results                 = Registers<Output, Scan::elements>;
  static constexpr int elements = Scan::elements;

  __device__ ScanRange(SegmentScanOperands<Output> const& operands,
                       std::uint64_t origin, std::uint32_t begin,
                       std::uint32_t end)
      : m_x(operands.x + origin * Scan::input_bytes),
        m_y(operands.y + origin),
        m_begin(begin),
        m_end(end),
        m_aligned(operands.aligned) {}

  /// Loads the vector at `position`, with zeros past the end. Elements before
  /// the range have no effect, because a segment begins with the range.
  __device__ Words load(std::uint32_t position) const {
    if (position >= m_end || position + elements <= m_begin) return Words{};
    unsigned char const* const at =
        m_x + std::uint64_t(position) * Scan::input_bytes;
    if (position + elements <= m_end) return load_streamed<Scan::bytes>(at);
    return load_some<Scan::input_bytes, Words>(at, 0, int(m_end - position));
  }

  __device__ void store(std::uint32_t position, Results const& results) const {
    Output* const to = m_y + position;
    if (m_aligned && position >= m_begin && position + elements <= m_end) {
      store_elements<true>(to, results.value);
      return;
    }
#pragma unroll
    for (int e = 0; e < elements; ++e)
      if (position + e >= m_begin && position + e < m_end) to[e] = results[e];
  }

 private:
  unsigned char const* m_x;
  Output* m_y;
  std::uint32_t m_begin;
  std::uint32_t m_end;
  bool m_aligned;
};

template <class Scan>
inline constexpr std::uint64_t walk_batch =
    segment_walk_tuning<Scan>.rows* Scan::row_elements;

/// \param chunk elements per warp: whole segments
template <class Scan, class Output>
__global__ void __launch_bounds__(segment_walk_tuning<Scan>.threads,
                                  segment_walk_tuning<Scan>.min_blocks)
    scan_equal_segments(SegmentScanOperands<Output> const operands,
                        std::uint64_t const chunk, std::uint64_t const chunks,
                        EqualStarts<Scan::elements> const starts) {
  using Value                        = typename Scan::Value;
  constexpr SegmentScanTuning tuning = segment_walk_tuning<Scan>;
  constexpr int rows                 = tuning.rows;
  constexpr int elements             = Scan::elements;
  int const lane                     = threadIdx.x % 32;
  std::uint64_t const own =
      std::uint64_t(blockIdx.x) * (tuning.threads / 32) + threadIdx.x / 32;
  if (own >= chunks) return;
  Scan const scan{Warp{}};

  std::uint64_t const first  = own * chunk;
  std::uint64_t const left   = operands.size - first;
  std::uint64_t const begin  = operands.skip + first;
  std::uint64_t const origin = begin / elements * elements;
  std::uint32_t const shift  = std::uint32_t(begin - origin);
  std::uint32_t const end = shift + std::uint32_t(left < chunk ? left : chunk);
  ScanRange<Scan, Output> const range(operands, origin, shift, end);

  std::uint32_t ahead = starts.ahead(shift % starts.length, lane * elements);
  Value carry         = Scan::Combined::identity();
  for (std::uint32_t position = lane * elements;
       position - lane * elements < end;
       position += rows * Scan::row_elements) {
    typename Scan::Words words[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      words[r] = range.load(position + r * Scan::row_elements);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      typename Scan::Vector prefix;
      scan.scan(words[r], starts.starts(ahead), carry, prefix);
      ahead = starts.next_row(ahead);
      Registers<Output, elements> results;
#pragma unroll
      for (int e = 0; e < elements; ++e)
        results[e] = static_cast<Output>(prefix[e]);
      range.store(position + r * Scan::row_elements, results);
    }
  }
}

/// Combination of neighbouring elements since the last start among them, or of
/// all if there is none. Stored as words: the look-back copies 4 bytes at a
/// time, and padding would count.
template <class Value, class Number>
struct SinceStart {
  std::uint32_t value[sizeof(Value) / 4];
  std::uint32_t number[sizeof(Number) / 4];

  __device__ Value get() const {
    Value v;
    memcpy(&v, value, sizeof(Value));
    return v;
  }
  /// Starts, or warps' parts of tiles with a start.
  __device__ Number starts() const {
    if constexpr (sizeof(Number) > 4) {
      return Number(number[1]) << 32 | number[0];
    } else {
      return number[0];
    }
  }
  __device__ void set(Value v, Number n) {
    memcpy(value, &v, sizeof(Value));
    number[0] = std::uint32_t(n);
    if constexpr (sizeof(Number) > 4) {
      number[1] = std::uint32_t(n >> 32);
    }
  }
};

template <class Combined, class Value, class Number>
struct JoinSinceStart {
  using Sum = SinceStart<Value, Number>;

  __device__ void init(Sum& sum) const { sum.set(Combined::identity(), 0); }
  __device__ void join(Sum& into, Sum const& from) const {
    Value const both = Combined::apply(into.get(), from.get());
    into.set(from.starts() ? from.get() : both, into.starts() + from.starts());
  }
};

template <class Scan, class Tuning>
inline constexpr std::uint32_t tile_part =
    Tuning::value.rows* Scan::row_elements;

/// Most starts of runs by key that a warp lists at a time: those of 8 words.
inline constexpr std::uint32_t run_list = 256;

/// Data of a warp's part of a tile: prefixes within the part.
template <int Rows, int Elements>
struct SegmentKept {
  uint4 prefix[Rows][32];
  std::uint32_t starts[Elements / 32 + 1];  ///< the last is for sums by key
  std::uint32_t first;                      ///< elements before the first start
};

template <class Scan, class Starts, class Tuning>
struct SegmentScanMemory {
  using Kept = SegmentKept<Tuning::value.rows, tile_part<Scan, Tuning>>;
  using Sum  = SinceStart<typename Scan::Value, typename Starts::Number>;

  ScanMemory<Sum, Kept, Tuning::value.threads / 32> scan;
  typename Starts::Hint hint[Tuning::value.threads / 32];
  /// Positions of the runs of one warp each.
  std::uint16_t list[Tuning::value.threads / 32][Starts::sums ? run_list : 1];
  std::uint64_t begin,
      end;  ///< range of the segments; saves registers
};

template <class Scan, class Output, class Starts, class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads + 32,
                                  Tuning::value.min_blocks)
    scan_segments(SegmentScanOperands<Output> const operands,
                  Starts const starts, unsigned const tiles,
                  ScanScratch const scratch) {
  using Value                  = typename Scan::Value;
  using Combined               = typename Scan::Combined;
  using Memory                 = SegmentScanMemory<Scan, Starts, Tuning>;
  using Kept                   = typename Memory::Kept;
  using Sum                    = typename Memory::Sum;
  using Number                 = typename Starts::Number;
  constexpr int rows           = Tuning::value.rows;
  constexpr int elements       = Scan::elements;
  constexpr std::uint32_t part = tile_part<Scan, Tuning>;
  int const lane               = threadIdx.x % 32;
  int const warp               = threadIdx.x / 32;
  Scan const scan{Warp{}};
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);
  Memory& memory = *reinterpret_cast<Memory*>(shared_memory);
  if (lane == 0 && warp < Tuning::value.threads / 32)
    memory.hint[warp] = starts.hint();

  if (threadIdx.x == 0) {
    memory.begin = operands.skip + starts.begin();
    memory.end   = operands.skip +
                 (starts.end() < operands.size ? starts.end() : operands.size);
  }
  auto const origin_of = [&](unsigned tile) {
    return (std::uint64_t(tile) * (Tuning::value.threads / 32) + warp) * part;
  };
  auto const range_at = [&](std::uint64_t origin) {
    auto const within = [&](std::uint64_t position) {
      return position <= origin          ? 0u
             : position - origin >= part ? part
                                         : std::uint32_t(position - origin);
    };
    return ScanRange<Scan, Output>(operands, origin, within(memory.begin),
                                   within(memory.end));
  };

  auto const load = [&](unsigned tile, Kept& kept, Slot<Sum>& sum) {
    std::uint64_t const origin = origin_of(tile);
    auto const range           = range_at(origin);
    typename Scan::Words words[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      words[r] = range.load(r * Scan::row_elements + lane * elements);
    if (lane < int(part / 32)) kept.starts[lane] = 0;
    __syncwarp();
    starts.mark(std::int64_t(origin) - std::int64_t(operands.skip), kept.starts,
                memory.hint[warp]);
    __syncwarp();
    static_assert(part <= 32 * 32);
    std::uint32_t const word  = lane < int(part / 32) ? kept.starts[lane] : 0;
    unsigned const with_start = __ballot_sync(0xffffffffu, word != 0);
    int const from            = with_start ? __ffs(int(with_start)) - 1 : 0;
    std::uint32_t const front = __shfl_sync(0xffffffffu, word, from);
    if (lane == 0)
      kept.first = with_start ? from * 32 + __ffs(int(front)) - 1 : part;
    Value carry = Combined::identity();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      typename Scan::Vector prefix;
      int const position = r * Scan::row_elements + lane * elements;
      std::uint32_t const bits =
          kept.starts[position / 32] >> position % 32 & ((1u << elements) - 1);
      scan.scan(words[r], bits, carry, prefix);
      uint4 vector;
      memcpy(&vector, &prefix, 16);
      kept.prefix[r][lane] = vector;
    }
    Number number = with_start != 0;
    if constexpr (Starts::sums) {
      number = popcount(word);
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2)
        number += __shfl_xor_sync(0xffffffffu, number, offset);
    }
    sum.value.set(carry, number);
  };

  auto const store = [&](unsigned tile, Kept& kept, Slot<Sum>& base) {
    if constexpr (Starts::sums) {
      starts.template store<typename Scan::Combined>(
          std::int64_t(origin_of(tile)) - std::int64_t(operands.skip), kept,
          memory.list[warp], base.value);
    } else {
      auto const range          = range_at(origin_of(tile));
      std::uint32_t const first = kept.first;
      Value const before        = base.value.get();
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        uint4 const vector = kept.prefix[r][lane];
        typename Scan::Vector prefix;
        memcpy(&prefix, &vector, 16);
        std::uint32_t const position = r * Scan::row_elements + lane * elements;
        Registers<Output, elements> results;
#pragma unroll
        for (int e = 0; e < elements; ++e)
          results[e] = static_cast<Output>(
              position + e < first ? Combined::apply(before, prefix[e])
                                   : prefix[e]);
        range.store(position, results);
      }
    }
  };

  auto const last = [&](Slot<Sum> const& before, Slot<Sum> const& sum) {
    if constexpr (Starts::sums) {
      constexpr std::uint64_t tile = Tuning::value.threads / 32 * part;
      starts.finish(before.value.starts() + sum.value.starts(),
                    tiles * tile - operands.skip);
    }
  };
  scan_tiles<false>(memory.scan, JoinSinceStart<Combined, Value, Number>{},
                    tiles, scratch, load, store, last, [](unsigned) {});
}

/// Number of segments per warp: chosen so that batches are nearly full and the
/// next warp starts with a vector of its own, if possible.
constexpr std::uint64_t segments_per_warp(std::uint64_t length,
                                          std::uint64_t batch,
                                          std::uint64_t most_batches,
                                          int elements) {
  constexpr double enough = 0.95;
  std::uint64_t const unit =
      elements / std::gcd(length, std::uint64_t(elements));
  std::uint64_t best = 1;
  double best_score  = 0;
  for (std::uint64_t k = 1; k <= most_batches && best_score < enough; ++k) {
    std::uint64_t const count = k * batch / length;
    for (std::uint64_t const segments : {count - count % unit, count}) {
      double const score = (segments % unit == 0 ? 1 : 0.9) *
                           double(segments * length) / double(k * batch);
      if (score <= best_score) continue;
      best       = segments;
      best_score = score;
    }
  }
  return best;
}

/// Returns a function that launches the pipeline for starts. What may wait for
/// running kernels is done before.
template <class Starts, class Scan, class Tuning, class Output>
auto segment_pipeline(Stream const& space, StreamScratch const& scratch,
                      SegmentScanOperands<Output> const& operands) {
  using Memory                 = SegmentScanMemory<Scan, Starts, Tuning>;
  auto const kernel            = &scan_segments<Scan, Output, Starts, Tuning>;
  constexpr int threads        = Tuning::value.threads + 32;
  constexpr std::size_t shared = sizeof(Memory);
  constexpr std::uint64_t tile =
      Tuning::value.threads / 32 * Tuning::value.rows * Scan::row_elements;
  int const resident =
      kernel_facts(space.device, kernel, threads, shared).resident_blocks;
  auto const tiles =
      unsigned((operands.skip + operands.size + tile - 1) / tile);
  ScanScratch const words =
      scratch->scan(look_back_size<typename Memory::Sum>.words(tiles));
  return [=](Starts const& starts) {
    launch_kernel(space, "scan_segments", kernel,
                  {scan_blocks(space, tiles, resident), threads, shared},
                  operands, starts, tiles, words);
  };
}
template <class Scan, class Tuning, class Output, class Starts>
void launch_segment_pipeline(Stream const& space, StreamScratch const& scratch,
                             SegmentScanOperands<Output> const& operands,
                             Starts const& starts) {
  segment_pipeline<Starts, Scan, Tuning>(space, scratch, operands)(starts);
}

template <class Scan, class Output>
SegmentScanOperands<Output> scan_operands(void const* x, std::uint64_t size,
                                          Output* y) {
  std::uint64_t const skip =
      reinterpret_cast<std::uintptr_t>(x) % Scan::bytes / Scan::input_bytes;
  Output* const shifted           = y - skip;
  constexpr std::uintptr_t vector = Scan::elements * sizeof(Output);
  return {static_cast<unsigned char const*>(x) - skip * Scan::input_bytes,
          shifted, skip, size,
          reinterpret_cast<std::uintptr_t>(shifted) %
                  std::min<std::uintptr_t>(vector, 16) ==
              0};
}

template <class Scan, class Output>
void launch_equal_segments(Stream const& space,
                           SegmentScanOperands<Output> const& operands,
                           EqualSegments segments) {
  constexpr int threads         = segment_walk_tuning<Scan>.threads;
  constexpr std::uint64_t batch = walk_batch<Scan>;
  constexpr int warps           = threads / 32;
  auto const kernel             = &scan_equal_segments<Scan, Output>;
  int const resident =
      kernel_facts(space.device, kernel, threads).resident_blocks;
  LaunchLayout const layout = launch_layout(space);
  std::uint64_t const at_once =
      std::uint64_t(layout.multiprocessors) *
      layout.blocks(resident, segment_walk_tuning<Scan>.min_blocks) * warps;
  std::uint64_t const batches =
      std::clamp<std::uint64_t>(segments.size / (2 * at_once * batch), 1, 8);
  std::uint64_t const chunk =
      segments.length *
      segments_per_warp(segments.length, batch, batches, Scan::elements);
  std::uint64_t const chunks =
      segments.size / chunk + (segments.size % chunk != 0);
  // 2^28 elements, by warps and by the pipeline, GB/s: segments of 131072 float
  // 3771 and 3697, half 3477 and 3385; of 262144 by warps float 3032, half
  // 2464. 131072 floats in segments of 4096: 10 us and 6.
  bool const few = 8 * chunks < 3 * at_once;
  if (chunk > EqualStarts<Scan::elements>::longest / 2 ||
      (few && segments.length > 2 * batch)) {
    using Tuning = tuning_type<segment_pipeline_tuning<Scan, true>>;
    launch_segment_pipeline<Scan, Tuning>(
        space, StreamScratch(space), operands,
        EqualTileStarts<tile_part<Scan, Tuning>>(segments));
    return;
  }
  launch_kernel(space, "scan_equal_segments", kernel,
                {unsigned((chunks + warps - 1) / warps), threads}, operands,
                chunk, chunks, EqualStarts<Scan::elements>(segments.length));
}

/// Scans segments: y of an element is the combination of its segment up to it,
/// without itself unless `Inclusive`. Elements outside segments are not
/// written. y may be x if the elements have one size.
/// \pre one segment or more
/// \tparam Segments EqualSegments or OffsetSegments
template <Operation Op, Scalar Input, class Value, bool Inclusive,
          class Segments, class Output>
void launch_segmented_scan(Stream const& space, void const* x,
                           std::uint64_t size, Segments segments, Output* y) {
  using Scan = WarpSegmentScan<Warp, Op, Input, Value, Inclusive>;
  check(cudaSetDevice(space.device), "cudaSetDevice");
  auto const operands = scan_operands<Scan>(x, size, y);
  if constexpr (std::is_same_v<Segments, EqualSegments>) {
    segments.size = size;
    launch_equal_segments<Scan, Output>(space, operands, segments);
  } else {
    using Offset = std::remove_cvref_t<decltype(*segments.offsets)>;
    using Tuning = tuning_type<segment_pipeline_tuning<Scan, false>>;
    launch_segment_pipeline<Scan, Tuning>(
        space, StreamScratch(space), operands,
        OffsetTileStarts<tile_part<Scan, Tuning>, Offset>(segments, size));
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
