// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// drop_in_callbacks: a program that takes one of Kokkos Tools' callbacks for
// itself keeps it under KOKKOSMMA_VERBOSE=1, and the library's own still reach
// no other than the tool's. Fails with a line that says what is wrong.

#include <adapters/kokkos/KokkosMMA_VerboseLines.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>

namespace {

int calls = 0;
void count(char const*, std::uint32_t, std::uint64_t*) { ++calls; }

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  KokkosMMA::Impl::VerboseLines::listen(true);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(&count);
  KokkosMMA::Impl::VerboseLines::label();

  using Policy = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  double sum   = 0;
  Kokkos::parallel_reduce(
      "sum", Policy(0, 10), KOKKOS_LAMBDA(int i, double& s) { s += i; }, sum);
  Kokkos::parallel_for("loop", Policy(0, 10), KOKKOS_LAMBDA(int){});
  if (calls == 1 && sum == 45) return 0;
  std::printf("failed: the program's callback was called %d times\n", calls);
  return 1;
}
