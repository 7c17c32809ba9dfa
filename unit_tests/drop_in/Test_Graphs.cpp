// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nodes of Kokkos graphs: built once, submitted several times, each time with
// other data.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_LoopSupport.hpp>

#include <Kokkos_Graph.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Kokkos::Experimental::create_graph;

constexpr int submissions = 3;

KOKKOSMMA_TEST_EVERY_SPACE(Graphs);

template <class Exec>
using Numbers = Kokkos::View<std::int64_t*, Exec>;
template <class Exec>
using Number = Kokkos::View<std::int64_t, Exec>;

struct Tag {};

/// Adds the result of the last node to each element.
template <class Exec>
struct AddResult {
  Numbers<Exec> x;
  Number<Exec> result;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) += result(); }
  KOKKOS_FUNCTION void operator()(Tag, std::int64_t i) const { x(i) -= i; }
};

/// Random calls have more chains, in the kind graph_chain, and many graphs
/// whose nodes reuse the memory of destroyed ones.
TYPED_TEST(Graphs, ChainsAreIntercepted) {
  using Exec   = TypeParam;
  using Range  = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Tagged = Kokkos::RangePolicy<Exec, Tag>;
  for (std::int64_t const end : {0, 1, 1024, 1 << 18}) {
    SCOPED_TRACE(end);
    auto const x =
        make_view<std::int64_t, Exec>(end, [](std::size_t) { return 2; });
    auto const sum = poisoned_view<std::int64_t, Exec>();
    RouteProbe<Exec> probe;
    LoopProbe<Exec> loops;
    auto graph = create_graph<Exec>([&](auto root) {
      root.then_parallel_reduce("sum", Range(0, end),
                                ElementSum<std::int64_t, Exec>{x}, sum)
          .then_parallel_for("add", Range(0, end), AddResult<Exec>{x, sum})
          .then_parallel_for(Tagged(0, end), AddResult<Exec>{x, sum});
    });
    EXPECT_TRUE(probe.streamed());
    // Nobody has measured loops of many indices.
    EXPECT_TRUE(loops.took(end > 0 && end < (1 << 18) ? Route::streamed
                                                      : Route::generic));
    graph.submit();
    EXPECT_EQ(2 * end, value_of(sum));
    auto const host = host_copy(x);
    for (std::int64_t i = 0; i < end; ++i)
      ASSERT_EQ(2 + 2 * end - i, host(i)) << i;
  }
}

/// The extreme element and where it is, by a reducer of Kokkos.
template <class Exec>
struct Extremes {
  Numbers<Exec> x;
  template <class Location>
  KOKKOS_FUNCTION void operator()(int i, Location& found) const {
    if (x(i) < found.min_val) {
      found.min_val = x(i);
      found.min_loc = i;
    }
    if (x(i) > found.max_val) {
      found.max_val = x(i);
      found.max_loc = i;
    }
  }
};

/// A value of 48 bytes with init, join and final.
struct Wide {
  std::int64_t sum[6];
};
template <class Exec>
struct WideSums {
  Numbers<Exec> x;
  KOKKOS_FUNCTION void init(Wide& value) const {
    for (std::int64_t& each : value.sum) each = 1;
  }
  KOKKOS_FUNCTION void join(Wide& into, Wide const& from) const {
    for (int k = 0; k < 6; ++k) into.sum[k] += from.sum[k] - 1;
  }
  KOKKOS_FUNCTION void final(Wide& value) const { value.sum[5] *= 2; }
  KOKKOS_FUNCTION void operator()(int i, Wide& value) const {
    for (int k = 0; k < 6; ++k) value.sum[k] += k * x(i);
  }
};
/// A value of 520 bytes, which Kokkos' own node reduces.
struct Huge {
  std::int64_t sum[65];
  KOKKOS_FUNCTION Huge& operator+=(Huge const& other) {
    for (int k = 0; k < 65; ++k) sum[k] += other.sum[k];
    return *this;
  }
};
template <class Exec>
struct HugeSums {
  Numbers<Exec> x;
  KOKKOS_FUNCTION void operator()(int i, Huge& value) const {
    for (int k = 0; k < 65; ++k) value.sum[k] += x(i) * k;
  }
};

