// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a scan returns, in which order scans run and what they may share; what
// Kokkos Tools see of one; and that scans go on while others hold the device.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Recorder.hpp>
#include <KokkosMMA_ScanSupport.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using KokkosMMA::last_route;
using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Testing::elements;
using KokkosMMA::Testing::ExclusiveSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::holds;
using KokkosMMA::Testing::make_instances;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_array;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Recorder;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::value_of;

template <class Exec>
class ScanAsynchrony : public ::testing::Test {};
TYPED_TEST_SUITE(ScanAsynchrony, ExecutionSpaces);

template <class Exec>
using Longs = Kokkos::View<std::int64_t*, Exec>;

/// Scans the results of earlier work: elements and a number.
template <class Exec>
struct NextStep {
  Longs<Exec> x, y;
  Kokkos::View<std::int64_t const, Exec> offset;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    std::int64_t const value = x(i) % 1000 + offset() % 100 + 1;
    if (last) y(i) = update;
    update += value;
  }
};

/// Many scans on one instance with nothing between them, each of the prefixes
/// and the total of the one before.
template <class Exec>
void check_order() {
  Exec const exec = make_instances<Exec>(1)[0];
  int const steps = 60;
  for (int n : {1, 700, 40000}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    Longs<Exec> x("x", n), y("y", n);
    Longs<Exec> const totals("totals", steps + 1);
    for (int step = 0; step < steps; ++step) {
      auto const total = Kokkos::subview(totals, step + 1);
      Kokkos::parallel_scan("step", Kokkos::RangePolicy<Exec>(exec, 0, n),
                            NextStep<Exec>{x, y, Kokkos::subview(totals, step)},
                            total);
      std::swap(x, y);
    }
    // in order with other work of the instance as well
    Longs<Exec> const copy("copy", n);
    Kokkos::deep_copy(exec, copy, x);
    exec.fence();

    std::vector<std::int64_t> expected(n, 0), expected_totals{0};
    for (int step = 0; step < steps; ++step) {
      std::int64_t sum = 0;
      for (auto& element : expected) {
        std::int64_t const value =
            element % 1000 + expected_totals.back() % 100 + 1;
        element = sum;
        sum += value;
      }
      expected_totals.push_back(sum);
    }
    EXPECT_TRUE(holds(totals, expected_totals));
    EXPECT_TRUE(holds(copy, expected));
  }
}
TYPED_TEST(ScanAsynchrony, ScansOnOneInstanceRunInOrder) {
  check_order<TypeParam>();
}

/// Adds factor * (i % 7 + shift): prefixes in closed form.
template <class Exec>
struct Periodic {
  Longs<Exec> y;
  std::int64_t factor, shift;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    if (last) y(i) = update;
    update += factor * (i % 7 + shift);
  }
  KOKKOS_FUNCTION std::int64_t prefix(std::int64_t i) const {
    std::int64_t const rest = i % 7;
    return factor * (i / 7 * 21 + rest * (rest - 1) / 2 + i * shift);
  }
};

/// Counts what is not as it should be, and poisons it again.
template <class Exec>
struct CheckPeriodic {
  Periodic<Exec> scan;
  Kokkos::View<std::int64_t, Exec> total;
  bool has_total;
  Kokkos::View<int, Exec> wrong;
  int n;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (scan.y(i) != (i < n ? scan.prefix(i) : -1))
      Kokkos::atomic_inc(&wrong());
    scan.y(i) = -1;
    if (i > 0) return;
    if (has_total && total() != scan.prefix(n)) Kokkos::atomic_inc(&wrong());
    total() = -1;
  }
};

/// Scans of changing lengths with totals of every kind, checked in order on
/// their instance.
template <class Exec>
class Scans {
 public:
  Scans(Exec const& exec, int longest)
      : m_exec(exec), m_y("y", longest), m_longest(longest) {
    Kokkos::deep_copy(m_y, -1);
    Kokkos::fence();
  }

