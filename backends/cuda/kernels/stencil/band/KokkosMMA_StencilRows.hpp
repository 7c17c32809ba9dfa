// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STENCIL_ROWS_HPP
#define KOKKOSMMA_CUDA_STENCIL_ROWS_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cstdint>

/// \file
/// Copies a column panel of a grid through shared memory from top to bottom, a
/// few rows at a time, and supplies the values beyond the boundaries.

namespace KokkosMMA::Impl::Cuda {

/// Ring buffer of `Stages` stages of `Rows` rows of a tile, shared by all
/// threads of the block. 16-byte chunks that hold data are copied
/// asynchronously, including chunks that a boundary crosses. The source
/// elements of the columns beyond the boundaries are copied to a side area of
/// the stage. When the copies have arrived, the boundary fix-up moves these
/// elements to their positions in the tile. Reading them one by one from global
/// memory in the previous step made panels with boundaries three times slower
/// (H200, 2026-11-21).
///
/// \tparam SumBytes    columns that have sums
/// \tparam MarginBytes neighbours on each side
/// \tparam Rows        per stage, a multiple of `Warps`
/// \tparam Unaligned   rows may begin anywhere in a chunk; byte b of a row is
///   then stored at byte b + shift
template <class Element, int SumBytes, int MarginBytes, int Rows, int Stages,
          int Warps, bool Unaligned>
class StencilRows {
  static_assert(SumBytes % 32 == 0 && MarginBytes % 16 == 0 && Stages >= 2 &&
                Rows % Warps == 0);
  static constexpr int size       = int(sizeof(Element));
  static constexpr int tile_bytes = SumBytes + 2 * MarginBytes;
  static constexpr int chunks     = tile_bytes / 16 + Unaligned;

 public:
  static constexpr int rows   = Rows;
  static constexpr int margin = MarginBytes / size;
  // Puts 32 bytes of each of four rows into different banks.
  static constexpr int lead = sector_lead(MarginBytes);
  static constexpr int pitch =
      ((lead + 16 * chunks + 31) / 32 / 2 * 2 + 1) * 32;

 private:
  // Source elements of a boundary: as many per row as the margin has, beginning
  // anywhere in a chunk.
  static constexpr int side_chunks = (16 - size + MarginBytes + 15) / 16;
  static constexpr int side_pitch  = 16 * side_chunks;  // per row and boundary
  static constexpr int shift_place = rows * pitch;
  static constexpr int side_place  = shift_place + (rows + 15) / 16 * 16;
  static constexpr int constant_place = side_place + rows * 2 * side_pitch;
  static constexpr int stage_bytes    = constant_place + (size > 2 ? 32 : 16);
  static_assert(stage_bytes < 0x10000);

  // Indices of the elements at constant_place.
  enum Constant { zero, low_row, high_row, low_column, high_column };
  static_assert((high_column + 1) * size <= stage_bytes - constant_place);

  // In shared memory to save registers; reloaded in each step.
  struct Shared {
    std::uint32_t grid[sizeof(StencilGrid<Element, 2>) / 4];
    std::int64_t first;      // first column of the tile
    std::int64_t first_row;  // first row of step 0
    // Memory of the grid and its ghost cells.
    unsigned char const *memory_begin, *memory_end;
    // Bytes from the tile's begin to the source of a boundary, in the same row.
    std::int64_t side[2];
    int side_bytes[2];         // -16: no boundary
    int radius;                // in rows
    int begin, end;            // bytes of the tile with data
    int need_begin, need_end;  // bytes of the tile that sums read
    // Steps whose chunks are all in memory, in panels with fix-ups.
    int inside_begin, inside_end;
    int fixups;
  };
  // Offsets within a stage: an element outside the data, and its source.
  struct alignas(4) Fixup {
    std::uint16_t place, source;
  };
  static constexpr int most_fixups_of_row = 2 * MarginBytes / size;
  static constexpr int shared_bytes = (int(sizeof(Shared)) + 31) / 32 * 32;

 public:
  static constexpr int bytes = shared_bytes + Stages * stage_bytes +
                               rows * most_fixups_of_row * int(sizeof(Fixup));

