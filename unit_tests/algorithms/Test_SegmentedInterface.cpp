// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors of every kind, which leave results untouched; forced routes,
// explanations and labels of segmented operations.

#include "SegmentedSupport.hpp"

#include <KokkosMMA_Recorder.hpp>

#include <algorithm>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedInterface : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedInterface, ExecutionSpaces);

/// Data of 100 elements and everything that the calls write, poisoned.
template <class Exec>
struct Call {
  Kokkos::View<float*, Exec> x =
      make_view<float, Exec>(100, [](std::size_t i) { return i; });
  Guarded<float, Exec> y{100};
  Guarded<float, Exec> result{10};

  bool untouched() const {
    auto const all_poison = [](auto const& view) {
      auto const found = elements_of(view);
      return std::all_of(found.begin(), found.end(), [](float value) {
        return same_bits(value, poison<float>());
      });
    };
    return all_poison(y.all) && all_poison(result.all);
  }

  /// Every operation with these cuts says this and writes nothing.
  template <class Cuts, class Result>
  void expect_refused(Cuts const& cuts, Result const& into,
                      std::vector<std::string> const& parts,
                      Settings const& settings = {}) const {
    Route const before = last_route();
    auto const with    = [&](char const* name) {
      std::vector<std::string> all = parts;
      all.push_back(std::string("KokkosMMA::") + name + ": ");
      return all;
    };
    EXPECT_TRUE(has_parts(
        error_of([&] { segmented_reduce(Exec(), x, cuts, into, settings); }),
        with("segmented_reduce")));
    EXPECT_TRUE(has_parts(error_of([&] {
                            segmented_reduce(Exec(), x, cuts, into, Maximum(),
                                             settings);
                          }),
                          with("segmented_reduce")));
    EXPECT_TRUE(untouched());
    EXPECT_EQ(before, last_route());
  }
  template <class Cuts>
  void expect_all_refused(Cuts const& cuts,
                          std::vector<std::string> const& parts,
                          Settings const& settings = {}) const {
    expect_refused(cuts, result.view(), parts, settings);
    auto const with = [&](char const* name) {
      std::vector<std::string> all = parts;
      all.push_back(std::string("KokkosMMA::") + name + ": ");
      return all;
    };
    EXPECT_TRUE(has_parts(error_of([&] {
                            segmented_inclusive_scan(Exec(), x, cuts, y.view(),
                                                     settings);
                          }),
                          with("segmented_inclusive_scan")));
    EXPECT_TRUE(has_parts(error_of([&] {
                            segmented_exclusive_scan(Exec(), x, cuts, y.view(),
                                                     settings);
                          }),
                          with("segmented_exclusive_scan")));
    Guarded<float, Exec> const squares(10);
    EXPECT_TRUE(has_parts(error_of([&] {
                            segmented_moments(Exec(), x, cuts, result.view(),
                                              squares.view(), settings);
                          }),
                          with("segmented_moments")));
    EXPECT_TRUE(squares.holds(std::vector<float>(10, poison<float>())));
    EXPECT_TRUE(untouched());
  }
};

TYPED_TEST(SegmentedInterface, LengthBelowOne) {
  Call<TypeParam> const call;
  call.expect_all_refused(0, {"segment_length is 0", "1 or more"});
  call.expect_all_refused(std::size_t(0), {"segment_length is 0"});
  call.expect_all_refused(-7, {"segment_length is -7", "1 or more"});
}

template <class Exec>
void expect_wrong_extents() {
  Call<Exec> const call;
  auto const ten = call.result.view();
  call.expect_refused(
      9, ten, {"the result", "extent 10", "12 segments", "make its extent 12"});
  call.expect_refused(100, ten, {"extent 10", "1 segments"});
  call.expect_refused(offsets_view<std::int32_t, Exec>({0, 5, 10}), ten,
                      {"extent 10", "2 segments"});
  Guarded<float, Exec> const other(9);
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_moments(Exec(), call.x, 10, ten,
                                            other.view());
                        }),
                        {"segmented_moments", "the squares", "extent 9"}));
  Kokkos::View<float**, Exec> const matrix("matrix", 4, 10);
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_reduce(Exec(), matrix, Axis{1}, ten); }),
      {"extent 10", "4 segments"}));
  Kokkos::View<float**, Exec> const values("values", 3, 10);
  EXPECT_TRUE(
      has_parts(error_of([&] { segmented_reduce(Exec(), matrix, 2, values); }),
                {"\"values\"", "3 x 10", "2 segments", "make them 2 x 10"}));
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_inclusive_scan(Exec(), call.x, 10, ten); }),
      {"extents differ", "100 elements", "10 elements"}));
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_exclusive_scan(Exec(), matrix, Axis{0},
                                                   values);
                        }),
                        {"extents differ", "4 x 10", "3 x 10"}));
  EXPECT_TRUE(call.untouched());
}
TYPED_TEST(SegmentedInterface, ResultOfTheWrongExtent) {
  expect_wrong_extents<TypeParam>();
}

