// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SIDE_TESTS_HPP
#define KOKKOSMMA_PERF_SIDE_TESTS_HPP

#include <deque>

#include "support/Perf_Session.hpp"
#include "support/Perf_Sides.hpp"

namespace perf {

/// A body on both sides.
struct SideCase {
  Line kokkos, drop_in;
  std::vector<char const*> contenders = {};
  std::vector<Samples> samples        = {};  // by contender, once measured
  double indices = 0, bytes = 0;
  bool kokkos_bits  = false;  // of the drop-in's results
  std::string route = {}, error = {};

  double seconds(std::size_t k) const { return samples[k].median(); }
  double speedup(std::size_t k) const { return seconds(0) / seconds(k); }
  /// Kokkos' time, or CUB's, over the drop-in's; 0 without that contender.
  double against(std::string_view contender) const {
    auto const at = std::find(contenders.begin(), contenders.end(), contender);
    return at == contenders.end()
               ? 0
               : seconds(at - contenders.begin()) / seconds(1);
  }
};

/// What a program of bodies is.
struct SideProgram {
  char const* prefix;  ///< of the names of cases: PREFIX/CONTENDER/TYPE/NAME
  char const* noun;    ///< what the bodies are, in the plural
  bool reads;          ///< fractions are of the read ceiling, not of the copy's
  /// Where the drop-in says what ran last.
  KokkosMMA::Route& (*route)();
};

/// Bodies of an application, which are compiled without and with the drop-in:
/// PREFIX/kokkos/..., PREFIX/drop_in/... and, where a body has them,
/// PREFIX/kokkos_int64/... and PREFIX/cub/...
class SideTests {
 public:
  SideTests(Session& session, SideProgram const& program)
      : m_session(session), m_program(program), m_arena(session) {}

  /// With --mma-summary, a table of all that ran.
  void summarize() const;

 protected:
  void register_tables(std::vector<std::pair<Table*, Table*>> const& tables);

 private:
  void register_body(SideCase& c);
  void run(benchmark::State& state, SideCase& c, std::size_t contender);
  void measure(SideCase& c);
  double ceiling() const {
    return m_program.reads ? m_session.read_bytes_per_second()
                           : m_session.copy_ceiling().bytes_per_second();
  }

  Session& m_session;
  SideProgram m_program;
  Arena m_arena;
  std::deque<SideCase> m_cases;  // the registered cases point to them
};

}  // namespace perf

#endif
