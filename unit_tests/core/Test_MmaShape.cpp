// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrix entry a lane holds in which register: against values written out
// from the figures of the PTX ISA, "Matrix Fragments for mma", and as
// bijections.

#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <KokkosMMA_SampledTypes.hpp>

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using namespace KokkosMMA::Impl;

// mma.m16n8k16, .f16 and .bf16. groupID = lane / 4, t = lane % 4.
// A, a_i: row = groupID for a0 a1 a4 a5, groupID + 8 for a2 a3 a6 a7;
//         column = t * 2 + (i & 1), + 8 for i >= 4.
static_assert(MmaF16::a_registers == 4 && MmaF16::b_registers == 2 &&
              MmaF16::c_registers == 4);
static_assert(MmaF16::a(0, 0, 0) == Coordinate{0, 0});
static_assert(MmaF16::a(0, 0, 1) == Coordinate{0, 1});
static_assert(MmaF16::a(5, 0, 1) == Coordinate{1, 3});     // a1
static_assert(MmaF16::a(5, 1, 0) == Coordinate{9, 2});     // a2
static_assert(MmaF16::a(5, 2, 0) == Coordinate{1, 10});    // a4
static_assert(MmaF16::a(5, 3, 1) == Coordinate{9, 11});    // a7
static_assert(MmaF16::a(31, 3, 1) == Coordinate{15, 15});  // last
// B, b_i: row = t * 2 + (i & 1), + 8 for i >= 2; column = groupID.
static_assert(MmaF16::b(5, 0, 1) == Coordinate{3, 1});    // b1
static_assert(MmaF16::b(5, 1, 0) == Coordinate{10, 1});   // b2
static_assert(MmaF16::b(31, 1, 1) == Coordinate{15, 7});  // last
// C, c_i: row = groupID for c0 c1, + 8 for c2 c3; column = t * 2 + (i & 1).
static_assert(MmaF16::c(5, 0) == Coordinate{1, 2});
static_assert(MmaF16::c(5, 1) == Coordinate{1, 3});
static_assert(MmaF16::c(5, 2) == Coordinate{9, 2});
static_assert(MmaF16::c(31, 3) == Coordinate{15, 7});
static_assert(MmaBF16::a(13, 2, 1) == MmaF16::a(13, 2, 1));

// mma.m16n8k8, .bf16: a0 a1 in row groupID, a2 a3 in groupID + 8, column
// t * 2 + (i & 1); b_i: row t * 2 + i.
static_assert(MmaBF16K8::a_registers == 2 && MmaBF16K8::b_registers == 1);
static_assert(MmaBF16K8::a(6, 0, 1) == Coordinate{1, 5});
static_assert(MmaBF16K8::a(6, 1, 0) == Coordinate{9, 4});
static_assert(MmaBF16K8::b(6, 0, 1) == Coordinate{5, 1});
static_assert(MmaBF16K8::c(6, 3) == Coordinate{9, 5});

// mma.m16n8k32, .s8 and .u8. A, a_i: row = groupID for 0 <= i < 4 and
// 8 <= i < 12, else groupID + 8; column = t * 4 + (i & 3), + 16 for i >= 8.
static_assert(MmaS8::a_registers == 4 && MmaS8::b_registers == 2);
static_assert(MmaS8::a(6, 0, 3) == Coordinate{1, 11});    // a3
static_assert(MmaS8::a(6, 1, 2) == Coordinate{9, 10});    // a6
static_assert(MmaS8::a(6, 2, 1) == Coordinate{1, 25});    // a9
static_assert(MmaS8::a(6, 3, 0) == Coordinate{9, 24});    // a12
static_assert(MmaU8::a(31, 3, 3) == Coordinate{15, 31});  // last
// B, b_i: row = t * 4 + (i & 3), + 16 for i >= 4; column = groupID.
static_assert(MmaU8::b(6, 0, 3) == Coordinate{11, 1});
static_assert(MmaU8::b(6, 1, 0) == Coordinate{24, 1});
static_assert(MmaU8::c(6, 2) == Coordinate{9, 4});

// mma.m16n8k16, .s8. A, a_i: row = groupID for i < 4, else
// groupID + 8; column = t * 4 + (i & 3). B, b_i: row = t * 4 + (i & 3).
static_assert(MmaS8K16::a_registers == 2 && MmaS8K16::b_registers == 1 &&
              MmaS8K16::c_registers == 4);
static_assert(MmaS8K16::a(6, 0, 3) == Coordinate{1, 11});    // a3
static_assert(MmaS8K16::a(6, 1, 2) == Coordinate{9, 10});    // a6
static_assert(MmaS8K16::a(31, 1, 3) == Coordinate{15, 15});  // last
static_assert(MmaS8K16::b(6, 0, 3) == Coordinate{11, 1});
static_assert(MmaS8K16::c(6, 2) == Coordinate{9, 4});

// mma.m8n8k4, .f64: A: row groupID, column t; B: row t, column groupID;
// C: row groupID, column t * 2 + (i & 1).
static_assert(MmaF64::a_registers == 1 && MmaF64::b_registers == 1 &&
              MmaF64::c_registers == 2);
static_assert(MmaF64::a(14, 0, 0) == Coordinate{3, 2});
static_assert(MmaF64::b(14, 0, 0) == Coordinate{2, 3});
static_assert(MmaF64::c(14, 0) == Coordinate{3, 4});
static_assert(MmaF64::c(14, 1) == Coordinate{3, 5});

using Shapes = ::testing::Types<MmaF16, MmaBF16, MmaBF16K8, MmaS8, MmaU8,
                                MmaS8K16, MmaF64>;
KOKKOSMMA_TYPED_TESTS(LaneMaps, Shapes);

/// Every entry of a rows x columns matrix is held exactly once.
template <class Map>
void expect_bijection(int rows, int columns, int registers, int packed,
                      Map const& map) {
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < 32; ++lane)
    for (int reg = 0; reg < registers; ++reg)
      for (int element = 0; element < packed; ++element) {
        Coordinate const at = map(lane, reg, element);
        ASSERT_TRUE(0 <= at.row && at.row < rows && 0 <= at.column &&
                    at.column < columns)
            << at.row << "," << at.column;
        ASSERT_TRUE(seen.insert({at.row, at.column}).second)
            << at.row << "," << at.column << " is held twice";
      }
  EXPECT_EQ(rows * columns, int(seen.size()));
}

TYPED_TEST(LaneMaps, AreBijections) {
  using S = TypeParam;
  expect_bijection(S::m, S::k, S::a_registers, S::packed,
                   [](int l, int r, int e) { return S::a(l, r, e); });
  expect_bijection(S::k, S::n, S::b_registers, S::packed,
                   [](int l, int r, int e) { return S::b(l, r, e); });
  expect_bijection(S::m, S::n, S::c_registers, 1,
                   [](int l, int r, int) { return S::c(l, r); });
}

}  // namespace
