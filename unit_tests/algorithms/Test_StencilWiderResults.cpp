// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of bytes into wider types against a loop on the host.

#include "StencilCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

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

}  // namespace
