// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrices of every layout, reduced and scanned along both dimensions.

#include "SegmentedSupport.hpp"
#include "StencilSupport.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentedMatrix);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
constexpr Impl::Operation sum = Impl::Operation::sum;

/// Rows that are aligned, with gaps between them.
template <class Layout>
using Aligned = Framed<Layout, 8, 8>;

/// Line `line` along a dimension.
std::vector<std::int64_t> line_of(HostGrid<2> const& values, int dimension,
                                  std::int64_t line) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < values.extent[dimension]; ++i)
    result.push_back(std::int64_t(
        values.at(dimension == 0 ? Place<2>{i, line} : Place<2>{line, i})));
  return result;
}

template <Impl::Operation Op, class Input>
HostGrid<2> random_values(Place<2> const& shape, Random& random) {
  HostGrid<2> values(shape);
  bool const many = std::max(shape[0], shape[1]) > 4000;
  for (double& value : values.values)
    value = double(segment_value<Op, Input>(random, many));
  return values;
}

/// A matrix reduced along both dimensions by every route.
template <Impl::Operation Op, class Input, class Output, class Kind, class Exec>
void expect_reduced(Place<2> const& shape, Random& random) {
  auto const values = random_values<Op, Input>(shape, random);
  TestGrid<Input, 2, Kind, Exec> const grid(values);
  auto const x = grid.view();
  using R      = Unmanaged<Output*, Exec>;
  using A      = Impl::segment_accumulator_t<operation_t<Op>,
                                        std::remove_const_t<decltype(x)>, R>;
  for (int const d : {0, 1}) {
    std::vector<Output> expected;
    for (std::int64_t s = 0; s < shape[1 - d]; ++s) {
      auto const line = line_of(values, d, s);
      expected.push_back(reduced<Op, A, Output>(line, {{0, line.size()}})[0]);
    }
    auto const routes =
        segmented_routes<Exec>(matrix_problem<Op, A>(x, Axis{d}, R()));
    for (Route const route : routes) {
      SCOPED_TRACE(
          joined(segment_trace(Op, scalar_v<Input>, scalar_v<Output>, route),
                 ", ", shape[0], " x ", shape[1], ", along ", d));
      Guarded<Output, Exec> const result(expected.size());
      segmented_reduce(Exec(), x, Axis{d}, result.view(), operation_t<Op>(),
                       Settings{route});
      EXPECT_TRUE(took_route<Exec>(route, routes));
      ASSERT_TRUE(result.holds(expected));
    }
  }
}

template <class Input, class Output, bool Inclusive, class Kind, class OutKind,
          class Exec>
void expect_scanned(HostGrid<2> const& values) {
  using X = TestGrid<Input, 2, Kind, Exec>;
  using Y = TestGrid<Output, 2, OutKind, Exec>;
  using A = Impl::segment_accumulator_t<operation_t<sum>, typename X::View,
                                        typename Y::View>;
  constexpr auto kind =
      Inclusive ? Impl::ScanKind::inclusive : Impl::ScanKind::exclusive;
  auto const convert = [](double prefix) {
    return static_cast<Output>(static_cast<A>(prefix));
  };
  for (int const d : {0, 1}) {
    HostGrid<2> expected(values.extent);
    for (std::int64_t s = 0; s < values.extent[1 - d]; ++s) {
      auto const scan = sequential_scan<kind>(line_of(values, d, s), 0);
      for (std::int64_t i = 0; i < values.extent[d]; ++i)
        expected.at(d == 0 ? Place<2>{i, s} : Place<2>{s, i}) =
            double(scan[std::size_t(i)]);
    }
    auto const run = [&](auto const& from, auto const& to, Route route) {
      if constexpr (Inclusive) {
        segmented_inclusive_scan(Exec(), from, Axis{d}, to, Settings{route});
      } else {
        segmented_exclusive_scan(Exec(), from, Axis{d}, to, Settings{route});
      }
    };
    auto const routes = segmented_routes<Exec>(matrix_problem<sum, A>(
        X(values).view(), Axis{d}, Y(values.extent).view()));
    for (Route const route : routes) {
      SCOPED_TRACE(
          joined(segment_trace(sum, scalar_v<Input>, scalar_v<Output>, route),
                 Inclusive ? ", inclusive, " : ", exclusive, ",
                 values.extent[0], " x ", values.extent[1], ", along ", d));
      X const x(values);
      Y const y(values.extent);
      run(x.view(), y.view(), route);
      EXPECT_TRUE(took_route<Exec>(route, routes));
      ASSERT_TRUE(y.holds(expected, convert));
      if constexpr (std::is_same_v<Input, Output>) {
        run(x.view(), x.view(), route);
        ASSERT_TRUE(x.holds(expected, convert)) << "in place";
      }
    }
  }
}

/// Few and many lines, short and long, around vectors and warps.
Place<2> const shapes[] = {{1, 1},    {1, 100},  {100, 1},   {2, 3},
                           {16, 16},  {17, 33},  {32, 8},    {7, 1000},
                           {1000, 7}, {64, 64},  {129, 255}, {3, 5000},
                           {5003, 3}, {300, 128}};

template <Impl::Operation Op, class Input, class Output, class Layout,
          class Exec>
void expect_layout() {
  Random random;
  for (auto const& shape : shapes) {
    expect_reduced<Op, Input, Output, Plain<Layout>, Exec>(shape, random);
    expect_reduced<Op, Input, Output, Framed<Layout>, Exec>(shape, random);
    expect_reduced<Op, Input, Output, Aligned<Layout>, Exec>(shape, random);
  }
}

TYPED_TEST(SegmentedMatrix, Reductions) {
  expect_layout<sum, float, float, LayoutRight, TypeParam>();
  expect_layout<sum, half_t, float, LayoutLeft, TypeParam>();
  expect_layout<sum, std::int8_t, std::int32_t, LayoutRight, TypeParam>();
  expect_layout<sum, std::int64_t, std::int64_t, LayoutLeft, TypeParam>();
  expect_layout<Impl::Operation::max, double, double, LayoutRight, TypeParam>();
}

TYPED_TEST(SegmentedMatrix, StridedBothWays) {
  Random random;
  for (auto const& shape : shapes)
    expect_reduced<sum, float, float, Strided, TypeParam>(shape, random);
}

template <class Input, class Output, class Layout, class Exec>
void expect_scans() {
  Random random;
  using P = Plain<Layout>;
  using F = Framed<Layout>;
  using A = Aligned<Layout>;
  for (auto const& shape : shapes) {
    auto const values = random_values<sum, Input>(shape, random);
    expect_scanned<Input, Output, true, P, P, Exec>(values);
    expect_scanned<Input, Output, false, P, P, Exec>(values);
    expect_scanned<Input, Output, true, F, A, Exec>(values);
    expect_scanned<Input, Output, false, A, A, Exec>(values);
    expect_scanned<Input, Output, false, P, A, Exec>(values);
  }
}
TYPED_TEST(SegmentedMatrix, Scans) {
  expect_scans<float, float, LayoutRight, TypeParam>();
  expect_scans<std::int8_t, std::int32_t, LayoutLeft, TypeParam>();
}

/// What is read lies by rows, what is written by columns.
TYPED_TEST(SegmentedMatrix, ScanIntoAnotherLayout) {
  Random random;
  expect_scanned<std::int32_t, std::int32_t, true, Plain<LayoutRight>,
                 Plain<LayoutLeft>, TypeParam>(
      random_values<sum, std::int32_t>({40, 70}, random));
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
