// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_AUTOMATON_HPP
#define KOKKOSMMA_CUDA_AUTOMATON_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_LoadMatrix.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TileSchedule.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/automaton/KokkosMMA_WarpAutomaton.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// One generation of an automaton on cells of a byte. A block marches down a
/// strip of columns, 16 rows at a time, with the rows that it needs in a ring
/// in shared memory. Moore: a thread keeps the sums of four columns in the
/// bytes of a word, adds the row that enters the neighbourhood and subtracts
/// the one that leaves it; products with a band of ones add these up along the
/// rows. Von Neumann: the rows at the same distance above and below are added
/// and multiplied with the band of their reach.

namespace KokkosMMA::Impl::Cuda {

struct AutomatonTile {
  static constexpr int threads  = 128;
  static constexpr int warps    = threads / 32;
  static constexpr int rows     = 16;           ///< of a step
  static constexpr int columns  = 4 * threads;  ///< in shared memory
  static constexpr int halo     = WarpWindowSums<Warp>::halo;
  static constexpr int outputs  = columns - 2 * halo;
  static constexpr int windows  = outputs / WarpWindowSums<Warp>::outputs;
  static constexpr int per_warp = (windows + warps - 1) / warps;
  // Four rows of 32 bytes lie in different banks.
  static constexpr int pitch = columns + 32;
  static constexpr int group = rows * pitch;  ///< bytes
  // Eight rows of 16 bytes do.
  static constexpr int sums_pitch = columns + 16;

  /// Groups of 16 rows that a step reads.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int groups(int radius) {
    return (rows - 1 + 2 * radius) / rows + 1;
  }
  /// Before the first row.
  static constexpr int lead = sector_lead(halo);
  /// With a group on the way, and the sums of a step.
  static constexpr int shared_bytes(int radius, bool with_sums) {
    return lead + (groups(radius) + 1) * group +
           (with_sums ? rows * sums_pitch : 0);
  }
};

struct AutomatonCall {
  StencilGrid<unsigned char, 2> grid;
  unsigned char* to;
  std::int64_t to_stride;
  std::int64_t chunk;  ///< rows of a block, a multiple of 16
  unsigned strips;
  unsigned pieces;        ///< of a strip
  unsigned char low_row;  ///< the constants
  unsigned char high_row;
  unsigned char low_column;
  unsigned char high_column;
  int radius;
  int shift;         ///< bytes from the 16-byte line before column 0 to it
  bool is_aligned;   ///< all rows begin `shift` bytes behind a line
  bool stores_pair;  ///< a lane's 8 cells may be stored at once
};

/// The columns of a tile that vectors of cells inside do not hold and that are
/// needed: [0, low) and [high, end).
struct AutomatonEdges {
  static constexpr int max_width = 64;
  int low;
  int high;
  int end;

  __device__ AutomatonEdges(AutomatonCall const& call,
                            std::int64_t first_column) {
    constexpr int columns   = AutomatonTile::columns;
    std::int64_t const left = call.grid.extent[1] - first_column;
    low  = first_column < 0 ? int((15 - first_column) / 16 * 16) : 0;
    high = left < columns ? int(left / 16 * 16) : columns;
    high = high > low ? high : low;
    end  = left + call.radius < columns ? int(left) + call.radius : columns;
    end  = end > high ? end : high;
  }
  __device__ int width() const { return low + end - high; }
  __device__ int column(int edge) const {
    return edge < low ? edge : edge - low + high;
  }
};

/// Fetches groups of rows into the ring.
class AutomatonRows {
  using Tile = AutomatonTile;

 public:
  /// \param sources room for the columns that stand for those of the edges
  __device__ AutomatonRows(AutomatonCall const& call, unsigned char* ring,
                           std::int64_t* sources, std::int64_t first_row,
                           std::int64_t end_row, std::int64_t first_column)
      : m_call(call),
        m_edges(call, first_column),
        m_sources(sources),
        m_ring(ring),
        m_row(first_row),
        m_end(end_row),
        m_column(first_column) {
    std::int64_t const columns = call.grid.extent[1];
    m_is_inside                = first_column >= 0 &&
                  first_column + Tile::columns <= columns && call.is_aligned;
    if (int(threadIdx.x) < m_edges.width()) {
      std::int64_t const column =
          first_column + m_edges.column(int(threadIdx.x));
      std::int64_t const source =
          call.grid.boundaries.index(1, column, columns);
      sources[threadIdx.x] = source >= 0 ? source : column < 0 ? -1 : -2;
    }
    __syncthreads();
  }

