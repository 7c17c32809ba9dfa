// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arithmetic of one entry, against sums done by hand from the model: terms
// cut at 2^-25 of the largest, added exactly, cut to fp32.

#include <backends/emulated/arch/KokkosMMA_Mma.hpp>
#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <KokkosMMA_Random.hpp>
#include <KokkosMMA_SampledTypes.hpp>
#include <KokkosMMA_SmallFloats.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace {

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Impl::Emulated;
using KokkosMMA::Testing::encode_bhalf;
using KokkosMMA::Testing::encode_half;
using KokkosMMA::Testing::Random;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// c + the given terms, each times 1, zeros after them.
float sum_of(float c, std::initializer_list<double> terms) {
  double a[16] = {};
  double b[16];
  int k = 0;
  for (double const term : terms) a[k++] = term;
  for (double& one : b) one = 1;
  return fused_sum(a, b, c);
}

TEST(Decode, BfloatIsTheUpperHalfOfAFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    float const expected = std::bit_cast<float>(bits << 16);
    double const decoded = decode_bhalf(std::uint16_t(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(decoded)) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(double(expected)),
                std::bit_cast<std::uint64_t>(decoded))
          << bits;
    }
  }
}

TEST(Decode, HalfStepsByItsUnits) {
  EXPECT_EQ(0., decode_half(0));
  EXPECT_TRUE(std::signbit(decode_half(0x8000)));
  EXPECT_EQ(1., decode_half(0x3c00));
  EXPECT_EQ(-2., decode_half(0xc000));
  EXPECT_EQ(std::ldexp(1., -24), decode_half(0x0001));
  EXPECT_EQ(std::ldexp(1., -14), decode_half(0x0400));
  EXPECT_EQ(65504., decode_half(0x7bff));
  EXPECT_EQ(inf, decode_half(0x7c00));
  EXPECT_EQ(-inf, decode_half(0xfc00));
  EXPECT_TRUE(std::isnan(decode_half(0x7c01)));
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    int const exponent = std::max(bits >> 10, 1);
    ASSERT_EQ(std::ldexp(1., exponent - 25),
              decode_half(bits + 1) - decode_half(bits))
        << bits;
    ASSERT_EQ(-decode_half(bits), decode_half(bits | 0x8000)) << bits;
  }
}

TEST(Decode, UndoesEncode) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    std::uint16_t const word = std::uint16_t(bits);
    if (!std::isnan(decode_half(word))) {
      ASSERT_EQ(word, encode_half(decode_half(word)));
    }
    if (!std::isnan(decode_bhalf(word))) {
      ASSERT_EQ(word, encode_bhalf(decode_bhalf(word)));
    }
  }
}

TEST(HopperSum, KeepsWhatFitsIn25Bits) {
  // 1 + 2^-23 needs 24 significant bits
  EXPECT_EQ(1.f + 0x1p-23f, sum_of(1.f, {0x1p-23}));
  // two terms of 2^-24 meet above the cut and make one unit of the result
  EXPECT_EQ(1.f + 0x1p-23f, sum_of(1.f, {0x1p-24, 0x1p-24}));
  // four of 2^-25 likewise: the last fractional bit
  EXPECT_EQ(1.f + 0x1p-23f, sum_of(1.f, {0x1p-25, 0x1p-25, 0x1p-25, 0x1p-25}));
}

TEST(HopperSum, DropsWhatLiesBelow) {
  // sixteen times 2^-26 would be 2^-22 and is nothing
  double const t = 0x1p-26;
  EXPECT_EQ(1.f, sum_of(1.f, {t, t, t, t, t, t, t, t, t, t, t, t, t, t, t, t}));
  // 1.5 * 2^-25 becomes 2^-25
  EXPECT_EQ(1.f + 0x1p-23f,
            sum_of(1.f, {0x1.8p-25, 0x1.8p-25, 0x1.8p-25, 0x1.8p-25}));
  // without the large term nothing is dropped
  EXPECT_EQ(0x1p-22f,
            sum_of(0.f, {t, t, t, t, t, t, t, t, t, t, t, t, t, t, t, t}));
}

TEST(HopperSum, TruncatesTowardZero) {
  // 2^-24 alone rounds to nothing in both signs; three quarters of a unit too
  EXPECT_EQ(1.f, sum_of(1.f, {0x1p-24}));
  EXPECT_EQ(1.f, sum_of(1.f, {0x1p-24, 0x1p-25}));
  EXPECT_EQ(-1.f, sum_of(-1.f, {-0x1p-24, -0x1p-25}));
  // 1 - 2^-25: toward zero is the next number below 1, half its last place away
  EXPECT_EQ(1.f - 0x1p-24f, sum_of(1.f, {-0x1p-25}));
  EXPECT_EQ(-1.f + 0x1p-24f, sum_of(-1.f, {0x1p-25}));
}

TEST(HopperSum, AlignsToTheLargestTermWhateverItIs) {
  // the largest is a product, the accumulator is cut; then they cancel
  EXPECT_EQ(0.f, sum_of(0x1p-14f, {0x1p12, -0x1p12}));
  EXPECT_EQ(0x1p-13f, sum_of(0x1p-13f, {0x1p12, -0x1p12}));
  // what ordinary fp32 additions in this order would keep
  EXPECT_EQ(0x1p-14f, (0x1p12f + -0x1p12f) + 0x1p-14f);
}

