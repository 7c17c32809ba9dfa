// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the data of a scan may lie, and where its total may go. The memory
// around y is looked at too.

#include "ScanSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ScanLayouts);

/// Where element i of a View lies in the memory that it was cut from.
struct Place {
  std::size_t first  = 0;
  std::size_t stride = 1;
  std::size_t operator()(std::size_t i) const { return first + i * stride; }
};

template <class T, class Exec>
auto cut(Kokkos::View<T*, Exec> const& memory, Place const& place,
         std::size_t size) {
  return Kokkos::View<T*, Kokkos::LayoutStride, Exec>(
      memory.data() + place.first, Kokkos::LayoutStride(size, place.stride));
}

/// `expected` at the places of y, the poison everywhere else.
template <class Output, class Exec>
::testing::AssertionResult written(Kokkos::View<Output*, Exec> const& memory,
                                   Place const& place,
                                   std::vector<std::int64_t> const& expected) {
  auto const elements = elements_of(memory);
  std::vector<Output> whole(elements.size(), poison<Output>());
  for (std::size_t i = 0; i < expected.size(); ++i)
    whole[place(i)] = static_cast<Output>(expected[i]);
  return same_elements_as([&](std::size_t i) { return whole[i]; }, elements);
}

/// Memory of values at these places and `between` elsewhere.
template <class T, class Exec>
Kokkos::View<T*, Exec> memory_of(std::vector<std::int64_t> const& values,
                                 Place const& place, T between) {
  std::vector<T> all(place(values.size()) + 40, between);
  for (std::size_t i = 0; i < values.size(); ++i)
    all[place(i)] = static_cast<T>(values[i]);
  return make_view<T, Exec>(all.size(), [&](std::size_t i) { return all[i]; });
}
std::vector<std::int64_t> random_values(std::size_t size, Random& random) {
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values) value = random.integer(0, 3);
  return values;
}

/// One scan from one place to another, by every route. `as_view` makes the
/// Views of the call from memory, place and size.
template <Impl::ScanKind Kind, class Input, class Output, class Exec,
          class AsView>
void expect_scanned(Place const& from, Place const& to, std::size_t size,
                    bool contiguous, Random& random, AsView const& as_view) {
  auto const values = random_values(size, random);
  // What lies between the elements of x would be seen in the sums.
  auto const memory_x =
      memory_of<Input, Exec>(values, from, static_cast<Input>(100));
  auto const x = as_view(memory_x, from, size);
  for (Route const route : scan_routes<Input, Output, Exec>(contiguous)) {
    SCOPED_TRACE(joined(scan_trace(route, Kind, size), ", x from ", from.first,
                        " by ", from.stride, ", y from ", to.first, " by ",
                        to.stride));
    auto const memory_y = poisoned_array<Output, Exec>(to(size) + 40);
    auto const y        = as_view(memory_y, to, size);
    run_scan<Kind>(Exec(), x, y, Settings{route}, 2);
    ASSERT_TRUE(written(memory_y, to, sequential_scan<Kind>(values, 2)));
  }
}

template <class T, class Exec>
auto part(Kokkos::View<T*, Exec> const& memory, Place const& place,
          std::size_t size) {
  return Kokkos::subview(memory, Range(place.first, place.first + size));
}

/// Contiguous parts at every place of a 16-byte line.
template <class Input, class Output, class Exec>
void expect_any_alignment() {
  Random random;
  auto const as_part = [](auto const&... place) { return part(place...); };
  for (std::size_t const size : {1, 5, 16, 300, 4111})
    for (std::size_t first = 0; first <= 17; ++first) {
      expect_scanned<Impl::ScanKind::exclusive, Input, Output, Exec>(
          Place{first}, Place{0}, size, true, random, as_part);
      expect_scanned<Impl::ScanKind::inclusive, Input, Output, Exec>(
          Place{3}, Place{first}, size, true, random, as_part);
    }
}

TYPED_TEST(ScanLayouts, Unaligned) {
  for_types<Pair<half_t, float>, Pair<half_t, half_t>, Pair<float, float>,
            Pair<double, double>, Pair<std::int8_t, std::int32_t>,
            Pair<std::int32_t, std::int64_t>>(
      [&]<class A, class B>(Pair<A, B>) {
        expect_any_alignment<A, B, TypeParam>();
      });
}

