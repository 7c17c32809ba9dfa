// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a reduction may stand inside a team kernel, and what stands beside it:
// Kokkos::single, lambdas of lambdas, loops, scans, the collectives of members,
// a reduction over the teams.

#include "nested/Perf_Nested.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

using Level::all, Level::lanes, Level::threads;

/// One thread of one lane works for its team.
Work single_team(Arena& a) {
  int const n = a.at_most(1 << 22) / 64;
  Kokkos::View<float**, Right, Exec> const x(a.in<float>(), n, 64);
  auto const z = a.out_vector<float>(n);
  return teams(
      a, n, {32, 1}, 64. * n, 0,
      KOKKOS_LAMBDA(Member const& member) {
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          int const r = member.league_rank();
          float sum   = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, 64),
              [&](int i, float& u) { u += x(r, i); }, sum);
          z(r) = sum;
        });
      },
      1e-4);
}

/// Each thread works for itself: rows of eight, for the lanes of none.
Work single_thread(Arena& a) {
  int const n = a.at_most(1 << 26) / 8;
  Kokkos::View<double**, Right, Exec> const x(a.in<double>(), n, 8);
  auto const z = a.out_vector<double>(n);
  return each_row<lanes>(
      a, n, {128, 1}, 8. * n, 72. * n,
      KOKKOS_LAMBDA(Nest<lanes> const& nest, int r) {
        Kokkos::single(Kokkos::PerThread(nest.member), [&] {
          double sum = 0;
          Kokkos::parallel_reduce(
              nest.range(0, 8), [&](int i, double& u) { u += x(r, i); }, sum);
          z(r) = sum;
        });
      },
      1e-12);
}

/// One lane finds where the row begins, all of them sum it.
Work single_broadcast(Arena& a) {
  int const n = a.at_most(1 << 26) / 128;
  Kokkos::View<float**, Right, Exec> const x(a.in<float>(), n, 128);
  auto const z = a.out_vector<float>(n);
  return each_row<lanes>(
      a, n, {8, 32}, 126.5 * n, 506. * n,
      KOKKOS_LAMBDA(Nest<lanes> const& nest, int r) {
        int begin;
        Kokkos::single(
            Kokkos::PerThread(nest.member), [&](int& b) { b = r % 4; }, begin);
        float sum = 0;
        Kokkos::parallel_reduce(
            nest.range(begin, 128), [&](int i, float& u) { u += x(r, i); },
            sum);
        nest.once([&] { z(r) = sum; });
      },
      1e-4);
}

/// The element by a lambda, which another calls, which the body calls; by
/// value.
template <class T>
struct Lambdas {
  using In  = T;
  using Out = T;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    auto const element = [=](int i) { return v.x(r, i); };
    auto const apply   = [=](auto const& f, int i) { return 2 * f(i); };
    auto const row     = [=](int begin, int end) {
      T sum;
      Kokkos::parallel_reduce(
              nest.range(begin, end), [=](int i, T& u) { u += apply(element, i); },
              sum);
      return sum;
    };
    T const sum = row(v.begin, v.x.extent_int(1));
    nest.once([&] { v.z(r, 0) = sum; });
  }
};

/// A sum, a least and a largest element of the same row.
struct Several {
  using In  = float;
  using Out = float;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    auto const range = nest.range(0, v.x.extent_int(1));
    float sum, least, largest;
    Kokkos::parallel_reduce(
        range, [&](int i, float& u) { u += v.x(r, i); }, sum);
    Kokkos::parallel_reduce(
        range, [&](int i, float& u) { u = Kokkos::min(u, v.x(r, i)); },
        Kokkos::Min<float>(least));
    Kokkos::parallel_reduce(
        range, [&](int i, float& u) { u = Kokkos::max(u, v.x(r, i)); },
        Kokkos::Max<float>(largest));
    nest.once([&] { v.z(r, 0) = sum + least + largest; });
  }
};

/// No reduction.
struct Triad {
  using In                          = float;
  using Out                         = float;
  static constexpr bool writes_rows = true;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    Kokkos::parallel_for(nest.range(0, v.x.extent_int(1)),
                         [&](int i) { v.z(r, i) = 2 * v.x(r, i) + 1; });
  }
};

