// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP
#define KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_StridedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Reductions inside a kernel of Kokkos' TeamPolicy, whose blocks are (vector
/// lanes, threads), and what scans share with them.
///
/// Memory is read by ordinary loads: it may be shared, or written earlier in
/// the same kernel. `Joiner` offers init(T&) and join(T& into, T const& from),
/// which is into = into + from with `into` the earlier, and `commutes`: whether
/// from + into has the same bits.

namespace KokkosMMA::Impl::Cuda {

/// The lanes that work together. Teams of any size have a last warp that may be
/// partly filled; the lanes of a vector are a power of two of neighbours.
struct LaneGroup {
  unsigned rank;
  unsigned size;
  unsigned lane;   ///< of the lanes in this warp
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
  /// vector(), with the mask as Kokkos computes it at the end of its nested
  /// calls and of Kokkos::single: by divisions, which whole warps branch
  /// around. Where a kernel has only Kokkos' mask, ptxas 13.0 moves the
  /// divisions out of the branch and of the loop over rows, and whole warps
  /// execute them too: 50 instructions, of 150 for a row of one element per
  /// lane.
  __device__ static LaneGroup vector_as_kokkos() {
    LaneGroup group = vector();
    group.mask      = 0xffffffffu;
    if (blockDim.x != 32)
      group.mask = ((1u << blockDim.x) - 1)
                   << threadIdx.y % (32 / blockDim.x) * blockDim.x;
    return group;
  }
  /// f(group, integral_constant<bool, whole warp>). Of a whole warp mask and
  /// segment are constants: a mask that is not makes ptxas 13.0 compare it to
  /// the active lanes before each shuffle, by four instructions.
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

/// Loads of 16 bytes of a lane that are under way together. Each takes
/// registers from the caller's kernel. Rows that a warp reads in one step wait
/// for memory, so that their rate is that of the resident warps, and these are
/// as many as 32 registers allow. Kernels of rows of half, float and double
/// have 30 to 32, Kokkos' 25 to 31 (nvcc 13.0, sm_90). With 4 or 8 such loads
/// and a running value for each they had 40 to 56.
inline constexpr unsigned team_vectors = 2;

/// Elements in memory of which a lane has no more than so many are read one by
/// one: without alignment and edges.
inline constexpr unsigned team_single_elements = 4;

/// Sums of the warps of a block, two sets of them so that one barrier per round
/// is enough. One memory for all values of a size.
template <int Bytes>
__device__ unsigned char* team_warp_sums() {
  __shared__ __align__(16) unsigned char memory[2 * 32 * Bytes];
  return memory;
}

/// A value per lane to their sum, in every lane: a tree over the lanes of a
/// warp, in which pairs exchange their values where joining commutes, and then
/// the warps in four chains. Two barriers; Kokkos' own last step, which is for
/// values of more bytes, has two and one more for every 4 warps.
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
    // Of a whole warp, what the last lanes get is used by none.
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
  // Some of them of no warp, and joined with none.
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

/// The lane's share of call(i, running) for i in [0, count).
template <class Value, class Index, class Joiner, class Call>
__device__ Value reduce_calls(LaneGroup const& group, Index count,
                              Joiner const& joiner, Call const& call) {
  Value value;
  joiner.init(value);
  overlapped_strided_calls(Index(0), count, group.rank, group.size, call,
                           value);
  return value;
}

__device__ inline Vector16 load_team_vector(unsigned char const* chunk) {
  uint4 const v = *reinterpret_cast<uint4 const*>(chunk);
  return {{v.x, v.y, v.z, v.w}};
}

/// Elements in memory: those before the first 16-byte chunk and after the last
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
    return load_team_vector(chunks + 16 * v);
  }
  /// Elements outside of the vectors, fewer than 32.
  __device__ unsigned edges() const { return head + tail; }
  __device__ Bits edge(unsigned e) const {
    return x[e < head ? e : e + vectors * per_vector];
  }
};

/// Sum of the 16 bytes of a vector.
template <Scalar Input>
__device__ int sum_of_bytes(Vector16 const& vector) {
  if constexpr (Input == Scalar::int8) {
    int sum = 0;
#pragma unroll
    for (int w = 0; w < 4; ++w) sum = __dp4a(int(vector[w]), 0x01010101, sum);
    return sum;
  } else {
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < 4; ++w) sum = __dp4a(vector[w], 0x01010101u, sum);
    return int(sum);
  }
}

/// Joins the lane's share of the elements with `value`, 16 bytes at a time.
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
        of_vector[e] = element_value<Warp, Input, Value>(
            element_of_vector<TeamMemory<Input>::bytes>(vector, e));
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

/// The lane's share of `size` elements at x. `Sum`: joining is addition, from
/// zero.
///
/// Loads of 16 bytes gain where single ones leave memory idle: there are as
/// many bytes in four calls of doubles as in two vectors. Tensor cores gain
/// nothing: they save half the instructions of sums of 16-bit floats, which
/// wait for memory (kernels of segments of 4096 and 8 halves, H200: 4266 and
/// 4118 GB/s by additions, 4396 and 3957 by products), and take registers.
template <Scalar Input, bool Sum, class Value, class Joiner>
__device__ Value reduce_memory(LaneGroup const& group, void const* x,
                               std::uint64_t size, Joiner const& joiner) {
  using Bits       = ElementBits<Input>;
  Bits const* data = static_cast<Bits const*>(x);
  Value value;
  joiner.init(value);
  // Rows of so few elements are limited by instructions: the loops below would
  // take 36 more of about 150 (floats, nvcc 13.0, sm_90).
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
    // With indices of 64 bits, sums of a team take 37 registers.
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
