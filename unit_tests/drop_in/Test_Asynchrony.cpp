// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a call returns, in which order work runs, and what calls may share:
// results in Views are asynchronous and in order, scalars wait for their own
// instance only, instances and threads keep apart.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using KokkosMMA::last_route;
using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Testing::ElementSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::make_instances;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::value_of;

template <class Exec>
class Asynchrony : public ::testing::Test {};
TYPED_TEST_SUITE(Asynchrony, ExecutionSpaces);

template <class Exec>
using Longs = Kokkos::View<std::int64_t*, Exec>;

/// Adds factor * (i + offset() % 1000), where offset is a result of earlier
/// work.
template <class Exec>
struct Weighted {
  Kokkos::View<std::int64_t const, Exec> offset;
  std::int64_t factor;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += factor * (i + offset() % 1000);
  }
};
constexpr std::int64_t weighted_sum(std::int64_t n, std::int64_t factor,
                                    std::int64_t offset) {
  return factor * (n * (n - 1) / 2 + n * (offset % 1000));
}

/// Many calls on one instance with nothing between them, each reading the
/// result of the one before.
template <class Exec>
void check_order() {
  auto const instances = make_instances<Exec>(1);
  Exec const exec      = instances[0];
  int const steps      = 100;
  for (int n : {1, 700, 40000}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    Longs<Exec> const results("results", steps + 1);
    for (int step = 0; step < steps; ++step)
      Kokkos::parallel_reduce(
          "step", Kokkos::RangePolicy<Exec>(exec, 0, n),
          Weighted<Exec>{Kokkos::subview(results, step), step % 5 + 1},
          Kokkos::subview(results, step + 1));
    // in order with other work of the instance as well
    Longs<Exec> const copy("copy", steps + 1);
    Kokkos::deep_copy(exec, copy, results);
    exec.fence();
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy);
    std::int64_t expected = 0;
    for (int step = 0; step < steps; ++step) {
      expected = weighted_sum(n, step % 5 + 1, expected);
      ASSERT_EQ(expected, host(step + 1)) << "step " << step;
    }
  }
}
TYPED_TEST(Asynchrony, CallsOnOneInstanceRunInOrder) {
  check_order<TypeParam>();
}

/// One host thread per instance, all calling at once: no result may be mixed up
/// with another's.
template <class Exec>
int wrong_results(Exec const& exec, int thread, int repetitions) {
  int wrong = 0;
  Kokkos::View<std::int64_t, Exec> const offset("offset");
  Kokkos::deep_copy(exec, offset, std::int64_t(thread));
  auto const view = poisoned_view<std::int64_t, Exec>();
  std::int64_t host_view;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    int const n      = 1 + (repetition * 7919 + thread * 104729) % 60000;
    int const factor = 1 + (repetition + thread) % 13;
    Weighted<Exec> const functor{offset, factor};
    Kokkos::RangePolicy<Exec> const policy(exec, 0, n);
    std::int64_t const expected = weighted_sum(n, factor, thread);

    std::int64_t scalar = poison<std::int64_t>();
    Kokkos::parallel_reduce("scalar", policy, functor, scalar);
    wrong += scalar != expected;
    if (on_cuda<Exec>) wrong += last_route() != Route::streamed;

    Kokkos::parallel_reduce("View", policy, functor, view);
    Kokkos::deep_copy(exec, host_view, view);
    exec.fence();
    wrong += host_view != expected;

    double largest = poison<double>();
    Kokkos::parallel_reduce(
        policy,
        KOKKOS_LAMBDA(int i, double& update) {
          double const value = functor.factor * (i ^ 5);
          if (value > update) update = value;
        },
        Kokkos::Max<double>(largest));
    int peak = 0;
    for (int i = std::max(0, n - 8); i < n; ++i) peak = std::max(peak, i ^ 5);
    wrong += largest != double(factor) * peak;
  }
  return wrong;
}

template <class Exec>
void check_threads(std::vector<Exec> const& instances, int threads,
                   int repetitions) {
  std::atomic<int> wrong(0);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&wrong, &instances, t, repetitions] {
      wrong += wrong_results(instances[t % instances.size()], t, repetitions);
    });
  for (auto& thread : team) thread.join();
  EXPECT_EQ(0, wrong) << "results of " << threads << " threads on "
                      << instances.size() << " instances";
}
TYPED_TEST(Asynchrony, ThreadsOnTheirOwnInstances) {
  auto const instances = make_instances<TypeParam>(4);
  check_threads(instances, instances.size(), on_cuda<TypeParam> ? 300 : 40);
}
TYPED_TEST(Asynchrony, ThreadsOnOneInstance) {
  check_threads(std::vector<TypeParam>{TypeParam()}, 4,
                on_cuda<TypeParam> ? 150 : 20);
}

