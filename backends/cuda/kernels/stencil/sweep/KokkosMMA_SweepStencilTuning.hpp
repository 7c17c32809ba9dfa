// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SWEEP_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_SWEEP_STENCIL_TUNING_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>

#include <cstdint>

/// \file
/// Tuning of plane sweeps for stencils with a fixed pattern of weights.

namespace KokkosMMA::Impl::Cuda {

/// Pattern of the weights, known at compile time.
enum class SweepPattern : unsigned char {
  star,
  dense,
  product  ///< outer product of one vector per dimension, in three dimensions
};

/// Tuning of a block that sweeps over the planes of a grid. In two dimensions a
/// plane is a row; in one, as many elements as the block has columns.
struct SweepTuning {
  int columns;     ///< adjacent columns per thread
  int rows;        ///< adjacent rows per thread; 1 up to two dimensions
  int threads;     ///< per block
  int min_blocks;  ///< resident per multiprocessor; limits the registers
  int batch;       ///< planes per stage
  int stages;      ///< in shared memory
  /// Planes of a short block (core/stencil/KokkosMMA_TileHeight.hpp). 0: blocks
  /// are tall, because arithmetic is the limit.
  int block_planes;
  bool boxes   = false;  ///< slabs are copied as boxes where possible
  bool corners = false;  ///< sums read elements beyond both a row and a column
};

/// Planes of a short block. Fraction of the runtime's copy rate by number of
/// planes, two dimensions (float, 16384^2, H200, 2026-11-23):
///   star r = 1   6 0.97, 10 0.97, 18 0.95, 34 0.91, 106 0.89
///   star r = 3   10 0.85, 18 0.95, 26 0.94, 42 0.89; 4 stages 14 0.94
///   dense r = 2  14 0.84, 22 0.91, 34 0.86
/// One dimension, radius 1 and 7: 4 planes 0.98 and 0.92, 8 planes 0.95 and
/// 0.94, 64 planes 0.90 and 0.89.
///
/// Larger radii use tall blocks. With short blocks, stars of radius 5 in two
/// dimensions are no faster at 16384^2 (0.86 and 0.88 of a copy for float and
/// double). At 4096^2 they take 66 and 101 us instead of 57 and 89.
template <int R>
constexpr int sweep_block_planes(int radius, bool star, int element_bytes) {
  if (R == 1) return 2 * radius + 1 <= 2 * element_bytes ? 4 : 8;
  if (R == 3) return radius == 1 ? 24 : 16 * radius;
  // Up to this radius, memory bandwidth is the limit.
  int const largest = (element_bytes < 4 ? element_bytes : 4) / (star ? 1 : 2);
  if (radius > largest) return 0;
  return radius == 1 ? 10 : radius <= 3 ? 24 - 2 * radius : 6 * radius;
}

/// Bytes of a block's stages and staging in three dimensions. With the rest of
/// the shared memory this is less than the 99 KB of the smallest devices
/// (compute capability 8.6, 8.9 and 12), and two blocks fit on an H100.
inline constexpr int sweep_slab_room = 92 * 1024;

constexpr int sweep_slab_bytes(SweepTuning const& t, int radius,
                               int element_bytes) {
  int const vector = 16 / element_bytes;
  int const pad    = (radius + vector - 1) / vector * vector;
  int const pitch  = 32 * t.columns + 2 * pad + 32 / element_bytes;
  return pitch * (t.threads / 32 * t.rows + 2 * radius) * element_bytes;
}

/// Tuning of a pattern with the same radius in all dimensions and sums in A.
///
/// 10^9 elements per second at 16384^2, H200, 2026-11-21, blocks in one round
/// and unrolled batches (copy: 493 float, 258 double, 976 half):
///
///            1d r 3   star r 1, 3, 7   dense r 1, 3, 7
///   float       435   361  349  270    361  316   86
///   double      230   192  208  123    203  200   38
///   half        842   588  464  313    607  279   87
///
/// An unrolled batch is read ahead into registers and spills from radius 5 on.
///
/// Fraction of a copy's rate in three dimensions, 512^3, H100, 2026-11-27,
/// slabs as boxes (KokkosMMA_SlabRows.hpp), by rows per thread x threads,
/// blocks per multiprocessor; x: it spills.
///
///                      star r 1, 2, 4, 5, 8     box r 1
///   float
///   2 x 256, 2         .88 .84 .75 .76 .58        .87
///   1 x 384, 2         .89 .84  -   -   -          -
///   4 to 2 x 384, 1    .88 .83 .75 .76 .48        .89
///   2 x 512, 1         .89 .85 .73 .69x .54x      .87
///   double
///   2 x 256, 2         .88 .85 .81 .69 .57        .88
///   4 to 2 x 384, 1    .89 .86 .81 .74 .57        .88
///   2 x 512, 1         .90 .87 .80 .72 .57x       .88
///   half
///   4, 2 x 256, 2      .86 .79 .61 .47 .26        .78
///   4 to 2 x 384, 1    .80 .75 .53 .48 .23        .72
///   4, 2 x 512, 1      .75 .76 .61 .47x .24x      .77
///
/// A functor that updates another View in place has loads of its own, which
/// more threads overlap. Without boxes (2026-11-26), same notation, star r = 1,
/// 4: float 2 x 256 .81 .53, 1 x 384 .89 .65; double .83 .64 and .89 .75.
///
/// Boxes, and row by row with half of the stages ahead: float star r = 1, 2, 4,
/// 8 .88 .84 .75 .56 and .84 .79 .67 .28 (1 x 384 .90 .85); half star r = 1, 2,
/// 4 .86 .78 .61 and .86 .60 .41; bytes r = 1 .76 and .57. A functor that
/// updates another View, doubles, star r = 4, 1 x 384: .70 and .81 (640^3 .70
/// and .81).
///
/// As many stages as fit, up to 8. With rows copied one by one, 4 stages gave
/// .79 to .83 at radius 1 and 8 gave .80 to .89; 12 are no faster.
template <class A, int R, class Element, int Radius, SweepPattern Pattern>
constexpr SweepTuning sweep_tuning(bool to_functor = false) {
  constexpr bool is_star  = Pattern == SweepPattern::star;
  constexpr bool few_taps = Pattern != SweepPattern::dense;
  constexpr bool wide     = sizeof(A) > 4;
  constexpr bool is_small = sizeof(Element) < 4;
  // Registers of the sums in flight.
  auto const registers = [](int columns, int rows) {
    int const planes = R > 1 ? 2 * Radius + 1 : 1;
    return planes * columns * rows * int(sizeof(A)) / 4;
  };
  // Limit of these registers, chosen by measurement (H200, CUDA 13.0,
  // 2026-11-24): in three dimensions four columns of floats fit up to radius 4.
  constexpr int most = R < 3        ? 72
                       : !few_taps  ? 36
                       : Radius < 5 ? 72
                       : wide       ? 88
                                    : 104;

  SweepTuning t{};
  t.columns = 16 / int(sizeof(Element));
  while (t.columns > 1 && registers(t.columns, R > 2 ? 2 : 1) > most)
    t.columns /= 2;
  bool const one_row = R == 3 && is_star && !is_small &&
                       (to_functor ? Radius <= 4 : !wide && Radius <= 2);
  t.rows         = R < 3 || one_row                            ? 1
                   : is_small && registers(t.columns, 4) <= 48 ? 4
                                                               : 2;
  int const sums = registers(t.columns, t.rows);
  // With 256 threads, more sums than these spill (sm_90, CUDA 13.0).
  t.threads = R < 3 ? 128 : one_row ? 384 : sums > (wide ? 60 : 72) ? 192 : 256;
  // 7, 5, 3 and 2 blocks of 128 threads leave a thread 72, 102, 170 and 255
  // registers. The part available to sums was found by trial: doubles of radius
  // 8 spilled 24 bytes with 3 blocks (sm_90, 2026-11-21).
  t.min_blocks = sums <= 12 ? 7 : sums <= 28 ? 5 : sums <= 60 ? 3 : 2;
  if (R > 2) {
    // Functors of large radii spill 16 to 168 bytes (sm_90). With one block,
    // half of radius 4 does not spill, but has .25 of a copy instead of .35.
    t.min_blocks = 2;
  }
  t.batch        = R > 2 ? 1 : 4;
  t.block_planes = sweep_block_planes<R>(Radius, is_star, int(sizeof(Element)));
  t.stages = R == 2 && is_star && Radius > 1 && t.block_planes > 0 ? 6 : 4;
  if (R == 3) {
    t.boxes           = !one_row;
    t.corners         = !is_star;
    t.stages          = 8;
    int const staging = t.threads * t.columns * int(sizeof(A));
    int const slab    = sweep_slab_bytes(t, Radius, sizeof(Element));
    while (t.stages > 4 && t.stages * slab + staging > sweep_slab_room)
      --t.stages;
  }
  return t;
}

template <class A, int Taps>
struct SweepTaps {
  bool has_centre;
  A weight[Taps];
};

/// Sizes and offsets of a sweep, in elements or in bytes of shared memory.
/// \tparam Unaligned rows of a slab have the same offset in a vector as in
///   memory
template <class A, int R, class Element, int Radius, bool Unaligned,
          SweepTuning Tuning>
struct SweepLayout {
  static constexpr SweepTuning tuning = Tuning;

