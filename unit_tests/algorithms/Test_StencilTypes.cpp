// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: types of elements, results and sums.

#include "StencilCases.hpp"

#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilTypes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilTypes, ExecutionSpaces);

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
TYPED_TEST(StencilTypes, FloatingTypes) {
  one_type<half_t, half_t, TypeParam>();
  one_type<bhalf_t, bhalf_t, TypeParam>();
  one_type<half_t, float, TypeParam>();
  one_type<float, half_t, TypeParam>();
  one_type<double, double, TypeParam>();
  one_type<float, double, TypeParam>();
  one_type<double, float, TypeParam>();
}
TYPED_TEST(StencilTypes, IntegerTypes) {
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
TYPED_TEST(StencilTypes, AveragesOfBytes) { averages_of_bytes<TypeParam>(); }

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
  auto const exact = neighbour_sums(data, data.extent, weights, boundaries);
  auto const size =
      neighbour_sums(data, data.extent, weights, boundaries, true);
  on_every_route<Exec>(in.view(), out.view(), weights, boundaries,
                       [&](Settings const& settings) {
                         stencil(Exec(), in.view(), out.view(), weights,
                                 boundaries, 1, settings);
                         std::vector<double> const found = out.values();
                         for (std::size_t i = 0; i < found.size(); ++i)
                           ASSERT_LE(
                               std::abs(found[i] - exact.values[i]),
                               50 * accumulator_epsilon * size.values[i] +
                                   epsilon<T> * std::abs(exact.values[i]) +
                                   1e-7 * (sizeof(T) == 2))
                               << i;
                       });
}
TYPED_TEST(StencilTypes, RandomNumbers) {
  random_numbers<half_t, TypeParam>(epsilon<float>);
  random_numbers<float, TypeParam>(epsilon<float>);
  random_numbers<double, TypeParam>(epsilon<double>);
}

// What lies between two steps has the type of the output.
TYPED_TEST(StencilTypes, StepsBetweenTypes) {
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

}  // namespace
