// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_UNALIGNED_LOADER_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_UNALIGNED_LOADER_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableRow.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableTask.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Loads the rows of a block into the ring, if they begin at different offsets
/// in their 16-byte chunks. Whole chunks are copied; the first and the last
/// chunk of a row also hold elements outside of it. Element `first` of a row is
/// `offset` bytes after the beginning of the row in the ring.
template <class Row, int Threads, int StageRows, class Task, class Element>
struct SeparableUnalignedLoader {
  static constexpr int stage_bytes =
      StageRows * Row::bytes + (StageRows + 31) / 32 * 32;
  static_assert(StageRows <= Threads);
  static constexpr int V      = Row::per_vector;
  static constexpr int size   = int(sizeof(Element));
  static constexpr int sector = 32;

  Task const& task;
  std::int64_t first;       ///< column of element 0 of a row
  std::int64_t first_row;   ///< first row of step 0
  std::int64_t inside_low;  ///< first row in memory
  std::int64_t inside_high;
  std::int64_t columns_low;  ///< first column in memory
  std::int64_t columns_high;
  std::uintptr_t memory_begin;  ///< address of the first element in memory
  std::uintptr_t memory_end;
  bool periodic;
  bool whole;  ///< every chunk is inside its row
  bool has_boundaries;
  SeparableBoundaries<Row, Element> conditions;

  __device__ SeparableUnalignedLoader(Task const& all,
                                      std::int64_t first_column,
                                      std::int64_t row_of_step_0)
      : task(all), first(first_column), first_row(row_of_step_0) {
    int const radius         = task.weights.row_radius();
    std::int64_t const above = task.weights.column_radius();
    inside_low               = task.row_low.kind == Boundary::halo ? -above : 0;
    inside_high =
        task.rows + (task.row_high.kind == Boundary::halo ? above : 0);
    columns_low = task.column_low.kind == Boundary::halo ? -radius : 0;
    columns_high =
        task.columns + (task.column_high.kind == Boundary::halo ? radius : 0);
    memory_begin = address(inside_low * task.stride + columns_low);
    memory_end   = address((inside_high - 1) * task.stride + columns_high);
    periodic     = task.column_low.kind == Boundary::periodic;
    whole        = first - sector / size >= columns_low &&
            first + Row::elements <= columns_high;
    has_boundaries = (first < 0 && conditions.is_filled(task.column_low)) ||
                     (first + Row::elements > task.columns &&
                      conditions.is_filled(task.column_high));
    int const lane = threadIdx.x % 32;
    if (has_boundaries && lane % 16 < radius) {
      if (lane < 16)
        conditions.start(task.column_low, -1 - lane, task.columns, first);
      else
        conditions.start(task.column_high, task.columns + lane - 16,
                         task.columns, first);
    }
  }

  __device__ std::uintptr_t address(std::int64_t element) const {
    return reinterpret_cast<std::uintptr_t>(task.elements() + element);
  }
  /// Offsets of the rows of a stage, one byte each, stored after its rows.
  struct Offsets {
    Registers<unsigned, (StageRows + 3) / 4> words;
    __device__ int at(int row) const {
      return words[row / 4] >> row % 4 * 8 & 0xff;
    }
  };
  __device__ static Offsets offsets(unsigned char const* stage) {
    return {
        load_words<(StageRows + 3) / 4 * 4, 4>(stage + StageRows * Row::bytes)};
  }
  __device__ void store_offset(unsigned char* stage, int row, int step) const {
    std::int64_t index = first_row + step + row;
    double value;
    bool const inside =
        source_row(task.row_low, task.row_high, task.rows, index, value);
    stage[StageRows * Row::bytes + row] =
        inside ? address(index * task.stride + first) % sector : 0;
  }

