// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs `compressed_rows` and `compressed_rows_drop_in`, two builds of the same
// source, as processes of their own, and prints side by side what they compute,
// which route the drop-in took, and how fast each is; then the same two steps
// by KokkosMMA::exclusive_scan and, on Cuda, by CUB, in this process.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/side_by_side.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

#include "compressed_rows_data_dir.hpp"  // written by CMake

namespace compressed_rows {

char const* const help =
    R"(usage: compressed_rows_compare [options] [FILE.mtx...]

Runs the two builds of compressed_rows on the matrices that come with the example, or on each
FILE, and on a large grid; compares every array, prints the route, time and fraction of the
copy ceiling.

  --no-performance   no large grid
  --grid N           the grid has N by N points (default: 1024, 16384 on a device)
  --repeat K         timed calls, of which the median counts (default: 20)
  --data-dir DIR     where the matrices are
  --program-dir DIR  where the two programs are (default: beside this one)
  --help             print this text

Exit code: 0, 1 when results are wrong or differ or the drop-in was not active, 2 for wrong
input.
)";

struct Run : FinishedProgram {
  std::string route;    // of the drop-in's scans, empty when it reported none
  std::string reason;   // why that route, where the drop-in says so
  std::string machine;  // Kokkos, execution spaces and device, as it says
};

// What the drop-in prints with KOKKOSMMA_VERBOSE=1: a line when it starts,
// which on a host build says "takes route generic (why)", one of the device
// when it is used first, and one for each kind of kernel that it considers,
// with "route streamed; why not another".
void parse_route(Run& run, std::string const& line) {
  std::string const active = "KokkosMMA: drop-in active, ";
  std::string const device = "KokkosMMA: device ";
  std::size_t const start  = std::string("KokkosMMA: ").size();
  bool const starts        = line.starts_with(active);
  if (starts) run.machine = line.substr(active.size());
  if (line.starts_with(device)) run.machine += "; " + line.substr(start);
  if (!starts && !line.starts_with("KokkosMMA: parallel_scan ")) return;
  std::size_t const mark = line.find(" route ");
  if (mark == std::string::npos) return;
  std::size_t const begin = mark + std::string(" route ").size();
  std::size_t const end =
      std::min(line.find_first_of(" ;", begin), line.size());
  std::string const route = line.substr(begin, end - begin);
  if (("+" + run.route + "+").find("+" + route + "+") != std::string::npos) {
    return;
  }
  run.route += (run.route.empty() ? "" : "+") + route;
  std::size_t const reason =
      std::min(line.find_first_not_of(" ;", end), line.size());
  if (reason < line.size()) {
    run.reason += (run.reason.empty() ? "" : "; ") + line.substr(reason);
  }
}

Run start_verbose(std::filesystem::path const& program,
                  std::vector<std::string> const& arguments) {
  Run run{
      start_and_wait(program, arguments, "KOKKOSMMA_VERBOSE=1"), {}, {}, {}};
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("KokkosMMA: ")) parse_route(run, line);
  }
  return run;
}

struct Pair {
  Run plain;
  Run drop_in;

  bool no_memory() const {
    return (plain.out + drop_in.out).find("no memory for") != std::string::npos;
  }
};

void require_success(Pair const& pair) {
  pair.plain.require_success();
  pair.drop_in.require_success();
}

// The row lengths of the five-point Laplacian on a grid of n by n points, and a
// flag at each entry on its diagonal: what compressed_rows scans, without the
// matrix.
struct Grid {
  std::int64_t n;
  std::int64_t rows         = n * n;
  std::int64_t entries      = 5 * n * n - 4 * n;
  Array<int> lengths        = uninitialized<int>("lengths", rows + 1);
  Array<int> offsets        = uninitialized<int>("offsets", rows + 1);
  Array<std::uint8_t> flags = Array<std::uint8_t>("flags", entries);
  Array<int> kept           = uninitialized<int>("kept", rows);
};

void fill_lengths(Grid const& grid) {
  auto const n    = grid.n;
  auto const rows = grid.rows;
  auto const out  = grid.lengths;
  Kokkos::parallel_for(
      "compressed_rows::lengths", Range(0, rows + 1),
      KOKKOS_LAMBDA(std::int64_t r) {
        std::int64_t const x = r % n;
        std::int64_t const y = r / n;
        out(r) =
            r == rows ? 0 : 1 + (x > 0) + (x + 1 < n) + (y > 0) + (y + 1 < n);
      });
}

