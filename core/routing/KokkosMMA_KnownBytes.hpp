// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_KNOWN_BYTES_HPP
#define KOKKOSMMA_KNOWN_BYTES_HPP

#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>

namespace KokkosMMA::Impl {

/// Bytes of the elements that a call reads and writes; 0 if unknown.
template <class Problem>
constexpr double known_bytes(Problem const&) {
  return 0;
}
constexpr double known_bytes(ReduceProblem const& problem) {
  return double(problem.size) * double(size_of(problem.input)) *
         (problem.source == Source::product ? 2 : 1);
}
constexpr double known_bytes(ScanProblem const& problem) {
  return double(problem.size) *
         double(size_of(problem.input) + size_of(problem.output));
}

}  // namespace KokkosMMA::Impl

#endif
