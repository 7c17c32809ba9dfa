// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integers whose sum leaves their type, into floating-point results: they are
// converted before they are added, by every operation and route. Integers of 1
// and 2 bytes may be summed in 64 bits, which they do not fill.

#include "ScanSupport.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(WideSums);

/// Near half of the largest number of the type: four of them leave it.
template <class T>
T large(Random& random) {
  std::uint64_t const half =
      std::uint64_t(std::numeric_limits<T>::max()) / 2 + 1;
  return static_cast<T>(
      half - std::uint64_t(random.integer(0, std::int64_t(half / 1000))));
}

/// Elements on the device and their sums of long double.
template <class T, class Exec>
struct Data {
  Kokkos::View<T*, Exec> x;
  std::vector<T> values;

  Data(Random& random, std::size_t size) : x("x", size), values(size) {
    for (T& value : values) value = large<T>(random);
    fill(x, [&](std::size_t i) { return values[i]; });
  }
  long double sum(std::size_t begin, std::size_t end) const {
    long double total = 0;
    for (std::size_t i = begin; i < end; ++i) total += values[i];
    return total;
  }
};

/// Positive numbers: a relative error of one rounding per addition at most.
template <class Value>
::testing::AssertionResult near(long double expected, Value computed,
                                std::size_t size) {
  long double const error =
      std::abs((long double)(double(computed)) - expected);
  if (error <= (long double)(epsilon<Value>)*(size + 2) * expected)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << double(computed) << " instead of " << double(expected);
}

/// The elements of y, each of so many terms, are near expected(i).
template <class View, class Expected>
void expect_near(View const& y, std::size_t terms, Expected const& expected) {
  auto const computed = elements_of(y);
  for (std::size_t i = 0; i < computed.size(); ++i)
    ASSERT_TRUE(near(expected(i), computed[i], terms)) << i;
}

template <class T, class Value, class Exec>
void expect_reduced(Data<T, Exec> const& data) {
  std::size_t const size     = data.values.size();
  long double const expected = data.sum(0, size);
  Exec const exec;
  for (Route const route : routes<Exec>(visible_to_mma<T, Value>)) {
    SCOPED_TRACE(trace(route, size));
    Settings const settings{route};
    EXPECT_TRUE(near(expected, sum_of<Value>(exec, data.x, settings), size));
    EXPECT_TRUE(near(expected,
                     (sum_in_view<Value, Exec>(exec, data.x, settings)), size));
    ScopedSettings const scope(settings);
    Value functor = poison<Value>();
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(exec, 0, size),
                            load(data.x), Kokkos::Sum<Value>(functor));
    EXPECT_TRUE(near(expected, functor, size));
  }
  // 2^128 is beyond float.
  if (sizeof(T) == 8 && sizeof(Value) == 4) return;
  Value dotted        = poison<Value>();
  long double squared = 0;
  for (T const value : data.values) squared += (long double)(value)*value;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(exec, 0, size),
                          squares(data.x), Kokkos::Sum<Value>(dotted));
  EXPECT_TRUE(near(squared, dotted, 3 * size));
}

template <class T, class Value, class Exec>
void expect_scanned(Data<T, Exec> const& data) {
  std::size_t const size = data.values.size();
  for (Route const route : scan_routes<T, Value, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    auto const y      = poisoned_array<Value, Exec>(size);
    using Accumulator = Impl::chosen_accumulator_t<void, Kokkos::View<T*>,
                                                   Kokkos::View<Value*>>;
    Accumulator total = poison<Accumulator>();
    run_scan<Impl::ScanKind::inclusive>(Exec(), data.x, y, Settings{route}, 5,
                                        Total(total));
    EXPECT_TRUE(near(data.sum(0, size), total, size));
    auto const prefixes = elements_of(y);
    long double sum     = 5;
    for (std::size_t i = 0; i < size; ++i) {
      sum += data.values[i];
      ASSERT_TRUE(near(sum, prefixes[i], i + 2)) << i;
    }
    run_scan<Impl::ScanKind::exclusive>(Exec(), data.x, y, Settings{route});
    EXPECT_TRUE(near(data.sum(0, size - 1), elements_of(y).back(), size));
  }
}