// In a row that ascends, only the neighbours below and to the left come before
// the diagonal.
void fill_flags(Grid const& grid) {
  auto const n       = grid.n;
  auto const offsets = grid.offsets;
  auto const flags   = grid.flags;
  Kokkos::parallel_for(
      "compressed_rows::flags", Range(0, grid.rows),
      KOKKOS_LAMBDA(std::int64_t r) {
        flags(offsets(r) + (r % n > 0) + (r / n > 0)) = 1;
      });
}

std::int64_t wrong_offsets(Grid const& grid) {
  auto const lengths  = grid.lengths;
  auto const offsets  = grid.offsets;
  std::int64_t result = 0;
  Kokkos::parallel_reduce(
      "compressed_rows::check", Range(0, grid.rows + 1),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & wrong) {
        int const expected = i == 0 ? 0 : offsets(i - 1) + lengths(i - 1);
        wrong += offsets(i) != expected;
      },
      result);
  return result;
}

std::int64_t wrong_kept(Grid const& grid) {
  auto const n        = grid.n;
  auto const offsets  = grid.offsets;
  auto const kept     = grid.kept;
  std::int64_t result = 0;
  Kokkos::parallel_reduce(
      "compressed_rows::check", Range(0, grid.rows),
      KOKKOS_LAMBDA(std::int64_t r, std::int64_t & wrong) {
        wrong += kept(r) != offsets(r) + (r % n > 0) + (r / n > 0);
      },
      result);
  return result;
}

void scatter(Grid const& grid, Array<int> const& positions) {
  auto const flags = grid.flags;
  auto const kept  = grid.kept;
  Kokkos::parallel_for(
      "compressed_rows::scatter", Range(0, grid.entries),
      KOKKOS_LAMBDA(std::int64_t i) {
        if (flags(i) != 0) kept(positions(i)) = static_cast<int>(i);
      });
}

struct Seconds {
  double row_offsets = 0;  // 0: not measured
  double compaction  = 0;
};

// Both steps, timed and checked. The outputs are overwritten before: what
// stands in them afterwards is this contender's.
template <class ScanRows, class Compact>
Seconds measure(std::string const& who, Grid const& grid, int repeat,
                std::vector<std::string>& failures, ScanRows const& scan_rows,
                Compact const& compact) {
  Seconds result;
  Kokkos::deep_copy(grid.offsets, -1);
  Kokkos::deep_copy(grid.kept, -1);
  std::int64_t total = 0;
  result.row_offsets = median_seconds(repeat, [&] { total = scan_rows(); });
  if (wrong_offsets(grid) != 0 || total != grid.entries) {
    failures.push_back(who + ": wrong row offsets");
    return result;
  }
  fill_flags(grid);
  result.compaction = median_seconds(repeat, [&] { total = compact(); });
  if (wrong_kept(grid) != 0 || total != grid.rows) {
    failures.push_back(who + ": wrong compaction");
  }
  return result;
}

Seconds measure_by_name(Grid const& grid, int repeat,
                        std::vector<std::string>& failures,
                        std::vector<std::string>& routes) {
  Space const exec;
  auto const positions = uninitialized<int>("positions", grid.entries);
  routes               = {"row_offsets: " + KokkosMMA::explain([&] {
              KokkosMMA::exclusive_scan(exec, grid.lengths, grid.offsets);
            }),
                          "compaction: " + KokkosMMA::explain([&] {
              KokkosMMA::exclusive_scan(exec, grid.flags, positions);
            })};
  return measure(
      "KokkosMMA::exclusive_scan", grid, repeat, failures,
      [&] {
        int total = 0;
        KokkosMMA::exclusive_scan(exec, grid.lengths, grid.offsets,
                                  KokkosMMA::Total(total));
        return total;
      },
      [&] {
        int total = 0;
        KokkosMMA::exclusive_scan(exec, grid.flags, positions,
                                  KokkosMMA::Total(total));
        scatter(grid, positions);
        return total;
      });
}

