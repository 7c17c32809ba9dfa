// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bad arguments of stencils: errors of every kind, which leave results
// untouched.

#include "StencilSupport.hpp"

#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilErrors);

/// A call that works, of which each test spoils one argument.
template <class Exec>
struct Call {
  Grid<float, 2, Exec> in{HostGrid<2>({8, 9})};
  Grid<float, 2, Exec> out{{8, 9}};
  StencilWeights<2> box = StencilWeights<2>::box(1);
  Boundaries<2> all     = Boundaries<2>::all(Boundary::constant);

  /// f says this and wrote nothing.
  void refused(std::vector<std::string> const& parts, auto const& f) const {
    Route const before = last_route();
    expect_error(parts, f);
    EXPECT_TRUE(out.is_untouched());
    EXPECT_EQ(before, last_route());
  }
  void refuses(std::vector<std::string> parts, auto const&... call) const {
    parts.push_back("KokkosMMA::stencil: ");
    refused(parts, [&] { stencil(Exec(), call...); });
  }
  void policy_refuses(std::vector<std::string> parts, auto const&... x) const {
    parts.push_back("KokkosMMA::StencilPolicy: ");
    refused(parts, [&] { StencilPolicy(Exec(), x...); });
  }
  void both_refuse(StencilWeights<2> const& weights,
                   Boundaries<2> const& boundaries,
                   std::vector<std::string> const& parts) const {
    refuses(parts, in.view(), out.view(), weights, boundaries);
    policy_refuses(parts, in.view(), weights, boundaries);
  }
};

TYPED_TEST(StencilErrors, WrongExtents) {
  Call<TypeParam> const call;
  call.both_refuse(StencilWeights<2>::box({9, 1}), call.all,
                   {"radius 9", "8 elements of dimension 0"});
  call.both_refuse(StencilWeights<2>::box({1, 10}),
                   Boundaries<2>::all(Boundary::periodic),
                   {"radius 10", "9 elements of dimension 1"});
  // Without ghost cells there is no halo.
  Boundaries<2> halo = call.all;
  halo.high[1].kind  = Boundary::halo;
  call.refuses({"8 x 9", "extent 9 in dimension 1", "2 above", "make it 11"},
               call.in.view(), call.out.view(), StencilWeights<2>::box({1, 2}),
               halo);
  Grid<float, 2, TypeParam> const more(HostGrid<2>({8, 10}));
  call.refuses({"8 x 10", "extent 10 in dimension 1", "make it 9"}, more.view(),
               call.out.view(), call.box, call.all);
  call.policy_refuses({"8 x 9", "fewer elements in dimension 1", "6 x -1"},
                      call.in.view(), StencilWeights<2>::box({1, 5}),
                      Boundaries<2>::all(Boundary::halo));
}

TYPED_TEST(StencilErrors, BoundariesThatDoNotFit) {
  Call<TypeParam> const call;
  Boundaries<2> half = call.all;
  half.low[1].kind   = Boundary::periodic;
  call.both_refuse(call.box, half,
                   {"dimension 1", "periodic", "constant", "both"});
  Boundaries<2> halo = call.all;
  halo.low[0].kind   = Boundary::halo;
  Grid<float, 2, TypeParam> const ghosts(HostGrid<2>({9, 9}));
  call.refuses({"dimension 0 is a halo", "set steps to 1"}, ghosts.view(),
               call.out.view(), call.box, halo, 2);
  for (std::int64_t const steps : {0, -3})
    call.refuses({"steps is " + std::to_string(steps), "1 or more"},
                 call.in.view(), call.out.view(), call.box, call.all, steps);
}

template <class T, class Exec>
void expect_no_value(double value, char const* type) {
  Kokkos::View<T*, Exec> const in("in", 10);
  Grid<double, 1, Exec> const out({10});
  auto const all = Boundaries<1>::all(Boundary::constant, value);
  expect_error(
      {"KokkosMMA::stencil: the boundary value",
       "of dimension 0 is not representable as ", type},
      [&] { stencil(Exec(), in, out.view(), StencilWeights<1>::box(1), all); });
  EXPECT_TRUE(out.is_untouched());
}
TYPED_TEST(StencilErrors, ConstantsThatElementsCannotHold) {
  expect_no_value<std::uint8_t, TypeParam>(256, "uint8");
  expect_no_value<std::uint8_t, TypeParam>(-1, "uint8");
  expect_no_value<std::uint8_t, TypeParam>(.5, "uint8");
  expect_no_value<std::uint8_t, TypeParam>(
      std::numeric_limits<double>::quiet_NaN(), "uint8");
  expect_no_value<bool, TypeParam>(2, "bool");
  expect_no_value<std::int64_t, TypeParam>(0x1p63, "int64");
}

