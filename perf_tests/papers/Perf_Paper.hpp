// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_HPP
#define KOKKOSMMA_PERF_PAPER_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/Perf_Contest.hpp"
#include "support/Perf_Data.hpp"
#include "support/Perf_Libraries.hpp"
#include "papers/Perf_PaperSums.hpp"
#include "support/Perf_Session.hpp"
#include "support/Perf_Timing.hpp"

/// What the tables of perf_paper have in common. Each table is a source of its
/// own: their contenders' kernels take nvcc long enough side by side.
namespace perf {

/// A table for the console: cells by row and column, in the order of their
/// coming.
class PaperTable {
 public:
  PaperTable(std::string title, std::string rows)
      : m_title(std::move(title)), m_row_title(std::move(rows)) {}
  void set(std::string const& row, std::string const& column,
           std::string const& text);
  void print() const;

 private:
  std::string m_title, m_row_title;
  std::vector<std::string> m_rows, m_columns;
  std::map<std::pair<std::string, std::string>, std::string> m_cells;
};

class PaperTests {
 public:
  explicit PaperTests(Session& session);

  void register_all();
  void print_tables() const;

  /// Registers a case; what it throws is its error.
  template <class Body>
  void add(std::string const& name, Body const& body) {
    register_benchmark(name, [this, body](benchmark::State& state) {
      try {
        body(state);
      } catch (std::exception const& e) {
        session.fail(state, e.what());
      }
    });
  }

  /// Time, bytes and elements of a call into the counters.
  void report(benchmark::State& state, Samples const& samples, double bytes,
              double elements, double ceiling) const;

  /// The table of this title, made when it is first asked for.
  PaperTable& table(std::string const& title, std::string const& rows);

  /// A table's own state, which its cases refer to, for as long as they live.
  template <class State>
  State& keep() {
    auto const state = std::make_shared<State>(*this);
    m_kept.push_back(state);
    return *state;
  }

  bool measures_energy() const;
  /// Measures and reports what a call takes of the board's energy.
  /// \return picojoules per element
  double measure_energy(benchmark::State& state, Call const& call, double bytes,
                        double elements);

  Session& session;

 private:
  std::vector<std::pair<std::string, std::unique_ptr<PaperTable>>> m_tables;
  std::vector<std::shared_ptr<void>> m_kept;
#ifdef KOKKOS_ENABLE_CUDA
  std::unique_ptr<EnergyCounter> m_energy;
#endif
};

/// Digits that fit a cell of the console.
std::string cell_text(double value, char const* format = "%.0f");

// One source each.
void register_paper_sums(PaperTests& tests);     // chains, errors, energy
void register_emulated_sums(PaperTests& tests);  // errors, hosts alone
void register_paper_segments(PaperTests& tests);
void register_paper_full_half(PaperTests& tests);
void register_paper_full_float(PaperTests& tests);
void register_paper_automata(PaperTests& tests);

}  // namespace perf

#endif
