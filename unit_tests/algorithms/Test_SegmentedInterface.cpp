// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors of segmented operations, which leave results untouched; Views of every
// kind.

#include "SegmentedSupport.hpp"

#include <KokkosMMA_Recorder.hpp>

#include <algorithm>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentedInterface);

/// Data of 100 elements and everything that the calls write, poisoned.
template <class Exec>
struct Call {
  Kokkos::View<float*, Exec> x =
      make_view<float, Exec>(100, [](std::size_t i) { return i; });
  Guarded<float, Exec> y{100};
  Guarded<float, Exec> result{10};

  bool untouched() const {
    auto const poisoned = [](auto const& view) {
      return bool(holds(view, poison<float>()));
    };
    return poisoned(y.all) && poisoned(result.all);
  }

  /// f, named `who`, says this and writes nothing.
  void refused(std::string const& who, std::vector<std::string> parts,
               auto const& f) const {
    Route const before = last_route();
    parts.push_back("KokkosMMA::" + who + ": ");
    expect_error(parts, f);
    EXPECT_TRUE(untouched());
    EXPECT_EQ(before, last_route());
  }
  /// Every reduction with these cuts, and every scan.
  void reductions_refused(auto const& cuts, auto const& into,
                          std::vector<std::string> const& parts) const {
    refused("segmented_reduce", parts,
            [&] { segmented_reduce(Exec(), x, cuts, into); });
    refused("segmented_reduce", parts,
            [&] { segmented_reduce(Exec(), x, cuts, into, Maximum()); });
  }
  void all_refused(auto const& cuts,
                   std::vector<std::string> const& parts) const {
    reductions_refused(cuts, result.view(), parts);
    refused("segmented_inclusive_scan", parts,
            [&] { segmented_inclusive_scan(Exec(), x, cuts, y.view()); });
    refused("segmented_exclusive_scan", parts,
            [&] { segmented_exclusive_scan(Exec(), x, cuts, y.view()); });
  }
};

TYPED_TEST(SegmentedInterface, NoSuchSegments) {
  using Exec = TypeParam;
  Call<Exec> const call;
  call.all_refused(0, {"segment_length is 0", "1 or more"});
  call.all_refused(std::size_t(0), {"segment_length is 0"});
  call.all_refused(-7, {"segment_length is -7", "1 or more"});
  Kokkos::View<int*, Exec> const none("row_map", 0);
  call.all_refused(none, {"\"row_map\"", "are empty", "k + 1 offsets"});
  expect_error({"KokkosMMA::segmented_reduce", "segment_length is 0"}, [&] {
    explain([&] { segmented_reduce(Exec(), call.x, 0, call.result.view()); });
  });
  Kokkos::View<float**, Exec> const square("square", 10, 10);
  for (int const d : {-1, 2}) {
    std::vector<std::string> const parts = {joined("Axis{", d, "}"),
                                            "use 0 or 1"};
    call.refused("segmented_reduce", parts, [&] {
      segmented_reduce(Exec(), square, Axis{d}, call.result.view());
    });
    call.refused("segmented_inclusive_scan", parts, [&] {
      segmented_inclusive_scan(Exec(), square, Axis{d}, square);
    });
  }
}

TYPED_TEST(SegmentedInterface, ViewsThatDoNotFit) {
  using Exec = TypeParam;
  Call<Exec> const call;
  auto const ten = call.result.view();
  call.reductions_refused(
      9, ten, {"the result", "extent 10", "12 segments", "make its extent 12"});
  call.reductions_refused(100, ten, {"extent 10", "1 segments"});
  call.reductions_refused(offsets_view<std::int32_t, Exec>({0, 5, 10}), ten,
                          {"extent 10", "2 segments"});
  Kokkos::View<float**, Exec> const matrix("matrix", 4, 10);
  expect_error({"extent 10", "4 segments"},
               [&] { segmented_reduce(Exec(), matrix, Axis{1}, ten); });
  Kokkos::View<float**, Exec> const values("values", 3, 10);
  expect_error({"extents differ", "100 elements", "10 elements"},
               [&] { segmented_inclusive_scan(Exec(), call.x, 10, ten); });
  expect_error({"extents differ", "4 x 10", "3 x 10"}, [&] {
    segmented_exclusive_scan(Exec(), matrix, Axis{0}, values);
  });
  Unmanaged<float*, Exec> const nothing(nullptr, 10);
  std::vector<std::string> const parts = {"no memory", "allocate it"};
  expect_error(parts, [&] { segmented_reduce(Exec(), nothing, 1, ten); });
  expect_error(parts, [&] { segmented_reduce(Exec(), ten, 1, nothing); });
  expect_error(parts,
               [&] { segmented_inclusive_scan(Exec(), ten, 1, nothing); });
  EXPECT_TRUE(call.untouched());
}

