// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans inside team kernels, of vectors and of threads, as applications write
// them.

#include <KokkosMMA_LoopSupport.hpp>
#include <KokkosMMA_Random.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(NestedScans);

/// Scans of random rows, with all that they leave.
template <class Exec, bool OfTeams>
struct Scans {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  template <class T>
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  Rows<float> x, before;
  Rows<double> up_to;
  Rows<int> counts;
  Rows<double> totals;  ///< (row, 2)

  Scans(int rows, int n)
      : x("x", rows, n),
        before("before", rows, n),
        up_to("up_to", rows, n),
        counts("counts", rows, n),
        totals("totals", rows, 2) {}
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    if constexpr (OfTeams) {
      of_team(m);
    } else {
      of_vectors(m);
    }
  }

  /// Without and with the total, by closures that use the sum before they add.
  template <class Range>
  KOKKOS_FUNCTION int sum_and_count(int row, Range const& range) const {
    Kokkos::parallel_scan(range, [&](int j, float& sum, bool final) {
      if (final) before(row, j) = sum;
      sum += x(row, j);
    });
    int count = OfTeams ? -7 : 0;  // hosts write none of no elements
    Kokkos::parallel_scan(
        range,
        [&](int j, int& value, bool final) {
          if (x(row, j) <= 0) return;
          if (final) counts(row, value) = j;
          ++value;
        },
        count);
    return count;
  }
  /// Those of a vector that Kokkos has: by a reducer too, whose closure uses
  /// the product after it multiplies.
  KOKKOS_FUNCTION void of_vectors(Member const& m) const {
    int const row    = m.league_rank() * m.team_size() + m.team_rank();
    auto const range = Kokkos::ThreadVectorRange(m, int(x.extent(1)));
    int const count  = sum_and_count(row, range);
    double product   = -7;  // hosts write none of no elements
    Kokkos::parallel_scan(
        range,
        [&](int j, double& value, bool final) {
          value *= 1 + x(row, j) / 1024.;
          if (final) up_to(row, j) = value;
        },
        Kokkos::Prod<double>(product));
    Kokkos::single(Kokkos::PerThread(m), [&] {
      totals(row, 0) = product;
      totals(row, 1) = count;
    });
  }
  /// Those of a team's threads, one after the other.
  KOKKOS_FUNCTION void of_team(Member const& m) const {
    int const row   = m.league_rank();
    auto const n    = std::int64_t(x.extent(1));
    int const count = sum_and_count(row, Kokkos::TeamThreadRange(m, int(n)));
    double total    = -7;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(m, std::int64_t(5), 5 + n),
        [&](std::int64_t j, double& sum, bool final) {
          sum += before(row, j - 5) * x(row, j - 5);
          if (final) up_to(row, j - 5) = sum;
        },
        total);
    Kokkos::single(Kokkos::PerTeam(m), [&] {
      totals(row, 0) = total;
      totals(row, 1) = count;
    });
  }
};

template <class Exec, bool OfTeams>
void expect_scans(int league, int team, int vector, int rows, int n,
                  Random& random) {
  SCOPED_TRACE(team);
  SCOPED_TRACE(vector);
  SCOPED_TRACE(n);
  Scans<Exec, OfTeams> const f(rows, n);
  fill_random(f.x, [&] { return float(random.uniform(-1, 1)); });
  Kokkos::TeamPolicy<Exec> const policy(league, team, vector);
  expect_bits_of_kokkos([&] { Kokkos::parallel_for("scans", policy, f); },
                        f.before, f.up_to, f.counts, f.totals);
}

TYPED_TEST(NestedScans, ScansOfVectorsHaveTheBitsOfKokkos) {
  using Exec = TypeParam;
  Random random;
  int const rows = 36, threads = on_cuda<Exec> ? 4 : 1;
  for (int const lanes : {1, 4, 16, 32})
    for (int const n : {0, 1, 7, 32, 33, 64, 129, 700})
      expect_scans<Exec, false>(rows / threads, threads,
                                on_cuda<Exec> ? lanes : 1, rows, n, random);
}

TYPED_TEST(NestedScans, ScansOfTeamsHaveTheBitsOfKokkos) {
  using Exec = TypeParam;
  std::vector<std::array<int, 2>> shapes{{1, 1}};
  if (on_cuda<Exec>)
    shapes = {{1, 1},  {5, 1},   {24, 1}, {32, 1}, {64, 1},
              {96, 1}, {512, 1}, {40, 1}, {16, 4}};
  Random random;
  for (auto const [team, vector] : shapes)
    for (int const n : {0, 1, 31, 64, 65, 700, 2100})
      expect_scans<Exec, true>(9, team, vector, 9, n, random);
}

}  // namespace