  /// Begins to fetch the next group into `slot`, and ends the fetches under
  /// way with a group of copies.
  __device__ void fetch(int slot) {
    if (m_row >= m_end) return;
    constexpr int vectors   = Tile::columns / 16;
    unsigned char* const to = m_ring + slot * Tile::group +
                              threadIdx.x / vectors * Tile::pitch +
                              threadIdx.x % vectors * 16;
    std::int64_t const row = m_row + threadIdx.x / vectors;
    int const column       = threadIdx.x % vectors * 16;
    constexpr int stride   = Tile::threads / vectors;  // rows
    if (m_is_inside && m_row >= 0 &&
        m_row + Tile::rows <= m_call.grid.extent[0]) {
      unsigned char const* const from =
          m_call.grid.data + row * m_call.grid.stride[0] + m_column + column;
#pragma unroll
      for (int r = 0; r < Tile::rows; r += stride)
        CopyAsync16::copy(to + r * Tile::pitch,
                          from + r * m_call.grid.stride[0]);
    } else {
      for (int r = 0; r < Tile::rows; r += stride)
        fetch_vector(to + r * Tile::pitch, row + r, m_column + column);
      if (m_edges.width() > 0) fetch_edges(m_ring + slot * Tile::group);
    }
    CopyAsync16::commit();
    m_row += Tile::rows;
  }

 private:
  /// 16 cells of columns inside, of a row anywhere.
  __device__ void fetch_vector(unsigned char* to, std::int64_t row,
                               std::int64_t column) const {
    auto const& grid = m_call.grid;
    if (row >= m_end || column < 0 || column + 16 > grid.extent[1]) return;
    bool const is_low  = row < 0;
    bool const is_high = row >= grid.extent[0];
    if (is_low || is_high) {
      BoundaryCondition const& condition =
          is_low ? grid.boundaries.low[0] : grid.boundaries.high[0];
      if (condition.kind == Boundary::constant) {
        std::uint32_t const four =
            (is_low ? m_call.low_row : m_call.high_row) * 0x01010101u;
        *reinterpret_cast<uint4*>(to) = uint4{four, four, four, four};
        return;
      }
      row = boundary_index(condition.kind, row, grid.extent[0]);
    }
    unsigned char const* const from = grid.data + row * grid.stride[0] + column;
    if (m_call.is_aligned)
      CopyAsync16::copy(to, from);
    else
      copy_unaligned(to, from);
  }

  /// Whole words around the cells, where these are within the grid's memory.
  __device__ void copy_unaligned(unsigned char* to,
                                 unsigned char const* from) const {
    auto const& grid = m_call.grid;
    auto const skip  = unsigned(reinterpret_cast<std::uintptr_t>(from) % 4);
    unsigned char const* const begin = from - skip;
    unsigned char const* const end =
        grid.data + (grid.extent[0] - 1) * grid.stride[0] + grid.extent[1];
    if (begin < grid.data || begin + 20 > end) {
      for (int b = 0; b < 16; ++b) to[b] = from[b];
      return;
    }
    auto const* const words = reinterpret_cast<std::uint32_t const*>(begin);
    std::uint32_t word[5];
#pragma unroll
    for (int w = 0; w < 5; ++w) word[w] = words[w];
    *reinterpret_cast<uint4*>(to) =
        uint4{__funnelshift_r(word[0], word[1], 8 * skip),
              __funnelshift_r(word[1], word[2], 8 * skip),
              __funnelshift_r(word[2], word[3], 8 * skip),
              __funnelshift_r(word[3], word[4], 8 * skip)};
  }

  /// The cells of vectors that are not inside, one at a time: all threads take
  /// part, however few columns these are.
  __device__ void fetch_edges(unsigned char* to) const {
    constexpr int together = 4;
    auto const& grid       = m_call.grid;
    int const wide         = m_edges.width() <= 32 ? 32 : 64;
    int const edge         = threadIdx.x % wide;
    if (edge >= m_edges.width()) return;
    int const at              = m_edges.column(edge);
    std::int64_t const source = m_sources[edge];
    int const stride          = Tile::threads / wide;  // rows
    for (int r = threadIdx.x / wide; r < Tile::rows; r += together * stride) {
      unsigned char cells[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        std::int64_t const row   = m_row + r + k * stride;
        bool const is_high       = row >= grid.extent[0];
        Boundary const kind      = is_high ? grid.boundaries.high[0].kind
                                           : grid.boundaries.low[0].kind;
        std::int64_t const place = boundary_index(kind, row, grid.extent[0]);
        bool const is_of_row     = place < 0 && !(grid.reversed && source < 0);
        cells[k] = is_of_row ? (is_high ? m_call.high_row : m_call.low_row)
                   : source < 0
                       ? (source == -1 ? m_call.low_column : m_call.high_column)
                   : row >= m_end ? 0
                                  : grid.data[place * grid.stride[0] + source];
      }
#pragma unroll
      for (int k = 0; k < together; ++k)
        to[(r + k * stride) * Tile::pitch + at] = cells[k];
    }
  }

