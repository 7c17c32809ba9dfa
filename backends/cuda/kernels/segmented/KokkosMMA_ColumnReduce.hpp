// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_COLUMN_REDUCE_HPP
#define KOKKOSMMA_CUDA_COLUMN_REDUCE_HPP

#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_WarpColumns.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

/// \file
/// Reduction along the slow dimension of a matrix: result j combines column j.

namespace KokkosMMA::Impl::Cuda {

/// Layout of a column reduction on the device. All warps of a block sum the
/// same chunk of the periods. `panels` of them are side by side; the others
/// split the periods of the chunk.
struct ColumnReduceShape {
  ColumnVectors vectors;
  unsigned panels;        ///< panels side by side in a block
  unsigned groups;        ///< groups of panels, one per block
  unsigned chunks;        ///< chunks of the whole periods
  std::uint64_t periods;  ///< periods of a chunk
  bool fold;              ///< whether the block joins all rows of its periods
};

/// Stores the values of a chunk in `partials`, or passes the results to `store`
/// if there is nothing to join.
template <Operation Op, Scalar Input, class Sums, class Store>
__global__ void __launch_bounds__(
    column_reduce_tuning<Sums>.threads,
    min_blocks_of<column_reduce_tuning<Sums>.min_blocks, 1>)
    column_reduce(unsigned char const* const x, ColumnReduceShape const shape,
                  typename Sums::Value* const partials, Store const store) {
  constexpr ColumnReduceTuning tuning = column_reduce_tuning<Sums>;
  constexpr unsigned warps            = tuning.threads / 32;
  using Value                         = typename Sums::Value;
  using Apply                         = Combine<Op, Value>;
  using Element       = typename Unsigned<Sums::element_bytes>::type;
  constexpr int V     = Sums::elements;
  constexpr int W     = Sums::width;
  constexpr int steps = tuning.loads;
  __shared__ __align__(16) unsigned char memory[column_reduce_memory<Sums>];
  Value* const shared = reinterpret_cast<Value*>(memory);

  ColumnVectors const& vectors = shape.vectors;
  int const lane               = threadIdx.x % 32;
  unsigned const warp          = threadIdx.x / 32;
  unsigned const sharing       = warps / shape.panels;
  unsigned const panel         = warp % shape.panels;
  unsigned const share         = warp / shape.panels;
  unsigned const group         = blockIdx.x % shape.groups;
  unsigned const chunk         = blockIdx.x / shape.groups;
  std::uint64_t const first =
      (std::uint64_t(group) * shape.panels + panel) * W;  // position
  bool const has_work = first < vectors.positions;

  Sums sums{Warp{}};
  if (has_work) {
    std::uint64_t position = first + lane;
    // Positions without elements load those of position 0.
    if (position >= vectors.positions ||
        (vectors.row_vectors != 0 &&
         vectors.offset(position) >=
             position / vectors.row_vectors * vectors.matrix.stride +
                 vectors.skip + vectors.matrix.columns))
      position = 0;
    std::uint64_t const offset = vectors.offset(position);
    std::uint64_t const step   = vectors.step();
    // Period 0 and the last may have elements outside the matrix.
    std::uint64_t const stop = vectors.periods - 1;
    std::uint64_t period     = 1 + chunk * shape.periods + share;
    std::uint64_t const end =
        min(1 + (std::uint64_t(chunk) + 1) * shape.periods, stop);
    unsigned char const* const base =
        x - std::uint64_t(vectors.skip) * Sums::element_bytes;
    unsigned char const* from =
        base + (offset + period * step) * Sums::element_bytes;
    std::uint64_t const between = sharing * step * Sums::element_bytes;
    for (; period + (steps - 1) * sharing + 1 <= end;
         period += steps * sharing) {
      Vector16 loaded[steps];
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        loaded[s] = load_constant(from);
        from += between;
      }
#pragma unroll
      for (int s = 0; s < steps; ++s) sums.add(loaded[s]);
    }
    if (period < end) {
      Vector16 loaded[steps];
#pragma unroll
      for (int s = 0; s < steps; ++s)
        loaded[s] = period + s * sharing < end
                        ? load_constant(from + s * between)
                        : Vector16{};
#pragma unroll
      for (int s = 0; s < steps; ++s)
        if (period + s * sharing < end) sums.add(loaded[s]);
    }
    auto const edge = [&](std::uint64_t p) {
      Vector16 some{};
      unsigned present           = 0;
      auto const* const elements = reinterpret_cast<Element const*>(base);
      std::uint64_t const begin  = offset + p * step;
#pragma unroll
      for (int e = 0; e < V; ++e) {
        bool const inside =
            begin + e >= vectors.skip && begin + e < vectors.end();
        if (inside)
          put_element<Sums::element_bytes>(some, e, elements[begin + e]);
        present |= unsigned(inside) << e;
      }
      sums.add_some(some, present);
    };
    if (share == 0 && chunk == 0) {
      edge(0);
      if (stop > 0) edge(stop);
    }
  }

