// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_BytePairs.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

/// \file
/// Stencils whose weights are one outer product, on CUDA cores: 2 (2r + 1)
/// multiplications per element instead of (2r + 1)^2. A block owns a strip of
/// columns and marches down a chunk of rows, which pass through a ring in
/// shared memory: rows are read once, but for 2r per chunk. Each thread adds up
/// its window of the row and then keeps the sums of 2r + 1 rows under way in
/// registers.

namespace KokkosMMA::Impl::Cuda {

/// Everything that a block needs to know. A grid of one dimension is cut into
/// rows that lie one behind the other in memory.
template <class Element, class Weights>
struct SeparableTask {
  Element const* data;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  BoundaryCondition row_low, row_high, column_low, column_high;
  bool rows_first;  ///< where constants meet, that of the rows is taken
  int shift;        ///< elements from a 16-byte line to the start of a row
  unsigned strips;
  std::int64_t chunk_rows;
  Weights weights;

  /// Element 0 of what a block reads, and its place among the blocks that do.
  __device__ Element const* elements() const { return data; }
  __device__ unsigned block() const { return blockIdx.x; }
  /// From the sink's first result to where those of the block begin.
  __device__ static std::int64_t results() { return 0; }
};

/// The same for planes at equal distances, one behind the other or backwards.
template <class Element, class Weights>
struct SeparablePlanesTask : SeparableTask<Element, Weights> {
  unsigned planes;
  std::int64_t plane_stride;
  std::int64_t result_stride;
  unsigned blocks_of_plane;

  __device__ Element const* elements() const {
    return this->data + plane() * plane_stride;
  }
  __device__ unsigned block() const { return blockIdx.x % blocks_of_plane; }
  __device__ std::int64_t results() const { return plane() * result_stride; }

 private:
  __device__ std::int64_t plane() const { return blockIdx.x / blocks_of_plane; }
};

/// Columns of a strip as they lie in shared memory. The window of a thread's V
/// elements starts `reach` elements before them. Rows that begin anywhere in
/// their sectors of 32 bytes lie there from the begin of a sector on.
template <class Element, int V, int Threads, int MaxRadius, bool Aligned = true>
struct SeparableRow {
  static constexpr int round_up(int n, int to) {
    return (n + to - 1) / to * to;
  }
  static constexpr int per_vector = 16 / int(sizeof(Element));
  static constexpr int unit       = V < per_vector ? V : per_vector;
  static constexpr int pad        = round_up(MaxRadius, per_vector);
  static constexpr int reach      = round_up(MaxRadius, unit);
  static constexpr int columns    = Threads * V;
  /// From element 0 on, as far as windows go; behind them lies what element 0
  /// is behind the begin of a sector.
  static constexpr int reached  = columns + 2 * pad;
  static constexpr int elements = reached + (Aligned ? 0 : 2 * per_vector);
  static constexpr int vectors  = elements / per_vector;
  static constexpr int bytes    = vectors * 16;
  static_assert(bytes % 32 == 0);
  /// Before the first row.
  static constexpr int lead =
      Aligned ? sector_lead(pad * int(sizeof(Element))) : 0;
  static constexpr int window = V + 2 * reach;
};

/// H200, 2026-11-21, 16384^2, constant boundary, part of a copy kernel's rate
/// in the same run (float 479, double 247 GPt/s):
///   float r = 1 0.88, r = 3 0.83 (periodic 0.86, halo 0.86), r = 7 0.61
///   double r = 3 0.89, r = 7 0.71
///   with 128 threads at r = 1 to 3: float 0.87 and 0.81, double r = 3 0.86
///   float r = 3, stages of 4 rows, 6 of them, batch 4: 0.84 instead of 0.85
template <class A, class Element, class Result, int MaxRadius>
struct SeparableTuning {
  static constexpr int widest =
      int(sizeof(Element) > sizeof(Result) ? sizeof(Element) : sizeof(Result));
  // `char` is a functor, which takes elements one by one.
  static constexpr int narrowest =
      int(std::is_same_v<Result, char> || sizeof(Element) < sizeof(Result)
              ? sizeof(Element)
              : sizeof(Result));
  static constexpr int largest = MaxRadius <= 4      ? 8
                                 : MaxRadius <= 8    ? 4
                                 : 4 / narrowest > 2 ? 4
                                 : widest == 8       ? 1
                                                     : 2;
  // 16 bytes in and out, as far as the registers go.
  static constexpr int V       = 16 / widest < largest ? 16 / widest : largest;
  static constexpr int threads = MaxRadius <= 4 && V <= 4 ? 256 : 128;
  static constexpr int min_blocks = threads == 256 || MaxRadius > 8 ? 2 : 3;
  static constexpr int stage_rows = 8;
  static constexpr int stages     = 3;
  static constexpr int batch      = 8;
  /// 0 for high pieces. 2026-11-23, part of the rate of the runtime's copy, by
  /// the rows of a piece: float r = 1 22 0.97, 26 0.94, 90 0.90; r = 3 18 0.80,
  /// 34 0.89, 90 0.89, 130 0.88; r = 8 90 0.54, 258 0.61, high 0.64; half r = 3
  /// 34 0.60, 90 0.67, high 0.73. With 4 and 6 stages fewer blocks are
  /// there at once: float r = 1 22 0.77 and 0.77.
  static constexpr int low_piece_rows(int radius) {
    return radius <= 2                  ? stages * stage_rows - 2 * radius
           : radius <= 4 && widest >= 4 ? 96 - 2 * radius
                                        : 0;
  }
};

/// Lines of one dimension, whose threads keep no sums of rows above, have
/// registers for more sums: 16 bytes, up to 8 of them. 2^28 elements, radius 11
/// and 16, 10^9 sums per second (H200, CUDA 13.0, 2026-11-24; a kernel by hand
/// 264 195, 262 192, 137 101):
///   half    2 sums 321 272, 8 sums 542 428
///   float   2 sums 355 317, 4 sums 422 375
///   double  1 sum  125 117, 2 sums 197 192
///   uint8   4 sums 414 313, 8 sums 463 351
template <class A, class Element, class Result, int MaxRadius>
struct LineTuning : SeparableTuning<A, Element, Result, MaxRadius> {
  using Rows             = SeparableTuning<A, Element, Result, MaxRadius>;
  static constexpr int V = MaxRadius > 8
                               ? (16 / Rows::widest < 8 ? 16 / Rows::widest : 8)
                               : Rows::V;
};

/// Sums of a row that a thread of a kernel of one radius has.
template <class Element, class Result>
inline constexpr int sums_at_once =
    sizeof(Element) == 1
        ? std::max(16 / int(sizeof(Result)), 8)
        : std::min(16 / int(std::max(sizeof(Element), sizeof(Result))), 8);

/// Kernels of one radius, of a box of ones or of factors, where rows begin in
/// lines of 16 bytes or anywhere. A stage is a block of as many rows as the box
/// has; most or all rows of a piece are on their way at once. Part of the rate
/// of the runtime's copy, by the rows of a piece (float, H200, CUDA 13.0,
/// 2026-11-23, 16384^2, constants beyond the boundaries; by the shapes below
/// unless something else is said):
///   r = 1  16 0.97, 28 0.95, 46 0.93, 512 0.87; 64 threads 16 0.97
///   r = 3  15 0.95, 22 0.96, 36 0.94, 50 0.91; 64 threads 22 0.96
///   r = 7  31 0.91, 46 0.95, 61 0.92, 121 0.90; with 2 stages 31 0.93, 46 0.87
/// Doubles and halfs of radius 7, whose arithmetic is slower: 0.92 with pieces
/// of 76 rows and 64 threads, 128 threads 0.92, of 46 rows 0.88; 0.90 with
/// pieces of 31 rows and 2 stages, with 3 of them 0.79, of 61 rows 0.89.
/// Factors:
///   float r = 5   23 0.91, 45 0.91; 2 stages 34 0.87
///   float r = 7   121 0.88, 46 0.87; 3 stages 46 0.80; stages of 5 rows 0.87
///   double r = 7  76 0.91; 2 stages 121 0.90; stages of 5 rows 0.89
///   half r = 3    22 0.90, 36 0.89, 64 0.88; 4 stages 0.83
/// Anywhere, boxes: float r = 7 31 0.91, 46 0.85, 3 stages of 46 0.88; half
/// r = 3 22 0.91, 36 0.88, 4 stages 0.82, 3 blocks 0.82; half r = 7 61 0.63,
/// and spills. Factors: float r = 6 118 0.83, 66 0.76, 40 0.67; float r = 7 121
/// 0.71, 46 0.61.
/// Boxes of bytes, 16 sums of a thread: r = 1 46 0.93; r = 2 21 0.92, 26 0.91
/// with 6 stages, 36 0.83 with 8; r = 3 29 0.92, 22 0.91, 36 0.80 with 6; r = 4
/// 37 0.91, 55 0.84; r = 5 34 0.83, 78 0.81, 4 stages 0.75; r = 6 79 0.72;
/// r = 7 121 0.70, 46 0.69, 31 0.62; 8 sums of a thread 0.53. One sum a word,
/// r = 3 and 7, 0.70 and 0.41.
template <class Element, class Result, int Radius, bool Ones, bool Aligned>
struct RadiusTuning {
  struct Shape {
    int threads;
    int stages;
    int piece;   ///< stages of a piece
    int blocks;  ///< at once on a multiprocessor, as registers go
  };
  // Of radius 1 to 7, of elements of 2 bytes, 4 and 8. Anywhere, 16-bit floats
  // of radius 7 have no kernels.
  static constexpr Shape boxes[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 6, 5, 3}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 4, 4, 3}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 4, 4, 3}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 3, 3}, {128, 3, 3, 3}, {128, 3, 4, 3}},
      {{64, 3, 4, 4}, {128, 3, 4, 3}, {128, 3, 5, 3}},
      {{128, 2, 3, 3}, {128, 3, 4, 3}, {64, 3, 6, 4}}};
  static constexpr Shape boxes_anywhere[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 4, 4, 4}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 3, 4, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 6, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 2, 7, 3}, {128, 3, 3, 3}, {128, 3, 3, 3}},
      {{128, 2, 6, 3}, {128, 3, 6, 3}, {128, 3, 5, 3}},
      {{128, 2, 5, 3}, {128, 2, 3, 3}, {64, 3, 6, 4}}};
  static constexpr Shape factors[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 4, 4, 4}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 3, 4, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 12, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 2, 7, 3}, {128, 3, 3, 3}, {128, 3, 5, 3}},
      {{128, 2, 6, 3}, {128, 2, 3, 3}, {128, 3, 5, 3}},
      {{128, 2, 5, 3}, {128, 2, 9, 3}, {64, 3, 6, 4}}};
  static constexpr Shape factors_anywhere[7][3] = {
      {{128, 8, 6, 3}, {128, 8, 6, 3}, {128, 8, 6, 3}},
      {{128, 3, 6, 4}, {128, 6, 5, 3}, {128, 6, 5, 3}},
      {{128, 3, 10, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 3, 12, 4}, {128, 4, 4, 3}, {128, 4, 4, 3}},
      {{128, 2, 7, 3}, {128, 3, 5, 3}, {128, 3, 5, 3}},
      {{128, 2, 6, 3}, {128, 2, 10, 3}, {128, 3, 5, 3}},
      {{128, 2, 5, 3}, {128, 2, 9, 3}, {128, 2, 9, 3}}};
  // Of bytes, whose sums are two to a word, boxes alone have kernels, anywhere
  // those of radius 1.
  static constexpr Shape bytes[7] = {
      {128, 8, 6, 3}, {128, 5, 5, 4}, {128, 4, 5, 3}, {128, 4, 5, 3},
      {128, 3, 4, 3}, {128, 3, 7, 2}, {128, 3, 9, 2}};
  static constexpr int widest = int(std::max(sizeof(Element), sizeof(Result)));
  static constexpr int size   = widest == 8 ? 2 : widest == 4 ? 1 : 0;
  static constexpr Shape shape =
      sizeof(Element) == 1 ? bytes[Radius - 1]
                           : (Ones      ? Aligned ? boxes : boxes_anywhere
                              : Aligned ? factors
                                        : factors_anywhere)[Radius - 1][size];
  static constexpr int V          = sums_at_once<Element, Result>;
  static constexpr int threads    = shape.threads;
  static constexpr int stage_rows = 2 * Radius + 1;
  static constexpr int stages     = shape.stages;
  static constexpr int min_blocks = shape.blocks;
  static constexpr int low_piece_rows(int) {
    return shape.piece * stage_rows - 2 * Radius;
  }
};

