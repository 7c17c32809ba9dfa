// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils over ranks against a loop over the whole grid, which every rank has.

#include "MpiStencilSupport.hpp"

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(MpiStencilValues);

TYPED_TEST(MpiStencilValues, OneDimension) {
  compare_many<float, 1, TypeParam>(10);
  compare_many<std::int32_t, 1, TypeParam, Strided>(5);
}
TYPED_TEST(MpiStencilValues, TwoDimensions) {
  compare_many<float, 2, TypeParam>(6);
  compare_many<double, 2, TypeParam, Framed<Kokkos::LayoutRight>>(3);
  compare_many<float, 2, TypeParam, Plain<Kokkos::LayoutLeft>>(3);
  compare_many<float, 2, TypeParam, Strided>(3);
}
TYPED_TEST(MpiStencilValues, ThreeDimensions) {
  compare_many<double, 3, TypeParam>(1);
}

/// One boundary of every kind on all boundaries, deterministic.
TYPED_TEST(MpiStencilValues, EveryBoundary) {
  Random random;
  for (int kind = 0; kind < 6; ++kind)
    for (auto const& dimensions : arrangements<2>()) {
      Ranks<2> const ranks(dimensions);
      compare<float, 2, TypeParam, Plain<Kokkos::LayoutRight>>(
          ranks.comm(), random, Boundaries<2>::all(Boundary(kind), 2.), {3, 2},
          {20, 20}, 1);
    }
}

/// Bytes, with another type of results.
TYPED_TEST(MpiStencilValues, SumsOfAnotherType) {
  using Exec = TypeParam;
  Random random;
  Ranks<1> const ranks;
  Blocks<1> const blocks(ranks.comm(), {9}, random);
  auto const boundaries = Boundaries<1>::all(Boundary::periodic);
  auto const weights    = StencilWeights<1>::box(2);
  HostGrid<1> const x   = small_integers<std::uint8_t, 1>(blocks.whole, random);
  Grid<std::uint8_t, 1, Exec> const in(part_of(x, blocks));
  Grid<std::int32_t, 1, Exec> const out(blocks.extent);
  mpi::stencil(ranks.comm(), Exec(), in.view(), out.view(), weights,
               boundaries);
  EXPECT_TRUE(out.holds(
      part_of(neighbour_sums(x, blocks.whole, weights, boundaries), blocks),
      as_result<std::int32_t>));
}

}  // namespace
