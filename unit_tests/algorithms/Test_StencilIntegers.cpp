// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: integers, and the types of sums.

#include "StencilCases.hpp"

#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilIntegers : public ::testing::Test {};
TYPED_TEST_SUITE(StencilIntegers, ExecutionSpaces);

TYPED_TEST(StencilIntegers, EveryType) {
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
static_assert(std::is_same_v<
              double, Impl::stencil_accumulator_t<void, std::int64_t, float>>);
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
TYPED_TEST(StencilIntegers, AveragesOfBytes) { averages_of_bytes<TypeParam>(); }

// What lies between two steps has the type of the output.
template <class T, class Result, class Exec>
void steps_between_types() {
  using Right = Plain<Kokkos::LayoutRight>;
  Random random;
  SCOPED_TRACE(random.note());
  for (std::int64_t const steps : {1, 2, 3})
    expect_sums<T, Result, 2, Right, Right, Exec>(
        {12, 15}, asymmetric<2>({1, 1}, random, std::is_integral_v<T>),
        random_boundaries<2>(random, false), random, steps);
}
TYPED_TEST(StencilIntegers, StepsBetweenTypes) {
  steps_between_types<std::uint8_t, std::int32_t, TypeParam>();
}

// Of results of a byte, the lowest byte of the weights is all that matters: so
// tensor cores take factors that are no bytes.
template <class T, class Result, class Exec>
void factors_of_any_size() {
  using Right = Plain<Kokkos::LayoutRight>;
  Random random;
  SCOPED_TRACE(random.note());
  for (int const radius : {1, 5, 7, 9}) {
    std::vector<double> factors[2];
    for (auto& factor : factors)
      for (int i = 0; i < 2 * radius + 1; ++i)
        factor.push_back(double(random.integer(1, 3000)) *
                         (random.integer(0, 1) == 0 ? 1 : -1));
    std::vector<double> values;
    for (double const a : factors[0])
      for (double const b : factors[1]) values.push_back(a * b);
    auto const weights    = StencilWeights<2>::dense(radius, values);
    Place<2> const extent = {30, 70};
    expect_sums<T, Result, 2, Right, Right, Exec>(
        extent, weights, random_boundaries<2>(random), random);
    // Sums of wider results are no longer exact in the reference's doubles.
    if (sizeof(Result) == 1)
      expect_sums<T, Result, 2, Right, Right, Exec>(
          extent, weights, random_boundaries<2>(random, false), random, 2);
    TestGrid<T, 2, Right, Exec> const in(extent);
    TestGrid<Result, 2, Right, Exec> const out(extent);
    stencil(Exec(), in.view(), out.view(), weights,
            Boundaries<2>::all(Boundary::nearest));
    EXPECT_EQ(!on_cuda<Exec>        ? Route::generic
              : sizeof(Result) == 1 ? Route::mma
                                    : Route::streamed,
              last_route());
  }
}
TYPED_TEST(StencilIntegers, FactorsOfAnySize) {
  factors_of_any_size<std::uint8_t, std::uint8_t, TypeParam>();
  factors_of_any_size<std::int8_t, std::int8_t, TypeParam>();
  factors_of_any_size<std::uint8_t, std::int32_t, TypeParam>();
}

}  // namespace
