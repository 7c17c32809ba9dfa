// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP
#define KOKKOSMMA_CUDA_TEAM_COLLECTIVES_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// \file
/// Reductions and scans inside a kernel of Kokkos' TeamPolicy, whose blocks are
/// (vector lanes, threads): what a lane does before the last step over lanes.
///
/// Memory is read by ordinary loads: it may be shared, or written earlier in
/// the same kernel. `Joiner` offers init(T&) and join(T& into, T const& from),
/// which is into = into + from with `into` the earlier.

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
    unsigned const rank  = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned const size  = blockDim.x * blockDim.y;
    unsigned const warp  = rank / 32;
    unsigned const left  = size - 32 * warp;
    unsigned const width = left < 32 ? left : 32;
    return {rank,
            size,
            rank % 32,
            width,
            warp,
            size / 32 + (size % 32 != 0),
            0xffffffffu >> (32 - width),
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
  __device__ bool whole_warps() const { return size % 32 == 0; }

  template <class T>
  __device__ T shuffle_up(T const& value, unsigned offset) const {
    auto words = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < Words<T>::size; ++i)
      words.word[i] = __shfl_up_sync(mask, words.word[i], offset, segment);
    T other;
    words.to(other);
    return other;
  }
  template <class T>
  __device__ T shuffle_down(T const& value, unsigned offset) const {
    auto words = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < Words<T>::size; ++i)
      words.word[i] = __shfl_down_sync(mask, words.word[i], offset, segment);
    T other;
    words.to(other);
    return other;
  }
  template <class T>
  __device__ T broadcast(T const& value, unsigned from) const {
    auto words = Words<T>::from(value);
#pragma unroll
    for (int i = 0; i < Words<T>::size; ++i)
      words.word[i] = __shfl_sync(mask, words.word[i], from, segment);
    T other;
    words.to(other);
    return other;
  }
};

/// A warp of a block of any shape.
struct TeamWarp : Warp {
  __device__ static int lane() {
    return int((threadIdx.y * blockDim.x + threadIdx.x) % 32);
  }
  template <class F>
  __device__ static void each(F const& f) {
    f(lane());
  }
};

/// Independent running values of a lane, so that additions do not wait for each
/// other and several calls or loads are under way.
template <class Value>
inline constexpr int lane_values = sizeof(Value) <= 8    ? 4
                                   : sizeof(Value) <= 32 ? 2
                                                         : 1;

template <class Joiner, class Value, int N>
__device__ Value join_values(Joiner const& joiner, Value (&values)[N]) {
#pragma unroll
  for (int step = 1; step < N; step *= 2)
#pragma unroll
    for (int k = 0; k + step < N; k += 2 * step)
      joiner.join(values[k], values[k + step]);
  return values[0];
}

/// Sums of the warps of a block, two sets of them so that one barrier per round
/// is enough. One memory for all values of a size.
template <int Bytes>
__device__ unsigned char* team_warp_sums() {
  __shared__ __align__(16) unsigned char memory[2 * 32 * Bytes];
  return memory;
}

