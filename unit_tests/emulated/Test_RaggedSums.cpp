// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/kernels/KokkosMMA_RaggedReduce.hpp>
#include "EmulatedData.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::OffsetSegments;
using Impl::RaggedPlace;
using Impl::RaggedWork;
using Impl::Emulated::Warp;

/// Offsets of segments, with elements before the first and behind the last.
template <class Offset>
struct Rows {
  std::string name;
  std::vector<Offset> offsets{3};

  void add(std::uint64_t length) {
    offsets.push_back(static_cast<Offset>(offsets.back() + length));
  }
  std::size_t count() const { return offsets.size() - 1; }
  std::size_t elements() const { return std::size_t(offsets.back()) + 5; }
  OffsetSegments<Offset> segments() const { return {offsets.data(), count()}; }
};

/// Lengths around the edges of a vector, a lane's and a warp's share, a window
/// of the ring; runs of empty segments; a long one among short ones.
template <class Offset>
std::vector<Rows<Offset>> interesting_rows(Random& random) {
  std::vector<Rows<Offset>> all;
  auto const rows = [&](std::string const& name) -> Rows<Offset>& {
    all.push_back({name});
    return all.back();
  };
  for (int const length : {1, 2, 3, 7, 8, 16, 17, 31, 64, 100, 300, 2100}) {
    auto& equal = rows("all of length " + std::to_string(length));
    for (int s = 0; s < 70 && s * length < 9000; ++s) equal.add(length);
  }
  rows("one segment").add(7000);
  rows("one empty segment").add(0);
  auto& empty = rows("empty segments");
  for (int s = 0; s < 131; ++s) empty.add(0);
  for (int const longest : {2, 8, 32, 80, 500, 3000}) {
    auto& uniform = rows("lengths up to " + std::to_string(longest));
    for (int s = 0; s < 200 && uniform.elements() < 12000; ++s)
      uniform.add(random.integer(0, longest));
  }
  auto& uneven = rows("lengths of all magnitudes");
  for (int s = 0; s < 100; ++s)
    uneven.add(std::uint64_t(std::exp(random.uniform(-1., 7.))));
  auto& one = rows("one long segment among short and empty ones");
  for (int s = 0; s < 150; ++s) one.add(s == 77 ? 5000 : s % 4);
  auto& ends = rows("empty segments at both ends and around a long one");
  for (int s = 0; s < 40; ++s) ends.add(0);
  ends.add(4000);
  for (int s = 0; s < 40; ++s) ends.add(0);
  return all;
}

constexpr std::uint64_t shares[] = {1, 2, 3, 31, 33, 100};

TEST(RaggedWork, PlacesAreOnThePath) {
  Random random;
  SCOPED_TRACE(random.note());
  for (auto const& rows : interesting_rows<std::int32_t>(random)) {
    for (std::uint64_t const weight : {1, 4}) {
      SCOPED_TRACE(rows.name + ", weight " + std::to_string(weight));
      auto const work = RaggedWork<std::int32_t>::of(rows.segments(), weight);
      // One step of work after the other: `weight` steps close a segment.
      std::vector<RaggedPlace> path;
      std::uint64_t element = work.first;
      for (std::size_t s = 0; s < rows.count(); ++s) {
        for (; element < rows.segments().end(s); ++element)
          path.push_back({s, element});
        for (std::uint64_t w = 0; w < weight; ++w) path.push_back({s, element});
      }
      path.push_back({rows.count(), element});
      ASSERT_EQ(work.total() + 1, path.size());
      std::uint64_t const step = path.size() / 500 + 1;
      for (std::uint64_t d = 0; d < path.size(); d += step) {
        std::uint64_t const last = work.total();
        RaggedPlace places[2];
        Impl::find_places(Warp{}, work, {d, last}, places);
        ASSERT_EQ(path[d], places[0]) << "after " << d;
        ASSERT_EQ(path[last], places[1]);
        Impl::find_places(Warp{}, work, {last, d}, places);
        ASSERT_EQ(path[d], places[1]) << "after " << d;
      }
    }
  }
}

