// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_VOLUME_HPP

#include <backends/cuda/kernels/block/KokkosMMA_StoreValues.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableRow.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/volumes/KokkosMMA_SeparableVolumeTuning.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamMemory.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

/// \file
/// Separable stencils of three dimensions, in two passes. In the first, the
/// kernels of two dimensions write the sums within each plane to workspace. The
/// second sums along the planes. Both passes are memory-bound.
/// A single kernel with planes in shared memory computes the halo of each tile
/// again: 126, 46 and 9 instead of 238, 198 and 73 * 10^9 sums per second for
/// floats of radius 3, 7 and 16 (640^3, H200).

namespace KokkosMMA::Impl::Cuda {

template <class A, int MaxRadius>
struct PlaneSumsTask {
  A const* data;
  std::int64_t row_stride;
  std::int64_t plane_stride;
  std::int64_t first;  ///< first plane of the results
  std::int64_t planes, rows, columns;
  std::int64_t block_planes;  ///< planes per thread block
  unsigned blocks;  ///< thread blocks per range of block_planes planes
  unsigned warps_of_row;
  int shift;
  std::int64_t same, last;  ///< see PlaneMemory
  SeparableFactors<A, MaxRadius, false> along_planes;
};

/// Sums along the planes; each lane has V elements of a row.
template <class Tuning, class A, int MaxRadius, bool VectorStores,
          class Epilogue>
__global__ void __launch_bounds__(Tuning::value.threads,
                                  Tuning::value.min_blocks)
    sum_planes(PlaneSumsTask<A, MaxRadius> const task,
               Epilogue const epilogue) {
  constexpr int warps   = Tuning::value.threads / 32;
  constexpr int V       = Tuning::value.sums_per_thread;
  constexpr int batch   = Tuning::value.batch;
  constexpr int bytes   = V * int(sizeof(A));
  constexpr int aligned = bytes < 16 ? bytes : 16;
  __shared__ A of_warps[VectorStores ? 1 : warps]
                       [VectorStores ? 1 : 32 * padded_lane<V>];

  int const lane = int(threadIdx.x % 32);
  int const warp = int(threadIdx.x / 32);
  std::int64_t const warp_row =
      std::int64_t(blockIdx.x % task.blocks) * warps + warp;
  std::int64_t const row = warp_row / task.warps_of_row;
  if (row >= task.rows) return;
  std::int64_t const column =
      (warp_row % task.warps_of_row * 32 + lane) * V - task.shift;
  bool const exists        = column < task.columns;
  std::int64_t const begin = blockIdx.x / task.blocks * task.block_planes;
  std::int64_t const end   = min(begin + task.block_planes, task.planes);
  int const radius         = task.along_planes.radius;
  int const steps          = int(end - begin) + 2 * radius;
  // Outside these steps the same plane is read again.
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
        apply_epilogue<V, VectorStores>(epilogue, at, column, 0, task.columns,
                                        sums.slot[b],
                                        of_warps[VectorStores ? 0 : warp]);
      }
    }
    sums.next_batch();
  }
}

/// Sums within planes, including the planes around the results, in consecutive
/// planes. Rows are padded to whole vectors.
template <class A>
struct PlaneMemory {
  A* data;  ///< column 0 of the first plane
  std::int64_t row_stride;
  std::int64_t plane_stride;
  int shift;  ///< elements from a 16-byte chunk to the start of a row
  /// The first plane is also used for the `same` planes before it, plane `last`
  /// for all planes after it.
  std::int64_t same, last;
};