  /// By turns no total, one in a View, one for the host; only that one waits.
  void call(int n, int number) {
    Periodic<Exec> const functor{m_y, 1 + number % 13, number % 5};
    Kokkos::RangePolicy<Exec> const policy(m_exec, 0, n);
    std::int64_t total = poison<std::int64_t>();
    switch (number % 3) {
      case 0: Kokkos::parallel_scan("no total", policy, functor); break;
      case 1: Kokkos::parallel_scan("View", policy, functor, m_total); break;
      case 2:
        Kokkos::parallel_scan("scalar", policy, functor, total);
        m_wrong += total != functor.prefix(n);
    }
    if (on_cuda<Exec>) m_wrong += last_route() != Route::streamed;
    Kokkos::parallel_for("check",
                         Kokkos::RangePolicy<Exec>(m_exec, 0, m_longest),
                         CheckPeriodic<Exec>{functor, m_total, number % 3 == 1,
                                             m_wrong_elements, n});
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
  Kokkos::View<std::int64_t, Exec> m_total{"total"};
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
  std::vector<Scans<Exec>> scans;
  for (int t = 0; t < threads; ++t)
    scans.emplace_back(instances[t % instances.size()], longest);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        int const limit = repetition % 4 == 0 ? longest : 5000;
        scans[t].call(1 + (repetition * 7919 + t * 104729) % limit,
                      repetition + t);
      }
      wrong += scans[t].wrong();
    });
  for (auto& thread : team) thread.join();
  EXPECT_EQ(0, wrong) << "results of " << threads << " threads on "
                      << instances.size() << " instances";
}
TYPED_TEST(ScanAsynchrony, ThreadsOnTheirOwnInstances) {
  auto const instances = make_instances<TypeParam>(8);
  check_threads(instances, instances.size(), on_cuda<TypeParam> ? 400 : 60);
}
TYPED_TEST(ScanAsynchrony, ThreadsOnOneInstance) {
  check_threads(std::vector<TypeParam>{TypeParam()}, 4,
                on_cuda<TypeParam> ? 200 : 30);
}

/// One host thread that keeps several instances busy.
TYPED_TEST(ScanAsynchrony, OneThreadOnSeveralInstances) {
  auto const instances = make_instances<TypeParam>(8);
  std::vector<Scans<TypeParam>> scans;
  int const longest = on_cuda<TypeParam> ? 1 << 20 : 50000;
  for (auto const& exec : instances) scans.emplace_back(exec, longest);
  for (int repetition = 0; repetition < (on_cuda<TypeParam> ? 300 : 40);
       ++repetition)
    for (std::size_t k = 0; k < scans.size(); ++k)
      // without a total or with one in a View: none waits
      scans[k].call(1 + (repetition * 104729 + k * 7919) % longest,
                    repetition % 2 ? 3 : 4);
  for (auto& each : scans) EXPECT_EQ(0, each.wrong());
}

/// Instances that come and go. On each, lengths grow while earlier scans still
/// run, so that memory that they use may not be given back yet.
template <class Exec>
void check_growing(Exec const& exec) {
  int const longest = on_cuda<Exec> ? 1 << 21 : 1 << 15;
  Scans<Exec> scans(exec, longest);
  for (int n = 3; n <= longest; n = 5 * n + 1) {
    scans.call(n, 3);
    scans.call(n, 4);
  }
  scans.call(17, 4);
  EXPECT_EQ(0, scans.wrong());
}
TYPED_TEST(ScanAsynchrony, InstancesComeAndGo) {
  for (int repetition = 0; repetition < (on_cuda<TypeParam> ? 30 : 5);
       ++repetition) {
    auto instances = make_instances<TypeParam>(2);
    for (auto const& exec : instances) check_growing(exec);
  }
}

using Events = std::vector<std::string>;

