// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_STEPS_HPP
#define KOKKOSMMA_STENCIL_STEPS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// Selection of the steps that one sweep computes together, and the elements
/// for which any of these steps crosses a boundary that is not periodic: strips
/// as deep as the steps reach, divided into tiles. A sweep rounds after each
/// step: results are bitwise identical to those of single steps. Kernels of a
/// backend compute the steps.

namespace KokkosMMA::Impl {

/// Order of summation in a step, the same as in the single-step kernel.
enum class StepForm : unsigned char {
  none,     ///< no kernel computes several steps at once
  star,     ///< weights on the axes, all nonzero, in their order
  dense,    ///< weights of radius 1, all nonzero, in their order
  sparse,   ///< other weights of radius 1, in their order
  product,  ///< two dimensions: along the rows, then the columns
  inward    ///< one dimension: from the ends to the middle
};

/// Largest radii with kernels; the first is that of one dimension.
inline constexpr int step_line_radius    = 4;
inline constexpr int step_star_radius    = 4;
inline constexpr int step_product_radius = 4;
/// Largest radius for which a box of ones of floating-point elements is summed
/// like any outer product. Above it, adjacent results reuse sums of rows:
/// faster, but rounding depends on the position of a result, and several steps
/// are single ones. Radius 1, in order and with reuse: half 664 and 681, float
/// 354 and 347, double 181 and 182 10^9 sums per second (8192^2, H100, CUDA
/// 13.0, 2026-11-26).
inline constexpr int box_in_order_radius = 1;

/// Whether sweeps of several steps are compiled: elements and results have the
/// same type.
constexpr bool steps_exist(Scalar element, Scalar result, Scalar accumulator) {
  return element == result && stencil_kernel_exists(element, accumulator) &&
         is_floating(accumulator);
}

/// \param weights in the kernels' order
/// \param kernel  of a single step on the route `streamed`
template <int R>
StepForm step_form(StencilWeights<R> const& weights, StencilKernel kernel,
                   StencilProblem const& problem) {
  int const radius = problem.radius;
  if (!problem.one_radius) return StepForm::none;
  // Kernels for outer products into functors do not support several steps.
  if (problem.to_functor && (R != 2 || kernel != StencilKernel::direct))
    return StepForm::none;
  if (R == 1) {
    if (radius > step_line_radius || weights.taps() != weights.size())
      return StepForm::none;
    return kernel == StencilKernel::direct ? StepForm::star : StepForm::inward;
  }
  if (kernel == StencilKernel::separable) {
    if (R == 3) return StepForm::none;
    // Other results of 16-bit floats are summed from the ends to the middle.
    bool const in_order =
        size_of(problem.input) > 2 || problem.target >= RowLayout::pitch_16;
    int const most = problem.weights == WeightForm::ones ? box_in_order_radius
                                                         : step_product_radius;
    return in_order && radius <= most ? StepForm::product : StepForm::none;
  }
  if (kernel != StencilKernel::direct) return StepForm::none;
  // Single steps are faster without vectors: 246 with several steps, 308
  // without (10^9 float updates per second), halves 290 and 382 (500 x 501 x
  // 510, H100, CUDA 13.0, 2026-11-27).
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

/// Number of steps of a sweep, at most `most`, that a grid has room for: the
/// dependencies of a result cross one boundary at most.
template <std::size_t R>
int steps_in_grid(std::array<std::int64_t, R> const& extents, int radius,
                  int most) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t const n : extents) {
    // Rows and columns are counted with 32 bits.
    if (R > 1 && n >= std::int64_t(1) << 30) return 1;
    shortest = std::min(shortest, n);
  }
  return int(std::clamp<std::int64_t>(shortest / (3 * radius), 1, most));
}

/// Indices `begin` to `end` - 1 of each dimension.
template <int R>
struct GridBox {
  std::int64_t begin[R];
  std::int64_t end[R];
};

/// Disjoint strips, in tiles of at most `Row` elements along the last dimension
/// and `Side` along the others.
template <int R, int Side, int Row = Side>
struct StepStrips {
  GridBox<R> strip[2 * R];  ///< empty at periodic boundaries
  GridBox<R> rest;          ///< elements outside of all strips
  bool halved = false;      ///< whether tiles are half as long

  std::int64_t tiles() const {
    std::int64_t count = 0;
    for (int s = 0; s < 2 * R; ++s) {
      std::int64_t of_strip = 1;
      for (int d = 0; d < R; ++d) of_strip *= along(s, d);
      count += of_strip;
    }
    return count;
  }
  /// Tile of an index below 2^31: a 64-bit division takes some hundred
  /// instructions on a device.
  KOKKOSMMA_FORCEINLINE_FUNCTION GridBox<R> tile(unsigned index) const {
    int strip_of_tile = 0;
    return tile(index, strip_of_tile);
  }
  /// \param[out] strip_of_tile index of the strip: per dimension, the low one
  /// and then the high one
  KOKKOSMMA_FORCEINLINE_FUNCTION GridBox<R> tile(unsigned index,
                                                 int& strip_of_tile) const {
    GridBox<R> result{};
    for (int s = 0; s < 2 * R; ++s) {
      unsigned count = 1;
      for (int d = 0; d < R; ++d) count *= along(s, d);
      if (index < count) {
        unsigned rest_of_index = index;
        strip_of_tile          = s;
        for (int d = R - 1; d >= 0; --d) {
          unsigned const at = rest_of_index % along(s, d);
          rest_of_index /= along(s, d);
          std::int64_t const begin =
              strip[s].begin[d] + std::int64_t(at) * side(d);
          std::int64_t const end = begin + side(d);
          result.begin[d]        = begin;
          result.end[d] = end < strip[s].end[d] ? end : strip[s].end[d];
        }
        return result;
      }
      index -= count;
    }
    return result;
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION unsigned side(int d) const {
    return unsigned(d == R - 1 ? Row : Side) / (halved ? 2 : 1);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION unsigned along(int s, int d) const {
    return (unsigned(strip[s].end[d] - strip[s].begin[d]) + side(d) - 1) /
           side(d);
  }
};

/// Strips for extents of at least 3 * radius * steps.
template <class Strips, int R>
Strips step_strips(Boundaries<R> const& boundaries,
                   std::int64_t const (&extent)[R], int radius, int steps) {
  Strips strips{};
  GridBox<R>& rest = strips.rest;
  std::copy(extent, extent + R, rest.end);
  std::int64_t const depth = std::int64_t(radius) * steps;
  for (int d = 0; d < R; ++d) {
    if (boundaries.low[d].kind == Boundary::periodic) continue;
    GridBox<R>& low = strips.strip[2 * d] = rest;
    low.end[d] = rest.begin[d] = depth;
    GridBox<R>& high = strips.strip[2 * d + 1] = rest;
    high.begin[d] = rest.end[d] = extent[d] - depth;
  }
  return strips;
}

/// Update of steps that write the sums.
struct NoUpdate {};

/// Result of a step with an update: update(caller's indices, value, sum),
/// rounded to `Element`.
template <class A, class Element, class Update>
KOKKOSMMA_FORCEINLINE_FUNCTION A updated(Update const& update, bool reversed,
                                         std::int64_t i, std::int64_t j,
                                         A value, A sum) {
  return static_cast<A>(static_cast<Element>(update(
      reversed ? j : i, reversed ? i : j, static_cast<Element>(value), sum)));
}

}  // namespace KokkosMMA::Impl

#endif
