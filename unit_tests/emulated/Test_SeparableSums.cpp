// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <KokkosMMA_Random.hpp>
#include <core/stencil/KokkosMMA_BytePairs.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA::Impl;
using KokkosMMA::Testing::Random;

/// A few columns of V elements with what lies beside them, row by row.
template <class A>
struct Strip {
  int rows, columns;
  std::vector<A> values;
  A at(int i, int j) const { return values[std::size_t(i * columns + j)]; }
};

template <class A, class Value>
Strip<A> make_strip(int rows, int columns, Value const& value) {
  Strip<A> strip{rows, columns, {}};
  for (int i = 0; i < rows * columns; ++i)
    strip.values.push_back(static_cast<A>(value(i)));
  return strip;
}

/// What a thread does with all rows: the sums of those that have `radius` rows
/// above and below them.
template <class Sums, int V, int Reach, class A>
std::vector<A> march(Strip<A> const& strip,
                     typename Sums::Weights const& weights) {
  Sums sums{};
  sums.clear();
  std::vector<A> result;
  for (int first = 0; first < strip.rows; first += Sums::batch) {
    for (int b = 0; b < Sums::batch && first + b < strip.rows; ++b) {
      Registers<A, V + 2 * Reach> window{};
      for (int i = 0; i < V + 2 * Reach; ++i)
        window[i] = strip.at(first + b, i);
      auto const sum = sums.push(
          b, Sums::template along_row<Reach>(window, weights), weights);
      if (first + b >= 2 * weights.column_radius())
        for (int i = 0; i < V; ++i) result.push_back(sum[i]);
    }
    sums.next_batch();
  }
  return result;
}

/// The same by definition; a factor of 0 is no neighbour.
template <int V, int Reach, class A>
std::vector<A> direct(Strip<A> const& strip, std::vector<A> const& along_row,
                      std::vector<A> const& along_column) {
  int const r = int(along_row.size() / 2);
  int const c = int(along_column.size() / 2);
  std::vector<A> result;
  for (int i = c; i + c < strip.rows; ++i)
    for (int j = 0; j < V; ++j) {
      A sum = 0;
      for (int y = -c; y <= c; ++y)
        for (int x = -r; x <= r; ++x)
          sum = add_up(sum, multiply_add(multiply_add(along_column[c + y],
                                                      along_row[r + x], A(0)),
                                         strip.at(i + y, Reach + j + x), A(0)));
      result.push_back(sum);
    }
  return result;
}

template <class Sums, int MaxRadius, class A>
typename Sums::Weights weights_of(std::vector<A> const& along_row,
                                  std::vector<A> const& along_column) {
  typename Sums::Weights weights{};
  int const r                 = int(along_row.size() / 2);
  int const c                 = int(along_column.size() / 2);
  weights.along_row.radius    = r;
  weights.along_column.radius = c;
  for (int o = -r; o <= r; ++o)
    weights.along_row.at[MaxRadius + o] = along_row[r + o];
  for (int o = -c; o <= c; ++o)
    weights.along_column.at[c - o] = along_column[c + o];
  return weights;
}

template <class A>
void expect_same(std::vector<A> const& result, std::vector<A> const& expected) {
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], expected[i]) << "element " << i;
}

template <class Sums, class A, int V, int MaxRadius>
void check_sums(int row_radius, int column_radius) {
  SCOPED_TRACE("radius " + std::to_string(row_radius) + " and " +
               std::to_string(column_radius) + " of " +
               std::to_string(MaxRadius));
  std::vector<A> along_row, along_column;
  for (int i = 0; i < 2 * row_radius + 1; ++i) along_row.push_back(A(i + 2));
  for (int i = 0; i < 2 * column_radius + 1; ++i)
    along_column.push_back(A(3 * i + 1));
  // Small integers: every sum is exact.
  for (int const rows : {2 * column_radius + 1, 41, 64}) {
    auto const strip = make_strip<A>(rows, V + 2 * MaxRadius,
                                     [](int i) { return i * 7919 % 13; });
    expect_same(march<Sums, V, MaxRadius>(strip, weights_of<Sums, MaxRadius>(
                                                     along_row, along_column)),
                direct<V, MaxRadius>(strip, along_row, along_column));
  }
}

template <class A, int V, int MaxRadius, int Batch>
void check_factors(int row_radius, int column_radius) {
  check_sums<FactorSums<A, V, MaxRadius, MaxRadius, Batch>, A, V, MaxRadius>(
      row_radius, column_radius);
}

