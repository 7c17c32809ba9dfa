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

using Left  = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

template <class View>
View filled(auto... extents) {
  View const view("x", std::size_t(extents)...);
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < host.size(); ++i)
    host.data()[i] = typename View::value_type((i * 2654435761u >> 7) % 127);
  Kokkos::deep_copy(view, host);
  return view;
}
/// deep_copy() by every launch; the first one is intercepted.
template <class Exec, class To, class From, class... More>
void check_copies(To const& to, From const& from, auto const& more,
                  More const&... outputs) {
  LoopProbe<Exec> const probe;
  Kokkos::deep_copy(Exec(), to, from);
  EXPECT_TRUE(probe.took(Route::streamed));
  expect_bits_of_kokkos(
      [&] {
        Kokkos::deep_copy(Exec(), to, from);
        more();
      },
      to, outputs...);
}

/// From one layout to the other, all and without the first and the last index
/// of the outer dimensions.
template <class T, class Exec>
void check_layouts(int columns) {
  using Kokkos::ALL;
  using Rows        = Kokkos::View<T***, Right, Exec>;
  auto const right  = filled<Rows>(70, 3, columns);
  auto const inside = [&](auto const& view) {
    return Kokkos::subview(view, Kokkos::pair<int, int>(1, 69), ALL,
                           Kokkos::pair<int, int>(1, columns - 1));
  };
  Rows const back("b", 70, 3, columns);
  Kokkos::View<T***, Left, Exec> const left("l", 70, 3, columns);
  check_copies<Exec>(
      left, right,
      [&] { Kokkos::deep_copy(Exec(), inside(back), inside(left)); }, back);
}
TYPED_TEST(LoopsMDRange, CopiesBetweenLayouts) {
  for (int const columns : {65, 5}) {
    check_layouts<std::int8_t, TypeParam>(columns);
    check_layouts<float, TypeParam>(columns);
    check_layouts<Kokkos::complex<double>, TypeParam>(columns);
  }
}

/// Of a component and of a row of it, of which no dimension is contiguous.
template <class T, class Layout, class Exec>
void check_component() {
  using Kokkos::ALL;
  auto const vectors = filled<Kokkos::View<T***, Right, Exec>>(700, 410, 3);
  Kokkos::View<T**, Layout, Exec> const component("c", 700, 410);
  Kokkos::View<T*, Exec> const row("r", 410);
  check_copies<Exec>(
      component, Kokkos::subview(vectors, ALL, ALL, 1),
      [&] {
        Kokkos::deep_copy(Exec(), row, Kokkos::subview(vectors, 5, ALL, 2));
      },
      row);
}
TYPED_TEST(LoopsMDRange, CopiesOfComponents) {
  check_component<std::int8_t, Left, TypeParam>();
  check_component<float, Right, TypeParam>();
  check_component<double, Left, TypeParam>();
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

template <class Sum>
struct CountDiagonal {
  Sum sum;
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    if (i == j) Kokkos::atomic_inc(&sum());
  }
};

/// Kokkos (4.6 to 5.2) counts these 2^32 tiles in an int, and runs nothing.
TYPED_TEST(LoopsMDRange, AsManyTilesAsAnIntHasValues) {
  using Exec = TypeParam;
  if (!on_cuda<Exec>) GTEST_SKIP() << "takes long";
  Kokkos::View<int, Exec> const sum("sum");
  // The first call runs in parts, the others are timed.
  for (int call = 1; call <= 3; ++call) {
    Kokkos::parallel_for(
        Kokkos::MDRangePolicy<Exec, Rank<2>, Kokkos::IndexType<int>>(
            {0, 0}, {65536, 65536}, {1, 1}),
        CountDiagonal<decltype(sum)>{sum});
    EXPECT_EQ(host_copy(sum)(), call * 65536);
  }
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
