// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::parallel_for over multi-dimensional ranges, as applications call it.

#include <KokkosMMA_LoopSupport.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Kokkos::Iterate;
using Kokkos::Rank;

KOKKOSMMA_TEST_EVERY_SPACE(LoopsMDRange);

struct Tag {};

/// Counts the calls of each place of a box.
template <class Counts, int R>
struct CountPlaces {
  Counts counts;
  Kokkos::Array<std::int64_t, R> begin, extent;

  template <class... Indices>
  KOKKOS_FUNCTION void count(Indices... indices) const {
    std::int64_t const all[] = {std::int64_t(indices)...};
    std::int64_t at          = 0;
    for (int d = 0; d < R; ++d) at = at * extent[d] + (all[d] - begin[d]);
    ++counts(at);
  }
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(Tag, Indices... indices) const {
    count(indices...);
  }
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(Indices... indices) const {
    count(indices...);
  }
};

/// Boxes of all kinds and sizes: random_calls, box_*.
template <class Exec, int R, Iterate Direction, class... Traits>
void check_route() {
  using Policy =
      Kokkos::MDRangePolicy<Exec, Rank<R, Direction, Direction>, Traits...>;
  typename Policy::point_type lower, upper;
  std::size_t n = 1;
  Kokkos::Array<std::int64_t, R> first, extent;
  for (int d = 0; d < R; ++d) {
    first[d] = lower[d] = 3 + d;
    extent[d]           = 2 + d;
    upper[d]            = 5 + 2 * d;
    n *= std::size_t(extent[d]);
  }
  CallCounts<Exec> calls(n);
  ScopedSettings const scope(Settings{Route::streamed});
  LoopProbe<Exec> const probe;
  Kokkos::parallel_for(
      "box", Policy(lower, upper),
      CountPlaces<decltype(calls.counts), R>{calls.counts, first, extent});
  EXPECT_TRUE(probe.took(Route::streamed));
  EXPECT_TRUE(calls.once());
}
TYPED_TEST(LoopsMDRange, EveryRankIsIntercepted) {
  using Exec = TypeParam;
  check_route<Exec, 2, Iterate::Default, Kokkos::IndexType<std::int64_t>>();
  check_route<Exec, 3, Iterate::Right, Tag, Kokkos::IndexType<std::int64_t>>();
  check_route<Exec, 4, Iterate::Left>();
  check_route<Exec, 5, Iterate::Right, Tag>();
  check_route<Exec, 6, Iterate::Left>();
}

/// deep_copy() from one layout to the other.
template <class T, class Exec>
void check_copies(std::int64_t columns) {
  using Kokkos::ALL;
  Kokkos::View<T***, Kokkos::LayoutRight, Exec> const right("r", 70, 3,
                                                            columns),
      back("b", 70, 3, columns);
  Kokkos::View<T***, Kokkos::LayoutLeft, Exec> const left("l", 70, 3, columns);
  using Policy = Kokkos::MDRangePolicy<Exec, Rank<3>>;
  Policy const all({0, 0, 0}, {70, 3, columns});
  Kokkos::parallel_for(
      "fill", all, KOKKOS_LAMBDA(int i, int j, int k) {
        right(i, j, k) = T((i * 7 + j * 31 + k * 11) % 127);
      });
  LoopProbe<Exec> const probe;
  Kokkos::deep_copy(Exec(), left, right);
  EXPECT_TRUE(probe.took(Route::streamed));
  Kokkos::deep_copy(Exec(), back, left);
  int not_copied = 0;
  Kokkos::parallel_reduce(
      "compare", all,
      KOKKOS_LAMBDA(int i, int j, int k, int& count) {
        count += !(back(i, j, k) == right(i, j, k));
      },
      not_copied);
  EXPECT_EQ(not_copied, 0);
  // The first and last index of the outer dimensions stay.
  Kokkos::pair<int, int> const rows(1, 69), inner(1, int(columns) - 1);
  Kokkos::deep_copy(Exec(), back, T(5));
  Kokkos::deep_copy(Exec(), Kokkos::subview(back, rows, ALL, inner),
                    Kokkos::subview(left, rows, ALL, inner));
  int wrong = 0;
  Kokkos::parallel_reduce(
      "compare", all,
      KOKKOS_LAMBDA(int i, int j, int k, int& count) {
        bool const is_inner = 0 < i && i < 69 && 0 < k && k < int(columns) - 1;
        T const expected    = T((i * 7 + j * 31 + k * 11) % 127);
        count += !(left(i, j, k) == expected) +
                 !(back(i, j, k) == (is_inner ? expected : T(5)));
      },
      wrong);
  EXPECT_EQ(wrong, 0);
}
TYPED_TEST(LoopsMDRange, CopiesBetweenLayouts) {
  for (std::int64_t const columns : {65, 5}) {
    check_copies<std::int8_t, TypeParam>(columns);
    check_copies<float, TypeParam>(columns);
    check_copies<Kokkos::complex<double>, TypeParam>(columns);
  }
}

