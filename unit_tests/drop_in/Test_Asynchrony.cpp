// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a call returns and what calls may share: results in Views
// are asynchronous and in order, scalars wait for their own instance only,
// instances and threads keep apart; and calls go on while others hold the
// device. Calls that read what earlier ones wrote: random_calls, chain. Streams
// of the application: Test_Surroundings.cpp.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_ScanSupport.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Asynchrony);

template <class Exec>
using Longs = Kokkos::View<std::int64_t*, Exec>;

/// Sums of factor * (i % 7 + shift), in closed form.
struct PeriodicSum {
  std::int64_t factor, shift;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += factor * (i % 7 + shift);
  }
  KOKKOS_FUNCTION std::int64_t sum(std::int64_t n) const {
    std::int64_t const rest = n % 7;
    return factor * (n / 7 * 21 + rest * (rest - 1) / 2 + n * shift);
  }
};
template <class Exec>
struct PeriodicScan {
  PeriodicSum terms;
  Longs<Exec> y;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    if (last) y(i) = update;
    terms(i, update);
  }
  KOKKOS_FUNCTION void operator()(int i) const { y(i) = terms.sum(i); }
};

/// What a call is. The first three do not wait.
enum Form {
  scan,
  scan_to_view,
  reduce_to_view,
  scan_to_host,
  reduce_to_host,
  loop
};
constexpr int all_forms = 6, waiting_none = 3;

/// Counts what is not as it should be, and poisons it again: the prefixes of a
/// scan or a loop over n, nothing of a reduction, and a result in a View.
template <class Exec>
struct CheckPeriodic {
  PeriodicScan<Exec> scan;
  Kokkos::View<std::int64_t, Exec> result;
  bool has_result;
  Kokkos::View<int, Exec> wrong;
  int scanned, n;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (scan.y(i) != (i < scanned ? scan.terms.sum(i) : -1))
      Kokkos::atomic_inc(&wrong());
    scan.y(i) = -1;
    if (i > 0) return;
    if (has_result && result() != scan.terms.sum(n))
      Kokkos::atomic_inc(&wrong());
    result() = -1;
  }
};

/// Reductions, scans and loops of changing lengths with results of every kind,
/// checked in order on their instance.
template <class Exec>
class Calls {
 public:
  Calls(Exec const& exec, int longest)
      : m_exec(exec), m_y("y", longest), m_longest(longest) {
    Kokkos::deep_copy(m_y, -1);
    Kokkos::fence();
  }

  void call(int n, int form) {
    PeriodicScan<Exec> const functor{{1 + n % 13, n % 5}, m_y};
    PeriodicSum const& sum = functor.terms;
    Kokkos::RangePolicy<Exec> const policy(m_exec, 0, n);
    std::int64_t scalar = poison<std::int64_t>();
    switch (form) {
      case scan: Kokkos::parallel_scan("scan", policy, functor); break;
      case scan_to_view:
        Kokkos::parallel_scan("View", policy, functor, m_result);
        break;
      case reduce_to_view:
        Kokkos::parallel_reduce("View", policy, sum, m_result);
        break;
      case scan_to_host:
        Kokkos::parallel_scan("scalar", policy, functor, scalar);
        break;
      case reduce_to_host:
        Kokkos::parallel_reduce("scalar", policy, sum,
                                Kokkos::Sum<std::int64_t>(scalar));
        break;
      case loop: Kokkos::parallel_for("loop", policy, functor);
    }
    // Loops are measured beside Kokkos' own.
    if (on_cuda<Exec> && form != loop)
      m_wrong += last_route() != Route::streamed;
    if (form == scan_to_host || form == reduce_to_host)
      m_wrong += scalar != sum.sum(n);
    bool const is_sum = form == reduce_to_view || form == reduce_to_host;
    Kokkos::parallel_for(
        "check", Kokkos::RangePolicy<Exec>(m_exec, 0, m_longest),
        CheckPeriodic<Exec>{functor, m_result,
                            form == scan_to_view || form == reduce_to_view,
                            m_wrong_elements, is_sum ? 0 : n, n});
  }
  int wrong() {
    int elements = 0;
    Kokkos::deep_copy(m_exec, elements, m_wrong_elements);
    m_exec.fence();
    return m_wrong + elements;
  }

 private:
  Exec m_exec;
  Longs<Exec> m_y;
  int m_longest;
  Kokkos::View<std::int64_t, Exec> m_result{"result"};
  Kokkos::View<int, Exec> m_wrong_elements{"wrong"};
  int m_wrong = 0;
};

