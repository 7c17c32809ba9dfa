// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PACKED_COUNTS_HPP
#define KOKKOSMMA_CUDA_PACKED_COUNTS_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedBytes.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>
#include <core/base/KokkosMMA_Designators.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

/// \file
/// Automata of two states and radius 2 to 16 on bit cells. A thread sweeps down
/// a column of words. Shared memory that is private to the thread holds the
/// counts of the rows in its neighbourhood. The cells beyond the boundaries are
/// written around the grid before each generation.

namespace KokkosMMA::Impl::Cuda {

struct PackedCountTuning {
  int threads;  ///< per block
  int words;    ///< adjacent words per thread
  int ahead;    ///< rows that are loaded before their use
  int blocks;   ///< upper limit of resident blocks per multiprocessor
};

KOKKOSMMA_IMPL_DESIGNATORS_BEGIN
/// us per generation by words per thread and rows ahead; 16384^2, H200, CUDA
/// 13.0, 2026-11-22:
///   radius        2    5   10   13   16
///   1, 1         58   82  109  115  154
///   1, 2         55   77  102  111  134
///   1, 3         59   77  104  115  137
///   2, 1         50   71   95  128  155
///   2, 2         52   73   98  132  166
/// Two adjacent words share a neighbour, but the ring buffer of a large radius
/// then leaves room for few warps. More resident blocks mean more row blocks,
/// and rows at their borders are counted twice: radius 7 takes 84 us with 24
/// blocks, 78 us with 12.
constexpr PackedCountTuning packed_count_tuning(int radius) {
  bool const wide = radius > 11;
  return {.threads = 32,
          .words   = wide ? 1 : 2,
          .ahead   = wide ? 2 : 1,
          .blocks  = radius <= 3 ? 16 : 12};
}
KOKKOSMMA_IMPL_DESIGNATORS_END

/// Padded field of bits. Row i begins at word i * pitch. Rows -radius .. rows +
/// radius - 1 and words -1 .. words exist.
struct PackedField {
  static constexpr int lead     = 32;  ///< words before a row: 128 bytes
  static constexpr int trailing = 3;   ///< words after a row: read, not used
  static constexpr int below    = 2;   ///< padding rows that are read ahead

  std::int64_t rows;
  std::int64_t columns;
  std::int64_t words;
  std::int64_t pitch;
  int radius;

