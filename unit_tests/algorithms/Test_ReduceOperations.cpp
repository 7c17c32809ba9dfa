// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// reduce() with the reducers of Kokkos: the values of every type and size
// against a sequential reference, and what Kokkos' own reducers give for
// nothing and for NaN.

#include "ScanSupport.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ReduceOperations);

/// Routes of a minimum, maximum or product: its functor is called.
template <class Exec>
std::vector<Route> functor_routes() {
  return routes<Exec>(false);
}

template <class T>
T element(std::size_t i) {
  return static_cast<T>(float(i * 2654435761u % 97) -
                        (std::is_unsigned_v<T> ? 0.f : 40.f));
}

template <class T, class Exec>
void expect_extremes() {
  for (std::size_t const size : {1u, 2u, 31u, 1025u, 100003u}) {
    auto const x = make_view<T, Exec>(size, element<T>);
    T smallest = element<T>(0), largest = element<T>(0);
    for (std::size_t i = 1; i < size; ++i) {
      smallest = std::min(smallest, element<T>(i));
      largest  = std::max(largest, element<T>(i));
    }
    for (Route const route : functor_routes<Exec>()) {
      SCOPED_TRACE(trace(route, size));
      Settings const settings{route};
      T value = poison<T>();
      reduce(Exec(), x, Kokkos::Min<T>(value), settings);
      EXPECT_TRUE(same_bits(smallest, value));
      auto const place = poisoned_view<T, Exec>();
      reduce(Exec(), x, Kokkos::Max<T, typename Exec::memory_space>(place),
             settings);
      EXPECT_TRUE(same_bits(largest, value_of(place)));
      if (route != Route::automatic) {
        EXPECT_EQ(to_string(route), to_string(last_route()));
      }
    }
  }
}
TYPED_TEST(ReduceOperations, MinimumAndMaximum) {
  for_types<float, double, bhalf_t, half_t, std::uint8_t, std::int32_t,
            std::int8_t, std::int64_t>(
      []<class T>(T) { expect_extremes<T, TypeParam>(); });
}

/// Signs and powers of two, of which every order gives the same product.
template <class T, class Value, class Exec>
void expect_product() {
  for (std::size_t const size : {1u, 7u, 1000u, 50001u}) {
    auto const factor = [](std::size_t i) {
      return static_cast<T>(i % 5000 == 3 ? 2.f : i % 3 == 1 ? -1.f : 1.f);
    };
    auto const x    = make_view<T, Exec>(size, factor);
    double expected = 1;
    for (std::size_t i = 0; i < size; ++i)
      expected *= static_cast<double>(factor(i));
    for (Route const route : functor_routes<Exec>()) {
      SCOPED_TRACE(trace(route, size));
      Value value = poison<Value>();
      reduce(Exec(), x, Kokkos::Prod<Value>(value), Settings{route});
      EXPECT_EQ(expected, static_cast<double>(value));
    }
  }
}
TYPED_TEST(ReduceOperations, Product) {
  for_types<Pair<half_t, half_t>, Pair<float, float>, Pair<float, double>,
            Pair<std::int32_t, std::int64_t>, Pair<bhalf_t, bhalf_t>,
            Pair<half_t, float>, Pair<std::int8_t, float>>(
      []<class A, class B>(Pair<A, B>) { expect_product<A, B, TypeParam>(); });
}

/// 1 + 2^-10 in half_t: rounded after every factor, the product of 64 is off by
/// two units in the last place; one that is rounded once by half a unit.
TYPED_TEST(ReduceOperations, ProductOfHalfsIsKeptInFloat) {
  float const factor = 1 + 1 / 1024.f;
  auto const x = filled<half_t, TypeParam>(64, static_cast<half_t>(factor));
  double exact = 1;
  for (int i = 0; i < 64; ++i) exact *= factor;
  half_t value = poison<half_t>();
  reduce(TypeParam(), x, Kokkos::Prod<half_t>(value));
  EXPECT_NEAR(exact, static_cast<double>(value), exact / 2048);
  auto const place = poisoned_view<half_t, TypeParam>();
  reduce(TypeParam(), x,
         Kokkos::Prod<half_t, typename TypeParam::memory_space>(place));
  EXPECT_NEAR(exact, static_cast<double>(value_of(place)), exact / 2048);
}

