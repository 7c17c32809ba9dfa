// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEGMENTED_REDUCE_HPP
#define KOKKOSMMA_CUDA_SEGMENTED_REDUCE_HPP

#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentAgents.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>

/// \file
/// One-pass reduction of equal segments: the kernel for each length.

namespace KokkosMMA::Impl::Cuda {

template <class Segments, Scalar Input, class Store>
struct SegmentLaunch {
  using Value = typename Segments::Value;

  Stream const& space;
  Store const& store;

  template <class Agent>
  int resident_blocks(int shared = 0) const {
    return kernel_facts(space.device, &reduce_segments<Agent, Store>,
                        Agent::threads, std::size_t(shared))
        .resident_blocks;
  }

  /// Limit of the waves of resident blocks. A larger grid is replaced by
  /// `rounds` waves, whose blocks loop over tiles.
  ///
  /// Time with one wave over that with 4, 16 and any number, 2^30 bytes (16
  /// waves, 2^26 bytes), H100, CUDA 13.0, 2026-11-27:
  ///
  ///   segments of     33                    127              1000
  ///   float   1.02 1.05 1.09 (1.07)  1.01 1.04 1.10 (1.10)  1.01 1.03 1.04
  ///   double  1.00 1.03 1.07 (1.06)  1.01 1.03 1.10 (1.10)  1.01 1.02 1.02
  ///   half    1.03 1.07 1.10 (1.09)  1.01 1.05 1.06 (1.07)  1.01 1.05 1.10
  ///   int8    1.03 1.07 1.04 (1.07)  1.00 1.05 1.09 (1.08)  1.01 1.05 1.10
  ///
  /// H200, with 16 and any number: float 1.07 1.08, 1.06 1.08, 1.02 1.03; half
  /// 1.08 1.07, .95 .83, 1.06 1.07; int8 .96 .81, .93 .87, 1.06 1.06, and with
  /// 4 .99, .98, 1.01. Where additions are the limit, as with bytes there, more
  /// warps cost time; but the last of few waves is half empty (2^26 bytes of
  /// int8 in segments of 33: with 4 .92, with 16 .94).
  static constexpr int most_rounds = 16;
  static constexpr int rounds      = size_of(Input) > 1 ? most_rounds : 4;

  template <class Agent>
  void launch(typename Agent::Task const& task, std::uint64_t warps,
              int resident, int shared = 0) const {
    std::uint64_t const round =
        std::uint64_t(device(space.device).multiprocessors) * resident;
    constexpr int threads = Agent::threads;
    std::uint64_t blocks  = (warps * 32 + threads - 1) / threads;
    if (blocks > round * most_rounds) blocks = round * rounds;
    launch_kernel(space, "segmented reduction", &reduce_segments<Agent, Store>,
                  {unsigned(blocks), threads, shared}, task, store);
  }

  /// Launches one tile per warp. Time over that of resident blocks that loop
  /// over all tiles: 2^30 bytes .98 to .99 (H100 .96 to .98), 2^26 bytes in
  /// segments of 16 to 256 elements: float .73 to .91, half .63 to .71, int8
  /// .66 to .79 (H200, CUDA 13.0, 2026-11-27).
  void rows(typename RowSegments<Segments, Input>::Task const& in) const {
    using Agent                  = RowSegments<Segments, Input>;
    constexpr int tile           = 32 * segment_rows;
    std::uint64_t const vectors  = in.count * in.vectors;
    std::uint64_t const tiles    = (vectors + tile - 1) / tile;
    constexpr int tiles_of_block = Agent::threads / 32;
    launch_kernel(space, "segmented reduction", &reduce_segments<Agent, Store>,
                  {unsigned(std::max<std::uint64_t>(
                       (tiles + tiles_of_block - 1) / tiles_of_block, 1)),
                   Agent::threads},
                  in, store);
  }

  void staged(unsigned char const* x, std::uint64_t size, int length) const {
    using Agent                      = StagedSegments<Segments>;
    constexpr SegmentedTuning tuning = segmented_tuning;
    constexpr int shared =
        tuning.warps * WarpStages<tuning.stages, tuning.tile_bytes>::bytes;
    auto const [per_tile, lanes] = share_tile(
        length, tuning.tile_bytes,
        1 << std::countr_zero(16u | unsigned(length) |
                              unsigned(reinterpret_cast<std::uintptr_t>(x))));
    std::uint64_t const bytes = std::uint64_t(per_tile) * length;
    typename Agent::Task const in{x,      size,     (size + bytes - 1) / bytes,
                                  length, per_tile, lanes};
    launch<Agent>(in, in.tiles, resident_blocks<Agent>(shared), shared);
  }

  struct Shares {
    int per_tile;  ///< segments
    int lanes;     ///< per segment
  };

