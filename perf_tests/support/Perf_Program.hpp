// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PROGRAM_HPP
#define KOKKOSMMA_PERF_PROGRAM_HPP

#include <exception>
#include <iostream>

#include "support/Perf_Check.hpp"
#include "support/Perf_Cub.hpp"
#include "support/Perf_Routes.hpp"
#include "support/Perf_Session.hpp"

/// What the programs have in common: registering, the check of the route, main.
namespace perf {

/// Registers a case: one Google Benchmark iteration, which reports a median of
/// samples and so is one line of output. What \p body throws is its error.
template <class Body>
void register_case(Session& session, std::string const& name,
                   Body const& body) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [&session, body](benchmark::State& state) {
                                 try {
                                   body(state);
                                 } catch (std::exception const& e) {
                                   session.fail(state, e.what());
                                 }
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

/// Time and rate of a call that moves \p bytes, 0 where there is none, and the
/// fraction of \p ceiling, bytes per second.
inline void report(benchmark::State& state, Samples const& samples,
                   double bytes, double ceiling) {
  double const seconds = samples.median();
  for (auto _ : state) state.SetIterationTime(seconds);
  if (bytes > 0) {
    state.counters["bytes_per_second"]    = bytes / seconds;
    state.counters["fraction_of_ceiling"] = bytes / seconds / ceiling;
  }
  state.counters["variation"]  = samples.variation();
  state.counters["fastest_us"] = samples.minimum() * 1e6;
}
/// Reports elements per second too, of which a call takes \p elements.
inline void report(benchmark::State& state, Samples const& samples,
                   double bytes, double ceiling, double elements) {
  report(state, samples, bytes, ceiling);
  state.counters["elements_per_second"] = elements / samples.median();
}

/// A case without figures: the route does not support the call.
inline void report_refusal(benchmark::State& state,
                           std::exception const& refusal) {
  for (auto _ : state) state.SetIterationTime(0);
  state.SetLabel(std::string("refused: ") + refusal.what());
}

/// Registers ceiling/NAME; \p get measures or looks it up, \p reference is the
/// rate that the fraction is of.
template <class Get, class Reference>
void register_ceiling(Session& session, std::string const& name, Get const& get,
                      Reference const& reference) {
  register_case(session, "ceiling/" + name, [=](benchmark::State& state) {
    Ceiling const& c = get();
    report(state, c.samples, c.bytes, reference());
    state.SetLabel("ceiling");
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
/// on a route of this library, any route that the library chose or was given,
/// CUB.
enum class Expectation { kokkos, drop_in, library, cub };

/// The route that the calls before took.
/// \throws std::runtime_error when a case measures something else than it says.
inline std::string checked_route(Expectation expected) {
  using KokkosMMA::Route;
  if (expected == Expectation::cub) return "cub";
  // Calls on host execution spaces do not pass through the library.
  Route const route = on_cuda ? route_of_last_call() : Route::generic;
  std::string const name(KokkosMMA::to_string(route));
  if (expected == Expectation::kokkos && route != Route::generic)
    throw std::runtime_error("Kokkos' own code was requested and route " +
                             name + " ran");
  // A build that lost the forced include would measure Kokkos twice and look
  // fine.
  if (on_cuda && expected == Expectation::drop_in &&
      (route == Route::automatic || route == Route::generic))
    throw std::runtime_error(
        "the drop-in did not intercept the call: link KokkosMMA::drop_in and "
        "unset "
        "KOKKOSMMA_ROUTE");
  return name;
}

/// What a checked and timed case has found.
struct Outcome {
  Samples samples;
  Inspection seen;
  bool reproducible = true;
  std::string route;  ///< of the library's calls
};

/// Runs a case, checks its n results, runs it again for equal bits, times it
/// and looks at what the timed calls left. None where the route that was asked
/// for does not take the call, which is then reported.
/// \param inspect looks at the results; \param prepare comes before a checked
/// call
/// \param forced the route that has to run; empty: none was named
template <class Call, class Prepare, class Inspect>
std::optional<Outcome> checked_outcome(Session& session,
                                       benchmark::State& state, bool ours,
                                       std::string const& forced, std::size_t n,
                                       Call const& call, Prepare const& prepare,
                                       Inspect const& inspect,
                                       bool timed = true) {
  Outcome out;
  auto const run_once = [&] {
    prepare();
    call();
    return inspect();
  };
  try {
    out.seen = run_once();
  } catch (std::invalid_argument const& refusal) {
    // The call is valid without a route, so it is the route that refuses it.
    if (forced.empty()) throw;
    report_refusal(state, refusal);
    return {};
  }
  if (ours) out.route = checked_route(Expectation::library);
  if (!forced.empty() && out.route != forced)
    throw std::runtime_error("route " + forced + " was requested and route " +
                             out.route + " ran");
  out.seen.check(n, "results");
  out.reproducible = run_once().hash == out.seen.hash;
  if (!timed) return out;
  out.samples = session.timer.sample_briefly(session.options.samples, call);
  out.reproducible = out.reproducible && inspect().hash == out.seen.hash;
  return out;
}

/// What the sources that CMake writes from support/Instance.cpp.in have for a
/// program, in the order of CMake's lists: one template for one type each, so
/// that compilers work on them side by side.
template <class Tests>
class Instances {
 public:
  using Instance = void (*)(Tests&);

  static bool add(int order, Instance instance) {
    return all().emplace(order, instance).second;
  }
  static void run(Tests& tests) {
    for (auto const& [order, instance] : all()) instance(tests);
  }

 private:
  static std::map<int, Instance>& all() {
    static std::map<int, Instance> instances;
    return instances;
  }
};

/// The whole of a program. \p Tests is made of a Session and has
/// register_all().
template <class Tests>
int run_program(char const* program, int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    Session session(Options::parse(argc, argv));
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
    if constexpr (requires { tests.summarize(); }) tests.summarize();
    benchmark::ClearRegisteredBenchmarks();
    benchmark::Shutdown();
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
