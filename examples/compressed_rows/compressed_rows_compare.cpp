// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs `compressed_rows` and `compressed_rows_drop_in`, two builds of the same
// source, as processes of their own, and prints side by side how fast each is
// and what they compute. The same two steps also run in this process, by
// KokkosMMA::exclusive_scan and, on Cuda, by CUB.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/drop_in_run.hpp"
#include "../common/files.hpp"
#include "../common/measure.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
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

Runs the two builds of compressed_rows on a large grid and on the matrices that come with the
example, or on each FILE; prints times and fraction of the copy ceiling, compares every array and
prints the route.

  --no-performance   no large grid
  --grid N           the grid has N by N points (default: 1024, 16384 on a device)
  --runs N           timed runs of each build, alternating (default: 5)
  --repeat K         timed calls in a run, of which the median counts (default: 5, 20 on a device)
  --data-dir DIR     folder of the matrices
  --program-dir DIR  folder of the two programs (default: that of this program)
  --summary FILE     append the speedups to FILE, a line each
  --help             print this text

Exit code: 0, 1 when results are wrong or differ or a build has no drop-in, 2 for wrong input.
)";

struct Pair {
  FinishedProgram plain;
  DropInRun drop_in;

  bool no_memory() const {
    return (plain.out + drop_in.out).find("no memory for") != std::string::npos;
  }
};

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

// One median for each run; empty: not measured.
struct Seconds {
  std::vector<double> row_offsets;
  std::vector<double> compaction;
};

// Both steps, timed and checked. The outputs are overwritten before: what
// stands in them afterwards is this contender's.
template <class ScanRows, class Compact>
void measure(std::string const& who, Grid const& grid, int repeat,
             Seconds& result, std::vector<std::string>& failures,
             ScanRows const& scan_rows, Compact const& compact) {
  Kokkos::deep_copy(grid.offsets, -1);
  Kokkos::deep_copy(grid.kept, -1);
  std::int64_t total = 0;
  result.row_offsets.push_back(
      median_seconds(repeat, [&] { total = scan_rows(); }));
  if (wrong_offsets(grid) != 0 || total != grid.entries) {
    failures.push_back(who + ": wrong row offsets");
    return;
  }
  fill_flags(grid);
  result.compaction.push_back(
      median_seconds(repeat, [&] { total = compact(); }));
  if (wrong_kept(grid) != 0 || total != grid.rows)
    failures.push_back(who + ": wrong compaction");
}

