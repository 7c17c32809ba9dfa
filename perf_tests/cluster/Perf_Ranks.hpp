// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_RANKS_HPP
#define KOKKOSMMA_PERF_RANKS_HPP

#include <KokkosMMA.hpp>
#include <KokkosMMA_Mpi.hpp>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <tuple>
#include <utility>

#include "support/Perf_Routes.hpp"
#include "support/Perf_Timing.hpp"

/// What the cases of perf_mpi have in common: flags, times of the slowest rank,
/// the report, communicators.
namespace perf {

struct Options {
  std::int64_t n      = on_cuda ? std::int64_t(1) << 30 : std::int64_t(1) << 20;
  std::int64_t side   = on_cuda ? 16384 : 512;
  std::int64_t radius = 1, samples = 15, calls = 10;
  std::string json, only;

  static Options parse(int argc, char** argv) {
    Options o;
    for (int a = 1; a < argc; ++a)
      if (std::string const arg = argv[a];
          arg.starts_with("--mma-") || !arg.starts_with("--"))
        o.take(arg);
    return o;
  }

 private:
  void take(std::string const& arg) {
    std::size_t const value = arg.find('=') + 1;
    std::string const flag  = arg.substr(0, value);
    for (auto const& [name, into, most] :
         {std::tuple("--mma-n=", &n, std::int64_t(1) << 36),
          std::tuple("--mma-side=", &side, std::int64_t(1) << 20),
          std::tuple("--mma-radius=", &radius, std::int64_t(16)),
          std::tuple("--mma-samples=", &samples, std::int64_t(10000)),
          std::tuple("--mma-calls=", &calls, std::int64_t(10000))}) {
      if (flag != name) continue;
      char const* const end = arg.data() + arg.size();
      auto const [read, problem] =
          std::from_chars(arg.data() + value, end, *into);
      if (problem == std::errc() && read == end && *into >= 1 && *into <= most)
        return;
      throw std::invalid_argument("perf_mpi: '" + arg +
                                  "' needs a whole number from 1 to " +
                                  std::to_string(most));
    }
    if (flag != "--mma-json=" && flag != "--mma-only=")
      throw std::invalid_argument(
          "perf_mpi: '" + arg +
          "' is not a flag; --mma-n=N (elements per rank), --mma-side=N "
          "(rows and columns per rank), --mma-radius=R, --mma-samples=N, "
          "--mma-calls=N, --mma-only=TEXT (part of the names) and "
          "--mma-json=FILE are");
    (flag == "--mma-json=" ? json : only) = arg.substr(value);
  }
};

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Seconds per call: median, minimum, and standard deviation over mean.
struct Times {
  double median = 0, minimum = 0, variation = 0;
};

/// The slowest rank of each sample.
template <class Call>
Times measure(MPI_Comm comm, Options const& options, Call&& call) {
  using Clock = std::chrono::steady_clock;
  for (int warm = 0; warm < 2; ++warm) call();
  Kokkos::fence("perf: warm");
  std::vector<double> seconds;
  for (int s = 0; s < options.samples; ++s) {
    MPI_Barrier(comm);
    auto const begin = Clock::now();
    for (int c = 0; c < options.calls; ++c) call();
    Kokkos::fence("perf: sample");
    double const own =
        std::chrono::duration<double>(Clock::now() - begin).count();
    seconds.push_back(own / options.calls);
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), int(seconds.size()), MPI_DOUBLE,
                MPI_MAX, comm);
  Samples const samples{seconds};
  return {samples.median(), samples.minimum(), samples.variation()};
}

/// One line of the JSON.
struct Case {
  std::string operation, type, scaling;  // scaling: one, weak, strong, link
  int ranks         = 1;
  double elements   = 0;  // per rank
  double bytes      = 0;  // per rank: read and written once
  Times times       = {};
  double efficiency = 0;  // against one GPU without MPI
  std::string route = {};
  std::string extra = {};

  std::string name() const {
    return "mpi_" + operation + "/" + type + "/" + scaling +
           "/ranks:" + std::to_string(ranks) + extra;
  }
  std::string json() const {
    std::ostringstream text;
    text.precision(9);
    text << "{\"name\": \"" << name() << "\", \"operation\": \"" << operation
         << "\", \"type\": \"" << type << "\", \"scaling\": \"" << scaling
         << "\", \"ranks\": " << ranks
         << ", \"elements_per_rank\": " << elements
         << ", \"bytes_per_rank\": " << bytes
         << ", \"real_time\": " << times.median * 1e6
         << ", \"fastest_us\": " << times.minimum * 1e6
         << ", \"time_unit\": \"us\", \"variation\": " << times.variation
         << ", \"elements_per_second_and_rank\": " << elements / times.median
         << ", \"bytes_per_second_and_rank\": " << bytes / times.median;
    if (efficiency > 0) text << ", \"efficiency\": " << efficiency;
    if (!route.empty()) text << ", \"route\": \"" << route << "\"";
    text << "}";
    return text.str();
  }
};

