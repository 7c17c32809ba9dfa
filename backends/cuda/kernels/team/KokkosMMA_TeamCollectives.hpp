// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP
#define KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_StridedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Reductions inside a kernel of Kokkos' TeamPolicy, whose blocks are (vector
/// lanes, threads), and the parts that scans use too.
///
/// Ordinary loads read memory: it may be shared, or written earlier in the same
/// kernel. `Joiner` offers init(T&) and join(T& into, T const& from), which
/// computes into = into + from with `into` the earlier, and `commutes`: whether
/// from + into has the same bits.

namespace KokkosMMA::Impl::Cuda {

/// Lanes that reduce or scan together. The last warp of a team may be partly
/// filled; the lanes of a vector are neighbours, and a power of two.
struct LaneGroup {
  unsigned rank;
  unsigned size;
  unsigned lane;   ///< index in this warp
  unsigned width;  ///< lanes in this warp
  unsigned warp;
  unsigned warps;
  unsigned mask;     ///< of this warp's lanes, for shuffles
  unsigned segment;  ///< width of a shuffle, a power of two

  __device__ static LaneGroup team() {
    unsigned const rank = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned const size = blockDim.x * blockDim.y;
    unsigned const left = size - rank / 32 * 32;
    return {rank,
            size,
            rank % 32,
            left < 32 ? left : 32,
            rank / 32,
            size / 32 + (size % 32 != 0),
            0xffffffffu >> (left < 32 ? 32 - left : 0),
            32};
  }
  __device__ static LaneGroup vector() {
    unsigned const first = threadIdx.y * blockDim.x % 32;
    return {threadIdx.x,
            blockDim.x,
            threadIdx.x,
            blockDim.x,
            0,
            1,
            0xffffffffu >> (32 - blockDim.x) << first,
            blockDim.x};
  }
  /// Variant of vector() with the mask as Kokkos computes it at the end of its
  /// nested calls and of Kokkos::single: by divisions, around which whole warps
  /// branch. If a kernel has only Kokkos' mask, ptxas 13.0 moves the divisions
  /// out of the branch and of the loop over rows. Whole warps then execute them
  /// too: 50 instructions of 150 for a row of one element per lane.
  __device__ static LaneGroup vector_as_kokkos() {
    LaneGroup group = vector();
    group.mask      = 0xffffffffu;
    if (blockDim.x != 32)
      group.mask = ((1u << blockDim.x) - 1)
                   << threadIdx.y % (32 / blockDim.x) * blockDim.x;
    return group;
  }
  /// Calls f(*this, integral_constant<bool, whole warp>). For a whole warp,
  /// mask and segment are constants: ptxas 13.0 compares any other mask to the
  /// active lanes before each shuffle, with four instructions.
  template <class F>
  __device__ auto with_constants(F const& f) const {
    if (width != 32) return f(*this, std::false_type{});
    LaneGroup whole = *this;
    whole.width     = 32;
    whole.mask      = 0xffffffffu;
    whole.segment   = 32;
    return f(whole, std::true_type{});
  }
  __device__ void sync_warp() const {
    if (width != 32)
      __syncwarp(mask);
    else
      __syncwarp();
  }

  template <class T>
  __device__ T shuffle_up(T const& value, unsigned offset) const {
    return shuffle(value, [&](std::uint32_t word) {
      return __shfl_up_sync(mask, word, offset, segment);
    });
  }
  template <class T>
  __device__ T shuffle_down(T const& value, unsigned offset) const {
    return shuffle(value, [&](std::uint32_t word) {
      return __shfl_down_sync(mask, word, offset, segment);
    });
  }
  template <class T>
  __device__ T exchange(T const& value, unsigned offset) const {
    return shuffle(value, [&](std::uint32_t word) {
      return __shfl_xor_sync(mask, word, int(offset), int(segment));
    });
  }
  template <class T>
  __device__ T broadcast(T const& value, unsigned from) const {
    return shuffle(value, [&](std::uint32_t word) {
      return __shfl_sync(mask, word, from, segment);
    });
  }

