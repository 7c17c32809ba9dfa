// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Segments of one length on the emulated warp, in its three forms (rows, staged
// tiles, parts), each against a plain loop over the segment.

#include <backends/emulated/kernels/KokkosMMA_SegmentedReduce.hpp>
#include <core/base/KokkosMMA_ErrorBound.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::WarpSegmentsMma;
using Impl::WarpSegmentsStreamed;
namespace Emulated = KokkosMMA::Impl::Emulated;
using Emulated::Warp;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan      = std::numeric_limits<double>::quiet_NaN();
constexpr int tile_bytes  = 1024;

constexpr bool is_float(Scalar input) {
  return input == Scalar::half || input == Scalar::bhalf ||
         input == Scalar::float32 || input == Scalar::float64;
}

template <Scalar Scalar_, class Value_>
struct Reduced {
  static constexpr Scalar input = Scalar_;
  using Value                   = Value_;
  using Bits                    = Impl::ElementBits<input>;
  static constexpr int bytes    = size_of(input);

  static Value value_of(Bits bits) {
    if constexpr (is_float(input)) {
      return static_cast<Value>(Format<input>::decode(bits));
    } else if constexpr (input == Scalar::int8 || input == Scalar::int32 ||
                         input == Scalar::int64) {
      return static_cast<Value>(static_cast<std::make_signed_t<Bits>>(bits));
    } else {
      return static_cast<Value>(bits);
    }
  }
  /// Numbers whose combination is exact in any order.
  template <Operation Op>
  static Bits draw(Random& random) {
    if constexpr (is_float(input)) {
      double number = double(random.integer(-99, 99));
      if (Op == Operation::prod) {
        auto const kind = random.integer(0, 127);
        number = kind == 0 ? 2. : kind == 1 ? 0.5 : kind % 2 ? -1. : 1.;
      }
      return Format<input>::encode(number);
    } else if constexpr (input == Scalar::boolean) {
      return Bits(random.integer(0, Op == Operation::prod ? 40 : 1) != 0);
    } else {
      // Even factors soon leave nothing of a product modulo 2^32.
      return Bits(random.bits() | (Op == Operation::prod));
    }
  }
  /// Integers wrap modulo 2^32 or 2^64.
  template <Operation Op>
  static Value join(Value a, Value b) {
    if constexpr (Op == Operation::min) {
      return std::min(a, b);
    } else if constexpr (Op == Operation::max) {
      return std::max(a, b);
    } else if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(Op == Operation::sum
                                    ? std::uint64_t(a) + std::uint64_t(b)
                                    : std::uint64_t(a) * std::uint64_t(b));
    } else {
      return Op == Operation::sum ? a + b : a * b;
    }
  }
};

/// Segments of `length` elements in x, of which the last may be shorter.
template <class Bits>
struct Data {
  Elements<Bits> x;
  std::size_t length;

  Data(std::size_t size, std::size_t of_segment, int offset)
      : x(size, offset), length(of_segment) {}
  std::size_t count() const { return (x.size() + length - 1) / length; }
  std::size_t begin(std::size_t s) const { return s * length; }
  std::size_t end(std::size_t s) const {
    return std::min(x.size(), (s + 1) * length);
  }
  std::uint64_t bytes() const { return x.size() * sizeof(Bits); }
  std::uint64_t segment_bytes() const { return length * sizeof(Bits); }
  bool fits_rows() {
    return reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0 &&
           segment_bytes() % 16 == 0 && std::has_single_bit(segment_bytes()) &&
           segment_bytes() <= 4096;
  }
};

/// What a walk stored; every segment must have been stored once.
template <class Value>
struct Stored {
  std::vector<Value> values;
  std::vector<int> times;

  explicit Stored(std::size_t count) : values(count), times(count) {}
  auto store() {
    return [this](std::uint64_t s, Value value) {
      values.at(s) = value;
      ++times.at(s);
    };
  }
};

/// \param again tiles of rows that additions summed after products had not
template <class Value>
using Check = std::function<void(std::vector<Value> const& values, int again)>;

