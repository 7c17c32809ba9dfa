// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans of segments on the emulated warp: every prefix against one that a plain
// loop over the segment computes, or an exact one.

#include <backends/emulated/kernels/KokkosMMA_SegmentScan.hpp>
#include <core/base/KokkosMMA_ErrorBound.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::Combine;
using Impl::EqualStarts;
namespace Emulated = KokkosMMA::Impl::Emulated;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Starts at the elements in a list; the vectors are shifted by `skip`.
struct ListedStarts {
  std::vector<bool> begins;
  int skip;
  int elements;

  ListedStarts(std::vector<std::size_t> const& starts, std::size_t size,
               int shift, int per_vector)
      : begins(size), skip(shift), elements(per_vector) {
    for (std::size_t const start : starts) begins[start] = true;
  }
  std::uint32_t operator()(int lane, std::uint64_t row) const {
    std::uint32_t bits = 0;
    for (int e = 0; e < elements; ++e) {
      std::int64_t const i =
          std::int64_t(row * 32 + lane) * elements + e - skip;
      if (i >= 0 && i < std::int64_t(begins.size()) && begins[i])
        bits |= 1u << e;
    }
    return bits;
  }
};

/// The starts that the device computes for segments of one length.
template <int Elements>
struct ComputedStarts {
  EqualStarts<Elements> starts;
  std::uint32_t ahead[32];

  ComputedStarts(std::uint64_t length, std::uint64_t first) : starts(length) {
    for (int lane = 0; lane < 32; ++lane)
      ahead[lane] = starts.ahead(first, lane * Elements);
  }
  std::uint32_t operator()(int lane, std::uint64_t) {
    std::uint32_t const bits = starts.starts(ahead[lane]);
    ahead[lane]              = starts.next_row(ahead[lane]);
    return bits;
  }
};

std::vector<std::size_t> starts_of_length(std::size_t size,
                                          std::size_t length) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < size; i += length) starts.push_back(i);
  return starts;
}

constexpr std::size_t lengths[] = {
    1,   2,   3,   4,   5,   6,   7,   8,    9,    15,      16,
    17,  31,  32,  33,  63,  64,  65,  100,  127,  128,     129,
    255, 256, 257, 400, 511, 512, 513, 1000, 5000, 1u << 31};

template <class T>
void expect_computed_starts_are(std::size_t length, std::uint64_t first) {
  constexpr int elements = 16 / sizeof(T);
  ComputedStarts<elements> computed(length, first);
  for (std::uint64_t row = 0; row < 12; ++row)
    for (int lane = 0; lane < 32; ++lane) {
      std::uint64_t const begin = (row * 32 + lane) * elements;
      std::uint32_t const bits  = computed(lane, row);
      for (int e = 0; e < 32; ++e)
        ASSERT_EQ(e < elements && (begin + e + length - first) % length == 0,
                  bits >> e & 1)
            << "length " << length << ", first " << first << ", row " << row
            << ", lane " << lane << ", element " << e;
    }
}

TEST(EqualStarts, AreWhereTheSegmentsBegin) {
  for (std::size_t const length : lengths)
    for (std::uint64_t const first :
         {std::uint64_t(0), std::uint64_t(1), std::uint64_t(3),
          std::uint64_t(length / 2), std::uint64_t(length - 1)}) {
      if (first >= length) continue;
      expect_computed_starts_are<float>(length, first);
      expect_computed_starts_are<double>(length, first);
    }
}

TEST(EqualStarts, SegmentsTooLongForAWarpBeginOnce) {
  constexpr std::uint64_t length = std::uint64_t(1) << 40;
  ComputedStarts<4> far(length, length - 5);
  ComputedStarts<4> near(length, 130);
  for (std::uint64_t row = 0; row < 100; ++row)
    for (int lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(0u, far(lane, row));
      ASSERT_EQ(row == 1 && lane == 0 ? 4u : 0u, near(lane, row));
    }
}

template <class Value>
struct Run {
  std::vector<Value> y;
  bool inclusive;
};

/// Both scans of elements whose segments begin at `starts`, by listed starts
/// and, with a length, by computed ones too.
template <Operation Op, Scalar Input, class Value, class Bits>
std::vector<Run<Value>> run(Elements<Bits>& x,
                            std::vector<std::size_t> const& starts, int skip,
                            std::size_t length = 0) {
  constexpr int elements = 16 / sizeof(Value);
  std::vector<Run<Value>> runs;
  auto const both = [&](auto const& where) {
    for (bool const inclusive : {false, true}) {
      Run<Value> result{std::vector<Value>(x.size()), inclusive};
      auto own = where;
      if (inclusive)
        Emulated::segment_scan<Op, Input, Value, true>(x.data(), x.size(), skip,
                                                       own, result.y.data());
      else
        Emulated::segment_scan<Op, Input, Value, false>(
            x.data(), x.size(), skip, own, result.y.data());
      runs.push_back(result);
    }
  };
  both(ListedStarts(starts, x.size(), skip, elements));
  if (length) both(ComputedStarts<elements>(length, skip % length));
  return runs;
}