TEST(RaggedWork, SharesAreEqual) {
  for (std::uint64_t const total : {0, 1, 5, 1000, 1001}) {
    for (std::uint64_t const number : shares) {
      EXPECT_EQ(0u, Impl::begin_of_share(total, number, 0));
      EXPECT_EQ(total, Impl::begin_of_share(total, number, number));
      for (std::uint64_t i = 0; i < number; ++i) {
        std::uint64_t const share = Impl::begin_of_share(total, number, i + 1) -
                                    Impl::begin_of_share(total, number, i);
        EXPECT_GE(share, total / number);
        EXPECT_LE(share, (total + number - 1) / number);
      }
    }
  }
}

TEST(RaggedWork, OffsetsBeyond32Bits) {
  // Nothing but the offsets exists: places do not depend on the elements.
  constexpr std::uint64_t far             = std::uint64_t(1) << 40;
  std::vector<std::int64_t> const offsets = {1 << 20, std::int64_t(far),
                                             std::int64_t(far + 7)};
  auto const work = RaggedWork<std::int64_t>::of({offsets.data(), 2}, 4);
  EXPECT_EQ(far + 15 - (1 << 20), work.total());
  RaggedPlace places[2];
  Impl::find_places(Warp{}, work, {far / 2, far - (1 << 20) + 9}, places);
  EXPECT_EQ((RaggedPlace{0, far / 2 + (1 << 20)}), places[0]);
  EXPECT_EQ((RaggedPlace{1, far + 5}), places[1]);
}

template <class T, class ValueType, class OffsetType = std::int32_t>
struct Reduced {
  using Element                  = T;
  using Value                    = ValueType;
  using Offset                   = OffsetType;
  static constexpr Scalar scalar = scalar_v<T>;
};

/// What a serial loop over a segment gives.
template <Operation Op, class Value, class Bits, class Offset, class ToValue>
std::vector<Value> reference(Elements<Bits>& x, Rows<Offset> const& rows,
                             ToValue const& to_value) {
  using Math = Impl::Combine<Op, Value>;
  std::vector<Value> values;
  for (std::size_t s = 0; s < rows.count(); ++s) {
    Value value = Math::identity();
    for (auto i = std::size_t(rows.offsets[s]);
         i < std::size_t(rows.offsets[s + 1]); ++i)
      value = Math::apply(value, to_value(x[i]));
    values.push_back(value);
  }
  return values;
}

template <class Value>
struct Stored {
  std::vector<Value> values;
  std::vector<int> times;
};

template <Operation Op, Scalar Input, class Value, bool Quads = true,
          class Bits, class Offset>
Stored<Value> computed(Elements<Bits>& x, Rows<Offset> const& rows,
                       std::uint64_t stretches) {
  Stored<Value> stored{std::vector<Value>(rows.count()),
                       std::vector<int>(rows.count())};
  bool const in_ring =
      Impl::Emulated::ragged_reduce<Op, Input, Value, Quads, 4, 1024>(
          x.data(), rows.segments(), 4, stretches,
          [&](std::uint64_t s, Value value) {
            stored.values.at(s) = value;
            ++stored.times.at(s);
          });
  EXPECT_TRUE(in_ring);
  return stored;
}

template <class T>
class RaggedReduce : public ::testing::Test {
 public:
  using Element = typename T::Element;
  using Value   = typename T::Value;
  using Offset  = typename T::Offset;
  using Bits    = typename Impl::Unsigned<sizeof(Element)>::type;

  Random random;

  static Value value_of(Bits bits) {
    if constexpr (std::is_same_v<Element, bool>) {
      return Value(bits != 0);
    } else {
      return static_cast<Value>(std::bit_cast<Element>(bits));
    }
  }
  /// Small whole numbers where rounding would depend on the association.
  template <Operation Op>
  Bits draw() {
    if constexpr (std::is_same_v<Element, bool>) {
      return Bits(random.integer(0, 1));
    } else if constexpr (std::is_floating_point_v<Element>) {
      double const number = Op == Operation::prod
                                ? (random.integer(0, 1) ? 1. : -1.)
                                : double(random.integer(-99, 99));
      return std::bit_cast<Bits>(Element(number));
    } else {
      return static_cast<Bits>(random.bits());
    }
  }

