// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The route is a constant expression: most of this is checked by compiling it.

#include <core/KokkosMMA_RouteStencil.hpp>

#include <gtest/gtest.h>

namespace {

using namespace KokkosMMA;

constexpr Capability h200{true, 90, 132};
constexpr Capability host{};

constexpr StencilProblem box_of_halfs() {
  StencilProblem problem;
  problem.rank        = 2;
  problem.input       = Scalar::half;
  problem.accumulator = Scalar::float32;
  problem.radius      = 7;
  problem.taps        = 225;
  problem.box_of_ones = true;
  problem.contiguous  = true;
  problem.size        = 1 << 20;
  return problem;
}
constexpr bool says(Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos &&
         !refusal.source.empty();
}
constexpr StencilProblem of_shorts() {
  StencilProblem problem = box_of_halfs();
  problem.input          = Scalar::opaque;
  return problem;
}

static_assert(says(refuse_stencil(box_of_halfs(), host), "not Cuda"));
static_assert(says(refuse_stencil(box_of_halfs(), h200), "no kernel"));
static_assert(says(refuse_stencil(of_shorts(), h200), "element type"));
static_assert(route_stencil(box_of_halfs(), host, {}).route == Route::generic);
static_assert(route_stencil(box_of_halfs(), h200, {}).route == Route::generic);

// Forced: the route is what was asked for, the refusal says that it cannot run.
static_assert(!refusal_of(route_stencil(box_of_halfs(), host,
                                        Settings{Route::generic})));
static_assert(says(refusal_of(route_stencil(box_of_halfs(), h200,
                                            Settings{Route::mma})),
                   "no kernel"));
static_assert(says(refusal_of(route_stencil(box_of_halfs(), host,
                                            Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteStencil, DecisionAsText) {
  EXPECT_EQ(
      "route generic; not mma: the execution space is not Cuda (DESIGN section "
      "4); not streamed: the execution space is not Cuda (DESIGN section 4)",
      to_string(route_stencil(box_of_halfs(), host, {})));
}

}  // namespace
