// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrices of every layout, reduced and scanned along both dimensions.

#include "SegmentedSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentedMatrix);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
constexpr Impl::Operation sum = Impl::Operation::sum;

/// Values of a matrix, row after row.
struct Values {
  std::size_t rows, columns;
  std::vector<std::int64_t> all;

  Values(std::size_t rows_, std::size_t columns_)
      : rows(rows_), columns(columns_), all(rows * columns) {}
  std::int64_t& operator()(std::size_t i, std::size_t j) {
    return all[i * columns + j];
  }
  std::int64_t operator()(std::size_t i, std::size_t j) const {
    return all[i * columns + j];
  }
  /// Line `line` along a dimension.
  std::vector<std::int64_t> line(int dimension, std::size_t line) const {
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < (dimension == 0 ? rows : columns); ++i)
      result.push_back(dimension == 0 ? all[i * columns + line]
                                      : all[line * columns + i]);
    return result;
  }
  std::size_t lines(int dimension) const {
    return dimension == 0 ? columns : rows;
  }
};

template <Impl::Operation Op, class Input>
Values random_values(std::size_t rows, std::size_t columns, Random& random) {
  Values values(rows, columns);
  for (std::int64_t& value : values.all)
    value = segment_value<Op, Input>(random, rows > 4000 || columns > 4000);
  return values;
}

/// Writes value(i, j) to a matrix of any layout and space.
template <class M, class Value>
void fill_matrix(M const& m, Value const& value) {
  auto const host = Kokkos::create_mirror_view(m);
  for (std::size_t i = 0; i < m.extent(0); ++i)
    for (std::size_t j = 0; j < m.extent(1); ++j)
      host(i, j) = static_cast<typename M::non_const_value_type>(value(i, j));
  Kokkos::deep_copy(m, host);
}

/// A matrix in an allocation with so many more rows and columns than it has.
/// What does not belong to it holds a value that would show in any sum.
template <class T, class Layout, class Exec>
struct Padded {
  Kokkos::View<T**, Layout, Exec> all;
  std::size_t rows, columns, first;

  Padded(std::size_t rows_, std::size_t columns_, std::size_t padding)
      : all(Kokkos::view_alloc("matrix", Kokkos::WithoutInitializing),
            rows_ + padding, columns_ + padding),
        rows(rows_),
        columns(columns_),
        first(padding / 2) {
    fill_matrix(all, [](std::size_t, std::size_t) { return poison<T>(); });
  }
  bool is_inside(std::size_t i, std::size_t j) const {
    return i >= first && i < first + rows && j >= first && j < first + columns;
  }
  template <class Value>
  void set(Value const& value) const {
    fill_matrix(all, [&](std::size_t i, std::size_t j) {
      return is_inside(i, j) ? static_cast<T>(value(i - first, j - first))
                             : poison<T>();
    });
  }
  auto view() const {
    return Kokkos::subview(all, Range(first, first + rows),
                           Range(first, first + columns));
  }
  template <class Value>
  ::testing::AssertionResult holds(Value const& value) const {
    auto const host = host_copy(all);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      for (std::size_t j = 0; j < host.extent(1); ++j) {
        T const wanted = is_inside(i, j)
                             ? static_cast<T>(value(i - first, j - first))
                             : poison<T>();
        if (!same_bits(wanted, T(host(i, j))))
          return ::testing::AssertionFailure()
                 << "element (" << std::int64_t(i) - std::int64_t(first) << ", "
                 << std::int64_t(j) - std::int64_t(first) << ") is "
                 << double(host(i, j)) << " instead of " << double(wanted);
      }
    return ::testing::AssertionSuccess();
  }
};

std::string shape_trace(std::size_t rows, std::size_t columns,
                        std::size_t padding, int dimension) {
  return std::to_string(rows) + " x " + std::to_string(columns) + ", padded " +
         std::to_string(padding) + ", along " + std::to_string(dimension);
}