  template <Operation Op>
  void expect_exact() {
    for (auto const& rows : interesting_rows<Offset>(random)) {
      int const offset = int(random.integer(0, 16 / int(sizeof(Bits)) - 1));
      SCOPED_TRACE(std::string(to_string(Op)) + ", " + rows.name +
                   ", element " + std::to_string(offset) + " of a line");
      Elements<Bits> x(rows.elements(), offset);
      for (auto i = std::size_t(rows.offsets.front());
           i < std::size_t(rows.offsets.back()); ++i)
        x[i] = draw<Op>();
      auto const expected = reference<Op, Value>(x, rows, value_of);
      for (std::uint64_t const stretches : shares) {
        auto const got = computed<Op, T::scalar, Value>(x, rows, stretches);
        auto const plain =
            computed<Op, T::scalar, Value, false>(x, rows, stretches);
        ASSERT_EQ(got.times, plain.times);
        ASSERT_EQ(expected, plain.values) << stretches << " stretches";
        for (std::size_t s = 0; s < rows.count(); ++s) {
          ASSERT_EQ(1, got.times[s])
              << "stores of segment " << s << ", " << stretches << " stretches";
          ASSERT_EQ(expected[s], got.values[s])
              << "segment " << s << ", " << stretches << " stretches";
        }
      }
    }
  }
};
using Types = ::testing::Types<
    Reduced<float, float>, Reduced<float, double, std::uint32_t>,
    Reduced<double, double, std::int64_t>, Reduced<std::int8_t, std::int32_t>,
    Reduced<bool, std::int32_t>, Reduced<std::uint32_t, std::uint64_t>,
    Reduced<std::int64_t, std::int64_t, std::uint64_t>>;
TYPED_TEST_SUITE(RaggedReduce, Types);

TYPED_TEST(RaggedReduce, Sums) {
  SCOPED_TRACE(this->random.note());
  this->template expect_exact<Operation::sum>();
}

TYPED_TEST(RaggedReduce, OtherOperations) {
  // Compiled for few types: what differs between them is how they are read.
  if constexpr (std::is_same_v<typename TypeParam::Value, float> ||
                std::is_same_v<typename TypeParam::Element, std::int8_t>) {
    SCOPED_TRACE(this->random.note());
    this->template expect_exact<Operation::min>();
    this->template expect_exact<Operation::max>();
    this->template expect_exact<Operation::prod>();
  }
}

/// Each element as a power of two of its own would not tell two lost ones from
/// none; one element that counts, at every place, does.
TEST(RaggedReduce, EveryElementCountsOnce) {
  Rows<std::int32_t> rows{"a few lengths"};
  for (int const length : {5, 0, 33, 700, 1, 64, 0, 0, 130, 2})
    rows.add(length);
  Elements<std::uint32_t> x(rows.elements(), 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1;
    auto const got =
        computed<Operation::sum, Scalar::uint32, std::uint32_t>(x, rows, 7);
    for (std::size_t s = 0; s < rows.count(); ++s)
      ASSERT_EQ(std::uint32_t(std::int32_t(i) >= rows.offsets[s] &&
                              std::int32_t(i) < rows.offsets[s + 1]),
                got.values[s])
          << "element " << i << ", segment " << s;
    x[i] = 0;
  }
}

template <class T>
class RaggedHalves : public ::testing::Test {};
using Halves = ::testing::Types<std::integral_constant<Scalar, Scalar::half>,
                                std::integral_constant<Scalar, Scalar::bhalf>>;
TYPED_TEST_SUITE(RaggedHalves, Halves);

TYPED_TEST(RaggedHalves, ExactSumsAndExtremes) {
  constexpr Scalar Input = TypeParam::value;
  using F                = Format<Input>;
  Random random;
  SCOPED_TRACE(random.note());
  auto const value_of = [](std::uint16_t b) { return float(F::decode(b)); };
  for (auto const& rows : interesting_rows<std::int32_t>(random)) {
    SCOPED_TRACE(rows.name);
    Elements<std::uint16_t> x(rows.elements(), 3);
    for (auto i = rows.offsets.front(); i < rows.offsets.back(); ++i)
      x[i] = F::encode(double(random.integer(-200, 200)));
    auto const sums  = reference<Operation::sum, float>(x, rows, value_of);
    auto const least = reference<Operation::min, float>(x, rows, value_of);
    EXPECT_EQ(sums,
              (computed<Operation::sum, Input, float>(x, rows, 9).values));
    EXPECT_EQ(least,
              (computed<Operation::min, Input, float>(x, rows, 9).values));
  }
}

