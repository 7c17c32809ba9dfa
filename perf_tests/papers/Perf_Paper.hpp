// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_HPP
#define KOKKOSMMA_PERF_PAPER_HPP

#include <memory>

#include "support/Perf_Program.hpp"
#include "support/Perf_Energy.hpp"
#include "papers/Perf_CostModels.hpp"
#include "papers/Perf_PaperSums.hpp"

/// What the tables of perf_paper have in common. Each table is a source of its
/// own.
namespace perf {

class PaperTests {
 public:
  explicit PaperTests(Session& session);

  void register_all();
  /// Registers a case; what it throws is its error.
  template <class Body>
  void add(std::string const& name, Body const& body) {
    register_case(session, name, body);
  }

  /// A table's own state, which its cases refer to, for as long as they live.
  template <class State>
  State& keep() {
    auto const state = std::make_shared<State>(*this);
    m_kept.push_back(state);
    return *state;
  }

  bool measures_energy() const;
  /// Measures and reports what a call takes of the board's energy.
  void measure_energy(benchmark::State& state, Call const& call, double bytes,
                      double ceiling, double elements);

  Session& session;

 private:
  std::vector<std::shared_ptr<void>> m_kept;
#ifdef KOKKOS_ENABLE_CUDA
  std::unique_ptr<EnergyCounter> m_energy;
#endif
};

// One source each.
void register_paper_sums(PaperTests& tests);  // chains, errors, energy
void register_paper_automata(PaperTests& tests);

}  // namespace perf

#endif
