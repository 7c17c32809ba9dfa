// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// StencilPolicy under Kokkos::parallel_for: what the functor gets, once per
// element; what Kokkos Tools see; routes and explanations; and errors of every
// kind, which leave results untouched.

#include "StencilSupport.hpp"

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Recorder.hpp>

#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilInterface : public ::testing::Test {};
TYPED_TEST_SUITE(StencilInterface, ExecutionSpaces);

/// Keeps the sums and counts the calls.
template <class Value, int R, class Exec>
struct KeepSums {
  Kokkos::View<Pointer<Value, R>, Exec> sums;
  Kokkos::View<Pointer<int, R>, Exec> calls;

  KOKKOS_FUNCTION void operator()(std::int64_t i, Value sum) const {
    sums(i) = sum;
    Kokkos::atomic_inc(&calls(i));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  Value sum) const {
    sums(i, j) = sum;
    Kokkos::atomic_inc(&calls(i, j));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  std::int64_t k, Value sum) const {
    sums(i, j, k) = sum;
    Kokkos::atomic_inc(&calls(i, j, k));
  }
};
template <class Value, int R, class Exec>
KeepSums<Value, R, Exec> keep_sums(Place<R> const& n) {
  if constexpr (R == 1)
    return {Kokkos::View<Value*, Exec>("sums", n[0]),
            Kokkos::View<int*, Exec>("calls", n[0])};
  else if constexpr (R == 2)
    return {Kokkos::View<Value**, Exec>("sums", n[0], n[1]),
            Kokkos::View<int**, Exec>("calls", n[0], n[1])};
  else
    return {Kokkos::View<Value***, Exec>("sums", n[0], n[1], n[2]),
            Kokkos::View<int***, Exec>("calls", n[0], n[1], n[2])};
}

/// Every element was called once, with the sum of its neighbours.
template <class Value, int R, class Exec>
void expect_kept(KeepSums<Value, R, Exec> const& kept,
                 HostGrid<R> const& expected) {
  Kokkos::fence();
  auto const sums =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kept.sums);
  auto const calls =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kept.calls);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_EQ(1, view_at(calls, expected.place(i))) << i;
    ASSERT_EQ(as_result<Value>(expected.values[i]),
              view_at(sums, expected.place(i)))
        << i;
  }
}

template <class T, class Value, int R, class Layout, class Exec>
void calls_of_functors(StencilExtents<R> const& extents, int radius) {
  Random random;
  SCOPED_TRACE(random.note());
  auto const weights     = StencilWeights<R>::moore(radius);
  auto const boundaries  = random_boundaries<R>(random);
  Place<R> const extent  = extents.values;
  HostGrid<R> const data = small_integers<T, R>(
      with_ghosts<R>(extent, radius_of(weights), boundaries), random);
  TestGrid<T, R, Plain<Layout>, Exec> const x(data);
  auto const kept   = keep_sums<Value, R, Exec>(extent);
  auto const policy = StencilPolicy<Exec, Kokkos::Rank<R>>(
      Exec(), extents, x.view(), weights, boundaries);
  static_assert(std::is_same_v<Value, typename decltype(policy)::value_type>);
  Kokkos::parallel_for("neighbours", policy, kept);
  expect_kept(kept, neighbour_sums(data, extent, weights, boundaries));
  EXPECT_EQ(Route::generic, last_route());
}
TYPED_TEST(StencilInterface, FunctorsOfEveryRank) {
  using Right = Kokkos::LayoutRight;
  using Left  = Kokkos::LayoutLeft;
  calls_of_functors<float, float, 2, Right, TypeParam>({300, 7u}, 1);
  calls_of_functors<bool, std::int32_t, 2, Left, TypeParam>(
      {std::size_t(31), short(40)}, 5);
  calls_of_functors<half_t, float, 3, Right, TypeParam>({9, 5, 12}, 2);
  calls_of_functors<std::uint8_t, std::int32_t, 3, Left, TypeParam>({4, 15, 6},
                                                                    1);
  calls_of_functors<double, double, 1, Right, TypeParam>({1000}, 16);
}

