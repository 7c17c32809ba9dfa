// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights of stencils, and those that are outer products. Factors are
// multiplied out in long double and compared with the weights.

#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <KokkosMMA_ErrorOf.hpp>
#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

std::vector<double> list(StencilWeights<1> const& weights) {
  return {weights.values().begin(), weights.values().end()};
}

/// One line per row, a digit per weight.
std::string picture(StencilWeights<2> const& weights) {
  std::string text;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    text += char('0' + int(weights.values()[at]));
    if ((at + 1) % std::size_t(weights.width(1)) == 0) text += '\n';
  }
  return text;
}

TEST(StencilWeights, MakersOfTwoDimensions) {
  using W = StencilWeights<2>;
  EXPECT_EQ(picture(W::box(1)), "111\n111\n111\n");
  EXPECT_EQ(picture(W::box({1, 2})), "11111\n11111\n11111\n");
  EXPECT_EQ(picture(W::moore(1)), "111\n101\n111\n");
  EXPECT_EQ(picture(W::von_neumann(1)), "010\n101\n010\n");
  EXPECT_EQ(picture(W::von_neumann(2)), "00100\n01110\n11011\n01110\n00100\n");
  EXPECT_EQ(picture(W::star(1)), "010\n111\n010\n");
  EXPECT_EQ(picture(W::star({1, 2})), "00100\n11111\n00100\n");
  EXPECT_EQ(picture(W::von_neumann(1).with_centre(5)), "010\n151\n010\n");
  EXPECT_EQ(W::moore(3).with_centre(1), W::box(3));
  EXPECT_FALSE(W::moore(3) == W::box(3));
}

TEST(StencilWeights, MakersOfOneAndThreeDimensions) {
  EXPECT_EQ(list(StencilWeights<1>::moore(2)),
            (std::vector<double>{1, 1, 0, 1, 1}));
  EXPECT_EQ(list(StencilWeights<1>::von_neumann(2)),
            (std::vector<double>{1, 1, 0, 1, 1}));
  EXPECT_EQ(list(StencilWeights<1>::star(1)), (std::vector<double>{1, 1, 1}));
  // (2r + 1)^3, 6r + 1, and the octahedral numbers less the centre.
  EXPECT_EQ(StencilWeights<3>::box({1, 2, 3}).taps(), 3u * 5 * 7);
  EXPECT_EQ(StencilWeights<3>::moore(1).taps(), 26u);
  EXPECT_EQ(StencilWeights<3>::star(16).taps(), 97u);
  EXPECT_EQ(StencilWeights<3>::von_neumann(1).taps(), 6u);
  EXPECT_EQ(StencilWeights<3>::von_neumann(2).taps(), 24u);
  EXPECT_EQ(StencilWeights<3>::box(16).size(), 33u * 33 * 33);
}

TEST(StencilWeights, WeightsByOffset) {
  std::vector<double> values(3 * 5 * 7);
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = double(at);
  auto const weights = StencilWeights<3>::dense({1, 2, 3}, values);
  EXPECT_EQ(weights.radius(0), 1);
  EXPECT_EQ(weights.width(2), 7);
  EXPECT_EQ(weights.weight({-1, -2, -3}), 0);
  EXPECT_EQ(weights.weight({-1, -2, -2}), 1);
  EXPECT_EQ(weights.weight({-1, -1, -3}), 7);
  EXPECT_EQ(weights.weight({0, -2, -3}), 35);
  EXPECT_EQ(weights.weight({0, 0, 0}), 52);
  EXPECT_EQ(weights.weight({1, 2, 3}), 104);
  EXPECT_EQ(weights.weight({2, 0, 0}), 0);
  EXPECT_EQ(weights.weight({0, 0, -4}), 0);
  for (std::size_t at = 0; at < values.size(); ++at)
    EXPECT_EQ(weights.weight(weights.offsets(at)), values[at]);
}

TEST(StencilWeights, InBraces) {
  using W = StencilWeights<2>;
  EXPECT_EQ(W::dense(1, {0, 1, 0, 1, -4, 1, 0, 1, 0}),
            W::von_neumann(1).with_centre(-4));
  EXPECT_EQ(W::dense({1, 2}, {0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0}),
            W::star({1, 2}));
  EXPECT_EQ(list(StencilWeights<1>::dense(1, {0.25, 0.5, 0.25})),
            (std::vector<double>{0.25, 0.5, 0.25}));
  EXPECT_EQ(error_of([] {
              W::dense(1, {0, 1, 0, 1});
            }),
            "KokkosMMA::StencilWeights::dense: 4 weights for radius (1, 1); "
            "there must be 9, 2 * radius + 1 per dimension");
}

