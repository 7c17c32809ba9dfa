// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// drop_in_tables report|compare|off: the tables that KOKKOSMMA_REPORT=1 and
// KOKKOSMMA_COMPARE=1 print in Kokkos::finalize on Cuda, and that results are
// the same as ever. Where no execution space is Cuda a line at the end of the
// program says that nothing was intercepted. Fails with a line that says what
// is missing.

#include <KokkosMMA_LastRoute.hpp>
#include <KokkosMMA_Reduce.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::RangePolicy<Exec>;
using Team   = Kokkos::TeamPolicy<Exec>;
using Sum    = std::int64_t;

struct AddIndex {
  KOKKOS_FUNCTION void operator()(int i, Sum& sum) const { sum += i; }
};
struct AddIndexUnnamed : AddIndex {};
struct ScanIndex {
  KOKKOS_FUNCTION void operator()(int i, Sum& sum, bool) const { sum += i; }
};
struct CountTeams {
  KOKKOS_FUNCTION void operator()(Team::member_type const&, Sum& sum) const {
    sum += 1;
  }
};

int failures = 0;
void expect(bool holds, std::string const& what) {
  if (holds) return;
  std::printf("failed: %s\n", what.c_str());
  ++failures;
}

constexpr int size      = 100000;  // from 2^16 on
constexpr Sum right_sum = Sum(size) * (size - 1) / 2;

void call_in_many_ways() {
  Kokkos::View<float*, Exec> const ones("ones", size);
  Kokkos::deep_copy(ones, 1.f);
  for (int round = 0; round < 8; ++round) {
    Sum sum = 0;
    Kokkos::parallel_reduce("a sum", Policy(0, size), AddIndex{}, sum);
    expect(sum == right_sum, "the sum");
    sum = 0;
    Kokkos::parallel_scan("a scan", Policy(0, size), ScanIndex{}, sum);
    expect(sum == right_sum, "the total of the scan");
    sum = 0;
    Kokkos::parallel_reduce(Policy(0, 1000), AddIndexUnnamed{}, sum);
    expect(sum == 499500, "the sum without a label");
    float of_ones = 0;
    Kokkos::parallel_reduce("ones of a View", size, KokkosMMA::load(ones),
                            of_ones);
    expect(of_ones == float(size), "the sum of a View");
  }
  for (int call = 0; call < 3; ++call) {
    Sum sum = 0;
    Kokkos::parallel_reduce("teams", Team(7, 1), CountTeams{}, sum);
    expect(sum == 7, "the sum over teams");
  }
  // A route that a scope asks for is not compared.
  for (auto const route :
       {KokkosMMA::Route::generic, KokkosMMA::Route::streamed}) {
    KokkosMMA::ScopedSettings const scope(KokkosMMA::Settings{route});
    for (int call = 0; call < 2; ++call) {
      Sum sum = 0;
      Kokkos::parallel_reduce("asked for", Policy(0, 10), AddIndex{}, sum);
      expect(sum == 45, "the sum by an asked route");
#if defined(KOKKOS_ENABLE_CUDA)
      expect(KokkosMMA::last_route() == route, "the asked route");
#endif
    }
  }
}

/// More calls under way than are timed, in order, none of which waits.
void call_without_waiting() {
  Kokkos::View<Sum, Exec> const sum("sum");
  for (int call = 0; call < 1500; ++call)
    Kokkos::parallel_reduce("many", Policy(0, 100), AddIndex{}, sum);
  Sum value = 0;
  Kokkos::deep_copy(value, sum);
  expect(value == 4950, "the last of many sums");
}

#if defined(KOKKOS_ENABLE_CUDA)
void call_from_threads() {
  auto const instances =
      Kokkos::Experimental::partition_space(Exec(), std::vector<int>{1, 1});
  std::vector<std::thread> threads;
  for (auto const& instance : instances)
    threads.emplace_back([&instance] {
      Kokkos::View<Sum, Exec> const sum(
          Kokkos::view_alloc(instance, Kokkos::WithoutInitializing, "sum"));
      for (int call = 0; call < 50; ++call)
        Kokkos::parallel_reduce("threads", Policy(instance, 0, 5000),
                                AddIndex{}, sum);
      instance.fence();
    });
  for (std::thread& thread : threads) thread.join();
}

/// No call is made while a stream is captured.
void capture_a_call() {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph   = nullptr;
  cudaStreamCreate(&stream);
  {
    Kokkos::Cuda const instance(stream);
    Kokkos::View<Sum, Exec> const sum("sum");
    Kokkos::parallel_reduce("before", Policy(instance, 0, 5000), AddIndex{},
                            sum);
    instance.fence();
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    Kokkos::parallel_reduce("captured", Policy(instance, 0, 5000), AddIndex{},
                            sum);
    expect(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "the capture");
    cudaGraphExec_t executable = nullptr;
    expect(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess,
           "the graph");
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
}

/// What is in the columns of the row of a label, without those that are empty.
std::vector<std::string> row_of(std::string const& table,
                                std::string const& label,
                                std::string const& containing = "") {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("parallel_", 0) != 0 ||
        line.find("  " + label + "  ") == std::string::npos ||
        line.find(containing) == std::string::npos)
      continue;
    std::vector<std::string> entries;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t const end = std::min(line.find("  ", at), line.size());
      entries.push_back(line.substr(at, end - at));
      at = std::min(line.find_first_not_of(' ', end), line.size());
    }
    return entries;
  }
  return {};
}
double number(std::string const& text) { return std::atof(text.c_str()); }

