// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: every boundary on every boundary,
// weights of every shape.

#include "StencilCases.hpp"

#include <algorithm>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Stencils);

TYPED_TEST(Stencils, EveryPairOfBoundaries) {
  Random random;
  for (int low = 0; low < 6; ++low)
    for (int high = 0; high < 6; ++high) {
      if ((low == int(Boundary::periodic)) != (high == int(Boundary::periodic)))
        continue;
      auto const boundaries =
          Boundaries<1>::per_side({BoundaryCondition{Boundary(low), 3}},
                                  {BoundaryCondition{Boundary(high), -2}});
      for (int const radius : {1, 2, 5, 16})
        for (std::int64_t const extra : {0, 1, 2, 7, 40})
          expect_row_sums<float, float, 1, TypeParam>(
              {radius + extra}, asymmetric<1>({radius}, random), boundaries,
              random);
    }
}

template <int R, class Exec>
void one_kind_on_all_boundaries(Place<R> const& extent, int radius) {
  Random random;
  typename StencilWeights<R>::Offsets all;
  all.fill(radius);
  for (int kind = 0; kind < 6; ++kind)
    expect_row_sums<float, float, R, Exec>(
        extent, asymmetric<R>(all, random),
        Boundaries<R>::all(Boundary(kind), -3), random);
}
TYPED_TEST(Stencils, OneKindOnAllSides) {
  one_kind_on_all_boundaries<2, TypeParam>({17, 23}, 3);
  one_kind_on_all_boundaries<2, TypeParam>({70, 6}, 1);
  one_kind_on_all_boundaries<2, TypeParam>({2, 2}, 2);
  one_kind_on_all_boundaries<3, TypeParam>({5, 9, 7}, 2);
  one_kind_on_all_boundaries<3, TypeParam>({1, 1, 1}, 1);
}

template <int R, class Exec>
void mixed_boundaries(int cases, int most) {
  Random random;
  for (int i = 0; i < cases; ++i) {
    typename StencilWeights<R>::Offsets radius;
    Place<R> extent;
    for (int d = 0; d < R; ++d) {
      radius[d] = int(random.integer(1, 3));
      extent[d] = random.integer(radius[d], most);
    }
    expect_row_sums<float, float, R, Exec>(
        extent, asymmetric<R>(radius, random), random_boundaries<R>(random),
        random);
  }
}
TYPED_TEST(Stencils, MixedBoundaries) {
  mixed_boundaries<2, TypeParam>(80, 20);
  mixed_boundaries<3, TypeParam>(40, 9);
}

TYPED_TEST(Stencils, StepsAtEveryBoundary) {
  using Right = Plain<Kokkos::LayoutRight>;
  steps_at_every_boundary<float, 1, Right, TypeParam>(30);
  steps_at_every_boundary<float, 2, Right, TypeParam>(30);
}

// Where constants of two dimensions meet, the first dimension's is taken.
TYPED_TEST(Stencils, ConstantsMeet) {
  auto const boundaries =
      Boundaries<2>::per_dimension({BoundaryCondition{Boundary::constant, 100},
                                    BoundaryCondition{Boundary::constant, 10}});
  Grid<float, 2, TypeParam> const in(HostGrid<2>({2, 2})), out({2, 2});
  auto const box = StencilWeights<2>::box(1);
  step_on_every_route<TypeParam>(in, out, box, boundaries, [&] {
    EXPECT_EQ(std::vector<double>(4, 3 * 100 + 2 * 10), out.values());
  });
}

TYPED_TEST(Stencils, WeightsOfEveryShape) {
  Random random;
  auto const check_1d = [&](StencilWeights<1> const& weights) {
    expect_row_sums<float, float, 1, TypeParam>(
        {50}, weights, random_boundaries<1>(random), random);
  };
  auto const check_2d = [&](StencilWeights<2> const& weights) {
    expect_row_sums<float, float, 2, TypeParam>(
        {21, 34}, weights, random_boundaries<2>(random), random);
  };
  auto const check_3d = [&](StencilWeights<3> const& weights) {
    expect_row_sums<float, float, 3, TypeParam>(
        {8, 9, 10}, weights, random_boundaries<3>(random), random);
  };
  for (int const radius : {1, 2, 7, 16}) {
    check_1d(StencilWeights<1>::box(radius));
    check_1d(StencilWeights<1>::moore(radius));
    check_1d(asymmetric<1>({radius}, random));
    check_2d(StencilWeights<2>::box(radius));
    check_2d(StencilWeights<2>::moore(radius));
    check_2d(StencilWeights<2>::von_neumann(radius));
    check_2d(StencilWeights<2>::star(radius));
    check_2d(asymmetric<2>({radius, radius}, random));
  }
  check_2d(asymmetric<2>({1, 9}, random));
  check_2d(StencilWeights<2>::box({12, 2}));
  check_2d(StencilWeights<2>::von_neumann(1).with_centre(-4));
  for (int const radius : {1, 2, 4}) {
    check_3d(StencilWeights<3>::box(radius));
    check_3d(StencilWeights<3>::von_neumann(radius));
    check_3d(StencilWeights<3>::star(radius));
    check_3d(asymmetric<3>({radius, radius, radius}, random));
  }
  check_3d(asymmetric<3>({4, 1, 2}, random));
  // Nothing is a neighbour.
  check_2d(StencilWeights<2>::dense(1, std::vector<double>(9, 0.0)));
}

// Not flipped: the weight at offset +1 is that of the next element.
TYPED_TEST(Stencils, WeightsAreNotFlipped) {
  HostGrid<1> data({5});
  data.values[2] = 1;
  Grid<double, 1, TypeParam> const in(data), out({5});
  auto const weights =
      StencilWeights<1>::dense(1, std::vector<double>{10, 20, 30});
  auto const boundaries = Boundaries<1>::all(Boundary::constant);
  step_on_every_route<TypeParam>(in, out, weights, boundaries, [&] {
    EXPECT_EQ((std::vector<double>{0, 30, 20, 10, 0}), out.values());
  });
}

/// A value that is not finite reaches those whose weight for it is not zero.
template <class Exec>
void not_finite(double value) {
  HostGrid<2> data({9, 11});
  std::fill(data.values.begin(), data.values.end(), 1.0);
  data.at({4, 5}) = value;
  Grid<float, 2, Exec> const in(data), out({9, 11});
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  // The last is one outer product with zeros between ones.
  std::vector<double> columns(25);
  for (std::size_t i = 0; i < 25; ++i) columns[i] = i % 5 % 2 == 0 ? 1 : 0;
  for (auto const& weights :
       {StencilWeights<2>::star(2).with_centre(0), StencilWeights<2>::moore(2),
        StencilWeights<2>::dense(2, columns)})
    step_on_every_route<Exec>(in, out, weights, torus, [&] {
      std::vector<double> const found = out.values();
      for (std::size_t i = 0; i < found.size(); ++i) {
        auto const [y, x]  = data.place(i);
        bool const reached = weights.weight({int(4 - y), int(5 - x)}) != 0;
        EXPECT_EQ(!reached, std::isfinite(found[i])) << y << " " << x;
      }
    });
}
TYPED_TEST(Stencils, ValuesThatAreNotFinite) {
  not_finite<TypeParam>(std::numeric_limits<double>::infinity());
  not_finite<TypeParam>(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace
