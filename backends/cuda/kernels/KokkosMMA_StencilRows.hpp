// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STENCIL_ROWS_HPP
#define KOKKOSMMA_CUDA_STENCIL_ROWS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <core/KokkosMMA_StencilGrid.hpp>

#include <cstdint>

/// \file
/// A strip of a grid that passes through shared memory from top to bottom, 16
/// rows at a time, with what stands beyond the faces put in on the way.

namespace KokkosMMA::Impl::Cuda {

/// grid.at({i, j}), without an array that is indexed by a variable.
template <class Element>
__device__ Element stencil_element(StencilGrid<Element, 2> const& grid,
                                   std::int64_t i, std::int64_t j) {
  bool const in_rows    = 0 <= i && i < grid.extent[0];
  bool const in_columns = 0 <= j && j < grid.extent[1];
  Face const face_i = i < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
  Face const face_j = j < 0 ? grid.boundaries.low[1] : grid.boundaries.high[1];
  bool const constant_i = !in_rows && face_i.kind == Boundary::constant;
  bool const constant_j = !in_columns && face_j.kind == Boundary::constant;
  if (constant_i || constant_j)
    return static_cast<Element>(constant_i && !(constant_j && grid.reversed)
                                    ? face_i.value
                                    : face_j.value);
  return grid
      .data[boundary_index(face_i.kind, i, grid.extent[0]) * grid.stride[0] +
            boundary_index(face_j.kind, j, grid.extent[1])];
}

/// A ring of `Stages` times 16 rows of `TileBytes` bytes, which all threads of
/// the block share. Whole 16-byte lines of the data are copied behind the
/// block's back; elements of lines that a face cuts are read one by one, before
/// the block works on rows that came earlier, and written behind that.
/// \tparam Shifted rows may start anywhere in a line; byte b of a row is then
///   at byte b + shift of it
template <class Element, int SumBytes, int MarginBytes, int Stages, int Warps,
          bool Shifted>
class StencilRows {
  static_assert(SumBytes % 32 == 0 && MarginBytes % 16 == 0 && Stages >= 2 &&
                16 % Warps == 0);
  static constexpr int size       = int(sizeof(Element));
  static constexpr int tile_bytes = SumBytes + 2 * MarginBytes;
  static constexpr int lines      = tile_bytes / 16 + Shifted;

 public:
  static constexpr int rows   = 16;
  static constexpr int margin = MarginBytes / size;
  // An odd number of lines: lines of eight rows that follow each other lie in
  // different banks.
  static constexpr int pitch       = (lines / 2 * 2 + 1) * 16;
  static constexpr int shift_place = 16 * pitch;
  static constexpr int stage_bytes = shift_place + 16;

 private:
  // In shared memory and read anew in each step: kept in registers, it would
  // wait there during the work in between.
  struct Shared {
    std::uint32_t grid[sizeof(StencilGrid<Element, 2>) / 4];
    std::int64_t first;        // column of the tile
    std::int64_t first_row;    // of step 0
    int radius;                // along the columns
    int begin, end;            // bytes of the tile that the data hold
    int need_begin, need_end;  // and those that a sum needs
    int has_edges;
    int cuts;  // in the list, a multiple of the rows
  };
  // An element in a line that a face cuts, in the steps whose rows are inside.
  struct alignas(16) Cut {
    std::int64_t offset;  // from the first element of the step's first row
    int place;            // in the stage; negative where there is none
    int is_constant;
  };
  static constexpr int most_cuts =
      rows * (2 * MarginBytes + 15 + (Shifted ? 15 : 0)) / size;
  static constexpr int shared_bytes = (int(sizeof(Shared)) + 31) / 32 * 32;

 public:
  static constexpr int bytes =
      shared_bytes + Stages * stage_bytes + most_cuts * int(sizeof(Cut));

