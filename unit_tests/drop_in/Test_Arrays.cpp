// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions to arrays whose length is known at run time: value_type = T[] and
// value_count of the functor.

#include <KokkosMMA_ScanSupport.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Arrays);

/// The result in memory of the device and of the host, poisoned memory after
/// it. Kokkos' own code on Cuda throws from some 180 doubles on; nothing of it
/// runs here.
template <class Exec, class Policy, class Functor, class T>
void expect_array(Policy const& policy, Functor const& functor,
                  std::vector<T> const& expected) {
  std::size_t const count = expected.size();
  SCOPED_TRACE("array of " + std::to_string(count) + " values of " +
               std::to_string(sizeof(T)) + " bytes, " +
               std::to_string(policy.end() - policy.begin()) + " indices");
  using HostArray =
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  RouteProbe<Exec> probe;
  auto const view = poisoned_array<T, Exec>(count + 3);
  Kokkos::parallel_reduce(
      "array", policy, functor,
      Kokkos::subview(view, std::pair<std::size_t, std::size_t>(0, count)));
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(holds(view, expected)) << "in memory of the device";

  std::vector<T> host(count + 3, poison<T>());
  probe.reset();
  Kokkos::parallel_reduce(policy, functor, HostArray(host.data(), count));
  Exec().fence();
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(holds(HostArray(host.data(), host.size()), expected))
      << "in an unmanaged View of the host";
}

/// The columns of a times those of b, as in a block of Krylov vectors.
template <class T, class Layout, class Exec>
struct Dots {
  using value_type = T[];
  unsigned value_count;
  Kokkos::View<T const**, Layout, Exec> a, b;
  KOKKOS_FUNCTION void operator()(int i, T* dots) const {
    for (unsigned j = 0; j < value_count; ++j) dots[j] += a(i, j) * b(i, j);
  }
};

/// Small integers: every association has the same bits.
template <class T, class Layout, class Exec>
void check_dots(std::initializer_list<unsigned> counts, int most_indices) {
  Random random;
  for (unsigned const count : counts) {
    int const begin = random.integer(0, 1) ? 0 : 37;
    int const n     = int(random.integer(1, most_indices));
    using Matrix    = Kokkos::View<T**, Layout, Exec>;
    Matrix const a("a", begin + n, count), b("b", begin + n, count);
    auto const on_host_a = Kokkos::create_mirror_view(a);
    auto const on_host_b = Kokkos::create_mirror_view(b);
    std::vector<T> expected(count, T(0));
    for (int i = 0; i < begin + n; ++i)
      for (unsigned j = 0; j < count; ++j) {
        on_host_a(i, j) = T(random.integer(-6, 6));
        on_host_b(i, j) = T(random.integer(-6, 6));
        if (i >= begin) expected[j] += on_host_a(i, j) * on_host_b(i, j);
      }
    Kokkos::deep_copy(a, on_host_a);
    Kokkos::deep_copy(b, on_host_b);
    expect_array<Exec>(Kokkos::RangePolicy<Exec>(begin, begin + n),
                       Dots<T, Layout, Exec>{count, a, b}, expected);
  }
}
TYPED_TEST(Arrays, DotsOfColumnsSideBySide) {
  check_dots<double, Kokkos::LayoutLeft, TypeParam>(
      {1, 2, 3, 4, 7, 16, 33, 64, 180}, 20000);
  check_dots<double, Kokkos::LayoutLeft, TypeParam>({300, 1024, 2000}, 3000);
}
TYPED_TEST(Arrays, DotsOfRowsSideBySide) {
  check_dots<float, Kokkos::LayoutRight, TypeParam>(
      {1, 2, 3, 4, 7, 16, 33, 64, 180}, 20000);
  check_dots<float, Kokkos::LayoutRight, TypeParam>({300, 1024, 4000}, 3000);
}

/// How often each remainder occurs and which is the largest index with it: a
/// join of its own, an init() that is no zero, a final(). (With a tag, Kokkos
/// 5.2 does not call the init() of a functor.)
template <class Exec>
struct Remainders {
  using execution_space = Exec;
  using value_type      = int[];
  unsigned value_count;
  /// Of values 0 to half - 1 the counts, after them the largest indices.
  KOKKOS_FUNCTION unsigned half() const { return value_count / 2; }
  KOKKOS_FUNCTION void operator()(int i, int* update) const {
    unsigned const r = unsigned(i) % half();
    update[r] += 1;
    if (i > update[half() + r]) update[half() + r] = i;
  }
  KOKKOS_FUNCTION void init(int* update) const {
    for (unsigned e = 0; e < value_count; ++e) update[e] = e < half() ? 0 : -1;
  }
  KOKKOS_FUNCTION void join(int* update, int const* other) const {
    for (unsigned e = 0; e < half(); ++e) {
      update[e] += other[e];
      if (other[half() + e] > update[half() + e])
        update[half() + e] = other[half() + e];
    }
  }
  /// Twice would show.
  KOKKOS_FUNCTION void final(int* update) const {
    for (unsigned e = 0; e < value_count; ++e) update[e] = 3 * update[e] + 1;
  }
};

