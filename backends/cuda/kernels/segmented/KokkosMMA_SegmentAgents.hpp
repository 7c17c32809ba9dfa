// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEGMENT_AGENTS_HPP
#define KOKKOSMMA_CUDA_SEGMENT_AGENTS_HPP

#include <backends/cuda/arch/KokkosMMA_Ticket.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_WarpPipeline.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Kernels that reduce whole segments, each for other lengths.

namespace KokkosMMA::Impl::Cuda {

/// Passes the value of each segment to store(segment, value).
template <class Agent, class Store>
__global__ void __launch_bounds__(Agent::threads, Agent::min_blocks)
    reduce_segments(typename Agent::Task const task, Store const store) {
  Agent::run(task, store);
}

/// Launch shape of segments of a few elements.
struct TinySegmentsTuning {
  unsigned threads;  ///< per block
  int at_once;       ///< elements that a thread loads before it adds the first
};

/// The rest of an unrolled loop waits for each element, so up to 4 or 8
/// are loaded at once. Of bytes this is slower. Microseconds of 2^30 bytes
/// of doubles and floats, 2^29 of halves, 2^28 of int8; offsets of 32 bits
/// (H200, 2026-11-30):
///
/// | segments       | Kokkos | loop, 256 | 4, 256 | 8, 256 | 4, 128 | 8, 128 |
/// |----------------|--------|-----------|--------|--------|--------|--------|
/// | double, 5      | 298    | 332       | 296    | 296    | 297    | 296    |
/// | double, 7      | 289    | 338       | 294    | 292    | 291    | 290    |
/// | double, 0 to 8 | 433    | 431       | 358    | 343    | 349    | 341    |
/// | float, 5       | 316    | 318       | 312    | 314    | 306    | 304    |
/// | float, 17      | 314    | 296       | 333    | 295    | 332    | 296    |
/// | float, 0 to 8  | 581    | 561       | 441    | 436    | 433    | 427    |
/// | half, 9        | 173    | 182       | 178    | 190    | 175    | 188    |
/// | half, 12       | 153    | 165       | 155    | 158    | 151    | 154    |
/// | half, 0 to 8   | 541    | 513       | 389    | 376    | 377    | 365    |
/// | int8, 9        | 156    | 150       | 218    | 273    | 216    | 272    |
/// | int8, 0 to 8   | 486    | 461       | 428    | 401    | 421    | 391    |
/// | int8, 0 to 16  | 304    | 249       | 323    | 312    | 321    | 308    |
template <Scalar Input>
inline constexpr TinySegmentsTuning tiny_segments_tuning =
    size_of(Input) == 1   ? TinySegmentsTuning{256, 1}
    : size_of(Input) == 2 ? TinySegmentsTuning{128, 4}
                          : TinySegmentsTuning{128, 8};

/// Address of the elements. nvcc 13.0 compiles the loop over segments of equal
/// length to other code if the argument is a pointer.
struct ElementAddress {
  void const* data;
};

/// Segments of a few elements, one per thread. Neighbouring threads find in L1
/// the lines that one of them has fetched.
template <class Join, Scalar Input, class Value, class Cut, class Store>
__global__ void __launch_bounds__(tiny_segments_tuning<Input>.threads)
    reduce_tiny_segments(ElementAddress const x, Cut const in,
                         std::uint64_t const count, Store const store) {
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t s = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       s < count; s += stride) {
    std::uint64_t const begin = in.begin(s);
    int const size            = int(in.end(s) - begin);
    auto const* const element =
        static_cast<ElementBits<Input> const*>(x.data) + begin;
    auto value      = Join::identity();
    auto const join = [&](ElementBits<Input> bits) {
      value = Join::apply(value, element_value<Warp, Input, Value>(bits));
    };
    constexpr int at_once = tiny_segments_tuning<Input>.at_once;
    if constexpr (at_once == 1) {
#pragma unroll 8
      for (int e = 0; e < size; ++e) join(element[e]);
    } else {
#pragma unroll 1
      for (int e = 0; e < size; e += at_once) {
        ElementBits<Input> batch[at_once];
#pragma unroll
        for (int b = 0; b < at_once; ++b)
          if (e + b < size) batch[b] = element[e + b];
#pragma unroll
        for (int b = 0; b < at_once; ++b)
          if (e + b < size) join(batch[b]);
      }
    }
    store(s, value);
  }
}

