// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs heat_plain and heat as processes of their own and prints side by side
// how exact and how fast each is.

#include "../common/command_line.hpp"
#include "../common/comparison.hpp"

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

Compares heat_plain, plain Kokkos, with heat, which uses kokkos-mma: times of steps on a large
grid, then the results on three grids with every boundary, which are checked against the analytic
solution.

  --no-performance   no large grid
  --points N         points on a side of the coarsest grid (default: 20)
  --measure N        points on a side of the large grid (default: 512, 8192 on a device)
  --runs N           timed runs of each program, alternating (default: 5)
  --repeat K         measurements of 16 steps in a run, of which the median counts (default: 5)
  --program-dir DIR  folder of the two programs (default: that of this program)
  --summary FILE     append the speedups to FILE, a line each
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

// The word after `key` in the line of the finest grid.
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
  Report(std::filesystem::path programs, Summary summary)
      : m_programs(std::move(programs)), m_summary(std::move(summary)) {}

  Runs run(std::vector<std::string> const& arguments, int runs = 1) {
    auto const start = [&](char const* name) {
      FinishedProgram run = start_and_wait(m_programs / name, arguments);
      run.require_success();
      return run;
    };
    return run_in_turn(
        runs, [&] { return start("heat_plain"); },
        [&] { return start("heat"); });
  }

  void times(std::int64_t points, int runs, int repeat) {
    if (points == 0) {
      FinishedProgram const first =
          run({"--levels", "2", "--points", "16", "--time", "0.01"}).plain[0];
      points = first.text("runs_on") == "device" ? 8192 : 512;
    }
    std::vector<TimedCase> cases;
    double ceiling = 0;
    std::string space;
    for (std::string const boundary : {"constant", "periodic"}) {
      Runs const both =
          run({"--boundary", boundary, "--levels", "2", "--points", "16",
               "--time", "0.01", "--measure", std::to_string(points),
               "--repeat", std::to_string(repeat)},
              runs);
      // A step that reads and writes the grid once moves 16 bytes per point.
      cases.push_back(
          {boundary + " boundary",
           16 * static_cast<double>(points) * static_cast<double>(points),
           {{"plain Kokkos", numbers(both.plain, "step_seconds")},
            {"StencilPolicy", numbers(both.other, "step_seconds")},
            {"stencil(), all steps",
             numbers(both.other, "step_at_once_seconds")}}});
      ceiling = std::max(ceiling, largest(both, "copy_GBps"));
      space   = both.plain[0].text("execution_space");
    }
    std::printf(
        "\nTimes of a step on %lld x %lld points in double, %s.\n"
        "Shortest of %d alternating runs of each program.\n",
        static_cast<long long>(points), static_cast<long long>(points),
        space.c_str(), runs);
    print_times(cases, ceiling, "a deep_copy of the grid, read plus written");
    std::printf(
        "StencilPolicy: a parallel_for for each step. stencil(): one call for "
        "all steps,\nwhich on a GPU reads the grid less often than once per "
        "step.\n");
    m_summary.machine(space);
    m_summary.times(cases);
  }

  void errors(std::string const& points) {
    std::printf(
        "\nResults on the finest of three grids.\n"
        "error: largest difference from the analytic solution\n"
        "order: power of the grid spacing to which the error is proportional\n"
        "rounding: difference from the exact solution of the discrete "
        "equations,\n          divided by its bound\n\n"
        "  %-10s %-12s %8s %7s %12s %8s %10s\n",
        "boundary", "program", "points", "steps", "error", "order", "rounding");
    std::string route;
    for (std::string const boundary :
         {"constant", "periodic", "reflect", "mirror"}) {
      Runs const both =
          run({"--boundary", boundary, "--levels", "3", "--points", points});
      FinishedProgram const& mma = both.other[0];
      for (FinishedProgram const* const program : {&both.plain[0], &mma}) {
        std::printf("  %-10s %-12s %8s %7s %12s %8s %10s\n",
                    program == &mma ? "" : boundary.c_str(),
                    program == &mma ? "kokkos-mma" : "plain Kokkos",
                    of_finest(*program, "points").c_str(),
                    of_finest(*program, "steps").c_str(),
                    of_finest(*program, "error").c_str(),
                    of_finest(*program, "order").c_str(),
                    of_finest(*program, "rounding").c_str());
      }
      route = route_text(mma);
    }
    std::printf(
        "\n%s\nBoth programs converge to the analytic solution with order "
        "2.\n",
        route.c_str());
  }

 private:
  std::filesystem::path m_programs;
  Summary m_summary;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path summary;
  bool performance     = true;
  std::int64_t points  = 20;
  std::int64_t measure = 0;
  int runs             = 5;
  int repeat           = 5;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--points") {
      points = arguments.integer(16, 1000);
    } else if (word == "--measure") {
      measure = arguments.integer(16, 20000);
    } else if (word == "--runs") {
      runs = static_cast<int>(arguments.integer(1, 1000));
    } else if (word == "--repeat") {
      repeat = static_cast<int>(arguments.integer(1, 1000000));
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

  Report report(programs, Summary(summary, "heat"));
  std::printf(
      "Heat equation: heat_plain.cpp, plain Kokkos, and heat.cpp, with "
      "kokkos-mma\n");
  if (performance) report.times(measure, runs, repeat);
  report.errors(std::to_string(points));
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
