// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DenseTileStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DirectStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_StencilRows.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBand.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBandHalf.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

/// \file
/// Stencils of two dimensions with any weights, by products with a band matrix
/// for each row of the weights: here of doubles
/// (core/stencil/KokkosMMA_WarpDenseBand.hpp) and of 16-bit floats and floats
/// whose weights are operands as they are
/// (core/stencil/KokkosMMA_WarpDenseBandHalf.hpp), with weights in pieces in
/// tiles (KokkosMMA_DenseTileStencil.hpp). The grid is cut into 16 strips of
/// rows; a block marches down a part of all of them at once, with 8 columns for
/// each of its warps, and keeps the next rows on their way to shared memory.

namespace KokkosMMA::Impl::Cuda {

/// How a block works. `Rows` of each strip between two barriers, `Groups` of
/// such rows in the ring, `Across` threads for a row of a strip, `Pause` rows
/// from the one before which the first warp of a scheduler loads and stores to
/// the one before which the next does, so that one keeps the tensor cores busy,
/// `Stores` rows stored at once.
template <int Warps, int Rows, int Groups, int Across, int Pause, int Stores>
struct DenseBandBlock {
  static constexpr int warps   = Warps;  ///< 8 columns each
  static constexpr int rows    = Rows;
  static constexpr int groups  = Groups;
  static constexpr int across  = Across;
  static constexpr int pause   = Pause;
  static constexpr int stores  = Stores;
  static constexpr int threads = 32 * warps;
  static constexpr int columns = 8 * warps;
  static_assert(warps % 4 == 0 && (warps / 4 - 1) * pause < rows);
};

/// 16384^2 elements, radius 7, 10^9 sums per second (H200, CUDA 13.0,
/// 2026-11-22).
template <class Element>
struct DenseBandTuning {
  // 480. Former states of the kernel: 500, 3 steps in a turn and 12 rows in 2
  // groups 464; 384, 12 warps with 168 registers each, which leave few products
  // on their way, 372.
  using Block   = DenseBandBlock<8, 8, 3, 8, 4, 4>;
  using Sum     = float;
  using Operand = std::uint16_t;
  using Reaches = std::integer_sequence<int, 4, 7, 8>;
  template <int Reach>
  using Band = WarpDenseBand16<Warp, scalar_v<Element>, Reach>;
};
template <>
struct DenseBandTuning<float> {
  // 182; 12 warps that take one row in a step 105. Without tensor cores 187,
  // 141 and 108 at radius 5, 6 and 7.
  using Block   = DenseBandBlock<8, 4, 3, 8, 2, 2>;
  using Sum     = float;
  using Operand = std::uint16_t;
  using Reaches = std::integer_sequence<int, 7>;
  template <int Reach>
  using Band = WarpDenseBand16<Warp, Scalar::float32, Reach>;
};
template <>
struct DenseBandTuning<double> {
  // 78. Former states of the kernel: 74.9, all warps at once 71.4, pauses of 1
  // row 74.0; 69.7, 3 rows in 4 groups 64.7. Other reaches: 4 has 163 at radius
  // 4, 5 has 101 at radius 5; without tensor cores 154, 105, 81 and 62 at
  // radius 4, 5, 6 and 7.
  using Block   = DenseBandBlock<8, 5, 2, 16, 2, 1>;
  using Sum     = double;
  using Operand = double;
  using Reaches = std::integer_sequence<int, 7>;
  template <int Reach>
  using Band = WarpDenseBand<Warp, Reach>;
};

/// What a launch knows beyond the grid and the weights.
struct DenseBandWork {
  std::int64_t strip;    ///< rows of each of the 16 strips
  std::int64_t blocks;   ///< of columns
  std::int64_t low[2];   ///< elements from here ..
  std::int64_t high[2];  ///< .. to here lie in memory
  int radius[2];
  int shift;        ///< columns before the grid, for aligned loads
  int edge_weight;  ///< of a row of the blocks of columns at the boundaries
  bool aligned;     ///< vectors of the result
};

template <class Input, class Sink, int Reach>
struct DenseBandKernel {
  static constexpr int reach = Reach;

