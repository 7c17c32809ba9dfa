// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_HPP

#include <backends/cuda/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/KokkosMMA_DenseTileStencil.hpp>
#include <backends/cuda/kernels/KokkosMMA_DirectStencil.hpp>
#include <backends/cuda/kernels/KokkosMMA_StencilRows.hpp>
#include <core/KokkosMMA_StencilGrid.hpp>
#include <core/KokkosMMA_StencilWeights.hpp>
#include <core/KokkosMMA_WarpDenseBand.hpp>
#include <core/KokkosMMA_WeightPieces.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// Stencils of two dimensions with any weights, by products with a band matrix
/// for each row of the weights: 16-bit floats in tiles
/// (KokkosMMA_DenseTileStencil.hpp), doubles here
/// (core/KokkosMMA_WarpDenseBand.hpp). The grid is cut into 16 strips of rows;
/// a block marches down a part of all of them at once, with 8 columns for each
/// of its warps, and keeps the next rows on their way to shared memory.

namespace KokkosMMA::Impl::Cuda {

/// How a block works.
struct DenseBandBlock {
  static constexpr int warps   = 8;  ///< 8 columns each
  static constexpr int rows    = 5;  ///< of each strip between two barriers
  static constexpr int groups  = 2;  ///< of such rows in the ring
  static constexpr int threads = 32 * warps;
  static constexpr int columns = 8 * warps;
};

/// What a launch knows beyond the grid and the weights.
struct DenseBandWork {
  std::int64_t strip;    ///< rows of each of the 16 strips
  std::int64_t blocks;   ///< of columns
  std::int64_t low[2];   ///< elements from here ..
  std::int64_t high[2];  ///< .. to here lie in memory
  int radius[2];
  int shift;        ///< columns before the grid, for aligned loads
  int edge_weight;  ///< of a row of the blocks of columns at the faces
  bool aligned;     ///< vectors of the result
};

template <class Sink>
struct DenseBandKernel {
  /// More rows of sums than a thread has registers for beyond that.
  static constexpr int reach = 7;

  using Block   = DenseBandBlock;
  using Band    = WarpDenseBand<Warp, reach>;
  using Element = double;
  using Grid    = StencilGrid<Element, 2>;
  using Index   = std::int64_t;

  static constexpr int values = 2 * Band::side + 1;  ///< of a row of weights

  /// An argument: nothing is allocated, and a graph keeps it.
  struct Task {
    Grid grid;
    DenseBandWork work;
    double weights[Band::taps][values];
    Sink sink;
  };

  /// Sums on their way out, as they are stored.
  using Staged = typename Sink::value_type;

  static constexpr int elements = 16 / int(sizeof(Element));  ///< of a vector
  static constexpr int width    = Block::columns + 2 * Band::side;
  static constexpr int vectors  = width / elements;
  static constexpr int smallest = width * int(sizeof(Element));
  // Four lanes take 32 bytes of a row, 16 lanes of four rows: all banks.
  static constexpr int pitch        = (smallest + 127) / 128 * 128 + 32;
  static constexpr int group_bytes  = Block::rows * 16 * pitch;
  static constexpr int staged_pitch = Block::columns * int(sizeof(Staged)) + 16;
  static constexpr int staged_bytes = Block::rows * 16 * staged_pitch;

  using Fragment                      = typename Band::B;
  static constexpr int fragment_bytes = Band::taps * Band::blocks * 512;
  static constexpr int shared_bytes =
      Block::groups * group_bytes + 2 * staged_bytes + fragment_bytes;

  /// Of a lane.
  struct alignas(16) Part {
    Fragment fragment;
  };
  struct alignas(2 * sizeof(Staged)) Pair {
    Staged value[2];
  };

  /// Rows of the strips in some columns.
  struct Segment {
    Index row;     ///< of strip 0, of the first sums
    Index column;  ///< of the first sums
    int rows;      ///< of data, in each strip
    int left;      ///< vectors that begin a row and do not lie in memory
    int right;     ///< the first of those that end it
  };

  __device__ static bool lies(Task const& task, Index column) {
    return task.work.low[1] <= column && column + elements <= task.work.high[1];
  }
  __device__ static bool is_used(Task const& task, Index row) {
    return -task.work.radius[0] <= row &&
           row < task.grid.extent[0] + task.work.radius[0];
  }

