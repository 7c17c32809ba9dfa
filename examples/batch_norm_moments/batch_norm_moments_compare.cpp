// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs batch_norm_moments and batch_norm_moments_mma as processes of their own
// and prints side by side how exact and how fast each is.

#include "../common/command_line.hpp"
#include "../common/side_by_side.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "batch_norm_moments_data_dir.hpp"  // written by CMake

namespace {

char const* const help =
    R"(usage: batch_norm_moments_compare [options] [FILE.npy...]

Runs batch_norm_moments, plain Kokkos, and batch_norm_moments_mma, with kokkos-mma, on the
activations that come with the example, or on each FILE, and on a large generated tensor;
prints error, time and fraction of the copy ceiling.

  --no-performance   no large tensor
  --shape NxCxHxW    its shape (default: 8x64x56x56, 128x64x112x112 on a device)
  --repeat K         timed calls, of which the median counts (default: 20)
  --data-dir DIR     where the activations are
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
    Pair pair{start_and_wait(m_programs / "batch_norm_moments", arguments),
              start_and_wait(m_programs / "batch_norm_moments_mma", arguments)};
    pair.plain.require_success();
    pair.mma.require_success();
    m_on_device = pair.plain.text("runs_on") == "device";
    for (std::string const order : {"nchw", "nhwc"}) {
      m_routes.insert((order == "nchw" ? "moments, NCHW, " : "sums, NHWC, ") +
                      pair.plain.text("element") + ": " +
                      pair.mma.text(order + "_route"));
    }
    return pair;
  }

  bool on_device() const { return m_on_device; }

  void errors(std::string const& name, Pair const& pair) const {
    std::printf("%-24s %-5s %-16s", name.c_str(),
                pair.plain.text("element").c_str(),
                pair.plain.text("shape").c_str());
    for (auto const* const run : {&pair.plain, &pair.mma}) {
      for (char const* const order : {"nchw", "nhwc"}) {
        std::printf(" %9s",
                    run->text(order + std::string("_variance_error")).c_str());
      }
    }
    std::printf(
        " %9s\n",
        pair.plain.text("mean_of_squares_in_float_variance_error").c_str());
  }

  void times(Pair const& pair) const {
    double const ceiling =
        std::max(pair.plain.number("copy_GBps"), pair.mma.number("copy_GBps"));
    double const bytes = pair.plain.number("bytes");
    for (std::string const order : {"nchw", "nhwc"}) {
      std::printf("  %-5s %-4s", pair.plain.text("element").c_str(),
                  order == "nchw" ? "NCHW" : "NHWC");
      double const plain = pair.plain.number(order + "_seconds");
      auto const print   = [&](FinishedProgram const& run,
                             std::string const& key) {
        double const seconds = run.number(key + "_seconds");
        double const rate    = bytes / seconds / 1e9;
        std::printf("  %9.3f %7.1f %7.3f", 1e3 * seconds, rate, rate / ceiling);
        if (&run == &pair.mma) std::printf(" %8.2f", plain / seconds);
      };
      print(pair.plain, order);
      print(pair.mma, order);
      if (order == "nchw") print(pair.mma, "nchw_in_teams");
      std::printf("\n");
    }
  }

  void routes() const {
    for (auto const& route : m_routes) {
      std::printf("kokkos-mma, %s\n", route.c_str());
    }
  }

 private:
  std::filesystem::path m_programs;
  std::set<std::string> m_routes;
  bool m_on_device = false;
};

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = batch_norm_moments_data_dir;
  bool performance               = true;
  std::string shape              = "";
  int repeat                     = 20;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--shape") {
      shape = arguments.value();
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
    files = {(data_dir / "activations_4x8x7x5.npy").string()};
  }

  Report report(programs);
  std::printf(
      "Mean and variance per channel: batch_norm_moments.cpp, plain Kokkos, "
      "and batch_norm_moments_mma.cpp\n\n"
      "Largest relative error of a variance, against compensated sums. Last: "
      "in fp32, mean of squares minus square of the mean.\n\n"
      "%-24s %-5s %-16s %9s %9s %9s %9s %9s\n"
      "%-24s %-5s %-16s %9s %9s %9s %9s %9s\n",
      "", "", "", "plain", "", "mma", "", "fp32", "activations", "type",
      "shape", "NCHW", "NHWC", "NCHW", "NHWC", "E[x^2]-..");
  for (auto const& file : files) {
    report.errors(std::filesystem::path(file).filename().string(),
                  report.run({"--", file}));
  }
  if (performance) {
    if (shape.empty()) {
      shape = report.on_device() ? "128x64x112x112" : "8x64x56x56";
    }
    std::vector<Pair> pairs;
    for (char const* const type : {"half", "float"}) {
      pairs.push_back(report.run({"--shape", shape, "--type", type, "--repeat",
                                  std::to_string(repeat)}));
      report.errors("generated", pairs.back());
    }
    std::printf(
        "\nSpeed: both moments of all channels, median of %d. GB/s: one "
        "reading of the tensor.\n\n"
        "  %-10s  %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s\n"
        "  %-10s  %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s %8s\n"
        "%s elements, %s, measured ceiling %.4g GB/s (deep_copy of as many "
        "bytes as halves have, read plus written)\n",
        repeat, "", "plain", "", "of", "segments", "", "of", "", "in teams", "",
        "of", "type order", "ms", "GB/s", "ceiling", "ms", "GB/s", "ceiling",
        "speedup", "ms", "GB/s", "ceiling", "speedup", shape.c_str(),
        pairs[0].plain.text("execution_space").c_str(),
        std::max(pairs[0].plain.number("copy_GBps"),
                 pairs[0].mma.number("copy_GBps")));
    for (Pair const& pair : pairs) report.times(pair);
  }
  std::printf(
      "\nsegments: KokkosMMA::segmented_moments and segmented_reduce; in "
      "teams: "
      "KokkosMMA::team_reduce, a team for every plane\n");
  report.routes();
  std::printf("Both programs find the moments of every channel.\n");
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