/// An integer type and the type of its values.
template <class T, class V>
struct Integer {
  static constexpr Scalar scalar = scalar_v<T>;
  using Bits  = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  using Value = V;
};

template <class T>
class IntegerSegmentScan : public ::testing::Test {
 public:
  using Bits  = typename T::Bits;
  using Value = typename T::Value;
  Random random;

  Elements<Bits> drawn(std::size_t size, int offset) {
    Elements<Bits> x(size, offset);
    for (std::size_t i = 0; i < size; ++i)
      x[i] = static_cast<Bits>(T::scalar == Scalar::boolean
                                   ? random.integer(0, 1)
                                   : random.integer(-100, 100));
    return x;
  }

  template <Operation Op>
  void expect_exact(Elements<Bits>& x, std::vector<std::size_t> const& starts,
                    int skip, std::size_t length = 0) {
    SCOPED_TRACE(std::string(to_string(Op)) + ", size " +
                 std::to_string(x.size()) + ", skip " + std::to_string(skip) +
                 ", length " + std::to_string(length));
    using Combined = Combine<Op, Value>;
    for (auto const& scan :
         run<Op, T::scalar, Value>(x, starts, skip, length)) {
      auto start = starts.begin();
      Value sum  = Combined::identity();
      for (std::size_t i = 0; i < x.size(); ++i) {
        bool const anew = start != starts.end() && *start == i;
        if (anew) {
          sum = Combined::identity();
          ++start;
        }
        Value const before = sum;
        sum                = Combined::apply(sum, static_cast<Value>(x[i]));
        ASSERT_EQ(scan.inclusive ? sum : before, scan.y[i])
            << (scan.inclusive ? "inclusive" : "exclusive") << " prefix " << i;
      }
    }
  }
  void expect_all_exact(Elements<Bits>& x,
                        std::vector<std::size_t> const& starts, int skip) {
    expect_exact<Operation::sum>(x, starts, skip);
    expect_exact<Operation::min>(x, starts, skip);
    expect_exact<Operation::max>(x, starts, skip);
    expect_exact<Operation::prod>(x, starts, skip);
  }
};
using Integers = ::testing::Types<
    Integer<std::int8_t, std::int32_t>, Integer<std::uint8_t, std::uint32_t>,
    Integer<bool, std::uint32_t>, Integer<std::int32_t, std::int32_t>,
    Integer<std::int32_t, std::uint32_t>, Integer<std::int8_t, std::int64_t>,
    Integer<std::int32_t, std::int64_t>, Integer<std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(IntegerSegmentScan, Integers);

TYPED_TEST(IntegerSegmentScan, EqualSegmentsOfEveryLength) {
  SCOPED_TRACE(this->random.note());
  for (std::size_t const length : lengths) {
    int const skip         = int(this->random.integer(0, 1));
    std::size_t const size = 700 + this->random.integer(0, 900);
    auto x                 = this->drawn(size, 0);
    auto const starts      = starts_of_length(size, length);
    this->template expect_exact<Operation::sum>(x, starts, skip, length);
    this->template expect_exact<Operation::max>(x, starts, skip, length);
  }
}

TYPED_TEST(IntegerSegmentScan, RaggedSegments) {
  SCOPED_TRACE(this->random.note());
  for (int const mean : {1, 2, 5, 17, 100, 600}) {
    std::size_t const size = 500 + this->random.integer(0, 900);
    auto x                 = this->drawn(size, 0);
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 1; i < size; ++i)
      if (this->random.integer(1, mean) == 1) starts.push_back(i);
    this->expect_all_exact(x, starts, int(this->random.integer(0, 1)));
  }
}

TYPED_TEST(IntegerSegmentScan, EverySizeUpToTwoRows) {
  SCOPED_TRACE(this->random.note());
  for (std::size_t size = 1; size <= 270; ++size) {
    auto x = this->drawn(size, 0);
    for (std::size_t const length : {std::size_t(3), std::size_t(64), size})
      this->template expect_exact<Operation::sum>(
          x, starts_of_length(size, length), 0, length);
  }
}

template <Scalar S>
using Floating = std::integral_constant<Scalar, S>;

template <class T>
class FloatSegmentScan : public ::testing::Test {
 public:
  static constexpr Scalar scalar = T::value;
  using F                        = Format<scalar>;
  using Bits                     = typename F::Bits;
  using Value                    = typename F::Sum;
  Random random;