template <class Input, class Output, class Exec>
void expect_strided() {
  Random random;
  auto const strided = [](auto const&... place) { return cut(place...); };
  for (std::size_t const size : {2, 33, 1000, 9001})
    for (auto const& [from, to] : {std::pair(Place{0, 3}, Place{0, 1}),
                                   std::pair(Place{1, 1}, Place{2, 5}),
                                   std::pair(Place{3, 2}, Place{1, 7})}) {
      expect_scanned<Impl::ScanKind::exclusive, Input, Output, Exec>(
          from, to, size, false, random, strided);
      expect_scanned<Impl::ScanKind::inclusive, Input, Output, Exec>(
          from, to, size, false, random, strided);
    }
  // The type says strided, the value says contiguous.
  expect_scanned<Impl::ScanKind::exclusive, Input, Output, Exec>(
      Place{3, 1}, Place{5, 1}, 5000, true, random, strided);
  // A single element has no stride.
  expect_scanned<Impl::ScanKind::inclusive, Input, Output, Exec>(
      Place{3, 4}, Place{5, 6}, 1, true, random, strided);
}

TYPED_TEST(ScanLayouts, Strided) {
  for_types<Pair<float, float>, Pair<std::int8_t, std::int32_t>>(
      [&]<class A, class B>(Pair<A, B>) { expect_strided<A, B, TypeParam>(); });
}

template <Impl::ScanKind Kind, class T, class Exec>
void expect_in_place() {
  Random random;
  for (std::size_t const size : {1, 2, 33, 4097, 70001})
    for (auto const& place : {Place{0, 1}, Place{5, 1}, Place{1, 3}}) {
      auto const values = random_values(size, random);
      for (Route const route : scan_routes<T, T, Exec>(place.stride == 1)) {
        SCOPED_TRACE(
            joined(scan_trace(route, Kind, size), ", stride ", place.stride));
        auto const memory = memory_of<T, Exec>(values, place, poison<T>());
        auto const run    = [&](auto const& x) {
          run_scan<Kind>(Exec(), x, x, Settings{route});
        };
        if (place.stride == 1)
          run(part(memory, place, size));
        else
          run(cut(memory, place, size));
        ASSERT_TRUE(written(memory, place, sequential_scan<Kind>(values, 0)));
      }
    }
}

TYPED_TEST(ScanLayouts, InPlace) {
  expect_in_place<Impl::ScanKind::exclusive, float, TypeParam>();
  expect_in_place<Impl::ScanKind::inclusive, double, TypeParam>();
  expect_in_place<Impl::ScanKind::exclusive, std::int32_t, TypeParam>();
  expect_in_place<Impl::ScanKind::inclusive, std::int64_t, TypeParam>();
  expect_in_place<Impl::ScanKind::exclusive, half_t, TypeParam>();
}

TYPED_TEST(ScanLayouts, ConstAndUnmanagedViews) {
  using Exec             = TypeParam;
  std::size_t const size = 5000;
  auto const memory      = filled<float, Exec>(size, 1);
  Kokkos::View<float const*, Exec> const constant = memory;
  Kokkos::View<
      float const*, Exec,
      Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>> const
      random_access(memory.data(), size);
  for (Route const route : scan_routes<float, float, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<float, Exec>(size);
    Unmanaged<float*, Exec> const unmanaged(y.data(), size);
    run_scan<Impl::ScanKind::inclusive>(Exec(), constant, unmanaged,
                                        Settings{route});
    EXPECT_TRUE(holds(y, [](std::size_t i) { return i + 1; }));
    Kokkos::deep_copy(y, 0.f);
    run_scan<Impl::ScanKind::inclusive>(Exec(), random_access, y,
                                        Settings{route});
    EXPECT_TRUE(holds(y, [](std::size_t i) { return i + 1; }));
  }
}