/// Walks over the data in the forms that they allow, with a check of each.
template <class Segments, Scalar Input, class Bits>
void each_walk(Data<Bits>& data, std::vector<int> const& lanes,
               std::vector<int> const& parts,
               Check<typename Segments::Value> const& check) {
  using Value        = typename Segments::Value;
  void const* x      = data.x.data();
  auto const checked = [&](std::string const& name, auto const& walk) {
    SCOPED_TRACE(name);
    Stored<Value> stored(data.count());
    int const again = walk(stored.store());
    ASSERT_EQ(std::vector<int>(data.count(), 1), stored.times);
    check(stored.values, again);
  };
  if (data.fits_rows())
    checked("rows", [&](auto const& store) {
      return Emulated::reduce_row_segments<Segments, Input>(
          x, data.bytes(), data.segment_bytes(), store);
    });
  for (int const l : lanes) {
    int const fit =
        std::max(1, tile_bytes / int(data.segment_bytes()));  // segments
    std::vector<int> per_tile{fit};
    // A tile whose lanes all have a segment in every round.
    if (fit > 32 / l && fit % (32 / l) != 0)
      per_tile.push_back(fit / (32 / l) * (32 / l));
    for (int const p : per_tile)
      checked("staged, " + std::to_string(l) + " lanes, " + std::to_string(p) +
                  " per tile",
              [&](auto const& store) {
                Emulated::reduce_staged_segments<Segments>(
                    x, data.bytes(), data.segment_bytes(), p, l, store);
                return 0;
              });
  }
  for (int const p : parts)
    checked(std::to_string(p) + " parts", [&](auto const& store) {
      Emulated::reduce_long_segments<Segments, Input>(
          x, data.bytes(), data.segment_bytes(), p, store);
      return 0;
    });
}

constexpr int all_lanes[] = {1, 2, 4, 8, 16, 32};

std::vector<int> some_lanes(Random& random) {
  return {all_lanes[random.integer(0, 5)]};
}
std::vector<int> every_lanes() {
  return {std::begin(all_lanes), std::end(all_lanes)};
}

/// A few rounds of segments and a shorter last one.
std::size_t size_for(std::size_t length, int bytes, Random& random) {
  std::size_t const about = std::size_t(random.integer(1, 3 * tile_bytes));
  std::size_t const whole = about / bytes / length + 1;
  return whole * length +
         (length > 1 ? std::size_t(random.integer(0, length - 1)) : 0);
}

template <class T>
class EqualSegments : public ::testing::Test {
 public:
  using Bits                    = typename T::Bits;
  using Value                   = typename T::Value;
  static constexpr Scalar input = T::input;
  static constexpr int bytes    = T::bytes;
  template <Operation Op>
  using Streamed = WarpSegmentsStreamed<Warp, Op, input, Value>;
  using Mma      = WarpSegmentsMma<Warp, input, Value>;

  Random random;

  template <class Segments, Operation Op>
  void expect_exact(std::size_t size, std::size_t length, int offset,
                    std::vector<int> const& lanes,
                    std::vector<int> const& parts) {
    SCOPED_TRACE(std::string(to_string(Op)) + ", length " +
                 std::to_string(length) + " of " + std::to_string(size) +
                 ", element " + std::to_string(offset) + " of a line");
    Data<Bits> data(size, length, offset);
    for (std::size_t i = 0; i < size; ++i)
      data.x[i] = T::template draw<Op>(random);
    std::vector<Value> expected;
    for (std::size_t s = 0; s < data.count(); ++s) {
      Value value = T::value_of(data.x[data.begin(s)]);
      for (std::size_t i = data.begin(s) + 1; i < data.end(s); ++i)
        value = T::template join<Op>(value, T::value_of(data.x[i]));
      expected.push_back(value);
    }
    each_walk<Segments, input>(
        data, lanes, parts, [&](std::vector<Value> const& values, int again) {
          EXPECT_EQ(0, again) << "tiles were not summed by products";
          ASSERT_EQ(expected, values);
        });
  }

