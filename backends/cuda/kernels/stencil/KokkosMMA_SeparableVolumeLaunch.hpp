// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_LAUNCH_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamMemory.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableVolume.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableVolumeTuning.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <vector>

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
  task.piece = high_piece_height(task.planes, task.blocks, resident,
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
    if constexpr (VisibleStencilSink<Sink>) {
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
  else if constexpr (VisibleStencilSink<Sink>) {
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
