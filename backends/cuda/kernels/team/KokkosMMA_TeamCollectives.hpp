// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP
#define KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_StridedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
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

/// 16-byte loads of a lane in flight. Each takes registers from the caller's
/// kernel. Rows that a warp reads in one step wait for memory, so their rate is
/// that of the resident warps, and 32 registers allow the most of these.
/// Kernels of rows of half, float and double have 30 to 32, Kokkos' 25 to 31
/// (nvcc 13.0, sm_90). With 4 or 8 loads and a running value for each they had
/// 40 to 56.
inline constexpr unsigned team_vectors = 2;

/// Elements per lane up to which memory is read element by element, which needs
/// no alignment and no edges.
inline constexpr unsigned team_single_elements = 4;

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

/// Elements in memory. Those before the first 16-byte chunk and after the last
/// whole one are read one by one.
template <Scalar Input>
struct TeamMemory {
  static constexpr int bytes      = size_of(Input);
  static constexpr int per_vector = 16 / bytes;
  using Bits                      = typename Unsigned<bytes>::type;

  Bits const* x;
  unsigned head;
  unsigned tail;
  std::uint64_t vectors;
  unsigned char const* chunks;

  __device__ TeamMemory(Bits const* data, std::uint64_t size) : x(data) {
    unsigned const past =
        unsigned(reinterpret_cast<std::uintptr_t>(data) % 16) / bytes;
    head = (per_vector - past) % per_vector;
    if (head > size) head = unsigned(size);
    tail    = unsigned(size - head) % per_vector;
    vectors = (size - head) / per_vector;
    chunks  = reinterpret_cast<unsigned char const*>(x + head);
  }
  __device__ Vector16 vector(std::uint64_t v) const {
    return vector_at(chunks + 16 * v);
  }
  /// Elements outside of the vectors, fewer than 32.
  __device__ unsigned edges() const { return head + tail; }
  __device__ Bits edge(unsigned e) const {
    return x[e < head ? e : e + vectors * per_vector];
  }
};

template <Scalar Input>
__device__ int sum_of_bytes(Vector16 const& vector) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int w = 0; w < 4; ++w)
    sum = Warp::add_bytes<Input == Scalar::int8>(sum, vector[w]);
  return int(sum);
}

/// Joins the lane's part of the elements with `value`, 16 bytes at a time.
template <Scalar Input, bool Sum, class Value, class Joiner>
__device__ void reduce_vectors(LaneGroup const& group,
                               TeamMemory<Input> const& memory,
                               Joiner const& joiner, Value& value) {
  for (unsigned e = group.rank; e < memory.edges(); e += group.size)
    joiner.join(value, element_value<Warp, Input, Value>(memory.edge(e)));
  auto const take = [&](std::uint64_t v, Value& into) {
    Vector16 const vector = memory.vector(v);
    if constexpr (Sum && TeamMemory<Input>::bytes == 1 &&
                  std::is_integral_v<Value>) {
      joiner.join(into, static_cast<Value>(sum_of_bytes<Input>(vector)));
    } else {
      constexpr int elements = TeamMemory<Input>::per_vector;
      Value of_vector[elements];
#pragma unroll
      for (int e = 0; e < elements; ++e)
        of_vector[e] = element_of_vector<Warp, Input, Value>(vector, e);
#pragma unroll
      for (int step = 1; step < elements; step *= 2)
#pragma unroll
        for (int e = 0; e + step < elements; e += 2 * step)
          joiner.join(of_vector[e], of_vector[e + step]);
      joiner.join(into, of_vector[0]);
    }
  };
  overlapped_strided_calls<team_vectors>(std::uint64_t(0), memory.vectors,
                                         group.rank, group.size, take, value);
}

/// Reduces the lane's part of `size` elements at x. `Sum`: joins add, from 0.
///
/// 16-byte loads gain if single loads leave memory idle; four loads of doubles
/// are as many bytes as two vectors. Tensor cores gain nothing: they save half
/// the instructions of sums of 16-bit floats, which wait for memory (kernels of
/// segments of 4096 and 8 half values, H200: 4266 and 4118 GB/s by additions,
/// 4396 and 3957 by MMA), and need registers.
template <Scalar Input, bool Sum, class Value, class Joiner>
__device__ Value reduce_memory(LaneGroup const& group, void const* x,
                               std::uint64_t size, Joiner const& joiner) {
  using Bits       = ElementBits<Input>;
  Bits const* data = static_cast<Bits const*>(x);
  Value value;
  joiner.init(value);
  // Instructions limit such short rows: the loops below add 36 to about 150
  // (floats, nvcc 13.0, sm_90).
  if (size <= group.size) {
    if (group.rank < unsigned(size))
      joiner.join(value, element_value<Warp, Input, Value>(data[group.rank]));
    return value;
  }
  auto const one_by_one = [&](unsigned count) {
    overlapped_strided_calls(
        0u, count, group.rank, group.size,
        [&](unsigned i, Value& into) {
          joiner.join(into, element_value<Warp, Input, Value>(data[i]));
        },
        value);
  };
  if constexpr (sizeof(Bits) == 8) {
    // With 64-bit indices, sums of a team need 37 registers.
    do {
      unsigned const count = size < 1u << 30 ? unsigned(size) : 1u << 30;
      one_by_one(count);
      data += count;
      size -= count;
    } while (size > 0);
    return value;
  } else {
    if (size <= team_single_elements * group.size) {
      one_by_one(unsigned(size));
      return value;
    }
    reduce_vectors<Input, Sum>(group, TeamMemory<Input>(data, size), joiner,
                               value);
    return value;
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