  /// Every length up to 70 at every place of a line.
  template <class Segments, Operation Op>
  void short_lengths() {
    for (std::size_t length = 1; length <= 70; ++length)
      for (int offset = 0; offset < 16 / bytes; ++offset) {
        // All places for 8-bit elements are too many to emulate at every
        // length.
        if (bytes == 1 && offset > 0 && (length + offset) % 3 != 0) continue;
        expect_exact<Segments, Op>(size_for(length, bytes, random), length,
                                   offset, some_lanes(random), {});
        if (this->HasFatalFailure()) return;
      }
  }
  /// Powers of two and their neighbours, to some vectors and beyond a tile.
  template <class Segments, Operation Op>
  void all_magnitudes() {
    for (std::size_t of_bytes = 16; of_bytes <= 8192; of_bytes *= 2) {
      std::size_t const length = of_bytes / bytes;
      std::size_t const last   = length / 2 + 1;
      // Two tiles of rows, pieces behind them, and a rest.
      expect_exact<Segments, Op>(
          std::max<std::size_t>(2 * 4096 + 1536, of_bytes * 3) / bytes + last,
          length, 0, of_bytes <= 512 ? every_lanes() : std::vector<int>{},
          of_bytes >= 1024 ? std::vector<int>{1} : std::vector<int>{});
      for (std::size_t const odd :
           {length - 1, length, length + 1, length + 3}) {
        if (odd == 0) continue;
        int const offset       = int(random.integer(0, 16 / bytes - 1));
        std::size_t const size = 3 * odd - odd / 3;
        expect_exact<Segments, Op>(
            size, odd, offset,
            odd * bytes <= tile_bytes ? some_lanes(random) : std::vector<int>{},
            {1, int(random.integer(2, 5))});
      }
      if (this->HasFatalFailure()) return;
    }
    // More parts than lanes, some of them empty.
    expect_exact<Segments, Op>(50000 / bytes, 30001 / bytes, 1, {}, {1, 3, 40});
  }
  /// All ways to share a tile, segments of a few lengths.
  template <class Segments, Operation Op>
  void all_shares() {
    for (std::size_t const length : {1, 3, 8, 17, 32, 61})
      for (int offset = 0; offset < 16 / bytes; offset += 1 + (bytes == 1)) {
        std::size_t const n = size_for(length, bytes, random);
        expect_exact<Segments, Op>(n, length, offset, every_lanes(), {1, 2});
        if (this->HasFatalFailure()) return;
      }
  }
};
using Types = ::testing::Types<
    Reduced<Scalar::half, float>, Reduced<Scalar::bhalf, float>,
    Reduced<Scalar::float32, float>, Reduced<Scalar::float32, double>,
    Reduced<Scalar::float64, double>, Reduced<Scalar::int8, std::int32_t>,
    Reduced<Scalar::uint8, std::uint64_t>, Reduced<Scalar::int32, std::int32_t>,
    Reduced<Scalar::int32, std::int64_t>,
    Reduced<Scalar::uint32, std::uint64_t>,
    Reduced<Scalar::int64, std::int64_t>,
    Reduced<Scalar::uint64, std::uint64_t>,
    Reduced<Scalar::boolean, std::int32_t>>;
TYPED_TEST_SUITE(EqualSegments, Types);

TYPED_TEST(EqualSegments, SumsByAdditions) {
  SCOPED_TRACE(this->random.note());
  using Segments = typename TestFixture::template Streamed<Operation::sum>;
  this->template short_lengths<Segments, Operation::sum>();
  this->template all_magnitudes<Segments, Operation::sum>();
  this->template all_shares<Segments, Operation::sum>();
}

TYPED_TEST(EqualSegments, SumsByProducts) {
  SCOPED_TRACE(this->random.note());
  using Segments = typename TestFixture::Mma;
  this->template short_lengths<Segments, Operation::sum>();
  this->template all_magnitudes<Segments, Operation::sum>();
}

TYPED_TEST(EqualSegments, OtherOperations) {
  SCOPED_TRACE(this->random.note());
  using Least   = typename TestFixture::template Streamed<Operation::min>;
  using Most    = typename TestFixture::template Streamed<Operation::max>;
  using Product = typename TestFixture::template Streamed<Operation::prod>;
  this->template short_lengths<Least, Operation::min>();
  this->template all_magnitudes<Most, Operation::max>();
  this->template all_magnitudes<Product, Operation::prod>();
  this->template all_shares<Product, Operation::prod>();
}

