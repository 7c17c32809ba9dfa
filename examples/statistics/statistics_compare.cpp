// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs `statistics` and `statistics_drop_in`, two builds of the same source,
// and prints side by side what they compute, which route the drop-in took, and
// how fast each is. The programs are separate processes, as an application's
// two builds would be.

#include "../common/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "statistics_data_dir.hpp"  // written by CMake

namespace {

char const* const help = R"(usage: statistics_compare [options] [FILE...]

Runs the two builds of statistics on the NIST data sets, on each FILE, and on a large synthetic
vector; prints digits of agreement, the route that ran, time and fraction of the memory ceiling.

  --set NAME         of the NIST data sets only NAME
  --no-performance   no synthetic vector
  --synthetic N      its length (default: 2^25 doubles, 2^26 floats on a host space,
                     2^28 doubles, 2^30 floats on a device)
  --repeat K         timed calls, of which the median counts (default: 20)
  --float, --raw, --skip-lines N
                     how to read every FILE, see statistics --help
  --data-dir DIR     where certified.txt and the NIST data sets are
  --program-dir DIR  where the two programs are (default: beside this one)
  --help             print this text

Exit code: 0, 1 when fewer digits agree than rounding explains or the drop-in was not active,
2 for wrong input.
)";

char const* const quantities[] = {"mean", "standard_deviation",
                                  "lag1_autocorrelation"};

struct Run {
  int exit_code = 0;
  std::string out;
  std::string err;
  std::map<std::string, std::string> values;
  std::string route;    // of the drop-in, empty when it reported none
  std::string reason;   // why that route, where the drop-in says so
  std::string machine;  // Kokkos, execution spaces and device, as it says

  double number(std::string const& key) const {
    auto const found = values.find(key);
    if (found == values.end()) {
      throw std::runtime_error("statistics printed no " + key);
    }
    return std::stod(found->second);
  }
};

