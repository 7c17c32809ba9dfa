// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors and routes of the scans, and their functors in Kokkos::parallel_scan,
// without the drop-in header.

#include "ScanSupport.hpp"

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ScanInterface);

/// Every form of both scans and of both functors refuses x and y with these
/// words and does not change `memory` and the totals.
template <class Exec, class X, class Y, class Memory>
void expect_refused(X const& x, Y const& y, Memory const& memory,
                    std::vector<std::string> const& parts) {
  Exec const exec;
  auto const before = elements_of(memory);
  Route const route = last_route();
  float scalar      = poison<float>();
  auto const view   = poisoned_view<float, Exec>();
  auto const by     = [&](std::string const& who, auto const& call) {
    std::string const text = error_of(call);
    EXPECT_TRUE(has_parts(text, parts));
    EXPECT_EQ(0u, text.find("KokkosMMA::" + who + ": ")) << text;
  };
  by("exclusive_scan", [&] { exclusive_scan(exec, x, y); });
  by("exclusive_scan", [&] { exclusive_scan(exec, x, y, 1); });
  by("exclusive_scan", [&] { exclusive_scan(exec, x, y, 1, Total(scalar)); });
  by("exclusive_scan", [&] { exclusive_scan(exec, x, y, 1, Total(view)); });
  by("inclusive_scan", [&] { inclusive_scan(exec, x, y); });
  by("inclusive_scan", [&] { inclusive_scan(exec, x, y, 1); });
  by("inclusive_scan", [&] { inclusive_scan(exec, x, y, 1, Total(scalar)); });
  by("exclusive_scan_into", [&] { exclusive_scan_into(x, y); });
  by("exclusive_scan_into", [&] { exclusive_scan_into(x, y, 1); });
  by("inclusive_scan_into", [&] { inclusive_scan_into(x, y); });
  by("inclusive_scan_into", [&] { inclusive_scan_into(x, y, 1); });
  EXPECT_TRUE(holds(memory, before));
  EXPECT_TRUE(same_bits(poison<float>(), scalar));
  EXPECT_TRUE(same_bits(poison<float>(), value_of(view)));
  EXPECT_EQ(route, last_route());
}

template <class Exec>
std::string address(Kokkos::View<float*, Exec> const& memory, std::size_t i) {
  return joined(static_cast<void const*>(memory.data() + i));
}

TYPED_TEST(ScanInterface, ViewsThatDoNotFit) {
  auto const x = poisoned_array<float, TypeParam>(10);
  Kokkos::View<float*, TypeParam> const y("right", 13);
  expect_refused<TypeParam>(
      x, y, x, {"extents differ", "\"data\" of 10", "\"right\" of 13"});
  Unmanaged<float*, TypeParam> const nothing(nullptr, 10);
  expect_refused<TypeParam>(x, nothing, x,
                            {"y has no memory", "of 10 elements", "allocate"});
  expect_refused<TypeParam>(nothing, x, x,
                            {"x has no memory", "of 10 elements", "allocate"});
}

template <class Exec>
void expect_overlap_refused(std::size_t first_x, std::size_t first_y,
                            std::size_t size) {
  auto const memory = poisoned_array<float, Exec>(100);
  auto const x      = Kokkos::subview(memory, Range(first_x, first_x + size));
  auto const y      = Kokkos::subview(memory, Range(first_y, first_y + size));
  expect_refused<Exec>(
      x, y, memory,
      {"overlap", "x \"data\" of " + std::to_string(size) + " elements",
       "y \"data\" of " + std::to_string(size) + " elements",
       address(memory, first_x), address(memory, first_x + size),
       address(memory, first_y), address(memory, first_y + size), "in place"});
}

