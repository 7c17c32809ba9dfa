// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencil.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

template <class A, int MaxRadius, bool Exact>
void set_factors(SeparableFactors<A, MaxRadius, Exact>& to,
                 std::vector<double> const& from, int first) {
  to.radius = int(from.size() / 2);
  for (std::size_t i = 0; i < from.size(); ++i)
    to.at[std::size_t(first) + i] = weight_as<A>(from[i]);
}

/// Returns false if a block has too little shared memory on this device (99 KB
/// with compute capability 8.6, 8.9 and 12), and nothing is launched.
template <class Tuning, class A, class Sums, bool Aligned, bool VectorStores,
          int R, class Task, class Epilogue>
bool launch_separable_task(Stream const& space, Task task,
                           Epilogue const& epilogue) {
  using Element = std::remove_cv_t<std::remove_pointer_t<decltype(task.data)>>;
  using Row     = SeparableRow<Element, Tuning::value.sums_per_thread,
                           Tuning::value.threads, Sums::max_radius, Aligned>;
  auto const kernel = &separable_stencil<Tuning, A, Sums, Element, Aligned,
                                         VectorStores, R, Task, Epilogue>;
  using Loader      = SeparableLoader<Aligned, Row, Tuning::value.threads,
                                 Tuning::value.stage_rows, R, Task, Element>;
  constexpr int bytes =
      separable_bytes<Tuning, Row, Loader, VectorStores, A, Sums, Epilogue>;
  if (bytes > device(space.device).shared_bytes) return false;
  KernelFacts const facts =
      kernel_facts(space.device, kernel, Tuning::value.threads, bytes);
  std::int64_t const resident =
      std::int64_t(device(space.device).multiprocessors) *
      std::max(facts.resident_blocks, 1);
  int const radius          = task.weights.column_radius();
  int const best            = Tuning::value.short_block_rows(radius);
  int const lead            = 2 * radius + Tuning::value.stages;
  constexpr bool has_planes = requires { task.planes; };
  std::int64_t planes       = 1;
  if constexpr (has_planes) {
    planes = task.planes;
  }
  std::int64_t const panels = task.panels * planes;
  task.block_rows           = best > 0
                                  ? short_block_height(task.rows, panels, resident, best,
                                                       Tuning::value.stage_rows, lead)
                                  : tall_block_height(task.rows, panels, resident, lead);
  std::int64_t const blocks =
      (task.rows + task.block_rows - 1) / task.block_rows * panels;
  if constexpr (has_planes) {
    task.blocks_of_plane = unsigned(blocks / planes);
  }
  launch_kernel(
      space, "separable_stencil", kernel,
      {unsigned(blocks), Tuning::value.threads, bytes, facts.may_follow}, task,
      epilogue);
  return true;
}

/// Returns the task of a grid of one or two dimensions, without weights. Panels
/// begin `shift` elements before column 0.
template <class Tuning, class Sums, int R, class Element>
auto separable_task(StencilGrid<Element, R> const& grid, int shift) {
  constexpr bool linear = R == 1;
  constexpr int last    = R - 1;
  using Row             = SeparableRow<Element, Tuning::value.sums_per_thread,
                           Tuning::value.threads, Sums::max_radius>;
  SeparableTask<Element, typename Sums::Weights> task{};
  task.data    = grid.data;
  task.columns = grid.extent[last];
  task.shift   = shift;
  std::int64_t const panels =
      (task.columns + task.shift + Row::columns - 1) / Row::columns;
  task.column_low  = grid.boundaries.low[last];
  task.column_high = grid.boundaries.high[last];
  if constexpr (linear) {
    task.stride     = Row::columns;
    task.rows       = panels;
    task.panels     = 1;
    task.rows_first = false;
  } else {
    task.stride     = grid.stride[0];
    task.rows       = grid.extent[0];
    task.panels     = unsigned(panels);
    task.row_low    = grid.boundaries.low[0];
    task.row_high   = grid.boundaries.high[0];
    task.rows_first = !grid.reversed;
  }
  return task;
}

