// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two builds of one source, plain and with the drop-in, and what the drop-in
// says about its routes. Plain C++20 and POSIX.

#ifndef EXAMPLES_COMMON_DROP_IN_RUN_HPP
#define EXAMPLES_COMMON_DROP_IN_RUN_HPP

#include "comparison.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

struct DropInRun : FinishedProgram {
  bool has_drop_in = false;
  std::string route;   // of calls of the pattern, "a+b" where several ran
  std::string reason;  // why that route, where the drop-in says so
  std::string device;

  bool on_cuda() const { return text("execution_space") == "Cuda"; }
};

// With KOKKOSMMA_VERBOSE=1 the drop-in prints a line when it starts, one of the
// device when it is used first, and one for each kind of kernel, with
// "route streamed; why not another".
inline void read_routes(DropInRun& run, std::string const& pattern) {
  std::string const device = "KokkosMMA: device ";
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("KokkosMMA: drop-in ")) run.has_drop_in = true;
    if (line.starts_with(device))
      run.device = line.substr(std::string("KokkosMMA: ").size());
    if (!line.starts_with("KokkosMMA: " + pattern + " ")) continue;
    std::size_t const mark = line.find(" route ");
    if (mark == line.npos) continue;
    std::size_t const begin = mark + std::string(" route ").size();
    std::size_t const end =
        std::min(line.find_first_of(" ;", begin), line.size());
    std::string const route = line.substr(begin, end - begin);
    if (("+" + run.route + "+").find("+" + route + "+") != run.route.npos)
      continue;
    run.route += (run.route.empty() ? "" : "+") + route;
    std::size_t const reason =
        std::min(line.find_first_not_of(" ;", end), line.size());
    if (reason < line.size())
      run.reason += (run.reason.empty() ? "" : "; ") + line.substr(reason);
  }
}

class DropInPrograms {
 public:
  // `pattern` is the one whose routes are read: parallel_reduce.
  DropInPrograms(std::filesystem::path folder, std::string plain,
                 std::string pattern)
      : m_folder(std::move(folder)),
        m_plain(std::move(plain)),
        m_pattern(std::move(pattern)) {}

  FinishedProgram run_plain(std::vector<std::string> const& arguments) const {
    return start_and_wait(m_folder / m_plain, arguments);
  }
  DropInRun run_drop_in(std::vector<std::string> const& arguments) const {
    DropInRun run{start_and_wait(m_folder / (m_plain + "_drop_in"), arguments,
                                 "KOKKOSMMA_VERBOSE=1"),
                  false,
                  {},
                  {},
                  {}};
    read_routes(run, m_pattern);
    return run;
  }

 private:
  std::filesystem::path m_folder;
  std::string m_plain;
  std::string m_pattern;
};

// The routes of all runs, and whether the drop-in was there.
class DropInNotes {
 public:
  // False where the program was not built with the drop-in.
  bool add(DropInRun const& run) {
    if (!run.has_drop_in) return false;
    m_on_cuda = run.on_cuda();
    m_device  = run.device;
    if (!run.route.empty()) m_reasons[run.route] = run.reason;
    return true;
  }

  void print() const {
    if (!m_on_cuda) {
      std::printf(
          "drop-in: inactive, because this Kokkos has no CUDA; both builds are "
          "the same\nprogram, so their times are not compared\n");
      return;
    }
    if (!m_device.empty()) std::printf("drop-in: %s\n", m_device.c_str());
    for (auto const& [route, reason] : m_reasons) {
      std::printf("drop-in: route %s%s%s\n", route.c_str(),
                  reason.empty() ? "" : "; ", reason.c_str());
    }
  }

 private:
  bool m_on_cuda = false;
  std::string m_device;
  std::map<std::string, std::string> m_reasons;  // of each route that ran
};

#endif
