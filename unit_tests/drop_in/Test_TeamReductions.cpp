// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions over teams: of fewer and of more teams than Kokkos starts blocks,
// by its own kernel and by this library's.

#include <KokkosMMA_LoopSupport.hpp>
#include <KokkosMMA_Random.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(TeamReductions);

/// Sums of 40 bytes that do not start at zero, and are not left as they are.
struct Moments {
  double sum[4];
  std::int64_t teams;
};
struct Tag {};

/// A fraction of each team and thread; memory of the team is used on the way.
template <class Exec>
struct Fractions {
  using Policy  = Kokkos::TeamPolicy<Exec>;
  using Member  = typename Policy::member_type;
  using Scratch = Kokkos::View<float*, typename Exec::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;

  static KOKKOS_FUNCTION float fraction(Member const& m) {
    Scratch const memory(m.team_scratch(0), m.team_size());
    memory(m.team_rank()) = 1.f / float(1 + (m.league_rank() * 31) % 977);
    m.team_barrier();
    float const next = memory((m.team_rank() + 1) % m.team_size());
    m.team_barrier();  // the block's next team has the same memory
    return next + float(m.league_size() % 2);
  }
  KOKKOS_FUNCTION void operator()(Member const& m, float& update) const {
    update += fraction(m);
  }
  KOKKOS_FUNCTION void operator()(Tag, Member const& m, double& update) const {
    double const own = fraction(m);
    if (own > update) update = own;
  }
};
template <class Exec>
struct MomentsOf {
  using Member     = typename Kokkos::TeamPolicy<Exec>::member_type;
  using value_type = Moments;
  KOKKOS_FUNCTION void init(Moments& value) const { value = {{1, 0, 0, 0}, 0}; }
  KOKKOS_FUNCTION void join(Moments& into, Moments const& from) const {
    for (int k = 0; k < 4; ++k) into.sum[k] += from.sum[k] - (k == 0);
    into.teams += from.teams;
  }
  KOKKOS_FUNCTION void final(Moments& value) const { value.sum[3] *= 2; }
  KOKKOS_FUNCTION void operator()(Member const& m, Moments& value) const {
    double const x = 1. / (1 + m.league_rank() % 1009);
    double power   = x;
    for (double& sum : value.sum) {
      sum += power;
      power *= x;
    }
    value.teams += m.team_rank() == 0;
  }
};

template <class Exec>
void check_reductions(int league, int team) {
  SCOPED_TRACE(league);
  SCOPED_TRACE(team);
  using Plain      = Kokkos::TeamPolicy<Exec>;
  using Tagged     = Kokkos::TeamPolicy<Exec, Tag>;
  int const most   = team == 0 ? 1024 : team;
  auto const sized = [&](auto policy) {
    return policy.set_scratch_size(
        0, Kokkos::PerTeam(int(Fractions<Exec>::Scratch::shmem_size(most))));
  };
  auto const policy_of = [&]<class Policy>() {
    return team == 0 ? sized(Policy(league, Kokkos::AUTO))
                     : sized(Policy(league, on_cuda<Exec> ? team : 1));
  };
  auto const view = poisoned_view<float, Exec>();
  float host      = 0;
  double largest  = 0;
  Moments moments{};
  std::vector<double> first;
  each_launch(
      [&] {
        auto const plain = policy_of.template operator()<Plain>();
        Kokkos::parallel_reduce("host", plain, Fractions<Exec>{}, host);
        Kokkos::parallel_reduce("view", plain, Fractions<Exec>{}, view);
        Kokkos::parallel_reduce("tag", policy_of.template operator()<Tagged>(),
                                Fractions<Exec>{},
                                Kokkos::Max<double>(largest));
        Kokkos::parallel_reduce("moments", plain, MomentsOf<Exec>{}, moments);
      },
      [&] {
        std::vector<double> now{host, value_of(view), largest,
                                double(moments.teams)};
        now.insert(now.end(), moments.sum, moments.sum + 4);
        if (first.empty()) first = now;  // by Kokkos
        ASSERT_EQ(first, now);
        host = -1;
        Kokkos::deep_copy(view, -1);
        largest = -1;
        moments = {};
      });
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(double(league), first[3]);
  EXPECT_FLOAT_EQ(first[2], league == 0 ? first[2] : 1 + league % 2);
}
TYPED_TEST(TeamReductions, HaveTheBitsOfKokkos) {
  for (int const league : {1, 2, 33, 1000, 32768, 40001})
    for (int const team : {0, 1, 8, 32, 128}) {
      if (!on_cuda<TypeParam> && (team > 1 || league > 1000)) continue;
      check_reductions<TypeParam>(league, team);
    }
}

