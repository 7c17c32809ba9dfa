// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandRows.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandShape.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// \file
/// Kernel of two-dimensional stencils with any weights. It multiplies the data
/// by one band matrix per row of the weights
/// (core/stencil/KokkosMMA_WarpDenseBand.hpp). It supports double, and 16-bit
/// floats and floats whose weights are exact operands.
/// The grid is divided into 16 row panels. A thread block sweeps down a part of
/// all 16 at once, 8 columns per warp, while the next rows are copied to shared
/// memory asynchronously.

namespace KokkosMMA::Impl::Cuda {

template <class Input, class Epilogue, int Reach,
          class Tuning = tuning_type<dense_band_tuning<Input>()>>
struct DenseBandKernel : DenseBandShape<Input, Epilogue, Reach, Tuning> {
  using Shape   = DenseBandShape<Input, Epilogue, Reach, Tuning>;
  using Element = Input;
  using Block   = typename Shape::Block;
  using Band    = typename Shape::Band;
  using Index   = typename Shape::Index;
  using Operand = typename Shape::Operand;
  using Sum     = typename Shape::Sum;
  using Task    = typename Shape::Task;
  using Segment = typename Shape::Segment;
  using Staged  = typename Shape::Staged;
  using Part    = typename Shape::Part;

  static constexpr int threads    = Block::threads;
  static constexpr int min_blocks = 0;

  /// Offset from a warp's first row at which this lane loads.
  __device__ static int place_of(int lane) {
    return sizeof(Element) == 2 ? lane % 16 * Shape::pitch + lane / 16 * 16 : 0;
  }
  /// Loads the operand of a step from the rows in shared memory.
  __device__ static typename Band::A load_rows(unsigned char const* from,
                                               int lane) {
    if constexpr (sizeof(Element) == 2) {
      // Rows 0 to 7 and 8 to 15 of 8 columns, then of the next 8. The last 8
      // columns: row 0 of the step, then row 1.
      static_assert(Band::rows_per_step == 2);
      typename Band::A fragment;  // (16,24) per warp and row
      std::uint32_t part[3][4];
      LoadMatrix4::load(part[0], from);
      LoadMatrix4::load(part[1], from + 16 * Shape::pitch);
      LoadMatrix4::load(part[2],
                        from + 32 + lane / 16 * (16 * Shape::pitch - 16));
#pragma unroll
      for (int r = 0; r < 12; ++r) fragment[r] = part[r / 4][r % 4];
      return fragment;
    } else {
      return Band::load(from, Shape::pitch, lane);
    }
  }

