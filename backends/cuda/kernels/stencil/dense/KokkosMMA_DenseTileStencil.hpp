// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_TILE_STENCIL_HPP
#define KOKKOSMMA_CUDA_DENSE_TILE_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseTileTuning.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpDenseTile.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// \file
/// Kernel of two-dimensional stencils with any weights, for 16-bit floats and
/// split weights (core/stencil/KokkosMMA_WarpDenseTile.hpp). A thread block
/// loops over tiles of the grid. It copies the next tile and its halo to shared
/// memory asynchronously while each warp computes the sums of 16 columns of the
/// current one.

namespace KokkosMMA::Impl::Cuda {

template <class Element, class Epilogue>
struct DenseTileTask {
  static constexpr int taps = 17;
  StencilGrid<Element, 2> grid;
  Epilogue epilogue;
  std::int64_t low[2];   ///< first row and column in memory
  std::int64_t high[2];  ///< end of the rows and columns in memory
  int tiles[2];          ///< number of tiles, vertically and horizontally
  int step[2];           ///< from one tile of a thread block to its next
  int radius[2];
  int shift;        ///< columns before the grid, for aligned vectors
  int operands;     ///< per weight
  bool is_aligned;  ///< a lane may store its results of a row as one vector
  float scale;      ///< 1 / the scale of the operands
  /// Weights as floats, for scalar_sum, and as operands. Row 0 has offset
  /// -radius.
  float weight[taps][taps];
  std::uint16_t operand[SplitWeights::most][taps][taps];
};

template <class Element, class Epilogue, class Tuning>
struct DenseTileKernel {
  static constexpr int warps      = Tuning::value.warps;
  static constexpr int min_blocks = Tuning::value.min_blocks;
  using Task                      = DenseTileTask<Element, Epilogue>;
  using Tile = WarpDenseTile<Warp, is_band_half<Element>, Tuning::value.tiles>;
  using Result = typename Epilogue::value_type;
  using Index  = std::int64_t;

  static constexpr int threads = 32 * warps;
  static constexpr int columns = Tile::columns * warps;
  static constexpr int vectors = (columns + 2 * Tile::margin) / 8;
  static constexpr int rows    = Tile::rows + 2 * Tile::max_radius;
  // An odd number of 16-byte chunks puts those of eight rows into different
  // banks.
  static constexpr int pitch = (vectors / 2 * 2 + 1) * 16;
  // Offsets -24 to 23 and a copy shifted by one, so that the pair that begins
  // at any offset is a word of one of the two.
  static constexpr int table_origin = 24;
  static constexpr int table_row    = 2 * 2 * table_origin;  // 16-bit values
  static constexpr int table_bytes =
      SplitWeights::most * Task::taps * table_row * 2;
  static constexpr int data_bytes = rows * pitch;
  // Puts 8 floats of each of four alternate rows into different banks.
  static constexpr int staged_pitch = Tile::columns + 4;
  static constexpr int at_once =
      Tile::tiles % 4 == 0 && Tile::tiles <= 8 ? 4 : 2;
  static constexpr int staged_floats = at_once * 8 * staged_pitch;  // per warp
  static constexpr int staged_bytes  = warps * staged_floats * 4;
  static constexpr int shared_bytes =
      2 * data_bytes + staged_bytes + table_bytes + warps * 16;

  /// Position of a tile in the grid of tiles.
  struct TilePosition {
    int down;
    int across;

    __device__ Index row() const { return Index(down) * Tile::rows; }
    __device__ Index column(Task const& task) const {
      return Index(across) * columns - task.shift;
    }
    __device__ TilePosition next(Task const& task) const {
      TilePosition position{down + task.step[0], across + task.step[1]};
      if (position.across >= task.tiles[1]) {
        position.across -= task.tiles[1];
        ++position.down;
      }
      return position;
    }
  };
  /// Position of a warp's tile and number of the warp. In shared memory to save
  /// registers during the MMAs; volatile, so that it is reloaded.
  struct Progress {
    int volatile down;
    int volatile across;
    int volatile half;  ///< which half of the memory holds the data
    int volatile warp;

