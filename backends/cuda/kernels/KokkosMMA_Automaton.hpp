// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_AUTOMATON_HPP
#define KOKKOSMMA_CUDA_AUTOMATON_HPP

#include <backends/cuda/KokkosMMA_Launch.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/KokkosMMA_AutomatonRule.hpp>
#include <core/KokkosMMA_StencilGrid.hpp>
#include <core/KokkosMMA_WarpAutomaton.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

  /// Groups of 16 rows that a step reads.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int groups(int radius) {
    return (rows - 1 + 2 * radius) / rows + 1;
  }
  /// With a group on the way, and the sums of a step.
  static constexpr std::size_t shared_bytes(int radius, bool with_sums) {
    return std::size_t(groups(radius) + 1 + with_sums) * group;
  }
};

struct AutomatonCall {
  StencilGrid<unsigned char, 2> grid;
  unsigned char* to;
  std::int64_t to_stride;
  std::int64_t chunk;  ///< rows of a block, a multiple of 16
  int radius;
  int shift;         ///< bytes from the 16-byte line before column 0 to it
  bool is_aligned;   ///< all rows begin `shift` bytes behind a line
  bool stores_pair;  ///< a lane's 8 cells may be stored at once
};

/// Fetches groups of rows into the ring.
class AutomatonRows {
  using Tile = AutomatonTile;

