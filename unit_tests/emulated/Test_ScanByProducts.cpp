// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which tiles a scan by products leaves to additions. That it leaves those
// with NaN, infinities and sums that overflow: emulated_device_range_scans.

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/papers/KokkosMMA_WarpScanMma.hpp>
#include "EmulatedData.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
namespace Emulated = KokkosMMA::Impl::Emulated;

constexpr double inf = std::numeric_limits<double>::infinity();

/// Two rows of vectors in the lanes are a tile.
template <Scalar Input, class Sum>
struct Scanned {
  static constexpr Scalar scalar    = Input;
  using Encoding                    = Impl::ScanEncoding<Input, Sum>;
  static constexpr std::size_t tile = 64 * Encoding::elements;
};

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
    std::memcpy(rows, m_x.data(), sizeof(rows));
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
  // the largest number by itself, and the smallest
  Bits const largest  = Bits(F::encode(inf) - 1);
  bool const split    = TypeParam::scalar == Scalar::float32;
  Bits const smallest = split ? Bits(0x00010000u) : Bits(1);
  for (Bits const bits : {largest, smallest}) {
    tile.fill(0);
    tile.set(100, bits);
    EXPECT_FALSE(tile.is_left_to_additions()) << F::decode(bits);
  }
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
