// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_RUNS_BY_KEY_HPP
#define KOKKOSMMA_CUDA_RUNS_BY_KEY_HPP

#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Scans and sums of runs of equal keys, in one pass over keys and elements: a
/// scan of segments that begin where neighbouring keys differ. For sums it also
/// counts them, and stores the prefix of the last element of each.

namespace KokkosMMA::Impl::Cuda {

/// Starts of runs, as in KokkosMMA_SegmentStarts.hpp. Keys are compared, not
/// their bits: a NaN equals nothing.
template <std::uint32_t Elements, class Key>
struct KeyTileStarts {
  using Number               = std::uint32_t;
  static constexpr bool sums = false;
  Key const* keys;
  std::int64_t size;

  struct Hint {};
  __device__ Hint hint() const { return {}; }
  __device__ std::uint64_t begin() const { return 0; }
  __device__ std::uint64_t end() const { return std::uint64_t(size); }

  __device__ void mark(std::int64_t part, std::uint32_t* bits, Hint&) const {
    constexpr int groups = Elements / 32;
    // In flight together, with the elements: 8 or 16 registers of keys.
    constexpr int together = sizeof(Key) == 4   ? 16
                             : sizeof(Key) > 32 ? 1
                             : sizeof(Key) < 4  ? 8
                                                : int(32 / sizeof(Key));
    int const lane         = threadIdx.x % 32;
    bool const inside      = part > 0 && part + std::int64_t(Elements) <= size;
#pragma unroll
    for (int g = 0; g < groups; g += together) {
      bool begins[together];
      std::int64_t const first = part + g * 32 + lane;
      if (inside) {
        Key const* const at = keys + first;
        Slot<Key> key[together], before, left;
        copy_bits(&before.value, at - 1);
#pragma unroll
        for (int k = 0; k < together; ++k)
          if (g + k < groups) copy_bits(&key[k].value, at + k * 32);
#pragma unroll
        for (int k = 0; k < together; ++k) {
          if (g + k >= groups) continue;
          Cuda::shuffle_up(left, key[k].value, 1);
          if (lane == 0) copy_bits(left, before);
          begins[k] = differ(left.value, key[k].value);
          Cuda::shuffle_down(before, key[k].value, 31);
        }
      } else {
#pragma unroll
        for (int k = 0; k < together; ++k) begins[k] = starts(first + k * 32);
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (g + k >= groups) continue;
        std::uint32_t const word = __ballot_sync(0xffffffffu, begins[k]);
        if (lane == 0) bits[g + k] = word;
      }
    }
  }

  __device__ static bool differ(Key const& a, Key const& b) {
    return !static_cast<bool>(b == a);
  }
  /// Whether a run begins with element i, or would after the last element.
  __device__ bool starts(std::int64_t i) const {
    return i > 0 && i < size ? differ(keys[i - 1], keys[i])
                             : i == 0 || i == size;
  }
};

template <std::uint32_t Elements, class Key, class Store>
struct KeyTileSums : KeyTileStarts<Elements, Key> {
  using Starts               = KeyTileStarts<Elements, Key>;
  using Number               = std::uint64_t;
  static constexpr bool sums = true;
  Key* unique_keys;
  std::ptrdiff_t stride;  ///< between the keys of neighbouring runs
  Store store_sum;        ///< store_sum(run, sum)
  ResultTarget<std::int64_t> runs;

  __device__ void mark(std::int64_t part, std::uint32_t* bits,
                       typename Starts::Hint& hint) const {
    if (threadIdx.x % 32 == 0)
      bits[Elements / 32] = this->starts(part + Elements);
    Starts::mark(part, bits, hint);
  }

  /// Stores keys of the runs that begin at listed positions, and sums of those
  /// that end before them: up to 32 `Together` runs, whose keys are in flight.
  template <class Combined, int Together, class Kept, class Sum>
  __device__ void store_listed(std::int64_t part, Kept const& kept,
                               std::uint16_t const* list, std::uint32_t count,
                               Sum const& before, std::int64_t run) const {
    using Value              = decltype(before.get());
    auto const* const prefix = reinterpret_cast<Value const*>(kept.prefix);
    auto const inside        = [&](std::int64_t i) {
      return std::uint64_t(i) < std::uint64_t(this->size);
    };
    std::uint32_t const lane = threadIdx.x % 32;
    Slot<Key> key[Together];
    std::uint32_t position[Together];
    bool begins[Together];
#pragma unroll
    for (int k = 0; k < Together; ++k) {
      std::uint32_t const n = lane + k * 32;
      position[k]           = n < count ? list[n] : 0;
      begins[k] =
          n < count && position[k] < Elements && inside(part + position[k]);
      if (begins[k])
        copy_bits(&key[k].value, this->keys + (part + position[k]));
    }
#pragma unroll
    for (int k = 0; k < Together; ++k) {
      std::int64_t const number = run + lane + k * 32;
      if (begins[k]) copy_bits(unique_keys + number * stride, &key[k].value);
      if (position[k] == 0 || !inside(part + position[k] - 1)) continue;
      std::uint32_t const last = position[k] - 1;
      Value sum;
      copy_bits(&sum, prefix + last);
      if (last < kept.first) sum = Combined::apply(before.get(), sum);
      store_sum(std::uint64_t(number - 1), sum);
    }
  }

