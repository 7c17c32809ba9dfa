// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans of stencils: the bits of stencil() for every View that a plan is for,
// and errors for all others.

#include "StencilSupport.hpp"

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Random.hpp>
#include <KokkosMMA_Recorder.hpp>

#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilPlans);

template <int R>
HostGrid<R> uniform(Place<R> const& extent, Random& random) {
  HostGrid<R> grid(extent);
  for (double& value : grid.values) value = random.uniform(-1, 1);
  return grid;
}

/// One plan, called to and fro, writes the bits of two calls of stencil().
template <class T, int R, class Exec>
void expect_calls_agree(Place<R> const& extent,
                        StencilWeights<R> const& weights, std::int64_t steps,
                        Random& random) {
  Exec const exec;
  auto const periodic = Boundaries<R>::all(Boundary::periodic);
  Grid<T, R, Exec> const planned_in(uniform<R>(extent, random));
  Grid<T, R, Exec> const planned_out(extent);
  Grid<T, R, Exec> const called_in(uniform<R>(extent, random));
  Grid<T, R, Exec> const called_out(extent);
  Kokkos::deep_copy(called_in.view(), planned_in.view());

  auto const plan = plan_stencil(exec, planned_in.view(), planned_out.view(),
                                 weights, periodic, steps);
  EXPECT_TRUE(planned_out.is_untouched());
  plan(exec, planned_in.view(), planned_out.view());
  EXPECT_FALSE(planned_out.is_untouched());
  plan(exec, planned_out.view(), planned_in.view());
  stencil(exec, called_in.view(), called_out.view(), weights, periodic, steps);
  Route const route = last_route();
  stencil(exec, called_out.view(), called_in.view(), weights, periodic, steps);
  EXPECT_EQ(route, plan.route());
  EXPECT_EQ(called_out.values(), planned_out.values());
  EXPECT_EQ(called_in.values(), planned_in.values());
}

TYPED_TEST(StencilPlans, CallsWriteTheBitsOfStencil) {
  Random random;
  for (std::int64_t const steps : {1, 5}) {
    expect_calls_agree<float, 1, TypeParam>({1000}, StencilWeights<1>::box(3),
                                            steps, random);
    expect_calls_agree<float, 2, TypeParam>(
        {67, 130}, StencilWeights<2>::star(1), steps, random);
    expect_calls_agree<double, 2, TypeParam>(
        {64, 128}, StencilWeights<2>::box(2), steps, random);
    expect_calls_agree<float, 3, TypeParam>(
        {20, 24, 32}, StencilWeights<3>::star(1), steps, random);
    expect_calls_agree<double, 3, TypeParam>(
        {20, 21, 32}, StencilWeights<3>::box(4), steps, random);
  }
}

/// A plan for rows of one alignment serves rows of another.
TYPED_TEST(StencilPlans, OtherAlignments) {
  using Exec = TypeParam;
  using View = Kokkos::View<float**, Kokkos::LayoutStride, Exec>;
  Random random;
  Place<2> const extent{40, 64};
  HostGrid<2> const values = uniform<2>(extent, random);
  auto const weights       = StencilWeights<2>::box(9);
  auto const mirror        = Boundaries<2>::all(Boundary::mirror);

  using Aligned   = Grid<float, 2, Exec>;
  using Unaligned = TestGrid<float, 2, Framed<Kokkos::LayoutRight>, Exec>;
  // The route, and so the bits, may depend on the alignment of both Views.
  Aligned const aligned_in(values), aligned_called(extent);
  Unaligned const framed_in(values), framed_called(extent);
  Exec const exec;
  for (bool const from_aligned : {true, false}) {
    Aligned const aligned_out(extent);
    Unaligned const framed_out(extent);
    View const in(aligned_in.view()), out(aligned_out.view());
    View const other_in(framed_in.view()), other_out(framed_out.view());
    auto const plan =
        from_aligned ? plan_stencil(exec, in, out, weights, mirror)
                     : plan_stencil(exec, other_in, other_out, weights, mirror);
    plan(exec, in, out);
    EXPECT_FALSE(aligned_out.is_untouched());
    stencil(exec, in, View(aligned_called.view()), weights, mirror);
    EXPECT_EQ(aligned_called.values(), aligned_out.values());
    plan(exec, other_in, other_out);
    EXPECT_FALSE(framed_out.is_untouched());
    stencil(exec, other_in, View(framed_called.view()), weights, mirror);
    EXPECT_EQ(framed_called.values(), framed_out.values());
  }
}