/// Ten segments whose offsets are wrong in one place or more.
template <class Offset, class Exec>
void expect_bad_offsets() {
  Call<Exec> const call;
  auto const bad = [&](std::vector<std::int64_t> const& offsets,
                       std::vector<std::string> const& parts) {
    call.expect_all_refused(offsets_view<Offset, Exec>(offsets), parts);
  };
  bad({0, 10, 20, 19, 40, 50, 60, 70, 80, 90, 100},
      {"offsets(3) = 19", "below offsets(2) = 20", "must not decrease"});
  bad({0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 101},
      {"offsets(10) = 101", "behind the 100 elements", "at most 100"});
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
  EXPECT_EQ("", error_of([&] {
              segmented_reduce(Exec(), call.x,
                               offsets_view<Offset, Exec>(
                                   {3, 3, 20, 30, 40, 50, 60, 70, 80, 99, 100}),
                               call.result.view());
            }));
}
TYPED_TEST(SegmentedInterface, BadOffsets) {
  expect_bad_offsets<std::int32_t, TypeParam>();
  expect_bad_offsets<std::int64_t, TypeParam>();
  expect_bad_offsets<std::uint32_t, TypeParam>();
  expect_bad_offsets<std::uint64_t, TypeParam>();
}

/// One wrong offset among many, anywhere.
template <class Exec>
void expect_bad_offset_found() {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const segments = 300000;
  Kokkos::View<float*, Exec> const x("x", segments);
  Kokkos::View<float*, Exec> const result("result", segments);
  for (std::size_t const at :
       {std::size_t(1), std::size_t(random.integer(2, segments - 1)),
        segments}) {
    auto const offsets =
        make_view<std::int32_t, Exec>(segments + 1, [&](std::size_t i) {
          return i == at ? std::int64_t(i) - 2 : std::int64_t(i);
        });
    std::string const name = "offsets(" + std::to_string(at) + ")";
    EXPECT_TRUE(has_parts(
        error_of([&] { segmented_reduce(Exec(), x, offsets, result); }),
        {at == 1 ? "negative" : "below", name}));
  }
}
TYPED_TEST(SegmentedInterface, OneBadOffsetAmongMany) {
  expect_bad_offset_found<TypeParam>();
}

TYPED_TEST(SegmentedInterface, OffsetsWithoutElements) {
  Call<TypeParam> const call;
  Kokkos::View<int*, TypeParam> const none("row_map", 0);
  call.expect_all_refused(none, {"\"row_map\"", "are empty", "k + 1 offsets"});
}

