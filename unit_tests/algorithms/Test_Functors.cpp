// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functors in Kokkos::parallel_reduce, without the drop-in header.

#include "AlgorithmSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Functors);

struct PlusHalf {
  template <class T>
  KOKKOS_FUNCTION double operator()(T x) const {
    return double(x) + 0.5;
  }
};

/// One functor over [begin, end) with each kind of reducer, into scalar and
/// View. `expected_route` is that of Cuda.
template <class Value, class Exec, class Functor>
void expect_with_every_reducer(Functor const& functor, std::size_t begin,
                               std::size_t end, double expected,
                               Route expected_route) {
  Kokkos::RangePolicy<Exec> const policy(begin, end);
  using Space      = typename Exec::memory_space;
  auto const check = [&](char const* kind, auto const& result,
                         auto const& reducer) {
    SCOPED_TRACE(kind);
    RouteProbe<Exec> const probe;
    Kokkos::parallel_reduce("functor", policy, functor, reducer);
    EXPECT_EQ(expected, double(value_of(result)));
    EXPECT_TRUE(probe.took(expected_route));
  };
  Value scalar = poison<Value>();
  {
    RouteProbe<Exec> const probe;
    Kokkos::parallel_reduce("functor", policy, functor, scalar);
    EXPECT_EQ(expected, double(scalar)) << "default, scalar";
    EXPECT_TRUE(probe.took(expected_route));
  }
  auto const view = poisoned_view<Value, Space>();
  check("default, View", view, view);
  auto const sum = poisoned_view<Value, Space>();
  check("KokkosMMA::Sum, View", sum, KokkosMMA::Sum<Value, Space>(sum));
  // A scalar is a View of the host's memory.
  Unmanaged<Value, Kokkos::HostSpace> const of_host(&scalar);
  scalar = poison<Value>();
  check("KokkosMMA::Sum, scalar", of_host, KokkosMMA::Sum<Value>(scalar));
  scalar = poison<Value>();
  check("Kokkos::Sum, scalar", of_host, Kokkos::Sum<Value>(scalar));
}

/// x(i) and y(i) are small integers; the sums over [begin, end) are exact.
template <class Element, class Exec>
struct Operands {
  Kokkos::View<Element*, Exec> x, y;
  double sum = 0, product = 0, squares = 0, transformed = 0;

  Operands(std::size_t size, std::size_t begin, std::size_t end,
           Random& random) {
    std::vector<int> values(size);
    x = make_view<Element, Exec>(size, [&](std::size_t i) {
      return values[i] = int(random.integer(0, 4));
    });
    y = make_view<Element, Exec>(size, [&](std::size_t i) {
      int const value = int(random.integer(0, 4));
      if (begin <= i && i < end) {
        sum += values[i];
        product += values[i] * value;
        squares += values[i] * values[i];
        transformed += values[i] + 0.5;
      }
      return value;
    });
  }
};

template <class Element, class Value, class Exec>
void expect_sums(bool product_on_tensor_cores) {
  Random random(joined(", ", scalar_v<Element>));
  Route const sum_route =
      visible_to_mma<Element, Value> ? Route::mma : Route::streamed;
  Route const product_route =
      product_on_tensor_cores ? Route::mma : Route::streamed;
  struct Part {
    std::size_t size, begin, end;
  };
  // begin is no multiple of a vector, end lies inside the data
  for (Part const part : {Part{1000, 0, 1000}, Part{5001, 17, 4990},
                          Part{100, 99, 100}, Part{100, 40, 40}}) {
    SCOPED_TRACE(joined("from ", part.begin, " to ", part.end));
    Operands<Element, Exec> const data(part.size, part.begin, part.end, random);
    expect_with_every_reducer<Value, Exec>(load(data.x), part.begin, part.end,
                                           data.sum, sum_route);
    expect_with_every_reducer<Value, Exec>(
        dot(data.x, data.y), part.begin, part.end, data.product, product_route);
  }
}

