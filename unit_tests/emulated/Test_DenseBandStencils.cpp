// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One-sided band products of doubles on the emulated warp: sums of strips that
// march downwards, against exact sums.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/KokkosMMA_StencilWeights.hpp>
#include <core/KokkosMMA_WarpDenseBand.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

/// Strips of `height` rows with all rows of data around them, and their sums.
template <int Reach>
class Strips {
 public:
  using Band = WarpDenseBand<Emulated::Warp, Reach>;

  static constexpr int width = 8 * Band::blocks;
  static constexpr int pitch = 8 * int(sizeof(double));

  Strips(StencilWeights<2> const& weights, int height)
      : m_weights(weights),
        m_height(height),
        m_data(std::size_t(16 * (height + 2 * Reach) * width)) {}

  /// Row -Reach to height + Reach - 1 of a strip, column 0 is that of the first
  /// sum.
  double& data(int strip, int row, int column) {
    return m_data[std::size_t(((row + Reach) * 16 + strip) * width + column +
                              Band::side)];
  }
  template <class Draw>
  void fill(Draw const& draw) {
    for (double& x : m_data) x = draw();
  }

  /// As a kernel marches. [row][strip][column]
  std::vector<double> march() {
    Emulated::Warp const warp;
    using Fragment = Emulated::Warp::Lanes<typename Band::B>;
    std::vector<Fragment> bands(std::size_t(Band::taps * Band::blocks));
    for (int i = 0; i < Band::taps * Band::blocks; ++i)
      warp.each([&](int lane) {
        warp.at(bands[std::size_t(i)], lane) =
            Band::band(lane, i % Band::blocks, [&](int offset) {
              return m_weights.weight({i / Band::blocks - Reach, offset});
            });
      });
    auto const band_of = [&](int tap, int block) -> auto const& {
      return bands[std::size_t(tap * Band::blocks + block)];
    };
    auto const band = std::make_unique<Band>(warp, band_of);
    std::vector<double> sums(std::size_t(m_height) * 128, NAN);
    alignas(64) static double tile[16 * pitch / sizeof(double)];
    auto const data_of = [&](int t, int block) {
      for (int strip = 0; strip < 16; ++strip)
        std::copy_n(&data(strip, t - Reach, 8 * block - Band::side), 8,
                    tile + strip * pitch / int(sizeof(double)));
      Emulated::Warp::Lanes<typename Band::A> block_of_row;
      warp.each([&](int lane) {
        warp.at(block_of_row, lane) = Band::load(
            reinterpret_cast<unsigned char const*>(tile), pitch, lane);
      });
      return block_of_row;
    };
    int const rows = m_height + 2 * Reach;
    auto first     = data_of(0, 0);
    int t          = 0;
    auto const row = [&]<int U>(std::integral_constant<int, U>) {
      if (t == rows) return;
      first = band->template step<U>(
          first,
          [&](int block) {
            return block < Band::blocks ? data_of(t, block)
                                        : data_of(std::min(t + 1, rows - 1), 0);
          },
          band_of);
      int const done = t++ - 2 * Reach;
      if (done < 0) return;
      auto const& complete = band->template complete<U>();
      warp.each([&](int lane) {
        for (int r = 0; r < 4; ++r)
          sums[std::size_t((done * 16 + lane / 4 + r / 2 * 8) * 8 +
                           lane % 4 * 2 + r % 2)] = warp.at(complete, lane)[r];
      });
    };
    while (t < rows) {
      row(std::integral_constant<int, 0>());
      row(std::integral_constant<int, 1>());
      row(std::integral_constant<int, 2>());
      row(std::integral_constant<int, 3>());
      row(std::integral_constant<int, 4>());
      band->template turn<5>();
    }
    return sums;
  }

