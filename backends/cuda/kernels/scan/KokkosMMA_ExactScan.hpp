// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SCAN_HPP
#define KOKKOSMMA_CUDA_EXACT_SCAN_HPP

#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactTuning.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_ExactScanElements.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/scan/KokkosMMA_ExactPrefix.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Exact scans in two launches. The first sums the range of each block into
/// limbs. In the second a block starts from the limbs of the earlier blocks, as
/// digits, and scans its range tile by tile. If the elements of a tile and its
/// prefix fit an integer of four or six digits, the tile is scanned with these
/// integers. Any other tile is scanned one digit after the other, the lowest
/// first: the contributions of the elements to a digit are scanned as integers,
/// and each prefix carries into its next digit and keeps the bits that its
/// rounding needs.

namespace KokkosMMA::Impl::Cuda {

template <Scalar Input>
struct ExactRangeSum {
  static constexpr int limbs = exact_limbs(Input);
  std::int64_t limb[limbs];
  unsigned flags;
};

/// \tparam Contiguous whether stride_x is 1
template <Scalar Input, class Tuning, bool Contiguous>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  min_blocks_of<Tuning::value.min_blocks, 1>)
    exact_range_sums(ExactScanViews<Input> const views,
                     ExactRangeSum<Input>* const sums) {
  using Elements =
      std::conditional_t<Contiguous, ExactVectors<Input>, ExactStrided<Input>>;
  constexpr int limbs = ExactRangeSum<Input>::limbs;
  __shared__ ExactBlockMemory<Elements, Tuning> memory;
  if (threadIdx.x == 0) memory.flags = 0;
  ExactBlockSum<Elements, Tuning> sum(memory.of_warp[threadIdx.x / 32],
                                      threadIdx.x % 32);
  std::uint64_t const begin = blockIdx.x * views.range;
  if constexpr (Contiguous) {
    add_tiles<Elements, Tuning>(
        sum,
        Elements(vector_range(views.x + begin, views.range,
                              int(sizeof(ElementBits<Input>)))),
        0, 1, memory);
  } else {
    add_tiles<Elements, Tuning>(
        sum,
        Elements{views.x + std::int64_t(begin) * views.stride_x, views.stride_x,
                 views.range},
        0, 1, memory);
  }
  std::int64_t const limb = limb_of_block<Elements, Tuning>(sum, memory);
  if (threadIdx.x < limbs) sums[blockIdx.x].limb[threadIdx.x] = limb;
  if (threadIdx.x == 0) sums[blockIdx.x].flags = memory.flags;
}

template <Scalar Carrier, int Warps>
struct ExactScanMemory {
  static constexpr int limbs = exact_limbs(Carrier);
  static constexpr int warps = Warps;
  std::int64_t limb[limbs];
  /// Prefix of this tile, and of the next one.
  ExactDigits<limbs> before[2];
  /// For tiles that fit: integers, and the highest digit of their origin.
  static constexpr int words          = Carrier == Scalar::float64 ? 3 : 2;
  static constexpr int digits         = 2 * words;
  static constexpr int highest_origin = ExactDigits<limbs>::capacity - digits;
  ExactInteger<words> integer_of_warp[Warps];
  std::int64_t sum_of_warp[2][Warps];  ///< in a digit, and in the next one
  unsigned flags_of_warp[Warps];
  int first_of_warp[Warps];
  int end_of_warp[Warps];
  unsigned flags;  ///< of the elements before this tile
};

