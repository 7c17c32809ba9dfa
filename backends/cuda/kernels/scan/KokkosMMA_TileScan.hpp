// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TILE_SCAN_HPP
#define KOKKOSMMA_CUDA_TILE_SCAN_HPP

#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_ScanPipeline.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/scan/KokkosMMA_WarpScan.hpp>

#include <cstdint>

/// \file
/// Scan of memory into memory in one pass: whole vectors per lane, the tiles of
/// core/scan/KokkosMMA_WarpScan.hpp.

namespace KokkosMMA::Impl::Cuda {

/// Operands of a scan, as vectors of `elements` elements of x. Vector 0 starts
/// at the aligned address at or before x(0), `skip` elements before x(0); y is
/// shifted by the same number.
template <class Output, class Value>
struct TileScanOperands {
  unsigned char const* x;
  Output* y;
  std::uint64_t skip;
  std::uint64_t size;
  Value init;
  bool aligned;  ///< whether vectors of y are, too
};

/// Loads elements [first, last) of a vector; the others are zero.
template <int ElementBytes, class Words>
__device__ Words load_some(unsigned char const* at, int first, int last) {
  using Element              = typename Unsigned<ElementBytes>::type;
  auto const* const elements = reinterpret_cast<Element const*>(at);
  Words words{};
#pragma unroll
  for (int e = 0; e < Words::size * 4 / ElementBytes; ++e) {
    if (e < first || e >= last) continue;
    put_element<ElementBytes>(words, e, elements[e]);
  }
  return words;
}

/// Position within a vector of an edge of the data.
template <int Elements>
__device__ int within(std::uint64_t position, std::uint64_t vector) {
  std::uint64_t const begin = vector * Elements;
  return position <= begin              ? 0
         : position >= begin + Elements ? Elements
                                        : int(position - begin);
}

/// A block that draws a tile loads a later one into L2: this part of the grid
/// later. 2^28 elements, GB/s without, a sixteenth, an eighth, a quarter, a
/// half, one and two grids later: float 3617 3882 3868 3876 3851 3814 3023,
/// half 3360 3947 3937 3835 3803 3818 3666, int8 3163 3929 3973 3863 3856 3796
/// 3826, double 3670 3970 3990 3945 3944 3871 3053 (H200, 2026-11-30, copy
/// 4243; a sixteenth and an eighth in another run, where a quarter had 3908
/// 3911 3943 3960). Not measured on an H100.
inline constexpr unsigned prefetched_part = 4;

/// Loads the tile of `Vectors` vectors that prefetched_part says into L2, with
/// one warp. Vectors may be smaller than 16 bytes, and aligned to their size.
/// \param drawn a tile, not the first
/// \param stop vectors that are full
template <unsigned Vectors, int VectorBytes>
__device__ void prefetch_tile(unsigned char const* x, unsigned drawn,
                              std::uint64_t stop) {
  constexpr unsigned per_lane = Vectors * VectorBytes / 32;
  static_assert(per_lane % 16 == 0);
  std::uint64_t const first =
      (drawn + gridDim.x / prefetched_part) * std::uint64_t(Vectors);
  if (first + Vectors > stop) return;
  auto const at = reinterpret_cast<std::uintptr_t>(x) + first * VectorBytes +
                  threadIdx.x % 32 * per_lane;
  CopyBulk::prefetch(reinterpret_cast<void const*>(at / 16 * 16), per_lane);
}

/// Prefixes within the warp; each is written and read by the same lane.
template <int Vectors>
struct TileKept {
  uint4 prefix[Vectors][32];
};

template <class Scan, class Tuning>
using TileScanMemory =
    ScanMemory<typename Scan::Value, TileKept<2 * Tuning::value.tiles>,
               Tuning::value.threads / 32>;

/// \param tiles tiles of the grid, each of threads / 32 * Tuning::tiles tiles
///              of a warp
template <class Scan, class Output, class Total, class Tuning>
__global__ void __launch_bounds__(Tuning::value.threads + 32,
                                  Tuning::value.min_blocks)
    tile_scan(TileScanOperands<Output, typename Scan::Value> const operands,
              unsigned const tiles, ScanScratch const scratch,
              ResultTarget<Total> const total) {
  using Value              = typename Scan::Value;
  using Words              = typename Scan::Words;
  using Vector             = typename Scan::Vector;
  using Memory             = TileScanMemory<Scan, Tuning>;
  using Kept               = TileKept<2 * Tuning::value.tiles>;
  constexpr int count      = Tuning::value.tiles;
  constexpr int warps      = Memory::warps;
  constexpr int elements   = Vector::size;
  constexpr int bytes      = Scan::Elements::bytes;
  constexpr unsigned part  = count * 64;  // vectors of a warp
  int const lane           = threadIdx.x % 32;
  int const warp           = threadIdx.x / 32;
  std::uint64_t const stop = operands.skip + operands.size;
  Scan const scan{Warp{}};
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);

