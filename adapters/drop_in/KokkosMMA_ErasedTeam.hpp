// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_TEAM_HPP
#define KOKKOSMMA_ERASED_TEAM_HPP

/// \file
/// Intercepted team kernels without the type of the functor: the choice between
/// their two forms, compiled once per source. The functions are templates of
/// ErasedTeam, so that a source without a team kernel instantiates none.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_InterceptNested.hpp>
#include <core/loops/KokkosMMA_RouteTeam.hpp>
#include <core/loops/KokkosMMA_SettledLaunch.hpp>
#if !defined(__CUDA_ARCH__)
#include <adapters/drop_in/KokkosMMA_TimedCall.hpp>
#include <adapters/kokkos/KokkosMMA_VerboseLines.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace KokkosMMA::Impl {

struct ErasedTeam {
  Kokkos::Cuda const& space;
  char const* pattern;
  void const* closure;
  void (*run)(void const* closure, NestedLoops loops);
  void const* (*kernel)(NestedLoops loops);
  std::atomic_flag& reported;
  SettledLaunch& settled;
  TeamProblem problem;
};

/// Route of the last intercepted team kernel of this host thread.
inline Route& last_team_route_of_this_thread() {
  thread_local Route route = Route::automatic;
  return route;
}

// Declarations, as in adapters/drop_in/KokkosMMA_ErasedFor.hpp.
#if defined(__CUDA_ARCH__)
template <class Call>
void run_team(Call const& call);
#else

template <class Call>
[[gnu::cold]] void report_team(Call const& call,
                               RouteDecision const& decision) {
  std::string const label = VerboseLines::seen();
  if (call.reported.test_and_set()) return;
  std::fprintf(stderr, "KokkosMMA: %s %s%steams=%llu %s%s\n", call.pattern,
               label.c_str(), label.empty() ? "" : " ",
               static_cast<unsigned long long>(call.problem.teams),
               to_string(decision).c_str(),
               decision.route == Route::streamed
                   ? "; its nested reductions are timed with and without "
                     "overlapped invocations"
                   : "");
}

/// Runs the fastest form, or the one to be measured next.
template <class Call>
NestedLoops measured_form(Call const& call, SettledLaunch::Loop const& key) {
  constexpr NestedLoops forms[] = {NestedLoops::kokkos,
                                   NestedLoops::overlapped};
  for (NestedLoops const each : forms)
    Cuda::load_kernel(key.device_id, call.kernel(each));
  using Times = Cuda::LaunchTimes<>;
  auto& times = Times::instance();
  Times::Loop const loop{key.device_id, &call.settled, key.size_class, false};
  cudaStream_t const stream = call.space.cuda_stream();
  std::uint64_t const threads =
      call.problem.teams * std::uint64_t(std::max(call.problem.threads, 32));
  Times::Turn const turn = times.begin(
      loop, 2, stream,
      threads < min_large_team_threads ? small_calls_before_measuring : 0);
  NestedLoops const form = forms[turn.candidate];
  call.run(call.closure, form);
  times.end(loop, turn, stream);
  if (turn.settled)
    call.settled.keep(
        key, form == NestedLoops::kokkos ? kokkos_shape : LoopShape{1, 1, 1});
  return form;
}

/// Runs a team kernel once, in one of its forms.
template <class Call>
void run_team(Call const& call) {
  Settings const settings  = effective_settings();
  Capability const machine = Cuda::capability(call.space);
  RouteDecision decision;
  if (settings.route != Route::generic)
    decision = decide_wish(settings, [&](Settings const& wish) {
      return route_team(call.problem, machine, wish);
    });
  if (environment_verbose()) report_team(call, decision);
  // Both forms give the same bits, on any device if the caller sets the team
  // size. For a reduction over teams Kokkos' grid depends on the device.
  if (settings.reproducibility != Reproducibility::run_to_run &&
      (call.problem.threads == 0 ||
       std::string_view(call.pattern) == "parallel_reduce"))
    report_level(concatenate("Kokkos::", call.pattern, " over teams").c_str(),
                 settings.reproducibility,
                 {Reproducibility::run_to_run,
                  {"Kokkos chooses the team size or the grid, which depend on "
                   "the device"}});
  TimedCall timed;
  bool const turn_of_kokkos =
      measures_calls() && timed.begin(call.space, call.pattern, &call.reported,
                                      call.problem.teams, 0, decision);
  NestedLoops form = decision.route == Route::streamed && !turn_of_kokkos
                         ? NestedLoops::overlapped
                         : NestedLoops::kokkos;
  SettledLaunch::Loop const key{call.space.cuda_device(),
                                team_size_class(call.problem), false};
  if (form == NestedLoops::kokkos || settings.route == Route::streamed ||
      call.problem.teams == 0) {
    call.run(call.closure, form);
  } else if (auto const shape = call.settled.find(key)) {
    if (*shape == kokkos_shape) form = NestedLoops::kokkos;
    call.run(call.closure, form);
  } else {
    form = measured_form(call, key);
  }
  bool const overlapped = form == NestedLoops::overlapped;
  if (decision.route == Route::streamed && !turn_of_kokkos && !overlapped)
    timed.ran(Route::generic,
              "Kokkos' own loops are faster or are being timed");
  last_team_route_of_this_thread() =
      overlapped ? Route::streamed : Route::generic;
}

#endif  // __CUDA_ARCH__

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
