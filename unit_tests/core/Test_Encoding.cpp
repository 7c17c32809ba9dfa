// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constant matrices: where their ones lie, seen from the lanes that hold the
// elements and the sums; and the small functions of the operands of scans.

#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/scan/KokkosMMA_ScanEncoding.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA::Impl;

template <class Shape>
class ScanMatrices : public ::testing::Test {
 public:
  /// f(quad, element, k) for what lane `quad` of a quad holds of an operand:
  /// register after register, as the values were loaded or collected.
  template <class F>
  static void each_slot(F const& f) {
    for (int quad = 0; quad < 4; ++quad)
      for (int reg = 0; reg < Shape::b_registers; ++reg)
        for (int e = 0; e < Shape::packed; ++e)
          f(quad, reg * Shape::packed + e, Shape::b(quad, reg, e).row);
  }
  /// f(n, column) for the columns of the product that lanes of a quad hold, and
  /// the element of the row that their prefix belongs to.
  template <class F>
  static void each_result(int elements, int half, F const& f) {
    for (int quad = 0; quad < 4; ++quad)
      for (int reg = 0; reg < 2; ++reg)
        f(Shape::c(quad, reg).column, elements * quad + 2 * half + reg);
  }
};
using Shapes = ::testing::Types<MmaF16, MmaBF16, MmaS8K16, MmaU8K16, MmaF64K16>;
TYPED_TEST_SUITE(ScanMatrices, Shapes);

TYPED_TEST(ScanMatrices, SlotsAreThoseOfTheLaneMaps) {
  using S = TypeParam;
  static_assert(S::m == 16 && S::n == 8 && S::k == 16);
  std::set<std::pair<int, int>> seen;
  this->each_slot([&](int quad, int element, int k) {
    EXPECT_EQ(quad, slot_quad<S>(k)) << k;
    EXPECT_EQ(element, slot_element<S>(k)) << k;
    EXPECT_TRUE(element < 4 && seen.insert({quad, element}).second) << k;
  });
  EXPECT_EQ(16, int(seen.size()));
  // A has the same slots: a tile that was B is A without a move
  for (int lane = 0; lane < 32; ++lane)
    for (int step = 0; step < S::b_registers; ++step)
      for (int row = 0; row < 2; ++row)
        for (int e = 0; e < S::packed; ++e) {
          EXPECT_EQ(S::b(lane, step, e).row,
                    S::a(lane, 2 * step + row, e).column);
          EXPECT_EQ(S::b(lane, step, e).column + 8 * row,
                    S::a(lane, 2 * step + row, e).row);
        }
}

template <class Shape, int E, bool Inclusive, int Half, class Test>
void expect_upper(Test const& test) {
  int ones = 0;
  test.each_slot([&](int quad, int element, int k) {
    test.each_result(E, Half, [&](int n, int column) {
      int const from      = E * quad + element;
      bool const counts   = Inclusive ? from <= column : from < column;
      bool const expected = element < E && counts;
      bool const is_one = UpperColumns<Shape, E, Inclusive, Half>::entry(k, n);
      EXPECT_EQ(expected, is_one) << "k " << k << ", n " << n;
      ones += is_one;
    });
  });
  // column j takes j elements, or j + 1
  int columns = 0;
  for (int quad = 0; quad < 4; ++quad)
    columns += 2 * (E * quad + 2 * Half) + 1 + (Inclusive ? 2 : 0);
  EXPECT_EQ(columns, ones);
}

TYPED_TEST(ScanMatrices, UpperTakesTheElementsBeforeAPlace) {
  expect_upper<TypeParam, 4, true, 0>(*this);
  expect_upper<TypeParam, 4, true, 1>(*this);
  expect_upper<TypeParam, 4, false, 0>(*this);
  expect_upper<TypeParam, 4, false, 1>(*this);
  expect_upper<TypeParam, 2, true, 0>(*this);
  expect_upper<TypeParam, 2, false, 0>(*this);
}