/// Unchecked calls ask nothing of the device before they launch.
template <class Exec>
void expect_unchecked() {
  Call<Exec> const call;
  auto const cuts = offsets_view<std::int32_t, Exec>(
      {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  auto const checks = [&](Settings const& settings) {
    Recorder recorder;
    segmented_reduce(Exec(), call.x, cuts, call.result.view(), settings);
    return std::count_if(
        Recorder::events.begin(), Recorder::events.end(), [](auto const& e) {
          return e.find("KokkosMMA::check_offsets") != std::string::npos;
        });
  };
  EXPECT_EQ(1, checks({}));
  Settings unchecked;
  unchecked.check_offsets = false;
  EXPECT_EQ(0, checks(unchecked));
  ScopedSettings const scope(unchecked);
  EXPECT_EQ(0, checks({}));
}
TYPED_TEST(SegmentedInterface, UncheckedOffsets) {
  expect_unchecked<TypeParam>();
}

template <class Exec>
void expect_no_such_dimension() {
  Kokkos::View<float**, Exec> const x("x", 5, 5);
  Guarded<float, Exec> const result(5);
  for (int const d : {-1, 2}) {
    std::vector<std::string> const parts = {"Axis{" + std::to_string(d) + "}",
                                            "use 0 or 1"};
    EXPECT_TRUE(has_parts(
        error_of([&] { segmented_reduce(Exec(), x, Axis{d}, result.view()); }),
        parts));
    EXPECT_TRUE(has_parts(
        error_of([&] { segmented_inclusive_scan(Exec(), x, Axis{d}, x); }),
        parts));
  }
  EXPECT_TRUE(result.holds(std::vector<float>(5, poison<float>())));
}
TYPED_TEST(SegmentedInterface, NoSuchDimension) {
  expect_no_such_dimension<TypeParam>();
}

template <class Exec>
void expect_overlaps_refused() {
  auto const row = [](auto const& all, std::size_t first, std::size_t last) {
    return Kokkos::subview(all, std::pair(first, last));
  };
  Kokkos::View<float*, Exec> const all("all", 200);
  std::string const refused = "the Views overlap";
  auto const reduced_into   = [&](auto const& x, auto const& result) {
    return error_of([&] { segmented_reduce(Exec(), x, 10, result); });
  };
  EXPECT_TRUE(has_parts(reduced_into(row(all, 0, 100), row(all, 90, 100)),
                        {refused, "\"all\"", "share no memory"}));
  EXPECT_TRUE(
      has_parts(reduced_into(row(all, 0, 100), row(all, 99, 109)), {refused}));
  EXPECT_EQ("", reduced_into(row(all, 0, 100), row(all, 100, 110)));
  EXPECT_EQ("", reduced_into(row(all, 10, 110), row(all, 0, 10)));

  auto const scanned_into = [&](auto const& x, auto const& y) {
    return error_of([&] { segmented_inclusive_scan(Exec(), x, 10, y); });
  };
  EXPECT_TRUE(has_parts(scanned_into(row(all, 0, 100), row(all, 1, 101)),
                        {refused, "in place"}));
  EXPECT_EQ("", scanned_into(row(all, 0, 100), row(all, 0, 100)));
  EXPECT_EQ("", scanned_into(row(all, 0, 100), row(all, 100, 200)));

  // offsets and what is written
  Kokkos::View<int*, Exec> const integers("integers", 40);
  Kokkos::View<int*, Exec> const x("x", 100);
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_reduce(Exec(), x, row(integers, 0, 11),
                                           row(integers, 10, 20));
                        }),
                        {refused, "offsets"}));
  EXPECT_EQ("", error_of([&] {
              segmented_reduce(Exec(), x, row(integers, 0, 11),
                               row(integers, 11, 21));
            }));
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_moments(Exec(), x, 10, row(integers, 0, 10),
                                            row(integers, 9, 19));
                        }),
                        {refused, "the sums", "the squares"}));

  // A matrix and a column beside it lie in between each other and share
  // nothing.
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const m("m", 30, 10);
  auto const left   = Kokkos::subview(m, Kokkos::ALL(), std::pair(0, 9));
  auto const column = Kokkos::subview(m, Kokkos::ALL(), 9);
  auto const inside = Kokkos::subview(m, Kokkos::ALL(), 8);
  EXPECT_EQ("",
            error_of([&] { segmented_reduce(Exec(), left, Axis{1}, column); }));
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_reduce(Exec(), left, Axis{1}, inside); }),
      {refused}));
  auto const right = Kokkos::subview(m, Kokkos::ALL(), std::pair(1, 10));
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_inclusive_scan(Exec(), left, Axis{0}, right); }),
      {refused, "in place"}));
  EXPECT_EQ("", error_of([&] {
              segmented_inclusive_scan(Exec(), left, Axis{0}, left);
            }));
}
TYPED_TEST(SegmentedInterface, OverlappingViews) {
  expect_overlaps_refused<TypeParam>();
}

template <class Exec>
void expect_memory_asked_for() {
  using Unmanaged =
      Kokkos::View<float*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Unmanaged const nothing(static_cast<float*>(nullptr), 10);
  Kokkos::View<float*, Exec> const ten("ten", 10);
  std::vector<std::string> const parts = {"no memory", "allocate it"};
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_reduce(Exec(), nothing, 1, ten); }), parts));
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_reduce(Exec(), ten, 1, nothing); }), parts));
  EXPECT_TRUE(has_parts(
      error_of([&] { segmented_inclusive_scan(Exec(), ten, 1, nothing); }),
      parts));
}
TYPED_TEST(SegmentedInterface, ViewsWithoutMemory) {
  expect_memory_asked_for<TypeParam>();
}

TYPED_TEST(SegmentedInterface, SettingsOutOfRange) {
  Settings settings;
  settings.chain_length = 33;
  Call<TypeParam>().expect_all_refused(10, {"chain_length is 33", "1 to 32"},
                                       settings);
}

