// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: every boundary on every face, weights of
// every shape, layouts, types and several steps.

#include "StencilSupport.hpp"

#include <algorithm>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class Stencils : public ::testing::Test {};
TYPED_TEST_SUITE(Stencils, ExecutionSpaces);

/// Weights in quarters, so that sums are exact; whole ones for integers. Some
/// are zero, and no two faces see the same.
template <int R>
StencilWeights<R> asymmetric(typename StencilWeights<R>::Offsets const& radius,
                             Random& random, bool whole = false) {
  std::size_t size = 1;
  for (int const r : radius) size *= std::size_t(2 * r + 1);
  std::vector<double> values(size);
  for (double& value : values)
    value = double(random.integer(-3, 4)) / (whole ? 1 : 4);
  return StencilWeights<R>::dense(radius, values);
}

/// One stencil on grids of these kinds, by stencil().
template <class T, class Result, int R, class Kind, class OutKind, class Exec>
void expect_sums(Place<R> const& extent, StencilWeights<R> const& weights,
                 Boundaries<R> const& boundaries, Random& random,
                 std::int64_t steps = 1) {
  SCOPED_TRACE(describe<R>(extent, boundaries) + "steps " +
               std::to_string(steps));
  HostGrid<R> const data = small_integers<T, R>(
      with_ghosts<R>(extent, radius_of(weights), boundaries), random);
  TestGrid<T, R, Kind, Exec> const in(data);
  TestGrid<Result, R, OutKind, Exec> const out(extent);

  stencil(Exec(), in.view(), out.view(), weights, boundaries, steps);

  HostGrid<R> expected = neighbour_sums(data, extent, weights, boundaries);
  for (std::int64_t step = 1; step < steps; ++step) {
    for (double& value : expected.values)
      value = double(as_result<Result>(value));
    expected = neighbour_sums(expected, extent, weights, boundaries);
  }
  EXPECT_TRUE(out.holds(expected, as_result<Result>));
  EXPECT_TRUE(
      in.holds(data, [](double value) { return static_cast<T>(value); }));
  EXPECT_EQ(Route::generic, last_route());
}
template <int R, class Exec>
void expect_float_sums(Place<R> const& extent, StencilWeights<R> const& weights,
                       Boundaries<R> const& boundaries, Random& random,
                       std::int64_t steps = 1) {
  using Right = Plain<Kokkos::LayoutRight>;
  expect_sums<float, float, R, Right, Right, Exec>(extent, weights, boundaries,
                                                   random, steps);
}

// --- boundaries --------------------------------------------------------------

template <class Exec>
void every_pair_of_faces() {
  Random random;
  SCOPED_TRACE(random.note());
  for (int low = 0; low < 6; ++low)
    for (int high = 0; high < 6; ++high) {
      if ((low == int(Boundary::periodic)) != (high == int(Boundary::periodic)))
        continue;
      auto const boundaries = Boundaries<1>::per_face(
          {Face{Boundary(low), 3}}, {Face{Boundary(high), -2}});
      for (int const radius : {1, 2, 5, 16})
        for (std::int64_t const extra : {0, 1, 2, 7, 40})
          expect_float_sums<1, Exec>({radius + extra},
                                     asymmetric<1>({radius}, random),
                                     boundaries, random);
    }
}
TYPED_TEST(Stencils, EveryPairOfFaces) { every_pair_of_faces<TypeParam>(); }

template <int R, class Exec>
void one_kind_on_all_faces(Place<R> const& extent, int radius) {
  Random random;
  SCOPED_TRACE(random.note());
  typename StencilWeights<R>::Offsets all;
  all.fill(radius);
  for (int kind = 0; kind < 6; ++kind)
    expect_float_sums<R, Exec>(extent, asymmetric<R>(all, random),
                               Boundaries<R>::all(Boundary(kind), -3), random);
}
TYPED_TEST(Stencils, OneKindOnAllFaces) {
  one_kind_on_all_faces<2, TypeParam>({17, 23}, 3);
  one_kind_on_all_faces<2, TypeParam>({70, 6}, 1);
  one_kind_on_all_faces<2, TypeParam>({2, 2}, 2);
  one_kind_on_all_faces<3, TypeParam>({5, 9, 7}, 2);
  one_kind_on_all_faces<3, TypeParam>({1, 1, 1}, 1);
}

template <int R, class Exec>
void mixed_faces(int cases, int most) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int i = 0; i < cases; ++i) {
    typename StencilWeights<R>::Offsets radius;
    Place<R> extent;
    for (int d = 0; d < R; ++d) {
      radius[d] = int(random.integer(1, 3));
      extent[d] = random.integer(radius[d], most);
    }
    expect_float_sums<R, Exec>(extent, asymmetric<R>(radius, random),
                               random_boundaries<R>(random), random);
  }
}
TYPED_TEST(Stencils, MixedFaces) {
  mixed_faces<2, TypeParam>(80, 20);
  mixed_faces<3, TypeParam>(40, 9);
}