  std::uint64_t const columns = vectors.matrix.columns;
  if (shape.fold) {
    // (sharing * period, columns)
    if (has_work)
      sums.finish([&](int, int position, int e, Value value) {
        if (std::uint64_t(position) >= vectors.positions) return;
        ColumnCoordinate const coordinate = vectors.coordinate(position, e);
        if (coordinate.row >= 0)
          shared[(share * vectors.period + coordinate.row) * columns +
                 coordinate.column] = value;
      });
    __syncthreads();
    for (unsigned rows = unsigned(sharing * vectors.period); rows > 1;) {
      unsigned const half = (rows + 1) / 2;
      unsigned const part = half * unsigned(columns);
      for (unsigned i = threadIdx.x; i + part < rows * unsigned(columns);
           i += blockDim.x)
        shared[i] = Apply::apply(shared[i], shared[i + part]);
      rows = half;
      __syncthreads();
    }
    for (unsigned j = threadIdx.x; j < columns; j += blockDim.x)
      if (partials)
        partials[chunk * columns + j] = shared[j];
      else
        store(j, shared[j]);
    return;
  }

  // (sharing, panels, element, position)
  sums.finish([&](int, int position, int e, Value value) {
    shared[(warp * V + e) * W + position] = value;
  });
  __syncthreads();
  unsigned const values = shape.panels * V * W;
  for (unsigned i = threadIdx.x; i < values; i += blockDim.x) {
    unsigned const of_panel = i % (V * W);
    unsigned const at       = i - of_panel + of_panel % V * W + of_panel / V;
    Value value             = shared[at];
    for (unsigned s = 1; s < sharing; ++s)
      value = Apply::apply(value, shared[s * values + at]);
    std::uint64_t const position =
        (std::uint64_t(group) * shape.panels + i / (V * W)) * W + of_panel / V;
    if (position >= vectors.positions) continue;
    if (partials) {
      partials[(chunk * vectors.positions + position) * V + of_panel % V] =
          value;
    } else {
      ColumnCoordinate const coordinate =
          vectors.coordinate(position, of_panel % V);
      if (coordinate.row >= 0) store(coordinate.column, value);
    }
  }
}

/// Joins the values of the chunks, and the rows of a period, in a fixed order.
/// A block has 32 columns.
template <Operation Op, class Value, class Store>
__global__ void column_join(Value const* const partials,
                            ColumnReduceShape const shape, Store const store) {
  using Apply = Combine<Op, Value>;
  __shared__ Value shared[32][33];
  ColumnVectors const& vectors = shape.vectors;
  std::uint64_t const j        = std::uint64_t(blockIdx.x) * 32 + threadIdx.x;
  std::uint64_t const rows     = shape.fold ? 1 : vectors.period;
  std::uint64_t const width    = shape.fold
                                     ? vectors.matrix.columns
                                     : vectors.positions * vectors.per_vector;
  std::uint64_t const entries  = rows * shape.chunks;
  std::uint64_t const each     = (entries + blockDim.y - 1) / blockDim.y;
  std::uint64_t const begin    = each * threadIdx.y;
  std::uint64_t const end      = min(begin + each, entries);
  Value value                  = Apply::identity();
  if (j < vectors.matrix.columns) {
#pragma unroll 8
    for (std::uint64_t i = begin; i < end; ++i)
      value = Apply::apply(
          value, partials[i / rows * width +
                          (shape.fold ? j : vectors.index(i % rows, j))]);
  }
  shared[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.y != 0 || j >= vectors.matrix.columns) return;
  for (unsigned y = 1; y < blockDim.y; ++y)
    value = Apply::apply(value, shared[y][threadIdx.x]);
  store(j, value);
}

