// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BLOCK_SCAN_HPP
#define KOKKOSMMA_CUDA_BLOCK_SCAN_HPP

#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>

#include <cstdint>

/// \file
/// Scans within a lane and a warp, in index order: joins need not commute.
/// `Joiner` offers init(T&) and join(T& into, T const& from), which computes
/// into = into + from, where `into` is the earlier value.

namespace KokkosMMA::Impl::Cuda {

/// The calling thread's lane.
/// \tparam Hidden whether the compiler does not recognise the value as a
///   constant of a loop over tiles. Otherwise it compares the lane before the
///   loop and keeps the results in five or more of the seven predicates. If the
///   functor compares what it reads, ptxas 13.0 then has 2 of a lane's 16 loads
///   in flight, and 16 with this: a scan that counts flags of floats reaches
///   0.44 and 0.82 of the copy rate (H200, 2026-11-29). Scans of segments would
///   spill 16 to 32 bytes.
template <bool Hidden>
__device__ int lane_of_thread() {
  int lane = threadIdx.x % 32;
  if constexpr (Hidden) {
    Opaque::hide(lane);
  }
  return lane;
}

/// Copies the value of lane - offset, bit for bit.
template <class T>
__device__ void shuffle_up(Slot<T>& to, T const& from, int offset) {
  auto words = Words<T>::from(from);
#pragma unroll
  for (int i = 0; i < Words<T>::size; ++i)
    words.word[i] = __shfl_up_sync(0xffffffffu, words.word[i], offset);
  words.to(to.value);
}

/// Replaces each value by the sum of those before it; value 0 keeps its bits.
/// `sum` receives the sum of all.
template <class Joiner, class T, int N>
__device__ void lane_exclusive(Joiner const& joiner, Slot<T> (&values)[N],
                               Slot<T>& sum) {
  copy_bits(sum, values[0]);
#pragma unroll
  for (int j = 1; j < N; ++j) {
    Slot<T> next;
    copy_bits(next, sum);
    joiner.join(next.value, values[j].value);
    copy_bits(values[j], sum);
    copy_bits(sum, next);
  }
}

/// Replaces `value` by the inclusive prefix over the lanes; `before` receives
/// the exclusive prefix, which is undefined in lane 0.
/// \tparam HidesLane see lane_of_thread()
template <bool HidesLane, class Joiner, class T>
__device__ void warp_exclusive(Joiner const& joiner, Slot<T>& value,
                               Slot<T>& before) {
  int const lane = lane_of_thread<HidesLane>();
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    Slot<T> other;
    shuffle_up(other, value.value, offset);
    if (lane >= offset) {
      joiner.join(other.value, value.value);
      copy_bits(value, other);
    }
  }
  shuffle_up(before, value.value, 1);
}

/// Exchanges elements l, l + 32, l + 64, ... in lane l with N neighbours per
/// lane, and back, through memory of the warp. 16 bytes of padding per 128 keep
/// both accesses free of bank conflicts, if N neighbours are whole 16-byte
/// vectors.
template <class T, int N>
class WarpExchange {
  static constexpr bool vectors =
      N * sizeof(T) % 16 == 0 &&
      (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  static constexpr int padded(int byte) {
    return vectors ? byte + byte / 128 * 16 : byte;
  }

 public:
  static constexpr int alignment = alignof(T) > 16 ? alignof(T) : 16;
  static constexpr int bytes =
      (padded(N * 32 * sizeof(T)) + alignment - 1) / alignment * alignment;

  __device__ explicit WarpExchange(unsigned char* memory) : m_memory(memory) {}

  __device__ void to_neighbours(Slot<T> (&values)[N], int lane) const {
    if constexpr (N > 1) {
#pragma unroll
      for (int j = 0; j < N; ++j) copy_bits(row(j, lane), &values[j].value);
      __syncwarp();
      neighbours<false>(values, lane);
      __syncwarp();
    }
  }
  /// Stores values that load_row() of the same warp reads.
  __device__ void store_neighbours(Slot<T> (&values)[N], int lane) const {
    neighbours<true>(values, lane);
    __syncwarp();
  }
  __device__ void load_row(Slot<T>& value, int j, int lane) const {
    copy_bits(&value.value, row(j, lane));
  }

 private:
  __device__ T* row(int j, int lane) const {
    int const byte = (j * 32 + lane) * int(sizeof(T));
    return reinterpret_cast<T*>(m_memory +
                                (vectors ? byte + byte / 128 * 16 : byte));
  }
  template <bool Store>
  __device__ void neighbours(Slot<T> (&values)[N], int lane) const {
    if constexpr (vectors) {
      constexpr int per = 16 / sizeof(T);
#pragma unroll
      for (int v = 0; v < N / per; ++v) {
        int const byte = lane * N * int(sizeof(T)) + v * 16;
        uint4* const at =
            reinterpret_cast<uint4*>(m_memory + byte + byte / 128 * 16);
        constexpr int size = Words<T>::size;
        if constexpr (Store) {
          std::uint32_t word[4];
#pragma unroll
          for (int w = 0; w < 4; ++w)
            word[w] =
                Words<T>::from(values[v * per + w / size].value).word[w % size];
          *at = {word[0], word[1], word[2], word[3]};
        } else {
          uint4 const vector          = *at;
          std::uint32_t const word[4] = {vector.x, vector.y, vector.z,
                                         vector.w};
#pragma unroll
          for (int k = 0; k < per; ++k) {
            Words<T> bits;
#pragma unroll
            for (int w = 0; w < size; ++w) bits.word[w] = word[k * size + w];
            bits.to(values[v * per + k].value);
          }
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        T* const at = reinterpret_cast<T*>(m_memory) + lane * N + k;
        if constexpr (Store) {
          copy_bits(at, &values[k].value);
        } else {
          copy_bits(&values[k].value, at);
        }
      }
    }
  }

  unsigned char* m_memory;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
