// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the programs that compare plain Kokkos with kokkos-mma, one after the
// other, and prints a summary of all of them at the end.

#include "common/command_line.hpp"
#include "common/side_by_side.hpp"

#include <cstdio>
#include <cstdlib>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

char const* const examples[] = {"statistics",
                                "compressed_rows",
                                "batch_norm_moments",
                                "sparse_matvec",
                                "heat",
                                "life"};

struct Line {
  std::string example, name, speedup, range, verdict;
};

class Summary {
 public:
  void read(std::filesystem::path const& file) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string kind;
      Line row;
      std::getline(fields, kind, '\t');
      std::getline(fields, row.example, '\t');
      std::getline(fields, row.name, '\t');
      std::getline(fields, row.speedup, '\t');
      std::getline(fields, row.range, '\t');
      std::getline(fields, row.verdict, '\t');
      if (kind == "times") {
        m_times.push_back(row);
        ++m_verdicts[row.verdict];
      } else if (kind == "same") {
        m_same.push_back(row.example);
      } else if (kind == "space") {
        m_space = row.name;
      }
    }
  }

  void print(std::vector<std::string> const& failed) const {
    std::printf(
        "\n%s\nSummary: plain Kokkos against kokkos-mma, execution space %s\n"
        "Speedup: plain time / kokkos-mma time, medians; min - max of the "
        "runs.\n\n  %-45s %7s %13s  %s\n",
        std::string(80, '=').c_str(), m_space.c_str(), "", "speedup",
        "min - max", "verdict");
    std::string before;
    for (Line const& row : m_times) {
      if (row.example != before) std::printf("  %s\n", row.example.c_str());
      before = row.example;
      std::printf("    %-43s %7s %13s  %s\n", row.name.c_str(),
                  row.speedup.c_str(), row.range.c_str(), row.verdict.c_str());
    }
    for (auto const& example : m_same) {
      std::printf("  %s\n    %-43s %7s %13s  %s\n", example.c_str(),
                  "drop-in: inactive without CUDA", "-", "-", "same program");
    }
    auto const count = [&](char const* verdict) {
      auto const found = m_verdicts.find(verdict);
      return found == m_verdicts.end() ? 0 : found->second;
    };
    std::printf(
        "\nSpeed: of %d comparisons %d faster, %d within noise, %d slower "
        "with kokkos-mma.\n",
        static_cast<int>(m_times.size()), count("faster"),
        count("within noise"), count("slower"));
    if (m_space != "Cuda") {
      std::printf(
          "       This Kokkos has no CUDA: kokkos-mma ran its calls as loops "
          "of Kokkos on\n       this host. These times say nothing about a "
          "GPU.\n");
    }
    if (failed.empty()) {
      std::printf(
          "Results: right in all %d examples, with and without "
          "kokkos-mma.\n",
          static_cast<int>(std::size(examples)));
    }
    for (auto const& name : failed)
      std::printf("FAILED  %s; the reason is printed above\n", name.c_str());
  }

 private:
  std::string m_space;
  std::vector<Line> m_times;
  std::vector<std::string> m_same;
  std::map<std::string, int> m_verdicts;
};

int demo(char** argv) {
  char file[]          = "/tmp/kokkosmma_demo_XXXXXX";
  int const descriptor = mkstemp(file);
  if (descriptor < 0) throw std::runtime_error("cannot write to /tmp");
  close(descriptor);
  auto const folder = own_folder(argv[0]);
  std::vector<std::string> failed;
  for (std::string const name : examples) {
    std::printf(
        "\n%s\n",
        ("== " + name + " " + std::string(76 - name.size(), '=')).c_str());
    std::fflush(stdout);
    std::string const command =
        for_shell((folder / (name + "_compare")).string()) + " --summary " +
        for_shell(file);
    if (std::system(command.c_str()) != 0) failed.push_back(name);
  }
  Summary summary;
  summary.read(file);
  std::filesystem::remove(file);
  summary.print(failed);
  return failed.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Arguments arguments(argc, argv);
    for (std::string word; arguments.next(word);) {
      if (word == "--help") {
        std::puts(
            "usage: kokkosmma_demo\n\nRuns the programs that compare plain "
            "Kokkos with kokkos-mma and prints a summary.\n\nExit code: 0, 1 "
            "when a result is wrong, 2 for wrong input.");
        return 0;
      }
      arguments.refuse();
    }
    arguments.refuse_operands();
    return demo(argv);
  } catch (InputError const& error) {
    std::fprintf(stderr, "kokkosmma_demo: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "kokkosmma_demo: %s\n", error.what());
    return 1;
  }
}
