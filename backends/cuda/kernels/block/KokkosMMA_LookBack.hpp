// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LOOK_BACK_HPP
#define KOKKOSMMA_CUDA_LOOK_BACK_HPP

#include <backends/cuda/arch/KokkosMMA_Relaxed.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>

#include <cstdint>

/// \file
/// Sum of all earlier tiles, while their blocks still run.
///
/// Tiles are numbered in the order in which blocks start them. The blocks of
/// all earlier tiles are therefore running or have ended, and none waits for a
/// later tile: no block waits for ever, whatever else occupies the device. A
/// tile publishes its aggregate. It then adds the aggregates of the earlier
/// tiles of its own window, in a fixed tree, to the prefix of the window, which
/// the last tile of the previous window publishes. The association depends only
/// on the tile, so results are bitwise the same from run to run. Look-back of
/// variable length (Merrill and Garland 2016) was also slower: 3109 instead of
/// 3518 GB/s (float, H200). Windows of windows, other windows and pauses
/// between loads gain nothing (docs/results/history.md).
///
/// Values are stored in 8-byte words of 4 bytes of the value and the launch's
/// tag. A word with the right tag is complete, so values of any size need no
/// fence, no flag and no reset between launches.

namespace KokkosMMA::Impl::Cuda {

/// Tiles per window, by words per value: a lane reads window / 32 values.
template <class T>
inline constexpr unsigned look_back_window = Words<T>::size == 1   ? 128
                                             : Words<T>::size == 2 ? 128
                                             : Words<T>::size <= 4 ? 64
                                                                   : 32;

/// Window and words per value, for tiles that publish aggregates of type T.
template <class T>
inline constexpr LookBackSize look_back_size{look_back_window<T>,
                                             Words<T>::size};

/// Values in words with the tag of a launch.
template <class T>
class TaggedWords {
 public:
  static constexpr int words = Words<T>::size;

 protected:
  __device__ explicit TaggedWords(unsigned tag) : m_tag(tag) {}

  __device__ void store(std::uint64_t* to, T const& value) const {
    auto const bits = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < words; ++i)
      Relaxed64::store(to + i, bits.word[i], m_tag);
  }
  __device__ static void fetch(std::uint64_t const* from,
                               std::uint64_t (&to)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) to[i] = Relaxed64::load(from + i);
  }
  __device__ bool has_tag(std::uint64_t const (&word)[words]) const {
    bool all = true;
#pragma unroll
    for (int i = 0; i < words; ++i)
      all = all && std::uint32_t(word[i] >> 32) == m_tag;
    return all;
  }
  __device__ static void unpack(std::uint64_t const (&word)[words],
                                Slot<T>& value) {
    Words<T> bits;
#pragma unroll
    for (int i = 0; i < words; ++i) bits.word[i] = std::uint32_t(word[i]);
    bits.to(value.value);
  }
  /// Waits for a value and reads it. Called by one lane.
  __device__ void wait(std::uint64_t const* from, Slot<T>& value) const {
    std::uint64_t bits[words];
    do fetch(from, bits);
    while (!has_tag(bits));
    unpack(bits, value);
  }

 private:
  unsigned m_tag;
};

template <class T, class Joiner>
class LookBack : TaggedWords<T> {
  using Base = TaggedWords<T>;
  using Base::fetch, Base::has_tag, Base::store, Base::unpack, Base::words;

 public:
  static constexpr unsigned window = look_back_window<T>;

  __device__ LookBack(Joiner const& joiner, ScanScratch const& scratch,
                      unsigned tiles, unsigned tag)
      : Base(tag), m_joiner(joiner), m_words(scratch.words), m_tiles(tiles) {}

  /// Publishes the aggregate of a tile. Called by one lane.
  __device__ void publish(unsigned tile, T const& aggregate) const {
    store(slot(tile), aggregate);
  }

  /// Waits for the aggregate of a tile and reads it. Called by one lane.
  __device__ void aggregate(unsigned tile, Slot<T>& value) const {
    this->wait(slot(tile), value);
  }

