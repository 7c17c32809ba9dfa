// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions that the application defines by a join only, and by members that
// take a work tag. Others: random_calls, fold_* and reducer_of_application.

#include <KokkosMMA_ScanSupport.hpp>

#include <algorithm>
#include <tuple>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(UserReducers);

template <class Exec>
using Longs = Kokkos::View<std::int64_t const*, Exec>;

template <class Exec>
struct Data {
  Random random;
  std::vector<std::int64_t> values;
  Longs<Exec> x;
  explicit Data(int n) : values(n) {
    for (auto& value : values) value = random.integer(-1000000000, 1000000000);
    x = view_of<Exec>(values);
  }
};

/// Only join(): the value starts from its default constructor.
template <class Exec>
struct LargestMagnitude {
  using value_type = std::int64_t;
  Longs<Exec> x;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    join(update, x(i) < 0 ? -x(i) : x(i));
  }
  KOKKOS_FUNCTION void join(std::int64_t& update,
                            std::int64_t const& other) const {
    if (other > update) update = other;
  }
};

TYPED_TEST(UserReducers, JoinOfTheFunctor) {
  using Exec  = TypeParam;
  int const n = 20011;
  Data<Exec> data(n);
  std::int64_t expected = 0;
  for (auto value : data.values)
    expected = std::max(expected, value < 0 ? -value : value);
  expect_reduced(expected, Kokkos::RangePolicy<Exec>(0, n),
                 LargestMagnitude<Exec>{data.x});
}

/// Members that take the work tag, and a functor with other reductions under
/// other tags.
struct Smallest {};
struct Largest {};
template <class Exec>
struct TaggedExtremes {
  using value_type = std::int64_t;
  Longs<Exec> x;
  KOKKOS_FUNCTION void operator()(Largest, int i, std::int64_t& update) const {
    if (x(i) > update) update = x(i);
  }
  KOKKOS_FUNCTION void join(Largest, std::int64_t& update,
                            std::int64_t const& other) const {
    if (other > update) update = other;
  }
  KOKKOS_FUNCTION void final(Largest, std::int64_t& update) const {
    update = 10 * update;
  }
  KOKKOS_FUNCTION void init(Largest, std::int64_t& update) const { update = 0; }
};

/// What init(tag, value) does has changed between versions of Kokkos; the same
/// version must give the same with the drop-in and without it, whatever that
/// is.
template <class Exec>
struct TaggedInit {
  using value_type = std::int64_t;
  Longs<Exec> x;
  Kokkos::View<std::int64_t*, Exec> y = {};
  KOKKOS_FUNCTION void operator()(Smallest, int i, std::int64_t& update) const {
    if (x(i) < update) update = x(i);
  }
  KOKKOS_FUNCTION void operator()(Smallest tag, int i, std::int64_t& update,
                                  bool last) const {
    if (last) y(i) = update;
    operator()(tag, i, update);
  }
  KOKKOS_FUNCTION void init(Smallest, std::int64_t& update) const {
    update = 500;
  }
  KOKKOS_FUNCTION void join(Smallest, std::int64_t& update,
                            std::int64_t const& other) const {
    if (other < update) update = other;
  }
};

TYPED_TEST(UserReducers, MembersWithTheWorkTag) {
  using Exec  = TypeParam;
  int const n = 20011;
  Data<Exec> data(n);
  std::int64_t expected = 0;
  for (auto value : data.values) expected = std::max(expected, value);
  expect_reduced(10 * expected, Kokkos::RangePolicy<Exec, Largest>(0, n),
                 TaggedExtremes<Exec>{data.x});

  // positive data: the result is what the identity was
  Longs<Exec> const positive = make_view<std::int64_t, Exec>(
      n, [](std::size_t i) { return 1000 + std::int64_t(i); });
  // the prefixes fall below it
  Longs<Exec> const falling = make_view<std::int64_t, Exec>(
      n, [](std::size_t i) { return 600 - std::int64_t(i / 50); });
  auto const results = [&](Route asked, Route taken) {
    ScopedSettings const scope(Settings{asked});
    Kokkos::RangePolicy<Exec, Smallest> const policy(0, n);
    auto const y          = poisoned_array<std::int64_t, Exec>(n);
    std::int64_t smallest = poison<std::int64_t>(), total = smallest;
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce(policy, TaggedInit<Exec>{positive}, smallest);
    EXPECT_TRUE(probe.took(taken));
    probe.reset();
    Kokkos::parallel_scan(policy, TaggedInit<Exec>{falling, y}, total);
    EXPECT_TRUE(probe.took(taken));
    return std::tuple(smallest, total, elements_of(y));
  };
  EXPECT_EQ(results(Route::generic, Route::generic),
            results(Route::automatic, Route::streamed));
}

}  // namespace