void read_some(int& descriptor, std::string& text) {
  char chunk[4096];
  ssize_t const count = read(descriptor, chunk, sizeof(chunk));
  if (count > 0) {
    text.append(chunk, static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    close(descriptor);
    descriptor = -1;
  }
}

Run start_and_wait(std::vector<std::string> const& command, bool verbose) {
  std::vector<char*> arguments;
  for (auto const& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  int out[2];
  int err[2];
  if (pipe(out) != 0 || pipe(err) != 0) {
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  std::fflush(stdout);
  pid_t const child = fork();
  if (child < 0) {
    throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  }
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (int const descriptor : {out[0], out[1], err[0], err[1]}) {
      close(descriptor);
    }
    if (verbose) setenv("KOKKOSMMA_VERBOSE", "1", 1);
    execv(arguments[0], arguments.data());
    std::fprintf(stderr, "cannot start %s: %s\n", arguments[0],
                 std::strerror(errno));
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  Run run;
  pollfd sources[] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) break;
    if (sources[0].fd >= 0 && sources[0].revents != 0) {
      read_some(sources[0].fd, run.out);
    }
    if (sources[1].fd >= 0 && sources[1].revents != 0) {
      read_some(sources[1].fd, run.err);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  if (WIFSIGNALED(status)) {
    run.err +=
        std::string("ended by signal: ") + strsignal(WTERMSIG(status)) + "\n";
  }
  return run;
}

// What the drop-in prints with KOKKOSMMA_VERBOSE=1: a line when it starts,
// which on a host build says "takes route generic (why)", one of the device
// when it is used first, and one for each kernel that it considers, with
// "route streamed; why not another".
void parse_route(Run& run) {
  std::string const active = "KokkosMMA: drop-in active, ";
  std::string const device = "KokkosMMA: device ";
  std::size_t const start  = std::string("KokkosMMA: ").size();
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);) {
    bool const starts = line.starts_with(active);
    if (starts) run.machine = line.substr(active.size());
    if (line.starts_with(device)) run.machine += "; " + line.substr(start);
    if (!starts && !line.starts_with("KokkosMMA: parallel_reduce ")) continue;
    std::size_t const mark = line.find(" route ");
    if (mark == std::string::npos) continue;
    std::size_t const begin = mark + std::string(" route ").size();
    std::size_t const end =
        std::min(line.find_first_of(" ;", begin), line.size());
    std::string const route = line.substr(begin, end - begin);
    if (("+" + run.route + "+").find("+" + route + "+") != std::string::npos) {
      continue;
    }
    run.route += (run.route.empty() ? "" : "+") + route;
    std::size_t const reason =
        std::min(line.find_first_not_of(" ;", end), line.size());
    if (reason < line.size()) {
      run.reason += (run.reason.empty() ? "" : "; ") + line.substr(reason);
    }
  }
}

struct Pair {
  Run plain;
  Run drop_in;
};

struct Programs {
  std::filesystem::path folder;

  Run run(char const* program, std::vector<std::string> const& arguments,
          bool verbose) const {
    std::vector<std::string> command = {(folder / program).string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Run result = start_and_wait(command, verbose);
    std::istringstream lines(result.out);
    for (std::string key, value;
         lines >> key && std::getline(lines >> std::ws, value);) {
      result.values[key] = value;
    }
    parse_route(result);
    return result;
  }

  Pair run_both(std::vector<std::string> const& arguments) const {
    return {run("statistics", arguments, false),
            run("statistics_drop_in", arguments, true)};
  }
};

void require_success(Run const& run, char const* program) {
  if (run.exit_code == 0) return;
  std::string const text = std::string(program) + " ended with exit code " +
                           std::to_string(run.exit_code) + ":\n" + run.err;
  if (run.exit_code == 2 || run.exit_code == 127) throw InputError(text);
  throw std::runtime_error(text);
}

void require_success(Pair const& pair) {
  require_success(pair.plain, "statistics");
  require_success(pair.drop_in, "statistics_drop_in");
}

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

char const* meaning(std::string const& route) {
  if (route == "generic") return "Kokkos' own code";
  if (route == "streamed") {
    return "the program's own lambdas in kokkos-mma's kernels";
  }
  if (route == "mma") return "kokkos-mma's tensor-core kernels";
  return "several of kokkos-mma's routes";
}

class Report {
 public:
  explicit Report(Programs programs) : m_programs(std::move(programs)) {}

  void nist(std::filesystem::path const& folder, std::string const& only);
  void file(std::string const& path, std::vector<std::string> const& reading);
  void performance(long long synthetic, int repeat);
  int finish() const;

 private:
  void note_route(Run const& drop_in);
  void check_agreement(std::string const& data, Pair const& pair);
  void performance(std::string const& type, long long n, int repeat);

  Programs m_programs;
  std::vector<std::string> m_failures;
  std::map<std::string, std::string> m_reasons;  // of each route that ran
  std::string m_machine;
  std::string m_runs_on = "host";
};

void Report::note_route(Run const& drop_in) {
  if (drop_in.route.empty()) {
    std::string const failure =
        "statistics_drop_in did not report a route: was it linked to "
        "KokkosMMA::drop_in?";
    if (std::find(m_failures.begin(), m_failures.end(), failure) ==
        m_failures.end())
      m_failures.push_back(failure);
  } else {
    m_reasons[drop_in.route] = drop_in.reason;
    m_machine                = drop_in.machine;
  }
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
      "\nDigits that agree with NIST's certified values (log relative error, "
      "15 at most).\n"
      "reachable: exact arithmetic on the data rounded to double; needed: "
      "reachable less rounding errors\n\n");
  std::printf("%-9s %-21s %-20s %9s %7s %6s %8s  %s\n", "data set", "quantity",
              "certified value", "reachable", "needed", "plain", "drop-in",
              "route");
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
      pair = m_programs.run_both({(folder / (name + ".txt")).string()});
      require_success(pair);
      note_route(pair.drop_in);
      check_agreement(name, pair);
      m_runs_on = pair.plain.values["runs_on"];
      current   = name;
    }
    double const certified = std::stod(text);
    double const plain =
        digits_of_agreement(pair.plain.number(quantity), certified);
    double const drop_in =
        digits_of_agreement(pair.drop_in.number(quantity), certified);
    double const needed = -std::log10(
        std::pow(10., -reachable) +
        rounding_error(quantity, certified, pair.plain.number("n")));
    std::printf("%-9s %-21s %-20s %9.1f %7.1f %6.1f %8.1f  %s\n", name.c_str(),
                quantity.c_str(), text.c_str(), reachable, needed, plain,
                drop_in, pair.drop_in.route.c_str());
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
  Pair const pair = m_programs.run_both(arguments);
  require_success(pair);
  note_route(pair.drop_in);
  check_agreement(path, pair);
  std::printf("\n%s: %s values, route of the drop-in: %s\n\n", path.c_str(),
              pair.plain.values.at("n").c_str(), pair.drop_in.route.c_str());
  std::printf("%-21s %24s %24s  %s\n", "quantity", "plain", "drop-in",
              "same digits");
  for (std::string const quantity : quantities) {
    std::printf("%-21s %24s %24s  %11.1f\n", quantity.c_str(),
                pair.plain.values.at(quantity).c_str(),
                pair.drop_in.values.at(quantity).c_str(),
                digits_of_agreement(pair.drop_in.number(quantity),
                                    pair.plain.number(quantity)));
  }
}

