// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// StencilPolicy under Kokkos::parallel_for: what the functor gets, once per
// element; what Kokkos Tools see; routes and explanations.

#include "StencilFunctors.hpp"

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Recorder.hpp>

#include <algorithm>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

struct Middle {
  KOKKOS_FUNCTION float operator()(std::int64_t, std::int64_t, float value,
                                   float sum) const {
    return (value + sum) / 2;
  }
};

KOKKOSMMA_TEST_EVERY_SPACE(StencilInterface);

/// Every element was called so many times.
template <class Value, class Exec>
void expect_calls(KeepSums<Value, 2, Exec> const& kept, int expected) {
  auto const calls = host_copy(kept.calls);
  for (std::size_t i = 0; i < calls.extent(0); ++i)
    for (std::size_t j = 0; j < calls.extent(1); ++j)
      ASSERT_EQ(expected, calls(i, j));
}

TYPED_TEST(StencilInterface, FunctorsOfEveryLayout) {
  using Right = Kokkos::LayoutRight;
  using Left  = Kokkos::LayoutLeft;
  calls_of_functors<float, float, 2, Right, TypeParam>({300, 7}, 1);
  calls_of_functors<float, float, 2, Left, TypeParam>({31, 40}, 5);
}

// Without a label, with an accumulator of the caller's, many times over with
// other Views, and as a copy.
TYPED_TEST(StencilInterface, FormsOfCalls) {
  HostGrid<1> data({6});
  data.values = {1, 2, 3, 4, 5, 6};
  Grid<std::int8_t, 1, TypeParam> const x(data);
  auto const half = StencilWeights<1>::dense(1, std::vector<double>{.5, 0, .5});
  auto const nearest = Boundaries<1>::all(Boundary::nearest);
  auto const kept    = keep_sums<double, 1, TypeParam>({6});
  auto const x_view  = x.view();
  StencilPolicy<TypeParam, std::remove_const_t<decltype(x_view)>, double> const
      policy(TypeParam(), x_view, half, nearest);
  auto const expected = neighbour_sums(data, {6}, half, nearest);
  Kokkos::parallel_for(policy, kept);
  expect_kept(kept, expected);

  auto const again = policy;
  auto const twice = keep_sums<double, 1, TypeParam>({6});
  Kokkos::parallel_for("again", again, twice);
  expect_kept(twice, expected);

  Grid<float, 1, TypeParam> const in(data), out({6});
  auto const of_floats = StencilPolicy(TypeParam(), in.view(), half, nearest);
  stencil(TypeParam(), in.view(), out.view(), of_floats, 2);
  EXPECT_TRUE(out.holds(neighbour_sums(expected, {6}, half, nearest),
                        as_result<float>));
}

// What is deduced, and what explicit arguments say.
TYPED_TEST(StencilInterface, TypesOfPolicies) {
  using X = Kokkos::View<std::uint8_t**, TypeParam>;
  X const x("x", 5, 6);
  auto const box   = StencilWeights<2>::box(1);
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  StencilPolicy const deduced(TypeParam(), x, box, torus);
  static_assert(std::is_same_v<StencilPolicy<TypeParam, X>,
                               std::remove_const_t<decltype(deduced)>>);
  static_assert(
      std::is_same_v<std::int32_t, typename decltype(deduced)::value_type>);
  static_assert(decltype(deduced)::rank == 2);
  static_assert(Kokkos::is_execution_policy_v<StencilPolicy<TypeParam, X>>);
  StencilPolicy const with_settings(TypeParam(), x, box, torus,
                                    Settings{Route::generic});
  static_assert(std::is_same_v<decltype(deduced), decltype(with_settings)>);
  EXPECT_EQ(Route::generic, with_settings.route());
  StencilPolicy<TypeParam, X, float> const in_float(TypeParam(), x, box, torus);
  static_assert(std::is_same_v<float, typename decltype(in_float)::value_type>);
  EXPECT_EQ(box, in_float.weights());
  EXPECT_EQ(torus, in_float.boundaries());
}

