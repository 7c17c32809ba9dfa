// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_COLUMNS_HPP
#define KOKKOSMMA_CUDA_COLUMNS_HPP

#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LookBack.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/segmented/KokkosMMA_WarpColumns.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

/// \file
/// Reduction and scan along the slow dimension of a matrix: column j of the
/// result comes from column j alone.

namespace KokkosMMA::Impl::Cuda {

/// Under the caps that hold for sm_90 ptxas 13.0 spills on sm_80. The grids
/// stay what the tunings say.
template <class Tuned>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr int column_min_blocks = 1;
#else
inline constexpr int column_min_blocks = Tuned::min_blocks;
#endif

/// How a column reduction is laid over the device. All warps of a block take
/// the same chunk of the periods; `strips` of them lie side by side, the others
/// share the periods of the chunk.
struct ColumnReduceShape {
  ColumnVectors vectors;
  unsigned strips;        ///< side by side in a block
  unsigned groups;        ///< of strips, which blocks take
  unsigned chunks;        ///< of the whole periods
  std::uint64_t periods;  ///< of a chunk
  bool fold;              ///< the block adds up all rows of its periods itself
};

template <class Sums>
struct ColumnReduceTuning {
  using Value = typename Sums::Value;
  // Running values and vectors in flight share the registers.
  static constexpr bool products  = Sums::deep > 1 && Sums::registers >= 32;
  static constexpr bool wide      = products || Sums::registers >= 16;
  static constexpr int threads    = wide ? 256 : 512;
  static constexpr int min_blocks = wide && !products ? 3 : 2;
  static constexpr int warps      = threads / 32;
  static constexpr int loads =
      Sums::registers >= 48 || (wide && !products) ? 4 : 8;
};

template <class Sums>
inline constexpr int column_reduce_memory = ColumnReduceTuning<Sums>::warps*
    Sums::width* Sums::elements* int(sizeof(typename Sums::Value));

/// Leaves the values of a chunk in `partials`, or hands the results to `store`
/// when there is nothing to join.
template <Operation Op, Scalar Input, class Sums, class Store>
__global__ void __launch_bounds__(ColumnReduceTuning<Sums>::threads,
                                  column_min_blocks<ColumnReduceTuning<Sums>>)
    column_reduce(unsigned char const* const x, ColumnReduceShape const shape,
                  typename Sums::Value* const partials, Store const store) {
  using Tuned           = ColumnReduceTuning<Sums>;
  using Value           = typename Sums::Value;
  using Apply           = Combine<Op, Value>;
  using Element         = typename Unsigned<Sums::element_bytes>::type;
  constexpr int V       = Sums::elements;
  constexpr int W       = Sums::width;
  constexpr int steps   = Tuned::loads / Sums::vectors;
  constexpr unsigned of = Sums::deep * Sums::vectors;  // periods of a step
  __shared__ __align__(16) unsigned char memory[column_reduce_memory<Sums>];
  Value* const shared = reinterpret_cast<Value*>(memory);

  ColumnVectors const& vectors = shape.vectors;
  int const lane               = threadIdx.x % 32;
  unsigned const warp          = threadIdx.x / 32;
  unsigned const sharing       = Tuned::warps / shape.strips;
  unsigned const strip         = warp % shape.strips;
  unsigned const share         = warp / shape.strips;
  unsigned const group         = blockIdx.x % shape.groups;
  unsigned const chunk         = blockIdx.x / shape.groups;
  std::uint64_t const first =
      (std::uint64_t(group) * shape.strips + strip) * W;  // position
  bool const has_work = first < vectors.positions;

  Sums sums{Warp{}};
  if (has_work) {
    std::uint64_t position = first + Sums::position(lane);
    // Positions of no element load what others load.
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
    std::uint64_t period     = 1 + chunk * shape.periods + share * of;
    std::uint64_t const end =
        min(1 + (std::uint64_t(chunk) + 1) * shape.periods, stop);
    unsigned char const* const base =
        x - std::uint64_t(vectors.skip) * Sums::element_bytes;
    unsigned char const* from =
        base +
        (offset + (period + Sums::depth(lane)) * step) * Sums::element_bytes;
    std::uint64_t const deep    = Sums::deep * step * Sums::element_bytes;
    std::uint64_t const between = sharing * of * step * Sums::element_bytes;
    auto const load             = [](unsigned char const* at) {
      uint4 const v = __ldg(reinterpret_cast<uint4 const*>(at));
      return Vector16{{v.x, v.y, v.z, v.w}};
    };
    for (; period + (steps - 1) * sharing * of + of <= end;
         period += steps * sharing * of) {
      Vector16 loaded[steps][Sums::vectors];
#pragma unroll
      for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int v = 0; v < Sums::vectors; ++v)
          loaded[s][v] = load(from + v * deep);
        from += between;
      }
#pragma unroll
      for (int s = 0; s < steps; ++s) sums.add(loaded[s]);
    }
    if (period < end) {
      Vector16 loaded[steps][Sums::vectors];
#pragma unroll
      for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int v = 0; v < Sums::vectors; ++v) {
          bool const inside =
              period + s * sharing * of + v * Sums::deep + Sums::depth(lane) <
              end;
          loaded[s][v] =
              inside ? load(from + s * between + v * deep) : Vector16{};
        }
#pragma unroll
      for (int s = 0; s < steps; ++s)
        if (period + s * sharing * of < end) sums.add(loaded[s]);
    }
    auto const edge = [&](std::uint64_t p) {
      Vector16 some{};
      unsigned present = 0;
      if (Sums::depth(lane) == 0) {
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
        ColumnPlace const place = vectors.place(position, e);
        if (place.row >= 0)
          shared[(share * vectors.period + place.row) * columns +
                 place.column] = value;
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

  // (sharing, strips, element, position)
  sums.finish([&](int, int position, int e, Value value) {
    shared[(warp * V + e) * W + position] = value;
  });
  __syncthreads();
  unsigned const values = shape.strips * V * W;
  for (unsigned i = threadIdx.x; i < values; i += blockDim.x) {
    unsigned const of_strip = i % (V * W);
    unsigned const at       = i - of_strip + of_strip % V * W + of_strip / V;
    Value value             = shared[at];
    for (unsigned s = 1; s < sharing; ++s)
      value = Apply::apply(value, shared[s * values + at]);
    std::uint64_t const position =
        (std::uint64_t(group) * shape.strips + i / (V * W)) * W + of_strip / V;
    if (position >= vectors.positions) continue;
    if (partials) {
      partials[(chunk * vectors.positions + position) * V + of_strip % V] =
          value;
    } else {
      ColumnPlace const place = vectors.place(position, of_strip % V);
      if (place.row >= 0) store(place.column, value);
    }
  }
}

/// Joins what the chunks left, and the rows of a period, in a fixed order. A
/// block has 32 columns.
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

template <Operation Op, Scalar Input, class Sums, class Store>
void launch_column_sums(Kokkos::Cuda const& space, void const* x,
                        ColumnMatrix const& matrix, Store const& store) {
  using Tuned = ColumnReduceTuning<Sums>;
  using Value = typename Sums::Value;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  unsigned const resident =
      unsigned(device(space.cuda_device()).multiprocessors) * Tuned::min_blocks;

  ColumnReduceShape shape{};
  Value* partials = nullptr;
  auto const join = [&] {
    std::uint64_t const entries =
        shape.chunks * (shape.fold ? 1 : shape.vectors.period);
    unsigned slices = 1;
    while (slices < 32 && slices * 8 < entries) slices *= 2;
    launch_kernel(space, "column_join", column_join<Op, Value, Store>,
                  {unsigned((matrix.columns + 31) / 32), dim3(32, slices)},
                  partials, shape, store);
  };
  if (matrix.columns == 0) return;
  if (matrix.rows == 0) {
    shape.vectors.matrix = matrix;
    shape.fold           = true;
    join();
    return;
  }

  shape.vectors = column_vectors(x, matrix, size_of(Input), Sums::width);
  ColumnVectors const& vectors = shape.vectors;
  auto const strips = (vectors.positions + Sums::width - 1) / Sums::width;
  std::uint64_t const inner  = vectors.periods > 2 ? vectors.periods - 2 : 0;
  constexpr std::uint64_t of = Sums::deep * Sums::vectors;
  shape.strips               = strips >= 256 ? 4 : strips >= 64 ? 2 : 1;
  while (shape.strips < Tuned::warps && 2 * shape.strips <= strips &&
         Tuned::warps / shape.strips * of * 32 > inner)
    shape.strips *= 2;
  std::uint64_t const groups  = (strips + shape.strips - 1) / shape.strips;
  shape.groups                = unsigned(groups);
  shape.fold                  = strips == 1;
  std::uint64_t const sharing = Tuned::warps / shape.strips;
  // A wave of blocks where there are few strips, several where they would not
  // fill a wave evenly.
  std::uint64_t chunks      = groups * 8 <= resident
                                  ? resident / groups
                                  : (4 * resident + groups - 1) / groups;
  std::uint64_t const round = sharing * Tuned::loads * Sums::deep;
  chunks =
      std::clamp<std::uint64_t>(chunks, 1, (inner + round - 1) / round + 1);
  shape.periods = std::max<std::uint64_t>(
                      ((inner + chunks - 1) / chunks + of - 1) / of, 1) *
                  of;
  shape.chunks = unsigned(
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
                {shape.chunks * shape.groups, Tuned::threads},
                static_cast<unsigned char const*>(x), shape, partials, store);
  if (joins) join();
}

/// store(j, the combination of column j), element (i,j) at
/// x[i * row_stride + j].
template <Operation Op, Scalar Input, class Value, class Store>
void launch_column_reduce(Kokkos::Cuda const& space, void const* x,
                          std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t row_stride, Store const& store,
                          bool products) {
  ColumnMatrix const matrix{rows, columns, row_stride};
  if constexpr (Op == Operation::sum && column_products_exist(Input)) {
    if (products) {
      launch_column_sums<Op, Input, WarpColumnProducts<Warp, Input, Value>>(
          space, x, matrix, store);
      return;
    }
  }
  launch_column_sums<Op, Input, WarpColumnAdditions<Warp, Op, Input, Value>>(
      space, x, matrix, store);
}

/// How a column scan is laid over the device: tiles of rows and strips of
/// columns. A warp takes `lanes.positions` vectors of a row, a block `strips`
/// of those side by side; more than one only where a chunk has all rows.
struct ColumnScanShape {
  ColumnMatrix matrix;
  std::uint64_t y_stride;
  std::uint64_t positions;  ///< vectors of a row
  int skip;                 ///< elements in front of a row in its vector
  ColumnLanes lanes;
  unsigned strips;   ///< side by side in a block
  unsigned groups;   ///< of strips
  unsigned chunks;   ///< of rows
  unsigned window;   ///< chunks that a look-back reads one by one
  unsigned windows;  ///< of a span
};

/// Two tiles of a block wait in shared memory for what comes before them, a
/// third is loaded: 10 warps of 8 rows of 16 bytes are 40 KB each.
struct ColumnScanTuning {
  static constexpr int threads    = 320;
  static constexpr int min_blocks = 2;
  static constexpr int warps      = threads / 32;
};

template <Scalar Input, int Elements>
inline constexpr int column_bytes = Elements* size_of(Input);

/// Rows that a lane loads at a time, from the bytes that it loads of each.
template <int Bytes>
inline constexpr int column_scan_rows = std::min(32, 128 / Bytes);

/// What a column scan loads and stores at a time: the larger of both sides has
/// 16 bytes, or there is one element.
template <int InputBytes, int OutputBytes>
inline constexpr int column_scan_elements =
    std::min(8, 16 / std::max(InputBytes, OutputBytes));

template <class Value, class Words, int Rows, int Elements>
struct ColumnScanMemory {
  static constexpr int threads = ColumnScanTuning::threads;
  static constexpr int warps   = ColumnScanTuning::warps;

  alignas(16) Words kept[2][Rows][threads];
  alignas(16) Value before_warp[2][warps][Elements * 32];
  Value before_tile[Elements * 32];
  Value shared[threads];
  TileTicket first;
  unsigned next;
};

/// What the chunks of a strip hand to each other, words with the tag of the
/// launch as in KokkosMMA_LookBack.hpp, for a value per column. What comes
/// before a chunk is the sum of its earlier neighbours in a window, of the
/// earlier windows of the same span, and what comes before the span: a few
/// values of each column, in an order that depends on the chunk alone.
template <Operation Op, class Value>
class ColumnLookBack {
  using Apply                = Combine<Op, Value>;
  static constexpr int words = Words<Value>::size;
  static constexpr int batch = 4 / words;

 public:
  __device__ ColumnLookBack(std::uint64_t* memory, ColumnScanShape const& shape,
                            unsigned columns, unsigned tag)
      : m_memory(memory),
        m_groups(shape.groups),
        m_chunks(shape.chunks),
        m_window(shape.window),
        m_span(shape.window * shape.windows),
        m_columns(columns),
        m_tag(tag) {}

  /// 8-byte words of all chunks.
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

  /// By all threads: `before(column, value)` is called for each column by one
  /// of them. `shared` has a value for each thread.
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
  /// The earlier chunks of the window. The last one completes it, before it
  /// waits for anything that is before the window.
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
  /// The sum of so many, one for each chunk or window.
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
    std::uint64_t bits[words];
    do fetch(from, bits);
    while (!has_tag(bits));
    return unpack(bits);
  }
  __device__ void store(std::uint64_t* to, Value value) const {
    auto const bits = Words<Value>::from(value);
#pragma unroll
    for (int i = 0; i < words; ++i)
      Relaxed64::store(to + i, bits.word[i], m_tag);
  }
  __device__ static void fetch(std::uint64_t const* from,
                               std::uint64_t (&to)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) to[i] = Relaxed64::load(from + i);
  }
  __device__ bool has_tag(std::uint64_t const (&bits)[words]) const {
    bool tagged = true;
#pragma unroll
    for (int i = 0; i < words; ++i) tagged = tagged && bits[i] >> 32 == m_tag;
    return tagged;
  }
  __device__ static Value unpack(std::uint64_t const (&bits)[words]) {
    Words<Value> packed;
#pragma unroll
    for (int i = 0; i < words; ++i) packed.word[i] = std::uint32_t(bits[i]);
    Value value;
    packed.to(value);
    return value;
  }

  std::uint64_t* m_memory;
  unsigned m_groups, m_chunks, m_window, m_span, m_columns, m_tag;
};