/// Calls store(j, combination of column j); element (i,j) is at x[i *
/// row_stride + j].
/// \pre one row and one column or more
template <Operation Op, Scalar Input, class Value, class Store>
void launch_column_reduce(Stream const& space, void const* x,
                          std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t row_stride, Store const& store) {
  using Sums = WarpColumnAdditions<Warp, Op, Input, Value>;
  constexpr ColumnReduceTuning tuning = column_reduce_tuning<Sums>;
  constexpr int warps                 = tuning.threads / 32;
  ColumnMatrix const matrix{rows, columns, row_stride};
  check(cudaSetDevice(space.device), "cudaSetDevice");
  unsigned const resident =
      unsigned(launch_layout(space).multiprocessors) * tuning.min_blocks;

  ColumnReduceShape shape{};
  Value* partials = nullptr;
  shape.vectors   = column_vectors(x, matrix, size_of(Input), Sums::width);
  ColumnVectors const& vectors = shape.vectors;
  auto const panels = (vectors.positions + Sums::width - 1) / Sums::width;
  std::uint64_t const inner = vectors.periods > 2 ? vectors.periods - 2 : 0;
  shape.panels              = panels >= 256 ? 4 : panels >= 64 ? 2 : 1;
  while (shape.panels < warps && 2 * shape.panels <= panels &&
         warps / shape.panels * 32 > inner)
    shape.panels *= 2;
  std::uint64_t const groups  = (panels + shape.panels - 1) / shape.panels;
  shape.groups                = unsigned(groups);
  shape.fold                  = panels == 1;
  std::uint64_t const sharing = warps / shape.panels;
  // One wave of blocks if there are few panels, several waves if the panels
  // would fill one unevenly.
  std::uint64_t chunks      = groups * 8 <= resident
                                  ? resident / groups
                                  : (4 * resident + groups - 1) / groups;
  std::uint64_t const round = sharing * tuning.loads;
  chunks =
      std::clamp<std::uint64_t>(chunks, 1, (inner + round - 1) / round + 1);
  shape.periods = std::max<std::uint64_t>((inner + chunks - 1) / chunks, 1);
  shape.chunks  = unsigned(
      std::max<std::uint64_t>((inner + shape.periods - 1) / shape.periods, 1));
  bool const joins = shape.chunks > 1 || (!shape.fold && vectors.period > 1);
  std::optional<StreamScratch> scratch;
  if (joins) {
    scratch.emplace(space);
    partials = static_cast<Value*>((*scratch)->segments(
        shape.chunks *
        (shape.fold ? matrix.columns : vectors.positions * Sums::elements) *
        sizeof(Value)));
  }
  launch_kernel(space, "column_reduce", column_reduce<Op, Input, Sums, Store>,
                {shape.chunks * shape.groups, tuning.threads},
                static_cast<unsigned char const*>(x), shape, partials, store);
  if (!joins) return;
  std::uint64_t const entries =
      shape.chunks * (shape.fold ? 1 : shape.vectors.period);
  unsigned slices = 1;
  while (slices < 32 && slices * 8 < entries) slices *= 2;
  launch_kernel(space, "column_join", column_join<Op, Value, Store>,
                {unsigned((matrix.columns + 31) / 32), dim3(32, slices)},
                partials, shape, store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
