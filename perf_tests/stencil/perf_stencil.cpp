// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils and cellular automata by all contenders in one process, next to the
// copy ceiling measured there.
//
//   stencil/CONTENDER/TYPE/RANKd/WEIGHTS/r:RADIUS/BOUNDARY/n:N
//   stencil_steps/CONTENDER/TYPE/RANKd/WEIGHTS/r:RADIUS/BOUNDARY/steps:S/n:N
//   automaton/CONTENDER/uint8/RULE/r:RADIUS/BOUNDARY/steps:S/n:N
//     CONTENDER  kokkos        MDRange lambda, every neighbour read, default
//                              tiling (1D: RangePolicy)
//                kokkos_tiled  the same with the fastest of a list of tilings
//                separable     a kernel by hand: two passes over a tile in
//                              shared memory
//                npp           nppiFilterBox of a copy with zeros around it
//                cudnn         cudnnConvolutionForward, its fastest algorithm
//                stencil       KokkosMMA::stencil, route left to the library
//                policy        Kokkos::parallel_for over
//                              KokkosMMA::StencilPolicy, whose functor writes
//                              the sum (automata: the next state)
//                generic, streamed, mma
//                              KokkosMMA::stencil with that route
//                automaton     KokkosMMA::automaton
//     WEIGHTS    box         ones
//                mean        all alike, a power of two near one over their
//                            number
//                star        ones on the axes
//                binomial    products of binomial coefficients
//                dense       random integers from 1 to 15
//                dense_real  random multiples of 2^-20 in (0, 1)
//     RULE       moore, von_neumann
//                            two states, ranges of counts scaled from
//                            R5,C0,M1,S34..58,B34..45; moore of radius 1 is
//                            Life
//                moore_states:8
//                            the same with eight states
//
// Elements and results are of one type, N elements of the grid. One Google
// Benchmark iteration is the median of up to --mma-samples samples; it is one
// line of output. Before it is timed, every result of a case is compared with
// sums in integers, and it is run twice for equal bits; the timed calls must
// leave the same bits.

#include "stencil/Perf_Stencil.hpp"

#include <cstdio>
#include <iostream>
#include <set>