/// An access of so many bytes.
template <int Bytes>
struct ColumnAccess;
template <>
struct ColumnAccess<16> {
  using type = uint4;
};
template <>
struct ColumnAccess<8> {
  using type = uint2;
};
template <>
struct ColumnAccess<4> {
  using type = unsigned;
};
template <>
struct ColumnAccess<2> {
  using type = unsigned short;
};
template <>
struct ColumnAccess<1> {
  using type = unsigned char;
};

/// y(i,j) = the combination of x(0,j) to x(i,j), or to x(i-1,j) unless
/// `Inclusive`; y may be x. One pass: a block publishes the sums of the columns
/// of a tile, starts to load the next one, and only then looks back for the
/// tile before, which waits in shared memory: what it asks for has been
/// published in the time of a load.
template <Operation Op, Scalar Input, class Value, bool Inclusive, class Output,
          int Elements, bool Grouped>
__global__ void __launch_bounds__(ColumnScanTuning::threads,
                                  column_min_blocks<ColumnScanTuning>)
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
  unsigned const strip   = warp % shape.strips;
  unsigned const share   = warp / shape.strips;
  unsigned const sharing = warps / shape.strips;
  int const in_strip     = shape.lanes.position(lane);
  int const row_of_group = shape.lanes.group(lane);
  unsigned const columns = unsigned(shape.lanes.positions) * Elements;
  unsigned const tiles   = shape.groups * shape.chunks;
  Scan const scan(Warp{}, shape.lanes);

  struct Place {
    std::uint64_t row;    // of register 0
    std::int64_t column;  // of element 0
    int count;            // registers
    bool whole;           // all elements are columns of the matrix
  };
  auto const place_of = [&](unsigned tile) {
    Place place;
    std::uint64_t const position =
        (std::uint64_t(tile % shape.groups) * shape.strips + strip) *
            shape.lanes.positions +
        in_strip;
    place.row = (std::uint64_t(tile / shape.groups) * sharing + share) *
                    (rows * shape.lanes.groups) +
                row_of_group;
    place.column = std::int64_t(position * Elements) - shape.skip;
    place.whole  = place.column >= 0 &&
                  place.column + Elements <= std::int64_t(shape.matrix.columns);
    std::uint64_t const left =
        place.row < shape.matrix.rows
            ? (shape.matrix.rows - place.row + shape.lanes.groups - 1) /
                  shape.lanes.groups
            : 0;
    bool const idle =
        row_of_group >= shape.lanes.groups || position >= shape.positions;
    place.count = idle ? 0 : left < rows ? int(left) : rows;
    return place;
  };

  if (threadIdx.x == 0) memory.first = TileTicket::draw(scratch.control);
  __syncthreads();
  unsigned tile = memory.first.tile;
  ColumnLookBack<Op, Value> const look_back(scratch.words, shape, columns,
                                            memory.first.tag);
  Row loaded[rows];
  auto const load = [&](unsigned number) {
    Place const place = place_of(number);
    std::int64_t const first =
        std::int64_t(place.row * shape.matrix.stride) + place.column;
    std::uint64_t const between =
        shape.lanes.groups * shape.matrix.stride * Scan::element_bytes;
    if (place.whole) {
      unsigned char const* const from = x + first * Scan::element_bytes;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (r < place.count) {
          using Access = typename ColumnAccess<Scan::bytes>::type;
          Access const word =
              __ldcs(reinterpret_cast<Access const*>(from + r * between));
          if constexpr (Scan::bytes >= 4) {
            memcpy(&loaded[r], &word, Scan::bytes);
          } else {
            loaded[r][0] = word;
          }
        }
    } else {
      Element const* const elements = reinterpret_cast<Element const*>(x);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        loaded[r] = {};
        if (r < place.count)
#pragma unroll
          for (int e = 0; e < Elements; ++e)
            if (std::uint64_t(place.column + e) < shape.matrix.columns)
              put_element<Scan::element_bytes>(
                  loaded[r], e,
                  elements[first +
                           std::int64_t(r * shape.lanes.groups *
                                        shape.matrix.stride) +
                           e]);
      }
    }
  };
  // Of the loaded tile.
  auto const publish = [&](unsigned number, int parity) {
    Vector total;
    scan.total([&](int, int r) { return loaded[r]; }, place_of(number).count,
               total);
    if (shape.lanes.holds_total(lane))
#pragma unroll
      for (int e = 0; e < Elements; ++e)
        memory.before_warp[parity][warp][e * 32 + in_strip] = total[e];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      memory.kept[parity][r][threadIdx.x] = loaded[r];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < shape.strips * columns;
         i += blockDim.x) {
      unsigned const s = i / columns;
      unsigned const at =
          i % columns / shape.lanes.positions * 32 + i % shape.lanes.positions;
      Value value = Apply::identity();
      for (unsigned k = 0; k < sharing; ++k) {
        Value& mine      = memory.before_warp[parity][k * shape.strips + s][at];
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
    Place const place = place_of(number);
    Vector before;
#pragma unroll
    for (int e = 0; e < Elements; ++e) {
      before[e] = memory.before_warp[parity][warp][e * 32 + in_strip];
      if (number >= shape.groups)
        before[e] = Apply::apply(
            memory.before_tile[e * shape.lanes.positions + in_strip],
            before[e]);
    }
    Output* const to =
        y + std::int64_t(place.row * shape.y_stride) + place.column;
    std::uint64_t const between = shape.lanes.groups * shape.y_stride;
    scan.template prefixes<Inclusive>(
        [&](int, int r) { return memory.kept[parity][r][threadIdx.x]; },
        place.count, before,
        [&](int, int r, Vector const& prefix) {
          Registers<Output, Elements> results;
#pragma unroll
          for (int e = 0; e < Elements; ++e)
            results[e] = static_cast<Output>(prefix[e]);
          if (place.whole) {
            using Access = typename ColumnAccess<sizeof(results)>::type;
            Access bits;
            memcpy(&bits, &results, sizeof(results));
            __stcs(reinterpret_cast<Access*>(to + r * between), bits);
          } else {
#pragma unroll
            for (int e = 0; e < Elements; ++e)
              if (std::uint64_t(place.column + e) < shape.matrix.columns)
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
void launch_column_scan_of(Kokkos::Cuda const& space, void const* x,
                           ColumnMatrix const& matrix, Output* y,
                           std::uint64_t y_stride) {
  using Tuned        = ColumnScanTuning;
  constexpr int rows = column_scan_rows<column_bytes<Input, Elements>>;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  ColumnScanShape shape{};
  shape.matrix   = matrix;
  shape.y_stride = y_stride;
  shape.skip =
      int(reinterpret_cast<std::uintptr_t>(x) % (Elements * size_of(Input))) /
      size_of(Input);
  shape.positions = (shape.skip + matrix.columns + Elements - 1) / Elements;
  std::uint64_t const positions = shape.positions;
  std::uint64_t strips          = (positions + 31) / 32;
  // Narrow matrices: several rows side by side in a warp, where that leaves
  // clearly fewer lanes without work.
  shape.lanes = {int((positions + strips - 1) / strips), 1};
  double used = double(positions) / double(32 * strips);
  for (std::uint64_t s = 1; s <= 8 && used < 0.8; ++s) {
    std::uint64_t const wide = (positions + s - 1) / s;
    if (wide > 16) continue;
    int const side_by_side = int(32 / wide);
    double const with      = double(positions * side_by_side) / double(32 * s);
    if (with > used + 0.1) {
      used        = with;
      strips      = s;
      shape.lanes = {int(wide), side_by_side};
    }
  }
  // Few rows: warps beside each other instead of below each other.
  shape.strips = 1;
  for (unsigned s = 2; s <= Tuned::warps && s <= strips; ++s)
    if (Tuned::warps % s == 0 &&
        std::uint64_t(Tuned::warps / s) * rows * shape.lanes.groups >=
            matrix.rows)
      shape.strips = s;
  std::uint64_t const tile_rows =
      std::uint64_t(Tuned::warps / shape.strips) * rows * shape.lanes.groups;
  shape.groups = unsigned((strips + shape.strips - 1) / shape.strips);
  shape.chunks = unsigned((matrix.rows + tile_rows - 1) / tile_rows);
  // A span must last longer than its hand-over to the next one.
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
    auto const kernel = &column_scan<Op, Input, Value, Inclusive, Output,
                                     Elements, decltype(grouped)::value>;
    constexpr int bytes =
        sizeof(ColumnScanMemory<Value, ColumnWords<Elements * size_of(Input)>,
                                rows, Elements>);
    kernel_facts(space.cuda_device(), kernel, Tuned::threads, bytes);
    unsigned const resident =
        unsigned(device(space.cuda_device()).multiprocessors) *
        Tuned::min_blocks;
    unsigned const blocks = unsigned(std::min<std::uint64_t>(resident, tiles));
    launch_kernel(space, "column_scan", kernel, {blocks, Tuned::threads, bytes},
                          static_cast<unsigned char const*>(x), shape, y, scratch);
  };
  if (shape.lanes.groups > 1)
    launch(std::true_type());
  else
    launch(std::false_type());
}

/// y(i,j) at y[i * y_row_stride + j] = the combination of the column up to x at
/// (i,j). In place when y is x, with the same stride and element size.
template <Operation Op, Scalar Input, class Value, bool Inclusive, class Output>
void launch_column_scan(Kokkos::Cuda const& space, void const* x,
                        std::uint64_t rows, std::uint64_t columns,
                        std::uint64_t row_stride, Output* y,
                        std::uint64_t y_row_stride, bool /*products*/) {
  if (rows == 0 || columns == 0) return;
  constexpr int elements = column_scan_elements<size_of(Input), sizeof(Output)>;
  auto const whole       = [&](std::uint64_t together) {
    auto const place = [&](void const* p, std::uint64_t element_bytes) {
      return reinterpret_cast<std::uintptr_t>(p) % (together * element_bytes) /
             element_bytes;
    };
    return place(x, size_of(Input)) == place(y, sizeof(Output)) &&
           (rows == 1 ||
            (row_stride % together == 0 && y_row_stride % together == 0));
  };
  ColumnMatrix const matrix{rows, columns, row_stride};
  if (whole(elements))
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
