// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions over multidimensional ranges: every rank, where the range begins,
// tiles, orders of iteration, work tags, reducers. Checked against plain loops
// on the host.

#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(MDRange);

/// Depends on every index and on their order.
KOKKOS_INLINE_FUNCTION std::uint64_t mix() { return 1; }
template <class First, class... Rest>
KOKKOS_INLINE_FUNCTION std::uint64_t mix(First first, Rest... rest) {
  return (mix(rest...) + static_cast<std::uint64_t>(first) + 12345) *
         6364136223846793005ull;
}

/// Sums and, under a tag, takes the maximum of what mix() makes of the indices,
/// for any rank.
struct TakeMaximum {};
struct MixIndices {
  using Value = std::uint64_t;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  Value& u) const {
    u += mix(i, j);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, Value& u) const {
    u += mix(i, j, k);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, int l, Value& u) const {
    u += mix(i, j, k, l);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, int k, int l, int m, int n,
                                  Value& u) const {
    u += mix(i, j, k, l, m, n);
  }
  KOKKOS_FUNCTION void operator()(TakeMaximum, int i, int j, int k,
                                  Value& u) const {
    Value const value = mix(i, j, k);
    if (value > u) u = value;
  }
};

template <int Rank>
using Point = std::array<std::int64_t, Rank>;

struct Reference {
  std::uint64_t sum = 0, maximum = 0;
};

/// The same by plain loops, one index at a time.
template <int Rank, class... Indices>
void loop(Point<Rank> const& begin, Point<Rank> const& end, Reference& result,
          Indices... indices) {
  constexpr int axis = sizeof...(Indices);
  if constexpr (axis == Rank) {
    std::uint64_t const value = mix(indices...);
    result.sum += value;
    result.maximum = std::max(result.maximum, value);
  } else {
    for (std::int64_t i = begin[axis]; i < end[axis]; ++i)
      loop<Rank>(begin, end, result, indices..., i);
  }
}

template <class Policy, int Rank>
Policy make_policy(Point<Rank> const& begin, Point<Rank> const& end,
                   std::vector<int> const& tile = {}) {
  typename Policy::point_type lower, upper;
  for (int axis = 0; axis < Rank; ++axis) {
    lower[axis] = begin[axis];
    upper[axis] = end[axis];
  }
  if (tile.empty()) return Policy(lower, upper);
  typename Policy::tile_type tiles;
  for (int axis = 0; axis < Rank; ++axis) tiles[axis] = tile[axis];
  return Policy(lower, upper, tiles);
}

template <class Policy, int Rank>
void check_policy(Point<Rank> const& begin, Point<Rank> const& end,
                  std::vector<int> const& tile = {}) {
  Reference expected;
  loop<Rank>(begin, end, expected);
  expect_reduced(expected.sum, make_policy<Policy, Rank>(begin, end, tile),
                 MixIndices());
}

using Kokkos::Iterate;
using Kokkos::Rank;

/// Boxes of all kinds and sizes: random_calls, sum_box_*.
TYPED_TEST(MDRange, EveryRankIsIntercepted) {
  using Exec = TypeParam;
  using LeftRight =
      Kokkos::MDRangePolicy<Exec, Rank<2, Iterate::Left, Iterate::Right>>;
  using Signed = Kokkos::MDRangePolicy<Exec, Rank<3>, Kokkos::IndexType<int>>;
  check_policy<LeftRight, 2>({3, 2}, {100, 201}, {7, 3});
  check_policy<Signed, 3>({1, -2, -30}, {30, 20, 25});
  check_policy<Kokkos::MDRangePolicy<Exec, Rank<4>>, 4>({1, 0, 3, 2},
                                                        {12, 9, 11, 17});
  check_policy<Kokkos::MDRangePolicy<Exec, Rank<6>>, 6>(
      {0, 1, 2, 3, 4, 5}, {5, 8, 6, 7, 9, 11}, {2, 3, 2, 2, 2, 2});
}

/// A work tag and a reducer, into a scalar and a View.
TYPED_TEST(MDRange, WorkTagAndReducer) {
  using Exec   = TypeParam;
  using Policy = Kokkos::MDRangePolicy<Exec, Rank<3>, TakeMaximum>;
  Point<3> const begin{2, 0, 5}, end{40, 33, 21};
  auto const policy = make_policy<Policy, 3>(begin, end);
  Reference expected;
  loop<3>(begin, end, expected);
  std::uint64_t scalar = poison<std::uint64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("maximum", policy, MixIndices(),
                          Kokkos::Max<std::uint64_t>(scalar));
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected.maximum, scalar);

  auto const view = poisoned_view<std::uint64_t, Exec>();
  probe.reset();
  Kokkos::parallel_reduce("maximum", policy, MixIndices(),
                          Kokkos::Max<std::uint64_t, Exec>(view));
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected.maximum, value_of(view));
}

