// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils and cellular automata by every contender:
// stencil/CONTENDER/TYPE/RANKd/WEIGHTS/r:RADIUS/BOUNDARY/n:N, stencil_steps/...
// and automaton/... docs/developers/benchmarks.md explains the names.

#include "stencil/Perf_Stencil.hpp"

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
  Instances<StencilTests>::run(*this);
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

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::StencilTests>("perf_stencil", argc, argv);
}
