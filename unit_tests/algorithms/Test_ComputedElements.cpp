// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Segments of elements that a function of their index computes: every call that
// takes them, by every route, between every kind of offsets.

#include "SegmentedCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class ComputedSegments : public ::testing::Test {};
TYPED_TEST_SUITE(ComputedSegments, ExecutionSpaces);

template <class X>
struct ElementOf {
  X x;
  KOKKOS_FUNCTION typename X::non_const_value_type operator()(
      std::int64_t i) const {
    return x(i);
  }
};

template <class X>
auto computed(X const& x) {
  return ComputedElements(x.extent(0), ElementOf<X>{x});
}

/// A case by the elements of a View as a function gives them: see Reduce in
/// SegmentedCases.hpp.
struct ReduceComputed {
  template <class C, class Exec>
  static void run(std::vector<std::int64_t> const& values,
                  Segments const& segments, auto const& cuts, Random& random) {
    using Output = typename C::Output;
    auto const x = guarded_values<typename C::Input, Exec>(
        values, std::size_t(random.integer(0, 17)));
    auto const expected =
        reduced<C::operation, typename C::Accumulator, Output>(values,
                                                               segments);
    auto problem      = C::problem(cuts, values.size(), false, Exec());
    problem.computed  = true;
    auto const routes = segmented_routes<Exec>(problem);
    for (Route const route : routes) {
      SCOPED_TRACE(joined(route));
      Guarded<Output, Exec> const result(expected.size());
      segmented_reduce(Exec(), computed(x.view()), cuts, result.view(),
                       typename C::Op(), Settings{route});
      EXPECT_TRUE(took_route<Exec>(route, routes));
      ASSERT_TRUE(result.holds(expected));
    }
  }
};

TYPED_TEST(ComputedSegments, EqualSegments) {
  constexpr auto sum = Impl::Operation::sum;
  expect_lengths<ReduceComputed, TypeParam, Case<sum, float, float>,
                 Case<sum, half_t, float>,
                 Case<sum, std::int8_t, std::int64_t, std::int64_t>,
                 Case<Impl::Operation::min, double, double>>(few_lengths);
  SeededRandom random;
  for (std::size_t const length : {1, 33, 20003, 50000})
    expect_equal<ReduceComputed, Case<sum, double, double>, TypeParam>(
        40007, length, random);
}

TYPED_TEST(ComputedSegments, RaggedSegments) {
  using Exec         = TypeParam;
  constexpr auto sum = Impl::Operation::sum;
  expect_ragged<ReduceComputed, Case<sum, float, float>, std::int32_t, Exec>();
  expect_ragged<ReduceComputed, Case<sum, double, double>, std::int64_t,
                Exec>();
  expect_ragged<ReduceComputed, Case<sum, bool, int>, std::uint32_t, Exec>();
  expect_ragged<ReduceComputed, Case<Impl::Operation::max, int, int>,
                std::int32_t, Exec>();
}

template <class Exec>
struct Entry {
  Kokkos::View<double const*, Exec> values;
  Kokkos::View<int const*, Exec> columns;
  Kokkos::View<double const*, Exec> x;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return values(i) * x(columns(i));
  }
};

template <class Exec>
struct StoreSum {
  Kokkos::View<double*, Exec> y;
  KOKKOS_FUNCTION void operator()(std::size_t row, double sum) const {
    y(row) = sum;
  }
};

/// y = A x: into a View and by the policy.
TYPED_TEST(ComputedSegments, SparseProduct) {
  using Exec = TypeParam;
  Exec const exec;
  SeededRandom random;
  int const rows = 3000;
  std::vector<std::int64_t> lengths;
  for (int r = 0; r < rows; ++r)
    lengths.push_back(r == 77 ? 20000 : random.integer(0, 20));
  auto const offsets = offsets_of(lengths);
  auto const entries = std::size_t(offsets.back());
  std::vector<int> columns(entries), values(entries), x(rows);
  for (auto& c : columns) c = int(random.integer(0, rows - 1));
  for (auto& v : values) v = int(random.integer(-9, 9));
  for (auto& v : x) v = int(random.integer(-9, 9));
  auto const device = [&]<class T>(std::vector<int> const& from, T) {
    Kokkos::View<T*, Exec> const to("to", from.size());
    fill(to, [&](std::size_t i) { return static_cast<T>(from[i]); });
    return to;
  };
  ComputedElements const products(
      entries, Entry<Exec>{device(values, double()), device(columns, int()),
                           device(x, double())});
  auto const row_offsets = offsets_view<int, Exec>(offsets);
  std::vector<double> sums(rows, 0);
  for (int r = 0; r < rows; ++r)
    for (auto i = offsets[r]; i < offsets[r + 1]; ++i) {
      double const product = double(values[i]) * x[columns[i]];
      sums[r] += product;
    }
  Guarded<double, Exec> const result(rows);
  segmented_reduce(exec, products, row_offsets, result.view());
  EXPECT_TRUE(result.holds(sums));
  Kokkos::View<double*, Exec> const y("y", rows);
  Kokkos::parallel_for("product", SegmentPolicy(exec, products, row_offsets),
                       StoreSum<Exec>{y});
  EXPECT_TRUE(holds(y, [&](std::size_t r) { return sums[r]; }));
  EXPECT_EQ(on_cuda<Exec>, last_route() == Route::streamed);
  Kokkos::parallel_for(
      SegmentPolicy(exec, products, 10),
      StoreSum<Exec>{Kokkos::View<double*, Exec>("tens", (entries + 9) / 10)});
  EXPECT_EQ(on_cuda<Exec>, last_route() == Route::streamed);
}

