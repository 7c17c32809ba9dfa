// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A destructor at exit of the process runs calls, like one that finalizes
// Kokkos. What the library has learnt in the first call still exists.

#include "LaunchedCalls.hpp"

#include <cstdio>
#include <cstdlib>

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

static void run(char const* when) {
  SumCall sum(20000);
  ScanCall scan(20000);
  Impl::run_reduce(sum.call);
  Impl::run_scan(scan.call);
  if (sum.result != 199990000 || scan.prefix[19999] != sum.result) {
    std::printf("failed: wrong results %s\n", when);
    std::_Exit(1);
  }
  // Warns, once, that an opaque functor does not have the level.
  ScopedSettings const scope({.reproducibility = Reproducibility::exact});
  SumCall warned(1000);
  warned.call.problem.value = Scalar::float64;
  Impl::run_reduce(warned.call);
}

// Constructed before, and destroyed after, all objects of the library.
static struct AtExit {
  ~AtExit() {
    int const queries = emulated_queries;
    run("at exit");
    if (emulated_queries == queries) return;
    std::printf("failed: kernels are queried again at exit\n");
    std::fflush(stdout);
    std::_Exit(1);
  }
} const at_exit;

int main() {
  run("in main");
  return 0;
}