/// An element into shared memory, while the thread goes on where there is an
/// instruction for its size.
template <class Element>
__device__ inline void copy_element(Element* to, Element const* from) {
  if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
    CopyAsyncWord<sizeof(Element)>::copy(to, from);
  } else {
    *to = *from;
  }
}

/// The words of a thread's window, from byte 0 of `from` on.
template <int Bytes, int UnitBytes>
__device__ inline Registers<unsigned, Bytes / 4> load_words(
    unsigned char const* from) {
  using Unit =
      std::conditional_t<UnitBytes == 16, uint4,
                         std::conditional_t<UnitBytes == 8, uint2, unsigned>>;
  static_assert(sizeof(Unit) == UnitBytes && Bytes % UnitBytes == 0);
  Registers<unsigned, Bytes / 4> words;
#pragma unroll
  for (int u = 0; u < Bytes / UnitBytes; ++u) {
    Unit const bits = *reinterpret_cast<Unit const*>(from + u * UnitBytes);
    unsigned part[UnitBytes / 4];
    memcpy(part, &bits, UnitBytes);
#pragma unroll
    for (int w = 0; w < UnitBytes / 4; ++w)
      words[u * (UnitBytes / 4) + w] = part[w];
  }
  return words;
}

/// Loads of a grid of one dimension into shared memory where the row may lie
/// beyond the boundaries in part. (As one function, with what is beyond them in
/// a lambda: int8 of radius 16 223 instead of 311 10^9 sums per second, uint8
/// 280 instead of 314.) Columns begin .. end - 1 are those of the grid.
template <class Row, int Threads, class Element>
struct SeparableLine {
  int radius;
  BoundaryCondition const& low;
  BoundaryCondition const& high;
  std::int64_t first;  ///< column of element 0 of the row in shared memory

  /// `from` is column 0.
  __device__ void element(Element* to, Element const* from, std::int64_t column,
                          std::int64_t begin, std::int64_t end) const {
    if (column < begin - radius || column >= end + radius) return;
    bool const is_low   = column < begin;
    bool const is_high  = column >= end;
    bool const outside  = is_low || is_high;
    Boundary const kind = is_low ? low.kind : high.kind;
    if (outside && kind == Boundary::constant) {
      *to = static_cast<Element>(is_low ? low.value : high.value);
    } else {
      std::int64_t const source =
          outside ? boundary_index(kind, column - begin, end - begin) + begin
                  : column;
      copy_element(to, from + source);
    }
  }

