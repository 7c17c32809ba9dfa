// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/base/KokkosMMA_ErrorBound.hpp>
#include "EmulatedScans.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <functional>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
namespace Emulated = KokkosMMA::Impl::Emulated;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What a prefix in a tile may be wrong by, relative to the sum of the
/// magnitudes up to it.
///
/// After it, by either way: the sum of the earlier tiles takes a rounding per
/// tile, then it and the prefix are added. Within a tile by additions: at most
/// elements - 1 in the lane, 5 levels of lanes, the first half, the elements.
/// By products, doubles: 8 terms of a row, 8 terms in each sum of a row, 15
/// rows, and the two results are added; the terms before the first cost
/// nothing. By products, 16-bit floats: one product for the sums of rows, or
/// one within the row, and one for the earlier rows. Terms behind a prefix meet
/// zeros, and no magnitude but those up to the prefix decides what is cut off.
/// Three pieces of a float, the smallest first, are three products of which the
/// first two see 2^-15 and 2^-7 of the magnitudes: less than 1.01 of one.
template <class Value>
double bound(TileScan<Value> const& scan, std::size_t tile_index) {
  constexpr bool is_double = std::is_same_v<Value, double>;
  constexpr int elements   = 16 / sizeof(Value);
  std::size_t const after  = tile_index + 6;
  if (!scan.products)
    return any_order_bound(elements + 7 + after + 1, is_double ? 53 : 24);
  if (is_double) return any_order_bound(8 + 15 + 1 + after + 1, 53);
  return 1.02 * chained_sum_bound(2, 1 + after);
}

template <class T>
class FloatScan : public ::testing::Test {
 public:
  using F                           = Format<T::scalar>;
  using Bits                        = typename F::Bits;
  using Value                       = typename T::Value;
  static constexpr std::size_t tile = T::tile;

  Random random;

  /// Every prefix by every scan against the exact one; `draw(i)` gives the
  /// values.
  template <class Draw>
  void expect_within_bound(std::size_t size, Draw const& draw) {
    Elements<Bits> x(size, 1);
    for (std::size_t i = 0; i < size; ++i) x[i] = F::encode(draw(i));
    expect_within_bound(x);
  }
  void expect_within_bound(Elements<Bits>& x) {
    for (auto const& scan : tile_scans<T>()) {
      SCOPED_TRACE(scan.name() + ", size " + std::to_string(x.size()));
      auto const computed = run(scan, x);
      ExactSum exact;
      double magnitudes = 0;
      auto const check  = [&](std::size_t i, Value prefix) {
        ASSERT_LE(exact.error_of(double(prefix)),
                   bound(scan, i / tile) * magnitudes)
            << "prefix " << i << " is " << prefix << ", exactly "
            << exact.value();
      };
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!scan.inclusive) check(i, computed.prefixes[i]);
        exact.add(F::decode(x[i]));
        magnitudes += std::abs(F::decode(x[i]));
        if (scan.inclusive) check(i, computed.prefixes[i]);
        if (this->HasFatalFailure()) return;
      }
      check(x.size(), computed.total);
    }
  }
};
using Inputs = ::testing::Types<
    Scanned<Scalar::half, float>, Scanned<Scalar::bhalf, float>,
    Scanned<Scalar::float32, float>, Scanned<Scalar::float64, double>,
    Scanned<Scalar::float32, double>>;  // by additions alone
TYPED_TEST_SUITE(FloatScan, Inputs);

static_assert(
    Impl::scans_by_products<Scanned<Scalar::half, float>::Encoding> &&
    Impl::scans_by_products<Scanned<Scalar::float64, double>::Encoding> &&
    !Impl::scans_by_products<Scanned<Scalar::float32, double>::Encoding>);

TYPED_TEST(FloatScan, EverySize) {
  SCOPED_TRACE(this->random.note());
  for (std::size_t const size : scan_sizes(this->tile))
    this->expect_within_bound(
        size, [&](std::size_t) { return this->random.uniform(-1, 2); });
}