  template <class Draw>
  Elements<Bits> drawn(std::size_t size, Draw const& draw) {
    Elements<Bits> x(size, 1);
    for (std::size_t i = 0; i < size; ++i) x[i] = F::encode(draw(i));
    return x;
  }
};
using Floats =
    ::testing::Types<Floating<Scalar::half>, Floating<Scalar::bhalf>,
                     Floating<Scalar::float32>, Floating<Scalar::float64>>;
TYPED_TEST_SUITE(FloatSegmentScan, Floats);

TYPED_TEST(FloatSegmentScan, SumsAreWithinBound) {
  using F            = typename TestFixture::F;
  using Value        = typename TestFixture::Value;
  constexpr int bits = std::is_same_v<Value, double> ? 53 : 24;
  // Of a prefix: the elements of a lane, 5 levels of lanes, the earlier lanes,
  // a carry from each row, the elements.
  constexpr int within_row = 16 / sizeof(Value) + 7;
  SCOPED_TRACE(this->random.note());
  for (std::size_t const length : lengths) {
    std::size_t const size = 1200;
    auto x                 = this->drawn(
                        size, [&](std::size_t) { return this->random.uniform(-1, 2); });
    for (auto const& scan : run<Operation::sum, TestFixture::scalar, Value>(
             x, starts_of_length(size, length), 1, length)) {
      ExactSum exact;
      double magnitudes = 0;
      for (std::size_t i = 0; i < size; ++i) {
        if (i % length == 0) {
          exact      = ExactSum();
          magnitudes = 0;
        }
        auto const add = [&] {
          exact.add(F::decode(x[i]));
          magnitudes += std::abs(F::decode(x[i]));
        };
        if (scan.inclusive) add();
        std::size_t const rows = i % length / 32 + 2;
        ASSERT_LE(exact.error_of(double(scan.y[i])),
                  any_order_bound(within_row + rows, bits) * magnitudes)
            << "length " << length << ", prefix " << i;
        if (!scan.inclusive) add();
      }
    }
  }
}

TYPED_TEST(FloatSegmentScan, TheUnusualReachesWhatFollowsInItsSegment) {
  using F     = typename TestFixture::F;
  using Value = typename TestFixture::Value;
  SCOPED_TRACE(this->random.note());
  for (std::size_t const length : lengths)
    for (double const unusual : {nan, inf, -inf}) {
      std::size_t const size = 900;
      auto x = this->drawn(size, [](std::size_t) { return 1.; });
      std::vector<bool> is_unusual(size);
      for (int k = 0; k < 5; ++k) {
        auto const i  = std::size_t(this->random.integer(0, size - 1));
        x[i]          = F::encode(unusual);
        is_unusual[i] = true;
      }
      for (auto const& scan : run<Operation::sum, TestFixture::scalar, Value>(
               x, starts_of_length(size, length), 0, length)) {
        bool seen  = false;
        double sum = 0;
        for (std::size_t i = 0; i < size; ++i) {
          if (i % length == 0) {
            seen = false;
            sum  = 0;
          }
          auto const add = [&] {
            seen = seen || is_unusual[i];
            sum += 1;
          };
          if (scan.inclusive) add();
          if (!seen)
            ASSERT_EQ(sum, double(scan.y[i]))
                << "length " << length << ", prefix " << i;
          else if (std::isnan(unusual))
            ASSERT_TRUE(std::isnan(scan.y[i]))
                << "length " << length << ", prefix " << i;
          else
            ASSERT_EQ(unusual, double(scan.y[i]))
                << "length " << length << ", prefix " << i;
          if (!scan.inclusive) add();
        }
      }
    }
}

TYPED_TEST(FloatSegmentScan, MinimaAndMaximaAreExact) {
  using F     = typename TestFixture::F;
  using Value = typename TestFixture::Value;
  SCOPED_TRACE(this->random.note());
  auto const check = [&]<Operation Op>() {
    using Combined = Combine<Op, Value>;
    for (std::size_t const length : lengths) {
      std::size_t const size = 777;
      auto x                 = this->drawn(
                          size, [&](std::size_t) { return this->random.uniform(-100, 100); });
      for (auto const& scan : run<Op, TestFixture::scalar, Value>(
               x, starts_of_length(size, length), 1, length)) {
        Value best = Combined::identity();
        for (std::size_t i = 0; i < size; ++i) {
          if (i % length == 0) best = Combined::identity();
          Value const before = best;
          best = Combined::apply(best, static_cast<Value>(F::decode(x[i])));
          ASSERT_EQ(scan.inclusive ? best : before, scan.y[i])
              << to_string(Op) << ", length " << length << ", prefix " << i;
        }
      }
    }
  };
  check.template operator()<Operation::min>();
  check.template operator()<Operation::max>();
}

}  // namespace