template <class Exec>
void expect_forced_routes() {
  Call<Exec> const call;
  auto const cuts = offsets_view<std::int32_t, Exec>(
      {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  if (!on_cuda<Exec>) {
    for (Route const route : {Route::mma, Route::streamed}) {
      std::vector<std::string> const parts = {
          "route " + std::string(to_string(route)), "not Cuda",
          "auto or generic"};
      call.expect_all_refused(10, parts, Settings{route});
      call.expect_all_refused(cuts, parts, Settings{route});
    }
    return;
  }
  Settings const mma{Route::mma};
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_reduce(Exec(), call.x, cuts,
                                           call.result.view(), mma);
                        }),
                        {"route mma", "do not fill the rows of a product"}));
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_inclusive_scan(Exec(), call.x, 10,
                                                   call.y.view(), mma);
                        }),
                        {"route mma", "no MMA kernel"}));
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_reduce(Exec(), call.x, 10,
                                           call.result.view(), Minimum(), mma);
                        }),
                        {"route mma", "not a sum"}));
  Guarded<float, Exec> const squares(10);
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_moments(Exec(), call.x, 10,
                                            call.result.view(), squares.view(),
                                            Settings{Route::streamed});
                        }),
                        {"route streamed", "two values per segment"}));
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const m("m", 10, 20);
  auto const padded = Kokkos::subview(m, Kokkos::ALL(), std::pair(0, 15));
  EXPECT_TRUE(has_parts(error_of([&] {
                          segmented_reduce(Exec(), padded, Axis{1},
                                           call.result.view(),
                                           Settings{Route::streamed});
                        }),
                        {"route streamed", "gaps"}));
  EXPECT_TRUE(call.untouched());
}
TYPED_TEST(SegmentedInterface, ForcedRoutesThatCannotRun) {
  expect_forced_routes<TypeParam>();
}

