// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level exact of KokkosMMA::reduce: the bits of the correctly rounded sum on
// every execution space, from everywhere and to everywhere.

#include "ExactSupport.hpp"

#include <KokkosMMA_HostileSums.hpp>

#include <cmath>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ReduceExact);

/// Every way in and out for the terms of a sum.
template <class T, class Value, class Exec>
void expect_exact(HostileSum const& sum, Random& random) {
  std::size_t const size = sum.terms.size();
  auto const first       = std::size_t(random.integer(0, 8));
  Kokkos::View<T*, Exec> const memory("memory", size + first);
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const matrix("matrix", size, 3);
  auto host        = Kokkos::create_mirror_view(memory);
  auto host_matrix = Kokkos::create_mirror_view(matrix);
  ExactReference reference;
  for (std::size_t i = 0; i < size; ++i) {
    host(first + i) = host_matrix(i, 1) = static_cast<T>(sum.terms[i]);
    host_matrix(i, 0) = host_matrix(i, 2) = static_cast<T>(NAN);
    reference.add(double(host(first + i)));
  }
  Kokkos::deep_copy(memory, host);
  Kokkos::deep_copy(matrix, host_matrix);
  Value const expected = rounded<Value>(reference);
  auto const x         = Kokkos::subview(memory, Range(first, first + size));
  auto const column    = Kokkos::subview(matrix, Kokkos::ALL(), 1);
  SCOPED_TRACE(joined(sum.name, ", ", size, ", ", types<T, Value>()));

  EXPECT_TRUE(same_sum(expected, sum_of<Value>(Exec(), x, exactly)));
  EXPECT_EQ(on_cuda<Exec> ? Route::streamed : Route::generic, last_route());
  EXPECT_TRUE(same_sum(expected, sum_of<Value>(Exec(), column, exactly)));
  Kokkos::View<T const*, Exec> const constant = x;
  EXPECT_TRUE(
      same_sum(expected, sum_in_view<Value, typename Exec::memory_space>(
                             Exec(), constant, exactly)));
  EXPECT_TRUE(same_sum(
      expected, sum_in_view<Value, Kokkos::HostSpace>(Exec(), x, exactly)));
  Value in_reducer = poison<Value>();
  reduce(Exec(), x, Kokkos::Sum<Value>(in_reducer), exactly);
  EXPECT_TRUE(same_sum(expected, in_reducer));
}

template <class T, class Value, class Exec>
void expect_all_exact() {
  Random random;
  for (std::size_t const size :
       {std::size_t(1), std::size_t(random.integer(2, 700)),
        std::size_t(random.integer(5000, 9000))})
    for (HostileSum const& sum : hostile_sums(random, size, scalar_v<T>))
      expect_exact<T, Value, Exec>(sum, random);
  expect_exact<T, Value, Exec>({"nothing", {}}, random);
}

TYPED_TEST(ReduceExact, AnyTypes) {
  for_types<Pair<half_t, half_t>, Pair<bhalf_t, float>, Pair<float, float>,
            Pair<float, double>, Pair<double, double>, Pair<double, float>>(
      [&]<class A, class B>(Pair<A, B>) {
        expect_all_exact<A, B, TypeParam>();
      });
}

TYPED_TEST(ReduceExact, ManyElements) {
  Random random;
  std::size_t const size = (1u << 21) + 5;
  HostileSum sum{"many", std::vector<double>(size)};
  for (double& term : sum.terms) term = random.normal();
  expect_exact<double, double, TypeParam>(sum, random);
  expect_exact<float, float, TypeParam>(sum, random);
  for (double& term : sum.terms)
    term = std::ldexp(random.uniform(-1, 1), int(random.integer(-140, 127)));
  expect_exact<float, float, TypeParam>(sum, random);
}

/// Dot products of hostile factors, contiguous and with a stride.
template <class T, class Value, class Exec>
void expect_exact_dots() {
  Random random;
  for (std::size_t const size : {1, 300, 2000})
    for (HostileDot const& dot : hostile_dots(random, size, scalar_v<T>)) {
      auto const view_of = [&](std::vector<double> const& terms) {
        return make_view<T, Exec>(terms.size(),
                                  [&](std::size_t i) { return terms[i]; });
      };
      auto const x = view_of(dot.x);
      auto const y = view_of(dot.y);
      Kokkos::View<T**, Kokkos::LayoutRight, Exec> const matrix("m", size, 2);
      auto const column = Kokkos::subview(matrix, Kokkos::ALL(), 1);
      Kokkos::deep_copy(column, y);
      ExactReference reference;
      auto const host_x = host_copy(x);
      auto const host_y = host_copy(y);
      for (std::size_t i = 0; i < size; ++i)
        reference.add_product(double(host_x(i)), double(host_y(i)));
      SCOPED_TRACE(joined(dot.name, ", ", size, ", ", types<T, Value>()));
      Value result = poison<Value>();
      reduce(Exec(), KokkosMMA::dot(x, y), result, exactly);
      EXPECT_TRUE(same_sum(rounded<Value>(reference), result));
      result = poison<Value>();
      reduce(Exec(), KokkosMMA::dot(x, column), Kokkos::Sum<Value>(result),
             exactly);
      EXPECT_TRUE(same_sum(rounded<Value>(reference), result));
    }
}

