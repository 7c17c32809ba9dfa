// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One-sided band products on the emulated warp: sums of strips that march
// downwards, against exact sums.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBand.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBandHalf.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

/// How numbers of a type lie in memory, and weights are operands.
template <Scalar Input>
struct Format {
  using Memory = std::conditional_t<Input == Scalar::float32, float, double>;
  using Sum    = Memory;
  template <int Reach>
  using Band = std::conditional_t<
      Input == Scalar::float32,
      WarpDenseBandHalf<Emulated::Warp, Scalar::float32, Reach>,
      WarpDenseBand<Emulated::Warp, Reach>>;

  static Memory encode(double x) { return Memory(x); }
  static double decode(Memory x) { return x; }
  static auto operand(double weight) {
    if constexpr (Input == Scalar::float32) {
      return take_operand<BhalfOperand>(weight);
    } else {
      return weight;
    }
  }
};
template <Scalar Input, class Operand16>
struct Format16 {
  using Memory = std::uint16_t;
  using Sum    = float;
  template <int Reach>
  using Band = WarpDenseBandHalf<Emulated::Warp, Input, Reach>;

  static Memory encode(double x) {
    if (!std::isfinite(x)) {
      int const infinity = ((1 << Operand16::exponent_bits) - 1)
                           << Operand16::fraction_bits;
      return Memory(infinity | (std::isnan(x) ? 1 : 0));
    }
    return encode_operand(x, Operand16::exponent_bits,
                          Operand16::fraction_bits);
  }
  static double decode(Memory x) {
    return decode_operand(x, Operand16::exponent_bits,
                          Operand16::fraction_bits);
  }
  static Memory operand(double weight) {
    return take_operand<Operand16>(weight);
  }
};
template <>
struct Format<Scalar::half> : Format16<Scalar::half, HalfOperand> {};
template <>
struct Format<Scalar::bhalf> : Format16<Scalar::bhalf, BhalfOperand> {};

/// Strips of `height` rows with all rows of data around them, and their sums.
template <Scalar Input, int Reach>
class Strips {
  using Numbers = Format<Input>;
  using Memory  = typename Numbers::Memory;

 public:
  using Band = typename Numbers::template Band<Reach>;