  AutomatonCall const& m_call;
  AutomatonEdges m_edges;
  std::int64_t const* m_sources;
  unsigned char* m_ring;
  std::int64_t m_row;  ///< of the next group
  std::int64_t m_end;  ///< rows from here on are not needed
  std::int64_t m_column;
  bool m_is_inside;
};

/// Cells that are 1, as bytes 0 and 1.
template <bool TwoStates, int N>
__device__ void keep_alive(std::uint32_t (&cells)[N]) {
  if constexpr (TwoStates) {
    std::uint32_t any = 0;
#pragma unroll
    for (int w = 0; w < N; ++w) any |= cells[w];
    if ((any & 0xfefefefeu) == 0) return;
  }
#pragma unroll
  for (int w = 0; w < N; ++w) cells[w] = alive_flags(cells[w]) >> 7;
}

/// The constant matrices of a warp, through shared memory: computed where they
/// are needed they cost as much as the rest of a window.
struct SharedBand {
  uint4 words[4][32];

  /// By the first warp.
  __device__ void put(Registers<std::uint32_t, 16> const& own) {
    if (threadIdx.x < 32)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        words[k][threadIdx.x] =
            uint4{own[4 * k], own[4 * k + 1], own[4 * k + 2], own[4 * k + 3]};
  }
  __device__ Registers<std::uint32_t, 16> get() const {
    Registers<std::uint32_t, 16> own;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      uint4 const four = words[k][threadIdx.x % 32];
      own[4 * k]       = four.x;
      own[4 * k + 1]   = four.y;
      own[4 * k + 2]   = four.z;
      own[4 * k + 3]   = four.w;
    }
    return own;
  }
};

/// Where a lane writes 8 cells of each of its two rows in a step.
struct AutomatonOutput {
  unsigned char* upper;
  unsigned char* lower;
  std::int64_t column;
  std::int64_t columns;
  bool has_upper;
  bool has_lower;
  bool stores_pairs;  ///< rows are aligned

  __device__ void store(int offset, std::uint32_t const (&cells)[4]) const {
    std::int64_t const first = column + offset;
    if (first + 8 <= 0 || first >= columns) return;
    if (stores_pairs && first >= 0 && first + 8 <= columns) {
      if (has_upper)
        __stcs(reinterpret_cast<uint2*>(upper + offset),
               uint2{cells[0], cells[1]});
      if (has_lower)
        __stcs(reinterpret_cast<uint2*>(lower + offset),
               uint2{cells[2], cells[3]});
    } else {
#pragma unroll 1
      for (int c = 0; c < 16; ++c) {
        bool const is_upper      = c < 8;
        std::int64_t const at    = column + offset + c % 8;
        std::uint32_t const word = is_upper ? (c < 4 ? cells[0] : cells[1])
                                            : (c < 12 ? cells[2] : cells[3]);
        // Apart: g++ 12 with -fsanitize=shift forgets the lower row otherwise.
        unsigned char* const row = is_upper ? upper : lower;
        if ((is_upper ? has_upper : has_lower) && at >= 0 && at < columns)
          row[offset + c % 8] = static_cast<unsigned char>(word >> 8 * (c % 4));
      }
    }
  }
};

/// Blocks of a multiprocessor. With six of them (80 registers) rules other than
/// ranges spill.
template <bool Moore, class Rule>
inline constexpr int automaton_blocks = !Moore                            ? 4
                                        : std::is_same_v<Rule, RangeRule> ? 6
                                                                          : 5;

