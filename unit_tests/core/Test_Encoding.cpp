// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constant operands, and which pairs of halves are finite. The matrices of sums
// and scans are tested by the kernels on the emulated device, where every other
// entry gives another sum.

#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/papers/KokkosMMA_PaperOperands.hpp>
#include <core/papers/KokkosMMA_WarpScanMma.hpp>

#include <gtest/gtest.h>

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
TEST(ScanOperands, PairsThatAreNotFinite) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    for (std::uint32_t const other :
         {0x0000u, 0x8000u, 0x3c00u, 0x7bffu, 0x7fffu, 0xffffu}) {
      // infinity is 0x7c00, NaN what lies above
      bool const expected =
          (bits & 0x7fffu) >= 0x7c00u || (other & 0x7fffu) >= 0x7c00u;
      ASSERT_EQ(expected, pair_not_finite(bits | other << 16))
          << bits << " below " << other;
      ASSERT_EQ(expected, pair_not_finite(bits << 16 | other))
          << bits << " above " << other;
    }
}

}  // namespace
