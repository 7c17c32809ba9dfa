// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions over teams: of fewer and of more teams than Kokkos starts blocks,
// by its own kernel and by ours.

#include <KokkosMMA_LoopSupport.hpp>
#include <KokkosMMA_Random.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class TeamReductions : public ::testing::Test {};
TYPED_TEST_SUITE(TeamReductions, ExecutionSpaces);

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

}  // namespace