TEST(StencilWeights, Properties) {
  using W = StencilWeights<2>;
  EXPECT_TRUE(W::box({3, 16}).is_box());
  EXPECT_FALSE(W::moore(1).is_box());
  EXPECT_FALSE(W::box(1).with_centre(2).is_box());
  EXPECT_TRUE(StencilWeights<1>::star(4).is_box());
  EXPECT_EQ(W::star(2).with_centre(-0.).taps(), 8u);
}

TEST(StencilWeights, WrongSizes) {
  EXPECT_EQ(error_of([] {
              StencilWeights<2>::dense({1, 2}, std::vector<double>(9));
            }),
            "KokkosMMA::StencilWeights::dense: 9 weights for radius (1, 2); "
            "there must be 15, 2 * radius + 1 per dimension");
  EXPECT_EQ(error_of([] { StencilWeights<1>::dense(3, {}); }),
            "KokkosMMA::StencilWeights::dense: 0 weights for radius (3); "
            "there must be 7, 2 * radius + 1 per dimension");
}

TEST(StencilWeights, WrongRadii) {
  EXPECT_EQ(error_of([] { StencilWeights<2>::moore(17); }),
            "KokkosMMA::StencilWeights::moore: the radius of dimension 0 is "
            "17; it is 1 to 16");
  EXPECT_EQ(error_of([] {
              StencilWeights<3>::box({16, 1, 0});
            }),
            "KokkosMMA::StencilWeights::box: the radius of dimension 2 is 0; "
            "it is 1 to 16");
  EXPECT_EQ(error_of([] {
              StencilWeights<2>::dense({1, -1}, std::vector<double>(3));
            }),
            "KokkosMMA::StencilWeights::dense: the radius of dimension 1 is "
            "-1; it is 1 to 16");
  for (int const radius :
       {0, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    EXPECT_NE(error_of([&] { StencilWeights<1>::star(radius); }), "");
    EXPECT_NE(error_of([&] { StencilWeights<1>::von_neumann(radius); }), "");
  }
}

TEST(StencilWeights, WeightsThatAreNotFinite) {
  double const nan      = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values(15, 1.);
  values[6] = nan;
  EXPECT_EQ(error_of([&] {
              StencilWeights<2>::dense({1, 2}, values);
            }),
            "KokkosMMA::StencilWeights::dense: the weight of offset (0, -1) is "
            "nan; weights are finite numbers");
  values[6] = -infinity;
  EXPECT_EQ(error_of([&] {
              StencilWeights<2>::dense({1, 2}, values);
            }),
            "KokkosMMA::StencilWeights::dense: the weight of offset (0, -1) is "
            "-inf; weights are finite numbers");
  EXPECT_EQ(error_of([&] { StencilWeights<1>::box(1).with_centre(nan); }),
            "KokkosMMA::StencilWeights::with_centre: the weight of the centre "
            "is nan; weights are finite numbers");
}

StencilWeights<2> outer(std::vector<double> const& column,
                        std::vector<double> const& row) {
  std::vector<double> values;
  for (double const left : column)
    for (double const right : row) values.push_back(left * right);
  return StencilWeights<2>::dense({int(column.size() / 2), int(row.size() / 2)},
                                  values);
}

/// Largest deviation of a product of factors from its weight, in bits of a
/// double.
template <int R>
double error_of(StencilWeights<R> const& weights,
                OuterProduct<R> const& product) {
  double worst = 0;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    auto const offsets = weights.offsets(at);
    long double value  = 1;
    for (int d = 0; d < R; ++d)
      value *= product.factors[std::size_t(d)].at(
          std::size_t(offsets[std::size_t(d)] + weights.radius(d)));
    double const weight = weights.values()[at];
    if (weight == 0)
      EXPECT_EQ(0, value);
    else
      worst = std::max(worst, double(std::abs(value / weight - 1)));
  }
  return worst / 0x1p-52;
}