  /// \param memory `bytes` of it, aligned to 16
  /// \param first column of the first sum; `margin` columns before it and
  /// behind
  ///   the last one belong to the tile
  /// \param first_row of step 0
  __device__ StencilRows(StencilGrid<Element, 2> const& grid,
                         unsigned char* memory, std::int64_t first,
                         std::int64_t first_row, int radius_rows,
                         int radius_columns)
      : m_shared(*reinterpret_cast<Shared*>(memory)),
        m_memory(memory + shared_bytes) {
    int const thread = int(threadIdx.x);
    for (int k = thread; k < int(sizeof(grid) / 4); k += 32 * Warps)
      m_shared.grid[k] = reinterpret_cast<std::uint32_t const*>(&grid)[k];
    if (thread == 0) {
      Shared& s          = m_shared;
      s.first            = first - margin;
      s.first_row        = first_row;
      s.radius           = radius_rows;
      auto const byte_of = [&](std::int64_t column) {
        std::int64_t const b = (column - s.first) * size;
        return int(b < -64 ? -64 : b > tile_bytes + 64 ? tile_bytes + 64 : b);
      };
      s.begin      = byte_of(-grid.boundaries.ghosts_low(1, radius_columns));
      s.end        = byte_of(grid.extent[1] +
                             grid.boundaries.ghosts_high(1, radius_columns));
      s.need_begin = (margin - radius_columns) * size;
      s.need_end   = min(byte_of(grid.extent[1] + radius_columns),
                         tile_bytes - s.need_begin);
      s.has_edges  = s.begin > (Shifted ? -15 : 0) ||
                    s.end < tile_bytes + (Shifted ? 15 : 0);
    }
    __syncthreads();
    m_pitch = grid.stride[0] * size;
    m_from  = reinterpret_cast<unsigned char const*>(grid.data) +
             (first_row + thread / 32 * (rows / Warps)) * m_pitch +
             (first - margin) * size;
    m_is_plain             = !Shifted && !m_shared.has_edges;
    std::int64_t const end = (grid.extent[0] - first_row) / rows;
    m_inside_begin = first_row < 0 ? int((-first_row + rows - 1) / rows) : 0;
    m_inside_end   = end < 0x40000000 ? int(end) : 0x40000000;
    if (!m_shared.has_edges) return;
    // Zeros where no element ever comes, for floats: 0 * NaN is NaN.
    if (size > 1)
      for (int b = 16 * thread; b < Stages * stage_bytes; b += 16 * 32 * Warps)
        *reinterpret_cast<uint4*>(m_memory + b) = uint4{0, 0, 0, 0};
    if (thread == 0) m_shared.cuts = 0;
    __syncthreads();
    if (m_inside_begin < m_inside_end) {
      std::int64_t const row_of_step = first_row + rows * m_inside_begin;
      for (int at = thread; at < most_cuts; at += 32 * Warps) {
        std::int64_t const row = row_of_step + at % rows;
        int const byte         = edge_byte(row, at / rows);
        if (byte < 0) {
          cuts()[at].place = -1;
          continue;
        }
        std::int64_t const column = m_shared.first + byte / size;
        Face const face =
            column < 0 ? grid.boundaries.low[1] : grid.boundaries.high[1];
        bool const inside = 0 <= column && column < grid.extent[1];
        cuts()[at]        = {at % rows * grid.stride[0] +
                                 boundary_index(face.kind, column, grid.extent[1]),
                             row_place(at % rows) + byte + shift_of(row),
                             !inside && face.kind == Boundary::constant};
        // Faces of two kinds have constants of two values.
        if (cuts()[at].is_constant) cuts()[at].offset = column < 0 ? -1 : -2;
        atomicMax(&m_shared.cuts, (at / rows + 1) * rows);
      }
    }
    __syncthreads();
  }

  /// Whether no row has an element that a face or an end of a line cuts.
  __device__ bool is_plain() const { return m_is_plain; }

  /// Starts the copy of the rows of a step, the first or the one behind the
  /// last call's, into a stage.
  __device__ void fetch(int stage, int step, int warp, int lane) {
    if (!(m_inside_begin <= step && step < m_inside_end))
      fetch_anywhere(stage, step, warp, lane);
    else if (m_is_plain)
      fetch_plain(stage, warp, lane);
    else
      fetch_inside(stage, warp, lane);
    m_from += rows * m_pitch;
  }

  /// Elements that lie in a line which a face cuts: read before the work on
  /// earlier rows, written behind it.
  struct Edge {
    Element element;
    int place;  ///< negative where there is none
  };
  __device__ Edge read_edge(int stage, int step, int thread) const {
    Edge edge{{}, -1};
    if (m_shared.has_edges) read_edge(edge, stage, step, thread);
    return edge;
  }
  /// Writes it, and reads and writes what there are more of than threads.
  __device__ void write_edge(Edge edge, int stage, int step, int thread) {
#pragma unroll 1
    for (int at = thread; edge.place >= 0;) {
      *reinterpret_cast<Element*>(m_memory + edge.place) = edge.element;
      at += 32 * Warps;
      edge.place = -1;
      read_edge(edge, stage, step, at);
    }
  }

