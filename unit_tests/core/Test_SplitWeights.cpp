// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/stencil/KokkosMMA_SplitWeights.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class Format>
void expect_operands(double weight, double tolerance) {
  double rest = weight, sum = 0;
  for (int p = 0; p < 3; ++p)
    sum += decode_operand(take_operand<Format>(rest), Format::exponent_bits,
                          Format::fraction_bits);
  EXPECT_EQ(weight, sum + rest);
  EXPECT_LE(std::abs(rest), tolerance * std::abs(weight)) << weight;
}
TEST(SplitWeights, AddUpToTheWeight) {
  for (double const weight : {0., 1., -1., 1. / 3, -0x1.abcdefp13, 0x1p14}) {
    expect_operands<HalfOperand>(weight, 0x1p-23);
    expect_operands<BhalfOperand>(weight, 0x1p-23);
  }
}

template <class Format>
void expect_exact(double weight, int exponent) {
  double const scaled = std::ldexp(weight, exponent);
  double rest         = scaled;
  auto const bits     = take_operand<Format>(rest);
  auto const exact    = exact_operand<Format>(weight, exponent);
  double const normal = std::ldexp(1., 2 - (1 << (Format::exponent_bits - 1)));
  bool const expected =
      weight == 0 || (rest == 0 && std::abs(scaled) >= normal);
  ASSERT_EQ(expected, exact.has_value()) << weight << " " << exponent;
  if (exact) {
    EXPECT_EQ(bits, *exact) << weight << " " << exponent;
  }
}
TEST(SplitWeights, ExactOnesAreKnown) {
  for (double const weight :
       {0., -0., 1., -3., 255., 257., 2047., 2049., 1. / 3, 0x1p-14, 0x1p-15,
        -0x1.8p-14, 0x1.ffcp15, 0x1p-126, 0x1p-127, 0x1p-1074})
    for (int const exponent : {0, 1, -2}) {
      if (std::abs(std::ldexp(weight, exponent)) < 0x1p16)
        expect_exact<HalfOperand>(weight, exponent);
      expect_exact<BhalfOperand>(weight, exponent);
    }
  EXPECT_FALSE(exact_operand<HalfOperand>(0x1p16, 0));
  EXPECT_FALSE(exact_operand<BhalfOperand>(0x1p128, 0));
}

}  // namespace
