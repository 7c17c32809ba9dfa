// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SCAN_HPP
#define KOKKOSMMA_CUDA_EXACT_SCAN_HPP

#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_ExactScanTuning.hpp>
#include <core/scan/KokkosMMA_ExactPrefix.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

/// \file
/// Exact scans in two launches. The first sums up the range of each block into
/// limbs. In the second a block begins with the limbs of those before it, as
/// digits, and scans its range tile by tile. A tile takes its digits one after
/// the other, the lowest first: what its elements add to a digit is scanned as
/// integers, and each prefix carries into its next digit and keeps what it
/// needs to be rounded. The time of a tile follows the binary orders of what
/// it adds: a digit has 32 of them.

namespace KokkosMMA::Impl::Cuda {

/// What a scan reads and writes. Element i is x[i * stride_x], its prefix
/// y[i * stride_y]; x and y may be the same.
template <Scalar Input>
struct ExactScanViews {
  element_bits_t<Input> const* x;
  std::int64_t stride_x;
  void* y;
  std::int64_t stride_y;
  std::uint64_t size;
  std::uint64_t range = 0;  ///< elements of a block: a multiple of its tile
  /// Both strides are 1, and what a thread takes begins at 16 bytes or at a
  /// multiple of its size.
  bool vectors = false;
};

/// A number that is added to every prefix, but not to the total.
struct ExactInitial {
  std::uint64_t bits;
  FloatFormat format;

  __device__ ExactTerm term(int lowest) const {
    return is_finite() ? exact_term(bits, format, lowest) : ExactTerm{0, 0};
  }
  __device__ bool is_finite() const {
    return (int(bits >> format.fraction_bits) & format.special()) !=
           format.special();
  }
  __device__ unsigned flags() const {
    unsigned const other = bits != format.sign() ? exact_has_other : 0u;
    std::uint64_t const fraction =
        bits & ((std::uint64_t(1) << format.fraction_bits) - 1);
    return is_finite()
               ? other
               : other | exact_flag_of(fraction, (bits & format.sign()) != 0);
  }
};

/// The sum of a block's range.
template <Scalar Input>
struct ExactRangeSum {
  static constexpr int limbs = exact_limbs(Input);
  std::int64_t limb[limbs];
  unsigned flags;
};

/// \tparam Contiguous stride_x is 1
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
                              int(sizeof(element_bits_t<Input>)))),
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

/// An element as what it adds to digits, from `first` on.
template <Scalar Input>
struct ExactDigitsOfElement {
  /// Of a mantissa that is shifted by up to 31 bits.
  static constexpr int count = size_of(Input) == 8 ? 3 : 2;
  int first;
  bool negative;
  std::uint32_t digit[count];

  /// \return the flags of the element
  template <int Lowest>
  __device__ unsigned assign(element_bits_t<Input> bits) {
    constexpr FloatFormat format = exact_format_of<Input>;
    constexpr std::uint64_t ones =
        (std::uint64_t(1) << format.fraction_bits) - 1;
    std::uint64_t const all = bits;
    int const field   = int(all >> format.fraction_bits) & format.special();
    negative          = (all & format.sign()) != 0;
    bool const finite = field != format.special();
    int const position =
        (field == 0 ? 0 : field - 1) + format.lowest() - Lowest;
    std::uint64_t const mantissa =
        !finite
            ? 0
            : (all & ones) | std::uint64_t(field != 0) << format.fraction_bits;
    first                   = position / 32;
    std::uint64_t const low = mantissa << position % 32;
    digit[0]                = std::uint32_t(low);
    digit[1]                = std::uint32_t(low >> 32);
    if constexpr (count == 3) {
      digit[2] = std::uint32_t(mantissa >> 32 >> (31 - position % 32) >> 1);
    }
    unsigned const other =
        all != format.sign() ? unsigned(exact_has_other) : 0u;
    return finite ? other : other | exact_flag_of(all & ones, negative);
  }
  __device__ bool is_zero() const {
    std::uint32_t all = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) all |= digit[i];
    return all == 0;
  }
  /// What it adds to digit k.
  __device__ std::int64_t at(int k) const {
    std::uint32_t magnitude = 0;
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (k == first + i) magnitude = digit[i];
    return negative ? -std::int64_t(magnitude) : std::int64_t(magnitude);
  }
};