/// Expects a row whose entries from the column of calls on begin like this.
void expect_row(std::string const& table, std::string const& pattern,
                std::string const& label, std::vector<std::string> entries,
                std::string const& containing = "") {
  entries.insert(entries.begin(), {pattern, label});
  auto const row = row_of(table, label, containing);
  bool same      = row.size() >= entries.size();
  for (std::size_t i = 0; same && i < entries.size(); ++i)
    same = row[i] == entries[i];
  expect(same, "the row of \"" + label + "\" in\n" + table);
}

void check_report(std::string const& text) {
  expect_row(text, "parallel_reduce", "a sum", {"8", "streamed"});
  expect_row(text, "parallel_scan", "a scan", {"8", "streamed"});
  expect_row(text, "parallel_reduce", "AddIndexUnnamed", {"8", "streamed"});
  expect_row(text, "parallel_reduce", "many", {"1500", "streamed"});
  expect_row(text, "parallel_reduce", "threads", {"100", "streamed"});
  expect_row(text, "parallel_reduce", "asked for", {"2", "generic"}, "generic");
  expect_row(text, "parallel_reduce", "asked for", {"2", "streamed"},
             "streamed");
  auto const row = row_of(text, "ones of a View");
  expect(row.size() == 8 && row[2] == "8" && number(row[4]) > 0 &&
             number(row[5]) > 0 && number(row[6]) > 0,
         "times and GB/s of the sum of a View in\n" + text);
  auto const by_kokkos = row_of(text, "asked for", "generic");
  expect(!by_kokkos.empty() &&
             by_kokkos.back() == "the route generic was requested",
         "why Kokkos in\n" + text);
  expect(text.find("KOKKOSMMA_COMPARE") == std::string::npos,
         "one table in\n" + text);
}

void check_comparison(std::string const& text) {
  expect_row(text, "parallel_reduce", "a sum", {"2^16", "8", "streamed"});
  expect_row(text, "parallel_scan", "a scan", {"2^16", "8", "streamed"});
  expect_row(text, "parallel_reduce", "AddIndexUnnamed",
             {"2^9", "8", "streamed"});
  expect_row(text, "parallel_reduce", "many", {"2^6", "1500", "streamed"});
  expect_row(text, "parallel_reduce", "threads", {"2^12", "100", "streamed"});
  expect_row(text, "parallel_reduce", "asked for", {"2^3", "4", "streamed"});
  double before = 0;
  for (char const* const label : {"a sum", "a scan", "threads"}) {
    auto const row = row_of(text, label);
    expect(row.size() == 8 && number(row[5]) > 0 && number(row[6]) > 0 &&
               number(row[7]) > 0 && row[7].back() == 'x',
           "times both ways of \"" + std::string(label) + "\" in\n" + text);
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("parallel_", 0) == 0 && line.back() == 'x') {
      double const speed_up = number(line.substr(line.rfind(' ')));
      expect(speed_up >= before, "the smallest speed-up first in\n" + text);
      before = speed_up;
    }
  expect(before > 0, "a speed-up in\n" + text);
  expect(text.find("KOKKOSMMA_REPORT") == std::string::npos,
         "one table in\n" + text);
}

void check(std::string const& mode, std::string const& text) {
  if (mode == "off") {
    expect(text.empty(), "no line in\n" + text);
    return;
  }
  if (mode == "report") check_report(text);
  if (mode == "compare") check_comparison(text);
  expect(row_of(text, "captured").empty(), "no captured calls in\n" + text);
  expect(!row_of(text, "teams").empty(), "the team kernel in\n" + text);
  std::string const seen = " of them ran on Cuda\n";
  std::size_t const end  = text.find(seen);
  expect(end != std::string::npos && end + seen.size() == text.size() &&
             number(text.substr(text.rfind(' ', end - 1))) >= 1,
         "the calls that are not in the table in\n" + text);
}
#else
void check(std::string const&, std::string const& text) {
  expect(text.empty(),
         "nothing before the end of the program, and not\n" + text);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  std::string const mode  = argc > 1 ? argv[1] : "off";
  char name[]             = "/tmp/kokkosmma_tables_XXXXXX";
  int const file          = mkstemp(name);
  int const stderr_before = dup(2);
  Kokkos::initialize(argc, argv);
  std::fflush(stderr);
  dup2(file, 2);
  call_in_many_ways();
  call_without_waiting();
#if defined(KOKKOS_ENABLE_CUDA)
  call_from_threads();
  capture_a_call();
#endif
  Kokkos::finalize();
  std::fflush(stderr);
  dup2(stderr_before, 2);
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  unlink(name);
  check(mode, text.str());
  std::printf("%s", text.str().c_str());
  return failures;
}