  __device__ void load(unsigned char* to, Element const* from,
                       std::int64_t begin, std::int64_t end) const {
    std::int64_t const inside_begin =
        low.kind == Boundary::halo ? begin - radius : begin;
    std::int64_t const inside_end =
        high.kind == Boundary::halo ? end + radius : end;
    Element* const into = reinterpret_cast<Element*>(to);
    constexpr int V     = Row::per_vector;
#pragma unroll
    for (int n = 0; n < (Row::vectors + Threads - 1) / Threads; ++n) {
      int const v = int(threadIdx.x) + n * Threads;
      if (Row::vectors % Threads != 0 && v >= Row::vectors) break;
      std::int64_t const column = first + v * V;
      if (column >= inside_begin && column + V <= inside_end) {
        CopyAsync16::copy(into + v * V, from + column);
      } else {
#pragma unroll 1
        for (int e = 0; e < V; ++e)
          element(into + v * V + e, from, column + e, begin, end);
      }
    }
  }
};

/// The row that stands for one that may lie outside; false where a constant
/// does.
__device__ inline bool locate_line(BoundaryCondition const& low,
                                   BoundaryCondition const& high,
                                   std::int64_t extent, std::int64_t& index,
                                   double& value) {
  if (index >= 0 && index < extent) return true;
  bool const is_low   = index < 0;
  Boundary const kind = is_low ? low.kind : high.kind;
  if (kind == Boundary::constant) {
    value = is_low ? low.value : high.value;
    return false;
  }
  index = boundary_index(kind, index, extent);
  return true;
}

/// Elements that lie in words from word `First` on.
template <class A, class Element, int First, int Count, int Words>
__device__ inline Registers<A, Count> elements_of(
    Registers<unsigned, Words> const& words) {
  constexpr int size = int(sizeof(Element));
  constexpr int step = size < 4 ? 4 / size : 1;  // elements at once
  Registers<A, Count> values;
#pragma unroll
  for (int i = 0; i < Count; i += step) {
    unsigned bits[(size + 3) / 4];
#pragma unroll
    for (int w = 0; w < (size + 3) / 4; ++w)
      bits[w] = words[First + i * size / 4 + w];
    LoadedElement<Element> elements[step];
    memcpy(static_cast<void*>(elements), bits, step * size);
#pragma unroll
    for (int e = 0; e < step; ++e) values[i + e] = static_cast<A>(elements[e]);
  }
  return values;
}

/// Sums that are made of bytes as they lie in words.
template <class Sums>
inline constexpr bool takes_bytes = false;
template <class A, class Byte, int V, int Radius>
inline constexpr bool takes_bytes<PairedBoxSums<A, Byte, V, Radius>> = true;

/// Sums along a row of a thread's V elements, which start `offset` bytes behind
/// `from` and those that the window reaches to the left. Loads are of whole
/// units; what is left of the offset is the same for all threads.
template <class A, class Sums, class Element, class Row, bool Aligned>
__device__ inline auto sums_along_row(unsigned char const* from, int offset,
                                      typename Sums::Weights const& weights) {
  constexpr int size = int(sizeof(Element));
  // Small elements by 8 bytes: one choice less for each word against twice the
  // wavefronts (halfs, boxes of radius 3 and 5 0.93 and 0.83 of a copy instead
  // of 0.90 and 0.82; floats of radius 7 0.79 instead of 0.90).
  constexpr int unit_bytes =
      !Aligned && size < 4 && Row::unit * size > 8 ? 8 : Row::unit * size;
  constexpr int bytes = Row::window * size;
  auto const sums     = [&](auto first, auto const& words) {
    if constexpr (takes_bytes<Sums>) {
      return Sums::template along_row<Row::reach>(words, weights);
    } else {
      return Sums::template along_row<Row::reach>(
          elements_of<A, Element, decltype(first)::value, Row::window>(words),
          weights);
    }
  };
  std::integral_constant<int, 0> constexpr zero;
  if constexpr (Aligned) {
    return sums(zero, load_words<bytes, unit_bytes>(from));
  } else {
    auto words = load_words<bytes + unit_bytes, unit_bytes>(
        from + offset / unit_bytes * unit_bytes);
    if constexpr (size < 4) {
      if (offset % 4 != 0) {
#pragma unroll
        for (int w = 0; w + 1 < words.size; ++w)
          words[w] = __funnelshift_r(words[w], words[w + 1], offset % 4 * 8);
      }
    }
    if constexpr (size == 8 && unit_bytes == 16) {
      if (offset & 8) return sums(std::integral_constant<int, 2>(), words);
    } else {
      auto const shift = [&](auto by) {
        constexpr int n    = decltype(by)::value;
        bool const shifted = offset & 4 * n;
#pragma unroll
        for (int w = 0; w + n < words.size; ++w) {
          // A choice between values: one between places needs them in memory.
          unsigned const here = words[w], there = words[w + n];
          words[w] = shifted ? there : here;
        }
      };
      if constexpr (unit_bytes > 8) {
        shift(std::integral_constant<int, 2>());
      }
      if constexpr (unit_bytes > 4 && size <= 4) {
        shift(std::integral_constant<int, 1>());
      }
    }
    return sums(zero, words);
  }
}

/// The elements beyond the boundaries of a row that is in shared memory and
/// whose own elements stand for them. Lanes 0 to 15 have those below, 16 to 31
/// those above.
template <class Row, class Element>
struct SeparableBoundaries {
  int to     = -1;  ///< place in the row; -1: none
  int source = -1;  ///< the same; -1: a constant
  Element value{};

  __device__ static bool is_filled(BoundaryCondition const& condition) {
    return condition.kind != Boundary::halo &&
           condition.kind != Boundary::periodic;
  }
  __device__ void start(BoundaryCondition const& condition, std::int64_t column,
                        std::int64_t columns, std::int64_t first) {
    std::int64_t const place = column - first;
    if (!is_filled(condition) || place < 0 || place >= Row::reached) return;
    to = int(place);
    if (condition.kind == Boundary::constant)
      value = static_cast<Element>(condition.value);
    else
      source = int(boundary_index(condition.kind, column, columns) - first);
  }
  __device__ void fill(unsigned char* row, bool row_is_constant,
                       bool rows_first) const {
    if (to < 0 || (row_is_constant && (source >= 0 || rows_first))) return;
    Element* const elements = reinterpret_cast<Element*>(row);
    elements[to]            = source < 0 ? value : elements[source];
  }
};

/// How a block brings its rows into the ring, where all of them start at the
/// same place in their lines of 16 bytes. Each thread has the same vectors of
/// every row.
template <class Row, int Threads, int StageRows, int R, class Task,
          class Element>
struct SeparableFeed {
  static constexpr int stage_bytes = StageRows * Row::bytes;
  static constexpr int V           = Row::per_vector;
  static constexpr int vectors     = Row::vectors;
  static constexpr int count       = (vectors + Threads - 1) / Threads;

  Task const& task;
  std::int64_t first;       ///< column of element 0 of a row in the ring
  std::int64_t first_row;   ///< of step 0
  std::int64_t inside_low;  ///< rows that lie in memory
  std::int64_t inside_high;
  std::int64_t columns_low;  ///< columns likewise
  std::int64_t columns_high;
  std::int64_t source[count];  ///< column that vector n is loaded from
  bool whole[count];
  /// Elements of vectors that lie inside in part, one for each lane on either
  /// side: place in the row, -1: none.
  bool has_partial;
  int partial_place[2];
  std::int64_t partial_source[2];
  bool has_boundaries;
  SeparableBoundaries<Row, Element> conditions;