/// A value per lane to their sum, in every lane: a tree over the lanes of a
/// warp, then the warps in four chains. Two barriers; Kokkos' own last step,
/// which is for values of more bytes, has two and one more for every 4 warps.
template <class Value, class Joiner>
__device__ Value join_group(LaneGroup const& group, Value value,
                            Joiner const& joiner) {
  for (unsigned offset = group.segment / 2; offset > 0; offset /= 2) {
    Value const other = group.shuffle_down(value, offset);
    if (group.lane + offset < group.width) joiner.join(value, other);
  }
  if (group.warps == 1) {
    __syncwarp(group.mask);
    return group.broadcast(value, 0);
  }
  Value* const sums = reinterpret_cast<Value*>(team_warp_sums<sizeof(Value)>());
  if (group.lane == 0) sums[group.warp] = value;
  __syncthreads();
  Value part[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k)
    if (k < group.warps) part[k] = sums[k];
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
///
/// Each call has a running value of its own, and a team no second loop for
/// short ranges: with such a loop, and four values for eight calls, ptxas 13.0
/// put additions between the loads to save registers. A team of 32 then summed
/// rows of 4096 floats at 3713 GB/s, with all loads in front at 4344 (H200).
///
/// \tparam Short ranges of less than 4 indices per lane are usual
template <bool Short, class Value, class Index, class Joiner, class Call>
__device__ Value reduce_calls(LaneGroup const& group, Index count,
                              Joiner const& joiner, Call const& call) {
  constexpr int K = 2 * lane_values<Value>;
  if constexpr (Short) {
    if (count < 4 * group.size) {
      Value value;
      joiner.init(value);
      for (Index i = group.rank; i < count; i += group.size) call(i, value);
      return value;
    }
  }
  Value values[K];
#pragma unroll
  for (int k = 0; k < K; ++k) joiner.init(values[k]);

  Index done = 0;
  for (; count - done >= K * group.size; done += K * group.size) {
#pragma unroll
    for (int c = 0; c < K; ++c)
      call(done + c * group.size + group.rank, values[c]);
  }
  Index const left = count - done;
#pragma unroll
  for (int c = 0; c < K; ++c)
    if (c * group.size + group.rank < left)
      call(done + c * group.size + group.rank, values[c]);
  return join_values(joiner, values);
}

__device__ inline Vector16 load_team_vector(unsigned char const* chunk) {
  uint4 const v = *reinterpret_cast<uint4 const*>(chunk);
  return {{v.x, v.y, v.z, v.w}};
}

/// Elements in memory: those before the first 16-byte chunk and behind the last
/// whole one are taken by themselves.
template <Scalar Input>
struct TeamMemory {
  static constexpr int bytes      = size_of(Input);
  static constexpr int per_vector = 16 / bytes;
  using Bits                      = typename Unsigned<bytes>::type;

  unsigned char const* x;
  std::uint64_t size;
  unsigned head;

  __device__ TeamMemory(void const* data, std::uint64_t n)
      : x(static_cast<unsigned char const*>(data)), size(n) {
    unsigned const past =
        unsigned(reinterpret_cast<std::uintptr_t>(data) % 16) / bytes;
    head = (per_vector - past) % per_vector;
    if (head > n) head = unsigned(n);
  }
  __device__ std::uint64_t vectors() const {
    return (size - head) / per_vector;
  }
  __device__ Vector16 vector(std::uint64_t v) const {
    return load_team_vector(x + std::uint64_t(head) * bytes + 16 * v);
  }
  /// Elements outside of the vectors, fewer than 32.
  __device__ unsigned edges() const {
    return head + unsigned((size - head) % per_vector);
  }
  template <class Value>
  __device__ Value edge(unsigned e) const {
    std::uint64_t const i = e < head ? e : e + vectors() * per_vector;
    return element_value<Warp, Input, Value>(
        reinterpret_cast<Bits const*>(x)[i]);
  }
};

/// Types whose sums take fewer instructions on tensor cores than by additions:
/// one product per 16 bytes, where 8 elements would be unpacked and added. A
/// float is split into three operands first; a double and wide integers are
/// added in two or four instructions, bytes in four.
template <Scalar Input>
inline constexpr bool team_mma_pays =
    Input == Scalar::half || Input == Scalar::bhalf;

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

/// The lane's share of the sum of the whole vectors, all warps filled.
template <Scalar Input, class Value>
__device__ Value team_mma(LaneGroup const& group,
                          TeamMemory<Input> const& memory) {
  using Sum                   = WarpSum<TeamWarp, Input>;
  std::uint64_t const vectors = memory.vectors();
  if (32 * group.warp >= vectors) return Value(0);
  __syncwarp();
  constexpr int chain_length = mma_tuning.chain_length;
  Sum sum(TeamWarp{}, chain_length);
  // The loop bound is the same for all lanes of a warp: they multiply together.
  for (std::uint64_t first = 32 * group.warp; first < vectors;
       first += 4 * group.size) {
    Vector16 loaded[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      std::uint64_t const v = first + k * group.size + group.lane;
      loaded[k]             = v < vectors ? memory.vector(v) : Vector16{};
    }
    sum.add(loaded[0], loaded[1]);
    sum.add(loaded[2], loaded[3]);
  }
  return static_cast<Value>(static_cast<typename Sum::Total>(sum.finish()));
}

/// The lane's share of `size` elements at x. `Sum`: joining is addition, from
/// zero.
template <Scalar Input, bool Sum, class Value, class Joiner>
__device__ Value reduce_memory(LaneGroup const& group, void const* x,
                               std::uint64_t size, Joiner const& joiner) {
  constexpr int K = lane_values<Value>;
  TeamMemory<Input> const memory(x, size);
  Value values[K];
#pragma unroll
  for (int k = 0; k < K; ++k) joiner.init(values[k]);
  for (unsigned e = group.rank; e < memory.edges(); e += group.size)
    joiner.join(values[K - 1], memory.template edge<Value>(e));

  // Tensor cores sum 16-bit floats in fp32.
  if constexpr (Sum && team_mma_pays<Input> && std::is_same_v<Value, float>) {
    if (group.whole_warps()) {
      joiner.join(values[0], team_mma<Input, Value>(group, memory));
      return join_values(joiner, values);
    }
  }
  auto const take = [&](Vector16 const& vector, Value& into) {
    if constexpr (Sum && TeamMemory<Input>::bytes == 1 &&
                  std::is_integral_v<Value>) {
      joiner.join(into, static_cast<Value>(sum_of_bytes<Input>(vector)));
    } else {
#pragma unroll
      for (int e = 0; e < TeamMemory<Input>::per_vector; ++e)
        joiner.join(
            into, element_value<Warp, Input, Value>(
                      element_of_vector<TeamMemory<Input>::bytes>(vector, e)));
    }
  };
  std::uint64_t const vectors = memory.vectors();
  auto const fetch            = [&](Vector16(&to)[4], std::uint64_t first) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (first + k * group.size < vectors)
        to[k] = memory.vector(first + k * group.size);
  };
  // Vectors that cross the end of a round are under way together, whatever
  // ptxas thinks of registers.
  Vector16 next[4]{};
  fetch(next, group.rank);
  for (std::uint64_t first = group.rank; first < vectors;
       first += 4 * group.size) {
    Vector16 loaded[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) loaded[k] = next[k];
    fetch(next, first + 4 * group.size);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (first + k * group.size < vectors) take(loaded[k], values[k % K]);
  }
  return join_values(joiner, values);
}