TYPED_TEST(ScanMatrices, LowerTakesTheRowsBeforeARow) {
  using S = TypeParam;
  // In the product of ones and the transposed tile, register r of a lane is the
  // sum of tile row c(lane, r).column, of the second half for r = 2 and 3.
  this->each_slot([&](int quad, int element, int k) {
    int const of = S::c(quad, element % 2).column + 8 * (element / 2);
    for (int row = 0; row < 16; ++row)
      EXPECT_EQ(of < row, LowerRows<S>::entry(row, k))
          << "row " << row << ", k " << k;
  });
}

/// The matrix that the fragments of all lanes make, and how often each entry is
/// held.
struct Collected {
  double entry[32][16] = {};
  int held[32][16]     = {};

  template <class Shape, class Fragment>
  void add(Fragment const& fragment, int reg, int element, Coordinate at) {
    ++held[at.row][at.column];
    if constexpr (Shape::packed == 1) {
      entry[at.row][at.column] = fragment[reg];
    } else {
      constexpr int bits = 32 / Shape::packed;
      std::uint32_t const operand =
          fragment[reg] >> bits * element & ((1u << bits) - 1);
      entry[at.row][at.column] = operand == Shape::one ? 1 : operand ? -1 : 0;
    }
  }
  template <class Matrix>
  void expect(int rows, int columns) const {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        EXPECT_EQ(1, held[row][column]) << row << "," << column;
        EXPECT_EQ(Matrix::entry(row, column) ? 1. : 0., entry[row][column])
            << row << "," << column;
      }
  }
};

/// `map` says where lanes hold the entries of a rows x columns matrix.
template <class Shape, class Matrix, class Encode, class Map>
void expect_encoded(int rows, int columns, int registers, Encode const& encode,
                    Map const& map) {
  Collected all;
  for (int lane = 0; lane < 32; ++lane) {
    auto const fragment = encode(lane);
    for (int reg = 0; reg < registers; ++reg)
      for (int e = 0; e < Shape::packed; ++e)
        all.add<Shape>(fragment, reg, e, map(lane, reg, e));
  }
  all.expect<Matrix>(rows, columns);
}
template <class Shape, class Matrix>
void expect_encoded_b() {
  expect_encoded<Shape, Matrix>(Shape::k, Shape::n, Shape::b_registers,
                                encode_b<Shape, Matrix>, Shape::b);
}
template <class Shape, class Matrix>
void expect_encoded_a() {
  expect_encoded<Shape, Matrix>(Shape::m, Shape::k, Shape::a_registers,
                                encode_a<Shape, Matrix>, Shape::a);
}

TYPED_TEST(ScanMatrices, FragmentsHoldTheEntries) {
  using S = TypeParam;
  expect_encoded_b<S, UpperColumns<S, 4, true, 0>>();
  expect_encoded_b<S, UpperColumns<S, 4, true, 1>>();
  expect_encoded_b<S, UpperColumns<S, 4, false, 0>>();
  expect_encoded_b<S, UpperColumns<S, 4, false, 1>>();
  expect_encoded_b<S, UpperColumns<S, 2, true, 0>>();
  expect_encoded_b<S, UpperColumns<S, 2, false, 0>>();
  expect_encoded_b<S, Ones>();
  expect_encoded_a<S, LowerRows<S>>();
  expect_encoded_a<S, Ones>();
}

// Shapes and matrices that scans do not use.
TEST(Encoding, FragmentsHoldTheEntries) {
  expect_encoded_b<MmaBF16K8, Ones>();
  expect_encoded_b<MmaS8, Ones>();
  expect_encoded_b<MmaU8, Ones>();
  expect_encoded_b<MmaF64, Ones>();
  expect_encoded_b<MmaU8, ByteColumnsOf4>();
  expect_encoded_b<MmaU8, ByteColumnsOf8>();
}

// A constant, in the type of the operand.
static_assert(encode_b<MmaF16, Ones>(7)[0] == 0x3c003c00u);
static_assert(encode_b<MmaBF16, Ones>(7)[1] == 0x3f803f80u);
static_assert(encode_b<MmaS8, Ones>(7)[0] == 0x01010101u);
static_assert(ones_a<MmaF16>()[3] == 0x3c003c00u);
static_assert(ones_a<MmaU8>()[3] == 0x01010101u);