  static constexpr int columns = Tuning.columns;
  static constexpr int rows    = Tuning.rows;
  static constexpr int threads = Tuning.threads;
  static constexpr int batch   = Tuning.batch;
  static constexpr int stages  = Tuning.stages;
  static constexpr int vector  = 16 / int(sizeof(Element));
  static constexpr int reach   = R > 1 ? Radius : 0;  ///< in planes
  static constexpr int reach_y = R > 2 ? Radius : 0;
  static constexpr int width   = 2 * Radius + 1;
  static constexpr int planes  = 2 * reach + 1;  ///< planes of sums in flight
  static constexpr int height  = 2 * reach_y + 1;
  /// With two blocks these sums spill for sm_80 (CUDA 13.0). Fewer sums spill 8
  /// to 24 bytes, which costs less than halving the number of blocks.
  static constexpr int min_blocks_sm_80 =
      R == 3 && planes * columns * rows * int(sizeof(A)) >=
                    (sizeof(A) > 4 ? 160 : 416)
          ? 1
          : Tuning.min_blocks;
  static constexpr int min_blocks =
      min_blocks_of<Tuning.min_blocks, min_blocks_sm_80>;

  static constexpr int tile_x     = (R > 2 ? 32 : threads) * columns;
  static constexpr int tile_y     = R > 2 ? threads / 32 * rows : 1;
  static constexpr int pad        = (Radius + vector - 1) / vector * vector;
  static constexpr int width_x    = tile_x + 2 * pad;
  static constexpr bool unaligned = Unaligned;
  static constexpr int pitch =
      width_x + (Unaligned ? 32 / int(sizeof(Element)) : 0);
  static constexpr int slab_rows = R > 2 ? tile_y + 2 * reach_y : batch;
  // Copies of boxes begin at multiples of 128 bytes.
  static constexpr int line =
      R > 2 && !Unaligned ? 128 / int(sizeof(Element)) : 1;
  /// Shift of a slab whose first reach_y rows are not part of the box.
  static constexpr int shorter_shift =
      Tuning.boxes && !Unaligned ? (line - reach_y * pitch % line) % line : 0;
  static constexpr int slab =
      (pitch * slab_rows + shorter_shift + line - 1) / line * line;
  static constexpr int slab_bytes    = slab * int(sizeof(Element));
  static constexpr int staging_bytes = threads * columns * int(sizeof(A));
  /// Bytes before the first slab.
  static constexpr int lead        = line > 1 ? 0
                                              : sector_lead(pad* int(sizeof(Element)));
  static constexpr int pipeline_at = lead + stages * slab_bytes + staging_bytes;
  static constexpr int shifts_at =
      pipeline_at + (R > 2 ? 2 * stages * int(sizeof(std::uint64_t)) : 0);
  /// Elements of a slab beyond a column boundary (SlabTile), one per word. Each
  /// stage has a barrier for them.
  static constexpr int ends =
      Tuning.boxes && !Unaligned
          ? (Tuning.corners ? slab_rows : tile_y) * Radius
          : 0;
  using EndWord =
      std::conditional_t<(sizeof(Element) > 4), std::uint64_t, std::uint32_t>;
  static constexpr int copied_at =
      shifts_at + (Unaligned ? stages * slab_rows * int(sizeof(int)) : 0);
  static constexpr int ends_at =
      copied_at + (ends > 0 ? stages * int(sizeof(std::uint64_t)) : 0);
  static constexpr int shared_bytes =
      ends_at + stages * ends * int(sizeof(EndWord));
  /// Neighbours that a thread reads on each side of a row.
  static constexpr int side   = (Radius + columns - 1) / columns * columns;
  static constexpr int window = columns + 2 * side;
  static_assert(tile_x % vector == 0 && pitch * int(sizeof(Element)) % 32 == 0);
  static_assert(R < 3 || shared_bytes <= 99 * 1024);
};

template <class A, int R, class Element, int Radius, SweepPattern Pattern,
          bool Unaligned, bool ToFunctor>
struct SweepShape
    : SweepLayout<A, R, Element, Radius, Unaligned,
                  sweep_tuning<A, R, Element, Radius, Pattern>(ToFunctor)> {
  using Layout = typename SweepShape::SweepLayout;
  static constexpr int taps =
      Pattern == SweepPattern::dense
          ? Layout::planes * Layout::height * Layout::width
          : R * Layout::width;

  // The kernel's parameter has a type without expressions: nvcc 13.0 and its
  // host compiler mangle expressions differently, and the kernel is not found.
  using Taps = SweepTaps<A, taps>;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