template <class Join, Scalar Input, class Value, class Cut, class Store>
void launch_tiny_segments(Stream const& space, void const* x, Cut const& in,
                          Store const& store) {
  constexpr unsigned threads = tiny_segments_tuning<Input>.threads;
  std::uint64_t const blocks =
      std::min<std::uint64_t>((in.count() + threads - 1) / threads, 1u << 30);
  launch_kernel(space, "segmented reduction",
                reduce_tiny_segments<Join, Input, Value, Cut, Store>,
                {unsigned(blocks), threads}, ElementAddress{x}, in, in.count(),
                store);
}

/// Blocks per multiprocessor: ptxas 13.0 spills with 4 on sm_80 only.
template <class Segments>
inline constexpr int segment_min_blocks =
    min_blocks_of<Segments::min_blocks, 3>;

/// Reduces elements [from, to) with a whole warp; all lanes get the result.
template <class Segments, Scalar Input>
__device__ typename Segments::Value warp_reduce_elements(
    unsigned char const* from, unsigned char const* to) {
  using Bits = ElementBits<Input>;
  using Join = typename Segments::Join;
  auto value = Join::identity();
  for (Bits const* e = reinterpret_cast<Bits const*>(from) + threadIdx.x % 32;
       e < reinterpret_cast<Bits const*>(to); e += 32)
    value = Join::apply(
        value, element_value<Warp, Input, typename Segments::Value>(*e));
  join_lanes<Join>(Warp{}, value, 32);
  return value;
}

/// Segments of a power of two of vectors, read straight from memory: a warp
/// holds rows of 32 vectors.
template <class Segments, Scalar Input>
struct RowSegments {
  static constexpr int threads    = row_segments_tuning.threads;
  static constexpr int min_blocks = segment_min_blocks<Segments>;
  struct Task {
    unsigned char const* x;  ///< aligned to a vector
    std::uint64_t count;     ///< segments of full length
    int vectors;             ///< per segment: a power of two, at most 256
    int rest;                ///< bytes of a shorter segment at the end
    bool keep;               ///< no __ldcs (kept_bytes)
  };

  template <class Store>
  __device__ __forceinline__ static void run(Task const& in,
                                             Store const& store) {
    constexpr int tile_vectors  = 32 * segment_rows;
    unsigned const lane         = threadIdx.x % 32;
    std::uint64_t const vectors = in.count * in.vectors;
    std::uint64_t const this_warp =
        (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    int const shift = __ffs(in.vectors) - 1;
    Segments const segments{Warp{}};

    auto const take = [&](std::uint64_t first, unsigned count) {
      Vector16 row[segment_rows];  // (8,32) per warp
      unsigned char const* const from = in.x + 16 * (first + lane);
      if (count == tile_vectors && in.keep) {
#pragma unroll
        for (int r = 0; r < segment_rows; ++r)
          row[r] = load_constant(from + 512 * r);
      } else if (count == tile_vectors) {
#pragma unroll
        for (int r = 0; r < segment_rows; ++r)
          row[r] = load_streamed<16>(from + 512 * r);
      } else {
#pragma unroll
        for (int r = 0; r < segment_rows; ++r)
          row[r] = 32 * r + lane < count ? load_streamed<16>(from + 512 * r)
                                         : Vector16{};
      }
      std::uint64_t const segment = first >> shift;
      unsigned const segments_of  = count >> shift;
      auto const store_some       = [&](unsigned s, auto const& value) {
        if (s < segments_of) store(segment + s, value);
      };
      typename Segments::Rows rows;
      segments.gather(row, in.vectors, rows);
      if (segments.scatter(rows, in.vectors, store_some)) return;
      typename Segments::Streamed const additions{Warp{}};
      additions.gather(row, in.vectors, rows);
      additions.scatter(rows, in.vectors, store_some);
    };
    if (std::uint64_t const first = this_warp * tile_vectors; first < vectors)
      take(first, vectors - first < tile_vectors ? unsigned(vectors - first)
                                                 : unsigned(tile_vectors));
    if (in.rest > 0 && this_warp == 0) {
      unsigned char const* const from = in.x + 16 * vectors;
      auto const value =
          warp_reduce_elements<Segments, Input>(from, from + in.rest);
      if (lane == 0) store(in.count, value);
    }
  }
};

/// Segments of any length that fit a tile: each warp has tiles of whole
/// segments in flight in a ring of its own.
template <class Segments>
struct StagedSegments {
  static constexpr int threads    = segmented_tuning.warps * 32;
  static constexpr int min_blocks = 0;
  struct Task {
    unsigned char const* x;
    std::uint64_t size;  ///< bytes
    std::uint64_t tiles;
    int length;    ///< bytes per segment
    int per_tile;  ///< segments per tile
    int lanes;     ///< lanes per segment
  };

