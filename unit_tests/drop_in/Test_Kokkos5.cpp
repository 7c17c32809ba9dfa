// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What Kokkos 5 brought, and what it changed for functors, in calls under the
// drop-in.

#include <KokkosMMA_LoopSupport.hpp>

#include <Kokkos_Graph.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Kokkos5);

constexpr int few = 777, many = 300007;

template <class Exec>
struct Fill {
  Kokkos::View<int*, Exec> x;
  int factor;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) = factor * i; }
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& sum) const {
    sum += x(i);
  }
};

#if KOKKOS_VERSION >= 50200

TYPED_TEST(Kokkos5, NodesOverBoxesOfOneDimension) {
  using Exec = TypeParam;
  using Box  = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<1>>;
  Kokkos::View<int*, Exec> const x("x", many);
  auto const sum = poisoned_view<std::int64_t, Exec>();
  auto graph     = Kokkos::Experimental::create_graph<Exec>([&](auto root) {
    root.then_parallel_for("fill", Box({0}, {many}), Fill<Exec>{x, 5})
        .then_parallel_reduce("sum", Box({0}, {many}), Fill<Exec>{x, 0}, sum);
  });
  graph.instantiate();
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (on_cuda<Exec>) {
    EXPECT_NE(nullptr, graph.cuda_graph());
  }
#endif
  for (int submission = 0; submission < 3; ++submission) {
    graph.submit();
    Kokkos::fence();
    EXPECT_EQ(5 * (std::int64_t(many) * (many - 1) / 2), host_copy(sum)());
    EXPECT_TRUE(holds_multiples(x, 5));
  }
}

/// A range of a team's threads, as the same code has over an execution space.
template <class Exec>
void check_ranges_of_teams() {
  using Team     = Kokkos::TeamPolicy<Exec>;
  int const rows = 300, columns = 101;
  Kokkos::View<int*, Exec> const x("x", rows * columns);
  Kokkos::View<int*, Exec> const sums("sums", rows);
  each_launch(
      [&] {
        Kokkos::parallel_for(
            "teams", Team(rows, Kokkos::AUTO),
            KOKKOS_LAMBDA(typename Team::member_type const& team) {
              int const row = team.league_rank();
              Kokkos::parallel_for(
                  Kokkos::RangePolicy(team, 0, columns),
                  [&](int k) { x(row * columns + k) = row * columns + k; });
              team.team_barrier();
              int sum = 0;
              Kokkos::parallel_reduce(
                  Kokkos::RangePolicy(team, 0, columns),
                  [&](int k, int& update) { update += x(row * columns + k); },
                  sum);
              Kokkos::single(Kokkos::PerTeam(team), [&] { sums(row) = sum; });
            });
      },
      [&] {
        auto const host = host_copy(sums);
        for (int row = 0; row < rows; ++row)
          ASSERT_EQ(row * columns * columns + columns * (columns - 1) / 2,
                    host(row))
              << row;
        Kokkos::deep_copy(sums, -1);
        EXPECT_TRUE(holds_multiples(x, 1));
      });
}
TYPED_TEST(Kokkos5, RangesOfTeams) { check_ranges_of_teams<TypeParam>(); }

/// Views that are described as an mdspan, with indices of 32 bits.
template <class Exec>
void check_narrow_views() {
  using Wide = Kokkos::View<float*, Exec>;
  using Narrow =
      Kokkos::View<float, Kokkos::dextents<int, 1>, Kokkos::layout_right,
                   typename Wide::accessor_type>;
  static_assert(sizeof(typename Narrow::index_type) == 4);
  auto const x = make_view<float, Exec>(many, [](int i) { return i % 8; });
  Narrow const narrow(x.data(), many);
  float sum = 0;
  each_launch(
      [&] {
        Kokkos::parallel_reduce(
            "sum", Kokkos::RangePolicy<Exec>(0, many),
            KOKKOS_LAMBDA(int i, float& update) { update += narrow(i); }, sum);
      },
      [&] {
        float const rest = many % 8;
        EXPECT_EQ(float(many / 8 * 28) + rest * (rest - 1) / 2, sum);
        sum = 0;
      });
  each_launch(
      [&] {
        Kokkos::parallel_for(
            "add", Kokkos::RangePolicy<Exec>(0, many),
            KOKKOS_LAMBDA(int i) { narrow(i) += 1; });
      },
      [&] {
        auto const host = host_copy(x);
        float const by  = host(0);
        for (int i = 0; i < many; ++i) ASSERT_EQ(float(i % 8) + by, host(i));
      });
}
TYPED_TEST(Kokkos5, ViewsWithNarrowIndices) { check_narrow_views<TypeParam>(); }

#endif  // 5.2

#if KOKKOS_VERSION >= 50000

TYPED_TEST(Kokkos5, BatchesOfAConstantSize) {
  using Exec = TypeParam;
  using Range =
      Kokkos::RangePolicy<Exec, Kokkos::Experimental::StaticBatchSize<4>>;
  for (int const n : {1, few, many}) {
    SCOPED_TRACE(n);
    Kokkos::View<int*, Exec> const x("x", n);
    each_launch(
        [&] {
          Kokkos::parallel_for("batch", Range(0, n), Fill<Exec>{x, 2});
        },
        [&] { EXPECT_TRUE(holds_multiples(x, 2)); });
    Kokkos::parallel_for("batch", Range(0, n), Fill<Exec>{x, 2});
    std::int64_t sum = -1;
    each_launch(
        [&] {
          Kokkos::parallel_reduce("sum", Range(0, n), Fill<Exec>{x, 0}, sum);
        },
        [&] {
          EXPECT_EQ(std::int64_t(n) * (n - 1), sum);
          sum = -1;
        });
  }
}

#endif  // 5.0

/// A functor of 6 KB, which Kokkos 5 passes as an argument (random_calls,
/// *_5000_bytes), and from 5.2 on in constant memory where the policy hints at
/// much work.
template <class Exec>
struct Heavy {
  Kokkos::View<int*, Exec> x;
  int table[1500];
  KOKKOS_FUNCTION void operator()(int i) const {
    x(i) = table[i % 1500] + i / 1500 * 1500;
  }
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& sum) const {
    sum += table[i % 1500];
  }
};

TYPED_TEST(Kokkos5, HeavyFunctors) {
  using Exec   = TypeParam;
  namespace KE = Kokkos::Experimental;
  using Range  = Kokkos::RangePolicy<Exec>;
  Kokkos::View<int*, Exec> const x("x", many);
  Heavy<Exec> f{x, {}};
  for (int k = 0; k < 1500; ++k) f.table[k] = k;
  auto const hinted =
      KE::require(Range(0, many), KE::WorkItemProperty::HintHeavyWeight);
  std::int64_t sum = 0, expected = 0;
  for (int i = 0; i < many; ++i) expected += i % 1500;
  each_launch([&] { Kokkos::parallel_for("heavy", hinted, f); },
              [&] { EXPECT_TRUE(holds_multiples(x, 1)); });
  each_launch([&] { Kokkos::parallel_reduce("heavy", hinted, f, sum); },
              [&] {
                EXPECT_EQ(expected, sum);
                sum = -1;
              });
}

}  // namespace