  __device__ SeparableFeed(Task const& all, std::int64_t first_column,
                           std::int64_t row_of_step_0)
      : task(all), first(first_column), first_row(row_of_step_0) {
    int const radius = task.weights.row_radius();
    if constexpr (R == 1) {
      // Rows with all of their window inside.
      inside_low  = first < 0 ? 1 : 0;
      inside_high = (task.columns - first - Row::elements) / task.stride + 1;
      if (task.columns < first + Row::elements) inside_high = 0;
    } else {
      std::int64_t const above = task.weights.column_radius();
      inside_low = task.row_low.kind == Boundary::halo ? -above : 0;
      inside_high =
          task.rows + (task.row_high.kind == Boundary::halo ? above : 0);
    }
    columns_low = task.column_low.kind == Boundary::halo ? -radius : 0;
    columns_high =
        task.columns + (task.column_high.kind == Boundary::halo ? radius : 0);
    // What other elements beyond the boundaries stand for, the row gets from
    // its own elements later. A periodic grid of whole vectors has whole
    // vectors there.
    bool const periodic = task.column_low.kind == Boundary::periodic;
    bool const wraps    = periodic && task.columns % V == 0 &&
                       task.columns >= Row::elements - Row::columns + V;
    std::int64_t const needed_low  = columns_low - (periodic ? radius : 0);
    std::int64_t const needed_high = columns_high + (periodic ? radius : 0);
#pragma unroll
    for (int n = 0; n < count; ++n) {
      int const v         = int(threadIdx.x) + n * Threads;
      std::int64_t column = first + v * V;
      bool exists         = v < vectors;
      if (R > 1 && (column < columns_low || column + V > columns_high)) {
        bool const below = column + V <= 0;
        exists = exists && wraps && (below || column >= task.columns) &&
                 column + V > needed_low && column < needed_high;
        column += below ? task.columns : -task.columns;
      }
      whole[n]  = exists;
      source[n] = column;
    }
    has_boundaries = false;
    has_partial    = false;
    if constexpr (R > 1) {
      // Vectors of the columns that lie in memory.
      std::int64_t const end         = first + Row::elements;
      std::int64_t const low         = max(columns_low, first);
      std::int64_t const high        = min(columns_high, end);
      std::int64_t const first_whole = first + (low - first + V - 1) / V * V;
      std::int64_t const last_whole =
          max(first + (high - first) / V * V, first_whole);
      std::int64_t const below =
          wraps ? first + (low - first) / V * V : needed_low;
      std::int64_t const above =
          wraps ? first + (high - first + V - 1) / V * V : needed_high;
      int const lane = threadIdx.x % 32;
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        std::int64_t column =
            (side == 0 ? max(below, first) : last_whole) + lane;
        std::int64_t const stop =
            side == 0 ? min(first_whole, needed_high) : min(above, end);
        std::int64_t const place = column - first;
        bool const exists        = column < stop && locate(column);
        partial_place[side]      = exists ? int(place) : -1;
        partial_source[side]     = column;
        has_partial              = has_partial || exists;
      }
      has_partial = __any_sync(0xffffffffu, has_partial);
    }
    if constexpr (R > 1) {
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
  }

  /// Column of the element that is loaded for one; false where there is none.
  __device__ bool locate(std::int64_t& column) const {
    if (column >= columns_low && column < columns_high) return true;
    if (task.column_low.kind != Boundary::periodic) return false;
    int const radius = task.weights.row_radius();
    if (column < -radius || column >= task.columns + radius) return false;
    column += column < 0 ? task.columns : -task.columns;
    return true;
  }
  /// Of rows that lie in memory, the vectors that do so in part: each warp has
  /// its rows of the stage.
  template <int Rows>
  __device__ void partial_vectors(unsigned char* to,
                                  Element const* from) const {
    int const warp = threadIdx.x / 32;
#pragma unroll
    for (int j = 0; j < Rows; ++j) {
      if (j % (Threads / 32) != warp) continue;
      Element* const into = reinterpret_cast<Element*>(to + j * Row::bytes);
#pragma unroll
      for (int side = 0; side < 2; ++side)
        if (partial_place[side] >= 0)
          copy_element(into + partial_place[side],
                       from + (j * task.stride + partial_source[side]));
    }
  }
  /// A row that lies in memory.
  __device__ void row(unsigned char* to, Element const* from) const {
    Element* const into = reinterpret_cast<Element*>(to);
#pragma unroll
    for (int n = 0; n < count; ++n)
      if (whole[n])
        CopyAsync16::copy(into + (threadIdx.x + n * Threads) * V,
                          from + source[n]);
    if (has_partial) partial_vectors<1>(to, from);
  }
  /// Bytes from the begin of a row of a stage to its element 0.
  struct Offsets {
    __device__ static constexpr int at(int) { return 0; }
  };
  __device__ static Offsets offsets(unsigned char const*) { return {}; }

  /// The rows of a stage, from step `step` on.
  __device__ void stage(unsigned char* to, int step, int steps) const {
    std::int64_t const begin = first_row + step;
    bool const inside = begin >= inside_low && begin + StageRows <= inside_high;
    if (inside) {
#pragma unroll
      for (int n = 0; n < count; ++n)
        if (whole[n]) {
          Element const* from =
              task.elements() + (begin * task.stride + source[n]);
          Element* into =
              reinterpret_cast<Element*>(to) + (threadIdx.x + n * Threads) * V;
#pragma unroll
          for (int j = 0; j < StageRows; ++j) {
            CopyAsync16::copy(into, from);
            from += task.stride;
            into += Row::bytes / int(sizeof(Element));
          }
        }
      if (has_partial)
        partial_vectors<StageRows>(to, task.elements() + begin * task.stride);
    } else {
#pragma unroll 1
      for (int j = 0; j < StageRows && step + j < steps; ++j)
        row_anywhere(to + j * Row::bytes, begin + j);
    }
  }
  __device__ void row_anywhere(unsigned char* to, std::int64_t index) const {
    if constexpr (R == 1) {
      SeparableLine<Row, Threads, Element> const line{
          task.weights.row_radius(), task.column_low, task.column_high, first};
      std::int64_t const begin = -index * task.stride;
      line.load(to, task.elements() - begin, begin, begin + task.columns);
    } else {
      double value = 0;
      if (locate_line(task.row_low, task.row_high, task.rows, index, value)) {
        row(to, task.elements() + index * task.stride);
      } else {
        for (int e = threadIdx.x; e < Row::elements; e += Threads)
          reinterpret_cast<Element*>(to)[e] = static_cast<Element>(value);
      }
    }
  }
  /// Once the rows of a stage have arrived, those beyond the boundaries of
  /// each.
  __device__ void fill_boundaries(unsigned char* stage, int step) const {
    int const warp = threadIdx.x / 32;
#pragma unroll
    for (int j = 0; j < StageRows; ++j) {
      if (j % (Threads / 32) != warp) continue;
      std::int64_t const index = first_row + step + j;
      bool const constant =
          (index < 0 && task.row_low.kind == Boundary::constant) ||
          (index >= task.rows && task.row_high.kind == Boundary::constant);
      conditions.fill(stage + j * Row::bytes, constant, task.rows_first);
    }
  }
};

/// The same of a grid whose rows start anywhere. Whole lines of 16 bytes are
/// copied, of which a row's first and last hold what lies before and behind it;
/// element `first` of a row is `offset` bytes from where the row begins in the
/// ring.
template <class Row, int Threads, int StageRows, class Task, class Element>
struct SeparableFeedAnywhere {
  static constexpr int stage_bytes =
      StageRows * Row::bytes + (StageRows + 31) / 32 * 32;
  static_assert(StageRows <= Threads);
  static constexpr int V      = Row::per_vector;
  static constexpr int size   = int(sizeof(Element));
  static constexpr int sector = 32;