/// Ten segments whose offsets are wrong in one place or more.
template <class Offset, class Exec>
void expect_bad_offsets() {
  Call<Exec> const call;
  auto const bad = [&](std::vector<std::int64_t> const& offsets,
                       std::vector<std::string> const& parts) {
    call.all_refused(offsets_view<Offset, Exec>(offsets), parts);
  };
  bad({0, 10, 20, 19, 40, 50, 60, 70, 80, 90, 100},
      {"offsets(3) = 19", "below offsets(2) = 20", "must not decrease"});
  bad({0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 101},
      {"offsets(10) = 101", "beyond the 100 elements", "at most 100"});
  bad({5, 4, 20, 30, 40, 50, 60, 70, 80, 90, 100},
      {"offsets(1) = 4", "offsets(0) = 5"});
  // the first of several
  bad({0, 10, 20, 120, 40, 30, 60, 70, 80, 90, 101},
      {"offsets(3) = 120", "100 elements"});
  if constexpr (std::is_signed_v<Offset>) {
    bad({-1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100},
        {"offsets(0) = -1", "negative"});
    bad({0, 0, 0, 0, -8, 50, 60, 70, 80, 90, 100},
        {"offsets(4) = -8", "negative"});
  }
  // what is right is taken
  auto const right =
      offsets_view<Offset, Exec>({3, 3, 20, 30, 40, 50, 60, 70, 80, 99, 100});
  EXPECT_NO_THROW(segmented_reduce(Exec(), call.x, right, call.result.view()));
}
TYPED_TEST(SegmentedInterface, BadOffsets) {
  expect_bad_offsets<std::int32_t, TypeParam>();
  expect_bad_offsets<std::int64_t, TypeParam>();
  expect_bad_offsets<std::uint32_t, TypeParam>();
  expect_bad_offsets<std::uint64_t, TypeParam>();
}

/// One wrong offset among many, anywhere.
TYPED_TEST(SegmentedInterface, OneBadOffsetAmongMany) {
  Random random;
  std::size_t const segments = 300000;
  Kokkos::View<float*, TypeParam> const x("x", segments),
      result("result", segments);
  for (std::size_t const at :
       {std::size_t(1), std::size_t(random.integer(2, segments - 1)),
        segments}) {
    auto const offsets =
        make_view<std::int32_t, TypeParam>(segments + 1, [&](std::size_t i) {
          return i == at ? std::int64_t(i) - 2 : std::int64_t(i);
        });
    std::string const name = "offsets(" + std::to_string(at) + ")";
    expect_error({at == 1 ? "negative" : "below", name},
                 [&] { segmented_reduce(TypeParam(), x, offsets, result); });
  }
}