    __device__ TilePosition position() const { return {down, across}; }
    __device__ int thread() const { return 32 * warp + int(threadIdx.x) % 32; }
    __device__ int lane() const { return int(threadIdx.x) - 32 * warp; }
    __device__ void set(TilePosition const& position, int of_memory) {
      down   = position.down;
      across = position.across;
      half   = of_memory;
    }
  };

  __device__ static void write_table(Task const& task, std::uint16_t* table) {
    int const taps   = 2 * task.radius[0] + 1;
    int const values = 2 * task.radius[1] + 1;
    for (int i = int(threadIdx.x); i < task.operands * Task::taps * table_row;
         i += threads) {
      int const copy   = i % table_row / (2 * table_origin);
      int const tap    = i / table_row % Task::taps;
      int const part   = i / (table_row * Task::taps);
      int const offset = i % (2 * table_origin) - table_origin + copy;
      int const v      = offset + task.radius[1];
      table[i] = tap < taps && 0 <= v && v < values ? task.operand[part][tap][v]
                                                    : std::uint16_t(0);
    }
  }

  /// Copies a tile to shared memory, beginning at `row` - radius and `column` -
  /// margin.
  __device__ static void fetch(Task const& task, unsigned char* data, Index row,
                               Index column, int thread) {
    constexpr int rows_at_once = threads / vectors;
    int const v                = thread % vectors;
    int const first            = thread / vectors;
    if (first >= rows_at_once) return;
    int const needed    = Tile::rows + 2 * task.radius[0];
    auto const& grid    = task.grid;
    Index const above   = row - task.radius[0];
    Index const here    = column - Tile::margin + 8 * v;
    bool const is_chunk = task.low[1] <= here && here + 8 <= task.high[1];
    unsigned char* to   = data + first * pitch + 16 * v;
    if (is_chunk && task.low[0] <= above && above + needed <= task.high[0]) {
      Element const* from = grid.data + (above + first) * grid.stride[0] + here;
#pragma unroll 4
      for (int r = first; r < needed; r += rows_at_once) {
        CopyAsync16::copy(to, from);
        to += rows_at_once * pitch;
        from += rows_at_once * grid.stride[0];
      }
      return;
    }
    // Begin of the rows that no sum reads.
    Index const last = grid.extent[0] + task.radius[0] - above;
#pragma unroll 1
    for (int r = first; r < needed; r += rows_at_once) {
      Index at         = above + r;
      bool is_constant = r >= last;
      double value     = 0;
      if (!is_constant && (at < task.low[0] || at >= task.high[0])) {
        BoundaryCondition const condition =
            at < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
        is_constant = condition.kind == Boundary::constant;
        value       = condition.value;
        if (!is_constant)
          at = boundary_index(condition.kind, at, grid.extent[0]);
      }
      if (is_chunk && !is_constant)
        CopyAsync16::copy(to, grid.data + at * grid.stride[0] + here);
      else
        fetch_each(task, to, above + r, here, is_chunk, value, r >= last);
      to += rows_at_once * pitch;
    }
  }
  /// Writes the elements of a chunk that a boundary cuts or excludes.
  __device__ static void fetch_each(Task const& task, unsigned char* to,
                                    Index row, Index column, bool is_chunk,
                                    double value, bool is_unused) {
    auto const& grid = task.grid;
#pragma unroll 1
    for (int e = 0; e < 8; ++e) {
      Index const j      = column + e;
      bool const is_used = !is_unused && -task.radius[1] <= j &&
                           j < grid.extent[1] + task.radius[1];
      reinterpret_cast<Element*>(to)[e] = !is_used ? static_cast<Element>(0.f)
                                          : is_chunk
                                              ? static_cast<Element>(value)
                                              : grid.at(row, j);
    }
  }

