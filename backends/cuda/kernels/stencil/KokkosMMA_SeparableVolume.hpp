// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamMemory.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencil.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <optional>
#include <utility>
#include <vector>

/// \file
/// Outer products of three vectors: the sums within each plane, by the kernels
/// of two dimensions, go into memory of the call, and the sums of those along
/// the planes to the sink. Both passes are bound by memory, where one kernel
/// with planes in shared memory had to sum up a tile's surroundings again.

namespace KokkosMMA::Impl::Cuda {

/// The sums within planes, those around the results too, one behind the other.
/// Rows have room for what vectors touch beside them.
template <class A>
struct PlaneMemory {
  A* data;  ///< column 0 of the first one
  std::int64_t row_stride;
  std::int64_t plane_stride;
  int shift;  ///< elements from a 16-byte line to the start of a row
  /// The first one stands for so many that are the same before it, the last one
  /// for all behind it.
  std::int64_t same, last;
};

template <class A, int MaxRadius>
struct PlaneSumsTask {
  A const* data;
  std::int64_t row_stride;
  std::int64_t plane_stride;
  std::int64_t first;  ///< plane of the results
  std::int64_t planes, rows, columns;
  std::int64_t piece;  ///< planes of a block
  unsigned blocks;     ///< that have a piece
  unsigned warps_of_row;
  int shift;
  std::int64_t same, last;  ///< as of PlaneMemory
  SeparableFactors<A, MaxRadius, false> along_planes;
};

/// A block is a warp: rows of planes are short, and of wide strips many lanes
/// have no columns. 10^9 sums per second, 640^3, radius 3, constants and ghost
/// cells, with 128, 64 and 32 threads: float 198, 223, 222 and 131, 161, 182;
/// half 235, 263, 278 and 155, 191, 225. Radius 16: float 65, 69, 67 (H200,
/// CUDA 13.0, 2026-11-24).
template <class A, class Element, int MaxRadius, bool Aligned>
struct WithinPlanesTuning : SeparableTuning<A, Element, A, MaxRadius> {
  using Base                      = SeparableTuning<A, Element, A, MaxRadius>;
  static constexpr int threads    = MaxRadius <= 8 ? 32 : 64;
  static constexpr int min_blocks = (MaxRadius <= 4   ? 512
                                     : MaxRadius <= 8 ? 384
                                                      : 256) /
                                    threads;
  // Bytes anywhere spill unless a batch is a whole stage of 16 rows. (Where
  // they begin with lines that costs much: 35 instead of 57.)
  static constexpr bool is_large  = MaxRadius > 8 && Base::V > 2 && !Aligned;
  static constexpr int stage_rows = is_large ? 16 : Base::stage_rows;
  static constexpr int stages     = is_large ? 2 : Base::stages;
  static constexpr int batch      = is_large ? 16 : Base::batch;
};

/// Of both directions the same radius. With kernels of any radius, constants
/// and ghost cells, float: r = 3 222 and 182, here 234 and 222; r = 5 151 and
/// 118, here 197 and 174; r = 7 133 and 108, here 175 and 134. By the stages of
/// a piece:
///
/// |             |   4 |   8 |  16 |             |   4 |   8 |  16 |
/// |-------------|----:|----:|----:|-------------|----:|----:|----:|
/// | float r = 3 | 234 | 225 | 221 | uint8 r = 3 | 322 | 344 | 330 |
/// | float r = 5 | 198 | 195 | 192 | half r = 5  | 219 | 234 | 231 |
/// | float r = 7 | 148 | 161 | 175 | half r = 7  | 148 | 161 | 180 |
/// | ghost r = 5 | 159 | 174 | 182 | half r = 3  | 307 | 297 | 288 |
///
/// A third stage at r = 7: float 148 instead of 161.
template <class A, class Element, int Radius>
struct WithinPlanesOfRadius : WithinPlanesTuning<A, Element, Radius, true> {
  static constexpr int stage_rows = 2 * Radius + 1;
  static constexpr int stages     = Radius <= 2 ? 4 : Radius <= 4 ? 3 : 2;
  static constexpr int low_piece_rows(int) {
    constexpr int of_piece = Radius >= 5                           ? 16
                             : Radius == 4 || sizeof(Element) == 1 ? 8
                                                                   : 4;
    return of_piece * stage_rows - 2 * Radius;
  }
};

/// Float and uint8 of radius 5, then 7, by what a lane reads at once, threads,
/// blocks of a multiprocessor, batch:
///
/// |                    |   float |   uint8 |
/// |--------------------|--------:|--------:|
/// | 16 bytes 192, 2, 4 | 192 175 | 230 158 |
/// | 16 bytes 128, 3, 8 | 206 187 | 255 169 |
/// | 16 bytes 128, 3, 6 | 201 183 | 246 166 |
/// | 8 bytes 256, 3, 8  | 208 189 | 225 155 |
/// | 8 bytes 256, 2, 8  | 192 176 | 204 146 |
///
/// Up to radius 4, half, 4 and 8 planes of a batch: 216 and 225 at radius 3.
template <class A, int MaxRadius>
struct PlaneSumsTuning {
  static constexpr int V          = (MaxRadius <= 8 ? 16 : 8) / int(sizeof(A));
  static constexpr int threads    = MaxRadius <= 4   ? 256
                                    : MaxRadius <= 8 ? 128
                                                     : 192;
  static constexpr int warps      = threads / 32;
  static constexpr int min_blocks = MaxRadius == 8 ? 3 : 2;
  static constexpr int batch      = 8;
};

/// Each lane marches along the planes with V elements of a row.
template <class A, int MaxRadius, bool VectorSink, class Sink>
__global__ void __launch_bounds__((PlaneSumsTuning<A, MaxRadius>::threads),
                                  (PlaneSumsTuning<A, MaxRadius>::min_blocks))
    sum_planes(PlaneSumsTask<A, MaxRadius> const task, Sink const sink) {
  using Tuned           = PlaneSumsTuning<A, MaxRadius>;
  constexpr int V       = Tuned::V;
  constexpr int batch   = Tuned::batch;
  constexpr int bytes   = V * int(sizeof(A));
  constexpr int aligned = bytes < 16 ? bytes : 16;
  __shared__ A of_warps[VectorSink ? 1 : Tuned::warps]
                       [VectorSink ? 1 : 32 * padded_lane<V>];

  int const lane = int(threadIdx.x % 32);
  int const warp = int(threadIdx.x / 32);
  std::int64_t const line =
      std::int64_t(blockIdx.x % task.blocks) * Tuned::warps + warp;
  std::int64_t const row = line / task.warps_of_row;
  if (row >= task.rows) return;
  std::int64_t const column =
      (line % task.warps_of_row * 32 + lane) * V - task.shift;
  bool const exists        = column < task.columns;
  std::int64_t const begin = blockIdx.x / task.blocks * task.piece;
  std::int64_t const end   = min(begin + task.piece, task.planes);
  int const radius         = task.along_planes.radius;
  int const steps          = int(end - begin) + 2 * radius;
  // Before these steps and behind them a plane stands for the next one too.
  int const first_move =
      int(min(max(task.same - begin, std::int64_t(0)), std::int64_t(steps)));
  int const end_of_moves =
      int(min(task.same + task.last - begin, std::int64_t(steps)));
  A const* from =
      task.data + (clamp_to(begin - task.same, task.last) * task.plane_stride +
                   row * task.row_stride + column);

  ColumnSums<A, MaxRadius, V, batch> sums;
  sums.clear();
#pragma unroll 1
  for (int first_step = 0; first_step < steps; first_step += batch) {
    Registers<A, V> planes[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      int const step = first_step + b;
      planes[b]      = {};
      if (exists && step < steps)
        memcpy(
            &planes[b],
            __builtin_assume_aligned(static_cast<void const*>(from), aligned),
            sizeof(planes[b]));
      if (step >= first_move && step < end_of_moves) from += task.plane_stride;
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      int const step = first_step + b;
      sums.push(b, planes[b], task.along_planes);
      if (step >= 2 * radius && step < steps) {
        std::int64_t const at[3] = {task.first + begin + step - 2 * radius, row,
                                    column};
        put_sums<V, VectorSink>(sink, at, column, 0, task.columns, sums.slot[b],
                                of_warps[VectorSink ? 0 : warp]);
      }
    }
    sums.next_batch();
  }
}

template <class A, int MaxRadius, bool VectorSink, class Sink>
void launch_sum_planes(Kokkos::Cuda const& space,
                       PlaneSumsTask<A, MaxRadius> task, Sink const& sink) {
  using Tuned             = PlaneSumsTuning<A, MaxRadius>;
  auto const kernel       = &sum_planes<A, MaxRadius, VectorSink, Sink>;
  constexpr int of_warp   = 32 * Tuned::V;
  std::int64_t const line = task.columns + task.shift;
  task.warps_of_row       = unsigned((line + of_warp - 1) / of_warp);
  task.blocks = unsigned((task.rows * task.warps_of_row + Tuned::warps - 1) /
                         Tuned::warps);
  KernelFacts const facts =
      kernel_facts(space.cuda_device(), kernel, Tuned::threads, 0);
  std::int64_t const resident =
      std::int64_t(device(space.cuda_device()).multiprocessors) *
      std::max(facts.resident_blocks, 1);
  task.piece = tall_block_height(task.planes, task.blocks, resident,
                                 2 * task.along_planes.radius);
  std::int64_t const blocks =
      (task.planes + task.piece - 1) / task.piece * task.blocks;
  launch_kernel(space, "sum_planes", kernel,
                {unsigned(blocks), Tuned::threads, 0}, task, sink);
}

/// Sums along the planes, of so many results from plane `first` on.
template <class A, class Sink>
void launch_sums_of_planes(Kokkos::Cuda const& space,
                           PlaneMemory<A> const& memory,
                           std::vector<double> const& factors,
                           std::int64_t const (&extent)[3], std::int64_t first,
                           std::int64_t planes, Sink const& sink) {
  with_largest_radius(factors.size() / 2, [&](auto largest) {
    constexpr int max_radius = decltype(largest)::value;
    PlaneSumsTask<A, max_radius> task{};
    task.data         = memory.data;
    task.row_stride   = memory.row_stride;
    task.plane_stride = memory.plane_stride;
    task.first        = first;
    task.planes       = planes;
    task.rows         = extent[1];
    task.columns      = extent[2];
    task.shift        = memory.shift;
    task.same         = memory.same;
    task.last         = memory.last;
    set_factors(task.along_planes, {factors.rbegin(), factors.rend()}, 0);
    constexpr int V = PlaneSumsTuning<A, max_radius>::V;
    if constexpr (StencilEpilogue<Sink>) {
      if constexpr (V * sizeof(typename Sink::value_type) >= 4) {
        if (takes_vectors<3>(sink, memory.shift, V)) {
          launch_sum_planes<A, max_radius, true>(space, task, sink);
          return;
        }
      }
    }
    launch_sum_planes<A, max_radius, false>(space, task, sink);
  });
}

/// Planes at equal distances in memory.
template <class Element>
struct PlaneRun {
  Element const* data;
  std::int64_t stride;
  std::int64_t count;
  bool is_constant;
};

/// Sums within the planes of a run, into planes of `to`.
template <class A, class Element>
void launch_sums_within_planes(
    Kokkos::Cuda const& space, StencilGrid<Element, 3> const& grid,
    PlaneRun<Element> const& run,
    std::array<std::vector<double>, 2> const& factors,
    PlaneMemory<A> const& to) {
  StencilGrid<Element, 2> plane{run.data,
                                {run.is_constant ? 0 : grid.stride[1], 1},
                                {grid.extent[1], grid.extent[2]},
                                Boundaries<2>::all(Boundary::halo),
                                grid.reversed};
  // Where constants meet, that of the caller's first dimension is taken.
  if (!run.is_constant || grid.reversed) {
    for (int d = 0; d < 2; ++d) {
      plane.boundaries.low[d]  = grid.boundaries.low[d + 1];
      plane.boundaries.high[d] = grid.boundaries.high[d + 1];
    }
  }
  auto const launch = [&](auto aligned, auto tuning, auto of_rows) {
    using Tuned = decltype(tuning);
    using Sums  = decltype(of_rows);
    SeparablePlanesTask<Element, typename Sums::Weights> task{
        separable_task<Tuned, Sums, 2>(plane, to.shift), unsigned(run.count),
        run.stride, to.plane_stride, 0};
    task.weights = separable_weights<Sums, 2>(factors);
    launch_separable_task<Tuned, A, Sums, decltype(aligned)::value, true, 2>(
        space, task, PlaneTarget<A>{{to.data, {to.row_stride, 1}}});
  };
  auto const where_rows_begin = [&](auto const& f) {
    if (has_aligned_rows(grid))
      f(std::true_type());
    else
      f(std::false_type());
  };
  auto const of_radius = [&](auto radius) {
    constexpr int R = decltype(radius)::value;
    using Tuned     = WithinPlanesOfRadius<A, Element, R>;
    where_rows_begin([&](auto aligned) {
      launch(aligned, Tuned(), RadiusSums<A, Tuned::V, R>());
    });
  };
  auto const up_to = [&](auto largest) {
    constexpr int R = decltype(largest)::value;
    where_rows_begin([&](auto aligned) {
      using Tuned = WithinPlanesTuning<A, Element, R, decltype(aligned)::value>;
      launch(aligned, Tuned(), FactorSums<A, Tuned::V, R, R, Tuned::batch>());
    });
  };
  std::size_t const widest = std::max(factors[0].size(), factors[1].size());
  bool const one_radius    = factors[0].size() == factors[1].size();
  // Radius 1 has direct kernels.
  switch (one_radius ? widest / 2 : 0) {
    case 2: return of_radius(std::integral_constant<int, 2>());
    case 3: return of_radius(std::integral_constant<int, 3>());
    case 4: return of_radius(std::integral_constant<int, 4>());
    case 5: return of_radius(std::integral_constant<int, 5>());
    case 6: return of_radius(std::integral_constant<int, 6>());
    case 7: return of_radius(std::integral_constant<int, 7>());
    default: break;
  }
  if (widest <= 17)
    up_to(std::integral_constant<int, 8>());
  else
    up_to(std::integral_constant<int, 16>());
}

template <class Element>
__global__ void store_constant(Element* const to, Element const value,
                               int const count) {
  for (int i = int(threadIdx.x); i < count; i += int(blockDim.x)) to[i] = value;
}

/// \param most_bytes of sums within planes at a time, if not those of one plane
///        are more; 0: 1/64 of the device's memory
template <class A, class Element, class Sink>
void launch_separable_volume(Kokkos::Cuda const& space,
                             StencilGrid<Element, 3> const& grid,
                             std::array<std::vector<double>, 3> const& factors,
                             Sink const& sink, std::size_t most_bytes = 0) {
  for (int d = 0; d < 3; ++d)
    if (grid.extent[d] == 0) return;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  constexpr int line  = 128;  // bytes, a multiple of what vectors touch
  constexpr auto size = std::int64_t(sizeof(Element));
  constexpr auto sums = std::int64_t(line / sizeof(A));
  auto const round_up = [](std::int64_t n, std::int64_t to) {
    return (n + to - 1) / to * to;
  };
  int const radius          = int(factors[0].size() / 2);
  std::int64_t const planes = grid.extent[0];

  // Sums lie in their lines as the elements do, or else as the results do.
  PlaneMemory<A> sums_of{};
  if (has_aligned_rows(grid))
    sums_of.shift = place_in_line(grid.data);
  else if constexpr (StencilEpilogue<Sink>) {
    sums_of.shift = place_in_line(sink.data);
  }
  sums_of.row_stride     = round_up(sums_of.shift + grid.extent[2], sums);
  sums_of.plane_stride   = sums_of.row_stride * grid.extent[1];
  auto const plane_bytes = sums_of.plane_stride * std::int64_t(sizeof(A));

  // A row for each boundary that is a constant, with what windows reach beside
  // it.
  int const constant_shift = place_in_line(grid.data);
  std::int64_t const constant_bytes =
      round_up((grid.extent[2] + 32 + constant_shift) * size, line) + 2 * line;
  std::int64_t const most =
      most_bytes > 0
          ? std::int64_t(most_bytes)
          : std::int64_t(device(space.cuda_device()).memory_bytes / 64);
  // Of pieces, the planes around each are summed up again.
  std::int64_t const at_once = std::clamp<std::int64_t>(
      most / plane_bytes - 2 * radius,
      std::min<std::int64_t>(4 * radius, planes), planes);
  std::int64_t const pieces = (planes + at_once - 1) / at_once;
  std::int64_t const piece  = (planes + pieces - 1) / pieces;
  std::size_t const bytes   = std::size_t((piece + 2 * radius) * plane_bytes +
                                          2 * constant_bytes + line);
  StreamMemory const of_stream(space, bytes);
  std::optional<StreamScratch> scratch;
  void* memory = of_stream.data();
  if (memory == nullptr) {
    scratch.emplace(space);
    memory = (*scratch)->segments(bytes);
  }
  char* const begin = static_cast<char*>(memory) + 2 * constant_bytes;
  sums_of.data      = reinterpret_cast<A*>(begin) + sums_of.shift;

  BoundaryCondition const& low  = grid.boundaries.low[0];
  BoundaryCondition const& high = grid.boundaries.high[0];
  auto const constant_row       = [&](bool is_high) {
    auto* const row = reinterpret_cast<Element*>(static_cast<char*>(memory) +
                                                 is_high * constant_bytes);
    return row + line / size + constant_shift;
  };
  for (bool const is_high : {false, true}) {
    BoundaryCondition const& condition = is_high ? high : low;
    if (condition.kind != Boundary::constant) continue;
    launch_kernel(space, "store_constant", store_constant<Element>, {1, 256},
                  constant_row(is_high) - line / size - constant_shift,
                  static_cast<Element>(condition.value),
                  int(constant_bytes / size));
  }

  auto const plane_at = [&](std::int64_t plane) -> PlaneRun<Element> {
    bool const is_low                  = plane < 0;
    bool const is_high                 = plane >= planes;
    BoundaryCondition const& condition = is_low ? low : high;
    if ((is_low || is_high) && condition.kind == Boundary::constant)
      return {constant_row(is_high), 0, 1, true};
    std::int64_t const inside =
        is_low || is_high ? boundary_index(condition.kind, plane, planes)
                          : plane;
    return {grid.data + inside * grid.stride[0], 0, 1, false};
  };
  for (std::int64_t first = 0; first < planes; first += piece) {
    std::int64_t const results = std::min(piece, planes - first);
    std::int64_t const all     = results + 2 * radius;
    std::int64_t in_memory     = 0;
    sums_of.same               = 0;
    for (std::int64_t slot = 0; slot < all;) {
      PlaneRun<Element> run = plane_at(first - radius + slot);
      for (; slot + run.count < all; ++run.count) {
        PlaneRun<Element> const next =
            plane_at(first - radius + slot + run.count);
        std::int64_t const stride =
            next.data - run.data - (run.count - 1) * run.stride;
        if (next.is_constant != run.is_constant) break;
        if (run.count == 1 && std::abs(stride) <= grid.stride[0])
          run.stride = stride;
        if (stride != run.stride) break;
      }
      bool const is_first = slot == 0;
      slot += run.count;
      if (run.stride == 0 && (is_first || slot == all)) {
        if (is_first) sums_of.same = run.count - 1;
        run.count = 1;
      }
      PlaneMemory<A> to = sums_of;
      to.data += in_memory * sums_of.plane_stride;
      launch_sums_within_planes<A>(space, grid, run, {factors[1], factors[2]},
                                   to);
      in_memory += run.count;
    }
    sums_of.last = in_memory - 1;
    launch_sums_of_planes(space, sums_of, factors[0], grid.extent, first,
                          results, sink);
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
