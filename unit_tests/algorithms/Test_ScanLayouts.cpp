// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the data of a scan may lie, and where its total may go. The memory
// around y is looked at too.

#include "ScanSupport.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class ScanLayouts : public ::testing::Test {};
TYPED_TEST_SUITE(ScanLayouts, ExecutionSpaces);

using Range = std::pair<std::size_t, std::size_t>;

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

/// One scan from one place to another, by every route. `as_view` makes the
/// Views of the call from memory, place and size.
template <Impl::ScanKind Kind, class Input, class Output, class Exec,
          class AsView>
void expect_scanned(Place const& from, Place const& to, std::size_t size,
                    bool contiguous, Random& random, AsView const& as_view) {
  std::size_t const around = 40;
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values) value = random.integer(0, 3);
  // What lies between the elements of x would be seen in the sums.
  auto const memory_x = make_view<Input, Exec>(from(size) + around,
                                               [](std::size_t) { return 100; });
  {
    auto const host = Kokkos::create_mirror_view(memory_x);
    Kokkos::deep_copy(host, memory_x);
    for (std::size_t i = 0; i < size; ++i)
      host(from(i)) = static_cast<Input>(values[i]);
    Kokkos::deep_copy(memory_x, host);
  }
  auto const x = as_view(memory_x, from, size);
  for (Route const route : scan_routes<Input, Output, Exec>(contiguous)) {
    SCOPED_TRACE(scan_trace(route, Kind, size) + ", x from " +
                 std::to_string(from.first) + " by " +
                 std::to_string(from.stride) + ", y from " +
                 std::to_string(to.first) + " by " + std::to_string(to.stride));
    auto const memory_y = poisoned_array<Output, Exec>(to(size) + around);
    auto const y        = as_view(memory_y, to, size);
    run_scan<Kind>(Exec(), x, y, Settings{route}, 2);
    ASSERT_TRUE(written(memory_y, to, sequential_scan<Kind>(values, 2)));
  }
}

/// Contiguous parts at every place of a 16-byte line.
template <class Input, class Output, class Exec>
void expect_any_alignment() {
  Random random;
  SCOPED_TRACE(random.note());
  auto const part = [](auto const& memory, Place const& place,
                       std::size_t size) {
    return Kokkos::subview(memory, Range(place.first, place.first + size));
  };
  for (std::size_t const size : {1, 5, 16, 300, 4111})
    for (std::size_t first = 0; first <= 17; ++first) {
      expect_scanned<Impl::ScanKind::exclusive, Input, Output, Exec>(
          Place{first}, Place{0}, size, true, random, part);
      expect_scanned<Impl::ScanKind::inclusive, Input, Output, Exec>(
          Place{3}, Place{first}, size, true, random, part);
    }
}

TYPED_TEST(ScanLayouts, UnalignedHalfs) {
  expect_any_alignment<half_t, float, TypeParam>();
}
TYPED_TEST(ScanLayouts, UnalignedHalfsIntoHalfs) {
  expect_any_alignment<half_t, half_t, TypeParam>();
}
TYPED_TEST(ScanLayouts, UnalignedFloats) {
  expect_any_alignment<float, float, TypeParam>();
}
TYPED_TEST(ScanLayouts, UnalignedDoubles) {
  expect_any_alignment<double, double, TypeParam>();
}
TYPED_TEST(ScanLayouts, UnalignedFlags) {
  expect_any_alignment<std::int8_t, std::int32_t, TypeParam>();
}
TYPED_TEST(ScanLayouts, UnalignedInt32IntoInt64) {
  expect_any_alignment<std::int32_t, std::int64_t, TypeParam>();
}