TYPED_TEST(Graphs, ReducersAndValues) {
  using Exec    = TypeParam;
  using Memory  = typename Exec::memory_space;
  using Extreme = Kokkos::MinMaxLoc<std::int64_t, int, Memory>;
  int const n   = 30011;
  auto const x  = make_view<std::int64_t, Exec>(
      n, [](std::size_t i) { return std::int64_t(i * 7919 % 30011) - 15000; });
  auto const extremes = poisoned_view<typename Extreme::value_type, Memory>();
  auto const wide     = poisoned_view<Wide, Memory>();
  auto const huge     = poisoned_view<Huge, Memory>();
  Kokkos::RangePolicy<Exec> const range(0, n);
  RouteProbe<Exec> probe;
  auto graph = create_graph<Exec>([&](auto root) {
    root.then_parallel_reduce("extremes", range, Extremes<Exec>{x},
                              Extreme(extremes))
        .then_parallel_reduce("huge", range, HugeSums<Exec>{x}, huge)
        .then_parallel_reduce("wide", range, WideSums<Exec>{x}, wide);
  });
  EXPECT_TRUE(probe.streamed());
  std::int64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += std::int64_t(i) * 7919 % 30011 - 15000;
  for (int submission = 0; submission < submissions; ++submission) {
    graph.submit();
    auto const seen = value_of(extremes);
    EXPECT_EQ(-15000, seen.min_val);
    EXPECT_EQ(15010, seen.max_val);
    EXPECT_EQ(0, seen.min_loc);
    Wide const w = value_of(wide);
    for (int k = 0; k < 6; ++k)
      EXPECT_EQ((1 + k * sum) * (k == 5 ? 2 : 1), w.sum[k]);
    Huge const h = value_of(huge);
    for (int k = 0; k < 65; ++k) EXPECT_EQ(k * sum, h.sum[k]);
  }
}

template <class Exec, class T>
struct Fractions {
  KOKKOS_FUNCTION void operator()(int i, T& sum) const {
    sum += T(1) / T(1 + i % 1000);
  }
};
/// A node and a launch have the same bits, and so have all replays.
template <class Exec, class T>
void check_bits() {
  int const n = 70001;
  Kokkos::RangePolicy<Exec> const range(0, n);
  auto const by_node   = poisoned_view<T, Exec>();
  auto const by_launch = poisoned_view<T, Exec>();
  auto graph           = create_graph<Exec>([&](auto root) {
    root.then_parallel_reduce(range, Fractions<Exec, T>{}, by_node);
  });
  Kokkos::parallel_reduce("launch", range, Fractions<Exec, T>{}, by_launch);
  T const expected = value_of(by_launch);
  for (int submission = 0; submission < submissions; ++submission) {
    graph.submit();
    EXPECT_TRUE(same_bits(expected, value_of(by_node)));
  }
}
/// Calls that take longer and longer.
template <class Exec>
struct RisingSums {
  int size;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const {
    double of_call = i;
    for (int k = 0; k < std::int64_t(512) * i / size; ++k)
      of_call = of_call * .75 + 1. / (1 + k);
    sum += of_call;
  }
};
/// A node calls in the order that launches have found to be the fastest one.
template <class Exec>
void check_order_of_launches() {
  int const n = on_cuda<Exec> ? (1 << 20) + 4321 : 1 << 12;
  Kokkos::RangePolicy<Exec> const range(0, n);
  auto const by_launch = poisoned_view<double, Exec>();
  for (int launch = 0; launch < 20; ++launch)
    Kokkos::parallel_reduce(range, RisingSums<Exec>{n}, by_launch);
  auto const by_node = poisoned_view<double, Exec>();
  RouteProbe<Exec> probe;
  auto graph = create_graph<Exec>([&](auto root) {
    root.then_parallel_reduce(range, RisingSums<Exec>{n}, by_node);
  });
  EXPECT_TRUE(probe.streamed());
  for (int submission = 0; submission < submissions; ++submission) {
    Kokkos::deep_copy(by_node, -1);
    graph.submit();
    EXPECT_TRUE(same_bits(value_of(by_launch), value_of(by_node)));
  }
}
TYPED_TEST(Graphs, BitsAreThoseOfALaunch) {
  check_order_of_launches<TypeParam>();
  check_bits<TypeParam, double>();
  check_bits<TypeParam, float>();
  check_bits<TypeParam, Kokkos::Experimental::half_t>();
}