TEST(HopperSum, AlignsByExponentsOfTheFactors) {
  // 1.5 * 1.5 = 2.25 counts with the exponent 0 of its factors: the cut is at
  // 2^-25
  double a[16] = {1.5, 0x1p-12, 0x1p-12, -2.25};
  double b[16] = {1.5, 0x1p-13, 0x1p-13, 1};
  EXPECT_EQ(0.f, fused_sum(a, b, 0.f))
      << "-2.25 * 1 has exponent 1: the cut is at 2^-24";
  double a2[16] = {1.5, 0x1p-12, 0x1p-12, -1.5};
  double b2[16] = {1.5, 0x1p-13, 0x1p-13, 1.5};
  EXPECT_EQ(0x1p-24f, fused_sum(a2, b2, 0.f));
}

TEST(HopperSum, Specials) {
  EXPECT_EQ(inf, sum_of(1.f, {inf}));
  EXPECT_EQ(-inf, sum_of(1.f, {-inf, 3.}));
  EXPECT_EQ(inf, sum_of(float(inf), {-3.}));
  EXPECT_TRUE(std::isnan(sum_of(0.f, {inf, -inf})));
  EXPECT_TRUE(std::isnan(sum_of(float(-inf), {inf})));
  EXPECT_TRUE(std::isnan(sum_of(0.f, {1., nan})));
  double a[16] = {inf};
  double b[16] = {0};
  EXPECT_TRUE(std::isnan(fused_sum(a, b, 1.f))) << "Inf * 0";
  EXPECT_EQ(0.f, sum_of(0.f, {-0., -0.}));
  EXPECT_FALSE(std::signbit(sum_of(0.f, {-0., -0.})));
  // overflow of the result
  EXPECT_EQ(inf, sum_of(0x1p127f, {0x1p127}));
  EXPECT_EQ(std::numeric_limits<float>::max(),
            sum_of(std::numeric_limits<float>::max(), {1.}));
  // subnormals are kept
  EXPECT_EQ(0x1p-132f, sum_of(0.f, {0x1p-133, 0x1p-133}));
}

TEST(Integers, ExactModulo) {
  std::int32_t a[32], b[32];
  for (auto& x : a) x = -128;
  for (auto& x : b) x = -128;
  EXPECT_EQ(32 * 128 * 128 + 5, Arithmetic<MmaS8>::entry(a, b, 5));
  EXPECT_EQ(std::int32_t(0x80000000u + 32 * 128 * 128),
            Arithmetic<MmaS8>::entry(a, b, std::int32_t(0x80000000u)));
  EXPECT_EQ(-1, Arithmetic<MmaS8>::operand(0x00ff0000u, 2));
  EXPECT_EQ(255, Arithmetic<MmaU8>::operand(0x00ff0000u, 2));
  EXPECT_EQ(-1, Arithmetic<MmaS8K16>::operand(0xff000000u, 3));
}

TEST(Doubles, ChainOfFusedMultiplyAdds) {
  double const a[4] = {1 + 0x1p-30, 1, 0, 0};
  double const b[4] = {1 + 0x1p-30, 0x1p-61, -1, 5};
  // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60, of which only the last is left
  EXPECT_EQ(0x1p-60 + 0x1p-61, (Arithmetic<MmaF64>::entry(a, b, -1 - 0x1p-29)));
}

using Shapes = ::testing::Types<MmaF16, MmaBF16, MmaBF16K8, MmaS8, MmaU8,
                                MmaS8K16, MmaF64>;
KOKKOSMMA_TYPED_TESTS(Multiply, Shapes);

/// Small integers in the operand type.
template <class Shape>
std::uint32_t small_integer(int value) {
  if constexpr (std::is_same_v<Shape, MmaF16>) {
    return encode_half(value);
  } else if constexpr (Shape::packed == 4) {
    return std::uint8_t(value);
  } else {
    return encode_bhalf(value);
  }
}

TYPED_TEST(Multiply, IsTheMatrixProduct) {
  using S = TypeParam;
  Random random;
  int a_matrix[S::m][S::k], b_matrix[S::k][S::n], c_matrix[S::m][S::n];
  for (auto& row : a_matrix)
    for (int& x : row) x = int(random.integer(0, 100));
  for (auto& row : b_matrix)
    for (int& x : row) x = int(random.integer(0, 100));
  for (auto& row : c_matrix)
    for (int& x : row) x = int(random.integer(-1000, 1000));
  Warp::Lanes<typename S::A> a{};
  Warp::Lanes<typename S::B> b{};
  Warp::Lanes<typename S::C> d{};
  auto const fill = [](auto& lanes, int registers, auto const& place,
                       auto const& matrix) {
    Warp::each([&](int lane) {
      for (int reg = 0; reg < registers; ++reg)
        for (int e = 0; e < S::packed; ++e) {
          Coordinate const at = place(lane, reg, e);
          int const value     = matrix[at.row][at.column];
          if constexpr (S::packed == 1) {
            lanes.lane[lane][reg] = value;
          } else {
            lanes.lane[lane][reg] |= small_integer<S>(value)
                                     << 32 / S::packed * e;
          }
        }
    });
  };
  fill(a, S::a_registers, S::a, a_matrix);
  fill(b, S::b_registers, S::b, b_matrix);
  Warp::each([&](int lane) {
    for (int reg = 0; reg < S::c_registers; ++reg) {
      Coordinate const at = S::c(lane, reg);
      d.lane[lane][reg]   = c_matrix[at.row][at.column];
    }
  });

  Warp::multiply<S>(d, a, b);

  Warp::each([&](int lane) {
    for (int reg = 0; reg < S::c_registers; ++reg) {
      Coordinate const at = S::c(lane, reg);
      int expected        = c_matrix[at.row][at.column];
      for (int k = 0; k < S::k; ++k)
        expected += a_matrix[at.row][k] * b_matrix[k][at.column];
      ASSERT_EQ(expected, int(d.lane[lane][reg])) << lane << " " << reg;
    }
  });
}

}  // namespace
