// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LAUNCH_SHAPE_HPP
#define KOKKOSMMA_LAUNCH_SHAPE_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

/// \file
/// Launch shapes. A kernel works with every shape that has whole warps, at most
/// the compiled number of threads, and at most as many blocks as the partial
/// results have room for: if a grid has fewer threads than indices, its threads
/// loop. Figures: NVIDIA H200, CUDA 13.0, 2026-11-21.

namespace KokkosMMA::Impl {

struct LaunchShape {
  unsigned blocks;
  unsigned threads;
};

/// Up to this many indices per multiprocessor, a reduction by an opaque functor
/// has one index per thread, as in Kokkos, so that an expensive functor has as
/// many threads. Plain sums lose a little: 131072 floats take 3.5 us, 3.3 with
/// 8 indices per thread; 270336 elements 16.0 us, 15.5 with a limit of 512
/// (H100, 2026-11-26).
inline constexpr int spread_indices = 2048;
/// Blocks of such ranges have 256 threads. With 512 there are too few blocks
/// for the multiprocessors: 1e5 invocations of hundreds of operations take 99
/// us with 256, 121 with 512, 102 in Kokkos (H100).
inline constexpr int spread_threads = 256;
/// Up to this many 16-byte vectors per multiprocessor, a sum of visible data
/// uses small blocks on all multiprocessors.
inline constexpr int spread_vectors = 2048;
/// Largest number of tiles of a short scan. Its threads have fewer than `items`
/// indices each, so that an expensive functor runs on more threads. 131072
/// floats: 32 tiles 5.0 us, 64 5.5, 128 6.7, 512 8.7.
inline constexpr int spread_tiles = 64;

/// Multiprocessors assumed where the order of operations must not depend on the
/// device: those of an H100 and an H200.
inline constexpr int reference_multiprocessors = 132;

/// Launch of a sum of visible data.
/// \param block_size threads per block; with smaller blocks the grid has more
/// of them, so that the number of threads is the same (except for short ranges)
constexpr LaunchShape mma_reduce_shape(std::uint64_t vectors,
                                       int multiprocessors,
                                       unsigned most_blocks,
                                       int block_size = mma_tuning.threads) {
  auto threads         = unsigned(block_size);
  std::uint64_t blocks = std::uint64_t(multiprocessors) *
                         mma_tuning.min_blocks * (mma_tuning.threads / threads);
  if (vectors <= std::uint64_t(multiprocessors) * spread_vectors) {
    threads = std::min(threads, unsigned(spread_threads));
    blocks  = (vectors + 4 * threads - 1) / (4 * threads);
  }
  return {unsigned(std::clamp<std::uint64_t>(blocks, 1, most_blocks)), threads};
}

/// Launch of a reduction by an opaque functor: one index per thread for short
/// ranges (spread_indices), else as many blocks as can be resident at a time.
///
/// Evidence for streamed_tuning(). It is here because every source with the
/// drop-in parses that header and not this one. With Kokkos 5, functors that
/// hold 48 bytes of pointers count as simple: 2e6 sparse rows of 27 floats take
/// 802 us with 32 registers, 217 with 64, 801 in Kokkos; five-point residuals
/// 880, 744, 875; six arrays 742, 752, 773 (H200, Kokkos 5.2.2, 2026-11-28).
/// Very unequal sparse rows: 4612 us with 32, 2001 with 64 (H100, 2026-11-27).
/// 512 x 2 with 4 in flight for all functors is slower: a sum down 8 columns of
/// floats takes 5047 us instead of 1868, int8 492 instead of 450.
///
/// Rates divided by Kokkos' rate, 8-byte values (H200, CUDA 13.0, Kokkos 5.0.2,
/// 2026-11-30). One View: 2^24 and 2^28 indices. Windows are loops over
/// neighbouring elements; in the table their cost falls along the range:
///
/// | one View     | roots     | quotients | maxima    | logarithms |
/// |--------------|-----------|-----------|-----------|------------|
/// | 64 registers | 0.89 0.85 | 0.86 0.86 | 0.91 0.84 | 1.05 1.17  |
/// | 32 registers | 1.02 0.98 | 1.01 0.98 | 1.05 1.0  | 1.13 1.17  |
///
/// | several Views | quotients | roots | windows | random rows | five-point |
/// |---------------|-----------|-------|---------|-------------|------------|
/// | 64 registers  | 1.04      | 0.91  | 1.16    | 1.16        | 1.54       |
/// | 40 registers  | 1.26      | 0.99  | 0.88    | 0.90        | 1.20       |
/// | 256 x 4       | 1.13      | 0.98  | 1.03    | 0.95        | 1.29       |
///
/// One View, 2^20, 2^22 and 2^24 indices: windows 1.24 1.25 1.16 with 64
/// registers, 0.97 1.05 1.03 with 32; all work in the last 1/16 1.28 1.32 1.47
/// with 64, 0.94 0.72 0.68 with 32.
///
/// Boxes of several dimensions: GB/s of 512 x 2 by invocations in flight, from
/// LayoutLeft and LayoutRight Views (H200, CUDA 13.0, Kokkos 5.2.2,
/// 2026-11-28):
///
/// | box       | float, 4  | 8         | 16        | double, 4 | 8         |
/// |-----------|-----------|-----------|-----------|-----------|-----------|
/// | 16384^2   | 3548 3288 | 3961 3559 | 4089 3937 | 4049 3652 | 4215 4063 |
/// | 640^3     | 3057 2391 | 3901 3245 | 3901 3523 | 4090 3535 | 4175 4007 |
/// | 700 x 900 |           |           | 172 180   |           | 386 383   |
///
/// Kokkos: 16384^2 434 524, doubles 801 769; 640^3 362 269, doubles 682 520;
/// 700 x 900 152 155, doubles 318 273. Without tiles, sums of Views of the
/// other layout reach 157 (float) and 314 (double).
constexpr LaunchShape streamed_reduce_shape(StreamedTuning const& tuning,
                                            std::uint64_t size,
                                            int multiprocessors,
                                            int resident_blocks,
                                            unsigned most_blocks) {
  auto const processors = static_cast<std::uint64_t>(multiprocessors);
  auto const clamped    = [&](std::uint64_t blocks) {
    return unsigned(std::clamp<std::uint64_t>(blocks, 1, most_blocks));
  };
  if (size <= processors * spread_indices) {
    auto const threads = unsigned(std::min(spread_threads, tuning.threads));
    return {clamped((size + threads - 1) / threads), threads};
  }
  return {clamped(processors * resident_blocks), unsigned(tuning.threads)};
}

KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Schedules. The first is used where no times are measured.
struct CallOrders {
  CallOrder all[5];
  int count;

