// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions inside team kernels, as applications write them. One inside the
// other: random_calls, teams_sum.

#include <KokkosMMA_LoopSupport.hpp>
#include <KokkosMMA_Random.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Nested);

/// At the upper end of a type, where a lane's next index is none.
template <class Exec>
void check_last_indices() {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<int*, Exec> const counts("counts", 1);
  constexpr std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
  ScopedSettings const scope(Settings{Route::streamed});
  for (std::uint32_t const n : {1u, 100u, 511u, 512u, 1000u}) {
    Kokkos::parallel_for(
        "last", Kokkos::TeamPolicy<Exec>(1, 128),
        KOKKOS_LAMBDA(Member const& m) {
          int count = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(m, end - n, end),
              [&](std::uint32_t i, int& c) { c += i >= end - n; }, count);
          Kokkos::single(Kokkos::PerTeam(m), [&] { counts(0) = count; });
        });
    int count = 0;
    Kokkos::deep_copy(count, Kokkos::subview(counts, 0));
    EXPECT_EQ(int(n), count);
  }
}
TYPED_TEST(Nested, LastIndicesOfAType) {
  // Kokkos' own loops wrap there.
  if constexpr (on_cuda<TypeParam>) {
    check_last_indices<TypeParam>();
  }
}

/// Adds and has an identity of its own, which Kokkos takes from the closure.
template <class View>
struct Largest {
  using value_type = float;
  View x;
  int row;
  KOKKOS_FUNCTION void operator()(int j, float& value) const {
    if (x(row, j) > value) value = x(row, j);
  }
  KOKKOS_FUNCTION void init(float& value) const { value = -1e30f; }
  KOKKOS_FUNCTION void join(float& into, float const& from) const {
    if (from > into) into = from;
  }
};

constexpr int n_results = 12;

/// Results of many kinds of a row of floats and one of integers.
template <class Exec>
struct ManyResults {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Floats = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
  Floats x;
  Kokkos::View<int**, Kokkos::LayoutRight, Exec> k;
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> results;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& m) const {
    using Location = Kokkos::MinLoc<float, int>::value_type;
    using Extremes = Kokkos::MinMax<int>::value_type;
    int const row = m.league_rank(), n = int(x.extent(1));
    auto const threads = Kokkos::TeamThreadRange(m, n);
    auto const all     = Kokkos::TeamVectorRange(m, n);
    double sum;
    Kokkos::parallel_reduce(
        threads, [&](int j, double& s) { s += x(row, j); }, sum);
    float product;
    Kokkos::parallel_reduce(
        all, [&](int j, float& p) { p *= 1 + x(row, j) / 1024; },
        Kokkos::Prod<float>(product));
    Location least;
    Kokkos::parallel_reduce(
        threads,
        [&](int j, Location& l) {
          if (x(row, j) < l.val) l = {x(row, j), j};
        },
        Kokkos::MinLoc<float, int>(least));
    Extremes extremes;
    Kokkos::parallel_reduce(
        all,
        [&](int j, Extremes& e) {
          if (k(row, j) < e.min_val) e.min_val = k(row, j);
          if (k(row, j) > e.max_val) e.max_val = k(row, j);
        },
        Kokkos::MinMax<int>(extremes));
    bool small = false;
    Kokkos::parallel_reduce(
        threads, [&](int j, bool& b) { b = b && k(row, j) < 1000; },
        Kokkos::LAnd<bool>(small));
    unsigned bits = 0;
    Kokkos::parallel_reduce(
        all, [&](int j, unsigned& b) { b |= unsigned(k(row, j)); },
        Kokkos::BOr<unsigned>(bits));
    float largest = 0;
    Kokkos::parallel_reduce(threads, Largest<Floats>{x, row}, largest);
    std::int64_t count = 0, total = 0;
    Kokkos::parallel_reduce(
        threads,
        [&](int j, std::int64_t& c, std::int64_t& t) {
          c += k(row, j) % 2;
          t += k(row, j);
        },
        count, total);
    Kokkos::single(Kokkos::PerTeam(m), [&] {
      double const all_results[n_results] = {sum,
                                             product,
                                             least.val,
                                             double(least.loc),
                                             double(extremes.min_val),
                                             double(extremes.max_val),
                                             double(small),
                                             double(bits),
                                             largest,
                                             double(count),
                                             double(total),
                                             1};
      for (int i = 0; i < n_results; ++i) results(row, i) = all_results[i];
    });
  }
};

TYPED_TEST(Nested, ResultsOfAllKindsHaveTheBitsOfKokkos) {
  using Exec = TypeParam;
  Random random;
  for (int const n : {1, 77, 700}) {
    int const rows = 40;
    ManyResults<Exec> const f{
        typename ManyResults<Exec>::Floats("x", rows, n),
        Kokkos::View<int**, Kokkos::LayoutRight, Exec>("k", rows, n),
        Kokkos::View<double**, Kokkos::LayoutRight, Exec>("results", rows,
                                                          n_results)};
    fill_random(f.x, [&] { return float(random.uniform(-1, 1)); });
    fill_random(f.k, [&] { return int(random.integer(0, 1000)); });
    Kokkos::TeamPolicy<Exec> const policy =
        on_cuda<Exec> ? Kokkos::TeamPolicy<Exec>(rows, 8, 16)
                      : Kokkos::TeamPolicy<Exec>(rows, 1);
    expect_bits_of_kokkos([&] { Kokkos::parallel_for("results", policy, f); },
                          f.results);
  }
}

