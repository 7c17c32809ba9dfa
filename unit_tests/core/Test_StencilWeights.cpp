// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights of stencils and their factors. Factors are multiplied out in long
// double and compared with the weights.

#include <core/stencil/KokkosMMA_StencilFactors.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using KokkosMMA::factor;
using KokkosMMA::factor_exactly;
using KokkosMMA::outer_product;
using KokkosMMA::StencilFactors;
using KokkosMMA::StencilWeights;
using KokkosMMA::Testing::Random;

template <class Call>
std::string error_of(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "no error";
}

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

TEST(StencilWeights, Properties) {
  using W = StencilWeights<2>;
  EXPECT_TRUE(W::box({3, 16}).is_box_of_ones());
  EXPECT_FALSE(W::moore(1).is_box_of_ones());
  EXPECT_FALSE(W::box(1).with_centre(2).is_box_of_ones());
  EXPECT_TRUE(StencilWeights<1>::star(4).is_box_of_ones());
  EXPECT_TRUE(W::star(7).with_centre(-4.5).is_star());
  EXPECT_TRUE(W::von_neumann(1).is_star());
  EXPECT_FALSE(W::von_neumann(2).is_star());
  EXPECT_FALSE(StencilWeights<3>::box(1).is_star());
  EXPECT_TRUE(W::star(7).with_centre(-4).are_integers());
  EXPECT_FALSE(W::star(7).with_centre(-4.5).are_integers());
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
    EXPECT_NE(error_of([&] { StencilWeights<1>::star(radius); }), "no error");
    EXPECT_NE(error_of([&] { StencilWeights<1>::von_neumann(radius); }),
              "no error");
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

/// Largest deviation of a product of factors from its weight over the largest
/// weight.
template <int Rank>
double deviation(StencilWeights<Rank> const& weights,
                 StencilFactors<Rank> const& factors) {
  long double worst = 0, largest = 0;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    auto const offsets = weights.offsets(at);
    long double rest   = weights.values()[at];
    largest            = std::max(largest, std::abs(rest));
    for (auto const& term : factors.terms) {
      long double product = 1;
      for (int d = 0; d < Rank; ++d)
        product *= term[std::size_t(d)].at(
            std::size_t(offsets[std::size_t(d)] + weights.radius(d)));
      rest -= product;
    }
    worst = std::max(worst, std::abs(rest));
  }
  return largest > 0 ? double(worst / largest) : double(worst);
}

template <int Rank>
void expect_integers(StencilFactors<Rank> const& factors) {
  for (auto const& term : factors.terms)
    for (auto const& vector : term)
      for (double const value : vector) EXPECT_EQ(value, std::trunc(value));
}

/// Exact factors, `rank` of them, that are integers and do not cancel.
template <int Rank>
void expect_exact(StencilWeights<Rank> const& weights, int rank) {
  auto const factors = factor(weights);
  ASSERT_EQ(factors.rank(), rank);
  EXPECT_TRUE(factors.exact);
  EXPECT_EQ(factors.error, 0);
  EXPECT_EQ(factors.growth, 1);
  EXPECT_EQ(deviation(weights, factors), 0);
  if (weights.are_integers()) expect_integers(factors);
}

StencilWeights<2> outer(std::vector<double> const& column,
                        std::vector<double> const& row) {
  std::vector<double> values;
  for (double const left : column)
    for (double const right : row) values.push_back(left * right);
  return StencilWeights<2>::dense({int(column.size() / 2), int(row.size() / 2)},
                                  values);
}

TEST(StencilFactors, BoxOfOnesIsOnes) {
  for (int r = 1; r <= 16; ++r) {
    SCOPED_TRACE(r);
    expect_exact(StencilWeights<1>::box(r), 1);
    expect_exact(StencilWeights<2>::box({r, 17 - r}), 1);
    std::vector<double> const ones(std::size_t(2 * r + 1), 1.);
    auto const plane = factor(StencilWeights<2>::box(r));
    auto const space = factor(StencilWeights<3>::box(r));
    for (auto const& vector : plane.terms.at(0)) EXPECT_EQ(vector, ones);
    for (auto const& vector : space.terms.at(0)) EXPECT_EQ(vector, ones);
  }
  expect_exact(StencilWeights<3>::box({1, 2, 5}), 1);
}