/// What one thread asks of its calls does not reach the calls of another.
template <class Exec>
void check_scope() {
  Kokkos::View<std::int64_t, Exec> const offset("offset");
  Weighted<Exec> const functor{offset, 3};
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
  EXPECT_EQ(weighted_sum(1000, 3, 0), here);
  EXPECT_EQ(weighted_sum(1000, 3, 0), there);
}
TYPED_TEST(Asynchrony, SettingsOfAnotherThread) { check_scope<TypeParam>(); }

#ifdef KOKKOS_ENABLE_CUDA
using KokkosMMA::Testing::Gate;

constexpr int lengths[] = {1, 1000, 100000};

/// Runs every kernel of the calls below once: loading code and first
/// allocations may wait.
void warm_up(Kokkos::Cuda const& exec, Weighted<Kokkos::Cuda> const& functor) {
  auto const view = poisoned_view<std::int64_t, Kokkos::Cuda>();
  auto const pinned =
      poisoned_view<std::int64_t, Kokkos::SharedHostPinnedSpace>();
  std::int64_t scalar;
  for (int n : lengths) {
    Kokkos::RangePolicy<Kokkos::Cuda> const policy(exec, 0, n);
    Kokkos::parallel_reduce("warm up", policy, functor, view);
    Kokkos::parallel_reduce("warm up", policy, functor, pinned);
    Kokkos::parallel_reduce("warm up", policy, functor, scalar);
  }
  Kokkos::fence();
}

TEST(AsynchronyOnCuda, ViewResultReturnsAtOnceAndInOrder) {
  auto const instances = make_instances<Kokkos::Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Gate const gate;
  Weighted<Kokkos::Cuda> const functor{gate.value, 3};
  warm_up(instances[0], functor);
  gate.close(instances[0]);
  gate.let_go();
  instances[0].fence();

  for (int n : lengths) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto const view = poisoned_view<std::int64_t, Kokkos::Cuda>();
    auto const pinned =
        poisoned_view<std::int64_t, Kokkos::SharedHostPinnedSpace>();
    Kokkos::RangePolicy<Kokkos::Cuda> const policy(instances[0], 0, n);
    gate.close(instances[0]);
    Kokkos::parallel_reduce("View", policy, functor, view);
    EXPECT_EQ(Route::streamed, last_route());
    Kokkos::parallel_reduce("pinned", policy, functor, pinned);
    EXPECT_EQ(Route::streamed, last_route());
    EXPECT_EQ(poison<std::int64_t>(), pinned()) << "written before its turn";
    gate.let_go();
    instances[0].fence();
    EXPECT_EQ(1, gate.opened_by_host())
        << "a call with a result in a View waited";
    EXPECT_EQ(weighted_sum(n, 3, 777), value_of(view));
    EXPECT_EQ(weighted_sum(n, 3, 777), pinned());
  }
}

TEST(AsynchronyOnCuda, ScalarResultWaitsForItsOwnInstanceOnly) {
  auto const instances = make_instances<Kokkos::Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Gate const gate;
  Kokkos::View<std::int64_t, Kokkos::Cuda> const free("free");
  Weighted<Kokkos::Cuda> const held{gate.value, 3}, other{free, 7};
  warm_up(instances[0], held);
  warm_up(instances[1], other);
  gate.close(instances[0]);
  gate.let_go();
  Kokkos::fence();

  for (int n : lengths) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto const view = poisoned_view<std::int64_t, Kokkos::Cuda>();
    gate.close(instances[0]);
    // queued behind the gate, with scratch of its own
    Kokkos::parallel_reduce(
        "held", Kokkos::RangePolicy<Kokkos::Cuda>(instances[0], 0, n), held,
        view);
    for (int repetition = 0; repetition < 10; ++repetition) {
      std::int64_t scalar = poison<std::int64_t>();
      Kokkos::parallel_reduce(
          "free", Kokkos::RangePolicy<Kokkos::Cuda>(instances[1], 0, n), other,
          scalar);
      EXPECT_EQ(Route::streamed, last_route());
      EXPECT_EQ(weighted_sum(n, 7, 0), scalar);
    }
    gate.let_go();
    instances[0].fence();
    EXPECT_EQ(1, gate.opened_by_host())
        << "a scalar result waited for another instance";
    EXPECT_EQ(weighted_sum(n, 3, 777), value_of(view));

    // and a scalar result on the instance of the gate does wait
    gate.close(instances[0]);
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.let_go();
    });
    std::int64_t scalar = poison<std::int64_t>();
    Kokkos::parallel_reduce(
        "held", Kokkos::RangePolicy<Kokkos::Cuda>(instances[0], 0, n), held,
        scalar);
    EXPECT_EQ(weighted_sum(n, 3, 777), scalar);
    opener.join();
  }
}
#endif

}  // namespace
