// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What perf_tune makes of times that are known: exit 1 and a line for each
// choice that is another one. With the path of a file it writes a table of a
// machine that is not here, for the tests of perf_tune.

#include <core/routing/KokkosMMA_TuningFile.hpp>

#include <cstdio>
#include <fstream>
#include <thread>

#include "tune/Perf_TuneChoice.hpp"

namespace {

using perf::BothWays;
using Times = std::vector<double>;

int failures = 0;
void expect(std::size_t expected, std::size_t chosen, char const* what) {
  if (expected == chosen) return;
  std::printf("%s: candidate %zu instead of %zu\n", what, chosen, expected);
  ++failures;
}
void expect(bool right, char const* what) { expect(1, right ? 1 : 0, what); }

/// The same times in every round.
BothWays steady(double taken, double left) {
  return {Times(5, taken), Times(5, left)};
}

/// Cases at 1, 2, 4, 8; candidates are limits from which on the case is taken,
/// the built-in one first.
std::size_t limit(std::vector<BothWays> const& cases) {
  std::vector<int> const limits{4, 1, 2, 8, 1000};
  std::vector<int> const at{1, 2, 4, 8};
  return perf::best_decisions(
      limits.size(), cases,
      [&](std::size_t c, std::size_t i) { return at[i] >= limits[c]; });
}

void rounds() {
  // The clock halves from round to round; the ratio stays.
  BothWays const drifting({1, 2, 4, 8, 16}, {1.1, 2.2, 4.4, 8.8, 17.6});
  expect(drifting.certain_gain() > 0.09, "rounds that drift together");
  BothWays const outlier({1, 1, 9, 1, 1}, {1.1, 1.1, 1.1, 1.1, 1.1});
  expect(outlier.certain_gain() > 0.09, "one slow round");
  // 5 % faster in the median, by 20 % more or less from round to round.
  BothWays const noisy({1, 1, 1, 1, 1}, {0.9, 1.25, 1.05, 0.9, 1.25});
  expect(noisy.gain > 0.02 && noisy.certain_gain() == 0, "spread above gain");
  expect(steady(1, 1.015).certain_gain() == 0, "a steady gain below 2 %");
  expect(steady(1, 1.03).certain_gain() > 0, "a steady gain above 2 %");
  expect(steady(1.03, 1).certain_gain() < 0, "a steady loss above 2 %");
}

void decisions() {
  BothWays const wins = steady(1, 2), loses = steady(2, 1),
                 even = steady(1, 1.015), close = steady(1.014, 1),
                 noisy({1, 1, 1, 1, 1}, {0.9, 1.25, 1.05, 0.9, 1.25});
  expect(0, limit({loses, loses, wins, wins}), "the built-in limit is right");
  expect(1, limit({wins, wins, wins, wins}), "taken everywhere");
  expect(2, limit({loses, wins, wins, wins}), "from the second on");
  expect(3, limit({loses, loses, loses, wins}), "from the last on");
  expect(4, limit({loses, loses, loses, loses}), "never");
  expect(0, limit({even, close, even, close}), "noise changes nothing");
  expect(0, limit({loses, close, even, wins}), "noise around the limit");
  expect(0, limit({noisy, noisy, wins, wins}), "spread changes nothing");
  // One case out of order is outvoted, a costly one is not.
  BothWays const slightly = steady(1.1, 1), greatly = steady(9, 1);
  expect(1, limit({wins, slightly, wins, wins}), "a small exception");
  expect(0, limit({slightly, greatly, wins, wins}), "a large exception");
  expect(0, limit({}), "nothing measured");
}

/// Samples are taken in turn, first to last and last to first, after a call
/// that is not timed; a single side has none.
void turns() {
  perf::Exec const exec;
  perf::DeviceTimer timer(exec);
  std::string order;
  auto const named = [&](char name, bool slow) {
    return perf::Timed{
        .call =
            [slow](std::size_t) {
              if (slow)
                std::this_thread::sleep_for(std::chrono::milliseconds(6));
            },
        .prepare = [&, name] { order += name; }};
  };
  auto const samples =
      timer.sample_in_turn(4, {named('a', false), named('b', true)});
  expect(order == "aaabbabbaabba", ("order " + order).c_str());
  expect(4, samples[0].seconds.size(), "samples");
  expect(samples[0].median() < 5e-3 && samples[1].median() >= 6e-3,
         "whose samples are whose");
  std::size_t calls = 0;
  perf::Timed counted{.call = [&](std::size_t k) { calls = k + 1; }};
  timer.sample(3, counted);
  expect(1 + 1 + 4 + 3 * 256, calls, "calls of samples of 200 us at most");
  counted.most_calls = 8;
  timer.sample(3, counted);
  expect(1 + 1 + 4 + 3 * 8, calls, "no more calls than allowed");
  order.clear();
  timer.sample_in_turn(100, {named('a', true)}, 0.02);
  expect(order == "aaaaa", ("a budget: " + order).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    KokkosMMA::Impl::TuningFile file{
        {}, {"NVIDIA H200", 90, 132}, "2026-11-21"};
    file.table.dot_mma_double    = 0;
    file.table.tiny_csr_bytes    = 128;
    file.table.dense_taps_double = KokkosMMA::Impl::never;
    return std::ofstream(argv[1]) << KokkosMMA::Impl::write_tuning(file) ? 0
                                                                         : 1;
  }
  Kokkos::ScopeGuard const kokkos;
  turns();
  rounds();
  decisions();
  if (failures == 0) std::printf("all choices are as expected\n");
  return failures ? 1 : 0;
}
