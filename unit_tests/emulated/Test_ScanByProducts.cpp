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

/// Sees whether a tile was left to additions.
struct WatchedWarp : Emulated::Warp {
  inline static bool left = false;
  static bool any(Lanes<bool> const& values) {
    left = Emulated::Warp::any(values);
    return left;
  }
};

/// A tile of zeros, except some elements: two rows of vectors in the lanes.
class OneTile {
 public:
  using Scan = Impl::WarpScanMma<WatchedWarp, true>;

  void set(std::size_t place, std::uint16_t bits) { m_x[place] = bits; }
  void fill(std::uint16_t bits) { m_x.assign(m_x.size(), bits); }
  std::size_t size() const { return m_x.size(); }

  /// Whether the products leave this tile to additions. All lanes know its sum.
  bool is_left_to_additions() const {
    Emulated::Warp::Lanes<Scan::Words> rows[2];
    Emulated::Warp::Lanes<Scan::Vector> prefix[2];
    Emulated::Warp::Lanes<float> total;
    std::memcpy(rows, m_x.data(), sizeof(rows));
    Scan(WatchedWarp{}).scan(rows, prefix, total);
    for (auto const& of_lane : total.lane)
      EXPECT_EQ(0, std::memcmp(&total.lane[0], &of_lane, sizeof(of_lane)));
    return WatchedWarp::left;
  }

 private:
  std::vector<std::uint16_t> m_x = std::vector<std::uint16_t>(256);
};

TEST(ScanByProducts, TakesFiniteNumbers) {
  using F = Format<Scalar::half>;
  Random random;
  OneTile tile;
  for (double const value : {0., -0., 1., -3.5, 0x1p-14, 65504.}) {
    tile.fill(F::encode(value));
    EXPECT_FALSE(tile.is_left_to_additions()) << value;
  }
  for (std::size_t place = 0; place < tile.size(); ++place)
    tile.set(place, F::encode(random.normal()));
  EXPECT_FALSE(tile.is_left_to_additions());
  // the largest number by itself, and the smallest
  for (int const bits : {F::encode(inf) - 1, 1}) {
    tile.fill(0);
    tile.set(100, std::uint16_t(bits));
    EXPECT_FALSE(tile.is_left_to_additions()) << bits;
  }
}

}  // namespace