  /// Root mean squares of the errors against the exact sums, in units of the
  /// sum of magnitudes, of the march and of sums in the order of
  /// the weights.
  struct Errors {
    double march  = 0;
    double serial = 0;
  };
  Errors errors() {
    std::vector<double> const sums = march();
    Errors sum_of;
    for (int row = 0; row < m_height; ++row)
      for (int strip = 0; strip < 16; ++strip)
        for (int column = 0; column < 8; ++column) {
          ExactSum exact;
          double magnitudes = 0;
          double serial     = 0;
          for (std::size_t at = 0; at < m_weights.size(); ++at) {
            double const w = m_weights.values()[at];
            if (w == 0) continue;
            auto const o   = m_weights.offsets(at);
            double const x = data(strip, row + o[0], column + o[1]);
            exact.add(w * x);
            exact.add(std::fma(w, x, -(w * x)));
            magnitudes += std::abs(w * x);
            serial += w * x;
          }
          if (magnitudes == 0) magnitudes = 1;
          double const sum = sums[std::size_t((row * 16 + strip) * 8 + column)];
          double const march_error  = exact.error_of(sum) / magnitudes;
          double const serial_error = exact.error_of(serial) / magnitudes;
          sum_of.march += march_error * march_error;
          sum_of.serial += serial_error * serial_error;
        }
    double const count = 128. * m_height;
    return {std::sqrt(sum_of.march / count), std::sqrt(sum_of.serial / count)};
  }

 private:
  StencilWeights<2> m_weights;
  int m_height;
  std::vector<double> m_data;
};

/// Weights without structure.
StencilWeights<2> random_weights(std::array<int, 2> const& radius,
                                 Random& random) {
  std::vector<double> values(
      std::size_t((2 * radius[0] + 1) * (2 * radius[1] + 1)));
  for (double& value : values) value = random.uniform(-1, 1);
  return StencilWeights<2>::dense(radius, values);
}

template <int Reach>
void check(std::array<int, 2> const& radius, int height) {
  Random random;
  Strips<Reach> strips(random_weights(radius, random), height);
  // Sums of one sign show a bias, those of both signs cancel.
  for (double const low : {0., -1.}) {
    strips.fill([&] { return random.uniform(low, 1); });
    auto const errors = strips.errors();
    // Added as in the serial sum, in another order.
    EXPECT_LE(errors.march, 1.25 * errors.serial)
        << "radius " << radius[0] << ", " << radius[1] << ", height " << height
        << ", low " << low << "; " << random.note();
  }
}

TEST(DenseBandStencils, NoLessAccurateThanPlainSums) {
  check<7>({7, 7}, 20);
  check<8>({8, 8}, 1);
  check<4>({4, 2}, 6);
}

// A single weight shows where a band matrix puts it: any other place gives
// another element.
TEST(DenseBandStencils, EveryWeightHasItsPlace) {
  Random random;
  for (int dy = -4; dy <= 4; ++dy)
    for (int dx = -8; dx <= 8; ++dx) {
      std::vector<double> values(9 * 17, 0.);
      values[std::size_t((dy + 4) * 17 + dx + 8)] = 1;
      auto const weights = StencilWeights<2>::dense({4, 8}, values);
      Strips<4> doubles(weights, 3);
      doubles.fill([&] { return random.uniform(-1, 1); });
      EXPECT_EQ(0, doubles.errors().march) << dy << ", " << dx;
    }
}

// What a kernel relies on: a sum near an infinity or a NaN is not finite, all
// others are right.
TEST(DenseBandStencils, WhatIsFiniteIsRight) {
  Random random;
  auto const weights = random_weights({4, 4}, random);
  for (double const odd : {double(INFINITY), double(NAN)}) {
    Strips<4> strips(weights, 12);
    strips.fill([&] { return random.uniform(-1, 1); });
    auto clean           = strips;
    strips.data(3, 5, 9) = odd;
    auto const sums      = strips.march();
    auto const expected  = clean.march();
    int finite           = 0;
    for (int row = 0; row < 12; ++row)
      for (int strip = 0; strip < 16; ++strip)
        for (int column = 0; column < 8; ++column) {
          auto const at = std::size_t((row * 16 + strip) * 8 + column);
          bool const is_near =
              strip == 3 && std::abs(row - 5) <= 4 && column >= 5;
          if (std::isfinite(sums[at])) {
            EXPECT_EQ(expected[at], sums[at]);
            ++finite;
          }
          if (is_near) {
            EXPECT_FALSE(std::isfinite(sums[at]));
          }
        }
    EXPECT_GE(finite, 12 * 15 * 8 + 3 * 8);
  }
}

TEST(DenseBandStencils, SumsOfNegativeZerosArePositive) {
  Strips<4> doubles(StencilWeights<2>::box(4), 2);
  doubles.fill([] { return -0.; });
  for (double const sum : doubles.march()) EXPECT_FALSE(std::signbit(sum));
}

}  // namespace