/// One host thread per instance, all calling at once: nothing may be mixed up
/// with another's.
template <class Exec>
void check_threads(std::vector<Exec> const& instances, int threads,
                   int repetitions) {
  int const longest = on_cuda<Exec> ? 300000 : 60000;
  std::atomic<int> wrong(0);
  std::vector<Calls<Exec>> calls;
  for (int t = 0; t < threads; ++t)
    calls.emplace_back(instances[t % instances.size()], longest);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        int const limit = repetition % 4 == 0 ? longest : 5000;
        calls[t].call(1 + (repetition * 7919 + t * 104729) % limit,
                      (repetition + t) % all_forms);
      }
      wrong += calls[t].wrong();
    });
  for (auto& thread : team) thread.join();
  EXPECT_EQ(0, wrong) << "results of " << threads << " threads on "
                      << instances.size() << " instances";
}
TYPED_TEST(Asynchrony, ThreadsOnTheirOwnInstances) {
  auto const instances = make_instances<TypeParam>(8);
  check_threads(instances, instances.size(), on_cuda<TypeParam> ? 400 : 60);
}
TYPED_TEST(Asynchrony, ThreadsOnOneInstance) {
  check_threads(std::vector<TypeParam>{TypeParam()}, 4,
                on_cuda<TypeParam> ? 200 : 30);
}

/// Instances that come and go. On each, lengths grow while earlier calls still
/// run, so that memory that they use may not be given back yet.
template <class Exec>
void check_growing(Exec const& exec) {
  int const longest = on_cuda<Exec> ? 1 << 21 : 1 << 15;
  Calls<Exec> calls(exec, longest);
  for (int n = 3; n <= longest; n = 5 * n + 1) {
    for (int form : {loop, scan, reduce_to_view, scan_to_view})
      calls.call(n, form);
  }
  calls.call(17, scan_to_view);
  EXPECT_EQ(0, calls.wrong());
}
TYPED_TEST(Asynchrony, InstancesComeAndGo) {
  for (int repetition = 0; repetition < (on_cuda<TypeParam> ? 30 : 5);
       ++repetition) {
    auto instances = make_instances<TypeParam>(2);
    for (auto const& exec : instances) check_growing(exec);
  }
}

/// What one thread asks of its calls does not reach the calls of another.
TYPED_TEST(Asynchrony, SettingsOfAnotherThread) {
  using Exec = TypeParam;
  PeriodicSum const functor{3, 2};
  Kokkos::RangePolicy<Exec> const policy(0, 1000);
  std::int64_t here = poison<std::int64_t>(), there = here;

  RouteProbe<Exec> probe;
  ScopedSettings const scope(Settings{Route::generic});
  bool streamed_there = false;
  std::thread([&] {
    Kokkos::parallel_reduce(policy, functor, there);
    streamed_there = last_route() == Route::streamed;
  }).join();
  Kokkos::parallel_reduce(policy, functor, here);
  EXPECT_TRUE(probe.went_to_kokkos());
  EXPECT_EQ(on_cuda<Exec>, streamed_there);
  EXPECT_EQ(functor.sum(1000), here);
  EXPECT_EQ(functor.sum(1000), there);
}

#ifdef KOKKOS_ENABLE_CUDA
using Cuda = Kokkos::Cuda;
using Team = Kokkos::TeamPolicy<Cuda>::member_type;

constexpr int lengths[] = {1, 1000, 100000};

/// Adds a result of earlier work.
struct Repeated {
  using value_type = std::int64_t;
  Kokkos::View<std::int64_t, Cuda> value;
  Kokkos::View<std::int64_t*, Cuda> y;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    update += value();
    if (last) y(i) = update;
  }
  KOKKOS_FUNCTION void operator()(int, std::int64_t& update) const {
    update += value();
  }
};
std::vector<std::int64_t> multiples(int n, std::int64_t value) {
  std::vector<std::int64_t> result;
  for (int i = 0; i < n; ++i) result.push_back((i + 1) * value);
  return result;
}