/// stencil() takes the boundaries from a policy, whose elements it does not
/// read: their type must not round the constants.
TYPED_TEST(StencilInterface, ConstantsOfPolicies) {
  using X          = Kokkos::View<float*, TypeParam>;
  auto const star  = StencilWeights<1>::star(1);
  auto const tenth = Boundaries<1>::all(Boundary::constant, 0.1);
  StencilPolicy<TypeParam, X, double> const policy(TypeParam(), X("x", 4), star,
                                                   tenth);
  EXPECT_EQ(tenth, policy.boundaries());
  Kokkos::View<double*, TypeParam> const in("in", 4), out("out", 4);
  stencil(TypeParam(), in, out, policy);
  EXPECT_EQ(0.1, host_copy(out)(0));
}

// The policy keeps the elements alive, and more weights than travel with the
// kernel.
TYPED_TEST(StencilInterface, PolicyOutlivesItsArguments) {
  auto const box  = StencilWeights<2>::box(4);
  auto const ones = [&] {
    Kokkos::View<float**, TypeParam> const x("x", 30, 30);
    Kokkos::deep_copy(x, 1);
    return StencilPolicy(TypeParam(), x, box,
                         Boundaries<2>::all(Boundary::periodic));
  }();
  auto const kept = keep_sums<float, 2, TypeParam>({30, 30});
  Kokkos::parallel_for("ones", ones, kept);
  HostGrid<2> expected({30, 30});
  for (double& value : expected.values) value = 81;
  expect_kept(kept, expected);
}

TYPED_TEST(StencilInterface, InstancesInOrder) {
  std::vector<TypeParam> const instances = make_instances<TypeParam>(2);
  for (TypeParam const& exec : instances) {
    RowMajor<float, TypeParam> const x("x", 64, 64), y("y", 64, 64);
    Kokkos::deep_copy(exec, x, 1);
    auto const box = StencilWeights<2>::box(1);
    auto const all = Boundaries<2>::all(Boundary::reflect);
    stencil(exec, x, y, box, all, 2);
    stencil(exec, y, x, box, all, 1);
    exec.fence();
    auto const host = host_copy(x);
    EXPECT_EQ(729, host(0, 0));
    EXPECT_EQ(729, host(63, 5));
  }
}

TYPED_TEST(StencilInterface, ToolsSeeOneKernelOfAPolicy) {
  using Exec = TypeParam;
  Kokkos::View<float**, Exec> const x("x", 20, 20);
  auto const kept = keep_sums<float, 2, Exec>({20, 20});
  StencilPolicy const policy(Exec(), x, StencilWeights<2>::box(2),
                             Boundaries<2>::all(Boundary::mirror),
                             {.label = "a policy's"});
  Recorder const recorder;
  Kokkos::parallel_for("mine", policy, kept);
  stencil(Exec(), x, kept.sums, policy, 1, {.label = "by policy"});
  EXPECT_EQ((std::vector<std::string>{"begin for mine", "end",
                                      "begin for by policy", "end"}),
            Recorder::events);
}

// Steps that Cuda takes together are one kernel for the tools.
TYPED_TEST(StencilInterface, ToolsSeeStepsThatAreTakenTogether) {
  Grid<float, 2, TypeParam> const in(HostGrid<2>({40, 50})), out({40, 50});
  auto const any = StencilWeights<2>::dense(
      1, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 10});
  auto const kernels = [&](auto const& call) {
    Recorder const recorder;
    call();
    auto const& events = Recorder::events;
    return std::count_if(
        events.begin(), events.end(), [](std::string const& event) {
          return event.starts_with("begin for KokkosMMA::stencil[");
        });
  };
  auto const expect = [](std::ptrdiff_t found, bool together) {
    EXPECT_LE(found, together ? 2 : 8);
    EXPECT_GE(found, together ? 1 : 8);
  };
  for (int kind = 0; kind < 5; ++kind)
    for (auto const& weights :
         {StencilWeights<2>::box(1), StencilWeights<2>::star(1), any}) {
      SCOPED_TRACE(joined(Boundary(kind)));
      auto const boundaries = Boundaries<2>::all(Boundary(kind));
      auto const call       = [&] {
        stencil(TypeParam(), in.view(), out.view(), weights, boundaries, 8);
      };
      expect(kernels(call), on_cuda<TypeParam>);
      EXPECT_EQ(on_cuda<TypeParam>,
                explain(call).find("steps in one sweep") != std::string::npos);
      StencilPolicy const policy(TypeParam(), in.view(), weights, boundaries);
      Middle const middle;
      // Products have other kernels for functors.
      expect(kernels([&] {
               stencil(TypeParam(), in.view(), out.view(), policy, middle, 8);
             }),
             on_cuda<TypeParam> && weights != StencilWeights<2>::box(1));
    }
}

