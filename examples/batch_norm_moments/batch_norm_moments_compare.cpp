// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs batch_norm_moments and batch_norm_moments_mma as processes of their own
// and prints side by side how exact and how fast each is.

#include "../common/command_line.hpp"
#include "../common/comparison.hpp"
#include "../common/files.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "batch_norm_moments_data_dir.hpp"  // written by CMake

namespace {

char const* const help =
    R"(usage: batch_norm_moments_compare [options] [FILE.npy...]

Compares batch_norm_moments, plain Kokkos, with batch_norm_moments_mma, which uses kokkos-mma:
times on a large generated tensor, then errors on it and on the activations that come with the
example, or on each FILE.

  --no-performance   no large tensor
  --shape NxCxHxW    its shape (default: 8x64x56x56, 128x64x112x112 on a device)
  --runs N           timed runs of each program, alternating (default: 5)
  --repeat K         timed calls in a run, of which the median counts (default: 10)
  --data-dir DIR     folder of the activations
  --program-dir DIR  folder of the two programs (default: that of this program)
  --summary FILE     append the speedups to FILE, a line each
  --help             print this text

Exit code: 0, 1 when a result is wrong, 2 for wrong input.
)";

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
        runs, [&] { return start("batch_norm_moments"); },
        [&] { return start("batch_norm_moments_mma"); });
    FinishedProgram const& mma = both.other[0];
    if (mma.text("execution_space") != "Cuda") {
      m_routes.insert(route_text(mma));
    } else {
      m_routes.insert("sums, NHWC, " + mma.text("element") + ": " +
                      mma.text("nhwc_route"));
    }
    return both;
  }

  void times(std::string shape, std::string const& small_file, int runs,
             int repeat) {
    if (shape.empty()) {
      bool const on_device =
          run({"--", small_file}).plain[0].text("runs_on") == "device";
      shape = on_device ? "128x64x112x112" : "8x64x56x56";
    }
    std::vector<TimedCase> cases;
    double ceiling = 0;
    for (char const* const type : {"half", "float"}) {
      m_large.push_back(run({"--shape", shape, "--type", type, "--repeat",
                             std::to_string(repeat)},
                            runs));
      Runs const& both = m_large.back();
      ceiling          = std::max(ceiling, largest(both, "copy_GBps"));
      for (std::string const order : {"nchw", "nhwc"}) {
        std::string const key = order + "_seconds";
        cases.push_back(
            {std::string(type) + (order == "nchw" ? ", NCHW" : ", NHWC"),
             both.plain[0].number("bytes"),
             {{"plain Kokkos", numbers(both.plain, key)},
              {order == "nchw" ? "team_reduce()" : "segmented_reduce()",
               numbers(both.other, key)}}});
      }
    }
    std::string const space = m_large[0].plain[0].text("execution_space");
    std::printf(
        "\nTimes of both moments of all channels, %s elements, %s.\n"
        "Shortest of %d alternating runs of each program. GB/s: one reading of "
        "the tensor.\n",
        shape.c_str(), space.c_str(), runs);
    print_times(cases, ceiling,
                "a deep_copy of as many bytes, read plus written");
    m_summary.machine(space);
    m_summary.times(cases);
  }

  void errors(std::vector<std::string> const& files) {
    std::printf(
        "\nResults: largest relative error of a variance, against compensated "
        "sums. Last\ncolumn: in fp32, mean of squares minus square of the "
        "mean.\n\n  %-23s %-5s  %17s  %17s  %9s\n  %-23s %-5s  %8s %8s  %8s "
        "%8s  %9s\n",
        "", "", "plain", "kokkos-mma", "fp32", "activations", "type", "NCHW",
        "NHWC", "NCHW", "NHWC", "E[x^2]-..");
    for (auto const& file : files) {
      errors(std::filesystem::path(file).filename().string(),
             run({"--", file}));
    }
    for (Runs const& both : m_large) errors("generated", both);
    std::printf("\n");
    for (auto const& route : m_routes) std::printf("%s\n", route.c_str());
    std::printf("Both programs find the moments of every channel.\n");
  }

 private:
  static void errors(std::string const& name, Runs const& both) {
    FinishedProgram const& plain = both.plain[0];
    std::printf("  %-23s %-5s", name.c_str(), plain.text("element").c_str());
    for (auto const* const run : {&plain, &both.other[0]}) {
      std::printf("  %8s %8s", run->text("nchw_variance_error").c_str(),
                  run->text("nhwc_variance_error").c_str());
    }
    std::printf("  %9s\n",
                plain.text("mean_of_squares_in_float_variance_error").c_str());
  }

  std::filesystem::path m_programs;
  Summary m_summary;
  std::set<std::string> m_routes;
  std::vector<Runs> m_large;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = batch_norm_moments_data_dir;
  std::filesystem::path summary;
  bool performance = true;
  std::string shape;
  int runs   = 5;
  int repeat = 10;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--shape") {
      shape = arguments.value();
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
    files = {(data_dir / "activations_4x8x7x5.npy").string()};
  }
  check_readable(files, "a NumPy file");

  Report report(programs, Summary(summary, "batch_norm_moments"));
  std::printf(
      "Mean and variance per channel: batch_norm_moments.cpp, plain Kokkos, "
      "and\nbatch_norm_moments_mma.cpp, with kokkos-mma\n");
  if (performance) report.times(shape, files[0], runs, repeat);
  report.errors(files);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc, argv);
  } catch (InputError const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "batch_norm_moments_compare: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "batch_norm_moments_compare: %s\n", error.what());
    return 1;
  }
}