TYPED_TEST(ScanInterface, Overlap) {
  expect_overlap_refused<TypeParam>(0, 1, 50);
  expect_overlap_refused<TypeParam>(1, 0, 50);
  expect_overlap_refused<TypeParam>(0, 49, 50);
  expect_overlap_refused<TypeParam>(49, 0, 50);
  auto const memory = poisoned_array<float, TypeParam>(100);
  Kokkos::deep_copy(memory, 0.f);
  // neighbours share no byte
  auto const low  = Kokkos::subview(memory, Range(0, 50));
  auto const high = Kokkos::subview(memory, Range(50, 100));
  EXPECT_NO_THROW(exclusive_scan(TypeParam(), low, high));
  EXPECT_NO_THROW(exclusive_scan(TypeParam(), high, low));
  Kokkos::fence();
}

TYPED_TEST(ScanInterface, OverlapOfOtherShapes) {
  using Exec         = TypeParam;
  auto const memory  = poisoned_array<float, Exec>(100);
  auto const strided = [&](std::size_t first, std::size_t stride,
                           std::size_t size) {
    return Kokkos::View<float*, Kokkos::LayoutStride, Exec>(
        memory.data() + first, Kokkos::LayoutStride(size, stride));
  };
  // the same address with another stride
  expect_refused<Exec>(strided(0, 1, 30), strided(0, 2, 30), memory,
                       {"overlap", "stride 1", "stride 2"});
  // every third meets every second
  expect_refused<Exec>(strided(0, 3, 30), strided(1, 2, 30), memory,
                       {"overlap"});
  // the same address with elements of another size
  Unmanaged<std::int8_t*, Exec> const bytes(
      reinterpret_cast<std::int8_t*>(memory.data()), 100);
  expect_refused<Exec>(bytes, memory, memory,
                       {"overlap", "of 1 bytes", "of 4 bytes"});
  // one element for all
  Kokkos::View<float*, Exec> const x("x", 20);
  expect_refused<Exec>(x, strided(3, 0, 20), memory,
                       {"y has stride 0, so its elements alias"});
  // odd and even, one in six and two in six
  Kokkos::deep_copy(memory, 0.f);
  EXPECT_NO_THROW(exclusive_scan(Exec(), strided(0, 2, 30), strided(1, 2, 30)));
  EXPECT_NO_THROW(exclusive_scan(Exec(), strided(0, 6, 10), strided(2, 3, 10)));
  Kokkos::fence();
}

TYPED_TEST(ScanInterface, BadTotals) {
  using Exec   = TypeParam;
  auto const x = poisoned_array<float, Exec>(10);
  auto const y = poisoned_array<float, Exec>(10);
  Kokkos::View<float, Exec> const nothing;
  expect_error(
      {"KokkosMMA::exclusive_scan: ", "total View", "null", "allocate it"},
      [&] { exclusive_scan(Exec(), x, y, 0, Total(nothing)); });
  expect_error(
      {"KokkosMMA::inclusive_scan: ", "total View \"data\"",
       "is an element of \"data\"", address(y, 9)},
      [&] { inclusive_scan(Exec(), x, y, 0, Total(Kokkos::subview(y, 9))); });
  expect_error({"is an element of", address(x, 0)}, [&] {
    inclusive_scan(Exec(), x, y, 0, Total(Kokkos::subview(x, 0)));
  });
  EXPECT_TRUE(holds(y, poison<float>()));
}

/// What the tensor cores cannot take goes elsewhere, unless a call insists:
/// strided Views.
TYPED_TEST(ScanInterface, OtherRoutes) {
  using Exec       = TypeParam;
  auto const y     = poisoned_array<float, Exec>(100);
  Route const best = on_cuda<Exec> ? Route::streamed : Route::generic;
  auto const column =
      Kokkos::subview(RowMajor<float, Exec>("m", 100, 3), Kokkos::ALL, 1);
  {
    ScopedSettings const scope(Settings{Route::mma});
    EXPECT_NO_THROW(exclusive_scan(Exec(), column, y));
    EXPECT_EQ(best, last_route());
  }
  expect_error({"route mma", on_cuda<Exec> ? "strided" : "not Cuda"}, [&] {
    exclusive_scan(Exec(), column, y, Settings{Route::mma});
  });
  // Nothing is scanned by some route, too.
  Kokkos::View<float*, Exec> const nothing;
  ScopedSettings const scope(Settings{Route::generic});
  exclusive_scan(Exec(), nothing, nothing);
  EXPECT_EQ(Route::generic, last_route());
}