template <class Exec>
struct TotalOf {
  Number<Exec> parts[4], total;
  KOKKOS_FUNCTION void operator()(int) const {
    total() = parts[0]() + parts[1]() + parts[2]() + parts[3]();
  }
};
/// Nodes that run at the same time, in one graph and in several, have scratch
/// of their own.
TYPED_TEST(Graphs, NodesAtTheSameTime) {
  using Exec       = TypeParam;
  int const n      = 50021;
  auto const value = [](std::size_t i) { return std::int64_t(i % 1000); };
  auto const x     = make_view<std::int64_t, Exec>(n, value);
  std::int64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += value(i);
  auto const instances = make_instances<Exec>(2);
  struct Branches {
    TotalOf<Exec> results;
    std::unique_ptr<Kokkos::Experimental::Graph<Exec>> graph;
  };
  std::vector<Branches> all(instances.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    TotalOf<Exec>& results = all[k].results;
    for (auto& part : results.parts) part = poisoned_view<std::int64_t, Exec>();
    results.total  = poisoned_view<std::int64_t, Exec>();
    auto const add = [&](auto const& node, int j) {
      return node.then_parallel_reduce(
          "branch", Kokkos::RangePolicy<Exec>(0, n - j),
          ElementSum<std::int64_t, Exec>{x}, results.parts[j]);
    };
    all[k].graph = std::make_unique<Kokkos::Experimental::Graph<Exec>>(
        create_graph<Exec>([&](auto root) {
          Kokkos::Experimental::when_all(add(root, 0), add(root, 1),
                                         add(root, 2), add(root, 3))
              .then_parallel_for("total", Kokkos::RangePolicy<Exec>(0, 1),
                                 results);
        }));
  }
  std::int64_t expected = 4 * sum;
  for (int j = 1; j < 4; ++j)
    for (int i = n - j; i < n; ++i) expected -= value(i);
  for (int submission = 0; submission < 8; ++submission) {
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k].graph->submit(instances[k]);
    // Launches of the default instance meanwhile have scratch of their own.
    std::int64_t launched = 0;
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(0, n),
                            ElementSum<std::int64_t, Exec>{x}, launched);
    EXPECT_EQ(sum, launched);
    for (auto const& each : all)
      ASSERT_EQ(expected, value_of(each.results.total));
  }
}

