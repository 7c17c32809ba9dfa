// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constant operands, and which pairs of 16-bit floats are finite. The matrices
// of sums and scans, and integers split into bytes, are tested by the kernels
// on the emulated device, where every other entry gives another sum.

#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/papers/KokkosMMA_PaperOperands.hpp>
#include <core/papers/KokkosMMA_ScanEncoding.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace {

using namespace KokkosMMA::Impl;

// A constant, in the type of the operand.
static_assert(encode_b<MmaF16, Ones>(7)[0] == 0x3c003c00u);
static_assert(encode_b<MmaBF16, Ones>(7)[1] == 0x3f803f80u);
static_assert(encode_b<MmaS8, Ones>(7)[0] == 0x01010101u);
static_assert(ones_a<MmaF16>()[3] == 0x3c003c00u);
static_assert(ones_a<MmaU8>()[3] == 0x01010101u);

/// Every pattern next to the patterns that could carry into it or cover it.
template <std::uint32_t Unit, class IsFinite>
void expect_pairs(IsFinite const& is_finite) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    for (std::uint32_t const other :
         {0x0000u, 0x8000u, 0x3c00u, 0x7bffu, 0x7f7fu, 0x7fffu, 0xffffu}) {
      bool const expected = !is_finite(bits) || !is_finite(other);
      ASSERT_EQ(expected, pair_not_finite<Unit>(bits | other << 16))
          << bits << " below " << other;
      ASSERT_EQ(expected, pair_not_finite<Unit>(bits << 16 | other))
          << bits << " above " << other;
    }
}

TEST(ScanOperands, PairsThatAreNotFinite) {
  // half: infinity is 0x7c00, NaN what lies above; a bfloat16 is a float's
  // upper half
  expect_pairs<0x0400u>(
      [](std::uint32_t bits) { return (bits & 0x7fffu) < 0x7c00u; });
  expect_pairs<0x0080u>([](std::uint32_t bits) {
    return std::isfinite(std::bit_cast<float>(bits << 16));
  });
  EXPECT_FALSE(pair_not_finite<0x0400u>(0x7bff7bffu));
  EXPECT_FALSE(pair_not_finite<0x0080u>(0xff7fff7fu));
}

}  // namespace