/// One from each thread, and from each team a number that its first thread has
/// written.
template <class Exec>
struct Threads {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<int*, Exec> seen;
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    Kokkos::single(Kokkos::PerTeam(m), [&] { seen(m.league_rank()) += 1000; });
  }
  KOKKOS_FUNCTION void operator()(Member const& m, int& sum) const {
    sum += 1 + (m.team_rank() == 0 ? seen(m.league_rank()) : 0);
  }
};
template <class Exec, class Policy>
void check_bounds() {
  int const league = 300, team = on_cuda<Exec> ? 64 : 1;
  Kokkos::View<int*, Exec> const seen("seen", league);
  Threads<Exec> const f{seen};
  int sum = 0;
  each_launch(
      [&] {
        Kokkos::deep_copy(seen, 0);
        Kokkos::parallel_for("bounds", Policy(league, team), f);
        Kokkos::parallel_reduce("bounds", Policy(league, team), f, sum);
      },
      [&] {
        ASSERT_EQ(league * (team + 1000), sum);
        sum = -1;
        Kokkos::parallel_reduce("bounds", Policy(league, team), f,
                                Kokkos::Sum<int>(sum));
        ASSERT_EQ(league * (team + 1000), sum);
      });
}
TYPED_TEST(TeamReductions, PoliciesThatNameBounds) {
  using Exec = TypeParam;
  using Kokkos::LaunchBounds;
  check_bounds<Exec, Kokkos::TeamPolicy<Exec, LaunchBounds<>>>();
  check_bounds<Exec, Kokkos::TeamPolicy<Exec, LaunchBounds<0, 0>>>();
  check_bounds<Exec, Kokkos::TeamPolicy<Exec, LaunchBounds<128>>>();
  check_bounds<Exec, Kokkos::TeamPolicy<LaunchBounds<64, 2>, Exec>>();
}

/// Functors around the size up to which they and their reducer, which may hold
/// them a second time, are arguments of a kernel.
template <class Exec, int Bytes>
struct Large {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  std::int64_t* places;
  unsigned char bytes[Bytes];
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    if (m.team_rank() == 0) places[m.league_rank()] = bytes[m.league_rank()];
  }
  KOKKOS_FUNCTION void operator()(Member const& m, std::int64_t& value) const {
    if (m.team_rank() == 0) value += bytes[m.league_rank()];
  }
};
template <class Exec, int Bytes>
void check_large() {
  SCOPED_TRACE(Bytes);
  Kokkos::View<std::int64_t*, Exec> const places("places", Bytes);
  Large<Exec, Bytes> f{places.data(), {}};
  std::int64_t expected = 0;
  for (int i = 0; i < Bytes; ++i) {
    f.bytes[i] = static_cast<unsigned char>(i % 251);
    expected += i % 251;
  }
  Kokkos::TeamPolicy<Exec> const policy(Bytes, on_cuda<Exec> ? 32 : 1);
  std::int64_t sum = -1, reduced = -1;
  each_launch(
      [&] {
        Kokkos::parallel_for("large", policy, f);
        Kokkos::parallel_reduce("large", policy, f, sum);
        Kokkos::parallel_reduce("large", policy, f,
                                Kokkos::Sum<std::int64_t>(reduced));
      },
      [&] {
        ASSERT_EQ(expected, sum);
        ASSERT_EQ(expected, reduced);
        sum = reduced   = -1;
        auto const host = host_copy(places);
        for (int i = 0; i < Bytes; ++i) ASSERT_EQ(f.bytes[i], host(i)) << i;
        Kokkos::deep_copy(places, -1);
      });
}
TYPED_TEST(TeamReductions, LargeFunctors) {
  check_large<TypeParam, 16192>();
  check_large<TypeParam, 16200>();
  check_large<TypeParam, 32352>();
  check_large<TypeParam, 32592>();
}