/// Neighbours in memory, whole vectors of 8 or 16 bytes.
template <class Bits, int N>
struct ScanVectors {
  static constexpr int words    = N * int(sizeof(Bits)) / 4;
  static constexpr int per_word = sizeof(Bits) == 2 ? 2 : 1;
  using Vector                  = std::conditional_t<words == 2, uint2, uint4>;
  static constexpr int vectors  = 4 * words / int(sizeof(Vector));

  __device__ static void load(Bits (&to)[N], Bits const* from) {
    std::uint32_t word[words];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      Vector const vector = reinterpret_cast<Vector const*>(from)[v];
      memcpy(word + words / vectors * v, &vector, sizeof(Vector));
    }
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if constexpr (sizeof(Bits) == 8) {
        to[j] = std::uint64_t(word[2 * j + 1]) << 32 | word[2 * j];
      } else {
        to[j] = Bits(word[j / per_word] >> 16 * (j % per_word));
      }
    }
  }
  __device__ static void store(Bits* to, Bits const (&from)[N]) {
    std::uint32_t word[words] = {};
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if constexpr (sizeof(Bits) == 8) {
        word[2 * j]     = std::uint32_t(from[j]);
        word[2 * j + 1] = std::uint32_t(from[j] >> 32);
      } else {
        word[j / per_word] |= std::uint32_t(from[j]) << 16 * (j % per_word);
      }
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      Vector vector;
      memcpy(&vector, word + words / vectors * v, sizeof(Vector));
      reinterpret_cast<Vector*>(to)[v] = vector;
    }
  }
};

/// Elements from `first` on, and where there are none -0, which changes no sum.
template <Scalar Input, int N>
__device__ void load_scan_elements(ExactScanViews<Input> const& views,
                                   std::uint64_t first, std::uint64_t end,
                                   element_bits_t<Input> (&bits)[N]) {
  if (views.vectors && first + N <= end) {
    ScanVectors<element_bits_t<Input>, N>::load(bits, views.x + first);
    return;
  }
#pragma unroll
  for (int j = 0; j < N; ++j)
    bits[j] = first + j < end
                  ? views.x[std::int64_t(first + j) * views.stride_x]
                  : exact_nothing<Input>;
}
template <Scalar Input, class Bits, int N>
__device__ void store_prefixes(ExactScanViews<Input> const& views,
                               std::uint64_t first, std::uint64_t end,
                               Bits const (&bits)[N]) {
  auto* const y = static_cast<Bits*>(views.y);
  if (views.vectors && first + N <= end) {
    ScanVectors<Bits, N>::store(y + first, bits);
    return;
  }
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (first + j < end) y[std::int64_t(first + j) * views.stride_y] = bits[j];
}

template <Scalar Carrier, int Warps>
struct ExactScanMemory {
  static constexpr int limbs = exact_limbs(Carrier);
  static constexpr int warps = Warps;
  std::int64_t limb[limbs];
  /// Before this tile, and before the next one.
  ExactDigits<limbs> before[2];
  std::int64_t sum_of_warp[2][Warps];  ///< in a digit, and in the next one
  unsigned flags_of_warp[Warps];
  int first_of_warp[Warps];
  int end_of_warp[Warps];
  unsigned flags;  ///< of the elements before this tile
};