  constexpr CallOrder operator[](int order) const { return all[order]; }
};

/// Schedules of a kernel. Evidence: GB/s of kernels for 8-byte running values,
/// 512 x 2, by element type (H100, CUDA 13.0, 2026-11-27; Kokkos: int8 1989):
///
/// | in flight     | double | rows of four doubles | float | half | int8 |
/// |---------------|--------|----------------------|-------|------|------|
/// | 2             | 3134   | 3135                 | 2899  | 2129 | 1277 |
/// | 8             | 3116   | 3042                 | 3063  | 2693 | 2148 |
/// | 8, neighbours | 3114   | 2935                 | 3102  | 2756 | 2115 |
///
/// Kernels for 4-byte running values, 8 in flight, strided and with four
/// neighbours: half 2790 2967, int8 2243 2408, float 3076 3121. Slower with
/// neighbours are rows of four floats (3117 2067), whose lines no longer fit in
/// L1, six arrays of floats (3073 2257) and sums down 8 columns (928 328). The
/// library does not know what an opaque functor reads.
///
/// \param is_box several dimensions, processed in tiles
/// \param subranges number of subranges per part
constexpr CallOrders call_orders(StreamedTuning const& tuning,
                                 bool is_box = false, unsigned subranges = 1) {
  CallOrders orders{{}, 1};
  bool const most = tuning.most_calls > tuning.calls && !is_box;
  bool const near = has_neighbours(tuning) || is_box;
  auto const add  = [&](CallOrder const& order) {
    orders.all[orders.count++] = order;
  };
  if (most || near) add({.most_calls = most, .neighbours = near});
  add({.most_calls = most, .free_running = true});
  if (subranges > 1)
    for (bool const from_end : {false, true})
      add({.most_calls   = most,
           .free_running = true,
           .one_each     = true,
           .from_end     = from_end});
  else if (scatters_warps(tuning, is_box))
    add({.most_calls = most, .free_running = true, .scattered_warps = true});
  for (int k = 0; k < orders.count; ++k)
    orders.all[k].subranges = static_cast<unsigned char>(subranges);
  return orders;
}

KOKKOSMMA_IMPL_DESIGNATORS_END

/// Largest number of subranges per multiprocessor (may_divide_parts()).
inline constexpr unsigned divided_subranges = 8;
/// Fewest indices of a range whose parts are divided, with up to two resident
/// blocks.
inline constexpr std::uint64_t divided_indices = std::uint64_t(1) << 20;
/// The same with three. Dot products and maxima of doubles have three: of 2^22
/// they take 25.1 and 13.7 us with whole parts, 26.0 and 14.9 divided; of 2^24
/// the same.
inline constexpr std::uint64_t divided_of_three = std::uint64_t(1) << 23;

/// Number of subranges of a part. One block per subrange balances the
/// multiprocessors.
///
/// Rates divided by Kokkos' rate, with undivided parts and with one block per
/// subrange (H200, CUDA 13.0, Kokkos 5.0.2, 2026-11-30; 2^22 and 2^24 indices):
///
/// | invocations          | double: whole, divided | float: whole, divided |
/// |----------------------|------------------------|-----------------------|
/// | windows, rising      | 0.78 0.75, 1.18 1.36   | 0.96 0.77, 1.18 1.29  |
/// | windows, falling     | 0.80 0.86, 1.33 1.58   | 0.80 0.69, 1.30 1.43  |
/// | square roots, rising | 1.03, 1.26             | 1.29, 1.33            |
/// | all in the last 1/16 | 0.65, 1.40             |                       |
///
/// Rejected, with the rates of rising windows:
/// - starting from the first subrange only: 1.03 1.14;
/// - the same with 16 subranges per multiprocessor: 1.09 1.26, but sums of 2^22
///   doubles take 18.0 us instead of 16.4;
/// - Kokkos' 1056 blocks of 256 threads: 1.03 1.04, but five-point residuals of
///   8192^2 doubles take 377 us instead of 229; with as many registers as the
///   compiler chooses, rows of 27 of a sparse matrix 423 us instead of 296.
///
/// A block's join takes 1.3 us. So kernels with up to 32 registers, boxes and
/// values above 8 bytes have whole parts; dividing these would change sums of
/// 2^20 doubles from 10.6 to 14.6 us, maxima of 2^22 floats from 12.9 to 18.7,
/// boxes of 2048^2 doubles from 13.5 to 18.4. Dividing costs some kernels time,
/// us whole and divided: six arrays of 2^23 doubles 101 105 (Kokkos 109), of
/// floats 55 61 (65), an array of six Views, 2^20 floats, 12 17 (17.5).
/// Divided kernels have no scattered warps: with that code sums of doubles
/// would have 38 registers, 8 more, and one resident block less.
///
/// \param resident_blocks per multiprocessor
constexpr unsigned subranges_of_part(StreamedTuning const& tuning, bool is_box,
                                     std::uint64_t places,
                                     LaunchShape const& shape,
                                     unsigned resident_blocks) {
  if (is_box || !may_divide_parts(tuning) ||
      places < (resident_blocks > 2 ? divided_of_three : divided_indices) ||
      shape.threads != unsigned(tuning.threads) ||
      resident_blocks * shape.threads >= 2048 || shape.blocks == 1)
    return 1;
  return divided_subranges / std::max(resident_blocks, 1u);
}

/// Number of schedules to measure; 1 if no thread has two invocations, so that
/// nothing is measured. For ranges with more than one invocation per thread and
/// up to 2^20 indices, another schedule takes 0.73 to 0.85 of the first one's
/// time for triangular loops and 0.85 to 1.0 for rows of power-law length;
/// plain sums of 14 us are not slowed by measuring (doubles, H200, 2026-11-28).
constexpr int orders_to_measure(CallOrders const& orders, std::uint64_t places,
                                LaunchShape const& shape) {
  return places <= std::uint64_t(shape.blocks) * shape.threads ? 1
                                                               : orders.count;
}

/// Whether a range keeps the first schedule if that takes less than
/// LaunchChooser::short_launch: true for kernels with two invocations in flight
/// (values up to 8 bytes), except those of large functors, and 2048 resident
/// threads per multiprocessor. Times near 10 us depend on whether the host
/// waited before the call, so they cannot decide. Sums and dot products of 2^20
/// doubles took 11.6 and 12.7 us with the first schedule, 13.7 and 14.4 with
/// what the clock chose (H200, 2026-11-30).
/// \param resident_blocks per multiprocessor
constexpr bool keeps_first_if_short(StreamedTuning const& tuning, bool is_box,
                                    int resident_blocks) {
  return !is_box && tuning.calls == 2 && tuning.most_calls > 2 &&
         resident_blocks * tuning.threads >= 2048;
}

/// Class of the sizes that share a choice of the schedule, eight per power of
/// two: a launch that is slower than others of its class has other data.
/// \param fixed level device_independent, which has fewer schedules
constexpr unsigned order_class(std::uint64_t size, bool fixed) {
  int const octave = std::bit_width(size);
  return (unsigned(octave) * 8 + unsigned(size >> (octave - 4) & 7)) * 2 +
         unsigned(fixed);
}

/// Launch of a reduction that is the same on every device. It has several waves
/// of the blocks resident on an H100: the last, incomplete wave then costs
/// little on other devices. GB/s with 1, 2, 3, 5, 7, 10 and 15 waves: sums of
/// 2^29 floats 4592, 4594, 4600, 4589, 4591, 4545 and 4536; of 2^28 doubles
/// 4423 to 4450 with 1 to 7 (H200, CUDA 13.0, 2026-11-26).
/// \param calls fewest indices per thread with more than one wave
constexpr LaunchShape fixed_reduce_shape(StreamedTuning const& tuning,
                                         std::uint64_t size,
                                         unsigned most_blocks,
                                         int most_waves      = 7,
                                         std::uint64_t calls = 64) {
  constexpr int resident_threads = 2048;
  int const resident             = resident_threads / tuning.threads;
  LaunchShape shape              = streamed_reduce_shape(
                   tuning, size, reference_multiprocessors, resident, most_blocks);
  if (shape.threads != unsigned(tuning.threads)) return shape;
  std::uint64_t const wave =
      std::uint64_t(reference_multiprocessors) * resident_threads;
  std::uint64_t const most =
      std::min<std::uint64_t>(unsigned(most_waves), most_blocks / shape.blocks);
  shape.blocks *=
      unsigned(std::clamp<std::uint64_t>(size / (wave * calls), 1, most));
  return shape;
}

struct ArrayShape {
  LaunchShape launch;
  ArrayLayout layout;

