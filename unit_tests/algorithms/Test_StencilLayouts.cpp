// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: layouts, several steps, empty grids.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilLayouts);

template <int R, class Kind, class OutKind, class Exec>
void one_layout() {
  Random random;
  Place<R> extent;
  typename StencilWeights<R>::Offsets radius;
  for (int d = 0; d < R; ++d) {
    extent[d] = 5 + 2 * d;
    radius[d] = 1 + d % 2;
  }
  auto const weights = asymmetric<R>(radius, random);
  expect_sums<float, float, R, Kind, OutKind, Exec>(
      extent, weights, random_boundaries<R>(random), random);
  for (std::int64_t const steps : {2, 3})
    expect_sums<float, float, R, Kind, OutKind, Exec>(
        extent, weights, random_boundaries<R>(random, false), random, steps);
  // Hosts take 256 elements along the fast dimension together, kernels a tile.
  for (int d = 0; d < R; ++d)
    for (std::int64_t const length : {256, 257, 515}) {
      Place<R> longer = extent;
      longer[d]       = length;
      expect_sums<float, float, R, Kind, OutKind, Exec>(
          longer, weights, random_boundaries<R>(random), random);
    }
}
template <int R, class Exec>
void every_layout() {
  using Left  = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  one_layout<R, Plain<Left>, Plain<Left>, Exec>();
  one_layout<R, Framed<Right>, Framed<Right>, Exec>();
  one_layout<R, Framed<Left>, Framed<Left>, Exec>();
  one_layout<R, Plain<Left>, Plain<Right>, Exec>();
  one_layout<R, Strided, Plain<Left>, Exec>();
  one_layout<R, Plain<Right>, Strided, Exec>();
}
TYPED_TEST(StencilLayouts, Layouts) {
  every_layout<1, TypeParam>();
  every_layout<2, TypeParam>();
  every_layout<3, TypeParam>();
}

struct AddSum {
  KOKKOS_FUNCTION float operator()(std::int64_t, std::int64_t, float value,
                                   float sum) const {
    return value + sum;
  }
};

/// Kernels of several steps need rows without gaps; a functor of one step
/// writes anywhere.
TYPED_TEST(StencilLayouts, UpdatesOfElementsApart) {
  using Exec = TypeParam;
  Random random;
  Place<2> const extent{24, 40};
  auto const data    = small_integers<float, 2>(extent, random);
  auto const weights = StencilWeights<2>::star(1);
  auto const torus   = Boundaries<2>::all(Boundary::periodic);
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const in(data);
  StencilPolicy const policy(Exec(), in.view(), weights, torus);
  HostGrid<2> expected = data;
  for (std::int64_t steps = 1; steps <= 3; ++steps) {
    HostGrid<2> const sums = neighbour_sums(expected, extent, weights, torus);
    for (std::size_t i = 0; i < sums.values.size(); ++i)
      expected.values[i] += sums.values[i];
    TestGrid<float, 2, Strided, Exec> const out(extent);
    stencil(Exec(), in.view(), out.view(), policy, AddSum(), steps);
    EXPECT_TRUE(out.holds(expected, [](double v) { return float(v); }))
        << "steps " << steps;
  }
}

/// Hosts visit eight times 256 elements of a row before the next row, and add
/// 5, 7 or 9 weights in one pass.
TYPED_TEST(StencilLayouts, RowsLongerThanAPanel) {
  Random random;
  auto const check = [&]<int R>(Place<R> extent,
                                StencilWeights<R> const& weights) {
    auto const boundaries = random_boundaries<R>(random);
    expect_row_sums<float, float, R, TypeParam>(extent, weights, boundaries,
                                                random);
    std::swap(extent[0], extent[R - 1]);
    expect_sums<float, float, R, Plain<Kokkos::LayoutLeft>,
                Plain<Kokkos::LayoutLeft>, TypeParam>(extent, weights,
                                                      boundaries, random);
  };
  for (std::int64_t const length : {2048, 2049, 2309, 4500}) {
    check(Place<1>{length}, asymmetric<1>({2}, random));
    check(Place<2>{4, length}, StencilWeights<2>::star(1));
    check(Place<2>{3, length}, StencilWeights<2>::moore(1));
    check(Place<2>{4, length}, asymmetric<2>({1, 3}, random));
    check(Place<3>{2, 3, length}, StencilWeights<3>::star(1).with_centre(-6));
  }
}

TYPED_TEST(StencilLayouts, ProductsOfRowsAnywhere) {
  products_of_rows_anywhere<float, TypeParam>();
}

TYPED_TEST(StencilLayouts, ExtentsOfTheType) {
  Kokkos::View<double[4][6], Kokkos::LayoutRight, TypeParam> const filled("in");
  Kokkos::View<double const[4][6], Kokkos::LayoutRight, TypeParam> const in =
      filled;
  Kokkos::View<double[4][6], Kokkos::LayoutRight, TypeParam> const out("out");
  Kokkos::deep_copy(filled, 1);
  stencil(TypeParam(), in, out, StencilWeights<2>::box(1),
          Boundaries<2>::all(Boundary::periodic), 2);
  auto const host = host_copy(out);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(81, host(i, j));
}

// Two columns of one View share no element.
TYPED_TEST(StencilLayouts, ColumnsOfOneView) {
  RowMajor<float, TypeParam> const all("all", 10, 2);
  Kokkos::deep_copy(all, 2);
  auto const in  = Kokkos::subview(all, Kokkos::ALL(), 0);
  auto const out = Kokkos::subview(all, Kokkos::ALL(), 1);
  stencil(TypeParam(), in, out, StencilWeights<1>::box(1),
          Boundaries<1>::all(Boundary::nearest));
  auto const host = host_copy(all);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(2, host(i, 0));
    EXPECT_EQ(6, host(i, 1));
  }
}

TYPED_TEST(StencilLayouts, StepsAtEveryBoundary) {
  using Left = Kokkos::LayoutLeft;
  steps_at_every_boundary<float, 2, Plain<Left>, TypeParam>(20);
  steps_at_every_boundary<float, 2, Framed<Left>, TypeParam>(20);
}
TYPED_TEST(StencilLayouts, EmptyGrids) {
  using Exec = TypeParam;
  Kokkos::View<float**, Exec> const none("none", 0, 5), out("out", 0, 5),
      ghosts("ghosts", 6, 11);
  Kokkos::View<float*, Exec> const unallocated;
  auto const box = StencilWeights<2>::box(3);
  EXPECT_NO_THROW(stencil(Exec(), none, out, box,
                          Boundaries<2>::all(Boundary::reflect), 4));
  EXPECT_NO_THROW(
      stencil(Exec(), ghosts, out, box, Boundaries<2>::all(Boundary::halo)));
  EXPECT_NO_THROW(stencil(Exec(), unallocated, unallocated,
                          StencilWeights<1>::box(1),
                          Boundaries<1>::all(Boundary::periodic)));
}

}  // namespace
