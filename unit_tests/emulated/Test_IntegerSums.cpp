// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/kernels/KokkosMMA_MmaReduce.hpp>
#include "EmulatedData.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
namespace Emulated = KokkosMMA::Impl::Emulated;

template <class T>
class IntegerSum : public ::testing::Test {
 public:
  using Bits = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr Scalar scalar  = scalar_v<T>;
  static constexpr int per_vector = 16 / sizeof(T);

  Random random;

  Bits draw() {
    if constexpr (std::is_same_v<T, bool>) {
      return Bits(random.integer(0, 1));
    }
    return static_cast<Bits>(random.bits());
  }
  /// The device's accumulators are exact modulo 2^64; so is this.
  void expect_exact(Elements<Bits>& x, int chain_length) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < x.size(); ++i) expected += std::uint64_t(x[i]);
    ASSERT_EQ(expected, std::uint64_t(Emulated::reduce<scalar>(
                            x.data(), x.size(), chain_length)))
        << "size " << x.size() << ", chain " << chain_length;
  }
};
using Integers = ::testing::Types<std::int8_t, std::uint8_t, bool, std::int32_t,
                                  std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerSum, Integers);

TYPED_TEST(IntegerSum, RandomBits) {
  SCOPED_TRACE(this->random.note());
  using Bits = typename TestFixture::Bits;
  for (int offset = 0; offset < this->per_vector; ++offset) {
    SCOPED_TRACE("offset " + std::to_string(offset));
    auto const check = [&](std::size_t size, int chain_length) {
      Elements<Bits> x(size, offset);
      for (std::size_t i = 0; i < size; ++i) x[i] = this->draw();
      this->expect_exact(x, chain_length);
    };
    for (std::size_t size = 0; size <= 100; ++size) check(size, 8);
    for (std::size_t const size : interesting_sizes(this->per_vector))
      check(size, chain_lengths[offset % 4]);
  }
  for (int const chain_length : chain_lengths) {
    Elements<Bits> x(40001, 1);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = this->draw();
    this->expect_exact(x, chain_length);
  }
}

TYPED_TEST(IntegerSum, Extremes) {
  using Bits = typename TestFixture::Bits;
  for (TypeParam const value :
       {std::numeric_limits<TypeParam>::min(),
        std::numeric_limits<TypeParam>::max(), TypeParam(0), TypeParam(1)})
    for (int const chain_length : chain_lengths) {
      Elements<Bits> x(20001, 1);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = Bits(value);
      this->expect_exact(x, chain_length);
    }
}

TYPED_TEST(IntegerSum, IsANumberOfItsSign) {
  // modulo 2^64 is not enough where the sum goes on to a floating-point result
  using Bits = typename TestFixture::Bits;
  Elements<Bits> x(1000, 1);
  TypeParam const value = static_cast<TypeParam>(-1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = Bits(value);
  constexpr bool wraps = std::is_same_v<TypeParam, std::uint64_t>;
  double const expected =
      wraps ? double(std::uint64_t(0) - 1000) : 1000. * double(value);
  EXPECT_EQ(expected,
            double(Emulated::reduce<TestFixture::scalar>(x.data(), 1000, 8)));
}

}  // namespace
