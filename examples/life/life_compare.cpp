// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs life_plain and life as processes of their own and prints side by side
// what they find and how fast each is.

#include "../common/command_line.hpp"
#include "../common/comparison.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "life_data_dir.hpp"  // written by CMake

namespace {

char const* const help =
    R"(usage: life_compare [options]

Compares life_plain, plain Kokkos, with life, which uses kokkos-mma: times on large soups, then
patterns of which is known what they become and small soups, where every cell must be the same.

  --no-performance   no large soups
  --size N           large soups of N by N cells (default: 512, 16384 on a device)
  --steps S          generations of a large soup (default: 8, 64 on a device)
  --runs N           timed runs of each program, alternating (default: 5)
  --repeat K         measurements in a run, of which the median counts (default: 3)
  --data-dir DIR     folder of the patterns
  --program-dir DIR  folder of the two programs (default: that of this program)
  --summary FILE     append the speedups to FILE, a line each
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

struct Truth {
  char const* pattern;
  char const* size;
  char const* generations;
  char const* population;
};

// The last two take too long on a host.
constexpr Truth truths[] = {{"diehard", "64", "130", "0"},
                            {"gosper_gun", "160", "300", "86"},
                            {"acorn", "384", "300", "178"},
                            {"r_pentomino", "544", "1103", "116"},
                            {"acorn", "2512", "5206", "633"}};

struct NamedRule {
  char const* name;
  char const* rule;
  char const* generations;  // of a small soup
};

// The first three are timed on large soups, too.
constexpr NamedRule rules[] = {
    {"Life", "B3/S23", "20"},
    {"Star Wars, 4 states", "345/2/4", "20"},
    {"Bugs, radius 5", "R5,C0,M1,S34..58,B34..45,NM", "6"},
    {"von Neumann", "B2/S013V", "20"},
    {"diamond, radius 3", "R3,C4,M0,S5-9,B4-6,8,NN", "10"},
    {"majority, radius 16", "R16,C0,M1,S545..1089,B545..1089,NM", "2"}};

class Report {
 public:
  Report(std::filesystem::path programs, Summary summary)
      : m_programs(std::move(programs)), m_summary(std::move(summary)) {
    m_on_device = run({"--soup", "--size", "16", "--steps", "1"})
                      .plain[0]
                      .text("runs_on") == "device";
  }

  Runs run(std::vector<std::string> const& arguments, int runs = 1) const {
    auto const start = [&](char const* name) {
      FinishedProgram run = start_and_wait(m_programs / name, arguments);
      run.require_success();
      return run;
    };
    Runs both = run_in_turn(
        runs, [&] { return start("life_plain"); },
        [&] { return start("life"); });
    FinishedProgram const& plain = both.plain[0];
    for (FinishedProgram const& mma : both.other) {
      if (plain.text("digest") == mma.text("digest")) continue;
      throw std::runtime_error("after " + plain.text("generations") +
                               " generations of " + plain.text("pattern") +
                               " with the rule " + mma.text("rule") +
                               " the two programs have different cells");
    }
    return both;
  }

  void times(std::int64_t size, std::int64_t steps, int runs, int repeat) {
    if (size == 0) size = m_on_device ? 16384 : 512;
    if (steps == 0) steps = m_on_device ? 64 : 8;
    std::vector<TimedCase> cases;
    double ceiling = 0;
    std::string space;
    for (NamedRule const* rule = rules; rule != rules + 3; ++rule) {
      Runs const both =
          run({"--soup", "--size", std::to_string(size), "--steps",
               std::to_string(steps), "--repeat", std::to_string(repeat),
               "--boundary", "periodic", "--rule", rule->rule},
              runs);
      auto const of_one = [&](std::vector<FinishedProgram> const& programs) {
        std::vector<double> seconds = numbers(programs, "seconds");
        for (double& value : seconds) value /= static_cast<double>(steps);
        return seconds;
      };
      // A generation that is read and written once moves two bytes per cell.
      cases.push_back(
          {rule->name,
           2 * static_cast<double>(size) * static_cast<double>(size),
           {{"plain Kokkos", of_one(both.plain)},
            {"automaton()", of_one(both.other)}}});
      ceiling = std::max(ceiling, largest(both, "copy_GBps"));
      space   = both.plain[0].text("execution_space");
    }
    std::printf(
        "\nTimes of a generation of %lld x %lld cells on a torus, %s.\n"
        "Shortest of %d alternating runs of each program; %lld generations "
        "each.\n",
        static_cast<long long>(size), static_cast<long long>(size),
        space.c_str(), runs, static_cast<long long>(steps));
    print_times(cases, ceiling, "a deep_copy of the cells, read plus written");
    std::printf(
        "automaton(): one call for all generations, which on a GPU reads the "
        "cells less\noften than once per generation.\n");
    m_summary.machine(space);
    m_summary.times(cases);
  }

  void truth(std::filesystem::path const& folder) const {
    std::printf("\nResults.\n\n  %-12s %12s %11s %9s %11s %9s\n", "pattern",
                "generations", "population", "plain", "kokkos-mma", "grid");
    for (Truth const& truth : truths) {
      if (&truth >= truths + 3 && !m_on_device) continue;
      auto const file = folder / (std::string(truth.pattern) + ".rle");
      Runs const both = run(
          {"--size", truth.size, "--steps", truth.generations, file.string()});
      std::string const found = both.other[0].text("population");
      std::printf("  %-12s %12s %11s %9s %11s %9s\n", truth.pattern,
                  truth.generations, truth.population,
                  both.plain[0].text("population").c_str(), found.c_str(),
                  (std::string(truth.size) + "^2").c_str());
      if (found != truth.population) {
        throw std::runtime_error(std::string(truth.pattern) + " has " + found +
                                 " cells instead of " + truth.population);
      }
    }
    for (NamedRule const& rule : rules) {
      for (char const* const boundary : {"constant", "periodic"}) {
        run({"--soup", "--size", "53", "--steps", rule.generations,
             "--boundary", boundary, "--rule", rule.rule});
      }
    }
    std::printf(
        "\nSmall soups with %d rules, with and without a torus: the same "
        "cells.\n"
        "Both programs have the same cells, and the known populations.\n",
        static_cast<int>(std::size(rules)));
  }

 private:
  std::filesystem::path m_programs;
  Summary m_summary;
  bool m_on_device = false;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = life_data_dir;
  std::filesystem::path summary;
  bool performance   = true;
  std::int64_t size  = 0;
  std::int64_t steps = 0;
  int runs           = 5;
  int repeat         = 3;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--size") {
      size = arguments.integer(16, 1 << 17);
    } else if (word == "--steps") {
      steps = arguments.integer(1, 1000000);
    } else if (word == "--runs") {
      runs = static_cast<int>(arguments.integer(1, 1000));
    } else if (word == "--repeat") {
      repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--data-dir") {
      data_dir = arguments.value();
    } else if (word == "--program-dir") {
      programs = arguments.value();
    } else if (word == "--summary") {
      summary = arguments.value();
    } else if (word == "--help") {
      std::fputs(help, stdout);
      return 0;
    } else {
      arguments.refuse();
    }
  }
  arguments.refuse_operands();

  std::printf(
      "Cellular automata: life_plain.cpp, plain Kokkos, and life.cpp, with "
      "kokkos-mma\n");
  Report report(programs, Summary(summary, "life"));
  if (performance) report.times(size, steps, runs, repeat);
  report.truth(data_dir);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc, argv);
  } catch (InputError const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "life_compare: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "life_compare: %s\n", error.what());
    return 1;
  }
}