  /// Computes the sum of all tiles before `tile`, in lane 0. Called by one
  /// warp, after `tile` is published.
  __device__ void exclusive(unsigned tile, Slot<T>& prefix) const {
    constexpr unsigned per_lane      = window / 32;
    unsigned const lane              = threadIdx.x % 32;
    unsigned const number            = tile / window;
    unsigned const before            = tile % window;  // tiles of this window
    bool const ends_window           = before == window - 1;
    std::uint64_t const* const start = start_of(number);
    // All loads of a round are in flight together. Only missing values are
    // loaded again, because all blocks of a window load the same lines.
    std::uint64_t early[words];
    if (lane == 0 && number > 0) fetch(start, early);
    std::uint64_t others[per_lane][words];
    bool have[per_lane];
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k)
      have[k] = lane * per_lane + k >= before + ends_window;
    bool complete;
    do {
#pragma unroll
      for (unsigned k = 0; k < per_lane; ++k)
        if (!have[k])
          fetch(slot(number * window + lane * per_lane + k), others[k]);
      complete = true;
#pragma unroll
      for (unsigned k = 0; k < per_lane; ++k) {
        if (!have[k]) have[k] = has_tag(others[k]);
        complete = complete && have[k];
      }
    } while (!complete);
    __syncwarp();
    Slot<T> sum;
    m_joiner.init(sum.value);
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      if (lane * per_lane + k < before) {
        Slot<T> other;
        unpack(others[k], other);
        m_joiner.join(sum.value, other.value);
      }
    }
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      Slot<T> other;
      Cuda::shuffle_down(other, sum.value, offset);
      m_joiner.join(sum.value, other.value);
    }
    // The last lane has loaded the aggregate of `tile` itself together with the
    // others: a separate load would delay the prefix of the next window.
    Slot<T> own;
    if (ends_window) {
      Slot<T> last;
      unpack(others[per_lane - 1], last);
      Cuda::shuffle_down(own, last.value, 31);
    }
    if (lane != 0) return;
    m_joiner.init(prefix.value);
    if (number > 0) {
      while (!has_tag(early)) fetch(start, early);
      unpack(early, prefix);
    }
    if (ends_window) {
      Slot<T> next, whole;
      Cuda::copy_bits(next, prefix);
      Cuda::copy_bits(whole, sum);
      m_joiner.join(whole.value, own.value);
      m_joiner.join(next.value, whole.value);
      store(start_of(number + 1), next.value);
    }
    m_joiner.join(prefix.value, sum.value);
  }

 private:
  /// Slot of a tile. Neighbouring tiles of one lane are 32 slots apart, so that
  /// a warp reads whole lines.
  __device__ std::uint64_t* slot(unsigned tile) const {
    constexpr unsigned per_lane = window / 32;
    unsigned const within       = tile % window;
    return m_words + (std::uint64_t(tile - within) + within % per_lane * 32 +
                      within / per_lane) *
                         words;
  }
  __device__ std::uint64_t* start_of(unsigned number) const {
    return m_words +
           (std::uint64_t(m_tiles / window + 1) * window + number) * words;
  }

  Joiner const& m_joiner;
  std::uint64_t* m_words;
  unsigned m_tiles;
};

/// Number of the tile that a block starts, and the tag of the launch. Drawn by
/// one thread.
struct TileTicket {
  unsigned tile;
  unsigned tag;

  __device__ static TileTicket draw(ScanControl* control) {
    unsigned const launches =
        *static_cast<unsigned volatile*>(&control->launches);
    return {next(control), launches + 1};
  }
  __device__ static unsigned next(ScanControl* control) {
    return atomicAdd(&control->ticket, 1u);
  }
};

/// Called by one thread of each block after its last access to the scratch. The
/// last block resets the counters for the next launch. When the tags run out,
/// it clears the words: words of 2^32 launches ago must not look new.
__device__ inline void finish_scan(ScanScratch const& scratch) {
  ScanControl* const control = scratch.control;
  unsigned const last        = gridDim.x - 1;
  // A relaxed atomic suffices: this block reads nothing that other blocks
  // wrote, and resets memory that they no longer read. An acquire would
  // invalidate L1, in which the functors find their data again (1890 instead of
  // 2220 GB/s, float).
  if (atomicInc(&control->finished, last) != last) return;
  control->ticket         = 0;
  unsigned const launches = control->launches + 1;
  control->launches       = launches == 0xffffffffu ? 0 : launches;
  if (launches == 0xffffffffu)
    for (std::uint64_t i = 0; i < scratch.capacity; ++i) scratch.words[i] = 0;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
