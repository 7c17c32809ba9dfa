// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of the papers that the library stands on, measured on this
// machine: what they compare, over what they vary, beside what they predict.
// docs/papers.md lays the figures against the published ones.
//
//   paper_chain/CONTENDER/TYPE/R:r/B:b/n:N      sums of N normal halves by the
//       formulations over chain length and block size; the shuffle reduction by
//       block size alone, CUB by neither
//   paper_error/CONTENDER/TYPE/DISTRIBUTION/n:N errors of sums against double
//   paper_segmented_reduce/CONTENDER/TYPE/length:L/n:N
//   paper_segmented_scan/CONTENDER/TYPE/length:L/n:N
//   paper_reduce/CONTENDER/TYPE/scalar/n:N      whole sums, host clock
//   paper_scan/CONTENDER/TYPE/exclusive/n:N     whole scans
//   paper_automaton/CONTENDER/uint8/moore/r:R/side:S/n:N
//   paper_energy/...                            energy of some of the above
//   paper_model/reduce/R:r/n:N, paper_model/automaton/r:R
//                                               the models alone, every machine
//     CONTENDER  wmma_FORM  the papers' own kernels in plain nvcuda::wmma
//                mma_FORM   the library's forms of them; mma_chained is the
//                           product
//                shuffle    one element for each thread, warps by shuffles
//                cub_half, cub, cub_float
//                           halves added in half, halves added in float, floats
//                thrust, kokkos, kokkos_half (half results)
//                library    KokkosMMA's call, the library's choice of route
//                global, shared, mma, packed
//                           automata: every neighbour read from memory, from a
//                           tile in shared memory, the library on bytes, and on
//                           bits
//
// A case is checked before it is timed; errors are reported as errors.

#include "Perf_Paper.hpp"

#include <core/routing/KokkosMMA_CostModels.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "Perf_Energy.hpp"