  /// Called by all threads of the block.
  /// \param memory `bytes` bytes, aligned to 16
  /// \param first column of the first sum; the tile also has `margin` columns
  ///   before it and after the last sum
  /// \param first_row first row of step 0
  __device__ StencilRows(StencilGrid<Element, 2> const& grid,
                         unsigned char* memory, std::int64_t first,
                         std::int64_t first_row, int steps, int radius_rows,
                         int radius_columns)
      : m_shared(*reinterpret_cast<Shared*>(memory)),
        m_memory(memory + shared_bytes) {
    int const thread = int(threadIdx.x);
    int const lane   = thread % 32;
    m_units =
        m_memory + row_place(lane % 8 + lane / 16 * 8) + lane / 8 % 2 * 16;
    // Otherwise the compiler recomputes the base address in each step.
    Opaque::hide(m_units);
    m_pitch = grid.stride[0] * size;
    m_from  = reinterpret_cast<unsigned char const*>(grid.data) +
             (first_row + thread / 32 * (rows / Warps)) * m_pitch +
             (first - margin) * size;
    bool const needs_fixups =
        data_begin(grid, first, radius_columns) > (Unaligned ? -15 : 0) ||
        data_end(grid, first, radius_columns) <
            tile_bytes + (Unaligned ? 16 : 0);
    // Chunks that a boundary crosses extend into adjacent rows.
    std::int64_t const between = !needs_fixups   ? 0
                                 : m_pitch >= 15 ? 1
                                                 : grid.extent[0];
    std::int64_t const begin =
        first_row < between ? (between - first_row + rows - 1) / rows : 0;
    std::int64_t const end = (grid.extent[0] - between - first_row) / rows;
    m_simple_begin         = int(begin);
    m_simple_end           = int(min(end, std::int64_t(0x40000000)));
    // Most blocks need nothing else. The set-up below takes an eighth of
    // the others' time, since one thread works while all others wait.
    if (!needs_fixups && m_simple_begin <= 0 && steps <= m_simple_end) return;
    for (int k = thread; k < int(sizeof(grid) / 4); k += 32 * Warps)
      m_shared.grid[k] = reinterpret_cast<std::uint32_t const*>(&grid)[k];
    if (thread == 0)
      describe(grid, first, first_row, radius_rows, radius_columns);
    __syncthreads();
    if (!needs_fixups) return;
    int const inside_begin = m_simple_begin;
    int const inside_end   = m_simple_end;
    m_simple_begin         = 0;
    m_simple_end           = -1;
    // Elements never written must be zero for floats: 0 * NaN is NaN.
    if (size > 1)
      for (int b = 16 * thread; b < Stages * stage_bytes; b += 16 * 32 * Warps)
        *reinterpret_cast<uint4*>(m_memory + b) = uint4{0, 0, 0, 0};
    if (thread == 0) {
      m_shared.fixups       = 0;
      m_shared.inside_begin = inside_begin;
      m_shared.inside_end   = inside_end;
    }
    __syncthreads();
    for (int stage = thread; stage < Stages; stage += 32 * Warps) {
      auto* const to = reinterpret_cast<Element*>(
          m_memory + stage * stage_bytes + constant_place);
      to[zero]        = static_cast<Element>(0.);
      to[low_row]     = static_cast<Element>(grid.boundaries.low[0].value);
      to[high_row]    = static_cast<Element>(grid.boundaries.high[0].value);
      to[low_column]  = static_cast<Element>(grid.boundaries.low[1].value);
      to[high_column] = static_cast<Element>(grid.boundaries.high[1].value);
    }
    if (inside_begin < inside_end) {
      for (int at = thread; at < rows * most_fixups_of_row; at += 32 * Warps) {
        Fixup const fixup =
            find_fixup(first_row + rows * inside_begin, at % rows, at / rows);
        if (fixup.place != fixup.source)
          fixups()[atomicAdd(&m_shared.fixups, 1)] = fixup;
      }
    }
    __syncthreads();
  }

