// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TUNE_HPP
#define KOKKOSMMA_PERF_TUNE_HPP

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "Perf_Data.hpp"
#include "Perf_Session.hpp"
#include "Perf_Timing.hpp"
#include "Perf_TuneChoice.hpp"

/// perf_tune: for each value of the tuning table the library's own calls with
/// one table and with another, in the same process on the same data. The cases
/// are in Perf_TuneCases.hpp, each type of each in a source that CMake writes.
namespace perf {

using KokkosMMA::Impl::PerType;
using KokkosMMA::Scalar;
using KokkosMMA::Impl::TuningTable;

/// One call of the library on one size. call(k) submits the k-th of many calls;
/// sum() is a figure of the results, in which a wrong one would show.
struct TuneCase {
  std::string name;
  double bytes = 0;      ///< read and written
  int x        = 0;      ///< what a limit is compared with
  bool of_host = false;  ///< small: timed by the host's clock, with a wait
  std::function<void(std::size_t)> call = {};
  std::function<double()> sum           = {};
};

/// Segments, for the choice of tiny ones.
struct TinyCase {
  std::string name;
  std::uint64_t elements;
  std::uint64_t bytes;
  BothWays seconds;
};
/// Segments between offsets, by their longest or their mean bytes.
struct RaggedCase {
  std::string name;
  int bytes;
  BothWays seconds;
};

class Tuner {
 public:
  explicit Tuner(Session& session) : m_session(session) {}

  Session& session() { return m_session; }
  Exec const& exec() const { return m_session.exec; }
  TuningTable const& table() const { return m_table; }
  std::string const& report() const { return m_report; }

  /// Keeps what cases of several types share until all are measured.
  std::vector<TinyCase> tiny;
  std::vector<RaggedCase> tiny_ragged, quads_ragged;
  std::vector<RaggedCase> kept;

  /// Seconds of the case with `taken` and with `left`. The two run in turn, so
  /// that a clock that changes meets both.
  BothWays both(TuneCase const& c, TuningTable const& taken,
                TuningTable const& left);

  /// A yes or no for one type: products or additions.
  template <class T>
  void choose_flag(PerType TuningTable::*values,
                   std::vector<TuneCase> const& cases) {
    Scalar const type = KokkosMMA::scalar_v<T>;
    choose_from(values, type, cases, true);
  }
  /// A limit from which on products are taken, for one type; the cases' x in
  /// ascending order.
  template <class T>
  void choose_limit(PerType TuningTable::*values,
                    std::vector<TuneCase> const& cases) {
    Scalar const type = KokkosMMA::scalar_v<T>;
    choose_from(values, type, cases, false);
  }
  /// One value of several, the present one among them.
  void choose_value(int TuningTable::*value, std::vector<int> candidates,
                    std::vector<TuneCase> const& cases);
  /// A limit up to which a launch is spread; the cases' x in ascending order.
  void choose_spread(int TuningTable::*value,
                     std::vector<TuneCase> const& cases);
  /// What tiny, tiny_ragged, quads_ragged and kept hold.
  void choose_segments();

  /// A table with another value.
  TuningTable with(int TuningTable::*member, int value) const {
    TuningTable table = m_table;
    table.*member     = value;
    return table;
  }

 private:
  void choose_from(PerType TuningTable::*values, Scalar type,
                   std::vector<TuneCase> const& cases, bool is_flag);
  void use(TuningTable const& table);
  double time(TuneCase const& c);
  double sum(TuneCase const& c) const;
  void check(TuneCase const& c, double taken, double left) const;
  /// A line of the report: name, value, figures.
  void say(std::string const& name, std::string const& value,
           std::string const& before, std::string const& figures);
  template <class Case>
  int upper_limit(std::vector<Case> const& cases, int present) const;

  Session& m_session;
  TuningTable m_table  = KokkosMMA::Impl::builtin_tuning;
  TuningTable m_in_use = KokkosMMA::Impl::builtin_tuning;
  std::string m_report;
};

/// Measure and choose what belongs to a type.
template <class T>
void tune_reduce(Tuner& tuner);
template <class T>
void tune_scan(Tuner& tuner);
template <class T>
void tune_segments(Tuner& tuner);
template <class T>
void tune_columns(Tuner& tuner);
template <class T>
void tune_ragged(Tuner& tuner);
template <class T>
void tune_stencil(Tuner& tuner);
/// Launches of reductions and scans: R, B, blocks, and up to which size a range
/// is spread.
void tune_launches(Tuner& tuner);

}  // namespace perf

#endif
