// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STREAMED_TUNING_HPP
#define KOKKOSMMA_STREAMED_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>

#include <cstddef>

/// \file
/// Constants of the kernels that invoke opaque functors, with their
/// measurements. Figures without other data: NVIDIA H200, CUDA 13.0, driver
/// 580.159, 2026-11-21, sums of 2^30 elements (double 2^28), GB/s of the input.

namespace KokkosMMA::Impl {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape and unrolling of reductions on the `streamed` route.
struct StreamedTuning {
  int threads;       ///< per block
  int min_blocks;    ///< per multiprocessor; caps a thread's registers
  int calls;         ///< functor invocations in flight per thread
  int most_calls;    ///< the same in schedules with CallOrder::most_calls
  int accumulators;  ///< independent running values per thread

  friend constexpr bool operator==(StreamedTuning const&,
                                   StreamedTuning const&) = default;
};

/// Schedule of a block's invocations: which indices are in flight together and
/// when threads synchronize. In every schedule an index belongs to the same
/// accumulator and an accumulator's indices increase: results are bitwise
/// identical.
struct CallOrder {
  bool most_calls = false;  ///< `most_calls` in flight instead of `calls`
  /// Accumulators of a thread have neighbouring indices, instead of indices one
  /// block width apart. In a box of several dimensions: lanes have neighbouring
  /// indices of the slowest dimension, instead of the fastest.
  bool neighbours = false;
  /// Threads do not synchronize after a tile, which helps if invocations take
  /// unequal times. With synchronization, memory lines are used while they are
  /// cached.
  bool free_running = false;
  /// The warps of a block work on distant parts of the range. This balances
  /// blocks if the cost per index grows along the range. They run free.
  bool scattered_warps = false;
  /// Each block has one subrange instead of all of a part. As blocks end,
  /// others start, from the first subrange on or from the last: this balances
  /// multiprocessors if the cost of an index changes along the range.
  bool one_each = false;
  bool from_end = false;
  /// Of a part: neighbours, whose values are joined first.
  unsigned char subranges = 1;
};

/// Whether kernels have the neighbouring schedule. With two accumulators it
/// gains at most 4 % over 8 invocations in flight, and costs registers.
constexpr bool has_neighbours(StreamedTuning const& tuning) {
  return tuning.accumulators >= 4;
}

/// Whether the part of a range that a block has may have several subranges
/// (subranges_of_part()).
constexpr bool may_divide_parts(StreamedTuning const& tuning) {
  return tuning.threads == 512 && tuning.min_blocks == 2 && tuning.calls == 2 &&
         tuning.most_calls > 2;
}

/// Whether kernels have the schedule with scattered warps. Rates relative to
/// Kokkos with one contiguous range per block and with scattered warps (H100,
/// CUDA 13.0, 2026-11-28; 2^20, 2^22 and 2^24 indices, doubles):
///
/// | invocations                  | one range      | scattered      |
/// |------------------------------|----------------|----------------|
/// | loops over pairs, rising     | 1.06 0.85 0.82 | 1.36 1.07 1.02 |
/// | loops over pairs, falling    | 0.95 0.85 0.87 | 1.32 1.16 1.14 |
/// | square roots, rising         | 0.82 0.80 0.81 | 0.93 0.88 0.88 |
/// | all work in the last 1/16    | 0.98 0.84 0.90 | 1.91 1.53 1.23 |
/// | sums of neighbours, rising   | 1.27 0.82 0.75 | slower         |
///
/// Pairs of 2^20: 0.333 ms, with groups of 2 and 4 adjacent warps 0.350 and
/// 0.368. One range per accumulator: 0.374 ms instead of 0.347 and mostly 6 to
/// 10 more registers, but 0.127 instead of 0.176 with all work in the last
/// sixteenth. Lambdas over one View of 8-byte values, with 32 registers: as
/// fast with them as without (H200, 2026-11-30).
constexpr bool scatters_warps(StreamedTuning const& tuning, bool is_box) {
  return !has_neighbours(tuning) &&
         (is_box || tuning.most_calls == tuning.calls);
}

/// Largest simple functor: a two-dimensional View of Kokkos 4, or one View and
/// the 8 bytes that nvcc adds to a host and device lambda. Such a View has 48
/// bytes in Kokkos 5. GB/s of sums by a lambda over one View on Kokkos 5.2.2 by
/// the limits 40 and 48: int8 2155 2691, half 3480 3838, float 4507 4562 (H200,
/// CUDA 13.0, 2026-11-28). Not 48, with which other functors lose more: see
/// streamed_tuning().
inline constexpr std::size_t simple_functor_bytes = 40;

/// Size of a functor with two three-dimensional Views.
inline constexpr std::size_t small_functor_bytes = 128;

/// A class with the Views of a simulation is larger. Its body is long, and each
/// invocation in flight has a copy of it: so only two are. Microseconds in
/// boxes with four and with two, 512 x 2: the minima of max_local_bytes(), N =
/// 12 1171 677, 16 2235 1142; sums of roots 8 819 878, 12 1453 1247, 16 2340
/// 1661. 256 x 2 with 128 registers: minima 505 744, roots 1102 1623 3101,
/// CloverLeaf 597. In ranges a thread has 32 registers, as in Kokkos: many
/// bodies loop and wait for memory. Energies of 143748, 256000, 1000188 atoms:
/// 67 83 298, with 64 registers 107 116 430, with one in flight 77 90 379,
/// Kokkos 81 96 387. Sums of ten arrays of 2^24: 307 to 320, Kokkos 378 (H200,
/// CUDA 13.0, Kokkos 5.0.2, 2026-11-29). Tiles and rest in one loop, whose
/// second invocation has a condition, have 0.98 and 0.91 of these rates.
inline constexpr std::size_t large_functor_bytes = 256;
/// Bytes of local memory that a kernel over a range may use. Those with 32
/// registers may spill: that of large functors, and of sums with 20 invocations
/// in flight, of which only the schedule with these spills. Counts of peaks of
/// doubles spill 24 bytes, dot products of doubles into float 16. Lambdas over
/// one View: logarithms 8, exponentials 16; sines need 40 and run Kokkos' code.
constexpr int most_spilled(StreamedTuning const& tuning) {
  bool const many = tuning.most_calls > tuning.calls;
  if (tuning.threads == 512 && tuning.min_blocks == 4) return many ? 24 : 64;
  return tuning.threads == 1024 && many ? 64 : 8;
}

/// StreamedTuning::most_calls of kernels with up to 64 registers per thread.
constexpr int box_calls(bool is_box, bool word, std::size_t functor_bytes) {
  if (!is_box || functor_bytes > small_functor_bytes) return 4;
  return word ? 16 : 8;
}

/// GB/s of 1024 x 2, 512 x 4, 256 x 8: float 4538 4514 4479, half 3630 3472
/// 3290, int8 2498 2345 2169 (H200). Neighbours with 8, 16, 20, 24 in
/// flight: half 3982 4435 4402 4405, int8 2700 3025 3704 3471; 512 x 2 with 48
/// 4038 3463; eight neighbours with 16 3924 3352; products of floats, which are
/// faster strided, 4507 4338 3736. The maximum of 2^24 floats with 8 and 16
/// strided: 2106 2013 (H200, 2026-11-30).
///
/// The cap of 32 registers at 1024 x 2 keeps all warps resident. A functor that
/// needs more would spill, and the route function rejects it. Values of 8 bytes
/// are common in simulations, so their kernels have 64 registers.
///
/// Microseconds with a contiguous range per block and synchronization after
/// each tile (H100, CUDA 13.0, 2026-11-25; 2^28 doubles, 2^29 floats and half
/// values; 64-bit indices; "down n" reads a matrix of n columns column by
/// column):
///
/// | threads x blocks, in flight | sum | half | down 2 | down 8 | down 64 |
/// |-----------------------------|-----|------|--------|--------|---------|
/// | float 1024 x 2, 8           | 711 | 396  | 1217   | 1915   | 15462   |
/// | float 512 x 4, 4            | 707 | 404  | 1192   | 1595   | 14088   |
/// | float, Kokkos               | 730 | 825  | 1198   | 1896   | 12648   |
/// | double 512 x 2, 2           | 715 |      | 821    | 2875   | 6122    |
/// | double 1024 x 1, 2          | 710 |      | 833    | 2202   | 8066    |
/// | double 512 x 2, 4           | 720 |      | 818    | 3132   | 6157    |
/// | double, Kokkos              | 747 |      | 889    | 3064   | 5564    |
///
/// No shape with the full rate of plain sums (256 x 8 to 1024 x 2, 1 to 8 in
/// flight) reaches Kokkos' rate for floats down 8 columns.
///
/// A simple functor needs at most 32 of the 64 registers of 512 x 2, so that
/// four blocks are resident. int8 into int32: 252 us with 1024 x 2, 8 in
/// flight, 276 with 512 x 4, 4 in flight, 284 in Kokkos.
///
/// Several accumulators make sums more accurate. Other joins may read memory
/// that the running value points to, as an argmax does; the caches must then
/// hold one element per accumulator (1e8 doubles: 2484 us with four, 363 with
/// one, 736 in Kokkos). One accumulator is as fast for all other joins.
///
/// GB/s of values of 8 bytes, 512 x 2, with 2 in flight, 8, and 8 in pairs of
/// neighbours (H100, CUDA 13.0, 2026-11-27): double 3134 3116 3114, rows of
/// four doubles 3135 3042 2935, float 2899 3063 3102, half 2129 2693 2756, int8
/// 1277 2148 2115 (Kokkos 1989). Values of 4 bytes, 8 in flight, strided and in
/// fours of neighbours: half 2790 2967, int8 2243 2408, float 3076 3121; slower
/// are rows of four floats, whose lines no longer fit in L1, 3117 2067, six
/// arrays of floats 3073 2257, and down 8 columns 928 328. The library does not
/// know what an opaque functor reads.
///
/// Functors larger than one two-dimensional View get the shape of values of 8
/// bytes, with 64 registers (large ones: 32). With 32, rows of a sparse matrix
/// and sums over neighbours spill or have few loads in flight. Functors of 48
/// bytes of pointers, which Kokkos 5's larger Views made simple, with 32, with
/// 64, in Kokkos 5.2.2: 2e6 sparse rows of 27 floats 802 us, 217, 801;
/// five-point residuals 880, 744, 875; six arrays 742, 752, 773 (H200,
/// 2026-11-28). No property tells them from a functor with one View: for a
/// class around an extended lambda, nvcc's host and device passes disagree on
/// whether it is trivially copyable. Very unequal sparse rows: 4612 us with 32,
/// 2001 with 64 (H100, 2026-11-27). 512 x 2 with 4 in flight for all functors
/// is slower: columns of floats in eights 5047 us instead of 1868, int8 0.492
/// ms instead of 0.450.
///
/// A functor no larger than a lambda over one View mostly computes something of
/// each element; one that also captures a number is larger. Those of doubles
/// have 32 registers, as in Kokkos, so that all warps are resident: without the
/// cap the compiler gives 40 to roots and quotients. Rates relative to Kokkos
/// with 64, with 32 (2^24, 2^28 indices): roots 0.89 0.85, 1.02 0.98;
/// polynomials with a quotient 0.86 0.86, 1.01 0.98; maxima of roots 0.91 0.84,
/// 1.05 1.0; logarithms 1.05 1.17, 1.13 1.17. Few such functors loop over
/// neighbours, and these have fewer loads in flight: windows (2^20, 2^22, 2^24)
/// 1.24 1.25 1.16, 0.97 1.05 1.03; all work in the last sixteenth 1.28 1.32
/// 1.47, 0.94 0.72 0.68. Not for several Views: quotients of two 1.04, with 40
/// registers 1.26, roots of three 0.91, 0.99, but falling windows 1.16, 0.88,
/// rows of ten at random 1.16, 0.90, five-point residuals 1.54, 1.20. 256 x 4
/// for these: quotients 1.13, roots 0.98, windows 1.03, rows 0.95, residuals
/// 1.29 (H200, CUDA 13.0, Kokkos 5.0.2, 2026-11-30).
///
/// Boxes of several dimensions are processed in tiles. GB/s of 512 x 2 with 4,
/// 8 and 16 in flight (floats), 4 and 8 (doubles), from LayoutLeft and
/// LayoutRight Views (H200, CUDA 13.0, Kokkos 5.2.2, 2026-11-28):
///
/// | box         | float, 4  | 8         | 16        | double, 4 | 8         |
/// |-------------|-----------|-----------|-----------|-----------|-----------|
/// | 16384^2     | 3548 3288 | 3961 3559 | 4089 3937 | 4049 3652 | 4215 4063 |
/// | 640^3       | 3057 2391 | 3901 3245 | 3901 3523 | 4090 3535 | 4175 4007 |
/// | 700 x 900   |           |           | 172 180   |           | 386 383   |
///
/// Without tiles floats have 157 and doubles 314 from the other layout. Kokkos:
/// 434 524, 362 269, 152 155, doubles 801 769, 682 520, 318 273.
/// \param one_view the functor is no larger than a lambda over one View
constexpr StreamedTuning streamed_tuning(
    std::size_t value_bytes, int indices = 1, bool sum = true,
    std::size_t functor_bytes = 0,
    std::size_t simple_bytes = simple_functor_bytes, bool one_view = false) {
  StreamedTuning tuning{.threads      = 256,
                        .min_blocks   = 1,
                        .calls        = 2,
                        .most_calls   = 2,
                        .accumulators = 1};
  bool const word   = value_bytes == 1 || value_bytes == 2 || value_bytes == 4;
  bool const is_box = indices > 1;
  if (word && functor_bytes <= simple_bytes && !is_box)
    tuning = {.threads      = 1024,
              .min_blocks   = 2,
              .calls        = 8,
              .most_calls   = sum ? 20 : 8,
              .accumulators = 4};
  else if (value_bytes <= 8)
    tuning = {.threads      = 512,
              .min_blocks   = one_view && value_bytes == 8 && !is_box ? 4 : 2,
              .calls        = 2,
              .most_calls   = box_calls(is_box, word, functor_bytes),
              .accumulators = 2};
  else if (value_bytes <= 16)
    tuning = {.threads      = 512,
              .min_blocks   = 2,
              .calls        = 8,
              .most_calls   = 8,
              .accumulators = 2};
  else if (value_bytes <= 32)
    tuning = {.threads      = 256,
              .min_blocks   = 2,
              .calls        = 4,
              .most_calls   = 4,
              .accumulators = 1};
  if (!sum) {
    tuning.accumulators = 1;
    if (tuning.most_calls > tuning.calls &&
        (!is_box || functor_bytes <= small_functor_bytes))
      tuning.most_calls = 8;
  }
  // Eight tuples of four or more indices do not fit in the registers.
  if (indices > 3) {
    if (tuning.calls > 4) tuning.calls = 4;
    if (tuning.most_calls > 4) tuning.most_calls = 4;
  }
  if (functor_bytes > large_functor_bytes) {
    tuning.calls = tuning.most_calls = 2;
    if (value_bytes <= 8 && !is_box) tuning.min_blocks = 4;
  }
  return tuning;
}

/// Launch shape of `streamed` reductions whose values exceed registers.
struct ArrayTuning {
  int threads;     ///< per block, at most
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int calls;       ///< functor invocations in one round of a thread
};

/// Dot products of 1, 4, 16, 64 pairs of columns of doubles, LayoutLeft: 2560,
/// 2810, 2860, 2660 GB/s, Kokkos 1890, 2450, 1550, 960; LayoutRight: 2570,
/// 2910, 1920, 1840, Kokkos 2150, 2150, 740, 600 (H100, 2026-11-26). A loop
/// over an array of doubles with a product of two Views in each iteration (nvcc
/// 13.0) has 24 loads in flight under a cap of 64 registers, 4 to 6 under one
/// of 32. Values above 256 bytes leave room for 700 threads or fewer in shared
/// memory, so they may have 128 registers.
constexpr ArrayTuning array_tuning(bool array, std::size_t value_bytes) {
  if (array) return {.threads = 512, .min_blocks = 2, .calls = 2};
  return {.threads = 256, .min_blocks = value_bytes > 256 ? 2 : 4, .calls = 1};
}

/// Layout of a block's running arrays in shared memory.
struct ArrayLayout {
  unsigned count;    ///< values per array
  unsigned stride;   ///< bytes between the arrays of two threads
  unsigned callers;  ///< threads with an array
};

/// Longest array that a thread keeps in registers.
inline constexpr unsigned most_in_registers = 4;

/// Launch shape of a scan by an opaque functor.
struct StreamedScanTuning {
  int threads;     ///< per block, that invoke the functor
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int items;       ///< neighbouring indices per lane
};

/// GB/s read plus written, 2^28 elements (copy 4225):
///
/// | threads x blocks, items | float | half  | int8  | threads | double |
/// |-------------------------|-------|-------|-------|---------|--------|
/// | 256 x 5, 16             | 3680  | 3298  | 3074  | 256 x 4 | 3595   |
/// | 480 x 3, 16             | 3667  | 3209  | 2960  | 384 x 3 | 3757   |
/// | 256 x 4, 16             | 3503  | 3082  | 2874  | 512 x 2 | 3818   |
/// | 512 x 2, 20             | 3590  | 3087  | 2754  | 512 x 3 | 3075   |
/// | 480 x 4, 8              | 3487  | 2990  | 2688  |         |        |
///
/// double: 8 items each; 3642 with 256 x 3, 16. These functors hold bare
/// pointers and 32-bit indices. With Views and 64-bit indices (perf_scan,
/// 2^30), the 40 registers of 256 x 5 spill 16 bytes. 224 x 5 may have 48 and
/// is faster: half 3190 instead of 3137, int8 2959 instead of 2891, float 3627
/// instead of 3623. Larger values were not measured. A functor that spills
/// still beats Kokkos: double at 512 x 3 does (Kokkos: 830).
/// 256 x 5 without spills, since 2026-11-30: 3611 3227 2976 instead of 3546
/// 3117 2894, but inclusive scans of half, which load their data again (82 KB,
/// and 60 KB of L1), 2019 instead of 2179.
constexpr StreamedScanTuning streamed_scan_tuning(std::size_t value_bytes) {
  if (value_bytes <= 4) return {.threads = 224, .min_blocks = 5, .items = 16};
  if (value_bytes <= 8) return {.threads = 512, .min_blocks = 2, .items = 8};
  if (value_bytes <= 16) return {.threads = 256, .min_blocks = 3, .items = 4};
  if (value_bytes <= 32) return {.threads = 256, .min_blocks = 2, .items = 2};
  return {.threads = 256, .min_blocks = 1, .items = 1};
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl

#endif