  using Element = Input;
  using Tuning  = DenseBandTuning<Element>;
  using Block   = typename Tuning::Block;
  using Band    = typename Tuning::template Band<reach>;
  using Sum     = typename Tuning::Sum;
  using Operand = typename Tuning::Operand;
  using Grid    = StencilGrid<Element, 2>;
  using Index   = std::int64_t;

  static constexpr int values = 2 * Band::side + 1;  ///< of a row of weights

  /// An argument: nothing is allocated, and a graph keeps it.
  struct Task {
    Grid grid;
    DenseBandWork work;
    Operand weights[Band::taps][values];
    Sum scale;    ///< of the sums
    Sum largest;  ///< weight
    Sink sink;
  };

  /// Sums on their way out, as they are stored.
  using Staged = typename Sink::value_type;

  static constexpr int elements = 16 / int(sizeof(Element));  ///< of a vector
  static constexpr int width    = Block::columns + 2 * Band::side;
  static constexpr int vectors  = width / elements;
  static constexpr int smallest = width * int(sizeof(Element));
  // All banks: four lanes take 16 bytes of a row and 32 lanes of eight rows, or
  // 32 bytes and 16 lanes of four rows.
  static constexpr int pitch        = sizeof(Element) == 2
                                          ? (smallest / 16 | 1) * 16
                                          : (smallest + 127) / 128 * 128 + 32;
  static constexpr int group_bytes  = Block::rows * 16 * pitch;
  static constexpr int staged_pitch = Block::columns * int(sizeof(Staged)) + 16;
  static constexpr int staged_bytes = Block::rows * 16 * staged_pitch;

  using Fragment                      = typename Band::B;
  static constexpr int fragment_bytes = Band::bands * 512;

  /// Of a lane.
  struct alignas(16) Part {
    Fragment fragment;
  };

  /// Rows of the strips in some columns. In shared memory: the registers are
  /// the sums'.
  struct Segment {
    Index row;     ///< of strip 0, of the first sums
    Index column;  ///< of the first sums
    int rows;      ///< of data, in each strip
    int loaded;    ///< rows of whole steps: no sum meets what was there before
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

  __device__ static Sum weight_of(Task const& task, int tap, int v) {
    Operand const weight = task.weights[tap][v];
    if constexpr (std::is_same_v<Operand, Sum>) {
      return weight;
    } else if constexpr (is_band_half<Element>) {
      return __half2float(__ushort_as_half(weight)) * task.scale;
    } else {
      return __uint_as_float(std::uint32_t(weight) << 16) * task.scale;
    }
  }

  /// The sum of one element as the generic route forms it: a weight of zero
  /// takes nothing from what is there.
  __device__ static Sum scalar_sum(Task const& task, Index row, Index column) {
    Sum sum = 0;
#pragma unroll 1
    for (int i = 0; i < Band::taps * values; ++i) {
      int const tap    = i / values;
      int const v      = i % values;
      Sum const weight = weight_of(task, tap, v);
      if (weight == 0) continue;
      sum +=
          weight * static_cast<Sum>(stencil_element(
                       task.grid, row + tap - reach, column + v - Band::side));
    }
    return sum;
  }

  // A thread stays with its strip and its columns and knows its addresses but
  // for the row.
  static constexpr int across       = Block::across;
  static constexpr int rows_at_once = Block::threads / across / 16;
  static_assert(Block::threads % (16 * across) == 0 &&
                Block::rows % rows_at_once == 0);
  static constexpr int rows_of_thread = Block::rows / rows_at_once;

  /// How a thread loads its part of the rows.
  struct Loads {
    static constexpr int slots = (vectors + across - 1) / across;

    Element const* from;  ///< as if row 0 of the data were in memory
    int low;              ///< rows from here ..
    int high;             ///< .. to here are
    bool takes[slots];