/// A plan outlives the Views that it was made with, and runs on any instance.
TYPED_TEST(StencilPlans, KeepNoViewAndNoInstance) {
  using Exec = TypeParam;
  Place<2> const extent{32, 48};
  auto const weights = StencilWeights<2>::box(1);
  auto const zeros   = Boundaries<2>::all(Boundary::constant);
  HostGrid<2> ones(extent);
  for (double& value : ones.values) value = 1;
  auto const plan = [&] {
    Grid<float, 2, Exec> const in(ones), out(extent);
    auto const made =
        plan_stencil(Exec(), in.view(), out.view(), weights, zeros);
    // The grid and the View that is asked.
    EXPECT_EQ(2, in.view().use_count());
    return made;
  }();
  HostGrid<2> const expected = neighbour_sums(ones, extent, weights, zeros);
  for (Exec const& exec : make_instances<Exec>(3)) {
    Grid<float, 2, Exec> const in(ones), out(extent);
    plan(exec, in.view(), out.view());
    exec.fence();
    EXPECT_TRUE(out.holds(expected, as_result<float>));
  }
}

TYPED_TEST(StencilPlans, KeepTheirLabel) {
  Grid<float, 2, TypeParam> const in({64, 64}), out({64, 64});
  TypeParam const exec;
  std::string label = "a label that is longer than a short string";
  auto const plan =
      plan_stencil(exec, in.view(), out.view(), StencilWeights<2>::box(1),
                   Boundaries<2>::all(Boundary::periodic), 1, {.label = label});
  std::vector<std::string> const expected = {"begin for " + label, "end"};
  label.assign(label.size(), '?');
  Recorder const recorder;
  plan(exec, in.view(), out.view());
  EXPECT_EQ(expected, Recorder::events);
}

TYPED_TEST(StencilPlans, ExplainTheirCalls) {
  using Exec = TypeParam;
  Grid<float, 2, Exec> const in({64, 64}), out({64, 64});
  auto const weights  = StencilWeights<2>::star(1);
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  Exec const exec;
  std::string planned;
  std::string const text = explain([&] {
    auto const plan =
        plan_stencil(exec, in.view(), out.view(), weights, periodic, 4);
    planned = explain([&] { plan(exec, in.view(), out.view()); });
    plan(exec, in.view(), out.view());
  });
  EXPECT_EQ(explain([&] {
              stencil(exec, in.view(), out.view(), weights, periodic, 4);
            }),
            text);
  EXPECT_EQ(text, planned);
  EXPECT_TRUE(out.is_untouched());
}

TYPED_TEST(StencilPlans, RefuseOtherViews) {
  using Exec = TypeParam;
  using View = Kokkos::View<float**, Kokkos::LayoutStride, Exec>;
  Grid<float, 2, Exec> const in({16, 20}), out({16, 20}), larger({16, 24});
  auto const weights  = StencilWeights<2>::box(1);
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  Exec const exec;
  auto const plan =
      plan_stencil(exec, View(in.view()), View(out.view()), weights, periodic);
  auto const refuses = [&](std::vector<std::string> parts, View const& from,
                           View const& to) {
    parts.push_back("KokkosMMA::plan_stencil: ");
    expect_error(parts, [&] { plan(exec, from, to); });
    EXPECT_TRUE(out.is_untouched());
    EXPECT_TRUE(larger.is_untouched());
  };
  refuses({"a grid of 16 x 20", "\"grid\" has 16 x 24"}, in.view(),
          larger.view());
  refuses({"in \"grid\" of 16 x 24", "extent 24", "make it 20"}, larger.view(),
          out.view());
  refuses({"share"}, out.view(), out.view());
  TestGrid<float, 2, Plain<Kokkos::LayoutLeft>, Exec> const by_columns(
      {16, 20});
  refuses({"the order of those"}, by_columns.view(), out.view());
  Grid<float, 2, Exec> const small({4, 20});
  expect_error({"KokkosMMA::plan_stencil: ", "radius 5"}, [&] {
    plan_stencil(exec, small.view(), small.view(), StencilWeights<2>::box(5),
                 periodic);
  });
  expect_error({"KokkosMMA::plan_stencil: ", "steps is 0"}, [&] {
    plan_stencil(exec, in.view(), out.view(), weights, periodic, 0);
  });
}

}  // namespace
