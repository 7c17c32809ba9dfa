// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What perf_tune makes of times that are known: exit 1 and a line for each
// choice that is another one. With the path of a file it writes a table of a
// machine that is not here, for the tests of perf_tune.

#include <core/routing/KokkosMMA_TuningFile.hpp>

#include <cstdio>
#include <fstream>
#include <vector>

#include "Perf_TuneChoice.hpp"

namespace {

int failures = 0;
void expect(std::size_t expected, std::size_t chosen, char const* what) {
  if (expected == chosen) return;
  std::printf("%s: candidate %zu instead of %zu\n", what, chosen, expected);
  ++failures;
}

/// Cases at 1, 2, 4, 8; candidates are limits from which on the case is taken,
/// the built-in one first.
std::size_t limit(std::vector<perf::BothWays> const& cases) {
  std::vector<int> const limits{4, 1, 2, 8, 1000};
  std::vector<int> const at{1, 2, 4, 8};
  return perf::cheapest_decisions(
      limits.size(), cases,
      [&](std::size_t c, std::size_t i) { return at[i] >= limits[c]; });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    KokkosMMA::Impl::TuningFile file{{}, {"NVIDIA H200", 90, 132}, "2026-11-21"};
    file.table.scan_spread_tiles = 128;
    return std::ofstream(argv[1]) << KokkosMMA::Impl::write_tuning(file) ? 0 : 1;
  }
  perf::BothWays const wins{1, 2}, loses{2, 1}, even{1, 1.005}, close{1.004, 1};
  expect(0, limit({loses, loses, wins, wins}), "the built-in limit is right");
  expect(1, limit({wins, wins, wins, wins}), "taken everywhere");
  expect(2, limit({loses, wins, wins, wins}), "from the second on");
  expect(3, limit({loses, loses, loses, wins}), "from the last on");
  expect(4, limit({loses, loses, loses, loses}), "never");
  expect(0, limit({even, close, even, close}), "noise changes nothing");
  expect(0, limit({loses, close, even, wins}), "noise around the limit");
  // One case out of order is outvoted, a costly one is not.
  expect(1, limit({{1, 3}, {1.1, 1}, {1, 3}, {1, 3}}), "a small exception");
  expect(0, limit({{1.1, 1}, {9, 1}, {1, 3}, {1, 3}}), "a large exception");

  expect(0, perf::fastest_value({{1, 1}, {0.995, 0.995}}), "noise");
  expect(1, perf::fastest_value({{1, 1}, {0.9, 0.95}}), "a faster value");
  expect(0, perf::fastest_value({{1, 1}, {0.9, 1.2}}), "faster in one case");
  expect(2, perf::fastest_value({{1, 1}, {0.9, 0.9}, {0.8, 0.8}}), "of three");
  if (failures == 0) std::printf("all choices are as expected\n");
  return failures ? 1 : 0;
}
