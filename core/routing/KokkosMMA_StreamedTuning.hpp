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
///
/// A *part* is the contiguous share of a range that one block processes in the
/// normal launch. It may consist of several *subranges*.

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
/// when threads synchronize. In every schedule an accumulator has the same
/// indices, in increasing order, so that results are bitwise identical. Only
/// the thread that holds the accumulator may differ.
struct CallOrder {
  bool most_calls = false;  ///< `most_calls` in flight instead of `calls`
  /// Accumulators of a thread have neighbouring indices, instead of indices one
  /// block width apart. In a box of several dimensions it means something else:
  /// a warp lies along the slowest dimension instead of the fastest.
  bool neighbours = false;
  /// Threads do not synchronize after a tile, which helps if invocations take
  /// unequal times. With synchronization, memory lines are used while they are
  /// cached.
  bool free_running = false;
  /// The warps of a block work on distant parts of the range. This balances
  /// blocks if the cost per index grows along the range. They run free.
  bool scattered_warps = false;
  /// Each block processes one subrange instead of a part, so the grid has
  /// `subranges` times as many blocks. They start in the order of subranges, or
  /// in reverse with `from_end`. This balances multiprocessors if the cost of
  /// an index changes along the range.
  bool one_each = false;
  bool from_end = false;
  /// Number of adjacent subranges per part. Their values are joined before
  /// those of different parts.
  unsigned char subranges = 1;
};

/// Whether kernels over ranges have the schedule `neighbours`. With two
/// accumulators it costs registers, and is at most 4 % faster than the strided
/// schedule with 8 invocations in flight.
constexpr bool has_neighbours(StreamedTuning const& tuning) {
  return tuning.accumulators >= 4;
}

/// Whether a part may be divided into subranges (subranges_of_part()).
constexpr bool may_divide_parts(StreamedTuning const& tuning) {
  return tuning.threads == 512 && tuning.min_blocks == 2 && tuning.calls == 2 &&
         tuning.most_calls > 2;
}

/// Whether kernels have the schedule with scattered warps. Rates divided by
/// Kokkos' rate, with one contiguous range per block and with scattered warps,
/// for costs that rise or fall along the range (H100, CUDA 13.0, 2026-11-28;
/// 2^20, 2^22 and 2^24 indices, doubles):
///
/// | invocations                  | one range      | scattered      |
/// |------------------------------|----------------|----------------|
/// | loops over pairs, rising     | 1.06 0.85 0.82 | 1.36 1.07 1.02 |
/// | loops over pairs, falling    | 0.95 0.85 0.87 | 1.32 1.16 1.14 |
/// | square roots, rising         | 0.82 0.80 0.81 | 0.93 0.88 0.88 |
/// | all work in the last 1/16    | 0.98 0.84 0.90 | 1.91 1.53 1.23 |
/// | sums of neighbours, rising   | 1.27 0.82 0.75 | slower         |
///
/// Loops over pairs of 2^20 indices take 0.350 and 0.368 ms if groups of 2 and
/// 4 adjacent warps are scattered, 0.333 with single warps. Lambdas over one
/// View of 8-byte values, with 32 registers, are as fast with scattered warps
/// as without (H200, 2026-11-30).
constexpr bool scatters_warps(StreamedTuning const& tuning, bool is_box) {
  return !has_neighbours(tuning) &&
         (is_box || tuning.most_calls == tuning.calls);
}

/// Size of the largest functor that counts as simple: of a View of rank 2 in
/// Kokkos 4. The drop-in passes the View's size, with nvcc 48 bytes in Kokkos
/// 5.0 and 5.2. There a lambda over one View of rank 1 is as large; 8 of its
/// bytes are nvcc's. GB/s of sums by that lambda with limits of 40 and 48 bytes
/// (Kokkos 5.2.2): int8 2155 2691, half 3480 3838, float 4507 4562 (H200, CUDA
/// 13.0, 2026-11-28). Some other functors of 48 bytes lose: see
/// streamed_reduce_shape().
inline constexpr std::size_t simple_functor_bytes = 40;

/// Size of a functor with two three-dimensional Views.
inline constexpr std::size_t small_functor_bytes = 128;

