// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmulatedScans.hpp"

#include <limits>
#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

/// An integer type and the unsigned type of its sums.
template <class T, class Sum>
struct Integer : Scanned<scalar_v<T>, Sum> {
  using Element = T;
  using Bits    = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
};

template <class T>
class IntegerScan : public ::testing::Test {
 public:
  using Bits                        = typename T::Bits;
  using Value                       = typename T::Value;
  static constexpr std::size_t tile = T::tile;

  Random random;

  Bits draw() {
    if constexpr (std::is_same_v<typename T::Element, bool>) {
      return Bits(random.integer(0, 1));
    } else {
      return static_cast<Bits>(random.bits());
    }
  }

  /// Every scan of these elements is exact modulo 2^bits.
  void expect_exact(Elements<Bits>& x, Value init = 0) {
    for (auto const& scan : tile_scans<T>()) {
      SCOPED_TRACE(scan.name() + ", size " + std::to_string(x.size()));
      auto const computed = run(scan, x, init);
      Value sum           = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        Value const before = sum;
        sum += static_cast<Value>(x[i]);
        ASSERT_EQ(Value(init + (scan.inclusive ? sum : before)),
                  computed.prefixes[i])
            << "prefix " << i;
      }
      ASSERT_EQ(sum, computed.total);
    }
  }
};
using u32      = std::uint32_t;
using u64      = std::uint64_t;
using Integers = ::testing::Types<
    Integer<std::int8_t, u32>, Integer<std::uint8_t, u32>, Integer<bool, u32>,
    Integer<std::int32_t, u32>, Integer<u32, u32>, Integer<std::int64_t, u64>,
    Integer<u64, u64>,
    // by additions alone
    Integer<std::int8_t, u64>, Integer<std::uint8_t, u64>, Integer<bool, u64>,
    Integer<std::int32_t, u64>, Integer<u32, u64>>;
TYPED_TEST_SUITE(IntegerScan, Integers);

static_assert(Impl::scans_by_products<Integer<bool, u32>::Encoding> &&
              Impl::scans_by_products<Integer<u64, u64>::Encoding> &&
              !Impl::scans_by_products<Integer<bool, u64>::Encoding> &&
              !Impl::scans_by_products<Integer<u32, u64>::Encoding>);

TYPED_TEST(IntegerScan, RandomBits) {
  SCOPED_TRACE(this->random.note());
  for (std::size_t const size : scan_sizes(this->tile)) {
    Elements<typename TestFixture::Bits> x(size, 1);
    for (std::size_t i = 0; i < size; ++i) x[i] = this->draw();
    this->expect_exact(x);
    this->expect_exact(
        x, static_cast<typename TestFixture::Value>(this->random.bits()));
  }
}

TYPED_TEST(IntegerScan, Extremes) {
  // The sums of rows have the most bits here: 16 times -128, 127 or 255, and
  // 15 of these before the last row.
  using Element  = typename TypeParam::Element;
  using Bits     = typename TypeParam::Bits;
  auto const low = std::numeric_limits<Element>::min();
  auto const top = std::numeric_limits<Element>::max();
  Elements<Bits> x(3 * this->tile + 5, 1);
  for (Element const value : {low, top, Element(-1), Element(1), Element(0)}) {
    SCOPED_TRACE("all " + std::to_string(value));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = Bits(value);
    this->expect_exact(x);
  }
  for (std::size_t const period : {1, 2, 4, 16, 128}) {
    SCOPED_TRACE("extremes in turns of " + std::to_string(period));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = Bits(i / period % 2 ? low : top);
    this->expect_exact(x);
  }
}

TYPED_TEST(IntegerScan, EveryBitCounts) {
  // one bit at each place of a tile, its neighbours 0: a lost column, row or
  // byte of the split has nowhere to hide
  using Bits         = typename TypeParam::Bits;
  constexpr int bits = std::is_same_v<typename TypeParam::Element, bool>
                           ? 1
                           : 8 * int(sizeof(Bits));
  Elements<Bits> x(this->tile + 3, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0;
  for (std::size_t place = 0; place < x.size(); ++place) {
    x[place] = Bits(u64(1) << place % bits);
    this->expect_exact(x);
    x[place] = 0;
  }
}

TYPED_TEST(IntegerScan, InPlace) {
  using Value = typename TestFixture::Value;
  if constexpr (sizeof(typename TypeParam::Bits) == sizeof(Value)) {
    SCOPED_TRACE(this->random.note());
    for (auto const& scan : tile_scans<TypeParam>()) {
      std::vector<Value> x(2 * this->tile + 7);
      for (Value& element : x) element = Value(this->random.bits());
      std::vector<Value> y(x.size());
      scan.call(x.data(), x.size(), y.data(), 3);
      scan.call(x.data(), x.size(), x.data(), 3);
      EXPECT_EQ(y, x) << scan.name();
    }
  }
}

}  // namespace