/// Factors without rounding; of integers they are integers.
template <int R>
void expect_exact(StencilWeights<R> const& weights) {
  auto const product = outer_product(weights);
  ASSERT_TRUE(product);
  EXPECT_TRUE(product->exact);
  EXPECT_EQ(0, error_of(weights, *product));
  auto const is_integer = [](double value) {
    return value == std::trunc(value);
  };
  if (!std::ranges::all_of(weights.values(), is_integer)) return;
  for (auto const& factor : product->factors)
    for (double const value : factor) EXPECT_EQ(value, std::trunc(value));
}

/// Factors that are rounded, each weight right to its last bits.
template <int R>
void expect_rounded(StencilWeights<R> const& weights) {
  auto const product = outer_product(weights);
  ASSERT_TRUE(product);
  EXPECT_FALSE(product->exact);
  EXPECT_GE(8, error_of(weights, *product));
}

TEST(OuterProduct, BoxOfOnesIsOnes) {
  for (int r = 1; r <= 16; ++r) {
    SCOPED_TRACE(r);
    expect_exact(StencilWeights<1>::box(r));
    expect_exact(StencilWeights<2>::box({r, 17 - r}));
    std::vector<double> const ones(std::size_t(2 * r + 1), 1.);
    auto const product = outer_product(StencilWeights<3>::box(r));
    ASSERT_TRUE(product);
    for (auto const& factor : product->factors) EXPECT_EQ(factor, ones);
  }
  expect_exact(StencilWeights<3>::box({1, 2, 5}));
}

TEST(OuterProduct, OfIntegersIsOfIntegers) {
  expect_exact(outer({1, 2, 1}, {1, 4, 6, 4, 1}));
  expect_exact(outer({1, 6, 15, 20, 15, 6, 1}, {0, 4, 6, -4, 1}));
  expect_exact(outer({-6, 0, 9}, {10, 0, -15}));
  // Products near 2^53 with factors that share no divisor.
  expect_exact(outer({94906265, 1, 3}, {94906263, -94906249, 7}));
  // A power of two for all: binomial weights over their sum.
  expect_exact(outer({0.25, 0.5, 0.25}, {0.25, 0.5, 0.25}));
  // One number for all: no product with it is rounded.
  expect_exact(StencilWeights<2>::dense(3, std::vector<double>(49, 0.1)));
  Random random;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::array<int, 3> const radius{int(random.integer(1, 3)),
                                    int(random.integer(1, 3)),
                                    int(random.integer(1, 3))};
    std::array<std::vector<double>, 3> factors;
    for (std::size_t d = 0; d < 3; ++d)
      for (int k = 0; k < 2 * radius[d] + 1; ++k)
        factors[d].push_back(double(random.integer(-3000, 3000)));
    std::vector<double> values;
    for (double const a : factors[0])
      for (double const b : factors[1])
        for (double const c : factors[2]) values.push_back(a * b * c);
    expect_exact(StencilWeights<3>::dense(radius, values));
  }
}

TEST(OuterProduct, ZeroWeights) {
  expect_exact(StencilWeights<2>::dense(1, std::vector<double>(9, 0.)));
  expect_exact(StencilWeights<3>::dense(1, std::vector<double>(27, 0.)));
  expect_exact(outer({0, 0, 0}, {1, 2, 3}));
  // A single weight, away from the centre.
  std::vector<double> values(25, 0.);
  values[3] = 5;
  expect_exact(StencilWeights<2>::dense(2, values));
}

TEST(OuterProduct, RowsOfZerosStayZeros) {
  // A factor that is not quite zero would let an Inf through.
  Random random;
  std::vector<double> column(9), row(7);
  for (double& value : column) value = random.normal();
  for (double& value : row) value = random.normal();
  column[2] = row[5] = 0;
  auto const product = outer_product(outer(column, row));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->factors[0][2], 0);
  EXPECT_EQ(product->factors[1][5], 0);
}