// Without a label, with an accumulator of the caller's, many times over with
// other Views, and as a copy.
template <class Exec>
void forms_of_calls() {
  HostGrid<1> data({6});
  data.values = {1, 2, 3, 4, 5, 6};
  TestGrid<std::int8_t, 1, Plain<Kokkos::LayoutRight>, Exec> const x(data);
  auto const half = StencilWeights<1>::dense(1, std::vector<double>{.5, 0, .5});
  auto const nearest = Boundaries<1>::all(Boundary::nearest);
  auto const kept    = keep_sums<double, 1, Exec>({6});
  auto policy        = StencilPolicy<Exec, Kokkos::Rank<1>, double>(
      Exec(), {6}, x.view(), half, nearest);
  auto const expected = neighbour_sums(data, {6}, half, nearest);
  Kokkos::parallel_for(policy, kept);
  expect_kept(kept, expected);

  auto const again = policy;
  auto const twice = keep_sums<double, 1, Exec>({6});
  Kokkos::parallel_for("again", again, twice);
  expect_kept(twice, expected);

  TestGrid<float, 1, Plain<Kokkos::LayoutRight>, Exec> const in(data);
  TestGrid<float, 1, Plain<Kokkos::LayoutRight>, Exec> const out({6});
  auto const of_floats = StencilPolicy<Exec, Kokkos::Rank<1>>(
      Exec(), {6}, in.view(), half, nearest);
  stencil(Exec(), in.view(), out.view(), of_floats, 2);
  EXPECT_TRUE(out.holds(neighbour_sums(expected, {6}, half, nearest),
                        as_result<float>));
}
TYPED_TEST(StencilInterface, FormsOfCalls) { forms_of_calls<TypeParam>(); }

// The policy keeps the elements alive, and more weights than travel with the
// kernel.
template <class Exec>
void policy_outlives_its_arguments() {
  auto const box  = StencilWeights<2>::box(4);
  auto const ones = [&] {
    Kokkos::View<float**, Exec> const x("x", 30, 30);
    Kokkos::deep_copy(x, 1);
    return StencilPolicy<Exec, Kokkos::Rank<2>>(
        Exec(), {30, 30}, x, box, Boundaries<2>::all(Boundary::periodic));
  }();
  auto const kept = keep_sums<float, 2, Exec>({30, 30});
  Kokkos::parallel_for("ones", ones, kept);
  HostGrid<2> expected({30, 30});
  for (double& value : expected.values) value = 81;
  expect_kept(kept, expected);
}
TYPED_TEST(StencilInterface, PolicyOutlivesItsArguments) {
  policy_outlives_its_arguments<TypeParam>();
}

template <class Exec>
void instances_in_order() {
  std::vector<Exec> const instances = make_instances<Exec>(2);
  for (Exec const& exec : instances) {
    Kokkos::View<float**, Kokkos::LayoutRight, Exec> const x("x", 64, 64);
    Kokkos::View<float**, Kokkos::LayoutRight, Exec> const y("y", 64, 64);
    Kokkos::deep_copy(exec, x, 1);
    stencil(exec, x, y, StencilWeights<2>::box(1),
            Boundaries<2>::all(Boundary::reflect), 2);
    stencil(exec, y, x, StencilWeights<2>::box(1),
            Boundaries<2>::all(Boundary::reflect), 1);
    exec.fence();
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    EXPECT_EQ(729, host(0, 0));
    EXPECT_EQ(729, host(63, 5));
  }
}
TYPED_TEST(StencilInterface, InstancesInOrder) {
  instances_in_order<TypeParam>();
}

// --- Kokkos Tools ------------------------------------------------------------

template <class Exec>
void tools_see_one_kernel() {
  Kokkos::View<float**, Exec> const x("x", 20, 20);
  auto const kept = keep_sums<float, 2, Exec>({20, 20});
  auto const box  = StencilWeights<2>::box(2);
  auto const all  = Boundaries<2>::all(Boundary::mirror);
  using Events    = std::vector<std::string>;
  {
    Recorder const recorder;
    Kokkos::parallel_for(
        "mine",
        StencilPolicy<Exec, Kokkos::Rank<2>>(Exec(), {20, 20}, x, box, all),
        kept);
    EXPECT_EQ((Events{"begin for mine", "end"}), Recorder::events);
  }
  {
    Recorder const recorder;
    stencil(Exec(), x, kept.sums, box, all);
    EXPECT_EQ((Events{"begin for KokkosMMA::stencil[generic,float]", "end"}),
              Recorder::events);
  }
}
TYPED_TEST(StencilInterface, ToolsSeeOneKernel) {
  tools_see_one_kernel<TypeParam>();
}