/// More bytes than Kokkos passes as an argument of a kernel.
template <class Exec>
struct Table {
  std::int64_t values[700];
  Numbers<Exec> x;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) += values[i % 700]; }
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& sum) const {
    sum += x(i) + values[i % 700];
  }
};
TYPED_TEST(Graphs, LargeFunctors) {
  using Exec  = TypeParam;
  int const n = 5000;
  Table<Exec> table{{}, Numbers<Exec>("x", n)};
  std::int64_t once = 0;
  for (int k = 0; k < 700; ++k) table.values[k] = 3 * k + 1;
  for (int i = 0; i < n; ++i) once += table.values[i % 700];
  auto const sum = poisoned_view<std::int64_t, Exec>();
  for (Route const route : {Route::automatic, Route::generic}) {
    ScopedSettings const scope(Settings{route});
    Kokkos::deep_copy(table.x, 0);
    RouteProbe<Exec> probe;
    auto graph = create_graph<Exec>([&](auto root) {
      root.then_parallel_for(Kokkos::RangePolicy<Exec>(0, n), table)
          .then_parallel_reduce(Kokkos::RangePolicy<Exec>(0, n), table, sum);
    });
    EXPECT_TRUE(route == Route::automatic ? probe.streamed()
                                          : probe.went_to_kokkos());
    for (int submission = 1; submission <= submissions; ++submission) {
      graph.submit();
      EXPECT_EQ((submission + 1) * once, value_of(sum));
    }
  }
}

constexpr int rows = 301, length = 77;
template <class Exec>
struct Rows {
  using Teams = Kokkos::TeamPolicy<Exec>;
  Numbers<Exec> x;
  KOKKOS_FUNCTION void operator()(
      typename Teams::member_type const& member) const {
    int const row    = member.league_rank();
    std::int64_t all = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, length),
        [&](int j, std::int64_t& update) { update += j ^ row; }, all);
    Kokkos::single(Kokkos::PerTeam(member), [&] { x(row) += all; });
  }
  KOKKOS_FUNCTION void operator()(int i) const { x(i) *= 2; }
};
/// Of teams, beside one with launch bounds and a reduction of this library.
TYPED_TEST(Graphs, NodesOfKokkos) {
  using Exec  = TypeParam;
  using Bound = Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<64, 1>>;
  Numbers<Exec> const x("x", rows);
  auto const sum = poisoned_view<std::int64_t, Exec>();
  LoopProbe<Exec> loops;
  auto graph = create_graph<Exec>([&](auto root) {
    root.then_parallel_for("teams",
                           typename Rows<Exec>::Teams(rows, Kokkos::AUTO),
                           Rows<Exec>{x})
        .then_parallel_for("bounds", Bound(0, rows), Rows<Exec>{x})
        .then_parallel_reduce("sum", Kokkos::RangePolicy<Exec>(0, rows),
                              ElementSum<std::int64_t, Exec>{x}, sum);
  });
  EXPECT_TRUE(
      loops.took(KOKKOS_VERSION < 50000 ? Route::automatic : Route::streamed));
  std::vector<std::int64_t> expected(rows, 0);
  for (int submission = 0; submission < submissions; ++submission) {
    graph.submit();
    std::int64_t total = 0;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < length; ++j) expected[i] += j ^ i;
      expected[i] *= 2;
      total += expected[i];
    }
    EXPECT_EQ(total, value_of(sum));
  }
}