/// The digits of the first `count` sums, with the initial value.
template <Scalar Input, Scalar Carrier, class Memory>
__device__ void digits_before_range(Memory& memory,
                                    ExactRangeSum<Input> const* sums,
                                    unsigned count,
                                    ExactInitial const& initial) {
  constexpr int limbs  = ExactRangeSum<Input>::limbs;
  constexpr int lowest = exact_lowest_of<Carrier>;
  // From the lowest bit of the sums to that of the carrier.
  constexpr int offset = exact_lowest_of<Input> - lowest;
  auto const add       = [&](int k, std::int64_t part) {
    if (part != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(memory.limb + k),
                      static_cast<unsigned long long>(part));
  };
  for (int k = threadIdx.x; k < Memory::limbs; k += blockDim.x)
    memory.limb[k] = 0;
  if (threadIdx.x == 0) memory.flags = 0;
  __syncthreads();
  unsigned const groups = blockDim.x / limbs;
  unsigned const group  = threadIdx.x / limbs;
  int const k           = int(threadIdx.x % limbs);
  if (group < groups) {
    // A block's limbs may have nearly 64 bits: by halves they do not overflow.
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

/// The flags of all values before the lane's.
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

/// What a block needs of a tile before it scans it.
struct ScanTile {
  int first, end;         ///< digits that the elements add to
  unsigned flags_before;  ///< of the elements before the thread's
  unsigned flags;         ///< of all
};
/// From what each thread has of the tile. The block waits once.
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

/// \return the sum of the values of the threads before this one
/// \param all the sum of all. The block waits once: the next call takes other
///        memory
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

template <Scalar Output>
__device__ std::uint64_t round_prefix(DigitWindow& window, bool negative,
                                      int digits, int lowest, unsigned flags) {
  constexpr FloatFormat format = exact_format_of<Output>;
  if (is_special_sum(flags)) return special_sum(flags, format);
  return window.round(negative, digits, lowest, format,
                      flags & exact_has_other ? 0 : format.sign());
}

/// The total of all elements, rounded by one thread: the digits behind them
/// without the initial value.
template <Scalar Carrier, class Memory>
__device__ void store_exact_total(Memory& memory,
                                  ExactDigits<Memory::limbs> const& digits,
                                  ExactInitial const& initial,
                                  ExactTarget const& total) {
  constexpr int limbs  = Memory::limbs;
  constexpr int lowest = exact_lowest_of<Carrier>;
  for (int k = 0; k < limbs; ++k) memory.limb[k] = digits[k];
  // The rest of the digits and the sign.
  memory.limb[limbs - 1] += std::int64_t(std::int32_t(digits[limbs])) << 32;
  ExactTerm const term = initial.term(lowest);
  split_into_limbs(-term.integer, term.position, [&](int k, std::int64_t part) {
    if (part != 0) memory.limb[k] += part;
  });
  total.store(round_limbs(memory.limb, 0, limbs, memory.flags, false, lowest,
                          total.format));
}

template <Scalar Input, Scalar Output, Scalar Carrier, bool Inclusive,
          class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  min_blocks_of<Tuning::value.min_blocks, 1>)
    exact_scan(ExactScanViews<Input> const views,
               ExactRangeSum<Input> const* const sums, unsigned const others,
               ExactInitial const initial, ExactTarget const total) {
  constexpr int values = Tuning::value.values;
  constexpr int warps  = Tuning::value.threads / 32;
  constexpr int lowest = exact_lowest_of<Carrier>;
  using Bits           = element_bits_t<Input>;
  using Result         = element_bits_t<Output>;
  using Memory         = ExactScanMemory<Carrier, warps>;
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
    ExactDigitsOfElement<Input> element[values];
    unsigned flags_of[values];
    Bits bits[values];
    load_scan_elements(views, mine, end, bits);
    unsigned flags = 0;
    int first      = Memory::limbs;
    int last       = 0;
#pragma unroll
    for (int j = 0; j < values; ++j) {
      flags_of[j] = element[j].template assign<lowest>(bits[j]);
      flags |= flags_of[j];
      if (element[j].is_zero()) continue;
      first = min(first, element[j].first);
      last  = max(last, element[j].first + element[j].count);
    }
    ScanTile const of_tile = gather_tile(memory, flags, first, last);
    unsigned running = of_tile.flags_before | memory.flags | initial_flags;

    auto const& before = memory.before[current];
    auto& behind       = memory.before[1 - current];
    int const digits   = max(of_tile.end, before.end);
    int const first_digit =
        min(of_tile.first, before.is_zero() ? digits : before.first);
    DigitWindow window[values];
    int carry[values] = {};
    int carry_of_tile = 0;
    for (int k = first_digit; k < digits; ++k) {
      std::int64_t const digit = before[k];
      std::int64_t prefix[values];
      std::int64_t earlier = 0;
      std::int64_t all     = 0;  // of the tile
#pragma unroll
      for (int j = 0; j < values; ++j) prefix[j] = 0;
      if (k >= of_tile.first && k < of_tile.end) {
        std::int64_t sum = 0;
#pragma unroll
        for (int j = 0; j < values; ++j) {
          std::int64_t const part = element[j].at(k);
          prefix[j]               = Inclusive ? sum + part : sum;
          sum += part;
        }
        earlier = scan_over_block(memory.sum_of_warp[k % 2], sum, all);
      }
      earlier += digit;
#pragma unroll
      for (int j = 0; j < values; ++j) {
        std::int64_t const value = earlier + prefix[j] + carry[j];
        window[j].push(std::uint32_t(value), k);
        carry[j] = int(value >> 32);
      }
      std::int64_t const value = digit + all + carry_of_tile;
      carry_of_tile            = int(value >> 32);
      if (threadIdx.x == 0) behind.digit[k] = std::uint32_t(value);
    }
    // The digits of the sign and a carry.
    int const sign = before.negative ? -1 : 0;
    Result result[values];
#pragma unroll
    for (int j = 0; j < values; ++j) {
      int const above = sign + carry[j];
      window[j].push(std::uint32_t(above), digits);
      if (Inclusive) running |= flags_of[j];
      result[j] = Result(round_prefix<Output>(window[j], above < 0, digits + 1,
                                              lowest, running));
      if (!Inclusive) running |= flags_of[j];
    }
    store_prefixes(views, mine, end, result);
    __syncthreads();  // memory.flags and what is before the tile are read
    if (threadIdx.x == 0) {
      int const above      = sign + carry_of_tile;
      behind.digit[digits] = std::uint32_t(above);
      behind.negative      = above < 0;
      behind.first         = first_digit;
      behind.end           = digits + 1;
      behind.trim();
      memory.flags |= of_tile.flags;
    }
    current = 1 - current;
    __syncthreads();
  }
  if (total.is_wanted() && end == views.size && threadIdx.x == 0)
    store_exact_total<Carrier>(memory, memory.before[current], initial, total);
}

