// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs `statistics` and `statistics_drop_in`, two builds of the same source,
// and prints side by side how fast each is and what they compute. The programs
// are separate processes, as an application's two builds would be.

#include "../common/command_line.hpp"
#include "../common/drop_in_run.hpp"
#include "../common/files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "statistics_data_dir.hpp"  // written by CMake

namespace {

char const* const help = R"(usage: statistics_compare [options] [FILE...]

Runs the two builds of statistics on a large synthetic vector, on the NIST data sets and on each
FILE; prints times, fraction of the memory ceiling, digits of agreement and the route that ran.

  --set NAME         only this NIST data set
  --no-performance   no synthetic vector
  --synthetic N      its length (default: 2^25 doubles, 2^26 floats on a host space,
                     2^28 doubles, 2^30 floats on a device)
  --runs N           timed runs of each build, alternating (default: 5)
  --repeat K         timed calls in a run, of which the median counts (default: 5, 20 on a device)
  --float, --raw, --skip-lines N
                     how to read every FILE, see statistics --help
  --data-dir DIR     folder of certified.txt and the NIST data sets
  --program-dir DIR  folder of the two programs (default: that of this program)
  --summary FILE     append the speedups to FILE, a line each
  --help             print this text

Exit code: 0, 1 when fewer digits agree than rounding explains or a build has no drop-in,
2 for wrong input.
)";

char const* const quantities[] = {"mean", "standard_deviation",
                                  "lag1_autocorrelation"};

struct Pair {
  FinishedProgram plain;
  DropInRun drop_in;

  void require_success() const {
    plain.require_success();
    drop_in.require_success();
  }
};

// NIST's log relative error: digits that agree, of 15 that a double holds.
double digits_of_agreement(double value, double certified) {
  if (value == certified || (std::isnan(value) && std::isnan(certified))) {
    return 15;
  }
  double const scale  = certified == 0 ? 1 : std::abs(certified);
  double const digits = -std::log10(std::abs(value - certified) / scale);
  return digits > 0 ? std::min(digits, 15.) : 0;
}

// What rounding may cost, per quantity, relative to its value. The rounding
// errors of a sum of n terms behave like a random walk of n steps, whatever
// the order of summation: 8 sqrt(n) roundings is three times the worst seen
// (NumAcc2, whose equal terms round alike, summed by one thread). The mean is
// corrected to its last bits afterwards. The autocorrelation's error is
// relative to 1, its largest value, not to what cancellation leaves.
double rounding_error(std::string const& quantity, double value, double n) {
  double const unit = std::ldexp(1., -53);
  if (quantity == "mean") return 8 * unit;
  double const walk = 8 * std::sqrt(n) * unit;
  return quantity == "standard_deviation" ? walk : walk / std::abs(value);
}

class Report {
 public:
  Report(DropInPrograms programs, Summary summary)
      : m_programs(std::move(programs)), m_summary(std::move(summary)) {}

  void nist(std::filesystem::path const& folder, std::string const& only);
  void file(std::string const& path, std::vector<std::string> const& reading);
  void performance(std::int64_t synthetic, int runs, int repeat);
  int finish() const;

 private:
  Pair run_both(std::vector<std::string> const& arguments) const {
    return {m_programs.run_plain(arguments), m_programs.run_drop_in(arguments)};
  }
  void note_route(DropInRun const& drop_in);
  void check_agreement(std::string const& data, Pair const& pair);
  void check_mean(std::string const& data, FinishedProgram const& run);
  std::vector<TimedCase> times(std::string const& type, std::int64_t n,
                               int runs, int repeat);

  DropInPrograms m_programs;
  Summary m_summary;
  DropInNotes m_notes;
  std::vector<std::string> m_failures;
  double m_ceiling = 0;
  std::string m_ceiling_is;
};

void Report::note_route(DropInRun const& drop_in) {
  if (m_notes.add(drop_in)) return;
  std::string const failure =
      "statistics_drop_in was not built with KokkosMMA::drop_in";
  if (std::ranges::find(m_failures, failure) == m_failures.end())
    m_failures.push_back(failure);
}

