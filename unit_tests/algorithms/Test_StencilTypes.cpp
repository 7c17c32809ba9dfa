// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: floating-point elements, results and
// sums.

#include "StencilCases.hpp"
#include "StencilStepCases.hpp"

#include <array>
#include <cmath>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilTypes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilTypes, ExecutionSpaces);

TYPED_TEST(StencilTypes, FloatingTypes) {
  for_pairs<Pair<half_t, half_t>, Pair<bhalf_t, bhalf_t>, Pair<half_t, float>,
            Pair<double, double>, Pair<float, double>>(
      [&]<class A, class B>(Pair<A, B>) { one_type<A, B, TypeParam>(); });
}

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
  SeededRandom random;
  HostGrid<2> data({40, 50});
  for (double& value : data.values) value = random.normal();
  std::vector<double> values(49);
  for (double& value : values) value = double(float(random.normal()));
  expect_close_sums<T, Exec>(data, StencilWeights<2>::dense(3, values),
                             random_boundaries<2>(random, false));
}
TYPED_TEST(StencilTypes, RandomNumbers) {
  random_numbers<half_t, TypeParam>();
  random_numbers<float, TypeParam>();
  random_numbers<double, TypeParam>();
}

TYPED_TEST(StencilTypes, ProductsOfRowsAnywhere) {
  products_of_rows_anywhere<half_t, TypeParam>();
  products_of_rows_anywhere<double, TypeParam>();
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
  SeededRandom random;
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
TYPED_TEST(StencilTypes, WeightsWithoutStructure) {
  weights_without_structure<half_t, TypeParam>();
  weights_without_structure<bhalf_t, TypeParam>();
  weights_without_structure<float, TypeParam>();
  weights_without_structure<double, TypeParam>();
}

/// Products of two factors that are no 16-bit floats, but sums of some.
template <class T, class Exec>
void products_of_fractions() {
  SeededRandom random;
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
TYPED_TEST(StencilTypes, ProductsOfFractions) {
  products_of_fractions<half_t, TypeParam>();
  products_of_fractions<bhalf_t, TypeParam>();
  products_of_fractions<float, TypeParam>();
}

TYPED_TEST(StencilTypes, StepsOfDoubles) {
  steps_at_every_boundary<double, 2, Plain<Kokkos::LayoutRight>, TypeParam>(30);
}
TYPED_TEST(StencilTypes, StepsBetweenTypes) {
  steps_between_types<float, half_t, TypeParam>();
}

// --- several steps have the bits of steps
// --------------------------------------

using Right = Kokkos::LayoutRight;
using Left  = Kokkos::LayoutLeft;
using enum StepWeights;

TYPED_TEST(StencilTypes, BitsOfStepsOfFloats) {
  steps_of<float, Plain<Right>, TypeParam>({star, dense, sparse, product, mean},
                                           14);
  steps_of<float, Framed<Right>, TypeParam>({star, product}, 8);
}
TYPED_TEST(StencilTypes, BitsOfStepsOfDoubles) {
  steps_of<double, Plain<Right>, TypeParam>(
      {star, dense, sparse, product, mean}, 14);
  steps_of<double, Framed<Left>, TypeParam>({star, dense}, 8);
}
TYPED_TEST(StencilTypes, BitsOfStepsOfSmallFloats) {
  steps_of<half_t, Plain<Right>, TypeParam>(
      {star, dense, sparse, product, mean}, 14);
  steps_of<bhalf_t, Plain<Right>, TypeParam>({star, dense}, 6);
}
TYPED_TEST(StencilTypes, BitsOfStepsOfFunctors) {
  steps_of_updates<float, Plain<Right>, TypeParam>(14);
  steps_of_updates<double, Framed<Left>, TypeParam>(14);
}
TYPED_TEST(StencilTypes, BitsOfStepsOfVolumes) {
  SeededRandom random;
  auto const star = StencilWeights<3>::star(1);
  for (int i = 0; i < 16; ++i) {
    std::vector<double> values(star.values().begin(), star.values().end());
    for (double& value : values) value *= random.uniform(-.2, .3);
    expect_bits_of_steps<float, 3, Plain<Right>, TypeParam>(
        {random.integer(4, 30), random.integer(4, 40), random.integer(4, 150)},
        StencilWeights<3>::dense(1, values),
        i < 8 ? Boundaries<3>::all(Boundary(i / 4), .3)
              : random_boundaries<3>(random, false),
        random.integer(2, 6), random);
  }
}
/// Aligned rows have a sweep for outer products, others take two passes, and
/// the values between two steps lie otherwise than the caller's.
TYPED_TEST(StencilTypes, BitsOfStepsOfProductsInVolumes) {
  SeededRandom random;
  auto const steps_of = [&]<class T, class Kind>(T, Kind) {
    for (int radius = 1; radius <= 3; ++radius) {
      auto const box = StencilWeights<3>::box(radius);
      std::vector<double> const mean(box.size(), 1. / double(box.size()));
      expect_bits_of_steps<T, 3, Kind, TypeParam>(
          {random.integer(7, 20), random.integer(7, 30),
           8 * random.integer(2, 20) + random.integer(0, 1)},
          StencilWeights<3>::dense(radius, mean),
          random_boundaries<3>(random, false), 3, random);
    }
  };
  steps_of(half_t(), Plain<Right>());
  steps_of(half_t(), Framed<Right>());
  steps_of(bhalf_t(), Framed<Right>());
  steps_of(float(), Framed<Right>());
}
/// Sums of neighbours leave the type, their average does not.
TYPED_TEST(StencilTypes, AveragesOfLargeSmallFloats) {
  HostGrid<3> large({9, 10, 64});
  for (double& value : large.values) value = 1e38;
  Grid<bhalf_t, 3, TypeParam> const in(large), out(large.extent);
  std::vector<double> const mean(27, 1. / 27);
  stencil(TypeParam(), in.view(), out.view(), StencilWeights<3>::dense(1, mean),
          Boundaries<3>::all(Boundary::nearest));
  for (double const value : out.values()) ASSERT_NEAR(value, 1e38, 2e36);
}
// Many panels and pieces of them.
TYPED_TEST(StencilTypes, BitsOfStepsOnLargerGrids) {
  SeededRandom random;
  expect_bits_of_steps<float, 2, Plain<Right>, TypeParam>(
      {900, 1501}, fractions(star, 1, random),
      random_boundaries<2>(random, false), 9, random);
  expect_bits_of_steps<double, 2, Plain<Right>, TypeParam>(
      {1501, 900}, fractions(product, 2, random),
      random_boundaries<2>(random, false), 7, random);
}

}  // namespace