// Where constants of two dimensions meet, the first dimension's is taken.
template <class Exec>
void constants_meet() {
  auto const boundaries = Boundaries<2>::per_dimension(
      {Face{Boundary::constant, 100}, Face{Boundary::constant, 10}});
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const in(
      HostGrid<2>({2, 2}));
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const out({2, 2});
  stencil(Exec(), in.view(), out.view(), StencilWeights<2>::box(1), boundaries);
  EXPECT_EQ(std::vector<double>(4, 3 * 100 + 2 * 10), out.values());
}
TYPED_TEST(Stencils, ConstantsMeet) { constants_meet<TypeParam>(); }

// --- weights -----------------------------------------------------------------

template <class Exec>
void weights_of_every_shape() {
  Random random;
  SCOPED_TRACE(random.note());
  auto const check_1d = [&](StencilWeights<1> const& weights) {
    expect_float_sums<1, Exec>({50}, weights, random_boundaries<1>(random),
                               random);
  };
  auto const check_2d = [&](StencilWeights<2> const& weights) {
    expect_float_sums<2, Exec>({21, 34}, weights, random_boundaries<2>(random),
                               random);
  };
  auto const check_3d = [&](StencilWeights<3> const& weights) {
    expect_float_sums<3, Exec>({8, 9, 10}, weights,
                               random_boundaries<3>(random), random);
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
TYPED_TEST(Stencils, WeightsOfEveryShape) {
  weights_of_every_shape<TypeParam>();
}

// Not flipped: the weight at offset +1 is that of the next element.
template <class Exec>
void correlation() {
  HostGrid<1> data({5});
  data.values[2] = 1;
  TestGrid<double, 1, Plain<Kokkos::LayoutRight>, Exec> const in(data);
  TestGrid<double, 1, Plain<Kokkos::LayoutRight>, Exec> const out({5});
  stencil(Exec(), in.view(), out.view(),
          StencilWeights<1>::dense(1, std::vector<double>{10, 20, 30}),
          Boundaries<1>::all(Boundary::constant));
  EXPECT_EQ((std::vector<double>{0, 30, 20, 10, 0}), out.values());
}
TYPED_TEST(Stencils, WeightsAreNotFlipped) { correlation<TypeParam>(); }

/// A value that is not finite reaches those whose weight for it is not zero.
template <class Exec>
void not_finite(double value) {
  HostGrid<2> data({9, 11});
  std::fill(data.values.begin(), data.values.end(), 1.0);
  data.at({4, 5}) = value;
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const in(data);
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const out({9, 11});
  auto const weights = StencilWeights<2>::star(2).with_centre(0);
  stencil(Exec(), in.view(), out.view(), weights,
          Boundaries<2>::all(Boundary::periodic));
  std::vector<double> const found = out.values();
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const [y, x]  = data.place(i);
    int const distance = int(std::abs(y - 4) + std::abs(x - 5));
    bool const reached = (y == 4 || x == 5) && distance != 0 && distance <= 2;
    EXPECT_EQ(!reached, std::isfinite(found[i])) << y << " " << x;
  }
}
TYPED_TEST(Stencils, ValuesThatAreNotFinite) {
  not_finite<TypeParam>(std::numeric_limits<double>::infinity());
  not_finite<TypeParam>(std::numeric_limits<double>::quiet_NaN());
}

// --- types -------------------------------------------------------------------

template <class T, class Result, class Exec>
void one_type() {
  using Right = Plain<Kokkos::LayoutRight>;
  Random random;
  SCOPED_TRACE(random.note());
  bool const whole = std::is_integral_v<T>;
  for (int i = 0; i < 4; ++i) {
    int const radius = int(random.integer(1, 3));
    expect_sums<T, Result, 2, Right, Right, Exec>(
        {random.integer(3, 30), random.integer(3, 90)},
        asymmetric<2>({radius, radius}, random, whole),
        random_boundaries<2>(random), random);
  }
}
TYPED_TEST(Stencils, FloatingTypes) {
  one_type<half_t, half_t, TypeParam>();
  one_type<bhalf_t, bhalf_t, TypeParam>();
  one_type<half_t, float, TypeParam>();
  one_type<float, half_t, TypeParam>();
  one_type<double, double, TypeParam>();
  one_type<float, double, TypeParam>();
  one_type<double, float, TypeParam>();
}
TYPED_TEST(Stencils, IntegerTypes) {
  one_type<std::int8_t, std::int8_t, TypeParam>();
  one_type<std::uint8_t, std::uint8_t, TypeParam>();
  one_type<std::uint8_t, std::int32_t, TypeParam>();
  one_type<std::int16_t, std::int16_t, TypeParam>();
  one_type<bool, std::int8_t, TypeParam>();
  one_type<std::int32_t, std::int32_t, TypeParam>();
  one_type<std::uint32_t, std::uint32_t, TypeParam>();
  one_type<std::int32_t, std::int64_t, TypeParam>();
  one_type<std::int64_t, std::int64_t, TypeParam>();
  one_type<std::uint64_t, std::uint64_t, TypeParam>();
}

// Types of the sums: what a functor of StencilPolicy gets.
static_assert(
    std::is_same_v<float, Impl::stencil_accumulator_t<void, half_t, half_t>>);
static_assert(
    std::is_same_v<std::int32_t, Impl::stencil_accumulator_t<void, std::uint8_t,
                                                             std::uint8_t>>);
static_assert(std::is_same_v<std::int32_t,
                             Impl::stencil_accumulator_t<void, bool, bool>>);
static_assert(std::is_same_v<
              std::uint32_t,
              Impl::stencil_accumulator_t<void, std::uint32_t, std::uint32_t>>);
static_assert(std::is_same_v<
              float, Impl::stencil_accumulator_t<void, std::uint8_t, float>>);
static_assert(std::is_same_v<
              double, Impl::stencil_accumulator_t<void, std::int32_t, float>>);
static_assert(
    std::is_same_v<
        double, Impl::stencil_accumulator_t<double, std::int8_t, std::int8_t>>);

// Bytes are averaged in float when the output asks for it, or the caller does.
template <class Exec>
void averages_of_bytes() {
  HostGrid<1> data({4});
  data.values = {200, 100, 250, 3};
  TestGrid<std::uint8_t, 1, Plain<Kokkos::LayoutRight>, Exec> const in(data);
  auto const weights =
      StencilWeights<1>::dense(1, std::vector<double>{.25, .5, .25});
  auto const nearest = Boundaries<1>::all(Boundary::nearest);
  TestGrid<float, 1, Plain<Kokkos::LayoutRight>, Exec> const out({4});
  stencil(Exec(), in.view(), out.view(), weights, nearest);
  EXPECT_EQ((std::vector<double>{175, 162.5, 150.75, 64.75}), out.values());
  TestGrid<half_t, 1, Plain<Kokkos::LayoutRight>, Exec> const small({4});
  stencil<double>(Exec(), in.view(), small.view(), weights, nearest);
  EXPECT_EQ((std::vector<double>{175, 162.5, 150.75, 64.75}), small.values());
}
TYPED_TEST(Stencils, AveragesOfBytes) { averages_of_bytes<TypeParam>(); }

/// Random numbers: within the error that so many additions may have.
template <class T, class Exec>
void random_numbers(double accumulator_epsilon) {
  Random random;
  SCOPED_TRACE(random.note());
  HostGrid<2> data({40, 50});
  for (double& value : data.values)
    value = double(static_cast<T>(random.normal()));
  std::vector<double> values(49);
  for (double& value : values) value = double(float(random.normal()));
  auto const weights    = StencilWeights<2>::dense(3, values);
  auto const boundaries = random_boundaries<2>(random, false);
  TestGrid<T, 2, Plain<Kokkos::LayoutRight>, Exec> const in(data);
  TestGrid<T, 2, Plain<Kokkos::LayoutRight>, Exec> const out({40, 50});
  stencil(Exec(), in.view(), out.view(), weights, boundaries);
  auto const exact = neighbour_sums(data, data.extent, weights, boundaries);
  auto const size =
      neighbour_sums(data, data.extent, weights, boundaries, true);
  std::vector<double> const found = out.values();
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - exact.values[i]),
              50 * accumulator_epsilon * size.values[i] +
                  epsilon<T> * std::abs(exact.values[i]) +
                  1e-7 * (sizeof(T) == 2))
        << i;
}
TYPED_TEST(Stencils, RandomNumbers) {
  random_numbers<half_t, TypeParam>(epsilon<float>);
  random_numbers<float, TypeParam>(epsilon<float>);
  random_numbers<double, TypeParam>(epsilon<double>);
}

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
TYPED_TEST(Stencils, Layouts) {
  every_layout<1, TypeParam>();
  every_layout<2, TypeParam>();
  every_layout<3, TypeParam>();
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
TYPED_TEST(Stencils, ExtentsOfTheType) { extents_of_the_type<TypeParam>(); }

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
TYPED_TEST(Stencils, ColumnsOfOneView) { columns_of_one_view<TypeParam>(); }

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
TYPED_TEST(Stencils, SeveralSteps) {
  several_steps<1, TypeParam>({19});
  several_steps<2, TypeParam>({7, 12});
  several_steps<3, TypeParam>({4, 5, 6});
}

// What lies between two steps has the type of the output.
TYPED_TEST(Stencils, StepsBetweenTypes) {
  using Right = Plain<Kokkos::LayoutRight>;
  Random random;
  SCOPED_TRACE(random.note());
  for (std::int64_t const steps : {1, 2, 3}) {
    expect_sums<float, half_t, 2, Right, Right, TypeParam>(
        {12, 15}, asymmetric<2>({1, 1}, random),
        random_boundaries<2>(random, false), random, steps);
    expect_sums<std::int8_t, std::int32_t, 2, Right, Right, TypeParam>(
        {12, 15}, asymmetric<2>({1, 1}, random, true),
        random_boundaries<2>(random, false), random, steps);
  }
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
TYPED_TEST(Stencils, EmptyGrids) { EXPECT_NO_THROW(empty_grids<TypeParam>()); }

}  // namespace
