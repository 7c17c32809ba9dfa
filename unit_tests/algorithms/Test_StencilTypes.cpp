// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils against a loop on the host: floating-point elements, results and
// sums.

#include "StencilCases.hpp"

#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilTypes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilTypes, ExecutionSpaces);

TYPED_TEST(StencilTypes, FloatingTypes) {
  one_type<half_t, half_t, TypeParam>();
  one_type<bhalf_t, bhalf_t, TypeParam>();
  one_type<half_t, float, TypeParam>();
  one_type<double, double, TypeParam>();
  one_type<float, double, TypeParam>();
}
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
TYPED_TEST(StencilTypes, StepsOfDoubles) {
  steps_at_every_face<double, 2, Plain<Kokkos::LayoutRight>, TypeParam>(30);
}
TYPED_TEST(StencilTypes, StepsBetweenTypes) {
  steps_between_types<float, half_t, TypeParam>();
}

}  // namespace
