// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::parallel_for with the drop-in against Kokkos' own:
// loop/CONTENDER/TYPE/GROUP/BODY. docs/developers/benchmarks.md explains the
// names.

#include "loops/Perf_Loops.hpp"

#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>

#include "support/Perf_Program.hpp"
#include "support/Perf_Routes.hpp"
#include "support/Perf_SideTests.hpp"

namespace perf {

/// What ran the last loop that came to the library.
KokkosMMA::Route& route_of_loops() {
  return heard_route(KokkosMMA::Impl::Observed::loop);
}

struct LoopTests : SideTests {
  explicit LoopTests(Session& session)
      : SideTests(session, {"loop", "loops", false, route_of_loops}) {}
  void register_all() {
    register_tables({{&kokkos::stream_loops, &drop_in::stream_loops},
                     {&kokkos::other_loops, &drop_in::other_loops},
                     {&kokkos::grid_loops, &drop_in::grid_loops},
                     {&kokkos::volume_loops, &drop_in::volume_loops}});
  }
};

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::LoopTests>("perf_loops", argc, argv);
}