/// Computes the digits of the first `count` sums plus the initial value.
template <Scalar Input, Scalar Carrier, class Memory>
__device__ void digits_before_range(Memory& memory,
                                    ExactRangeSum<Input> const* sums,
                                    unsigned count,
                                    ExactInitial const& initial) {
  constexpr int limbs  = ExactRangeSum<Input>::limbs;
  constexpr int lowest = exact_lowest_of<Carrier>;
  // Distance from the lowest bit of the sums to that of the carrier.
  constexpr int offset = exact_lowest_of<Input> - lowest;
  AtomicAddToLimbs const add{memory.limb};
  for (int k = threadIdx.x; k < Memory::limbs; k += blockDim.x)
    memory.limb[k] = 0;
  if (threadIdx.x == 0) memory.flags = 0;
  __syncthreads();
  unsigned const groups = blockDim.x / limbs;
  unsigned const group  = threadIdx.x / limbs;
  int const k           = int(threadIdx.x % limbs);
  if (group < groups) {
    // A block's limb may have nearly 64 bits; the sum of halves fits.
    std::int64_t low   = 0;
    std::int64_t above = 0;
    unsigned flags     = 0;
    for (unsigned b = group; b < count; b += groups) {
      std::int64_t const limb = __ldg(&sums[b].limb[k]);
      low += std::uint32_t(limb);
      above += limb >> 32;
      if (k == 0) flags |= __ldg(&sums[b].flags);
    }
    if (k == limbs - 1) {
      low += above << 32;
      above = 0;
    }
    if constexpr (offset == 0) {
      add(k, low);
      add(k + 1, above);
    } else {
      split_into_limbs(low, 32 * k + offset, add);
      split_into_limbs(above, 32 * (k + 1) + offset, add);
    }
    if (flags != 0) atomicOr(&memory.flags, flags);
  }
  if (threadIdx.x == 0) {
    ExactTerm const term = initial.term(lowest);
    split_into_limbs(term.integer, term.position, add);
  }
  __syncthreads();
  if (threadIdx.x == 0) memory.before[0].assign(memory.limb);
  __syncthreads();
}

/// Returns the flags of all earlier lanes, as one word.
__device__ inline unsigned flags_before_lane(unsigned flags,
                                             unsigned& of_warp) {
  unsigned const lanes_before = (1u << threadIdx.x % 32) - 1;
  unsigned before             = 0;
  of_warp                     = 0;
#pragma unroll
  for (unsigned flag = 1; flag <= exact_has_other; flag *= 2) {
    unsigned const lanes = __ballot_sync(0xffffffffu, (flags & flag) != 0);
    if (lanes & lanes_before) before |= flag;
    if (lanes) of_warp |= flag;
  }
  return before;
}

/// Properties of a tile that a block needs before it scans the tile.
struct ScanTile {
  int first, end;         ///< digits that the elements add to
  unsigned flags_before;  ///< of the elements before those of the thread
  unsigned flags;         ///< of all elements
};
/// Gathers the properties from all threads. The block synchronizes once.
template <class Memory>
__device__ ScanTile gather_tile(Memory& memory, unsigned flags, int first,
                                int end) {
  int const warp = threadIdx.x / 32;
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    first = min(first, __shfl_xor_sync(0xffffffffu, first, lanes));
    end   = max(end, __shfl_xor_sync(0xffffffffu, end, lanes));
  }
  unsigned of_warp;
  ScanTile tile{first, end, flags_before_lane(flags, of_warp), 0};
  if (threadIdx.x % 32 == 0) {
    memory.flags_of_warp[warp] = of_warp;
    memory.first_of_warp[warp] = first;
    memory.end_of_warp[warp]   = end;
  }
  __syncthreads();
#pragma unroll
  for (int w = 0; w < Memory::warps; ++w) {
    if (w == warp) tile.flags_before |= tile.flags;
    tile.flags |= memory.flags_of_warp[w];
    tile.first = min(tile.first, memory.first_of_warp[w]);
    tile.end   = max(tile.end, memory.end_of_warp[w]);
  }
  return tile;
}

/// \return the sum of the values of earlier threads
/// \param all receives the sum of all. The block synchronizes once: the next
///        call must use other memory
template <int Warps>
__device__ std::int64_t scan_over_block(std::int64_t (&sum_of_warp)[Warps],
                                        std::int64_t value, std::int64_t& all) {
  int const lane     = threadIdx.x % 32;
  int const warp     = threadIdx.x / 32;
  std::int64_t up_to = value;
#pragma unroll
  for (int lanes = 1; lanes < 32; lanes *= 2) {
    std::int64_t const other = __shfl_up_sync(0xffffffffu, up_to, lanes);
    if (lane >= lanes) up_to += other;
  }
  if (lane == 31) sum_of_warp[warp] = up_to;
  __syncthreads();
  std::int64_t before = up_to - value;
  all                 = 0;
#pragma unroll
  for (int w = 0; w < Warps; ++w) {
    if (w == warp) before += all;
    all += sum_of_warp[w];
  }
  return before;
}