template <class Tuning, class A, class Sums, int R, class Element,
          class Epilogue>
bool launch_separable_sums(Stream const& space,
                           StencilGrid<Element, R> const& grid,
                           typename Sums::Weights const& weights,
                           Epilogue const& epilogue) {
  auto task    = separable_task<Tuning, Sums, R>(grid, chunk_offset(grid.data));
  task.weights = weights;
  bool const aligned = row_strides_aligned_16(grid);
  if constexpr (StencilEpilogue<Epilogue>) {
    if (aligned &&
        vectors_aligned<R>(epilogue, task.shift, Tuning::value.sums_per_thread))
      return launch_separable_task<Tuning, A, Sums, true, true, R>(space, task,
                                                                   epilogue);
  }
  // Rows of two dimensions may be unaligned, and so may results in Views.
  if constexpr (R > 1) {
    if (StencilEpilogue<Epilogue> || !aligned)
      return launch_separable_task<Tuning, A, Sums, false, false, R>(
          space, task, epilogue);
  }
  if constexpr (R == 1 || !StencilEpilogue<Epilogue>) {
    return launch_separable_task<Tuning, A, Sums, true, false, R>(space, task,
                                                                  epilogue);
  } else {
    return false;
  }
}

template <class Sums, int R>
auto separable_weights(std::array<std::vector<double>, R> const& factors) {
  typename Sums::Weights weights{};
  set_factors(weights.along_row, factors[R - 1],
              Sums::max_radius - int(factors[R - 1].size() / 2));
  // In reverse: the last row of the window belongs to the first sum.
  if constexpr (R == 1) {
    set_factors(weights.along_column, {1.0}, 0);
  } else {
    set_factors(weights.along_column, {factors[0].rbegin(), factors[0].rend()},
                0);
  }
  return weights;
}

/// Sums of a box filter. The lowest byte of a sum is the same for signed and
/// unsigned bytes.
template <class A, class Element, class Epilogue, int Radius>
auto box_sums_of() {
  using Result    = EpilogueResult<Epilogue>;
  constexpr int V = sums_at_once<Element, Result>;
  if constexpr (sizeof(Element) == 1) {
    using Byte = std::conditional_t<StencilEpilogue<Epilogue> &&
                                        takes_lowest_bytes<Result>,
                                    unsigned char, Element>;
    return PairedBoxSums<A, Byte, V, Radius>();
  } else if constexpr (std::is_integral_v<A>) {
    return RunningBoxSums<A, V, Radius>();
  } else {
    return BoxSums<A, V, Radius>();
  }
}
template <class A, class Element, class Epilogue, int Radius>
using BoxSumsOf = decltype(box_sums_of<A, Element, Epilogue, Radius>());

/// Launches a kernel of one radius. Returns false if none supports the rows,
/// the epilogue and the device; then a kernel of any radius runs.
template <class A, class Sums, bool Box, class Element, class Epilogue>
bool launch_separable_radius(Stream const& space,
                             StencilGrid<Element, 2> const& grid,
                             typename Sums::Weights const& weights,
                             Epilogue const& epilogue) {
  using Result           = EpilogueResult<Epilogue>;
  constexpr bool visible = StencilEpilogue<Epilogue>;
  constexpr int V        = sums_at_once<Element, Result>;
  auto const launch      = [&](auto aligned, auto vectors, int shift) {
    using Tuning =
        tuning_type<one_radius_tuning<Element, Result, Sums::max_radius, Box,
                                      decltype(aligned)::value>()>;
    auto task    = separable_task<Tuning, Sums, 2>(grid, shift);
    task.weights = weights;
    return launch_separable_task<Tuning, A, Sums, decltype(aligned)::value,
                                 decltype(vectors)::value, 2>(space, task,
                                                              epilogue);
  };
  int const shift = chunk_offset(grid.data);
  std::bool_constant<visible> constexpr whole;
  std::true_type constexpr yes;
  std::false_type constexpr no;
  if (row_strides_aligned_16(grid) &&
      (!visible || vectors_aligned<2>(epilogue, shift, V)))
    return launch(yes, whole, shift);
  if constexpr (visible) {
    int const of_results = chunk_offset(epilogue.data);
    // 16-bit floats: windows of radius 7 do not fit into registers. Bytes from
    // radius 2 on are faster on tensor cores (0.73 of a copy, 0.71 here).
    constexpr int size = int(sizeof(Element));
    if constexpr (Sums::max_radius < (size == 1 ? 2 : size == 2 ? 7 : 8)) {
      if (vectors_aligned<2>(epilogue, of_results, V))
        return launch(no, yes, of_results);
    }
    if constexpr (sizeof(Element) >= 4) {
      return launch(no, no, shift);
    }
  }
  return false;
}

