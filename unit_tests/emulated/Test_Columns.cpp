// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/kernels/KokkosMMA_Columns.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::ColumnLanes;
using Impl::ColumnMatrix;
using Impl::ColumnVectors;
namespace Emulated = KokkosMMA::Impl::Emulated;

struct Shape {
  std::uint64_t rows, columns, stride;
};

/// Around a vector, a line and a warp of lines; close rows and wide gaps.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (std::uint64_t const rows : {1, 2, 5, 16, 17, 70})
    for (std::uint64_t const columns : {1, 2, 3, 4, 7, 8, 16, 33, 100})
      for (std::uint64_t const gap : {0, 1, 3, 16, 61})
        all.push_back({rows, columns, columns + gap});
  return all;
}

std::string name(Shape const& s) {
  return std::to_string(s.rows) + " x " + std::to_string(s.columns) +
         ", stride " + std::to_string(s.stride);
}

TEST(ColumnVectors, EachElementHasOnePlace) {
  for (int const bytes : {1, 2, 4, 8})
    for (unsigned const width : {8u, 32u})
      for (Shape const& s : shapes()) {
        alignas(16) static unsigned char line[16];
        for (int skip = 0; skip < 16 / bytes; skip += 3) {
          SCOPED_TRACE(name(s) + ", skip " + std::to_string(skip) + ", " +
                       std::to_string(bytes) + " bytes");
          ColumnVectors const v = Impl::column_vectors(
              line + skip * bytes, {s.rows, s.columns, s.stride}, bytes, width);
          std::vector<int> seen(v.period * s.columns, 0);
          for (std::uint64_t p = 0; p < v.positions; ++p)
            for (unsigned e = 0; e < v.per_vector; ++e) {
              Impl::ColumnPlace const place = v.place(p, int(e));
              if (place.row < 0) continue;
              ASSERT_LT(std::uint64_t(place.row), v.period);
              ASSERT_LT(place.column, s.columns);
              ++seen[place.row * s.columns + place.column];
              ASSERT_EQ(p * v.per_vector + e,
                        v.index(std::uint64_t(place.row), place.column));
            }
          for (int const times : seen) ASSERT_EQ(1, times);
          ASSERT_EQ(0u, v.step() % v.per_vector) << "periods meet lines alike";
          ASSERT_GE(v.periods * v.period + v.period, s.rows);
        }
      }
}

// Whole periods are read without a look at the end of the data.
TEST(ColumnVectors, InnerPeriodsLieInside) {
  for (int const bytes : {1, 2, 4, 8})
    for (unsigned const width : {8u, 32u})
      for (Shape s : shapes()) {
        s.rows *= 40;
        alignas(16) static unsigned char line[16];
        for (int skip = 0; skip < 16 / bytes; skip += 3) {
          ColumnVectors const v = Impl::column_vectors(
              line + skip * bytes, {s.rows, s.columns, s.stride}, bytes, width);
          for (std::uint64_t p = 0; p < v.positions; ++p) {
            bool used = false;
            for (unsigned e = 0; e < v.per_vector; ++e)
              used = used || v.place(p, int(e)).row >= 0;
            if (!used || v.periods < 3) continue;
            ASSERT_LE(v.offset(p) + (v.periods - 2) * v.step() + v.per_vector,
                      v.end())
                << name(s) << ", skip " << skip << ", " << bytes
                << " bytes, position " << p;
          }
        }
      }
}

template <class T>
struct Integer {
  static T draw(Random& random) {
    if constexpr (std::is_same_v<T, bool>) {
      return random.integer(0, 1) != 0;
    } else {
      return static_cast<T>(random.bits());
    }
  }
};

template <class T>
class ColumnInteger : public ::testing::Test {
 public:
  using Bits = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr Scalar scalar = scalar_v<T>;
  using Value                    = std::conditional_t<
      sizeof(T) == 8, std::int64_t,
      std::conditional_t<sizeof(T) == 1, std::int32_t, std::uint32_t>>;
  Random random;

  template <class Sums>
  void expect_sums(Shape const& s, int offset) {
    Elements<Bits> x((s.rows - 1) * s.stride + s.columns, offset);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = Bits(Integer<T>::draw(random));
    std::vector<Value> const sums =
        Emulated::column_reduce<Operation::sum, Sums>(
            x.data(), {s.rows, s.columns, s.stride});
    for (std::uint64_t j = 0; j < s.columns; ++j) {
      std::uint64_t expected = 0;
      for (std::uint64_t i = 0; i < s.rows; ++i)
        expected += std::uint64_t(x[i * s.stride + j]);
      ASSERT_EQ(Value(expected), sums[j])
          << name(s) << ", offset " << offset << ", column " << j;
    }
  }
};
using Integers = ::testing::Types<std::int8_t, std::uint8_t, bool, std::int32_t,
                                  std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(ColumnInteger, Integers);

