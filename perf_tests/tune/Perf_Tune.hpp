// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TUNE_HPP
#define KOKKOSMMA_PERF_TUNE_HPP

#include "support/Perf_Program.hpp"
#include "tune/Perf_TuneChoice.hpp"

/// perf_tune: for each value of the tuning table the library's own calls on
/// both sides of the decision, in the same process on the same data. The cases
/// are in Perf_TuneCases.hpp; every type of each is an instance in a source of
/// its own.
namespace perf {

using KokkosMMA::Route;
using KokkosMMA::Scalar;
using KokkosMMA::Impl::TuningTable;
using KokkosMMA::Impl::TuningValue;

/// One call of the library on one size. call(k) submits the k-th of many calls;
/// sum() is a figure of the results, in which a wrong one would show.
struct TuneCase {
  std::string name;
  double bytes                          = 0;  ///< read and written
  int x                                 = 0;  ///< what a limit is compared with
  std::function<void(std::size_t)> call = {};
  std::function<double()> sum           = {};
};

/// How a case is run: with a table, and by a route, which the call asks for as
/// an application does with Settings::route.
struct Way {
  TuningTable table;
  Route route = Route::automatic;
};

/// A case that was measured on both sides of a decision.
struct Measured {
  TuneCase of;
  BothWays both;
};

class Tuner {
 public:
  Tuner(Session& session, TuningTable const& built_in)
      : m_session(session), m_table(built_in), m_in_use(built_in) {}

  Session& session() { return m_session; }
  Exec const& exec() const { return m_session.exec; }
  TuningTable const& table() const { return m_table; }
  std::string const& report() const { return m_report; }

  /// What cases of several types share until all are measured.
  std::vector<Measured> tiny_ragged, tiny_ragged_wide;

  /// The case in rounds, each with one sample of both ways, whose order changes
  /// from round to round. None where a route refuses the call.
  std::optional<Measured> both(TuneCase const& c, Way const& taken,
                               Way const& left);
  void add(std::vector<Measured>& list, TuneCase const& c, Way const& taken,
           Way const& left) {
    if (auto measured = both(c, taken, left)) list.push_back(*measured);
  }

  /// Tensor cores or additions: yes or no, or from which x on.
  void choose_route(TuningValue value, std::vector<TuneCase> const& cases);
  /// Up to which x the first way is taken.
  void choose_limit(TuningValue value, std::vector<Measured> const& cases);

 private:
  /// The candidate that gains most; takes(x, candidate) is its decision.
  void choose(TuningValue value, std::vector<int> const& candidates,
              std::vector<Measured> const& cases,
              std::function<bool(int, int)> const& takes);
  /// Of every way, round by round; none where one is refused.
  std::vector<Samples> rounds(TuneCase const& c, std::vector<Way> const& ways);
  void use(TuningTable const& table);
  Session& m_session;
  TuningTable m_table, m_in_use;
  std::string m_report;
};

/// Measure and choose what belongs to a type.
template <class T>
void tune_reduce(Tuner& tuner);
template <class T>
void tune_ragged(Tuner& tuner);
template <class T>
void tune_stencil(Tuner& tuner);

}  // namespace perf

#endif
