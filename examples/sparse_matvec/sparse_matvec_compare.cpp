// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs sparse_matvec and sparse_matvec_mma as processes of their own and prints
// side by side what they compute and how fast each is.

#include "../common/command_line.hpp"
#include "../common/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparse_matvec_data_dir.hpp"  // written by CMake

namespace {

char const* const help =
    R"(usage: sparse_matvec_compare [options] [FILE.mtx...]

Runs sparse_matvec, plain Kokkos, and sparse_matvec_mma, with kokkos-mma, on the matrices that
come with the examples, or on each FILE, and on two large ones; solves a system with the Poisson
matrix; prints the largest eigenvalue, time and fraction of the copy ceiling.

  --no-performance   no large matrices
  --grid N           the large grid has N by N points (default: 1024, 4096 on a device)
  --rows N           rows of the large power law (default: 200000, 4000000 on a device)
  --solve-grid N     a system on a grid of N by N points is solved (default: 100)
  --repeat K         timed calls, of which the median counts (default: 20)
  --data-dir DIR     where the matrices are
  --program-dir DIR  where the two programs are (default: beside this one)
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

struct Pair {
  FinishedProgram plain;
  FinishedProgram mma;
};

class Report {
 public:
  explicit Report(std::filesystem::path programs)
      : m_programs(std::move(programs)) {}

  Pair run(std::vector<std::string> const& arguments) {
    Pair pair{start_and_wait(m_programs / "sparse_matvec", arguments),
              start_and_wait(m_programs / "sparse_matvec_mma", arguments)};
    pair.plain.require_success();
    pair.mma.require_success();
    m_on_device = pair.plain.text("runs_on") == "device";
    m_routes.insert(pair.mma.text("route"));
    return pair;
  }

  bool on_device() const { return m_on_device; }

  void products(std::string const& name, Pair const& pair) const {
    std::printf("%-24s %9s %10s %11s %10s %9s %9s\n", name.c_str(),
                pair.plain.text("rows").c_str(),
                pair.plain.text("entries").c_str(),
                pair.plain.text("longest_row").c_str(),
                pair.plain.text("empty_rows").c_str(),
                pair.plain.text("product_error_of_bound").c_str(),
                pair.mma.text("product_error_of_bound").c_str());
  }

  // On a grid of n by n points the largest eigenvalue is 4 + 4 cos(pi/(n+1)).
  static void solution(Pair const& pair, std::int64_t n) {
    double const exact =
        4 + 4 * std::cos(std::numbers::pi / static_cast<double>(n + 1));
    std::printf(
        "\nConjugate gradients on a grid of %lld x %lld points, largest "
        "eigenvalue %.9f\n\n  %-10s %10s %9s %14s %18s %15s\n",
        static_cast<long long>(n), static_cast<long long>(n), exact, "program",
        "iterations", "residual", "solution error", "largest eigenvalue",
        "its error");
    for (auto const* const run : {&pair.plain, &pair.mma}) {
      double const eigenvalue = run->number("largest_eigenvalue");
      std::printf(
          "  %-10s %10s %9s %14s %18.9f %15.1e\n",
          run == &pair.plain ? "plain" : "mma", run->text("iterations").c_str(),
          run->text("residual").c_str(), run->text("solution_error").c_str(),
          eigenvalue, std::abs(eigenvalue - exact) / exact);
    }
  }

  static void times(std::string const& name, Pair const& pair) {
    double const ceiling =
        std::max(pair.plain.number("copy_GBps"), pair.mma.number("copy_GBps"));
    double const plain = pair.plain.number("product_seconds");
    std::printf("  %-20s", name.c_str());
    auto const print = [&](FinishedProgram const& run, std::string const& key) {
      double const seconds = run.number(key + "_seconds");
      double const rate    = run.number(key + "_GBps");
      std::printf("  %9.3f %7.1f %7.3f", 1e3 * seconds, rate, rate / ceiling);
      if (&run == &pair.mma) std::printf(" %8.2f", plain / seconds);
    };
    print(pair.plain, "product");
    print(pair.mma, "product");
    print(pair.mma, "product_in_teams");
    std::printf("\n");
  }

  void routes() const {
    for (auto const& route : m_routes) {
      std::printf("kokkos-mma: %s\n", route.c_str());
    }
  }

 private:
  std::filesystem::path m_programs;
  std::set<std::string> m_routes;
  bool m_on_device = false;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = sparse_matvec_data_dir;
  bool performance               = true;
  std::int64_t grid              = 0;
  std::int64_t rows              = 0;
  std::int64_t solve_grid        = 100;
  int repeat                     = 20;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--grid") {
      grid = arguments.integer(1, 20000);
    } else if (word == "--rows") {
      rows = arguments.integer(1, 1 << 25);
    } else if (word == "--solve-grid") {
      solve_grid = arguments.integer(1, 1000);
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
  std::vector<std::string> files = arguments.operands();
  if (files.empty()) {
    files = {(data_dir / "poisson_32x32.mtx").string(),
             (data_dir / "powerlaw_1000.mtx").string()};
  }

  Report report(programs);
  std::printf(
      "Sparse matrix times vector: sparse_matvec.cpp, plain Kokkos, and "
      "sparse_matvec_mma.cpp\n\n"
      "Largest error of an element, in units of what the order of additions "
      "explains.\n\n"
      "%-24s %9s %10s %11s %10s %9s %9s\n",
      "matrix", "rows", "entries", "longest row", "empty rows", "plain", "mma");
  for (auto const& file : files) {
    report.products(std::filesystem::path(file).filename().string(),
                    report.run({"--", file}));
  }
  std::string const side = std::to_string(solve_grid);
  Pair const solved =
      report.run({"--generate", "poisson:" + side + "x" + side, "--solve"});
  std::vector<std::pair<std::string, Pair>> timed;
  if (performance) {
    if (grid == 0) grid = report.on_device() ? 4096 : 1024;
    if (rows == 0) rows = report.on_device() ? 4000000 : 200000;
    std::string const large = std::to_string(grid);
    for (std::string const& matrix :
         {"poisson:" + large + "x" + large,
          "powerlaw:" + std::to_string(rows) + ":1"}) {
      timed.emplace_back(matrix, report.run({"--generate", matrix, "--repeat",
                                             std::to_string(repeat)}));
      report.products(matrix, timed.back().second);
    }
  }
  report.solution(solved, solve_grid);
  if (performance) {
    std::printf(
        "\nSpeed: one product, median of %d. GB/s: entries, offsets and both "
        "vectors once.\n\n"
        "  %-20s  %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s\n"
        "  %-20s  %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s %8s\n",
        repeat, "", "plain", "", "of", "segments", "", "of", "", "in teams", "",
        "of", "matrix", "ms", "GB/s", "ceiling", "ms", "GB/s", "ceiling",
        "speedup", "ms", "GB/s", "ceiling", "speedup");
    for (auto const& [name, pair] : timed) report.times(name, pair);
    std::printf(
        "segments: KokkosMMA::segmented_reduce of computed products by the "
        "row offsets; in teams: KokkosMMA::vector_reduce in plain's kernel\n"
        "%s, ceiling: deep_copy of as many bytes, read plus written; %.4g "
        "GB/s for the grid\n",
        timed[0].second.plain.text("execution_space").c_str(),
        std::max(timed[0].second.plain.number("copy_GBps"),
                 timed[0].second.mma.number("copy_GBps")));
  }
  std::printf("\n");
  report.routes();
  std::printf("Both programs find every product and the known solution.\n");
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