// The two builds add the same numbers in different orders; more than that may
// not differ.
void Report::check_agreement(std::string const& data, Pair const& pair) {
  double const n         = pair.plain.number("n");
  double const deviation = pair.plain.number("standard_deviation");
  double const walk      = 8 * std::sqrt(n) * std::ldexp(1., -53);
  for (std::string const quantity : quantities) {
    double const plain   = pair.plain.number(quantity);
    double const drop_in = pair.drop_in.number(quantity);
    double const scale   = quantity == "mean"
                               ? std::max(std::abs(plain), deviation)
                           : quantity == "standard_deviation" ? deviation
                                                              : 1;
    bool const same =
        plain == drop_in || (std::isnan(plain) && std::isnan(drop_in));
    if (!same && !(std::abs(plain - drop_in) <= walk * scale)) {
      char text[300];
      std::snprintf(text, sizeof(text),
                    "%s %s: plain gives %.17g, drop-in %.17g: more than "
                    "rounding explains (%.2g)",
                    data.c_str(), quantity.c_str(), plain, drop_in,
                    walk * scale);
      m_failures.push_back(text);
    }
  }
  if (pair.plain.number("n") != pair.drop_in.number("n"))
    m_failures.push_back(data +
                         ": the two builds read different numbers of values");
}

void Report::nist(std::filesystem::path const& folder,
                  std::string const& only) {
  std::filesystem::path const table = folder / "certified.txt";
  std::ifstream stream(table);
  if (!stream) {
    throw InputError(
        "cannot read " + table.string() +
        "; pass --data-dir DIR with the folder nist of the example");
  }
  std::printf(
      "\nResults: digits that agree with NIST's certified values, 15 at most.\n"
      "reachable: by exact arithmetic on the data rounded to double;\n"
      "needed: reachable less rounding errors.\n\n"
      "  %-9s %-21s %9s %7s %6s %8s\n",
      "data set", "quantity", "reachable", "needed", "plain", "drop-in");
  std::string current;
  Pair pair;
  bool found = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    std::string quantity;
    std::string text;
    double reachable = 0;
    if (!(words >> name >> quantity >> text >> reachable)) {
      throw InputError(table.string() + ": '" + line +
                       "' is not a data set, quantity, value and digits; write "
                       "it anew with generate_nist.py");
    }
    if (!only.empty() && name != only) continue;
    found = true;
    if (name != current) {
      pair = run_both({(folder / (name + ".txt")).string()});
      pair.require_success();
      note_route(pair.drop_in);
      check_agreement(name, pair);
      current = name;
    }
    double const certified = std::stod(text);
    double const plain =
        digits_of_agreement(pair.plain.number(quantity), certified);
    double const drop_in =
        digits_of_agreement(pair.drop_in.number(quantity), certified);
    double const needed = -std::log10(
        std::pow(10., -reachable) +
        rounding_error(quantity, certified, pair.plain.number("n")));
    std::printf("  %-9s %-21s %9.1f %7.1f %6.1f %8.1f\n", name.c_str(),
                quantity.c_str(), reachable, needed, plain, drop_in);
    for (auto const& [build, digits] :
         {std::pair("plain", plain), std::pair("drop-in", drop_in)}) {
      if (digits < needed) {
        char failure[200];
        std::snprintf(failure, sizeof(failure),
                      "%s %s: the %s build agrees with NIST on %.1f digits, "
                      "%.1f are needed",
                      name.c_str(), quantity.c_str(), build, digits, needed);
        m_failures.push_back(failure);
      }
    }
  }
  if (!found) {
    throw InputError("no data set '" + only + "' in " + table.string() +
                     "; it lists NumAcc1 to NumAcc4 and PiDigits");
  }
}

void Report::file(std::string const& path,
                  std::vector<std::string> const& reading) {
  std::vector<std::string> arguments = reading;
  arguments.insert(arguments.end(), {"--", path});
  Pair const pair = run_both(arguments);
  pair.require_success();
  note_route(pair.drop_in);
  check_agreement(path, pair);
  std::printf("\n%s: %s values\n\n  %-21s %24s %24s\n", path.c_str(),
              pair.plain.text("n").c_str(), "quantity", "plain", "drop-in");
  for (std::string const quantity : quantities) {
    std::printf("  %-21s %24s %24s\n", quantity.c_str(),
                pair.plain.text(quantity).c_str(),
                pair.drop_in.text(quantity).c_str());
  }
}

// Uniform in [0, 1): the mean of n of them strays from 1/2 by sqrt(1 / (12 n)).
void Report::check_mean(std::string const& data, FinishedProgram const& run) {
  if (!(std::abs(run.number("mean") - 0.5) <
        6 * std::sqrt(1 / (12. * run.number("n"))))) {
    m_failures.push_back(data + ": mean " + run.text("mean") +
                         " is not that of uniform values in [0, 1)");
  }
}

