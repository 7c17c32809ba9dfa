// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the data may lie and where the result may go.

#include "AlgorithmSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class ReduceLayouts : public ::testing::Test {};
TYPED_TEST_SUITE(ReduceLayouts, ExecutionSpaces);

using Range = std::pair<std::size_t, std::size_t>;

/// Every part of a View at every place of a 16-byte line. What lies around a
/// part would be seen.
template <class Element, class Value, class Exec>
void expect_subviews() {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const length = 700;
  std::vector<int> values(length);
  auto const memory = make_view<Element, Exec>(length, [&](std::size_t i) {
    return values[i] = int(random.integer(1, 5));
  });
  std::size_t const per_vector = 16 / sizeof(Element);
  for (std::size_t const size : {0, 1, 3, 7, 16, 100, 513, 600})
    for (std::size_t first = 0; first <= per_vector; ++first) {
      auto const x = Kokkos::subview(memory, Range(first, first + size));
      std::int64_t expected = 0;
      for (std::size_t i = 0; i < size; ++i) expected += values[first + i];
      for (Route const route : routes<Exec>()) {
        SCOPED_TRACE(trace(route, size) + ", first " + std::to_string(first));
        ASSERT_EQ(double(expected),
                  double(sum_of<Value>(Exec(), x, Settings{route})));
      }
    }
}

TYPED_TEST(ReduceLayouts, UnalignedSubviews) {
  expect_subviews<half_t, float, TypeParam>();
  expect_subviews<float, float, TypeParam>();
  expect_subviews<double, double, TypeParam>();
  expect_subviews<std::int8_t, std::int32_t, TypeParam>();
  expect_subviews<std::int64_t, std::int64_t, TypeParam>();
}

/// Automatic and forced routes for a View that is not contiguous.
template <class Value, class Exec, class View>
void expect_strided_sum(View const& x, double expected) {
  ASSERT_NE(1u, std::size_t(x.stride(0)));
  for (Route const route : routes<Exec>(false)) {
    SCOPED_TRACE(trace(route, x.extent(0)));
    EXPECT_EQ(expected, double(sum_of<Value>(Exec(), x, Settings{route})));
    if (route == Route::automatic) {
      EXPECT_EQ(best_route<Exec>(false), last_route());
    }
  }
  if (on_cuda<Exec>) {
    Value result = poison<Value>();
    std::string const why =
        error_of([&] { reduce(Exec(), x, result, Settings{Route::mma}); });
    EXPECT_TRUE(has_parts(why, {"KokkosMMA::reduce", "route mma", "strided"}));
    EXPECT_TRUE(same_bits(poison<Value>(), result)) << "written in spite of it";
  }
}

template <class Element, class Exec>
void expect_columns() {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const rows = 1001, columns = 5;
  Kokkos::View<Element**, Kokkos::LayoutRight, Exec> const matrix(
      Kokkos::view_alloc("matrix", Kokkos::WithoutInitializing), rows, columns);
  auto host                = Kokkos::create_mirror_view(matrix);
  double expected[columns] = {};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      int const value = int(random.integer(-5, 5));
      host(i, j)      = Element(value);
      expected[j] += value;
    }
  Kokkos::deep_copy(matrix, host);
  for (std::size_t j : {std::size_t(0), std::size_t(3), columns - 1})
    expect_strided_sum<Element, Exec>(Kokkos::subview(matrix, Kokkos::ALL, j),
                                      expected[j]);
}

TYPED_TEST(ReduceLayouts, ColumnsOfARowMajorMatrix) {
  expect_columns<float, TypeParam>();
  expect_columns<double, TypeParam>();
}