  /// Returns one sum, computed like the generic route: weights of zero are
  /// skipped, so that an Inf or NaN there has no effect.
  __device__ static float scalar_sum(Task const& task, Index row,
                                     Index column) {
    float sum = 0;
#pragma unroll 1
    for (int a = -task.radius[0]; a <= task.radius[0]; ++a)
#pragma unroll 1
      for (int b = -task.radius[1]; b <= task.radius[1]; ++b) {
        float const weight =
            task.weight[a + task.radius[0]][b + task.radius[1]];
        if (weight != 0)
          sum += weight * static_cast<float>(task.grid.at(row + a, column + b));
      }
    return sum;
  }

  /// Recomputes the sums of the warp that are not finite: MMA multiplies Inf
  /// and NaN by zero too, which makes a sum NaN. Runs after the sums are
  /// stored, because they fill the registers until then.
  __device__ static void repair(Task const& task, Index row, Index column,
                                int lane) {
    __syncwarp();
#pragma unroll 1
    for (int k = lane; k < Tile::rows * Tile::columns; k += 32) {
      Index const i = row + k / Tile::columns;
      Index const j = column + k % Tile::columns;
      if (i >= task.grid.extent[0] || j < 0 || j >= task.grid.extent[1])
        continue;
      Result& stored =
          task.epilogue
              .data[i * task.epilogue.stride[0] + j * task.epilogue.stride[1]];
      float const sum = static_cast<float>(stored);
      if (!(sum - sum == 0))
        stored = static_cast<Result>(scalar_sum(task, i, j));
    }
  }

  /// Stages the sums of eight rows in shared memory, row by row.
  __device__ static void stage(typename Tile::Sums const& sums, float* to,
                               int lane) {
#pragma unroll
    for (int reg = 0; reg < 4; ++reg) {
      Coordinate const at = MmaF16::c(lane, reg);  // (column, row)
      to[at.column * staged_pitch + at.row] = sums[reg];
    }
  }
  template <int First, int... T>
  __device__ static void stage_all(Tile const& tile, float* to, int lane,
                                   std::integer_sequence<int, T...>) {
    (stage(tile.template sums<First + T>(), to + T * 8 * staged_pitch, lane),
     ...);
  }

  using Results = VectorStore<Result, 4>;
  /// Scales and converts four sums. Sets `zero` to NaN if one is not finite.
  __device__ static Results convert(Task const& task, float const* from,
                                    float& zero) {
    float4 const four     = *reinterpret_cast<float4 const*>(from);
    float const values[4] = {four.x * task.scale, four.y * task.scale,
                             four.z * task.scale, four.w * task.scale};
#pragma unroll
    for (int k = 0; k < 4; ++k) zero = fmaf(values[k], 0.f, zero);
    Results results;
    results.template pack<float>(values);
    return results;
  }
  /// Converts and stores 8 * at_once rows of sums. Returns whether any is not
  /// finite.
  __device__ static bool store(Task const& task, float const* from, Index row,
                               Index column, int lane) {
    // Groups of eight lanes read two rows, which are in different banks.
    int const first    = lane / 4 % 2 * 4 + lane / 8;
    Index const stride = task.epilogue.stride[1];
    Index const j      = column + lane % 4 * 4;
    Index const beyond = task.grid.extent[1] - j;
    Index const left   = task.grid.extent[0] - row - first;
    bool const whole   = task.is_aligned && j >= 0 && beyond >= 4;
    Result* to = task.epilogue.data + (row + first) * task.epilogue.stride[0] +
                 j * stride;
    from += first * staged_pitch + lane % 4 * 4;
    float zero = 0;
    if (whole && left > 8 * (at_once - 1)) {
#pragma unroll
      for (int t = 0; t < at_once; ++t) {
        convert(task, from + t * 8 * staged_pitch, zero)
            .template write<true>(to);
        to += 8 * task.epilogue.stride[0];
      }
      return !(zero == 0);
    }
#pragma unroll 1
    for (int r = 0; r < 8 * at_once && r < left; r += 8) {
      Results const results = convert(task, from, zero);
      if (whole) {
        results.template write<true>(to);
      } else {
        Result each[4];
        memcpy(each, results.word, sizeof(each));
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (j + k >= 0 && k < beyond) to[k * stride] = each[k];
      }
      from += 8 * staged_pitch;
      to += 8 * task.epilogue.stride[0];
    }
    return !(zero == 0);
  }

