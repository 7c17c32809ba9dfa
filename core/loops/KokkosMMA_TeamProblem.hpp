// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEAM_PROBLEM_HPP
#define KOKKOSMMA_TEAM_PROBLEM_HPP

#include <cstdint>

namespace KokkosMMA::Impl {

/// Forms of the reductions inside a team kernel.
enum class NestedLoops : unsigned {
  kokkos     = 0,  ///< one invocation per round, as in Kokkos
  overlapped = 1   ///< several invocations per round
};

/// Input of the route function of team kernels.
struct TeamProblem {
  std::uint64_t teams = 0;
  /// Threads per block: team size times vector length. 0: Kokkos chooses them
  /// for its own kernel of a loop. A reduction's are chosen before.
  int threads = 0;
  int vector  = 1;  ///< lanes per thread: a power of two up to 32
};

}  // namespace KokkosMMA::Impl

#endif