/// A body that needs so many registers that a block may have them for one call
/// at a time only: 62, and 72 without bounds for four (sm_90, CUDA 13.0).
template <class Exec, class... Bounds>
struct Heavy {
  using Policy = Kokkos::TeamPolicy<Exec, Bounds...>;
  Kokkos::View<double const*, Exec> x;
  Kokkos::View<double*, Exec> y;
  int length;
  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& m) const {
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, length),
        [&](int j, double& s) {
          double terms[24];
          for (int t = 0; t < 24; ++t) terms[t] = x((j * 7 + t * 13) % length);
          double p = 1;
          for (int t = 0; t < 24; ++t) p = p * terms[t] + terms[23 - t];
          s += p;
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(m), [&] { y(m.league_rank()) = sum; });
  }
};
template <class Exec, class... Bounds>
void check_largest_teams() {
  int const league = 50, length = 1500;
  Kokkos::View<double*, Exec> const data("x", length);
  Heavy<Exec, Bounds...> const f{data, Kokkos::View<double*, Exec>("y", league),
                                 length};
  Random random;
  auto const x = Kokkos::create_mirror_view(data);
  // Of zeros and ones all values are integers below 2^17.
  for (int j = 0; j < length; ++j) x(j) = double(random.integer(0, 1));
  Kokkos::deep_copy(data, x);
  double expected = 0;
  for (int j = 0; j < length; ++j) {
    auto const term = [&](int t) { return x((j * 7 + t * 13) % length); };
    double p        = 1;
    for (int t = 0; t < 24; ++t) p = p * term(t) + term(23 - t);
    expected += p;
  }
  Kokkos::deep_copy(f.y, -1.);
  using Policy   = typename Heavy<Exec, Bounds...>::Policy;
  int const most = Policy(league, 1).team_size_max(f, Kokkos::ParallelForTag());
  int const recommended =
      Policy(league, 1).team_size_recommended(f, Kokkos::ParallelForTag());
  for (int const team : {most, recommended})
    each_launch([&] { Kokkos::parallel_for("heavy", Policy(league, team), f); },
                [&] {
                  auto const y = host_copy(f.y);
                  for (int r = 0; r < league; ++r) ASSERT_EQ(expected, y(r));
                  Kokkos::deep_copy(f.y, -1.);
                });
}
TYPED_TEST(Nested, LargestTeams) {
  check_largest_teams<TypeParam>();
  // Neither form has bounds.
  check_largest_teams<TypeParam, Kokkos::LaunchBounds<>>();
}

/// A body whose block has registers for 512 threads only: Kokkos throws for a
/// larger team, and goes on doing so. (The other form has launch bounds, with
/// which any team can run.)
template <class Exec>
struct Heavier : Heavy<Exec> {
  static constexpr int terms = 60;
  KOKKOS_FUNCTION void operator()(
      typename Heavy<Exec>::Policy::member_type const& m) const {
    auto const& x    = this->x;
    int const length = this->length;
    double sum       = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, length),
        [&](int j, double& s) {
          double all[terms];
          for (int t = 0; t < terms; ++t) all[t] = x((j * 7 + t * 13) % length);
          double p = 1;
          for (int t = 0; t < terms; ++t) p = p * all[t] + all[terms - 1 - t];
          s += p;
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(m), [&] { this->y(m.league_rank()) = sum; });
  }
};
template <class Exec>
void check_too_large() {
  using Policy     = typename Heavy<Exec>::Policy;
  int const league = 50, length = 1500;
  Heavier<Exec> const f{{Kokkos::View<double*, Exec>("x", length),
                         Kokkos::View<double*, Exec>("y", league), length}};
  Policy const any(league, 1);
  if (any.team_size_max(f, Kokkos::ParallelForTag()) >= 1024) GTEST_SKIP();
  // Each call takes one of ten slots of memory from Kokkos for good.
  for (Route const route : {Route::streamed, Route::automatic}) {
    ScopedSettings const scope(Settings{route});
    for (int call = 0; call < 2; ++call)
      EXPECT_THROW(Kokkos::parallel_for("heavier", Policy(league, 1024), f),
                   std::runtime_error);
  }
}
TYPED_TEST(Nested, TeamsThatAreTooLarge) {
  if constexpr (on_cuda<TypeParam>) {
    check_too_large<TypeParam>();
  }
}

/// The form of a kernel shows in no variable that its code may read: a random
/// pool finds its states by the grid, and so do groups of the whole grid.
template <class Exec>
void check_grid() {
  using Policy = Kokkos::TeamPolicy<Exec>;
  Kokkos::View<double*, Exec> const y("y", 10);
  each_launch(
      [&] {
        Kokkos::parallel_for(
            "grid", Policy(10, 1),
            KOKKOS_LAMBDA(typename Policy::member_type const& m) {
              double sum = 0;
              Kokkos::parallel_reduce(
                  Kokkos::TeamThreadRange(m, 100),
                  [&](int, double& s) {
                    KOKKOS_IF_ON_DEVICE((s += gridDim.y * gridDim.z;))
                    KOKKOS_IF_ON_HOST((s += 1;))
                  },
                  sum);
              y(m.league_rank()) = sum;
            });
      },
      [&] {
        auto const sums = host_copy(y);
        for (int r = 0; r < 10; ++r) ASSERT_EQ(100, sums(r));
      });
}
TYPED_TEST(Nested, SeesItsGrid) { check_grid<TypeParam>(); }

}  // namespace