void measure_by_name(Grid const& grid, int repeat, Seconds& result,
                     std::vector<std::string>& failures,
                     std::vector<std::string>& routes) {
  Space const exec;
  auto const positions = uninitialized<int>("positions", grid.entries);
  routes               = {"row offsets: " + KokkosMMA::explain([&] {
              KokkosMMA::exclusive_scan(exec, grid.lengths, grid.offsets);
            }),
                          "compaction: " + KokkosMMA::explain([&] {
              KokkosMMA::exclusive_scan(exec, grid.flags, positions);
            })};
  measure(
      "KokkosMMA::exclusive_scan", grid, repeat, result, failures,
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
void measure_cub(Grid const& grid, int repeat, Seconds& result,
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
  measure(
      "CUB", grid, repeat, result, failures,
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
  Report(DropInPrograms programs, Summary summary)
      : m_programs(std::move(programs)), m_summary(std::move(summary)) {}

  void files(std::vector<std::string> const& paths);
  void performance(std::int64_t n, int runs, int repeat, int argc, char** argv);
  int finish() const;

 private:
  Pair run_both(std::vector<std::string> const& arguments) const {
    return {m_programs.run_plain(arguments), m_programs.run_drop_in(arguments)};
  }
  bool accept(std::string const& matrix, Pair const& pair);

  DropInPrograms m_programs;
  Summary m_summary;
  DropInNotes m_notes;
  std::vector<std::string> m_failures;
  std::vector<std::string> m_by_name;  // their routes on Cuda
};

// Integers and copies of the input: the two builds may not differ in a bit.
bool Report::accept(std::string const& matrix, Pair const& pair) {
  pair.plain.require_success();
  pair.drop_in.require_success();
  if (!m_notes.add(pair.drop_in)) {
    m_failures.push_back(matrix +
                         ": compressed_rows_drop_in was not built with "
                         "KokkosMMA::drop_in");
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
      "\nResults: row offsets, columns, values and large entries, checked "
      "against one\nhost thread.\n\n  %-18s %8s %8s %11s %10s %6s  %s\n",
      "matrix", "rows", "entries", "longest row", "empty rows", "large",
      "drop-in");
  for (auto const& path : paths) {
    Pair const pair = run_both({"--", path});
    bool const same = accept(path, pair);
    std::printf("  %-18s %8s %8s %11s %10s %6s  %s\n",
                std::filesystem::path(path).filename().c_str(),
                pair.plain.text("rows").c_str(),
                pair.plain.text("entries").c_str(),
                pair.plain.text("longest_row").c_str(),
                pair.plain.text("empty_rows").c_str(),
                pair.plain.text("kept").c_str(), same ? "same" : "DIFFERS");
  }
}

void Report::performance(std::int64_t n, int runs, int repeat, int argc,
                         char** argv) {
  auto const arguments = [&]() -> std::vector<std::string> {
    return {"--generate",
            "poisson:" + std::to_string(n) + "x" + std::to_string(n),
            "--no-host-check", "--repeat", std::to_string(repeat)};
  };
  Pair pair = run_both(arguments());
  // The entries of the matrix, twice, do not fit every device.
  while (pair.no_memory() && n > 1024) {
    n /= 2;
    pair = run_both(arguments());
  }
  accept("poisson", pair);
  std::string const space = pair.plain.text("execution_space");
  bool const same         = space != "Cuda";
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Runs both{{pair.plain}, {pair.drop_in}};
  Seconds by_name;
  Seconds cub;
  for (int i = 0; i < runs; ++i) {
    if (i > 0) {
      both.plain.push_back(m_programs.run_plain(arguments()));
      both.plain.back().require_success();
    }
    if (i > 0 && !same) {
      pair = {both.plain.back(), m_programs.run_drop_in(arguments())};
      accept("poisson", pair);
      both.other.push_back(pair.drop_in);
    }
    // Its memory is free again when the programs run.
    Grid const grid{n};
    fill_lengths(grid);
    measure_by_name(grid, repeat, by_name, m_failures, m_by_name);
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
      measure_cub(grid, repeat, cub, m_failures);
    }
#endif
  }
  if (same) m_by_name.clear();

  std::vector<TimedCase> cases;
  auto const add = [&](std::string const& name, std::string const& key,
                       std::vector<double> const& name_seconds,
                       std::vector<double> const& cub_seconds) {
    TimedCase timed{name,
                    pair.plain.number(key + "_bytes"),
                    {{"plain Kokkos", numbers(both.plain, key + "_seconds")}}};
    if (!same)
      timed.programs.push_back(
          {"drop-in", numbers(both.other, key + "_seconds")});
    if (name_seconds.size() == both.plain.size())
      timed.programs.push_back({"exclusive_scan()", name_seconds});
    if (cub_seconds.size() == both.plain.size())
      timed.programs.push_back({"CUB", cub_seconds});
    cases.push_back(std::move(timed));
  };
  add("row offsets", "row_offsets", by_name.row_offsets, cub.row_offsets);
  add("compaction", "compaction", by_name.compaction, cub.compaction);
  std::printf(
      "\nTimes of one call, from the call to its total on the host, %s.\n"
      "%s rows, %s entries. Shortest of %d alternating runs of each program.\n",
      space.c_str(), pair.plain.text("rows").c_str(),
      pair.plain.text("entries").c_str(), runs);
  if (same) m_summary.same_program();
  print_times(cases, largest(both, "copy_GBps"),
              "a deep_copy of as many bytes, read plus written");
  std::printf(
      "exclusive_scan(): KokkosMMA::exclusive_scan of the lengths. Compaction "
      "scans the\nflags; then a parallel_for writes the kept entries.%s\n",
      cub.row_offsets.empty()
          ? ""
          : "\nCUB: DeviceScan::ExclusiveSum, DeviceSelect::Flagged.");
  m_summary.machine(space);
  for (TimedCase& timed : cases) {
    std::erase_if(timed.programs, [](TimedProgram const& program) {
      return program.name == "CUB";
    });
  }
  m_summary.times(cases);
}

int Report::finish() const {
  std::printf("\n");
  m_notes.print();
  for (auto const& line : m_by_name) {
    std::printf("exclusive_scan(), %s\n", line.c_str());
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
  std::filesystem::path summary;
  bool performance = true;
  std::int64_t n   = on_host ? 1024 : 16384;
  int runs         = 5;
  int repeat       = on_host ? 5 : 20;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--no-performance") {
      performance = false;
    } else if (word == "--grid") {
      n = arguments.integer(1, 20000);
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
    files = {(data_dir / "poisson_32x32.mtx").string(),
             (data_dir / "powerlaw_1000.mtx").string()};
  }
  check_readable(files, "a MatrixMarket file");
  Report report(DropInPrograms(programs, "compressed_rows", "parallel_scan"),
                Summary(summary, "compressed_rows"));
  std::printf(
      "Compressed rows: compressed_rows.cpp, built plain and with "
      "KokkosMMA::drop_in\n");
  if (performance) report.performance(n, runs, repeat, argc, argv);
  report.files(files);
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