/// Runs every kernel of the calls below once: loading code and first
/// allocations may wait.
void warm_up(Cuda const& exec, Gate const& gate) {
  auto view   = poisoned_view<std::int64_t, Cuda>();
  auto pinned = poisoned_view<std::int64_t, Kokkos::SharedHostPinnedSpace>();
  std::int64_t scalar;
  for (int n : lengths) {
    Repeated const functor{gate.value, poisoned_array<std::int64_t, Cuda>(n)};
    Kokkos::RangePolicy<Cuda> const policy(exec, 0, n);
    Kokkos::parallel_scan("warm up", policy, functor);
    Kokkos::parallel_scan("warm up", policy, functor, view);
    Kokkos::parallel_scan("warm up", policy, functor, pinned);
    Kokkos::parallel_scan("warm up", policy, functor, scalar);
    Kokkos::parallel_reduce("warm up", policy, functor, view);
    Kokkos::parallel_reduce("warm up", policy, functor, pinned);
    Kokkos::parallel_reduce("warm up", policy, functor, scalar);
  }
  gate.close(exec);
  gate.let_go();
  Kokkos::fence();
}

TEST(AsynchronyOnCuda, ReturnsAtOnceAndRunsInOrder) {
  auto const instances = make_instances<Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Gate const gate;
  warm_up(instances[0], gate);

  for (int n : lengths) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto view   = poisoned_view<std::int64_t, Cuda>();
    auto pinned = poisoned_view<std::int64_t, Kokkos::SharedHostPinnedSpace>();
    auto sum    = poisoned_view<std::int64_t, Cuda>();
    auto pinned_sum =
        poisoned_view<std::int64_t, Kokkos::SharedHostPinnedSpace>();
    Repeated functors[3];
    for (auto& functor : functors)
      functor = {gate.value, poisoned_array<std::int64_t, Cuda>(n)};
    Kokkos::RangePolicy<Cuda> const policy(instances[0], 0, n);
    gate.close(instances[0]);
    Kokkos::parallel_scan("no total", policy, functors[0]);
    EXPECT_EQ(Route::streamed, last_route());
    Kokkos::parallel_scan("View", policy, functors[1], view);
    EXPECT_EQ(Route::streamed, last_route());
    Kokkos::parallel_scan("pinned", policy, functors[2], pinned);
    EXPECT_EQ(Route::streamed, last_route());
    Repeated const& repeated = functors[0];
    Kokkos::parallel_reduce("sum", policy, repeated, sum);
    EXPECT_EQ(Route::streamed, last_route());
    Kokkos::parallel_reduce("pinned", policy, repeated, pinned_sum);
    EXPECT_EQ(Route::streamed, last_route());
    for (std::int64_t const early : {pinned(), pinned_sum()})
      EXPECT_EQ(poison<std::int64_t>(), early) << "written before its turn";
    gate.let_go();
    instances[0].fence();
    EXPECT_EQ(1, gate.opened_by_host())
        << "a call without a result for the host waited";
    for (std::int64_t const result :
         {value_of(view), value_of(sum), pinned(), pinned_sum()})
      EXPECT_EQ(n * 777, result);
    for (auto const& functor : functors)
      EXPECT_TRUE(holds(functor.y, multiples(n, 777)));
  }
}

TEST(AsynchronyOnCuda, ScalarResultWaitsForItsOwnInstanceOnly) {
  auto const instances = make_instances<Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Gate const gate;
  Kokkos::View<std::int64_t, Cuda> const free("free");
  Kokkos::deep_copy(free, 5);
  warm_up(instances[0], gate);
  warm_up(instances[1], gate);

  for (int n : lengths) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto view = poisoned_view<std::int64_t, Cuda>();
    auto sum  = poisoned_view<std::int64_t, Cuda>();
    Repeated const held{gate.value, poisoned_array<std::int64_t, Cuda>(n)};
    Repeated const other{free, poisoned_array<std::int64_t, Cuda>(n)};
    Kokkos::RangePolicy<Cuda> const policy(instances[0], 0, n);
    gate.close(instances[0]);
    // queued behind the gate, with scratch of their own
    Kokkos::parallel_scan("held", policy, held, view);
    Kokkos::parallel_reduce("held", policy, held, sum);
    Kokkos::RangePolicy<Cuda> const free_policy(instances[1], 0, n);
    for (int repetition = 0; repetition < 10; ++repetition) {
      std::int64_t scalar = poison<std::int64_t>();
      if (repetition % 2)
        Kokkos::parallel_reduce("free", free_policy, other, scalar);
      else
        Kokkos::parallel_scan("free", free_policy, other, scalar);
      EXPECT_EQ(Route::streamed, last_route());
      EXPECT_EQ(n * 5, scalar);
    }
    gate.let_go();
    instances[0].fence();
    EXPECT_EQ(1, gate.opened_by_host())
        << "a scalar result waited for another instance";
    EXPECT_EQ(n * 777, value_of(view));
    EXPECT_EQ(n * 777, value_of(sum));
    EXPECT_TRUE(holds(held.y, multiples(n, 777)));
    EXPECT_TRUE(holds(other.y, multiples(n, 5)));

    // and scalar results on the instance of the gate do wait
    for (bool const reduces : {false, true}) {
      gate.close(instances[0]);
      std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gate.let_go();
      });
      std::int64_t scalar = poison<std::int64_t>();
      if (reduces)
        Kokkos::parallel_reduce("held", policy, held, scalar);
      else
        Kokkos::parallel_scan("held", policy, held, scalar);
      EXPECT_EQ(n * 777, scalar);
      opener.join();
    }
  }
}