TEST(Encoding, ByteColumns) {
  for (int k = 0; k < 32; ++k)
    for (int column = 0; column < 8; ++column) {
      EXPECT_EQ(k % 4 == column, ByteColumnsOf4::entry(k, column));
      // bytes 0 to 3 of a 64-bit word in the first half of k, 4 to 7 behind
      EXPECT_EQ((k < 16 ? k % 4 : 4 + k % 4) == column,
                ByteColumnsOf8::entry(k, column));
    }
}

TEST(ScanOperands, ByteColumnPicksBytes) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::uint32_t const w[4] = {
        std::uint32_t(random()), std::uint32_t(random()),
        std::uint32_t(random()), std::uint32_t(random())};
    for (int p = 0; p < 4; ++p) {
      std::uint32_t const column = byte_column(w[0], w[1], w[2], w[3], p);
      for (int i = 0; i < 4; ++i)
        ASSERT_EQ(std::uint8_t(w[i] >> 8 * p), std::uint8_t(column >> 8 * i))
            << "byte " << p << " of word " << i;
    }
  }
}

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

/// Pieces of four values as their accumulators would be after one product with
/// one: what value() makes of them.
template <class Operand, class Value>
Value value_of_slot(
    typename Operand::Shape::B const (&fragment)[Operand::fragments], int e) {
  std::int32_t part[Operand::accumulators] = {};
  for (int p = 0; p < Operand::fragments; ++p)
    part[p % Operand::accumulators] += std::uint8_t(fragment[p][0] >> 8 * e);
  return Operand::template value<Value>(part);
}

TEST(ScanOperands, BytesAreWholeNumbersAgain) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::uint64_t values[4];
    for (auto& value : values) value = random();
    values[3] = repeat % 2 ? ~std::uint64_t(0) : values[3];

    MmaU8K16::B eight[8], from_memory[8];
    EXPECT_FALSE(OperandColumns<8>::split(values, eight));
    Registers<std::uint32_t, 4> words{
        {std::uint32_t(values[0]), std::uint32_t(values[0] >> 32),
         std::uint32_t(values[1]), std::uint32_t(values[1] >> 32)}};
    EXPECT_FALSE(OperandColumns<8>::split(words, from_memory));
    for (int e = 0; e < 4; ++e) {
      ASSERT_EQ(values[e],
                (value_of_slot<OperandColumns<8>, std::uint64_t>(eight, e)));
      ASSERT_EQ(
          e < 2 ? values[e] : 0,
          (value_of_slot<OperandColumns<8>, std::uint64_t>(from_memory, e)));
    }

    std::uint32_t narrow[4];
    for (int e = 0; e < 4; ++e) narrow[e] = std::uint32_t(values[e]);
    MmaU8K16::B four[4];
    EXPECT_FALSE(OperandColumns<4>::split(narrow, four));
    for (int e = 0; e < 4; ++e)
      ASSERT_EQ(narrow[e],
                (value_of_slot<OperandColumns<4>, std::uint32_t>(four, e)));
  }
}

TEST(ScanOperands, SumsOfBytesKeepTheirSign) {
  // Sums of rows of 8-bit integers have 16 bits: 16 rows of 16 elements.
  for (std::int32_t sum = -16 * 16 * 128; sum < 16 * 16 * 128; sum += 7) {
    std::uint32_t const values[4] = {std::uint32_t(sum), 0, 0,
                                     std::uint32_t(sum)};
    MmaU8K16::B fragment[2];
    EXPECT_FALSE((OperandColumns<2, true>::split(values, fragment)));
    ASSERT_EQ(values[0], (value_of_slot<OperandColumns<2, true>, std::uint32_t>(
                             fragment, 0)));
    ASSERT_EQ(values[3], (value_of_slot<OperandColumns<2, true>, std::uint32_t>(
                             fragment, 3)));
  }
  for (std::uint32_t sum = 0; sum <= 16 * 16 * 255; sum += 7) {
    std::uint32_t const values[4] = {0, sum, sum, 0};
    MmaU8K16::B fragment[2];
    EXPECT_FALSE(OperandColumns<2>::split(values, fragment));
    ASSERT_EQ(sum,
              (value_of_slot<OperandColumns<2>, std::uint32_t>(fragment, 1)));
    ASSERT_EQ(sum,
              (value_of_slot<OperandColumns<2>, std::uint32_t>(fragment, 2)));
  }
}

}  // namespace