/// x reduced along both dimensions by every route.
template <Impl::Operation Op, class Input, class Output, class Exec, class X>
void expect_reduced(X const& x, Values const& values) {
  using R = Unmanaged<Output*, Exec>;
  using A = Impl::segment_accumulator_t<operation_t<Op>, X, R>;
  for (int const d : {0, 1}) {
    std::vector<Output> expected;
    for (std::size_t s = 0; s < values.lines(d); ++s) {
      auto const line = values.line(d, s);
      expected.push_back(reduced<Op, A, Output>(line, {{0, line.size()}})[0]);
    }
    auto const routes =
        segmented_routes<Exec>(matrix_problem<Op, A>(x, Axis{d}, R()));
    for (Route const route : routes) {
      SCOPED_TRACE(
          joined(segment_trace(Op, scalar_v<Input>, scalar_v<Output>, route),
                 ", along ", d));
      Guarded<Output, Exec> const result(expected.size());
      segmented_reduce(Exec(), x, Axis{d}, result.view(), operation_t<Op>(),
                       Settings{route});
      EXPECT_TRUE(took_route<Exec>(route, routes));
      ASSERT_TRUE(result.holds(expected));
    }
  }
}

template <class Input, class Output, bool Inclusive, class Exec, class Layout>
void expect_scanned(Values const& values, std::size_t padding_x,
                    std::size_t padding_y) {
  using X = Kokkos::View<Input**, Layout, Exec>;
  using A = Impl::segment_accumulator_t<operation_t<sum>, X,
                                        Kokkos::View<Output**, Layout, Exec>>;
  for (int const d : {0, 1}) {
    Values expected(values.rows, values.columns);
    for (std::size_t s = 0; s < values.lines(d); ++s) {
      auto const line = values.line(d, s);
      auto const scan = sequential_scan < Inclusive
                            ? Impl::ScanKind::inclusive
                            : Impl::ScanKind::exclusive > (line, 0);
      for (std::size_t i = 0; i < line.size(); ++i)
        (d == 0 ? expected(i, s) : expected(s, i)) = scan[i];
    }
    auto const value = [&](std::size_t i, std::size_t j) {
      return static_cast<Output>(static_cast<A>(expected(i, j)));
    };
    Padded<Input, Layout, Exec> const x(values.rows, values.columns, padding_x);
    using Y           = Padded<Output, Layout, Exec>;
    auto const routes = segmented_routes<Exec>(matrix_problem<sum, A>(
        x.view(), Axis{d}, Y(values.rows, values.columns, padding_y).view()));
    auto const run    = [&](auto const& from, auto const& to, Route route) {
      if constexpr (Inclusive) {
        segmented_inclusive_scan(Exec(), from, Axis{d}, to, Settings{route});
      } else {
        segmented_exclusive_scan(Exec(), from, Axis{d}, to, Settings{route});
      }
    };
    for (Route const route : routes) {
      SCOPED_TRACE(
          segment_trace(sum, scalar_v<Input>, scalar_v<Output>, route) +
          (Inclusive ? ", inclusive, " : ", exclusive, ") +
          shape_trace(values.rows, values.columns, padding_x, d));
      x.set(values);
      Y const y(values.rows, values.columns, padding_y);
      run(x.view(), y.view(), route);
      EXPECT_TRUE(took_route<Exec>(route, routes));
      ASSERT_TRUE(y.holds(value));
      if constexpr (std::is_same_v<Input, Output>) {
        run(x.view(), x.view(), route);
        ASSERT_TRUE(x.holds(value)) << "in place";
      }
    }
  }
}

struct Shape {
  std::size_t rows, columns;
};
/// Few and many lines, short and long, around vectors and warps.
Shape const shapes[] = {{1, 1},     {1, 100},  {100, 1},  {2, 3},    {16, 16},
                        {17, 33},   {32, 8},   {7, 1000}, {1000, 7}, {64, 64},
                        {129, 255}, {3, 5000}, {5003, 3}, {300, 128}};

template <Impl::Operation Op, class Input, class Output, class Layout,
          class Exec>
void expect_layout() {
  Random random;
  for (auto const [rows, columns] : shapes)
    for (std::size_t const padding : {0, 1, 16}) {
      SCOPED_TRACE(joined(rows, " x ", columns, ", padded ", padding));
      Values const values = random_values<Op, Input>(rows, columns, random);
      Padded<Input, Layout, Exec> const x(rows, columns, padding);
      x.set(values);
      if (padding == 0)
        expect_reduced<Op, Input, Output, Exec>(x.all, values);
      else
        expect_reduced<Op, Input, Output, Exec>(x.view(), values);
    }
}