TYPED_TEST(ReduceExact, DotProducts) {
  for_types<Pair<half_t, float>, Pair<bhalf_t, float>, Pair<float, double>,
            Pair<double, double>>([&]<class A, class B>(Pair<A, B>) {
    expect_exact_dots<A, B, TypeParam>();
  });
}

// Without a level as Kokkos::parallel_reduce has it.
TYPED_TEST(ReduceExact, DotProductsByName) {
  auto const x = filled<float, TypeParam>(1000, 3);
  auto const y = filled<float, TypeParam>(1000, -2);
  auto const z = filled<double, TypeParam>(1000, 2);
  auto const k = filled<int, TypeParam>(1000, 5);
  double sum   = 0;
  reduce(TypeParam(), KokkosMMA::dot(x, y), sum);
  EXPECT_EQ(-6000, sum);
  reduce(TypeParam(), KokkosMMA::squares(x), Kokkos::Sum<double>(sum), exactly);
  EXPECT_EQ(9000, sum);
  reduce(TypeParam(), KokkosMMA::dot(x, z), sum);
  EXPECT_EQ(6000, sum);
  std::int64_t integer = 0;
  reduce(TypeParam(), KokkosMMA::squares(k), integer, exactly);
  EXPECT_EQ(25000, integer);
  float narrow = 0;
  reduce(TypeParam(), KokkosMMA::dot(z, z), narrow);
  EXPECT_EQ(4000, narrow);
  expect_error(
      {"KokkosMMA::reduce", "level exact",
       on_cuda<TypeParam> ? "different types" : "not Cuda"},
      [&] { reduce(TypeParam(), KokkosMMA::dot(x, z), sum, exactly); });
  expect_explained(
      {on_cuda<TypeParam> ? "route streamed" : "route generic",
       "; level exact"},
      [&] { reduce(TypeParam(), KokkosMMA::dot(x, y), sum, exactly); });
}

TYPED_TEST(ReduceExact, AnyLevelOfIntegers) {
  auto const x     = filled<int, TypeParam>(1000, 3);
  std::int64_t sum = 0;
  reduce(TypeParam(), x, sum, exactly);
  EXPECT_EQ(3000, sum);
}

TYPED_TEST(ReduceExact, WhatCannotBeHad) {
  auto const x  = filled<float, TypeParam>(100, 1);
  auto const in = filled<int, TypeParam>(100, 1);
  float result  = poison<float>();
  bool const c  = on_cuda<TypeParam>;
  expect_error(
      {"KokkosMMA::reduce", "level exact", c ? "not a sum" : "not Cuda",
       c ? "request device_independent" : "request run_to_run"},
      [&] { reduce(TypeParam(), x, Kokkos::Prod<float>(result), exactly); });
  expect_error(
      {"KokkosMMA::reduce", "level exact", c ? "sum of integers" : "not Cuda"},
      [&] { reduce(TypeParam(), in, result, exactly); });
  expect_explained(
      {c ? "; level device_independent, not exact: the reduction is not a sum"
         : "; level run_to_run, not exact: the execution space is not Cuda"},
      [&] { reduce(TypeParam(), x, Kokkos::Min<float>(result), exactly); });
  EXPECT_TRUE(same_bits(poison<float>(), result));
}

TYPED_TEST(ReduceExact, ScopesWish) {
  auto const x = make_view<float, TypeParam>(3, [](std::size_t i) {
    return i == 0 ? 1 : i == 1 ? 1e30 : -1e30;
  });
  ScopedSettings const scope(exactly);
  for (Route const route : {Route::automatic, Route::mma}) {
    ScopedSettings const of_route(Settings{route});
    float result = poison<float>();
    reduce(TypeParam(), x, result);
    EXPECT_EQ(1.f, result);
  }
}

}  // namespace