/// Launches on the stream of `space`, which is not captured if there is a sum
/// before.
/// \param total of all elements, or of no place
/// \param before of what precedes x elsewhere, or null: then no total
template <Scalar Input, Scalar Output, Scalar Carrier, bool Inclusive,
          class Tuning>
void launch_exact_scan(Kokkos::Cuda const& space, StreamScratch const& scratch,
                       ExactScanViews<Input> views, ExactInitial const& initial,
                       ExactTarget const& total,
                       ExactRangeSum<Input> const* before = nullptr) {
  if (views.size == 0) return;
  constexpr ExactScanTuning tuning = Tuning::value;
  constexpr std::uint64_t tile = std::uint64_t(tuning.threads) * tuning.values;
  Device const& d              = device(space.cuda_device());
  std::uint64_t const tiles    = (views.size + tile - 1) / tile;
  // A second launch pays from some tiles on.
  std::uint64_t const most =
      tiles < 4 ? 1 : std::uint64_t(d.multiprocessors) * tuning.min_blocks;
  views.range       = (tiles + most - 1) / most * tile;
  auto const blocks = unsigned((views.size + views.range - 1) / views.range);

  auto* const sums = static_cast<ExactRangeSum<Input>*>(
      scratch->segments((1 + blocks) * sizeof(ExactRangeSum<Input>)));
  unsigned const others = before != nullptr;
  if (before != nullptr)
    check(cudaMemcpyAsync(sums, before, sizeof(*before), cudaMemcpyHostToDevice,
                          space.cuda_stream()),
          "cudaMemcpyAsync of an exact sum");
  bool const contiguous = views.stride_x == 1;
  // Elements of 4 and 8 bytes fill the memory's latency one by one, too, and
  // each kernel is half a second of compiling.
  constexpr bool by_vectors = size_of(Input) < 4;
  if (blocks > 1) {
    using SumTuning = tuning_type<exact_tuning(Input)>;
    launch_kernel(space, "exact_range_sums",
                  by_vectors && contiguous
                      ? exact_range_sums<Input, SumTuning, by_vectors>
                      : exact_range_sums<Input, SumTuning, false>,
                  {blocks - 1, unsigned(SumTuning::value.threads)}, views,
                  sums + others);
  }
  auto const aligned = [](void const* at, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(at) %
               std::min<std::size_t>(16, bytes) ==
           0;
  };
  views.vectors = contiguous && views.stride_y == 1 &&
                  aligned(views.x, tuning.values * size_of(Input)) &&
                  aligned(views.y, tuning.values * size_of(Output));
  launch_kernel(space, "exact_scan",
                exact_scan<Input, Output, Carrier, Inclusive, Tuning>,
                {blocks, unsigned(tuning.threads)}, views, sums, others,
                initial, total);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