template <class A, int MaxRadius, bool VectorStores, class Epilogue>
void launch_sum_planes(Stream const& space, PlaneSumsTask<A, MaxRadius> task,
                       Epilogue const& epilogue) {
  using Tuning      = tuning_type<plane_sums_tuning<A, MaxRadius>()>;
  auto const kernel = &sum_planes<Tuning, A, MaxRadius, VectorStores, Epilogue>;
  constexpr int warps     = Tuning::value.threads / 32;
  constexpr int of_warp   = 32 * Tuning::value.sums_per_thread;
  std::int64_t const line = task.columns + task.shift;
  task.warps_of_row       = unsigned((line + of_warp - 1) / of_warp);
  task.blocks = unsigned((task.rows * task.warps_of_row + warps - 1) / warps);
  KernelFacts const facts =
      kernel_facts(space.device, kernel, Tuning::value.threads, 0);
  std::int64_t const resident =
      std::int64_t(device(space.device).multiprocessors) *
      std::max(facts.resident_blocks, 1);
  task.block_planes = tall_block_height(task.planes, task.blocks, resident,
                                        2 * task.along_planes.radius);
  std::int64_t const blocks =
      (task.planes + task.block_planes - 1) / task.block_planes * task.blocks;
  launch_kernel(space, "sum_planes", kernel,
                {unsigned(blocks), Tuning::value.threads, 0}, task, epilogue);
}