    __device__ Loads(Task const& task, Segment const& segment) {
      int const m      = int(threadIdx.x) / across % 16;
      int const v      = int(threadIdx.x) % across;
      Index const row  = segment.row + m * task.work.strip - reach;
      Index const left = task.work.low[0] - row;
      Index const end  = task.work.high[0] - row;
      low  = int(left < 0 ? 0 : left < segment.loaded ? left : segment.loaded);
      high = int(end < low ? low : end < segment.loaded ? end : segment.loaded);
      from = task.grid.data + row * task.grid.stride[0] + segment.column -
             Band::side + v * elements;
#pragma unroll
      for (int k = 0; k < slots; ++k)
        takes[k] =
            segment.left <= v + across * k && v + across * k < segment.right;
    }

    __device__ void start(Task const& task, Segment const& segment, int group,
                          unsigned char* slot) const {
      int const m = int(threadIdx.x) / across;  // and the row of a thread
      int const v = int(threadIdx.x) % across;
      int const t = group * Block::rows + m / 16;
      Index const stride = task.grid.stride[0];
      unsigned char* to  = slot + m * pitch + v * 16;
      if (low <= t && t + (rows_of_thread - 1) * rows_at_once < high) {
        Element const* source = from + t * stride;
#pragma unroll
        for (int u = 0; u < rows_of_thread; ++u) {
#pragma unroll
          for (int k = 0; k < slots; ++k)
            if (takes[k])
              CopyAsync16::copy(to + k * across * 16,
                                source + k * across * elements);
          source += rows_at_once * stride;
          to += rows_at_once * 16 * pitch;
        }
        return;
      }
      Grid const& grid = task.grid;
#pragma unroll 1
      for (int u = 0; u < rows_of_thread; ++u) {
        int const now = t + u * rows_at_once;
        if (now >= segment.loaded) return;
        Index const row = segment.row + m % 16 * task.work.strip + now - reach;
        Element const* source = from + now * stride;
        bool in_memory        = low <= now && now < high;
        double fill           = 0;
        if (!in_memory && is_used(task, row)) {
          BoundaryCondition const condition =
              row < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
          in_memory = condition.kind != Boundary::constant;
          fill      = condition.value;
          if (in_memory)
            source +=
                (boundary_index(condition.kind, row, grid.extent[0]) - row) *
                stride;
        }
#pragma unroll
        for (int k = 0; k < slots; ++k) {
          if (!takes[k]) continue;
          if (in_memory) {
            CopyAsync16::copy(to + k * across * 16,
                              source + k * across * elements);
          } else {
#pragma unroll 1
            for (int e = 0; e < elements; ++e)
              reinterpret_cast<Element*>(to + k * across * 16)[e] =
                  static_cast<Element>(fill);
          }
        }
        to += rows_at_once * 16 * pitch;
      }
    }
  };