#if defined(KOKKOS_ENABLE_CUDA)
Seconds measure_cub(Grid const& grid, int repeat,
                    std::vector<std::string>& failures) {
  Array<int> const count("count", 1);
  Array<char> scratch;
  // CUB first says how much memory it wants, then works in it.
  auto const with_scratch = [&](auto const& call) {
    std::size_t bytes = 0;
    cudaError_t error = call(nullptr, bytes);
    if (error == cudaSuccess && bytes > scratch.extent(0)) {
      scratch = uninitialized<char>("scratch", bytes);
    }
    if (error == cudaSuccess) error = call(scratch.data(), bytes);
    if (error != cudaSuccess) {
      throw std::runtime_error(std::string("CUB: ") +
                               cudaGetErrorString(error));
    }
  };
  auto const last = [](Array<int> const& array) {
    auto const index = array.extent(0) - 1;
    int result       = 0;
    Kokkos::deep_copy(result, Kokkos::subview(array, index));
    return result;
  };
  Space const exec;
  return measure(
      "CUB", grid, repeat, failures,
      [&] {
        with_scratch([&](void* memory, std::size_t& bytes) {
          return cub::DeviceScan::ExclusiveSum(
              memory, bytes, grid.lengths.data(), grid.offsets.data(),
              static_cast<int>(grid.rows + 1), exec.cuda_stream());
        });
        return last(grid.offsets);
      },
      [&] {
        with_scratch([&](void* memory, std::size_t& bytes) {
          return cub::DeviceSelect::Flagged(
              memory, bytes, thrust::counting_iterator<int>(0),
              grid.flags.data(), grid.kept.data(), count.data(),
              static_cast<int>(grid.entries), exec.cuda_stream());
        });
        return last(count);
      });
}
#endif

class Report {
 public:
  explicit Report(std::filesystem::path programs)
      : m_programs(std::move(programs)) {}

  void files(std::vector<std::string> const& paths);
  void performance(std::int64_t n, int repeat, int argc, char** argv);
  int finish() const;

 private:
  Pair run_both(std::vector<std::string> const& arguments) const {
    return {start_verbose(m_programs / "compressed_rows", arguments),
            start_verbose(m_programs / "compressed_rows_drop_in", arguments)};
  }
  bool accept(std::string const& matrix, Pair const& pair);

  std::filesystem::path m_programs;
  std::vector<std::string> m_failures;
  std::map<std::string, std::string> m_reasons;  // of each route that ran
  std::vector<std::string> m_by_name;
  std::string m_machine;
};

// Integers and copies of the input: the two builds may not differ in a bit.
bool Report::accept(std::string const& matrix, Pair const& pair) {
  require_success(pair);
  if (pair.drop_in.route.empty()) {
    m_failures.push_back(matrix +
                         ": compressed_rows_drop_in did not report a route: "
                         "was it linked to KokkosMMA::drop_in?");
  } else {
    m_reasons[pair.drop_in.route] = pair.drop_in.reason;
    m_machine                     = pair.drop_in.machine;
  }
  bool same = true;
  for (char const* const key :
       {"rows", "columns", "entries", "longest_row", "empty_rows", "threshold",
        "kept", "offsets_fingerprint", "columns_fingerprint",
        "values_fingerprint", "kept_fingerprint"}) {
    if (pair.plain.text(key) == pair.drop_in.text(key)) continue;
    same = false;
    m_failures.push_back(matrix + " " + key + ": plain gives " +
                         pair.plain.text(key) + ", drop-in " +
                         pair.drop_in.text(key));
  }
  return same;
}

void Report::files(std::vector<std::string> const& paths) {
  std::printf(
      "\nRow offsets, columns, values and large entries, each checked against "
      "one host thread.\n\n%-18s %9s %9s %11s %10s %8s  %-7s  %s\n",
      "matrix", "rows", "entries", "longest row", "empty rows", "large",
      "drop-in", "route");
  for (auto const& path : paths) {
    Pair const pair = run_both({"--", path});
    bool const same = accept(path, pair);
    std::printf(
        "%-18s %9s %9s %11s %10s %8s  %-7s  %s\n",
        std::filesystem::path(path).filename().c_str(),
        pair.plain.text("rows").c_str(), pair.plain.text("entries").c_str(),
        pair.plain.text("longest_row").c_str(),
        pair.plain.text("empty_rows").c_str(), pair.plain.text("kept").c_str(),
        same ? "same" : "DIFFERS", pair.drop_in.route.c_str());
  }
}

void Report::performance(std::int64_t n, int repeat, int argc, char** argv) {
  auto const measure_both = [&] {
    return run_both({"--generate",
                     "poisson:" + std::to_string(n) + "x" + std::to_string(n),
                     "--no-host-check", "--repeat", std::to_string(repeat)});
  };
  Pair pair = measure_both();
  // The entries of the matrix, twice, do not fit every device.
  while (pair.no_memory() && n > 1024) {
    n /= 2;
    pair = measure_both();
  }
  accept("poisson", pair);
  // One ceiling, the best that either build saw, so that the fractions compare.
  double const ceiling = std::max(pair.plain.number("copy_GBps"),
                                  pair.drop_in.number("copy_GBps"));

  Kokkos::ScopeGuard const kokkos(argc, argv);
  Grid const grid{n};
  fill_lengths(grid);
  Seconds const by_name = measure_by_name(grid, repeat, m_failures, m_by_name);
  Seconds cub;
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    cub = measure_cub(grid, repeat, m_failures);
  }