 public:
  __device__ AutomatonRows(AutomatonCall const& call, unsigned char* ring,
                           std::int64_t first_row, std::int64_t end_row,
                           std::int64_t first_column)
      : m_call(call),
        m_ring(ring),
        m_row(first_row),
        m_end(end_row),
        m_column(first_column) {
    std::int64_t const columns = call.grid.extent[1];
    m_is_inside                = first_column >= 0 &&
                  first_column + Tile::columns <= columns && call.is_aligned;
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
      if (m_column < 0 || m_column + Tile::columns > m_call.grid.extent[1])
        fetch_edges(m_ring + slot * Tile::group);
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
      Face const& face =
          is_low ? grid.boundaries.low[0] : grid.boundaries.high[0];
      if (face.kind == Boundary::constant) {
        std::uint32_t const four =
            std::uint32_t(static_cast<unsigned char>(face.value)) * 0x01010101u;
        *reinterpret_cast<uint4*>(to) = uint4{four, four, four, four};
        return;
      }
      row = boundary_index(face.kind, row, grid.extent[0]);
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

  /// A cell anywhere. (StencilGrid::at chooses dimensions at run time, which
  /// moves its indices to local memory.)
  __device__ unsigned char cell_at(std::int64_t row,
                                   std::int64_t column) const {
    auto const& grid          = m_call.grid;
    std::int64_t const at_row = grid.boundaries.index(0, row, grid.extent[0]);
    std::int64_t const at_column =
        grid.boundaries.index(1, column, grid.extent[1]);
    if (at_row >= 0 && at_column >= 0)
      return grid.data[at_row * grid.stride[0] + at_column];
    bool const is_of_row = at_row < 0 && !(grid.reversed && at_column < 0);
    double const value   = is_of_row
                               ? (row < 0 ? grid.boundaries.low[0].value
                                          : grid.boundaries.high[0].value)
                               : (column < 0 ? grid.boundaries.low[1].value
                                             : grid.boundaries.high[1].value);
    return static_cast<unsigned char>(value);
  }

  /// The cells of vectors that are not inside, one at a time: all threads take
  /// part, however few columns these are.
  __device__ void fetch_edges(unsigned char* to) const {
    auto const& grid           = m_call.grid;
    std::int64_t const columns = grid.extent[1];
    // Columns of the tile: [0, low) and [high, end).
    int const low           = m_column < 0 ? int((15 - m_column) / 16 * 16) : 0;
    std::int64_t const left = columns - m_column;
    int const whole =
        left < Tile::columns ? int(left / 16 * 16) : Tile::columns;
    int const high   = whole > low ? whole : low;
    int const needed = left + m_call.radius < Tile::columns
                           ? int(left + m_call.radius)
                           : Tile::columns;
    int const width  = low + (needed > high ? needed - high : 0);
    for (int i = threadIdx.x; i < width * Tile::rows; i += Tile::threads) {
      int const r  = i / width;
      int const at = i % width < low ? i % width : i % width - low + high;
      std::int64_t const row = m_row + r;
      if (row < m_end) to[r * Tile::pitch + at] = cell_at(row, m_column + at);
    }
  }

  AutomatonCall const& m_call;
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

__device__ inline void store_cells(AutomatonCall const& call, std::int64_t row,
                                   std::int64_t column, uint2 cells) {
  if (row >= call.grid.extent[0]) return;
  unsigned char* const to = call.to + row * call.to_stride + column;
  if (call.stores_pair && column >= 0 && column + 8 <= call.grid.extent[1]) {
    __stcs(reinterpret_cast<uint2*>(to), cells);
  } else {
#pragma unroll 1
    for (int c = 0; c < 8; ++c)
      if (column + c >= 0 && column + c < call.grid.extent[1])
        to[c] = static_cast<unsigned char>((c < 4 ? cells.x : cells.y) >>
                                           8 * (c % 4));
  }
}

template <bool Moore, class Rule>
__global__ void __launch_bounds__(AutomatonTile::threads, Moore ? 6 : 4)
    advance_cells(AutomatonCall const call, Rule const rule) {
  using Tile                = AutomatonTile;
  using WindowSums          = WarpWindowSums<Warp>;
  using Half                = typename WindowSums::Half;
  constexpr bool two_states = Rule::has_two_states;
  extern __shared__ __align__(16) unsigned char automaton_memory[];
  __shared__ std::uint32_t shared[Rule::shared_words + 1];

  int const radius          = call.radius;
  int const slots           = Tile::groups(radius) + 1;
  unsigned char* const ring = automaton_memory;
  unsigned char* const sums = automaton_memory + slots * Tile::group;

  std::int64_t const first_row = blockIdx.x * call.chunk;
  std::int64_t const last      = first_row + call.chunk;
  std::int64_t const end_row =
      last < call.grid.extent[0] ? last : call.grid.extent[0];
  std::int64_t const first_column =
      std::int64_t(blockIdx.y) * Tile::outputs - Tile::halo - call.shift;
  int const steps = int((end_row - first_row + Tile::rows - 1) / Tile::rows);

  AutomatonRows source(call, ring, first_row - radius, end_row + radius,
                       first_column);
  for (int g = 0; g < slots - 1; ++g) source.fetch(g);
  rule.stage(int(threadIdx.x), shared);

  int const lane         = threadIdx.x % 32;
  int const row          = lane / 4;        // of a step, and 8 rows further
  int const left         = 8 * (lane % 4);  // columns before the lane's in 32
  int const first_window = int(threadIdx.x / 32) * Tile::per_warp;
  int const end_window   = first_window + Tile::per_warp < Tile::windows
                               ? first_window + Tile::per_warp
                               : Tile::windows;
  WindowSums window_sums{Warp()};
  typename WindowSums::Distances const distances = WindowSums::distances(lane);
  if constexpr (Moore) window_sums.set_radius(radius, distances);

  int const ring_rows = slots * Tile::rows;
  int oldest          = 0;  // the slot of the step's first group
  auto const slot_row = [&](int r) {
    int const at = oldest * Tile::rows + r;
    return ring + (at < ring_rows ? at : at - ring_rows) * Tile::pitch;
  };
  auto const word_of = [&](unsigned char const* from) {
    return reinterpret_cast<std::uint32_t const*>(from)[threadIdx.x];
  };
  auto const pair_of = [&](unsigned char const* from, int block) {
    return *reinterpret_cast<uint2 const*>(from + 32 * block + left);
  };

  // Of this thread's columns, without the row that enters.
  std::uint32_t sum = 0;
  if constexpr (Moore) {
    CopyAsync16::wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < 2 * radius; ++r) {
      std::uint32_t cells[1] = {word_of(slot_row(r))};
      keep_alive<two_states>(cells);
      sum += cells[0];
    }
  }

#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    CopyAsync16::wait<0>();
    __syncthreads();
    // Nobody reads the group before the oldest any more.
    source.fetch(oldest == 0 ? slots - 1 : oldest - 1);

    if constexpr (Moore) {
      std::uint32_t cells[2 * Tile::rows];  // that enter, and that leave
#pragma unroll
      for (int r = 0; r < Tile::rows; ++r) {
        cells[r]              = word_of(slot_row(2 * radius + r));
        cells[Tile::rows + r] = word_of(slot_row(r));
      }
      keep_alive<two_states>(cells);
#pragma unroll
      for (int r = 0; r < Tile::rows; ++r) {
        sum += cells[r];
        reinterpret_cast<std::uint32_t*>(sums + r * Tile::pitch)[threadIdx.x] =
            sum;
        sum -= cells[Tile::rows + r];
      }
      __syncthreads();
    }

    unsigned char const* const upper_cells =
        slot_row(radius + row) + Tile::halo;
    unsigned char const* const lower_cells =
        slot_row(radius + row + 8) + Tile::halo;
    auto const finish = [&](int w, typename WindowSums::Sums const& count) {
      uint2 const upper      = pair_of(upper_cells, w);
      uint2 const lower      = pair_of(lower_cells, w);
      std::uint32_t cells[4] = {upper.x, upper.y, lower.x, lower.y};
      next_cells<Warp>(rule, shared, cells, count.value);
      std::int64_t const at_row = first_row + step * Tile::rows + row;
      std::int64_t const at =
          first_column + Tile::halo + WindowSums::outputs * w + left;
      store_cells(call, at_row, at, {cells[0], cells[1]});
      store_cells(call, at_row + 8, at, {cells[2], cells[3]});
    };

    if constexpr (Moore) {
      unsigned char const* const upper = sums + row * Tile::pitch;
      unsigned char const* const lower = upper + 8 * Tile::pitch;
      auto const half                  = [&](int block) {
        uint2 const u = pair_of(upper, block), l = pair_of(lower, block);
        return WindowSums::half(u.x, u.y, l.x, l.y);
      };
      Half before = half(first_window);
#pragma unroll 1
      for (int w = first_window; w < end_window; ++w) {
        Half const behind = half(w + 1);
        typename WindowSums::Sums count{};
        window_sums.add(before, behind, count);
        finish(w, count);
        before = behind;
      }
    } else {
#pragma unroll 1
      for (int w = first_window; w < end_window; ++w) {
        typename WindowSums::Sums count{};
#pragma unroll 1
        for (int d = 0; d <= radius; ++d) {
          window_sums.set_radius(radius - d, distances);
          Half sides[2];
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            auto const half = [&](int away) {
              uint2 const u = pair_of(slot_row(radius + row + away), w + side);
              uint2 const l =
                  pair_of(slot_row(radius + row + 8 + away), w + side);
              Half result = WindowSums::half(u.x, u.y, l.x, l.y);
              keep_alive<two_states>(result.value);
              return result;
            };
            sides[side] = half(d);
            if (d > 0) {
              Half const above = half(-d);
#pragma unroll
              for (int k = 0; k < 4; ++k) sides[side][k] += above[k];
            }
          }
          window_sums.add(sides[0], sides[1], count);
        }
        finish(w, count);
      }
    }
    oldest = oldest + 1 < slots ? oldest + 1 : 0;
  }
  CopyAsync16::wait<0>();
}