TEST(StencilFactors, NeighbourhoodsAreFewProductsOfIntegers) {
  for (int r = 1; r <= 16; ++r) {
    SCOPED_TRACE(r);
    expect_exact(StencilWeights<2>::moore(r), 2);
    expect_exact(StencilWeights<2>::star(r), 2);
    expect_exact(StencilWeights<2>::star(r).with_centre(-4), 2);
    // A diamond has r + 1 different rows.
    expect_exact(StencilWeights<2>::von_neumann(r), r + 1);
    expect_exact(StencilWeights<2>::von_neumann(r).with_centre(1), r + 1);
  }
}

TEST(StencilFactors, ProductsOfIntegersStayIntegers) {
  expect_exact(outer({1, 2, 1}, {1, 4, 6, 4, 1}), 1);
  expect_exact(outer({-6, 0, 9}, {10, 0, -15}), 1);
  expect_exact(outer({0, 0, 0}, {1, 2, 3}), 1);
  // Products near 2^53 with factors that share no divisor.
  expect_exact(outer({94906265, 1, 3}, {94906263, -94906249, 7}), 1);
  // A power of two for all: binomial weights over their sum.
  auto const binomial = factor(outer({0.25, 0.5, 0.25}, {0.25, 0.5, 0.25}));
  EXPECT_TRUE(binomial.exact);
  EXPECT_EQ(binomial.rank(), 1);
  EXPECT_EQ(binomial.error, 0);
  // One number for all: no product with it is rounded.
  std::vector<double> ring(49, 0.1);
  ring[24] = 0;
  expect_exact(StencilWeights<2>::dense(3, ring), 2);
  // One more in a corner, and it is no longer one product.
  std::vector<double> values(33 * 33, 1.);
  values.back() = 2;
  expect_exact(StencilWeights<2>::dense(16, values), 2);
}

TEST(StencilFactors, ZeroWeights) {
  expect_exact(StencilWeights<2>::box(2).with_centre(0), 2);
  auto const nothing = StencilWeights<2>::dense(1, std::vector<double>(9, 0.));
  expect_exact(nothing, 1);
  expect_exact(StencilWeights<3>::dense(1, std::vector<double>(27, 0.)), 1);
  // A single weight, away from the centre.
  std::vector<double> values(25, 0.);
  values[3] = 5;
  expect_exact(StencilWeights<2>::dense(2, values), 1);
}

TEST(StencilFactors, RowsOfZerosStayZeros) {
  // A factor that is not quite zero would let an Inf through.
  Random random;
  SCOPED_TRACE(random.note());
  std::vector<double> column(9), row(7);
  for (double& value : column) value = random.normal();
  for (double& value : row) value = random.normal();
  column[2] = row[5] = 0;
  auto const factors = factor(outer(column, row));
  ASSERT_EQ(factors.rank(), 1);
  EXPECT_EQ(factors.terms[0][0][2], 0);
  EXPECT_EQ(factors.terms[0][1][5], 0);
}

/// Sum of `rank` products of normal vectors.
StencilWeights<2> random_weights(Random& random, std::array<int, 2> radius,
                                 int rank) {
  auto const rows    = std::size_t(2 * radius[0] + 1);
  auto const columns = std::size_t(2 * radius[1] + 1);
  std::vector<double> values(rows * columns, 0.);
  for (int q = 0; q < rank; ++q) {
    std::vector<double> row(columns);
    for (double& value : row) value = random.normal();
    for (std::size_t y = 0; y < rows; ++y) {
      double const left = random.normal();
      for (std::size_t x = 0; x < columns; ++x)
        values[y * columns + x] += left * row[x];
    }
  }
  return StencilWeights<2>::dense(radius, values);
}

