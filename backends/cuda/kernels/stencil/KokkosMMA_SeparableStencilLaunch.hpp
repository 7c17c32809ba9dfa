// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SEPARABLE_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_SEPARABLE_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencilTuning.hpp>
#include <core/stencil/KokkosMMA_BytePairs.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

/// A weight in the accumulator. Negative weights of unsigned sums wrap, as the
/// sums do.
template <class A>
A stencil_weight(double weight) {
  if constexpr (std::is_integral_v<A>) {
    if (weight < 0) return static_cast<A>(static_cast<std::int64_t>(weight));
  }
  return static_cast<A>(weight);
}

/// Whether a kernel may write V elements of the result at once, when it does
/// so from `shift` elements before the start of a row.
template <int R, class Sink>
bool takes_vectors(Sink const& sink, int shift, int V) {
  if constexpr (VisibleStencilSink<Sink>) {
    using Result    = typename Sink::value_type;
    auto const unit = std::min<std::uintptr_t>(16, V * sizeof(Result));
    auto const address =
        reinterpret_cast<std::uintptr_t>(sink.data) - shift * sizeof(Result);
    bool whole = address % unit == 0;
    for (int d = 0; d + 1 < R; ++d)
      whole =
          whole && std::uintptr_t(sink.stride[d]) * sizeof(Result) % unit == 0;
    return whole;
  } else {
    return false;
  }
}

/// Whether all rows start at the same place in their 16-byte lines.
template <class Element, int R>
bool has_aligned_rows(StencilGrid<Element, R> const& grid) {
  bool aligned = true;
  for (int d = 0; d + 1 < R; ++d)
    aligned =
        aligned && std::uint64_t(grid.stride[d]) * sizeof(Element) % 16 == 0;
  return aligned;
}

template <class A, int MaxRadius, bool Exact>
void set_factors(SeparableFactors<A, MaxRadius, Exact>& to,
                 std::vector<double> const& from, int first) {
  to.radius = int(from.size() / 2);
  for (std::size_t i = 0; i < from.size(); ++i)
    to.at[std::size_t(first) + i] = stencil_weight<A>(from[i]);
}

template <class Tuned, class A, class Sums, bool Aligned, bool VectorSink,
          int R, class Task, class Sink>
void launch_separable_task(Kokkos::Cuda const& space, Task task,
                           Sink const& sink) {
  using Element = std::remove_cv_t<std::remove_pointer_t<decltype(task.data)>>;
  using Row = SeparableRow<Element, Tuned::V, Tuned::threads, Sums::max_radius,
                           Aligned>;
  auto const kernel = &separable_stencil<Tuned, A, Sums, Element, Aligned,
                                         VectorSink, R, Task, Sink>;
  using Feed = SeparableFeedOf<Aligned, Row, Tuned::threads, Tuned::stage_rows,
                               R, Task, Element>;
  constexpr int bytes =
      separable_bytes<Tuned, Row, Feed, VectorSink, A, Sums, Sink>;
  KernelFacts const facts =
      kernel_facts(space.cuda_device(), kernel, Tuned::threads, bytes);
  std::int64_t const resident =
      std::int64_t(device(space.cuda_device()).multiprocessors) *
      std::max(facts.resident_blocks, 1);
  int const radius          = task.weights.column_radius();
  int const best            = Tuned::low_piece_rows(radius);
  int const lead            = 2 * radius + Tuned::stages;
  constexpr bool has_planes = requires { task.planes; };
  std::int64_t planes       = 1;
  if constexpr (has_planes) {
    planes = task.planes;
  }
  std::int64_t const strips = task.strips * planes;
  task.chunk_rows           = best > 0
                                  ? low_piece_height(task.rows, strips, resident, best,
                                                     Tuned::stage_rows, lead)
                                  : high_piece_height(task.rows, strips, resident, lead);
  std::int64_t const blocks =
      (task.rows + task.chunk_rows - 1) / task.chunk_rows * strips;
  if constexpr (has_planes) {
    task.blocks_of_plane = unsigned(blocks / planes);
  }
  launch_kernel(space, "separable_stencil", kernel,
                {unsigned(blocks), Tuned::threads, bytes, facts.may_follow},
                task, sink);
}

/// Elements from the begin of a line of 16 bytes to this one.
template <class Element>
int place_in_line(Element const* element) {
  return int(reinterpret_cast<std::uintptr_t>(element) % 16 / sizeof(Element));
}

/// The task of a grid of one or two dimensions, without weights, whose strips
/// start `shift` elements before column 0.
template <class Tuned, class Sums, int R, class Element>
auto separable_task(StencilGrid<Element, R> const& grid, int shift) {
  constexpr bool linear = R == 1;
  constexpr int last    = R - 1;
  using Row = SeparableRow<Element, Tuned::V, Tuned::threads, Sums::max_radius>;
  SeparableTask<Element, typename Sums::Weights> task{};
  task.data                 = grid.data;
  task.columns              = grid.extent[last];
  task.shift                = shift;
  std::int64_t const line   = task.columns + task.shift;
  std::int64_t const pieces = (line + Row::columns - 1) / Row::columns;
  task.column_low           = grid.boundaries.low[last];
  task.column_high          = grid.boundaries.high[last];
  if constexpr (linear) {
    task.stride     = Row::columns;
    task.rows       = pieces;
    task.strips     = 1;
    task.rows_first = false;
  } else {
    task.stride     = grid.stride[0];
    task.rows       = grid.extent[0];
    task.strips     = unsigned(pieces);
    task.row_low    = grid.boundaries.low[0];
    task.row_high   = grid.boundaries.high[0];
    task.rows_first = !grid.reversed;
  }
  return task;
}

template <class Tuned, class A, class Sums, int R, class Element, class Sink>
void launch_separable_sums(Kokkos::Cuda const& space,
                           StencilGrid<Element, R> const& grid,
                           typename Sums::Weights const& weights,
                           Sink const& sink) {
  auto task    = separable_task<Tuned, Sums, R>(grid, place_in_line(grid.data));
  task.weights = weights;
  bool const aligned = has_aligned_rows(grid);
  if constexpr (VisibleStencilSink<Sink>) {
    if (aligned && takes_vectors<R>(sink, task.shift, Tuned::V)) {
      launch_separable_task<Tuned, A, Sums, true, true, R>(space, task, sink);
      return;
    }
  }
  // Rows of two dimensions may begin anywhere, results in Views likewise.
  if constexpr (R > 1) {
    if (VisibleStencilSink<Sink> || !aligned) {
      launch_separable_task<Tuned, A, Sums, false, false, R>(space, task, sink);
      return;
    }
  }
  if constexpr (R == 1 || !VisibleStencilSink<Sink>) {
    launch_separable_task<Tuned, A, Sums, true, false, R>(space, task, sink);
  }
}

template <class Sums, int R>
auto separable_weights(std::array<std::vector<double>, R> const& factors) {
  typename Sums::Weights weights{};
  set_factors(weights.along_row, factors[R - 1],
              Sums::max_radius - int(factors[R - 1].size() / 2));
  // The last row reaches the first sum.
  if constexpr (R == 1) {
    set_factors(weights.along_column, {1.0}, 0);
  } else {
    set_factors(weights.along_column, {factors[0].rbegin(), factors[0].rend()},
                0);
  }
  return weights;
}

/// Sums of a box of ones. The lowest byte of a sum is the same of signed and
/// unsigned bytes.
template <class A, class Element, class Sink, int Radius>
auto box_sums_of() {
  using Result    = typename SinkResult<Sink>::type;
  constexpr int V = sums_at_once<Element, Result>;
  if constexpr (sizeof(Element) == 1) {
    using Byte = std::conditional_t<VisibleStencilSink<Sink> &&
                                        takes_lowest_bytes<Result>,
                                    unsigned char, Element>;
    return PairedBoxSums<A, Byte, V, Radius>();
  } else if constexpr (std::is_integral_v<A>) {
    return RunningBoxSums<A, V, Radius>();
  } else {
    return BoxSums<A, V, Radius>();
  }
}
template <class A, class Element, class Sink, int Radius>
using BoxSumsOf = decltype(box_sums_of<A, Element, Sink, Radius>());