  /// Whether the columns of the panel need boundary fix-ups.
  __device__ bool has_fixups() const { return m_simple_end < 0; }
  /// Whether fetch() is sufficient to copy the rows of a step.
  __device__ bool is_simple(int step) const {
    return m_simple_begin <= step && step < m_simple_end;
  }
  /// Starts copying the rows of a step into a stage, unless is_simple(step). To
  /// be called before fetch() in each step. Separate because it needs more
  /// registers.
  __device__ void fetch_at_boundary(int stage, int step, int warp,
                                    int lane) const {
    if (is_simple(step)) return;
    hide(lane, warp, stage);
    if (has_fixups() && is_inside(step))
      fetch_with_fixups(stage, warp, lane);
    else
      fetch_any_rows(stage, step, warp, lane);
  }
  /// Starts copying the rows of a simple step. To be called for all steps in
  /// order.
  __device__ void fetch(int stage, int step, int warp, int lane) {
    if (is_simple(step)) {
      if constexpr (Unaligned) {
        fetch_unaligned(stage, warp, lane);
      } else {
        fetch_plain(stage, warp, lane);
      }
    }
    m_from += rows * m_pitch;
  }

  /// Runs the boundary fix-up of a stage. Called by all threads, after the
  /// copies of all threads have arrived.
  __device__ void complete(int stage, int step, int thread) {
    if (!has_fixups()) return;
    hide(thread, stage);
    unsigned char* const memory = m_memory + stage * stage_bytes;
    auto const put              = [&](Fixup fixup) {
      *reinterpret_cast<Element*>(memory + fixup.place) =
          *reinterpret_cast<Element const*>(memory + fixup.source);
    };
    if (is_inside(step)) {
      int const count = m_shared.fixups;
#pragma unroll 1
      for (int at = thread; at < count; at += 32 * Warps) put(fixups()[at]);
    } else {
#pragma unroll 1
      for (int at = thread; at < rows * most_fixups_of_row; at += 32 * Warps) {
        Fixup const fixup =
            find_fixup(m_shared.first_row + rows * step, at % rows, at / rows);
        if (fixup.place != fixup.source) put(fixup);
      }
    }
    __syncthreads();
  }