template <class T, class Value, class Exec>
void expect_segments(Data<T, Exec> const& data) {
  std::size_t const size = data.values.size(), length = 8;
  auto const sums = poisoned_array<Value, Exec>(size / length);
  Exec const exec;
  auto const check = [&] {
    expect_near(sums, length, [&](std::size_t s) {
      return data.sum(s * length, (s + 1) * length);
    });
  };
  segmented_reduce(exec, data.x, length, sums);
  check();
  auto const offsets = make_view<std::int32_t, Exec>(
      size / length + 1, [&](std::size_t i) { return i * length; });
  segmented_reduce(exec, data.x, offsets, sums);
  check();
  // The same elements as a matrix, along either dimension.
  using Memory = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec, Memory> const rows(
      data.x.data(), size / length, length);
  segmented_reduce(exec, rows, Axis{1}, sums);
  check();
  Kokkos::View<T**, Kokkos::LayoutLeft, Exec, Memory> const columns(
      data.x.data(), length, size / length);
  segmented_reduce(exec, columns, Axis{0}, sums);
  check();
  auto const y = poisoned_array<Value, Exec>(size);
  segmented_inclusive_scan(exec, data.x, length, y);
  expect_near(y, length, [&](std::size_t i) {
    return data.sum(i / length * length, i + 1);
  });
}

/// A part of the data per team, its sum and prefixes.
template <class T, class Value, class Exec>
struct TeamSums {
  static constexpr std::size_t length = 64;
  Kokkos::View<T*, Exec> x;
  Kokkos::View<Value*, Exec> y, sums;

  KOKKOS_FUNCTION void operator()(
      typename Kokkos::TeamPolicy<Exec>::member_type const& member) const {
    auto const row = std::size_t(member.league_rank());
    auto const at  = Kokkos::make_pair(row * length, (row + 1) * length);
    Value sum      = 0;
    team_reduce(member, Kokkos::subview(x, at), sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { sums(row) = sum; });
    team_inclusive_scan(member, Kokkos::subview(x, at), Kokkos::subview(y, at));
  }
};
template <class T, class Value, class Exec>
void expect_teams(Data<T, Exec> const& data) {
  using Body               = TeamSums<T, Value, Exec>;
  std::size_t const length = Body::length, rows = data.values.size() / length;
  Body const body{data.x, poisoned_array<Value, Exec>(rows * length),
                  poisoned_array<Value, Exec>(rows)};
  Kokkos::parallel_for(
      "teams", Kokkos::TeamPolicy<Exec>(int(rows), on_cuda<Exec> ? 32 : 1),
      body);
  expect_near(body.sums, length, [&](std::size_t row) {
    return data.sum(row * length, (row + 1) * length);
  });
  expect_near(body.y, length, [&](std::size_t i) {
    return data.sum(i / length * length, i + 1);
  });
}

template <class T, class Value, class Exec>
void expect_stencil(Data<T, Exec> const& data) {
  int const size = int(data.values.size());
  auto const out = poisoned_array<Value, Exec>(size);
  stencil(Exec(), data.x, out, StencilWeights<1>::box(4),
          Boundaries<1>::all(Boundary::constant));
  expect_near(out, 9, [&](std::size_t i) {
    return data.sum(std::size_t(std::max(int(i) - 4, 0)),
                    std::size_t(std::min(int(i) + 5, size)));
  });
}

template <class T, class Value, class Exec>
void expect_wide_sums() {
  Random random(types<T, Value>());
  for (std::size_t const size : {16, 4096}) {
    Data<T, Exec> const data(random, size);
    expect_reduced<T, Value>(data);
    expect_scanned<T, Value>(data);
    expect_segments<T, Value>(data);
    if (size > 16) expect_teams<T, Value>(data);
    expect_stencil<T, Value>(data);
  }
}

TYPED_TEST(WideSums, EightBytes) {
  for_types<Pair<std::int64_t, double>, Pair<std::int64_t, float>,
            Pair<std::uint64_t, double>, Pair<std::uint64_t, float>>(
      []<class A, class B>(Pair<A, B>) {
        expect_wide_sums<A, B, TypeParam>();
      });
}
TYPED_TEST(WideSums, FewerBytes) {
  for_types<Pair<std::int32_t, double>, Pair<std::uint32_t, float>,
            Pair<std::uint8_t, double>, Pair<std::int8_t, float>>(
      []<class A, class B>(Pair<A, B>) {
        expect_wide_sums<A, B, TypeParam>();
      });
}

}  // namespace
