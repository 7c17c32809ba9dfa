// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <KokkosMMA_ExactReference.hpp>
#include <KokkosMMA_HostileSums.hpp>
#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

double decode(Scalar format, std::uint64_t bits) {
  FloatFormat const f = float_format(format);
  auto const fraction = double(bits & ((1ull << f.fraction_bits) - 1));
  int const field     = int(bits >> f.fraction_bits) & f.special();
  double const magnitude =
      field == f.special()
          ? (fraction == 0 ? INFINITY : NAN)
          : std::ldexp(
                fraction + (field ? std::ldexp(1., f.fraction_bits) : 0.),
                f.lowest() + std::max(field, 1) - 1);
  return bits >> (f.fraction_bits + f.exponent_bits) ? -magnitude : magnitude;
}
constexpr Scalar formats[] = {Scalar::half, Scalar::bhalf, Scalar::float32,
                              Scalar::float64};

template <Scalar Input>
void expect_exact(HostileSum const& sum) {
  // Merged from any number of parts, carried or not before.
  std::size_t const parts = 1 + sum.terms.size() % 7;
  std::vector<Superaccumulator<Input>> part(parts);
  for (auto& each : part) each.init();
  ExactReference reference;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    std::uint64_t const bits = encode(Input, sum.terms[i]);
    reference.add(decode(Input, bits));
    part[i % parts].add(bits);
    if (i % 5 == 0) part[i % parts].carry();
  }
  for (Scalar const format : formats) {
    Superaccumulator<Input> all;
    all.init();
    for (auto each : part) {
      each.carry();
      all.merge(each);
    }
    EXPECT_EQ(reference.bits(format), all.round(float_format(format)))
        << sum.name << ", " << sum.terms.size() << " of " << to_string(Input)
        << " as " << to_string(format) << ": " << reference.as(format);
  }
}

template <Scalar Input>
void expect_all_exact() {
  Random random;
  for (std::size_t const size : {1, 2, 3, 30, 777})
    for (HostileSum const& sum : hostile_sums(random, size, Input))
      expect_exact<Input>(sum);
}

TEST(Superaccumulator, OfHalf) { expect_all_exact<Scalar::half>(); }
TEST(Superaccumulator, OfBhalf) { expect_all_exact<Scalar::bhalf>(); }
TEST(Superaccumulator, OfFloat) { expect_all_exact<Scalar::float32>(); }
TEST(Superaccumulator, OfDouble) { expect_all_exact<Scalar::float64>(); }

// So much that 2^28 products fit before a carry.
TEST(Superaccumulator, ProductsInALimb) {
  Random random;
  // Not in the array's bound: nvcc 13.0 hands g++ 13 no valid expression.
  constexpr int limbs = double_products_carrier().limbs;
  for (int n = 0; n < 100000; ++n) {
    std::uint64_t factor[2];
    for (std::uint64_t& bits : factor) {
      bits = random.bits();
      // All ones, few ones, or any mantissa.
      if (n % 3 == 0) bits |= (std::uint64_t(1) << 52) - 1;
      if (n % 3 == 1) bits &= ~std::uint64_t(0) << random.integer(1, 52);
      bits &= ~(std::uint64_t(1) << 62);
    }
    std::int64_t limb[limbs] = {};
    split_product(factor[0], factor[1],
                  [&](int k, std::int64_t part) { limb[k] += part; });
    for (std::int64_t const all : limb)
      ASSERT_LT(std::abs(double(all)), 4 * 0x1p32);
  }
}

// The parts have the value, and that of the limb itself is small.
TEST(Superaccumulator, CarryIntoNext) {
  Random random;
  constexpr int limbs       = 11;
  constexpr auto most       = std::numeric_limits<std::int64_t>::max();
  constexpr auto least      = std::numeric_limits<std::int64_t>::min();
  constexpr auto digit      = std::int64_t(1) << 32;
  std::int64_t const ends[] = {most,  least,  0,         1,        -1,
                               digit, -digit, digit - 1, 1 - digit};
  for (int n = 0; n < 1000; ++n) {
    std::int64_t const value =
        n < 9 ? ends[n] : std::int64_t(random.bits()) >> random.integer(0, 63);
    for (int k = 0; k < limbs; ++k) {
      std::int64_t part[limbs + 1] = {}, whole[limbs + 1] = {};
      int parts = 0;
      carry_into_next(k, limbs, value, [&](int to, std::int64_t of_limb) {
        ASSERT_NE(of_limb, 0);
        part[to] += of_limb;
        ++parts;
      });
      EXPECT_EQ(part[limbs], 0);
      EXPECT_EQ(parts, (part[k] != 0) + (k + 1 < limbs && part[k + 1] != 0));
      if (-digit < value && value < digit) {
        EXPECT_EQ(parts, value != 0);
      }
      if (k + 1 < limbs) {
        EXPECT_LT(part[k], digit);
        EXPECT_GT(part[k], -digit);
      }
      whole[k] = value;
      carry_limbs(part, 0, limbs);
      carry_limbs(whole, 0, limbs);
      for (int i = 0; i < limbs; ++i)
        ASSERT_EQ(whole[i], part[i]) << value << " in limb " << k;
    }
  }
}

// Every number of 16 bits is itself, and the sum of two of them is what
// doubles, which hold it, round to.
TEST(Superaccumulator, AllHalves) {
  Random random;
  for (Scalar const format : {Scalar::half, Scalar::bhalf})
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      auto const sum_of = [&](auto accumulator, std::uint64_t other) {
        accumulator.init();
        accumulator.add(bits);
        accumulator.add(other);
        return accumulator.round(float_format(format));
      };
      std::uint64_t const other = random.bits() & 0xffff;
      ExactReference reference;
      reference.add(decode(format, bits));
      reference.add(decode(format, other));
      std::uint64_t const sum =
          format == Scalar::half
              ? sum_of(Superaccumulator<Scalar::half>(), other)
              : sum_of(Superaccumulator<Scalar::bhalf>(), other);
      ASSERT_EQ(reference.bits(format), sum) << bits << " + " << other;
    }
}

}  // namespace
