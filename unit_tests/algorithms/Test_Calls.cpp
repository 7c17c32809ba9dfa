// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all calls by name have in common: settings and routes that are refused,
// and write nothing; routes of a scope; explanations; labels; bits that repeat.

#include "NumericsSupport.hpp"
#include "SegmentedSupport.hpp"

#include <KokkosMMA_Recorder.hpp>

#include <algorithm>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

enum class Writes { scalar, value, y, result, grid, cells };
enum class Takes { all, no_mma, ours, other };

struct Call {
  std::string name;
  char const* types;  ///< as labels have them
  Takes takes;
  Writes writes;
  float last;  ///< the last number that it writes
};
std::vector<Call> const calls = {
    {"reduce", ",float", Takes::no_mma, Writes::scalar, 450},
    {"reduce", ",float", Takes::no_mma, Writes::value, 450},
    {"reduce", ",float", Takes::no_mma, Writes::scalar, 9},
    {"exclusive_scan", ",float", Takes::no_mma, Writes::y, 441},
    {"exclusive_scan", ",float", Takes::no_mma, Writes::y, 442},
    {"exclusive_scan", ",float", Takes::no_mma, Writes::scalar, 450},
    {"exclusive_scan", ",float", Takes::no_mma, Writes::value, 450},
    {"inclusive_scan", ",float", Takes::no_mma, Writes::y, 450},
    {"inclusive_scan", ",float", Takes::no_mma, Writes::y, 451},
    {"inclusive_scan", ",float", Takes::no_mma, Writes::scalar, 450},
    {"segmented_reduce", ",sum,float", Takes::no_mma, Writes::result, 45},
    {"segmented_reduce", ",max,float", Takes::no_mma, Writes::result, 9},
    {"segmented_reduce", ",sum,float", Takes::no_mma, Writes::result, 45},
    {"segmented_reduce", ",sum,float", Takes::ours, Writes::result, 10},
    {"segmented_inclusive_scan", ",sum,float", Takes::no_mma, Writes::y, 45},
    {"segmented_inclusive_scan", ",sum,float", Takes::no_mma, Writes::y, 45},
    {"segmented_exclusive_scan", ",sum,float", Takes::no_mma, Writes::y, 36},
    {"segmented_exclusive_scan", ",min,float", Takes::no_mma, Writes::y, 0},
    {"stencil", ",float", Takes::other, Writes::grid, 9},
    {"reduce", ",int8", Takes::all, Writes::scalar, 450},
    {"automaton", "", Takes::other, Writes::cells, 0},
    {"automaton", "", Takes::other, Writes::cells, 0}};

/// All cells have eight live neighbours.
struct Crowded {
  KOKKOS_FUNCTION int operator()(std::uint8_t state, int count) const {
    return count == 8 ? 0 : state;
  }
};