template <class Rule>
void launch_cells(Kokkos::Cuda const& space, AutomatonCall call,
                  Neighbourhood neighbourhood, Rule const& rule) {
  using Tile       = AutomatonTile;
  bool const moore = neighbourhood == Neighbourhood::moore;
  auto* const kernel =
      moore ? advance_cells<true, Rule> : advance_cells<false, Rule>;
  Device const& d = device(space.cuda_device());
  KernelFacts const facts =
      kernel_facts(d.id, kernel, Tile::threads,
                   Tile::shared_bytes(AutomatonRule::max_radius, moore));
  std::int64_t const rows = call.grid.extent[0];
  std::int64_t const strips =
      (call.grid.extent[1] + call.shift + Tile::outputs - 1) / Tile::outputs;
  std::int64_t const slots =
      std::int64_t(d.multiprocessors) * std::max(facts.resident_blocks, 1);
  std::int64_t const chunks = std::max<std::int64_t>(
      1, std::min(2 * slots / strips, rows / (4 * Tile::rows)));
  call.chunk = (rows + chunks - 1) / chunks;
  call.chunk = (call.chunk + Tile::rows - 1) / Tile::rows * Tile::rows;
  dim3 const blocks(unsigned((rows + call.chunk - 1) / call.chunk),
                    unsigned(strips));
  kernel<<<blocks, Tile::threads, Tile::shared_bytes(call.radius, moore),
           space.cuda_stream()>>>(call, rule);
  check(cudaGetLastError(), "advance_cells");
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
  call.to              = reinterpret_cast<unsigned char*>(to);
  call.to_stride       = to_stride;
  call.radius          = radius;
  call.is_aligned      = from.stride[0] % 16 == 0 || from.extent[0] == 1;
  call.shift           = call.is_aligned
                             ? int(reinterpret_cast<std::uintptr_t>(from.data) % 16)
                             : 0;
  call.stores_pair =
      (reinterpret_cast<std::uintptr_t>(to) - unsigned(call.shift)) % 8 == 0 &&
      (to_stride % 8 == 0 || from.extent[0] == 1);
  return call;
}

/// One generation. No face is a halo; `from` and `to` are apart.
template <class Cell>
void launch_automaton(Kokkos::Cuda const& space,
                      StencilGrid<Cell, 2> const& from, Cell* to,
                      std::int64_t to_stride, AutomatonRule const& rule) {
  if (from.extent[0] == 0 || from.extent[1] == 0) return;
  AutomatonCall const call = automaton_call(from, to, to_stride, rule.radius());
  if (RangeRule::takes(rule))
    launch_cells(space, call, rule.neighbourhood(), RangeRule(rule));
  else if (rule.states() == 2)
    launch_cells(space, call, rule.neighbourhood(), SetRule<true>(rule));
  else
    launch_cells(space, call, rule.neighbourhood(), SetRule<false>(rule));
}

/// One generation of a caller's rule: next(state, how many of the other cells
/// of the neighbourhood are in state 1), a state. Radius 1 to 16.
template <class Cell, class Next>
void launch_automaton(Kokkos::Cuda const& space,
                      StencilGrid<Cell, 2> const& from, Cell* to,
                      std::int64_t to_stride, Neighbourhood neighbourhood,
                      int radius, Next const& next) {
  if (from.extent[0] == 0 || from.extent[1] == 0) return;
  launch_cells(space, automaton_call(from, to, to_stride, radius),
               neighbourhood, CallRule<Cell, Next>(next));
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