  constexpr int shared_bytes() const {
    return int(layout.callers * layout.stride);
  }
};

/// Shared memory of a block besides its arrays: 1 KB for the system from
/// compute capability 8.0 on, and the kernel's static variables.
inline constexpr int array_block_bytes = 1024 + 256;

/// Block size for which the number of resident threads is queried.
inline constexpr int array_facts_threads = 128;

/// Bytes between the arrays of neighbouring threads. An odd number of units
/// avoids bank conflicts.
constexpr std::size_t array_stride(std::size_t value_bytes,
                                   std::size_t alignment) {
  std::size_t const unit = std::max<std::size_t>(alignment, 4);
  return ((value_bytes + unit - 1) / unit | 1) * unit;
}

/// Shared memory of a multiprocessor for running arrays, and for values above
/// 64 bytes. The rest of 256 KB is L1, which holds rows until their lines are
/// used up. Dot products of 64 columns of 2^21 doubles, LayoutLeft and
/// LayoutRight: 916 and 1171 us with 128 KB, 818 and 1127 with 164, 807 and
/// 1167 with 196, 795 and 2061 with 228; no difference for 16 columns (H100,
/// 2026-11-26).
inline constexpr int array_pool_bytes = 196 * 1024;

/// Launch of a reduction with running values in shared memory: as many threads
/// as shared memory has room for, in as few blocks as the kernel allows. Blocks
/// of short ranges have fewer threads, one per index.
/// \param shared_bytes maximum per block
/// \param resident_threads per multiprocessor, limited by registers
constexpr ArrayShape array_reduce_shape(ArrayTuning const& tuning,
                                        unsigned count, std::size_t stride,
                                        std::uint64_t size, int multiprocessors,
                                        int shared_bytes, int resident_threads,
                                        unsigned most_blocks) {
  // A multiprocessor has 1 KB more than a block's maximum, for the system.
  int const pool  = std::min(array_pool_bytes, shared_bytes + 1024);
  int const bytes = int(stride);
  int const most_threads =
      std::max(1, std::min(resident_threads, pool / bytes));
  int const resident = (most_threads + tuning.threads - 1) / tuning.threads;
  int callers        = std::min(most_threads / resident,
                                (pool / resident - array_block_bytes) / bytes);
  callers            = std::max(1, std::min(callers, tuning.threads));
  if (callers >= 32) callers = callers / 32 * 32;

  auto const processors = std::uint64_t(multiprocessors);
  auto const parts      = [size](std::uint64_t of) {
    return size / of + (size % of != 0);
  };
  std::uint64_t const of_each = parts(processors);
  if (size > 0 && of_each < std::uint64_t(callers))
    callers = std::min(callers, (int(of_each) + 31) / 32 * 32);
  auto const blocks = unsigned(std::clamp<std::uint64_t>(
      parts(std::uint64_t(callers)), 1,
      std::min<std::uint64_t>(most_blocks, processors * resident)));
  // Threads without an index have no value to join.
  if (blocks == 1 && size < std::uint64_t(callers))
    callers = int(std::max<std::uint64_t>(size, 1));
  return {{blocks, unsigned(callers + 31) / 32 * 32},
          {count, unsigned(stride), unsigned(callers)}};
}

/// Launch of an array reduction that is the same on every device. Blocks use at
/// most the shared memory that every kernel may have; four fit on an H100's
/// multiprocessor.
constexpr ArrayShape fixed_array_shape(ArrayTuning const& tuning,
                                       unsigned count, std::size_t stride,
                                       std::uint64_t size,
                                       unsigned most_blocks) {
  constexpr int shared_bytes = 46 * 1024;
  return array_reduce_shape(tuning, count, stride, size,
                            4 * reference_multiprocessors, shared_bytes,
                            tuning.threads, most_blocks);
}

/// Indices per thread in a tile of a scan by an opaque functor.
///
/// Evidence of streamed_scan_tuning(): GB/s read plus written, 2^28 elements
/// (copy 4225), functors with bare pointers and 32-bit indices.
///
/// | threads x blocks, items | float | half | int8 |
/// |-------------------------|-------|------|------|
/// | 256 x 5, 16             | 3680  | 3298 | 3074 |
/// | 480 x 3, 16             | 3667  | 3209 | 2960 |
/// | 256 x 4, 16             | 3503  | 3082 | 2874 |
/// | 512 x 2, 20             | 3590  | 3087 | 2754 |
/// | 480 x 4, 8              | 3487  | 2990 | 2688 |
///
/// double with 8 items: 3595 with 256 x 4, 3757 with 384 x 3, 3818 with 512 x
/// 2, 3075 with 512 x 3, which spills (Kokkos 830); with 16 items 3642 with 256
/// x 3. With Views and 64-bit indices (perf_scan, 2^30), the 40 registers of
/// 256 x 5 spill 16 bytes. 224 x 5 may have 48 and is faster: half 3190 instead
/// of 3137, int8 2959 instead of 2891, float 3627 instead of 3623. If 256 x 5
/// does not spill, exclusive scans of float, half and int8 reach 3611 3227 2976
/// (224 x 5: 3546 3117 2894). Inclusive scans of half then reach 2019 instead
/// of 2179: they load 82 KB twice, and L1 has 60 KB. So 224 x 5 stays
/// (2026-11-30).
constexpr unsigned streamed_scan_rows(StreamedScanTuning const& tuning,
                                      std::uint64_t size) {
  std::uint64_t const spread = std::uint64_t(tuning.threads) * spread_tiles;
  return unsigned(
      std::clamp<std::uint64_t>((size + spread - 1) / spread, 1, tuning.items));
}

/// Device properties that may determine the order of operations. At level
/// run_to_run they come from the device, else from a reference device. A grid
/// for the reference device runs on any device: its threads loop over the
/// indices, and blocks beyond the resident ones wait.
struct LaunchLayout {
  int multiprocessors;
  TuningTable const& tuning;
  bool fixed;  ///< the same for all devices

  /// Shape of the launch of a reduction by an opaque functor.
  constexpr LaunchShape streamed_reduce(StreamedTuning const& tuned,
                                        std::uint64_t size, int resident,
                                        unsigned most_blocks) const {
    return fixed ? fixed_reduce_shape(tuned, size, most_blocks)
                 : streamed_reduce_shape(tuned, size, multiprocessors, resident,
                                         most_blocks);
  }
  constexpr unsigned subranges(StreamedTuning const& tuned, bool is_box,
                               std::uint64_t places, LaunchShape const& shape,
                               int resident) const {
    return fixed ? 1
                 : subranges_of_part(tuned, is_box, places, shape,
                                     unsigned(resident));
  }
  /// Resident blocks per multiprocessor: as the runtime reports, or as the
  /// kernel's launch bounds guarantee.
  constexpr int blocks(int resident, int min_blocks) const {
    return fixed ? min_blocks : resident;
  }
};

}  // namespace KokkosMMA::Impl

#endif