  PackedField(std::int64_t row_count, std::int64_t column_count, int reach)
      : rows(row_count),
        columns(column_count),
        words((column_count + 31) / 32),
        radius(reach) {
    pitch = (lead + words + trailing + 31) / 32 * 32;
  }
  /// Words of one field.
  std::int64_t size() const { return (rows + 2 * radius + below) * pitch; }
  /// Offset of word 0 of row 0.
  std::int64_t origin() const { return radius * pitch + lead; }
};

/// Source rows and columns of those beyond the boundaries: [0][d] for index -1
/// - d, [1][d] for extent + d; -1 for a constant.
struct PackedBoundaries {
  std::int64_t row[2][AutomatonRule::max_radius];
  std::int64_t column[2][AutomatonRule::max_radius];
  bool row_alive[2];  ///< values of constant boundaries
  bool column_alive[2];
};

/// Writes the cells beyond the boundaries and the unused bits of a row's last
/// word. The first threads each write the words left and right of one row. The
/// others copy whole words to rows beyond the boundaries. Where a thread reads
/// a word that another one writes, it uses only bits that do not change.
///
/// \tparam ColumnsFirst constant columns take precedence over constant rows
template <bool ColumnsFirst>
__global__ void __launch_bounds__(128)
    continue_cells(PackedField const field, PackedBoundaries const conditions,
                   std::uint32_t* const cells) {
  std::int64_t const thread  = std::int64_t(blockIdx.x) * 128 + threadIdx.x;
  std::int64_t const bounded = field.rows + 2 * field.radius;
  std::int64_t const whole   = field.columns / 32;
  // Source of a row, or -1 and the constant.
  auto const source_of = [&](std::int64_t row, bool& is_alive) {
    if (0 <= row && row < field.rows) return row;
    int const side = row < 0 ? 0 : 1;
    is_alive       = conditions.row_alive[side];
    return conditions.row[side][row < 0 ? -1 - row : row - field.rows];
  };
  bool is_alive = false;
  if (thread >= bounded) {
    // Grids narrower than a word have no whole words.
    if (thread - bounded >= 2 * field.radius * whole) return;
    std::int64_t const beyond       = (thread - bounded) / whole;
    std::int64_t const word         = (thread - bounded) % whole;
    std::int64_t const row          = beyond < field.radius
                                          ? -1 - beyond
                                          : field.rows + beyond - field.radius;
    std::int64_t const source       = source_of(row, is_alive);
    cells[row * field.pitch + word] = source >= 0
                                          ? cells[source * field.pitch + word]
                                      : is_alive ? ~0u
                                                 : 0u;
    return;
  }
  std::int64_t const row          = thread - field.radius;
  std::int64_t const source       = source_of(row, is_alive);
  std::uint32_t const* const from = cells + source * field.pitch;
  auto const cell                 = [&](int side, int d) {
    std::int64_t const column = conditions.column[side][d];
    bool const is_of_row      = source < 0 && !(column < 0 && ColumnsFirst);
    if (is_of_row) return std::uint32_t(is_alive);
    if (column < 0) return std::uint32_t(conditions.column_alive[side]);
    return from[column >> 5] >> (column & 31) & 1u;
  };
  std::uint32_t left  = 0;
  std::uint64_t right = 0;
  for (int d = 0; d < field.radius; ++d) {
    left |= cell(0, d) << (31 - d);
    right |= std::uint64_t(cell(1, d)) << d;
  }
  int const inside = int(field.columns & 31);
  right <<= inside;
  if (inside > 0) {
    std::uint32_t const last = source >= 0 ? from[whole] : is_alive ? ~0u : 0u;
    right |= last & ((1u << inside) - 1);
  }
  std::uint32_t* const to = cells + row * field.pitch;
  to[-1]                  = left;
  to[whole]               = std::uint32_t(right);
  if (inside > 0) to[whole + 1] = std::uint32_t(right >> 32);
}

/// Loads words of a row `Ahead` rows before their use.
template <int Words, int Ahead>
class PackedRowsAhead {
 public:
  using Row = Registers<std::uint32_t, Words>;

  /// \param from first row
  /// \param pitch words between rows
  __device__ PackedRowsAhead(std::uint32_t const* from, std::uint32_t pitch)
      : m_from(from), m_pitch(pitch) {
#pragma unroll
    for (int row = 0; row < Ahead; ++row) m_next[row] = load(row * pitch);
  }
  /// Returns the row `offset` words after the first. Each call is for the row
  /// after that of the previous call.
  __device__ Row take(std::uint32_t offset) {
    Row const row = m_next[0];
#pragma unroll
    for (int r = 0; r + 1 < Ahead; ++r) m_next[r] = m_next[r + 1];
    m_next[Ahead - 1] = load(offset + Ahead * m_pitch);
    return row;
  }

 private:
  __device__ Row load(std::uint32_t offset) const {
    Row row;
#pragma unroll
    for (int w = 0; w < Words; ++w) row[w] = m_from[offset + w];
    return row;
  }