  /// The sum of one element as the generic route forms it: a weight of zero
  /// takes nothing from what is there.
  __device__ static double scalar_sum(Task const& task, Index row,
                                      Index column) {
    double sum = 0;
#pragma unroll 1
    for (int i = 0; i < Band::taps * values; ++i) {
      int const tap       = i / values;
      int const v         = i % values;
      double const weight = task.weights[tap][v];
      if (weight == 0) continue;
      sum += weight * stencil_element(task.grid, row + tap - reach,
                                      column + v - Band::side);
    }
    return sum;
  }

  // 16 threads take a row of a strip, so that a thread stays with its strip and
  // its columns and knows its addresses but for the row.
  static constexpr int rows_at_once = Block::threads / 16 / 16;
  static_assert(Block::threads % 256 == 0 && Block::rows % rows_at_once == 0);
  static constexpr int rows_of_thread = Block::rows / rows_at_once;

  /// How a thread loads its part of the rows.
  struct Loads {
    static constexpr int slots = (vectors + 15) / 16;

    Element const* from;  ///< as if row 0 of the data were in memory
    int low;              ///< rows from here ..
    int high;             ///< .. to here are
    bool takes[slots];

    __device__ Loads(Task const& task, Segment const& segment) {
      int const m      = int(threadIdx.x) / 16 % 16;
      int const v      = int(threadIdx.x) % 16;
      Index const row  = segment.row + m * task.work.strip - reach;
      Index const left = task.work.low[0] - row;
      Index const end  = task.work.high[0] - row;
      low  = int(left < 0 ? 0 : left < segment.rows ? left : segment.rows);
      high = int(end < low ? low : end < segment.rows ? end : segment.rows);
      from = task.grid.data + row * task.grid.stride[0] + segment.column -
             Band::side + v * elements;
#pragma unroll
      for (int k = 0; k < slots; ++k)
        takes[k] = segment.left <= v + 16 * k && v + 16 * k < segment.right;
    }

    __device__ void start(Task const& task, Segment const& segment, int group,
                          unsigned char* slot) const {
      int const m        = int(threadIdx.x) / 16;  // and the row of a thread
      int const v        = int(threadIdx.x) % 16;
      int const t        = group * Block::rows + m / 16;
      Index const stride = task.grid.stride[0];
      unsigned char* to  = slot + m * pitch + v * 16;
      if (low <= t && t + (rows_of_thread - 1) * rows_at_once < high) {
        Element const* source = from + t * stride;
#pragma unroll
        for (int u = 0; u < rows_of_thread; ++u) {
#pragma unroll
          for (int k = 0; k < slots; ++k)
            if (takes[k])
              CopyAsync16::copy(to + k * 256, source + k * 16 * elements);
          source += rows_at_once * stride;
          to += rows_at_once * 16 * pitch;
        }
        return;
      }
      Grid const& grid = task.grid;
#pragma unroll 1
      for (int u = 0; u < rows_of_thread; ++u) {
        int const now = t + u * rows_at_once;
        if (now >= segment.rows) return;
        Index const row = segment.row + m % 16 * task.work.strip + now - reach;
        Element const* source = from + now * stride;
        bool in_memory        = low <= now && now < high;
        double fill           = 0;
        if (!in_memory && is_used(task, row)) {
          Face const face =
              row < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
          in_memory = face.kind != Boundary::constant;
          fill      = face.value;
          if (in_memory)
            source +=
                (boundary_index(face.kind, row, grid.extent[0]) - row) * stride;
        }
#pragma unroll
        for (int k = 0; k < slots; ++k) {
          if (!takes[k]) continue;
          if (in_memory) {
            CopyAsync16::copy(to + k * 256, source + k * 16 * elements);
          } else {
#pragma unroll 1
            for (int e = 0; e < elements; ++e)
              reinterpret_cast<Element*>(to + k * 256)[e] =
                  static_cast<Element>(fill);
          }
        }
        to += rows_at_once * 16 * pitch;
      }
    }
  };