/// \param first, planes of results, not of the grid
template <class A, class Epilogue>
void launch_sums_of_planes(Stream const& space, PlaneMemory<A> const& memory,
                           std::vector<double> const& factors,
                           std::int64_t const (&extent)[3], std::int64_t first,
                           std::int64_t planes, Epilogue const& epilogue) {
  with_largest_radius(factors.size() / 2, [&](auto largest) {
    constexpr int max_radius = decltype(largest)::value;
    PlaneSumsTask<A, max_radius> task{memory.data,
                                      memory.row_stride,
                                      memory.plane_stride,
                                      first,
                                      planes,
                                      extent[1],
                                      extent[2],
                                      0,
                                      0,
                                      0,
                                      memory.shift,
                                      memory.same,
                                      memory.last,
                                      {}};
    set_factors(task.along_planes, {factors.rbegin(), factors.rend()}, 0);
    constexpr int V = plane_sums_tuning<A, max_radius>().sums_per_thread;
    if constexpr (StencilEpilogue<Epilogue>) {
      if constexpr (V * sizeof(typename Epilogue::value_type) >= 4) {
        if (vectors_aligned<3>(epilogue, memory.shift, V)) {
          launch_sum_planes<A, max_radius, true>(space, task, epilogue);
          return;
        }
      }
    }
    launch_sum_planes<A, max_radius, false>(space, task, epilogue);
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

template <class A, class Element>
void launch_sums_within_planes(
    Stream const& space, StencilGrid<Element, 3> const& grid,
    PlaneRun<Element> const& run,
    std::array<std::vector<double>, 2> const& factors,
    PlaneMemory<A> const& to) {
  StencilGrid<Element, 2> plane{run.data,
                                {run.is_constant ? 0 : grid.stride[1], 1},
                                {grid.extent[1], grid.extent[2]},
                                Boundaries<2>::all(Boundary::halo),
                                grid.reversed};
  // Where constants meet, the caller's first dimension has precedence.
  if (!run.is_constant || grid.reversed) {
    for (int d = 0; d < 2; ++d) {
      plane.boundaries.low[d]  = grid.boundaries.low[d + 1];
      plane.boundaries.high[d] = grid.boundaries.high[d + 1];
    }
  }
  auto const launch = [&](auto aligned, auto tuning, auto of_rows) {
    using Tuning = decltype(tuning);
    using Sums   = decltype(of_rows);
    SeparablePlanesTask<Element, typename Sums::Weights> task{
        separable_task<Tuning, Sums, 2>(plane, to.shift), unsigned(run.count),
        run.stride, to.plane_stride, 0};
    task.weights = separable_weights<Sums, 2>(factors);
    launch_separable_task<Tuning, A, Sums, decltype(aligned)::value, true, 2>(
        space, task, PlaneTarget<A>{{to.data, {to.row_stride, 1}}});
  };
  auto const where_rows_begin = [&](auto const& f) {
    if (row_strides_aligned_16(grid))
      f(std::true_type());
    else
      f(std::false_type());
  };
  std::size_t const widest = std::max(factors[0].size(), factors[1].size());
  bool const one_radius    = factors[0].size() == factors[1].size();
  // Radius 1 runs in sweeps and direct kernels, except half with unaligned
  // rows.
  if (one_radius && with_one_radius<2, 7>(int(widest / 2), [&](auto radius) {
        constexpr int R = decltype(radius)::value;
        using Tuning =
            tuning_type<within_planes_one_radius_tuning<A, Element, R>()>;
        where_rows_begin([&](auto aligned) {
          launch(aligned, Tuning(),
                 RadiusSums<A, Tuning::value.sums_per_thread, R>());
        });
        return true;
      }))
    return;
  auto const up_to = [&](auto largest) {
    constexpr int R = decltype(largest)::value;
    where_rows_begin([&](auto aligned) {
      using Tuning = tuning_type<
          within_planes_tuning<A, Element, R, decltype(aligned)::value>()>;
      launch(aligned, Tuning(),
             FactorSums<A, Tuning::value.sums_per_thread, R, R,
                        Tuning::value.batch>());
    });
  };
  if (widest <= 17)
    up_to(std::integral_constant<int, 8>());
  else
    up_to(std::integral_constant<int, 16>());
}

/// Alignment of workspace in bytes: a multiple of what one access touches.
inline constexpr int plane_alignment = 128;

/// Returns the layout of the sums within planes. Offsets in 16-byte chunks are
/// those of the elements or, if these differ between rows, of the results.
template <class A, class Element, class Epilogue>
PlaneMemory<A> plane_layout(StencilGrid<Element, 3> const& grid,
                            Epilogue const& epilogue) {
  PlaneMemory<A> sums{};
  if (row_strides_aligned_16(grid))
    sums.shift = chunk_offset(grid.data);
  else if constexpr (StencilEpilogue<Epilogue>) {
    sums.shift = chunk_offset(epilogue.data);
  }
  constexpr auto unit = std::int64_t(plane_alignment / sizeof(A));
  sums.row_stride     = (sums.shift + grid.extent[2] + unit - 1) / unit * unit;
  sums.plane_stride   = sums.row_stride * grid.extent[1];
  return sums;
}

/// Planes of a grid, including those beyond its boundaries. A plane of
/// constants is one row of workspace with stride 0.
template <class Element>
class PlaneSource {
  static constexpr auto size           = std::int64_t(sizeof(Element));
  static constexpr std::int64_t margin = plane_alignment / size;

 public:
  /// Bytes of workspace for the two rows of constants.
  static std::int64_t bytes(StencilGrid<Element, 3> const& grid) {
    return 2 * row_bytes(grid);
  }
  PlaneSource(Stream const& space, StencilGrid<Element, 3> const& grid,
              void* memory)
      : m_grid(grid) {
    std::int64_t const row = row_bytes(grid);
    for (int side = 0; side < 2; ++side) {
      auto* const begin =
          reinterpret_cast<Element*>(static_cast<char*>(memory) + side * row);
      m_constants[side] = begin + margin + chunk_offset(grid.data);
      BoundaryCondition const& condition =
          side ? grid.boundaries.high[0] : grid.boundaries.low[0];
      if (condition.kind == Boundary::constant)
        store_constant(space, begin, static_cast<Element>(condition.value),
                       int(row / size));
    }
  }
  /// Returns the longest run of at most `most` planes at equal distances,
  /// beginning at plane `first`.
  PlaneRun<Element> run(std::int64_t first, std::int64_t most) const {
    PlaneRun<Element> run = plane(first);
    for (; run.count < most; ++run.count) {
      PlaneRun<Element> const next = plane(first + run.count);
      std::int64_t const stride =
          next.data - run.data - (run.count - 1) * run.stride;
      if (next.is_constant != run.is_constant) break;
      if (run.count == 1 && std::abs(stride) <= m_grid.stride[0])
        run.stride = stride;
      if (stride != run.stride) break;
    }
    return run;
  }

 private:
  /// A row with the elements that windows read on both sides.
  static std::int64_t row_bytes(StencilGrid<Element, 3> const& grid) {
    std::int64_t const all =
        (grid.extent[2] + 32 + chunk_offset(grid.data)) * size;
    return (all + plane_alignment - 1) / plane_alignment * plane_alignment +
           2 * plane_alignment;
  }
  PlaneRun<Element> plane(std::int64_t index) const {
    std::int64_t const planes = m_grid.extent[0];
    if (index >= 0 && index < planes)
      return {m_grid.data + index * m_grid.stride[0], 0, 1, false};
    BoundaryCondition const& condition =
        index < 0 ? m_grid.boundaries.low[0] : m_grid.boundaries.high[0];
    if (condition.kind == Boundary::constant)
      return {m_constants[index < 0 ? 0 : 1], 0, 1, true};
    return {m_grid.data + boundary_index(condition.kind, index, planes) *
                              m_grid.stride[0],
            0, 1, false};
  }

  StencilGrid<Element, 3> const& m_grid;
  Element const* m_constants[2];
};

/// Launches the sums of `planes` planes, beginning at `first`: first the sums
/// within planes into `sums`, one launch per run of planes, then the sums along
/// the planes. Equal planes at either end are summed up once.
template <class A, class Element, class Epilogue>
void launch_slab(Stream const& space, StencilGrid<Element, 3> const& grid,
                 std::array<std::vector<double>, 3> const& factors,
                 PlaneSource<Element> const& source, PlaneMemory<A> sums,
                 std::int64_t first, std::int64_t planes,
                 Epilogue const& epilogue) {
  int const radius       = int(factors[0].size() / 2);
  std::int64_t const all = planes + 2 * radius;
  std::int64_t in_memory = 0;
  for (std::int64_t slot = 0; slot < all;) {
    PlaneRun<Element> run = source.run(first - radius + slot, all - slot);
    bool const is_first   = slot == 0;
    slot += run.count;
    if (run.stride == 0 && (is_first || slot == all)) {
      if (is_first) sums.same = run.count - 1;
      run.count = 1;
    }
    PlaneMemory<A> to = sums;
    to.data += in_memory * sums.plane_stride;
    launch_sums_within_planes<A>(space, grid, run, {factors[1], factors[2]},
                                 to);
    in_memory += run.count;
  }
  sums.last = in_memory - 1;
  launch_sums_of_planes(space, sums, factors[0], grid.extent, first, planes,
                        epilogue);
}

/// Launches a separable stencil of three dimensions, slab by slab,
/// asynchronously. The planes around a slab are summed up again for it.
/// \param most_bytes limit of the sums within planes, but at least one plane
///   and its neighbours; 0: 1/64 of the device's memory, which was not tuned
template <class A, class Element, class Epilogue>
void launch_separable_volume(Stream const& space,
                             StencilGrid<Element, 3> const& grid,
                             std::array<std::vector<double>, 3> const& factors,
                             Epilogue const& epilogue,
                             std::size_t most_bytes = 0) {
  int const radius          = int(factors[0].size() / 2);
  std::int64_t const planes = grid.extent[0];
  PlaneMemory<A> sums       = plane_layout<A>(grid, epilogue);
  auto const plane_bytes    = sums.plane_stride * std::int64_t(sizeof(A));
  std::int64_t const most =
      most_bytes > 0 ? std::int64_t(most_bytes)
                     : std::int64_t(device(space.device).memory_bytes / 64);
  std::int64_t const at_once = std::clamp<std::int64_t>(
      most / plane_bytes - 2 * radius,
      std::min<std::int64_t>(4 * radius, planes), planes);
  std::int64_t const slabs       = (planes + at_once - 1) / at_once;
  std::int64_t const slab_planes = (planes + slabs - 1) / slabs;

  std::int64_t const constant_bytes = PlaneSource<Element>::bytes(grid);
  std::size_t const bytes =
      std::size_t((slab_planes + 2 * radius) * plane_bytes + constant_bytes +
                  plane_alignment);
  StreamMemory const of_stream(space, bytes);
  std::optional<StreamScratch> scratch;
  void* memory = of_stream.data();
  if (memory == nullptr) {
    scratch.emplace(space);
    memory = (*scratch)->segments(bytes);
  }
  sums.data =
      reinterpret_cast<A*>(static_cast<char*>(memory) + constant_bytes) +
      sums.shift;

  PlaneSource<Element> const source(space, grid, memory);
  for (std::int64_t first = 0; first < planes; first += slab_planes)
    launch_slab(space, grid, factors, source, sums, first,
                std::min(slab_planes, planes - first), epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