  /// Stores the sums through shared memory. Returns whether any is not finite.
  template <int... Part>
  __device__ static bool store_all(Task const& task, Tile const& tile,
                                   float* staged, Index row, Index column,
                                   int lane,
                                   std::integer_sequence<int, Part...>) {
    bool lost = false;
    (
        [&] {
          __syncwarp();
          stage_all<Part * at_once>(tile, staged, lane,
                                    std::make_integer_sequence<int, at_once>());
          __syncwarp();
          lost |= store(task, staged, row + Part * 8 * at_once, column, lane);
        }(),
        ...);
    return lost;
  }

  __device__ static void multiply(Task const& task, Tile& tile,
                                  unsigned char const* data,
                                  std::uint16_t const* table, int lane) {
    int const taps = 2 * task.radius[0] + 1;
#pragma unroll 1
    for (int part = task.operands - 1; part >= 0; --part) {
      // Word of the pair that begins at the offset of register 0.
      int const first = Tile::offset(lane, 0) + table_origin;
      // Volatile, so that the compiler does not know which registers are
      // equal.
      auto const* const words = reinterpret_cast<std::uint32_t const volatile*>(
          table + part * Task::taps * table_row +
          first % 2 * (2 * table_origin - 1) + first);
      std::uint32_t const zero = words[-4];  // word of register 1
      tile.add(
          taps,
          [&](int r) {
            typename Tile::Data fragment;  // (8,32) per warp
            LoadMatrix4::load(fragment.value, data + r * pitch);
            return fragment;
          },
          [&](int tap) {
            auto const* const row = words + tap * (table_row / 2);
            return Tile::band({{row[0], row[4], row[8]}}, zero);
          });
    }
  }

  __device__ static void run(Task const& task) {
    KOKKOSMMA_DYNAMIC_SHARED(uint4, 16, dense_tile_memory);
    unsigned char* const memory =
        reinterpret_cast<unsigned char*>(dense_tile_memory);
    float* const staged = reinterpret_cast<float*>(memory + 2 * data_bytes);
    std::uint16_t* const table = reinterpret_cast<std::uint16_t*>(
        memory + 2 * data_bytes + staged_bytes);
    Progress& progress = reinterpret_cast<Progress*>(
        memory + 2 * data_bytes + staged_bytes + table_bytes)[threadIdx.x / 32];
    TilePosition const first{int(blockIdx.x) / task.tiles[1],
                             int(blockIdx.x) % task.tiles[1]};
    fetch(task, memory, first.row(), first.column(task), int(threadIdx.x));
    CopyAsync16::commit();
    progress.set(first, 0);
    progress.warp = int(threadIdx.x) / 32;
    write_table(task, table);
#pragma unroll 1
    while (true) {
      CopyAsync16::wait<0>();
      // After the barrier, all warps have read the previous tile.
      __syncthreads();
      TilePosition const next = progress.position().next(task);
      if (next.down < task.tiles[0])
        fetch(task, memory + (progress.half ^ 1) * data_bytes, next.row(),
              next.column(task), progress.thread());
      CopyAsync16::commit();
      Tile tile{Warp()};
      {
        int const lane = progress.lane();
        // Each lane addresses a row of one of four 8 x 8 matrices.
        multiply(task, tile,
                 memory + progress.half * data_bytes + lane % 8 * pitch +
                     (progress.warp * 2 + lane / 8) * 16,
                 table, lane);
      }
      TilePosition const position = progress.position();
      int const warp              = progress.warp;
      int const lane              = progress.lane();
      Index const row             = position.row();
      Index const column = position.column(task) + warp * Tile::columns;
      bool const lost    = store_all(
             task, tile, staged + warp * staged_floats, row, column, lane,
             std::make_integer_sequence<int, Tile::tiles / at_once>());
      if (Warp::any(lost)) repair(task, row, column, lane);
      TilePosition const following = progress.position().next(task);
      if (following.down >= task.tiles[0]) return;
      int const half = progress.half ^ 1;
      __syncwarp();
      progress.set(following, half);
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
