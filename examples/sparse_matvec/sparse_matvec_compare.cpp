// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs sparse_matvec and sparse_matvec_mma as processes of their own and prints
// side by side what they compute and how fast each is.

#include "../common/command_line.hpp"
#include "../common/comparison.hpp"
#include "../common/files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sparse_matvec_data_dir.hpp"  // written by CMake

namespace {

char const* const help =
    R"(usage: sparse_matvec_compare [options] [FILE.mtx...]

Compares sparse_matvec, plain Kokkos, with sparse_matvec_mma, which uses kokkos-mma: times on two
large matrices, then results on these and on the matrices that come with the examples, or on each
FILE; solves a system with the Poisson matrix.

  --no-performance   no large matrices
  --grid N           the large grid has N by N points (default: 1024, 4096 on a device)
  --rows N           rows of the large power law (default: 200000, 4000000 on a device)
  --solve-grid N     a system on a grid of N by N points is solved (default: 100)
  --runs N           timed runs of each program, alternating (default: 5)
  --repeat K         timed calls in a run, of which the median counts (default: 5)
  --data-dir DIR     folder of the matrices
  --program-dir DIR  folder of the two programs (default: that of this program)
  --summary FILE     append the speedups to FILE, a line each
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

struct Sizes {
  std::int64_t grid = 0;
  std::int64_t rows = 0;
};

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
    Runs both = run_in_turn(
        runs, [&] { return start("sparse_matvec"); },
        [&] { return start("sparse_matvec_mma"); });
    m_routes.insert(route_text(both.other[0]));
    return both;
  }

  void times(Sizes sizes, std::string const& small_file, int runs, int repeat) {
    bool const on_device =
        run({"--", small_file}).plain[0].text("runs_on") == "device";
    if (sizes.grid == 0) sizes.grid = on_device ? 4096 : 1024;
    if (sizes.rows == 0) sizes.rows = on_device ? 4000000 : 200000;
    std::string const side = std::to_string(sizes.grid);
    std::string const rows = std::to_string(sizes.rows);
    std::vector<TimedCase> cases;
    double ceiling = 0;
    for (auto const& [name, matrix] :
         {std::pair("Laplacian", "poisson:" + side + "x" + side),
          std::pair("power law", "powerlaw:" + rows + ":1")}) {
      Runs both =
          run({"--generate", matrix, "--repeat", std::to_string(repeat)}, runs);
      cases.push_back(
          {name,
           both.plain[0].number("product_bytes"),
           {{"plain Kokkos", numbers(both.plain, "product_seconds")},
            {"vector_reduce()", numbers(both.other, "product_seconds")}}});
      ceiling = std::max(ceiling, largest(both, "copy_GBps"));
      m_large.emplace_back(matrix, std::move(both));
    }
    std::string const space =
        m_large[0].second.plain[0].text("execution_space");
    std::printf(
        "\nTimes of one product, %s: the Laplacian of a grid of %s x %s "
        "points,\nand a power law with %s rows. Shortest of %d alternating "
        "runs "
        "of each program.\nGB/s: entries, offsets and both vectors once.\n",
        space.c_str(), side.c_str(), side.c_str(), rows.c_str(), runs);
    print_times(cases, ceiling,
                "a deep_copy of as many bytes, read plus written");
    std::printf(
        "vector_reduce(): the plain kernel; only the sum of a row is "
        "replaced.\n");
    m_summary.machine(space);
    m_summary.times(cases);
  }

  void products(std::vector<std::string> const& files) {
    std::printf(
        "\nResults: largest error of an element, divided by the bound for "
        "any order\nof additions.\n\n  %-20s %8s %8s %8s %6s %7s %12s\n  %-20s "
        "%8s %8s %8s %6s %7s %12s\n",
        "", "", "", "longest", "empty", "error:", "error:", "matrix", "rows",
        "entries", "row", "rows", "plain", "kokkos-mma");
    auto const print = [](std::string const& name, Runs const& both) {
      FinishedProgram const& plain = both.plain[0];
      std::printf("  %-20s %8s %8s %8s %6s %7s %12s\n", name.c_str(),
                  plain.text("rows").c_str(), plain.text("entries").c_str(),
                  plain.text("longest_row").c_str(),
                  plain.text("empty_rows").c_str(),
                  plain.text("product_error_of_bound").c_str(),
                  both.other[0].text("product_error_of_bound").c_str());
    };
    for (auto const& file : files) {
      print(std::filesystem::path(file).filename().string(), run({"--", file}));
    }
    for (auto const& [name, both] : m_large) print(name, both);
  }

  // On a grid of n by n points the largest eigenvalue is 4 + 4 cos(pi/(n+1)).
  void solution(std::int64_t n) {
    std::string const side = std::to_string(n);
    Runs const both =
        run({"--generate", "poisson:" + side + "x" + side, "--solve"});
    double const exact =
        4 + 4 * std::cos(std::numbers::pi / static_cast<double>(n + 1));
    std::printf(
        "\nConjugate gradients on a grid of %s x %s points; the "
        "largest\neigenvalue "
        "is %.9f\n\n  %-10s %10s %9s %14s %11s %9s\n",
        side.c_str(), side.c_str(), exact, "program", "iterations", "residual",
        "solution error", "eigenvalue", "its error");
    for (auto const* const run : {&both.plain[0], &both.other[0]}) {
      double const eigenvalue = run->number("largest_eigenvalue");
      std::printf("  %-10s %10s %9s %14s %11.9f %9.1e\n",
                  run == &both.plain[0] ? "plain" : "kokkos-mma",
                  run->text("iterations").c_str(),
                  run->text("residual").c_str(),
                  run->text("solution_error").c_str(), eigenvalue,
                  std::abs(eigenvalue - exact) / exact);
    }
    std::printf("\n");
    for (auto const& route : m_routes) std::printf("%s\n", route.c_str());
    std::printf("Both programs find every product and the known solution.\n");
  }

 private:
  std::filesystem::path m_programs;
  Summary m_summary;
  std::set<std::string> m_routes;
  std::vector<std::pair<std::string, Runs>> m_large;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = sparse_matvec_data_dir;
  std::filesystem::path summary;
  bool performance = true;
  Sizes sizes;
  std::int64_t solve_grid = 100;
  int runs                = 5;
  int repeat              = 5;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--grid") {
      sizes.grid = arguments.integer(1, 20000);
    } else if (word == "--rows") {
      sizes.rows = arguments.integer(1, 1 << 25);
    } else if (word == "--solve-grid") {
      solve_grid = arguments.integer(1, 1000);
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
  std::vector<std::string> files = arguments.operands();
  if (files.empty()) {
    files = {(data_dir / "poisson_32x32.mtx").string(),
             (data_dir / "powerlaw_1000.mtx").string()};
  }
  check_readable(files, "a MatrixMarket file");

  Report report(programs, Summary(summary, "sparse_matvec"));
  std::printf(
      "Sparse matrix times vector: sparse_matvec.cpp, plain Kokkos, and\n"
      "sparse_matvec_mma.cpp, with kokkos-mma\n");
  if (performance) report.times(sizes, files[0], runs, repeat);
  report.products(files);
  report.solution(solve_grid);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc, argv);
  } catch (InputError const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "sparse_matvec_compare: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "sparse_matvec_compare: %s\n", error.what());
    return 1;
  }
}