/// A functor larger than this usually is a class with many Views. Each
/// invocation in flight duplicates the long body, so the kernel has two. Over
/// ranges, with values up to 8 bytes, it has 32 registers, as in Kokkos: bodies
/// that loop need many resident threads. Evidence: max_local_bytes().
inline constexpr std::size_t large_functor_bytes = 256;
/// Bytes of local memory that a kernel over a range may use. Normally 8; more
/// with 32 registers:
/// - 64 for large functors;
/// - 24 for lambdas over one View with 8-byte values. Logarithms use 8 and
///   exponentials 16; sines need 40 and run Kokkos' code;
/// - 64 for sums with 20 invocations in flight: only the schedule with 20
///   spills. Counts of peaks of doubles use 24, dot products of doubles into
///   float 16.
constexpr int most_spilled(StreamedTuning const& tuning) {
  bool const many = tuning.most_calls > tuning.calls;
  if (tuning.threads == 512 && tuning.min_blocks == 4) return many ? 24 : 64;
  return tuning.threads == 1024 && many ? 64 : 8;
}

/// StreamedTuning::most_calls for values up to 8 bytes, except with 1024 x 2.
constexpr int box_calls(bool is_box, bool word, std::size_t functor_bytes) {
  if (!is_box || functor_bytes > small_functor_bytes) return 4;
  return word ? 16 : 8;
}

/// GB/s of the strided schedule by threads x blocks, and of 1024 x 2 with
/// neighbours by invocations in flight (H200; neighbours 2026-11-30):
///
/// |       | 1024 x 2 | 512 x 4 | 256 x 8 | neighbours 8 | 16   | 20   | 24   |
/// |-------|----------|---------|---------|--------------|------|------|------|
/// | float | 4538     | 4514    | 4479    |              |      |      |      |
/// | half  | 3630     | 3472    | 3290    | 3982         | 4435 | 4402 | 4405 |
/// | int8  | 2498     | 2345    | 2169    | 2700         | 3025 | 3704 | 3471 |
///
/// Half and int8 in other kernels with neighbours: 4038 and 3463 with 512 x 2,
/// 48 in flight; 3924 and 3352 with groups of eight neighbours, 16 in flight.
/// Products of floats are faster strided (4488) than with more neighbours in
/// flight (4338, 3736). The maximum of 2^24 floats, strided: 2106 with 8, 2013
/// with 16.
///
/// The cap of 32 registers at 1024 x 2 keeps all warps resident. Functors that
/// need more spill; refuse_streamed() rejects a functor whose kernel uses more
/// local memory than most_spilled(). Values of 8 bytes are common in
/// simulations; their kernels have 64 registers, unless the functor is large or
/// no larger than a lambda over one View (32).
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
/// None of these shapes reaches Kokkos' rate down 64 columns. A plain sum needs
/// at most 32 of the 64 registers of 512 x 2, so that four blocks are resident.
///
/// Several accumulators make sums more accurate. Other joins may read memory
/// that the running value points to, as an argmax does; the caches must then
/// hold one element per accumulator (1e8 doubles: 2484 us with four, 363 with
/// one, 736 in Kokkos). One accumulator is as fast for all other joins.
///
/// Functors larger than one two-dimensional View get the shape of values of 8
/// bytes, with 64 registers, and large functors 32. With 32, rows of a sparse
/// matrix and sums over neighbours spill or have few loads in flight. No
/// property tells a functor of several pointers from one with one View: nvcc's
/// host and device passes disagree on whether a class around an extended lambda
/// is trivially copyable.
///
/// A functor no larger than a lambda over one View mostly computes something of
/// each element; one that also captures a number is larger. If it reduces to an
/// 8-byte value, it has 32 registers (four blocks of 512), as in Kokkos, so
/// that all warps are resident: without the cap the compiler gives 40 to roots
/// and quotients. Few of these functors loop over neighbours; those have fewer
/// loads in flight. Functors with several Views keep 64 registers. Evidence:
/// streamed_reduce_shape(). Boxes of several dimensions are processed in tiles.
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
/// of 32. Shared memory has room for at most 700 values above 256 bytes, one
/// per thread; with the cap of 128 registers 512 threads are resident.
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

/// Most values of an array that a thread keeps in registers.
inline constexpr unsigned most_in_registers = 4;

/// Launch shape of a scan by an opaque functor.
struct StreamedScanTuning {
  int threads;     ///< per block: those that invoke the functor
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int items;       ///< neighbouring indices per lane
};

/// Evidence: streamed_scan_rows(). Values above 8 bytes were not measured.
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
