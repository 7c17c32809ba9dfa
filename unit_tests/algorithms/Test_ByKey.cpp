// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and scans by key. Values are small integers, so that all routes give the
// exact sums. Errors: Test_SegmentedNumerics.cpp. Bits: Test_Calls.cpp.

#include "NumericsSupport.hpp"
#include "SegmentedCases.hpp"

#include <KokkosMMA_Recorder.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ByKey);

constexpr Impl::Operation sum = Impl::Operation::sum;

/// A key whose padding says nothing.
struct Pair {
  std::int8_t kind;
  std::int32_t number;
  KOKKOS_FUNCTION friend bool operator==(Pair const& a, Pair const& b) {
    return a.kind == b.kind && a.number == b.number;
  }
};
template <class Key>
Key key_of(std::int64_t number) {
  if constexpr (std::is_same_v<Key, Pair>) {
    return {std::int8_t(number % 2), std::int32_t(number / 2)};
  } else {
    return static_cast<Key>(number);
  }
}

/// Keys by number, and the runs that they make.
struct Runs {
  std::vector<std::int64_t> numbers;
  Segments segments;
};

/// Runs of 1 to `longest` elements. A number comes back after other ones.
Runs random_runs(std::size_t size, std::size_t longest, Random& random) {
  Runs runs;
  while (runs.numbers.size() < size) {
    std::size_t const begin = runs.numbers.size();
    std::size_t const end   = std::min(
          size, begin + std::size_t(random.integer(1, std::int64_t(longest))));
    std::int64_t number = random.integer(0, 6);
    if (begin > 0 && number >= runs.numbers.back()) ++number;
    runs.numbers.resize(end, number);
    runs.segments.push_back({begin, end});
  }
  return runs;
}
Runs one_run(std::size_t size) {
  return {std::vector<std::int64_t>(size, 3),
          size == 0 ? Segments{} : Segments{{0, size}}};
}

template <class Key, class Exec>
Guarded<Key, Exec> guarded_keys(Runs const& runs, std::size_t shift) {
  Guarded<Key, Exec> const keys(runs.numbers.size(), shift);
  fill(keys.all, [&](std::size_t i) {
    return i < shift || i >= shift + runs.numbers.size()
               ? surrounding<Key>()
               : key_of<Key>(runs.numbers[i - shift]);
  });
  return keys;
}

/// Whether nobody wrote the key. Its padding is not copied with it.
template <class Key>
bool is_surrounding(Key const& key) {
  if constexpr (std::is_same_v<Key, Pair>) {
    return key == surrounding<Key>();
  } else {
    return same_bits(key, surrounding<Key>());
  }
}

/// The first of `found` are these keys, what follows is poison.
template <class Key, class View>
::testing::AssertionResult holds_keys(View const& found, Runs const& runs) {
  auto const keys = host_copy(found);
  for (std::size_t s = 0; s < keys.extent(0); ++s)
    if (!(s < runs.segments.size()
              ? keys(s) == key_of<Key>(runs.numbers[runs.segments[s].first])
              : is_surrounding<Key>(keys(s))))
      return ::testing::AssertionFailure() << "unique key " << s << " is wrong";
  return ::testing::AssertionSuccess();
}

template <class Input>
std::vector<std::int64_t> small_values(std::size_t size, Random& random) {
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values)
    value = segment_value<sum, Input>(random, true);
  return values;
}

template <class Op, class X, class Y>
using accumulator =
    Impl::segment_accumulator_t<Op, Kokkos::View<X*>, Kokkos::View<Y*>>;

