// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/kernels/KokkosMMA_MmaReduce.hpp>
#include <core/base/KokkosMMA_ErrorBound.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
namespace Emulated = KokkosMMA::Impl::Emulated;

template <Scalar S>
struct Input {
  static constexpr Scalar value = S;
};

template <class T>
class FloatDot : public ::testing::Test {
 public:
  static constexpr Scalar scalar  = T::value;
  using F                         = Format<scalar>;
  using Bits                      = typename F::Bits;
  static constexpr int per_vector = 16 / sizeof(Bits);

  Random random;

  /// A product of 128 (double: 32) pairs; two products per vector pair.
  static double bound(std::size_t n, int chain_length) {
    if (scalar == Scalar::float64) return any_order_bound(n + 1, 53);
    std::uint64_t const flushes = n / (128 * chain_length) + 2;
    return 1.01 * chained_sum_bound(chain_length, flushes + 6);
  }

  template <class Draw>
  void expect_within_bound(std::size_t size, int offset, int chain_length,
                           Draw const& draw) {
    Elements<Bits> x(size, offset), y(size, offset);
    ExactSum exact;
    double magnitudes = 0;
    for (std::size_t i = 0; i < size; ++i) {
      x[i]            = F::encode(draw(i, 0));
      y[i]            = F::encode(draw(i, 1));
      double const a  = F::decode(x[i]);
      double const b  = F::decode(y[i]);
      double const ab = a * b;
      exact.add(ab);
      exact.add(std::fma(a, b, -ab));
      magnitudes += std::abs(ab);
    }
    double const computed =
        Emulated::dot<scalar>(x.data(), y.data(), size, chain_length);
    ASSERT_LE(exact.error_of(computed), bound(size, chain_length) * magnitudes)
        << "size " << size << ", offset " << offset << ", chain "
        << chain_length;
  }
};
using FloatInputs = ::testing::Types<Input<Scalar::half>, Input<Scalar::bhalf>,
                                     Input<Scalar::float64>>;
TYPED_TEST_SUITE(FloatDot, FloatInputs);

TYPED_TEST(FloatDot, EverySizeAndAlignment) {
  SCOPED_TRACE(this->random.note());
  auto const draw = [&](std::size_t, int) {
    return this->random.uniform(-1, 2);
  };
  for (int offset = 0; offset < this->per_vector; ++offset) {
    for (std::size_t size = 0; size <= 100; ++size)
      this->expect_within_bound(size, offset, 8, draw);
    for (std::size_t const size : interesting_sizes(this->per_vector))
      this->expect_within_bound(size, offset, chain_lengths[offset % 4], draw);
  }
}

TYPED_TEST(FloatDot, Distributions) {
  SCOPED_TRACE(this->random.note());
  for (int const chain_length : chain_lengths) {
    this->expect_within_bound(4999, 1, chain_length, [&](std::size_t, int) {
      return this->random.uniform();
    });
    this->expect_within_bound(4999, 1, chain_length, [&](std::size_t, int) {
      return this->random.normal();
    });
    // signs alternate: the sum lies far below its terms
    this->expect_within_bound(
        4999, 1, chain_length, [&](std::size_t i, int operand) {
          return (operand && i % 2 ? -1 : 1) * (100 + this->random.uniform());
        });
    // factors whose products are far apart
    this->expect_within_bound(4999, 1, chain_length, [&](std::size_t, int) {
      return std::ldexp(this->random.uniform(-1, 1),
                        int(this->random.integer(-10, 10)));
    });
  }
}

TYPED_TEST(FloatDot, SmallIntegersAreExact) {
  SCOPED_TRACE(this->random.note());
  using Bits = typename TestFixture::Bits;
  using F    = typename TestFixture::F;
  for (std::size_t const size : interesting_sizes(this->per_vector))
    for (int const chain_length : chain_lengths) {
      int const offset = int(this->random.integer(0, this->per_vector - 1));
      Elements<Bits> x(size, offset), y(size, offset);
      std::int64_t expected = 0;
      for (std::size_t i = 0; i < size; ++i) {
        std::int64_t const a = this->random.integer(-50, 50);
        std::int64_t const b = this->random.integer(-50, 50);
        x[i]                 = F::encode(double(a));
        y[i]                 = F::encode(double(b));
        expected += a * b;
      }
      ASSERT_EQ(double(expected), double(Emulated::dot<TestFixture::scalar>(
                                      x.data(), y.data(), size, chain_length)))
          << "size " << size << ", chain " << chain_length;
    }
}

TYPED_TEST(FloatDot, NonFiniteValues) {
  // a value that is no number meets only its own partner, never the zeros and
  // other elements that share the matrix with it
  SCOPED_TRACE(this->random.note());
  using Bits       = typename TestFixture::Bits;
  using F          = typename TestFixture::F;
  double const inf = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const size : {1, 9, 100, 513})
    for (int repeat = 0; repeat < 30; ++repeat)
      for (double const value : {inf, -inf, nan})
        for (double const partner : {2., -2., 0.}) {
          Elements<Bits> x(size, 1), y(size, 1);
          for (std::size_t i = 0; i < size; ++i) {
            x[i] = F::encode(this->random.uniform(-1, 1));
            y[i] = F::encode(this->random.uniform(-1, 1));
          }
          std::size_t const at =
              std::size_t(this->random.integer(0, std::int64_t(size) - 1));
          x[at]                 = F::encode(value);
          y[at]                 = F::encode(partner);
          double const expected = value * partner;
          double const computed =
              Emulated::dot<TestFixture::scalar>(x.data(), y.data(), size, 8);
          ASSERT_TRUE(std::isnan(expected) ? std::isnan(computed)
                                           : computed == expected)
              << value << " * " << partner << " at " << at << " of " << size
              << ": " << computed;
        }
}

template <class T>
class IntegerDot : public ::testing::Test {
 public:
  Random random;
};
using IntegerInputs = ::testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(IntegerDot, IntegerInputs);

TYPED_TEST(IntegerDot, Exact) {
  SCOPED_TRACE(this->random.note());
  auto const check = [&](std::size_t size, int offset, int chain_length,
                         auto const& draw) {
    Elements<TypeParam> x(size, offset), y(size, offset);
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = draw();
      y[i] = draw();
      expected += std::int64_t(x[i]) * y[i];
    }
    ASSERT_EQ(expected, std::int64_t(Emulated::dot<scalar_v<TypeParam>>(
                            x.data(), y.data(), size, chain_length)))
        << "size " << size << ", offset " << offset << ", chain "
        << chain_length;
  };
  auto const any = [&] { return TypeParam(this->random.bits()); };
  for (int offset = 0; offset < 16; ++offset) {
    for (std::size_t size = 0; size <= 100; ++size) check(size, offset, 8, any);
    for (std::size_t const size : interesting_sizes(16))
      check(size, offset, chain_lengths[offset % 4], any);
  }
  for (int const chain_length : chain_lengths) {
    check(20001, 1, chain_length,
          [] { return std::numeric_limits<TypeParam>::max(); });
    check(20001, 1, chain_length,
          [] { return std::numeric_limits<TypeParam>::min(); });
  }
}

}  // namespace
