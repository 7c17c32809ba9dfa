// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions, scans and loops inside team kernels with the drop-in against
// Kokkos' own: nested/CONTENDER/TYPE/GROUP/BODY.
// docs/developers/benchmarks.md explains the names.

#include "nested/Perf_Nested.hpp"

#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>

#include "support/Perf_Program.hpp"
#include "support/Perf_Routes.hpp"
#include "support/Perf_SideTests.hpp"

namespace perf {

/// What ran the last team kernel that came to the library.
KokkosMMA::Route& route_of_teams() {
  return heard_route(KokkosMMA::Impl::Observed::team);
}

struct NestedTests : SideTests {
  explicit NestedTests(Session& session)
      : SideTests(session, {"nested", "bodies", true, route_of_teams}) {}
  void register_all() {
    register_tables({{&kokkos::row_sums, &drop_in::row_sums},
                     {&kokkos::sparse_products, &drop_in::sparse_products},
                     {&kokkos::reducers, &drop_in::reducers},
                     {&kokkos::applications, &drop_in::applications},
                     {&kokkos::patterns, &drop_in::patterns}});
  }
};

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::NestedTests>("perf_nested", argc, argv);
}
