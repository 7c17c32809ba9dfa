// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One-sided band products on the emulated warp: sums of strips that march
// downwards, against a loop in double precision.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
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
template <Scalar Input, int Reach, int Blocks, int Pieces>
class Strips {
 public:
  using F       = Format<Input>;
  using Bits    = typename F::Bits;
  using Band    = WarpDenseBand<Emulated::Warp, Input, Reach, Blocks, Pieces>;
  using Product = typename Band::Product;
  using Sum     = typename Band::Sum;
  static constexpr int width   = 8 * Blocks;
  static constexpr int pitch   = (width + 8) * int(sizeof(Bits));
  static constexpr int at_once = Band::at_once;

  Strips(StencilWeights<2> const& weights, int height)
      : m_weights(weights),
        m_height(height),
        m_data(std::size_t(16 * (height + 2 * Reach) * width)) {}

  /// Row -Reach to height + Reach - 1 of a strip, column 0 is that of the first
  /// sum.
  Bits& data(int strip, int row, int column) {
    return m_data[std::size_t(((row + Reach) * 16 + strip) * width + column +
                              Band::side)];
  }
  template <class Draw>
  void fill(Draw const& draw) {
    for (Bits& bits : m_data) bits = F::encode(draw());
  }

  /// As a kernel marches. [row][strip][column]
  std::vector<Sum> march() {
    Emulated::Warp const warp;
    DenseBandPieces const pieces = [&] {
      if constexpr (Input == Scalar::float64) {
        return DenseBandPieces{};
      } else {
        return DenseBand::pieces_of<typename Product::Format>(m_weights);
      }
    }();
    EXPECT_LE(pieces.count, Pieces);
    auto const band      = std::make_unique<Band>(warp, pieces.count);
    using Fragment       = Emulated::Warp::Lanes<typename Band::Band>;
    auto const fragments = static_cast<std::size_t>(Band::taps * Pieces);
    std::vector<Fragment> bands(fragments);
    for (int tap = 0; tap < Band::taps; ++tap)
      for (int piece = 0; piece < Pieces; ++piece)
        warp.each([&](int lane) {
          warp.at(bands[std::size_t(tap * Pieces + piece)],
                  lane) = Band::band(lane, [&](int offset) {
            double const w = m_weights.weight({tap - Reach, offset});
            if constexpr (Input == Scalar::float64) {
              return w;
            } else {
              double rest        = std::ldexp(w, pieces.exponent);
              std::uint16_t bits = 0;
              for (int p = 0; p <= piece; ++p)
                bits = DenseBand::take_piece<typename Product::Format>(rest);
              return bits;
            }
          });
        });
    std::vector<Sum> sums(std::size_t(m_height) * 128, Sum(NAN));
    alignas(64) static unsigned char tile[at_once][16 * pitch];
    for (int t = 0; t < m_height + 2 * Reach; t += at_once) {
      Emulated::Warp::Lanes<typename Band::Data> rows[at_once];
      for (int u = 0; u < at_once; ++u) {
        for (int strip = 0; strip < 16; ++strip)
          for (int c = 0; c < width; ++c) {
            Bits const bits = t + u < m_height + 2 * Reach
                                  ? data(strip, t + u - Reach, c - Band::side)
                                  : Bits(0);
            std::memcpy(tile[u] + strip * pitch + c * int(sizeof(Bits)), &bits,
                        sizeof bits);
          }
        warp.each([&](int lane) {
          warp.at(rows[u], lane) = Band::load(tile[u], pitch, lane);
        });
      }
      auto const get = [&](int tap, int piece) -> Fragment const& {
        return bands[std::size_t(tap * Pieces + piece)];
      };
      int const first = std::max(0, 2 * Reach - t);
      int const last  = std::min(Band::sums, m_height + 2 * Reach - t);
      if (first > 0 || last < Band::sums)
        band->template step<true>(rows, get, first, last);
      else
        band->template step<false>(rows, get);
      for (int u = 0; u < at_once; ++u) {
        int const row = t + u - 2 * Reach;
        if (row < 0 || row >= m_height) continue;
        warp.each([&](int lane) {
          for (int r = 0; r < 4; ++r)
            sums[std::size_t((row * 16 + lane / 4 + r / 2 * 8) * 8 +
                             lane % 4 * 2 + r % 2)] =
                Sum(std::ldexp(warp.at(band->complete(u), lane)[r],
                               -pieces.exponent));
        });
      }
    }
    return sums;
  }