/// What Kokkos Tools see of a call, and how often it waits.
template <class Call>
std::pair<Events, int> events_of(Call const& call) {
  // first calls may allocate
  call();
  Kokkos::fence();
  Recorder recorder;
  call();
  return {recorder.events, recorder.fences};
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

template <class Exec>
void check_events() {
  int const n  = 1000;
  auto const x = make_view<std::int64_t, Exec>(
      n, [](std::size_t i) { return std::int64_t(i); });
  ExclusiveSum<std::int64_t, Exec> const functor{
      x, poisoned_array<std::int64_t, Exec>(n)};
  Kokkos::RangePolicy<Exec> const policy(0, n);
  std::int64_t scalar   = 0;
  auto view             = poisoned_view<std::int64_t, Exec>();
  Events const expected = {"begin scan the user's label", "end"};
  for (int form = 0; form < 3; ++form) {
    SCOPED_TRACE("form " + std::to_string(form));
    auto const call = [&] {
      switch (form) {
        case 0:
          Kokkos::parallel_scan("the user's label", policy, functor);
          break;
        case 1:
          Kokkos::parallel_scan("the user's label", policy, functor, view);
          break;
        case 2:
          Kokkos::parallel_scan("the user's label", policy, functor, scalar);
          break;
      }
    };
    RouteProbe<Exec> probe;
    auto const [events, fences] = events_of(call);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(expected, events);
    ScopedSettings const scope(Settings{Route::generic});
    auto const [events_of_kokkos, fences_of_kokkos] = events_of(call);
    EXPECT_EQ(expected, events_of_kokkos);
    EXPECT_LE(fences, fences_of_kokkos);
    // A scalar waits for its value, nothing else on a device does: the fences
    // that are left are those around every kernel that a tool is told of.
    if (form == 2) {
      EXPECT_GE(fences, 1);
    } else if (on_cuda<Exec>) {
      auto const [events_of_for, fences_of_for] =
          events_of([&] { Kokkos::parallel_for("kernel", policy, Nothing{}); });
      EXPECT_EQ(fences_of_for, fences);
    }
  }
  EXPECT_EQ(499500, scalar);
  EXPECT_EQ(499500, value_of(view));
}
TYPED_TEST(ScanAsynchrony, OneScanWithTheLabelOfTheUser) {
  check_events<TypeParam>();
}

struct Plain {};
template <class Exec>
struct NamedByItsType {
  Longs<Exec> y;
  KOKKOS_FUNCTION void operator()(Plain, int i, std::int64_t& update,
                                  bool last) const {
    update += i;
    if (last) y(i) = update;
  }
};

/// Without a label the name is made of the types of the functor and the work
/// tag, never of ours.
template <class Exec>
void check_unlabelled() {
  Kokkos::RangePolicy<Exec, Plain> const policy(0, 1000);
  NamedByItsType<Exec> const functor{Longs<Exec>("y", 1000)};
  std::int64_t scalar = 0;
  for (bool with_total : {false, true}) {
    auto const call = [&] {
      if (with_total)
        Kokkos::parallel_scan(policy, functor, scalar);
      else
        Kokkos::parallel_scan(policy, functor);
    };
    Events const ours = events_of(call).first;
    ScopedSettings const scope(Settings{Route::generic});
    EXPECT_EQ(events_of(call).first, ours);
    ASSERT_EQ(2u, ours.size());
    EXPECT_NE(std::string::npos, ours[0].find("NamedByItsType")) << ours[0];
    EXPECT_EQ(std::string::npos, ours[0].find("KokkosMMA::Impl")) << ours[0];
  }
}
TYPED_TEST(ScanAsynchrony, NameWithoutALabel) { check_unlabelled<TypeParam>(); }

#ifdef KOKKOS_ENABLE_CUDA
using Cuda = Kokkos::Cuda;
using KokkosMMA::Testing::Gate;

/// The same with streams that the application makes and destroys: a new one may
/// have the handle of an old one.
TEST(ScanAsynchronyOnCuda, StreamsOfTheApplication) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    cudaStream_t stream;
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
    {
      Cuda const exec(stream);
      Scans<Cuda> scans(exec, 40000);
      for (int number = 0; number < 6; ++number)
        scans.call(1 + (number * 7919 + repetition * 104729) % 40000, number);
      EXPECT_EQ(0, scans.wrong());
    }
    ASSERT_EQ(cudaSuccess, cudaStreamDestroy(stream));
  }
}

constexpr int lengths[] = {1, 1000, 100000};

/// Adds a result of earlier work.
struct Repeated {
  Kokkos::View<std::int64_t, Cuda> value;
  Kokkos::View<std::int64_t*, Cuda> y;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    update += value();
    if (last) y(i) = update;
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
  }
  gate.close(exec);
  gate.let_go();
  Kokkos::fence();
}

TEST(ScanAsynchronyOnCuda, ReturnsAtOnceAndRunsInOrder) {
  auto const instances = make_instances<Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Gate const gate;
  warm_up(instances[0], gate);

  for (int n : lengths) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto view   = poisoned_view<std::int64_t, Cuda>();
    auto pinned = poisoned_view<std::int64_t, Kokkos::SharedHostPinnedSpace>();
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
    EXPECT_EQ(poison<std::int64_t>(), pinned()) << "written before its turn";
    gate.let_go();
    instances[0].fence();
    EXPECT_EQ(1, gate.opened_by_host())
        << "a call without a result for the host waited";
    EXPECT_EQ(n * 777, value_of(view));
    EXPECT_EQ(n * 777, pinned());
    for (auto const& functor : functors)
      EXPECT_TRUE(holds(functor.y, multiples(n, 777)));
  }
}