/// An atomic View has no memory that a kernel may load by itself: Kokkos calls
/// the functor.
TYPED_TEST(ScanLayouts, AtomicViews) {
  std::size_t const size = 3000;
  auto const memory      = filled<std::int32_t, TypeParam>(size, 2);
  Kokkos::View<std::int32_t*, TypeParam,
               Kokkos::MemoryTraits<Kokkos::Atomic>> const atomic = memory;
  for (Route const route : routes<TypeParam>(false)) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<std::int32_t, TypeParam>(size);
    run_scan<Impl::ScanKind::exclusive>(TypeParam(), atomic, y,
                                        Settings{route});
    ASSERT_TRUE(holds(y, [](std::size_t i) { return std::int32_t(2 * i); }));
  }
  EXPECT_NE("", error_of([&] {
              exclusive_scan(TypeParam(), atomic, memory, Settings{Route::mma});
            }));
}

/// Totals of the accumulator's type and of others, of some elements and of
/// none.
template <class Input, class Output, class Place, class Exec>
void expect_totals() {
  auto const x = filled<Input, Exec>(4321, 1);
  auto const y = poisoned_array<Output, Exec>(4321);
  Kokkos::View<Input*, Exec> const no_x;
  Kokkos::View<Output*, Exec> const no_y;
  auto const check = [](auto const& x, auto const& y, Route route) {
    SCOPED_TRACE(trace(route, x.extent(0)));
    // 4321 is 4320 or 4324 as a half
    double const expected = double(static_cast<Place>(int(x.extent(0))));
    Settings const settings{route};
    auto const view = poisoned_view<Place, typename Exec::memory_space>();
    run_scan<Impl::ScanKind::exclusive>(Exec(), x, y, settings, 7, Total(view));
    EXPECT_EQ(expected, double(value_of(view)));
    auto const on_host = poisoned_view<Place, Kokkos::HostSpace>();
    run_scan<Impl::ScanKind::exclusive>(Exec(), x, y, settings, 7,
                                        Total(on_host));
    EXPECT_EQ(expected, double(value_of(on_host)));
    Place scalar = poison<Place>();
    run_scan<Impl::ScanKind::inclusive>(Exec(), x, y, settings, 7,
                                        Total(scalar));
    EXPECT_EQ(expected, double(scalar));
  };
  for (Route const route : scan_routes<Input, Output, Exec>()) {
    check(x, y, route);
    check(no_x, no_y, route);
  }
}

TYPED_TEST(ScanLayouts, TotalsOfEveryType) {
  expect_totals<float, float, float, TypeParam>();
  expect_totals<std::int8_t, std::int32_t, std::int32_t, TypeParam>();
  expect_totals<half_t, float, half_t, TypeParam>();
  expect_totals<std::int32_t, double, float, TypeParam>();
  expect_totals<std::int8_t, std::int32_t, std::int8_t, TypeParam>();
  expect_totals<double, double, float, TypeParam>();
}

/// Offsets of compressed rows: n counts into n + 1 offsets, the last of which
/// is the total.
TYPED_TEST(ScanLayouts, RowOffsets) {
  std::size_t const rows = 10007;
  auto const counts      = make_view<std::int32_t, TypeParam>(
      rows, [](std::size_t i) { return int(i % 5); });
  auto const host = host_copy(counts);
  for (Route const route :
       scan_routes<std::int32_t, std::int32_t, TypeParam>()) {
    SCOPED_TRACE(trace(route, rows));
    auto const offsets = poisoned_array<std::int32_t, TypeParam>(rows + 1);
    run_scan<Impl::ScanKind::exclusive>(
        TypeParam(), counts, Kokkos::subview(offsets, Range(0, rows)),
        Settings{route}, 0, Total(Kokkos::subview(offsets, rows)));
    std::int32_t sum = 0;
    EXPECT_TRUE(holds(offsets, [&](std::size_t i) {
      std::int32_t const offset = sum;
      if (i < rows) sum += host(i);
      return offset;
    }));
  }
}

/// Calls that follow each other on one instance see each other's output.
TYPED_TEST(ScanLayouts, ManyCallsInFlight) {
  TypeParam const exec;
  std::size_t const size = 20000;
  auto const x           = make_view<std::uint32_t, TypeParam>(
      size, [](std::size_t i) { return i == 0; });
  std::vector<std::uint32_t> expected(size, 0);
  expected[0] = 1;
  for (int call = 0; call < 20; ++call) {
    inclusive_scan(exec, x, x);
    expected = sequential_scan<Impl::ScanKind::inclusive>(expected, 0u);
  }
  exec.fence();
  EXPECT_TRUE(holds(x, expected));
}

}  // namespace