  auto const first_of = [&](unsigned tile) {
    return (std::uint64_t(tile) * warps + warp) * part;
  };
  auto const inside = [&](std::uint64_t first) {
    return first * elements >= operands.skip &&
           (first + part) * elements <= stop;
  };
  auto const load = [&](unsigned tile, Kept& kept, Slot<Value>& sum) {
    std::uint64_t const first = first_of(tile);
    Words words[count][2];  // (count,2) per lane
    unsigned char const* const from = operands.x + (first + lane) * bytes;
    if (inside(first)) {
#pragma unroll
      for (int t = 0; t < count; ++t)
#pragma unroll
        for (int r = 0; r < 2; ++r)
          words[t][r] = load_streamed<bytes>(from + (2 * t + r) * 32 * bytes);
    } else {
#pragma unroll
      for (int t = 0; t < count; ++t)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          std::uint64_t const vector = first + (2 * t + r) * 32 + lane;
          words[t][r] = load_some<Scan::Elements::input_bytes, Words>(
              from + (2 * t + r) * 32 * bytes,
              within<elements>(operands.skip, vector),
              within<elements>(stop, vector));
        }
    }
    sum.value = Value(0);
#pragma unroll
    for (int t = 0; t < count; ++t) {
      Vector prefix[2];
      Value in_tile;
      scan.scan(words[t], prefix, in_tile);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (t > 0)
#pragma unroll
          for (int e = 0; e < elements; ++e)
            prefix[r][e] = sum.value + prefix[r][e];
        uint4 vector;
        memcpy(&vector, &prefix[r], 16);
        kept.prefix[2 * t + r][lane] = vector;
      }
      sum.value = t > 0 ? sum.value + in_tile : in_tile;
    }
  };

  auto const store = [&](unsigned tile, Kept& kept, Slot<Value>& base) {
    std::uint64_t const first = first_of(tile);
    Value const before        = operands.init + base.value;
    auto const result         = [&](int v) {
      uint4 const vector = kept.prefix[v][lane];
      Vector prefix;
      memcpy(&prefix, &vector, 16);
      Registers<Output, elements> results;
#pragma unroll
      for (int e = 0; e < elements; ++e)
        results[e] = static_cast<Output>(before + prefix[e]);
      return results;
    };
    if (inside(first) && operands.aligned) {
#pragma unroll
      for (int v = 0; v < 2 * count; ++v) {
        auto const results = result(v);
        store_elements<true>(operands.y + (first + v * 32 + lane) * elements,
                             results.value);
      }
    } else {
#pragma unroll
      for (int v = 0; v < 2 * count; ++v) {
        auto const results         = result(v);
        std::uint64_t const vector = first + v * 32 + lane;
        int const begin            = within<elements>(operands.skip, vector);
        int const end              = within<elements>(stop, vector);
#pragma unroll
        for (int e = 0; e < elements; ++e)
          if (e >= begin && e < end)
            operands.y[vector * elements + e] = results[e];
      }
    }
  };

  scan_tiles<false>(
      *reinterpret_cast<Memory*>(shared_memory), Plus<Value>{}, tiles, scratch,
      load, store,
      [&](Slot<Value> const& prefix, Slot<Value> const& sum) {
        if (total.wanted())
          total.store(static_cast<Total>(prefix.value + sum.value));
      },
      [&](unsigned drawn) {
        prefetch_tile<warps * part, bytes>(operands.x, drawn, stop / elements);
      });
}

/// Scans `size` contiguous elements of x, at least one, into y, on `stream`.
/// \param total null without one; StreamScratch::deliver() says when it is
///              available
template <class Scan, class Output, class Total, class Tuning>
void launch_tile_scan(Stream const& stream, StreamScratch const& scratch,
                      void const* x, Output* y, std::uint64_t size,
                      typename Scan::Value init, Total* total,
                      bool total_on_device) {
  using Value                  = typename Scan::Value;
  using Elements               = typename Scan::Elements;
  constexpr std::size_t shared = sizeof(TileScanMemory<Scan, Tuning>);
  constexpr unsigned threads   = Tuning::value.threads;
  constexpr std::uint64_t per_tile =
      threads / 32 * Tuning::value.tiles * 64 * Elements::elements;
  auto const kernel = &tile_scan<Scan, Output, Total, Tuning>;
  KernelFacts const facts =
      kernel_facts(stream.device, kernel, threads + 32, shared);
  std::size_t const skip = reinterpret_cast<std::uintptr_t>(x) %
                           Elements::bytes / Elements::input_bytes;
  Output* const shifted = y - skip;
  TileScanOperands<Output, Value> const operands{
      static_cast<unsigned char const*>(x) - skip * Elements::input_bytes,
      shifted,
      skip,
      size,
      init,
      reinterpret_cast<std::uintptr_t>(shifted) %
              (Elements::elements * sizeof(Output)) ==
          0};
  auto const tiles = unsigned((skip + size + per_tile - 1) / per_tile);
  deliver_total(scratch, look_back_size<Value>, tiles, total, sizeof(Total),
                total_on_device || !total,
                [&](ResultTarget<void> const& target, ScanScratch const& scan) {
                  launch_kernel(
                      stream, "tile_scan", kernel,
                      {scan_blocks(stream, tiles, facts.resident_blocks),
                       threads + 32, shared},
                      operands, tiles, scan,
                      ResultTarget<Total>{static_cast<Total*>(target.memory),
                                          target.words});
                });
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