TEST(StencilFactors, RandomMatricesOfAnyRank) {
  Random random;
  SCOPED_TRACE(random.note());
  double const tolerance = 0x1p-44;
  for (std::array<int, 2> const radius :
       {std::array{1, 1}, std::array{2, 2}, std::array{3, 7}, std::array{7, 3},
        std::array{1, 16}, std::array{16, 1}, std::array{16, 16}}) {
    int const full = 2 * std::min(radius[0], radius[1]) + 1;
    for (int const rank : {1, 2, full})
      for (int repeat = 0; repeat < 10; ++repeat) {
        auto const weights = random_weights(random, radius, rank);
        auto const factors = factor(weights, tolerance);
        // Fewer when a singular value happens to be small.
        ASSERT_GE(factors.rank(), 1);
        ASSERT_LE(factors.rank(), rank) << radius[0] << ", " << radius[1];
        EXPECT_LE(deviation(weights, factors), tolerance * (1 + 0x1p-20));
        EXPECT_LE(factors.error, tolerance);
        EXPECT_GE(factors.growth, 1 - 1e-12);
      }
  }
}

TEST(StencilFactors, ToleranceBoundsWhatIsLeftOut) {
  // exp(-|o|) is of full rank with singular values that fall quickly.
  std::vector<double> values;
  for (int y = -7; y <= 7; ++y)
    for (int x = -7; x <= 7; ++x) values.push_back(std::exp(-std::hypot(y, x)));
  auto const weights = StencilWeights<2>::dense(7, values);
  int last           = 9;
  for (double const tolerance : {0x1p-44, 1e-6, 1e-3, 0.05, 0.5}) {
    auto const factors = factor(weights, tolerance);
    EXPECT_LE(deviation(weights, factors), tolerance);
    EXPECT_LT(factors.rank(), last) << tolerance;
    last = factors.rank();
    // What is left out is what the error says, up to rounding in the products.
    EXPECT_NEAR(factors.error, deviation(weights, factors), 1e-15);
  }
  EXPECT_EQ(last, 1);
}

TEST(StencilFactors, ToleranceMaySaveTermsOfIntegers) {
  std::vector<double> values(49, 1000.);
  values.back()      = 1001;
  auto const weights = StencilWeights<2>::dense(3, values);
  expect_exact(weights, 2);
  auto const fewer = factor(weights, 0.01);
  EXPECT_EQ(fewer.rank(), 1);
  EXPECT_FALSE(fewer.exact);
  EXPECT_LE(deviation(weights, fewer), 0.01);
}

TEST(StencilFactors, ToleranceOfZeroIsExactOrNothing) {
  EXPECT_EQ(factor(StencilWeights<2>::moore(3), 0).rank(), 2);
  // Products that are rounded.
  EXPECT_EQ(factor(outer({0.1, 0.3, 0.7}, {0.9, 1.1, 1.3}), 0).rank(), 0);
  EXPECT_EQ(factor(outer({0.1, 0.3, 0.7}, {0.9, 1.1, 1.3})).rank(), 1);
  Random random;
  SCOPED_TRACE(random.note());
  auto const weights = random_weights(random, {7, 7}, 15);
  EXPECT_EQ(factor(weights, 0).rank(), 0);
  EXPECT_EQ(factor(weights).rank(), 15);
}

TEST(StencilFactors, WeightsOfHugeRange) {
  // Rank 1 keeps the accuracy of every weight, also at the ends of the range.
  for (double const scale : {1e-140, 1., 1e140}) {
    std::vector<double> vector(33);
    for (int i = -16; i <= 16; ++i)
      vector[std::size_t(i + 16)] = scale * std::exp(-0.1 * i * i) / 3;
    auto const weights = outer(vector, vector);
    auto const factors = factor(weights);
    ASSERT_EQ(factors.rank(), 1);
    for (std::size_t at = 0; at < weights.size(); ++at) {
      double const product =
          factors.terms[0][0][at / 33] * factors.terms[0][1][at % 33];
      EXPECT_NEAR(product / weights.values()[at], 1, 1e-15) << at;
    }
  }
  // Any others, within the tolerance of the largest.
  Random random;
  SCOPED_TRACE(random.note());
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::vector<double> values(9 * 9);
    for (double& value : values)
      value = std::ldexp(random.normal(), int(random.integer(-1070, 1015)));
    auto const weights = StencilWeights<2>::dense(4, values);
    auto const factors = factor(weights);
    ASSERT_GE(factors.rank(), 1);
    EXPECT_LE(deviation(weights, factors), 0x1p-44);
  }
}