  static constexpr int width = 24;  ///< columns of the data
  /// Those that are loaded at once.
  static constexpr int loaded = width / Band::blocks;
  static constexpr int pitch  = loaded * int(sizeof(Memory));

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
    for (double& x : m_data) x = Numbers::decode(Numbers::encode(draw()));
  }

  /// As a kernel marches. [row][strip][column]
  std::vector<double> march() {
    Emulated::Warp const warp;
    using Fragment = Emulated::Warp::Lanes<typename Band::B>;
    std::vector<Fragment> bands(std::size_t(Band::bands));
    for (int n = 0; n < Band::bands; ++n)
      warp.each([&](int lane) {
        warp.at(bands[std::size_t(n)], lane) =
            Band::band(lane, n, [&](int tap, int offset) {
              return Numbers::operand(m_weights.weight({tap - Reach, offset}));
            });
      });
    auto const band_of = [&](int n) -> auto const& {
      return bands[std::size_t(n)];
    };
    auto const band = std::make_unique<Band>(warp, band_of);
    m_lost          = false;
    std::vector<double> sums(std::size_t(m_height) * 128, NAN);
    alignas(64) static Memory tile[Band::rows_per_step * 16 * loaded];
    int const rows    = m_height + 2 * Reach;
    int t             = 0;
    auto const row_at = [&](int row, int block) {
      for (int i = 0; i < Band::rows_per_step * 16 * loaded; ++i) {
        // Rows behind the last one are not used.
        int const of = std::min(t + row + i / (16 * loaded), rows - 1);
        tile[i]      = Numbers::encode(data(i / loaded % 16, of - Reach,
                                            8 * block + i % loaded - Band::side));
      }
      Emulated::Warp::Lanes<typename Band::A> fragment;
      warp.each([&](int lane) {
        warp.at(fragment, lane) = Band::load(
            reinterpret_cast<unsigned char const*>(tile), pitch, lane);
      });
      return fragment;
    };
    auto const step = [&]<int U>(std::integral_constant<int, U>) {
      if (t >= rows) return;
      band->template step<U>(row_at, band_of);
      auto const put = [&](int row, auto const& complete) {
        int const done = t + row - 2 * Reach;
        if (done < 0 || done >= m_height) return;
        warp.each([&](int lane) {
          for (int r = 0; r < 4; ++r)
            sums[std::size_t((done * 16 + lane / 4 + r / 2 * 8) * 8 +
                             lane % 4 * 2 + r % 2)] =
                warp.at(complete, lane)[r];
        });
      };
      [&]<int... Row>(std::integer_sequence<int, Row...>) {
        (put(Row, band->template complete<U, Row>()), ...);
      }
      (std::make_integer_sequence<int, Band::rows_per_step>());
      t += Band::rows_per_step;
    };
    band->begin(row_at);
    while (t < rows) {
      [&]<int... U>(std::integer_sequence<int, U...>) {
        (step(std::integral_constant<int, U>()), ...);
      }
      (std::make_integer_sequence<int, Band::steps>());
      band->turn();
    }
    if constexpr (Input == Scalar::float32)
      warp.each([&](int lane) { m_lost |= warp.at(band->lost(), lane) != 0; });
    return sums;
  }

  /// Whether a march lost bits of a float.
  bool lost() {
    march();
    return m_lost;
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
          double magnitudes            = 0;
          typename Numbers::Sum serial = 0;
          for (std::size_t at = 0; at < m_weights.size(); ++at) {
            double const w = m_weights.values()[at];
            if (w == 0) continue;
            auto const o   = m_weights.offsets(at);
            double const x = data(strip, row + o[0], column + o[1]);
            exact.add(w * x);
            exact.add(std::fma(w, x, -(w * x)));
            magnitudes += std::abs(w * x);
            serial += typename Numbers::Sum(w * x);
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
  bool m_lost = false;
};

/// Weights without structure.
StencilWeights<2> random_weights(std::array<int, 2> const& radius,
                                 Random& random) {
  std::vector<double> values(
      std::size_t((2 * radius[0] + 1) * (2 * radius[1] + 1)));
  // Exact as operands of 16 bits.
  for (double& value : values)
    value = std::nearbyint(64 * random.uniform(-1, 1)) / 64;
  return StencilWeights<2>::dense(radius, values);
}

template <Scalar Input, int Reach>
void check(std::array<int, 2> const& radius, int height) {
  Random random;
  Strips<Input, Reach> strips(random_weights(radius, random), height);
  // Sums of one sign show a bias, those of both signs cancel.
  for (double const low : {0., -1.}) {
    strips.fill([&] { return random.uniform(low, 1); });
    auto const errors = strips.errors();
    // Added as in the serial sum, in another order.
    EXPECT_LE(errors.march, 1.25 * errors.serial)
        << to_string(Input) << ", radius " << radius[0] << ", " << radius[1]
        << ", height " << height << ", low " << low << "; " << random.note();
  }
}

TEST(DenseBandStencils, NoLessAccurateThanPlainSums) {
  check<Scalar::float64, 7>({7, 7}, 20);
  check<Scalar::float64, 8>({8, 8}, 1);
  check<Scalar::float64, 4>({4, 2}, 6);
  check<Scalar::float32, 7>({7, 8}, 5);
  check<Scalar::float32, 7>({2, 7}, 4);
  check<Scalar::half, 8>({8, 8}, 5);
  check<Scalar::half, 4>({4, 7}, 4);
  check<Scalar::bhalf, 7>({7, 7}, 6);
}

// A single weight shows where a band matrix puts it: any other place gives
// another element.
template <Scalar Input>
void every_weight_has_its_place() {
  Random random;
  for (int dy = -4; dy <= 4; ++dy)
    for (int dx = -8; dx <= 8; ++dx) {
      std::vector<double> values(9 * 17, 0.);
      values[std::size_t((dy + 4) * 17 + dx + 8)] = 1;
      auto const weights = StencilWeights<2>::dense({4, 8}, values);
      Strips<Input, 4> strips(weights, 3);
      strips.fill([&] { return random.uniform(-1, 1); });
      EXPECT_EQ(0, strips.errors().march)
          << to_string(Input) << " " << dy << ", " << dx;
    }
}
TEST(DenseBandStencils, EveryWeightHasItsPlace) {
  every_weight_has_its_place<Scalar::float64>();
  every_weight_has_its_place<Scalar::float32>();
  every_weight_has_its_place<Scalar::half>();
}

// What a kernel relies on: a sum near an infinity or a NaN is not finite, all
// others are right.
template <Scalar Input>
void what_is_finite_is_right() {
  Random random;
  auto const weights = random_weights({4, 4}, random);
  for (double const odd : {double(INFINITY), double(NAN)}) {
    Strips<Input, 4> strips(weights, 12);
    strips.fill([&] { return random.uniform(-1, 1); });
    auto clean           = strips;
    strips.data(3, 5, 9) = odd;
    auto const sums      = strips.march();
    auto const expected  = clean.march();
    int finite           = 0;
    for (int row = 0; row < 12; ++row)
      for (int strip = 0; strip < 16; ++strip)
        for (int column = 0; column < 8; ++column) {
          auto const at      = std::size_t((row * 16 + strip) * 8 + column);
          bool const is_near = strip == 3 && std::abs(row - 5) <= 4 &&
                               column >= 5 &&
                               weights.weight({5 - row, 9 - column}) != 0;
          if (std::isfinite(sums[at])) {
            EXPECT_EQ(expected[at], sums[at]);
            ++finite;
          }
          if (is_near) {
            EXPECT_FALSE(std::isfinite(sums[at]));
          }
        }
    // Other strips, and rows that no row of weights reaches.
    EXPECT_GE(finite, 12 * 15 * 8);
  }
}
TEST(DenseBandStencils, WhatIsFiniteIsRight) {
  what_is_finite_is_right<Scalar::float64>();
  what_is_finite_is_right<Scalar::float32>();
  what_is_finite_is_right<Scalar::bhalf>();
}

template <Scalar Input>
void sums_of_negative_zeros() {
  Strips<Input, 4> strips(StencilWeights<2>::box(4), 2);
  strips.fill([] { return -0.; });
  for (double const sum : strips.march()) EXPECT_FALSE(std::signbit(sum));
}
TEST(DenseBandStencils, SumsOfNegativeZerosArePositive) {
  sums_of_negative_zeros<Scalar::float64>();
  sums_of_negative_zeros<Scalar::float32>();
  sums_of_negative_zeros<Scalar::half>();
}

// Bits below those of the smallest bhalf are named, others are not.
TEST(DenseBandStencils, LostBitsAreNamed) {
  for (double const x : {0x1p-133, 0x1p-134}) {
    Strips<Scalar::float32, 4> strips(StencilWeights<2>::box(4), 2);
    strips.fill([&] { return x; });
    EXPECT_EQ(x < 0x1p-133, strips.lost());
  }
}

}  // namespace