/// Unchecked calls ask nothing of the device before they launch.
TYPED_TEST(SegmentedInterface, UncheckedOffsets) {
  Call<TypeParam> const call;
  auto const cuts = offsets_view<std::int32_t, TypeParam>(
      {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  auto const checks = [&](Settings const& settings) {
    Recorder recorder;
    segmented_reduce(TypeParam(), call.x, cuts, call.result.view(), settings);
    return std::count_if(
        Recorder::events.begin(), Recorder::events.end(), [](auto const& e) {
          return e.find("KokkosMMA::check_offsets") != std::string::npos;
        });
  };
  EXPECT_EQ(1, checks({}));
  Settings const unchecked{.check_offsets = false};
  EXPECT_EQ(0, checks(unchecked));
  ScopedSettings const scope(unchecked);
  EXPECT_EQ(0, checks({}));
}

TYPED_TEST(SegmentedInterface, OverlappingViews) {
  using Exec     = TypeParam;
  auto const row = [](auto const& all, std::size_t first, std::size_t last) {
    return Kokkos::subview(all, std::pair(first, last));
  };
  Kokkos::View<float*, Exec> const all("all", 200);
  std::string const refused = "the Views overlap";
  auto const x              = row(all, 0, 100);
  auto const reduce         = [&](auto const& from, auto const& result) {
    segmented_reduce(Exec(), from, 10, result);
  };
  expect_error({refused, "\"all\"", "share no memory"},
               [&] { reduce(x, row(all, 90, 100)); });
  expect_error({refused}, [&] { reduce(x, row(all, 99, 109)); });
  EXPECT_NO_THROW(reduce(x, row(all, 100, 110)));
  EXPECT_NO_THROW(reduce(row(all, 10, 110), row(all, 0, 10)));
  auto const scan = [&](auto const& y) {
    segmented_inclusive_scan(Exec(), x, 10, y);
  };
  expect_error({refused, "in place"}, [&] { scan(row(all, 1, 101)); });
  EXPECT_NO_THROW(scan(x));
  EXPECT_NO_THROW(scan(row(all, 100, 200)));

  // offsets and what is written
  Kokkos::View<int*, Exec> const integers("integers", 40), data("x", 100);
  expect_error({refused, "offsets"}, [&] {
    segmented_reduce(Exec(), data, row(integers, 0, 11), row(integers, 10, 20));
  });
  EXPECT_NO_THROW(segmented_reduce(Exec(), data, row(integers, 0, 11),
                                   row(integers, 11, 21)));

  // A matrix and a column beside it lie in between each other and share
  // nothing.
  RowMajor<float, Exec> const m("m", 30, 10);
  auto const left   = Kokkos::subview(m, Kokkos::ALL(), std::pair(0, 9));
  auto const column = Kokkos::subview(m, Kokkos::ALL(), 9);
  auto const inside = Kokkos::subview(m, Kokkos::ALL(), 8);
  EXPECT_NO_THROW(segmented_reduce(Exec(), left, Axis{1}, column));
  expect_error({refused},
               [&] { segmented_reduce(Exec(), left, Axis{1}, inside); });
  auto const right = Kokkos::subview(m, Kokkos::ALL(), std::pair(1, 10));
  expect_error({refused, "in place"},
               [&] { segmented_inclusive_scan(Exec(), left, Axis{0}, right); });
  EXPECT_NO_THROW(segmented_inclusive_scan(Exec(), left, Axis{0}, left));
}

/// Reasons of Cuda, by an error and by an explanation; other calls and routes
/// are in Test_Calls.cpp.
TYPED_TEST(SegmentedInterface, RoutesThatCannotRun) {
  using Exec = TypeParam;
  Call<Exec> const call;
  auto const ten = call.result.view();
  RowMajor<float, Exec> const m("m", 10, 20);
  if (on_cuda<Exec>) {
    auto const cuts = offsets_view<std::int64_t, Exec>({0, 50, 100});
    auto const two  = Kokkos::subview(ten, Range(0, 2));
    Settings const mma{Route::mma}, streamed{Route::streamed};
    expect_error({"route mma", "do not fill the rows of a matrix"},
                 [&] { segmented_reduce(Exec(), call.x, cuts, two, mma); });
    expect_error({"route mma", "no MMA kernel"}, [&] {
      segmented_inclusive_scan(Exec(), call.x, 10, call.y.view(), mma);
    });
    expect_error({"route mma", "not a sum"}, [&] {
      segmented_reduce(Exec(), call.x, 10, ten, Minimum(), mma);
    });
    auto const padded = Kokkos::subview(m, Kokkos::ALL(), Range(0, 15));
    expect_error({"route streamed", "gaps"}, [&] {
      segmented_reduce(Exec(), padded, Axis{1}, ten, streamed);
    });
    expect_explained({"route streamed; not mma: ", "not a sum"}, [&] {
      segmented_reduce(Exec(), call.x, 10, ten, Maximum());
    });
    expect_explained(
        {"route streamed; not mma: ", "segments of different lengths"},
        [&] { segmented_reduce(Exec(), call.x, cuts, two, Plus<double>()); });
  }
  expect_explained(
      {on_cuda<Exec> ? "route streamed; not mma: "
                     : "route generic; neither mma nor streamed: "},
      [&] { segmented_inclusive_scan(Exec(), m, Axis{0}, m); });
  EXPECT_TRUE(call.untouched());
  // A policy is explained by the parallel_for that uses it.
  if constexpr (!on_cuda<Exec>) {
    bool called     = false;
    auto const mark = [&called](std::size_t, float) { called = true; };
    expect_explained({"route generic"}, [&] {
      Kokkos::parallel_for(SegmentPolicy(Exec(), call.x, 10), mark);
    });
    EXPECT_FALSE(called);
  }
}

/// Results in strided Views, lengths and offsets of any integer type, const and
/// random-access data.
TYPED_TEST(SegmentedInterface, OtherViews) {
  using Exec = TypeParam;
  Call<Exec> const call;
  Kokkos::View<float const*, Exec,
               Kokkos::MemoryTraits<Kokkos::RandomAccess>> const x = call.x;
  std::vector<float> expected;
  for (int s = 0; s < 10; ++s) expected.push_back(float(100 * s + 45));
  RowMajor<float, Exec> const matrix("matrix", 10, 3);
  auto const column = Kokkos::subview(matrix, Kokkos::ALL(), 1);
  auto const check  = [&](auto const& cuts) {
    Kokkos::deep_copy(matrix, -1.f);
    segmented_reduce(Exec(), x, cuts, column);
    auto const found = host_copy(matrix);
    for (int s = 0; s < 10; ++s) {
      EXPECT_EQ(expected[std::size_t(s)], found(s, 1));
      EXPECT_EQ(-1.f, found(s, 0));
      EXPECT_EQ(-1.f, found(s, 2));
    }
  };
  check(10);
  check(10u);
  check(10ll);
  check(static_cast<unsigned char>(10));
  std::vector<std::int64_t> const cuts = {0,  10, 20, 30, 40, 50,
                                          60, 70, 80, 90, 100};
  check(offsets_view<long long, Exec>(cuts));
  check(offsets_view<unsigned long, Exec>(cuts));
  // strided offsets
  Kokkos::View<int* [2], Kokkos::LayoutRight, Exec> const pairs("pairs", 11);
  Kokkos::deep_copy(pairs, 7);
  auto const offsets = Kokkos::subview(pairs, Kokkos::ALL(), 0);
  Kokkos::View<int*, Exec> const packed = offsets_view<int, Exec>(cuts);
  Kokkos::deep_copy(Exec(), offsets, packed);
  Exec().fence();
  check(offsets);
  EXPECT_EQ(Route::generic, last_route());

  // strided data
  Kokkos::View<float* [2], Kokkos::LayoutRight, Exec> const two("two", 100);
  auto const strided = Kokkos::subview(two, Kokkos::ALL(), 1);
  Kokkos::deep_copy(Exec(), strided, call.x);
  segmented_reduce(Exec(), strided, 10, call.result.view());
  EXPECT_EQ(Route::generic, last_route());
  EXPECT_TRUE(call.result.holds(expected));
  segmented_inclusive_scan(Exec(), strided, 10, call.y.view());
  EXPECT_EQ(Route::generic, last_route());
  EXPECT_EQ(expected.back(), elements_of(call.y.view()).back());
}

TYPED_TEST(SegmentedInterface, NothingToDo) {
  Kokkos::View<float*, TypeParam> const none("none", 0);
  segmented_reduce(TypeParam(), none, 7, none);
  segmented_inclusive_scan(TypeParam(), none, 7, none);
  auto const one = offsets_view<int, TypeParam>({0});
  segmented_reduce(TypeParam(), none, one, none);
  segmented_exclusive_scan(TypeParam(), none, one, none);
  Guarded<float, TypeParam> const empty(3);
  segmented_reduce(TypeParam(), none,
                   offsets_view<int, TypeParam>({0, 0, 0, 0}), empty.view());
  EXPECT_TRUE(empty.holds({0, 0, 0}));
}

}  // namespace