/// Sums with so many numbers at a time that more of them in flight would need
/// registers which the largest team does not have.
template <class Exec>
struct HeavyRows {
  using Member               = typename Rows<Exec>::Teams::member_type;
  using value_type           = std::int64_t;
  static constexpr int terms = 24;
  Numbers<Exec> x, sums;
  KOKKOS_FUNCTION std::int64_t row_sum(Member const& m) const {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, length),
        [&](int j, std::int64_t& update) {
          std::int64_t of_call[terms];
          for (int t = 0; t < terms; ++t)
            of_call[t] = x((j * 7 + t * 13) % rows);
          std::int64_t p = 1;
          for (int t = 0; t < terms; ++t)
            p = p * of_call[t] + of_call[terms - 1 - t];
          update += p;
        },
        sum);
    return sum;
  }
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    std::int64_t const sum = row_sum(m);
    Kokkos::single(Kokkos::PerTeam(m), [&] { sums(m.league_rank()) = sum; });
  }
  KOKKOS_FUNCTION void operator()(Member const& m, std::int64_t& all) const {
    std::int64_t const sum = row_sum(m);
    if (m.team_rank() == 0) all += sum;
  }
};
/// A node runs the largest teams of the same launch.
TYPED_TEST(Graphs, NodesOfTheLargestTeams) {
  using Exec       = TypeParam;
  using Teams      = typename Rows<Exec>::Teams;
  int const league = 20;
  auto const x     = make_view<std::int64_t, Exec>(
      rows, [](std::size_t i) { return i % 3 == 0; });
  HeavyRows<Exec> const f{x, Numbers<Exec>("sums", league)};
  Teams const any(league, 1);
  int const loop   = any.team_size_max(f, Kokkos::ParallelForTag());
  int const reduce = any.team_size_max(f, Kokkos::ParallelReduceTag());
  auto const all   = poisoned_view<std::int64_t, Exec>();
  auto graph       = create_graph<Exec>([&](auto root) {
    root.then_parallel_for("loop", Teams(league, loop), f)
        .then_parallel_reduce("reduce", Teams(league, reduce), f, all);
  });
  std::int64_t sum = 0;
  auto const value = [](int i) { return std::int64_t(i % rows % 3 == 0); };
  for (int j = 0; j < length; ++j) {
    std::int64_t p = 1;
    for (int t = 0; t < f.terms; ++t)
      p = p * value(j * 7 + t * 13) + value(j * 7 + (f.terms - 1 - t) * 13);
    sum += p;
  }
  for (int submission = 0; submission < submissions; ++submission) {
    Kokkos::deep_copy(f.sums, -1);
    graph.submit();
    EXPECT_EQ(league * sum, value_of(all));
    auto const seen = host_copy(f.sums);
    for (int row = 0; row < league; ++row) ASSERT_EQ(sum, seen(row)) << row;
  }
}

/// Arrays over teams, one number for each row modulo their length.
template <class Exec>
struct ArrayOfRows {
  using Member     = typename Rows<Exec>::Teams::member_type;
  using value_type = std::int64_t[];
  unsigned value_count;
  KOKKOS_FUNCTION void operator()(Member const& m, std::int64_t* sums) const {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, length),
        [&](int j, std::int64_t& update) { update += j ^ m.league_rank(); },
        sum);
    if (m.team_rank() == 0) sums[m.league_rank() % int(value_count)] += sum;
  }
  KOKKOS_FUNCTION void init(std::int64_t* sums) const {
    for (unsigned k = 0; k < value_count; ++k) sums[k] = 1;
  }
  KOKKOS_FUNCTION void join(std::int64_t* into,
                            std::int64_t const* from) const {
    for (unsigned k = 0; k < value_count; ++k) into[k] += from[k] - 1;
  }
  KOKKOS_FUNCTION void final(std::int64_t* sums) const { sums[0] *= 2; }
};
TYPED_TEST(Graphs, ArraysOfTeams) {
  using Exec = TypeParam;
  ArrayOfRows<Exec> const f{5};
  typename Rows<Exec>::Teams const teams(rows, on_cuda<Exec> ? 64 : 1);
  Numbers<Exec> const by_node("by_node", 5), by_launch("by_launch", 5);
  auto graph = create_graph<Exec>([&](auto root) {
    root.then_parallel_reduce("arrays", teams, f, by_node);
  });
  std::vector<std::int64_t> expected(5, 1);
  for (int row = 0; row < rows; ++row)
    for (int j = 0; j < length; ++j) expected[std::size_t(row) % 5] += j ^ row;
  expected[0] *= 2;
  for (int submission = 0; submission < submissions; ++submission) {
    Kokkos::deep_copy(by_node, -1);
    graph.submit();
    Kokkos::parallel_reduce("arrays", teams, f, by_launch);
    for (auto const& view : {by_node, by_launch}) {
      auto const seen = host_copy(view);
      for (int k = 0; k < 5; ++k)
        ASSERT_EQ(expected[std::size_t(k)], seen(k)) << k;
    }
  }
}

}  // namespace