TYPED_TEST(FloatScan, SmallIntegersAreExact) {
  // no bound to hide behind: every element counts once, in every prefix
  SCOPED_TRACE(this->random.note());
  using F     = typename TestFixture::F;
  using Value = typename TestFixture::Value;
  for (std::size_t const size : scan_sizes(this->tile))
    for (auto const& scan : tile_scans<TypeParam>()) {
      SCOPED_TRACE(scan.name() + ", size " + std::to_string(size));
      Elements<typename F::Bits> x(size, 1);
      std::vector<std::int64_t> numbers(size);
      for (std::size_t i = 0; i < size; ++i) {
        numbers[i] = this->random.integer(-200, 200);
        x[i]       = F::encode(double(numbers[i]));
      }
      std::int64_t const init = this->random.integer(-1000, 1000);
      auto const computed     = run(scan, x, Value(init));
      std::int64_t sum        = 0;
      for (std::size_t i = 0; i < size; ++i) {
        std::int64_t const before = sum;
        sum += numbers[i];
        ASSERT_EQ(double(init + (scan.inclusive ? sum : before)),
                  double(computed.prefixes[i]))
            << "prefix " << i;
      }
      ASSERT_EQ(double(sum), double(computed.total)) << "without init";
    }
}

TYPED_TEST(FloatScan, Distributions) {
  SCOPED_TRACE(this->random.note());
  constexpr Scalar scalar = TypeParam::scalar;
  double large            = 0;
  // exponents whose numbers and their sums neither overflow nor vanish
  constexpr int widest                             = scalar == Scalar::half ? 14
                                                     : scalar == Scalar::float64 ? 1000
                                                                                 : 110;
  std::size_t const size                           = 4 * this->tile + 71;
  std::function<double(std::size_t)> const draws[] = {
      [&](std::size_t) { return this->random.uniform(); },
      [&](std::size_t) { return this->random.normal(); },
      // pairs that cancel nearly: the sum lies far below its terms
      [&](std::size_t i) {
        if (i % 2 == 0) return large = 1000 * this->random.normal();
        return -large * (1 + 0x1p-6 * this->random.uniform());
      },
      // whole tiles cancel
      [&](std::size_t i) {
        return (i / this->tile % 2 ? -1 : 1) * (100 + this->random.uniform());
      },
      // magnitudes over the whole range
      [&](std::size_t) {
        return std::ldexp(this->random.uniform(-1, 1),
                          int(this->random.integer(-widest, widest)));
      },
      // every element is larger than all before it, within a row of a tile and
      // beyond: it must not take digits from their prefixes
      [&](std::size_t i) {
        int const steps = int(i % 71) - 35;
        return std::ldexp(this->random.uniform(1, 2), widest * steps / 36);
      },
      // and smaller than all before it
      [&](std::size_t i) {
        int const steps = 35 - int(i % 71);
        return std::ldexp(this->random.uniform(1, 2), widest * steps / 36);
      }};
  for (std::size_t kind = 0; kind < std::size(draws); ++kind) {
    SCOPED_TRACE("distribution " + std::to_string(kind));
    this->expect_within_bound(size, draws[kind]);
  }
}

TYPED_TEST(FloatScan, NoWorseThanAPlainLoop) {
  SCOPED_TRACE(this->random.note());
  using F                               = typename TestFixture::F;
  using Value                           = typename TestFixture::Value;
  double const epsilon                  = std::numeric_limits<Value>::epsilon();
  std::function<double()> const draws[] = {
      [&] { return this->random.uniform(); },
      [&] { return this->random.normal(); },
      [&] { return this->random.uniform(1, 1.01); }};
  for (std::size_t kind = 0; kind < std::size(draws); ++kind) {
    Elements<typename F::Bits> x(20 * this->tile, 1);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = F::encode(draws[kind]());
    for (auto const& scan : tile_scans<TypeParam>()) {
      auto const computed = run(scan, x);
      ExactSum exact;
      Value plain       = 0;
      double magnitudes = 0, largest = 0;  // of the loop's errors so far
      for (std::size_t i = 0; i < x.size(); ++i) {
        exact.add(F::decode(x[i]));
        magnitudes += std::abs(F::decode(x[i]));
        plain += Value(F::decode(x[i]));
        largest = std::max(largest, exact.error_of(double(plain)));
        // the same sum, in the exclusive scan one place later
        bool const last      = !scan.inclusive && i + 1 == x.size();
        std::size_t const at = scan.inclusive || last ? i : i + 1;
        double const prefix  = last ? computed.total : computed.prefixes[at];
        ASSERT_LE(
            exact.error_of(prefix),
            allowed_error(largest, exact.value(), magnitudes, epsilon, epsilon))
            << scan.name() << ", distribution " << kind << ", prefix " << at;
      }
    }
  }
}