TEST(StencilFactors, EndsOfTheRangeOfDouble) {
  double const largest  = std::numeric_limits<double>::max();
  double const smallest = std::numeric_limits<double>::denorm_min();
  for (double const weight : {largest, -largest, smallest, 3 * smallest}) {
    SCOPED_TRACE(weight);
    std::vector<double> values(9, weight);
    for (auto const& weights :
         {StencilWeights<2>::dense(1, values),
          StencilWeights<2>::dense(1, values).with_centre(0)}) {
      auto const factors = factor(weights);
      ASSERT_GE(factors.rank(), 1);
      EXPECT_TRUE(factors.exact);
      EXPECT_EQ(deviation(weights, factors), 0);
    }
  }
}

TEST(StencilFactors, IntegersThatCancelAreNotExactButStable) {
  // Elimination of random integers leaves large terms of both signs.
  Random random;
  SCOPED_TRACE(random.note());
  for (int repeat = 0; repeat < 200; ++repeat) {
    int const radius = int(random.integer(1, 4));
    std::vector<double> values(
        std::size_t((2 * radius + 1) * (2 * radius + 1)));
    for (double& value : values) value = double(random.integer(-9, 9));
    auto const weights = StencilWeights<2>::dense(radius, values);
    auto const factors = factor(weights);
    ASSERT_GE(factors.rank(), 1);
    EXPECT_LE(factors.growth, 2 * (2 * radius + 1));
    EXPECT_LE(deviation(weights, factors), factors.exact ? 0 : 0x1p-44);
    auto const exact = factor_exactly(weights);
    if (exact.rank() > 0) {
      EXPECT_EQ(deviation(weights, exact), 0);
      expect_integers(exact);
      EXPECT_LE(exact.rank(), 2 * radius + 1);
    }
  }
}

TEST(StencilFactors, ExactFactorsOfLargeIntegersAreExact) {
  Random random;
  SCOPED_TRACE(random.note());
  // Terms of 2^60 that cancel: elimination would have to round.
  for (int repeat = 0; repeat < 200; ++repeat) {
    double const q     = double(random.integer(1 << 29, 1 << 30));
    double const s     = double(random.integer(1 << 29, 1 << 30));
    double const k     = double(random.integer(-9, 9));
    auto const weights = StencilWeights<2>::dense(
        1, std::vector<double>{1, 1, s, 1, 2, 2 * s + k, q, 1, 1 - q * k});
    auto const exact = factor_exactly(weights);
    if (exact.rank() > 0) {
      EXPECT_EQ(deviation(weights, exact), 0);
    }
    EXPECT_LE(deviation(weights, factor(weights)), 0x1p-44);
  }
  // Multiples of a large number: so are the factors of one side.
  double const large = double((std::int64_t(1) << 40) + 1);
  int found          = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::vector<double> values(9);
    for (double& value : values)
      value =
          large * double(random.integer(0, 2) ? random.integer(-1, 1)
                                              : random.integer(-4000, 4000));
    auto const exact = factor_exactly(StencilWeights<2>::dense(1, values));
    found += exact.rank() > 1;
    for (auto const& term : exact.terms)
      for (double const value : term[0])
        ASSERT_EQ(std::fmod(value, large), 0) << value;
  }
  EXPECT_GT(found, 100);
}

TEST(StencilFactors, ThreeDimensions) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::array<int, 3> const radius :
       {std::array{1, 1, 1}, std::array{1, 2, 3}, std::array{3, 2, 1},
        std::array{16, 1, 2}, std::array{2, 2, 16}}) {
    std::array<std::vector<double>, 3> vectors;
    for (std::size_t d = 0; d < 3; ++d) {
      vectors[d].resize(std::size_t(2 * radius[d] + 1));
      for (double& value : vectors[d]) value = random.normal();
    }
    std::vector<double> values;
    for (double const a : vectors[0])
      for (double const b : vectors[1])
        for (double const c : vectors[2]) values.push_back(a * b * c);
    auto const weights = StencilWeights<3>::dense(radius, values);
    auto const factors = factor(weights);
    ASSERT_EQ(factors.rank(), 1);
    EXPECT_LE(deviation(weights, factors), 0x1p-50);
    // Off by noise: a product within a tolerance above it, none below.
    for (double& value : values) value += 1e-9 * random.normal();
    auto const noisy = StencilWeights<3>::dense(radius, values);
    EXPECT_EQ(factor(noisy).rank(), 0);
    auto const close = factor(noisy, 1e-6);
    ASSERT_EQ(close.rank(), 1);
    EXPECT_LE(deviation(noisy, close), 1e-6);
  }
  // No single product.
  EXPECT_EQ(factor(StencilWeights<3>::star(2)).rank(), 0);
  EXPECT_EQ(factor(StencilWeights<3>::moore(1)).rank(), 0);
}

