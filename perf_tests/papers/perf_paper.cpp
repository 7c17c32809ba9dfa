// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the papers on reductions, scans and automata by tensor cores compare,
// measured on this machine beside what their models predict.
// docs/developers/papers.md has the published figures.
//
// docs/developers/benchmarks.md explains the names. A case is checked before it
// is timed; errors are reported as errors.

#include "papers/Perf_Paper.hpp"

namespace perf {

PaperTests::PaperTests(Session& s) : session(s) {
  std::string energy = "no Cuda execution space";
#ifdef KOKKOS_ENABLE_CUDA
  m_energy = std::make_unique<EnergyCounter>();
  energy   = m_energy->missing();
#endif
  benchmark::AddCustomContext("energy_counter",
                              energy.empty() ? "found" : energy);
  if (!on_cuda)
    std::cerr
        << "perf_paper: no GPU here: Kokkos' own code and the models alone\n";
  else if (!energy.empty())
    std::cerr << "perf_paper: no energy will be measured: " << energy << "\n";
}

bool PaperTests::measures_energy() const {
#ifdef KOKKOS_ENABLE_CUDA
  return m_energy->missing().empty();
#else
  return false;
#endif
}

void PaperTests::measure_energy(benchmark::State& state, Call const& call,
                                double bytes, double ceiling, double elements) {
#ifdef KOKKOS_ENABLE_CUDA
  report_energy(state, session.timer, *m_energy, call, bytes, ceiling,
                elements);
#else
  (void)state, (void)call, (void)bytes, (void)ceiling, (void)elements;
  throw std::logic_error("perf: energy is measured on Cuda alone");
#endif
}

namespace {

/// A case without a time: what a model predicts on every machine.
void register_model(PaperTests& tests, std::string const& name,
                    std::map<std::string, double> const& predictions) {
  tests.add("paper_model/" + name, [predictions](benchmark::State& state) {
    for (auto _ : state) state.SetIterationTime(0);
    for (auto const& [key, value] : predictions)
      state.counters["model_" + key] = value;
    state.SetLabel("model");
  });
}

void register_models(PaperTests& tests) {
  std::size_t const n = std::size_t(1) << 28;
  for (int chain : {1, 2, 3, 4, 5, 8, 16, 32})
    register_model(
        tests, "reduce/R:" + std::to_string(chain) + "/n:" + std::to_string(n),
        {{"steps", chained_reduction_steps(n, chain)},
         {"speedup", chained_reduction_speedup(chain)}});
  for (int radius : {1, 2, 3, 4, 5, 8, 12, 16}) {
    AutomatonCost const cost = automaton_cost(radius);
    register_model(tests, "automaton/r:" + std::to_string(radius),
                   {{"reads", cost.neighbour_reads},
                    {"staged_reads", cost.staged_reads},
                    {"products", cost.products},
                    {"speedup", automaton_speedup(radius)}});
  }
}

}  // namespace

void PaperTests::register_all() {
  register_ceilings(session);
  register_models(*this);
  register_paper_sums(*this);
  register_paper_automata(*this);
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::PaperTests>("perf_paper", argc, argv);
}