template <bool Moore, class Rule>
__global__ void __launch_bounds__(AutomatonTile::threads,
                                  automaton_blocks<Moore, Rule>)
    advance_cells(AutomatonCall const call, Rule const rule) {
  using Tile                = AutomatonTile;
  using WindowSums          = WarpWindowSums<Warp>;
  using Half                = typename WindowSums::Half;
  constexpr bool two_states = Rule::has_two_states;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, automaton_memory);
  __shared__ SharedBand band;
  __shared__ std::int64_t edge_sources[AutomatonEdges::max_width];
  __shared__ std::uint32_t shared[Rule::shared_words + 1];

  int const radius          = call.radius;
  int const slots           = Tile::groups(radius) + 1;
  unsigned char* const ring = automaton_memory + Tile::lead;
  unsigned char* const sums = ring + slots * Tile::group;

  auto const [strip, piece] = tall_block(blockIdx.x, call.strips, call.pieces);
  std::int64_t const first_row = piece * call.chunk;
  std::int64_t const last      = first_row + call.chunk;
  std::int64_t const end_row =
      last < call.grid.extent[0] ? last : call.grid.extent[0];
  std::int64_t const first_column =
      std::int64_t(strip) * Tile::outputs - Tile::halo - call.shift;
  int const steps = int((end_row - first_row + Tile::rows - 1) / Tile::rows);

  AutomatonRows source(call, ring, edge_sources, first_row - radius,
                       end_row + radius, first_column);
  rule.stage(int(threadIdx.x), shared);

  int const lane         = threadIdx.x % 32;
  int const row          = lane / 4;  // of a step, and 8 rows further
  int const quad         = lane % 4;
  int const first_window = int(threadIdx.x / 32) * Tile::per_warp;
  // Windows of this warp that have columns of the grid.
  std::int64_t const beyond = call.grid.extent[1] - first_column - Tile::halo -
                              std::int64_t(WindowSums::outputs) * first_window;
  int const wanted =
      beyond <= 0 ? 0
      : beyond < Tile::outputs
          ? int(beyond + WindowSums::outputs - 1) / WindowSums::outputs
          : Tile::per_warp;
  int const present = Tile::windows - first_window < Tile::per_warp
                          ? Tile::windows - first_window
                          : Tile::per_warp;
  int const in_warp = wanted < present ? wanted : present;
  band.put(WindowSums::distances(lane));
  __syncthreads();
  auto const distances = band.get();
  WindowSums window_sums{Warp()};
  if constexpr (Moore) {
    __syncthreads();
    band.put(WindowSums::band(radius, distances));
    __syncthreads();
    window_sums.set_band(band.get());
  }

  int const ring_rows = slots * Tile::rows;
  int oldest          = 1;  // the slot of the step's first group
  auto const slot_row = [&](int r) {
    int const at = oldest * Tile::rows + r;
    return ring + (at < ring_rows ? at : at - ring_rows) * Tile::pitch;
  };
  auto const word_of = [&](unsigned char const* from) {
    return reinterpret_cast<std::uint32_t const*>(from)[threadIdx.x];
  };

  // Of this thread's columns, without the row that enters.
  std::uint32_t sum = 0;

  std::int64_t const at_column =
      first_column + Tile::halo + WindowSums::outputs * first_window + 8 * quad;
  AutomatonOutput out{};
  out.column       = at_column;
  out.columns      = call.grid.extent[1];
  out.stores_pairs = call.stores_pair;
  out.upper        = call.to + (first_row + row) * call.to_stride + at_column;
  out.lower        = out.upper + 8 * call.to_stride;

  // The first steps only begin to fetch.
