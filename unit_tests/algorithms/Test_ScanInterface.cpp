// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors, explanations, settings and labels of the scans, and their functors in
// Kokkos::parallel_scan, without the drop-in header.

#include "ScanSupport.hpp"

#include <thread>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

template <class Exec>
class ScanInterface : public ::testing::Test {};
TYPED_TEST_SUITE(ScanInterface, ExecutionSpaces);

using Range = std::pair<std::size_t, std::size_t>;

/// Every form of both scans and of both functors refuses x and y with these
/// words and leaves `memory` and the totals alone.
template <class Exec, class X, class Y, class Memory>
void expect_refused(X const& x, Y const& y, Memory const& memory,
                    std::vector<std::string> const& parts,
                    Settings const& settings = {}, bool functors = true) {
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
  by("exclusive_scan", [&] { exclusive_scan(exec, x, y, settings); });
  by("exclusive_scan", [&] { exclusive_scan(exec, x, y, 1, settings); });
  by("exclusive_scan",
     [&] { exclusive_scan(exec, x, y, 1, Total(scalar), settings); });
  by("exclusive_scan",
     [&] { exclusive_scan(exec, x, y, 1, Total(view), settings); });
  by("inclusive_scan", [&] { inclusive_scan(exec, x, y, settings); });
  by("inclusive_scan", [&] { inclusive_scan(exec, x, y, 1, settings); });
  by("inclusive_scan",
     [&] { inclusive_scan(exec, x, y, 1, Total(scalar), settings); });
  if (functors) {
    by("exclusive_scan_into", [&] { exclusive_scan_into(x, y); });
    by("exclusive_scan_into", [&] { exclusive_scan_into(x, y, 1); });
    by("inclusive_scan_into", [&] { inclusive_scan_into(x, y); });
    by("inclusive_scan_into", [&] { inclusive_scan_into(x, y, 1); });
  }
  EXPECT_TRUE(same_elements_as([&](std::size_t i) { return before[i]; },
                               elements_of(memory)));
  EXPECT_TRUE(same_bits(poison<float>(), scalar));
  EXPECT_TRUE(same_bits(poison<float>(), value_of(view)));
  EXPECT_EQ(route, last_route());
}

template <class Exec>
std::string address(Kokkos::View<float*, Exec> const& memory, std::size_t i) {
  return Impl::concatenate(static_cast<void const*>(memory.data() + i));
}

TYPED_TEST(ScanInterface, DifferentExtents) {
  auto const x = poisoned_array<float, TypeParam>(10);
  Kokkos::View<float*, TypeParam> const y("right", 13);
  expect_refused<TypeParam>(
      x, y, x, {"extents differ", "\"data\" of 10", "\"right\" of 13"});
}

TYPED_TEST(ScanInterface, NoMemory) {
  using Unmanaged =
      Kokkos::View<float*, TypeParam, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const x = poisoned_array<float, TypeParam>(10);
  Unmanaged const nothing(static_cast<float*>(nullptr), 10);
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
  EXPECT_NO_THROW(exclusive_scan(TypeParam(),
                                 Kokkos::subview(memory, Range(0, 50)),
                                 Kokkos::subview(memory, Range(50, 100))));
  EXPECT_NO_THROW(exclusive_scan(TypeParam(),
                                 Kokkos::subview(memory, Range(50, 100)),
                                 Kokkos::subview(memory, Range(0, 50))));
  Kokkos::fence();
}

