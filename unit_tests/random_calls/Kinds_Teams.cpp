// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops and reductions over teams, with nested ranges. All values are integers,
// so that sizes of teams that Kokkos chooses change nothing.

#include "FoldFunctors.hpp"
#include "Kinds.hpp"

#include <algorithm>
#include <type_traits>

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

using Sum64 = std::uint64_t;
template <class Bounds = Kokkos::LaunchBounds<>, class... Tag>
using Policy     = Kokkos::TeamPolicy<Exec, Bounds, Tag...>;
using TeamMember = Kokkos::TeamPolicy<Exec>::member_type;

/// A league of `extent[0]` teams, each with `inner` indices.
struct TeamFunctor {
  using Member = TeamMember;
  std::uint64_t* y;
  int* calls;
  int inner;

  explicit TeamFunctor(Call const& c)
      : y(c.y<std::uint64_t>()),
        calls(c.calls()),
        inner(int(c[Parameters::inner])) {}
  KOKKOS_FUNCTION std::int64_t at(Member const& m, int i) const {
    return std::int64_t(m.league_rank()) * inner + i;
  }
  KOKKOS_FUNCTION void write(std::int64_t to, std::uint64_t value) const {
    Kokkos::atomic_inc(calls + to);
    y[to] = y[to] * 31 + value;
  }
};

struct NestedLoops : TeamFunctor {
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(m, inner), [&](int i) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(m, 5), [&](int k) {
        Kokkos::atomic_add(y + at(m, i), mixed(std::uint64_t(at(m, i) + k)));
      });
      Kokkos::single(Kokkos::PerThread(m),
                     [&] { Kokkos::atomic_inc(calls + at(m, i)); });
    });
    m.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(m, inner / 2, inner),
                         [&](int i) { write(at(m, i), 7); });
  }
};
struct TaggedTeams : NestedLoops {
  using NestedLoops::NestedLoops;
  KOKKOS_FUNCTION void operator()(TagA, Member const& m) const {
    NestedLoops::operator()(m);
  }
};

struct NestedSums : TeamFunctor {
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Sum64 of_team = 0, of_all = 0;
    std::int64_t largest = -1;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, inner),
        [&](int i, Sum64& sum) { sum += mixed(std::uint64_t(i)); }, of_team);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(m, 1, inner + 1),
        [&](int i, Sum64& sum) { sum += std::uint64_t(i) * i; }, of_all);
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, inner),
        [&](int const& i, std::int64_t& value) {
          std::int64_t const number =
              std::int64_t(mixed(std::uint64_t(i)) >> 8);
          if (number > value) value = number;
        },
        Kokkos::Max<std::int64_t>(largest));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(m, inner), [&](int i) {
      Sum64 of_vector = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(m, i % 70),
          [&](int k, Sum64& sum) { sum += mixed(std::uint64_t(k)); },
          of_vector);
      Kokkos::single(Kokkos::PerThread(m), [&] {
        write(at(m, i),
              of_team + of_all * 3 + of_vector * 5 + std::uint64_t(largest));
      });
    });
  }
};

struct TeamScans : TeamFunctor {
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Sum64 total = 0;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(m, inner),
        [&](int i, Sum64& sum, bool final) {
          if (final) write(at(m, i), sum);
          sum += mixed(std::uint64_t(i)) >> 20;
        },
        total);
    m.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(m, inner),
                         [&](int i) { y[at(m, i)] += 3 * total; });
  }
};
struct VectorScans : TeamFunctor {
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(m, inner), [&](int i) {
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(m, i % 50),
                            [&](int k, Sum64& sum, bool final) {
                              sum += std::uint64_t(k + i);
                              if (final) Kokkos::atomic_add(y + at(m, i), sum);
                            });
    });
  }
};
/// Its index may be an lvalue that is not const.
struct AnyTeamScan : TeamFunctor {
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(m, inner), [&](int& i, Sum64& sum, bool final) {
          sum += std::uint64_t(i + 1);
          if (final)
            Kokkos::single(Kokkos::PerThread(m), [&] { write(at(m, i), sum); });
        });
  }
};

