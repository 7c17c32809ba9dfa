// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils over ranks against a loop over the whole grid, which every rank has.

#include "MpiStencilSupport.hpp"

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class MpiStencilValues : public ::testing::Test {};
TYPED_TEST_SUITE(MpiStencilValues, ExecutionSpaces);

TYPED_TEST(MpiStencilValues, OneDimension) {
  compare_many<float, 1, TypeParam>(10);
  compare_many<std::int32_t, 1, TypeParam, Strided>(5);
}
TYPED_TEST(MpiStencilValues, TwoDimensions) {
  compare_many<float, 2, TypeParam>(6);
  compare_many<double, 2, TypeParam, Framed<Kokkos::LayoutRight>>(3);
  compare_many<float, 2, TypeParam, Plain<Kokkos::LayoutLeft>>(3);
  compare_many<std::int32_t, 2, TypeParam, Strided>(3);
  compare_many<std::int8_t, 2, TypeParam>(2);
  compare_many<std::uint8_t, 2, TypeParam>(2);
  compare_many<std::int64_t, 2, TypeParam>(2);
}
TYPED_TEST(MpiStencilValues, ThreeDimensions) {
  compare_many<double, 3, TypeParam>(1);
}

/// One boundary of every kind on all boundaries, deterministic.
TYPED_TEST(MpiStencilValues, EveryBoundary) {
  SeededRandom random;
  for (int kind = 0; kind < 6; ++kind)
    for (auto const& dimensions : arrangements<2>()) {
      Ranks<2> const ranks(dimensions);
      compare<float, 2, TypeParam, Plain<Kokkos::LayoutRight>>(
          ranks.comm(), random, Boundaries<2>::all(Boundary(kind), 2.), {3, 2},
          {20, 20}, 1);
    }
}

/// 16-bit floats and bytes with other types of results.
TYPED_TEST(MpiStencilValues, SumsOfOtherTypes) {
  using Exec = TypeParam;
  SeededRandom random;
  Ranks<2> const ranks;
  Blocks<2> const blocks(ranks.comm(), {9, 9}, random);
  auto const boundaries = Boundaries<2>::all(Boundary::periodic);
  // Without a Cartesian topology every rank has all columns.
  auto const whole   = blocks.whole;
  auto const weights = StencilWeights<2>::box(2);
  for_pairs<Pair<half_t, half_t>, Pair<bhalf_t, float>,
            Pair<std::uint8_t, std::int32_t>, Pair<bool, std::int32_t>,
            Pair<std::int16_t, float>>([&]<class T, class Y>(Pair<T, Y>) {
    HostGrid<2> const x = small_integers<T, 2>(whole, random);
    Grid<T, 2, Exec> const in(part_of(x, blocks));
    Grid<Y, 2, Exec> const out(blocks.extent);
    mpi::stencil(ranks.comm(), Exec(), in.view(), out.view(), weights,
                 boundaries);
    EXPECT_TRUE(out.holds(part_of(neighbour_sums(x, whole, weights, boundaries),
                                  blocks.offset, blocks.extent),
                          as_result<Y>));
  });
}

}  // namespace