/// None is called for segments that have no elements.
template <class Exec>
struct CountCalls {
  Kokkos::View<int, Exec> calls;
  KOKKOS_FUNCTION float operator()(std::int64_t) const {
    Kokkos::atomic_inc(&calls());
    return 1;
  }
};

TYPED_TEST(ComputedSegments, EachElementOfASegmentIsCalledOnce) {
  using Exec = TypeParam;
  Exec const exec;
  Kokkos::View<int, Exec> const calls("calls");
  ComputedElements const ones(10000, CountCalls<Exec>{calls});
  auto const expect_calls = [&](int expected, auto const& cuts,
                                std::size_t segments) {
    for (Route const route : {Route::automatic, Route::generic}) {
      Kokkos::deep_copy(calls, 0);
      Guarded<float, Exec> const result(segments);
      segmented_reduce(exec, ones, cuts, result.view(), Settings{route});
      int seen = -1;
      Kokkos::deep_copy(seen, calls);
      EXPECT_EQ(expected, seen) << to_string(route);
    }
  };
  expect_calls(10000, 3, 3334);
  expect_calls(10000, 10000, 1);
  expect_calls(9980, offsets_view<int, Exec>({11, 11, 14, 5000, 9991}), 4);
  expect_calls(0, offsets_view<int, Exec>({7, 7, 7}), 2);
  ComputedElements const none(0, CountCalls<Exec>{calls});
  Guarded<float, Exec> const nothing(0), zero(2);
  segmented_reduce(exec, none, 5, nothing.view());
  segmented_reduce(exec, none, offsets_view<int, Exec>({0, 0, 0}), zero.view());
  EXPECT_TRUE(zero.holds(std::vector<float>{0, 0}));
}

TYPED_TEST(ComputedSegments, RefusalsAndExplanations) {
  using Exec = TypeParam;
  Exec const exec;
  Kokkos::View<int, Exec> const calls("calls");
  CountCalls<Exec> const one{calls};
  ComputedElements const ones(100, one);
  Guarded<float, Exec> const ten(10), two(2);
  expect_error({"KokkosMMA::ComputedElements", "size is -3", "0 or more"},
               [&] { ComputedElements(-3, one); });
  expect_error({"KokkosMMA::segmented_reduce", "offsets(2) = 101", "100"}, [&] {
    segmented_reduce(exec, ones, offsets_view<int, Exec>({0, 9, 101}),
                     two.view());
  });
  expect_error({"segment_length is 0"},
               [&] { segmented_reduce(exec, ones, 0, ten.view()); });
  expect_error({"extent 2", "10 segments"},
               [&] { segmented_reduce(exec, ones, 10, two.view()); });
  Settings exact;
  exact.reproducibility = Reproducibility::exact;
  auto const sum = [&] { segmented_reduce(exec, ones, 10, ten.view(), exact); };
  if (on_cuda<Exec>) {
    expect_error({"route mma", "computed"}, [&] {
      segmented_reduce(exec, ones, 10, ten.view(), Settings{Route::mma});
    });
    expect_error({"exact", "computed"}, sum);
    expect_explained({"route streamed; not mma: ", "computed"},
                     [&] { segmented_reduce(exec, ones, 10, ten.view()); });
  }
  int seen = -1;
  Kokkos::deep_copy(seen, calls);
  EXPECT_EQ(0, seen);
  EXPECT_TRUE(ten.holds(std::vector<float>(10, surrounding<float>())));
  EXPECT_TRUE(two.holds(std::vector<float>(2, surrounding<float>())));
  // What no level can be had for is said, and not how elements would have it.
  expect_error({"exact", "segment sums of floating-point Views"}, [&] {
    segmented_reduce(exec, ones, 10, ten.view(), Maximum(), exact);
  });
  if (!on_cuda<Exec>) {
    sum();
    EXPECT_TRUE(ten.holds(std::vector<float>(10, 10)));
  }
}

}  // namespace
