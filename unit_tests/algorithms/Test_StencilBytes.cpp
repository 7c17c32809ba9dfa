// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of bytes against a loop on the host.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilBytes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilBytes, ExecutionSpaces);

TYPED_TEST(StencilBytes, EveryPairOfTypes) {
  one_type<std::int8_t, std::int8_t, TypeParam>();
  one_type<std::uint8_t, std::uint8_t, TypeParam>();
  one_type<std::uint8_t, std::int32_t, TypeParam>();
  one_type<bool, std::int8_t, TypeParam>();
}

// Bytes are averaged in float when the output asks for it, or the caller does.
TYPED_TEST(StencilBytes, AveragesOfBytes) {
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

TYPED_TEST(StencilBytes, StepsBetweenTypes) {
  steps_between_types<std::uint8_t, std::int32_t, TypeParam>();
}

// Of results of a byte, the lowest byte of the weights is all that matters: so
// tensor cores take factors that are no bytes.
template <class T, class Result, class Exec>
void factors_of_any_size() {
  SeededRandom random;
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
    expect_row_sums<T, Result, 2, Exec>(extent, weights,
                                        random_boundaries<2>(random), random);
    // Sums of wider results are no longer exact in the reference's doubles.
    if (sizeof(Result) == 1)
      expect_row_sums<T, Result, 2, Exec>(
          extent, weights, random_boundaries<2>(random, false), random, 2);
    Grid<T, 2, Exec> const in(extent);
    Grid<Result, 2, Exec> const out(extent);
    stencil(Exec(), in.view(), out.view(), weights,
            Boundaries<2>::all(Boundary::nearest));
    EXPECT_EQ(!on_cuda<Exec>        ? Route::generic
              : sizeof(Result) == 1 ? Route::mma
                                    : Route::streamed,
              last_route());
  }
}
TYPED_TEST(StencilBytes, FactorsOfAnySize) {
  factors_of_any_size<std::uint8_t, std::uint8_t, TypeParam>();
  factors_of_any_size<std::int8_t, std::int8_t, TypeParam>();
  factors_of_any_size<std::uint8_t, std::int32_t, TypeParam>();
}

}  // namespace