/// Stores the total of all elements, rounded by one thread: the digits after
/// the last element minus the initial value.
template <Scalar Carrier, class Memory>
__device__ void store_exact_total(Memory& memory,
                                  ExactDigits<Memory::limbs> const& digits,
                                  ExactInitial const& initial,
                                  ExactTarget const& total) {
  constexpr int limbs  = Memory::limbs;
  constexpr int lowest = exact_lowest_of<Carrier>;
  for (int k = 0; k < limbs; ++k) memory.limb[k] = digits[k];
  // The topmost digit with the sign.
  memory.limb[limbs - 1] += std::int64_t(std::int32_t(digits[limbs])) << 32;
  ExactTerm const term = initial.term(lowest);
  split_into_limbs(-term.integer, term.position, [&](int k, std::int64_t part) {
    if (part != 0) memory.limb[k] += part;
  });
  total.store(round_limbs(memory.limb, 0, limbs, memory.flags, false, lowest,
                          total.format));
}

/// Elements of a thread in a tile, and the flags by which their prefixes are
/// rounded.
template <Scalar Input, Scalar Output, bool Inclusive, int Values>
struct ExactScanThread {
  using Result = ElementBits<Output>;
  ExactScanElement<Input> element[Values];
  unsigned flags_of[Values];
  unsigned flags = 0;  ///< of all elements before the first

  /// Rounds prefix j to round(j, format, zero), unless its flags say special.
  template <class Round>
  __device__ void round_all(Result (&result)[Values], Round const& round) {
    constexpr FloatFormat format = exact_format_of<Output>;
#pragma unroll
    for (int j = 0; j < Values; ++j) {
      if (Inclusive) flags |= flags_of[j];
      std::uint64_t const zero = flags & exact_has_other ? 0 : format.sign();
      result[j] = Result(is_special_sum(flags) ? special_sum(flags, format)
                                               : round(j, format, zero));
      if (!Inclusive) flags |= flags_of[j];
    }
  }
};

/// Scans a tile whose prefixes fit `Words` words from digit `first` on.
template <int Words, int Lowest, Scalar Input, Scalar Output, bool Inclusive,
          int Values, class Memory>
__device__ void scan_tile_in_integers(
    ExactScanThread<Input, Output, Inclusive, Values>& thread, Memory& memory,
    int current, int first, ElementBits<Output> (&result)[Values]) {
  using Integer     = ExactInteger<Words>;
  auto const& front = memory.before[current];
  int const warp    = threadIdx.x / 32;
  Integer sum{};
  Integer prefix[Values];
#pragma unroll
  for (int j = 0; j < Values; ++j) {
    if (!Inclusive) prefix[j] = sum;
    if (thread.element[j].mantissa != 0)
      sum.add(thread.element[j].template integer<Words>(32 * first));
    if (Inclusive) prefix[j] = sum;
  }
  Integer before{};
  sum.add_lanes_before(before);
  if (threadIdx.x % 32 == 31) memory.integer_of_warp[warp] = sum;
  __syncthreads();
  Integer all;
#pragma unroll
  for (int k = 0; k < Words; ++k)
    all.word[k] =
        std::uint64_t(front[first + 2 * k + 1]) << 32 | front[first + 2 * k];
#pragma unroll
  for (int w = 0; w < Memory::warps; ++w) {
    if (w == warp) before.add(all);
    all.add(memory.integer_of_warp[w]);
  }
  thread.round_all(result, [&](int j, FloatFormat const& format,
                               std::uint64_t zero) {
    prefix[j].add(before);
    constexpr Scalar own =
        Output == Scalar::float64 ? Scalar::float64 : Scalar::float32;
    return prefix[j].is_zero()
               ? zero
               : prefix[j].template rounded<own>(Lowest + 32 * first, format);
  });
  if (threadIdx.x == 0) {
    auto& next = memory.before[1 - current];
#pragma unroll
    for (int k = 0; k < 2 * Words; ++k)
      next.digit[first + k] = std::uint32_t(all.word[k / 2] >> 32 * (k % 2));
    next.first    = first;
    next.end      = first + 2 * Words;
    next.negative = all.is_negative();
    next.trim();
  }
}