/// A functor over [begin, end): the prefixes start at begin, nothing else is
/// written.
template <Impl::ScanKind Kind, class Input, class Output, class Exec>
void expect_functor(std::size_t size, std::size_t begin, std::size_t end) {
  Random random(joined(", from ", begin, " to ", end));
  using A = Impl::chosen_accumulator_t<void, Kokkos::View<Input*>,
                                       Kokkos::View<Output*>>;
  std::vector<std::int64_t> values(size);
  auto const x = make_view<Input, Exec>(
      size, [&](std::size_t i) { return values[i] = random.integer(0, 3); });
  std::vector<std::int64_t> const part(values.begin() + std::ptrdiff_t(begin),
                                       values.begin() + std::ptrdiff_t(end));
  auto const expected = sequential_scan<Kind, std::int64_t>(part, 11);
  std::int64_t const sum =
      part.empty()
          ? 0
          : sequential_scan<Impl::ScanKind::inclusive, std::int64_t>(part, 0)
                .back();
  Kokkos::RangePolicy<Exec> const policy(begin, end);
  for (Route const route : routes<Exec>(false)) {
    SCOPED_TRACE(scan_trace(route, Kind, size));
    ScopedSettings const scope(Settings{route});
    auto const y    = poisoned_array<Output, Exec>(size);
    auto const scan = [&](auto&... total) {
      fill(y, [](std::size_t) { return poison<Output>(); });
      if constexpr (Kind == Impl::ScanKind::exclusive) {
        Kokkos::parallel_scan("functor", policy, exclusive_scan_into(x, y, 11),
                              total...);
      } else {
        Kokkos::parallel_scan("functor", policy, inclusive_scan_into(x, y, 11),
                              total...);
      }
      ASSERT_TRUE(holds(y, [&](std::size_t i) {
        return i < begin || i >= end ? poison<Output>()
                                     : static_cast<Output>(expected[i - begin]);
      }));
    };
    RouteProbe<Exec> const probe;
    scan();
    if (begin == end) {
      // Kokkos' own, which does nothing
    } else if (on_cuda<Exec> && route == Route::automatic) {
      EXPECT_NE(Route::generic, last_route());
    } else {
      EXPECT_TRUE(probe.took(route));
    }
    A scalar        = poison<A>();
    auto const view = poisoned_view<A, typename Exec::memory_space>();
    scan(scalar);
    scan(view);
    if (begin < end) {
      ASSERT_EQ(static_cast<A>(sum), scalar);
      ASSERT_EQ(static_cast<A>(sum), value_of(view));
    }
  }
}

template <class Input, class Output, class Exec>
void expect_functors() {
  for (auto const& [size, begin, end] :
       {std::tuple<std::size_t, std::size_t, std::size_t>{1000, 0, 1000},
        {9001, 17, 8990},
        {100, 99, 100},
        {100, 40, 40},
        {70001, 1, 70000}}) {
    expect_functor<Impl::ScanKind::exclusive, Input, Output, Exec>(size, begin,
                                                                   end);
    expect_functor<Impl::ScanKind::inclusive, Input, Output, Exec>(size, begin,
                                                                   end);
  }
}

TYPED_TEST(ScanInterface, Functors) {
  expect_functors<half_t, float, TypeParam>();
  expect_functors<float, float, TypeParam>();
  expect_functors<std::int8_t, std::int32_t, TypeParam>();
}

TEST(ScanFunctors, CountAsPolicy) {
  std::size_t const n = 1000;
  using Space         = Kokkos::DefaultExecutionSpace;
  auto const x        = filled<double, Space>(n, 1);
  auto const y        = poisoned_array<double, Space>(n);
  double total        = poison<double>();
  Kokkos::parallel_scan("offsets", n, exclusive_scan_into(x, y), total);
  EXPECT_EQ(double(n), total);
  EXPECT_TRUE(holds(y, [](std::size_t i) { return double(i); }));
}

}  // namespace