template <class Input, class Output, class Exec>
void expect_strided() {
  Random random;
  SCOPED_TRACE(random.note());
  auto const strided = [](auto const& memory, Place const& place,
                          std::size_t size) {
    return cut(memory, place, size);
  };
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

TYPED_TEST(ScanLayouts, StridedFloats) {
  expect_strided<float, float, TypeParam>();
}
TYPED_TEST(ScanLayouts, StridedFlags) {
  expect_strided<std::int8_t, std::int32_t, TypeParam>();
}

/// The tensor cores load 16 bytes at a time: an error when a call insists.
template <class Exec>
void expect_mma_refuses_strides() {
  auto const memory = poisoned_array<float, Exec>(200);
  auto const x      = cut(memory, Place{0, 2}, 50);
  auto const y      = poisoned_array<float, Exec>(50);
  EXPECT_TRUE(has_parts(
      error_of([&] { inclusive_scan(Exec(), x, y, Settings{Route::mma}); }),
      {"KokkosMMA::inclusive_scan", "route mma",
       on_cuda<Exec> ? "strided" : "not Cuda"}));
  EXPECT_TRUE(written(y, Place{}, {}));
}

TYPED_TEST(ScanLayouts, MmaRefusesStrides) {
  expect_mma_refuses_strides<TypeParam>();
}

template <Impl::ScanKind Kind, class T, class Exec>
void expect_in_place() {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const size : {1, 2, 33, 4097, 70001})
    for (auto const& place : {Place{0, 1}, Place{5, 1}, Place{1, 3}}) {
      std::vector<std::int64_t> values(size);
      for (std::int64_t& value : values) value = random.integer(0, 3);
      for (Route const route : scan_routes<T, T, Exec>(place.stride == 1)) {
        SCOPED_TRACE(scan_trace(route, Kind, size) + ", stride " +
                     std::to_string(place.stride));
        auto const memory = poisoned_array<T, Exec>(place(size) + 20);
        auto const host   = Kokkos::create_mirror_view(memory);
        Kokkos::deep_copy(host, memory);
        for (std::size_t i = 0; i < size; ++i)
          host(place(i)) = static_cast<T>(values[i]);
        Kokkos::deep_copy(memory, host);
        if (place.stride == 1) {
          auto const x =
              Kokkos::subview(memory, Range(place.first, place.first + size));
          run_scan<Kind>(Exec(), x, x, Settings{route});
        } else {
          auto const x = cut(memory, place, size);
          run_scan<Kind>(Exec(), x, x, Settings{route});
        }
        ASSERT_TRUE(written(memory, place, sequential_scan<Kind>(values, 0)));
      }
    }
}

TYPED_TEST(ScanLayouts, InPlace) {
  expect_in_place<Impl::ScanKind::exclusive, float, TypeParam>();
  expect_in_place<Impl::ScanKind::inclusive, double, TypeParam>();
  expect_in_place<Impl::ScanKind::exclusive, std::int32_t, TypeParam>();
  expect_in_place<Impl::ScanKind::inclusive, std::int64_t, TypeParam>();
}

TYPED_TEST(ScanLayouts, InPlaceOfHalfs) {
  expect_in_place<Impl::ScanKind::exclusive, half_t, TypeParam>();
}

/// Two columns of a row-major matrix interleave and share no byte.
template <class Exec>
void expect_columns() {
  std::size_t const rows = 3000;
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const matrix("m", rows, 3);
  Kokkos::deep_copy(matrix, 1.);
  auto const x = Kokkos::subview(matrix, Kokkos::ALL, 0);
  auto const y = Kokkos::subview(matrix, Kokkos::ALL, 2);
  ASSERT_EQ("", error_of([&] { exclusive_scan(Exec(), x, y); }));
  Kokkos::fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix);
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_EQ(1., host(i, 0)) << i;
    ASSERT_EQ(1., host(i, 1)) << i;
    ASSERT_EQ(double(i), host(i, 2)) << i;
  }
}

TYPED_TEST(ScanLayouts, ColumnsOfOneMatrix) { expect_columns<TypeParam>(); }

template <class Exec>
void expect_const_and_unmanaged() {
  std::size_t const size = 5000;
  auto const memory =
      make_view<float, Exec>(size, [](std::size_t) { return 1; });
  Kokkos::View<float const*, Exec> const constant = memory;
  Kokkos::View<
      float const*, Exec,
      Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>> const
      random_access(memory.data(), size);
  std::vector<std::int64_t> const values(size, 1);
  auto const expected =
      sequential_scan<Impl::ScanKind::inclusive, std::int64_t>(values, 0);
  for (Route const route : scan_routes<float, float, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<float, Exec>(size);
    Kokkos::View<float*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
        unmanaged(y.data(), size);
    run_scan<Impl::ScanKind::inclusive>(Exec(), constant, unmanaged,
                                        Settings{route});
    EXPECT_TRUE(written(y, Place{}, expected));
    Kokkos::deep_copy(y, 0.f);
    run_scan<Impl::ScanKind::inclusive>(Exec(), random_access, y,
                                        Settings{route});
    EXPECT_TRUE(written(y, Place{}, expected));
  }
}

TYPED_TEST(ScanLayouts, ConstAndUnmanagedViews) {
  expect_const_and_unmanaged<TypeParam>();
}

/// An atomic View has no memory that a kernel may load by itself: Kokkos calls
/// the functor.
template <class Exec>
void expect_atomic_views() {
  std::size_t const size = 3000;
  auto const memory =
      make_view<std::int32_t, Exec>(size, [](std::size_t) { return 2; });
  Kokkos::View<std::int32_t*, Exec, Kokkos::MemoryTraits<Kokkos::Atomic>> const
      atomic = memory;
  for (Route const route : routes<Exec>(false)) {
    SCOPED_TRACE(trace(route, size));
    auto const y = poisoned_array<std::int32_t, Exec>(size);
    run_scan<Impl::ScanKind::exclusive>(Exec(), atomic, y, Settings{route});
    ASSERT_TRUE(same_elements_as(
        [](std::size_t i) { return std::int32_t(2 * i); }, elements_of(y)));
  }
  EXPECT_NE("", error_of([&] {
              exclusive_scan(Exec(), atomic, memory, Settings{Route::mma});
            }));
}