/// The reduction on these runs by every route, with results of as many elements
/// as there are runs, some more, and as many as keys.
template <class Exec, class Key, class X, class R, class Op = Plus<>>
void expect_reduced(Runs const& runs, Random& random) {
  std::size_t const size = runs.numbers.size(), count = runs.segments.size();
  SCOPED_TRACE(joined(size, " keys, ", count, " runs"));
  auto const values = small_values<X>(size, random);
  auto const shift  = std::size_t(random.integer(0, 17));
  auto const keys =
      guarded_keys<Key, Exec>(runs, std::size_t(random.integer(0, 17)));
  auto const x = guarded_values<X, Exec>(values, shift);
  auto expected =
      reduced<Op::operation, accumulator<Op, X, R>, R>(values, runs.segments);
  for (Route const route : routes<Exec>(false)) {
    std::vector<std::size_t> rooms{count, std::min(size, count + 3), size};
    if (size > 2000) rooms = {route == Route::automatic ? size : count};
    for (std::size_t const room : rooms) {
      SCOPED_TRACE(joined(route, ", room ", room, ", shift ", shift));
      Guarded<R, Exec> const result(room);
      Guarded<Key, Exec> const unique(room);
      EXPECT_EQ(count,
                reduce_by_key(Exec(), keys.view(), x.view(), unique.view(),
                              result.view(), Op(), Settings{route}));
      if (route != Route::automatic) {
        EXPECT_EQ(route, last_route());
      }
      expected.resize(room, surrounding<R>());
      ASSERT_TRUE(result.holds(expected));
      expected.resize(count);
      ASSERT_TRUE(holds_keys<Key>(unique.view(), runs));
      auto const in_front = Range(0, unique.shift);
      auto const behind   = Range(unique.shift + room, unique.all.extent(0));
      for (Range const& around : {in_front, behind})
        ASSERT_TRUE(
            holds_keys<Key>(Kokkos::subview(unique.all, around), Runs()));
    }
  }
}

/// Keys in the place of a length or of offsets.
template <class Keys>
struct RunsOf {
  Keys keys;
};
template <class Exec, class X, class Keys, class... More>
void segmented_inclusive_scan(Exec const& exec, X const& x,
                              RunsOf<Keys> const& runs, More const&... more) {
  inclusive_scan_by_key(exec, runs.keys, x, more...);
}
template <class Exec, class X, class Keys, class... More>
void segmented_exclusive_scan(Exec const& exec, X const& x,
                              RunsOf<Keys> const& runs, More const&... more) {
  exclusive_scan_by_key(exec, runs.keys, x, more...);
}
template <class Exec, class Key, class X, class Y, class Op = Plus<>>
void expect_scanned(Runs const& runs, Random& random) {
  std::size_t const size = runs.numbers.size();
  SCOPED_TRACE(joined(size, " keys, ", runs.segments.size(), " runs"));
  auto const keys =
      guarded_keys<Key, Exec>(runs, std::size_t(random.integer(0, 17)));
  Scan::run<Case<Op::operation, X, Y>, Exec>(small_values<X>(size, random),
                                             runs.segments, RunsOf{keys.view()},
                                             random);
}

/// What is done to runs of every kind, at sizes around a warp's and a tile's.
template <class What>
void on_runs(What const& what) {
  Random random;
  for (std::size_t const size :
       {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 100003}) {
    what(one_run(size), random);
    for (std::size_t const longest : {1, 7, 3000})
      what(random_runs(size, longest, random), random);
  }
}

TYPED_TEST(ByKey, Reduce) {
  on_runs(expect_reduced<TypeParam, std::int32_t, float, float>);
}
TYPED_TEST(ByKey, ReduceTypes) {
  using Exec = TypeParam;
  Random random;
  for (std::size_t const size : {33, 1025, 100003}) {
    auto const runs = random_runs(size, 50, random);
    expect_reduced<Exec, std::int32_t, std::int8_t, std::int32_t>(runs, random);
    expect_reduced<Exec, std::int32_t, half_t, half_t>(runs, random);
    expect_reduced<Exec, std::int32_t, double, double>(runs, random);
    expect_reduced<Exec, std::int32_t, std::int64_t, std::int64_t>(runs,
                                                                   random);
    expect_reduced<Exec, std::int32_t, float, float, Maximum<>>(runs, random);
    expect_reduced<Exec, Pair, float, float>(runs, random);
    expect_reduced<Exec, std::uint8_t, float, float>(runs, random);
  }
}
TYPED_TEST(ByKey, Scan) {
  on_runs(expect_scanned<TypeParam, std::int32_t, float, float>);
}
TYPED_TEST(ByKey, ScanTypes) {
  using Exec = TypeParam;
  Random random;
  for (std::size_t const size : {33, 1025, 100003}) {
    auto const runs = random_runs(size, 50, random);
    expect_scanned<Exec, std::int32_t, std::int8_t, std::int32_t>(runs, random);
    expect_scanned<Exec, std::int32_t, half_t, half_t>(runs, random);
    expect_scanned<Exec, Pair, std::int64_t, std::int64_t>(runs, random);
    expect_scanned<Exec, std::int32_t, float, float, Maximum<>>(runs, random);
  }
}