/// deep_copy() of a component and of a row of it, of which no dimension is
/// contiguous.
template <class T, class Layout, class Exec>
void check_component() {
  using Kokkos::ALL;
  Kokkos::View<T***, Kokkos::LayoutRight, Exec> const vectors("v", 700, 410, 3);
  using Policy = Kokkos::MDRangePolicy<Exec, Rank<3>>;
  Kokkos::parallel_for(
      "fill", Policy({0, 0, 0}, {700, 410, 3}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        vectors(i, j, k) = T((i * 7 + j * 31 + k * 11) % 127);
      });
  Kokkos::View<T**, Layout, Exec> const component("c", 700, 410);
  Kokkos::View<T*, Exec> const row("r", 410);
  expect_bits_of_kokkos(
      [&] {
        Kokkos::deep_copy(Exec(), component,
                          Kokkos::subview(vectors, ALL, ALL, 1));
        Kokkos::deep_copy(Exec(), row, Kokkos::subview(vectors, 5, ALL, 2));
      },
      component, row);
}
TYPED_TEST(LoopsMDRange, CopiesOfComponents) {
  check_component<std::int8_t, Kokkos::LayoutLeft, TypeParam>();
  check_component<float, Kokkos::LayoutRight, TypeParam>();
  check_component<double, Kokkos::LayoutLeft, TypeParam>();
}

/// The first call of a large box runs in parts, by this library and by Kokkos.
template <Iterate Direction, class Exec>
void check_parts() {
  SCOPED_TRACE(int(Direction));
  // Cuda's own index type is unsigned.
  using Index = Kokkos::IndexType<int>;
  using Grid =
      Kokkos::MDRangePolicy<Exec, Rank<2, Direction, Direction>, Index>;
  using Cube =
      Kokkos::MDRangePolicy<Exec, Rank<3, Direction, Direction>, Index>;
  CallCounts<Exec> grid(3001 * 2113), cube(206 * 204 * 211);
  CountPlaces<decltype(grid.counts), 2> const in_grid{
      grid.counts, {-5, 3}, {3001, 2113}};
  CountPlaces<decltype(cube.counts), 3> const in_cube{
      cube.counts, {7, -9, 1}, {206, 204, 211}};
  for (int call = 0; call < 3; ++call) {
    SCOPED_TRACE(call);
    Kokkos::parallel_for(Grid({-5, 3}, {2996, 2116}), in_grid);
    EXPECT_TRUE(grid.once());
    Kokkos::parallel_for(Grid({-5, 3}, {2996, 2116}, {8, 32}), in_grid);
    EXPECT_TRUE(grid.once());
    Kokkos::parallel_for(Cube({7, -9, 1}, {213, 195, 212}), in_cube);
    EXPECT_TRUE(cube.once());
  }
}
TYPED_TEST(LoopsMDRange, FirstCallsInParts) {
  check_parts<Iterate::Left, TypeParam>();
  check_parts<Iterate::Right, TypeParam>();
}

