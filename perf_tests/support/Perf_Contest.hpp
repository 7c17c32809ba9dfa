// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_CONTEST_HPP
#define KOKKOSMMA_PERF_CONTEST_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/Perf_Data.hpp"
#include "support/Perf_Session.hpp"
#include "support/Perf_Timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

/// What the programs have in common: registering, the peer's types, the check
/// of the route, the tables at the end, main.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
template <class Sum>
struct Plus {
  __host__ __device__ Sum operator()(Sum const& a, Sum const& b) const {
    return a + b;
  }
};

/// Half types are given to CUB as CUDA's own, which it loads 16 bytes at a
/// time.
template <class T>
using cub_item = std::conditional_t<
    std::is_same_v<T, half_type>, __half,
    std::conditional_t<std::is_same_v<T, bhalf_type>, __nv_bfloat16, T>>;
#endif

/// One line of output is one Google Benchmark iteration that reports a median.
template <class Body>
void register_benchmark(std::string const& name, Body const& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

/// Registers ceiling/NAME; \p get measures or looks it up, \p reference is the
/// rate that the fraction is of.
template <class Get, class Reference>
void register_ceiling(Session& session, std::string const& name, Get const& get,
                      Reference const& reference) {
  register_benchmark(
      "ceiling/" + name, [&session, get, reference](benchmark::State& state) {
        try {
          Ceiling const& c = get();
          for (auto _ : state) state.SetIterationTime(c.samples.median());
          if (c.bytes > 0) {
            state.counters["bytes_per_second"] = c.bytes_per_second();
            state.counters["fraction_of_ceiling"] =
                c.bytes_per_second() / reference();
          }
          state.counters["variation"]  = c.samples.variation();
          state.counters["fastest_us"] = c.samples.minimum() * 1e6;
          state.SetLabel("ceiling");
        } catch (std::exception const& e) {
          session.fail(state, e.what());
        }
      });
}

/// What every program measures: reading, copying and launching.
inline void register_ceilings(Session& session) {
  auto const read = [&session] { return session.read_bytes_per_second(); };
  for (int grid : session.read_grids()) {
    register_ceiling(
        session, "read/grid:" + std::to_string(grid),
        [&session, grid]() -> Ceiling const& {
          return session.read_ceilings().at(grid);
        },
        read);
  }
  register_ceiling(
      session, "copy",
      [&session]() -> Ceiling const& { return session.copy_ceiling(); }, read);
  register_ceiling(
      session, "empty_kernel",
      [&session]() -> Ceiling const& { return session.launch_ceiling(); },
      read);
}

/// Ascending, once each, none above the largest.
inline std::vector<std::size_t> sizes(std::vector<std::size_t> list,
                                      std::size_t largest) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  list.erase(std::upper_bound(list.begin(), list.end(), largest), list.end());
  return list;
}

/// What the calls of a contender may have run: Kokkos' own code, the drop-in
/// on a route of ours, any route that the library took or was told to take,
/// CUB.
enum class Expectation { kokkos, drop_in, library, cub };

/// The route that the calls before took.
/// \throws std::runtime_error when a case measures something else than it says.
inline std::string checked_route(Expectation expected) {
  using KokkosMMA::Route;
  if (expected == Expectation::cub) return "cub";
  // Calls on host execution spaces do not pass through the library.
  Route const route = on_cuda ? KokkosMMA::last_route() : Route::generic;
  std::string const name(KokkosMMA::to_string(route));
  if (expected == Expectation::kokkos && route != Route::generic)
    throw std::runtime_error("Kokkos' own code was asked for and route " +
                             name + " ran");
  // A build that lost the forced include would measure Kokkos twice and look
  // fine.
  if (on_cuda && expected == Expectation::drop_in &&
      (route == Route::automatic || route == Route::generic))
    throw std::runtime_error(
        "the drop-in did not take the call: link KokkosMMA::drop_in and unset "
        "KOKKOSMMA_ROUTE");
  return name;
}

struct Row {
  double seconds          = 0;
  double bytes_per_second = 0;
  std::string route;
};

/// A contender as a column of the tables.
struct Column {
  char const* contender;
  char const* title;
};

/// Measured cases by type, contender, kind and n, and the tables that a program
/// prints of them at its end.
class Rows {
 public:
  /// Types and their largest sizes, in the order of the tables.
  void add_type(std::string const& type, std::size_t largest) {
    m_types.push_back({type, largest});
  }
  void add(std::string const& type, std::string const& contender,
           std::string const& kind, std::size_t n, Row const& row) {
    m_rows[{type, contender, kind, n}] = row;
  }
  bool empty() const { return m_rows.empty(); }