/// Keys that are compared as numbers are, and values that are none: each stays
/// within its run.
TYPED_TEST(ByKey, NotANumber) {
  using Exec       = TypeParam;
  auto const given = [](std::vector<double> const& values) {
    return make_view<double, Exec>(values.size(),
                                   [&](std::size_t i) { return values[i]; });
  };
  auto const expect = [](std::vector<double> const& expected,
                         auto const& found) {
    auto const numbers = elements_of(found);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(same_number(expected[i], numbers[i]))
          << i << " is " << numbers[i] << " instead of " << expected[i];
  };
  auto const keys =
      given({0., -0., quiet_nan, quiet_nan, 1., 1., inf, inf, -inf, 0.});
  auto const x = given({1, 2, 3, 4, quiet_nan, 5, inf, -inf, inf, 6});
  Kokkos::View<double*, Exec> const unique("unique", 10), result("result", 10);
  EXPECT_EQ(7u, reduce_by_key(Exec(), keys, x, unique, result));
  expect({0, quiet_nan, quiet_nan, 1, inf, -inf, 0}, unique);
  EXPECT_FALSE(std::signbit(elements_of(unique)[0])) << "not the first key";
  expect({3, 3, 4, quiet_nan, quiet_nan, inf, 6}, result);
  exclusive_scan_by_key(Exec(), keys, x, result);
  expect({0, 1, 0, 0, 0, quiet_nan, 0, inf, 0, 0}, result);
  inclusive_scan_by_key(Exec(), keys, x, result);
  expect({1, 3, 3, 4, quiet_nan, quiet_nan, inf, quiet_nan, inf, 6}, result);
}

/// Columns of matrices, const and random-access data, and keys that are the
/// elements.
TYPED_TEST(ByKey, OtherViews) {
  using Exec = TypeParam;
  Random random;
  std::size_t const size  = 1025;
  auto const runs         = random_runs(size, 9, random);
  std::size_t const count = runs.segments.size();
  auto const expected =
      reduced<sum, std::int32_t, std::int32_t>(runs.numbers, runs.segments);
  RowMajor<std::int32_t, Exec> const from("from", size, 3), to("to", size, 3);
  auto const host = Kokkos::create_mirror_view(from);
  for (std::size_t i = 0; i < size; ++i)
    host(i, 1) = std::int32_t(runs.numbers[i]);
  Kokkos::deep_copy(from, host);
  Kokkos::deep_copy(to, -7);
  auto const column = [](auto const& matrix, int j) {
    return Kokkos::subview(matrix, Kokkos::ALL(), j);
  };
  auto const keys = column(from, 1);
  EXPECT_EQ(count,
            reduce_by_key(Exec(), keys, keys, column(to, 0), column(to, 2)));
  EXPECT_EQ(Route::generic, last_route());
  auto const found = host_copy(to);
  for (std::size_t i = 0; i < size; ++i) {
    bool const is_run = i < count;
    ASSERT_EQ(is_run ? runs.numbers[runs.segments[i].first] : -7, found(i, 0));
    ASSERT_EQ(-7, found(i, 1));
    ASSERT_EQ(is_run ? expected[i] : -7, found(i, 2));
  }

  auto const packed = make_view<std::int32_t, Exec>(
      size, [&](std::size_t i) { return runs.numbers[i]; });
  Kokkos::View<std::int32_t const*, Exec,
               Kokkos::MemoryTraits<Kokkos::RandomAccess>> const read = packed;
  exclusive_scan_by_key(Exec(), read, read, column(to, 1));
  auto const prefixes = scanned<sum, std::int32_t, std::int32_t, false>(
      runs.numbers, runs.segments, [](std::size_t) { return 0; });
  auto const y = host_copy(to);
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(prefixes[i], y(i, 1)) << i;
}