TEST(OuterProduct, OfRealNumbers) {
  Random random;
  expect_rounded(outer({0.1, 0.3, 0.7}, {0.9, 1.1, 1.3}));
  for (int repeat = 0; repeat < 50; ++repeat) {
    double const tiny = std::ldexp(1., -20 * (repeat % 5));
    std::vector<double> a(5), b(7), c(3);
    for (auto* const factor : {&a, &b, &c})
      for (double& value : *factor)
        value = tiny * (random.uniform(-1, 1) + 2 * (repeat % 2));
    std::vector<double> plane, solid;
    for (double const x : a)
      for (double const y : b) {
        plane.push_back(x * y);
        for (double const z : c) solid.push_back(x * y * z);
      }
    expect_rounded(StencilWeights<2>::dense({2, 3}, plane));
    expect_rounded(StencilWeights<3>::dense({2, 3, 1}, solid));

    // One weight that is off by a little.
    plane[17] *= 1 + 0x1p-40;
    EXPECT_FALSE(outer_product(StencilWeights<2>::dense({2, 3}, plane)));
    solid[17] *= 1 + 0x1p-40;
    EXPECT_FALSE(outer_product(StencilWeights<3>::dense({2, 3, 1}, solid)));
  }
}

TEST(OuterProduct, WeightsOfHugeRange) {
  // Every weight keeps its accuracy, also at the ends of the range.
  for (double const scale : {1e-140, 1., 1e140}) {
    std::vector<double> vector(33);
    for (int i = -16; i <= 16; ++i)
      vector[std::size_t(i + 16)] = scale * std::exp(-0.1 * i * i) / 3;
    expect_rounded(outer(vector, vector));
  }
  double const largest  = std::numeric_limits<double>::max();
  double const smallest = std::numeric_limits<double>::denorm_min();
  for (double const weight : {largest, -largest, smallest, 3 * smallest}) {
    SCOPED_TRACE(weight);
    expect_exact(StencilWeights<2>::dense(1, std::vector<double>(9, weight)));
  }
}

TEST(OuterProduct, FactorsOfFractionsAreNearOne) {
  // Products of floats have up to 48 bits. As integers, the factors of a row
  // would make sums along it infinite, and those of a column be zero in float.
  std::vector<double> const vector{0.1f, 0.7f, 0.2f};
  auto const expect_near_one = [](std::vector<double> const& factor) {
    double const largest = *std::ranges::max_element(factor);
    EXPECT_LE(1, largest);
    EXPECT_GT(2, largest);
  };
  for (double const scale : {1., 0x1p-100}) {
    SCOPED_TRACE(scale);
    std::vector<double> column = vector;
    for (double& value : column) value *= scale;
    StencilWeights<2> const plane = outer(column, vector);
    std::vector<double> values;
    for (double const a : {scale, 2 * scale, scale})
      for (double const b : vector)
        for (double const c : {0.125 + 0x1p-20, 0.5, 0.25})
          values.push_back(a * b * c);
    auto const solid = StencilWeights<3>::dense(1, values);
    expect_exact(plane);
    expect_exact(solid);
    expect_near_one(outer_product(plane)->factors[1]);
    expect_near_one(outer_product(solid)->factors[1]);
    expect_near_one(outer_product(solid)->factors[2]);
  }
}

TEST(OuterProduct, OneDimensionIsItsOwnFactor) {
  Random random;
  std::vector<double> values(15);
  for (double& value : values)
    value = std::ldexp(random.normal(), int(random.integer(-1000, 1000)));
  auto const product = outer_product(StencilWeights<1>::dense(7, values));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->factors[0], values);
  EXPECT_TRUE(product->exact);
}

TEST(OuterProduct, WhatIsNone) {
  EXPECT_FALSE(outer_product(StencilWeights<2>::moore(1)));
  EXPECT_FALSE(outer_product(StencilWeights<2>::star(3)));
  EXPECT_FALSE(outer_product(StencilWeights<3>::star(2)));
  EXPECT_FALSE(outer_product(StencilWeights<3>::moore(1)));
  EXPECT_FALSE(outer_product(StencilWeights<3>::von_neumann(2)));
  EXPECT_FALSE(outer_product(StencilWeights<2>::box(1).with_centre(0.5)));
  // Integers whose factors are none, though a product but for rounding: integer
  // sums would cut the factors off.
  double const large = std::ldexp(1., 60);
  EXPECT_FALSE(outer_product(
      StencilWeights<2>::dense(1, {1, large, 1, 1, large, 1, 1, large, 1})));
  // One more in a corner, and it is no longer one product.
  std::vector<double> values(33 * 33, 1.);
  values.back() = 2;
  EXPECT_FALSE(outer_product(StencilWeights<2>::dense(16, values)));
}

}  // namespace
