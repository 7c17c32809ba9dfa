// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the programs that compare plain Kokkos with kokkos-mma, one after the
// other, and prints a summary of all of them at the end.

#include "common/command_line.hpp"
#include "common/side_by_side.hpp"

#include <csignal>
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

#include <sys/wait.h>
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
      if (kind == "space") {
        m_space = row.name;
        continue;
      }
      if (kind == "same")
        row = {row.example, "drop-in", "-", "-", "same program"};
      m_rows.push_back(row);
      ++m_verdicts[row.verdict];
    }
  }

  void print(std::vector<std::string> const& failed) const {
    std::printf(
        "\n%s\nSummary: plain Kokkos against kokkos-mma, execution space %s\n"
        "speedup: shortest plain run / shortest kokkos-mma run\n"
        "min - max: smallest and largest ratio of two neighbouring runs\n"
        "faster: every kokkos-mma run was shorter than every plain run\n\n"
        "  %-42s %7s %13s  %s\n",
        std::string(80, '=').c_str(), m_space.c_str(), "", "speedup",
        "min - max", "verdict");
    std::string before;
    for (Line const& row : m_rows) {
      if (row.example != before) std::printf("  %s\n", row.example.c_str());
      before = row.example;
      std::printf("    %-40s %7s %13s  %s\n", row.name.c_str(),
                  row.speedup.c_str(), row.range.c_str(), row.verdict.c_str());
    }
    auto const count = [&](char const* verdict) {
      auto const found = m_verdicts.find(verdict);
      return found == m_verdicts.end() ? 0 : found->second;
    };
    std::printf(
        "\nSpeed:   with kokkos-mma %d faster, %d within noise, %d slower.\n",
        count("faster"), count("within noise"), count("slower"));
    if (m_space != "Cuda") {
      std::printf(
          "         This Kokkos has no CUDA: the drop-in is inactive, and "
          "calls "
          "by name run\n         as loops of Kokkos on this host. These times "
          "say nothing about a GPU.\n");
    }
    if (failed.empty()) {
      std::printf(
          "Results: right in all %d examples, with and without kokkos-mma.\n",
          static_cast<int>(std::size(examples)));
    }
    for (auto const& name : failed)
      std::printf("FAILED   %s; the reason is printed above\n", name.c_str());
  }

 private:
  std::string m_space;
  std::vector<Line> m_rows;
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
    int const status = std::system(command.c_str());
    // system() ignores Ctrl-C, which is for all of these programs.
    bool const interrupted =
        (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) ||
        (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
    if (interrupted) {
      std::filesystem::remove(file);
      return 128 + SIGINT;
    }
    if (status != 0) failed.push_back(name);
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