/// Eight keys in five runs; no call may write a result.
template <class Exec>
struct Call {
  using Keys   = Kokkos::View<std::int32_t*, Exec>;
  using Values = Kokkos::View<float*, Exec>;
  Keys keys    = make_view<std::int32_t, Exec>(
      8, [](std::size_t i) { return "AABCCABB"[i]; });
  Values x      = filled<float, Exec>(8, 1.f);
  Keys unique   = poisoned_array<std::int32_t, Exec>(8);
  Values result = poisoned_array<float, Exec>(8);

  ::testing::AssertionResult untouched() const {
    return holds(unique, poison<std::int32_t>()) &&
                   holds(result, poison<float>())
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "something was written";
  }
};

TYPED_TEST(ByKey, ResultsWithoutRoom) {
  using Exec = TypeParam;
  Call<Exec> const call;
  auto const first = [](auto const& view, std::size_t n) {
    return Kokkos::subview(view, Range(0, n));
  };
  auto const reduce = [&](std::size_t keys, std::size_t sums) {
    return reduce_by_key(Exec(), call.keys, call.x, first(call.unique, keys),
                         first(call.result, sums));
  };
  expect_error({"KokkosMMA::reduce_by_key: unique_keys \"", "has extent 4",
                "5 runs", "make its extent 5 or more"},
               [&] { reduce(4, 8); });
  expect_error({"the result \"", "has extent 3", "5 runs"},
               [&] { reduce(5, 3); });
  expect_error({"unique_keys", "has extent 0"}, [&] { reduce(0, 0); });
  EXPECT_TRUE(call.untouched());
  EXPECT_EQ(5u, reduce(5, 5));
}

TYPED_TEST(ByKey, WrongArguments) {
  using Exec = TypeParam;
  Call<Exec> const call;
  auto const seven                       = Kokkos::subview(call.x, Range(0, 7));
  std::vector<std::string> const extents = {"extents differ", "8 elements",
                                            "7 elements", "one key for each"};
  expect_error(extents, [&] {
    reduce_by_key(Exec(), call.keys, seven, call.unique, call.result);
  });
  expect_error(extents, [&] {
    exclusive_scan_by_key(Exec(), call.keys, seven, call.result);
  });
  expect_error({"KokkosMMA::inclusive_scan_by_key: extents differ"}, [&] {
    inclusive_scan_by_key(Exec(), call.keys, call.x, seven);
  });
  std::vector<std::string> const overlap = {"the Views overlap",
                                            "share no memory"};
  expect_error(overlap, [&] {
    reduce_by_key(Exec(), call.keys, call.x, call.keys, call.result);
  });
  expect_error(overlap, [&] {
    reduce_by_key(Exec(), call.keys, call.x, call.unique, call.x);
  });
  expect_error(overlap, [&] {
    reduce_by_key(Exec(), call.keys, call.keys, call.unique, call.unique);
  });
  expect_error(overlap, [&] {
    inclusive_scan_by_key(Exec(), call.keys, call.keys, call.keys);
  });
  Unmanaged<float*, Exec> const nothing(nullptr, 8);
  std::vector<std::string> const missing = {"no memory", "allocate it"};
  expect_error(missing, [&] {
    reduce_by_key(Exec(), call.keys, nothing, call.unique, call.result);
  });
  expect_error(missing, [&] {
    reduce_by_key(Exec(), call.keys, call.x, call.unique, nothing);
  });
  expect_error(missing, [&] {
    exclusive_scan_by_key(Exec(), Unmanaged<std::int32_t*, Exec>(nullptr, 8),
                          call.x, call.result);
  });
  Settings const mma{Route::mma};
  expect_error({"KokkosMMA::reduce_by_key", "route mma", "cannot run"}, [&] {
    reduce_by_key(Exec(), call.keys, call.x, call.unique, call.result, mma);
  });
  expect_error({"KokkosMMA::exclusive_scan_by_key", "route mma"}, [&] {
    exclusive_scan_by_key(Exec(), call.keys, call.x, call.result, mma);
  });
  EXPECT_TRUE(call.untouched());
}