  Task const& task;
  std::int64_t first;       ///< column of element 0 of a row
  std::int64_t first_row;   ///< of step 0
  std::int64_t inside_low;  ///< rows that lie in memory
  std::int64_t inside_high;
  std::int64_t columns_low;  ///< columns likewise
  std::int64_t columns_high;
  std::uintptr_t memory_begin;  ///< of all elements
  std::uintptr_t memory_end;
  bool periodic;
  bool whole;  ///< every line lies between the elements of its row
  bool has_boundaries;
  SeparableBoundaries<Row, Element> conditions;

  __device__ SeparableFeedAnywhere(Task const& all, std::int64_t first_column,
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
  /// Offsets of the rows of a stage: a byte for each, behind the last of them.
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
  __device__ void put_offset(unsigned char* stage, int row, int step) const {
    std::int64_t index = first_row + step + row;
    double value;
    bool const inside =
        locate_line(task.row_low, task.row_high, task.rows, index, value);
    stage[StageRows * Row::bytes + row] =
        inside ? address(index * task.stride + first) % sector : 0;
  }

  /// A line of a row, from column `column` on.
  __device__ void line(unsigned char* to, Element const* from,
                       std::int64_t column) const {
    if (column + V <= columns_low || column >= columns_high) return;
    bool const inside = column >= columns_low && column + V <= columns_high;
    auto const begin  = reinterpret_cast<std::uintptr_t>(from + column);
    // What else a line holds is not used, or filled later.
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
  /// What a row that goes on at its other end has beyond its whole lines: a
  /// lane for each element. Byte 0 of `to` is column `begin`.
  __device__ void ends(unsigned char* to, Element const* from,
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

  /// The rows of a stage, from step `step` on.
  __device__ void stage(unsigned char* to, int step, int steps) const {
    std::int64_t const begin = first_row + step;
    if (threadIdx.x < StageRows) put_offset(to, threadIdx.x, step);
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
  /// Row j of a stage.
  __device__ void row(unsigned char* to, int j, std::int64_t index) const {
    double value = 0;
    if (locate_line(task.row_low, task.row_high, task.rows, index, value)) {
      Element const* const from = task.elements() + index * task.stride;
      std::int64_t const begin =
          first -
          int(reinterpret_cast<std::uintptr_t>(from + first) % sector) / size;
#pragma unroll 1
      for (int v = threadIdx.x; v < Row::vectors; v += Threads)
        line(to + v * 16, from, begin + v * V);
      if (periodic && !whole && threadIdx.x / 32 == j % (Threads / 32))
        ends(to, from, begin);
    } else {
      for (int e = threadIdx.x; e < Row::elements; e += Threads)
        reinterpret_cast<Element*>(to)[e] = static_cast<Element>(value);
    }
  }
  /// Once the rows of a stage have arrived, those beyond the boundaries of
  /// each.
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

/// What feeds the ring where rows begin in their lines, or anywhere.
template <bool Aligned, class Row, int Threads, int StageRows, int R,
          class Task, class Element>
using SeparableFeedOf = std::conditional_t<
    Aligned, SeparableFeed<Row, Threads, StageRows, R, Task, Element>,
    SeparableFeedAnywhere<Row, Threads, StageRows, Task, Element>>;

/// Results that are the lowest byte of a sum.
template <class Result>
inline constexpr bool takes_lowest_bytes = std::is_integral_v<Result> &&
                                           sizeof(Result) == 1 &&
                                           !std::is_same_v<Result, bool>;

/// V sums as elements of the result, in words.
template <class Result, int V, class Sums>
__device__ inline Registers<unsigned, V* int(sizeof(Result)) / 4> result_words(
    Sums const& sums) {
  if constexpr (takes_lowest_bytes<Result> &&
                requires { sums.lowest_bytes(); }) {
    return sums.lowest_bytes();
  } else {
    Result results[V];
#pragma unroll
    for (int i = 0; i < V; ++i) results[i] = static_cast<Result>(sums[i]);
    Registers<unsigned, V* int(sizeof(Result)) / 4> words;
    memcpy(&words, static_cast<void const*>(results), sizeof(words));
    return words;
  }
}

/// Words in as few stores as there can be.
/// Without a hint that they are not read again: that costs 1 to 3 % here, and
/// the marching kernels of DirectStencil gain 15 % by it (H200, 2026-11-22).
template <int N>
__device__ inline void store_words(void* to,
                                   Registers<unsigned, N> const& words) {
  using Unit =
      std::conditional_t<N % 4 == 0, uint4,
                         std::conditional_t<N % 2 == 0, uint2, unsigned>>;
  constexpr int per_unit = int(sizeof(Unit)) / 4;
#pragma unroll
  for (int u = 0; u < N / per_unit; ++u) {
    unsigned part[per_unit];
#pragma unroll
    for (int w = 0; w < per_unit; ++w) part[w] = words[u * per_unit + w];
    Unit bits;
    memcpy(&bits, part, sizeof(Unit));
    static_cast<Unit*>(to)[u] = bits;
  }
}

/// Words from one lane's V sums to the next in shared memory: no two lanes that
/// write meet in a bank (without the odd word 16 would where V is 16).
template <int V>
inline constexpr int padded_lane = V + (V > 1 ? 1 : 0);

/// Hands the sums of a thread's V elements of a row to the sink. `at` is the
/// place of element `column`, whose last index alone is known to lie inside
/// where begin <= column < end.
template <int V, bool VectorSink, int R, class Sums, class A, class Sink>
__device__ inline void put_sums(Sink const& sink, std::int64_t const (&at)[R],
                                std::int64_t column, std::int64_t begin,
                                std::int64_t end, Sums const& sums,
                                A* of_warp) {
  auto const put = [&](int i, A sum) {
    if (column + i < begin || column + i >= end) return;
    std::int64_t place[R];
#pragma unroll
    for (int d = 0; d < R; ++d) place[d] = at[d];
    place[R - 1] += i;
    sink(place, sum);
  };
  if constexpr (VectorSink) {
    if (column >= begin && column + V <= end) {
      std::int64_t offset = at[R - 1];
#pragma unroll
      for (int d = 0; d + 1 < R; ++d) offset += at[d] * sink.stride[d];
      store_words(sink.data + offset,
                  result_words<typename Sink::value_type, V>(sums));
    } else if (column < end) {
#pragma unroll
      for (int i = 0; i < V; ++i) put(i, sums[i]);
    }
  } else {
    // Lanes side by side take elements side by side.
    int const lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < V; ++i) of_warp[lane * padded_lane<V> + i] = A(sums[i]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < V; ++i)
      put(i * 32 + lane - lane * V,
          of_warp[i * (32 / V * padded_lane<V>)+lane / V * padded_lane<V> +
                  lane % V]);
  }
}

template <class Sink>
struct SinkResult {
  using type = char;  // does not limit how many elements a thread takes
};
template <StencilEpilogue Sink>
struct SinkResult<Sink> {
  using type = typename Sink::value_type;
};

template <class Sink>
struct SinkPointer {
  using type = char*;
};
template <StencilEpilogue Sink>
struct SinkPointer<Sink> {
  using type = typename Sink::value_type*;
};
template <class Sink>
using SinkPlace = typename SinkPointer<Sink>::type;

/// 0 .. high
__device__ inline std::int64_t clamp_to(std::int64_t value, std::int64_t high) {
  return value < 0 ? 0 : value > high ? high : value;
}

/// Sums within planes, whose rows have room beside them for whole vectors.
template <class A>
struct PlaneTarget : StencilTarget<A, 2> {};
template <class Sink>
inline constexpr bool has_room_beside_rows = false;
template <class A>
inline constexpr bool has_room_beside_rows<PlaneTarget<A>> = true;

/// A batch of rows of a thread that has a part of its elements.
template <class Tuned, class Sums, class Sink>
struct SeparablePart {
  alignas(16) typename SinkResult<Sink>::type row[Sums::batch][Tuned::V];
};

template <class Tuned, class Row, class Feed, bool VectorSink, class A,
          class Sums, class Sink>
inline constexpr int separable_bytes =
    Row::lead + Tuned::stages* Feed::stage_bytes +
    (VectorSink ? 2 * int(sizeof(SeparablePart<Tuned, Sums, Sink>))
                : Row::columns / Tuned::V * padded_lane<Tuned::V> *
                      int(std::max(sizeof(A),
                                   sizeof(typename SinkResult<Sink>::type))));

template <class Tuned, class A, class Sums, class Element, bool Aligned,
          bool VectorSink, int R, class Task, class Sink>
__global__ void __launch_bounds__(Tuned::threads, Tuned::min_blocks)
    separable_stencil(Task const task, Sink const sink) {
  constexpr bool linear    = R == 1;
  constexpr int V          = Tuned::V;
  constexpr int threads    = Tuned::threads;
  constexpr int stages     = Tuned::stages;
  constexpr int stage_rows = Tuned::stage_rows;
  using Row = SeparableRow<Element, V, threads, Sums::max_radius, Aligned>;
  using Feed =
      SeparableFeedOf<Aligned, Row, threads, stage_rows, R, Task, Element>;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, separable_memory);
  unsigned char* const ring = separable_memory + Row::lead;
  GridDependency::release();

  unsigned const strip         = task.block() % task.strips;
  unsigned const chunk         = task.block() / task.strips;
  std::int64_t const row_begin = chunk * task.chunk_rows;
  std::int64_t const row_end   = min(row_begin + task.chunk_rows, task.rows);
  int const column_radius      = task.weights.column_radius();
  int const steps              = int(row_end - row_begin) + 2 * column_radius;
  std::int64_t const first_column =
      linear ? -task.shift : std::int64_t(strip) * Row::columns - task.shift;
  Feed const feed(task, first_column - Row::pad, row_begin - column_radius);
  constexpr int stage_bytes = Feed::stage_bytes;

  int to_fill     = 0;  // step of the next stage to be loaded
  int fill_slot   = 0;
  auto const fill = [&] {
    if (to_fill < steps)
      feed.stage(ring + fill_slot * stage_bytes, to_fill, steps);
    CopyAsync16::commit();
    to_fill += stage_rows;
    fill_slot = fill_slot + 1 == stages ? 0 : fill_slot + 1;
  };

  std::int64_t const column =
      first_column + std::int64_t(threadIdx.x) * V;  // of the thread's first
  unsigned char* const behind_ring = ring + stages * stage_bytes;
  A* const of_warp                 = reinterpret_cast<A*>(behind_ring) +
                     threadIdx.x / 32 * (32 * padded_lane<V>);
  // Of the thread's elements, those of the grid.
  int const own_begin     = int(clamp_to(-column, V));
  int const own_end       = int(clamp_to(task.columns - column, V));
  constexpr bool has_room = has_room_beside_rows<Sink>;
  bool const is_whole =
      has_room ? own_begin < own_end : own_begin == 0 && own_end == V;
  bool const is_part = !has_room && !is_whole && own_begin < own_end;
  // At most two threads have a part of their elements: theirs wait here for the
  // end of the batch, so that no branch parts one row from the next. (Floats of
  // radius 7, part of a copy, with such a branch and without: factors 0.75 and
  // 0.82, boxes of rows that begin anywhere 0.83 and 0.91.)
  SeparablePart<Tuned, Sums, Sink>* const part =
      reinterpret_cast<SeparablePart<Tuned, Sums, Sink>*>(behind_ring) +
      (own_begin > 0 ? 0 : 1);
  SinkPlace<Sink> place;
  if constexpr (VectorSink && R == 2) {
    place = sink.data + task.results() +
            ((row_begin - 2 * column_radius) * sink.stride[0] + column);
  }
  // Results that start anywhere in their lines.
  constexpr bool staged = !VectorSink && R == 2 && StencilEpilogue<Sink>;
  using Result          = typename SinkResult<Sink>::type;
  int const lane        = threadIdx.x % 32;
  Result* const results_of_warp =
      reinterpret_cast<Result*>(behind_ring) + threadIdx.x / 32 * (32 * V);
  std::int64_t const warp_column = column - lane * V;
  unsigned const warp_begin      = clamp_to(-warp_column, 32 * V);
  unsigned const warp_end        = clamp_to(task.columns - warp_column, 32 * V);
  if constexpr (staged) {
    place =
        sink.data + task.results() +
        ((row_begin - 2 * column_radius) * sink.stride[0] + warp_column + lane);
  }
  auto const is_sum = [&](int step) {
    return step >= 2 * column_radius && step < steps;
  };
  auto const emit = [&](int step, int b, typename Sums::OfRow const& sums) {
    if constexpr (VectorSink && R == 2) {
      // Bytes are packed once for both: radius 3 and 4 0.92 and 0.91 instead of
      // 0.91 and 0.89 of a copy. Factors of halfs of radius 7 spill so.
      auto const put = [&](auto const& words) {
        if (is_whole && is_sum(step)) store_words(place, words());
        if (is_part) store_words(part->row[b], words());
      };
      if constexpr (takes_bytes<Sums>) {
        put([words = result_words<Result, V>(sums)] { return words; });
      } else {
        put([&] { return result_words<Result, V>(sums); });
      }
      place += sink.stride[0];
    } else if constexpr (staged) {
      // Lanes side by side take elements side by side.
      __syncwarp();
      store_words(results_of_warp + lane * V, result_words<Result, V>(sums));
      __syncwarp();
#pragma unroll
      for (int i = 0; i < V; ++i)
        if (is_sum(step) &&
            unsigned(i * 32 + lane - warp_begin) < warp_end - warp_begin)
          place[i * 32] = results_of_warp[i * 32 + lane];
      place += sink.stride[0];
    } else {
      if (!is_sum(step)) return;
      std::int64_t const row = row_begin + (step - 2 * column_radius);
      if constexpr (R == 1) {
        std::int64_t const at[1] = {row * task.stride + column};
        put_sums<V, VectorSink>(sink, at, at[0], 0, task.columns, sums,
                                of_warp);
      } else {
        std::int64_t const at[2] = {row, column};
        put_sums<V, VectorSink>(sink, at, column, 0, task.columns, sums,
                                of_warp);
      }
    }
  };

  GridDependency::wait();
#pragma unroll 1
  for (int s = 0; s < stages - 1; ++s) fill();
  Sums sums;
  sums.clear();
  int read_slot = 0;
  unsigned char* stage;
  typename Feed::Offsets offsets;
#pragma unroll 1
  for (int first_step = 0; first_step < steps; first_step += Sums::batch) {
#pragma unroll
    for (int b = 0; b < Sums::batch; ++b) {
      int const step = first_step + b;
      // Known at compile time where batches are whole stages.
      int const in_stage =
          Sums::batch % stage_rows == 0 ? b % stage_rows : step % stage_rows;
      if (in_stage == 0) {
        CopyAsync16::wait<stages - 2>();
        // The stage is there for all, and all are done with the one before.
        __syncthreads();
        fill();
        stage     = ring + read_slot * stage_bytes;
        read_slot = read_slot + 1 == stages ? 0 : read_slot + 1;
        if (feed.has_boundaries) {
          feed.fill_boundaries(stage, step);
          __syncthreads();
        }
        offsets = feed.offsets(stage);
      }
      unsigned char const* const row =
          stage + in_stage * Row::bytes +
          (threadIdx.x * V + Row::pad - Row::reach) * int(sizeof(Element));
      emit(step, b,
           sums.push(b,
                     sums_along_row<A, Sums, Element, Row, Aligned>(
                         row, offsets.at(in_stage), task.weights),
                     task.weights));
    }
    sums.next_batch();
    if constexpr (VectorSink && R == 2) {
      if (is_part) {
#pragma unroll 1
        for (int b = 0; b < Sums::batch; ++b)
#pragma unroll 1
          for (int i = own_begin; i < own_end; ++i)
            if (is_sum(first_step + b))
              place[(b - Sums::batch) * sink.stride[0] + i] = part->row[b][i];
      }
    }
  }
  CopyAsync16::wait<0>();
}

/// A weight in the accumulator. Negative weights of unsigned sums wrap, as the
/// sums do.
template <class A>
A stencil_weight(double weight) {
  if constexpr (std::is_integral_v<A>) {
    if (weight < 0) return static_cast<A>(static_cast<std::int64_t>(weight));
  }
  return static_cast<A>(weight);
}

/// Whether a kernel may write V elements of the result at once, when it does
/// so from `shift` elements before the start of a row.
template <int R, class Sink>
bool takes_vectors(Sink const& sink, int shift, int V) {
  if constexpr (StencilEpilogue<Sink>) {
    using Result    = typename Sink::value_type;
    auto const unit = std::min<std::uintptr_t>(16, V * sizeof(Result));
    auto const address =
        reinterpret_cast<std::uintptr_t>(sink.data) - shift * sizeof(Result);
    bool whole = address % unit == 0;
    for (int d = 0; d + 1 < R; ++d)
      whole =
          whole && std::uintptr_t(sink.stride[d]) * sizeof(Result) % unit == 0;
    return whole;
  } else {
    return false;
  }
}

/// Whether all rows start at the same place in their 16-byte lines.
template <class Element, int R>
bool has_aligned_rows(StencilGrid<Element, R> const& grid) {
  bool aligned = true;
  for (int d = 0; d + 1 < R; ++d)
    aligned =
        aligned && std::uint64_t(grid.stride[d]) * sizeof(Element) % 16 == 0;
  return aligned;
}

template <class A, int MaxRadius, bool Exact>
void set_factors(SeparableFactors<A, MaxRadius, Exact>& to,
                 std::vector<double> const& from, int first) {
  to.radius = int(from.size() / 2);
  for (std::size_t i = 0; i < from.size(); ++i)
    to.at[std::size_t(first) + i] = stencil_weight<A>(from[i]);
}

template <class Tuned, class A, class Sums, bool Aligned, bool VectorSink,
          int R, class Task, class Sink>
void launch_separable_task(Kokkos::Cuda const& space, Task task,
                           Sink const& sink) {
  using Element = std::remove_cv_t<std::remove_pointer_t<decltype(task.data)>>;
  using Row = SeparableRow<Element, Tuned::V, Tuned::threads, Sums::max_radius,
                           Aligned>;
  auto const kernel = &separable_stencil<Tuned, A, Sums, Element, Aligned,
                                         VectorSink, R, Task, Sink>;
  using Feed = SeparableFeedOf<Aligned, Row, Tuned::threads, Tuned::stage_rows,
                               R, Task, Element>;
  constexpr int bytes =
      separable_bytes<Tuned, Row, Feed, VectorSink, A, Sums, Sink>;
  KernelFacts const facts =
      kernel_facts(space.cuda_device(), kernel, Tuned::threads, bytes);
  std::int64_t const resident =
      std::int64_t(device(space.cuda_device()).multiprocessors) *
      std::max(facts.resident_blocks, 1);
  int const radius          = task.weights.column_radius();
  int const best            = Tuned::low_piece_rows(radius);
  int const lead            = 2 * radius + Tuned::stages;
  constexpr bool has_planes = requires { task.planes; };
  std::int64_t planes       = 1;
  if constexpr (has_planes) {
    planes = task.planes;
  }
  std::int64_t const strips = task.strips * planes;
  task.chunk_rows           = best > 0
                                  ? short_block_height(task.rows, strips, resident, best,
                                                     Tuned::stage_rows, lead)
                                  : tall_block_height(task.rows, strips, resident, lead);
  std::int64_t const blocks =
      (task.rows + task.chunk_rows - 1) / task.chunk_rows * strips;
  if constexpr (has_planes) {
    task.blocks_of_plane = unsigned(blocks / planes);
  }
  launch_kernel(space, "separable_stencil", kernel,
                {unsigned(blocks), Tuned::threads, bytes, facts.may_follow},
                task, sink);
}

/// Elements from the begin of a line of 16 bytes to this one.
template <class Element>
int place_in_line(Element const* element) {
  return int(reinterpret_cast<std::uintptr_t>(element) % 16 / sizeof(Element));
}

/// The task of a grid of one or two dimensions, without weights, whose strips
/// start `shift` elements before column 0.
template <class Tuned, class Sums, int R, class Element>
auto separable_task(StencilGrid<Element, R> const& grid, int shift) {
  constexpr bool linear = R == 1;
  constexpr int last    = R - 1;
  using Row = SeparableRow<Element, Tuned::V, Tuned::threads, Sums::max_radius>;
  SeparableTask<Element, typename Sums::Weights> task{};
  task.data                 = grid.data;
  task.columns              = grid.extent[last];
  task.shift                = shift;
  std::int64_t const line   = task.columns + task.shift;
  std::int64_t const pieces = (line + Row::columns - 1) / Row::columns;
  task.column_low           = grid.boundaries.low[last];
  task.column_high          = grid.boundaries.high[last];
  if constexpr (linear) {
    task.stride     = Row::columns;
    task.rows       = pieces;
    task.strips     = 1;
    task.rows_first = false;
  } else {
    task.stride     = grid.stride[0];
    task.rows       = grid.extent[0];
    task.strips     = unsigned(pieces);
    task.row_low    = grid.boundaries.low[0];
    task.row_high   = grid.boundaries.high[0];
    task.rows_first = !grid.reversed;
  }
  return task;
}

template <class Tuned, class A, class Sums, int R, class Element, class Sink>
void launch_separable_sums(Kokkos::Cuda const& space,
                           StencilGrid<Element, R> const& grid,
                           typename Sums::Weights const& weights,
                           Sink const& sink) {
  auto task    = separable_task<Tuned, Sums, R>(grid, place_in_line(grid.data));
  task.weights = weights;
  bool const aligned = has_aligned_rows(grid);
  if constexpr (StencilEpilogue<Sink>) {
    if (aligned && takes_vectors<R>(sink, task.shift, Tuned::V)) {
      launch_separable_task<Tuned, A, Sums, true, true, R>(space, task, sink);
      return;
    }
  }
  // Rows of two dimensions may begin anywhere, results in Views likewise.
  if constexpr (R > 1) {
    if (StencilEpilogue<Sink> || !aligned) {
      launch_separable_task<Tuned, A, Sums, false, false, R>(space, task, sink);
      return;
    }
  }
  if constexpr (R == 1 || !StencilEpilogue<Sink>) {
    launch_separable_task<Tuned, A, Sums, true, false, R>(space, task, sink);
  }
}

template <class Sums, int R>
auto separable_weights(std::array<std::vector<double>, R> const& factors) {
  typename Sums::Weights weights{};
  set_factors(weights.along_row, factors[R - 1],
              Sums::max_radius - int(factors[R - 1].size() / 2));
  // The last row reaches the first sum.
  if constexpr (R == 1) {
    set_factors(weights.along_column, {1.0}, 0);
  } else {
    set_factors(weights.along_column, {factors[0].rbegin(), factors[0].rend()},
                0);
  }
  return weights;
}

/// Whether the factors may be applied one after the other: a zero among them is
/// no neighbour, and elements that are Inf or NaN there would reach the sum.
/// Sums of integers need integers.
template <class A, int R>
struct SeparableStencil {
  static bool takes(std::array<std::vector<double>, R> const& factors) {
    for (std::vector<double> const& vector : factors)
      for (double const factor : vector) {
        if constexpr (std::is_integral_v<A>) {
          if (factor != std::trunc(factor) || std::abs(factor) >= 0x1p63)
            return false;
        } else {
          if (static_cast<A>(factor) == 0 ||
              !std::isfinite(static_cast<A>(factor)))
            return false;
        }
      }
    return true;
  }
};

/// Sums of a box of ones. The lowest byte of a sum is the same of signed and
/// unsigned bytes.
template <class A, class Element, class Sink, int Radius>
auto box_sums_of() {
  using Result    = typename SinkResult<Sink>::type;
  constexpr int V = sums_at_once<Element, Result>;
  if constexpr (sizeof(Element) == 1) {
    using Byte = std::conditional_t<StencilEpilogue<Sink> &&
                                        takes_lowest_bytes<Result>,
                                    unsigned char, Element>;
    return PairedBoxSums<A, Byte, V, Radius>();
  } else if constexpr (std::is_integral_v<A>) {
    return RunningBoxSums<A, V, Radius>();
  } else {
    return BoxSums<A, V, Radius>();
  }
}
template <class A, class Element, class Sink, int Radius>
using BoxSumsOf = decltype(box_sums_of<A, Element, Sink, Radius>());

/// Sums of one radius. False where there is no kernel for the rows and the
/// sink: factors of any radius take what is left.
template <class A, class Sums, bool Ones, class Element, class Sink>
bool launch_separable_radius(Kokkos::Cuda const& space,
                             StencilGrid<Element, 2> const& grid,
                             typename Sums::Weights const& weights,
                             Sink const& sink) {
  using Result           = typename SinkResult<Sink>::type;
  constexpr bool visible = StencilEpilogue<Sink>;
  constexpr int V        = sums_at_once<Element, Result>;
  auto const launch      = [&](auto aligned, auto vectors, int shift) {
    using Tuned  = RadiusTuning<Element, Result, Sums::max_radius, Ones,
                               decltype(aligned)::value>;
    auto task    = separable_task<Tuned, Sums, 2>(grid, shift);
    task.weights = weights;
    launch_separable_task<Tuned, A, Sums, decltype(aligned)::value,
                          decltype(vectors)::value, 2>(space, task, sink);
    return true;
  };
  int const shift = place_in_line(grid.data);
  std::bool_constant<visible> constexpr whole;
  std::true_type constexpr yes;
  std::false_type constexpr no;
  if (has_aligned_rows(grid) && (!visible || takes_vectors<2>(sink, shift, V)))
    return launch(yes, whole, shift);
  if constexpr (visible) {
    int const of_results = place_in_line(sink.data);
    // Windows of 16-bit floats of radius 7 are more than registers hold; bytes
    // of radius 2 and more go to tensor cores (0.73 of a copy, here 0.71).
    constexpr int size = int(sizeof(Element));
    if constexpr (Sums::max_radius < (size == 1 ? 2 : size == 2 ? 7 : 8)) {
      if (takes_vectors<2>(sink, of_results, V))
        return launch(no, yes, of_results);
    }
    if constexpr (sizeof(Element) >= 4) {
      return launch(no, no, shift);
    }
  }
  return false;
}

/// Weights of a radius that has kernels of its own: a box of ones, or factors
/// of floating-point sums into a View of the type that is read (each kernel
/// costs compile time).
template <class A, int Radius, class Element, class Sink>
bool launch_separable_radius(Kokkos::Cuda const& space,
                             StencilGrid<Element, 2> const& grid,
                             std::array<std::vector<double>, 2> const& factors,
                             bool box_of_ones, Sink const& sink) {
  using Result    = typename SinkResult<Sink>::type;
  constexpr int V = sums_at_once<Element, Result>;
  if (box_of_ones)
    return launch_separable_radius<A, BoxSumsOf<A, Element, Sink, Radius>,
                                   true>(space, grid, {}, sink);
  if constexpr (std::is_floating_point_v<A> &&
                std::is_same_v<Element, Result>) {
    using Sums = RadiusSums<A, V, Radius>;
    return launch_separable_radius<A, Sums, false>(
        space, grid, separable_weights<Sums, 2>(factors), sink);
  }
  return false;
}

/// f(the largest radius of the kernel that takes this one), a constant.
template <class F>
void with_largest_radius(std::size_t radius, F const& f) {
  if (radius <= 4)
    f(std::integral_constant<int, 4>());
  else if (radius <= 8)
    f(std::integral_constant<int, 8>());
  else
    f(std::integral_constant<int, 16>());
}

/// Of one or two dimensions.
template <class A, int R, class Element, class Sink>
void launch_separable_stencil(Kokkos::Cuda const& space,
                              StencilGrid<Element, R> const& grid,
                              std::array<std::vector<double>, R> const& factors,
                              bool box_of_ones, Sink const& sink) {
  for (int d = 0; d < R; ++d)
    if (grid.extent[d] == 0) return;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  using Result      = typename SinkResult<Sink>::type;
  std::size_t width = 0;
  for (std::vector<double> const& vector : factors)
    width = std::max(width, vector.size());
  if constexpr (R == 2) {
    if (factors[0].size() == factors[1].size()) {
      auto const launch = [&](auto radius) {
        return launch_separable_radius<A, decltype(radius)::value>(
            space, grid, factors, box_of_ones, sink);
      };
      bool launched = false;
      switch (width / 2) {
        case 1: launched = launch(std::integral_constant<int, 1>()); break;
        case 2: launched = launch(std::integral_constant<int, 2>()); break;
        case 3: launched = launch(std::integral_constant<int, 3>()); break;
        case 4: launched = launch(std::integral_constant<int, 4>()); break;
        case 5: launched = launch(std::integral_constant<int, 5>()); break;
        case 6: launched = launch(std::integral_constant<int, 6>()); break;
        case 7: launched = launch(std::integral_constant<int, 7>()); break;
        default: break;
      }
      if (launched) return;
    }
  }
  auto const launch = [&](auto radius) {
    constexpr int max_radius = decltype(radius)::value;
    using Tuned =
        std::conditional_t<R == 1, LineTuning<A, Element, Result, max_radius>,
                           SeparableTuning<A, Element, Result, max_radius>>;
    using Sums = FactorSums<A, Tuned::V, max_radius, R == 1 ? 0 : max_radius,
                            Tuned::batch>;
    launch_separable_sums<Tuned, A, Sums, R>(
        space, grid, separable_weights<Sums, R>(factors), sink);
  };
  with_largest_radius(width / 2, launch);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
