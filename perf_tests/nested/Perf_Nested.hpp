// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_NESTED_HPP
#define KOKKOSMMA_PERF_NESTED_HPP

#include <string>

#include "support/Perf_Sides.hpp"

// What the bodies of perf_nested have in common: teams, and rows of a matrix
// that are reduced by the lanes of a thread, by the threads of a team, or both.

namespace perf {

namespace kokkos {
Table row_sums, sparse_products, reducers, applications, patterns;
}
namespace drop_in {
Table row_sums, sparse_products, reducers, applications, patterns;
}

namespace KOKKOSMMA_PERF_SIDE {

using Policy = Kokkos::TeamPolicy<Exec>;
using Member = Policy::member_type;
using Right  = Kokkos::LayoutRight;
#ifdef KOKKOS_ENABLE_CUDA
inline constexpr bool has_lanes = true;
#else
inline constexpr bool has_lanes = false;
#endif

/// How results of T may differ where terms are added in another order.
template <class T>
constexpr double tolerance_of() {
  return std::is_same_v<T, double>  ? 1e-12
         : std::is_same_v<T, float> ? 1e-4
                                    : 0;
}

/// Threads of a team (0: AUTO) and lanes of a thread; hosts have one of each.
struct Team {
  int threads = 8, lanes = 32;
  int scratch = 0;  // bytes of a team, level 0
};

inline Policy policy_of(Exec const& exec, int league, Team const& team) {
  int const lanes   = has_lanes ? team.lanes : 1;
  int const threads = has_lanes ? team.threads : 1;
  Policy policy = team.threads == 0 ? Policy(exec, league, Kokkos::AUTO, lanes)
                                    : Policy(exec, league, threads, lanes);
  if (team.scratch > 0)
    policy.set_scratch_size(0, Kokkos::PerTeam(team.scratch));
  return policy;
}

/// A loop over `league` teams, which works on so many indices.
template <class Body>
Work teams(Arena& arena, int league, Team const& team, double indices,
           double bytes, Body const& body, double tolerance = 0) {
  return {[policy = policy_of(arena.exec, league, team), body] {
            Kokkos::parallel_for("perf::teams", policy, body);
          },
          indices,
          bytes,
          {},
          tolerance};
}

enum class Level { lanes, threads, all };

/// A loop inside a team, by one of the three ranges.
template <Level level>
struct Nest {
  Member const& member;

  template <class Index>
  KOKKOS_FUNCTION auto range(Index begin, Index end) const {
    if constexpr (level == Level::lanes)
      return Kokkos::ThreadVectorRange(member, begin, end);
    else if constexpr (level == Level::threads)
      return Kokkos::TeamThreadRange(member, begin, end);
    else
      return Kokkos::TeamVectorRange(member, begin, end);
  }
  template <class F>
  KOKKOS_FUNCTION void once(F const& f) const {
    if constexpr (level == Level::lanes)
      Kokkos::single(Kokkos::PerThread(member), f);
    else
      Kokkos::single(Kokkos::PerTeam(member), f);
  }
};

/// f(nest, r) for n rows: a thread of a team for each, or a team for each.
template <Level level, class F>
struct EachRow {
  F f;
  int n, per_team;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    Nest<level> const nest{member};
    int const first = member.league_rank() * per_team;
    if constexpr (level == Level::lanes)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, per_team),
                           [&](int k) {
                             if (first + k < n) f(nest, first + k);
                           });
    else
      f(nest, first);
  }
};

template <Level level, class F>
Work each_row(Arena& arena, int n, Team const& team, double indices,
              double bytes, F const& f, double tolerance = 0) {
  // Where lanes work on a row, a team has one for each thread.
  int const per_team = level != Level::lanes ? 1
                       : team.threads > 0    ? team.threads
                                             : 8;
  return teams(arena, (n + per_team - 1) / per_team, team, indices, bytes,
               EachRow<level, F>{f, n, per_team}, tolerance);
}

/// Rows of a matrix by Body::at(rows, nest, r).
template <class Body>
struct Rows {
  using In  = typename Body::In;
  using Out = typename Body::Out;
  using X   = Kokkos::View<In const**, Right, Exec>;
  using Z   = Kokkos::View<Out**, Right, Exec>;
  X x;
  Z z;  // a row of results for each
  int begin;

  template <class Nest>
  KOKKOS_FUNCTION void operator()(Nest const& nest, int r) const {
    Body::at(*this, nest, r);
  }
};

/// The rows of a body and the teams that it has.
struct Shape {
  int length;
  Team team    = {};
  int begin    = 0;        // the first element of a row that counts
  int elements = 1 << 26;  // of the matrix, no more than arena.elements()
  int most     = 1 << 22;  // rows
};

template <class Body, Level level>
Work rows_of(Arena& arena, Shape const& shape) {
  using R            = Rows<Body>;
  using In           = typename R::In;
  using Out          = typename R::Out;
  int const length   = arena.at_most(shape.length);
  int const elements = std::min(arena.elements<In>(), shape.elements);
  int const n        = std::min(elements / length, shape.most);
  int results        = 1;
  if constexpr (requires { Body::writes_rows; }) results = length;
  double tolerance = tolerance_of<Out>();
  if constexpr (requires { Body::tolerance; }) tolerance = Body::tolerance;
  Out* const out = arena.out<Out>(std::size_t(n) * results);
  R const body{typename R::X(arena.in<In>(), n, length),
               typename R::Z(out, n, results), shape.begin};
  double const indices = double(n) * (length - shape.begin);
  return each_row<level>(
      arena, n, shape.team, indices,
      indices * sizeof(In) + double(n) * results * sizeof(Out), body,
      tolerance);
}

/// A line of the table.
template <class Body, Level level>
Line rows(std::string const& name, Shape const& shape) {
  return {type_name<typename Body::In>(), name,
          [shape](Arena& arena) { return rows_of<Body, level>(arena, shape); }};
}

/// What a body does with its value u and the element x at i.
struct Add {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, auto) const { u += x; }
};

/// `Op` on each element of a row, into a scalar: its sum.
template <class T, class V = T, class Index = int, class Op = Add>
struct Sum {
  using In  = T;
  using Out = std::conditional_t<sizeof(V) < 4, float, V>;
  static constexpr double tolerance = sizeof(V) < 4 ? 0.02 : tolerance_of<V>();
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    V sum;
    Kokkos::parallel_reduce(
        nest.range(Index(v.begin), Index(v.x.extent(1))),
        [&](Index i, V& u) { Op()(u, v.x(r, i), i); }, sum);
    nest.once([&] { v.z(r, 0) = static_cast<Out>(sum); });
  }
};

}  // namespace KOKKOSMMA_PERF_SIDE
}  // namespace perf

#endif