TYPED_TEST(ScanLayouts, AtomicViews) { expect_atomic_views<TypeParam>(); }

/// Totals of the accumulator's type and of others, of some elements and of
/// none.
template <class Place, class Space, class Exec, class X, class Y>
Place total_in_view(X const& x, Y const& y, Settings const& settings) {
  auto const total = poisoned_view<Place, Space>();
  run_scan<Impl::ScanKind::exclusive>(Exec(), x, y, settings, 7, Total(total));
  return value_of(total);
}

template <class Input, class Output, class Place, class Exec>
void expect_totals() {
  std::size_t const size = 4321;
  auto const x = make_view<Input, Exec>(size, [](std::size_t) { return 1; });
  auto const y = poisoned_array<Output, Exec>(size);
  Kokkos::View<Input*, Exec> const no_x;
  Kokkos::View<Output*, Exec> const no_y;
  using Device = typename Exec::memory_space;
  using Host   = Kokkos::HostSpace;
  for (Route const route : scan_routes<Input, Output, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    Settings const settings{route};
    // 4321 is 4320 or 4324 as a half
    double const expected = double(static_cast<Place>(4321));
    EXPECT_EQ(expected,
              (double(total_in_view<Place, Device, Exec>(x, y, settings))));
    EXPECT_EQ(expected,
              (double(total_in_view<Place, Host, Exec>(x, y, settings))));
    EXPECT_EQ(
        0., (double(total_in_view<Place, Device, Exec>(no_x, no_y, settings))));
    EXPECT_EQ(0.,
              (double(total_in_view<Place, Host, Exec>(no_x, no_y, settings))));
    Place total = poison<Place>();
    run_scan<Impl::ScanKind::inclusive>(Exec(), x, y, settings, 7,
                                        Total(total));
    EXPECT_EQ(expected, double(total));
    total = poison<Place>();
    run_scan<Impl::ScanKind::inclusive>(Exec(), no_x, no_y, settings, 7,
                                        Total(total));
    EXPECT_EQ(0., double(total));
  }
}

TYPED_TEST(ScanLayouts, TotalOfTheAccumulatorsType) {
  expect_totals<float, float, float, TypeParam>();
  expect_totals<std::int8_t, std::int32_t, std::int32_t, TypeParam>();
}

TYPED_TEST(ScanLayouts, TotalOfAnotherType) {
  expect_totals<half_t, float, half_t, TypeParam>();
  expect_totals<std::int32_t, double, float, TypeParam>();
  expect_totals<std::int8_t, std::int32_t, std::int8_t, TypeParam>();
  expect_totals<double, double, float, TypeParam>();
}

/// Offsets of compressed rows: n counts into n + 1 offsets, the last of which
/// is the total.
template <class Exec>
void expect_row_offsets() {
  std::size_t const rows = 10007;
  auto const counts      = make_view<std::int32_t, Exec>(
      rows, [](std::size_t i) { return int(i % 5); });
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  for (Route const route : scan_routes<std::int32_t, std::int32_t, Exec>()) {
    SCOPED_TRACE(trace(route, rows));
    auto const offsets = poisoned_array<std::int32_t, Exec>(rows + 1);
    run_scan<Impl::ScanKind::exclusive>(
        Exec(), counts, Kokkos::subview(offsets, Range(0, rows)),
        Settings{route}, 0, Total(Kokkos::subview(offsets, rows)));
    std::int32_t sum = 0;
    EXPECT_TRUE(same_elements_as(
        [&](std::size_t i) {
          std::int32_t const offset = sum;
          if (i < rows) sum += host(i);
          return offset;
        },
        elements_of(offsets)));
  }
}

TYPED_TEST(ScanLayouts, RowOffsets) { expect_row_offsets<TypeParam>(); }

/// Calls that follow each other on one instance see each other's output.
template <class Exec>
void expect_in_order() {
  Exec const exec;
  std::size_t const size = 20000;
  auto const x           = make_view<std::uint32_t, Exec>(
      size, [](std::size_t i) { return i == 0; });
  std::vector<std::uint32_t> expected(size, 0);
  expected[0] = 1;
  for (int call = 0; call < 20; ++call) {
    inclusive_scan(exec, x, x);
    expected = sequential_scan<Impl::ScanKind::inclusive>(expected, 0u);
  }
  exec.fence();
  EXPECT_TRUE(same_elements_as([&](std::size_t i) { return expected[i]; },
                               elements_of(x)));
}

TYPED_TEST(ScanLayouts, ManyCallsInFlight) { expect_in_order<TypeParam>(); }

}  // namespace