  /// Stores the results of runs that begin or end in a warp's part. The starts
  /// are listed, so that all lanes have a run.
  /// \param list memory of the warp for run_list positions
  template <class Combined, class Kept, class Sum>
  __device__ void store(std::int64_t part, Kept const& kept,
                        std::uint16_t* list, Sum const& before) const {
    std::uint32_t const lane = threadIdx.x % 32;
    auto run = std::int64_t(before.starts());  // begins with the next start
    for (std::uint32_t g = 0; g <= Elements / 32; g += run_list / 32) {
      std::uint32_t const mine =
          lane < run_list / 32 && g + lane <= Elements / 32
              ? kept.starts[g + lane]
              : 0;
      if (!__any_sync(0xffffffffu, mine != 0)) continue;
      std::uint32_t count = 0;
#pragma unroll
      for (std::uint32_t k = 0; k < run_list / 32; ++k) {
        std::uint32_t const word = __shfl_sync(0xffffffffu, mine, int(k));
        if (word >> lane & 1)
          list[count + popcount(word & ((1u << lane) - 1))] =
              std::uint16_t((g + k) * 32 + lane);
        count += popcount(word);
      }
      __syncwarp();
      // With keys of 1 or 8 bytes, four of them would be in local memory.
      constexpr int together = sizeof(Key) == 4 ? 4 : 1;
      std::uint32_t first    = 0;
      for (; first + (together - 1) * 32 < count; first += together * 32)
        store_listed<Combined, together>(part, kept, list + first,
                                         count - first, before, run + first);
      for (; first < count; first += 32)
        store_listed<Combined, 1>(part, kept, list + first, count - first,
                                  before, run + first);
      run += count;
      __syncwarp();
    }
  }

  /// Stores the number of runs, in one lane.
  /// \param starts in all tiles, which take `elements` elements
  __device__ void finish(std::uint64_t starts, std::uint64_t elements) const {
    bool const after_last = std::uint64_t(this->size) < elements;
    runs.store(std::int64_t(starts - after_last));
  }
};

/// Scans `size` elements of x, at least one, within runs of equal keys into y,
/// which may be x if the elements have one size.
template <Operation Op, Scalar Input, class Value, bool Inclusive, class Key,
          class Output>
void launch_scan_by_key(Stream const& stream, StreamScratch const& scratch,
                        Key const* keys, void const* x, std::uint64_t size,
                        Output* y) {
  using Scan   = WarpSegmentScan<Warp, Op, Input, Value, Inclusive>;
  using Tuning = tuning_type<segment_pipeline_tuning<Scan, true>>;
  launch_segment_pipeline<Scan, Tuning>(
      stream, scratch, scan_operands<Scan>(x, size, y),
      KeyTileStarts<tile_part<Scan, Tuning>, Key>{keys, std::int64_t(size)});
}

/// Reduces runs of `size` elements of x, at least one; see KeyTileSums.
/// \param runs receives their number, if it is on the host before this returns
template <Operation Op, Scalar Input, class Value, class Key, class Store>
void launch_reduce_by_key(Stream const& stream, StreamScratch const& scratch,
                          Key const* keys, void const* x, std::uint64_t size,
                          Key* unique_keys, std::ptrdiff_t stride,
                          Store const& store, std::int64_t* runs,
                          bool runs_on_device) {
  using Scan        = WarpSegmentScan<Warp, Op, Input, Value, true>;
  using Tuning      = tuning_type<run_sums_tuning<Scan>>;
  using Sums        = KeyTileSums<tile_part<Scan, Tuning>, Key, Store>;
  auto const launch = segment_pipeline<Sums, Scan, Tuning>(
      stream, scratch,
      scan_operands<Scan>(x, size, static_cast<unsigned char const*>(x)));
  scratch.deliver(
      runs, runs_on_device, [&](ResultTarget<std::int64_t> const& target) {
        launch(Sums{
            {keys, std::int64_t(size)}, unique_keys, stride, store, target});
      });
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
