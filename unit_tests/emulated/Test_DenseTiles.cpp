// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/KokkosMMA_WarpDenseTile.hpp>
#include "EmulatedData.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using namespace KokkosMMA::Impl;
using Warp = KokkosMMA::Impl::Emulated::Warp;

template <Scalar S>
class DenseTile {
 public:
  using F    = Format<S>;
  using Tile = WarpDenseTile<Warp, S == Scalar::half, 4>;

  DenseTile(int r0, int r1)
      : m_r0(r0),
        m_r1(r1),
        m_weights(std::size_t((2 * r0 + 1) * (2 * r1 + 1))),
        m_data(std::size_t((Tile::rows + 2 * r0) * width)) {}

  double& weight(int a, int b) {
    return m_weights[std::size_t((a + m_r0) * (2 * m_r1 + 1) + b + m_r1)];
  }
  /// Row 0, column 0 is where the first sum is.
  double& at(int i, int j) {
    return m_data[std::size_t((i + m_r0) * width + j + Tile::margin)];
  }
  template <class DrawData, class DrawWeight>
  void fill(DrawData const& data, DrawWeight const& weight) {
    for (double& x : m_data) x = F::decode(F::encode(double(data())));
    for (double& w : m_weights) w = F::decode(F::encode(double(weight())));
  }

  /// receive(i, j, sum) gets all sums.
  template <class Receive>
  void sums(Receive const& receive) {
    auto const tile = std::make_unique<Tile>(Warp());
    tile->add(
        2 * m_r0 + 1,
        [&](int row) {
          typename Tile::Data data;  // (8,32) per warp
          Warp::each([&](int lane) {
            for (int reg = 0; reg < 4; ++reg)
              Warp::at(data, lane)[reg] = pair([&](int e) {
                return m_data[std::size_t((row + lane / 4) * width + 8 * reg +
                                          lane % 4 * 2 + e)];
              });
          });
          return data;
        },
        [&](int tap) {
          typename Tile::Band band;  // (16,32) per warp
          Warp::each([&](int lane) {
            for (int reg = 0; reg < 8; ++reg)
              Warp::at(band, lane)[reg] = pair([&](int e) {
                int const offset = Tile::offset(lane, reg) + e;
                return std::abs(offset) <= m_r1 ? weight(tap - m_r0, offset)
                                                : 0.;
              });
          });
          return band;
        });
    receive_all(*tile, receive, std::make_integer_sequence<int, Tile::tiles>());
  }

 private:
  static constexpr int width = 32;

  template <class Value>
  static std::uint32_t pair(Value const& value) {
    return std::uint32_t(F::encode(value(0))) |
           std::uint32_t(F::encode(value(1))) << 16;
  }
  template <class Receive, int... T>
  static void receive_all(Tile const& tile, Receive const& receive,
                          std::integer_sequence<int, T...>) {
    (Warp::each([&](int lane) {
       for (int reg = 0; reg < 4; ++reg)
         receive(8 * T + lane % 4 * 2 + reg % 2, lane / 4 + 8 * (reg / 2),
                 Warp::at(tile.template sums<T>(), lane)[reg]);
     }),
     ...);
  }

  int m_r0, m_r1;
  std::vector<double> m_weights;
  std::vector<double> m_data;
};

template <class Case>
class DenseTiles : public ::testing::Test {
 public:
  Random random;
};
template <Scalar S>
struct Of {
  static constexpr Scalar scalar = S;
};
using Cases = ::testing::Types<Of<Scalar::half>, Of<Scalar::bhalf>>;
TYPED_TEST_SUITE(DenseTiles, Cases);

TYPED_TEST(DenseTiles, SmallIntegersAreExactAtEveryRadius) {
  SCOPED_TRACE(this->random.note());
  for (int r0 = 0; r0 <= 8; ++r0) {
    int const r1 = 8 - r0;
    DenseTile<TypeParam::scalar> tile(r0, r1);
    tile.fill([&] { return this->random.integer(-100, 100); },
              [&] { return this->random.integer(-16, 16); });
    int seen = 0;
    tile.sums([&](int i, int j, float sum) {
      double expected = 0;
      for (int a = -r0; a <= r0; ++a)
        for (int b = -r1; b <= r1; ++b)
          expected += tile.weight(a, b) * tile.at(i + a, j + b);
      ASSERT_EQ(expected, sum)
          << "radius " << r0 << ", " << r1 << ", element " << i << ", " << j;
      ++seen;
    });
    ASSERT_EQ(32 * 16, seen);
  }
}

TYPED_TEST(DenseTiles, NoLessAccurateThanPlainSums) {
  SCOPED_TRACE(this->random.note());
  double const rounding = std::ldexp(1., -24);
  auto const compare    = [&](auto const& value) {
    for (int const r : {4, 7, 8}) {
      DenseTile<TypeParam::scalar> tile(r, r);
      tile.fill(value, [&] { return this->random.uniform(.01, 1); });
      double of_tile = 0, of_plain = 0;
      tile.sums([&](int i, int j, float sum) {
        double exact = 0, magnitude = 0;
        float plain = 0;
        for (int a = -r; a <= r; ++a)
          for (int b = -r; b <= r; ++b) {
            double const term = tile.weight(a, b) * tile.at(i + a, j + b);
            exact += term;
            magnitude += std::abs(term);
            plain += float(tile.weight(a, b)) * float(tile.at(i + a, j + b));
          }
        of_tile  = std::max(of_tile, std::abs(sum - exact) / magnitude);
        of_plain = std::max(of_plain, std::abs(plain - exact) / magnitude);
      });
      EXPECT_LE(of_tile, of_plain + 1.01 * rounding) << r;
    }
  };
  compare([&] { return this->random.uniform(); });
  compare([&] { return this->random.normal(); });
  compare([&] { return 100 + this->random.uniform(); });
}

}  // namespace