  std::uint32_t const* m_from;
  std::uint32_t m_pitch;
  Row m_next[Ahead];
};

template <int Radius>
struct PackedCountTile {
  static constexpr PackedCountTuning tuning = packed_count_tuning(Radius);
  static constexpr int threads              = tuning.threads;
  static constexpr int words                = tuning.words;
  static constexpr int ahead                = tuning.ahead;
  static_assert(words + 1 <= PackedField::trailing &&
                ahead <= PackedField::below);
  static constexpr int slots     = 2 * Radius + 1;
  static constexpr int row_size  = MovingCount<Warp, Radius>::row_size;
  static constexpr int slot_size = row_size * words * threads;
  static constexpr std::size_t shared_bytes =
      std::size_t(slots) * slot_size * sizeof(std::uint32_t);
};

template <int Radius>
__global__ void __launch_bounds__(packed_count_tuning(Radius).threads)
    advance_counts(PackedField const field, std::uint32_t const* const from,
                   std::uint32_t* const to, std::int64_t const block_rows,
                   unsigned const panels, RangeBits<Radius> const rule) {
  using Tile             = PackedCountTile<Radius>;
  constexpr int words    = Tile::words;
  constexpr int row_size = Tile::row_size;
  KOKKOSMMA_DYNAMIC_SHARED(std::uint32_t, 4, packed_counts_ring);
  std::uint32_t* const ring = packed_counts_ring + threadIdx.x;

  std::int64_t const word =
      (std::int64_t(blockIdx.x % panels) * Tile::threads + threadIdx.x) * words;
  std::int64_t const first_row = blockIdx.x / panels * block_rows;
  std::int64_t const last      = first_row + block_rows;
  int const rows = int((last < field.rows ? last : field.rows) - first_row);
  if (word >= field.words) return;

#pragma unroll 1
  for (int k = 0; k < Tile::slots * Tile::slot_size / Tile::threads; ++k)
    ring[k * Tile::threads] = 0;

  // Rows of a block are less than 2^32 words apart, so one 32-bit offset serves
  // all three arrays. Pointers cost two more instructions each in the pipe that
  // limits this kernel.
  auto const pitch = std::uint32_t(field.pitch);
  PackedRowsAhead<words + 2, Tile::ahead> entering(
      from + (first_row - Radius) * field.pitch + word - 1, pitch);
  std::uint32_t offset = 0;
  int slot             = 0;
  MovingCount<Warp, Radius> counts[words];

  auto const move = [&] {
    auto const row = entering.take(offset);
    std::uint32_t shifted[words + 1];
#pragma unroll
    for (int w = 0; w <= words; ++w)
      shifted[w] = joined(row[w], row[w + 1], 32 - Radius);
    RowCounts<Warp, 2 * Radius + 1, words + 1> const sums(shifted);
    std::uint32_t* const kept = ring + slot;
    slot = slot + Tile::slot_size < Tile::slots * Tile::slot_size
               ? slot + Tile::slot_size
               : 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      std::uint32_t enters[row_size];
      std::uint32_t leaves[row_size];
#pragma unroll
      for (int k = 0; k < row_size; ++k) {
        std::uint32_t& place = kept[(w * row_size + k) * Tile::threads];
        enters[k]            = sums.value[k][w];
        leaves[k]            = place;
        place                = enters[k];
      }
      counts[w].move(enters, leaves);
    }
  };
#pragma unroll 1
  for (int step = 0; step < 2 * Radius; ++step) {
    move();
    offset += pitch;
  }
  std::int64_t const base =
      (first_row - 2 * Radius) * field.pitch + word;  // base of `offset`
  std::uint32_t* const out = to + base;
  PackedRowsAhead<words, Tile::ahead> centre(
      from + first_row * field.pitch + word, pitch);
#pragma unroll 1
  for (int row = 0; row < rows; ++row) {
    auto const cells = centre.take(offset - 2 * Radius * pitch);
    move();
#pragma unroll
    for (int w = 0; w < words; ++w)
      if (w == 0 || word + w < field.words)
        out[offset + w] = rule.template next<Warp>(counts[w].value(), cells[w]);
    offset += pitch;
  }
}

/// Maximum, because offsets within a neighbourhood have 32 bits.
inline constexpr std::int64_t packed_counts_columns = std::int64_t(1) << 31;

/// Bytes of workspace of launch_packed_counts: two fields.
inline std::size_t packed_counts_memory(std::int64_t rows, std::int64_t columns,
                                        int radius) {
  return std::size_t(2 * PackedField(rows, columns, radius).size()) *
         sizeof(std::uint32_t);
}