// --- routes ------------------------------------------------------------------

template <class Exec>
void routes_of_stencils() {
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const in(
      HostGrid<2>({8, 8}));
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const out({8, 8});
  auto const box = StencilWeights<2>::box(1);
  auto const all = Boundaries<2>::all(Boundary::constant);
  char const* const reason =
      on_cuda<Exec> ? "no kernel of the library" : "not Cuda";
  EXPECT_TRUE(
      has_parts(explain_stencil(Exec(), in.view(), out.view(), box, all),
                {"route generic", "not mma: ", "not streamed: ", reason}));
  for (Route const route : {Route::mma, Route::streamed}) {
    std::vector<std::string> const parts = {
        "route " + std::string(to_string(route)) + " was asked for", reason,
        "use route auto or generic"};
    std::string const forced = error_of([&] {
      stencil(Exec(), in.view(), out.view(), box, all, 1, Settings{route});
    });
    EXPECT_TRUE(has_parts(forced, {"KokkosMMA::stencil: "}));
    EXPECT_TRUE(has_parts(forced, parts));
    EXPECT_TRUE(has_parts(error_of([&] {
                            StencilPolicy<Exec, Kokkos::Rank<2>>(
                                Exec(), {8, 8}, in.view(), box, all,
                                Settings{route});
                          }),
                          parts));
    EXPECT_TRUE(out.is_untouched());
    // From a scope it is a wish.
    ScopedSettings const scope(Settings{route});
    EXPECT_EQ("", error_of([&] {
                stencil(Exec(), in.view(), out.view(), box, all);
              }));
    EXPECT_EQ(Route::generic, last_route());
    EXPECT_EQ(std::vector<double>(64, 0.0), out.values());
    TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const poisoned({8, 8});
    Kokkos::deep_copy(out.view(), poisoned.view());
  }
}
TYPED_TEST(StencilInterface, Routes) { routes_of_stencils<TypeParam>(); }

// --- bad input ---------------------------------------------------------------

/// A call that works, of which each test spoils one argument.
template <class Exec>
struct Call {
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> in{HostGrid<2>({8, 9})};
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> out{{8, 9}};
  StencilWeights<2> box = StencilWeights<2>::box(1);
  Boundaries<2> all     = Boundaries<2>::all(Boundary::constant);

  /// f throws, says this in the name of `who`, and wrote nothing.
  template <class F>
  void refuses(char const* who, F const& f,
               std::vector<std::string> parts) const {
    Route const before = last_route();
    parts.push_back(std::string(who) + ": ");
    EXPECT_TRUE(has_parts(error_of(f), parts));
    EXPECT_TRUE(out.is_untouched());
    EXPECT_EQ(before, last_route());
  }
  /// For stencil() and for the policy.
  void both_refuse(StencilWeights<2> const& weights,
                   Boundaries<2> const& boundaries,
                   std::vector<std::string> const& parts) const {
    refuses(
        "KokkosMMA::stencil",
        [&] { stencil(Exec(), in.view(), out.view(), weights, boundaries); },
        parts);
    refuses(
        "KokkosMMA::StencilPolicy",
        [&] {
          StencilPolicy<Exec, Kokkos::Rank<2>>(Exec(), {8, 9}, in.view(),
                                               weights, boundaries);
        },
        parts);
  }
};

template <class Exec>
void radius_larger_than_extent() {
  Call<Exec> const call;
  call.both_refuse(StencilWeights<2>::box({9, 1}), call.all,
                   {"radius 9", "8 elements of dimension 0"});
  call.both_refuse(StencilWeights<2>::box({1, 10}),
                   Boundaries<2>::all(Boundary::periodic),
                   {"radius 10", "9 elements of dimension 1"});
}
TYPED_TEST(StencilInterface, RadiusLargerThanExtent) {
  radius_larger_than_extent<TypeParam>();
}