TYPED_TEST(StencilErrors, WeightsThatSumsCannotHold) {
  Grid<std::uint8_t, 1, TypeParam> const in(HostGrid<1>({10}));
  Grid<std::int32_t, 1, TypeParam> const out({10});
  auto const all = Boundaries<1>::all(Boundary::periodic);
  for (double const weight : {.25, 0x1p32, -0x1p32}) {
    auto const weights =
        StencilWeights<1>::dense(1, std::vector<double>{1, 2, weight});
    expect_error(
        {"KokkosMMA::stencil: the weight of offset (1)",
         "accumulator has type int32", "float or double"},
        [&] { stencil(TypeParam(), in.view(), out.view(), weights, all); });
    expect_error({"KokkosMMA::StencilPolicy: the weight of offset (1)"},
                 [&] { StencilPolicy(TypeParam(), in.view(), weights, all); });
  }
  EXPECT_TRUE(out.is_untouched());
}

/// Fields of an array of structures, and slabs of a box along its fastest
/// dimension, lie between each other and share nothing: they were refused.
TYPED_TEST(StencilErrors, ViewsBetweenEachOther) {
  using Exec         = TypeParam;
  auto const all     = Kokkos::ALL();
  using Cells        = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;
  auto const weights = StencilWeights<2>::box(1);
  auto const torus   = Boundaries<2>::all(Boundary::periodic);

  Cells const cells("cells", 6, 7, 2);
  Kokkos::deep_copy(cells, 1.f);
  auto const u = Kokkos::subview(cells, all, all, 0);
  auto const v = Kokkos::subview(cells, all, all, 1);
  stencil(Exec(), u, v, weights, torus);
  auto const host = host_copy(cells);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 7; ++j) {
      EXPECT_EQ(1, host(i, j, 0));
      EXPECT_EQ(9, host(i, j, 1));
    }
  expect_error({"the Views overlap"},
               [&] { stencil(Exec(), v, v, weights, torus); });

  Cells const box("box", 4, 4, 6);
  Kokkos::deep_copy(box, 1.f);
  auto const slab = [&](int first, int size) {
    return Kokkos::subview(box, all, all, std::make_pair(first, first + size));
  };
  auto const cubes = Boundaries<3>::all(Boundary::periodic);
  stencil(Exec(), slab(0, 3), slab(3, 3), StencilWeights<3>::box(1), cubes);
  auto const sums = host_copy(box);
  EXPECT_EQ(1, sums(3, 3, 2));
  EXPECT_EQ(27, sums(3, 3, 3));
  expect_error({"the Views overlap"}, [&] {
    stencil(Exec(), slab(0, 4), slab(2, 4), StencilWeights<3>::box(1), cubes);
  });
}

TYPED_TEST(StencilErrors, ViewsThatDoNotFit) {
  using Exec = TypeParam;
  Call<Exec> const call;
  RowMajor<float, Exec> const all("all", 12, 9);
  Kokkos::deep_copy(all, 7);
  auto const rows = [&](int first) {
    return Kokkos::subview(all, std::make_pair(first, first + 8),
                           Kokkos::ALL());
  };
  call.refuses({"the Views overlap", "in \"all\" of 8 x 9", "share no memory"},
               rows(0), rows(4), call.box, call.all);
  call.refuses({"the Views overlap"}, rows(0), rows(0), call.box, call.all, 2);
  Kokkos::View<float***, Kokkos::LayoutRight, Exec> const cubes("cubes", 4, 4,
                                                                5);
  auto const cube = [&](int first) {
    return Kokkos::subview(cubes, Kokkos::ALL(), Kokkos::ALL(),
                           std::make_pair(first, first + 3));
  };
  call.refuses({"the Views overlap", "4 x 4 x 3"}, cube(0), cube(2),
               StencilWeights<3>::box(1), Boundaries<3>::all(Boundary::mirror));
  auto const host = host_copy(all);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(7, host(i, 3));

  Unmanaged<float**, Exec> const nowhere(nullptr, 8, 9);
  call.refuses({"in has no memory"}, nowhere, call.out.view(), call.box,
               call.all);
  call.refuses({"out has no memory"}, call.in.view(), nowhere, call.box,
               call.all);
  call.policy_refuses({"x has no memory"}, nowhere, call.box, call.all);

  float* const memory = call.out.view().data();
  Kokkos::View<float**, Kokkos::LayoutStride, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      one_row(memory, Kokkos::LayoutStride(8, 0, 9, 1));
  call.refuses({"out has stride 0, so its elements alias"}, call.in.view(),
               one_row, call.box, call.all);
}

// Doubles that a step writes are no values of an integer sum.
TYPED_TEST(StencilErrors, StepsBetweenTypes) {
  Kokkos::View<std::int64_t*, TypeParam> const in("in", 10);
  Grid<double, 1, TypeParam> const out({10});
  auto const box = StencilWeights<1>::box(1);
  auto const all = Boundaries<1>::all(Boundary::constant, 3);
  expect_error(
      {"KokkosMMA::stencil: steps is 2", "int64", "double", "set steps to 1"},
      [&] { stencil<std::int64_t>(TypeParam(), in, out.view(), box, all, 2); });
  EXPECT_TRUE(out.is_untouched());
  stencil(TypeParam(), in, out.view(), box, all);
  EXPECT_EQ((std::vector<double>{3, 0, 0, 0, 0, 0, 0, 0, 0, 3}), out.values());
}

// An exception, which leaves no error of the device behind.
TYPED_TEST(StencilErrors, MemoryThatDoesNotExist) {
  using Exec = TypeParam;
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

}  // namespace