/// Scan of [0, units): source.take(row, unit, value) puts the value of a unit
/// in place, source.give(row, unit, prefix) receives the sum of the earlier
/// ones; a lane has a unit of each of `Rows` rows in hand. Returns the sum of
/// all. What give() wrote is visible to the group afterwards.
template <int Rows, class Value, class Index, class Joiner, class Source>
__device__ Value scan_units(LaneGroup const& group, Index units,
                            Joiner const& joiner, Source& source) {
  Value carry;
  joiner.init(carry);
  unsigned round = 0;
  for (Index done = 0; done < units; ++round) {
    Index const left    = units - done;
    Index const tile    = Rows * group.size;
    unsigned const rows = left < tile
                              ? unsigned((left + group.size - 1) / group.size)
                              : unsigned(Rows);
    // A warp has a range of neighbours.
    unsigned const first = group.warp * 32 * rows + group.lane;
    auto const mine      = [&](int r) {
      return unsigned(r) < rows && first + r * group.width < left;
    };
    Value up_to[Rows];
    Value before[Rows];
    Value earlier_rows[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      joiner.init(up_to[r]);
      if (mine(r)) source.take(r, done + first + r * group.width, up_to[r]);
    }
    __syncwarp(group.mask);
    for (unsigned offset = 1; offset < group.width; offset *= 2) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        Value other = group.shuffle_up(up_to[r], offset);
        if (group.lane >= offset) {
          joiner.join(other, up_to[r]);
          up_to[r] = other;
        }
      }
    }
    Value sum;
    joiner.init(sum);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      earlier_rows[r] = sum;
      before[r]       = group.shuffle_up(up_to[r], 1);
      joiner.join(sum, group.broadcast(up_to[r], group.width - 1));
    }
    Value base = carry;
    if (group.warps == 1) {
      joiner.join(carry, sum);
    } else {
      Value* const sums =
          reinterpret_cast<Value*>(team_warp_sums<sizeof(Value)>()) +
          round % 2 * 32;
      if (group.lane == 0) sums[group.warp] = sum;
      __syncthreads();
      for (unsigned w = 0; w < group.warps; ++w) {
        if (w == group.warp) base = carry;
        joiner.join(carry, sums[w]);
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (!mine(r)) continue;
      Value prefix = base;
      joiner.join(prefix, earlier_rows[r]);
      if (group.lane > 0) joiner.join(prefix, before[r]);
      source.give(r, done + first + r * group.width, prefix);
    }
    done = left < tile ? units : done + tile;
  }
  if (group.warps == 1)
    __syncwarp(group.mask);
  else
    __syncthreads();
  return carry;
}

/// A functor as a source.
template <class Call>
struct CalledUnits {
  Call const& call;

  template <class Index, class Value>
  __device__ void take(int, Index i, Value& value) const {
    call.contribute(i, value);
  }
  template <class Index, class Value>
  __device__ void give(int, Index i, Value& prefix) const {
    call.finish(i, prefix);
  }
};