/// A reduction by members of the functor, over elements of a View, two results
/// from a lambda.
template <class Exec>
struct LongestRow {
  using value_type = Kokkos::pair<int, int>;  // value and row
  Kokkos::View<int const**, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, int j, value_type& update) const {
    join(update, value_type(x(i, j), i));
  }
  KOKKOS_FUNCTION void init(value_type& update) const {
    update = value_type(-1, -1);
  }
  KOKKOS_FUNCTION void join(value_type& update, value_type const& other) const {
    if (other.first > update.first) update = other;
  }
  KOKKOS_FUNCTION void final(value_type& update) const { update.second += 100; }
};

template <class Exec>
void check_view_elements() {
  int const rows = 211, columns = 97;
  Random random;
  Kokkos::View<int**, Exec> const x("x", rows, columns);
  auto const host  = Kokkos::create_mirror_view(x);
  std::int64_t sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      host(i, j) = random.integer(0, 1000000);
      sum += host(i, j);
    }
  int const row = random.integer(0, rows - 1);
  sum += 2000000 - host(row, 3);
  host(row, 3) = 2000000;
  Kokkos::deep_copy(x, host);
  Kokkos::MDRangePolicy<Exec, Rank<2>> const policy({0, 0}, {rows, columns});

  Kokkos::pair<int, int> found(0, 0);
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("row", policy, LongestRow<Exec>{x}, found);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(2000000, found.first);
  EXPECT_EQ(row + 100, found.second);

  std::int64_t total = poison<std::int64_t>();
  int largest        = -1;
  probe.reset();
  Kokkos::parallel_reduce(
      "two results", policy,
      KOKKOS_LAMBDA(int i, int j, std::int64_t& s, int& m) {
        s += x(i, j);
        if (x(i, j) > m) m = x(i, j);
      },
      total, Kokkos::Max<int>(largest));
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(sum, total);
  EXPECT_EQ(2000000, largest);
}
TYPED_TEST(MDRange, ElementsOfAView) { check_view_elements<TypeParam>(); }

/// Extents of which 32 bits are none, of a box without points.
template <class Exec>
void check_long_extents() {
  using Policy =
      Kokkos::MDRangePolicy<Exec, Rank<2>, Kokkos::IndexType<std::int64_t>>;
  double result = poison<double>();
  Kokkos::parallel_reduce(
      Policy({0, 0}, {std::int64_t(1) << 32, 0}),
      KOKKOS_LAMBDA(std::int64_t, std::int64_t, double& update) {
        update += 1;
      },
      result);
  EXPECT_EQ(0, result);
}
TYPED_TEST(MDRange, LongExtents) { check_long_extents<TypeParam>(); }

/// A point of a simulation with `N` fields, whose values are all alive at a
/// time. With 24 fields this library's kernel spills registers.
template <int N, class Space>
struct LeastOfFields {
  Kokkos::View<double**, Space> fields[N];

  KOKKOS_FUNCTION void operator()(int i, int j, double& least) const {
    double value[N], sum = 0;
    for (int k = 0; k < N; ++k)
      value[k] = fields[k](i, j) * fields[k](i + 1, j) + fields[k](i, j + 1);
    for (int k = 0; k < N; ++k)
      for (int l = 0; l < k; ++l) sum += value[k] * value[l];
    if (sum < least) least = sum;
  }
};
/// Kokkos' kernel for a box takes 2 to 10 times as long as one that spills.
template <int N, class Exec>
void check_least_of_fields() {
  SCOPED_TRACE(N);
  int const n = 67, m = 45;
  LeastOfFields<N, Exec> functor;
  LeastOfFields<N, Kokkos::HostSpace> host;
  for (int k = 0; k < N; ++k) {
    host.fields[k] =
        Kokkos::View<double**, Kokkos::HostSpace>("field", n + 1, m + 1);
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= m; ++j)
        host.fields[k](i, j) = (i * 31 + j * 17 + k * 7) % 23;
    functor.fields[k] = Kokkos::View<double**, Exec>("field", n + 1, m + 1);
    auto const copy   = Kokkos::create_mirror(functor.fields[k]);
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= m; ++j) copy(i, j) = host.fields[k](i, j);
    Kokkos::deep_copy(functor.fields[k], copy);
  }
  double expected = 1e300, least = poison<double>();
  for (int i = 1; i < n; ++i)
    for (int j = 2; j < m; ++j) host(i, j, expected);
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({1, 2}, {n, m}), functor,
      Kokkos::Min<double>(least));
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected, least);
}
TYPED_TEST(MDRange, FunctorsOfManyViews) {
  check_least_of_fields<3, TypeParam>();
  check_least_of_fields<10, TypeParam>();
  check_least_of_fields<24, TypeParam>();
}

}  // namespace