  /// Root mean squares of the errors against the exact sums, in units of the
  /// sum of magnitudes, of the march and of fp32 (double) sums in the order of
  /// the weights.
  struct Errors {
    double march  = 0;
    double serial = 0;
  };
  Errors errors() {
    std::vector<Sum> const sums = march();
    Errors sum_of;
    for (int row = 0; row < m_height; ++row)
      for (int strip = 0; strip < 16; ++strip)
        for (int column = 0; column < 8; ++column) {
          ExactSum exact;
          double magnitudes = 0;
          Sum serial        = 0;
          for (std::size_t at = 0; at < m_weights.size(); ++at) {
            double const w = m_weights.values()[at];
            if (w == 0) continue;
            auto const o   = m_weights.offsets(at);
            double const x = F::decode(data(strip, row + o[0], column + o[1]));
            exact.add(w * x);
            exact.add(std::fma(w, x, -(w * x)));
            magnitudes += std::abs(w * x);
            serial = Sum(serial + Sum(w) * Sum(x));
          }
          if (magnitudes == 0) magnitudes = 1;
          Sum const sum = sums[std::size_t((row * 16 + strip) * 8 + column)];
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
  std::vector<Bits> m_data;
};

/// Weights without structure, or such that few bits hold them.
StencilWeights<2> random_weights(std::array<int, 2> const& radius,
                                 Random& random, bool few_bits) {
  std::vector<double> values(
      std::size_t((2 * radius[0] + 1) * (2 * radius[1] + 1)));
  for (double& value : values) {
    value = random.uniform(-1, 1);
    value = few_bits ? std::nearbyint(value * 127) / 64 : double(float(value));
  }
  return StencilWeights<2>::dense(radius, values);
}

template <Scalar Input, int Reach, int Blocks, int Pieces>
void check(std::array<int, 2> const& radius, int height, bool few_bits) {
  Random random;
  StencilWeights<2> const weights = random_weights(radius, random, few_bits);
  Strips<Input, Reach, Blocks, Pieces> strips(weights, height);
  // Doubles are added as in the serial sum, in another order. A serial sum of
  // few products that few bits hold hardly rounds.
  double const factor =
      Input == Scalar::float64 || weights.size() < 200 ? 1.25 : 1;
  // Sums of one sign show a bias, those of both signs cancel.
  for (double const low : {0., -1.}) {
    strips.fill([&] { return random.uniform(low, 1); });
    auto const errors = strips.errors();
    EXPECT_LE(errors.march, factor * errors.serial)
        << "radius " << radius[0] << ", " << radius[1] << ", height " << height
        << ", low " << low << "; " << random.note();
  }
}

TEST(DenseBandStencils, HalfWithWeightsOfFewBits) {
  check<Scalar::half, 7, 3, 1>({7, 7}, 20, true);
  check<Scalar::half, 8, 3, 1>({8, 8}, 9, true);
  check<Scalar::half, 4, 3, 1>({4, 8}, 5, true);
  check<Scalar::half, 4, 3, 1>({4, 6}, 1, true);
}
TEST(DenseBandStencils, HalfWithAnyWeights) {
  check<Scalar::half, 7, 3, 2>({7, 7}, 16, false);
  check<Scalar::half, 8, 3, 3>({6, 3}, 3, false);
}
TEST(DenseBandStencils, BhalfWithWeightsOfFewBits) {
  check<Scalar::bhalf, 7, 3, 1>({7, 5}, 18, true);
}
TEST(DenseBandStencils, BhalfWithAnyWeights) {
  check<Scalar::bhalf, 7, 3, 3>({7, 7}, 16, false);
}
TEST(DenseBandStencils, Wide) {
  check<Scalar::half, 16, 5, 1>({16, 16}, 7, true);
  check<Scalar::bhalf, 16, 5, 3>({13, 9}, 2, false);
  check<Scalar::float64, 16, 5, 1>({16, 15}, 3, false);
}
TEST(DenseBandStencils, Double) {
  check<Scalar::float64, 7, 3, 1>({7, 7}, 20, false);
  check<Scalar::float64, 8, 3, 1>({8, 8}, 1, false);
  check<Scalar::float64, 4, 3, 1>({4, 2}, 6, false);
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
      Strips<Scalar::half, 4, 3, 1> halves(weights, 3);
      halves.fill([&] { return random.uniform(-1, 1); });
      EXPECT_EQ(0, halves.errors().march) << dy << ", " << dx;
      Strips<Scalar::float64, 4, 3, 1> doubles(weights, 3);
      doubles.fill([&] { return random.uniform(-1, 1); });
      EXPECT_EQ(0, doubles.errors().march) << dy << ", " << dx;
    }
}

// What a kernel relies on: a sum near an infinity or a NaN is not finite, all
// others are right.
TEST(DenseBandStencils, WhatIsFiniteIsRight) {
  Random random;
  auto const weights = random_weights({4, 4}, random, true);
  for (double const odd : {double(INFINITY), double(NAN)}) {
    Strips<Scalar::half, 4, 3, 1> strips(weights, 12);
    strips.fill([&] { return random.uniform(-1, 1); });
    auto clean           = strips;
    strips.data(3, 5, 9) = encode_half(odd);
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
  Strips<Scalar::half, 4, 3, 1> halves(StencilWeights<2>::box(4), 2);
  halves.fill([] { return -0.; });
  for (float const sum : halves.march()) EXPECT_FALSE(std::signbit(sum));
  Strips<Scalar::float64, 4, 3, 1> doubles(StencilWeights<2>::box(4), 2);
  doubles.fill([] { return -0.; });
  for (double const sum : doubles.march()) EXPECT_FALSE(std::signbit(sum));
}

TEST(DenseBandPieces, CountWhatTheWeightsNeed) {
  using DenseBand::pieces_of;
  auto const with = [](double weight) {
    return StencilWeights<2>::box(1).with_centre(weight);
  };
  EXPECT_EQ(1, pieces_of<DenseBand::Half>(with(2047)).count);
  EXPECT_EQ(2, pieces_of<DenseBand::Half>(with(2049)).count);
  EXPECT_EQ(1, pieces_of<DenseBand::Half>(with(0x1p100)).exponent + 87);
  EXPECT_EQ(2, pieces_of<DenseBand::Half>(with(0x1.abcdefp0)).count);
  EXPECT_EQ(1, pieces_of<DenseBand::Bhalf>(with(255)).count);
  EXPECT_EQ(2, pieces_of<DenseBand::Bhalf>(with(257)).count);
  EXPECT_EQ(3, pieces_of<DenseBand::Bhalf>(with(0x1.abcdefp0)).count);
  EXPECT_TRUE(pieces_of<DenseBand::Bhalf>(with(0x1.abcdefp-60)).are_close);
  EXPECT_FALSE(pieces_of<DenseBand::Half>(with(0x1.abcdefp-60)).are_close);
}

}  // namespace