namespace perf {

StencilTests::StencilTests(Session& session) : m_session(session) {
  for (auto const& [key, missing] :
       {std::pair("npp", npp_missing()), std::pair("cudnn", cudnn_missing())}) {
    benchmark::AddCustomContext(key, missing.empty() ? "found" : missing);
    if (on_cuda && !missing.empty())
      std::cerr << "perf_stencil: no " << key << ": " << missing << "\n";
  }
}

void StencilTests::register_all() {
  register_ceilings(m_session);
  register_half_2d(*this);
  register_bhalf_2d(*this);
  register_float_2d(*this);
  register_double_2d(*this);
  register_int8_2d(*this);
  register_uint8_2d(*this);
  register_int32_2d(*this);
  register_half_1d(*this);
  register_bhalf_1d(*this);
  register_float_1d(*this);
  register_double_1d(*this);
  register_int8_1d(*this);
  register_uint8_1d(*this);
  register_int32_1d(*this);
  register_half_3d(*this);
  register_bhalf_3d(*this);
  register_float_3d(*this);
  register_double_3d(*this);
  register_int8_3d(*this);
  register_uint8_3d(*this);
  register_int32_3d(*this);
  register_automata();
}

/// Hosts have no route but generic, and asking for another one by name is an
/// error there.
bool StencilTests::exists(Contender c) const {
  switch (c) {
    case Contender::separable:
    case Contender::streamed:
    case Contender::mma: return on_cuda;
    case Contender::npp: return npp_missing().empty();
    case Contender::cudnn: return cudnn_missing().empty();
    default: return true;
  }
}

void StencilTests::report(benchmark::State& state, Case const& c,
                          char const* type, Samples const& samples,
                          double updates, double bytes,
                          std::string const& label) {
  double const ceiling = m_session.copy_ceiling().bytes_per_second();
  double const seconds = samples.median();
  for (auto _ : state) state.SetIterationTime(seconds);
  Row const row = {updates / seconds, bytes / seconds / ceiling, label};
  state.counters["updates_per_second"]  = row.updates;
  state.counters["bytes_per_second"]    = bytes / seconds;
  state.counters["fraction_of_ceiling"] = row.fraction;
  state.counters["fused_steps"]         = c.steps;
  state.counters["variation"]           = samples.variation();
  state.counters["fastest_us"]          = samples.minimum() * 1e6;
  auto line = std::find_if(m_lines.begin(), m_lines.end(), [&](Line const& l) {
    return l.task == c.task() && l.type == type && l.what == c.what();
  });
  if (line == m_lines.end())
    line = m_lines.insert(line, Line{c.task(), type, c.what(), c, {}});
  line->rows[name_of(c.contender)] = row;
}

void StencilTests::print_table(std::string const& task,
                               std::string const& group,
                               std::string const& title) const {
  std::vector<Line const*> lines;
  std::set<std::string> present;
  for (Line const& line : m_lines) {
    if (line.task != task || !line.what.starts_with(group)) continue;
    lines.push_back(&line);
    for (auto const& [contender, row] : line.rows) present.insert(contender);
  }
  if (lines.empty()) return;
  std::vector<std::string> columns;
  for (int c = 0; c <= static_cast<int>(Contender::automaton); ++c)
    if (present.contains(name_of(static_cast<Contender>(c))))
      columns.push_back(name_of(static_cast<Contender>(c)));
  std::printf(
      "\n%s, 10^9 updates per second (fraction of the copy ceiling)\n"
      "%-7s %-26s",
      title.c_str(), "type", "case");
  for (std::string const& c : columns) std::printf(" %13s", c.c_str());
  std::printf("  route\n");
  for (Line const* line : lines) {
    std::printf("%-7s %-26s", line->type.c_str(),
                line->what.substr(group.size()).c_str());
    std::string route;
    for (std::string const& c : columns) {
      auto const row = line->rows.find(c);
      if (row == line->rows.end()) {
        std::printf(" %13s", "-");
        continue;
      }
      std::printf(" %6.4g (%.2f)", row->second.updates * 1e-9,
                  row->second.fraction);
      if (c == "stencil" || c == "automaton") route = row->second.label;
    }
    std::printf("  %s\n", route.c_str());
  }
}

void StencilTests::print_tables() {
  for (std::string const rank : {"2d", "1d", "3d"})
    for (Form form : {Form::box, Form::star, Form::binomial, Form::dense,
                      Form::dense_real}) {
      std::string const group = rank + "/" + name_of(form) + "/";
      print_table("stencil", group, rank + " " + name_of(form));
    }
  print_table("stencil_steps", "", "Several steps in one call");
  print_table("automaton", "", "Automata, bytes to bytes");

  // Of what the bars are about. On hosts all are Kokkos' code.
  if (!on_cuda) return;
  std::printf("\n");
  std::set<std::string> types;
  for (Line const& line : m_lines) types.insert(line.type);
  for (std::string const& type : types) {
    Line const* slowest  = nullptr;
    auto const of        = [](Line const& l) { return l.rows.at("stencil"); };
    double against_peers = std::numeric_limits<double>::infinity();
    Line const* closest  = nullptr;
    std::map<std::string, double> constant;
    double boundaries = std::numeric_limits<double>::infinity();
    for (Line const& line : m_lines) {
      if (line.type != type || line.task != "stencil" || line.c.rank != 2 ||
          !line.rows.contains("stencil"))
        continue;
      bool const factors =
          line.c.form == Form::box || line.c.form == Form::binomial;
      if (factors && line.c.radius <= 7 &&
          (!slowest || of(line).fraction < of(*slowest).fraction))
        slowest = &line;
      for (auto const& [contender, row] : line.rows) {
        bool const peer = contender.starts_with("kokkos") ||
                          contender == "separable" || contender == "npp" ||
                          contender == "cudnn";
        if (!peer || of(line).updates / row.updates >= against_peers) continue;
        against_peers = of(line).updates / row.updates;
        closest       = &line;
      }
      if (line.c.form != Form::box) continue;
      std::string const r = std::to_string(line.c.radius);
      if (line.c.conditions == Conditions::constant)
        constant[r] = of(line).updates;
      else if (line.c.conditions != Conditions::halo && constant.contains(r))
        boundaries = std::min(boundaries, of(line).updates / constant[r]);
    }
    if (!slowest) continue;
    std::printf(
        "%s, 2d: slowest of box and binomial up to radius 7 %s at %.2f "
        "of the copy ceiling",
        type.c_str(), slowest->what.c_str(), of(*slowest).fraction);
    if (closest)
      std::printf("; against the best peer where it is closest %.2f (%s)",
                  against_peers, closest->what.c_str());
    if (boundaries < std::numeric_limits<double>::infinity())
      std::printf("; slowest boundary at %.3f of constant", boundaries);
    std::printf("\n");
  }
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::StencilTests>("perf_stencil", argc, argv);
}