/// Scratch memory of both levels, `single` and team_scan.
template <int Level>
struct Scratch : TeamFunctor {
  static constexpr int scratch_level = Level;
  using Row = Kokkos::View<std::uint64_t*, typename Exec::scratch_memory_space,
                           Kokkos::MemoryUnmanaged>;
  using TeamFunctor::TeamFunctor;
  static std::size_t scratch_bytes(Call const& c) {
    return Row::shmem_size(std::size_t(c[Parameters::inner]));
  }
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Row const row(m.team_scratch(Level), std::size_t(inner));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(m, inner), [&](int i) {
      row(i) = mixed(std::uint64_t(at(m, i)));
    });
    m.team_barrier();
    int of_team = 0;
    Kokkos::single(
        Kokkos::PerTeam(m), [&](int& value) { value = m.league_rank() + 3; },
        of_team);
    int const before = m.team_scan(1);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(m, inner), [&](int i) {
      write(at(m, i), row(inner - 1 - i) + unsigned(of_team));
    });
    if (before != m.team_rank())
      Kokkos::atomic_add(y + at(m, 0), std::uint64_t(1) << 40);
  }
};

/// Mutable members that nested lambdas write.
struct MutableTeams : TeamFunctor {
  mutable std::uint64_t last = 0;
  mutable int block          = -1;
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION std::uint64_t of(int i) const {
    if (i / 4 != block) {
      block = i / 4;
      last  = mixed(std::uint64_t(block));
    }
    return last + unsigned(i % 4);
  }
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(m, inner),
                         [&](int i) { write(at(m, i), of(i)); });
  }
};
struct LargeTeams : TeamFunctor {
  std::uint32_t table[1200];
  explicit LargeTeams(Call const& c) : TeamFunctor(c) {
    for (unsigned k = 0; k < 1200; ++k) table[k] = unsigned(mixed(k));
  }
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(m, inner), [&](int i) {
      write(at(m, i), table[(m.league_rank() + i) % 1200]);
    });
  }
};

/// A value of a league.
struct TeamSum : TeamFunctor {
  using value_type = Sum64;
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m, Sum64& sum) const {
    Sum64 of_team = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(m, inner),
        [&](int i, Sum64& s) {
          Sum64 of_vector = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(m, i % 40),
              [&](int k, Sum64& v) { v += mixed(std::uint64_t(at(m, i + k))); },
              of_vector);
          s += of_vector + mixed(std::uint64_t(at(m, i)));
        },
        of_team);
    Kokkos::single(Kokkos::PerTeam(m), [&] {
      sum += of_team;
      if (inner > 0) write(at(m, 0), of_team);
    });
  }
  KOKKOS_FUNCTION void operator()(TagB, Member const& m, Sum64& sum) const {
    (*this)(m, sum);
  }
};
struct LargestTeam : TeamFunctor {
  using value_type = std::int64_t;
  using TeamFunctor::TeamFunctor;
  KOKKOS_FUNCTION void operator()(Member const& m, std::int64_t& value) const {
    auto const number =
        std::int64_t(mixed(std::uint64_t(m.league_rank())) >> 10);
    if (m.team_rank() == 0 && number > value) value = number;
  }
  KOKKOS_FUNCTION void init(std::int64_t& value) const { value = -5; }
  KOKKOS_FUNCTION void join(std::int64_t& into,
                            std::int64_t const& from) const {
    if (from > into) into = from;
  }
};
struct MutableTeamSum : MutableTeams {
  using value_type = Sum64;
  using MutableTeams::MutableTeams;
  /// A nested functor with a member of its own that it writes.
  struct Nested {
    MutableTeamSum const& all;
    mutable std::uint64_t last = 0;
    KOKKOS_FUNCTION void operator()(int i, Sum64& sum) const {
      last = all.of(i);
      sum += last;
    }
  };
  KOKKOS_FUNCTION void operator()(Member const& m, Sum64& sum) const {
    Sum64 of_team = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(m, inner), Nested{*this},
                            of_team);
    if (m.team_rank() == 0)
      Kokkos::single(Kokkos::PerThread(m), [&] { sum += of_team; });
  }
};
struct AnyMemberSum : TeamFunctor {
  using value_type = std::int64_t;
  using TeamFunctor::TeamFunctor;
  template <class M>
  KOKKOS_FUNCTION void operator()(M& m, std::int64_t& sum) const {
    if (m.team_rank() == 0)
      Kokkos::single(Kokkos::PerThread(m),
                     [&] { sum += std::is_const_v<M> ? 10 : 20; });
  }
};