#pragma unroll 1
  for (int step = 1 - slots; step < steps; ++step) {
    if (step >= 0) {
      CopyAsync16::wait<0>();
      __syncthreads();
    }
    // Nobody reads the group before the oldest any more.
    source.fetch(oldest == 0 ? slots - 1 : oldest - 1);
    if (step < 0) {
      oldest = oldest + 1 < slots ? oldest + 1 : 0;
      continue;
    }
    if constexpr (Moore) {
      if (step == 0) {
#pragma unroll 1
        for (int r = 0; r < 2 * radius; ++r) {
          std::uint32_t cells[1] = {word_of(slot_row(r))};
          keep_alive<two_states>(cells);
          sum += cells[0];
        }
      }
    }
    if constexpr (Moore) {
      constexpr int together = Tile::rows / 2;
#pragma unroll 1
      for (int begin = 0; begin < Tile::rows; begin += together) {
        std::uint32_t cells[2 * together];  // that enter, and that leave
        unsigned char const* const leaving =
            ring + oldest * Tile::group + begin * Tile::pitch;
        unsigned char const* const entering = slot_row(2 * radius + begin);
        // Rows up to the end of the ring; then it begins again.
        int const at_entry = oldest * Tile::rows + 2 * radius + begin;
        int const to_end   = ring_rows - at_entry;
#pragma unroll
        for (int r = 0; r < together; ++r)
          cells[together + r] = word_of(leaving + r * Tile::pitch);
        if (to_end <= 0 || to_end >= together) {
#pragma unroll
          for (int r = 0; r < together; ++r)
            cells[r] = word_of(entering + r * Tile::pitch);
        } else {
#pragma unroll
          for (int r = 0; r < together; ++r)
            cells[r] = word_of(slot_row(2 * radius + begin + r));
        }
        keep_alive<two_states>(cells);
        unsigned char* const to = sums + begin * Tile::sums_pitch;
#pragma unroll
        for (int r = 0; r < together; ++r) {
          sum += cells[r];
          reinterpret_cast<std::uint32_t*>(
              to + r * Tile::sums_pitch)[threadIdx.x] = sum;
          sum -= cells[together + r];
        }
      }
      __syncthreads();
    }

    // The lane's cells in the middle of the first window.
    int const in_row = WindowSums::outputs * first_window + Tile::halo;
    unsigned char const* const upper_cells =
        slot_row(radius + row) + in_row + 8 * quad;
    unsigned char const* const lower_cells =
        slot_row(radius + row + 8) + in_row + 8 * quad;
    out.has_upper = first_row + step * Tile::rows + row < call.grid.extent[0];
    out.has_lower =
        first_row + step * Tile::rows + row + 8 < call.grid.extent[0];
    auto const finish = [&](int k, typename WindowSums::Sums const& count) {
      int const offset  = WindowSums::outputs * k;
      uint2 const upper = *reinterpret_cast<uint2 const*>(upper_cells + offset);
      uint2 const lower = *reinterpret_cast<uint2 const*>(lower_cells + offset);
      std::uint32_t cells[4] = {upper.x, upper.y, lower.x, lower.y};
      next_cells<Warp>(rule, shared, cells, count.value);
      out.store(offset, cells);
    };

    if constexpr (Moore) {
      // Rows 0 to 7 of the left 16 bytes, rows 8 to 15, then of the right ones.
      unsigned char const* const of_lane = sums + lane % 16 * Tile::sums_pitch +
                                           lane / 16 * 16 +
                                           WindowSums::outputs * first_window;
      Half halves[2];
      LoadMatrix4::load(halves[0].value, of_lane);
      auto const window = [&](int k, Half const& left, Half& right) {
        LoadMatrix4::load(right.value, of_lane + WindowSums::outputs * (k + 1));
        typename WindowSums::Sums count{};
        window_sums.add(left, right, count);
        finish(k, count);
      };
#pragma unroll
      for (int k = 0; k < Tile::per_warp; ++k) {
        if (k == in_warp) break;
        window(k, halves[k % 2], halves[(k + 1) % 2]);
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < in_warp; ++k) {
        typename WindowSums::Sums count{};
        int const column = WindowSums::outputs * (first_window + k) + 4 * quad;
#pragma unroll 1
        for (int d = 0; d <= radius; ++d) {
          window_sums.set_band(WindowSums::band(radius - d, distances));
          unsigned char const* const rows[4] = {
              slot_row(radius + d + row) + column,
              slot_row(radius + d + row + 8) + column,
              slot_row(radius - d + row) + column,
              slot_row(radius - d + row + 8) + column};
          Half sides[2];
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            std::uint32_t words[8];
#pragma unroll
            for (int n = 0; n < 8; ++n)
              words[n] = *reinterpret_cast<std::uint32_t const*>(
                  rows[n % 2 + n / 4 * 2] + 32 * side + 16 * (n / 2 % 2));
            keep_alive<two_states>(words);
#pragma unroll
            for (int n = 0; n < 4; ++n)
              sides[side][n] = words[n] + (d > 0 ? words[n + 4] : 0);
          }
          window_sums.add(sides[0], sides[1], count);
        }
        finish(k, count);
      }
    }
    out.upper += Tile::rows * call.to_stride;
    out.lower += Tile::rows * call.to_stride;
    oldest = oldest + 1 < slots ? oldest + 1 : 0;
  }
  CopyAsync16::wait<0>();
}