/// Whose init() leaves a member to the default constructor, which Kokkos calls
/// before it in its kernel of teams.
struct Started {
  std::int64_t sum;
  int factor = 3;
};
template <class Exec>
struct StartedSum {
  using Member     = typename Kokkos::TeamPolicy<Exec>::member_type;
  using value_type = Started;
  KOKKOS_FUNCTION void init(Started& value) const { value.sum = 0; }
  KOKKOS_FUNCTION void join(Started& into, Started const& from) const {
    into.sum += from.sum;
  }
  KOKKOS_FUNCTION void final(Started& value) const {
    value.sum *= value.factor;
  }
  KOKKOS_FUNCTION void operator()(Member const& m, Started& value) const {
    value.sum += std::int64_t(value.factor) * m.league_rank();
    // What a block leaves is not what the join of the blocks starts with.
    if (m.team_rank() == 0) value.factor += 3 * (m.league_rank() % 2);
  }
};
template <class Exec>
void check_started() {
  for (int const league : {1, 40, 5000}) {
    Kokkos::TeamPolicy<Exec> const policy(league, 64);
    std::int64_t const expected =
        9 * std::int64_t(64) * league * (league - 1) / 2;
    Started value;
    each_launch(
        [&] { Kokkos::parallel_reduce(policy, StartedSum<Exec>{}, value); },
        [&] {
          ASSERT_EQ(expected, value.sum);
          value.sum = -1;
        });
  }
}
TYPED_TEST(TeamReductions, MembersThatInitLeavesAlone) {
  if constexpr (on_cuda<TypeParam>) {
    check_started<TypeParam>();
  }
}

/// All of the shared memory that a kernel may have without being allowed more:
/// what the kernel has of its own comes on top.
template <class Exec>
void check_scratch() {
  int const team = 64, joins = 8 * (team + 2), league = 100;
  Kokkos::View<int*, Exec> const seen("seen", league);
  for (int const free : {0, 8, 64, 256, 1024}) {
    SCOPED_TRACE(free);
    auto const policy =
        Kokkos::TeamPolicy<Exec>(league, team)
            .set_scratch_size(0, Kokkos::PerTeam(48 * 1024 - joins - free));
    int sum = -1;
    each_launch(
        [&] {
          Kokkos::parallel_reduce("scratch", policy, Threads<Exec>{seen}, sum);
        },
        [&] {
          ASSERT_EQ(league * team, sum);
          sum = -1;
        });
  }
}
TYPED_TEST(TeamReductions, ScratchMemoryUpToTheUsualLimit) {
  // Before, Kokkos' own launch fails.
  if constexpr (on_cuda<TypeParam> && KOKKOS_VERSION >= 50200) {
    check_scratch<TypeParam>();
  }
}

/// Kokkos asks the runtime about the class that stands for its own.
TYPED_TEST(TeamReductions, PoliciesAreAskedForTeamSizes) {
  using Exec = TypeParam;
  Kokkos::TeamPolicy<Exec> const policy(100, Kokkos::AUTO);
  Kokkos::ParallelReduceTag const reduces;
  MomentsOf<Exec> const f{};
  int const most = policy.team_size_max(f, reduces);
  int const size = policy.team_size_recommended(f, reduces);
  EXPECT_LE(1, size);
  EXPECT_LE(size, most);
  Moments moments{};
  each_launch(
      [&] {
        for (int const team : {size, most})
          Kokkos::parallel_reduce("asked", Kokkos::TeamPolicy<Exec>(100, team),
                                  f, moments);
      },
      [&] { ASSERT_EQ(100, moments.teams); });
}

}  // namespace