template <class A, int V, int... Radius>
void check_radii(std::integer_sequence<int, Radius...>) {
  (check_sums<RadiusSums<A, V, Radius + 1>, A, V, Radius + 1>(Radius + 1,
                                                              Radius + 1),
   ...);
}

TEST(SeparableSums, KernelsOfOneRadius) {
  check_radii<float, 8>(std::make_integer_sequence<int, 7>());
  check_radii<float, 4>(std::make_integer_sequence<int, 7>());
  check_radii<double, 2>(std::make_integer_sequence<int, 7>());
}

TEST(SeparableSums, FactorsOfEveryRadius) {
  for (int r = 1; r <= 4; ++r)
    for (int c = 1; c <= 4; ++c) {
      check_factors<float, 8, 4, 8>(r, c);
      check_factors<std::int64_t, 2, 4, 4>(r, c);
    }
  for (int const r : {1, 5, 8})
    for (int const c : {2, 7, 8}) check_factors<double, 4, 8, 8>(r, c);
  for (int const r : {3, 9, 12, 16})
    for (int const c : {1, 10, 15, 16}) check_factors<double, 4, 16, 8>(r, c);
}

TEST(SeparableSums, IntegersWrap) {
  using Sums = FactorSums<std::int32_t, 4, 4, 4, 8>;
  std::vector<std::int32_t> const factors{1 << 20, -7, 123456789};
  auto const strip = make_strip<std::int32_t>(
      20, 12, [](int i) { return std::uint32_t(i) * 2654435761u; });
  expect_same(march<Sums, 4, 4>(strip, weights_of<Sums, 4>(factors, factors)),
              direct<4, 4>(strip, factors, factors));
}

/// Beyond the radius lie Inf and NaN, which must not reach a sum.
TEST(SeparableSums, NothingBeyondTheRadius) {
  using Sums = FactorSums<float, 4, 8, 8, 8>;
  std::vector<float> const factors(7, 0.5f);
  auto strip = make_strip<float>(30, 20, [](int i) { return i % 5; });
  for (int i = 0; i < 30; ++i)
    for (int j : {0, 4, 15, 19})
      strip.values[std::size_t(i * 20 + j)] =
          j % 2 ? std::numeric_limits<float>::infinity()
                : std::numeric_limits<float>::quiet_NaN();
  auto const result =
      march<Sums, 4, 8>(strip, weights_of<Sums, 8>(factors, factors));
  ASSERT_EQ(result.size(), 24u * 4);
  for (float const sum : result) EXPECT_TRUE(std::isfinite(sum));
}

template <class A, int V, int Radius>
void check_box() {
  SCOPED_TRACE("box of radius " + std::to_string(Radius) + ", " +
               std::to_string(V) + " elements");
  constexpr int reach = Radius + 1;
  std::vector<A> const ones(2 * Radius + 1, A(1));
  for (int const rows : {2 * Radius + 1, 4 * Radius + 2, 50}) {
    auto const strip    = make_strip<A>(rows, V + 2 * reach,
                                     [](int i) { return i * 7919 % 1021; });
    auto const expected = direct<V, reach>(strip, ones, ones);
    expect_same(march<BoxSums<A, V, Radius>, V, reach>(strip, {}), expected);
    if constexpr (std::is_integral_v<A>)
      expect_same(march<RunningBoxSums<A, V, Radius>, V, reach>(strip, {}),
                  expected);
  }
}

template <class A, int V>
void check_boxes() {
  check_box<A, V, 1>();
  check_box<A, V, 2>();
  check_box<A, V, 3>();
  check_box<A, V, 4>();
  check_box<A, V, 5>();
  check_box<A, V, 6>();
  check_box<A, V, 7>();
  check_box<A, V, 16>();
}

TEST(SeparableSums, BoxesOfEveryRadius) {
  check_boxes<float, 8>();
  check_boxes<float, 4>();
  check_boxes<double, 2>();
  check_boxes<std::uint32_t, 4>();
}

TEST(SeparableSums, RunningBoxesWrap) {
  auto const strip = make_strip<std::int32_t>(
      40, 12, [](int i) { return std::uint32_t(i) * 2654435761u; });
  std::vector<std::int32_t> const ones(7, 1);
  expect_same(march<RunningBoxSums<std::int32_t, 4, 3>, 4, 4>(strip, {}),
              direct<4, 4>(strip, ones, ones));
}

enum class Bytes { smallest, largest, random };