template <class T>
class EqualFloats : public ::testing::Test {
 public:
  using F                       = T;
  using Bits                    = typename T::Bits;
  using Value                   = typename T::Value;
  static constexpr Scalar input = T::input;
  static constexpr int bytes    = T::bytes;
  using Streamed = WarpSegmentsStreamed<Warp, Operation::sum, input, Value>;
  using Mma      = WarpSegmentsMma<Warp, input, Value>;

  Random random;

  /// Lengths in bytes that meet every form; a place of the line.
  static std::vector<std::pair<int, int>> shapes() {
    int const last = 16 / bytes - 1;
    return {{8, 0},    {16, 0},   {16, last}, {24, 1},   {32, 0},  {48, 0},
            {64, 0},   {128, 0},  {256, 0},   {272, 0},  {512, 0}, {520, last},
            {1024, 0}, {2048, 0}, {4096, 0},  {4104, 1}, {9000, 0}};
  }
  static std::vector<int> lanes_of(int of_bytes) {
    return of_bytes <= 64           ? std::vector<int>{1, 4}
           : of_bytes <= tile_bytes ? std::vector<int>{8, 32}
                                    : std::vector<int>{};
  }

  /// check(data, values, again) for sums in each form and by both classes.
  template <class Expect>
  void both(Data<Bits>& data, Expect const& check) {
    std::vector<int> const lanes = lanes_of(int(data.segment_bytes()));
    {
      SCOPED_TRACE("additions");
      each_walk<Streamed, input>(data, lanes, {1, 3},
                                 [&](std::vector<Value> const& values, int) {
                                   check(values, false, 0);
                                 });
    }
    SCOPED_TRACE("products");
    each_walk<Mma, input>(data, lanes, {1, 3},
                          [&](std::vector<Value> const& values, int again) {
                            check(values, true, again);
                          });
  }
};
using Floats = ::testing::Types<
    Reduced<Scalar::half, float>, Reduced<Scalar::bhalf, float>,
    Reduced<Scalar::float32, float>, Reduced<Scalar::float32, double>,
    Reduced<Scalar::float64, double>>;
TYPED_TEST_SUITE(EqualFloats, Floats);

TYPED_TEST(EqualFloats, ErrorIsWithinItsBound) {
  using F = Format<TypeParam::input>;
  SCOPED_TRACE(this->random.note());
  for (auto const& [of_bytes, offset] : this->shapes()) {
    SCOPED_TRACE(std::to_string(of_bytes) + " bytes, element " +
                 std::to_string(offset) + " of a line");
    std::size_t const length = of_bytes / TypeParam::bytes;
    Data<typename TypeParam::Bits> data(
        std::max<std::size_t>(7, 3 * length - length / 3), length, offset);
    for (std::size_t i = 0; i < data.x.size(); ++i)
      data.x[i] =
          F::encode(this->random.normal() + (i / length % 2 ? 0.7 : 0.));
    std::vector<ExactSum> exact(data.count());
    std::vector<double> magnitudes(data.count());
    for (std::size_t s = 0; s < data.count(); ++s)
      for (std::size_t i = data.begin(s); i < data.end(s); ++i) {
        exact[s].add(F::decode(data.x[i]));
        magnitudes[s] += std::abs(F::decode(data.x[i]));
      }
    using Value          = typename TypeParam::Value;
    constexpr int digits = std::numeric_limits<Value>::digits;
    // Four lanes at least share the vectors of a segment; each flush of a chain
    // is two additions, the pieces of a float another two.
    double const chained = chained_sum_bound(8, of_bytes / 64 / 8 * 4 + 20);
    this->both(data, [&](std::vector<Value> const& values, bool products,
                         int again) {
      EXPECT_EQ(0, again);
      for (std::size_t s = 0; s < data.count(); ++s) {
        bool const single = products && TypeParam::input != Scalar::float64;
        // The pieces of a float are a little more than it.
        double const bound =
            single ? 1.01 * chained
                   : any_order_bound(data.end(s) - data.begin(s), digits);
        EXPECT_LE(exact[s].error_of(double(values[s])), bound * magnitudes[s])
            << "segment " << s;
      }
    });
  }
}

