// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// StencilPolicy under Kokkos::parallel_for: what functors get of elements of
// other types and ranks than in Test_StencilInterface.cpp.

#include "StencilFunctors.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilFunctors);

TYPED_TEST(StencilFunctors, FunctorsOfEveryRank) {
  using Right = Kokkos::LayoutRight;
  using Left  = Kokkos::LayoutLeft;
  calls_of_functors<std::uint8_t, std::int32_t, 3, Left, TypeParam>({4, 15, 6},
                                                                    1);
  calls_of_functors<double, double, 1, Right, TypeParam>({1000}, 16);
}

// From radius 9 on functors get sums of band products, too: strips with and
// without boundaries, more rows than a block of threads fetches at once.
template <class T, class Value, class Exec>
void boxes_into_functors(Place<2> const& extent, Boundary kind) {
  Random random;
  auto const weights     = StencilWeights<2>::box(9);
  auto const boundaries  = Boundaries<2>::all(kind);
  HostGrid<2> const data = small_integers<T, 2>(extent, random);
  Grid<T, 2, Exec> const x(data);
  auto const kept = keep_sums<Value, 2, Exec>(extent);
  Kokkos::parallel_for(StencilPolicy(Exec(), x.view(), weights, boundaries),
                       kept);
  expect_kept(kept, neighbour_sums(data, extent, weights, boundaries));
}
TYPED_TEST(StencilFunctors, BoxesIntoFunctors) {
  boxes_into_functors<half_t, float, TypeParam>({40, 530}, Boundary::periodic);
  boxes_into_functors<std::uint8_t, std::int32_t, TypeParam>({40, 1060},
                                                             Boundary::reflect);
}

}  // namespace