template <class Exec>
void wrong_extents() {
  Call<Exec> const call;
  // Without ghost cells there is no halo.
  Boundaries<2> halo = call.all;
  halo.high[1].kind  = Boundary::halo;
  call.both_refuse(
      StencilWeights<2>::box({1, 2}), halo,
      {"8 x 9", "extent 9 in dimension 1", "2 above", "make it 11"});
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const more(
      HostGrid<2>({8, 10}));
  call.refuses("KokkosMMA::stencil",
               [&] {
                 stencil(Exec(), more.view(), call.out.view(), call.box,
                         call.all);
               },
               {"8 x 10", "extent 10 in dimension 1", "make it 9"});
  call.refuses("KokkosMMA::StencilPolicy",
               [&] {
                 StencilPolicy<Exec, Kokkos::Rank<2>>(
                     Exec(), {-8, 9}, call.in.view(), call.box, call.all);
               },
               {"-8 x 9", "0 or more"});
}
TYPED_TEST(StencilInterface, WrongExtents) { wrong_extents<TypeParam>(); }

template <class Exec>
void boundaries_that_do_not_fit() {
  Call<Exec> const call;
  Boundaries<2> half = call.all;
  half.low[1].kind   = Boundary::periodic;
  call.both_refuse(call.box, half,
                   {"dimension 1", "periodic", "constant", "both"});
  Boundaries<2> halo = call.all;
  halo.low[0].kind   = Boundary::halo;
  TestGrid<float, 2, Plain<Kokkos::LayoutRight>, Exec> const ghosts(
      HostGrid<2>({9, 9}));
  call.refuses("KokkosMMA::stencil",
               [&] {
                 stencil(Exec(), ghosts.view(), call.out.view(), call.box, halo,
                         2);
               },
               {"dimension 0 is a halo", "make steps 1"});
  for (std::int64_t const steps : {0, -3})
    call.refuses("KokkosMMA::stencil",
                 [&] {
                   stencil(Exec(), call.in.view(), call.out.view(), call.box,
                           call.all, steps);
                 },
                 {"steps is " + std::to_string(steps), "1 or more"});
}
TYPED_TEST(StencilInterface, BoundariesThatDoNotFit) {
  boundaries_that_do_not_fit<TypeParam>();
}

template <class T, class Exec>
void expect_no_value(double value, char const* type) {
  Kokkos::View<T*, Exec> const in("in", 10);
  TestGrid<double, 1, Plain<Kokkos::LayoutRight>, Exec> const out({10});
  std::string const error = error_of([&] {
    stencil(Exec(), in, out.view(), StencilWeights<1>::box(1),
            Boundaries<1>::all(Boundary::constant, value));
  });
  EXPECT_TRUE(has_parts(error, {"KokkosMMA::stencil: the constant",
                                "dimension 0", "no value of ", type}));
  EXPECT_TRUE(out.is_untouched());
}
TYPED_TEST(StencilInterface, ConstantsThatElementsCannotHold) {
  expect_no_value<std::uint8_t, TypeParam>(256, "uint8");
  expect_no_value<std::uint8_t, TypeParam>(-1, "uint8");
  expect_no_value<std::int8_t, TypeParam>(.5, "int8");
  expect_no_value<bool, TypeParam>(2, "bool");
  expect_no_value<std::int64_t, TypeParam>(0x1p63, "int64");
  expect_no_value<std::int32_t, TypeParam>(
      std::numeric_limits<double>::quiet_NaN(), "int32");
}

template <class Exec>
void weights_that_sums_cannot_hold() {
  TestGrid<std::uint8_t, 1, Plain<Kokkos::LayoutRight>, Exec> const in(
      HostGrid<1>({10}));
  TestGrid<std::int32_t, 1, Plain<Kokkos::LayoutRight>, Exec> const out({10});
  auto const all = Boundaries<1>::all(Boundary::periodic);
  for (double const weight : {.25, 0x1p32, -0x1p32}) {
    auto const weights =
        StencilWeights<1>::dense(1, std::vector<double>{1, 2, weight});
    std::string const error =
        error_of([&] { stencil(Exec(), in.view(), out.view(), weights, all); });
    EXPECT_TRUE(
        has_parts(error, {"KokkosMMA::stencil: the weight of offset (1)",
                          "kept in int32", "float or double"}));
    EXPECT_TRUE(
        has_parts(error_of([&] {
                    StencilPolicy<Exec, Kokkos::Rank<1>>(
                        Exec(), {10}, in.view(), weights, all);
                  }),
                  {"KokkosMMA::StencilPolicy: the weight of offset (1)"}));
  }
  EXPECT_TRUE(out.is_untouched());
}
TYPED_TEST(StencilInterface, WeightsThatSumsCannotHold) {
  weights_that_sums_cannot_hold<TypeParam>();
}