TYPED_TEST(ColumnInteger, SumsAreExact) {
  SCOPED_TRACE(this->random.note());
  using Value = typename TestFixture::Value;
  for (Shape const& s : shapes()) {
    int const offset = int(this->random.integer(0, 16 / sizeof(TypeParam) - 1));
    this->template expect_sums<Impl::WarpColumnAdditions<
        Emulated::Warp, Operation::sum, TestFixture::scalar, Value>>(s, offset);
    if constexpr (Impl::column_products_exist(TestFixture::scalar)) {
      this->template expect_sums<
          Impl::WarpColumnProducts<Emulated::Warp, TestFixture::scalar, Value>>(
          s, offset);
    }
  }
}

TEST(ColumnReduce, MinMaxProd) {
  Random random;
  SCOPED_TRACE(random.note());
  for (Shape const& s : shapes()) {
    Elements<std::int32_t> x((s.rows - 1) * s.stride + s.columns, 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::int32_t(random.integer(-1000, 1000)) | 1;
    ColumnMatrix const matrix{s.rows, s.columns, s.stride};
    auto const check = [&](auto op) {
      constexpr Operation Op = decltype(op)::value;
      using Apply            = Impl::Combine<Op, std::int32_t>;
      auto const results     = Emulated::column_reduce<
          Op, Impl::WarpColumnAdditions<Emulated::Warp, Op, Scalar::int32,
                                        std::int32_t>>(x.data(), matrix);
      for (std::uint64_t j = 0; j < s.columns; ++j) {
        std::int32_t expected = Apply::identity();
        for (std::uint64_t i = 0; i < s.rows; ++i)
          expected = Apply::apply(expected, x[i * s.stride + j]);
        ASSERT_EQ(expected, results[j])
            << to_string(Op) << ", " << name(s) << ", column " << j;
      }
    };
    check(std::integral_constant<Operation, Operation::min>());
    check(std::integral_constant<Operation, Operation::max>());
    check(std::integral_constant<Operation, Operation::prod>());
  }
}

template <class Input>
class ColumnFloat : public ::testing::Test {
 public:
  static constexpr Scalar scalar = Input::value;
  using F                        = Format<scalar>;
  using Value                    = typename F::Sum;
  using Products = Impl::WarpColumnProducts<Emulated::Warp, scalar, Value>;
  using Additions =
      Impl::WarpColumnAdditions<Emulated::Warp, Operation::sum, scalar, Value>;
  Random random;
};
using Floats =
    ::testing::Types<std::integral_constant<Scalar, Scalar::half>,
                     std::integral_constant<Scalar, Scalar::bhalf>,
                     std::integral_constant<Scalar, Scalar::float32>,
                     std::integral_constant<Scalar, Scalar::float64>>;
TYPED_TEST_SUITE(ColumnFloat, Floats);

TYPED_TEST(ColumnFloat, SmallIntegersAreExact) {
  SCOPED_TRACE(this->random.note());
  using F = typename TestFixture::F;
  for (Shape const& s : shapes()) {
    // What lies between rows is NaN.
    Elements<typename F::Bits> x((s.rows - 1) * s.stride + s.columns,
                                 int(this->random.integer(0, 1)));
    std::vector<double> expected(s.columns, 0.);
    for (std::uint64_t i = 0; i < s.rows; ++i)
      for (std::uint64_t j = 0; j < s.columns; ++j) {
        double const value  = double(this->random.integer(-20, 20));
        x[i * s.stride + j] = F::encode(value);
        expected[j] += value;
      }
    ColumnMatrix const matrix{s.rows, s.columns, s.stride};
    auto const products =
        Emulated::column_reduce<Operation::sum, typename TestFixture::Products>(
            x.data(), matrix);
    auto const additions =
        Emulated::column_reduce<Operation::sum,
                                typename TestFixture::Additions>(x.data(),
                                                                 matrix);
    for (std::uint64_t j = 0; j < s.columns; ++j) {
      ASSERT_EQ(expected[j], double(products[j]))
          << name(s) << ", column " << j;
      ASSERT_EQ(expected[j], double(additions[j]))
          << name(s) << ", column " << j;
    }
  }
}

TYPED_TEST(ColumnFloat, NoWorseThanAPlainLoop) {
  SCOPED_TRACE(this->random.note());
  using F                      = typename TestFixture::F;
  using Value                  = typename TestFixture::Value;
  double const epsilon         = std::numeric_limits<Value>::epsilon();
  constexpr std::uint64_t rows = 4001, columns = 5;
  for (bool const normal : {false, true}) {
    Elements<typename F::Bits> x(rows * columns, 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = F::encode(normal ? this->random.normal() : this->random.uniform());
    auto const products =
        Emulated::column_reduce<Operation::sum, typename TestFixture::Products>(
            x.data(), {rows, columns, columns});
    for (std::uint64_t j = 0; j < columns; ++j) {
      ExactSum exact;
      double magnitudes = 0;
      Value plain       = 0;
      for (std::uint64_t i = 0; i < rows; ++i) {
        double const value = F::decode(x[i * columns + j]);
        exact.add(value);
        magnitudes += std::abs(value);
        plain += Value(value);
      }
      EXPECT_LE(exact.error_of(products[j]),
                allowed_error(exact.error_of(plain), exact.value(), magnitudes,
                              epsilon, epsilon))
          << (normal ? "normal" : "uniform") << ", column " << j;
    }
  }
}

TYPED_TEST(ColumnFloat, NonFiniteStaysInItsColumn) {
  SCOPED_TRACE(this->random.note());
  using F          = typename TestFixture::F;
  double const inf = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (std::uint64_t const columns : {1, 3, 8, 50})
    for (double const special : {inf, -inf, nan}) {
      constexpr std::uint64_t rows = 60;
      Elements<typename F::Bits> x(rows * columns, 0);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = F::encode(1.);
      std::uint64_t const at =
          std::uint64_t(this->random.integer(0, rows * columns - 1));
      x[at]           = F::encode(special);
      auto const sums = Emulated::column_reduce<Operation::sum,
                                                typename TestFixture::Products>(
          x.data(), {rows, columns, columns});
      for (std::uint64_t j = 0; j < columns; ++j) {
        if (j != at % columns)
          ASSERT_EQ(double(rows), double(sums[j])) << j;
        else if (std::isnan(special))
          ASSERT_TRUE(std::isnan(double(sums[j])));
        else
          ASSERT_EQ(special, double(sums[j]));
      }
    }
}

/// A tile of a scan: every grouping of the lanes, every number of rows.
template <int Elements_, bool Inclusive>
void expect_scans(Random& random) {
  for (int const positions : {1, 2, 3, 5, 8, 11, 16, 20, 32})
    for (int groups = 1; groups * positions <= 32; groups = groups * 2 + 1)
      for (int const rows : {1, 2, 7, 31, 8 * groups - 1, 8 * groups}) {
        if (rows > 8 * groups || rows < 1) continue;
        std::size_t const columns = std::size_t(positions) * Elements_;
        std::vector<std::int32_t> x(rows * columns);
        for (auto& value : x) value = std::int32_t(random.bits());
        std::vector<std::int32_t> y(x.size(), 0), total(columns, 0);
        Emulated::column_scan_tile<Operation::sum, Scalar::int32, std::int32_t,
                                   Elements_, 8, Inclusive>(
            x.data(), rows, ColumnLanes{positions, groups}, 5, y.data(),
            total.data());
        for (std::size_t j = 0; j < columns; ++j) {
          std::uint32_t sum = 5;
          for (int i = 0; i < rows; ++i) {
            std::uint32_t const before = sum;
            sum += std::uint32_t(x[i * columns + j]);
            ASSERT_EQ(std::int32_t(Inclusive ? sum : before),
                      y[i * columns + j])
                << positions << " positions, " << groups << " groups, row " << i
                << " of " << rows << ", column " << j;
          }
          ASSERT_EQ(std::int32_t(sum - 5), total[j]);
        }
      }
}

TEST(ColumnScan, InclusiveOfAnyLanes) {
  Random random;
  SCOPED_TRACE(random.note());
  expect_scans<4, true>(random);
  expect_scans<1, true>(random);
}
TEST(ColumnScan, ExclusiveOfAnyLanes) {
  Random random;
  SCOPED_TRACE(random.note());
  expect_scans<4, false>(random);
  expect_scans<1, false>(random);
}

TEST(ColumnScan, MaxStartsFromTheIdentity) {
  std::vector<std::int32_t> const x = {-7, -3, -9, -1, -8, -2};  // (3,2)
  std::vector<std::int32_t> y(6), total(2);
  Emulated::column_scan_tile<Operation::max, Scalar::int32, std::int32_t, 1, 8,
                             true>(x.data(), 3, ColumnLanes{2, 2}, -100,
                                   y.data(), total.data());
  EXPECT_EQ((std::vector<std::int32_t>{-7, -3, -7, -1, -7, -1}), y);
  EXPECT_EQ((std::vector<std::int32_t>{-7, -1}), total);
}

// Nothing is multiplied: a NaN reaches what follows it in its column.
TEST(ColumnScan, NaNReachesWhatFollows) {
  Random random;
  SCOPED_TRACE(random.note());
  ColumnLanes const lanes{4, 8};
  constexpr int rows = 64, columns = 4;
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<float> x(rows * columns, 1.f), y(x.size()), total(columns);
    int const at = int(random.integer(0, rows * columns - 1));
    x[at]        = std::numeric_limits<float>::quiet_NaN();
    Emulated::column_scan_tile<Operation::sum, Scalar::float32, float, 1, 8,
                               true>(x.data(), rows, lanes, 0.f, y.data(),
                                     total.data());
    for (int i = 0; i < rows * columns; ++i) {
      if (i % columns == at % columns && i >= at)
        ASSERT_TRUE(std::isnan(y[i])) << i << ", NaN at " << at;
      else
        ASSERT_EQ(float(i / columns + 1), y[i]) << i << ", NaN at " << at;
    }
  }
}

}  // namespace
