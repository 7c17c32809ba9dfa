// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: layouts, several steps, empty grids.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilLayouts : public ::testing::Test {};
TYPED_TEST_SUITE(StencilLayouts, ExecutionSpaces);

// --- layouts -----------------------------------------------------------------

template <int R, class Kind, class OutKind, class Exec>
void one_layout() {
  Random random;
  SCOPED_TRACE(random.note());
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

TYPED_TEST(StencilLayouts, ProductsOfRowsAnywhere) {
  products_of_rows_anywhere<float, TypeParam>();
}

template <class Exec>
void extents_of_the_type() {
  Kokkos::View<double const[4][6], Kokkos::LayoutRight, Exec> in;
  Kokkos::View<double[4][6], Kokkos::LayoutRight, Exec> const filled("in");
  Kokkos::View<double[4][6], Kokkos::LayoutRight, Exec> const out("out");
  Kokkos::deep_copy(filled, 1);
  in = filled;
  stencil(Exec(), in, out, StencilWeights<2>::box(1),
          Boundaries<2>::all(Boundary::periodic), 2);
  Kokkos::fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(81, host(i, j));
}
TYPED_TEST(StencilLayouts, ExtentsOfTheType) {
  extents_of_the_type<TypeParam>();
}

// Two columns of one View share no element.
template <class Exec>
void columns_of_one_view() {
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const all("all", 10, 2);
  Kokkos::deep_copy(all, 2);
  auto const in  = Kokkos::subview(all, Kokkos::ALL(), 0);
  auto const out = Kokkos::subview(all, Kokkos::ALL(), 1);
  stencil(Exec(), in, out, StencilWeights<1>::box(1),
          Boundaries<1>::all(Boundary::nearest));
  Kokkos::fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(2, host(i, 0));
    EXPECT_EQ(6, host(i, 1));
  }
}
TYPED_TEST(StencilLayouts, ColumnsOfOneView) {
  columns_of_one_view<TypeParam>();
}

// --- several steps -----------------------------------------------------------

template <int R, class Exec>
void several_steps(Place<R> const& extent) {
  using Right = Plain<Kokkos::LayoutRight>;
  Random random;
  SCOPED_TRACE(random.note());
  typename StencilWeights<R>::Offsets radius;
  for (int d = 0; d < R; ++d) radius[d] = 1 + d;
  for (int kind = 0; kind < 5; ++kind)
    for (std::int64_t const steps : {2, 3, 4, 7})
      expect_sums<std::int64_t, std::int64_t, R, Right, Right, Exec>(
          extent, asymmetric<R>(radius, random, true),
          Boundaries<R>::all(Boundary(kind), 5), random, steps);
  for (int i = 0; i < 10; ++i)
    expect_sums<std::int64_t, std::int64_t, R, Right, Right, Exec>(
        extent, asymmetric<R>(radius, random, true),
        random_boundaries<R>(random, false), random, random.integer(2, 6));
}
TYPED_TEST(StencilLayouts, StepsAtEveryBoundary) {
  using Left = Kokkos::LayoutLeft;
  steps_at_every_boundary<float, 2, Plain<Left>, TypeParam>(20);
  steps_at_every_boundary<float, 2, Framed<Left>, TypeParam>(20);
}
TYPED_TEST(StencilLayouts, SeveralSteps) {
  several_steps<1, TypeParam>({19});
  several_steps<2, TypeParam>({7, 12});
  several_steps<3, TypeParam>({4, 5, 6});
}

// --- nothing to do -----------------------------------------------------------

template <class Exec>
void empty_grids() {
  Kokkos::View<float**, Exec> const none("none", 0, 5);
  Kokkos::View<float**, Exec> const out("out", 0, 5);
  Kokkos::View<float*, Exec> const unallocated;
  stencil(Exec(), none, out, StencilWeights<2>::box(3),
          Boundaries<2>::all(Boundary::reflect), 4);
  stencil(Exec(), unallocated, unallocated, StencilWeights<1>::box(1),
          Boundaries<1>::all(Boundary::periodic));
  Kokkos::View<float**, Exec> const ghosts("ghosts", 6, 11);
  stencil(Exec(), ghosts, out, StencilWeights<2>::box(3),
          Boundaries<2>::all(Boundary::halo));
}
TYPED_TEST(StencilLayouts, EmptyGrids) {
  EXPECT_NO_THROW(empty_grids<TypeParam>());
}

}  // namespace
