// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_STEPS_HPP
#define KOKKOSMMA_STENCIL_STEPS_HPP

#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// Which steps one sweep computes together. It rounds each as a single step is:
/// the results are those of as many single steps, bit for bit. The steps
/// themselves are done in core/stencil/KokkosMMA_StepStrips.hpp beside
/// boundaries and by the kernels of a backend elsewhere.

namespace KokkosMMA::Impl {

/// How the sums of a step are formed, as the kernel of a single step does.
enum class StepForm : unsigned char {
  none,     ///< no kernel computes several of these steps
  star,     ///< weights on the axes, in their order; none of them is zero
  dense,    ///< weights of radius 1, in their order; none of them is zero
  sparse,   ///< other weights of radius 1, in their order
  product,  ///< of two dimensions, along the rows, then down the columns
  inward    ///< of one dimension, from the ends to the middle
};

/// Radii that kernels exist for, those of lines in one dimension.
inline constexpr int step_line_radius    = 4;
inline constexpr int step_star_radius    = 4;
inline constexpr int step_product_radius = 4;
/// Up to this radius a box of ones of floating-point elements of so many bytes
/// is summed up as any outer product. Above, sums of rows that results share
/// make it faster, and where a result lies decides how it is rounded. Of half,
/// radius 1, 664 and 681, of float 354 and 347, of double 181 and 182 10^9 sums
/// per second (8192^2, H100, CUDA 13.0, 2026-11-26).
constexpr int box_in_order_radius(int element_bytes) {
  return element_bytes > 2 ? 1 : 0;
}

/// Whether sweeps for several steps are compiled: elements and results are of
/// one type.
constexpr bool steps_exist(Scalar element, Scalar result, Scalar accumulator) {
  return element == result && stencil_kernel_exists(element, accumulator) &&
         is_floating(accumulator);
}

/// \param weights those of the kernels
/// \param kernel  of a single step of the route `streamed`
template <int R>
StepForm step_form(StencilWeights<R> const& weights, StencilKernel kernel,
                   StencilProblem const& problem) {
  int const radius = problem.radius;
  if (!problem.one_radius) return StepForm::none;
  // Sums of products into functors have kernels of their own.
  if (problem.to_functor && (R != 2 || kernel != StencilKernel::direct))
    return StepForm::none;
  if (R == 1) {
    if (radius > step_line_radius || weights.taps() != weights.size())
      return StepForm::none;
    return kernel == StencilKernel::direct ? StepForm::star : StepForm::inward;
  }
  if (kernel == StencilKernel::separable) {
    if (R == 3) return StepForm::none;
    // Other results of 16-bit floats are summed up from the ends to the middle.
    bool const in_order =
        size_of(problem.input) > 2 || problem.target >= RowLayout::pitch_16;
    int const most = problem.weights == WeightForm::ones
                         ? box_in_order_radius(size_of(problem.input))
                         : step_product_radius;
    return in_order && radius <= most ? StepForm::product : StepForm::none;
  }
  if (kernel != StencilKernel::direct) return StepForm::none;
  // Without vectors single steps are faster: 246 and 308 10^9 updates per
  // second of floats, 290 and 382 of halves (500 x 501 x 510, H100, CUDA 13.0,
  // 2026-11-27).
  if (R == 3 && !problem.rows_aligned_16()) return StepForm::none;
  DirectPattern const pattern = direct_pattern(weights);
  bool const has_centre       = weights.values()[weights.size() / 2] != 0;
  if (pattern == DirectPattern::star && has_centre &&
      radius <= (R == 3 ? 1 : step_star_radius))
    return StepForm::star;
  if (R == 3 || radius > 1) return StepForm::none;
  return pattern == DirectPattern::dense && has_centre ? StepForm::dense
                                                       : StepForm::sparse;
}

/// How many steps of a sweep of at most `most` a grid has room for: what a
/// result depends on reaches over one boundary at most.
template <std::size_t R>
int steps_in_grid(std::array<std::int64_t, R> const& extents, int radius,
                  int most) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t const n : extents) {
    // Rows and columns are counted in 32 bits.
    if (R > 1 && n >= std::int64_t(1) << 30) return 1;
    shortest = std::min(shortest, n);
  }
  return int(std::clamp<std::int64_t>(shortest / (3 * radius), 1, most));
}

}  // namespace KokkosMMA::Impl

#endif