  /// What lies beyond the faces of the columns, one by one.
  __device__ static void load_edges(Task const& task, Segment const& segment,
                                    int group, unsigned char* slot) {
    Grid const& grid = task.grid;
    int const left   = segment.left * elements;
    int const count  = left + (vectors - segment.right) * elements;
    if (count == 0) return;
#pragma unroll 1
    for (int item = int(threadIdx.x); item < Block::rows * 16 * count;
         item += Block::threads) {
      int const place = item / count;
      int const i     = item % count;
      int const e     = i < left ? i : segment.right * elements + i - left;
      int const t     = group * Block::rows + place / 16;
      if (t >= segment.rows) return;
      Index const row = segment.row + place % 16 * task.work.strip + t - reach;
      Index const column = segment.column - Band::side + e;
      bool const used = is_used(task, row) && -task.work.radius[1] <= column &&
                        column < grid.extent[1] + task.work.radius[1];
      reinterpret_cast<Element*>(slot + place * pitch)[e] =
          used ? stencil_element(grid, row, column) : static_cast<Element>(0.);
    }
  }

  /// Rows of sums that the strip of a thread has in a segment.
  __device__ static int sums_of(Task const& task, Segment const& segment,
                                int m) {
    Index const left = task.grid.extent[0] - segment.row - m * task.work.strip;
    int const rows   = segment.rows - 2 * reach;
    return left < rows ? int(left) : rows;
  }

  /// How a thread stores vectors of the sums.
  struct Stores {
    static constexpr int many  = 16 / int(sizeof(Staged));  ///< of a vector
    static constexpr int out   = Block::columns / many;
    static constexpr int slots = (out + 15) / 16;

    Staged* to;  ///< row 0 of the sums
    int sums;    ///< rows of them