/// Products of the factors against the weights, in bits of a double.
template <int R>
double error_of(StencilWeights<R> const& weights,
                typename StencilFactors<R>::Term const& term) {
  double worst = 0;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    auto const offsets  = weights.offsets(at);
    long double product = 1;
    for (int d = 0; d < R; ++d)
      product *= term[std::size_t(d)]
                     [std::size_t(offsets[std::size_t(d)] + weights.radius(d))];
    double const weight = weights.values()[at];
    if (weight == 0)
      EXPECT_EQ(0, product);
    else
      worst = std::max(worst, double(std::abs(product / weight - 1)));
  }
  return worst / 0x1p-52;
}

TEST(OuterProduct, OfRealNumbers) {
  Random random;
  SCOPED_TRACE(random.note());
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
    auto const flat = StencilWeights<2>::dense({2, 3}, plane);
    auto const deep = StencilWeights<3>::dense({2, 3, 1}, solid);
    ASSERT_TRUE(outer_product(flat));
    EXPECT_GE(8, error_of(flat, *outer_product(flat)));
    ASSERT_TRUE(outer_product(deep));
    EXPECT_GE(8, error_of(deep, *outer_product(deep)));

    // One weight that is off by a little.
    plane[17] *= 1 + 0x1p-40;
    EXPECT_FALSE(outer_product(StencilWeights<2>::dense({2, 3}, plane)));
  }
}

TEST(OuterProduct, OfIntegersIsOfIntegers) {
  std::vector<double> values;
  for (double const x : {1, 6, 15, 20, 15, 6, 1})
    for (double const y : {0, 4, 6, -4, 1}) values.push_back(x * y);
  auto const weights = StencilWeights<2>::dense({3, 2}, values);
  auto const term    = outer_product(weights);
  ASSERT_TRUE(term);
  EXPECT_EQ(0, error_of(weights, *term));
  for (auto const& factor : *term)
    for (double const value : factor) EXPECT_EQ(std::trunc(value), value);
}

TEST(OuterProduct, WhatNeedsMore) {
  EXPECT_FALSE(outer_product(StencilWeights<2>::moore(1)));
  EXPECT_FALSE(outer_product(StencilWeights<2>::star(3)));
  EXPECT_FALSE(outer_product(StencilWeights<3>::von_neumann(2)));
  EXPECT_FALSE(outer_product(StencilWeights<2>::box(1).with_centre(0.5)));
}

TEST(StencilFactors, OneDimensionIsItsOwnFactor) {
  Random random;
  SCOPED_TRACE(random.note());
  std::vector<double> values(15);
  for (double& value : values)
    value = std::ldexp(random.normal(), int(random.integer(-1000, 1000)));
  auto const factors = factor(StencilWeights<1>::dense(7, values));
  ASSERT_EQ(factors.rank(), 1);
  EXPECT_EQ(factors.terms[0][0], values);
  EXPECT_TRUE(factors.exact);
}

TEST(StencilFactors, WrongTolerances) {
  auto const weights = StencilWeights<2>::box(1);
  EXPECT_EQ(error_of([&] { factor(weights, -0.5); }),
            "KokkosMMA::factor: the tolerance is -0.5; it is at least 0 and "
            "less than 1");
  EXPECT_NE(error_of([&] { factor(weights, 1); }), "no error");
  EXPECT_NE(error_of([&] {
              factor(weights, std::numeric_limits<double>::quiet_NaN());
            }),
            "no error");
}

}  // namespace