class Report {
 public:
  explicit Report(Options const& options) : m_options(options) {}

  bool wants(std::string const& name) const {
    return name.find(m_options.only) != std::string::npos;
  }
  void add(Case const& c) {
    if (rank_in(MPI_COMM_WORLD) != 0) return;
    m_cases.push_back(c);
    std::printf("%-44s %12.2f us +-%4.1f %% %9.1f GB/s per rank",
                c.name().c_str(), c.times.median * 1e6, c.times.variation * 100,
                c.bytes / c.times.median * 1e-9);
    if (c.efficiency > 0) std::printf("  efficiency %.3f", c.efficiency);
    if (!c.route.empty()) std::printf("  %s", c.route.c_str());
    std::printf("\n");
    std::fflush(stdout);
  }
  /// Any rank may find a wrong result.
  void check(MPI_Comm comm, bool good, std::string const& what) {
    int wrong = good ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
    if (wrong == 0) return;
    ++m_failures;
    if (rank_in(comm) == 0)
      std::printf("WRONG RESULT: %s, on %d ranks\n", what.c_str(), wrong);
  }
  int failures() const { return m_failures; }

  void write(std::vector<std::pair<std::string, std::string>> const& context,
             std::string const& places) const {
    if (m_options.json.empty()) return;
    std::ofstream file(m_options.json);
    file << "{\n  \"context\": {\n";
    for (auto const& [key, value] : context) {
      std::string line = value;
      std::replace(line.begin(), line.end(), '\n', ' ');
      file << "    \"" << key << "\": " << std::quoted(line) << ",\n";
    }
    file << "    \"failures\": " << m_failures << ",\n    \"ranks\": ["
         << places << "]\n  },\n  \"benchmarks\": [\n";
    for (std::size_t i = 0; i < m_cases.size(); ++i)
      file << "    " << m_cases[i].json()
           << (i + 1 < m_cases.size() ? ",\n" : "\n");
    file << "  ]\n}\n";
    file.close();
    if (!file)
      throw std::runtime_error("perf_mpi: " + m_options.json +
                               " cannot be written");
  }

 private:
  Options m_options;
  std::vector<Case> m_cases;
  int m_failures = 0;
};

/// Communicators of the first 1, 2, 4, ... ranks, and of all.
class Steps {
 public:
  Steps() {
    int const size = size_of(MPI_COMM_WORLD);
    for (int ranks = 1; ranks < size; ranks *= 2) add(ranks);
    add(size);
  }
  Steps(Steps const&)            = delete;
  Steps& operator=(Steps const&) = delete;
  ~Steps() {
    for (MPI_Comm& comm : m_comms)
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  template <class F>
  void for_each(F const& f) const {
    for (MPI_Comm const comm : m_comms) {
      if (comm != MPI_COMM_NULL) f(comm);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }

 private:
  void add(int ranks) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD,
                   rank_in(MPI_COMM_WORLD) < ranks ? 0 : MPI_UNDEFINED, 0,
                   &comm);
    m_comms.push_back(comm);
  }
  std::vector<MPI_Comm> m_comms;
};

/// Only rank 0, the others wait; its time for all.
template <class Call>
Times alone(Options const& options, Call&& call) {
  Times times;
  if (rank_in(MPI_COMM_WORLD) == 0)
    times = measure(MPI_COMM_SELF, options, call);
  MPI_Bcast(&times, int(sizeof(times)), MPI_BYTE, 0, MPI_COMM_WORLD);
  return times;
}
inline double efficiency_of(Case const& c, double one) {
  return c.scaling == "weak" ? one / c.times.median
                             : one / (c.times.median * c.ranks);
}

/// Strong scaling cuts the elements of one rank's weak case into parts.
inline std::int64_t part_of(std::string const& scaling, std::int64_t n,
                            int ranks) {
  return scaling == "weak" ? n : std::max<std::int64_t>(n / ranks / 8 * 8, 8);
}

}  // namespace perf

#endif