  /// Word lane % 4 of each of the rows lane / 4 and lane / 4 + 8 of 16-byte
  /// units, from the one at byte `first` on.
  template <int N, class Unit>
  __device__ void units(Unit (&result)[N], int stage, int first,
                        int lane) const {
    static_assert(N % 2 == 0);
    unsigned char const* const from = m_memory + stage * stage_bytes + first;
    if constexpr (Shifted) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int const row   = lane / 4 + 8 * half;
        int const shift = m_memory[stage * stage_bytes + shift_place + row];
        auto const* const words =
            reinterpret_cast<std::uint32_t const*>(from + row * pitch) +
            lane % 4 + shift / 4;
#pragma unroll
        for (int u = 0; u < N; ++u)
          result[u][half] =
              __funnelshift_r(words[4 * u], words[4 * u + 1], 8 * (shift % 4));
      }
    } else {
      // Rows 0 to 7 of two units, then rows 8 to 15: an operand is in registers
      // side by side.
      unsigned char const* const row =
          from + (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 16;
#pragma unroll
      for (int u = 0; u < N; u += 2) {
        std::uint32_t words[4];
        LoadMatrix4::load(words, row + 16 * u);
        result[u]     = {{words[0], words[2]}};
        result[u + 1] = {{words[1], words[3]}};
      }
    }
  }

 private:
  // Rows that follow each other in memory, and no face in the strip.
  __device__ void fetch_plain(int stage, int warp, int lane) {
    constexpr int each = rows / Warps;
    unsigned char* const to =
        m_memory + stage * stage_bytes + row_place(warp * each) + 16 * lane;
    if (lines >= 32 || lane < lines) {
#pragma unroll
      for (int k = 0; k < each; ++k)
        CopyAsync16::copy(to + k * pitch, m_from + k * m_pitch + 16 * lane);
    }
    // What is left of all rows, by the first warps.
    constexpr int left = lines > 32 ? lines - 32 : 0;
    int const at       = 32 * warp + lane;
    if (at < rows * left) {
      int const row  = at % rows;
      int const line = 32 + at / rows;
      CopyAsync16::copy(
          m_memory + stage * stage_bytes + row_place(row) + 16 * line,
          m_from + (row - warp * each) * m_pitch + 16 * line);
    }
  }
  // With faces that cut the rows, or rows that start anywhere in a line.
  __device__ void fetch_inside(int stage, int warp, int lane) {
    unsigned char* const to = m_memory + stage * stage_bytes +
                              row_place(warp * (rows / Warps)) + 16 * lane;
    bool const has_edges = m_shared.has_edges;
#pragma unroll
    for (int k = 0; k < rows / Warps; ++k) {
      unsigned char const* row = m_from + k * m_pitch;
      int shift                = 0;
      if constexpr (Shifted) {
        shift = int(reinterpret_cast<std::uintptr_t>(row) % 16);
        if (lane == 0)
          m_memory[stage * stage_bytes + shift_place + warp * (rows / Warps) +
                   k] = (unsigned char)(shift);
        row -= shift;
      }
      row += 16 * lane;
      int const begin = has_edges ? begin_line(shift) - lane : -lane;
      int const end   = (has_edges ? end_line(shift) : lines) - lane;
#pragma unroll
      for (int l = 0; l < lines; l += 32)
        if (begin <= l && l < end)
          CopyAsync16::copy(to + k * pitch + 16 * l, row + 16 * l);
    }
  }
  __device__ void fetch_anywhere(int stage, int step, int warp, int lane) {
    StencilGrid<Element, 2> const& grid = this->grid();
    unsigned char* const memory         = m_memory + stage * stage_bytes;
    std::int64_t const first_row        = m_shared.first_row + rows * step;
#pragma unroll
    for (int k = 0; k < rows / Warps; ++k) {
      int const r             = warp * (rows / Warps) + k;
      unsigned char* const to = memory + row_place(r);
      std::int64_t row        = first_row + r;
      double value            = 0;
      bool is_constant        = false;
      if (row < 0 || row >= grid.extent[0]) {
        Face const face =
            row < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
        bool const needed =
            row >= -m_shared.radius && row < grid.extent[0] + m_shared.radius;
        is_constant = !needed || face.kind == Boundary::constant;
        if (needed) value = face.value;
        if (!is_constant) row = boundary_index(face.kind, row, grid.extent[0]);
      }
      unsigned char const* const from =
          reinterpret_cast<unsigned char const*>(grid.data) +
          (row * grid.stride[0] + m_shared.first) * size;
      int const shift = Shifted && !is_constant
                            ? int(reinterpret_cast<std::uintptr_t>(from) % 16)
                            : 0;
      if constexpr (Shifted) {
        if (lane == 0) memory[shift_place + r] = (unsigned char)(shift);
      }
      int const begin = begin_line(shift);
      int const end   = end_line(shift);
      if (is_constant) {
        std::uint32_t const word = splat(static_cast<Element>(value));
        for (int line = lane; line < end; line += 32)
          if (line >= begin)
            *reinterpret_cast<uint4*>(to + 16 * line) =
                uint4{word, word, word, word};
      } else {
        unsigned char const* const lane_from = from - shift + 16 * lane;
#pragma unroll
        for (int l = 0; l < lines; l += 32)
          if (l + lane >= begin && l + lane < end)
            CopyAsync16::copy(to + 16 * (l + lane), lane_from + 16 * l);
      }
    }
  }

