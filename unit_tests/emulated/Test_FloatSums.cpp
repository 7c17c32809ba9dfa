// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/kernels/KokkosMMA_MmaReduce.hpp>
#include <core/base/KokkosMMA_ErrorBound.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <functional>
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
class FloatSum : public ::testing::Test {
 public:
  static constexpr Scalar scalar  = T::value;
  using F                         = Format<scalar>;
  using Bits                      = typename F::Bits;
  static constexpr int per_vector = 16 / sizeof(Bits);

  Random random;
};
using Inputs = ::testing::Types<Input<Scalar::half>, Input<Scalar::bhalf>,
                                Input<Scalar::float32>, Input<Scalar::float64>>;
TYPED_TEST_SUITE(FloatSum, Inputs);

/// What the documented bound allows for the sum of n elements.
double bound(Scalar scalar, std::size_t n, int chain_length) {
  if (scalar == Scalar::float64) return any_order_bound(n + 1, 53);
  // a product takes 256 elements
  std::uint64_t const flushes = n / (256 * std::size_t(chain_length)) + 2;
  // a flush adds pieces and rows, five levels of lanes; scalar additions where
  // the pieces are not exact
  std::uint64_t const additions = flushes + 3 + 5;
  return 1.01 * chained_sum_bound(chain_length, additions);
}

struct Reference {
  ExactSum sum;
  double magnitudes = 0;

  void add(double x) {
    sum.add(x);
    magnitudes += std::abs(x);
  }
};

/// One sum against the exact one; `draw(i)` gives the values.
template <Scalar S, class Draw>
void expect_within_bound(std::size_t size, int offset, int chain_length,
                         Draw const& draw) {
  using F = Format<S>;
  SCOPED_TRACE("size " + std::to_string(size) + ", offset " +
               std::to_string(offset) + ", chain " +
               std::to_string(chain_length));
  Elements<typename F::Bits> x(size, offset);
  Reference exact;
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = F::encode(draw(i));
    exact.add(F::decode(x[i]));
  }
  double const computed = Emulated::reduce<S>(x.data(), size, chain_length);
  double const allowed  = bound(S, size, chain_length) * exact.magnitudes;
  ASSERT_LE(exact.sum.error_of(computed), allowed)
      << "computed " << computed << ", exact " << exact.sum.value();
}

TYPED_TEST(FloatSum, EverySizeAndAlignment) {
  SCOPED_TRACE(this->random.note());
  auto const uniform = [&](std::size_t) { return this->random.uniform(-1, 2); };
  for (int offset = 0; offset < this->per_vector; ++offset) {
    for (std::size_t size = 0; size <= 100; ++size)
      expect_within_bound<this->scalar>(size, offset, 8, uniform);
    for (std::size_t const size : interesting_sizes(this->per_vector))
      expect_within_bound<this->scalar>(size, offset, chain_lengths[offset % 4],
                                        uniform);
  }
}

TYPED_TEST(FloatSum, SmallIntegersAreExact) {
  // no bound to hide behind: every element counts once
  SCOPED_TRACE(this->random.note());
  using F = typename TestFixture::F;
  for (std::size_t const size : interesting_sizes(this->per_vector))
    for (int const chain_length : chain_lengths) {
      int const offset = int(this->random.integer(0, this->per_vector - 1));
      Elements<typename F::Bits> x(size, offset);
      std::int64_t expected = 0;
      for (std::size_t i = 0; i < size; ++i) {
        std::int64_t const value = this->random.integer(-200, 200);
        x[i]                     = F::encode(double(value));
        expected += value;
      }
      ASSERT_EQ(double(expected), double(Emulated::reduce<TestFixture::scalar>(
                                      x.data(), size, chain_length)))
          << "size " << size << ", offset " << offset << ", chain "
          << chain_length;
    }
}

