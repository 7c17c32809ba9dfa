// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bad arguments of stencils: errors of every kind, which leave results
// untouched.

#include "StencilSupport.hpp"

#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilErrors : public ::testing::Test {};
TYPED_TEST_SUITE(StencilErrors, ExecutionSpaces);

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
        [&] { StencilPolicy(Exec(), in.view(), weights, boundaries); }, parts);
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
TYPED_TEST(StencilErrors, RadiusLargerThanExtent) {
  radius_larger_than_extent<TypeParam>();
}

template <class Exec>
void wrong_extents() {
  Call<Exec> const call;
  // Without ghost cells there is no halo.
  Boundaries<2> halo = call.all;
  halo.high[1].kind  = Boundary::halo;
  call.refuses("KokkosMMA::stencil",
               [&] {
                 stencil(Exec(), call.in.view(), call.out.view(),
                         StencilWeights<2>::box({1, 2}), halo);
               },
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
                 StencilPolicy(Exec(), call.in.view(),
                               StencilWeights<2>::box({1, 5}),
                               Boundaries<2>::all(Boundary::halo));
               },
               {"8 x 9", "fewer elements in dimension 1", "6 x -1"});
}
TYPED_TEST(StencilErrors, WrongExtents) { wrong_extents<TypeParam>(); }

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
TYPED_TEST(StencilErrors, BoundariesThatDoNotFit) {
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
  EXPECT_TRUE(
      has_parts(error, {"KokkosMMA::stencil: the boundary value",
                        "of dimension 0 is not representable as ", type}));
  EXPECT_TRUE(out.is_untouched());
}
TYPED_TEST(StencilErrors, ConstantsThatElementsCannotHold) {
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
    EXPECT_TRUE(has_parts(
        error_of([&] { StencilPolicy(Exec(), in.view(), weights, all); }),
        {"KokkosMMA::StencilPolicy: the weight of offset (1)"}));
  }
  EXPECT_TRUE(out.is_untouched());
}
TYPED_TEST(StencilErrors, WeightsThatSumsCannotHold) {
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
               [&] { StencilPolicy(Exec(), nowhere, call.box, call.all); },
               {"x has no memory"});

  float* const memory = call.out.view().data();
  Kokkos::View<float**, Kokkos::LayoutStride, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      one_row(memory, Kokkos::LayoutStride(8, 0, 9, 1));
  call.refuses(
      "KokkosMMA::stencil",
      [&] { stencil(Exec(), call.in.view(), one_row, call.box, call.all); },
      {"out has stride 0, so its elements alias"});
}
TYPED_TEST(StencilErrors, ViewsThatDoNotFit) {
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
      error_of(
          [&] { stencil<std::int64_t>(Exec(), in, out.view(), box, all, 2); }),
      {"KokkosMMA::stencil: steps is 2", "int64", "double", "make steps 1"}));
  EXPECT_TRUE(out.is_untouched());
  stencil(Exec(), in, out.view(), box, all);
  EXPECT_EQ((std::vector<double>{3, 0, 0, 0, 0, 0, 0, 0, 0, 3}), out.values());
}
TYPED_TEST(StencilErrors, StepsBetweenTypes) {
  steps_between_types<TypeParam>();
}

// An exception, which leaves no error of the device behind.
template <class Exec>
void memory_that_does_not_exist() {
  if constexpr (on_cuda<Exec>) {
    using Memory = Impl::TemporaryMemory<Exec, typename Exec::memory_space>;
    EXPECT_ANY_THROW(Memory(Exec(), "too much", std::size_t(1) << 50));
    Memory const some(Exec(), "some", 1000);
    EXPECT_NE(nullptr, some.data());
    Call<Exec> const call;
    stencil(Exec(), call.in.view(), call.out.view(), call.box, call.all, 3);
    EXPECT_EQ(std::vector<double>(72, 0.), call.out.values());
  }
}
TYPED_TEST(StencilErrors, MemoryThatDoesNotExist) {
  memory_that_does_not_exist<TypeParam>();
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
TYPED_TEST(StencilErrors, SettingsThatDoNotExist) {
  settings_that_do_not_exist<TypeParam>();
}

}  // namespace