template <class Exec>
void expect_wish() {
  Call<Exec> const call;
  auto const cuts = offsets_view<std::int32_t, Exec>(
      {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  for (Route const wish : {Route::generic, Route::streamed, Route::mma}) {
    ScopedSettings const scope(Settings{wish});
    segmented_reduce(Exec(), call.x, 10, call.result.view());
    EXPECT_EQ(on_cuda<Exec> ? wish : Route::generic, last_route());
    // Offsets have no products: the wish is not an order.
    segmented_reduce(Exec(), call.x, cuts, call.result.view());
    EXPECT_EQ(!on_cuda<Exec>       ? Route::generic
              : wish == Route::mma ? Route::streamed
                                   : wish,
              last_route());
    std::vector<float> expected;
    for (int s = 0; s < 10; ++s) expected.push_back(float(100 * s + 45));
    EXPECT_TRUE(call.result.holds(expected));
  }
}
TYPED_TEST(SegmentedInterface, RouteOfAScopeIsAWish) {
  expect_wish<TypeParam>();
}

template <class Exec>
void expect_explanations() {
  Call<Exec> const call;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const m("m", 10, 20);
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const few("few", 5, 20);
  auto const cuts = offsets_view<std::int64_t, Exec>({0, 50, 100});
  auto const ten  = call.result.view();
  auto const two  = Kokkos::subview(ten, std::make_pair(0, 2));
  auto const y    = call.y.view();
  std::vector<std::string> const all = {
      explain([&] { segmented_reduce(Exec(), call.x, 10, ten); }),
      explain([&] { segmented_reduce(Exec(), call.x, 10, ten, Maximum()); }),
      explain(
          [&] { segmented_reduce(Exec(), call.x, cuts, two, Plus<double>()); }),
      explain([&] { segmented_reduce(Exec(), m, Axis{1}, ten); }),
      explain([&] { segmented_inclusive_scan(Exec(), call.x, 10, y); }),
      explain([&] { segmented_exclusive_scan(Exec(), call.x, cuts, y); }),
      explain([&] { segmented_inclusive_scan(Exec(), m, Axis{0}, m); })};
  for (std::string const& text : all) {
    if (on_cuda<Exec>)
      EXPECT_TRUE(text == "route mma" ||
                  has_parts(text, {"route streamed; not mma: "}))
          << text;
    else
      EXPECT_TRUE(has_parts(text, {"route generic", "not mma: ",
                                   "not streamed: the execution space is not "
                                   "Cuda"}));
  }
  if (on_cuda<Exec>) {
    EXPECT_TRUE(has_parts(all[1], {"not a sum"}));
    EXPECT_TRUE(has_parts(all[2], {"variable-size segments"}));
    EXPECT_TRUE(
        has_parts(explain([&] { segmented_reduce(Exec(), m, 2, few); }),
                  {"route generic", "several values", "several segments"}));
  }
  EXPECT_TRUE(
      has_parts(error_of([&] {
                  explain([&] { segmented_reduce(Exec(), call.x, 0, ten); });
                }),
                {"KokkosMMA::segmented_reduce", "segment_length is 0"}));
  EXPECT_TRUE(call.untouched());
  // A policy is explained by the parallel_for that uses it.
  bool called        = false;
  auto const mark    = [&called](std::size_t, float) { called = true; };
  std::string policy = "route generic";
  if constexpr (!on_cuda<Exec>) {
    policy = explain([&] {
      Kokkos::parallel_for(SegmentPolicy(Exec(), call.x, cuts), mark);
    });
  }
  EXPECT_TRUE(has_parts(policy, {"route generic"}));
  EXPECT_FALSE(called);
}
TYPED_TEST(SegmentedInterface, Explanations) {
  expect_explanations<TypeParam>();
}

template <class Exec>
void expect_labels() {
  Call<Exec> const call;
  segmented_reduce(Exec(), call.x, 10, call.result.view());
  for (Route const route : {Route::generic, Route::automatic}) {
    Recorder recorder;
    segmented_reduce(Exec(), call.x, 10, call.result.view(), Settings{route});
    std::string const label = "begin for KokkosMMA::segmented_reduce[" +
                              std::string(to_string(last_route())) +
                              ",sum,float]";
    // Kokkos allocates the scratch of teams when they first ask for it.
    std::erase_if(Recorder::events, [](std::string const& event) {
      return event.find("allocate ") == 0;
    });
    EXPECT_EQ((std::vector<std::string>{label, "end"}), Recorder::events);
  }
  auto const labels = [](auto const& run) {
    Recorder recorder;
    run();
    std::erase_if(Recorder::events, [](std::string const& event) {
      return event.find("begin for ") != 0;
    });
    return Recorder::events;
  };
  std::vector<std::string> const mine = {"begin for mine"};
  auto const y                        = call.y.view();
  Guarded<float, Exec> const squares(10);
  EXPECT_EQ(mine, labels([&] {
              segmented_reduce("mine", Exec(), call.x, 10, call.result.view());
            }));
  EXPECT_EQ(mine, labels([&] {
              segmented_reduce("mine", Exec(), call.x, 10, call.result.view(),
                               Maximum(), Settings{Route::generic});
            }));
  EXPECT_EQ(mine, labels([&] {
              segmented_inclusive_scan("mine", Exec(), call.x, 10, y);
            }));
  EXPECT_EQ(mine, labels([&] {
              segmented_exclusive_scan("mine", Exec(), call.x, 10, y,
                                       Minimum());
            }));
  EXPECT_EQ(mine, labels([&] {
              segmented_moments("mine", Exec(), call.x, 10, call.result.view(),
                                squares.view());
            }));
}
TYPED_TEST(SegmentedInterface, Labels) { expect_labels<TypeParam>(); }

/// Results in strided Views, lengths and offsets of any integer type, const and
/// random-access data.
template <class Exec>
void expect_other_views() {
  Call<Exec> const call;
  Kokkos::View<float const*, Exec,
               Kokkos::MemoryTraits<Kokkos::RandomAccess>> const x = call.x;
  std::vector<float> expected;
  for (int s = 0; s < 10; ++s) expected.push_back(float(100 * s + 45));
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const matrix("matrix", 10,
                                                                3);
  auto const column = Kokkos::subview(matrix, Kokkos::ALL(), 1);
  auto const check  = [&](auto const& cuts) {
    Kokkos::deep_copy(matrix, -1.f);
    segmented_reduce(Exec(), x, cuts, column);
    Kokkos::fence();
    auto const found =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix);
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
TYPED_TEST(SegmentedInterface, OtherViews) { expect_other_views<TypeParam>(); }

TYPED_TEST(SegmentedInterface, NothingToDo) {
  Kokkos::View<float*, TypeParam> const none("none", 0);
  segmented_reduce(TypeParam(), none, 7, none);
  segmented_inclusive_scan(TypeParam(), none, 7, none);
  segmented_moments(TypeParam(), none, 7, none,
                    Kokkos::View<float*, TypeParam>("also none", 0));
  auto const one = offsets_view<int, TypeParam>({0});
  segmented_reduce(TypeParam(), none, one, none);
  segmented_exclusive_scan(TypeParam(), none, one, none);
  Guarded<float, TypeParam> const empty(3);
  segmented_reduce(TypeParam(), none,
                   offsets_view<int, TypeParam>({0, 0, 0, 0}), empty.view());
  EXPECT_TRUE(empty.holds({0, 0, 0}));
}

}  // namespace