TYPED_TEST(EqualFloats, WhatIsNotFiniteStaysInItsSegment) {
  using F = Format<TypeParam::input>;
  for (auto const& [of_bytes, offset] : this->shapes()) {
    SCOPED_TRACE(std::to_string(of_bytes) + " bytes, element " +
                 std::to_string(offset) + " of a line");
    std::size_t const length = of_bytes / TypeParam::bytes;
    for (double const special : {nan, infinity, -infinity}) {
      SCOPED_TRACE(special);
      std::size_t const segments = of_bytes <= 256 ? 37 : 5;
      Data<typename TypeParam::Bits> data(segments * length, length, offset);
      for (std::size_t i = 0; i < data.x.size(); ++i)
        data.x[i] = F::encode(double(i % 7) - 2);
      std::size_t const struck =
          std::size_t(this->random.integer(0, segments - 1));
      std::size_t const at =
          data.begin(struck) + std::size_t(this->random.integer(0, length - 1));
      data.x[at]      = F::encode(special);
      int tiles_again = 0;
      this->both(data, [&](auto const& values, bool, int again) {
        tiles_again += again;
        for (std::size_t s = 0; s < segments; ++s) {
          double sum = 0;
          for (std::size_t i = data.begin(s); i < data.end(s); ++i)
            sum += F::decode(data.x[i]);
          if (std::isnan(sum)) {
            EXPECT_TRUE(std::isnan(values[s])) << "segment " << s;
          } else {
            EXPECT_EQ(sum, double(values[s])) << "segment " << s;
          }
        }
      });
      // Rows of 16-bit floats alone share a product with other segments.
      EXPECT_EQ(TypeParam::bytes == 2 && data.fits_rows() ? 1 : 0, tiles_again);
    }
  }
}

TYPED_TEST(EqualFloats, InfinitiesOfBothSignsAndAnOverflow) {
  using F     = Format<TypeParam::input>;
  using Value = typename TypeParam::Value;
  for (int const of_bytes : {32, 48, 512, 6000}) {
    SCOPED_TRACE(std::to_string(of_bytes) + " bytes");
    std::size_t const length = of_bytes / TypeParam::bytes;
    Data<typename TypeParam::Bits> data(4 * length, length, 0);
    for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] = F::encode(1.);
    data.x[length]     = F::encode(infinity);
    data.x[length + 1] = F::encode(-infinity);
    // Halves do not reach the largest float.
    double const large = double(std::numeric_limits<Value>::max());
    double const most =
        TypeParam::input == Scalar::bhalf ? std::ldexp(255., 120) : large;
    bool const overflows =
        TypeParam::input != Scalar::half &&
        sizeof(Value) == std::max<std::size_t>(4, TypeParam::bytes);
    if (overflows)
      data.x[2 * length] = data.x[2 * length + 1] = F::encode(most);
    this->both(data, [&](std::vector<Value> const& values, bool, int) {
      EXPECT_EQ(double(length), values[0]);
      EXPECT_TRUE(std::isnan(values[1]));
      EXPECT_EQ(overflows ? infinity : double(length), values[2]);
      EXPECT_EQ(double(length), values[3]);
    });
  }
}

TYPED_TEST(EqualFloats, SubnormalsAreAdded) {
  using F             = Format<TypeParam::input>;
  constexpr int least = TypeParam::input == Scalar::half      ? -24
                        : TypeParam::input == Scalar::bhalf   ? -133
                        : TypeParam::input == Scalar::float32 ? -149
                                                              : -1074;
  SCOPED_TRACE(this->random.note());
  for (auto const& [of_bytes, offset] : this->shapes()) {
    SCOPED_TRACE(std::to_string(of_bytes) + " bytes, element " +
                 std::to_string(offset) + " of a line");
    std::size_t const length = of_bytes / TypeParam::bytes;
    Data<typename TypeParam::Bits> data(3 * length, length, offset);
    std::vector<double> exact(data.count());
    for (std::size_t s = 0; s < data.count(); ++s)
      for (std::size_t i = data.begin(s); i < data.end(s); ++i) {
        double const number =
            std::ldexp(double(this->random.integer(-127, 127)), least);
        data.x[i] = F::encode(number);
        exact[s] += number;
      }
    this->both(data, [&](auto const& values, bool, int again) {
      EXPECT_EQ(0, again);
      for (std::size_t s = 0; s < data.count(); ++s)
        EXPECT_EQ(exact[s], double(values[s])) << "segment " << s;
    });
  }
}