    __device__ Stores(Task const& task, Segment const& segment) {
      int const m = int(threadIdx.x) / 16 % 16;
      int const v = int(threadIdx.x) % 16;
      sums        = sums_of(task, segment, m);
      to          = task.sink.data +
           (segment.row + m * task.work.strip) * task.sink.stride[0] +
           segment.column + v * many;
    }
    __device__ void store(Task const& task, Segment const& segment, int group,
                          unsigned char const* staged) const {
      if (!task.work.aligned) {
        store_each(task, segment, group, staged);
        return;
      }
      int const m = int(threadIdx.x) / 16;  // and the row of a thread
      int const v = int(threadIdx.x) % 16;
      int const s = group * Block::rows + m / 16 - 2 * reach;
      unsigned char const* from = staged + m * staged_pitch + v * 16;
      Staged* target            = to + s * task.sink.stride[0];
      Index const n             = task.grid.extent[1];
#pragma unroll
      for (int u = 0; u < rows_of_thread; ++u) {
        int const now = s + u * rows_at_once;
        if (0 <= now && now < sums) {
#pragma unroll
          for (int k = 0; k < slots; ++k) {
            if (v + 16 * k >= out) continue;
            Index const column = segment.column + (v + 16 * k) * many;
            if (column >= 0 && column + many <= n) {
              __stcs(reinterpret_cast<uint4*>(target + 16 * k * many),
                     *reinterpret_cast<uint4 const*>(from + 256 * k));
            } else {
#pragma unroll 1
              for (int e = 0; e < many; ++e)
                if (column + e >= 0 && column + e < n)
                  target[16 * k * many + e] =
                      reinterpret_cast<Staged const*>(from + 256 * k)[e];
            }
          }
        }
        from += rows_at_once * 16 * staged_pitch;
        target += rows_at_once * task.sink.stride[0];
      }
    }
  };
  /// One sum after the other, where vectors are not aligned.
  __device__ static void store_each(Task const& task, Segment const& segment,
                                    int group, unsigned char const* staged) {
#pragma unroll 1
    for (int item = int(threadIdx.x); item < Block::rows * 16 * Block::columns;
         item += Block::threads) {
      int const c        = item % Block::columns;
      int const place    = item / Block::columns;
      int const m        = place % 16;
      int const s        = group * Block::rows + place / 16 - 2 * reach;
      Index const row    = segment.row + m * task.work.strip + s;
      Index const column = segment.column + c;
      if (s < 0 || s >= sums_of(task, segment, m) || column < 0 ||
          column >= task.grid.extent[1])
        continue;
      Staged const sum =
          reinterpret_cast<Staged const*>(staged + place * staged_pitch)[c];
      task.sink.data[row * task.sink.stride[0] + column * task.sink.stride[1]] =
          sum;
    }
  }
  /// Complete sums of a row of the strips. `lost` where one is not finite. //
  /// (16,8) per warp
  __device__ static void stage(typename Band::C const& sums, unsigned char* to,
                               bool& lost) {
    double zero = 0;  // NaN where one is not finite
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Pair pair;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        double const value = sums[2 * half + e];
        zero               = fma(value, 0., zero);
        pair.value[e]      = static_cast<Staged>(value);
      }
      *reinterpret_cast<Pair*>(to + 8 * half * staged_pitch) = pair;
    }
    lost = lost || !(zero == 0);
  }
  /// A product with zero poisons sums that do not see what is not finite: those
  /// of a segment that are not are formed anew. (Not while it marches, when its
  /// sums fill the registers.)
  __device__ static void repair(Task const& task, Segment const& segment) {
    Index const rows = segment.rows - 2 * reach;
#pragma unroll 1
    for (Index i = threadIdx.x; i < rows * 16 * Block::columns;
         i += Block::threads) {
      Index const column = segment.column + i % Block::columns;
      Index const place  = i / Block::columns;
      Index const row = segment.row + place % 16 * task.work.strip + place / 16;
      if (row >= task.grid.extent[0] || column < 0 ||
          column >= task.grid.extent[1])
        continue;
      Staged& stored =
          task.sink
              .data[row * task.sink.stride[0] + column * task.sink.stride[1]];
      double const sum = static_cast<double>(stored);
      if (!(sum - sum == 0))
        stored = static_cast<Staged>(scalar_sum(task, row, column));
    }
  }

  template <class Bands>
  __device__ static void march(Task const& task, Segment const& segment,
                               Bands const& bands, unsigned char* ring,
                               unsigned char* staged) {
    int const lane   = int(threadIdx.x) % 32;
    int const warp   = int(threadIdx.x) / 32;
    int const groups = (segment.rows + Block::rows - 1) / Block::rows;
    Loads const loads(task, segment);
    Stores const out(task, segment);
    bool const has_edges = segment.left > 0 || segment.right < vectors;
    auto const load      = [&](int group, unsigned char* slot) {
      loads.start(task, segment, group, slot);
      if (has_edges) load_edges(task, segment, group, slot);
    };
    Band band(Warp(), bands);
#pragma unroll 1
    for (int g = 0; g < Block::groups - 1; ++g) {
      if (g < groups) load(g, ring + g * group_bytes);
      CopyAsync16::commit();
    }
    int slot  = 0;
    bool lost = false;
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      CopyAsync16::wait<Block::groups - 2>();
      __syncthreads();
      unsigned char const* const data =
          ring + slot * group_bytes + warp * 8 * int(sizeof(Element));
      unsigned char* const to = staged + g % 2 * staged_bytes +
                                lane / 4 * staged_pitch +
                                (warp * 8 + lane % 4 * 2) * int(sizeof(Staged));
      typename Band::A first = Band::load(data, pitch, lane);
      auto const row         = [&]<int U>(std::integral_constant<int, U>) {
        // Not all warps of a scheduler at once: the others keep the tensor
        // cores busy.
        if (U == 0 ? warp < 4 : U == 2 ? warp >= 4 : false) {
          int const ahead = g + Block::groups - 1;
          if (ahead < groups)
            load(ahead, ring + (slot == 0 ? Block::groups - 1 : slot - 1) *
                                           group_bytes);
          CopyAsync16::commit();
          if (g > 0)
            out.store(task, segment, g - 1,
                              staged + (g - 1) % 2 * staged_bytes);
        }
        first = band.template step<U>(
            first,
            [&](int block) {
              return Band::load(
                          data + (block < Band::blocks ? U * 16 * pitch + 64 * block
                                  : U + 1 < Block::rows ? (U + 1) * 16 * pitch
                                                        : 0),
                          pitch, lane);
            },
            bands);
        int const t = g * Block::rows + U;
        if (2 * reach <= t && t < segment.rows)
          stage(band.template complete<U>(), to + U * 16 * staged_pitch, lost);
      };
      [&]<int... U>(std::integer_sequence<int, U...>) {
        (row(std::integral_constant<int, U>()), ...);
      }
      (std::make_integer_sequence<int, Block::rows>());
      band.template turn<Block::rows>();
      slot = slot + 1 == Block::groups ? 0 : slot + 1;
    }
    CopyAsync16::wait<0>();
    __syncthreads();
    out.store(task, segment, groups - 1,
              staged + (groups - 1) % 2 * staged_bytes);
    if (__syncthreads_or(lost)) repair(task, segment);
    __syncthreads();
  }

  __device__ static void run(Task const& task) {
    extern __shared__ __align__(128) unsigned char shared_memory[];
    unsigned char* const ring   = shared_memory;
    unsigned char* const staged = ring + Block::groups * group_bytes;
    int const lane              = int(threadIdx.x) % 32;

    // Blocks share the rows of all blocks of columns evenly.
    DenseBandWork const& work = task.work;
    Index const edge          = work.strip * (work.edge_weight - 1);
    Index const total         = work.strip * work.blocks + 2 * edge;
    auto const begin_of       = [&](Index block) {
      Index const at =
          total / gridDim.x * block + total % gridDim.x * block / gridDim.x;
      Index const low = work.strip * work.edge_weight;
      if (at < low) return at / work.edge_weight;
      Index const last = work.strip * (work.blocks - 1);
      if (at - edge < last) return at - edge;
      return last + (at - edge - last) / work.edge_weight;
    };
    Part* const memory = reinterpret_cast<Part*>(staged + 2 * staged_bytes);
#pragma unroll 1
    for (int i = int(threadIdx.x) / 32; i < Band::taps * Band::blocks;
         i += Block::warps)
      memory[32 * i + lane].fragment =
          Band::band(lane, i % Band::blocks, [&](int offset) {
            return task.weights[i / Band::blocks][offset + Band::side];
          });
    __syncthreads();
    auto const bands = [&](int tap, int block) {
      return memory[32 * (tap * Band::blocks + block) + lane].fragment;
    };
    Index const end = begin_of(Index(blockIdx.x) + 1);
#pragma unroll 1
    for (Index at = begin_of(blockIdx.x); at < end;) {
      Index const column = at / work.strip;
      Segment segment;
      segment.row      = at % work.strip;
      segment.column   = column * Block::columns - work.shift;
      Index const left = work.strip - segment.row;
      // A row number fits an int.
      constexpr Index most = Index(1) << 30;
      Index rows           = end - at < left ? end - at : left;
      rows                 = rows < most ? rows : most;
      at += rows;
      segment.rows         = int(rows) + 2 * reach;
      segment.left         = 0;
      segment.right        = vectors;
      auto const column_of = [&](int v) {
        return segment.column - Band::side + v * elements;
      };
      while (segment.left < vectors && !lies(task, column_of(segment.left)))
        ++segment.left;
      while (segment.right > segment.left &&
             !lies(task, column_of(segment.right - 1)))
        --segment.right;
      march(task, segment, bands, ring, staged);
    }
  }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Block::threads)
    dense_band(__grid_constant__ typename Kernel::Task const task) {
  Kernel::run(task);
}