  /// Copies the chunk of a row that begins at column `column`.
  __device__ void chunk(unsigned char* to, Element const* from,
                        std::int64_t column) const {
    if (column + V <= columns_low || column >= columns_high) return;
    bool const inside = column >= columns_low && column + V <= columns_high;
    auto const begin  = reinterpret_cast<std::uintptr_t>(from + column);
    // Other elements of a chunk are not used, or filled in later.
    if (inside ||
        (!periodic && begin >= memory_begin && begin + 16 <= memory_end)) {
      CopyAsync16::copy(to, from + column);
    } else if (!periodic) {
#pragma unroll 1
      for (int e = 0; e < V; ++e)
        if (column + e >= columns_low && column + e < columns_high)
          copy_element(reinterpret_cast<Element*>(to) + e, from + column + e);
    }
  }
  /// Copies the elements of a periodic row that are in no whole chunk, one per
  /// lane. Byte 0 of `to` is column `begin`.
  __device__ void periodic_ends(unsigned char* to, Element const* from,
                                std::int64_t begin) const {
    int const radius       = task.weights.row_radius();
    std::int64_t const end = begin + Row::elements;
    std::int64_t const low =
        begin + (max(columns_low - begin, std::int64_t(0)) + V - 1) / V * V;
    std::int64_t const high =
        max(begin + (min(columns_high, end) - begin) / V * V, low);
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      std::int64_t column =
          (side == 0 ? max(begin, std::int64_t(-radius)) : high) +
          threadIdx.x % 32;
      std::int64_t const stop =
          min(task.columns + radius, side == 0 ? low : end);
      if (column >= stop) continue;
      Element* const into = reinterpret_cast<Element*>(to) + (column - begin);
      column += column < 0               ? task.columns
                : column >= task.columns ? -task.columns
                                         : 0;
      copy_element(into, from + column);
    }
  }

  /// Starts the copies of a stage, whose first row is that of step `step`.
  __device__ void stage(unsigned char* to, int step, int steps) const {
    std::int64_t const begin = first_row + step;
    if (threadIdx.x < StageRows) store_offset(to, threadIdx.x, step);
    if (whole && begin >= inside_low && begin + StageRows <= inside_high) {
#pragma unroll 1
      for (int v = threadIdx.x; v < Row::vectors; v += Threads) {
        std::uintptr_t row = address(begin * task.stride + first);
#pragma unroll
        for (int j = 0; j < StageRows; ++j) {
          CopyAsync16::copy(
              to + (j * Row::bytes + v * 16),
              reinterpret_cast<void const*>(row / sector * sector + v * 16));
          row += task.stride * size;
        }
      }
    } else {
#pragma unroll 1
      for (int j = 0; j < StageRows && step + j < steps; ++j)
        row(to + j * Row::bytes, j, begin + j);
    }
  }
  /// Copies row j of a stage.
  __device__ void row(unsigned char* to, int j, std::int64_t index) const {
    double value = 0;
    if (source_row(task.row_low, task.row_high, task.rows, index, value)) {
      Element const* const from = task.elements() + index * task.stride;
      std::int64_t const begin =
          first -
          int(reinterpret_cast<std::uintptr_t>(from + first) % sector) / size;
#pragma unroll 1
      for (int v = threadIdx.x; v < Row::vectors; v += Threads)
        chunk(to + v * 16, from, begin + v * V);
      if (periodic && !whole && threadIdx.x / 32 == j % (Threads / 32))
        periodic_ends(to, from, begin);
    } else {
      for (int e = threadIdx.x; e < Row::elements; e += Threads)
        reinterpret_cast<Element*>(to)[e] = static_cast<Element>(value);
    }
  }
  /// Fills in the elements beyond the boundaries of each row, after a stage has
  /// arrived.
  __device__ void fill_boundaries(unsigned char* stage, int step) const {
    int const warp = threadIdx.x / 32;
#pragma unroll
    for (int j = 0; j < StageRows; ++j) {
      if (j % (Threads / 32) != warp) continue;
      std::int64_t const index = first_row + step + j;
      bool const constant =
          (index < 0 && task.row_low.kind == Boundary::constant) ||
          (index >= task.rows && task.row_high.kind == Boundary::constant);
      conditions.fill(stage + j * Row::bytes + offsets(stage).at(j), constant,
                      task.rows_first);
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