namespace perf {

std::string cell_text(double value, char const* format) {
  char text[32];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

void PaperTable::set(std::string const& row, std::string const& column,
                     std::string const& text) {
  auto const know = [](std::vector<std::string>& list,
                       std::string const& item) {
    if (std::find(list.begin(), list.end(), item) == list.end())
      list.push_back(item);
  };
  know(m_rows, row);
  know(m_columns, column);
  m_cells[{row, column}] = text;
}

void PaperTable::print() const {
  std::size_t first = m_row_title.size();
  for (std::string const& row : m_rows) first = std::max(first, row.size());
  std::printf("\n%s\n%-*s", m_title.c_str(), static_cast<int>(first),
              m_row_title.c_str());
  std::vector<int> widths;
  for (std::string const& column : m_columns) {
    widths.push_back(static_cast<int>(std::max<std::size_t>(column.size(), 7)));
    std::printf("  %*s", widths.back(), column.c_str());
  }
  std::printf("\n");
  for (std::string const& row : m_rows) {
    std::printf("%-*s", static_cast<int>(first), row.c_str());
    for (std::size_t c = 0; c < m_columns.size(); ++c) {
      auto const at = m_cells.find({row, m_columns[c]});
      std::printf("  %*s", widths[c],
                  at == m_cells.end() ? "-" : at->second.c_str());
    }
    std::printf("\n");
  }
}

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
        << "perf_paper: no GPU here: Kokkos' own code, the models and, of "
           "the formulations, errors of the emulated ones\n";
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

double PaperTests::measure_energy(benchmark::State& state, Call const& call,
                                  double bytes, double elements) {
#ifdef KOKKOS_ENABLE_CUDA
  SteadyEnergy const steady = steady_energy(session.timer, *m_energy, call);
  for (auto _ : state) state.SetIterationTime(steady.seconds / steady.calls);
  double const per_element = steady.joules / (steady.calls * elements);
  state.counters["joules_per_element"] = per_element;
  state.counters["watts"]              = steady.joules / steady.seconds;
  state.counters["elements_per_second"] =
      elements * steady.calls / steady.seconds;
  state.counters["bytes_per_second"] = bytes * steady.calls / steady.seconds;
  return per_element * 1e12;
#else
  (void)state, (void)call, (void)bytes, (void)elements;
  throw std::logic_error("perf: energy is measured on Cuda alone");
#endif
}

void PaperTests::report(benchmark::State& state, Samples const& samples,
                        double bytes, double elements, double ceiling) const {
  double const seconds = samples.median();
  for (auto _ : state) state.SetIterationTime(seconds);
  state.counters["bytes_per_second"]    = bytes / seconds;
  state.counters["elements_per_second"] = elements / seconds;
  state.counters["fraction_of_ceiling"] = bytes / seconds / ceiling;
  state.counters["variation"]           = samples.variation();
  state.counters["fastest_us"]          = samples.minimum() * 1e6;
}

PaperTable& PaperTests::table(std::string const& title,
                              std::string const& rows) {
  for (auto& [known, table] : m_tables)
    if (known == title) return *table;
  m_tables.emplace_back(title, std::make_unique<PaperTable>(title, rows));
  return *m_tables.back().second;
}

void PaperTests::print_tables() const {
  for (auto const& [title, table] : m_tables) table->print();
}

namespace {

/// The papers' predictions, which no machine changes.
void register_models(PaperTests& tests) {
  std::size_t const n = std::size_t(1) << 28;
  for (int chain : {1, 2, 3, 4, 5, 8, 16, 32})
    tests.add(
        "paper_model/reduce/R:" + std::to_string(chain) +
            "/n:" + std::to_string(n),
        [&tests, chain, n](benchmark::State& state) {
          double const steps   = KokkosMMA::Impl::chained_reduction_steps(n, chain);
          double const speedup = KokkosMMA::Impl::chained_reduction_speedup(chain);
          for (auto _ : state) state.SetIterationTime(0);
          state.counters["model_steps"]   = steps;
          state.counters["model_speedup"] = speedup;
          state.SetLabel("model");
          PaperTable& table = tests.table(
              "Model: steps of a sum of 2^28, T_R(n) = (2R + 3) "
              "log_{256 R} n, and speedup over 4 log_2 n",
              "");
          std::string const column = "R = " + std::to_string(chain);
          table.set("steps", column, cell_text(steps, "%.1f"));
          table.set("speedup", column, cell_text(speedup, "%.2f"));
        });
  for (int radius : {1, 2, 3, 4, 5, 8, 12, 16})
    tests.add(
        "paper_model/automaton/r:" + std::to_string(radius),
        [&tests, radius](benchmark::State& state) {
          KokkosMMA::Impl::AutomatonCost const cost =
              KokkosMMA::Impl::automaton_cost(radius);
          for (auto _ : state) state.SetIterationTime(0);
          state.counters["model_reads"]        = cost.neighbour_reads;
          state.counters["model_staged_reads"] = cost.staged_reads;
          state.counters["model_products"]     = cost.products;
          state.counters["model_speedup"] =
              KokkosMMA::Impl::automaton_speedup(radius);
          state.SetLabel("model");
          PaperTable& table = tests.table(
              "Model: a generation on Moore's neighbourhood, blocks of "
              "16 x 16",
              "");
          std::string const column = "r = " + std::to_string(radius);
          table.set("reads of a cell", column, cell_text(cost.neighbour_reads));
          table.set("the same, tile in shared memory", column,
                    cell_text(cost.staged_reads, "%.2f"));
          table.set("products of a block", column, cell_text(cost.products));
        });
}

}  // namespace

void PaperTests::register_all() {
  register_ceilings(session);
  register_models(*this);
  register_paper_sums(*this);
#ifndef KOKKOS_ENABLE_CUDA
  register_emulated_sums(*this);
#endif
  register_paper_segments(*this);
  register_paper_full_half(*this);
  register_paper_full_float(*this);
  register_paper_automata(*this);
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::PaperTests>("perf_paper", argc, argv);
}