TYPED_TEST(ReduceOperations, SumReducers) {
  auto const x = make_view<float, TypeParam>(
      1001, [](std::size_t i) { return float(i % 7); });
  double expected = 0;
  for (int i = 0; i < 1001; ++i) expected += i % 7;
  for (Route const route : functor_routes<TypeParam>()) {
    double wide = poison<double>();
    reduce(TypeParam(), x, Kokkos::Sum<double>(wide), Settings{route});
    EXPECT_EQ(expected, wide);
    float value = poison<float>();
    reduce(TypeParam(), x, KokkosMMA::Sum<float>(value), Settings{route});
    EXPECT_EQ(expected, double(value));
  }
}

/// What the reducer gives in a call of Kokkos with an opaque functor.
template <class Reducer, class Exec, class X>
typename Reducer::value_type kokkos_value(X const& x, std::size_t size) {
  using T = typename Reducer::value_type;
  T value = poison<T>();
  Reducer const reducer(value);
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec>(0, size),
      KOKKOS_LAMBDA(std::size_t i, T & into) {
        reducer.join(into, static_cast<T>(x(i)));
      },
      reducer);
  return value;
}

template <class Reducer, class Exec, class X>
void expect_as_kokkos(X const& x) {
  using T          = typename Reducer::value_type;
  T const expected = kokkos_value<Reducer, Exec>(x, x.extent(0));
  for (Route const route : functor_routes<Exec>()) {
    SCOPED_TRACE(trace(route, x.extent(0)));
    T value = poison<T>();
    reduce(Exec(), x, Reducer(value), Settings{route});
    EXPECT_TRUE(same_bits(expected, value)) << double(value);
  }
}
TYPED_TEST(ReduceOperations, NothingGivesTheIdentityOfKokkos) {
  Kokkos::View<float*, TypeParam> const none("none", 0);
  Kokkos::View<std::int32_t*, TypeParam> const no_integers("none", 0);
  Kokkos::View<half_t*, TypeParam> const no_halfs("none", 0);
  expect_as_kokkos<Kokkos::Min<float>, TypeParam>(none);
  expect_as_kokkos<Kokkos::Max<float>, TypeParam>(none);
  expect_as_kokkos<Kokkos::Prod<float>, TypeParam>(none);
  expect_as_kokkos<Kokkos::Max<std::int32_t>, TypeParam>(no_integers);
  expect_as_kokkos<Kokkos::Max<half_t>, TypeParam>(no_halfs);
  expect_as_kokkos<Kokkos::Prod<half_t>, TypeParam>(no_halfs);
}
TYPED_TEST(ReduceOperations, NanAndInfinityAsKokkosHasThem) {
  constexpr double nan      = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (double const special : {nan, infinity, -infinity})
    for (std::size_t const place :
         {std::size_t(0), std::size_t(500), std::size_t(1000)}) {
      auto const x = make_view<float, TypeParam>(1001, [&](std::size_t i) {
        return i == place ? float(special) : float(i % 13) + 1;
      });
      expect_as_kokkos<Kokkos::Min<float>, TypeParam>(x);
      expect_as_kokkos<Kokkos::Max<float>, TypeParam>(x);
      float product = 0;
      reduce(TypeParam(), x, Kokkos::Prod<float>(product));
      EXPECT_EQ(special != special, product != product);
    }
  auto const all = filled<double, TypeParam>(77, nan);
  expect_as_kokkos<Kokkos::Max<double>, TypeParam>(all);
}

TYPED_TEST(ReduceOperations, OtherViews) {
  RowMajor<float, TypeParam> const m("m", 100, 3);
  auto const x = Kokkos::subview(m, Kokkos::ALL, 1);
  Kokkos::deep_copy(m, 5.f);
  Kokkos::deep_copy(x, -3.f);
  float value = poison<float>();
  reduce(TypeParam(), x, Kokkos::Max<float>(value));
  EXPECT_EQ(-3, value);
  Kokkos::View<float, TypeParam> const nothing;
  expect_error({"KokkosMMA::reduce", "reducer is null"}, [&] {
    reduce(TypeParam(), x,
           Kokkos::Max<float, typename TypeParam::memory_space>(nothing));
  });
}

}  // namespace