  /// Layout of a tile on a warp with the fewest cycles per byte. Per cycle, a
  /// multiprocessor issues 4 instructions and serves 128 bytes of shared
  /// memory; lanes that hit the same bank are served one after the other.
  static Shares share_tile(int length, int tile_bytes, int aligned) {
    constexpr int element = size_of(Input);
    bool const masked =
        aligned < 8 && length >= Segments::Streamed::masked_bytes;
    int const width =
        masked ? 16 : std::max(aligned < 4 ? 0 : aligned, element);
    int const instructions = 2 * (width / element) + 2;
    int const reads        = length / width + masked;
    int const served       = std::min(128 / width, 32);
    int const fit          = tile_bytes / length;
    // Estimates, not measurements: cost of a tile without its rounds (the wait
    // for its copy, the start of the next one), and of a round without its
    // reads (bounds of segments, stores). Half or twice of either changes the
    // choice for at most 14 % of the lengths up to 2048 bytes.
    constexpr int per_tile_cycles = 60;
    constexpr int per_round       = 20;  // instructions
    Shares best{1, 1};
    double least        = 1e30;
    auto const consider = [&](int per_tile, int lanes) {
      int const at_once = 32 / lanes;
      int const rounds  = (per_tile + at_once - 1) / at_once;
      int const steps   = (reads + lanes - 1) / lanes;
      // Lanes whose reads are served together, and the banks they may hit.
      int const groups = std::max(served / lanes, 1);
      int const places =
          std::max(1, std::min(128 / std::gcd(length, 128), groups));
      int const conflict  = (groups + places - 1) / places;
      int const exchanges = std::countr_zero(unsigned(lanes));
      double const cycles =
          per_tile_cycles +
          rounds * ((steps * instructions + 2 * exchanges + per_round) / 4. +
                    steps * (32. / served) * conflict);
      double const per_byte = cycles / (double(per_tile) * length);
      if (per_byte >= least) return;
      least = per_byte;
      best  = {per_tile, lanes};
    };
    for (int lanes = 1; lanes <= 32; lanes *= 2) {
      int const at_once = 32 / lanes;
      consider(fit, lanes);
      if (fit >= at_once) consider(fit / at_once * at_once, lanes);
    }
    return best;
  }

  void long_parts(unsigned char const* x, std::uint64_t size,
                  std::uint64_t length, std::uint64_t count) const {
    using Agent               = LongSegments<Segments, Input>;
    int const resident        = resident_blocks<Agent>();
    LaunchLayout const layout = launch_layout(space);
    std::uint64_t const warps = std::uint64_t(layout.multiprocessors) *
                                layout.blocks(resident, Segments::min_blocks) *
                                (Agent::threads / 32);
    constexpr std::uint64_t tile_bytes = 512 * segment_rows;
    std::uint64_t const tiles          = (length + tile_bytes - 1) / tile_bytes;
    // Number of parts with the fewest tiles for the busiest warp, where each
    // part costs about one more. Long segments have at least 4, so that
    // neighbouring warps read neighbouring tiles (128 and 256 KB: half 4166 and
    // 4212, in one and two parts 3783 and 3970; float 4329 and 4337, 4046 and
    // 4118; double 4346 and 4359, 4055 and 4120). 64 KB are one part.
    std::uint64_t const fewest = length >= 128 * 1024 ? 4 : 1;
    typename Agent::Task in{x, size, length, count, 1};
    std::uint64_t least = ~std::uint64_t(0);
    auto const consider = [&](std::uint64_t parts) {
      parts = std::clamp<std::uint64_t>(parts, fewest, tiles);
      std::uint64_t const waves   = (count * parts + warps - 1) / warps;
      std::uint64_t const busiest = waves * ((tiles + parts - 1) / parts + 1);
      if (busiest >= least) return;
      least    = busiest;
      in.parts = unsigned(parts);
    };
    for (std::uint64_t parts = fewest; parts <= 32; ++parts) consider(parts);
    for (std::uint64_t waves = 1; waves <= 8; ++waves)
      consider(std::min(waves * warps / count, warps));
    in.units = count * in.parts;
    std::optional<StreamScratch> scratch;
    if (in.parts > 1) {
      scratch.emplace(space);
      in.done = (*scratch)->counters(count);
      in.partials =
          static_cast<Value*>((*scratch)->segments(in.units * sizeof(Value)));
    }
    launch<Agent>(in, in.units, resident);
  }
};

/// Combines every segment of x and calls store(segment, value) in one thread
/// for each, on the stream of `space`.
/// \pre one segment or more
template <class Segments, Scalar Input, class Store>
void launch_segments(Stream const& space, void const* x,
                     EqualSegments const& segments, Store const& store) {
  check(cudaSetDevice(space.device), "cudaSetDevice");
  SegmentLaunch<Segments, Input, Store> const launch{space, store};
  auto const* const data   = static_cast<unsigned char const*>(x);
  std::uint64_t const size = segments.size * size_of(Input);
  std::uint64_t const length =
      std::min(segments.length, segments.size) * size_of(Input);
  bool const aligned =
      reinterpret_cast<std::uintptr_t>(x) % 16 == 0 && length % 16 == 0;
  if (aligned && std::has_single_bit(length) && length <= 512 * segment_rows)
    launch.rows({data, size / length, int(length / 16), int(size % length),
                 length <= kept_bytes});
  else if (segments_are_tiny(length / size_of(Input), length))
    launch_tiny_segments<typename Segments::Join, Input,
                         typename Segments::Value>(space, x, segments, store);
  else if (2 * length > segmented_tuning.tile_bytes)
    // A tile with one segment would be half empty.
    launch.long_parts(data, size, length, segments.count());
  else
    launch.staged(data, size, int(length));
}

template <Operation Op, Scalar Input, class Value, class Store>
void launch_segmented_reduce(Stream const& space, void const* x,
                             EqualSegments const& segments,
                             Store const& store) {
  launch_segments<WarpSegmentsStreamed<Warp, Op, Input, Value>, Input>(
      space, x, segments, store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