TEST(RaggedFloats, ErrorIsThatOfATree) {
  // A serial sum of 4000 positive floats is off by some hundred units.
  Random random;
  SCOPED_TRACE(random.note());
  Rows<std::int32_t> rows{"long and short"};
  for (int s = 0; s < 60; ++s) rows.add(s % 5 == 0 ? 4000 : 20 * s);
  Elements<std::uint32_t> x(rows.elements(), 2);
  for (auto i = rows.offsets.front(); i < rows.offsets.back(); ++i)
    x[i] = std::bit_cast<std::uint32_t>(float(random.uniform()));
  auto const exact = reference<Operation::sum, double>(
      x, rows, [](std::uint32_t b) { return double(std::bit_cast<float>(b)); });
  for (std::uint64_t const stretches : shares) {
    auto const got =
        computed<Operation::sum, Scalar::float32, float>(x, rows, stretches);
    for (std::size_t s = 0; s < rows.count(); ++s)
      EXPECT_NEAR(exact[s], got.values[s],
                  40 * std::numeric_limits<float>::epsilon() * exact[s])
          << "segment " << s;
  }
}

TEST(RaggedFloats, WhatIsNotFiniteStaysInItsSegment) {
  float const infinity = std::numeric_limits<float>::infinity();
  float const nan      = std::numeric_limits<float>::quiet_NaN();
  for (int const length : {3, 40, 700}) {
    SCOPED_TRACE("length " + std::to_string(length));
    Rows<std::int32_t> rows{"equal"};
    for (int s = 0; s < 9; ++s) rows.add(length);
    Elements<std::uint32_t> x(rows.elements(), 1);
    auto const put = [&](int segment, int i, float value) {
      x[rows.offsets[segment] + i] = std::bit_cast<std::uint32_t>(value);
    };
    for (int s = 0; s < 9; ++s)
      for (int i = 0; i < length; ++i) put(s, i, float(i + 1));
    put(1, 1, infinity);
    put(3, length - 1, nan);
    put(5, 0, infinity);
    put(5, 1, -infinity);
    put(7, 0, -infinity);
    for (std::uint64_t const stretches : shares) {
      auto const sums =
          computed<Operation::sum, Scalar::float32, float>(x, rows, stretches);
      float const finite = float(length) * float(length + 1) / 2;
      for (int const s : {0, 2, 4, 6, 8}) EXPECT_EQ(finite, sums.values[s]);
      EXPECT_EQ(infinity, sums.values[1]);
      EXPECT_TRUE(std::isnan(sums.values[3]));
      EXPECT_TRUE(std::isnan(sums.values[5]));
      EXPECT_EQ(-infinity, sums.values[7]);
    }
  }
}

TEST(RaggedFloats, ExtremesPassOverNaN) {
  // As Kokkos' reducers: the running value is compared, a NaN never taken.
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (int const length : {4, 50, 900}) {
    SCOPED_TRACE("length " + std::to_string(length));
    Rows<std::int32_t> rows{"equal"};
    for (int s = 0; s < 5; ++s) rows.add(length);
    Elements<std::uint32_t> x(rows.elements(), 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::bit_cast<std::uint32_t>(i % 2 ? nan : -float(i));
    auto const value_of = [](std::uint32_t b) {
      return std::bit_cast<float>(b);
    };
    auto const least = reference<Operation::min, float>(x, rows, value_of);
    auto const most  = reference<Operation::max, float>(x, rows, value_of);
    for (std::uint64_t const stretches : shares) {
      EXPECT_EQ(least, (computed<Operation::min, Scalar::float32, float>(
                            x, rows, stretches)
                            .values));
      EXPECT_EQ(most, (computed<Operation::max, Scalar::float32, float>(
                           x, rows, stretches)
                           .values));
    }
  }
}

}  // namespace
