// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_TEAM_HPP
#define KOKKOSMMA_ERASED_TEAM_HPP

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/loops/KokkosMMA_TeamProblem.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <atomic>
#include <cstddef>

/// \file
/// Intercepted team kernels without the type of the functor: the choice between
/// their two forms, and the launch of a reduction over teams. Compiled once, in
/// libkokkosmma.

namespace KokkosMMA::Impl {

struct ErasedTeam {
  Cuda::Stream stream;
  char const* pattern;
  void const* closure;
  void (*run)(void const* closure, NestedLoops loops);
  void const* (*kernel)(NestedLoops loops);
  std::atomic_flag& reported;
  CachedLaunch& cached;
  TeamProblem problem;
};

/// Runs a team kernel once, in one of its forms. Returns the route that ran.
Route run_team(ErasedTeam const& call);

/// Reduction over teams by this library's kernel.
struct ErasedTeamReduce {
  Cuda::Stream stream;
  void const* kernel;
  void const* arguments[3];  ///< functor, reducer and TeamLayout
  int teams;
  int shared_bytes;
  dim3 threads;
  void* result;
  bool result_on_device, must_wait;
  std::size_t value_bytes;
  void (*ensure_locks)();
};

/// \return whether the kernel was launched
bool launch_team_reduce(ErasedTeamReduce const& call);

}  // namespace KokkosMMA::Impl

#endif