TYPED_TEST(FloatSum, Distributions) {
  SCOPED_TRACE(this->random.note());
  double large                                     = 0;
  std::function<double(std::size_t)> const draws[] = {
      [&](std::size_t) { return this->random.uniform(); },
      [&](std::size_t) { return this->random.normal(); },
      // pairs that cancel nearly: the sum lies far below its terms
      [&](std::size_t i) {
        if (i % 2 == 0) return large = 1000 * this->random.normal();
        return -large * (1 + 0x1p-6 * this->random.uniform());
      },
      // magnitudes over the whole range of a half
      [&](std::size_t) {
        return std::ldexp(this->random.uniform(-1, 1),
                          int(this->random.integer(-14, 14)));
      }};
  for (auto const& draw : draws)
    for (int const chain_length : chain_lengths)
      for (std::size_t const size : {1000, 4999})
        expect_within_bound<this->scalar>(size, 1, chain_length, draw);
}

TYPED_TEST(FloatSum, Subnormals) {
  SCOPED_TRACE(this->random.note());
  using F                     = typename TestFixture::F;
  using Bits                  = typename F::Bits;
  constexpr int exponent_bits = this->scalar == Scalar::half      ? 5
                                : this->scalar == Scalar::float64 ? 11
                                                                  : 8;
  constexpr int fraction_bits = 8 * int(sizeof(Bits)) - 1 - exponent_bits;
  std::size_t const size      = 777;
  Elements<Bits> x(size, 1);
  ExactSum exact;
  double magnitudes = 0;
  for (std::size_t i = 0; i < size; ++i) {
    Bits const fraction =
        Bits(this->random.bits()) & Bits((Bits(1) << fraction_bits) - 1);
    Bits const sign = Bits(this->random.integer(0, 1))
                      << (8 * sizeof(Bits) - 1);
    x[i] = sign | fraction;
    exact.add(F::decode(x[i]));
    magnitudes += std::abs(F::decode(x[i]));
  }
  // All are multiples of the smallest subnormal and their sum has few digits,
  // so it is exact; in float that holds for what fits into 24 bits.
  double const computed =
      Emulated::reduce<TestFixture::scalar>(x.data(), size, 8);
  if (this->scalar == Scalar::float64 || this->scalar == Scalar::float32)
    EXPECT_LE(exact.error_of(computed),
              magnitudes * size *
                  std::ldexp(1., this->scalar == Scalar::float64 ? -53 : -24));
  else
    EXPECT_EQ(exact.value(), computed);
}

TYPED_TEST(FloatSum, LoneSubnormal) {
  using F = typename TestFixture::F;
  for (int place : {0, 1, 100}) {
    Elements<typename F::Bits> x(200, 0);
    for (std::size_t i = 0; i < 200; ++i) x[i] = 0;
    x[place] = 1;  // the smallest number
    EXPECT_EQ(F::decode(1),
              double(Emulated::reduce<TestFixture::scalar>(x.data(), 200, 8)));
  }
}

TYPED_TEST(FloatSum, NegativeZerosGiveZero) {
  using F = typename TestFixture::F;
  Elements<typename F::Bits> x(333, 1);
  for (std::size_t i = 0; i < 333; ++i) x[i] = F::encode(-0.);
  double const sum = Emulated::reduce<TestFixture::scalar>(x.data(), 333, 8);
  EXPECT_EQ(0., sum);
  EXPECT_FALSE(std::signbit(sum)) << "as a sum that starts from +0";
}