/// Sums of one radius. False where there is no kernel for the rows and the
/// sink: factors of any radius take what is left.
template <class A, class Sums, bool Ones, class Element, class Sink>
bool launch_separable_radius(Kokkos::Cuda const& space,
                             StencilGrid<Element, 2> const& grid,
                             typename Sums::Weights const& weights,
                             Sink const& sink) {
  using Result           = typename SinkResult<Sink>::type;
  constexpr bool visible = VisibleStencilSink<Sink>;
  constexpr int V        = sums_at_once<Element, Result>;
  auto const launch      = [&](auto aligned, auto vectors, int shift) {
    using Tuned  = RadiusTuning<Element, Result, Sums::max_radius, Ones,
                               decltype(aligned)::value>;
    auto task    = separable_task<Tuned, Sums, 2>(grid, shift);
    task.weights = weights;
    launch_separable_task<Tuned, A, Sums, decltype(aligned)::value,
                          decltype(vectors)::value, 2>(space, task, sink);
    return true;
  };
  int const shift = place_in_line(grid.data);
  std::bool_constant<visible> constexpr whole;
  std::true_type constexpr yes;
  std::false_type constexpr no;
  if (has_aligned_rows(grid) && (!visible || takes_vectors<2>(sink, shift, V)))
    return launch(yes, whole, shift);
  if constexpr (visible) {
    int const of_results = place_in_line(sink.data);
    // Windows of 16-bit floats of radius 7 are more than registers hold; bytes
    // of radius 2 and more go to tensor cores (0.73 of a copy, here 0.71).
    constexpr int size = int(sizeof(Element));
    if constexpr (Sums::max_radius < (size == 1 ? 2 : size == 2 ? 7 : 8)) {
      if (takes_vectors<2>(sink, of_results, V))
        return launch(no, yes, of_results);
    }
    if constexpr (sizeof(Element) >= 4) {
      return launch(no, no, shift);
    }
  }
  return false;
}

/// Weights of a radius that has kernels of its own: a box of ones, or factors
/// of floating-point sums into a View of the type that is read (each kernel
/// costs compile time).
template <class A, int Radius, class Element, class Sink>
bool launch_separable_radius(Kokkos::Cuda const& space,
                             StencilGrid<Element, 2> const& grid,
                             std::array<std::vector<double>, 2> const& factors,
                             bool box_of_ones, Sink const& sink) {
  using Result    = typename SinkResult<Sink>::type;
  constexpr int V = sums_at_once<Element, Result>;
  if (box_of_ones)
    return launch_separable_radius<A, BoxSumsOf<A, Element, Sink, Radius>,
                                   true>(space, grid, {}, sink);
  if constexpr (std::is_floating_point_v<A> &&
                std::is_same_v<Element, Result>) {
    using Sums = RadiusSums<A, V, Radius>;
    return launch_separable_radius<A, Sums, false>(
        space, grid, separable_weights<Sums, 2>(factors), sink);
  }
  return false;
}

/// f(the largest radius of the kernel that takes this one), a constant.
template <class F>
void with_largest_radius(std::size_t radius, F const& f) {
  if (radius <= 4)
    f(std::integral_constant<int, 4>());
  else if (radius <= 8)
    f(std::integral_constant<int, 8>());
  else
    f(std::integral_constant<int, 16>());
}

/// Of one or two dimensions.
template <class A, int R, class Element, class Sink>
void launch_separable_stencil(Kokkos::Cuda const& space,
                              StencilGrid<Element, R> const& grid,
                              std::array<std::vector<double>, R> const& factors,
                              bool box_of_ones, Sink const& sink) {
  for (int d = 0; d < R; ++d)
    if (grid.extent[d] == 0) return;
  check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
  using Result      = typename SinkResult<Sink>::type;
  std::size_t width = 0;
  for (std::vector<double> const& vector : factors)
    width = std::max(width, vector.size());
  if constexpr (R == 2) {
    if (factors[0].size() == factors[1].size()) {
      auto const launch = [&](auto radius) {
        return launch_separable_radius<A, decltype(radius)::value>(
            space, grid, factors, box_of_ones, sink);
      };
      bool launched = false;
      switch (width / 2) {
        case 1: launched = launch(std::integral_constant<int, 1>()); break;
        case 2: launched = launch(std::integral_constant<int, 2>()); break;
        case 3: launched = launch(std::integral_constant<int, 3>()); break;
        case 4: launched = launch(std::integral_constant<int, 4>()); break;
        case 5: launched = launch(std::integral_constant<int, 5>()); break;
        case 6: launched = launch(std::integral_constant<int, 6>()); break;
        case 7: launched = launch(std::integral_constant<int, 7>()); break;
        default: break;
      }
      if (launched) return;
    }
  }
  auto const launch = [&](auto radius) {
    constexpr int max_radius = decltype(radius)::value;
    using Tuned =
        std::conditional_t<R == 1, LineTuning<A, Element, Result, max_radius>,
                           SeparableTuning<A, Element, Result, max_radius>>;
    using Sums = FactorSums<A, Tuned::V, max_radius, R == 1 ? 0 : max_radius,
                            Tuned::batch>;
    launch_separable_sums<Tuned, A, Sums, R>(
        space, grid, separable_weights<Sums, R>(factors), sink);
  };
  with_largest_radius(width / 2, launch);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