/// Bytes of rows as a thread has them: in words, its own from byte At on.
template <class Byte, class A, int V, int Radius>
void check_paired_box(Bytes kind, Random& random) {
  SCOPED_TRACE("bytes, radius " + std::to_string(Radius) + ", " +
               std::to_string(V) + " elements, kind " +
               std::to_string(int(kind)));
  constexpr int At = 16, rows = 6 * Radius + 11;
  using Sums       = PairedBoxSums<A, Byte, V, Radius>;
  using Lowest     = PairedBoxSums<A, std::uint8_t, V, Radius>;
  using Limits     = std::numeric_limits<Byte>;
  auto const strip = make_strip<A>(rows, V + 2 * At, [&](int) {
    return kind == Bytes::smallest  ? Limits::min()
           : kind == Bytes::largest ? Limits::max()
                                    : static_cast<Byte>(random.bits());
  });
  std::vector<A> const ones(2 * Radius + 1, A(1));
  auto const expected = direct<V, At>(strip, ones, ones);
  Sums sums{};
  Lowest lowest{};
  sums.clear();
  lowest.clear();
  std::size_t next = 0;
  for (int first = 0; first < rows; first += Sums::batch) {
    for (int b = 0; b < Sums::batch && first + b < rows; ++b) {
      Registers<std::uint32_t, (V + 2 * At) / 4> words{};
      for (int i = 0; i < V + 2 * At; ++i)
        words[i / 4] |= std::uint32_t(std::uint8_t(strip.at(first + b, i)))
                        << i % 4 * 8;
      auto const sum =
          sums.push(b, Sums::template along_row<At>(words, {}), {});
      auto const bytes =
          lowest.push(b, Lowest::template along_row<At>(words, {}), {})
              .lowest_bytes();
      if (first + b < 2 * Radius) continue;
      for (int i = 0; i < V; ++i, ++next) {
        ASSERT_EQ(sum[i], expected[next]) << next;
        ASSERT_EQ(bytes[i / 4] >> i % 4 * 8 & 255,
                  std::uint32_t(expected[next]) & 255)
            << next;
      }
    }
    sums.next_batch();
    lowest.next_batch();
  }
  ASSERT_EQ(next, expected.size());
}

template <class Byte, class A, int V, int... Radius>
void check_paired_boxes(std::integer_sequence<int, Radius...>) {
  Random random;
  SCOPED_TRACE(random.note());
  for (Bytes const kind : {Bytes::smallest, Bytes::largest, Bytes::random})
    (check_paired_box<Byte, A, V, Radius + 1>(kind, random), ...);
}

TEST(SeparableSums, BytesInPairs) {
  constexpr auto radii = std::make_integer_sequence<int, 7>();
  check_paired_boxes<std::uint8_t, std::int32_t, 16>(radii);
  check_paired_boxes<std::int8_t, std::int32_t, 16>(radii);
  check_paired_boxes<std::uint8_t, std::uint32_t, 8>(radii);
  check_paired_boxes<std::int8_t, std::int32_t, 8>(radii);
}

/// An Inf reaches the sums of its neighbours and no others: nothing is
/// subtracted again.
TEST(SeparableSums, BoxForgetsAnInf) {
  auto strip = make_strip<float>(40, 8 + 6, [](int i) { return i % 3; });
  strip.values[20 * 14 + 7] = std::numeric_limits<float>::infinity();
  auto const result         = march<BoxSums<float, 8, 3>, 8, 3>(strip, {});
  for (int i = 3; i < 37; ++i)
    for (int j = 0; j < 8; ++j)
      EXPECT_EQ(std::isinf(result[std::size_t((i - 3) * 8 + j)]),
                std::abs(i - 20) <= 3 && std::abs(j + 3 - 7) <= 3)
          << i << ", " << j;
}

TEST(SeparableSums, NegativeZerosAddUpToZero) {
  auto const strip = make_strip<float>(21, 16, [](int) { return -0.0f; });
  std::vector<float> const ones(7, 1.0f);
  using Factors = FactorSums<float, 8, 4, 4, 8>;
  for (float const sum :
       march<Factors, 8, 4>(strip, weights_of<Factors, 4>(ones, ones)))
    ASSERT_FALSE(std::signbit(sum));
  using OfRadius = RadiusSums<float, 8, 3>;
  for (float const sum :
       march<OfRadius, 8, 4>(strip, weights_of<OfRadius, 3>(ones, ones)))
    ASSERT_FALSE(std::signbit(sum));
  for (float const sum : march<BoxSums<float, 8, 3>, 8, 4>(strip, {}))
    ASSERT_FALSE(std::signbit(sum));
}

}  // namespace
