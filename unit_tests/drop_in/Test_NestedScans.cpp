// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans inside team kernels, of vectors and of threads, as applications write
// them.

#include <KokkosMMA_LoopSupport.hpp>
#include <KokkosMMA_Random.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class NestedScans : public ::testing::Test {};
TYPED_TEST_SUITE(NestedScans, ExecutionSpaces);

/// The scans of a vector that Kokkos has: without and with the total, by a
/// reducer; by closures that use the sum before they add, and after.
template <class Exec>
struct VectorScans {
  using Policy = Kokkos::TeamPolicy<Exec>;
  template <class T>
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  Rows<float> x;
  Rows<float> before;
  Rows<double> products;
  Rows<int> counts;
  Rows<double> totals;  ///< (row, 2)

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& m) const {
    int const row    = m.league_rank() * m.team_size() + m.team_rank();
    auto const range = Kokkos::ThreadVectorRange(m, int(x.extent(1)));
    Kokkos::parallel_scan(range, [&](int j, float& sum, bool final) {
      if (final) before(row, j) = sum;
      sum += x(row, j);
    });
    double product;
    Kokkos::parallel_scan(
        range,
        [&](int j, double& value, bool final) {
          value *= 1 + x(row, j) / 1024.;
          if (final) products(row, j) = value;
        },
        Kokkos::Prod<double>(product));
    int count = 0;
    Kokkos::parallel_scan(
        range,
        [&](int j, int& value, bool final) {
          if (x(row, j) <= 0) return;
          if (final) counts(row, value) = j;
          ++value;
        },
        count);
    Kokkos::single(Kokkos::PerThread(m), [&] {
      totals(row, 0) = product;
      totals(row, 1) = count;
    });
  }
};

TYPED_TEST(NestedScans, ScansOfVectorsHaveTheBitsOfKokkos) {
  using Exec = TypeParam;
  Random random;
  SCOPED_TRACE(random.note());
  for (int const lanes : {1, 4, 16, 32})
    for (int const n : {0, 1, 7, 32, 33, 64, 129, 700}) {
      SCOPED_TRACE(lanes);
      SCOPED_TRACE(n);
      int const lanes_here = on_cuda<Exec> ? lanes : 1;
      int const threads    = on_cuda<Exec> ? 4 : 1;
      int const rows       = 36;
      using Scans          = VectorScans<Exec>;
      Scans const f{typename Scans::template Rows<float>("x", rows, n),
                    typename Scans::template Rows<float>("before", rows, n),
                    typename Scans::template Rows<double>("products", rows, n),
                    typename Scans::template Rows<int>("counts", rows, n),
                    typename Scans::template Rows<double>("totals", rows, 2)};
      fill_random(f.x, [&] { return float(random.uniform(-1, 1)); });
      expect_bits_of_kokkos(
          [&] {
            Kokkos::parallel_for(
                "scans",
                Kokkos::TeamPolicy<Exec>(rows / threads, threads, lanes_here),
                f);
          },
          f.before, f.products, f.counts, f.totals);
    }
}

/// The scans of a team's threads that Kokkos has, one after the other.
template <class Exec>
struct TeamScans {
  using Policy = Kokkos::TeamPolicy<Exec>;
  template <class T>
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  Rows<float> x;
  Rows<float> before;
  Rows<double> up_to;
  Rows<int> counts;
  Rows<double> totals;  ///< (row, 2)

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& m) const {
    int const row = m.league_rank();
    auto const n  = std::int64_t(x.extent(1));
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(m, int(n)),
                          [&](int j, float& sum, bool final) {
                            if (final) before(row, j) = sum;
                            sum += x(row, j);
                          });
    double total = -7;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(m, std::int64_t(5), 5 + n),
        [&](std::int64_t j, double& sum, bool final) {
          sum += before(row, j - 5) * x(row, j - 5);
          if (final) up_to(row, j - 5) = sum;
        },
        total);
    int count = -7;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(m, int(n)),
        [&](int j, int& value, bool final) {
          if (x(row, j) <= 0) return;
          if (final) counts(row, value) = j;
          ++value;
        },
        count);
    Kokkos::single(Kokkos::PerTeam(m), [&] {
      totals(row, 0) = total;
      totals(row, 1) = count;
    });
  }
};

TYPED_TEST(NestedScans, ScansOfTeamsHaveTheBitsOfKokkos) {
  using Exec  = TypeParam;
  using Scans = TeamScans<Exec>;
  struct Shape {
    int team, vector;
  };
  std::vector<Shape> const shapes =
      on_cuda<Exec>
          ? std::vector<Shape>{{1, 1},  {5, 1},   {24, 1}, {32, 1}, {64, 1},
                               {96, 1}, {512, 1}, {40, 1}, {16, 4}}
          : std::vector<Shape>{{1, 1}};
  Random random;
  SCOPED_TRACE(random.note());
  for (auto const [team, vector] : shapes)
    for (int const n : {0, 1, 31, 64, 65, 700, 2100}) {
      SCOPED_TRACE(team);
      SCOPED_TRACE(vector);
      SCOPED_TRACE(n);
      constexpr int rows = 9;
      Scans const f{typename Scans::template Rows<float>("x", rows, n),
                    typename Scans::template Rows<float>("before", rows, n),
                    typename Scans::template Rows<double>("up_to", rows, n),
                    typename Scans::template Rows<int>("counts", rows, n),
                    typename Scans::template Rows<double>("totals", rows, 2)};
      fill_random(f.x, [&] { return float(random.uniform(-1, 1)); });
      expect_bits_of_kokkos(
          [&] {
            Kokkos::parallel_for(
                "scans", Kokkos::TeamPolicy<Exec>(rows, team, vector), f);
          },
          f.before, f.up_to, f.counts, f.totals);
    }
}

}  // namespace