  /// What lies beyond the boundaries of the columns, one by one.
  __device__ static void load_edges(Task const& task, Segment const& segment,
                                    int group, unsigned char* slot) {
    Grid const& grid = task.grid;
    Index const n    = grid.extent[1];
    int const left   = segment.left * elements;
    int const count  = left + (vectors - segment.right) * elements;
    int const m      = int(threadIdx.x) / across;
    int const t      = group * Block::rows + m / 16;
    Index const row  = segment.row + m % 16 * task.work.strip - reach + t;
    bool const plain =
        row >= 0 && row + (rows_of_thread - 1) * rows_at_once < grid.extent[0];
#pragma unroll 1
    for (int i = int(threadIdx.x) % across; i < count; i += across) {
      int const e        = i < left ? i : segment.right * elements + i - left;
      Index const column = segment.column - Band::side + e;
      bool const used =
          -task.work.radius[1] <= column && column < n + task.work.radius[1];
      bool const beyond = column < 0 || column >= n;
      BoundaryCondition const condition =
          column < 0 ? grid.boundaries.low[1] : grid.boundaries.high[1];
      unsigned char* to  = slot + m * pitch + e * int(sizeof(Element));
      constexpr int step = rows_at_once * 16 * pitch;
      // The same column of rows of the grid: all loads at once.
      if (plain && used && !(beyond && condition.kind == Boundary::constant)) {
        Index const from =
            beyond ? boundary_index(condition.kind, column, n) : column;
        Element const* source = grid.data + row * grid.stride[0] + from;
        Element value[rows_of_thread];
#pragma unroll
        for (int u = 0; u < rows_of_thread; ++u)
          value[u] = source[u * rows_at_once * grid.stride[0]];
#pragma unroll
        for (int u = 0; u < rows_of_thread; ++u)
          *reinterpret_cast<Element*>(to + u * step) = value[u];
        continue;
      }
#pragma unroll 1
      for (int u = 0; u < rows_of_thread; ++u) {
        if (t + u * rows_at_once >= segment.loaded) break;
        Index const here = row + u * rows_at_once;
        *reinterpret_cast<Element*>(to + u * step) =
            used && is_used(task, here) ? stencil_element(grid, here, column)
                                        : static_cast<Element>(0.f);
      }
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
    static constexpr int slots = (out + across - 1) / across;

    Staged* to;  ///< row 0 of the sums
    int sums;    ///< rows of them
    bool whole;  ///< all vectors of a row lie in the grid

    __device__ Stores(Task const& task, Segment const& segment) {
      int const m = int(threadIdx.x) / across % 16;
      int const v = int(threadIdx.x) % across;
      sums        = sums_of(task, segment, m);
      whole       = segment.column >= 0 &&
              segment.column + Block::columns <= task.grid.extent[1];
      to = task.sink.data +
           (segment.row + m * task.work.strip) * task.sink.stride[0] +
           segment.column + v * many;
    }
    __device__ void store(Task const& task, Segment const& segment, int group,
                          unsigned char const* staged) const {
      if (!task.work.aligned) {
        store_each(task, segment, group, staged);
        return;
      }
      int const m = int(threadIdx.x) / across;  // and the row of a thread
      int const v = int(threadIdx.x) % across;
      int const s = group * Block::rows + m / 16 - 2 * reach;
      unsigned char const* from = staged + m * staged_pitch + v * 16;
      Staged* target            = to + s * task.sink.stride[0];
      if (0 <= s && s + (rows_of_thread - 1) * rows_at_once < sums && whole) {
#pragma unroll Block::stores
        for (int u = 0; u < rows_of_thread; ++u) {
#pragma unroll
          for (int k = 0; k < slots; ++k)
            if (v + across * k < out)
              __stcs(reinterpret_cast<uint4*>(target + across * k * many),
                     *reinterpret_cast<uint4 const*>(from + across * 16 * k));
          from += rows_at_once * 16 * staged_pitch;
          target += rows_at_once * task.sink.stride[0];
        }
        return;
      }
      Index const n = task.grid.extent[1];
#pragma unroll
      for (int u = 0; u < rows_of_thread; ++u) {
        int const now = s + u * rows_at_once;
        if (0 <= now && now < sums) {
#pragma unroll
          for (int k = 0; k < slots; ++k) {
            if (v + across * k >= out) continue;
            Index const column = segment.column + (v + across * k) * many;
            if (column >= 0 && column + many <= n) {
              __stcs(reinterpret_cast<uint4*>(target + across * k * many),
                     *reinterpret_cast<uint4 const*>(from + across * 16 * k));
            } else {
#pragma unroll 1
              for (int e = 0; e < many; ++e)
                if (column + e >= 0 && column + e < n)
                  target[across * k * many + e] =
                      reinterpret_cast<Staged const*>(from +
                                                      across * 16 * k)[e];
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
  __device__ static Sum scaled(Task const& task, Sum sum) {
    if constexpr (std::is_same_v<Operand, Sum>) {
      return sum;
    } else {
      return sum * task.scale;
    }
  }
  /// Complete sums of a row of the strips. `lost` where one is not finite and
  /// of use. // (16,8) per warp
  __device__ static void stage(Task const& task, typename Band::C const& sums,
                               unsigned char* to, bool is_used,
                               unsigned& lost) {
    Sum zero = 0;  // NaN where one is not finite
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Sum pair[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        pair[e] = scaled(task, sums[2 * half + e]);
        zero    = fma(pair[e], Sum(0), zero);
      }
      VectorStore<Staged, 2> results;
      results.template pack<Sum>(pair);
      results.template write<false>(
          reinterpret_cast<Staged*>(to + 8 * half * staged_pitch));
    }
    lost |= unsigned(is_used) & unsigned(!(zero == 0));
  }
  /// A product with zero poisons sums that do not see what is not finite: those
  /// of a segment that are not are formed anew, and those below `tiny`. (Not
  /// while it marches, when its sums fill the registers.)
  __device__ static void repair(Task const& task, Segment const& segment,
                                Sum tiny) {
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
      Sum const sum = static_cast<Sum>(stored);
      if (!(sum - sum == 0) || (-tiny < sum && sum < tiny))
        stored = static_cast<Staged>(scalar_sum(task, row, column));
    }
  }

  /// Bytes from the first of a warp's rows to where a lane loads from.
  __device__ static int place_of(int lane) {
    return sizeof(Element) == 2 ? lane % 16 * pitch + lane / 16 * 16 : 0;
  }
  /// Of rows of a step.
  __device__ static typename Band::A load_rows(unsigned char const* from,
                                               int lane) {
    if constexpr (sizeof(Element) == 2) {
      // Rows 0 to 7 and 8 to 15 of 8 columns, then of the next 8; of the last 8
      // those of row 0 of the step, then of row 1.
      static_assert(Band::together == 2);
      typename Band::A fragment;  // (16,24) per warp and row
      std::uint32_t part[3][4];
      LoadMatrix4::load(part[0], from);
      LoadMatrix4::load(part[1], from + 16 * pitch);
      LoadMatrix4::load(part[2], from + 32 + lane / 16 * (16 * pitch - 16));
#pragma unroll
      for (int r = 0; r < 12; ++r) fragment[r] = part[r / 4][r % 4];
      return fragment;
    } else {
      return Band::load(from, pitch, lane);
    }
  }

  static constexpr int shared_bytes = Block::groups * group_bytes +
                                      2 * staged_bytes + fragment_bytes +
                                      int(sizeof(Segment));

  template <class Bands>
  __device__ static void march(Task const& task, Segment const& segment,
                               Bands const& bands, unsigned char* ring,
                               unsigned char* staged) {
    int const lane   = int(threadIdx.x) % 32;
    int const warp   = int(threadIdx.x) / 32;
    int const rows   = segment.rows;
    int const groups = (rows + Block::rows - 1) / Block::rows;
    Loads const loads(task, segment);
    Stores const out(task, segment);
    auto const load = [&](int group, unsigned char* slot) {
      loads.start(task, segment, group, slot);
      if (segment.left > 0 || segment.right < vectors)
        load_edges(task, segment, group, slot);
    };
    int const place = place_of(lane) + warp * 8 * int(sizeof(Element));
    Band band(Warp(), bands);
#pragma unroll 1
    for (int g = 0; g < Block::groups - 1; ++g) {
      if (g < groups) load(g, ring + g * group_bytes);
      CopyAsync16::commit();
    }
    int slot      = 0;
    unsigned lost = 0;
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      CopyAsync16::wait<Block::groups - 2>();
      __syncthreads();
      unsigned char const* const data = ring + slot * group_bytes + place;
      unsigned char* const to         = staged + g % 2 * staged_bytes +
                                lane / 4 * staged_pitch +
                                (warp * 8 + lane % 4 * 2) * int(sizeof(Staged));
      auto const row_at = [&](int row, int block) {
        // The row behind the last one is not used.
        return load_rows(
            data + (row < Block::rows ? row : 0) * 16 * pitch + 64 * block,
            lane);
      };
      band.begin(row_at);
      auto const load_and_store = [&] {
        int const ahead = g + Block::groups - 1;
        if (ahead < groups)
          load(ahead,
               ring + (slot == 0 ? Block::groups - 1 : slot - 1) * group_bytes);
        CopyAsync16::commit();
        if (g > 0)
          out.store(task, segment, g - 1, staged + (g - 1) % 2 * staged_bytes);
      };
      constexpr int together     = Band::together;
      constexpr int rows_of_turn = Band::steps * together;
      // The turn begins with row u.
      auto const step = [&]<int U>(int u, std::integral_constant<int, U>) {
        constexpr int first = U * together;
        // Not all warps of a scheduler at once: the others keep the tensor
        // cores busy. No branches between steps where that can be: their
        // instructions mix then.
        constexpr bool known = rows_of_turn % Block::pause == 0;
        if constexpr (!known || first % Block::pause == 0) {
          int const pause = (u + first) / Block::pause;
          if (pause < Block::warps / 4 && warp / 4 == pause &&
              (known || (u + first) % Block::pause == 0))
            load_and_store();
        }
        band.template step<U>(
            [&](int row, int block) { return row_at(u + first + row, block); },
            bands);
        [&]<int... Row>(std::integer_sequence<int, Row...>) {
          (
              [&] {
                int const row = u + first + Row;
                int const t   = g * Block::rows + row;
                stage(task, band.template complete<U, Row>(),
                      to + row * 16 * staged_pitch, 2 * reach <= t && t < rows,
                      lost);
              }(),
              ...);
        }
        (std::make_integer_sequence<int, together>());
      };
      static_assert(Block::rows % rows_of_turn == 0);
      auto const turn = [&]<int... U>(int u, std::integer_sequence<int, U...>) {
        (step(u, std::integral_constant<int, U>()), ...);
        band.turn();
      };
      constexpr auto all = std::make_integer_sequence<int, Band::steps>();
      if constexpr (rows_of_turn == Block::rows) {
        turn(0, all);
      } else {
#pragma unroll 1
        for (int u = 0; u < Block::rows; u += rows_of_turn) turn(u, all);
      }
      slot = slot + 1 == Block::groups ? 0 : slot + 1;
    }
    CopyAsync16::wait<0>();
    __syncthreads();
    out.store(task, segment, groups - 1,
              staged + (groups - 1) % 2 * staged_bytes);
    // Bits of floats below 2^-133, too few to matter in larger sums.
    bool inexact = false;
    if constexpr (scalar_v<Element> == Scalar::float32) {
      inexact = __syncthreads_or(band.lost() != 0);
    }
    if (__syncthreads_or(lost) || inexact)
      repair(task, segment, inexact ? task.largest * Sum(0x1p-98) : Sum(0));
    __syncthreads();
  }

  __device__ static Segment segment_of(Task const& task, Index row,
                                       Index column, int rows) {
    Segment segment;
    segment.row    = row;
    segment.column = column * Block::columns - task.work.shift;
    segment.rows   = rows + 2 * reach;
    segment.loaded =
        (segment.rows + Band::together - 1) / Band::together * Band::together;
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
    return segment;
  }

  __device__ static void run(Task const& task) {
    KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);
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
    unsigned char* const rest = staged + 2 * staged_bytes;
    Part* const memory        = reinterpret_cast<Part*>(rest);
    Segment& segment = *reinterpret_cast<Segment*>(rest + fragment_bytes);
#pragma unroll 1
    for (int n = int(threadIdx.x) / 32; n < Band::bands; n += Block::warps)
      memory[32 * n + lane].fragment =
          Band::band(lane, n, [&](int tap, int offset) {
            return 0 <= tap && tap < Band::taps
                       ? task.weights[tap][offset + Band::side]
                       : Operand(0);
          });
    __syncthreads();
    auto const bands = [&](int n) { return memory[32 * n + lane].fragment; };
    Index const end  = begin_of(Index(blockIdx.x) + 1);
#pragma unroll 1
    for (Index at = begin_of(blockIdx.x); at < end;) {
      Index const first = at % work.strip;
      Index const left  = work.strip - first;
      // A row number fits an int.
      constexpr Index most = Index(1) << 30;
      Index rows           = end - at < left ? end - at : left;
      rows                 = rows < most ? rows : most;
      if (threadIdx.x == 0)
        segment = segment_of(task, first, at / work.strip, int(rows));
      at += rows;
      __syncthreads();
      march(task, segment, bands, ring, staged);
    }
  }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Block::threads)
    dense_band(__grid_constant__ typename Kernel::Task const task) {
  Kernel::run(task);
}

/// False where the device has too little shared memory: 215 KB for doubles, 113
/// for halfs to halfs, 123 for floats to floats.
template <class Kernel>
bool launch_dense_band_kernel(Kokkos::Cuda const& space,
                              typename Kernel::Task const& task) {
  using Block     = typename Kernel::Block;
  auto const& gpu = device(space.cuda_device());
  constexpr int most =
      stencil_dense_shared_bytes(scalar_v<typename Kernel::Element>);
  static_assert(most == 0 || Kernel::shared_bytes <= most);
  if (Kernel::shared_bytes > gpu.shared_bytes) return false;
  auto const facts = kernel_facts(space.cuda_device(), dense_band<Kernel>,
                                  Block::threads, Kernel::shared_bytes);
  std::int64_t const slots =
      std::int64_t(gpu.multiprocessors) * std::max(1, facts.resident_blocks);
  // A strip's rows of data are 2 * reach more than its sums: no fewer sums.
  constexpr std::int64_t least = Kernel::Band::taps;
  std::int64_t const blocks    = std::clamp<std::int64_t>(
      task.work.strip * task.work.blocks / least, 1, slots);
  launch_kernel(space, "dense_band", dense_band<Kernel>,
                {unsigned(blocks), Block::threads, Kernel::shared_bytes}, task);
  return true;
}

/// Weights as operands: * 2^exponent, for halfs have few exponents.
template <class Element>
struct DenseBandOperands {
  int exponent = 0;

  explicit DenseBandOperands(StencilWeights<2> const& weights) {
    if constexpr (is_band_half<Element>) {
      double largest = 0;
      for (double const w : weights.values())
        largest = std::max(largest, std::abs(w));
      if (largest > 0) exponent = HalfPiece::top - std::ilogb(largest);
    }
  }
  /// None where it would have to be rounded.
  auto operator()(double weight) const {
    if constexpr (std::is_same_v<Element, double>) {
      return std::optional<double>(weight);
    } else {
      return exact_piece<weight_piece_t<is_band_half<Element>>>(weight,
                                                                exponent);
    }
  }
  static bool are_exact(StencilWeights<2> const& weights) {
    DenseBandOperands const operands(weights);
    return std::all_of(weights.values().begin(), weights.values().end(),
                       [&](double w) { return operands(w).has_value(); });
  }
};

/// Weights of which are_exact() holds. False where the device has too little
/// shared memory.
template <int Reach, class Element, class Sink>
bool launch_dense_march(Kokkos::Cuda const& space,
                        StencilGrid<Element, 2> const& grid,
                        StencilWeights<2> const& weights, Sink const& sink) {
  using Kernel                    = DenseBandKernel<Element, Sink, Reach>;
  using Block                     = typename Kernel::Block;
  constexpr std::int64_t elements = Kernel::elements;
  DenseBandWork work{};
  auto const address = reinterpret_cast<std::uintptr_t>(grid.data);
  work.shift         = int(address / sizeof(Element) % elements);
  work.strip         = (grid.extent[0] + 15) / 16;
  work.blocks =
      (grid.extent[1] + work.shift + Block::columns - 1) / Block::columns;
  for (int d = 0; d < 2; ++d) {
    work.radius[d] = weights.radius(d);
    work.low[d]    = -grid.boundaries.ghosts_low(d, weights.radius(d));
    work.high[d] =
        grid.extent[d] + grid.boundaries.ghosts_high(d, weights.radius(d));
  }
  // Halfs, 10^9 sums per second with 2 and 3 (H200, CUDA 13.0, 2026-11-22):
  // constants beyond the boundaries 533 and 528 at radius 4, 480 and 470 at
  // radius 7, periodic 466 and 505, 468 and 475. With 1 a former state of the
  // kernel had 255 at radius 7, with 2 372.
  bool loads_beyond_boundaries = false;
  for (BoundaryCondition const& condition :
       {grid.boundaries.low[1], grid.boundaries.high[1]})
    loads_beyond_boundaries =
        loads_beyond_boundaries || condition.kind != Boundary::constant;
  int const at_boundaries =
      sizeof(Element) == 2 && loads_beyond_boundaries ? 3 : 2;
  work.edge_weight  = work.blocks > 1 ? at_boundaries : 1;
  using Staged      = typename Sink::value_type;
  auto const target = reinterpret_cast<std::uintptr_t>(sink.data);
  work.aligned      = sink.stride[1] == 1 &&
                 (target - work.shift * sizeof(Staged)) % 16 == 0 &&
                 sink.stride[0] * std::int64_t(sizeof(Staged)) % 16 == 0;
  DenseBandOperands<Element> const operands(weights);
  using Sum = typename Kernel::Sum;
  typename Kernel::Task task{
      grid, work, {}, Sum(std::ldexp(1., -operands.exponent)), 0, sink};
  for (int tap = 0; tap < Kernel::Band::taps; ++tap)
    for (int v = 0; v < Kernel::values; ++v) {
      double const weight =
          weights.weight({tap - Kernel::reach, v - Kernel::Band::side});
      task.largest         = std::max(task.largest, Sum(std::abs(weight)));
      task.weights[tap][v] = *operands(weight);
    }
  return launch_dense_band_kernel<Kernel>(space, task);
}
/// The kernel of the smallest reach that holds the weights. False where none
/// does, or the device has too little shared memory.
template <class Element, class Sink, int... Reach>
bool launch_dense_march(Kokkos::Cuda const& space,
                        StencilGrid<Element, 2> const& grid,
                        StencilWeights<2> const& weights, Sink const& sink,
                        std::integer_sequence<int, Reach...>) {
  using Tuning = DenseBandTuning<Element>;
  bool started = false;
  ((weights.radius(0) <= Reach &&
    weights.radius(1) <= Tuning::template Band<Reach>::side &&
    (started = launch_dense_march<Reach>(space, grid, weights, sink), true)) ||
   ...);
  return started;
}

/// What these kernels take; asked before launch_dense_band_stencil.
template <class A, class Element>
struct DenseBandStencil {
  static constexpr Scalar input = scalar_v<Element>;
  static constexpr bool is_half =
      input == Scalar::half || input == Scalar::bhalf;
  /// Sums in float of 16-bit floats and floats, in double of doubles.
  static constexpr bool has_kernel =
      ((is_half || input == Scalar::float32) && std::is_same_v<A, float>) ||
      (input == Scalar::float64 && std::is_same_v<A, double>);

  /// Vectors of 16 bytes begin at the same columns of every row.
  static bool takes_rows(StencilGrid<Element, 2> const& grid) {
    return grid.stride[0] * std::int64_t(sizeof(Element)) % 16 == 0;
  }
  static bool takes(StencilWeights<2> const& weights) {
    if constexpr (!has_kernel) {
      return false;
    } else {
      // Of others a thread has no registers for more rows of sums.
      if (weights.radius(0) > (is_half ? 8 : 7) || weights.radius(1) > 8)
        return false;
      if constexpr (input == Scalar::float64) {
        return true;
      } else {
        // Scales of the sums and back stay normal.
        double largest = 0;
        for (double const w : weights.values())
          largest = std::max(largest, std::abs(w));
        if (largest == 0) return true;
        if (!(0x1p-100 < largest && largest < 0x1p100)) return false;
        if (DenseBandOperands<Element>::are_exact(weights)) return true;
        if constexpr (is_half) {
          return weight_pieces<weight_piece_t<is_band_half<Element>>>(
                     weights.values())
              .are_close;
        } else {
          return false;
        }
      }
    }
  }
};

/// Where sums can be formed anew after they were stored, which takes a target
/// that keeps what is not finite.
template <class Sink>
constexpr bool dense_band_stores() {
  if constexpr (StencilEpilogue<Sink>) {
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
  using Kernels = DenseBandStencil<A, Element>;
  if constexpr (Kernels::has_kernel && dense_band_stores<Sink>()) {
    if (DenseBandOperands<Element>::are_exact(weights) &&
        launch_dense_march(space, grid, weights, sink,
                           typename DenseBandTuning<Element>::Reaches()))
      return;
    if constexpr (Kernels::is_half) {
      launch_dense_tile(space, grid, weights, sink);
      return;
    }
  }
  launch_direct_stencil<A, 2>(space, grid, weights, sink);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