  __device__ static Sum scaled(Task const& task, Sum sum) {
    if constexpr (std::is_same_v<Operand, Sum>) {
      return sum;
    } else {
      return sum * task.scale;
    }
  }
  /// Converts the complete sums of one row per row panel, (16,8) per warp, and
  /// stages them in shared memory. Sets `lost` if a used sum is not finite.
  __device__ static void stage(Task const& task, typename Band::C const& sums,
                               unsigned char* to, bool is_used,
                               unsigned& lost) {
    Sum zero = 0;  // NaN if a sum is not finite
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
      results.write(
          reinterpret_cast<Staged*>(to + 8 * half * Shape::staged_pitch));
    }
    lost |= unsigned(is_used) & unsigned(!(zero == 0));
  }
  template <class Bands>
  __device__ static void sweep(Task const& task, Segment const& segment,
                               Bands const& bands, unsigned char* ring,
                               unsigned char* staged) {
    int const lane   = int(threadIdx.x) % 32;
    int const warp   = int(threadIdx.x) / 32;
    int const rows   = segment.rows;
    int const groups = (rows + Block::rows - 1) / Block::rows;
    DenseBandLoads<Shape> const loads(task, segment);
    DenseBandStores<Shape> const out(task, segment);
    auto const load = [&](int group, unsigned char* slot) {
      loads.start(task, segment, group, slot);
      if (segment.left > 0 || segment.right < Shape::vectors)
        loads.load_boundary_columns(task, segment, group, slot);
    };
    int const place = place_of(lane) + warp * 8 * int(sizeof(Element));
    Band band(Warp(), bands);
#pragma unroll 1
    for (int g = 0; g < Block::groups - 1; ++g) {
      if (g < groups) load(g, ring + g * Shape::group_bytes);
      CopyAsync16::commit();
    }
    int slot      = 0;
    unsigned lost = 0;
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      CopyAsync16::wait<Block::groups - 2>();
      __syncthreads();
      unsigned char const* const data =
          ring + slot * Shape::group_bytes + place;
      unsigned char* const to = staged + g % 2 * Shape::staged_bytes +
                                lane / 4 * Shape::staged_pitch +
                                (warp * 8 + lane % 4 * 2) * int(sizeof(Staged));
      auto const row_at = [&](int row, int block) {
        // The row after the last is loaded but not used.
        return load_rows(data +
                             (row < Block::rows ? row : 0) * 16 * Shape::pitch +
                             64 * block,
                         lane);
      };
      band.begin(row_at);
      auto const load_and_store = [&] {
        int const ahead = g + Block::groups - 1;
        if (ahead < groups)
          load(ahead, ring + (slot == 0 ? Block::groups - 1 : slot - 1) *
                                 Shape::group_bytes);
        CopyAsync16::commit();
        if (g > 0)
          out.store(task, segment, g - 1,
                    staged + (g - 1) % 2 * Shape::staged_bytes);
      };
      constexpr int rows_per_step = Band::rows_per_step;
      constexpr int unrolled_rows = Band::steps * rows_per_step;
      // Runs step U of the unrolled steps that begin at row u.
      auto const step = [&]<int U>(int u, std::integral_constant<int, U>) {
        constexpr int first = U * rows_per_step;
        // Warps of a scheduler load and store at different steps, so that the
        // others keep the tensor cores busy. If the steps are known at compile
        // time, there are no branches between steps and their instructions
        // interleave.
        constexpr bool known = unrolled_rows % Block::pause == 0;
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
                      to + row * 16 * Shape::staged_pitch,
                      2 * Shape::reach <= t && t < rows, lost);
              }(),
              ...);
        }
        (std::make_integer_sequence<int, rows_per_step>());
      };
      static_assert(Block::rows % unrolled_rows == 0);
      auto const unrolled = [&]<int... U>(int u,
                                          std::integer_sequence<int, U...>) {
        (step(u, std::integral_constant<int, U>()), ...);
        band.renumber();
      };
      constexpr auto all = std::make_integer_sequence<int, Band::steps>();
      if constexpr (unrolled_rows == Block::rows) {
        unrolled(0, all);
      } else {
#pragma unroll 1
        for (int u = 0; u < Block::rows; u += unrolled_rows) unrolled(u, all);
      }
      slot = slot + 1 == Block::groups ? 0 : slot + 1;
    }
    CopyAsync16::wait<0>();
    __syncthreads();
    out.store(task, segment, groups - 1,
              staged + (groups - 1) % 2 * Shape::staged_bytes);
    // Bits of floats below 2^-133 are lost. They matter only in tiny sums.
    bool inexact = false;
    if constexpr (scalar_v<Element> == Scalar::float32) {
      inexact = __syncthreads_or(band.lost() != 0);
    }
    if (__syncthreads_or(lost) || inexact)
      DenseBandRepair<Shape>::repair(
          task, segment, inexact ? task.largest * Sum(0x1p-98) : Sum(0));
    __syncthreads();
  }

  __device__ static Segment segment_of(Task const& task, Index row,
                                       Index column, int rows) {
    Segment segment;
    segment.row    = row;
    segment.column = column * Block::columns - task.work.shift;
    segment.rows   = rows + 2 * Shape::reach;
    segment.loaded = (segment.rows + Band::rows_per_step - 1) /
                     Band::rows_per_step * Band::rows_per_step;
    segment.left         = 0;
    segment.right        = Shape::vectors;
    auto const column_of = [&](int v) {
      return segment.column - Band::side + v * Shape::elements;
    };
    while (segment.left < Shape::vectors &&
           !Shape::lies(task, column_of(segment.left)))
      ++segment.left;
    while (segment.right > segment.left &&
           !Shape::lies(task, column_of(segment.right - 1)))
      --segment.right;
    return segment;
  }

  __device__ static void run(Task const& task) {
    KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);
    unsigned char* const ring   = shared_memory;
    unsigned char* const staged = ring + Block::groups * Shape::group_bytes;
    int const lane              = int(threadIdx.x) % 32;

    // Divides the rows of all blocks of columns evenly among thread blocks.
    DenseBandWork const& work = task.work;
    Index const edge          = work.panel_rows * (work.boundary_cost - 1);
    Index const total         = work.panel_rows * work.blocks + 2 * edge;
    auto const begin_of       = [&](Index block) {
      Index const at =
          total / gridDim.x * block + total % gridDim.x * block / gridDim.x;
      Index const low = work.panel_rows * work.boundary_cost;
      if (at < low) return at / work.boundary_cost;
      Index const last = work.panel_rows * (work.blocks - 1);
      if (at - edge < last) return at - edge;
      return last + (at - edge - last) / work.boundary_cost;
    };
    unsigned char* const rest = staged + 2 * Shape::staged_bytes;
    Part* const memory        = reinterpret_cast<Part*>(rest);
    Segment& segment =
        *reinterpret_cast<Segment*>(rest + Shape::fragment_bytes);
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
      Index const first = at % work.panel_rows;
      Index const left  = work.panel_rows - first;
      // Row numbers within a segment have type int.
      constexpr Index most = Index(1) << 30;
      Index rows           = end - at < left ? end - at : left;
      rows                 = rows < most ? rows : most;
      if (threadIdx.x == 0)
        segment = segment_of(task, first, at / work.panel_rows, int(rows));
      at += rows;
      __syncthreads();
      sweep(task, segment, bands, ring, staged);
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