TEST(ScanAsynchronyOnCuda, ScalarTotalWaitsForItsOwnInstanceOnly) {
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
    Repeated const held{gate.value, poisoned_array<std::int64_t, Cuda>(n)};
    Repeated const other{free, poisoned_array<std::int64_t, Cuda>(n)};
    Kokkos::RangePolicy<Cuda> const policy(instances[0], 0, n);
    gate.close(instances[0]);
    // queued behind the gate, with scratch of its own
    Kokkos::parallel_scan("held", policy, held, view);
    for (int repetition = 0; repetition < 10; ++repetition) {
      std::int64_t scalar = poison<std::int64_t>();
      Kokkos::parallel_scan(
          "free", Kokkos::RangePolicy<Cuda>(instances[1], 0, n), other, scalar);
      EXPECT_EQ(Route::streamed, last_route());
      EXPECT_EQ(n * 5, scalar);
    }
    gate.let_go();
    instances[0].fence();
    EXPECT_EQ(1, gate.opened_by_host())
        << "a scalar total waited for another instance";
    EXPECT_EQ(n * 777, value_of(view));
    EXPECT_TRUE(holds(held.y, multiples(n, 777)));
    EXPECT_TRUE(holds(other.y, multiples(n, 5)));

    // and a scalar total on the instance of the gate does wait
    gate.close(instances[0]);
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.let_go();
    });
    std::int64_t scalar = poison<std::int64_t>();
    Kokkos::parallel_scan("held", policy, held, scalar);
    EXPECT_EQ(n * 777, scalar);
    opener.join();
  }
}

/// Threads that hold their places on the device for some number of rounds, of
/// some microseconds each, or until they are told to stop.
struct Hold {
  Kokkos::View<int, Cuda> stop;
  Kokkos::View<int, Cuda> stopped;
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
    if (i == 0) stopped() = seen;
  }
};

/// Half of the device is held until the scans on another stream are done, so
/// they may not need all of it at once.
TEST(ScanAsynchronyOnCuda, GoesOnBesideAKernelThatStays) {
  auto const instances = make_instances<Cuda>(2);
  ASSERT_EQ(2u, instances.size());
  Scans<Cuda> scans(instances[1], 1 << 22);
  Hold const hold{Kokkos::View<int, Cuda>("stop"),
                  Kokkos::View<int, Cuda>("stopped"), 1 << 21};
  auto const work = [&] {
    for (int repetition = 0; repetition < 20; ++repetition)
      for (int n : {1, 5000, 300000, 1 << 22}) scans.call(n, repetition);
  };
  // code is loaded before
  Kokkos::deep_copy(instances[1], hold.stop, 1);
  Kokkos::parallel_for("hold", Kokkos::RangePolicy<Cuda>(instances[0], 0, 1),
                       hold);
  work();
  Kokkos::deep_copy(hold.stop, 0);
  Kokkos::deep_copy(hold.stopped, 0);
  Kokkos::fence();

  int const threads = Cuda().concurrency() / 2;
  Kokkos::parallel_for(
      "hold", Kokkos::RangePolicy<Cuda>(instances[0], 0, threads), hold);
  work();
  instances[1].fence();
  Kokkos::deep_copy(instances[1], hold.stop, 1);
  instances[1].fence();
  instances[0].fence();
  EXPECT_EQ(1, value_of(hold.stopped)) << "the scans waited for the kernel";
  EXPECT_EQ(0, scans.wrong());
}

/// More than the whole device is held, again and again, by kernels that come
/// between the blocks of scans on several streams.
TEST(ScanAsynchronyOnCuda, GoesOnBetweenKernelsThatFillTheDevice) {
  auto const instances = make_instances<Cuda>(7);
  ASSERT_EQ(7u, instances.size());
  std::vector<Scans<Cuda>> scans;
  for (int k = 1; k < 7; ++k) scans.emplace_back(instances[k], 1 << 20);
  Hold const hold{Kokkos::View<int, Cuda>("stop"),
                  Kokkos::View<int, Cuda>("stopped"), 300};
  int const threads = 3 * Cuda().concurrency();
  for (int repetition = 0; repetition < 40; ++repetition) {
    Kokkos::parallel_for(
        "hold", Kokkos::RangePolicy<Cuda>(instances[0], 0, threads), hold);
    for (std::size_t k = 0; k < scans.size(); ++k)
      for (int n : {700, 60000, 1 << 20})
        scans[k].call(n, repetition % 2 ? 3 : 4);
  }
  for (auto& each : scans) EXPECT_EQ(0, each.wrong());
}
#endif

}  // namespace
