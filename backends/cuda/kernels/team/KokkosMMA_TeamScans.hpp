// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TEAM_SCANS_HPP
#define KOKKOSMMA_CUDA_TEAM_SCANS_HPP

#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_TeamCollectives.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Scans by a team or a vector inside a kernel of Kokkos' TeamPolicy.

namespace KokkosMMA::Impl::Cuda {

/// Inclusive scan over the lanes of a warp, for several values per lane at a
/// time.
template <bool WholeWarp, class Value, std::size_t Units, class Joiner>
__device__ void scan_lanes(LaneGroup const& lanes, Joiner const& joiner,
                           Value (&up_to)[Units]) {
#pragma unroll(WholeWarp && sizeof(Value) <= 8 ? 5 : 1)
  for (unsigned offset = 1; offset < lanes.width; offset *= 2) {
#pragma unroll
    for (unsigned k = 0; k < Units; ++k) {
      Value other = lanes.shuffle_up(up_to[k], offset);
      if (lanes.lane >= offset) {
        joiner.join(other, up_to[k]);
        up_to[k] = other;
      }
    }
  }
}

/// Scans [0, units) with a team: source.take(unit, value) sets the value of a
/// unit, source.give(unit, prefix) receives the sum of the earlier ones.
/// Returns the sum of all. Afterwards the group sees what give() has written.
template <class Value, class Index, class Joiner, class Source>
__device__ Value scan_units(LaneGroup const& group, Index units,
                            Joiner const& joiner, Source& source) {
  Value carry;
  joiner.init(carry);
  unsigned odd = 0;
  for (Index done = 0; done < units; done += group.size, odd ^= 32) {
    Index const unit = done + group.rank;
    Value up_to[1];
    joiner.init(up_to[0]);
    if (unit < units) source.take(unit, up_to[0]);
    Value before;
    Value const sum = group.with_constants(
        [&](LaneGroup const& lanes, [[maybe_unused]] auto whole) {
          lanes.sync_warp();
          scan_lanes<whole.value>(lanes, joiner, up_to);
          before = lanes.shuffle_up(up_to[0], 1);
          return lanes.broadcast(up_to[0], lanes.width - 1);
        });
    Value prefix = carry;
    if (group.warps == 1) {
      joiner.join(carry, sum);
    } else {
      Value* const sums =
          reinterpret_cast<Value*>(team_warp_sums<sizeof(Value)>()) + odd;
      if (group.lane == 0) sums[group.warp] = sum;
      __syncthreads();
      for (unsigned w = 0; w < group.warps; ++w) {
        if (w == group.warp) prefix = carry;
        joiner.join(carry, sums[w]);
      }
    }
    if (unit >= units) continue;
    if (group.lane > 0) joiner.join(prefix, before);
    source.give(unit, prefix);
  }
  if (group.warps == 1)
    group.sync_warp();
  else
    __syncthreads();
  return carry;
}

/// Scans units [at, at + Units * lanes) of scan_vector, of which `left` exist,
/// with the joins of `Units` rounds of one unit per lane.
template <unsigned Units, bool WholeWarp, class Value, class Index,
          class Joiner, class Source>
__device__ void scan_vector_round(LaneGroup const& lanes, Index at, Index left,
                                  Joiner const& joiner, Source& source,
                                  Value& carry) {
  Value up_to[Units];
#pragma unroll
  for (unsigned k = 0; k < Units; ++k) {
    unsigned const unit = k * lanes.width + lanes.lane;
    joiner.init(up_to[k]);
    if (unit < left) source.take(at + unit, up_to[k]);
  }
  lanes.sync_warp();
  scan_lanes<WholeWarp>(lanes, joiner, up_to);
#pragma unroll
  for (unsigned k = 0; k < Units; ++k) {
    Value const before = lanes.shuffle_up(up_to[k], 1);
    Value const sum    = lanes.broadcast(up_to[k], lanes.width - 1);
    up_to[k]           = carry;
    if (lanes.lane > 0) joiner.join(up_to[k], before);
    joiner.join(carry, sum);
  }
  // Otherwise the addresses that take() reads stay in 16 more registers until
  // give() (floats, nvcc 13.0, sm_90).
  if constexpr (Units > 1) {
    Opaque::hide(at);
  }
#pragma unroll
  for (unsigned k = 0; k < Units; ++k) {
    unsigned const unit = k * lanes.width + lanes.lane;
    if (unit < left) source.give(at + unit, up_to[k]);
  }
}

/// Scans [0, units) with the lanes of a vector, like scan_units.
///
/// In a narrow vector, a round has few elements for its steps. There each lane
/// has Source::per_lane units in flight, whose steps overlap. Whole warps have
/// enough with one. The second loop needs 56 registers for doubles, not 44:
/// rows of up to 64 doubles lost 13 %, those of 1024 and 4096 gained 12 and 20
/// %. GB/s of functor scans of 1024 elements with Kokkos' nested scan, and with
/// 1 and 4 units per lane (H100, 2026-11-26):
/// | lanes, type | Kokkos | 1    | 4    |
/// |-------------|--------|------|------|
/// | 8, half     | 721    | 590  | 1409 |
/// | 8, float    | 1241   | 1138 | 2295 |
/// | 8, double   | 1635   | 1609 | 2591 |
/// | 32, half    | 1100   | 1407 | 1292 |
/// | 32, float   | 1956   | 2184 | 2222 |
/// | 32, double  | 2366   | 2323 | 2628 |
template <class Value, class Index, class Joiner, class Source>
__device__ Value scan_vector(LaneGroup const& group, Index units,
                             Joiner const& joiner, Source& source) {
  return group.with_constants([&](LaneGroup const& lanes,
                                  [[maybe_unused]] auto whole) {
    Value carry;
    joiner.init(carry);
    Index at   = 0;
    Index left = units;
    if constexpr (Source::per_lane > 1 && !whole.value) {
      unsigned const round = Source::per_lane * lanes.width;
      while (left > lanes.width) {
        scan_vector_round<Source::per_lane, false>(lanes, at, left, joiner,
                                                   source, carry);
        left = left < round ? 0 : left - round;
        at += round;
      }
    }
    while (left > 0) {
      scan_vector_round<1, whole.value>(lanes, at, left, joiner, source, carry);
      left = left < lanes.width ? 0 : left - lanes.width;
      at += lanes.width;
    }
    lanes.sync_warp();
    return carry;
  });
}

template <class Call, unsigned PerLane = 4>
struct CalledUnits {
  static constexpr unsigned per_lane = PerLane;
  Call const& call;