TYPED_TEST(ByKey, Explained) {
  using Exec = TypeParam;
  Call<Exec> const call;
  std::string const route = on_cuda<Exec>
                                ? "route streamed; not mma: "
                                : "route generic; neither mma nor streamed: ";
  expect_explained({route}, [&] {
    EXPECT_EQ(
        0u, reduce_by_key(Exec(), call.keys, call.x, call.unique, call.result));
  });
  expect_explained({route}, [&] {
    exclusive_scan_by_key(Exec(), call.keys, call.x, call.result);
  });
  EXPECT_TRUE(call.untouched());
}

/// A key that notes whether a level was in force where it was compared.
struct Noting {
  std::int32_t number;
  static inline std::atomic<bool> sees_level{false};
  KOKKOS_FUNCTION friend bool operator==(Noting const& a, Noting const& b) {
    KOKKOS_IF_ON_HOST((if (Impl::effective_settings({}).reproducibility !=
                           Reproducibility::run_to_run) sees_level = true;))
    return a.number == b.number;
  }
};

/// The level of a call is also that of the launches that it makes, on which
/// their shapes depend. It holds for this thread, which compares keys itself:
/// several, however many threads share them.
TEST(ByKeyLevel, IsThatOfItsLaunches) {
#if defined(KOKKOS_ENABLE_SERIAL)
  using Exec = Kokkos::Serial;
#else
  using Exec = Kokkos::DefaultHostExecutionSpace;
#endif
  std::size_t const size = 10000;
  Kokkos::View<Noting*, Exec> const keys("keys", size), unique("unique", size);
  Kokkos::View<std::int32_t*, Exec> const x("x", size), result("result", size);
  auto const sees_level = [&](Settings const& settings) {
    Noting::sees_level = false;
    EXPECT_EQ(1u, reduce_by_key(Exec(), keys, x, unique, result, settings));
    bool const by_reduce = Noting::sees_level.exchange(false);
    inclusive_scan_by_key(Exec(), keys, x, result, settings);
    EXPECT_EQ(by_reduce, Noting::sees_level);
    return by_reduce;
  };
  EXPECT_FALSE(sees_level({}));
  EXPECT_TRUE(
      sees_level({.reproducibility = Reproducibility::device_independent}));
}

/// The caller's label is that of one kernel.
TYPED_TEST(ByKey, Labels) {
  using Exec = TypeParam;
  Call<Exec> const call;
  auto const kernels = [&](std::string const& name, auto const& f) {
    Recorder recorder;
    f();
    return std::count_if(
        Recorder::events.begin(), Recorder::events.end(), [&](auto const& e) {
          return e.starts_with("begin ") && e.ends_with(" " + name);
        });
  };
  auto const reduce = [&] {
    reduce_by_key(Exec(), call.keys, call.x, call.unique, call.result,
                  {.label = "mine"});
  };
  EXPECT_EQ(1, kernels("mine", reduce));
  EXPECT_EQ(on_cuda<Exec> ? 0 : 1, kernels("KokkosMMA::find_runs", reduce));
  EXPECT_EQ(1, kernels("mine", [&] {
              inclusive_scan_by_key(Exec(), call.keys, call.x, call.result,
                                    {.label = "mine"});
            }));
}

}  // namespace