/// No operand of the tensor cores is a third, and this is no product of two
/// factors.
StencilWeights<2> thirds() {
  return StencilWeights<2>::dense(1, std::vector<double>(9, 1. / 3))
      .with_centre(1. / 7);
}

// Policies are explained where they are launched, and write nothing then; a
// forced route that cannot run is a text, not an error.
TYPED_TEST(StencilInterface, ExplainedPolicies) {
  Kokkos::View<float**, TypeParam> const x("x", 20, 20);
  auto const kept  = keep_sums<float, 2, TypeParam>({20, 20});
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  Kokkos::deep_copy(x, 1);
  StencilPolicy const before(TypeParam(), x, thirds(), torus);
  std::string const text = explain([&] {
    Kokkos::parallel_for("made before", before, kept);
    Kokkos::parallel_for(
        "made here",
        StencilPolicy(TypeParam(), x, thirds(), torus, Settings{Route::mma}),
        kept);
    stencil(TypeParam(), x, kept.sums, thirds(), torus, 3);
  });
  std::string const best =
      std::string("route ") + (on_cuda<TypeParam> ? "streamed" : "generic");
  EXPECT_TRUE(has_parts(
      text, {best + "; ", "\nno route: mma was requested and cannot run; ",
             "\n" + best + "; "}));
  EXPECT_EQ(2, std::count(text.begin(), text.end(), '\n'));
  expect_calls(kept, 0);
  Kokkos::parallel_for("made before", before, kept);
  expect_calls(kept, 1);
}

// Rows of 9 floats do not begin vectors apart; a padded row does.
TYPED_TEST(StencilInterface, RowsOfProducts) {
  if constexpr (on_cuda<TypeParam>) {
    auto const weights = StencilWeights<2>::dense(
        1, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 10});
    auto const all = Boundaries<2>::all(Boundary::constant);
    using View     = RowMajor<float, TypeParam>;
    View const odd("odd", 8, 9), into("into", 8, 9), wide("wide", 8, 12);
    auto const padded = Kokkos::subview(wide, Kokkos::ALL, std::pair(0, 9));
    auto const run    = [&](auto const& in, std::int64_t steps) {
      stencil(TypeParam(), in, into, weights, all, steps, Settings{Route::mma});
    };
    EXPECT_NO_THROW(run(padded, 1));
    EXPECT_EQ(Route::mma, last_route());
    std::vector<std::string> const parts = {"route mma",
                                            "no multiple of 16 bytes"};
    expect_error(parts, [&] { run(odd, 1); });
    expect_error(parts, [&] { run(padded, 2); });
  }
}

// Hosts are in Test_Calls.cpp.
TYPED_TEST(StencilInterface, RefusedTensorCores) {
  using Exec = TypeParam;
  if constexpr (on_cuda<Exec>) {
    Grid<float, 2, Exec> const in(HostGrid<2>({8, 8})), out({8, 8});
    auto const all = Boundaries<2>::all(Boundary::constant);
    auto const run = [&](Settings const& settings) {
      stencil(Exec(), in.view(), out.view(), thirds(), all, 1, settings);
    };
    std::vector<std::string> const parts = {"route mma was requested",
                                            "not exact in the operand type"};
    expect_error(parts, [&] { run(Settings{Route::mma}); });
    expect_error(parts, [&] {
      StencilPolicy(Exec(), in.view(), thirds(), all, Settings{Route::mma});
    });
    EXPECT_TRUE(out.is_untouched());
    // From a scope it is a request.
    ScopedSettings const scope(Settings{Route::mma});
    EXPECT_NO_THROW(run({}));
    EXPECT_EQ(Route::streamed, last_route());
    EXPECT_EQ(std::vector<double>(64, 0.0), out.values());
  }
}

}  // namespace