  template <class Index, class Value>
  __device__ void take(Index i, Value& value) const {
    call.contribute(i, value);
  }
  template <class Index, class Value>
  __device__ void give(Index i, Value& prefix) const {
    call.finish(i, prefix);
  }
};

/// Fewer than 2^31 contiguous elements as a source of units. A unit has the
/// neighbours that fill 16 bytes of the wider type, 8 at most. Unit 0 may begin
/// before the data. Missing elements are zeros, which add nothing: every sum
/// starts from 0, so that no -0 is lost to them.
template <Scalar Input, class Value, class Output, bool Inclusive, class Joiner>
struct MemoryUnits {
  static constexpr unsigned per_lane  = 1;
  static constexpr unsigned in_bytes  = size_of(Input);
  static constexpr unsigned out_bytes = sizeof(Output);
  static constexpr unsigned wider = in_bytes > out_bytes ? in_bytes : out_bytes;
  static constexpr unsigned elements = wider == 1 ? 8 : 16 / wider;
  using Bits                         = typename Unsigned<in_bytes>::type;

  Bits const* x;
  Output* y;
  unsigned size;
  Joiner joiner;
  unsigned skip;
  bool store_vectors;
  Vector16 kept;

  __device__ MemoryUnits(void const* in, Output* out, unsigned n,
                         Joiner const& j)
      : x(static_cast<Bits const*>(in)), y(out), size(n), joiner(j) {
    auto const offset = [](void const* p, unsigned bytes) {
      return unsigned(reinterpret_cast<std::uintptr_t>(p) %
                      (elements * bytes)) /
             bytes;
    };
    skip          = offset(in, in_bytes);
    store_vectors = offset(out, out_bytes) == skip;
  }
  __device__ unsigned units() const {
    return (size + skip + elements - 1) / elements;
  }
  /// First element of a unit; below 0 for unit 0, if it begins earlier.
  __device__ int first(unsigned unit) const {
    return int(unit * elements - skip);
  }
  /// Whether all elements of a unit exist.
  __device__ bool whole(int at) const {
    return at >= 0 && unsigned(at) + elements <= size;
  }
  __device__ bool inside(int at, unsigned e) const {
    return unsigned(at) + e < size;
  }
  __device__ Value element(unsigned e) const {
    return element_of_vector<Warp, Input, Value>(kept, int(e));
  }

  __device__ void take(unsigned unit, Value& value) {
    int const at = first(unit);
    kept         = Vector16{};
    if (whole(at)) {
      auto const words =
          *reinterpret_cast<WordOf<elements * in_bytes> const*>(x + at);
      memcpy(&kept, &words, sizeof(words));
    } else {
#pragma unroll
      for (unsigned e = 0; e < elements; ++e) {
        if (!inside(at, e)) continue;
        put_element<in_bytes>(kept, int(e), x[at + int(e)]);
      }
    }
#pragma unroll
    for (unsigned e = 0; e < elements; ++e) joiner.join(value, element(e));
  }

  __device__ void give(unsigned unit, Value const& prefix) const {
    int const at = first(unit);
    Output out[elements];
    Value running = prefix;
#pragma unroll
    for (unsigned e = 0; e < elements; ++e) {
      if constexpr (!Inclusive) {
        out[e] = static_cast<Output>(running);
      }
      joiner.join(running, element(e));
      if constexpr (Inclusive) {
        out[e] = static_cast<Output>(running);
      }
    }
    if (store_vectors && whole(at)) {
      store_elements<false>(y + at, out);
      return;
    }
#pragma unroll
    for (unsigned e = 0; e < elements; ++e)
      if (inside(at, e)) y[at + int(e)] = out[e];
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