/// Prefix sums of a row: before each element, or with it and the total last.
template <class T, bool inclusive>
struct Scan {
  using In                          = T;
  using Out                         = T;
  static constexpr bool writes_rows = true;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    int const last   = v.x.extent_int(1) - 1;
    auto const range = nest.range(0, last + 1);
    if constexpr (inclusive) {
      T total = 0;
      Kokkos::parallel_scan(
          range,
          [&](int i, T& u, bool final) {
            u += v.x(r, i);
            if (final && i < last) v.z(r, i) = u;
          },
          total);
      Kokkos::parallel_for(nest.range(last, last + 1),
                           [&](int i) { v.z(r, i) = total; });
    } else {
      Kokkos::parallel_scan(range, [&](int i, T& u, bool final) {
        T const x = v.x(r, i);
        if (final) v.z(r, i) = u;
        u += x;
      });
    }
  }
};

/// Own partial sums of a thread, joined by a collective of the members.
template <class T>
struct MemberReduce {
  using In  = T;
  using Out = T;
  template <Level level>
  static KOKKOS_FUNCTION void at(auto const& v, Nest<level> const& nest,
                                 int r) {
    T sum = 0;
    Kokkos::parallel_for(nest.range(0, v.x.extent_int(1)),
                         [&](int i) { sum += v.x(r, i); });
    if constexpr (level == threads)
      nest.member.team_reduce(Kokkos::Sum<T>(sum));
    else if constexpr (has_lanes)
      nest.member.vector_reduce(Kokkos::Sum<T>(sum));
    nest.once([&] { v.z(r, 0) = sum; });
  }
};

/// An element for each thread.
struct TeamScan {
  using In                          = std::int32_t;
  using Out                         = std::int32_t;
  static constexpr bool writes_rows = true;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    int const i = nest.member.team_rank();
    v.z(r, i)   = nest.member.team_scan(v.x(r, i));
  }
};

/// Sums of rows, summed over the teams.
template <class T>
struct OverTeams {
  Kokkos::View<T const**, Right, Exec> x;
  KOKKOS_FUNCTION void operator()(Member const& member, T& total) const {
    int const r = member.league_rank();
    T sum       = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, x.extent_int(1)),
        [&](int i, T& u) { u += x(r, i); }, sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { total += sum; });
  }
};
template <class T>
Work over_teams(Arena& a, int length, int threads) {
  int const n = a.at_most(1 << 26) / length;
  OverTeams<T> const body{
      Kokkos::View<T const**, Right, Exec>(a.in<T>(), n, length)};
  Kokkos::View<T, Exec> const z(a.out<T>(1));
  return {[=, policy = policy_of(a.exec, n, {threads, 1})] {
            Kokkos::parallel_reduce("perf::teams", policy, body, z);
          },
          double(n) * length,
          double(n) * length * sizeof(T),
          {},
          tolerance_of<T>()};
}

std::vector<Line> patterns() {
  using F   = float;
  using D   = double;
  using I32 = std::int32_t;
  return {
      {"float", "single/team", single_team},
      {"double", "single/thread", single_thread},
      {"float", "single/broadcast", single_broadcast},
      rows<Lambdas<F>, lanes>("pattern/lambdas_vector", {256}),
      rows<Lambdas<D>, threads>("pattern/lambdas_team", {2048, {128, 1}}),
      rows<Several, lanes>("pattern/several_vector", {256}),
      rows<Several, threads>("pattern/several_team", {2048, {128, 1}}),
      rows<Triad, lanes>("for/vector", {256}),
      rows<Triad, threads>("for/team", {2048, {128, 1}}),
      rows<Triad, all>("for/team_vector", {2048, {4, 32}}),
      rows<Scan<F, false>, lanes>("scan/vector_32", {32}),
      rows<Scan<F, false>, lanes>("scan/vector_256", {256}),
      rows<Scan<D, false>, lanes>("scan/vector_2048_lanes_8", {2048, {16, 8}}),
      rows<Scan<I32, true>, lanes>("scan/vector_total_256", {256}),
      rows<Scan<F, false>, threads>("scan/team_1024", {1024, {128, 1}}),
      rows<Scan<D, false>, threads>("scan/team_4096", {4096, {128, 1}}),
      rows<Scan<I32, true>, threads>("scan/team_total_1000", {1000, {128, 1}}),
      rows<MemberReduce<F>, lanes>("member/vector_reduce", {256}),
      rows<MemberReduce<F>, threads>("member/team_reduce_256", {256, {128, 1}}),
      rows<MemberReduce<D>, threads>("member/team_reduce_4096",
                                     {4096, {128, 1}}),
      rows<TeamScan, threads>("member/team_scan", {128, {128, 1}}),
      {"float", "policy/reduce_1024",
       [](Arena& a) { return over_teams<F>(a, 1024, 128); }},
      {"double", "policy/reduce_256_auto",
       [](Arena& a) { return over_teams<D>(a, 256, 0); }}};
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