#endif

  bool const has_cub = cub.row_offsets > 0;
  std::printf(
      "\nSpeed: one call, from the call to its total on the host, median of "
      "%d. GB/s read plus written.\n\n",
      repeat);
  std::printf("  %-11s %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s", "", "plain",
              "", "of", "drop-in", "", "of", "", "by name", "", "of");
  std::printf(has_cub ? "  %9s %7s %7s\n" : "\n", "CUB", "", "of");
  std::printf("  %-11s %9s %7s %7s  %9s %7s %7s %8s  %9s %7s %7s", "step", "ms",
              "GB/s", "ceiling", "ms", "GB/s", "ceiling", "speedup", "ms",
              "GB/s", "ceiling");
  std::printf(has_cub ? "  %9s %7s %7s\n" : "\n", "ms", "GB/s", "ceiling");
  std::printf(
      "%lld rows, %lld entries, route %s, measured ceiling %.4g GB/s "
      "(deep_copy of as many bytes, read plus written)\n",
      static_cast<long long>(grid.rows), static_cast<long long>(grid.entries),
      pair.drop_in.route.c_str(), ceiling);
  // Atomics, which are no matter of the drop-in, and bytes that nobody can
  // tell.
  double const plain_count   = pair.plain.number("count_rows_seconds");
  double const drop_in_count = pair.drop_in.number("count_rows_seconds");
  std::printf("  %-11s %9.3f %7s %7s  %9.3f %7s %7s %8.2f\n", "count_rows",
              1e3 * plain_count, "", "", 1e3 * drop_in_count, "", "",
              plain_count / drop_in_count);
  for (auto const& [step, name_seconds, cub_seconds] :
       {std::tuple<std::string, double, double>(
            "row_offsets", by_name.row_offsets, cub.row_offsets),
        std::tuple<std::string, double, double>(
            "compaction", by_name.compaction, cub.compaction)}) {
    double const bytes   = pair.plain.number(step + "_bytes");
    double const plain   = pair.plain.number(step + "_seconds");
    double const drop_in = pair.drop_in.number(step + "_seconds");
    auto const print     = [&](char const* gap, double seconds) {
      double const rate = bytes / seconds / 1e9;
      std::printf("%s %9.3f %7.1f %7.3f", gap, 1e3 * seconds, rate,
                      rate / ceiling);
    };
    std::printf("  %-11s", step.c_str());
    print("", plain);
    print(" ", drop_in);
    std::printf(" %8.2f", plain / drop_in);
    if (name_seconds > 0) print(" ", name_seconds);
    if (cub_seconds > 0) print(" ", cub_seconds);
    std::printf("\n");
  }
  std::printf(
      "by name: KokkosMMA::exclusive_scan; to compact, of the flags, and a "
      "parallel_for that writes the kept%s\n",
      has_cub ? "; CUB: DeviceScan::ExclusiveSum, DeviceSelect::Flagged" : "");
}

char const* meaning(std::string const& route) {
  if (route == "generic") return "Kokkos' own code";
  if (route == "streamed") {
    return "the program's own lambdas in kokkos-mma's kernels";
  }
  return "several of kokkos-mma's routes";
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
  for (auto const& line : m_by_name) {
    std::printf("By name, %s\n", line.c_str());
  }
  for (auto const& failure : m_failures) {
    std::printf("FAILED  %s\n", failure.c_str());
  }
  if (m_failures.empty()) {
    std::printf("Both builds make the same compressed rows.\n");
  }
  return m_failures.empty() ? 0 : 1;
}

int compare(int argc, char** argv) {
  std::filesystem::path programs = own_folder(argv[0]);
  std::filesystem::path data_dir = compressed_rows_data_dir;
  bool performance               = true;
  std::int64_t n                 = on_host ? 1024 : 16384;
  int repeat                     = 20;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--grid") {
      n = arguments.integer(1, 20000);
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
      "compressed_rows.cpp, one Kokkos source, built plain and with "
      "KokkosMMA::drop_in\n");
  report.files(files);
  if (performance) report.performance(n, repeat, argc, argv);
  return report.finish();
}

}  // namespace compressed_rows

int main(int argc, char** argv) {
  try {
    return compressed_rows::compare(argc, argv);
  } catch (InputError const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "compressed_rows_compare: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "compressed_rows_compare: %s\n", error.what());
    return 1;
  }
}