  template <class Store>
  __device__ __forceinline__ static void run(Task const& in,
                                             Store const& store) {
    constexpr SegmentedTuning tuning = segmented_tuning;
    using Stages   = WarpStages<tuning.stages, tuning.tile_bytes>;
    int const lane = threadIdx.x % 32;
    int const warp = threadIdx.x / 32;
    KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);
    Stages stages(shared_memory + warp * Stages::bytes);

    int const tile_bytes       = in.per_tile * in.length;
    std::uint64_t const stride = std::uint64_t(gridDim.x) * tuning.warps;
    auto const source          = [&](std::uint64_t tile) -> TileSource {
      if (tile >= in.tiles) return {nullptr, nullptr, nullptr};
      std::uint64_t const begin = tile * tile_bytes;
      std::uint64_t const left  = in.size - begin;
      return {in.x + begin,
              in.x + begin + (left < tile_bytes ? left : tile_bytes),
              in.x + in.size};
    };

    // Neighbouring warps of the grid have neighbouring tiles.
    std::uint64_t tile = std::uint64_t(blockIdx.x) * tuning.warps + warp;
#pragma unroll
    for (int s = 0; s < tuning.stages - 1; ++s)
      stages.start(source(tile + s * stride), lane);
    Segments const segments{Warp{}};
    auto const width_of = [](int bits) {
      return bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
    };
    for (; tile < in.tiles; tile += stride) {
      TileSource const now = source(tile);
      StagedTile const staged =
          stages.next(source(tile + (tuning.stages - 1) * stride), lane);
      int const bytes = int(now.end - now.begin);
      SegmentsOfTile const of_tile{now.skip(),
                                   in.length,
                                   bytes,
                                   bytes == tile_bytes
                                       ? in.per_tile
                                       : (bytes + in.length - 1) / in.length,
                                   in.lanes,
                                   width_of(now.skip() | in.length | bytes)};
      std::uint64_t const first = tile * in.per_tile;
      segments.staged(staged, of_tile,
                      [&](int s, typename Segments::Value const& value) {
                        store(first + s, value);
                      });
    }
    CopyAsync16::wait<0>();
  }
};

/// Segments that are longer than a tile, in parts. A part has every `parts`-th
/// tile of its segment, so that the warps of neighbouring parts read side by
/// side (one segment of 2^28 half values: 4066 GB/s, 3418 with contiguous
/// parts; H200, CUDA 13.0, 2026-11-21). The warp that finishes the last part of
/// a segment joins the parts in a fixed order.
template <class Segments, Scalar Input>
struct LongSegments {
  static constexpr int threads    = row_segments_tuning.threads;
  static constexpr int min_blocks = segment_min_blocks<Segments>;
  using Value                     = typename Segments::Value;
  struct Task {
    unsigned char const* x;
    std::uint64_t size;    ///< bytes
    std::uint64_t length;  ///< bytes per segment
    std::uint64_t units;   ///< parts of all segments
    unsigned parts;        ///< parts per segment
    /// If segments have several parts: one value for each part, and a counter
    /// for each segment, zero before and after the launch.
    Value* partials = nullptr;
    unsigned* done  = nullptr;
  };

