// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions over multidimensional ranges: which are intercepted, and functors
// that hold much.

#include <KokkosMMA_TestSupport.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(MDRange);

using Kokkos::Iterate;
using Kokkos::Rank;

struct Tagged {};

/// One for each index, whatever there are.
struct CountIndices {
  KOKKOS_FUNCTION void operator()(Tagged, int, int, int, int& sum) const {
    ++sum;
  }
  KOKKOS_FUNCTION void operator()(int, std::int64_t, int& sum) const { ++sum; }
  KOKKOS_FUNCTION void operator()(int, int, int, int& sum) const { ++sum; }
  KOKKOS_FUNCTION void operator()(int, int, int, int, int& sum) const { ++sum; }
  KOKKOS_FUNCTION void operator()(int, int, int, int, int, int& sum) const {
    ++sum;
  }
  KOKKOS_FUNCTION void operator()(int, int, int, int, int, int,
                                  int& sum) const {
    ++sum;
  }
};
template <class Exec, int R, Iterate Direction, class... Traits>
void check_rank() {
  using Policy =
      Kokkos::MDRangePolicy<Exec, Rank<R, Iterate::Left, Direction>, Traits...>;
  // Several blocks, and no whole tiles.
  constexpr int extent[] = {0, 0, 183, 33, 13, 9, 7};
  typename Policy::point_type lower, upper;
  int points = 1;
  for (int d = 0; d < R; ++d) {
    lower[d] = d;
    upper[d] = extent[R] + 3 * d;
    points *= extent[R] + 2 * d;
  }
  expect_reduced(points, Policy(lower, upper), CountIndices());
}
/// What boxes of all kinds and sizes give: random_calls, sum_box_*, fold_box
/// and reducer_box_tag.
TYPED_TEST(MDRange, EveryRankIsIntercepted) {
  using Exec = TypeParam;
  check_rank<Exec, 2, Iterate::Right>();
  check_rank<Exec, 3, Iterate::Left, Kokkos::IndexType<int>>();
  check_rank<Exec, 3, Iterate::Right, Tagged>();
  check_rank<Exec, 4, Iterate::Left>();
  check_rank<Exec, 5, Iterate::Right>();
  check_rank<Exec, 6, Iterate::Left>();
}

/// The smallest of numbers above 1000, by members of the functor.
struct SmallestOfBox {
  using value_type = std::int64_t;
  KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& update) const {
    join(update, 1000 + (37 * i + 11 * j) % 1009);
  }
  KOKKOS_FUNCTION void init(std::int64_t& update) const { update = 1 << 30; }
  KOKKOS_FUNCTION void join(std::int64_t& update,
                            std::int64_t const& other) const {
    if (other < update) update = other;
  }
  KOKKOS_FUNCTION void final(std::int64_t& update) const { update = -update; }
};
TYPED_TEST(MDRange, MembersOfTheFunctor) {
  SmallestOfBox const functor;
  std::int64_t expected = 1 << 30;
  for (int i = 2; i < 211; ++i)
    for (int j = 1; j < 97; ++j) functor(i, j, expected);
  expect_reduced(-expected,
                 Kokkos::MDRangePolicy<TypeParam, Rank<2>>({2, 1}, {211, 97}),
                 functor);
}

#if defined(KOKKOS_ENABLE_CUDA)
/// Kokkos on Cuda calls init and not final for a box without points.
template <class Space>
void check_empty_box() {
  Kokkos::View<std::int64_t, Space> const result("result");
  Kokkos::parallel_reduce(
      Kokkos::MDRangePolicy<Kokkos::Cuda, Rank<2>>({0, 3}, {5, 3}),
      SmallestOfBox(), result);
  Kokkos::fence();
  EXPECT_EQ(1 << 30, result());
}
TEST(MDRangeOnCuda, BoxesWithoutPointsHaveNoFinal) {
  check_empty_box<Kokkos::HostSpace>();
  check_empty_box<Kokkos::SharedSpace>();
  check_empty_box<Kokkos::SharedHostPinnedSpace>();
}
#endif

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