template <bool Moore, class Rule>
void launch_cells(Kokkos::Cuda const& space, AutomatonCall call,
                  Rule const& rule) {
  using Tile         = AutomatonTile;
  auto* const kernel = advance_cells<Moore, Rule>;
  Device const& d    = device(space.cuda_device());
  KernelFacts const facts =
      kernel_facts(d.id, kernel, Tile::threads,
                   Tile::shared_bytes(AutomatonRule::max_radius, Moore));
  std::int64_t const rows = call.grid.extent[0];
  std::int64_t const strips =
      (call.grid.extent[1] + call.shift + Tile::outputs - 1) / Tile::outputs;
  std::int64_t const slots =
      std::int64_t(d.multiprocessors) * std::max(facts.resident_blocks, 1);
  // Short chunks by measurement: us by blocks for each place, 16384^2, two
  // states, H200, 2026-11-21:
  //                            1    2    3    4    6
  //   radius 1, constant     233  251  223  222  217
  //   radius 1, periodic     274  272  241  232  224
  //   radius 16, constant    236  245  234  234  232
  //   radius 16, periodic    279  270  261  245  243
  std::int64_t const chunks = std::max<std::int64_t>(
      1, std::min(6 * slots / strips, rows / (4 * Tile::rows)));
  call.chunk  = (rows + chunks - 1) / chunks;
  call.chunk  = (call.chunk + Tile::rows - 1) / Tile::rows * Tile::rows;
  call.strips = unsigned(strips);
  call.pieces = unsigned((rows + call.chunk - 1) / call.chunk);
  launch_kernel(space, "advance_cells", kernel,
                {call.strips * call.pieces, Tile::threads,
                 Tile::shared_bytes(call.radius, Moore)},
                call, rule);
}

template <class Cell>
AutomatonCall automaton_call(StencilGrid<Cell, 2> const& from, Cell* to,
                             std::int64_t to_stride, int radius) {
  static_assert(sizeof(Cell) == 1);
  AutomatonCall call{};
  call.grid.data = reinterpret_cast<unsigned char const*>(from.data);
  for (int d = 0; d < 2; ++d) {
    call.grid.stride[d] = from.stride[d];
    call.grid.extent[d] = from.extent[d];
  }
  call.grid.boundaries = from.boundaries;
  call.grid.reversed   = from.reversed;
  auto const constant  = [](BoundaryCondition const& condition) {
    return static_cast<unsigned char>(condition.value);
  };
  call.low_row     = constant(from.boundaries.low[0]);
  call.high_row    = constant(from.boundaries.high[0]);
  call.low_column  = constant(from.boundaries.low[1]);
  call.high_column = constant(from.boundaries.high[1]);
  call.to          = reinterpret_cast<unsigned char*>(to);
  call.to_stride   = to_stride;
  call.radius      = radius;
  call.is_aligned  = from.stride[0] % 16 == 0 || from.extent[0] == 1;
  call.shift       = call.is_aligned
                         ? int(reinterpret_cast<std::uintptr_t>(from.data) % 16)
                         : 0;
  call.stores_pair =
      (reinterpret_cast<std::uintptr_t>(to) - unsigned(call.shift)) % 8 == 0 &&
      (to_stride % 8 == 0 || from.extent[0] == 1);
  return call;
}

/// One generation. No boundary is a halo; `from` and `to` are apart.
template <class Cell>
void launch_automaton(Kokkos::Cuda const& space,
                      StencilGrid<Cell, 2> const& from, Cell* to,
                      std::int64_t to_stride, AutomatonRule const& rule) {
  if (from.extent[0] == 0 || from.extent[1] == 0) return;
  AutomatonCall const call = automaton_call(from, to, to_stride, rule.radius());
  if (rule.neighbourhood() == Neighbourhood::von_neumann)
    launch_cells<false>(space, call, SetRule<false>(rule));
  else if (CountRanges const ranges(rule); ranges.are_all)
    launch_cells<true>(space, call, RangeRule(ranges));
  else if (rule.states() == 2)
    launch_cells<true>(space, call, SetRule<true>(rule));
  else
    launch_cells<true>(space, call, SetRule<false>(rule));
}

/// One generation of a caller's rule: next(state, how many of the other cells
/// of the neighbourhood are in state 1), a state. Radius 1 to 16.
template <class Cell, class Next>
void launch_automaton(Kokkos::Cuda const& space,
                      StencilGrid<Cell, 2> const& from, Cell* to,
                      std::int64_t to_stride, Neighbourhood neighbourhood,
                      int radius, Next const& next) {
  if (from.extent[0] == 0 || from.extent[1] == 0) return;
  AutomatonCall const call = automaton_call(from, to, to_stride, radius);
  CallRule<Cell, Next> const rule(next);
  if (neighbourhood == Neighbourhood::moore)
    launch_cells<true>(space, call, rule);
  else
    launch_cells<false>(space, call, rule);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
