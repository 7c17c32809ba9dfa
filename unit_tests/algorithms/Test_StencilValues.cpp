// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of every type of elements and results against a loop on the host,
// and the bits of several steps.

#include "StencilFloatCases.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

// With Cuda each part is a source: nvcc takes a minute for the kernels of a
// pair of types.
#ifndef KOKKOSMMA_PART
#define KOKKOSMMA_PART 0
#endif
#define IN_PART(n) (KOKKOSMMA_PART == 0 || KOKKOSMMA_PART == n)

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

#if IN_PART(1)
KOKKOSMMA_TEST_EVERY_SPACE(StencilBhalves);

TYPED_TEST(StencilBhalves, OneType) { one_type<bhalf_t, bhalf_t, TypeParam>(); }
TYPED_TEST(StencilBhalves, WeightsWithoutStructure) {
  weights_without_structure<bhalf_t, TypeParam>();
}
TYPED_TEST(StencilBhalves, ProductsOfFractions) {
  products_of_fractions<bhalf_t, TypeParam>();
}
TYPED_TEST(StencilBhalves, BitsOfSteps) {
  steps_of<bhalf_t, Plain<Right>, TypeParam>({star, dense}, 6);
}
#endif

#if IN_PART(2)
KOKKOSMMA_TEST_EVERY_SPACE(StencilBytes);

TYPED_TEST(StencilBytes, EveryPairOfTypes) {
  one_type<std::int8_t, std::int8_t, TypeParam>();
  one_type<bool, std::int8_t, TypeParam>();
}

TYPED_TEST(StencilBytes, FactorsOfAnySize) {
  factors_of_any_size<std::int8_t, std::int8_t, TypeParam>();
}
#endif

#if IN_PART(3)
KOKKOSMMA_TEST_EVERY_SPACE(StencilDoubles);

TYPED_TEST(StencilDoubles, OneType) {
  one_type<double, double, TypeParam>();
  products_of_rows_anywhere<double, TypeParam>();
}
TYPED_TEST(StencilDoubles, WeightsWithoutStructure) {
  weights_without_structure<double, TypeParam>();
}
TYPED_TEST(StencilDoubles, Steps) {
  steps_at_every_boundary<double, 2, Plain<Right>, TypeParam>(30);
  steps_of<double, Plain<Right>, TypeParam>(
      {star, dense, sparse, product, mean}, 14);
  steps_on_a_larger_grid<double, TypeParam>({1501, 900}, product, 2, 7);
}
#endif

#if IN_PART(4)
KOKKOSMMA_TEST_EVERY_SPACE(StencilFloats);

TYPED_TEST(StencilFloats, WeightsWithoutStructure) {
  weights_without_structure<float, TypeParam>();
}
TYPED_TEST(StencilFloats, ProductsOfFractions) {
  products_of_fractions<float, TypeParam>();
}
TYPED_TEST(StencilFloats, BitsOfSteps) {
  steps_of<float, Plain<Right>, TypeParam>({star, dense, sparse, product, mean},
                                           14);
  steps_of_updates<float, Plain<Right>, TypeParam>(14);
  steps_on_a_larger_grid<float, TypeParam>({900, 1501}, star, 1, 9);
}
#endif

#if IN_PART(5)
KOKKOSMMA_TEST_EVERY_SPACE(StencilFramed);

TYPED_TEST(StencilFramed, BitsOfSteps) {
  steps_of<float, Framed<Right>, TypeParam>({star, product}, 8);
  steps_of<double, Framed<Left>, TypeParam>({star, dense}, 8);
  steps_of_updates<double, Framed<Left>, TypeParam>(14);
}
#endif

#if IN_PART(6)
KOKKOSMMA_TEST_EVERY_SPACE(StencilHalves);

TYPED_TEST(StencilHalves, OneType) {
  one_type<half_t, half_t, TypeParam>();
  products_of_rows_anywhere<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, WeightsWithoutStructure) {
  weights_without_structure<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, ProductsOfFractions) {
  products_of_fractions<half_t, TypeParam>();
}
TYPED_TEST(StencilHalves, BitsOfSteps) {
  steps_of<half_t, Plain<Right>, TypeParam>(
      {star, dense, sparse, product, mean}, 14);
}
#endif

#if IN_PART(7)
KOKKOSMMA_TEST_EVERY_SPACE(StencilIntegers);

TYPED_TEST(StencilIntegers, EveryPairOfTypes) {
  for_types<Pair<std::int16_t, std::int16_t>, Pair<std::uint8_t, std::uint8_t>,
            Pair<std::uint32_t, std::uint32_t>>(
      []<class A, class B>(Pair<A, B>) { one_type<A, B, TypeParam>(); });
}
TYPED_TEST(StencilIntegers, FactorsOfAnySize) {
  factors_of_any_size<std::uint8_t, std::uint8_t, TypeParam>();
}

// Types of the sums: what a functor of StencilPolicy gets.
template <class Sum, class T, class Result, class Accumulator = void>
inline constexpr bool sums_in =
    std::is_same_v<Sum, Impl::stencil_accumulator_t<Accumulator, T, Result>>;