/// Scans any tile, from digit `first` to before `end`.
template <int Lowest, Scalar Input, Scalar Output, bool Inclusive, int Values,
          class Memory>
__device__ void scan_tile_by_digits(
    ExactScanThread<Input, Output, Inclusive, Values>& thread, Memory& memory,
    int current, int first, int end, ScanTile const& tile,
    ElementBits<Output> (&result)[Values]) {
  auto const& front = memory.before[current];
  auto& next        = memory.before[1 - current];
  DigitWindow window[Values];
  int carry[Values] = {};
  int carry_of_tile = 0;
  for (int k = first; k < end; ++k) {
    std::int64_t prefix[Values];
    std::int64_t before = 0;
    std::int64_t all    = 0;  // of the tile
#pragma unroll
    for (int j = 0; j < Values; ++j) prefix[j] = 0;
    if (k >= tile.first && k < tile.end) {
      std::int64_t sum = 0;
#pragma unroll
      for (int j = 0; j < Values; ++j) {
        std::int64_t const part = thread.element[j].at(k);
        prefix[j]               = Inclusive ? sum + part : sum;
        sum += part;
      }
      before = scan_over_block(memory.sum_of_warp[k % 2], sum, all);
    }
    std::int64_t const digit = front[k];
#pragma unroll
    for (int j = 0; j < Values; ++j) {
      std::int64_t const value = before + digit + prefix[j] + carry[j];
      window[j].push(std::uint32_t(value), k);
      carry[j] = int(value >> 32);
    }
    std::int64_t const value = digit + all + carry_of_tile;
    carry_of_tile            = int(value >> 32);
    if (threadIdx.x == 0) next.digit[k] = std::uint32_t(value);
  }
  // The digits above: sign and carry.
  int const sign = front.negative ? -1 : 0;
  thread.round_all(
      result, [&](int j, FloatFormat const& format, std::uint64_t zero) {
        int const above = sign + carry[j];
        window[j].push(std::uint32_t(above), end);
        return window[j].round(above < 0, end + 1, Lowest, format, zero);
      });
  if (threadIdx.x == 0) {
    int const above = sign + carry_of_tile;
    next.digit[end] = std::uint32_t(above);
    next.negative   = above < 0;
    next.first      = first;
    next.end        = end + 1;
    next.trim();
  }
}

template <Scalar Input, Scalar Output, Scalar Carrier, bool Inclusive,
          class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  min_blocks_of<Tuning::value.min_blocks, 1>)
    exact_scan(ExactScanViews<Input> const views,
               ExactRangeSum<Input> const* const sums, unsigned const others,
               ExactInitial const initial, ExactTarget const total) {
  constexpr int values = Tuning::value.values;
  constexpr int lowest = exact_lowest_of<Carrier>;
  using Memory         = ExactScanMemory<Carrier, Tuning::value.threads / 32>;
  __shared__ Memory memory;
  digits_before_range<Input, Carrier>(memory, sums, others + blockIdx.x,
                                      initial);

  std::uint64_t const begin    = blockIdx.x * views.range;
  std::uint64_t const end      = min(begin + views.range, views.size);
  unsigned const initial_flags = initial.flags();
  int current                  = 0;
  for (std::uint64_t tile = begin; tile < end;
       tile += Tuning::value.threads * values) {
    std::uint64_t const mine = tile + threadIdx.x * values;
    ExactScanThread<Input, Output, Inclusive, values> thread;
    ElementBits<Input> bits[values];
    load_scan_elements(views, mine, end, bits);
    int first = Memory::limbs;
    int last  = 0;
#pragma unroll
    for (int j = 0; j < values; ++j) {
      auto& element      = thread.element[j];
      thread.flags_of[j] = element.template assign<lowest>(bits[j]);
      thread.flags |= thread.flags_of[j];
      if (element.mantissa == 0) continue;
      first = min(first, element.first_digit());
      last  = max(last, element.first_digit() + element.digits);
    }
    ScanTile const of_tile = gather_tile(memory, thread.flags, first, last);
    thread.flags = of_tile.flags_before | memory.flags | initial_flags;

    auto const& before = memory.before[current];
    last               = max(of_tile.end, before.end);
    first = min(of_tile.first, before.is_zero() ? last : before.first);
    // One digit more holds the carry and the sign.
    int const origin = min(first, Memory::highest_origin);
    ElementBits<Output> result[values];
    if (last - origin < Memory::digits)
      scan_tile_in_integers<Memory::words, lowest>(thread, memory, current,
                                                   origin, result);
    else
      scan_tile_by_digits<lowest>(thread, memory, current, first, last, of_tile,
                                  result);
    store_prefixes(views, mine, end, result);
    __syncthreads();  // memory.flags and what is before the tile are read
    if (threadIdx.x == 0) memory.flags |= of_tile.flags;
    current = 1 - current;
    __syncthreads();
  }
  if (total.is_wanted() && end == views.size && threadIdx.x == 0)
    store_exact_total<Carrier>(memory, memory.before[current], initial, total);
}