template <class Exec>
void expect_overlap_of_other_shapes() {
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
  Kokkos::View<std::int8_t*, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      bytes(reinterpret_cast<std::int8_t*>(memory.data()), 100);
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

TYPED_TEST(ScanInterface, OverlapOfOtherShapes) {
  expect_overlap_of_other_shapes<TypeParam>();
}

template <class Exec>
void expect_bad_totals_refused() {
  auto const x = poisoned_array<float, Exec>(10);
  auto const y = poisoned_array<float, Exec>(10);
  Kokkos::View<float, Exec> const nothing;
  EXPECT_TRUE(has_parts(
      error_of([&] { exclusive_scan(Exec(), x, y, 0, Total(nothing)); }),
      {"KokkosMMA::exclusive_scan: ", "total View", "null", "allocate it"}));
  EXPECT_TRUE(has_parts(error_of([&] {
                          inclusive_scan(Exec(), x, y, 0,
                                         Total(Kokkos::subview(y, 9)));
                        }),
                        {"KokkosMMA::inclusive_scan: ", "total View \"data\"",
                         "is an element of \"data\"", address(y, 9)}));
  EXPECT_TRUE(has_parts(error_of([&] {
                          inclusive_scan(Exec(), x, y, 0,
                                         Total(Kokkos::subview(x, 0)));
                        }),
                        {"is an element of", address(x, 0)}));
  EXPECT_TRUE(same_elements_as([](std::size_t) { return poison<float>(); },
                               elements_of(y)));
}

TYPED_TEST(ScanInterface, BadTotals) { expect_bad_totals_refused<TypeParam>(); }

TYPED_TEST(ScanInterface, SettingsOutOfRange) {
  auto const x = poisoned_array<float, TypeParam>(10);
  auto const y = poisoned_array<float, TypeParam>(10);
  Settings settings;
  settings.chain_length = 33;
  expect_refused<TypeParam>(x, y, y, {"chain_length is 33", "1 to 32"},
                            settings, false);
  EXPECT_TRUE(
      has_parts(error_of([&] {
                  explain([&] { exclusive_scan(TypeParam(), x, y, settings); });
                }),
                {"KokkosMMA::exclusive_scan", "chain_length is 33"}));
  settings.chain_length = 0;
  settings.block_size   = 48;
  expect_refused<TypeParam>(x, y, y, {"block_size is 48", "multiples of 32"},
                            settings, false);
}

TYPED_TEST(ScanInterface, ForcedRouteThatCannotRun) {
  if (on_cuda<TypeParam>)
    GTEST_SKIP() << "both routes can run; strided Views have their own test";
  auto const x = poisoned_array<float, TypeParam>(10);
  auto const y = poisoned_array<float, TypeParam>(10);
  for (Route const route : {Route::mma, Route::streamed})
    expect_refused<TypeParam>(
        x, y, y,
        {"route " + std::string(to_string(route)) + " was asked for",
         "not Cuda", "auto or generic"},
        Settings{route}, false);
}

template <class Exec>
void expect_wish_in_scope() {
  auto const x = make_view<double, Exec>(100, [](std::size_t) { return 2; });
  auto const y = poisoned_array<double, Exec>(100);
  for (Route const wish : {Route::generic, Route::streamed, Route::mma}) {
    ScopedSettings const scope(Settings{wish});
    double total = poison<double>();
    EXPECT_NO_THROW(exclusive_scan(Exec(), x, y, 0, Total(total)));
    EXPECT_EQ(200., total);
    EXPECT_EQ(on_cuda<Exec> ? wish : Route::generic, last_route());
    EXPECT_EQ(wish, Impl::scoped_settings().route) << "the scope is left alone";
    // the call wins
    exclusive_scan(Exec(), x, y, Settings{Route::generic});
    EXPECT_EQ(Route::generic, last_route());
  }
  // A strided View under a wish for the tensor cores takes another route.
  auto const column = Kokkos::subview(
      Kokkos::View<double**, Kokkos::LayoutRight, Exec>("m", 100, 3),
      Kokkos::ALL, 1);
  ScopedSettings const scope(Settings{Route::mma});
  EXPECT_NO_THROW(exclusive_scan(Exec(), column, y));
  EXPECT_EQ(on_cuda<Exec> ? Route::streamed : Route::generic, last_route());
  Kokkos::fence();
}

TYPED_TEST(ScanInterface, RouteOfAScopeIsAWish) {
  expect_wish_in_scope<TypeParam>();
}

/// The papers' formulations are for reductions: auto goes elsewhere, a forced
/// mma says so.
template <class Exec>
void expect_formulations_refused() {
  auto const x = make_view<half_t, Exec>(100, [](std::size_t) { return 1; });
  auto const y = poisoned_array<float, Exec>(100);
  Settings settings{Route::automatic, Formulation::recurrence};
  EXPECT_NO_THROW(exclusive_scan(Exec(), x, y, settings));
  EXPECT_EQ(on_cuda<Exec> ? Route::streamed : Route::generic, last_route());
  settings.route = Route::mma;
  EXPECT_TRUE(
      has_parts(error_of([&] { exclusive_scan(Exec(), x, y, settings); }),
                {"route mma", on_cuda<Exec> ? "formulations" : "not Cuda"}));
  Kokkos::fence();
}

TYPED_TEST(ScanInterface, FormulationsOfThePapersAreForReductions) {
  expect_formulations_refused<TypeParam>();
}

TYPED_TEST(ScanInterface, EmptyViewsRecordARouteToo) {
  Kokkos::View<float*, TypeParam> const nothing;
  {
    ScopedSettings const scope(Settings{Route::generic});
    exclusive_scan(TypeParam(), nothing, nothing);
    EXPECT_EQ(Route::generic, last_route());
  }
  Route elsewhere = Route::mma;
  std::thread([&] { elsewhere = last_route(); }).join();
  EXPECT_EQ(Route::automatic, elsewhere);
}

TYPED_TEST(ScanInterface, Explanation) {
  auto const x           = poisoned_array<float, TypeParam>(10);
  auto const y           = poisoned_array<float, TypeParam>(10);
  std::string const text = explain([&] { exclusive_scan(TypeParam(), x, y); });
  if (!on_cuda<TypeParam>) {
    EXPECT_TRUE(has_parts(
        text, {"route generic", "not mma: the execution space is not Cuda",
               "not streamed: the execution space is not Cuda"}));
  } else if (mma_scan_pays(Scalar::float32, Scalar::float32)) {
    EXPECT_EQ("route mma", text);
  } else {
    EXPECT_TRUE(
        has_parts(text, {"route streamed", "not mma: shuffles are as fast"}));
  }
  EXPECT_TRUE(has_parts(explain([&] {
                          inclusive_scan(TypeParam(), x, y,
                                         Settings{Route::generic});
                        }),
                        {"route generic"}));
  if (on_cuda<TypeParam>) {
    EXPECT_TRUE(
        has_parts(explain([&] { exclusive_scan<double>(TypeParam(), x, y); }),
                  {"route streamed", "not mma: no tile kernel"}));
  }
  EXPECT_TRUE(same_elements_as([](std::size_t) { return poison<float>(); },
                               elements_of(y)))
      << "explaining runs nothing";
}

/// Labels of the scans that Kokkos Tools see while f runs.
template <class F>
std::vector<std::string> scan_labels_of(F const& f) {
  namespace Tools = Kokkos::Tools::Experimental;
  static std::vector<std::string> labels;
  auto const before = Tools::get_callbacks();
  labels.clear();
  Tools::set_begin_parallel_scan_callback(
      [](char const* name, std::uint32_t, std::uint64_t* id) {
        *id = 0;
        labels.push_back(name);
      });
  f();
  Kokkos::fence();
  Tools::set_callbacks(before);
  return labels;
}

template <class Input, class Output, class Exec>
void expect_label(std::string const& input) {
  Kokkos::View<Input*, Exec> const x("x", 100);
  Kokkos::View<Output*, Exec> const y("y", 100);
  for (Route const route : scan_routes<Input, Output, Exec>()) {
    Output total = 0;
    std::vector<std::string> labels;
    labels = scan_labels_of([&] {
      exclusive_scan(Exec(), x, y, Settings{route});
      inclusive_scan(Exec(), x, y, 1, Total(total), Settings{route});
    });
    std::string const kind =
        "[" + std::string(to_string(last_route())) + "," + input + "]";
    EXPECT_EQ((std::vector<std::string>{"KokkosMMA::exclusive_scan" + kind,
                                        "KokkosMMA::inclusive_scan" + kind}),
              labels);
  }
}

TYPED_TEST(ScanInterface, LabelsSayRouteAndType) {
  expect_label<half_t, float, TypeParam>(
      std::string(to_string(scalar_v<half_t>)));
  expect_label<std::int8_t, std::int32_t, TypeParam>("int8");
}

// --- the functors in Kokkos::parallel_scan ----------------------------------

template <class Exec>
void expect_label_of_the_user() {
  auto const x = make_view<double, Exec>(100, [](std::size_t) { return 1; });
  auto const y = poisoned_array<double, Exec>(100);
  EXPECT_EQ(std::vector<std::string>{"a label of the user"},
            scan_labels_of([&] {
              Kokkos::parallel_scan("a label of the user",
                                    Kokkos::RangePolicy<Exec>(0, 100),
                                    exclusive_scan_into(x, y));
            }));
}

TYPED_TEST(ScanInterface, LabelOfTheUserIsKept) {
  expect_label_of_the_user<TypeParam>();
}

/// A functor over [begin, end): the prefixes start at begin, nothing else is
/// written.
template <ScanKind Kind, class Input, class Output, class Exec>
void expect_functor(std::size_t size, std::size_t begin, std::size_t end) {
  Random random;
  SCOPED_TRACE(random.note() + ", from " + std::to_string(begin) + " to " +
               std::to_string(end));
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
          : sequential_scan<ScanKind::inclusive, std::int64_t>(part, 0).back();
  Kokkos::RangePolicy<Exec> const policy(begin, end);
  for (Route const route : scan_routes<Input, Output, Exec>()) {
    SCOPED_TRACE(scan_trace(route, Kind, size));
    ScopedSettings const scope(Settings{route});
    RouteProbe<Exec> probe;
    auto const y       = poisoned_array<Output, Exec>(size);
    auto const written = [&] {
      return same_elements_as(
          [&](std::size_t i) {
            return i < begin || i >= end
                       ? poison<Output>()
                       : static_cast<Output>(expected[i - begin]);
          },
          elements_of(y));
    };
    auto const erase = [&] {
      fill(y, [](std::size_t) { return poison<Output>(); });
    };
    auto const functor = [&] {
      if constexpr (Kind == ScanKind::exclusive) {
        return exclusive_scan_into(x, y, 11);
      } else {
        return inclusive_scan_into(x, y, 11);
      }
    }();
    Kokkos::parallel_scan("functor", policy, functor);
    if (begin == end) {
      // Kokkos' own, which does nothing
    } else if (on_cuda<Exec> && route == Route::automatic) {
      EXPECT_NE(Route::generic, last_route());
    } else {
      EXPECT_TRUE(probe.took(route));
    }
    ASSERT_TRUE(written());

    erase();
    A scalar = poison<A>();
    Kokkos::parallel_scan("functor", policy, functor, scalar);
    ASSERT_TRUE(written());
    if (begin < end) {
      ASSERT_EQ(static_cast<A>(sum), scalar);
    }

    erase();
    auto const view = poisoned_view<A, typename Exec::memory_space>();
    Kokkos::parallel_scan("functor", policy, functor, view);
    ASSERT_TRUE(written());
    if (begin < end) {
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
    expect_functor<ScanKind::exclusive, Input, Output, Exec>(size, begin, end);
    expect_functor<ScanKind::inclusive, Input, Output, Exec>(size, begin, end);
  }
}

TYPED_TEST(ScanInterface, FunctorsOfHalf) {
  expect_functors<half_t, float, TypeParam>();
}
TYPED_TEST(ScanInterface, FunctorsOfFloat) {
  expect_functors<float, float, TypeParam>();
}
TYPED_TEST(ScanInterface, FunctorsOfFlags) {
  expect_functors<std::int8_t, std::int32_t, TypeParam>();
}

template <class Exec>
void expect_count_as_policy() {
  std::size_t const n = 1000;
  using Space         = Kokkos::DefaultExecutionSpace;
  auto const x = make_view<double, Space>(n, [](std::size_t) { return 1; });
  auto const y = poisoned_array<double, Space>(n);
  double total = poison<double>();
  Kokkos::parallel_scan("offsets", n, exclusive_scan_into(x, y), total);
  EXPECT_EQ(double(n), total);
  EXPECT_TRUE(same_elements_as([](std::size_t i) { return double(i); },
                               elements_of(y)));
}

TEST(ScanFunctors, CountAsPolicy) {
  expect_count_as_policy<Kokkos::DefaultExecutionSpace>();
}

}  // namespace