/// The calls on 100 floats, and all that they write, poisoned.
template <class Exec>
struct Data {
  Kokkos::View<float*, Exec> x =
      make_view<float, Exec>(100, [](std::size_t i) { return i % 10; });
  Kokkos::View<std::int8_t*, Exec> bytes =
      make_view<std::int8_t, Exec>(100, [](std::size_t i) { return i % 10; });
  Kokkos::View<int*, Exec> cuts =
      offsets_view<int, Exec>({0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  RowMajor<float, Exec> ones{"ones", 10, 10};
  float scalar                    = poison<float>();
  Kokkos::View<float, Exec> value = poisoned_view<float, Exec>();
  Guarded<float, Exec> y{100}, result{10}, grid{100};
  Kokkos::View<std::uint8_t**, Exec> cells{"cells", 10, 10};

  Data() {
    Kokkos::deep_copy(ones, 1);
    Kokkos::deep_copy(cells, 1);
  }

  void run(std::size_t which, Settings const& s) {
    Exec const exec;
    auto const to = y.view(), sums = result.view();
    Unmanaged<float**, Exec> const out(grid.view().data(), 10, 10);
    auto const torus = Boundaries<2>::all(Boundary::periodic);
    switch (which) {
      case 0: return reduce(exec, x, scalar, s);
      case 1: return reduce(exec, x, value, s);
      case 2: return reduce(exec, x, Kokkos::Max<float>(scalar), s);
      case 3: return exclusive_scan(exec, x, to, s);
      case 4: return exclusive_scan(exec, x, to, 1, s);
      case 5: return exclusive_scan(exec, x, to, 1, Total(scalar), s);
      case 6: return exclusive_scan(exec, x, to, 1, Total(value), s);
      case 7: return inclusive_scan(exec, x, to, s);
      case 8: return inclusive_scan(exec, x, to, 1, s);
      case 9: return inclusive_scan(exec, x, to, 1, Total(scalar), s);
      case 10: return segmented_reduce(exec, x, 10, sums, s);
      case 11: return segmented_reduce(exec, x, 10, sums, Maximum(), s);
      case 12: return segmented_reduce(exec, x, cuts, sums, s);
      case 13: return segmented_reduce(exec, ones, Axis{1}, sums, s);
      case 14: return segmented_inclusive_scan(exec, x, 10, to, s);
      case 15: return segmented_inclusive_scan(exec, x, cuts, to, s);
      case 16: return segmented_exclusive_scan(exec, x, cuts, to, s);
      case 17: return segmented_exclusive_scan(exec, x, 10, to, Minimum(), s);
      case 18:
        return stencil(exec, ones, out, StencilWeights<2>::box(1), torus, 1, s);
      case 19: return reduce(exec, bytes, scalar, s);
      case 20: return automaton(exec, cells, parse_rule("B3/S23"), torus, 1, s);
      default:
        return automaton(exec, cells, Neighbourhood::moore, 1, Crowded(), torus,
                         1, s);
    }
  }
  float last(Writes writes) const {
    switch (writes) {
      case Writes::scalar: return scalar;
      case Writes::value: return value_of(value);
      case Writes::y: return elements_of(y.view()).back();
      case Writes::result: return elements_of(result.view()).back();
      case Writes::grid: return elements_of(grid.view()).back();
      default: return float(host_copy(cells)(9, 9));
    }
  }
  bool untouched() const {
    auto const poisoned = [](auto const& view) {
      return bool(holds(view, poison<float>()));
    };
    auto const alive = host_copy(cells);
    return poisoned(y.all) && poisoned(result.all) && poisoned(grid.all) &&
           same_bits(scalar, poison<float>()) &&
           same_bits(value_of(value), poison<float>()) &&
           std::all_of(alive.data(), alive.data() + 100,
                       [](std::uint8_t cell) { return cell == 1; });
  }
};

KOKKOSMMA_TEST_EVERY_SPACE(Calls);

/// Every call, explained or run, and both policies refuse these settings with
/// these words and their own name; nothing is written.
template <class Exec>
void expect_refused(Settings const& settings,
                    std::vector<std::string> const& parts) {
  Data<Exec> data;
  Route const route    = last_route();
  Settings const scope = Impl::scoped_settings();
  auto const refused   = [&](std::string const& name, auto const& call) {
    std::string const text = error_of(call);
    EXPECT_TRUE(has_parts(text, parts));
    EXPECT_EQ(0u, text.find("KokkosMMA::" + name + ": ")) << text;
  };
  for (std::size_t which = 0; which < calls.size(); ++which) {
    SCOPED_TRACE(which);
    refused(calls[which].name, [&] { data.run(which, settings); });
    if (settings.route == Route::automatic) {
      EXPECT_NE("",
                error_of([&] { explain([&] { data.run(which, settings); }); }));
    }
  }
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  refused("SegmentPolicy",
          [&] { SegmentPolicy(Exec(), data.x, 10, settings); });
  refused("StencilPolicy", [&] {
    StencilPolicy(Exec(), data.ones, StencilWeights<2>::box(1), torus,
                  settings);
  });
  EXPECT_TRUE(data.untouched());
  EXPECT_EQ(route, last_route());
  EXPECT_EQ(scope, Impl::scoped_settings());
}

TYPED_TEST(Calls, ForcedRoutesThatCannotRun) {
  if (on_cuda<TypeParam>)
    GTEST_SKIP() << "what cannot run there depends on the call";
  for (Route const route : {Route::mma, Route::streamed})
    expect_refused<TypeParam>(
        Settings{route}, {joined("route ", route, " was requested"), "not Cuda",
                          "auto or generic"});
}

/// No enumerators: names and levels were looked up by them.
TYPED_TEST(Calls, SettingsOutOfRange) {
  expect_refused<TypeParam>(Settings{Route(17)},
                            {"the route of the settings is 17", "streamed"});
  expect_refused<TypeParam>({.reproducibility = Reproducibility(3)},
                            {"the level of the settings is 3", "exact"});
}

TYPED_TEST(Calls, RouteOfAScopeIsAWish) {
  using Exec = TypeParam;
  for (Route const requested : {Route::generic, Route::streamed, Route::mma})
    for (std::size_t which = 0; which < calls.size(); ++which) {
      SCOPED_TRACE(
          joined(calls[which].name, ", call ", which, ", ", requested));
      Data<Exec> data;
      ScopedSettings const scope(Settings{requested});
      EXPECT_NO_THROW(data.run(which, Settings()));
      EXPECT_EQ(calls[which].last, data.last(calls[which].writes));
      Takes const takes = calls[which].takes;
      if (takes == Takes::all || !on_cuda<Exec>) {
        EXPECT_EQ(on_cuda<Exec> ? requested : Route::generic, last_route());
      } else if (takes == Takes::no_mma) {
        EXPECT_EQ(requested == Route::mma ? Route::streamed : requested,
                  last_route());
      }
      EXPECT_EQ(requested, Impl::scoped_settings().route)
          << "scopes are left alone";
      // The call wins.
      data.run(which, Settings{Route::generic});
      EXPECT_EQ(Route::generic, last_route());
    }
}

TYPED_TEST(Calls, Explanations) {
  using Exec = TypeParam;
  Data<Exec> data;
  Route const before = last_route();
  for (std::size_t which = 0; which < calls.size(); ++which) {
    SCOPED_TRACE(joined(calls[which].name, ", call ", which));
    auto const explained = [&](Route route) {
      return explain([&] { data.run(which, Settings{route}); });
    };
    std::string const text = explained(Route::automatic);
    Takes const takes      = calls[which].takes;
    if (!on_cuda<Exec>) {
      EXPECT_TRUE(has_parts(
          text, {"route generic; neither mma nor streamed: the execution space "
                 "is not Cuda"}));
    } else if (takes != Takes::other) {
      EXPECT_TRUE((takes != Takes::no_mma && text == "route mma") ||
                  has_parts(text, {"route streamed; not mma: "}))
          << text;
    }
    EXPECT_EQ(0u, text.find("route "));
    EXPECT_TRUE(has_parts(explained(Route::generic), {"route generic"}));
    // An order is explained, not thrown.
    if (!on_cuda<Exec> || takes == Takes::no_mma) {
      EXPECT_TRUE(has_parts(explained(Route::mma),
                            {"no route: mma was requested and cannot run"}));
    }
  }
  std::string const both = explain([&] {
    for (std::size_t const which : {1, 7}) data.run(which, {});
  });
  EXPECT_EQ(1, std::count(both.begin(), both.end(), '\n'));
  EXPECT_TRUE(data.untouched()) << "explaining runs nothing";
  EXPECT_EQ(before, last_route());
  expect_error({"KokkosMMA::explain: ", "does not call"},
               [] { explain([] {}); });
}

TYPED_TEST(Calls, LevelExact) {
  using Exec = TypeParam;
  for (std::size_t which = 0; which < 18; ++which) {
    Call const& call = calls[which];
    SCOPED_TRACE(joined(call.name, ", call ", which));
    // No scans of segments, and nothing but sums.
    bool const offered = which < 14 && which != 2 && which != 11;
    Data<Exec> data;
    auto const by = [](Route route) {
      return Settings{.route           = route,
                      .reproducibility = Reproducibility::exact};
    };
    auto const refused = [&](std::vector<std::string> parts,
                             Settings const& settings) {
      parts.push_back("KokkosMMA::" + call.name + ": ");
      expect_error(parts, [&] { data.run(which, settings); });
      EXPECT_TRUE(data.untouched());
    };
    auto const runs = [&](Settings const& settings) {
      Data<Exec> fresh;
      fresh.run(which, settings);
      EXPECT_EQ(call.last, fresh.last(call.writes));
    };
    Settings const exactly = by(Route::automatic);
    if (offered) {
      refused({"route mma"}, by(Route::mma));
      if (on_cuda<Exec>)
        refused({"level exact", "route generic"}, by(Route::generic));
      expect_explained(
          {on_cuda<Exec> ? "route streamed" : "route generic", "; level exact"},
          [&] { data.run(which, exactly); });
      runs(exactly);
      // Of a host that is the one order that devices have, too.
      if (!on_cuda<Exec>)
        runs({.reproducibility = Reproducibility::device_independent});
    } else {
      refused({"level exact"}, exactly);
    }
    // Calls that do not support the level of a scope run without it.
    ScopedSettings const scope(exactly);
    std::string const text = explain([&] { data.run(which, {}); });
    EXPECT_EQ(offered, text.find("; level exact") != text.npos) << text;
    runs({});
    for (Route const route : {Route::generic, Route::mma}) {
      ScopedSettings const of_route(Settings{route});
      runs({});
    }
  }
}

/// The same bits in every run, by every route that can run.
template <class Exec, class T>
void expect_same_bits() {
  Random random;
  std::size_t const size = 300007;
  auto const x           = make_view<T, Exec>(
      size, [&](std::size_t) { return static_cast<T>(random.normal()); });
  auto const check = [&](std::string const& name, auto const& call) {
    for (Route const route :
         {Route::automatic, Route::generic, Route::streamed, Route::mma}) {
      SCOPED_TRACE(joined(name, ", route ", route));
      auto const run = [&] {
        auto const y = poisoned_array<wide_t<T>, Exec>(size);
        call(y, Settings{route});
        return y;
      };
      if (explain(run).find("no route") != std::string::npos) continue;
      auto const first = elements_of(run());
      for (int i = 0; i < 5; ++i) ASSERT_TRUE(holds(run(), first));
    }
  };
  auto const first = [](auto const& y, std::size_t count) {
    return Kokkos::subview(y, Range(0, count));
  };
  Exec const exec;
  check("reduce", [&](auto const& y, Settings const& s) {
    reduce(exec, x, Kokkos::subview(y, 0), s);
  });
  check("exclusive_scan", [&](auto const& y, Settings const& s) {
    exclusive_scan(exec, x, y, s);
  });
  check("inclusive_scan", [&](auto const& y, Settings const& s) {
    inclusive_scan(exec, x, y, s);
  });
  if constexpr (sizeof(T) > 2) {
    for (std::size_t const length : {13, 1000, 150000})
      check(joined("length ", length), [&](auto const& y, Settings const& s) {
        segmented_reduce(exec, x, length,
                         first(y, (size + length - 1) / length), s);
      });
    auto const offsets = offsets_view<std::int64_t, Exec>(
        offsets_of({5, 0, 170000, 3, 1, 90000, 77, 1000}));
    check("offsets", [&](auto const& y, Settings const& s) {
      segmented_reduce(exec, x, offsets, first(y, 8), s);
    });
    check("scan of lengths", [&](auto const& y, Settings const& s) {
      segmented_exclusive_scan(exec, x, 150000, y, s);
    });
    check("scan of offsets", [&](auto const& y, Settings const& s) {
      segmented_inclusive_scan(exec, x, offsets, y, s);
    });
    // Long runs, and nine of one element between them.
    auto const keys = make_view<int, Exec>(size, [](std::size_t i) {
      return i % 40009 < 9 ? -int(i) : int(i / 40009);
    });
    Kokkos::View<int*, Exec> const unique("unique", size);
    check("reduce_by_key", [&](auto const& y, Settings const& s) {
      reduce_by_key(exec, keys, x, unique, y, s);
    });
    check("inclusive_scan_by_key", [&](auto const& y, Settings const& s) {
      inclusive_scan_by_key(exec, keys, x, y, s);
    });
  }
}
/// Integer sums are the same in any order, so they have every level.
TYPED_TEST(Calls, LevelsOfIntegers) {
  using Exec = TypeParam;
  Settings const exactly{.reproducibility = Reproducibility::exact};
  auto const torus = Boundaries<2>::all(Boundary::periodic);
  Kokkos::View<std::uint8_t**, Exec> const cells("cells", 10, 10);
  Kokkos::deep_copy(cells, std::uint8_t(1));
  Kokkos::View<int**, Exec> const in("in", 10, 10), out("out", 10, 10);
  Kokkos::deep_copy(in, 2);
  stencil(Exec(), in, out, StencilWeights<2>::box(1), torus, 1, exactly);
  EXPECT_EQ(18, host_copy(out)(3, 4));
  automaton(Exec(), cells, parse_rule("B3/S23"), torus, 1, exactly);
  EXPECT_EQ(0, host_copy(cells)(3, 4));
  Kokkos::View<float**, Exec> const floats("floats", 10, 10);
  expect_error({"KokkosMMA::stencil: ", "level exact", "order"}, [&] {
    stencil(Exec(), floats, Kokkos::View<float**, Exec>("to", 10, 10),
            StencilWeights<2>::box(1), torus, 1, exactly);
  });
}

TYPED_TEST(Calls, SameBitsInEveryRun) {
  expect_same_bits<TypeParam, float>();
  expect_same_bits<TypeParam, double>();
  expect_same_bits<TypeParam, half_t>();
}

TYPED_TEST(Calls, Labels) {
  using Exec = TypeParam;
  Data<Exec> data;
  for (Route const route : {Route::generic, Route::automatic})
    for (std::size_t which = 0; which < calls.size(); ++which) {
      auto const& name = calls[which].name;
      SCOPED_TRACE(joined(name, ", call ", which, ", ", route));
      Settings settings{route};
      // Else a kernel of its own.
      settings.check_offsets = false;
      char const* const kind =
          name == "reduce"                                       ? "reduce "
          : name == "exclusive_scan" || name == "inclusive_scan" ? "scan "
                                                                 : "for ";
      auto const expect_label = [&](std::string const& label) {
        Recorder const recorder;
        data.run(which, settings);
        Kokkos::fence();
        // Kokkos allocates scratch when it is first asked for.
        auto& events = Recorder::events;
        std::erase_if(events, [&](std::string const& event) {
          return event.starts_with("allocate ") ||
                 (name != "segmented_reduce" && name != "stencil" &&
                  !event.starts_with("begin "));
        });
        std::vector<std::string> expected = {"begin " + (kind + label)};
        if (name == "segmented_reduce" || name == "stencil")
          expected.push_back("end");
        // An automaton may take several kernels.
        if (name == "automaton")
          events.erase(std::unique(events.begin(), events.end()), events.end());
        EXPECT_EQ(expected, events);
      };
      data.run(which, settings);
      std::string const of_route = joined(
          "KokkosMMA::", name, "[", last_route(), calls[which].types, "]");
      expect_label(of_route);
      {
        ScopedSettings const outer({.label = "a scope's"});
        ScopedSettings const inner({.label = "an inner scope's"});
        expect_label(of_route);
        settings.label = "mine";
        expect_label("mine");
      }
      std::string const longer = "a label that is longer than a short string";
      settings.label           = longer;
      expect_label(longer);
    }
}

}  // namespace