/// Launches on the stream of `space`, which must not be captured if `before` is
/// given.
/// \param total receives the sum of all elements, a number of `format`, see
///        StreamScratch::deliver(); or null
/// \param before sum of the elements before x, or null; not with a total
template <Scalar Input, Scalar Output, Scalar Carrier, bool Inclusive,
          class Tuning>
void launch_exact_scan(Stream const& space, StreamScratch const& scratch,
                       ExactScanViews<Input> views, ExactInitial const& initial,
                       FloatFormat const& format, void* total,
                       bool total_on_device,
                       ExactRangeSum<Input> const* before = nullptr) {
  if (views.size == 0) return;
  constexpr ExactScanTuning tuning = Tuning::value;
  constexpr std::uint64_t tile = std::uint64_t(tuning.threads) * tuning.values;
  Device const& d              = device(space.device);
  std::uint64_t const tiles    = (views.size + tile - 1) / tile;
  // A second launch pays from four tiles on.
  std::uint64_t const most =
      tiles < 4 ? 1 : std::uint64_t(d.multiprocessors) * tuning.min_blocks;
  views.range       = (tiles + most - 1) / most * tile;
  auto const blocks = unsigned((views.size + views.range - 1) / views.range);

  auto* const sums = static_cast<ExactRangeSum<Input>*>(
      scratch->segments((1 + blocks) * sizeof(ExactRangeSum<Input>)));
  unsigned const others = before != nullptr;
  if (before != nullptr)
    check(cudaMemcpyAsync(sums, before, sizeof(*before), cudaMemcpyHostToDevice,
                          space.handle),
          "cudaMemcpyAsync of an exact sum");
  bool const contiguous = views.stride_x == 1;
  // Elements of 4 and 8 bytes hide the latency with single loads, too, and each
  // kernel costs half a second of compile time.
  constexpr bool by_vectors = size_of(Input) < 4;
  auto const aligned        = [](void const* at, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(at) %
               std::min<std::size_t>(16, bytes) ==
           0;
  };
  views.vectors = contiguous && views.stride_y == 1 &&
                  aligned(views.x, tuning.values * size_of(Input)) &&
                  aligned(views.y, tuning.values * size_of(Output));
  using SumTuning      = tuning_type<exact_tuning(Input)>;
  auto const sum_range = by_vectors && contiguous
                             ? exact_range_sums<Input, SumTuning, by_vectors>
                             : exact_range_sums<Input, SumTuning, false>;
  auto const scan      = exact_scan<Input, Output, Carrier, Inclusive, Tuning>;
  auto const launch    = [&](ResultTarget<void> const& target) {
    if (blocks > 1)
      launch_kernel(space, "exact_range_sums", sum_range,
                       {blocks - 1, unsigned(SumTuning::value.threads)}, views,
                       sums + others);
    launch_kernel(space, "exact_scan", scan, {blocks, unsigned(tuning.threads)},
                     views, sums, others, initial, ExactTarget{target, format});
  };
  if (total == nullptr) {
    launch({nullptr, nullptr});
  } else {
    // Not while the words of results are locked: CUDA may wait for kernels.
    load_kernel(space.device, reinterpret_cast<void const*>(sum_range));
    load_kernel(space.device, reinterpret_cast<void const*>(scan));
    scratch.deliver(
        total, std::size_t(1 + format.fraction_bits + format.exponent_bits) / 8,
        total_on_device, launch);
    // As in deliver_total(): other blocks may still scan their ranges.
    if (!total_on_device) scratch.wait();
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