  Row const* find(std::string const& type, std::string const& contender,
                  std::string const& kind, std::size_t n) const {
    auto const at = m_rows.find({type, contender, kind, n});
    return at == m_rows.end() ? nullptr : &at->second;
  }

  /// Rates and fractions of the ceiling at the largest size of every type;
  /// \p routed names the contenders whose routes end the line.
  void print_rates(std::string const& kind, double ceiling,
                   std::vector<Column> const& columns,
                   std::vector<std::string> const& routed) const {
    std::printf("%-7s %10s", "type", "n");
    for (Column const& c : columns) std::printf(" %15s", c.title);
    std::string names;
    for (Column const& c : columns)
      if (contains(routed, c.contender))
        names += std::string(names.empty() ? " " : ", ") + c.title;
    std::printf("  routes of%s\n", names.c_str());
    for (auto const& [type, largest] : m_types) {
      std::printf("%-7s %10zu", type.c_str(), largest);
      std::string routes;
      for (Column const& c : columns) {
        Row const* row = find(type, c.contender, kind, largest);
        if (row) {
          std::printf(" %8.0f (%.2f)", row->bytes_per_second * 1e-9,
                      row->bytes_per_second / ceiling);
          if (contains(routed, c.contender)) routes += " " + row->route;
        } else {
          std::printf(" %15s", "-");
        }
      }
      std::printf(" %s\n", routes.c_str());
    }
  }

  /// Times of the sizes of which the launch is most.
  void print_times(char const* title, std::string const& kind,
                   std::vector<Column> const& columns) const {
    std::printf("\n%s, microseconds per call\n%-7s %10s", title, "type", "n");
    for (Column const& c : columns) std::printf(" %9s", c.title);
    std::printf("\n");
    for (auto const& [type, largest] : m_types) {
      for (std::size_t n : {1u << 10, 1u << 14, 1u << 17}) {
        if (n > largest) continue;
        std::printf("%-7s %10zu", type.c_str(), n);
        for (Column const& c : columns) {
          Row const* row = find(type, c.contender, kind, n);
          row ? std::printf(" %9.2f", row->seconds * 1e6)
              : std::printf(" %9s", "-");
        }
        std::printf("\n");
      }
    }
  }

  /// Of all cases that Kokkos' own code ran too. On hosts both are the same
  /// code, the smallest is the noise, and nothing is printed.
  void print_smallest_speedup(Column const& column) const {
    double worst = std::numeric_limits<double>::infinity();
    std::string worst_case;
    for (auto const& [key, row] : m_rows) {
      auto const& [type, contender, kind, n] = key;
      Row const* kokkos                      = find(type, "kokkos", kind, n);
      if (contender != column.contender || !kokkos ||
          kokkos->seconds / row.seconds >= worst)
        continue;
      worst      = kokkos->seconds / row.seconds;
      worst_case = type + ", " + kind + ", n = " + std::to_string(n);
    }
    if (on_cuda && !worst_case.empty())
      std::printf(
          "\nThe %s against Kokkos' own code, speedup where it is smallest: "
          "%.2f (%s)\n",
          column.title, worst, worst_case.c_str());
  }

 private:
  static bool contains(std::vector<std::string> const& list,
                       std::string const& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }

  std::vector<std::pair<std::string, std::size_t>> m_types;
  std::map<std::tuple<std::string, std::string, std::string, std::size_t>, Row>
      m_rows;
};

/// Flags that a program has beside those of all programs: Tests::flags.
template <class Tests>
std::vector<std::string_view> own_flags() {
  if constexpr (requires { Tests::flags; }) {
    return {std::begin(Tests::flags), std::end(Tests::flags)};
  } else {
    return {};
  }
}

/// The whole of a program. \p Tests is made of a Session and has register_all()
/// and print_tables().
template <class Tests>
int run_program(char const* program, int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    Session session(Options::parse(argc, argv, own_flags<Tests>()));
    Tests tests(session);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    add_context(session);
    tests.register_all();
    if (!on_cuda) {
      std::cerr << program << ": " << Exec::name()
                << " is not a Cuda execution space: contenders are Kokkos' own "
                   "code and kokkos-mma's host routes"
                << (has_half ? ""
                             : ", half types are float in this Kokkos and left "
                               "out")
                << "\n";
    }
    std::size_t const ran = benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
    benchmark::Shutdown();
    if (session.options.table_to_console) tests.print_tables();
    if (session.failures > 0)
      std::cerr << program << ": " << session.failures << " cases failed\n";
    return ran > 0 && session.failures == 0 ? 0 : 1;
  } catch (std::exception const& e) {
    std::cerr << program << ": " << e.what() << "\n";
    return 2;
  }
}

}  // namespace perf

#endif