/// Contiguous elements as a source: a unit is as many neighbours as fill 16
/// bytes of the wider of the two types, 8 at most. Unit 0 may begin in front of
/// the data.
template <Scalar Input, class Value, class Output, bool Inclusive, int Rows,
          class Joiner>
struct MemoryUnits {
  static constexpr int in_bytes  = size_of(Input);
  static constexpr int out_bytes = sizeof(Output);
  static constexpr int wider     = in_bytes > out_bytes ? in_bytes : out_bytes;
  static constexpr int elements  = wider == 1 ? 8 : 16 / wider;
  using Bits                     = typename Unsigned<in_bytes>::type;

  Bits const* x;
  Output* y;
  std::uint64_t size;
  Joiner joiner;
  unsigned skip;
  bool store_vectors;
  Vector16 kept[Rows];

  __device__ MemoryUnits(void const* in, Output* out, std::uint64_t n,
                         Joiner const& j)
      : x(static_cast<Bits const*>(in)), y(out), size(n), joiner(j) {
    auto const place = [](void const* p, int bytes) {
      return unsigned(reinterpret_cast<std::uintptr_t>(p) %
                      unsigned(elements * bytes)) /
             bytes;
    };
    skip          = place(in, in_bytes);
    store_vectors = place(out, out_bytes) == skip;
  }
  __device__ std::uint64_t units() const {
    return size == 0 ? 0 : (size + skip + elements - 1) / elements;
  }
  /// Whether the unit has all of its elements.
  __device__ bool whole(std::uint64_t unit) const {
    return unit * elements >= skip &&
           (unit + 1) * elements <= std::uint64_t(size) + skip;
  }
  __device__ bool inside(std::uint64_t unit, int e) const {
    std::uint64_t const at = unit * elements + e;
    return at >= skip && at - skip < size;
  }
  __device__ Value element(int row, int e) const {
    return element_value<Warp, Input, Value>(
        element_of_vector<in_bytes>(kept[row], e));
  }

  __device__ void take(int row, std::uint64_t unit, Value& value) {
    Vector16& words = kept[row];
    words           = Vector16{};
    if (whole(unit)) {
      void const* const from = x + (unit * elements - skip);
      if constexpr (elements * in_bytes == 16) {
        words = load_team_vector(static_cast<unsigned char const*>(from));
      } else if constexpr (elements * in_bytes == 8) {
        uint2 const v = *static_cast<uint2 const*>(from);
        words[0]      = v.x;
        words[1]      = v.y;
      } else {
        words[0] =
            *static_cast<typename Unsigned<elements * in_bytes>::type const*>(
                from);
      }
    } else {
#pragma unroll
      for (int e = 0; e < elements; ++e) {
        if (!inside(unit, e)) continue;
        Bits const bits = x[unit * elements + e - skip];
        if constexpr (in_bytes == 8) {
          words[2 * e]     = std::uint32_t(bits);
          words[2 * e + 1] = std::uint32_t(bits >> 32);
        } else {
          words[e * in_bytes / 4] |= std::uint32_t(bits)
                                     << e * in_bytes % 4 * 8;
        }
      }
    }
    // Zeros outside add nothing, but would change the sign of a zero.
    bool first = true;
#pragma unroll
    for (int e = 0; e < elements; ++e) {
      if (!inside(unit, e)) continue;
      if (first)
        value = element(row, e);
      else
        joiner.join(value, element(row, e));
      first = false;
    }
  }

  __device__ void give(int row, std::uint64_t unit, Value const& prefix) const {
    Output out[elements];
    Value running = prefix;
#pragma unroll
    for (int e = 0; e < elements; ++e) {
      if constexpr (!Inclusive) {
        out[e] = static_cast<Output>(running);
      }
      if (inside(unit, e)) joiner.join(running, element(row, e));
      if constexpr (Inclusive) {
        out[e] = static_cast<Output>(running);
      }
    }
    if (store_vectors && whole(unit)) {
      auto const words = Words<Output[elements]>::from(out);
      void* const to   = y + (unit * elements - skip);
      if constexpr (elements * out_bytes == 16) {
        *static_cast<uint4*>(to) =
            uint4{words.word[0], words.word[1], words.word[2], words.word[3]};
      } else if constexpr (elements * out_bytes == 8) {
        *static_cast<uint2*>(to) = uint2{words.word[0], words.word[1]};
      } else {
        *static_cast<typename Unsigned<elements * out_bytes>::type*>(to) =
            words.word[0];
      }
      return;
    }
#pragma unroll
    for (int e = 0; e < elements; ++e)
      if (inside(unit, e)) y[unit * elements + e - skip] = out[e];
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