template <class Exec>
void views_that_do_not_fit() {
  Call<Exec> const call;
  using Right = Kokkos::LayoutRight;
  Kokkos::View<float**, Right, Exec> const all("all", 12, 9);
  Kokkos::deep_copy(all, 7);
  auto const rows = [&](int first) {
    return Kokkos::subview(all, std::make_pair(first, first + 8),
                           Kokkos::ALL());
  };
  call.refuses("KokkosMMA::stencil",
               [&] { stencil(Exec(), rows(0), rows(4), call.box, call.all); },
               {"the Views overlap", "in \"all\" of 8 x 9", "share no memory"});
  call.refuses(
      "KokkosMMA::stencil",
      [&] { stencil(Exec(), rows(0), rows(0), call.box, call.all, 2); },
      {"the Views overlap"});
  Kokkos::View<float***, Right, Exec> const cubes("cubes", 4, 4, 5);
  auto const cube = [&](int first) {
    return Kokkos::subview(cubes, Kokkos::ALL(), Kokkos::ALL(),
                           std::make_pair(first, first + 3));
  };
  call.refuses("KokkosMMA::stencil",
               [&] {
                 stencil(Exec(), cube(0), cube(2), StencilWeights<3>::box(1),
                         Boundaries<3>::all(Boundary::mirror));
               },
               {"the Views overlap", "4 x 4 x 3"});
  Kokkos::fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(7, host(i, 3));

  using Pointed = Kokkos::View<float**, Right, Exec,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Pointed const nowhere(nullptr, 8, 9);
  call.refuses(
      "KokkosMMA::stencil",
      [&] { stencil(Exec(), nowhere, call.out.view(), call.box, call.all); },
      {"in has no memory"});
  call.refuses(
      "KokkosMMA::stencil",
      [&] { stencil(Exec(), call.in.view(), nowhere, call.box, call.all); },
      {"out has no memory"});
  call.refuses("KokkosMMA::StencilPolicy",
               [&] {
                 StencilPolicy<Exec, Kokkos::Rank<2>>(Exec(), {8, 9}, nowhere,
                                                      call.box, call.all);
               },
               {"x has no memory"});

  float* const memory = call.out.view().data();
  Kokkos::View<float**, Kokkos::LayoutStride, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      one_row(memory, Kokkos::LayoutStride(8, 0, 9, 1));
  call.refuses(
      "KokkosMMA::stencil",
      [&] { stencil(Exec(), call.in.view(), one_row, call.box, call.all); },
      {"elements of out are one"});
}
TYPED_TEST(StencilInterface, ViewsThatDoNotFit) {
  views_that_do_not_fit<TypeParam>();
}

// Doubles that a step writes are no values of an integer sum.
template <class Exec>
void steps_between_types() {
  Kokkos::View<std::int64_t*, Exec> const in("in", 10);
  TestGrid<double, 1, Plain<Kokkos::LayoutRight>, Exec> const out({10});
  auto const box = StencilWeights<1>::box(1);
  auto const all = Boundaries<1>::all(Boundary::constant, 3);
  EXPECT_TRUE(has_parts(
      error_of([&] { stencil(Exec(), in, out.view(), box, all, 2); }),
      {"KokkosMMA::stencil: steps is 2", "int64", "double", "make steps 1"}));
  EXPECT_TRUE(out.is_untouched());
  stencil(Exec(), in, out.view(), box, all);
  EXPECT_EQ((std::vector<double>{3, 0, 0, 0, 0, 0, 0, 0, 0, 3}), out.values());
}
TYPED_TEST(StencilInterface, StepsBetweenTypes) {
  steps_between_types<TypeParam>();
}

template <class Exec>
void settings_that_do_not_exist() {
  Call<Exec> const call;
  Settings settings;
  settings.chain_length = 99;
  call.refuses("KokkosMMA::stencil",
               [&] {
                 stencil(Exec(), call.in.view(), call.out.view(), call.box,
                         call.all, 1, settings);
               },
               {"chain_length is 99"});
}
TYPED_TEST(StencilInterface, SettingsThatDoNotExist) {
  settings_that_do_not_exist<TypeParam>();
}

}  // namespace
