// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef STENCILFLOATCASES_HPP
#define STENCILFLOATCASES_HPP

#include "StencilCases.hpp"
#include "StencilStepCases.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

/// \file
/// Stencils of floating-point elements against a loop on the host. Each type
/// has a source: the kernels of one take nvcc minutes.

namespace KokkosMMA::Testing {

/// Sums of these numbers: within the error that so many additions may have.
template <class T, class Exec>
void expect_close_sums(HostGrid<2> data, StencilWeights<2> const& weights,
                       Boundaries<2> const& boundaries) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  for (double& value : data.values) value = double(static_cast<T>(value));
  Grid<T, 2, Exec> const in(data), shape(data.extent);
  HostGrid<2> size(data.extent);
  auto const exact =
      neighbour_sums(data, data.extent, weights, boundaries, &size);
  on_every_route<Exec>(
      in.view(), shape.view(), weights, boundaries,
      [&](Settings const& settings) {
        // Another one for each route: what one has written hides nothing.
        Grid<T, 2, Exec> const out(data.extent);
        stencil(Exec(), in.view(), out.view(), weights, boundaries, 1,
                settings);
        std::vector<double> const found = out.values();
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (!std::isfinite(exact.values[i])) {
            ASSERT_EQ(std::isnan(exact.values[i]), std::isnan(found[i])) << i;
            ASSERT_FALSE(std::isfinite(found[i])) << i;
            continue;
          }
          ASSERT_LE(
              std::abs(found[i] - exact.values[i]),
              50 * double(epsilon<Sum>) * size.values[i] +
                  epsilon<T> * std::abs(exact.values[i]) +
                  (sizeof(T) == 2 ? 1e-7
                                  : double(weights.taps()) *
                                        std::numeric_limits<Sum>::denorm_min()))
              << i;
        }
      });
}
template <class T, class Exec>
void random_numbers() {
  Random random;
  HostGrid<2> data({40, 50});
  for (double& value : data.values) value = random.normal();
  std::vector<double> values(49);
  for (double& value : values) value = double(float(random.normal()));
  expect_close_sums<T, Exec>(data, StencilWeights<2>::dense(3, values),
                             random_boundaries<2>(random, false));
}
/// Sums of normal numbers, with an Inf and a NaN among them, and of numbers
/// with bits below those of the smallest bfloat16, on a grid of several tiles.
template <class T, class Exec>
void all_kinds_of_numbers(StencilWeights<2> const& weights,
                          Place<2> const& large, Place<2> const& small,
                          Random& random) {
  HostGrid<2> data(large);
  for (double& value : data.values) value = random.normal();
  expect_close_sums<T, Exec>(data, weights,
                             random_boundaries<2>(random, false));
  data.at({5, 9})                       = INFINITY;
  data.at({large[0] - 1, large[1] - 1}) = NAN;
  expect_close_sums<T, Exec>(data, weights,
                             Boundaries<2>::all(Boundary::constant));
  std::vector<double> scales;
  if (sizeof(T) > 2) scales = {0x1p-112, 0x1p-126, 0x1p-140};
  for (double const scale : scales) {
    SCOPED_TRACE(joined("scale ", std::ilogb(scale)));
    HostGrid<2> tiny(small);
    for (double& value : tiny.values) value = scale * random.normal();
    expect_close_sums<T, Exec>(tiny, weights,
                               Boundaries<2>::all(Boundary::reflect));
  }
}

/// Weights without structure that are exact as 16-bit floats, of all radii for
/// which kernels differ.
template <class T, class Exec>
void weights_without_structure() {
  Random random;
  using Radius = std::array<int, 2>;
  for (Radius const radius :
       {Radius{3, 4}, Radius{6, 8}, Radius{7, 7}, Radius{8, 5}}) {
    SCOPED_TRACE(joined("radius ", radius[0], ", ", radius[1]));
    std::vector<double> values(
        std::size_t((2 * radius[0] + 1) * (2 * radius[1] + 1)));
    for (double& value : values) value = double(random.integer(1, 15));
    values[values.size() / 3] = 0;
    all_kinds_of_numbers<T, Exec>(StencilWeights<2>::dense(radius, values),
                                  {71, 203}, {19, 70}, random);
  }
}
/// Products of two factors that are no 16-bit floats, but sums of some.
template <class T, class Exec>
void products_of_fractions() {
  Random random;
  using Radius = std::array<int, 2>;
  for (Radius const radius :
       {Radius{2, 2}, Radius{7, 7}, Radius{8, 3}, Radius{9, 12}, Radius{16, 5}})
    for (bool const ones : {false, true}) {
      SCOPED_TRACE(joined("radius ", radius[0], ", ", radius[1],
                          (ones ? " of ones" : "")));
      std::vector<double> values;
      std::vector<double> row(std::size_t(2 * radius[1] + 1));
      for (double& value : row) value = random.uniform(.01, 1);
      for (int i = -radius[0]; i <= radius[0]; ++i) {
        double const factor = random.uniform(-1, 1);
        for (double const value : row)
          values.push_back(ones ? 1 : factor * value);
      }
      // Rows that begin with lines, which the kernels of floats need.
      all_kinds_of_numbers<T, Exec>(StencilWeights<2>::dense(radius, values),
                                    {71, 208}, {19, 72}, random);
    }
}
/// Many panels and pieces of them.
template <class T, class Exec>
void steps_on_a_larger_grid(Place<2> const& extent, StepWeights form,
                            int radius, std::int64_t steps) {
  Random random;
  expect_bits_of_steps<T, 2, Plain<Right>, Exec>(
      extent, fractions(form, radius, random),
      random_boundaries<2>(random, false), steps, random);
}

}  // namespace KokkosMMA::Testing

#endif