TYPED_TEST(Functors, LoadAndDot) {
  expect_sums<float, float, TypeParam>(false);
  expect_sums<double, double, TypeParam>(true);
  expect_sums<half_t, float, TypeParam>(sizeof(half_t) == 2);
  expect_sums<std::int8_t, std::int32_t, TypeParam>(true);
  expect_sums<std::int64_t, std::int64_t, TypeParam>(false);
}

TYPED_TEST(Functors, SquaresAndTransform) {
  Random random;
  Operands<double, TypeParam> const data(3001, 5, 2999, random);
  expect_with_every_reducer<double, TypeParam>(squares(data.x), 5, 2999,
                                               data.squares, Route::mma);
  expect_with_every_reducer<double, TypeParam>(transform(data.x, PlusHalf()), 5,
                                               2999, data.transformed,
                                               Route::streamed);
}

TYPED_TEST(Functors, DotOfDifferentAlignments) {
  Random random;
  std::size_t const size = 1001;
  Operands<half_t, TypeParam> const data(size + 16, 0, size + 16, random);
  auto const host_x = host_copy(data.x);
  auto const host_y = host_copy(data.y);
  for (std::size_t first_x : {0, 1, 5})
    for (std::size_t first_y : {0, 1, 5, 8, 13}) {
      SCOPED_TRACE(joined(first_x, " and ", first_y));
      auto const x    = Kokkos::subview(data.x, Range(first_x, first_x + size));
      auto const y    = Kokkos::subview(data.y, Range(first_y, first_y + size));
      double expected = 0;
      for (std::size_t i = 0; i < size; ++i)
        expected +=
            double(float(host_x(first_x + i))) * float(host_y(first_y + i));
      bool const together =
          (first_x - first_y) * sizeof(half_t) % 16 == 0 && sizeof(half_t) == 2;
      RouteProbe<TypeParam> probe;
      float result = poison<float>();
      Kokkos::parallel_reduce("dot", Kokkos::RangePolicy<TypeParam>(0, size),
                              dot(x, y), result);
      EXPECT_EQ(expected, double(result));
      EXPECT_TRUE(probe.took(together ? Route::mma : Route::streamed));
    }
}

TYPED_TEST(Functors, SumOfHalfIsKeptInFloat) {
  auto const x = filled<half_t, TypeParam>(60000, 1.f);
  Kokkos::RangePolicy<TypeParam> const policy(0, 60000);
  half_t result = poison<half_t>();
  Kokkos::parallel_reduce("half", policy, load(x),
                          KokkosMMA::Sum<half_t>(result));
  // on host spaces the sum is Kokkos' own, in the type of the result
  if (on_cuda<TypeParam> || sizeof(half_t) > 2) {
    EXPECT_EQ(6e4f, float(result));
  }
}

/// A scope is a request: what cannot run takes another route and is right.
TYPED_TEST(Functors, ScopeIsAWish) {
  Random random;
  Operands<std::int64_t, TypeParam> const data(2000, 0, 2000, random);
  for (Route const requested : {Route::generic, Route::streamed, Route::mma}) {
    ScopedSettings const scope(Settings{requested});
    Kokkos::RangePolicy<TypeParam> const policy(0, 2000);
    auto product = poison<std::int64_t>(), sum = poison<std::int64_t>();
    Kokkos::parallel_reduce("dot", policy, dot(data.x, data.y), product);
    if (on_cuda<TypeParam>) {
      EXPECT_EQ(requested == Route::mma ? Route::streamed : requested,
                last_route());
    }
    Kokkos::parallel_reduce("load", policy, load(data.x), sum);
    if (on_cuda<TypeParam>) {
      EXPECT_EQ(requested, last_route());
    }
    EXPECT_EQ(data.product, double(product));
    EXPECT_EQ(data.sum, double(sum));
  }
}

}  // namespace