void Report::performance(std::string const& type, long long n, int repeat) {
  auto const measure = [&] {
    std::vector<std::string> arguments = {"--synthetic", std::to_string(n),
                                          "--repeat", std::to_string(repeat)};
    if (type == "float") arguments.push_back("--float");
    return m_programs.run_both(arguments);
  };
  Pair pair = measure();
  // Data and two buffers for the ceiling do not fit every device.
  while ((pair.plain.err + pair.drop_in.err).find("no memory") !=
             std::string::npos &&
         n > (1 << 20)) {
    n /= 4;
    pair = measure();
  }
  require_success(pair);
  note_route(pair.drop_in);
  std::string const data = std::to_string(n) + " " + type + "s";
  check_agreement(data, pair);
  // Uniform in [0, 1): the mean of n of them strays from 1/2 by sqrt(1 / (12
  // n)).
  for (Run const* run : {&pair.plain, &pair.drop_in}) {
    if (!(std::abs(run->number("mean") - 0.5) <
          6 * std::sqrt(1 / (12. * static_cast<double>(n))))) {
      m_failures.push_back(data + ": mean " + run->values.at("mean") +
                           " is not that of uniform values in [0, 1)");
    }
  }
  // One ceiling for both builds, the best that either saw, so that the two
  // fractions compare.
  bool const from_plain = pair.plain.number("measured_ceiling_GBps") >=
                          pair.drop_in.number("measured_ceiling_GBps");
  Run const& best      = from_plain ? pair.plain : pair.drop_in;
  double const ceiling = best.number("measured_ceiling_GBps");
  std::printf("%s, %.3g GB, route %s, measured ceiling %.4g GB/s (%s)\n",
              data.c_str(), pair.plain.number("bytes") / 1e9,
              pair.drop_in.route.c_str(), ceiling,
              best.values.at("measured_ceiling_is") == "device_copy"
                  ? "deep_copy within the memory, read plus written"
                  : "16-byte loads of a parallel_for that only reads");
  for (std::string const kernel : {"sum", "centred_sums"}) {
    std::printf("  %-13s", kernel.c_str());
    for (Run const* run : {&pair.plain, &pair.drop_in}) {
      double const rate = run->number(kernel + "_GBps");
      std::printf(" %10.3f %8.1f %8.3f ",
                  1e3 * run->number(kernel + "_seconds"), rate, rate / ceiling);
    }
    std::printf(" %7.2f\n", pair.plain.number(kernel + "_seconds") /
                                pair.drop_in.number(kernel + "_seconds"));
  }
}

void Report::performance(long long synthetic, int repeat) {
  bool const on_device = m_runs_on == "device";
  std::printf(
      "\nSpeed on random data: one call, from the call to its result on the "
      "host, median of %d.\n\n",
      repeat);
  std::printf("  %-13s %10s %8s %8s  %10s %8s %8s  %7s\n", "", "plain", "",
              "of", "drop-in", "", "of", "");
  std::printf("  %-13s %10s %8s %8s  %10s %8s %8s  %7s\n", "reduction", "ms",
              "GB/s", "ceiling", "ms", "GB/s", "ceiling", "speedup");
  for (std::string const type : {"double", "float"}) {
    int const exponent =
        type == "double" ? (on_device ? 28 : 25) : (on_device ? 30 : 26);
    performance(type, synthetic != 0 ? synthetic : 1LL << exponent, repeat);
  }
}

int Report::finish() const {
  std::printf("\n");
  if (!m_machine.empty()) std::printf("Drop-in: %s\n", m_machine.c_str());
  for (auto const& [route, reason] : m_reasons) {
    std::printf("Route %s: %s%s%s\n", route.c_str(), meaning(route),
                reason.empty()     ? ""
                : reason[0] == '(' ? " "
                                   : "; ",
                reason.c_str());
  }
  for (auto const& failure : m_failures)
    std::printf("FAILED  %s\n", failure.c_str());
  if (m_failures.empty())
    std::printf("Both builds reach the digits that the data allow.\n");
  return m_failures.empty() ? 0 : 1;
}

std::filesystem::path own_folder(char const* program) {
  std::error_code error;
  auto const path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::absolute(program).parent_path()
               : path.parent_path();
}

int compare(int argc, char** argv) {
  Programs programs{own_folder(argv[0])};
  std::filesystem::path data_dir = statistics_data_dir;
  std::string only;
  std::vector<std::string> reading;
  bool performance    = true;
  long long synthetic = 0;
  int repeat          = 20;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--set") {
      only = arguments.value();
    } else if (word == "--no-performance") {
      performance = false;
    } else if (word == "--synthetic") {
      synthetic = arguments.integer(2, std::int64_t(1) << 40);
    } else if (word == "--repeat") {
      repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--float" || word == "--raw") {
      reading.push_back(word);
    } else if (word == "--skip-lines") {
      reading.insert(reading.end(), {word, arguments.value()});
    } else if (word == "--data-dir") {
      data_dir = arguments.value();
    } else if (word == "--program-dir") {
      programs.folder = arguments.value();
    } else if (word == "--help") {
      std::fputs(help, stdout);
      return 0;
    } else {
      arguments.refuse();
    }
  }
  Report report(programs);
  std::printf(
      "statistics.cpp, one Kokkos source, built plain and with "
      "KokkosMMA::drop_in\n");
  report.nist(data_dir, only);
  for (auto const& path : arguments.operands()) report.file(path, reading);
  if (performance) report.performance(synthetic, repeat);
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
