// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/KokkosMMA_WeightPieces.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

StencilWeights<2> with(double weight) {
  return StencilWeights<2>::box(1).with_centre(weight);
}

TEST(WeightPieces, AreAsManyAsTheWeightsNeed) {
  EXPECT_EQ(1, weight_pieces<HalfPiece>(with(2047)).count);
  EXPECT_EQ(2, weight_pieces<HalfPiece>(with(2049)).count);
  EXPECT_EQ(1, weight_pieces<HalfPiece>(with(0x1p100)).exponent + 87);
  EXPECT_EQ(2, weight_pieces<HalfPiece>(with(0x1.abcdefp0)).count);
  EXPECT_EQ(1, weight_pieces<BhalfPiece>(with(255)).count);
  EXPECT_EQ(2, weight_pieces<BhalfPiece>(with(257)).count);
  EXPECT_EQ(3, weight_pieces<BhalfPiece>(with(0x1.abcdefp0)).count);
  EXPECT_TRUE(weight_pieces<BhalfPiece>(with(0x1.abcdefp-60)).are_close);
  EXPECT_FALSE(weight_pieces<HalfPiece>(with(0x1.abcdefp-60)).are_close);
}

template <class Format>
void expect_pieces(double weight, double tolerance) {
  double rest = weight, sum = 0;
  for (int p = 0; p < WeightPieces::most; ++p)
    sum += decode_piece(take_piece<Format>(rest), Format::exponent_bits,
                        Format::fraction_bits);
  EXPECT_EQ(weight, sum + rest);
  EXPECT_LE(std::abs(rest), tolerance * std::abs(weight)) << weight;
}
TEST(WeightPieces, AddUpToTheWeight) {
  for (double const weight : {0., 1., -1., 1. / 3, -0x1.abcdefp13, 0x1p14}) {
    expect_pieces<HalfPiece>(weight, 0x1p-23);
    expect_pieces<BhalfPiece>(weight, 0x1p-23);
  }
}

}  // namespace