TYPED_TEST(FloatScan, Subnormals) {
  SCOPED_TRACE(this->random.note());
  using Bits                  = typename TestFixture::Bits;
  constexpr int exponent_bits = TypeParam::scalar == Scalar::half      ? 5
                                : TypeParam::scalar == Scalar::float64 ? 11
                                                                       : 8;
  constexpr int fraction_bits = 8 * int(sizeof(Bits)) - 1 - exponent_bits;
  // all of them, and those that bfloat16 has too
  for (int const cleared : {0, fraction_bits < 16 ? 0 : fraction_bits - 7}) {
    Elements<Bits> x(2 * this->tile + 9, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      Bits const fraction =
          Bits(this->random.bits()) & Bits((Bits(1) << fraction_bits) - 1);
      Bits const sign = Bits(this->random.integer(0, 1))
                        << (8 * sizeof(Bits) - 1);
      x[i] = sign | Bits(fraction >> cleared << cleared);
    }
    this->expect_within_bound(x);
  }
}

TYPED_TEST(FloatScan, LoneSubnormal) {
  using F = typename TestFixture::F;
  Elements<typename F::Bits> x(2 * this->tile, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0;
  for (std::size_t const place : {std::size_t(0), std::size_t(77), this->tile})
    for (auto const& scan : tile_scans<TypeParam>()) {
      x[place]            = 1;  // the smallest number
      auto const computed = run(scan, x);
      x[place]            = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(i + (scan.inclusive ? 1 : 0) > place ? F::decode(1) : 0.,
                  double(computed.prefixes[i]))
            << scan.name() << ", " << place << ", prefix " << i;
    }
}

TYPED_TEST(FloatScan, NegativeZerosGiveZero) {
  // as a sum that starts from +0, in whatever tile
  using F = typename TestFixture::F;
  Elements<typename F::Bits> x(2 * this->tile + 3, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = F::encode(-0.);
  for (auto const& scan : tile_scans<TypeParam>()) {
    auto const computed = run(scan, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(computed.prefixes[i] == 0 &&
                  !std::signbit(computed.prefixes[i]))
          << scan.name() << ", prefix " << i << ": " << computed.prefixes[i];
    ASSERT_FALSE(std::signbit(computed.total)) << scan.name();
  }
}

/// Whether a prefix is the sum of finite numbers and one special value.
bool reached(double value, double prefix) {
  return std::isnan(value) ? std::isnan(prefix) : prefix == value;
}

TYPED_TEST(FloatScan, ValuesThatAreNoNumbersReachWhatFollows) {
  SCOPED_TRACE(this->random.note());
  using F                = typename TestFixture::F;
  using Value            = typename TestFixture::Value;
  auto const scans       = tile_scans<TypeParam>();
  std::size_t const tile = this->tile;
  Elements<typename F::Bits> x(tile + 5, 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = F::encode(this->random.uniform(-1, 1));
  for (auto const& scan : scans) {
    SCOPED_TRACE(scan.name());
    auto const same = [](Value a, Value b) {
      return std::memcmp(&a, &b, sizeof(Value)) == 0;
    };
    // The tile that holds such a value is scanned by additions, and they meet
    // what they met before, in the same order: the same bits.
    TileScan<Value> const& additions = scans[scan.inclusive];
    ASSERT_TRUE(!additions.products && additions.inclusive == scan.inclusive);
    auto const first_without = run(additions, x).prefixes;
    auto const without       = run(scan, x).prefixes;
    for (std::size_t place = 0; place < x.size(); ++place)
      for (double const value : {inf, -inf, nan}) {
        auto const kept      = x[place];
        x[place]             = F::encode(value);
        auto const computed  = run(scan, x);
        x[place]             = kept;
        std::size_t const at = scan.inclusive ? place : place + 1;
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (i >= at)
            ASSERT_TRUE(reached(value, computed.prefixes[i]))
                << value << " at " << place << ", prefix " << i << ": "
                << computed.prefixes[i];
          else if (place < tile)
            ASSERT_TRUE(same(first_without[i], computed.prefixes[i]))
                << value << " at " << place << ", prefix " << i;
          else if (i < tile)
            ASSERT_TRUE(same(without[i], computed.prefixes[i]))
                << value << " at " << place << ", prefix " << i;
          else
            ASSERT_NEAR(without[i], computed.prefixes[i],
                        2 * bound(scan, 1) * double(i))
                << value << " at " << place << ", prefix " << i;
        }
        ASSERT_TRUE(reached(value, computed.total));
      }
  }
}

TYPED_TEST(FloatScan, InfinitiesOfBothSignsGiveNaNFromTheSecondOn) {
  SCOPED_TRACE(this->random.note());
  using F                = typename TestFixture::F;
  std::size_t const size = 2 * this->tile + 5;
  auto const expect = [&](std::size_t first, std::size_t second, double sign) {
    Elements<typename F::Bits> x(size, 1);
    for (std::size_t i = 0; i < size; ++i)
      x[i] = F::encode(this->random.uniform(-1, 1));
    x[first]  = F::encode(sign * inf);
    x[second] = F::encode(-sign * inf);
    for (auto const& scan : tile_scans<TypeParam>()) {
      auto const computed = run(scan, x);
      for (std::size_t i = 0; i < size; ++i) {
        std::size_t const seen = scan.inclusive ? i + 1 : i;  // elements
        double const prefix    = computed.prefixes[i];
        ASSERT_TRUE(seen > second  ? std::isnan(prefix)
                    : seen > first ? prefix == sign * inf
                                   : std::isfinite(prefix))
            << scan.name() << ", " << first << " and " << second << ", prefix "
            << i << ": " << prefix;
      }
    }
  };
  // neighbours in a lane, in lanes, in rows, in the halves of a tile, in tiles
  for (std::size_t const step : {std::size_t(1), std::size_t(4),
                                 std::size_t(16), this->tile / 2, this->tile})
    for (double const sign : {1., -1.})
      for (int repeat = 0; repeat < 4; ++repeat) {
        std::size_t const first =
            std::size_t(this->random.integer(0, std::int64_t(size - step) - 1));
        expect(first, first + step, sign);
      }
}

TYPED_TEST(FloatScan, Overflow) {
  // The numbers of half and, in double, of float cannot reach the end of the
  // sums. Once a sum of one sign has passed it, it stays there.
  using F            = typename TestFixture::F;
  using Bits         = typename F::Bits;
  using Value        = typename TestFixture::Value;
  Bits const largest = Bits(F::encode(inf) - 1);
  bool const reaches =
      std::isinf(Value(F::decode(largest)) + Value(F::decode(largest)));
  Bits const negative = Bits(1) << (8 * sizeof(Bits) - 1);
  Elements<Bits> x(2 * this->tile + 5, 1);
  // everywhere, in one row, once in a row, once in a tile
  for (std::size_t const period :
       {std::size_t(1), std::size_t(2), this->tile / 16, this->tile})
    for (Bits const sign : {Bits(0), negative})
      for (auto const& scan : tile_scans<TypeParam>()) {
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = Bits(i % period == period / 2 ? largest | sign : sign);
        auto const computed = run(scan, x);
        Value sum           = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          Value const before = sum;
          sum += Value(F::decode(x[i]));
          ASSERT_EQ(scan.inclusive ? sum : before, computed.prefixes[i])
              << scan.name() << ", one in " << period << ", prefix " << i;
        }
        ASSERT_EQ(sum, computed.total);
        ASSERT_EQ(reaches, std::isinf(sum));
      }
}

TYPED_TEST(FloatScan, InPlace) {
  using Bits  = typename TestFixture::Bits;
  using Value = typename TestFixture::Value;
  if constexpr (sizeof(Bits) == sizeof(Value)) {
    SCOPED_TRACE(this->random.note());
    for (auto const& scan : tile_scans<TypeParam>()) {
      std::vector<Value> x(2 * this->tile + 7);
      for (Value& element : x) element = Value(this->random.normal());
      std::vector<Value> y(x.size());
      scan.call(x.data(), x.size(), y.data(), 3);
      scan.call(x.data(), x.size(), x.data(), 3);
      EXPECT_EQ(y, x) << scan.name();
    }
  }
}

/// Sees whether a tile was left to additions.
struct WatchedWarp : Emulated::Warp {
  inline static bool left = false;
  static bool any(Lanes<bool> const& values) {
    left = Emulated::Warp::any(values);
    return left;
  }
};

/// A tile of zeros but for some elements.
template <class T>
class OneTile {
 public:
  using Encoding = typename T::Encoding;
  using Scan     = Impl::WarpScanMma<WatchedWarp, Encoding, true>;
  using Bits     = typename Format<T::scalar>::Bits;

  void set(std::size_t place, Bits bits) { m_x[place] = bits; }
  void fill(Bits bits) {
    for (Bits& element : m_x) element = bits;
  }

  /// Whether the products leave this tile to additions. All lanes know its sum.
  bool is_left_to_additions() const {
    Emulated::Warp::Lanes<typename Scan::Words> rows[2];
    Emulated::Warp::Lanes<typename Scan::Vector> prefix[2];
    Emulated::Warp::Lanes<typename Scan::Value> total;
    Emulated::load_tile<Encoding>(m_x.data(), T::tile, 0, rows);
    Scan(WatchedWarp{}).scan(rows, prefix, total);
    for (auto const& of_lane : total.lane)
      EXPECT_EQ(0, std::memcmp(&total.lane[0], &of_lane, sizeof(of_lane)));
    return WatchedWarp::left;
  }

 private:
  std::vector<Bits> m_x = std::vector<Bits>(T::tile);
};

template <class T>
class ScanByProducts : public ::testing::Test {
 public:
  using F    = Format<T::scalar>;
  using Bits = typename F::Bits;
  Random random;
};
using InputsOfProducts = ::testing::Types<
    Scanned<Scalar::half, float>, Scanned<Scalar::bhalf, float>,
    Scanned<Scalar::float32, float>, Scanned<Scalar::float64, double>>;
TYPED_TEST_SUITE(ScanByProducts, InputsOfProducts);

TYPED_TEST(ScanByProducts, TakesFiniteNumbers) {
  SCOPED_TRACE(this->random.note());
  using F    = typename TestFixture::F;
  using Bits = typename F::Bits;
  OneTile<TypeParam> tile;
  for (double const value : {0., -0., 1., -3.5, 0x1p-14, 65504.}) {
    tile.fill(F::encode(value));
    EXPECT_FALSE(tile.is_left_to_additions()) << value;
  }
  for (std::size_t place = 0; place < TypeParam::tile; ++place)
    tile.set(place, F::encode(this->random.normal()));
  EXPECT_FALSE(tile.is_left_to_additions());
  // the largest number alone, and the smallest
  Bits const largest  = Bits(F::encode(inf) - 1);
  bool const split    = TypeParam::scalar == Scalar::float32;
  Bits const smallest = split ? Bits(0x00010000u) : Bits(1);
  for (Bits const bits : {largest, smallest}) {
    tile.fill(0);
    tile.set(100, bits);
    EXPECT_FALSE(tile.is_left_to_additions()) << F::decode(bits);
  }
}

TYPED_TEST(ScanByProducts, LeavesWhatIsNoNumber) {
  using F = typename TestFixture::F;
  OneTile<TypeParam> tile;
  tile.fill(F::encode(1));
  for (std::size_t place = 0; place < TypeParam::tile; ++place) {
    for (double const value : {inf, -inf, nan}) {
      tile.set(place, F::encode(value));
      ASSERT_TRUE(tile.is_left_to_additions()) << value << " at " << place;
    }
    tile.set(place, F::encode(1));
  }
}

TYPED_TEST(ScanByProducts, LeavesRowsWhoseSumsOverflow) {
  using F            = typename TestFixture::F;
  using Bits         = typename F::Bits;
  constexpr bool can = TypeParam::scalar != Scalar::half;
  Bits const largest = Bits(F::encode(inf) - 1);
  OneTile<TypeParam> tile;
  constexpr std::size_t row = TypeParam::tile / 16;
  for (std::size_t first = 0; first < TypeParam::tile; first += row) {
    tile.fill(0);
    tile.set(first + 1, largest);
    tile.set(first + 2, largest);
    ASSERT_EQ(can, tile.is_left_to_additions()) << "row " << first / row;
  }
  // one in each row: these sums fit
  tile.fill(0);
  for (std::size_t first = 0; first < TypeParam::tile; first += row)
    tile.set(first, largest);
  EXPECT_FALSE(tile.is_left_to_additions());
}

TEST(ScanOfFloats, LeavesBitsBelowTheSmallestPiece) {
  // 2^-133 is the last bit that bfloat16 has
  using Float = Scanned<Scalar::float32, float>;
  OneTile<Float> tile;
  tile.fill(std::bit_cast<std::uint32_t>(1.f));
  for (std::size_t place = 0; place < Float::tile; ++place) {
    for (float const value : {0x1p-134f, -0x1p-149f, 0x1p-126f + 0x1p-134f,
                              0x1p-111f + 0x1p-134f, 0x1p-132f - 0x1p-149f}) {
      tile.set(place, std::bit_cast<std::uint32_t>(value));
      ASSERT_TRUE(tile.is_left_to_additions()) << value << " at " << place;
    }
    for (float const value : {0x1p-133f, -0x1p-126f - 0x1p-133f,
                              0x1p-110f - 0x1p-133f, 0x1p-109f}) {
      tile.set(place, std::bit_cast<std::uint32_t>(value));
      ASSERT_FALSE(tile.is_left_to_additions()) << value << " at " << place;
    }
    tile.set(place, std::bit_cast<std::uint32_t>(1.f));
  }
}

}  // namespace