/// Threads that hold their places on the device for some number of rounds, of
/// some microseconds each, or until they must stop.
struct Hold {
  Kokkos::View<int, Cuda> stop;
  Kokkos::View<int, Cuda> gave_up;  ///< threads that did not see `stop`
  int rounds;

  KOKKOS_FUNCTION void operator()(int i) const {
    int volatile const* const flag = stop.data();
    unsigned number                = i;
    int seen                       = 0;
    for (int round = 0; round < rounds && seen == 0; ++round) {
      for (int k = 0; k < 256; ++k) number = number * 1664525u + 1013904223u;
      seen = *flag;
    }
    // never: the arithmetic must not be left out
    if (number == 0 && seen == 2) stop() = 3;
    if (seen == 0) Kokkos::atomic_inc(&gave_up());
  }
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    (*this)(team.league_rank() * team.team_size() + team.team_rank());
  }
};

/// Half of the threads of each multiprocessor are held until the calls on
/// another stream are done, so they may not need all of them at once. The
/// kernel that holds them has shared memory: beside one that has none, blocks
/// with more than 3 KB of it wait until their multiprocessor is idle, for only
/// then it changes how much of its memory is shared (H100, H200, 2026-11-26).
TEST(AsynchronyOnCuda, GoesOnBesideAKernelThatStays) {
  auto const instances = make_instances<Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Calls<Cuda> calls(instances[1], 1 << 22);
  Hold const hold{Kokkos::View<int, Cuda>("stop"),
                  Kokkos::View<int, Cuda>("gave_up"), 1 << 20};
  int const team      = 512;
  auto const hold_now = [&](int teams) {
    Kokkos::parallel_for("hold",
                         Kokkos::TeamPolicy<Cuda>(instances[0], teams, team)
                             .set_scratch_size(0, Kokkos::PerTeam(40 << 10)),
                         hold);
  };
  auto const work = [&] {
    for (int repetition = 0; repetition < 20; ++repetition)
      for (int n : {1, 5000, 300000, 1 << 22}) calls.call(n, repetition % loop);
  };
  // code is loaded before
  Kokkos::deep_copy(instances[1], hold.stop, 1);
  hold_now(1);
  work();
  Kokkos::deep_copy(hold.stop, 0);
  Kokkos::fence();

  hold_now(Cuda().concurrency() / 2 / team);
  work();
  instances[1].fence();
  Kokkos::deep_copy(instances[1], hold.stop, 1);
  instances[1].fence();
  instances[0].fence();
  EXPECT_EQ(0, value_of(hold.gave_up)) << "the calls waited for the kernel";
  EXPECT_EQ(0, calls.wrong());
}

/// More than the whole device is held, again and again, by kernels that come
/// between the blocks of calls on several streams.
TEST(AsynchronyOnCuda, GoesOnBetweenKernelsThatFillTheDevice) {
  auto const instances = make_instances<Cuda>(7);
  ASSERT_EQ(7u, instances.size());
  std::vector<Calls<Cuda>> calls;
  for (int k = 1; k < 7; ++k) calls.emplace_back(instances[k], 1 << 20);
  Hold const hold{Kokkos::View<int, Cuda>("stop"),
                  Kokkos::View<int, Cuda>("gave_up"), 300};
  int const threads = 3 * Cuda().concurrency();
  for (int repetition = 0; repetition < 40; ++repetition) {
    Kokkos::parallel_for(
        "hold", Kokkos::RangePolicy<Cuda>(instances[0], 0, threads), hold);
    for (std::size_t k = 0; k < calls.size(); ++k)
      for (int n : {700, 60000, 1 << 20})
        calls[k].call(n, repetition % waiting_none);
  }
  for (auto& each : calls) EXPECT_EQ(0, each.wrong());
}
#endif

}  // namespace