template <class Kernel>
void launch_dense_band_kernel(Kokkos::Cuda const& space,
                              typename Kernel::Task const& task) {
  using Block      = typename Kernel::Block;
  auto const facts = kernel_facts(space.cuda_device(), dense_band<Kernel>,
                                  Block::threads, Kernel::shared_bytes);
  std::int64_t const slots =
      std::int64_t(device(space.cuda_device()).multiprocessors) *
      std::max(1, facts.resident_blocks);
  // A strip's rows of data are 2 * reach more than its sums: no fewer sums.
  constexpr std::int64_t least = Kernel::Band::taps;
  std::int64_t const blocks    = std::clamp<std::int64_t>(
      task.work.strip * task.work.blocks / least, 1, slots);
  dense_band<Kernel><<<unsigned(blocks), Block::threads, Kernel::shared_bytes,
                       space.cuda_stream()>>>(task);
  check(cudaGetLastError(), "launch of a dense band stencil");
}

template <class Sink>
void launch_dense_march(Kokkos::Cuda const& space,
                        StencilGrid<double, 2> const& grid,
                        StencilWeights<2> const& weights, Sink const& sink) {
  using Kernel                    = DenseBandKernel<Sink>;
  using Block                     = typename Kernel::Block;
  constexpr std::int64_t elements = Kernel::elements;
  DenseBandWork work{};
  auto const address = reinterpret_cast<std::uintptr_t>(grid.data);
  work.shift         = int(address / sizeof(double) % elements);
  work.strip         = (grid.extent[0] + 15) / 16;
  work.blocks =
      (grid.extent[1] + work.shift + Block::columns - 1) / Block::columns;
  for (int d = 0; d < 2; ++d) {
    work.radius[d] = weights.radius(d);
    work.low[d]    = -grid.boundaries.ghosts_low(d, weights.radius(d));
    work.high[d] =
        grid.extent[d] + grid.boundaries.ghosts_high(d, weights.radius(d));
  }
  bool loads_beyond_faces = false;
  for (Face const& face : {grid.boundaries.low[1], grid.boundaries.high[1]})
    loads_beyond_faces = loads_beyond_faces || face.kind != Boundary::constant;
  work.edge_weight  = loads_beyond_faces && work.blocks > 1 ? 2 : 1;
  using Staged      = typename Sink::value_type;
  auto const target = reinterpret_cast<std::uintptr_t>(sink.data);
  work.aligned      = sink.stride[1] == 1 &&
                 (target - work.shift * sizeof(Staged)) % 16 == 0 &&
                 sink.stride[0] * std::int64_t(sizeof(Staged)) % 16 == 0;
  typename Kernel::Task task{grid, work, {}, sink};
  for (int tap = 0; tap < Kernel::Band::taps; ++tap)
    for (int v = 0; v < Kernel::values; ++v)
      task.weights[tap][v] =
          weights.weight({tap - Kernel::reach, v - Kernel::Band::side});
  launch_dense_band_kernel<Kernel>(space, task);
}