TYPED_TEST(EqualFloats, SignsOfZero) {
  using F     = Format<TypeParam::input>;
  using Value = typename TypeParam::Value;
  using Product =
      WarpSegmentsStreamed<Warp, Operation::prod, TypeParam::input, Value>;
  using Least =
      WarpSegmentsStreamed<Warp, Operation::min, TypeParam::input, Value>;
  for (auto const& [of_bytes, offset] : this->shapes()) {
    SCOPED_TRACE(std::to_string(of_bytes) + " bytes, element " +
                 std::to_string(offset) + " of a line");
    std::size_t const length = of_bytes / TypeParam::bytes;
    Data<typename TypeParam::Bits> data(3 * length, length, offset);
    auto const lanes = this->lanes_of(of_bytes);
    for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] = F::encode(-0.);
    this->both(data, [&](std::vector<Value> const& values, bool, int) {
      EXPECT_EQ(std::vector<Value>(3, Value(0)), values);
    });
    each_walk<Least, TypeParam::input>(
        data, lanes, {1, 3}, [&](std::vector<Value> const& values, int) {
          for (Value const value : values) {
            EXPECT_EQ(Value(0), value);
            EXPECT_TRUE(std::signbit(value));
          }
        });
    for (std::size_t i = 0; i < data.x.size(); ++i)
      data.x[i] = F::encode(i == 2 * length - 1 ? -0. : 1.);
    each_walk<Product, TypeParam::input>(
        data, lanes, {1, 3}, [&](std::vector<Value> const& values, int) {
          EXPECT_EQ((std::vector<Value>{1, 0, 1}), values);
          EXPECT_TRUE(std::signbit(values[1]));
        });
  }
}

/// As Kokkos' reducers: the running value is compared, a NaN never taken.
TYPED_TEST(EqualFloats, ExtremesPassOverNaN) {
  using F     = Format<TypeParam::input>;
  using Value = typename TypeParam::Value;
  using Most =
      WarpSegmentsStreamed<Warp, Operation::max, TypeParam::input, Value>;
  for (auto const& [of_bytes, offset] : this->shapes()) {
    SCOPED_TRACE(std::to_string(of_bytes) + " bytes, element " +
                 std::to_string(offset) + " of a line");
    std::size_t const length = of_bytes / TypeParam::bytes;
    Data<typename TypeParam::Bits> data(3 * length, length, offset);
    // Of the last segment nothing is a number.
    std::vector<Value> expected(3, Most::Join::identity());
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      bool const skipped  = (i % 2 && length > 1) || i / length == 2;
      double const number = double(i * 37 % 101);
      data.x[i]           = F::encode(skipped ? nan : number);
      if (!skipped)
        expected[i / length] = std::max(expected[i / length], Value(number));
    }
    each_walk<Most, TypeParam::input>(
        data, this->lanes_of(of_bytes), {1, 3},
        [&](std::vector<Value> const& values, int) {
          EXPECT_EQ(expected, values);
        });
  }
}

/// A product of a row's sums with a NaN beside it is NaN: without the second
/// look at the tile, whole columns would be.
TEST(EqualRows, TilesThatAreNotFiniteAreSummedAgain) {
  for (int const vectors : {1, 2, 4, 8, 32, 256}) {
    SCOPED_TRACE(vectors);
    std::size_t const length = std::size_t(vectors) * 8;
    // Three tiles of 256 vectors, one of them with a NaN.
    Data<std::uint16_t> data(3 * 256 * 8, length, 0);
    for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] = encode_half(1.);
    data.x[256 * 8 + 77] = encode_half(nan);
    Stored<float> stored(data.count());
    int const again = Emulated::reduce_row_segments<
        WarpSegmentsMma<Warp, Scalar::half, float>, Scalar::half>(
        data.x.data(), data.bytes(), data.segment_bytes(), stored.store());
    EXPECT_EQ(1, again);
    EXPECT_EQ(std::vector<int>(data.count(), 1), stored.times);
    for (std::size_t s = 0; s < data.count(); ++s) {
      if (s == (256 * 8 + 77) / length)
        EXPECT_TRUE(std::isnan(stored.values[s]));
      else
        EXPECT_EQ(float(length), stored.values[s]) << "segment " << s;
    }
  }
}

}  // namespace
