// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_Stencil.hpp"

namespace perf {
namespace {

using Cells = GridOf<std::uint8_t, 2>;

struct Widen {
  std::uint8_t const* cells;
  std::uint64_t* exact;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { exact[i] = cells[i]; }
};

/// The next state of a cell of two states from the number of live cells around
/// it.
struct NextState {
  Cells from, to;
  RangeRule rule;
  template <class Sum>
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  Sum neighbours) const {
    int const alive = from(i, j);
    int const count = static_cast<int>(neighbours) + alive;
    bool const born = rule.birth[0] <= count && count <= rule.birth[1];
    bool const kept = rule.survive[0] <= count && count <= rule.survive[1];
    to(i, j)        = static_cast<std::uint8_t>(alive ? kept : born);
  }
};

/// Generations of peers, to and fro between two Views; the number of steps is
/// even.
template <int fixed, bool moore>
Call plain_generations_of(Exec const& exec, GridShape<2> const& shape,
                          Cells const& cells, Cells const& other,
                          RangeRule const& rule, Conditions conditions,
                          int steps, Tiling const& tiling) {
  using Generation       = PlainAutomaton<fixed, moore>;
  int const rows         = static_cast<int>(shape.extent[0]);
  int const columns      = static_cast<int>(shape.extent[1]);
  Generation const there = {cells, other, rule, conditions, {rows, columns}};
  Generation const back  = {other, cells, rule, conditions, {rows, columns}};
  return [=] {
    for (int step = 0; step < steps; ++step)
      for_each_element<2>(exec, shape, tiling, step % 2 == 0 ? there : back);
  };
}
Call plain_generations(Exec const& exec, GridShape<2> const& shape,
                       Cells const& cells, Cells const& other,
                       RangeRule const& rule, Conditions conditions, int steps,
                       Tiling const& tiling) {
  auto* const of =
      rule.moore && rule.radius == 1    ? &plain_generations_of<1, true>
      : rule.moore && rule.radius == 5  ? &plain_generations_of<5, true>
      : rule.moore && rule.radius == 10 ? &plain_generations_of<10, true>
      : rule.radius == 1                ? &plain_generations_of<1, false>
                                        : &plain_generations_of<0, false>;
  return of(exec, shape, cells, other, rule, conditions, steps, tiling);
}

Call policy_generations(Exec const& exec, Cells const& cells,
                        Cells const& other, RangeRule const& rule,
                        Conditions conditions, int steps) {
  using Weights        = KokkosMMA::StencilWeights<2>;
  auto const weights   = rule.moore ? Weights::moore(rule.radius)
                                    : Weights::von_neumann(rule.radius);
  auto const around    = KokkosMMA::Boundaries<2>::all(boundary_of(conditions));
  auto const policy_of = [&](Cells const& from) {
    return KokkosMMA::StencilPolicy(exec, from, weights, around);
  };
  return [there = policy_of(cells), back = policy_of(other),
          to_other = NextState{cells, other, rule},
          to_cells = NextState{other, cells, rule}, steps] {
    for (int step = 0; step < steps; step += 2) {
      Kokkos::parallel_for("perf_stencil", there, to_other);
      Kokkos::parallel_for("perf_stencil", back, to_cells);
    }
  };
}

}  // namespace

void StencilTests::register_automata() {
  using enum Contender;
  bool const all = m_session.options.all;
  bool const few = !on_cuda && !all;
  auto const n   = static_cast<std::size_t>(shape<2>().size());
  auto const add = [&](bool moore, int states, int radius,
                       Conditions conditions, int steps,
                       std::vector<Contender> const& contenders) {
    if (shape<2>().extent[0] < radius) return;
    RangeRule const rule = scaled_rule(moore, radius, states);
    std::string name     = moore ? "moore" : "von_neumann";
    if (states > 2) name += "_states:" + std::to_string(states);
    for (Contender contender : contenders) {
      Case const c = {contender, 2,   Form::automaton, radius, conditions,
                      steps,     name};
      perf::register_case(m_session, c.name("uint8", n),
                          [this, c, rule](benchmark::State& state) {
                            run_automaton(state, c, rule);
                          });
    }
  };
  for (int r :
       few ? std::vector<int>{1, 5} : std::vector<int>{1, 2, 3, 5, 7, 10, 16}) {
    std::vector<Contender> contenders = {kokkos_tiled, policy, automaton};
    if (r <= 7) contenders.insert(contenders.begin(), kokkos);
    add(true, 2, r, Conditions::constant, 8, contenders);
    if (r == 1 || r == 5)
      for (Conditions conditions : {Conditions::periodic, Conditions::reflect})
        add(true, 2, r, conditions, 8, {automaton});
  }
  // Life over many generations.
  add(true, 2, 1, Conditions::periodic, few ? 32 : 256,
      {kokkos_tiled, automaton});
  for (int r :
       few ? std::vector<int>{1} : std::vector<int>{1, 2, 3, 5, 7, 10, 16})
    add(false, 2, r, Conditions::constant, 8,
        r <= 5 ? std::vector<Contender>{kokkos_tiled, policy, automaton}
               : std::vector<Contender>{automaton});
  for (int r : few ? std::vector<int>{1} : std::vector<int>{1, 5})
    add(true, 8, r, Conditions::constant, 8, {kokkos_tiled, automaton});
}