TYPED_TEST(FloatSum, NonFiniteValuesSpreadAsInAnyOrder) {
  SCOPED_TRACE(this->random.note());
  using F                   = typename TestFixture::F;
  double const inf          = std::numeric_limits<double>::infinity();
  double const nan          = std::numeric_limits<double>::quiet_NaN();
  std::size_t const sizes[] = {1, 2, 9, 100, 1000, 2049};
  for (std::size_t const size : sizes)
    for (int repeat = 0; repeat < 20; ++repeat)
      for (double const first : {inf, -inf, nan})
        for (double const second : {0., inf, -inf, nan}) {
          int const offset = int(this->random.integer(0, this->per_vector - 1));
          Elements<typename F::Bits> x(size, offset);
          for (std::size_t i = 0; i < size; ++i)
            x[i] = F::encode(this->random.uniform(-1, 1));
          std::size_t const i =
              std::size_t(this->random.integer(0, std::int64_t(size) - 1));
          std::size_t const j =
              std::size_t(this->random.integer(0, std::int64_t(size) - 1));
          x[i]            = F::encode(first);
          double expected = first;
          if (second != 0. && i != j) {
            x[j] = F::encode(second);
            expected += second;
          }
          double const computed =
              Emulated::reduce<TestFixture::scalar>(x.data(), size, 8);
          ASSERT_TRUE(std::isnan(expected) ? std::isnan(computed)
                                           : computed == expected)
              << first << " at " << i << ", " << second << " at " << j << " of "
              << size << ": " << computed;
        }
}

TYPED_TEST(FloatSum, Overflow) {
  using F    = typename TestFixture::F;
  using Bits = typename F::Bits;
  // the largest number is the pattern below infinity
  Bits const largest = Bits(F::encode(INFINITY) - 1);
  Elements<Bits> x(500, 3 % this->per_vector);
  for (std::size_t i = 0; i < 500; ++i) x[i] = 0;
  x[123] = largest;
  EXPECT_EQ(F::decode(largest),
            double(Emulated::reduce<TestFixture::scalar>(x.data(), 500, 8)))
      << "alone it must come through";
  for (std::size_t i = 0; i < 500; ++i) x[i] = largest;
  double const sum = Emulated::reduce<TestFixture::scalar>(x.data(), 500, 8);
  if (this->scalar == Scalar::half)
    EXPECT_EQ(500 * 65504., sum) << "fits a float";
  else
    EXPECT_EQ(INFINITY, sum);
  for (std::size_t i = 0; i < 500; ++i)
    x[i] = Bits(largest | Bits(1) << (8 * sizeof(Bits) - 1));
  EXPECT_EQ(-sum,
            double(Emulated::reduce<TestFixture::scalar>(x.data(), 500, 8)));
}

TYPED_TEST(FloatSum, NoWorseThanAPlainLoop) {
  SCOPED_TRACE(this->random.note());
  using F              = typename TestFixture::F;
  using Sum            = typename F::Sum;
  double const epsilon = std::numeric_limits<Sum>::epsilon();
  for (int const chain_length : {8, 16}) {
    for (int kind = 0; kind < 2; ++kind) {
      std::size_t const size = 20001;
      Elements<typename F::Bits> x(size, 1);
      Reference exact;
      Sum plain = 0;
      for (std::size_t i = 0; i < size; ++i) {
        x[i] = F::encode(kind ? this->random.normal() : this->random.uniform());
        plain += Sum(F::decode(x[i]));
        exact.add(F::decode(x[i]));
      }
      double const computed =
          Emulated::reduce<TestFixture::scalar>(x.data(), size, chain_length);
      EXPECT_LE(exact.sum.error_of(computed),
                allowed_error(exact.sum.error_of(plain), exact.sum.value(),
                              exact.magnitudes, epsilon, epsilon))
          << (kind ? "normal" : "uniform") << ", chain " << chain_length;
    }
  }
}

TYPED_TEST(FloatSum, RepeatsBitwise) {
  SCOPED_TRACE(this->random.note());
  using F = typename TestFixture::F;
  Elements<typename F::Bits> x(3001, 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = F::encode(this->random.normal());
  auto const first = Emulated::reduce<TestFixture::scalar>(x.data(), 3001, 8);
  auto const again = Emulated::reduce<TestFixture::scalar>(x.data(), 3001, 8);
  EXPECT_EQ(0, std::memcmp(&first, &again, sizeof(first)));
}

}  // namespace