  /// Loads word lane % 4 of N 16-byte units, the first at byte `first`, in rows
  /// first_row + lane / 4 and first_row + lane / 4 + 8.
  template <int N, class Unit>
  __device__ void units(Unit* result, int stage, int first_row, int first,
                        int lane) const {
    static_assert(N % 2 == 0);
    if constexpr (Unaligned) {
      unsigned char const* const from = m_memory + stage * stage_bytes + first;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int const row   = first_row + lane / 4 + 8 * half;
        int const shift = m_memory[stage * stage_bytes + shift_place + row];
        auto const* const words =
            reinterpret_cast<std::uint32_t const*>(from + row_place(row)) +
            lane % 4 + shift / 4;
#pragma unroll
        for (int u = 0; u < N; ++u)
          result[u][half] =
              __funnelshift_r(words[4 * u], words[4 * u + 1], 8 * (shift % 4));
      }
    } else {
      // Rows 0 to 7 of two units, then rows 8 to 15: an operand needs adjacent
      // registers.
      unsigned char const* const row =
          m_units + stage * stage_bytes + first_row * pitch + first;
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
  // Aligned rows of a panel without boundaries. A warp copies the centre of a
  // row, which begins at a multiple of 128 bytes, and then the chunks around
  // it: one request fewer per row.
  __device__ void fetch_plain(int stage, int warp, int lane) {
    constexpr int each   = rows / Warps;
    constexpr int middle = chunks <= 32 ? chunks : SumBytes / 16;
    constexpr int around = chunks - middle;
    constexpr int before = around / 2;
    unsigned char* const to =
        m_memory + stage * stage_bytes + row_place(warp * each) + 16 * lane;
    unsigned char const* const from = m_from + 16 * lane;
#pragma unroll
    for (int k = 0; k < each; ++k)
#pragma unroll
      for (int l = before; l < before + middle; l += 32)
        if (middle >= 32 || lane < middle)
          CopyAsync16::copy(to + k * pitch + 16 * l,
                            from + k * m_pitch + 16 * l);
    static_assert(rows * around <= 32 * Warps);
    static_assert(middle <= 32 || middle % 32 == 0);
    int const at = 32 * warp + lane;
    if (at < rows * around) {
      int const row   = at % rows;
      int const n     = at / rows;
      int const chunk = n < before ? n : middle + n;
      CopyAsync16::copy(
          m_memory + stage * stage_bytes + row_place(row) + 16 * chunk,
          m_from + (row - warp * each) * m_pitch + 16 * chunk);
    }
  }
  // Unaligned rows of a panel without boundaries.
  __device__ void fetch_unaligned(int stage, int warp, int lane) {
    unsigned char* const memory = m_memory + stage * stage_bytes;
#pragma unroll
    for (int k = 0; k < rows / Warps; ++k) {
      int const r                     = warp * (rows / Warps) + k;
      unsigned char const* const from = m_from + k * m_pitch;
      int const shift                 = shift_of(from);
      if (lane == 0) memory[shift_place + r] = (unsigned char)(shift);
#pragma unroll
      for (int l = 0; l < chunks; l += 32)
        if (l + lane < chunks)
          CopyAsync16::copy(memory + row_place(r) + 16 * (l + lane),
                            from - shift + 16 * (l + lane));
    }
  }
  // Rows inside the grid, in a panel that needs fix-ups.
  __device__ void fetch_with_fixups(int stage, int warp, int lane) const {
    constexpr int each = rows / Warps;
    constexpr int side = 2 * side_chunks;
#pragma unroll
    for (int k = 0; k < each; ++k)
      copy_row<false>(stage, warp * each + k, m_from + k * m_pitch, lane);
#pragma unroll
    for (int first = 0; first < each * side; first += 32) {
      int const at = first + lane;
      if (at < each * side)
        copy_side<false>(stage, warp * each + at / side,
                         m_from + at / side * m_pitch, at % side);
    }
  }
  __device__ void fetch_any_rows(int stage, int step, int warp,
                                 int lane) const {
    unsigned char* const memory  = m_memory + stage * stage_bytes;
    std::int64_t const first_row = m_shared.first_row + rows * step;
#pragma unroll 1
    for (int k = 0; k < rows / Warps; ++k) {
      int const r   = warp * (rows / Warps) + k;
      Row const row = row_at(first_row + r);
      if (row.from) {
        copy_row<true>(stage, r, row.from, lane);
        if (lane < 2 * side_chunks) copy_side<true>(stage, r, row.from, lane);
        continue;
      }
      if (Unaligned && lane == 0) memory[shift_place + r] = 0;
      Boundaries<2> const& conditions = grid().boundaries;
      std::uint32_t const word =
          row.constant == zero
              ? 0
              : splat(static_cast<Element>(row.constant == low_row
                                               ? conditions.low[0].value
                                               : conditions.high[0].value));
      int const end = end_chunk(0);
      for (int chunk = begin_chunk(0) + lane; chunk < end; chunk += 32)
        *reinterpret_cast<uint4*>(memory + row_place(r) + 16 * chunk) =
            uint4{word, word, word, word};
    }
  }

  // Copies the chunks of a row that hold data of the tile.
  template <bool Checked>
  __device__ void copy_row(int stage, int r, unsigned char const* from,
                           int lane) const {
    unsigned char* const memory = m_memory + stage * stage_bytes;
    int const shift             = shift_of(from);
    if (Unaligned && lane == 0)
      memory[shift_place + r] = (unsigned char)(shift);
    unsigned char* const to              = memory + row_place(r) + 16 * lane;
    unsigned char const* const lane_from = from - shift + 16 * lane;
    int const begin                      = begin_chunk(shift) - lane;
    int const end                        = end_chunk(shift) - lane;
#pragma unroll
    for (int l = 0; l < chunks; l += 32)
      if (begin <= l && l < end)
        copy_chunk<Checked>(to + 16 * l, lane_from + 16 * l);
  }
  // Copies chunk n % side_chunks of the source elements of column boundary n /
  // side_chunks.
  template <bool Checked>
  __device__ void copy_side(int stage, int r, unsigned char const* from,
                            int n) const {
    int const condition = n / side_chunks;
    int const chunk     = n % side_chunks;
    from += m_shared.side[condition];
    int const before = place_in_chunk(from);
    if (16 * chunk < before + m_shared.side_bytes[condition])
      copy_chunk<Checked>(m_memory + stage * stage_bytes + side_place +
                              (2 * r + condition) * side_pitch + 16 * chunk,
                          from - before + 16 * chunk);
  }
  // Copies a chunk that holds data. Its other bytes may be outside the grid's
  // memory.
  template <bool Checked>
  __device__ void copy_chunk(unsigned char* to,
                             unsigned char const* from) const {
    if (!Checked ||
        (from >= m_shared.memory_begin && from + 16 <= m_shared.memory_end)) {
      CopyAsync16::copy(to, from);
    } else {
#pragma unroll 1
      for (int b = 0; b < 16; ++b)
        if (from + b >= m_shared.memory_begin && from + b < m_shared.memory_end)
          to[b] = from[b];
    }
  }

  // Returns the byte of a column in the tile, limited to -64 and tile_bytes +
  // 64.
  __device__ static int byte_of(std::int64_t column, std::int64_t first) {
    std::int64_t const b = (column - first + margin) * size;
    return int(b < -64 ? -64 : b > tile_bytes + 64 ? tile_bytes + 64 : b);
  }
  __device__ static int data_begin(StencilGrid<Element, 2> const& grid,
                                   std::int64_t first, int radius) {
    return byte_of(-grid.boundaries.ghosts_low(1, radius), first);
  }
  __device__ static int data_end(StencilGrid<Element, 2> const& grid,
                                 std::int64_t first, int radius) {
    return byte_of(grid.extent[1] + grid.boundaries.ghosts_high(1, radius),
                   first);
  }
  // Sets the members shared by all threads, except the fix-ups.
  __device__ void describe(StencilGrid<Element, 2> const& grid,
                           std::int64_t first, std::int64_t first_row,
                           int radius_rows, int radius_columns) {
    Shared& s                       = m_shared;
    Boundaries<2> const& boundaries = grid.boundaries;
    std::int64_t const extent       = grid.extent[1];
    int const ghosts_low            = boundaries.ghosts_low(1, radius_columns);
    int const ghosts_high           = boundaries.ghosts_high(1, radius_columns);
    s.first                         = first - margin;
    s.first_row                     = first_row;
    s.radius                        = radius_rows;
    s.memory_begin                  = reinterpret_cast<unsigned char const*>(
        grid.data - boundaries.ghosts_low(0, radius_rows) * grid.stride[0] -
        ghosts_low);
    s.memory_end = reinterpret_cast<unsigned char const*>(
        grid.data +
        (grid.extent[0] - 1 + boundaries.ghosts_high(0, radius_rows)) *
            grid.stride[0] +
        extent + ghosts_high);
    s.begin      = data_begin(grid, first, radius_columns);
    s.end        = data_end(grid, first, radius_columns);
    s.need_begin = (margin - radius_columns) * size;
    s.need_end =
        min(byte_of(extent + radius_columns, first), tile_bytes - s.need_begin);
    for (int f = 0; f < 2; ++f) {
      BoundaryCondition const condition =
          f ? boundaries.high[1] : boundaries.low[1];
      int const begin = f ? max(s.end, s.need_begin) : s.need_begin;
      int const end   = f ? s.need_end : min(s.begin, s.need_end);
      s.side[f]       = 0;
      s.side_bytes[f] = -16;
      if (condition.kind == Boundary::constant || begin >= end) continue;
      std::int64_t const a =
          boundary_index(condition.kind, s.first + begin / size, extent);
      std::int64_t const b =
          boundary_index(condition.kind, s.first + end / size - 1, extent);
      // With few columns, the source index may change direction.
      bool const few         = extent <= margin;
      std::int64_t const low = few ? 0 : a < b ? a : b;
      s.side[f]              = (low - s.first) * size;
      s.side_bytes[f] =
          size * (few ? int(extent) : int(a < b ? b - a : a - b) + 1);
    }
  }

  // Source of a row of the grid or beyond it.
  struct Row {
    unsigned char const* from;  // begin of the tile in this row, or null
    Constant constant;          // value of the whole row if `from` is null
  };
  __device__ Row row_at(std::int64_t row) const {
    StencilGrid<Element, 2> const& grid = this->grid();
    if (row < 0 || row >= grid.extent[0]) {
      if (row < -m_shared.radius || row >= grid.extent[0] + m_shared.radius)
        return {nullptr, zero};
      bool const is_low = row < 0;
      Boundary const kind =
          is_low ? grid.boundaries.low[0].kind : grid.boundaries.high[0].kind;
      if (kind == Boundary::constant)
        return {nullptr, is_low ? low_row : high_row};
      row = boundary_index(kind, row, grid.extent[0]);
    }
    return {reinterpret_cast<unsigned char const*>(grid.data) +
                (row * grid.stride[0] + m_shared.first) * size,
            zero};
  }

  // Returns the fix-up of the n-th element in row r that is outside the data
  // and either read by a sum or within a chunk with data. Place and source are
  // equal if there is no n-th element.
  __device__ Fixup find_fixup(std::int64_t first_row, int r, int n) const {
    StencilGrid<Element, 2> const& grid = this->grid();
    Row const row                       = row_at(first_row + r);
    int const shift                     = shift_of(row.from);
    int const begin                     = m_shared.begin;
    int const end                       = m_shared.end;
    int const need_begin                = m_shared.need_begin;
    int const need_end                  = m_shared.need_end;
    int const low =
        min(begin, max(0, min(need_begin, 16 * begin_chunk(shift) - shift)));
    int const high =
        max(end, min(tile_bytes, max(need_end, 16 * end_chunk(shift) - shift)));
    int byte = low + n * size;
    if (byte >= begin) byte = end + byte - begin;
    if (byte >= high) return {0, 0};
    bool const is_high = byte >= end;
    BoundaryCondition const condition =
        is_high ? grid.boundaries.high[1] : grid.boundaries.low[1];
    bool const is_constant = condition.kind == Boundary::constant;
    bool const is_needed   = need_begin <= byte && byte < need_end;
    int source             = constant_place;
    if (!is_needed || (!row.from && row.constant == zero)) {
      source += zero * size;
    } else if (is_constant && (row.from || grid.reversed)) {
      source += (is_high ? high_column : low_column) * size;
    } else if (!row.from) {
      source += row.constant * size;
    } else {
      std::int64_t const column = boundary_index(
          condition.kind, m_shared.first + byte / size, grid.extent[1]);
      std::int64_t const side = m_shared.side[is_high];
      source                  = side_place + (2 * r + is_high) * side_pitch +
               place_in_chunk(row.from + side) +
               int((column - m_shared.first) * size - side);
    }
    return {std::uint16_t(row_place(r) + byte + shift), std::uint16_t(source)};
  }

  __device__ static int row_place(int row) { return lead + row * pitch; }
  __device__ static int place_in_chunk(unsigned char const* byte) {
    return int(reinterpret_cast<std::uintptr_t>(byte) % 16);
  }
  __device__ static int shift_of(unsigned char const* row) {
    return Unaligned ? place_in_chunk(row) : 0;
  }
  __device__ static std::uint32_t splat(Element value) {
    if constexpr (size == 1) {
      return 0x01010101u * reinterpret_cast<unsigned char const&>(value);
    } else if constexpr (size == 2) {
      return 0x00010001u * reinterpret_cast<unsigned short const&>(value);
    } else {
      return reinterpret_cast<std::uint32_t const&>(value);
    }
  }
  // Range of chunks that hold data.
  __device__ int begin_chunk(int shift) const {
    return max(0, (m_shared.begin + shift) >> 4);
  }
  __device__ int end_chunk(int shift) const {
    return min(chunks, (m_shared.end + shift + 15) >> 4);
  }
  __device__ StencilGrid<Element, 2> const& grid() const {
    return *reinterpret_cast<StencilGrid<Element, 2> const*>(m_shared.grid);
  }
  __device__ Fixup* fixups() const {
    return reinterpret_cast<Fixup*>(m_memory + Stages * stage_bytes);
  }
  // Prevents the compiler from hoisting work for the few steps with boundaries
  // out of the loop, which would cost all steps 20 registers.
  template <class... Values>
  __device__ static void hide(Values&... values) {
    (Opaque::hide(values), ...);
  }
  __device__ bool is_inside(int step) const {
    return m_shared.inside_begin <= step && step < m_shared.inside_end;
  }

  Shared& m_shared;
  unsigned char* m_memory;
  // Steps whose rows are all inside the grid, in panels without fix-ups. The
  // end is negative in panels with fix-ups.
  int m_simple_begin, m_simple_end;
  // Address in stage 0 at which this lane reads.
  unsigned char const* m_units;
  // First row of this warp in the next step.
  unsigned char const* m_from;
  std::int64_t m_pitch;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