void StencilTests::run_automaton(benchmark::State& state, Case const& c,
                                 RangeRule const& rule) {
  Exec const& exec = m_session.exec;
  m_session.copy_ceiling();
  GridShape<2> const grid = shape<2>();
  auto const n            = static_cast<std::size_t>(grid.size());
  using Byte              = std::uint8_t;
  Byte* const start       = m_input.get<Byte>(exec, n);
  Byte* const cells       = m_session.results<Byte>(n);
  Byte* const other       = m_between.get<Byte>(exec, n);
  Cells const here        = grid_of<Byte, 2>(cells, grid);
  Cells const there       = grid_of<Byte, 2>(other, grid);

  // Kept until a case has others, widened: results are compared as sums are.
  std::string const key = c.what() + grid.text();
  if (m_exact_key != key) {
    m_exact_key.clear();
    Kokkos::parallel_for("perf::cells", IndexRange(exec, 0, n),
                         FillCells{cells});
    Byte* const last =
        exact_automaton(exec, cells, other, grid, rule, c.conditions, c.steps);
    std::uint64_t* const exact = m_exact[0].get<std::uint64_t>(exec, n);
    Kokkos::parallel_for("perf::widen", IndexRange(exec, 0, n),
                         Widen{last, exact});
    exec.fence("perf::widen");
    m_exact_sums = exact;
    m_exact_key  = key;
  }
  m_input_key = "cells";
  Kokkos::parallel_for("perf::cells", IndexRange(exec, 0, n), FillCells{start});

  Tiling tiling;
  if (c.contender == Contender::kokkos_tiled)
    tiling = fastest_tiling("automaton" + std::to_string(c.radius < 3 ? 1 : 3),
                            2, [&](Tiling const& tried) {
                              return plain_generations(
                                  exec, grid, here, there,
                                  scaled_rule(true, c.radius < 3 ? 1 : 3, 2),
                                  Conditions::constant, 2, tried);
                            });
  Call call;
  if (c.contender == Contender::automaton) {
    auto const parsed = KokkosMMA::parse_rule(rule.text());
    auto const around =
        KokkosMMA::Boundaries<2>::all(boundary_of(c.conditions));
    call = [=] { KokkosMMA::automaton(exec, here, parsed, around, c.steps); };
  } else if (c.contender == Contender::policy) {
    call = policy_generations(exec, here, there, rule, c.conditions, c.steps);
  } else {
    call = plain_generations(exec, grid, here, there, rule, c.conditions,
                             c.steps, tiling);
  }

  auto const run_once = [&] {
    poison_bytes(exec, other, n);
    copy_bytes(exec, cells, start, n);
    call();
    Inspection const seen = inspect_stencil<Byte>(
        exec, cells, static_cast<std::uint64_t const*>(m_exact_sums), n, {});
    seen.check(n, "cells");
    return seen.hash;
  };
  std::uint64_t const bits = run_once();
  std::string label        = c.contender == Contender::kokkos ? "kokkos"
                             : c.contender == Contender::kokkos_tiled
                                 ? "kokkos, tiles " + text_of(tiling)
                                 : checked_route(Expectation::library);
  // Timed calls go on from where the one before ended.
  Samples const samples =
      m_session.timer.sample_briefly(m_session.options.samples, call);
  bool const reproducible = run_once() == bits;
  if (!reproducible)
    throw std::runtime_error("two runs on the same data differ");
  double const updates = static_cast<double>(c.steps) * static_cast<double>(n);
  report(state, c, samples, updates, 2 * updates);
  state.counters["reproducible"] = reproducible;
  state.SetLabel(label);
}

}  // namespace perf
