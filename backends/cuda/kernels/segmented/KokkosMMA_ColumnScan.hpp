// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_COLUMN_SCAN_HPP
#define KOKKOSMMA_CUDA_COLUMN_SCAN_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LookBack.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_WarpColumns.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// One-pass scan along the slow dimension of a matrix. Each column is a scan of
/// its own.

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
  __device__ std::uint64_t* word(std::uint64_t number, unsigned column) const {
    return m_memory + (number * m_columns + column) * words;
  }
  __device__ std::uint64_t* chunk_sum(unsigned group, unsigned chunk,
                                      unsigned column) const {
    return word(std::uint64_t(group) * m_chunks + chunk, column);
  }
  __device__ std::uint64_t* window_sum(unsigned group, unsigned window,
                                       unsigned column) const {
    return word(std::uint64_t(m_groups) * m_chunks +
                    std::uint64_t(group) * (m_chunks / m_window + 1) + window,
                column);
  }
  __device__ std::uint64_t* span_start(unsigned group, unsigned span,
                                       unsigned column) const {
    return word(std::uint64_t(m_groups) * (m_chunks + m_chunks / m_window + 1) +
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

template <class Value, class Words, int Rows, int Elements>
struct ColumnScanMemory {
  static constexpr int threads = column_scan_tuning.threads;
  static constexpr int warps   = column_scan_tuning.threads / 32;

  alignas(16) Words kept[2][Rows][threads];
  alignas(16) Value before_warp[2][warps][Elements * 32];
  Value before_tile[Elements * 32];
  Value shared[threads];
  TileTicket first;
  unsigned next;
};

template <Scalar Input, class Value, int Elements>
inline constexpr int column_scan_bytes =
    sizeof(ColumnScanMemory<Value, ColumnWords<Elements * size_of(Input)>,
                            column_scan_rows<column_bytes<Input, Elements>>,
                            Elements>);

/// Computes y(i,j), the combination of x(0,j) to x(i,j), or to x(i-1,j) unless
/// `Inclusive`; y may be x. One pass: a block publishes the column sums of a
/// tile and starts to load the next one. Only then it looks back for the
/// previous tile, which waits in shared memory: the sums that it reads were
/// published during that load.
///
/// One function: with its phases as inlined members of a class, the machine
/// code of 10 of 52 instantiations changed (nvcc 13.0, sm_90, 2026-11-25).
template <Operation Op, Scalar Input, class Value, bool Inclusive, class Output,
          int Elements, bool Grouped>
__global__ void __launch_bounds__(
    column_scan_tuning.threads, min_blocks_of<column_scan_tuning.min_blocks, 1>)
    column_scan(unsigned char const* const x, ColumnScanShape const shape,
                Output* const y, ScanScratch const scratch) {
  constexpr int rows = column_scan_rows<column_bytes<Input, Elements>>;
  using Scan = WarpColumnScan<Warp, Op, Input, Value, Elements, rows, Grouped>;
  using Row  = typename Scan::Words;
  using Vector        = typename Scan::Vector;
  using Memory        = ColumnScanMemory<Value, Row, rows, Elements>;
  using Apply         = Combine<Op, Value>;
  using Element       = typename Unsigned<Scan::element_bytes>::type;
  constexpr int warps = Memory::warps;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, shared_memory);
  Memory& memory = *reinterpret_cast<Memory*>(shared_memory);

  int const lane         = threadIdx.x % 32;
  unsigned const warp    = threadIdx.x / 32;
  unsigned const panel   = warp % shape.panels;
  unsigned const share   = warp / shape.panels;
  unsigned const sharing = warps / shape.panels;
  int const in_panel     = shape.lanes.position(lane);
  int const row_of_group = shape.lanes.group(lane);
  unsigned const columns = unsigned(shape.lanes.positions) * Elements;
  unsigned const tiles   = shape.groups * shape.chunks;
  Scan const scan(Warp{}, shape.lanes);

  struct Coordinate {
    std::uint64_t row;    // of register 0
    std::int64_t column;  // of element 0
    int count;            // registers
    bool whole;           // all elements are columns of the matrix
  };
  auto const coordinate_of = [&](unsigned tile) {
    Coordinate coordinate;
    std::uint64_t const position =
        (std::uint64_t(tile % shape.groups) * shape.panels + panel) *
            shape.lanes.positions +
        in_panel;
    coordinate.row = (std::uint64_t(tile / shape.groups) * sharing + share) *
                         (rows * shape.lanes.groups) +
                     row_of_group;
    coordinate.column = std::int64_t(position * Elements) - shape.skip;
    coordinate.whole =
        coordinate.column >= 0 &&
        coordinate.column + Elements <= std::int64_t(shape.matrix.columns);
    std::uint64_t const left =
        coordinate.row < shape.matrix.rows
            ? (shape.matrix.rows - coordinate.row + shape.lanes.groups - 1) /
                  shape.lanes.groups
            : 0;
    bool const idle =
        row_of_group >= shape.lanes.groups || position >= shape.positions;
    coordinate.count = idle ? 0 : left < rows ? int(left) : rows;
    return coordinate;
  };

  if (threadIdx.x == 0) memory.first = TileTicket::draw(scratch.control);
  __syncthreads();
  unsigned tile = memory.first.tile;
  ColumnLookBack<Op, Value> const look_back(scratch.words, shape, columns,
                                            memory.first.tag);
  Row loaded[rows];
  auto const load = [&](unsigned number) {
    Coordinate const coordinate = coordinate_of(number);
    std::int64_t const first =
        std::int64_t(coordinate.row * shape.matrix.stride) + coordinate.column;
    std::uint64_t const between =
        shape.lanes.groups * shape.matrix.stride * Scan::element_bytes;
    if (coordinate.whole) {
      unsigned char const* const from = x + first * Scan::element_bytes;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (r < coordinate.count)
          loaded[r] = load_streamed<Scan::bytes>(from + r * between);
    } else {
      Element const* const elements = reinterpret_cast<Element const*>(x);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        loaded[r] = {};
        if (r < coordinate.count)
#pragma unroll
          for (int e = 0; e < Elements; ++e)
            if (std::uint64_t(coordinate.column + e) < shape.matrix.columns)
              put_element<Scan::element_bytes>(
                  loaded[r], e,
                  elements[first +
                           std::int64_t(r * shape.lanes.groups *
                                        shape.matrix.stride) +
                           e]);
      }
    }
  };
  // Publishes the column sums of the loaded tile and keeps its rows.
  auto const publish = [&](unsigned number, int parity) {
    Vector total;
    scan.total([&](int, int r) { return loaded[r]; },
               coordinate_of(number).count, total);
    if (shape.lanes.holds_total(lane))
#pragma unroll
      for (int e = 0; e < Elements; ++e)
        memory.before_warp[parity][warp][e * 32 + in_panel] = total[e];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      memory.kept[parity][r][threadIdx.x] = loaded[r];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < shape.panels * columns;
         i += blockDim.x) {
      unsigned const s = i / columns;
      unsigned const at =
          i % columns / shape.lanes.positions * 32 + i % shape.lanes.positions;
      Value value = Apply::identity();
      for (unsigned k = 0; k < sharing; ++k) {
        Value& mine      = memory.before_warp[parity][k * shape.panels + s][at];
        Value const next = Apply::apply(value, mine);
        mine             = value;
        value            = next;
      }
      if (shape.chunks > 1)
        look_back.publish(number % shape.groups, number / shape.groups, i,
                          value);
    }
  };
  auto const write = [&](unsigned number, int parity) {
    Coordinate const coordinate = coordinate_of(number);
    Vector before;
#pragma unroll
    for (int e = 0; e < Elements; ++e) {
      before[e] = memory.before_warp[parity][warp][e * 32 + in_panel];
      if (number >= shape.groups)
        before[e] = Apply::apply(
            memory.before_tile[e * shape.lanes.positions + in_panel],
            before[e]);
    }
    Output* const to =
        y + std::int64_t(coordinate.row * shape.y_stride) + coordinate.column;
    std::uint64_t const between = shape.lanes.groups * shape.y_stride;
    scan.template prefixes<Inclusive>(
        [&](int, int r) { return memory.kept[parity][r][threadIdx.x]; },
        coordinate.count, before,
        [&](int, int r, Vector const& prefix) {
          Registers<Output, Elements> results;
#pragma unroll
          for (int e = 0; e < Elements; ++e)
            results[e] = static_cast<Output>(prefix[e]);
          if (coordinate.whole) {
            store_elements<true>(to + r * between, results.value);
          } else {
#pragma unroll
            for (int e = 0; e < Elements; ++e)
              if (std::uint64_t(coordinate.column + e) < shape.matrix.columns)
                to[r * between + e] = results[e];
          }
        });
  };

  bool has_earlier = false;
  unsigned earlier = 0;
  if (tile < tiles) load(tile);
  for (int parity = 0; has_earlier || tile < tiles; parity ^= 1) {
    bool const has_tile = tile < tiles;
    unsigned next       = tiles;
    if (has_tile) {
      if (threadIdx.x == 0) memory.next = TileTicket::next(scratch.control);
      publish(tile, parity);
      next = memory.next;
      if (next < tiles) load(next);
    }
    if (has_earlier) {
      if (earlier >= shape.groups)
        look_back.exclusive(earlier % shape.groups, earlier / shape.groups,
                            memory.shared, [&](unsigned column, Value value) {
                              memory.before_tile[column] = value;
                            });
      __syncthreads();
      write(earlier, parity ^ 1);
    }
    __syncthreads();
    has_earlier = has_tile;
    earlier     = tile;
    tile        = next;
  }
  if (threadIdx.x == 0) finish_scan(scratch);
}

