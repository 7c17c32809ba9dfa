// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times of several runs as a table: plain Kokkos first, then each program with
// kokkos-mma, its speed-up and the range of it. Plain C++20 and POSIX.

#ifndef EXAMPLES_COMMON_COMPARISON_HPP
#define EXAMPLES_COMMON_COMPARISON_HPP

#include "side_by_side.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

struct TimedProgram {
  std::string name;
  std::vector<double> seconds;  // one time for each run
};

// The first program is plain Kokkos; the others do the same work.
struct TimedCase {
  std::string name;
  double bytes = 0;
  std::vector<TimedProgram> programs;
};

// The shortest run: other work on the machine only makes runs longer.
inline double best(std::vector<double> const& seconds) {
  return std::ranges::min(seconds);
}

struct Speedup {
  double best;         // of the shortest runs
  double least, most;  // of the runs, each with the one that ran next to it
  char const* verdict;
};

// A difference counts when the slowest run of one program is faster than the
// fastest run of the other.
inline Speedup speedup(std::vector<double> const& plain,
                       std::vector<double> const& other) {
  Speedup result{best(plain) / best(other), 0, 0, "within noise"};
  for (std::size_t i = 0; i < std::min(plain.size(), other.size()); ++i) {
    double const ratio = plain[i] / other[i];
    result.least       = i == 0 ? ratio : std::min(result.least, ratio);
    result.most        = std::max(result.most, ratio);
  }
  if (plain.size() < 2) {
    result.verdict = "one run only";
  } else if (std::ranges::max(other) < best(plain)) {
    result.verdict = "faster";
  } else if (std::ranges::max(plain) < best(other)) {
    result.verdict = "slower";
  }
  return result;
}

inline std::string range_text(Speedup const& speedup) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f - %.2f", speedup.least, speedup.most);
  return text;
}

// Times are those of the shortest run. `ceiling` in GB/s; `what` says how it
// was measured.
inline void print_times(std::vector<TimedCase> const& cases, double ceiling,
                        std::string const& what) {
  std::printf("Ceiling: %.4g GB/s, %s.\n\n  %-24s %9s %7s  %10s", ceiling,
              what.c_str(), "", "ms", "GB/s", "of ceiling");
  bool const has_others = std::ranges::any_of(
      cases, [](TimedCase const& timed) { return timed.programs.size() > 1; });
  std::printf(has_others ? "  %7s %13s\n" : "\n", "speedup", "min - max");
  for (TimedCase const& timed : cases) {
    std::printf("  %s\n", timed.name.c_str());
    for (TimedProgram const& program : timed.programs) {
      double const seconds = best(program.seconds);
      double const rate    = timed.bytes / seconds / 1e9;
      std::printf("    %-22s %9.3f %7.1f  %8.1f %%", program.name.c_str(),
                  1e3 * seconds, rate, 100 * rate / ceiling);
      if (&program != &timed.programs[0]) {
        Speedup const gain =
            speedup(timed.programs[0].seconds, program.seconds);
        std::printf("  %7.2f %13s", gain.best, range_text(gain).c_str());
      }
      std::printf("\n");
    }
  }
}

// What a program with several comparisons, as the demo, says at its end. Lines
// of fields between tabs.
class Summary {
 public:
  // An empty path: nothing is written. Asked before anything is measured.
  Summary(std::filesystem::path file, std::string example)
      : m_file(std::move(file)), m_example(std::move(example)) {
    if (!m_file.empty() && !std::ofstream(m_file, std::ios::app)) {
      throw InputError("--summary " + in_quotes(m_file.string()) +
                       ": cannot write this file; give another path");
    }
  }

  void times(std::vector<TimedCase> const& cases) const {
    for (TimedCase const& timed : cases) {
      for (std::size_t i = 1; i < timed.programs.size(); ++i) {
        Speedup const gain =
            speedup(timed.programs[0].seconds, timed.programs[i].seconds);
        char text[32];
        std::snprintf(text, sizeof(text), "%.2f", gain.best);
        write("times", timed.name + ": " + timed.programs[i].name + "\t" +
                           text + "\t" + range_text(gain) + "\t" +
                           gain.verdict);
      }
    }
  }
  void same_program() const { write("same", ""); }
  void machine(std::string const& space) const { write("space", space); }

 private:
  void write(std::string const& kind, std::string const& text) const {
    if (m_file.empty()) return;
    std::ofstream(m_file, std::ios::app)
        << kind << '\t' << m_example << '\t' << text << '\n';
  }

  std::filesystem::path m_file;
  std::string m_example;
};

// Two programs in turn, `runs` times: a machine that warms up meets both alike.
struct Runs {
  std::vector<FinishedProgram> plain;
  std::vector<FinishedProgram> other;
};

template <class Plain, class Other>
Runs run_in_turn(int runs, Plain const& plain, Other const& other) {
  Runs result;
  for (int i = 0; i < runs; ++i) {
    if (i % 2 == 0) result.plain.push_back(plain());
    result.other.push_back(other());
    if (i % 2 != 0) result.plain.push_back(plain());
  }
  return result;
}

inline std::vector<double> numbers(std::vector<FinishedProgram> const& runs,
                                   std::string const& key) {
  std::vector<double> result;
  for (FinishedProgram const& run : runs) result.push_back(run.number(key));
  return result;
}

// One line: what ran the calls of kokkos-mma in `run`.
inline std::string route_text(FinishedProgram const& run,
                              std::string const& key = "route") {
  if (run.text("execution_space") != "Cuda") {
    return "kokkos-mma: loops of Kokkos (route generic), because this Kokkos "
           "has no CUDA";
  }
  return "kokkos-mma: route " + run.text(key);
}

// The best that any run saw.
inline double largest(Runs const& runs, std::string const& key) {
  double result = 0;
  for (auto const* const programs : {&runs.plain, &runs.other}) {
    for (double const value : numbers(*programs, key))
      result = std::max(result, value);
  }
  return result;
}

#endif