 private:
  template <class T, class Move>
  __device__ static T shuffle(T const& value, Move const& move) {
    auto words = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < Words<T>::size; ++i)
      words.word[i] = move(words.word[i]);
    T other;
    words.to(other);
    return other;
  }
};

/// Sums of the warps of a block. Two sets, so that one barrier per round is
/// enough. Values of one size share this memory.
template <int Bytes>
__device__ unsigned char* team_warp_sums() {
  __shared__ __align__(16) unsigned char memory[2 * 32 * Bytes];
  return memory;
}

/// Sums one value per lane; every lane gets the sum. First a tree over the
/// lanes of a warp, in which pairs exchange values if joining commutes, then
/// the warps in four chains. Two barriers; Kokkos' own last step, which
/// supports larger values, has two and one more for every 4 warps.
template <class Value, class Joiner>
__device__ Value join_group(LaneGroup const& group, Value const& of_lane,
                            Joiner const& joiner) {
  Value const value = group.with_constants(
      [&](LaneGroup const& lanes, [[maybe_unused]] auto whole) {
        Value sum = of_lane;
        if constexpr (Joiner::commutes) {
          if (lanes.width == lanes.segment) {
#pragma unroll(whole.value && sizeof(Value) <= 8 ? 5 : 1)
            for (unsigned offset = lanes.segment / 2; offset > 0; offset /= 2)
              joiner.join(sum, lanes.exchange(sum, offset));
            return sum;
          }
        }
    // In a whole warp, no lane uses the sums of the last lanes.
#pragma unroll(whole.value && sizeof(Value) <= 8 ? 5 : 1)
        for (unsigned offset = lanes.segment / 2; offset > 0; offset /= 2) {
          Value const other = lanes.shuffle_down(sum, offset);
          if (whole.value || lanes.lane + offset < lanes.width)
            joiner.join(sum, other);
        }
        return group.warps == 1 ? lanes.broadcast(sum, 0) : sum;
      });
  if (group.warps == 1) return value;
  Value* const sums = reinterpret_cast<Value*>(team_warp_sums<sizeof(Value)>());
  if (group.lane == 0) sums[group.warp] = value;
  __syncthreads();
  // Some of these belong to no warp and are not joined.
  Value part[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) part[k] = sums[k];
#pragma unroll 1
  for (unsigned w = 4; w < group.warps; w += 4)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      if (w + k < group.warps) joiner.join(part[k], sums[w + k]);
#pragma unroll
  for (unsigned k = 1; k < 4; ++k)
    if (k < group.warps) joiner.join(part[0], part[k]);
  __syncthreads();
  return part[0];
}

/// Reduces call(i, running) over the lane's indices of [0, count).
template <class Value, class Index, class Joiner, class Call>
__device__ Value reduce_calls(LaneGroup const& group, Index count,
                              Joiner const& joiner, Call const& call) {
  Value value;
  joiner.init(value);
  overlapped_strided_calls(Index(0), count, group.rank, group.size, call,
                           value);
  return value;
}

/// Reduces the lane's part of `size` elements at x.
template <Scalar Input, class Value, class Joiner>
__device__ Value reduce_memory(LaneGroup const& group, void const* x,
                               std::uint64_t size, Joiner const& joiner) {
  using Bits       = ElementBits<Input>;
  Bits const* data = static_cast<Bits const*>(x);
  Value value;
  joiner.init(value);
  auto const take = [&](unsigned i, Value& into) {
    joiner.join(into, element_value<Warp, Input, Value>(data[i]));
  };
  // Instructions limit such short rows: the loop below adds 36 or more (floats,
  // nvcc 13.0, sm_90).
  if (size <= group.size) {
    if (group.rank < unsigned(size)) take(group.rank, value);
    return value;
  }
  // With 64-bit indices, sums of a team need 37 registers.
  do {
    unsigned const count = size < 1u << 30 ? unsigned(size) : 1u << 30;
    overlapped_strided_calls(0u, count, group.rank, group.size, take, value);
    data += count;
    size -= count;
  } while (size > 0);
  return value;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