/// A policy of teams that exist for this functor.
template <class PolicyType, class Pattern, class F>
PolicyType team_policy(Call const& c, F const& functor, Pattern pattern) {
  int const league       = int(c[Parameters::extent]);
  int const vector       = int(c[Parameters::vector]);
  auto const add_scratch = [&](PolicyType& policy) {
    if constexpr (requires { F::scratch_level; }) {
      policy.set_scratch_size(F::scratch_level,
                              Kokkos::PerTeam(int(F::scratch_bytes(c))));
    }
    if (c[Parameters::chunk] > 0)
      policy.set_chunk_size(int(c[Parameters::chunk]));
  };
  PolicyType automatic(*c.space, league, Kokkos::AUTO, vector);
  add_scratch(automatic);
  if (c[Parameters::team] == 0) return automatic;
  int const most = automatic.team_size_max(functor, pattern);
  PolicyType fixed(*c.space, league,
                   int(std::clamp<std::int64_t>(c[Parameters::team], 1, most)),
                   vector);
  add_scratch(fixed);
  return fixed;
}

template <class F, class PolicyType = Policy<>>
void add_teams_loop(Table& table, char const* name, bool scans = false) {
  Limits const limits{.teams = true, .scans_teams = scans};
  add(table, name, limits, [](auto const& run, Call const& c) {
    F const functor(c);
    auto const policy =
        team_policy<PolicyType>(c, functor, Kokkos::ParallelForTag());
    run.each_repeat([&](std::int64_t) {
      Kokkos::parallel_for("random_calls", policy, functor);
    });
  });
}
template <class F, class PolicyType = Policy<>>
void add_teams_sum(Table& table, char const* name) {
  Limits limits{.result_bytes = int(sizeof(typename F::value_type)),
                .teams        = true};
  add(table, name, limits, [](auto const& run, Call const& c) {
    F const functor(c);
    auto const policy =
        team_policy<PolicyType>(c, functor, Kokkos::ParallelReduceTag());
    run.each_repeat([&](std::int64_t r) {
      run.template with_result<typename F::value_type>(r, [&](auto&& result) {
        Kokkos::parallel_reduce("random_calls", policy, functor, result);
      });
    });
  });
}

}  // namespace

void add_teams(Table& table) {
  using Bounds = Kokkos::LaunchBounds<256, 1>;
  add_teams_loop<NestedLoops>(table, "teams_nested_loops");
  add_teams_loop<TaggedTeams, Policy<Bounds, TagA>>(table, "teams_tag_bounds");
  add_teams_loop<NestedSums>(table, "teams_nested_sums");
  add_teams_loop<TeamScans>(table, "teams_scans", true);
  add_teams_loop<VectorScans>(table, "teams_vector_scans");
  add_teams_loop<Scratch<0>>(table, "teams_scratch_0", true);
  add_teams_loop<Scratch<1>>(table, "teams_scratch_1", true);
  add_teams_loop<LargeTeams>(table, "teams_4800_bytes");
  add_teams_sum<TeamSum>(table, "teams_sum");
  add_teams_sum<TeamSum, Policy<Bounds, TagB>>(table, "teams_sum_tag_bounds");
  add_teams_sum<LargestTeam>(table, "teams_init_join");
#if KOKKOS_VERSION < 50000
  add_teams_loop<MutableTeams>(table, "teams_mutable");
  add_teams_sum<MutableTeamSum>(table, "teams_sum_mutable");
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  // On hosts Kokkos gives rvalues to these.
  add_teams_loop<AnyTeamScan>(table, "teams_scan_any_index", true);
  add_teams_sum<AnyMemberSum>(table, "teams_sum_any_member");
#endif
}

}  // namespace random_calls::RANDOM_CALLS_TWIN