TYPED_TEST(Arrays, FunctorsWithInitJoinAndFinal) {
  using Exec = TypeParam;
  Random random;
  for (unsigned const half : {1u, 2u, 13u, 150u})
    for (int const n : {0, 1, 200, int(random.integer(1000, 70000))}) {
      Remainders<Exec> const functor{2 * half};
      int const begin = 11;
      std::vector<int> expected(2 * half);
      functor.init(expected.data());
      for (int i = begin; i < begin + n; ++i) functor(i, expected.data());
      functor.final(expected.data());
      expect_array<Exec>(Kokkos::RangePolicy<Exec>(begin, begin + n), functor,
                         expected);
    }
}

struct Twice {};

/// The functor has no loop.
template <class Exec>
struct Histogram {
  using value_type = std::int64_t[];
  int value_count;
  Kokkos::View<int const*, Exec> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t* bins) const {
    ++bins[x(i)];
  }
  KOKKOS_FUNCTION void operator()(Twice, std::int64_t i,
                                  std::int64_t* bins) const {
    bins[x(i)] += 2;
  }
};

TYPED_TEST(Arrays, ResultIsAnArrayOfTheLanguage) {
  using Exec   = TypeParam;
  int const n  = 1000;
  auto const x = make_view<int, Exec>(n, [](std::size_t i) { return i % 3; });
  std::int64_t bins[4];
  for (auto& bin : bins) bin = poison<std::int64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("array", Kokkos::RangePolicy<Exec>(0, n),
                          Histogram<Exec>{3, x}, bins);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ((std::vector<std::int64_t>{334, 333, 333, poison<std::int64_t>()}),
            std::vector<std::int64_t>(bins, bins + 4));
}

TYPED_TEST(Arrays, Histograms) {
  using Exec = TypeParam;
  Random random;
  for (int const bins : {1, 5, 64, 1000}) {
    int const n = int(random.integer(1, 100000));
    std::vector<std::int64_t> expected(bins, 0);
    auto const x = make_view<int, Exec>(n, [&](std::size_t) {
      int const bin = int(random.integer(0, bins - 1));
      ++expected[bin];
      return bin;
    });
    expect_array<Exec>(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
        Histogram<Exec>{bins, x}, expected);
    for (auto& bin : expected) bin *= 2;
    expect_array<Exec>(Kokkos::RangePolicy<Exec, Twice>(0, n),
                       Histogram<Exec>{bins, x}, expected);
  }
}

/// Numbers whose sum depends on the order of the additions.
TYPED_TEST(Arrays, SameBitsFromRunToRun) {
  using Exec = TypeParam;
  Random random;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
  for (unsigned const count : {1u, 3u, 20u}) {
    int const n = 50000;
    Matrix const a("a", n, count);
    auto const on_host = Kokkos::create_mirror_view(a);
    std::vector<double> expected(count, 0), first(count), again(count);
    for (int i = 0; i < n; ++i)
      for (unsigned j = 0; j < count; ++j) {
        on_host(i, j) = random.normal();
        expected[j] += on_host(i, j) * on_host(i, j);
      }
    Kokkos::deep_copy(a, on_host);
    Dots<double, Kokkos::LayoutLeft, Exec> const functor{count, a, a};
    Kokkos::RangePolicy<Exec> const policy(0, n);
    using Result =
        Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::parallel_reduce(policy, functor, Result(first.data(), count));
    Exec().fence();
    for (unsigned j = 0; j < count; ++j)
      EXPECT_NEAR(expected[j], first[j], 1e-11 * expected[j]);
    for (int run = 0; run < 5; ++run) {
      Kokkos::parallel_reduce(policy, functor, Result(again.data(), count));
      Exec().fence();
      // Threads of OpenMP join in any order.
      if (on_cuda<Exec>) {
        EXPECT_EQ(first, again);
      }
    }
  }
}

}  // namespace