template <class Exec>
void expect_layout_stride() {
  std::size_t const size = 300, stride = 3;
  auto const memory = make_view<std::int32_t, Exec>(
      size * stride,
      [](std::size_t i) { return i % 3 ? 1000000 : int(i / 3); });
  Kokkos::View<std::int32_t*, Kokkos::LayoutStride, Exec> const x(
      memory.data(), Kokkos::LayoutStride(size, stride));
  expect_strided_sum<std::int64_t, Exec>(x, 300 * 299 / 2);
  // the same type with stride one is contiguous after all
  Kokkos::View<std::int32_t*, Kokkos::LayoutStride, Exec> const contiguous(
      memory.data(), Kokkos::LayoutStride(3, 1));
  for (Route const route : routes<Exec>())
    EXPECT_EQ(2000000,
              sum_of<std::int64_t>(Exec(), contiguous, Settings{route}));
}

TYPED_TEST(ReduceLayouts, LayoutStride) { expect_layout_stride<TypeParam>(); }

template <class Exec>
void expect_const_and_unmanaged() {
  auto const x =
      make_view<double, Exec>(1234, [](std::size_t i) { return double(i); });
  Kokkos::View<double const*, Exec> const constant = x;
  Kokkos::View<double const*, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      unmanaged(x.data(), x.extent(0));
  for (Route const route : routes<Exec>()) {
    SCOPED_TRACE(trace(route, 1234));
    EXPECT_EQ(1234 * 1233 / 2,
              sum_of<double>(Exec(), constant, Settings{route}));
    EXPECT_EQ(1234 * 1233 / 2,
              sum_of<double>(Exec(), unmanaged, Settings{route}));
  }
}

TYPED_TEST(ReduceLayouts, ConstAndUnmanagedViews) {
  expect_const_and_unmanaged<TypeParam>();
}

template <class Element, class Value, class Exec>
void expect_result_views() {
  std::size_t const size = 4321;
  auto const x           = make_view<Element, Exec>(
      size, [](std::size_t i) { return int(i % 3) - 1; });
  Kokkos::View<Element*, Exec> const nothing;
  double const expected = 0. + (size % 3 == 0 ? 0 : -1);
  for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
    SCOPED_TRACE(trace(route, size));
    using Device = typename Exec::memory_space;
    Settings const settings{route};
    EXPECT_EQ(expected,
              (double(sum_in_view<Value, Device>(Exec(), x, settings))));
    EXPECT_EQ(
        expected,
        (double(sum_in_view<Value, Kokkos::HostSpace>(Exec(), x, settings))));
    EXPECT_EQ(0.,
              (double(sum_in_view<Value, Device>(Exec(), nothing, settings))));
    EXPECT_EQ(0., (double(sum_in_view<Value, Kokkos::HostSpace>(Exec(), nothing,
                                                                settings))));
    EXPECT_EQ(0., (double(sum_of<Value>(Exec(), nothing, settings))));
  }
}

TYPED_TEST(ReduceLayouts, ResultInAView) {
  expect_result_views<half_t, half_t, TypeParam>();
  expect_result_views<half_t, float, TypeParam>();
  expect_result_views<float, double, TypeParam>();
  expect_result_views<double, double, TypeParam>();
  expect_result_views<std::int32_t, std::int64_t, TypeParam>();
  expect_result_views<std::int64_t, double, TypeParam>();
}

/// Calls that follow each other on one instance leave their own results.
template <class Exec>
void expect_in_order() {
  Exec const exec;
  std::size_t const calls = 50, size = 20000;
  auto const x = make_view<float, Exec>(size, [](std::size_t) { return 1; });
  Kokkos::View<float*, Exec> const results("results", calls);
  for (std::size_t call = 0; call < calls; ++call) {
    auto const part   = Kokkos::subview(x, Range(call, size));
    auto const result = Kokkos::subview(results, call);
    reduce(exec, part, result);
  }
  exec.fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
  for (std::size_t call = 0; call < calls; ++call)
    ASSERT_EQ(float(size - call), host(call)) << call;
}

TYPED_TEST(ReduceLayouts, ManyCallsInFlight) { expect_in_order<TypeParam>(); }

}  // namespace
