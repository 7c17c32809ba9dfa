// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions to arrays whose length is known at run time: value_type = T[] and
// value_count of the functor. Sums of all lengths and their bits:
// random_calls, array_*.

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
  for (unsigned const half : {1u, 2u, 13u, 150u, 2000u})
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
  KOKKOS_FUNCTION void operator()(Twice, std::int64_t i,
                                  std::int64_t* bins) const {
    bins[x(i)] += 2;
  }
};

/// Under a tag, into an array of the language.
TYPED_TEST(Arrays, ResultIsAnArrayOfTheLanguage) {
  using Exec   = TypeParam;
  int const n  = 1000;
  auto const x = make_view<int, Exec>(n, [](std::size_t i) { return i % 3; });
  std::int64_t bins[4];
  for (auto& bin : bins) bin = poison<std::int64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("array", Kokkos::RangePolicy<Exec, Twice>(0, n),
                          Histogram<Exec>{3, x}, bins);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ((std::vector<std::int64_t>{668, 666, 666, poison<std::int64_t>()}),
            std::vector<std::int64_t>(bins, bins + 4));
}

/// A reducer of arrays: the length is not the functor's.
template <class Exec>
struct SumsInto {
  using reducer          = SumsInto;
  using value_type       = std::int64_t[];
  using result_view_type = Kokkos::View<std::int64_t*, Exec>;
  result_view_type result;
  unsigned value_count;
  explicit SumsInto(result_view_type const& to)
      : result(to), value_count(unsigned(to.extent(0))) {}
  KOKKOS_FUNCTION void init(std::int64_t* sums) const {
    for (unsigned e = 0; e < value_count; ++e) sums[e] = 0;
  }
  KOKKOS_FUNCTION void join(std::int64_t* sums,
                            std::int64_t const* others) const {
    for (unsigned e = 0; e < value_count; ++e) sums[e] += others[e];
  }
  KOKKOS_FUNCTION std::int64_t& reference() const { return *result.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result; }
  KOKKOS_FUNCTION bool references_scalar() const { return false; }
};

/// Each index has `value_count` values; these go to two sums.
struct ValuesPerIndex {
  int value_count;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t* sums) const {
    for (int k = 0; k < value_count; ++k) sums[k % 2] += i + k;
  }
};
/// No number, but the number of values for each index.
template <class Exec>
struct ValuesOfEach {
  Kokkos::View<int const*, Exec> value_count;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t* sums) const {
    sums[i % 2] += value_count(i);
  }
};

TYPED_TEST(Arrays, FunctorHasAnotherValueCountThanTheReducer) {
  using Exec  = TypeParam;
  int const n = 3000;
  Kokkos::RangePolicy<Exec> const policy(0, n);
  Kokkos::View<std::int64_t*, Exec> const sums("sums", 2);
  std::vector<std::int64_t> expected(2);
  for (int i = 0; i < n; ++i) ValuesPerIndex{7}(i, expected.data());
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(policy, ValuesPerIndex{7}, SumsInto<Exec>(sums));
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected, elements_of(sums));

  auto const counts =
      make_view<int, Exec>(n, [](std::size_t i) { return int(i % 5); });
  expected = {0, 0};
  for (int i = 0; i < n; ++i) expected[i % 2] += i % 5;
  Kokkos::parallel_reduce(policy, ValuesOfEach<Exec>{counts},
                          SumsInto<Exec>(sums));
  EXPECT_EQ(expected, elements_of(sums));
}

}  // namespace