TYPED_TEST(SegmentedMatrix, Reductions) {
  expect_layout<sum, float, float, LayoutRight, TypeParam>();
  expect_layout<sum, half_t, float, LayoutLeft, TypeParam>();
  expect_layout<sum, std::int8_t, std::int32_t, LayoutRight, TypeParam>();
  expect_layout<sum, std::int64_t, std::int64_t, LayoutLeft, TypeParam>();
  expect_layout<Impl::Operation::max, double, double, LayoutRight, TypeParam>();
}

/// Every third row and every second column.
TYPED_TEST(SegmentedMatrix, StridedBothWays) {
  Random random;
  for (auto const [rows, columns] : shapes) {
    Values const values = random_values<sum, float>(rows, columns, random);
    Kokkos::View<float***, LayoutRight, TypeParam> const all(
        Kokkos::view_alloc("matrix", Kokkos::WithoutInitializing), rows,
        columns, 3);
    Kokkos::deep_copy(all, poison<float>());
    auto const x = Kokkos::subview(all, Kokkos::ALL(), Kokkos::ALL(), 1);
    RowMajor<float, TypeParam> const packed("packed", rows, columns);
    fill_matrix(packed, values);
    Kokkos::deep_copy(TypeParam(), x, packed);
    TypeParam().fence();
    expect_reduced<sum, float, float, TypeParam>(x, values);
  }
}

template <class Input, class Output, class Layout, class Exec>
void expect_scans() {
  Random random;
  for (auto const [rows, columns] : shapes) {
    Values const values = random_values<sum, Input>(rows, columns, random);
    expect_scanned<Input, Output, true, Exec, Layout>(values, 0, 0);
    expect_scanned<Input, Output, false, Exec, Layout>(values, 0, 0);
    expect_scanned<Input, Output, true, Exec, Layout>(values, 3, 8);
    expect_scanned<Input, Output, false, Exec, Layout>(values, 16, 16);
    expect_scanned<Input, Output, false, Exec, Layout>(values, 0, 16);
  }
}
TYPED_TEST(SegmentedMatrix, Scans) {
  expect_scans<float, float, LayoutRight, TypeParam>();
  expect_scans<std::int8_t, std::int32_t, LayoutLeft, TypeParam>();
}

/// What is read lies by rows, what is written by columns.
TYPED_TEST(SegmentedMatrix, ScanIntoAnotherLayout) {
  std::size_t const rows = 40, columns = 70;
  RowMajor<std::int32_t, TypeParam> const x("x", rows, columns);
  Kokkos::View<std::int32_t**, LayoutLeft, TypeParam> const y("y", rows,
                                                              columns);
  fill_matrix(x, [](std::size_t i, std::size_t j) { return i + j; });
  segmented_inclusive_scan(TypeParam(), x, Axis{1}, y);
  EXPECT_EQ(Route::generic, last_route());
  auto const found = host_copy(y);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      ASSERT_EQ(int((j + 1) * i + j * (j + 1) / 2), found(i, j));
}

/// Dimensions without elements: what changes no element is written.
TYPED_TEST(SegmentedMatrix, Empty) {
  Kokkos::View<float**, TypeParam> const x("x", 0, 5);
  Guarded<float, TypeParam> const five(5);
  Guarded<float, TypeParam> const none(0);
  segmented_reduce(TypeParam(), x, Axis{0}, five.view());
  EXPECT_TRUE(five.holds({0, 0, 0, 0, 0}));
  segmented_reduce(TypeParam(), x, Axis{0}, five.view(), Multiplies());
  EXPECT_TRUE(five.holds({1, 1, 1, 1, 1}));
  segmented_reduce(TypeParam(), x, Axis{1}, none.view());
  EXPECT_TRUE(none.holds({}));
  segmented_inclusive_scan(TypeParam(), x, Axis{0}, x);
}

}  // namespace