std::vector<TimedCase> Report::times(std::string const& type, std::int64_t n,
                                     int runs, int repeat) {
  auto const arguments = [&] {
    std::vector<std::string> words = {"--synthetic", std::to_string(n),
                                      "--repeat", std::to_string(repeat)};
    if (type == "float") words.push_back("--float");
    return words;
  };
  // Data and two buffers for the ceiling do not fit every device.
  FinishedProgram plain = m_programs.run_plain(arguments());
  while (plain.out.find("no memory") != plain.out.npos && n > (1 << 20)) {
    n /= 4;
    plain = m_programs.run_plain(arguments());
  }
  plain.require_success();
  std::string const data              = std::to_string(n) + " " + type + "s";
  bool const same                     = plain.text("execution_space") != "Cuda";
  std::vector<FinishedProgram> plains = {plain};
  std::vector<FinishedProgram> others;
  for (int i = 0; i < (same ? 0 : runs); ++i) {
    if (i > 0) plains.push_back(m_programs.run_plain(arguments()));
    DropInRun const drop_in = m_programs.run_drop_in(arguments());
    Pair const pair{plains.back(), drop_in};
    pair.require_success();
    note_route(drop_in);
    check_agreement(data, pair);
    check_mean(data, drop_in);
    others.push_back(drop_in);
  }
  for (auto const* const programs : {&plains, &others}) {
    for (FinishedProgram const& run : *programs) {
      check_mean(data, run);
      if (run.number("measured_ceiling_GBps") <= m_ceiling) continue;
      m_ceiling    = run.number("measured_ceiling_GBps");
      m_ceiling_is = run.text("measured_ceiling_is") == "device_copy"
                         ? "a deep_copy, read plus written"
                         : "a loop that only reads, 16 bytes per load";
    }
  }
  std::vector<TimedCase> cases;
  for (std::string const kernel : {"sum", "centred_sums"}) {
    std::string const key = kernel + "_seconds";
    TimedCase timed{data + ", " + (kernel == "sum" ? "sum" : "centred sums"),
                    plain.number("bytes"),
                    {{"plain Kokkos", numbers(plains, key)}}};
    if (!same) timed.programs.push_back({"drop-in", numbers(others, key)});
    cases.push_back(std::move(timed));
  }
  return cases;
}

void Report::performance(std::int64_t synthetic, int runs, int repeat) {
  FinishedProgram const first = m_programs.run_plain({"--synthetic", "1000"});
  first.require_success();
  bool const on_device    = first.text("runs_on") == "device";
  std::string const space = first.text("execution_space");
  if (repeat == 0) repeat = on_device ? 20 : 5;
  std::vector<TimedCase> cases;
  for (std::string const type : {"double", "float"}) {
    int const exponent =
        type == "double" ? (on_device ? 28 : 25) : (on_device ? 30 : 26);
    auto more =
        times(type, synthetic != 0 ? synthetic : std::int64_t(1) << exponent,
              runs, repeat);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  std::printf(
      "\nTimes of one call, from the call to its result on the host, %s.\n",
      space.c_str());
  if (space == "Cuda") {
    std::printf("Shortest of %d alternating runs of each build.\n", runs);
  } else {
    std::printf("Plain Kokkos only: without CUDA both builds are the same.\n");
  }
  print_times(cases, m_ceiling, m_ceiling_is);
  m_summary.machine(space);
  if (space != "Cuda") m_summary.same_program();
  m_summary.times(cases);
}

int Report::finish() const {
  std::printf("\n");
  m_notes.print();
  for (auto const& failure : m_failures)
    std::printf("FAILED  %s\n", failure.c_str());
  if (m_failures.empty()) std::printf("Both builds reach the needed digits.\n");
  return m_failures.empty() ? 0 : 1;
}

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path summary;
  std::filesystem::path data_dir = statistics_data_dir;
  std::string only;
  std::vector<std::string> reading;
  bool performance       = true;
  std::int64_t synthetic = 0;
  int runs               = 5;
  int repeat             = 0;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--set") {
      only = arguments.value();
    } else if (word == "--no-performance") {
      performance = false;
    } else if (word == "--synthetic") {
      synthetic = arguments.integer(2, std::int64_t(1) << 40);
    } else if (word == "--runs") {
      runs = static_cast<int>(arguments.integer(1, 1000));
    } else if (word == "--repeat") {
      repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--float" || word == "--raw") {
      reading.push_back(word);
    } else if (word == "--skip-lines") {
      reading.insert(reading.end(),
                     {word, std::to_string(arguments.integer(0, 1000000000))});
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
  check_readable(arguments.operands(), "a file that this user can read");
  Report report(DropInPrograms(programs, "statistics", "parallel_reduce"),
                Summary(summary, "statistics"));
  std::printf(
      "Mean and deviation: statistics.cpp, built plain and with "
      "KokkosMMA::drop_in\n");
  if (performance) report.performance(synthetic, runs, repeat);
  report.nist(data_dir, only);
  for (auto const& path : arguments.operands()) report.file(path, reading);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc, argv);
  } catch (InputError const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "statistics_compare: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "statistics_compare: %s\n", error.what());
    return 1;
  }
}
