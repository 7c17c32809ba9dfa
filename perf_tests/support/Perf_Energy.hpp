// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_ENERGY_HPP
#define KOKKOSMMA_PERF_ENERGY_HPP

#include <benchmark/benchmark.h>

#include "support/Perf_Libraries.hpp"

#ifdef KOKKOS_ENABLE_CUDA
namespace perf {

/// Time and energy of calls that run back to back.
struct SteadyEnergy {
  double seconds, joules;  // of all calls; of the whole board
  double calls;
};

/// The energy between two steps of the counter that are a second or more apart
/// while calls run back to back; a third of a second before lets clocks and
/// power settle.
template <class Function>
SteadyEnergy steady_energy(DeviceTimer& timer, EnergyCounter const& counter,
                           Function const& call) {
  using Clock = std::chrono::steady_clock;
  struct Mark {
    double seconds, joules;
    std::size_t calls;
  };
  std::size_t k = 0, calls = 0;
  auto const one    = [&](std::size_t) { call(); };
  double const each = std::max(timer.seconds(4, k, one) / 4, 1e-6);
  auto const batch =
      std::max<std::size_t>(static_cast<std::size_t>(10e-3 / each), 1);
  auto const start         = Clock::now();
  auto const first_step_at = [&](double from) {
    for (double before = counter.joules();;) {
      timer.seconds(batch, k, one);
      calls += batch;
      double const now = counter.joules();
      double const seconds =
          std::chrono::duration<double>(Clock::now() - start).count();
      if (seconds >= from && now != before) return Mark{seconds, now, calls};
      if (seconds > from + 2)
        throw std::runtime_error("NVML's energy counter stands still");
      before = now;
    }
  };
  Mark const begin = first_step_at(0.3);
  Mark const end   = first_step_at(begin.seconds + 1);
  return {end.seconds - begin.seconds, end.joules - begin.joules,
          static_cast<double>(end.calls - begin.calls)};
}

/// Time, rate and energy of such calls, of which each moves \p bytes and takes
/// \p elements; the ceiling in bytes per second.
template <class Function>
void report_energy(benchmark::State& state, DeviceTimer& timer,
                   EnergyCounter const& counter, Function const& call,
                   double bytes, double ceiling, double elements) {
  auto const [seconds, joules, calls] = steady_energy(timer, counter, call);
  for (auto _ : state) state.SetIterationTime(seconds / calls);
  state.counters["bytes_per_second"]    = bytes * calls / seconds;
  state.counters["elements_per_second"] = elements * calls / seconds;
  state.counters["fraction_of_ceiling"] = bytes * calls / seconds / ceiling;
  state.counters["joules_per_element"]  = joules / (calls * elements);
  state.counters["watts"]               = joules / seconds;
}

}  // namespace perf
#endif

#endif