template <Operation Op, Scalar Input, class Value, bool Inclusive, class Output,
          int Elements>
void launch_column_scan_of(Stream const& space, void const* x,
                           ColumnMatrix const& matrix, Output* y,
                           std::uint64_t y_stride) {
  // No aggregate: g++ 12 fails on one within the generic lambda below.
  constexpr int threads         = column_scan_tuning.threads;
  constexpr unsigned min_blocks = column_scan_tuning.min_blocks;
  constexpr unsigned warps      = threads / 32;
  constexpr int rows = column_scan_rows<column_bytes<Input, Elements>>;
  check(cudaSetDevice(space.device), "cudaSetDevice");
  ColumnScanShape shape{};
  shape.matrix   = matrix;
  shape.y_stride = y_stride;
  shape.skip =
      int(reinterpret_cast<std::uintptr_t>(x) % (Elements * size_of(Input))) /
      size_of(Input);
  shape.positions = (shape.skip + matrix.columns + Elements - 1) / Elements;
  std::uint64_t const positions = shape.positions;
  std::uint64_t panels          = (positions + 31) / 32;
  // Narrow matrices: a warp reads several rows, if that leaves clearly fewer
  // lanes idle.
  shape.lanes = {int((positions + panels - 1) / panels), 1};
  double used = double(positions) / double(32 * panels);
  for (std::uint64_t s = 1; s <= 8 && used < 0.8; ++s) {
    std::uint64_t const wide = (positions + s - 1) / s;
    if (wide > 16) continue;
    int const side_by_side = int(32 / wide);
    double const with      = double(positions * side_by_side) / double(32 * s);
    if (with > used + 0.1) {
      used        = with;
      panels      = s;
      shape.lanes = {int(wide), side_by_side};
    }
  }
  // Few rows: warps lie across columns instead of along them.
  shape.panels = 1;
  for (unsigned s = 2; s <= warps && s <= panels; ++s)
    if (warps % s == 0 &&
        std::uint64_t(warps / s) * rows * shape.lanes.groups >= matrix.rows)
      shape.panels = s;
  std::uint64_t const tile_rows =
      std::uint64_t(warps / shape.panels) * rows * shape.lanes.groups;
  shape.groups = unsigned((panels + shape.panels - 1) / shape.panels);
  shape.chunks = unsigned((matrix.rows + tile_rows - 1) / tile_rows);
  // A span must take longer than passing its prefix to the next one.
  shape.window  = shape.groups >= 16 ? 4 : 8;
  shape.windows = shape.groups >= 16 ? 4 : shape.groups >= 4 ? 8 : 16;
  std::uint64_t const tiles = std::uint64_t(shape.groups) * shape.chunks;
  std::uint64_t const words =
      shape.chunks > 1
          ? ColumnLookBack<Op, Value>::size(
                shape, std::uint64_t(shape.lanes.positions) * Elements)
          : 1;
  StreamScratch const stream_scratch(space);
  ScanScratch const scratch = stream_scratch->scan(words);
  auto const launch         = [&](auto grouped) {
    auto const kernel   = &column_scan<Op, Input, Value, Inclusive, Output,
                                     Elements, decltype(grouped)::value>;
    constexpr int bytes = column_scan_bytes<Input, Value, Elements>;
    kernel_facts(space.device, kernel, threads, bytes);
    unsigned const resident =
        unsigned(device(space.device).multiprocessors) * min_blocks;
    unsigned const blocks = unsigned(std::min<std::uint64_t>(resident, tiles));
    launch_kernel(space, "column_scan", kernel, {blocks, threads, bytes},
                          static_cast<unsigned char const*>(x), shape, y, scratch);
  };
  if (shape.lanes.groups > 1)
    launch(std::true_type());
  else
    launch(std::false_type());
}