/// What these kernels take; asked before launch_dense_band_stencil.
template <class A, class Element>
struct DenseBandStencil {
  static constexpr Scalar input = scalar_v<Element>;
  /// Sums in float of 16-bit floats, in double of doubles.
  static constexpr bool has_kernel =
      ((input == Scalar::half || input == Scalar::bhalf) &&
       std::is_same_v<A, float>) ||
      (input == Scalar::float64 && std::is_same_v<A, double>);

  static bool takes(StencilGrid<Element, 2> const& grid,
                    StencilWeights<2> const& weights) {
    if constexpr (!has_kernel) {
      return false;
    } else {
      // Vectors of 16 bytes begin at the same columns of every row.
      if (grid.stride[0] * std::int64_t(sizeof(Element)) % 16 != 0)
        return false;
      // Of doubles a thread has no registers for more rows of sums.
      if (weights.radius(0) > (input == Scalar::float64 ? 7 : 8) ||
          weights.radius(1) > 8)
        return false;
      if constexpr (input == Scalar::float64) {
        return true;
      } else {
        // Scales of the sums and back stay normal.
        double largest = 0;
        for (double const w : weights.values())
          largest = std::max(largest, std::abs(w));
        if (largest == 0) return true;
        return 0x1p-100 < largest && largest < 0x1p100 &&
               weight_pieces<weight_piece_t<Element>>(weights).are_close;
      }
    }
  }
};

/// Where sums can be formed anew after they were stored, which takes a target
/// that keeps what is not finite.
template <class Sink>
constexpr bool dense_band_stores() {
  if constexpr (VisibleStencilSink<Sink>) {
    constexpr Scalar result = scalar_v<typename Sink::value_type>;
    return result == Scalar::half || result == Scalar::bhalf ||
           result == Scalar::float32 || result == Scalar::float64;
  } else {
    return false;
  }
}

/// Sums for a functor, and those that become integers, are the direct kernel's.
template <class A, class Element, class Sink>
void launch_dense_band_stencil(Kokkos::Cuda const& space,
                               StencilGrid<Element, 2> const& grid,
                               StencilWeights<2> const& weights,
                               Sink const& sink) {
  if (grid.extent[0] <= 0 || grid.extent[1] <= 0) return;
  constexpr Scalar input = scalar_v<Element>;
  if constexpr (!DenseBandStencil<A, Element>::has_kernel ||
                !dense_band_stores<Sink>()) {
    launch_direct_stencil<A, 2>(space, grid, weights, sink);
  } else if constexpr (input == Scalar::float64) {
    launch_dense_march(space, grid, weights, sink);
  } else {
    launch_dense_tile(space, grid, weights, sink);
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
