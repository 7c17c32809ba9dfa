// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/mma/KokkosMMA_Split.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace {

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

/// The bfloat16 in the upper half of a word.
double piece(std::uint32_t word) {
  return std::bit_cast<float>(word & 0xffff0000u);
}

/// Whether three bfloat16 numbers can hold x: its last bit is a multiple of the
/// smallest of them.
bool representable(float x) {
  return std::isfinite(x) &&
         std::trunc(std::ldexp(double(x), 133)) == std::ldexp(double(x), 133);
}

void expect_exact_or_lost(std::uint32_t bits) {
  float const x           = std::bit_cast<float>(bits);
  SplitFloat const pieces = split_float(bits);
  ASSERT_EQ(representable(x), pieces.lost == 0)
      << std::hex << "bits 0x" << bits << ", lost 0x" << pieces.lost;
  if (pieces.lost == 0) {
    ASSERT_EQ(double(x),
              piece(pieces.high) + piece(pieces.middle) + piece(pieces.low))
        << std::hex << "bits 0x" << bits;
  }
}

TEST(SplitFloat, ExactOrSaysSo) {
  Random random;
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
    for (int repeat = 0; repeat < 2000; ++repeat) {
      std::uint32_t const drawn = std::uint32_t(random.bits());
      expect_exact_or_lost((drawn & 0x807fffffu) | exponent << 23);
    }
}

TEST(SplitFloat, FractionsOfFewBits) {
  // zeros after the first or second operand, and carries that are all ones
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
    for (std::uint32_t sign : {0u, 1u})
      for (std::uint32_t fraction :
           {0u, 1u, 2u, 0x7fu, 0x80u, 0xffu, 0x100u, 0x7fffu, 0x8000u, 0xffffu,
            0x10000u, 0x400000u, 0x7f0000u, 0x7fff00u, 0x7fffffu})
        expect_exact_or_lost(sign << 31 | exponent << 23 | fraction);
}

TEST(SplitFloat, Specials) {
  for (std::uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u,
                             0x7f800001u, 0x7fffffffu})
    EXPECT_NE(0u, split_float(bits).lost) << std::hex << bits;
  EXPECT_EQ(0u, split_float(0u).lost);
  EXPECT_EQ(0u, split_float(0x80000000u).lost);
  EXPECT_NE(0u, split_float(1u).lost) << "2^-149 is no multiple of 2^-133";
  EXPECT_EQ(0u, split_float(0x00010000u).lost) << "2^-133";
  EXPECT_EQ(0u, split_float(0x7f7fffffu).lost) << "the largest float";
}

TEST(SplitFloat, Packing) {
  EXPECT_EQ(0xabcd1234u, pack_upper_halves(0x1234ffffu, 0xabcdffffu));
  EXPECT_EQ(0x56789abcu, pack_upper_halves(0x9abc0000u, 0x56780001u));
}

}  // namespace