/// deep_copy() with short dimensions, and of a part to its own layout.
template <class T, class Exec>
void check_short_dimensions() {
  using Kokkos::ALL;
  using Policy = Kokkos::MDRangePolicy<Exec, Rank<4>>;
  Kokkos::View<T****, Kokkos::LayoutLeft, Exec> const left("l", 300, 4, 4, 16),
      inner("i", 298, 4, 4, 15);
  Kokkos::View<T****, Kokkos::LayoutRight, Exec> const right("r", 300, 4, 4,
                                                             16);
  Kokkos::parallel_for(
      "fill", Policy({0, 0, 0, 0}, {300, 4, 4, 16}),
      KOKKOS_LAMBDA(int i, int j, int k, int l) {
        left(i, j, k, l) = T((i * 7 + j * 31 + k * 11 + l * 5) % 127);
      });
  Kokkos::deep_copy(Exec(), right, T(-1));
  Kokkos::deep_copy(Exec(), inner, T(-1));
  LoopProbe<Exec> const probe;
  Kokkos::deep_copy(Exec(), right, left);
  EXPECT_TRUE(probe.took(Route::streamed));
  Kokkos::pair<int, int> const rows(1, 299), last(1, 16);
  Kokkos::deep_copy(Exec(), inner, Kokkos::subview(left, rows, ALL, ALL, last));
  EXPECT_TRUE(probe.took(Route::streamed));
  int wrong = 0;
  Kokkos::parallel_reduce(
      "compare", Policy({0, 0, 0, 0}, {298, 4, 4, 15}),
      KOKKOS_LAMBDA(int i, int j, int k, int l, int& count) {
        count += !(right(i, j, k, l) == left(i, j, k, l)) +
                 !(inner(i, j, k, l) == left(i + 1, j, k, l + 1));
      },
      wrong);
  EXPECT_EQ(wrong, 0);
}
TYPED_TEST(LoopsMDRange, CopiesOfShortDimensions) {
  check_short_dimensions<std::int8_t, TypeParam>();
  check_short_dimensions<std::int16_t, TypeParam>();
  check_short_dimensions<float, TypeParam>();
  check_short_dimensions<double, TypeParam>();
}

template <class Counts>
struct CountPairs {
  Counts counts;
  KOKKOS_FUNCTION void operator()(int, int, int i, int j, int) const {
    Kokkos::atomic_inc(&counts(i, j));
  }
};

// With given tiles Kokkos' launch would come first. In 4.6 and 5.0 it repeats
// invocations if dimensions that share one of the grid have so many tiles.
TYPED_TEST(LoopsMDRange, MoreTilesThanKokkosHasBlocks) {
  using Counts = Kokkos::View<int**, TypeParam>;
  Counts const counts("counts", 384, 171);
  Kokkos::MDRangePolicy<TypeParam,
                        Rank<5, Iterate::Right, Iterate::Right>> const
      policy({0, 0, 0, 0, 0}, {1, 1, 384, 171, 1}, {1, 1, 1, 1, 1});
  for (int call = 0; call < 3; ++call)
    Kokkos::parallel_for(policy, CountPairs<Counts>{counts});
  auto const found = host_copy(counts);
  for (int i = 0; i < 384; ++i)
    for (int j = 0; j < 171; ++j) ASSERT_EQ(found(i, j), 3) << i << ' ' << j;
}

/// Launch bounds hold in this library's kernel, too.
TYPED_TEST(LoopsMDRange, PoliciesThatSayMore) {
  using Exec = TypeParam;
  CallCounts<Exec> calls(300 * 300);
  CountPlaces<decltype(calls.counts), 2> const f{
      calls.counts, {0, 0}, {300, 300}};
  ScopedSettings const scope(Settings{Route::streamed});
  LoopProbe<Exec> const probe;
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Exec, Rank<2>, Kokkos::LaunchBounds<256>>(
          {0, 0}, {300, 300}),
      f);
  EXPECT_TRUE(
      probe.took(KOKKOS_VERSION < 50000 ? Route::automatic : Route::streamed));
  EXPECT_TRUE(calls.once());
  // Bounds by name that are none.
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Exec, Rank<2>, Kokkos::LaunchBounds<>>({0, 0},
                                                                   {300, 300}),
      f);
  EXPECT_TRUE(probe.took(Route::streamed));
  EXPECT_TRUE(calls.once());
}

}  // namespace
