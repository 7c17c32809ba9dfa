// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs life_plain and life as processes of their own and prints side by side
// what they find and how fast each is.

#include "../common/command_line.hpp"
#include "../common/side_by_side.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "life_data_dir.hpp"  // written by CMake

namespace {

char const* const help =
    R"(usage: life_compare [options]

Runs life_plain, plain Kokkos, and life, with kokkos-mma, on patterns of which is known what they
become, and on large soups; compares every cell; prints time and fraction of the copy ceiling.

  --no-performance   no soups
  --size N           soups of N by N cells (default: 1024, 16384 on a device)
  --steps S          generations of a soup (default: 8, 64 on a device)
  --repeat K         timed runs, of which the median counts (default: 5)
  --data-dir DIR     where the patterns are
  --program-dir DIR  where the two programs are (default: beside this one)
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

struct Pair {
  FinishedProgram plain;
  FinishedProgram mma;
};

struct Truth {
  char const* pattern;
  char const* size;
  char const* generations;
  char const* population;
};

// The last two take a host too long.
constexpr Truth truths[] = {{"diehard", "64", "130", "0"},
                            {"gosper_gun", "160", "300", "86"},
                            {"acorn", "384", "300", "178"},
                            {"r_pentomino", "544", "1103", "116"},
                            {"acorn", "2512", "5206", "633"}};

class Report {
 public:
  explicit Report(std::filesystem::path programs)
      : m_programs(std::move(programs)) {}

  Pair run(std::vector<std::string> const& arguments) {
    Pair pair{start_and_wait(m_programs / "life_plain", arguments),
              start_and_wait(m_programs / "life", arguments)};
    pair.plain.require_success();
    pair.mma.require_success();
    m_on_device = pair.plain.text("runs_on") == "device";
    if (pair.plain.text("digest") != pair.mma.text("digest")) {
      throw std::runtime_error("after " + pair.plain.text("generations") +
                               " generations of " + pair.plain.text("pattern") +
                               " the two programs have different cells");
    }
    return pair;
  }

  bool on_device() const { return m_on_device; }

  void truth(std::filesystem::path const& folder, Truth const& truth) {
    auto const file = folder / (std::string(truth.pattern) + ".rle");
    Pair const pair = run(
        {"--size", truth.size, "--steps", truth.generations, file.string()});
    std::string const found = pair.mma.text("population");
    std::printf("%-12s %12s %11s %9s %9s %9s\n", truth.pattern,
                truth.generations, truth.population,
                pair.plain.text("population").c_str(), found.c_str(),
                (std::string(truth.size) + "^2").c_str());
    if (found != truth.population) {
      throw std::runtime_error(std::string(truth.pattern) + " has " + found +
                               " cells instead of " + truth.population);
    }
  }

  static void times(std::string const& rule, Pair const& pair) {
    // A generation that is read and written once moves two bytes per cell.
    double const ceiling =
        std::max(pair.plain.number("copy_GBps"), pair.mma.number("copy_GBps")) /
        2;
    std::printf("  %-28s", rule.c_str());
    for (FinishedProgram const* const run : {&pair.plain, &pair.mma}) {
      double const rate = run->number("updates_per_second") / 1e9;
      std::printf("  %9.3f %8.4g %7.3f",
                  1e3 * run->number("seconds") / run->number("generations"),
                  rate, rate / ceiling);
    }
    std::printf(" %8.2f\n",
                pair.plain.number("seconds") / pair.mma.number("seconds"));
  }

 private:
  std::filesystem::path m_programs;
  bool m_on_device = false;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = life_data_dir;
  bool performance               = true;
  std::int64_t size              = 0;
  std::int64_t steps             = 0;
  int repeat                     = 5;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--size") {
      size = arguments.integer(16, 1 << 17);
    } else if (word == "--steps") {
      steps = arguments.integer(1, 1000000);
    } else if (word == "--repeat") {
      repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--data-dir") {
      data_dir = arguments.value();
    } else if (word == "--program-dir") {
      programs = arguments.value();
    } else if (word == "--help") {
      std::fputs(help, stdout);
      return 0;
    } else {
      arguments.refuse();
    }
  }
  arguments.refuse_operands();

  Report report(programs);
  std::printf(
      "Cellular automata: life_plain.cpp, plain Kokkos, and life.cpp\n\n"
      "%-12s %12s %11s %9s %9s %9s\n",
      "pattern", "generations", "population", "plain", "mma", "grid");
  for (Truth const& truth : truths) {
    if (&truth < truths + 3 || report.on_device())
      report.truth(data_dir, truth);
  }
  if (performance) {
    if (size == 0) size = report.on_device() ? 16384 : 1024;
    if (steps == 0) steps = report.on_device() ? 64 : 8;
    std::printf(
        "\nSpeed: a soup of %lld x %lld cells on a torus, %lld generations, "
        "median of %d. 10^9 cells per second.\n\n"
        "  %-28s  %9s %8s %7s  %9s %8s %7s\n"
        "  %-28s  %9s %8s %7s  %9s %8s %7s %8s\n",
        static_cast<long long>(size), static_cast<long long>(size),
        static_cast<long long>(steps), repeat, "", "plain", "", "of", "mma", "",
        "of", "rule", "ms each", "10^9/s", "ceiling", "ms each", "10^9/s",
        "ceiling", "speedup");
    std::string machine;
    for (char const* const rule :
         {"B3/S23", "345/2/4", "R5,C0,M1,S34..58,B34..45,NM"}) {
      Pair const pair =
          report.run({"--soup", "--size", std::to_string(size), "--steps",
                      std::to_string(steps), "--repeat", std::to_string(repeat),
                      "--boundary", "periodic", "--rule", rule});
      Report::times(rule, pair);
      machine = pair.plain.text("execution_space") + ", ceiling: ";
    }
    std::printf(
        "%sa deep_copy of the cells for each generation; several generations "
        "in one pass over memory can exceed it\n",
        machine.c_str());
  }
  std::printf(
      "\nBoth programs have the same cells, and the known populations.\n");
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