/// Launches a kernel of one radius. To limit compile time, there are only box
/// filters, and factors with floating-point sums and Result equal to Element.
template <class A, int Radius, class Element, class Epilogue>
bool launch_separable_radius(Stream const& space,
                             StencilGrid<Element, 2> const& grid,
                             std::array<std::vector<double>, 2> const& factors,
                             bool is_box, Epilogue const& epilogue) {
  using Result    = EpilogueResult<Epilogue>;
  constexpr int V = sums_at_once<Element, Result>;
  constexpr bool by_factors =
      std::is_floating_point_v<A> && std::is_same_v<Element, Result>;
  if constexpr (!by_factors || Radius > box_in_order_radius) {
    if (is_box)
      return launch_separable_radius<A, BoxSumsOf<A, Element, Epilogue, Radius>,
                                     true>(space, grid, {}, epilogue);
  }
  if constexpr (by_factors) {
    using Sums = RadiusSums<A, V, Radius>;
    return launch_separable_radius<A, Sums, false>(
        space, grid, separable_weights<Sums, 2>(factors), epilogue);
  }
  return false;
}

/// Invokes f with the largest radius of the kernel that covers this radius, as
/// a constant.
template <int MaxRadius = 16, class F>
void with_largest_radius(std::size_t radius, F const& f) {
  if constexpr (MaxRadius > 8) {
    if (radius > 8) return f(std::integral_constant<int, 16>());
  }
  if constexpr (MaxRadius > 4) {
    if (radius > 4) return f(std::integral_constant<int, 8>());
  }
  f(std::integral_constant<int, 4>());
}

/// Launches a separable stencil of one or two dimensions, asynchronously.
/// \param is_box all weights are one
/// \tparam MaxRadius of factors: a smaller value compiles fewer kernels
template <class A, int R, int MaxRadius = 16, class Element, class Epilogue>
void launch_separable_stencil(Stream const& space,
                              StencilGrid<Element, R> const& grid,
                              std::array<std::vector<double>, R> const& factors,
                              bool is_box, Epilogue const& epilogue) {
  using Result      = EpilogueResult<Epilogue>;
  std::size_t width = 0;
  for (std::vector<double> const& vector : factors)
    width = std::max(width, vector.size());
  if constexpr (R == 2) {
    if (factors[0].size() == factors[1].size()) {
      bool const launched = with_one_radius<1, std::min(7, MaxRadius)>(
          int(width / 2), [&](auto radius) {
            return launch_separable_radius<A, decltype(radius)::value>(
                space, grid, factors, is_box, epilogue);
          });
      if (launched) return;
    }
  }
  bool launched      = false;
  auto const of_size = [&](auto radius) {
    constexpr int max_radius = decltype(radius)::value;
    using Tuning =
        tuning_type<R == 1 ? linear_tuning<Element, Result, max_radius>()
                           : any_radius_tuning<Element, Result, max_radius>()>;
    using Sums = FactorSums<A, Tuning::value.sums_per_thread, max_radius,
                            R == 1 ? 0 : max_radius, Tuning::value.batch>;
    launched   = launch_separable_sums<Tuning, A, Sums, R>(
        space, grid, separable_weights<Sums, R>(factors), epilogue);
  };
  with_largest_radius<MaxRadius>(width / 2, of_size);
  // Blocks of larger radii are smaller, and fit on every device.
  if (!launched) with_largest_radius<MaxRadius>(8, of_size);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