/// Scans columns: y[i * y_row_stride + j] is the combination of column j up to
/// row i. In place if y is x, with the same stride and element size.
/// \pre one row and one column or more
template <Operation Op, Scalar Input, class Value, bool Inclusive, class Output>
void launch_column_scan(Stream const& space, void const* x, std::uint64_t rows,
                        std::uint64_t columns, std::uint64_t row_stride,
                        Output* y, std::uint64_t y_row_stride) {
  constexpr int elements = column_scan_elements<size_of(Input), sizeof(Output)>;
  auto const whole       = [&](std::uint64_t together) {
    auto const offset = [&](void const* p, std::uint64_t element_bytes) {
      return reinterpret_cast<std::uintptr_t>(p) % (together * element_bytes) /
             element_bytes;
    };
    return offset(x, size_of(Input)) == offset(y, sizeof(Output)) &&
           (rows == 1 ||
            (row_stride % together == 0 && y_row_stride % together == 0));
  };
  ColumnMatrix const matrix{rows, columns, row_stride};
  // For eight 16-bit results per lane a block has 102 KB, more than the 99 KB
  // of compute capability 8.6, 8.9 and 12. Tiles of other heights have sums of
  // other bits, so at a fixed level no device uses them.
  constexpr int small = 99 * 1024;
  static_assert(column_scan_bytes<Input, Value, 2> <= small &&
                column_scan_bytes<Input, Value, 1> <= small);
  bool const fits =
      column_scan_bytes<Input, Value, elements> <=
      (launch_layout(space).fixed ? small : device(space.device).shared_bytes);
  if (fits && whole(elements))
    launch_column_scan_of<Op, Input, Value, Inclusive, Output, elements>(
        space, x, matrix, y, y_row_stride);
  else if (elements > 2 && whole(2))
    launch_column_scan_of<Op, Input, Value, Inclusive, Output, 2>(
        space, x, matrix, y, y_row_stride);
  else
    launch_column_scan_of<Op, Input, Value, Inclusive, Output, 1>(
        space, x, matrix, y, y_row_stride);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
