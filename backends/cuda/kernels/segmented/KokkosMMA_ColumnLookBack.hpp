// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_COLUMN_LOOK_BACK_HPP
#define KOKKOSMMA_CUDA_COLUMN_LOOK_BACK_HPP

#include <backends/cuda/kernels/block/KokkosMMA_LookBack.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_WarpColumnScan.hpp>

#include <cstdint>

/// \file
/// Prefix of a tile of a column scan, from the sums that earlier tiles have
/// published.

namespace KokkosMMA::Impl::Cuda {

/// Layout of a column scan on the device: tiles of rows and panels of columns.
/// A warp reads `lanes.positions` vectors of a row, a block `panels` of those
/// side by side; more than one only if a chunk has all rows.
struct ColumnScanShape {
  ColumnMatrix matrix;
  std::uint64_t y_stride;
  std::uint64_t positions;  ///< vectors of a row
  int skip;                 ///< elements before a row in its first vector
  ColumnLanes lanes;
  unsigned panels;   ///< panels side by side in a block
  unsigned groups;   ///< groups of panels
  unsigned chunks;   ///< chunks of rows
  unsigned window;   ///< chunks that a look-back reads one by one
  unsigned windows;  ///< windows of a span
};

/// Look-back over the chunks of a panel, with one value per column in words
/// that carry the tag of the launch, as in KokkosMMA_LookBack.hpp. The prefix
/// of a chunk combines the earlier chunks of its window, the earlier windows of
/// its span, and the prefix of the span: a few values of each column, in an
/// order that depends only on the chunk.
template <Operation Op, class Value>
class ColumnLookBack : TaggedWords<Value> {
  using Base = TaggedWords<Value>;
  using Base::fetch;
  using Base::has_tag;
  using Base::store;
  using Base::words;
  using Apply                = Combine<Op, Value>;
  static constexpr int batch = 4 / words;

 public:
  __device__ ColumnLookBack(std::uint64_t* memory, ColumnScanShape const& shape,
                            unsigned columns, unsigned tag)
      : Base(tag),
        m_memory(memory),
        m_groups(shape.groups),
        m_chunks(shape.chunks),
        m_window(shape.window),
        m_span(shape.window * shape.windows),
        m_columns(columns) {}

  /// Number of 8-byte words for all chunks.
  static std::uint64_t size(ColumnScanShape const& shape,
                            std::uint64_t columns) {
    return shape.groups *
           (std::uint64_t(shape.chunks) + shape.chunks / shape.window +
            shape.chunks / (shape.window * shape.windows) + 2) *
           columns * words;
  }

  __device__ void publish(unsigned group, unsigned chunk, unsigned column,
                          Value value) const {
    store(chunk_sum(group, chunk, column), value);
  }

  /// Calls `before(column, prefix)` once for each column. Called by all
  /// threads; `shared` has a value for each of them.
  template <class Before>
  __device__ void exclusive(unsigned group, unsigned chunk, Value* shared,
                            Before const& before) const {
    if (2 * m_columns > blockDim.x) {
      for (unsigned c = threadIdx.x; c < m_columns; c += blockDim.x) {
        Value const near = of_window(group, chunk, c);
        finish(group, chunk, c, before_window(group, chunk, c), near, before);
      }
      return;
    }
    unsigned const half   = threadIdx.x / m_columns;
    unsigned const column = threadIdx.x % m_columns;
    Value far;
    if (half == 0) far = before_window(group, chunk, column);
    if (half == 1) shared[column] = of_window(group, chunk, column);
    __syncthreads();
    if (half == 0) finish(group, chunk, column, far, shared[column], before);
  }

 private:
  __device__ Value before_window(unsigned group, unsigned chunk,
                                 unsigned column) const {
    unsigned const span   = chunk / m_span;
    unsigned const window = chunk / m_window;
    unsigned const first  = span * m_span / m_window;
    std::uint64_t early[words];
    if (span > 0) fetch(span_start(group, span, column), early);
    Value const sum = add_up(window - first, window_sum(group, first, column));
    if (span == 0) return sum;
    while (!has_tag(early)) fetch(span_start(group, span, column), early);
    return Apply::apply(unpack(early), sum);
  }
  /// Combines the earlier chunks of the window. The last chunk publishes the
  /// sum of the window, before it waits for anything earlier.
  __device__ Value of_window(unsigned group, unsigned chunk,
                             unsigned column) const {
    unsigned const within = chunk % m_window;
    Value const sum = add_up(within, chunk_sum(group, chunk - within, column));
    if (within == m_window - 1)
      store(window_sum(group, chunk / m_window, column),
            Apply::apply(sum, wait(chunk_sum(group, chunk, column))));
    return sum;
  }
  template <class Before>
  __device__ void finish(unsigned group, unsigned chunk, unsigned column,
                         Value far, Value near, Before const& before) const {
    Value const value = Apply::apply(far, near);
    if (chunk % m_span == m_span - 1)
      store(span_start(group, chunk / m_span + 1, column),
            Apply::apply(value, wait(chunk_sum(group, chunk, column))));
    before(column, value);
  }
  /// Combines `count` values, one for each chunk or window.
  __device__ Value add_up(unsigned count, std::uint64_t const* from) const {
    Value value                 = Apply::identity();
    std::uint64_t const between = std::uint64_t(m_columns) * words;
    for (unsigned first = 0; first < count; first += batch) {
      std::uint64_t bits[batch][words];
      bool complete;
      do {
        complete = true;
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (first + k < count) fetch(from + (first + k) * between, bits[k]);
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (first + k < count) complete = complete && has_tag(bits[k]);
      } while (!complete);
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (first + k < count) value = Apply::apply(value, unpack(bits[k]));
    }
    return value;
  }
  __device__ std::uint64_t* place(std::uint64_t number, unsigned column) const {
    return m_memory + (number * m_columns + column) * words;
  }
  __device__ std::uint64_t* chunk_sum(unsigned group, unsigned chunk,
                                      unsigned column) const {
    return place(std::uint64_t(group) * m_chunks + chunk, column);
  }
  __device__ std::uint64_t* window_sum(unsigned group, unsigned window,
                                       unsigned column) const {
    return place(std::uint64_t(m_groups) * m_chunks +
                     std::uint64_t(group) * (m_chunks / m_window + 1) + window,
                 column);
  }
  __device__ std::uint64_t* span_start(unsigned group, unsigned span,
                                       unsigned column) const {
    return place(
        std::uint64_t(m_groups) * (m_chunks + m_chunks / m_window + 1) +
            std::uint64_t(group) * (m_chunks / m_span + 1) + span,
        column);
  }
  __device__ Value wait(std::uint64_t const* from) const {
    Slot<Value> value;
    Base::wait(from, value);
    return value.value;
  }
  __device__ static Value unpack(std::uint64_t const (&bits)[words]) {
    Slot<Value> value;
    Base::unpack(bits, value);
    return value.value;
  }

  std::uint64_t* m_memory;
  unsigned m_groups, m_chunks, m_window, m_span, m_columns;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
