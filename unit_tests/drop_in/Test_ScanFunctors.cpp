// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the functors of Kokkos::parallel_scan may do: work tags, init() and
// join(), captured data of any size.

#include <KokkosMMA_ScanSupport.hpp>

#include "ScanData.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Testing::count;
using KokkosMMA::Testing::elements;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::holds;
using KokkosMMA::Testing::InclusiveSum;
using KokkosMMA::Testing::Longs;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::Numbers;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_array;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Random;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::value_of;
template <class Exec>
using Data = KokkosMMA::Testing::ScanData<Exec>;

template <class Exec>
class ScanFunctors : public ::testing::Test {};
TYPED_TEST_SUITE(ScanFunctors, ExecutionSpaces);

struct Twice {};
struct Negated {};
struct Largest {};
/// Several scans in one functor, by work tags; one of them joins by the
/// maximum.
template <class Exec>
struct Tagged {
  using value_type = std::int64_t;
  Kokkos::View<std::int64_t const*, Exec> x;
  Longs<Exec> y;
  KOKKOS_FUNCTION void operator()(Twice, int i, std::int64_t& update,
                                  bool last) const {
    update += 2 * x(i);
    if (last) y(i) = update;
  }
  KOKKOS_FUNCTION void operator()(Negated const&, long i, std::int64_t& update,
                                  bool const last) const {
    if (last) y(i) = update;
    update -= x(i);
  }
  KOKKOS_FUNCTION void operator()(Largest, int i, std::int64_t& update,
                                  bool last) const {
    if (last) y(i) = update;
    if (x(i) > update) update = x(i);
  }
  KOKKOS_FUNCTION void init(Largest, std::int64_t& update) const { update = 0; }
  KOKKOS_FUNCTION void join(Largest, std::int64_t& update,
                            std::int64_t const& other) const {
    if (other > update) update = other;
  }
};

template <class Exec>
void check_work_tags() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  int const begin = 11;
  Numbers expected(begin, 0);
  for (int i = begin; i < count; ++i)
    expected.push_back(2 * (data.inclusive[i] - data.exclusive[begin]));
  Tagged<Exec> const twice{data.x, Longs<Exec>("y", count)};
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("twice", Kokkos::RangePolicy<Exec, Twice>(begin, count),
                        twice);
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(holds(twice.y, expected));

  for (int i = begin; i < count; ++i)
    expected[i] = data.exclusive[begin] - data.exclusive[i];
  Tagged<Exec> const negated{data.x, Longs<Exec>("y", count)};
  std::int64_t total = poison<std::int64_t>();
  probe.reset();
  Kokkos::parallel_scan(
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<long>, Negated>(begin, count),
      negated, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(data.exclusive[begin] - data.sum, total);
  EXPECT_TRUE(holds(negated.y, expected));

  std::int64_t largest = 0;
  for (int i = begin; i < count; ++i) {
    expected[i] = largest;
    largest     = std::max(largest, data.inclusive[i] - data.exclusive[i]);
  }
  Tagged<Exec> const tagged_join{data.x, Longs<Exec>("y", count)};
  probe.reset();
  Kokkos::parallel_scan(Kokkos::RangePolicy<Exec, Largest>(begin, count),
                        tagged_join, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(largest, total);
  EXPECT_TRUE(holds(tagged_join.y, expected));
}
TYPED_TEST(ScanFunctors, WorkTags) { check_work_tags<TypeParam>(); }

/// What init(tag, value) does has changed between versions of Kokkos; the same
/// version must give the same with the drop-in and without it, whatever that
/// is. The data are larger than either identity.
template <class Exec>
struct TaggedInit {
  using value_type = std::int64_t;
  Longs<Exec> x, y;
  KOKKOS_FUNCTION void operator()(Largest, int i, std::int64_t& update,
                                  bool last) const {
    if (last) y(i) = update;
    if (x(i) < update) update = x(i);
  }
  KOKKOS_FUNCTION void init(Largest, std::int64_t& update) const {
    update = 500;
  }
  KOKKOS_FUNCTION void join(Largest, std::int64_t& update,
                            std::int64_t const& other) const {
    if (other < update) update = other;
  }
};

template <class Exec>
void check_tagged_init() {
  auto const x = make_view<std::int64_t, Exec>(
      count, [](std::size_t i) { return 600 - std::int64_t(i / 50); });
  Kokkos::RangePolicy<Exec, Largest> const policy(0, count);
  TaggedInit<Exec> const ours{x, poisoned_array<std::int64_t, Exec>(count)};
  TaggedInit<Exec> const theirs{x, poisoned_array<std::int64_t, Exec>(count)};
  std::int64_t total = poison<std::int64_t>(), kokkos_total = total;
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan(policy, ours, total);
  EXPECT_TRUE(probe.streamed());
  {
    ScopedSettings const scope(Settings{Route::generic});
    Kokkos::parallel_scan(policy, theirs, kokkos_total);
  }
  EXPECT_EQ(kokkos_total, total);
  EXPECT_TRUE(holds(ours.y, elements(theirs.y)));
}
TYPED_TEST(ScanFunctors, TaggedInit) { check_tagged_init<TypeParam>(); }

/// The smallest element so far: members init() and join() of the functor.
template <class Exec>
struct RunningMinimum {
  using execution_space = Exec;
  using value_type      = std::int64_t;
  Kokkos::View<std::int64_t const*, Exec> x;
  Longs<Exec> y;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    if (x(i) < update) update = x(i);
    if (last) y(i) = update;
  }
  KOKKOS_FUNCTION void init(std::int64_t& update) const {
    update = Kokkos::reduction_identity<std::int64_t>::min();
  }
  KOKKOS_FUNCTION void join(std::int64_t& update,
                            std::int64_t const& other) const {
    if (other < update) update = other;
  }
};