static_assert(sums_in<float, half_t, half_t>);
static_assert(sums_in<std::int32_t, std::uint8_t, std::uint8_t>);
static_assert(sums_in<std::int32_t, bool, bool>);
static_assert(sums_in<std::uint32_t, std::uint32_t, std::uint32_t>);
static_assert(sums_in<float, std::uint8_t, float>);
static_assert(sums_in<double, std::int32_t, float>);
static_assert(sums_in<double, std::int64_t, float>);
static_assert(sums_in<double, std::int8_t, std::int8_t, double>);
#endif

#if IN_PART(8)
KOKKOSMMA_TEST_EVERY_SPACE(StencilLongIntegers);

TYPED_TEST(StencilLongIntegers, EveryPairOfTypes) {
  for_types<Pair<std::int32_t, std::int64_t>, Pair<std::int64_t, std::int64_t>,
            Pair<std::uint64_t, std::uint64_t>>(
      []<class A, class B>(Pair<A, B>) { one_type<A, B, TypeParam>(); });
}
#endif

#if IN_PART(9)
KOKKOSMMA_TEST_EVERY_SPACE(StencilMixedTypes);

TYPED_TEST(StencilMixedTypes, IntoWiderTypes) {
  one_type<half_t, float, TypeParam>();
  one_type<float, double, TypeParam>();
}
// What lies between two steps has the type of the output.
TYPED_TEST(StencilMixedTypes, Steps) {
  steps_between_types<half_t, float, TypeParam>();
}
#endif

#if IN_PART(10)
KOKKOSMMA_TEST_EVERY_SPACE(StencilVolumeProducts);

TYPED_TEST(StencilVolumeProducts, BitsOfStepsOfHalves) {
  steps_of_products<half_t, Plain<Right>, TypeParam>();
  steps_of_products<half_t, Framed<Right>, TypeParam>();
}
#endif

#if IN_PART(11)
KOKKOSMMA_TEST_EVERY_SPACE(StencilVolumes);

TYPED_TEST(StencilVolumes, BitsOfSteps) {
  Random random;
  auto const star = StencilWeights<3>::star(1);
  for (int i = 0; i < 16; ++i) {
    std::vector<double> values(star.values().begin(), star.values().end());
    for (double& value : values) value *= random.uniform(-.2, .3);
    expect_bits_of_steps<float, 3, Plain<Right>, TypeParam>(
        {random.integer(4, 30), random.integer(4, 40), random.integer(4, 150)},
        StencilWeights<3>::dense(1, values),
        i < 8 ? Boundaries<3>::all(Boundary(i / 4), .3)
              : random_boundaries<3>(random, false),
        random.integer(2, 6), random);
  }
}
TYPED_TEST(StencilVolumes, BitsOfStepsOfProducts) {
  steps_of_products<bhalf_t, Framed<Right>, TypeParam>();
  steps_of_products<float, Framed<Right>, TypeParam>();
}
/// Sums of neighbours leave the type, their average does not.
TYPED_TEST(StencilVolumes, AveragesOfLargeSmallFloats) {
  HostGrid<3> large({9, 10, 64});
  for (double& value : large.values) value = 1e38;
  Grid<bhalf_t, 3, TypeParam> const in(large), out(large.extent);
  std::vector<double> const mean(27, 1. / 27);
  stencil(TypeParam(), in.view(), out.view(), StencilWeights<3>::dense(1, mean),
          Boundaries<3>::all(Boundary::nearest));
  for (double const value : out.values()) ASSERT_NEAR(value, 1e38, 2e36);
}
#endif

#if IN_PART(12)
KOKKOSMMA_TEST_EVERY_SPACE(StencilWiderResults);

TYPED_TEST(StencilWiderResults, Integers) {
  one_type<std::int32_t, std::int32_t, TypeParam>();
  one_type<std::uint8_t, std::int32_t, TypeParam>();
  factors_of_any_size<std::uint8_t, std::int32_t, TypeParam>();
}

// Bytes are averaged in float when the output is float, or the caller requests
// float.
TYPED_TEST(StencilWiderResults, AveragesOfBytes) {
  HostGrid<1> data({4});
  data.values = {200, 100, 250, 3};
  Grid<std::uint8_t, 1, TypeParam> const in(data);
  auto const weights =
      StencilWeights<1>::dense(1, std::vector<double>{.25, .5, .25});
  auto const nearest = Boundaries<1>::all(Boundary::nearest);
  Grid<float, 1, TypeParam> const out({4});
  std::vector<double> const expected = {175, 162.5, 150.75, 64.75};
  stencil(TypeParam(), in.view(), out.view(), weights, nearest);
  EXPECT_EQ(expected, out.values());
  Grid<half_t, 1, TypeParam> const small({4});
  stencil<double>(TypeParam(), in.view(), small.view(), weights, nearest);
  EXPECT_EQ(expected, small.values());
}

TYPED_TEST(StencilWiderResults, StepsBetweenTypes) {
  steps_between_types<std::uint8_t, std::int32_t, TypeParam>();
}
#endif

}  // namespace