  template <class Store>
  __device__ __forceinline__ static void run(Task const& in,
                                             Store const& store) {
    using Join                 = typename Segments::Join;
    using Bits                 = ElementBits<Input>;
    constexpr int tile_vectors = 32 * segment_rows;
    unsigned const lane        = threadIdx.x % 32;
    std::uint64_t const warps  = std::uint64_t(gridDim.x) * blockDim.x / 32;
    Segments segments{Warp{}};

    std::uint64_t const this_warp =
        (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    for (std::uint64_t unit = this_warp; unit < in.units; unit += warps) {
      std::uint64_t const segment      = unit / in.parts;
      unsigned const part              = unsigned(unit - segment * in.parts);
      std::uint64_t const from         = segment * in.length;
      std::uint64_t const left         = in.size - from;
      std::uint64_t const bytes        = left < in.length ? left : in.length;
      unsigned char const* const begin = in.x + from;
      unsigned char const* const end   = begin + bytes;

      // Whole vectors start at `first`; a head is before and a tail after them.
      unsigned const head =
          unsigned(-reinterpret_cast<std::uintptr_t>(begin)) % 16;
      unsigned char const* const first = head < bytes ? begin + head : end;
      std::uint64_t const vectors      = std::uint64_t(end - first) / 16;
      std::uint64_t const stride       = std::uint64_t(in.parts) * tile_vectors;
      std::uint64_t vector             = std::uint64_t(part) * tile_vectors;
      unsigned char const* at          = first + 16 * (vector + lane);
      for (; vector + tile_vectors <= vectors;
           vector += stride, at += 16 * stride) {
        Vector16 row[segment_rows];  // (8,32) per warp
#pragma unroll
        for (int r = 0; r < segment_rows; ++r)
          row[r] = load_streamed<16>(at + 512 * r);
#pragma unroll
        for (int r = 0; r < segment_rows; r += 2)
          segments.add(row[r], row[r + 1]);
      }
      if (vector < vectors) {
        Vector16 row[segment_rows];
#pragma unroll
        for (int r = 0; r < segment_rows; ++r)
          if (vector + 32 * r + lane < vectors)
            row[r] = load_streamed<16>(at + 512 * r);
#pragma unroll
        for (int r = 0; r < segment_rows; ++r)
          if (vector + 32 * r < vectors)
            segments.add_where(row[r], vector + 32 * r + lane < vectors);
      }
      auto const edge = [&](unsigned char const* here,
                            unsigned char const* stop) {
        here += lane % 16 * sizeof(Bits);
        if (here < stop)
          segments.add_element(lane, element_value<Warp, Input, Value>(
                                         *reinterpret_cast<Bits const*>(here)));
      };
      if (part == 0)
        edge(lane < 16 ? begin : first + 16 * vectors, lane < 16 ? first : end);

      Value value = segments.finish();
      if (in.parts > 1) {
        bool last = false;
        if (lane == 0) {
          in.partials[unit] = value;
          last              = AtomicIncrementAcquireRelease::fetch(
                                  in.done + segment, in.parts - 1) == in.parts - 1;
        }
        if (!__shfl_sync(0xffffffffu, last, 0)) continue;
        value                     = Join::identity();
        Value const* const of_all = in.partials + segment * in.parts;
        for (unsigned p = lane; p < in.parts; p += 32)
          value = Join::apply(value, __ldcg(of_all + p));
        join_lanes<Join>(Warp{}, value, 32);
      }
      if (lane == 0) store(segment, value);
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