template <class Exec>
void check_members() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  Numbers expected;
  std::int64_t smallest = Kokkos::reduction_identity<std::int64_t>::min();
  for (int i = 0; i < count; ++i) {
    smallest = std::min(smallest, data.inclusive[i] - data.exclusive[i]);
    expected.push_back(smallest);
  }
  RunningMinimum<Exec> const functor{data.x,
                                     poisoned_array<std::int64_t, Exec>(count)};
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("minimum", count, functor);
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(holds(functor.y, expected));

  auto total = poisoned_view<std::int64_t, Exec>();
  probe.reset();
  Kokkos::parallel_scan("minimum", count, functor, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(smallest, value_of(total));
  EXPECT_TRUE(holds(functor.y, expected));
}
TYPED_TEST(ScanFunctors, InitAndJoinOfTheFunctor) {
  check_members<TypeParam>();
}

/// Captured data of any size arrive whole; very large functors go to Kokkos'
/// own code.
template <class Exec, int Bytes>
struct Captured final {
  Kokkos::View<std::uint64_t*, Exec> y;
  std::uint64_t data[Bytes / 8];
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update,
                                  bool last) const {
    update += data[i % (Bytes / 8)] * (i + 1);
    if (last) y(i) = update;
  }
};

template <class Exec, int Bytes>
void check_captured(bool routed) {
  Random random;
  SCOPED_TRACE(random.note() + ", functor of " + std::to_string(Bytes) +
               " bytes");
  int const n = 3 * Bytes;
  Captured<Exec, Bytes> functor;
  functor.y = poisoned_array<std::uint64_t, Exec>(n);
  for (auto& word : functor.data) word = random.bits();
  std::vector<std::uint64_t> expected;
  std::uint64_t sum = 0;
  for (int i = 0; i < n; ++i) {
    functor(i, sum, false);
    expected.push_back(sum);
  }
  std::uint64_t total = poison<std::uint64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("captured", Kokkos::RangePolicy<Exec>(0, n), functor,
                        total);
  EXPECT_TRUE(routed ? probe.streamed() : probe.went_to_kokkos());
  EXPECT_EQ(sum, total);
  EXPECT_TRUE(holds(functor.y, expected));
}
TYPED_TEST(ScanFunctors, LargeFunctors) {
  check_captured<TypeParam, 1024>(true);
  check_captured<TypeParam, 3584>(true);
  check_captured<TypeParam, 8192>(true);
  check_captured<TypeParam, 31992>(true);
  check_captured<TypeParam, 49152>(false);
}

/// A call overwrites its total and its outputs and adds to neither.
template <class Exec>
void check_repeated() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  InclusiveSum<std::int64_t, Exec> const functor{
      data.x, poisoned_array<std::int64_t, Exec>(count)};
  auto view           = poisoned_view<std::int64_t, Exec>();
  std::int64_t scalar = poison<std::int64_t>();
  for (int repetition = 0; repetition < 3; ++repetition) {
    Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(0, count), functor, view);
    Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(0, count), functor, scalar);
    EXPECT_EQ(data.sum, value_of(view));
    EXPECT_EQ(data.sum, scalar);
    EXPECT_TRUE(holds(functor.y, data.inclusive));
  }
}
TYPED_TEST(ScanFunctors, OutputsAreOverwritten) { check_repeated<TypeParam>(); }

}  // namespace