template <int Radius>
void advance_packed_counts(Stream const& space, PackedField const& field,
                           std::uint32_t const* from, std::uint32_t* to,
                           CountRanges const& rule) {
  using Tile         = PackedCountTile<Radius>;
  Device const& d    = device(space.device);
  auto* const kernel = advance_counts<Radius>;
  KernelFacts const facts =
      kernel_facts(d.id, kernel, Tile::threads, Tile::shared_bytes);
  std::int64_t const across = Tile::threads * Tile::words;
  std::int64_t const panels = (field.words + across - 1) / across;
  std::int64_t const slots =
      std::int64_t(d.multiprocessors) *
      std::clamp(facts.resident_blocks, 1, Tile::tuning.blocks);
  // One wave of blocks, each with at least `Radius` rows.
  std::int64_t const most = std::max<std::int64_t>(field.rows / Radius, 1);
  // Offsets within a row block have 32 bits.
  std::int64_t const least =
      field.rows / std::max<std::int64_t>((1 << 30) / field.pitch, 1) + 1;
  std::int64_t const row_blocks =
      std::max(std::min(slots / panels, most), least);
  std::int64_t const block_rows = (field.rows + row_blocks - 1) / row_blocks;
  auto const blocks =
      unsigned(panels * ((field.rows + block_rows - 1) / block_rows));
  launch_kernel(space, "advance_counts", kernel,
                {blocks, Tile::threads, Tile::shared_bytes}, field, from, to,
                block_rows, unsigned(panels),
                RangeBits<Radius>(rule.birth, rule.survive));
}

using AdvancePackedCounts = void (*)(Stream const&, PackedField const&,
                                     std::uint32_t const*, std::uint32_t*,
                                     CountRanges const&);
/// Returns the function for a radius. `Less` are 0, 1, ...: radius - 2.
template <int... Less>
AdvancePackedCounts advance_packed_counts_of(
    int radius, std::integer_sequence<int, Less...>) {
  static constexpr AdvancePackedCounts of[] = {
      advance_packed_counts<Less + 2>...};
  return of[radius - 2];
}

/// Runs `steps` >= 1 generations of a Moore rule with radius >= 2 and
/// CountRanges::are_all on byte cells, with at most packed_counts_columns per
/// row. No boundary is a halo; `to` may be the cells themselves.
/// \param memory packed_counts_memory(rows, columns, radius) bytes on the
///        device, aligned to 128; may be reused after the kernels have run
template <class Cell>
void launch_packed_counts(Stream const& space,
                          StencilGrid<Cell, 2> const& cells, Cell* to,
                          std::int64_t to_stride, AutomatonRule const& rule,
                          std::int64_t steps, void* memory) {
  static_assert(sizeof(Cell) == 1);
  std::int64_t const rows = cells.extent[0], columns = cells.extent[1];
  int const radius = rule.radius();
  PackedField const field(rows, columns, radius);
  PackedBoundaries conditions{};
  for (int side = 0; side < 2; ++side) {
    auto const& condition =
        side == 0 ? cells.boundaries.low : cells.boundaries.high;
    conditions.row_alive[side]    = condition[0].value == 1;
    conditions.column_alive[side] = condition[1].value == 1;
    for (int d = 0; d < radius; ++d) {
      conditions.row[side][d] = boundary_index(
          condition[0].kind, side == 0 ? -1 - d : rows + d, rows);
      conditions.column[side][d] = boundary_index(
          condition[1].kind, side == 0 ? -1 - d : columns + d, columns);
    }
  }
  auto* const continued =
      cells.reversed ? continue_cells<true> : continue_cells<false>;

  auto* now   = static_cast<std::uint32_t*>(memory) + field.origin();
  auto* other = now + field.size();
  launch_packing(space, reinterpret_cast<unsigned char const*>(cells.data),
                 cells.stride[0], rows, columns, now, field.pitch);
  std::int64_t const around = rows + 2 * radius + 2 * radius * (columns / 32);
  auto const advance        = advance_packed_counts_of(
             radius, std::make_integer_sequence<int, AutomatonRule::max_radius - 1>());
  CountRanges const ranges(rule);
  for (std::int64_t step = 0; step < steps; ++step) {
    launch_kernel(space, "continue_cells", continued,
                  {unsigned((around + 127) / 128), 128}, field, conditions,
                  now);
    advance(space, field, now, other, ranges);
    std::swap(now, other);
  }
  launch_unpacking(space, now, field.pitch, rows, columns,
                   reinterpret_cast<unsigned char*>(to), to_stride);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
