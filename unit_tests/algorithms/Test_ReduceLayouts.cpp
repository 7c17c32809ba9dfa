// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Strided data, and where the result may go.

#include "AlgorithmSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ReduceLayouts);

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
  std::size_t const rows = 1001, columns = 5;
  RowMajor<Element, Exec> const matrix(
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

TYPED_TEST(ReduceLayouts, LayoutStride) {
  std::size_t const size = 300, stride = 3;
  auto const memory = make_view<std::int64_t, TypeParam>(
      size * stride,
      [](std::size_t i) { return i % 3 ? 1000000 : int(i / 3); });
  Kokkos::View<std::int64_t*, Kokkos::LayoutStride, TypeParam> const x(
      memory.data(), Kokkos::LayoutStride(size, stride));
  expect_strided_sum<std::int64_t, TypeParam>(x, 300 * 299 / 2);
  // the same type with stride one is contiguous after all
  Kokkos::View<std::int64_t*, Kokkos::LayoutStride, TypeParam> const contiguous(
      memory.data(), Kokkos::LayoutStride(3, 1));
  for (Route const route : routes<TypeParam>())
    EXPECT_EQ(2000000,
              sum_of<std::int64_t>(TypeParam(), contiguous, Settings{route}));
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

/// Doubles into a float are added in double, whatever gives the elements. The
/// route of a View that is read through an accessor was that of memory, but
/// the kernel for functors ran and added floats.
TYPED_TEST(ReduceLayouts, Accessors) {
  using Exec = TypeParam;
  using Kokkos::MemoryTraits;
  auto const x = make_view<double, Exec>(
      2, [](std::size_t i) { return i == 0 ? 16777217. : -16777216.; });
  Kokkos::View<double const*, Exec, MemoryTraits<Kokkos::RandomAccess>> const
      random_access                                                      = x;
  Kokkos::View<double*, Exec, MemoryTraits<Kokkos::Atomic>> const atomic = x;
  EXPECT_EQ(1.f, sum_of<float>(Exec(), random_access, Settings{}));
  EXPECT_EQ(1.f, sum_of<float>(Exec(), atomic, Settings{}));
  EXPECT_NE(Route::mma, last_route());
  EXPECT_EQ(1., sum_of<double>(Exec(), atomic, Settings{}));
  EXPECT_NE(Route::mma, last_route());
}

TYPED_TEST(ReduceLayouts, ResultInAView) {
  for_types<Pair<half_t, half_t>, Pair<half_t, float>, Pair<float, double>,
            Pair<double, double>, Pair<std::int32_t, std::int64_t>,
            Pair<std::int64_t, double>>([&]<class A, class B>(Pair<A, B>) {
    expect_result_views<A, B, TypeParam>();
  });
}

}  // namespace
