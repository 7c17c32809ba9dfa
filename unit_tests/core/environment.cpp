// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// core_environment EXPECTED: what the library reads in KOKKOSMMA_ROUTE,
// KOKKOSMMA_REPRODUCIBILITY, KOKKOSMMA_TILES, KOKKOSMMA_VERBOSE and
// KOKKOSMMA_REPORT, and that scope and call win over it. EXPECTED is a route.
// Fails with a line that says what was different.

#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/routing/KokkosMMA_CallTables.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

int failures = 0;
void expect(bool holds, std::string const& what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what.c_str());
  ++failures;
}

std::string seen(Settings call) {
  return std::string(to_string(effective_settings(call).route));
}

}  // namespace

int main(int argc, char** argv) {
  std::string const expected = argc > 1 ? argv[1] : "";
  expect(seen({}) == expected, "environment gives " + seen({}));
  for (Route const scope : {Route::generic, Route::streamed, Route::mma}) {
    ScopedSettings const settings(Settings{scope});
    expect(seen({}) == to_string(scope), "scope loses to the environment");
    for (Route const call : {Route::generic, Route::streamed, Route::mma})
      expect(seen(Settings{call}) == to_string(call), "call loses");
  }
  {
    // a scope that says something else leaves the route to the environment
    ScopedSettings const settings({.check_offsets = false});
    expect(seen({}) == expected, "environment lost in a scope");
    expect(!effective_settings().check_offsets, "offsets of the scope");
  }
  expect(seen({}) == expected, "a scope stayed behind");

  // A text that is no route is an error that explanations repeat.
  char const* const route = std::getenv("KOKKOSMMA_ROUTE");
  bool const wrong        = route && *route && route != expected;
  std::string const note  = KokkosMMA::Impl::environment_note();
  expect(note.empty() != wrong, "the note is \"" + note + "\"");
  if (wrong)
    expect(note.find('"' + std::string(route) + '"') != std::string::npos,
           "the value is not in the note: " + note);

  char const* const level = std::getenv("KOKKOSMMA_REPRODUCIBILITY");
  expect(to_string(effective_settings().reproducibility) ==
             (level ? level : "run_to_run"),
         "KOKKOSMMA_REPRODUCIBILITY");

  char const* const tiles = std::getenv("KOKKOSMMA_TILES");
  expect(environment_keeps_tiles() == (tiles && std::string(tiles) == "keep"),
         "KOKKOSMMA_TILES");

  char const* const verbose = std::getenv("KOKKOSMMA_VERBOSE");
  expect(KokkosMMA::Impl::environment_verbose() ==
             (verbose && std::string(verbose) == "1"),
         "KOKKOSMMA_VERBOSE");
  expect(environment_report() == environment_verbose() &&
             !environment_compare() && measures_calls() == environment_report(),
         "KOKKOSMMA_REPORT, which is set as KOKKOSMMA_VERBOSE");

#if !defined(_WIN32)
  // read once: two calls in a row agree whatever happens in between
  setenv("KOKKOSMMA_ROUTE", expected == "mma" ? "generic" : "mma", 1);
  expect(seen({}) == expected, "the environment was read again");
  std::string const asked =
      environment_report() ? std::getenv("KOKKOSMMA_REPORT") : "";
  setenv("KOKKOSMMA_REPORT", "later.json", 1);
  expect(requested_report() == asked, "the report is in " + requested_report());
#endif
  return failures;
}
