// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs heat_plain and heat as processes of their own and prints side by side
// how exact and how fast each is.

#include "../common/command_line.hpp"
#include "../common/side_by_side.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

char const* const help =
    R"(usage: heat_compare [options]

Runs heat_plain, plain Kokkos, and heat, with kokkos-mma, with every boundary on three grids, whose
results are checked against the analytic solution; then steps on a large grid; prints the order of
convergence, time and fraction of the copy ceiling.

  --no-performance   no large grid
  --points N         points on a side of the coarsest grid (default: 20)
  --measure N        points on a side of the large grid (default: 512, 8192 on a device)
  --repeat K         timed runs of 16 steps, of which the median counts (default: 5)
  --program-dir DIR  where the two programs are (default: beside this one)
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

struct Pair {
  FinishedProgram plain;
  FinishedProgram mma;
};

// The word behind `key` in the line of the finest grid.
std::string of_finest(FinishedProgram const& run, std::string const& key) {
  std::istringstream words("level " + run.text("level"));
  std::string word;
  while (words >> word && word != key) {
  }
  words >> word;
  return word;
}

class Report {
 public:
  explicit Report(std::filesystem::path programs)
      : m_programs(std::move(programs)) {}

  Pair run(std::vector<std::string> const& arguments) {
    Pair pair{start_and_wait(m_programs / "heat_plain", arguments),
              start_and_wait(m_programs / "heat", arguments)};
    pair.plain.require_success();
    pair.mma.require_success();
    m_on_device = pair.plain.text("runs_on") == "device";
    return pair;
  }

  bool on_device() const { return m_on_device; }

  static void errors(std::string const& boundary, Pair const& pair) {
    std::printf("%-10s %7s %7s", boundary.c_str(),
                of_finest(pair.plain, "points").c_str(),
                of_finest(pair.plain, "steps").c_str());
    for (char const* const key : {"error", "order", "rounding"}) {
      for (FinishedProgram const* const run : {&pair.plain, &pair.mma})
        std::printf(" %10s", of_finest(*run, key).c_str());
    }
    std::printf("\n");
  }

  static void times(std::string const& boundary, Pair const& pair) {
    // A step that reads and writes the grid once moves 16 bytes per point.
    double const ceiling =
        std::max(pair.plain.number("copy_GBps"), pair.mma.number("copy_GBps"));
    double const points = pair.plain.number("measured_points");
    double const plain  = pair.plain.number("step_seconds");
    std::printf("  %-10s", boundary.c_str());
    auto const print = [&](FinishedProgram const& run, std::string const& key) {
      double const seconds = run.number(key);
      double const rate    = points * points / seconds / 1e9;
      std::printf("  %9.3f %7.4g %7.3f", 1e3 * seconds, rate,
                  16 * rate / ceiling);
      if (&run == &pair.mma) std::printf(" %8.2f", plain / seconds);
    };
    print(pair.plain, "step_seconds");
    print(pair.mma, "step_seconds");
    print(pair.mma, "step_at_once_seconds");
    std::printf("\n");
  }

 private:
  std::filesystem::path m_programs;
  bool m_on_device = false;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  bool performance               = true;
  std::int64_t points            = 20;
  std::int64_t measure           = 0;
  int repeat                     = 5;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--points") {
      points = arguments.integer(16, 1000);
    } else if (word == "--measure") {
      measure = arguments.integer(16, 20000);
    } else if (word == "--repeat") {
      repeat = static_cast<int>(arguments.integer(1, 1000000));
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
      "Heat equation: heat_plain.cpp, plain Kokkos, and heat.cpp\n\n"
      "On the finest of three grids: largest error against the analytic "
      "solution, the order with which it falls,\nand the difference from the "
      "exact solution of the discrete equations in units of what rounding "
      "explains.\n\n"
      "%-10s %7s %7s %10s %10s %10s %10s %10s %10s\n"
      "%-10s %7s %7s %10s %10s %10s %10s %10s %10s\n",
      "", "", "", "error", "", "order", "", "rounding", "", "boundary",
      "points", "steps", "plain", "mma", "plain", "mma", "plain", "mma");
  std::string route;
  for (std::string const boundary :
       {"constant", "periodic", "reflect", "mirror"}) {
    Pair const pair = report.run({"--boundary", boundary, "--levels", "3",
                                  "--points", std::to_string(points)});
    Report::errors(boundary, pair);
    route = pair.mma.text("route");
  }
  if (performance) {
    if (measure == 0) measure = report.on_device() ? 8192 : 512;
    std::printf(
        "\nSpeed: a step on %lld x %lld points in double, median of %d runs of "
        "16. 10^9 points per second.\n\n"
        "  %-10s  %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s\n"
        "  %-10s  %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s %8s\n",
        static_cast<long long>(measure), static_cast<long long>(measure),
        repeat, "", "plain", "", "of", "policy", "", "of", "", "at once", "",
        "of", "boundary", "ms", "10^9/s", "ceiling", "ms", "10^9/s", "ceiling",
        "speedup", "ms", "10^9/s", "ceiling", "speedup");
    std::string machine;
    for (std::string const boundary : {"constant", "periodic"}) {
      Pair const pair =
          report.run({"--boundary", boundary, "--levels", "2", "--points", "16",
                      "--time", "0.01", "--measure", std::to_string(measure),
                      "--repeat", std::to_string(repeat)});
      Report::times(boundary, pair);
      machine = pair.plain.text("execution_space");
    }
    std::printf(
        "policy: parallel_for over a StencilPolicy, per step; at once: "
        "KokkosMMA::stencil, all steps\n"
        "%s, ceiling: a deep_copy of the grid for each step; several steps in "
        "one pass over memory can exceed it\n",
        machine.c_str());
  }
  std::printf(
      "\nkokkos-mma: route %s\n"
      "Both programs converge to the analytic solution with order 2.\n",
      route.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc, argv);
  } catch (InputError const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "heat_compare: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "heat_compare: %s\n", error.what());
    return 1;
  }
}