  __device__ static int row_place(int row) { return row * pitch; }
  __device__ static std::uint32_t splat(Element value) {
    if constexpr (size == 1) {
      return 0x01010101u * reinterpret_cast<unsigned char const&>(value);
    } else {
      return 0x00010001u * reinterpret_cast<unsigned short const&>(value);
    }
  }
  // Lines of which the data hold every byte.
  __device__ int begin_line(int shift) const {
    return max(0, (m_shared.begin + shift + 15) >> 4);
  }
  __device__ int end_line(int shift) const {
    return min(lines, (m_shared.end + shift) >> 4);
  }
  __device__ StencilGrid<Element, 2> const& grid() const {
    return *reinterpret_cast<StencilGrid<Element, 2> const*>(m_shared.grid);
  }
  __device__ int shift_of(std::int64_t row) const {
    if constexpr (!Shifted) {
      return 0;
    }
    StencilGrid<Element, 2> const& grid = this->grid();
    if (row < 0 || row >= grid.extent[0]) {
      Face const face =
          row < 0 ? grid.boundaries.low[0] : grid.boundaries.high[0];
      if (face.kind == Boundary::constant) return 0;
      row = boundary_index(face.kind, row, grid.extent[0]);
    }
    return int(
        (reinterpret_cast<std::uintptr_t>(grid.data) +
         std::uintptr_t((row * grid.stride[0] + m_shared.first) * size)) %
        16);
  }
  __device__ Cut* cuts() const {
    return reinterpret_cast<Cut*>(m_memory + Stages * stage_bytes);
  }
  /// The n-th element of a row in lines that a face cuts, its byte in the tile;
  /// negative where there is none.
  __device__ int edge_byte(std::int64_t row, int n) const {
    int const need_begin = m_shared.need_begin;
    int const need_end   = m_shared.need_end;
    int const shift      = shift_of(row);
    int const begin      = 16 * begin_line(shift) - shift;
    int const end        = 16 * end_line(shift) - shift;
    int const left       = begin < end ? begin : need_end;
    int byte             = need_begin + n * size;
    if (byte >= left)
      byte = max(end, need_begin) + byte - max(left, need_begin);
    return byte < need_end ? byte : -1;
  }
  /// Element `at` of these, of row at % 16.
  __device__ void read_edge(Edge& edge, int stage, int step, int at) const {
    StencilGrid<Element, 2> const& grid = this->grid();
    std::int64_t const first_row        = m_shared.first_row + rows * step;
    if (m_inside_begin <= step && step < m_inside_end) {
      if (at >= m_shared.cuts) return;
      Cut const cut = cuts()[at];
      if (cut.place < 0) return;
      edge.place   = stage * stage_bytes + cut.place;
      edge.element = cut.is_constant
                         ? static_cast<Element>(
                               cut.offset == -1 ? grid.boundaries.low[1].value
                                                : grid.boundaries.high[1].value)
                         : grid.data[first_row * grid.stride[0] + cut.offset];
      return;
    }
    std::int64_t const row = first_row + at % rows;
    if (row < -m_shared.radius || row >= grid.extent[0] + m_shared.radius)
      return;
    int const byte = edge_byte(row, at / rows);
    if (byte < 0) return;
    edge.place =
        stage * stage_bytes + row_place(at % rows) + byte + shift_of(row);
    edge.element = stencil_element(grid, row, m_shared.first + byte / size);
  }

  Shared& m_shared;
  unsigned char* m_memory;
  // Steps all of whose rows are inside, and the first row of a warp in the next
  // step.
  int m_inside_begin, m_inside_end;
  unsigned char const* m_from;
  std::int64_t m_pitch;
  bool m_is_plain;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
