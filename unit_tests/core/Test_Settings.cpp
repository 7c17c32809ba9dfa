// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>

#if KOKKOSMMA_VERSION < 100 || KOKKOSMMA_VERSION >= 10000
#error "KOKKOSMMA_VERSION must be usable in preprocessor conditions"
#endif
#if KOKKOSMMA_VERSION_MAJOR != 0 || KOKKOSMMA_VERSION_MINOR < 1 || \
    KOKKOSMMA_VERSION_PATCH < 0
#error "the parts of the version must be usable in preprocessor conditions"
#endif

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

static_assert(KOKKOSMMA_VERSION == KOKKOSMMA_VERSION_MAJOR * 10000 +
                                       KOKKOSMMA_VERSION_MINOR * 100 +
                                       KOKKOSMMA_VERSION_PATCH);

TEST(ParseRoute, NamesOfAllRoutes) {
  EXPECT_EQ(Route::automatic, parse_route("auto").value);
  EXPECT_EQ(Route::automatic, parse_route("").value);
  EXPECT_EQ(Route::generic, parse_route("generic").value);
  EXPECT_EQ(Route::streamed, parse_route("streamed").value);
  EXPECT_EQ(Route::mma, parse_route("mma").value);
  for (char const* const text : {"auto", "generic", "streamed", "mma", ""})
    EXPECT_EQ("", parse_route(text).error);
}

TEST(ParseRoute, EverythingElseIsAnErrorAndNoRoute) {
  for (char const* const text :
       {"MMA", "automatic", "mma ", " mma", "mm", "mmaa", "generic,mma"}) {
    EXPECT_EQ(Route::automatic, parse_route(text).value);
    std::string const error = parse_route(text).error;
    EXPECT_TRUE(contains(error, "KOKKOSMMA_ROUTE")) << text << ": " << error;
    EXPECT_TRUE(contains(error, '"' + std::string(text) + '"')) << error;
    EXPECT_TRUE(contains(error, "auto, generic, streamed or mma")) << error;
  }
}

TEST(ParseLevel, NamesOfAllLevels) {
  for (Reproducibility const level :
       {Reproducibility::run_to_run, Reproducibility::device_independent,
        Reproducibility::exact}) {
    EXPECT_EQ(level, parse_level(to_string(level)).value);
    EXPECT_EQ("", parse_level(to_string(level)).error);
  }
  EXPECT_EQ("", parse_level("").error);
  for (char const* const text : {"EXACT", "exact ", "gpu_to_gpu", "2"}) {
    EXPECT_EQ(Reproducibility::run_to_run, parse_level(text).value);
    std::string const error = parse_level(text).error;
    EXPECT_TRUE(contains(error, "KOKKOSMMA_REPRODUCIBILITY")) << error;
    EXPECT_TRUE(contains(error, '"' + std::string(text) + '"')) << error;
    EXPECT_TRUE(contains(error, "run_to_run, device_independent or exact"));
  }
}

TEST(ScopedSettings, HighestLevelWins) {
  auto const at = [](Reproducibility level) {
    return Settings{.reproducibility = level};
  };
  using enum Reproducibility;
  ScopedSettings const outer(at(device_independent));
  EXPECT_EQ(device_independent, effective_settings().reproducibility);
  EXPECT_EQ(exact, effective_settings(at(exact)).reproducibility);
  ScopedSettings const inner(at(exact));
  EXPECT_EQ(exact, effective_settings(at(device_independent)).reproducibility);
}

TEST(ScopedSettings, InnerScopeWinsWhereItSaysSomething) {
  Settings const outer_settings{Route::streamed, false};
  ScopedSettings const outer(outer_settings);
  EXPECT_EQ(outer_settings, effective_settings());
  {
    ScopedSettings const inner({});
    EXPECT_EQ(outer_settings, effective_settings());
    {
      ScopedSettings const innermost(Settings{Route::generic});
      EXPECT_EQ((Settings{Route::generic, false}), effective_settings());
    }
    EXPECT_EQ(outer_settings, effective_settings());
  }
  EXPECT_EQ(outer_settings, effective_settings());
}

TEST(ScopedSettings, CallWinsOverScope) {
  ScopedSettings const scope(Settings{Route::streamed});
  EXPECT_EQ(Settings{Route::mma}, effective_settings(Settings{Route::mma}));
}

TEST(ScopedSettings, UncheckedOffsetsOfAScope) {
  EXPECT_TRUE(effective_settings().check_offsets);
  Settings const unchecked{.check_offsets = false};
  EXPECT_FALSE(effective_settings(unchecked).check_offsets);
  ScopedSettings const scope(unchecked);
  EXPECT_FALSE(effective_settings().check_offsets);
}

// The characters of a label need not outlive a call.
static_assert([] {
  Settings settings{.label = "norm"};
  return settings.label == "norm" && without_label(settings) == Settings{};
}());

TEST(ScopedSettings, LabelsAreOfOneCall) {
  ScopedSettings const outer(Settings{.label = "outer"});
  ScopedSettings const inner({.route = Route::generic, .label = "inner"});
  EXPECT_EQ("", scoped_settings().label);
  EXPECT_EQ("", effective_settings().label);
  EXPECT_EQ("call", effective_settings({.label = "call"}).label);
}

TEST(ScopedSettings, EndsWithAnException) {
  Settings const before = scoped_settings();
  try {
    ScopedSettings const scope(Settings{Route::generic});
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(before, scoped_settings());
}

TEST(ScopedSettings, OfThisThreadOnly) {
  ScopedSettings const scope(Settings{Route::streamed, false});
  Settings other{Route::mma, false};
  std::thread([&] { other = scoped_settings(); }).join();
  EXPECT_EQ(Settings{}, other);
}

}  // namespace
